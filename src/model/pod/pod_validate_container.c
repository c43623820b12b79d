/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_container.c - the rules of the three lists of containers.
 *
 * What is common to all containers comes first, then what a list adds: names once among containers
 * and init containers, probes only for what goes on running, next to nothing for ephemeral ones. */
#include "base/buf.h"
#include "base/mem.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

enum { PORT_MAX = 65535 };

void pod_rules_pull_policy(struct pod_rules *r, struct json object, const char *key,
			   const struct path *path)
{
	struct rule_at at = pod_rule_at(r, object, path);

	rule_text_of_required(&at, key, RULE_TEXTS("Always", "IfNotPresent", "Never"));
}

/* --- ports ----------------------------------------------------------------------------------- */

static void check_port(struct pod_rules *r, struct json port, struct name_set *names,
		       const struct path *path)
{
	struct rule_at at = pod_rule_at(r, port, path);
	struct str name = rule_text(port, "name");
	PATH(name_path, path, "name");
	PATH(number, path, "containerPort");

	if (name.len && name_validate(NAME_PORT, name, &name_path, r->causes) &&
	    !name_set_add(names, name))
		causes_duplicate_str(r->causes, &name_path, name);
	if (!json_int(json_get(port, "containerPort")))
		causes_required(r->causes, &number, "");
	else
		rule_range(&at, "containerPort", 1, PORT_MAX);
	if (json_int(json_get(port, "hostPort")))
		rule_range(&at, "hostPort", 1, PORT_MAX);
	rule_text_of_required(&at, "protocol", RULE_TEXTS("SCTP", "TCP", "UDP"));
}

static void check_ports(struct pod_rules *r, struct json ports, const struct path *path)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(ports);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		check_port(r, it.value, &names, &at);
	}
}

/* `taken` are the host ports of those before, as "TCP/1.2.3.4/80". */
static void add_host_ports(struct pod_rules *r, struct json container, struct name_set *taken,
			   const struct path *path)
{
	struct json_iter it = json_iter(json_get(container, "ports"));
	PATH(ports, path, "ports");

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct path at = path_index(&ports, it.index);
		int64_t port = json_int(json_get(it.value, "hostPort"));
		PATH(host_port, &at, "hostPort");

		if (!port)
			continue;
		buf_put_str(&text, rule_text(it.value, "protocol"));
		buf_putc(&text, '/');
		buf_put_str(&text, rule_text(it.value, "hostIP"));
		buf_putc(&text, '/');
		buf_put_int(&text, port);
		if (!name_set_add_copy(taken, buf_str(&text)))
			causes_duplicate_str(r->causes, &host_port, buf_str(&text));
	}
}

/* --- resizing and restarting ----------------------------------------------------------------- */

static void check_resize_policy(struct pod_rules *r, struct json policies, const struct path *path)
{
	const struct rule_texts resources = RULE_TEXTS("cpu", "memory");
	const struct rule_texts restarts = RULE_TEXTS("NotRequired", "RestartContainer");
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(policies);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str resource = rule_text(it.value, "resourceName");
		struct str restart = rule_text(it.value, "restartPolicy");

		if (!name_set_add(&seen, resource))
			causes_duplicate_str(r->causes, &at, resource);
		if (!resource.len)
			causes_required(r->causes, path, "");
		else if (!rule_texts_have(resources, resource))
			causes_not_supported(r->causes, path, resource, resources.ptr,
					     resources.len);
		if (!restart.len)
			causes_required(r->causes, path, "");
		else if (!rule_texts_have(restarts, restart))
			causes_not_supported(r->causes, path, restart, restarts.ptr, restarts.len);
		if (str_is(rule_text(r->spec, "restartPolicy"), "Never") &&
		    !str_is(restart, "NotRequired"))
			causes_invalid_str(r->causes, path, restart,
					   "must be 'NotRequired' when `restartPolicy` is 'Never'");
	}
}

/* Of an init container, where none is let through. */
static void forbid_resize_policy(struct pod_rules *r, struct json policies, const struct path *path)
{
	static const struct rules_go rows[] = {
		{"ResourceName", "resourceName", "\"\""},
		{"RestartPolicy", "restartPolicy", "\"\""},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(policies);

	if (!json_len(policies))
		return;
	while (json_next(&it)) {
		buf_putc(&text, it.index ? ',' : '[');
		rules_print_go(it.value, rows, ARRAY_LEN(rows), &text);
	}
	causes_add(r->causes, CAUSE_INVALID, path,
		   "Invalid value: %s]: must not be set for init containers", buf_text(&text));
}

/* --- every container ------------------------------------------------------------------------- */

void pod_rules_image(struct pod_rules *r, struct json container, const struct path *path)
{
	struct str image = rule_text(container, "image");
	PATH(at, path, "image");

	if (str_trim(image).len != image.len)
		causes_invalid_str(r->causes, &at, image,
				   "must not have leading or trailing whitespace");
}

static void check_container(struct pod_rules *r, struct json container, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, container, path);
	PATH(ports, path, "ports");
	PATH(env, path, "env");
	PATH(env_from, path, "envFrom");
	PATH(resources, path, "resources");
	PATH(resize, path, "resizePolicy");
	PATH(security, path, "securityContext");

	rule_name_required(&at, "name", NAME_DNS_LABEL);
	rule_required(&at, "image");
	rule_text_of_required(&at, "terminationMessagePolicy",
			      RULE_TEXTS("File", "FallbackToLogsOnError"));
	check_ports(r, json_get(container, "ports"), &ports);
	pod_rules_env(r, json_get(container, "env"), &env);
	pod_rules_env_from(r, json_get(container, "envFrom"), &env_from);
	pod_rules_mounts(r, container, path);
	pod_rules_pull_policy(r, container, "imagePullPolicy", path);
	pod_rules_requirements(r, json_get(container, "resources"), &resources);
	check_resize_policy(r, json_get(container, "resizePolicy"), &resize);
	pod_rules_security(r, json_get(container, "securityContext"), &security);
}

