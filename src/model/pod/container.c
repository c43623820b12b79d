/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/container.c - tables of containers and of what is in them. Their rules are in
 * model/pod/pod_validate.h. */
#include "model/pod/container.h"

#include <assert.h>

#include "model/pod/pod_default.h"

#include "base/banned.h"

const char *const restart_policy_names[] = {
	[RESTART_DEFAULT] = "",
	[RESTART_ALWAYS] = "Always",
	[RESTART_ON_FAILURE] = "OnFailure",
	[RESTART_NEVER] = "Never",
};
static_assert(ARRAY_LEN(restart_policy_names) == RESTART_POLICY_COUNT, "name every policy");

const char *const pull_policy_names[] = {
	[PULL_DEFAULT] = "",
	[PULL_ALWAYS] = "Always",
	[PULL_IF_NOT_PRESENT] = "IfNotPresent",
	[PULL_NEVER] = "Never",
};
static_assert(ARRAY_LEN(pull_policy_names) == PULL_POLICY_COUNT, "name every policy");

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct local_ref
static const struct field local_ref_fields[] = {
	{"name", F_STR, AT(name)},
};
#undef VIEW
const struct type local_ref_type = {
	TYPE("LocalObjectReference", "v1", struct local_ref, local_ref_fields),
	CORE,
	.atomic = true,
};

#define VIEW struct container_port
static const struct field container_port_fields[] = {
	{"name", F_STR, AT(name)},
	{"hostPort", F_INT32, AT(host_port)},
	{"containerPort", F_INT32, AT(container_port), F_REQUIRED},
	{"protocol", F_STR, AT(protocol), F_GO("v1.Protocol"), F_DEFAULT("TCP")},
	{"hostIP", F_STR, AT(host_ip)},
};
#undef VIEW
const struct type container_port_type = {
	TYPE("ContainerPort", "v1", struct container_port, container_port_fields),
	CORE,
};

#define VIEW struct field_ref
static const struct field field_ref_fields[] = {
	{"apiVersion", F_STR, AT(api_version)},
	{"fieldPath", F_STR, AT(path), F_REQUIRED},
};
#undef VIEW
const struct type field_ref_type = {
	TYPE("ObjectFieldSelector", "v1", struct field_ref, field_ref_fields),
	CORE,
	.fill = pod_default_field_ref,
	.atomic = true,
};

#define VIEW struct resource_field_ref
static const struct field resource_field_ref_fields[] = {
	{"containerName", F_STR, AT(container)},
	{"resource", F_STR, AT(resource), F_REQUIRED},
	{"divisor", F_QUANTITY, AT(divisor), F_ALWAYS},
};
#undef VIEW
const struct type resource_field_ref_type = {
	TYPE("ResourceFieldSelector", "v1", struct resource_field_ref, resource_field_ref_fields),
	CORE,
	.atomic = true,
};

#define VIEW struct key_ref
static const struct field config_map_key_ref_fields[] = {
	{"name", F_STR, AT(name)},
	{"key", F_STR, AT(key), F_REQUIRED},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type config_map_key_ref_type = {
	TYPE("ConfigMapKeySelector", "v1", struct key_ref, config_map_key_ref_fields),
	CORE,
	.atomic = true,
};

#define VIEW struct key_ref
static const struct field secret_key_ref_fields[] = {
	{"name", F_STR, AT(name)},
	{"key", F_STR, AT(key), F_REQUIRED},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type secret_key_ref_type = {
	TYPE("SecretKeySelector", "v1", struct key_ref, secret_key_ref_fields),
	CORE,
	.atomic = true,
};

#define VIEW struct file_key_ref
static const struct field file_key_ref_fields[] = {
	{"volumeName", F_STR, AT(volume), F_REQUIRED},
	{"path", F_STR, AT(path), F_REQUIRED},
	{"key", F_STR, AT(key), F_REQUIRED},
	{"optional", F_BOOL, AT(optional), F_POINTER, F_DEFAULT("false")},
};
#undef VIEW
static const struct type file_key_ref_type = {
	TYPE("FileKeySelector", "v1", struct file_key_ref, file_key_ref_fields),
	CORE,
	.atomic = true,
};

#define VIEW struct env_var_source
static const struct field env_var_source_fields[] = {
	{"fieldRef", F_OBJECT(field_ref), AT(field)},
	{"resourceFieldRef", F_OBJECT(resource_field_ref), AT(resource)},
	{"configMapKeyRef", F_OBJECT(config_map_key_ref), AT(config_map)},
	{"secretKeyRef", F_OBJECT(secret_key_ref), AT(secret)},
	{"fileKeyRef", F_OBJECT(file_key_ref), AT(file)},
};
#undef VIEW
static const struct type env_var_source_type = {
	TYPE("EnvVarSource", "v1", struct env_var_source, env_var_source_fields),
	CORE,
};

#define VIEW struct env_var
static const struct field env_var_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"value", F_STR, AT(value)},
	{"valueFrom", F_OBJECT(env_var_source), AT(from)},
};
#undef VIEW
const struct type env_var_type = {
	TYPE("EnvVar", "v1", struct env_var, env_var_fields),
	CORE,
};

