/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/container.h - the containers of a pod: what runs, with which environment, on which
 * resources. */
#ifndef MODEL_CONTAINER_H
#define MODEL_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/probe.h"
#include "model/pod/security.h"

/* When what has ended is started again; of a pod and of a single container. */
enum restart_policy {
	RESTART_DEFAULT, /* of a container: as the pod says */
	RESTART_ALWAYS,
	RESTART_ON_FAILURE,
	RESTART_NEVER,
	RESTART_POLICY_COUNT
};
extern const char *const restart_policy_names[RESTART_POLICY_COUNT];

enum pull_policy { PULL_DEFAULT, PULL_ALWAYS, PULL_IF_NOT_PRESENT, PULL_NEVER, PULL_POLICY_COUNT };
extern const char *const pull_policy_names[PULL_POLICY_COUNT];

/* A name of something in the same namespace. */
struct local_ref {
	struct str name;
};
extern const struct type local_ref_type;

struct container_port {
	struct str name;
	int32_t host_port;
	int32_t container_port;
	struct str protocol; /* TCP, UDP, SCTP */
	struct str host_ip;
};
extern const struct type container_port_type;

/* --- environment ----------------------------------------------------------------------------- */

struct field_ref {
	struct str api_version;
	struct str path; /* metadata.name, metadata.labels['a'], status.podIP, ... */
};
struct resource_field_ref {
	struct str container; /* empty: the one that asks */
	struct str resource;  /* limits.cpu, requests.memory, ... */
	struct quantity divisor;
};
extern const struct type field_ref_type;
extern const struct type resource_field_ref_type;

/* A key of a config map or a secret. */
struct key_ref {
	struct str name;
	struct str key;
	struct opt_bool optional;
};
struct file_key_ref {
	struct str volume;
	struct str path;
	struct str key;
	struct opt_bool optional;
};
/* One of them is there. */
struct env_var_source {
	const struct field_ref *field;
	const struct resource_field_ref *resource;
	const struct key_ref *config_map;
	const struct key_ref *secret;
	const struct file_key_ref *file;
};
struct env_var {
	struct str name;
	struct str value;
	const struct env_var_source *from;
};
extern const struct type env_var_type;

/* All keys of a config map or a secret. */
struct env_source {
	struct str name;
	struct opt_bool optional;
};
struct env_from {
	struct str prefix;
	const struct env_source *config_map;
	const struct env_source *secret;
};
extern const struct type env_from_type;

/* --- resources and volumes ------------------------------------------------------------------- */

/* A claim of the pod that a container uses. */
struct claim_use {
	struct str name;
	struct str request;
};
struct requirements {
	struct resource_list limits;
	struct resource_list requests;
	VIEW_LIST(struct claim_use) claims;
};
extern const struct type requirements_type;

struct volume_mount {
	struct str name;
	bool read_only;
	struct str recursive_read_only;
	struct str mount_path;
	struct str sub_path;
	struct str mount_propagation;
	struct str sub_path_expr;
};
extern const struct type volume_mount_type;

struct volume_device {
	struct str name;
	struct str device_path;
};
extern const struct type volume_device_type;

/* --- the container --------------------------------------------------------------------------- */

struct container {
	struct str name;
	struct str image;
	struct strs command;
	struct strs args;
	struct str working_dir;
	VIEW_LIST(struct container_port) ports;
	VIEW_LIST(struct env_from) env_from;
	VIEW_LIST(struct env_var) env;
	struct requirements resources;
	enum restart_policy restart_policy;
	VIEW_LIST(struct volume_mount) volume_mounts;
	VIEW_LIST(struct volume_device) volume_devices;
	const struct probe *liveness_probe;
	const struct probe *readiness_probe;
	const struct probe *startup_probe;
	const struct lifecycle *lifecycle;
	struct str message_path;
	struct str message_policy; /* File, FallbackToLogsOnError */
	enum pull_policy pull_policy;
	const struct security_context *security_context;
	bool stdin;
	bool stdin_once;
	bool tty;
	struct str target; /* of an ephemeral container: its target container */
};
extern const struct type container_type;
extern const struct type ephemeral_container_type;

/* Is it a sidecar: an init container that keeps running? */
static inline bool container_is_sidecar(const struct container *container)
{
	return container->restart_policy == RESTART_ALWAYS;
}

#endif