static void tell_double(struct pod_rules *r, struct name_set *names, struct json container,
			const struct path *path)
{
	struct str name = rule_text(container, "name");
	PATH(at, path, "name");

	if (!name_set_add(names, name))
		causes_duplicate_str(r->causes, &at, name);
}

void pod_rules_containers(struct pod_rules *r, const struct path *spec)
{
	AUTO(name_set_done) struct name_set taken = {0};
	AUTO(name_set_done) struct name_set names = {0};
	struct json containers = json_get(r->spec, "containers");
	struct json_iter it = json_iter(containers);
	PATH(path, spec, "containers");

	if (!json_len(containers)) {
		causes_required(r->causes, &path, "");
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);

		check_container(r, it.value, &at);
		tell_double(r, &names, it.value, &at);
		pod_rules_probes(r, it.value, &at);
		rule_forbid(&rule, "restartPolicy", "may not be set for non-init containers");
	}
	it = json_iter(containers);
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		add_host_ports(r, it.value, &taken, &at);
	}
}

/* --- init containers ------------------------------------------------------------------------- */

static void add_names(struct name_set *names, struct json containers)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it))
		name_set_add(names, rule_text(it.value, "name"));
}

static void check_init(struct pod_rules *r, struct json container, struct name_set *names,
		       const struct path *path)
{
	static const char *const running[] = {
		"lifecycle",
		"livenessProbe",
		"readinessProbe",
		"startupProbe",
	};
	AUTO(name_set_done) struct name_set taken = {0};
	struct rule_at at = pod_rule_at(r, container, path);
	/* upstream looks at the one container as a list of its own */
	struct path first = path_index(path->up, 0);
	bool always = str_is(rule_text(container, "restartPolicy"), "Always");
	PATH(resize, path, "resizePolicy");

	check_container(r, container, path);
	rule_text_of(&at, "restartPolicy", RULE_TEXTS("Always"));
	if (rule_text(container, "name").len)
		tell_double(r, names, container, path);
	add_host_ports(r, container, &taken, &first);
	if (always)
		pod_rules_probes(r, container, path);
	for (size_t i = 0; i < ARRAY_LEN(running) && !always; i++)
		rule_forbid(&at, running[i],
			    "may not be set for init containers without restartPolicy=Always");
	if (r->strict)
		forbid_resize_policy(r, json_get(container, "resizePolicy"), &resize);
}

void pod_rules_init_containers(struct pod_rules *r, const struct path *spec)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(json_get(r->spec, "initContainers"));
	PATH(path, spec, "initContainers");

	add_names(&names, json_get(r->spec, "containers"));
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		check_init(r, it.value, &names, &at);
	}
}

/* --- ephemeral containers -------------------------------------------------------------------- */

/* What would make others depend on it. */
static void check_ephemeral_fields(struct pod_rules *r, struct json container,
				   const struct path *path)
{
	static const char *const forbidden[] = {
		"ports",         "resizePolicy",   "restartPolicy", "restartPolicyRules",
		"livenessProbe", "readinessProbe", "startupProbe",  "lifecycle",
	};
	static const char *const sub_paths[] = {"subPath", "subPathExpr"};
	static const char why[] = "cannot be set for an Ephemeral Container";
	struct rule_at at = pod_rule_at(r, container, path);
	struct json_iter it = json_iter(json_get(container, "volumeMounts"));
	PATH(mounts, path, "volumeMounts");
	PATH(resources, path, "resources");

	rule_forbid(&at, forbidden[0], why);
	if (json_len(json_get(container, "resources")))
		causes_forbidden(r->causes, &resources, why);
	for (size_t i = 1; i < ARRAY_LEN(forbidden); i++)
		rule_forbid(&at, forbidden[i], why);
	while (json_next(&it)) {
		struct path mount = path_index(&mounts, it.index);
		struct rule_at mount_at = pod_rule_at(r, it.value, &mount);

		for (size_t i = 0; i < ARRAY_LEN(sub_paths); i++)
			rule_forbid(&mount_at, sub_paths[i], why);
	}
}

void pod_rules_ephemeral_containers(struct pod_rules *r, const struct path *spec)
{
	AUTO(name_set_done) struct name_set names = {0};
	AUTO(name_set_done) struct name_set others = {0};
	struct json_iter it = json_iter(json_get(r->spec, "ephemeralContainers"));
	PATH(path, spec, "ephemeralContainers");

	add_names(&names, json_get(r->spec, "containers"));
	add_names(&names, json_get(r->spec, "initContainers"));
	add_names(&others, json_get(r->spec, "containers"));
	add_names(&others, json_get(r->spec, "initContainers"));
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct str target = rule_text(it.value, "targetContainerName");
		PATH(target_path, &at, "targetContainerName");

		check_container(r, it.value, &at);
		pod_rules_image(r, it.value, &at);
		tell_double(r, &names, it.value, &at);
		if (target.len && !name_set_has(&others, target))
			causes_not_found(r->causes, &target_path, target);
		check_ephemeral_fields(r, it.value, &at);
	}
}
