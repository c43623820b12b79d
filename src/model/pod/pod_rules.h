/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_rules.h - shared by the files of the pod's rules: pod_validate*.c.
 *
 * The tables of a part are in its file. `context` of their rows is the struct pod_rules of the pod
 * or template that is checked; it has what earlier rows found out for later ones. */
#ifndef MODEL_POD_RULES_H
#define MODEL_POD_RULES_H

#include <stdbool.h>

#include "json/doc.h"
#include "model/field/path.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"

struct json_index;
struct pod_claim_uses;

/* The pod or template that is checked. */
struct pod_rules {
	struct causes *causes;
	struct json spec;
	struct json meta;        /* absent in a template */
	struct json annotations; /* for what annotation and field must agree about */
	bool is_pod;             /* not a template */
	bool host_users;         /* the pod's users are the host's */
	bool strict;             /* rejects what Kubernetes accepts only since 1.33 */

	/* what rows have found out */
	struct name_set volumes;    /* those that are valid */
	struct name_set claims;     /* resource claims of the pod */
	struct name_set names;      /* of containers, across their lists */
	struct name_set targets;    /* of containers that an ephemeral one may name */
	struct name_set host_ports; /* as "TCP/1.2.3.4/80" */
	struct name_set files;      /* of the projected volume at `projected` */
	const struct path *projected;
	size_t causes_before; /* of the volume that is checked */
	size_t containers;
	size_t host_processes; /* of these, on Windows */

	/* the resources that are checked */
	bool pod_level;
	bool has_compute; /* cpu or memory */
	bool has_huge_pages;
	const struct json_index *limits;
	struct pod_claim_uses *claim_uses;
};

static inline struct pod_rules *pod_of(const struct rule_at *at)
{
	return at->context;
}

static inline struct json pod_spec_of(const struct rule_at *at)
{
	return pod_of(at)->spec;
}

static inline struct rule_at pod_rule_at(struct pod_rules *r, struct json value,
					 const struct path *path)
{
	return (struct rule_at){.value = value, .path = path, .causes = r->causes, .context = r};
}

/* Rows for init containers, containers and ephemeral ones, in this order. */
#define POD_EACH_CONTAINER(rows)                                                            \
	{"initContainers", R_EACH(R_OBJECT(rows))}, {"containers", R_EACH(R_OBJECT(rows))}, \
	{                                                                                   \
		"ephemeralContainers", R_EACH(R_OBJECT(rows))                               \
	}

/* Parts, each with the path of the part. */
extern const struct rules pod_spec_rules, pod_annotation_rules, pod_annotation_match_rules;
extern const struct rules pod_volume_rules, pod_projected_rules, pod_key_path_rules,
	pod_downward_file_rules, pod_claim_template_rules;
extern const struct rules pod_containers_rules; /* of the spec: its lists of containers */
extern const struct rules pod_image_rules, pod_mount_rules, pod_env_rules, pod_env_from_rules,
	pod_probe_rules;
extern const struct rules pod_security_rules, pod_pod_security_rules;
extern const struct rules pod_os_rules, pod_process_rules; /* of the spec */
extern const struct rules pod_affinity_rules;

/* Of the volume sources of single vendors. */
enum pod_cloud {
	POD_CLOUD_GIT,
	POD_CLOUD_GCE,
	POD_CLOUD_AWS,
	POD_CLOUD_ISCSI,
	POD_CLOUD_GLUSTER,
	POD_CLOUD_FLOCKER,
	POD_CLOUD_RBD,
	POD_CLOUD_CINDER,
	POD_CLOUD_CEPH,
	POD_CLOUD_QUOBYTE,
	POD_CLOUD_FC,
	POD_CLOUD_FLEX,
	POD_CLOUD_AZURE_FILE,
	POD_CLOUD_VSPHERE,
	POD_CLOUD_PHOTON,
	POD_CLOUD_PORTWORX,
	POD_CLOUD_AZURE_DISK,
	POD_CLOUD_STORAGEOS,
	POD_CLOUD_SCALE_IO,
	POD_CLOUD_COUNT
};
extern const struct rules pod_cloud_rules[POD_CLOUD_COUNT];

/* A reference to a field, or to a resource, of a pod. */
rule_fn pod_check_env_field, pod_check_file_field, pod_check_env_resource, pod_check_file_resource;
/* Requests, limits and claims: of a container, of the pod as a whole, of the pod's overhead. */
rule_fn pod_check_requirements, pod_check_pod_resources, pod_check_overhead;
/* An element of the pod's resource claims. */
rule_fn pod_check_resource_claim;
/* Topology spread constraints, all of them. */
rule_fn pod_check_spread;

#define POD_PULL_POLICIES R_REQUIRED, R_TEXTS("Always", "IfNotPresent", "Never")

#endif
