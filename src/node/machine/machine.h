/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/machine.h - what this machine has, what this process may do on it, and how it is divided into
 * nodes.
 *
 * Amounts are what pods can really use: CPUs that this process may run on, memory and CPU within its own control
 * group (a container in CI has less than its host). Devices are found by the files that their drivers make.
 * Reading changes nothing. */
#ifndef NODE_MACHINE_H
#define NODE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "node/machine/cgroup_layout.h"
#include "node/machine/pressure.h"

/* Kinds of namespaces that processes can be put into. */
enum machine_namespaces {
	MACHINE_MOUNT = 1 << 0,
	MACHINE_UTS = 1 << 1,
	MACHINE_PID = 1 << 2, /* with a /proc of their own */
	MACHINE_NET = 1 << 3,
	/* Not root, but may be root in a user namespace, and there have the namespaces above (except a network
	 * that reaches the machine's). */
	MACHINE_USER = 1 << 4,
};

struct machine_device {
	const char *resource; /* "nvidia.com/gpu" */
	const char *path;     /* "/dev/nvidia0" */
	const char *id;       /* "0": the driver's number */
};

struct machine_hugepages {
	int64_t size; /* bytes */
	int64_t count;
};

struct machine {
	struct arena *arena;
	int64_t cpu;    /* milli-cores */
	int64_t memory; /* bytes, with huge pages */
	int64_t disk;   /* bytes of the file system that the node's folder is in */
	int64_t processes;
	struct machine_hugepages *hugepages;
	size_t n_hugepages;
	struct machine_device *devices; /* by resource, then by number */
	size_t n_devices;

	struct cgroup_layout cgroups;
	uint32_t namespaces; /* enum machine_namespaces */
	bool root;

	const char *kernel, *os_image, *architecture, *machine_id, *boot_id, *hostname;
};

/* Paths to read; NULL: the machine's own. */
struct machine_paths {
	const char *proc;
	const char *sys;
	const char *dev;
	const char *root;   /* before every other path: /etc/os-release, mounts of control groups */
	const char *folder; /* the node's */
	bool no_namespaces; /* do not try them out */
};

int machine_open(const struct machine_paths *paths, struct machine *ret,
		 struct err *err) MUST_CHECK;
void machine_close(struct machine *machine);
DEFINE_AUTO_IN_PLACE(struct machine, machine_close);

/* What the machine does not permit, one sentence per feature, for the node's conditions and for the user who
 * started it: "cpu and memory limits are not kept: ...". Texts belong to `machine`. */
enum machine_lacks_what { MACHINE_LACKS_ISOLATION, MACHINE_LACKS_NETWORK, MACHINE_LACKS_MAX };
struct machine_lacks {
	enum machine_lacks_what what;
	const char *reason; /* the reason of a condition: "NoControlGroups" */
	const char *message;
};
size_t machine_lacks(const struct machine *machine, struct machine_lacks ret[MACHINE_LACKS_MAX]);

/* --- nodes ----------------------------------------------------------------------------------- */

struct machine_amount {
	struct str name;
	struct str value; /* a quantity */
};
struct machine_division {
	size_t nodes; /* at least 1 */
	/* Per node: declared instead of what was found, and reserved. */
	struct machine_amount *resources, *reserved;
	size_t n_resources, n_reserved;
	struct pressure_limits limits; /* what must stay free, and so is not allocatable */
};

/* Parses "nvidia.com/gpu=4,cpu=64"; NULL and "" are empty. The error names the wrong part. */
int machine_amounts_parse(struct arena *arena, const char *text, struct machine_amount **ret,
			  size_t *ret_len, struct err *err) MUST_CHECK;

/* Fill in a node's status: capacity, allocatable, nodeInfo. Resources that cannot be divided evenly go to the
 * first nodes. */
void machine_put_status(const struct machine *machine, const struct machine_division *division,
			size_t index, struct json_doc *doc, struct json status);
/* The devices of the machine that belong to a node: [first, first + len) of those of a resource. */
void machine_share(size_t total, size_t nodes, size_t index, size_t *ret_first, size_t *ret_len);

#endif
