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

static void check_propagation(struct pod_rules *r, struct json mount, struct json container,
			      const struct path *path)
{
	struct rule_at at = pod_rule_at(r, mount, path);
	PATH(propagation, path, "mountPropagation");

	rule_text_of(&at, "mountPropagation",
		     RULE_TEXTS("Bidirectional", "HostToContainer", "None"));
	if (str_is(rule_text(mount, "mountPropagation"), "Bidirectional") &&
	    !is_privileged(container))
		causes_forbidden(r->causes, &propagation,
				 "Bidirectional mount propagation is available only to privileged "
				 "containers");
}

static void check_recursive(struct pod_rules *r, struct json mount, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, mount, path);
	struct str mode = rule_text(mount, "recursiveReadOnly");
	PATH(recursive, path, "recursiveReadOnly");

	if (!rule_has(mount, "recursiveReadOnly") || str_is(mode, "Disabled"))
		return;
	if (!str_is(mode, "Enabled") && !str_is(mode, "IfPossible")) {
		rule_text_of(&at, "recursiveReadOnly",
			     RULE_TEXTS("Disabled", "Enabled", "IfPossible"));
		return;
	}
	if (!json_bool(json_get(mount, "readOnly")))
		causes_forbidden(r->causes, &recursive,
				 "may only be specified when readOnly is true");
	if (rule_has(mount, "mountPropagation") &&
	    !str_is(rule_text(mount, "mountPropagation"), "None"))
		causes_forbidden(r->causes, &recursive,
				 "may only be specified when mountPropagation is None or not "
				 "specified");
}

static void check_sub_paths(struct pod_rules *r, struct json mount, const struct path *path,
			    const struct path *list)
{
	struct str sub = rule_text(mount, "subPath");
	struct str expr = rule_text(mount, "subPathExpr");
	PATH(expr_path, path, "subPathExpr");
	PATH(list_sub, list, "subPath");
	PATH(list_expr, list, "subPathExpr");

	rule_local(sub, &list_sub, r->causes);
	if (expr.len && sub.len)
		causes_invalid_str(r->causes, &expr_path, expr,
				   "subPathExpr and subPath are mutually exclusive");
	rule_local(expr, &list_expr, r->causes);
}

static void check_mount(struct pod_rules *r, struct json mount, struct json container,
			struct name_set *points, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, mount, path);
	struct json devices = json_get(container, "volumeDevices");
	struct str name = rule_text(mount, "name");
	struct str point = rule_text(mount, "mountPath");
	PATH(name_path, path, "name");
	PATH(point_path, path, "mountPath");

	rule_required(&at, "name");
	if (!name_set_has(&r->volumes, name))
		causes_not_found(r->causes, &name_path, name);
	rule_required(&at, "mountPath");
	if (!name_set_add(points, point))
		causes_invalid_str(r->causes, &point_path, point, "must be unique");
	if (has_member(devices, "name", name))
		causes_invalid_str(r->causes, &name_path, name,
				   "must not already exist in volumeDevices");
	if (has_member(devices, "devicePath", point))
		causes_invalid_str(r->causes, &point_path, point,
				   "must not already exist as a path in volumeDevices");
	check_sub_paths(r, mount, path, path->up);
	check_propagation(r, mount, container, path->up);
	check_recursive(r, mount, path->up);
}

/* Does the volume hold a claim? */
static bool is_claim(struct pod_rules *r, struct str name)
{
	struct json_iter it = json_iter(json_get(r->spec, "volumes"));

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "name"), name))
			return rule_has(it.value, "persistentVolumeClaim") ||
			       rule_has(it.value, "ephemeral");
	return false;
}

static void check_device_name(struct pod_rules *r, struct str name, struct name_set *names,
			      const struct path *path)
{
	bool found = name_set_has(&r->volumes, name);

	if (!name.len)
		causes_required(r->causes, path, "");
	else if (!name_set_add(names, name))
		causes_invalid_str(r->causes, path, name, "must be unique");
	if (found && !is_claim(r, name))
		causes_invalid_str(r->causes, path, name,
				   "can only use volume source type of PersistentVolumeClaim or "
				   "Ephemeral for block mode");
	if (!found)
		causes_not_found(r->causes, path, name);
}

static void check_device(struct pod_rules *r, struct json device, struct json mounts,
			 struct name_set sets[2], const struct path *path)
{
	struct str name = rule_text(device, "name");
	struct str file = rule_text(device, "devicePath");
	PATH(name_path, path, "name");
	PATH(file_path, path, "devicePath");

	check_device_name(r, name, &sets[0], &name_path);
	if (!file.len)
		causes_required(r->causes, &file_path, "");
	if (name_set_has(&sets[1], file))
		causes_invalid_str(r->causes, &file_path, file, "must be unique");
	if (rule_has_backsteps(file))
		causes_invalid_str(r->causes, &file_path, file, "can not contain backsteps ('..')");
	else
		name_set_add(&sets[1], file);
	if (has_member(mounts, "name", name))
		causes_invalid_str(r->causes, &name_path, name,
				   "must not already exist in volumeMounts");
	if (has_member(mounts, "mountPath", file))
		causes_invalid_str(r->causes, &file_path, file,
				   "must not already exist as a path in volumeMounts");
}

void pod_rules_mounts(struct pod_rules *r, struct json container, const struct path *path)
{
	AUTO(name_set_done) struct name_set points = {0};
	struct name_set sets[2] = {{0}}; /* names and paths of devices */
	struct json mounts = json_get(container, "volumeMounts");
	struct json_iter it = json_iter(mounts);
	PATH(mounts_path, path, "volumeMounts");
	PATH(devices_path, path, "volumeDevices");

	while (json_next(&it)) {
		struct path at = path_index(&mounts_path, it.index);

		check_mount(r, it.value, container, &points, &at);
	}
	it = json_iter(json_get(container, "volumeDevices"));
	while (json_next(&it)) {
		struct path at = path_index(&devices_path, it.index);

		check_device(r, it.value, mounts, sets, &at);
	}
	name_set_done(&sets[0]);
	name_set_done(&sets[1]);
}
