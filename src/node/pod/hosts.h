/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/hosts.h - the names that a pod knows: its /etc/hosts and /etc/resolv.conf.
 *
 * Instead of a name server: a pod finds itself, the pods of its namespace that have a hostname and a
 * subdomain (those of a job with the svc plugin), and the services of its namespace, each under the
 * names that Kubernetes' DNS gives them:
 *
 *	HOST.SUBDOMAIN  HOST.SUBDOMAIN.NS  HOST.SUBDOMAIN.NS.svc  HOST.SUBDOMAIN.NS.svc.cluster.local
 *
 * Pure, except hosts_write(). */
#ifndef NODE_HOSTS_H
#define NODE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/pod/pod.h"

/* A pod that can be found, and where. */
struct hosts_pod {
	struct json doc;
	struct str address;
};
/* What the namespace has, in any order. */
struct hosts_world {
	const struct hosts_pod *pods;
	size_t n_pods;
	const struct json *services;
	size_t n_services;
	const char *api; /* address of the API server, for its names in a cluster; NULL: left out */
};

/* The host name of a pod: its own, or its name cut to 63 bytes. */
struct str hosts_name(const struct pod *pod);

/* `machine`: the machine's own file, for hostNetwork. */
void hosts_print(const struct pod *pod, struct str address, const struct hosts_world *world,
		 struct str machine, struct buf *to);
/* `machine`: the machine's own resolv.conf. dnsPolicy and dnsConfig as with a kubelet, except that there is no
 * name server of the cluster: ClusterFirst is the same as Default. */
void hosts_print_resolv(const struct pod *pod, struct str machine, struct buf *to);

/* Write this content into a file without replacing the file, which is mounted in containers. Does nothing if the
 * file has the content. */
int hosts_write(const char *path, struct str text, bool *ret_changed, struct err *err) MUST_CHECK;

#endif