#define VIEW struct env_source
static const struct field config_map_env_fields[] = {
	{"name", F_STR, AT(name)},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type config_map_env_type = {
	TYPE("ConfigMapEnvSource", "v1", struct env_source, config_map_env_fields),
	CORE,
};

#define VIEW struct env_source
static const struct field secret_env_fields[] = {
	{"name", F_STR, AT(name)},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type secret_env_type = {
	TYPE("SecretEnvSource", "v1", struct env_source, secret_env_fields),
	CORE,
};

#define VIEW struct env_from
static const struct field env_from_fields[] = {
	{"prefix", F_STR, AT(prefix)},
	{"configMapRef", F_OBJECT(config_map_env), AT(config_map)},
	{"secretRef", F_OBJECT(secret_env), AT(secret)},
};
#undef VIEW
const struct type env_from_type = {
	TYPE("EnvFromSource", "v1", struct env_from, env_from_fields),
	CORE,
};

#define VIEW struct claim_use
static const struct field claim_use_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"request", F_STR, AT(request)},
};
#undef VIEW
static const struct type claim_use_type = {
	TYPE("ResourceClaim", "v1", struct claim_use, claim_use_fields),
	CORE,
};

#define VIEW struct requirements
static const struct field requirements_fields[] = {
	{"limits", F_RESOURCES, AT(limits), F_GO("v1.ResourceList")},
	{"requests", F_RESOURCES, AT(requests), F_GO("v1.ResourceList")},
	{"claims", F_LIST(F_OBJECT(claim_use)), AT(claims), F_LIST_MAP("name")},
};
#undef VIEW
const struct type requirements_type = {
	TYPE("ResourceRequirements", "v1", struct requirements, requirements_fields),
	CORE,
};

#define VIEW struct volume_mount
static const struct field volume_mount_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"readOnly", F_BOOL, AT(read_only)},
	{"recursiveReadOnly", F_STR, AT(recursive_read_only), F_GO("v1.RecursiveReadOnlyMode"),
	 F_POINTER},
	{"mountPath", F_STR, AT(mount_path), F_REQUIRED},
	{"subPath", F_STR, AT(sub_path)},
	{"mountPropagation", F_STR, AT(mount_propagation), F_GO("v1.MountPropagationMode"),
	 F_POINTER},
	{"subPathExpr", F_STR, AT(sub_path_expr)},
};
#undef VIEW
const struct type volume_mount_type = {
	TYPE("VolumeMount", "v1", struct volume_mount, volume_mount_fields),
	CORE,
};

#define VIEW struct volume_device
static const struct field volume_device_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"devicePath", F_STR, AT(device_path), F_REQUIRED},
};
#undef VIEW
const struct type volume_device_type = {
	TYPE("VolumeDevice", "v1", struct volume_device, volume_device_fields),
	CORE,
};

static const struct field resize_policy_fields[] = {
	{"resourceName", F_STR, F_GO("v1.ResourceName"), F_REQUIRED},
	{"restartPolicy", F_STR, F_GO("v1.ResourceResizeRestartPolicy"), F_REQUIRED},
};
static const struct type resize_policy_type = {
	TYPE_KNOWN("ContainerResizePolicy", "v1", resize_policy_fields),
	CORE,
};

