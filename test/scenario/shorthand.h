/* SPDX-License-Identifier: Apache-2.0 */
/* shorthand.h - one line for an object of a scenario, where a manifest would be twenty:
 *
 *	node n1 cpu=4 memory=8Gi pods=10 gpu=2 label.zone=a taint=key:value:NoSchedule unschedulable
 *	queue q1 weight=2 priority=5 parent=p capability.cpu=4 deserved.gpu=2 guarantee.cpu=1 closed
 *	     keeps needs=g1,g2 likes=g2 shuns=g3 avoids=g4 note.KEY=VALUE
 *	class high 1000
 *	group g1 min=3 queue=q1 class=high phase=Running need.cpu=3 role.master=1 note.KEY=VALUE
 *	     net=hard:1 net=hard:@rack net=soft sub=NAME:LABEL:SIZE:MIN:hard:1
 *	hyper s0 tier=1 tier-name=rack nodes=n1,n2 hypers=a,b regex=^n label.rack=a
 *	quota q hard.cpu=4 used.cpu=1
 *	budget b label.app=db allows=1 keeps=2 disrupted=POD,POD
 *	numa n1 policy=single-numa-node nodes=2 cpus=4 free=0-7 reserved=1 manager=static threads=2
 *	pods g1 x3 cpu=1 memory=1Gi gpu=1 role=worker on=n1 class=high label.app=db select.zone=a
 *	     tolerate=key:value:NoSchedule port=80 never gated queue-gated pinned guaranteed numa=restricted
 *	     limit.cpu=2 succeeded near=app:db@zone
 *	     away=app:db@zone spread=app:db@zone note.KEY=VALUE
 *
 * `numa n1` is the Numatopology of node n1: `nodes` NUMA nodes of `cpus` CPUs, a socket each (`sockets=1`: one for
 * all), of which `free` are no container's. `guaranteed` pods have limits that are their requests (and memory, if
 * they name none); so have those that name a policy by `numa`.
 *
 * `pods g1 x3 role=worker` are g1-worker-0 to g1-worker-2 of group g1; `from=3` begins at 3. `pinned`
 * is not preemptable; `near` and `away` are required affinity and anti-affinity to pods with that
 * label, a topology key after the @. A missing role is "w". Memory and pods of a node are 64Gi and 110
 * unless given. `queue-gated` pods carry
 * Volcano's own gate, and the wish to have it taken away. Pods with `on` were scheduled just now. A
 * queue that `keeps` is not reclaimable; what it needs, likes, shuns and avoids are groups of nodes;
 * a budget `keeps` that many healthy. `net` is a network topology, with its highest tier, or the name of it after @; a `sub`
 * is a policy for sub-groups by that label, with minSubGroups and a topology where it has some; of a `hyper` each word is a
 * member, `label` all of them one selector. */
#ifndef TEST_SCHED_SHORTHAND_H
#define TEST_SCHED_SHORTHAND_H

#include "base/err.h"
#include "base/str.h"
#include "json/doc.h"

/* Add the manifests that a line stands for to a list of a document that is being built. */
int shorthand_expand(struct json_doc *doc, struct json list, struct str line,
		     struct err *err) MUST_CHECK;

#endif
