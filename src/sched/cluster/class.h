/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/class.h - what equal pods have in common.
 *
 * Two levels, each shared by counting:
 *
 *	terms	what a pod asks of its place in addition to resources: selectors, affinities, tolerations,
 *		host ports, spreading, claims, images; and those of its labels that some other pod's
 *		selector looks at. Pods that differ in nothing of this share what was found out about
 *		nodes.
 *	class	terms and a request: pods of one class are interchangeable, so that what is known of
 *		one is known of all (sched/place/finder.h).
 *
 * Both are found by a text (a key) made of just these parts of the pod, so that a pod whose like is
 * known costs no decoding. Labels that no selector uses are no part of it: the index that a job
 * controller gives each pod does not make it a class of its own. */
#ifndef SCHED_CLASS_H
#define SCHED_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/pod/pod_spec.h"
#include "model/value/resources.h"

struct arena;
struct device_ask;
struct cpu_ask;
struct label_set;
struct pod_term;

struct host_port {
	uint32_t ip; /* symbol; SYMBOL_NONE: every address */
	uint32_t protocol;
	int32_t port;
};
struct soft_term {
	struct pod_term *term;
	int32_t weight; /* below 0: anti-affinity */
};
/* One spread constraint, with the counters of the pods that it looks at. */
struct spread_term {
	const struct topology_spread *rule;
	struct pod_term *term;
	bool self; /* the pods themselves count */
};

struct terms {
	uint32_t refs;
	uint32_t id; /* small, for arrays */
	struct str key;
	uint32_t namespace; /* symbol */
	struct json_doc *doc;
	struct arena *arena;
	const struct pod_spec *spec; /* of `doc`: only what is named above is there */
	struct json annotations;     /* of `doc`: those that plugins read of pods */
	struct label_set *labels;    /* those that a selector uses */
	bool selects_nodes;          /* has a nodeSelector or required node affinity */
	bool prefers_nodes;
	bool by_name; /* ... which looks at the host name: profiles do not decide */
	bool has_claims;
	struct host_port *ports;
	size_t port_count;
	uint32_t *images; /* symbols */
	size_t image_count;
	size_t container_count; /* with images, init ones included */
	/* What it says about other pods. */
	VEC(struct pod_term *) affinity;
	VEC(struct pod_term *) anti;
	VEC(struct soft_term) soft;
	VEC(struct spread_term) spread;
	/* The counters of the cluster that its pods count in, as pods that are looked at. */
	VEC(struct pod_term *) matched;
};

struct class
{
	uint32_t refs;
	uint32_t id; /* small, for arrays */
	struct str key;
	struct terms *terms;
	struct resources request;
	dim_set dims; /* of the request, pods included */
	bool empty;   /* asks for nothing but a pod's slot: best effort */
	/* For scores that count what has no request as something. */
	int64_t nonzero_cpu;
	int64_t nonzero_memory;
	int64_t limits
		[2]; /* of cpu and memory, sums of what its containers name: for estimates of load */
	struct cpu_ask *cpu_ask; /* CPUs of its containers; NULL: not in Guaranteed QoS (numa.h) */
	struct json_doc
		*raw; /* the pod's resources, where a name was unknown and must be read again */
	struct finder *finder;      /* what is known about nodes; see sched/place/finder.h */
	struct json_doc *resources; /* the same as `raw`, where extended resources are asked for */
	struct device_ask *ask;     /* of cards (device.h); NULL: none */
	struct resources charge;    /* what queues count, where that is not the request */
	bool charged;
};

/* What queues and jobs are charged for a pod. */
static inline const struct resources *class_charge(const struct class *class)
{
	return class->charged ? &class->charge : &class->request;
}

#endif
