/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_mount.c - the rules of what containers mount. Some causes have upstream's path
 * without the index of the mount: so have ours. */
#include "model/pod/pod_rules.h"

#include "base/banned.h"

static bool has_member(struct json list, const char *key, struct str value)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(rule_text(it.value, key), value))
			return true;
	return false;
}

static bool is_privileged(struct json container)
{
	return json_bool(json_get(json_get(container, "securityContext"), "privileged"));
}

/* The container of a mount or a device. */
static struct json holder_of(const struct rule_at *at)
{
	return at->up->up->value;
}

static bool is_bare(const struct rule_at *at)
{
	return !is_privileged(holder_of(at));
}

static bool is_recursive(const struct rule_at *at)
{
	struct str mode = rule_text(at->value, "recursiveReadOnly");

	return str_is(mode, "Enabled") || str_is(mode, "IfPossible");
}

static bool is_writable(const struct rule_at *at)
{
	return is_recursive(at) && !json_bool(json_get(at->value, "readOnly"));
}

static bool is_propagated(const struct rule_at *at)
{
	return is_recursive(at) && rule_has(at->value, "mountPropagation") &&
	       !str_is(rule_text(at->value, "mountPropagation"), "None");
}

/* Upstream reports these under the list. */
static const struct rule flat_rows[] = {
	{"subPathExpr", R_CHECK(rule_local_in)},
	{"mountPropagation", R_TEXTS("Bidirectional", "HostToContainer", "None")},
	{"mountPropagation", R_IF("mountPropagation", "Bidirectional"), R_WHEN(is_bare),
	 R_FORBIDDEN("Bidirectional mount propagation is available only to privileged "
		     "containers")},
	{"recursiveReadOnly", R_TEXTS("Disabled", "Enabled", "IfPossible")},
	{"recursiveReadOnly", R_WHEN(is_writable),
	 R_FORBIDDEN("may only be specified when readOnly is true")},
	{"recursiveReadOnly", R_WHEN(is_propagated),
	 R_FORBIDDEN("may only be specified when mountPropagation is None or not specified")},
};
static const struct rule sub_path_rows[] = {
	{"subPath", R_CHECK(rule_local_in)},
};

static void check_rows(const struct rule_at *mount, const struct rule *rows, size_t count)
{
	const struct rules rules = {rows, count};
	struct rule_at at = *mount;

	at.path = mount->up->path;
	rules_check(&rules, &at);
}

static void check_sub_path(const struct rule_at *at)
{
	check_rows(at, sub_path_rows, ARRAY_LEN(sub_path_rows));
}

static void check_flat(const struct rule_at *at)
{
	check_rows(at, flat_rows, ARRAY_LEN(flat_rows));
}

static void check_mounted(const struct rule_at *at)
{
	if (!name_set_has(&pod_of(at)->volumes, json_str(at->value)))
		rule_not_found(at, NULL);
}

static void check_point(const struct rule_at *at)
{
	if (!name_set_add(at->seen, json_str(at->value)))
		rule_invalid(at, NULL, "must be unique");
}

static void check_no_device(const struct rule_at *at)
{
	struct json devices = json_get(holder_of(at), "volumeDevices");

	if (has_member(devices, "name", rule_text(at->value, "name")))
		rule_invalid(at, "name", "must not already exist in volumeDevices");
	if (has_member(devices, "devicePath", rule_text(at->value, "mountPath")))
		rule_invalid(at, "mountPath", "must not already exist as a path in volumeDevices");
}

static bool has_sub_path(const struct rule_at *at)
{
	return rule_text(at->value, "subPath").len > 0;
}

static const struct rule mount_rows[] = {
	{"name", R_REQUIRED},
	{"name", R_ALWAYS, R_CHECK(check_mounted)},
	{"mountPath", R_REQUIRED},
	{"mountPath", R_ALWAYS, R_CHECK(check_point)},
	{R_CHECK(check_no_device)},
	{R_CHECK(check_sub_path)},
	{"subPathExpr", R_WHEN(has_sub_path), R_FILLED,
	 R_INVALID("subPathExpr and subPath are mutually exclusive")},
	{R_CHECK(check_flat)},
};

/* --- devices --------------------------------------------------------------------------------- */

/* Does the volume hold a claim? */
static bool is_claim(struct json spec, struct str name)
{
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "name"), name))
			return rule_has(it.value, "persistentVolumeClaim") ||
			       rule_has(it.value, "ephemeral");
	return false;
}

static void check_device_name(const struct rule_at *at)
{
	struct str name = json_str(at->value);
	bool found = name_set_has(&pod_of(at)->volumes, name);

	if (!name.len)
		rule_required_as(at, NULL, "");
	else if (!name_set_add(at->seen, name))
		rule_invalid(at, NULL, "must be unique");
	if (found && !is_claim(pod_spec_of(at), name))
		rule_invalid(at, NULL,
			     "can only use volume source type of PersistentVolumeClaim or "
			     "Ephemeral for block mode");
	if (!found)
		rule_not_found(at, NULL);
}

/* `seen` has names as well: a path in it is written with a byte that names cannot have. */
static void check_device_path(const struct rule_at *at)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct str file = json_str(at->value);

	buf_putc(&key, '/');
	buf_put_str(&key, file);
	if (name_set_has(at->seen, buf_str(&key)))
		rule_invalid(at, NULL, "must be unique");
	if (rule_has_backsteps(file))
		rule_invalid(at, NULL, "can not contain backsteps ('..')");
	else
		(void)name_set_add_copy(at->seen, buf_str(&key));
}

static void check_no_mount(const struct rule_at *at)
{
	struct json mounts = json_get(holder_of(at), "volumeMounts");

	if (has_member(mounts, "name", rule_text(at->value, "name")))
		rule_invalid(at, "name", "must not already exist in volumeMounts");
	if (has_member(mounts, "mountPath", rule_text(at->value, "devicePath")))
		rule_invalid(at, "devicePath", "must not already exist as a path in volumeMounts");
}

static const struct rule device_rows[] = {
	{"name", R_ALWAYS, R_CHECK(check_device_name)},
	{"devicePath", R_REQUIRED},
	{"devicePath", R_ALWAYS, R_CHECK(check_device_path)},
	{R_CHECK(check_no_mount)},
};

static const struct rule container_rows[] = {
	{"volumeMounts", R_EACH(R_OBJECT(mount_rows))},
	{"volumeDevices", R_EACH(R_OBJECT(device_rows))},
};
const struct rules pod_mount_rules = RULES_OF(container_rows);