static const struct field restart_exit_codes_fields[] = {
	{"operator", F_STR, F_GO("v1.ContainerRestartRuleOnExitCodesOperator"), F_REQUIRED},
	{"values", F_LIST(F_INT32), F_LIST_SET},
};
static const struct type restart_exit_codes_type = {
	TYPE_KNOWN("ContainerRestartRuleOnExitCodes", "v1", restart_exit_codes_fields),
	CORE,
};

static const struct field restart_rule_fields[] = {
	{"action", F_STR, F_GO("v1.ContainerRestartRuleAction"), F_REQUIRED},
	{"exitCodes", F_OBJECT(restart_exit_codes)},
};
static const struct type restart_rule_type = {
	TYPE_KNOWN("ContainerRestartRule", "v1", restart_rule_fields),
	CORE,
};

/* The rows of every container. */
#define CONTAINER_ROWS                                                                   \
	{"name", F_STR, AT(name), F_REQUIRED}, {"image", F_STR, AT(image)},              \
		{"command", F_LIST(F_STR), AT(command), F_LIST_ATOMIC},                  \
		{"args", F_LIST(F_STR), AT(args), F_LIST_ATOMIC},                        \
		{"workingDir", F_STR, AT(working_dir)},                                  \
		{"ports", F_LIST(F_OBJECT(container_port)), AT(ports),                   \
		 F_LIST_MAP("containerPort", "protocol"), F_MERGE_KEY("containerPort")}, \
		{"envFrom", F_LIST(F_OBJECT(env_from)), AT(env_from), F_LIST_ATOMIC},    \
		{"env", F_LIST(F_OBJECT(env_var)), AT(env), F_LIST_MAP("name"),          \
		 F_MERGE_KEY("name")},                                                   \
		{"resources", F_OBJECT(requirements), AT(resources), F_ALWAYS},          \
		{"resizePolicy", F_LIST(F_OBJECT(resize_policy)), F_LIST_ATOMIC},        \
		{"restartPolicy", F_ENUM(restart_policy_names),      AT(restart_policy), \
		 F_OPEN,          F_GO("v1.ContainerRestartPolicy"), F_POINTER},         \
		{"restartPolicyRules", F_LIST(F_OBJECT(restart_rule)), F_LIST_ATOMIC},   \
		{"volumeMounts", F_LIST(F_OBJECT(volume_mount)), AT(volume_mounts),      \
		 F_LIST_MAP("mountPath"), F_MERGE_KEY("mountPath")},                     \
		{"volumeDevices", F_LIST(F_OBJECT(volume_device)), AT(volume_devices),   \
		 F_LIST_MAP("devicePath"), F_MERGE_KEY("devicePath")},                   \
		{"livenessProbe", F_OBJECT(probe), AT(liveness_probe)},                  \
		{"readinessProbe", F_OBJECT(probe), AT(readiness_probe)},                \
		{"startupProbe", F_OBJECT(probe), AT(startup_probe)},                    \
		{"lifecycle", F_OBJECT(lifecycle), AT(lifecycle)},                       \
		{"terminationMessagePath", F_STR, AT(message_path)},                     \
		{"terminationMessagePolicy", F_STR, AT(message_policy),                  \
		 F_GO("v1.TerminationMessagePolicy")},                                   \
		{"imagePullPolicy", F_ENUM(pull_policy_names), AT(pull_policy), F_OPEN,  \
		 F_GO("v1.PullPolicy")},                                                 \
		{"securityContext", F_OBJECT(security_context), AT(security_context)},   \
		{"stdin", F_BOOL, AT(stdin)}, {"stdinOnce", F_BOOL, AT(stdin_once)},     \
	{                                                                                \
		"tty", F_BOOL, AT(tty)                                                   \
	}

#define VIEW struct container
static const struct field container_fields[] = {CONTAINER_ROWS};
static const struct field ephemeral_container_fields[] = {
	CONTAINER_ROWS,
	{"targetContainerName", F_STR, AT(target)},
};
#undef VIEW
const struct type container_type = {
	TYPE("Container", "v1", struct container, container_fields),
	CORE,
	.fill = pod_default_container,
};
const struct type ephemeral_container_type = {
	TYPE("EphemeralContainer", "v1", struct container, ephemeral_container_fields),
	CORE,
	.fill = pod_default_container,
};
