/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_rules.h - what the files of the pod's rules share: pod_validate*.c. */
#ifndef MODEL_POD_RULES_H
#define MODEL_POD_RULES_H

#include <stdbool.h>

#include "json/doc.h"
#include "model/field/path.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"

/* The pod or template that is being looked at. */
struct pod_rules {
	struct causes *causes;
	struct json spec;
	struct json meta;        /* absent in a template */
	struct name_set volumes; /* those that are right */
	struct name_set claims;  /* resource claims of the pod */
	bool is_pod;             /* not a template */
	bool host_users;         /* the pod's users are the host's */
	bool strict;             /* nothing that Kubernetes lets through only since 1.33 */
};

static inline struct rule_at pod_rule_at(const struct pod_rules *r, struct json object,
					 const struct path *path)
{
	return rule_start(object, path, r->causes);
}

/* Called for init containers, containers and ephemeral ones, in this order. */
typedef void pod_container_fn(struct pod_rules *r, struct json container, const struct path *path,
			      void *arg);
void pod_rules_each(struct pod_rules *r, const struct path *spec, pod_container_fn *fn, void *arg);

/* Each takes the value of the part and its path. */
void pod_rules_spec(struct pod_rules *r, const struct path *path);
void pod_rules_annotations(struct pod_rules *r, struct json annotations, const struct path *path);
void pod_rules_annotations_match(struct pod_rules *r, struct json annotations,
				 const struct path *spec);
void pod_rules_volumes(struct pod_rules *r, struct json volumes, const struct path *path);
/* One of the sources that vendors have; false if it is none of these. */
bool pod_rules_cloud(struct pod_rules *r, struct str source, struct json value,
		     const struct path *path);
void pod_rules_projected(struct pod_rules *r, struct json projected, const struct path *path);
void pod_rules_key_path(struct pod_rules *r, struct json item, const struct path *path);
void pod_rules_downward_file(struct pod_rules *r, struct json file, const struct path *path);
void pod_rules_claim_template(struct pod_rules *r, struct json claim, const struct path *path);
void pod_rules_pull_policy(struct pod_rules *r, struct json object, const char *key,
			   const struct path *path);

void pod_rules_containers(struct pod_rules *r, const struct path *spec);
void pod_rules_init_containers(struct pod_rules *r, const struct path *spec);
void pod_rules_ephemeral_containers(struct pod_rules *r, const struct path *spec);
void pod_rules_image(struct pod_rules *r, struct json container, const struct path *path);
void pod_rules_mounts(struct pod_rules *r, struct json container, const struct path *path);
void pod_rules_env(struct pod_rules *r, struct json env, const struct path *path);
void pod_rules_env_from(struct pod_rules *r, struct json env_from, const struct path *path);
void pod_rules_field_ref(struct pod_rules *r, struct json ref, struct rule_texts fields,
			 const struct path *path);
void pod_rules_resource_ref(struct pod_rules *r, struct json ref, bool volume,
			    const struct path *path);
void pod_rules_probes(struct pod_rules *r, struct json container, const struct path *path);

/* Requests, limits and claims of a container. */
void pod_rules_requirements(struct pod_rules *r, struct json resources, const struct path *path);
/* Of the pod as a whole. */
void pod_rules_resources(struct pod_rules *r, const struct path *spec);
void pod_rules_resource_claims(struct pod_rules *r, struct json claims, const struct path *path);

void pod_rules_security(struct pod_rules *r, struct json context, const struct path *path);
void pod_rules_pod_security(struct pod_rules *r, struct json context, const struct path *path);
void pod_rules_windows_processes(struct pod_rules *r, const struct path *spec);
void pod_rules_os(struct pod_rules *r, const struct path *spec);

void pod_rules_affinity(struct pod_rules *r, struct json affinity, const struct path *path);
void pod_rules_spread(struct pod_rules *r, struct json spread, const struct path *path);
void pod_rules_tolerations(struct pod_rules *r, struct json tolerations, const struct path *path);

#endif
