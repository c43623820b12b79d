/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_container.c - the rules of the three lists of containers.
 *
 * What is common to all containers comes first, then what a list adds: names once among containers
 * and init containers, probes only for what goes on running, next to nothing for ephemeral ones. */
#include "base/buf.h"
#include "base/mem.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

/* --- ports ----------------------------------------------------------------------------------- */

/* A name that is no name is not compared. */
static void check_port_name(const struct rule_at *at)
{
	if (name_validate(NAME_PORT, json_str(at->value), at->path, at->causes) &&
	    !name_set_add(at->seen, json_str(at->value)))
		rule_duplicate(at, NULL);
}

static const struct rule port_rows[] = {
	{"name", R_FILLED, R_CHECK(check_port_name)},
	{"containerPort", R_REQUIRED, R_NONZERO, R_PORT},
	{"hostPort", R_NONZERO, R_PORT},
	{"protocol", R_REQUIRED, R_TEXTS("SCTP", "TCP", "UDP")},
};

static void check_host_port_once(const struct rule_at *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_str(&text, rule_beside(at, "protocol"));
	buf_putc(&text, '/');
	buf_put_str(&text, rule_beside(at, "hostIP"));
	buf_putc(&text, '/');
	buf_put_int(&text, json_int(at->value));
	if (!name_set_add_copy(&pod_of(at)->host_ports, buf_str(&text)))
		rule_duplicate_str(at, NULL, buf_str(&text));
}

static const struct rule host_port_rows[] = {
	{"hostPort", R_NONZERO, R_CHECK(check_host_port_once)},
};
static const struct rule host_ports_rows[] = {
	{"ports", R_EACH(R_OBJECT(host_port_rows))},
};

static void start_host_ports(struct pod_rules *r)
{
	name_set_done(&r->host_ports);
	r->host_ports = (struct name_set){0};
}

/* --- resizing and restarting ----------------------------------------------------------------- */

static bool never_restarts(const struct rule_at *at)
{
	return str_is(rule_text(pod_spec_of(at), "restartPolicy"), "Never");
}

static void check_resource_once(const struct rule_at *at)
{
	struct str resource = rule_text(at->value, "resourceName");

	if (!name_set_add(at->seen, resource))
		rule_duplicate_str(at, NULL, resource);
}

/* Upstream reports the members about the list. */
static const struct rule resize_member_rows[] = {
	{"resourceName", R_HIDDEN, R_REQUIRED, R_TEXTS("cpu", "memory")},
	{"restartPolicy", R_HIDDEN, R_REQUIRED, R_TEXTS("NotRequired", "RestartContainer")},
	{"restartPolicy", R_HIDDEN, R_WHEN(never_restarts),
	 R_UNLESS("restartPolicy", "NotRequired"), R_ALWAYS,
	 R_INVALID("must be 'NotRequired' when `restartPolicy` is 'Never'")},
};

static void check_resize_members(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(resize_member_rows);
	struct rule_at policy = *at;

	policy.path = at->up->path;
	rules_check(&rules, &policy);
}

static const struct rule resize_rows[] = {
	{R_CHECK(check_resource_once)},
	{R_CHECK(check_resize_members)},
};

/* Of an init container that is not a sidecar. */
static void check_no_resize(const struct rule_at *at)
{
	static const struct rules_go rows[] = {
		{"ResourceName", "resourceName", "\"\""},
		{"RestartPolicy", "restartPolicy", "\"\""},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(at->value);

	while (json_next(&it)) {
		buf_putc(&text, it.index ? ',' : '[');
		rules_print_go(it.value, rows, ARRAY_LEN(rows), &text);
	}
	rule_add(at, NULL, CAUSE_INVALID, "Invalid value: %s]: must not be set for init containers",
		 buf_text(&text));
}

/* --- every container ------------------------------------------------------------------------- */

static void check_image(const struct rule_at *at)
{
	struct str image = json_str(at->value);

	if (str_trim(image).len != image.len)
		rule_invalid(at, NULL, "must not have leading or trailing whitespace");
}

static const struct rule image_rows[] = {
	{"image", R_CHECK(check_image)},
};
const struct rules pod_image_rules = RULES_OF(image_rows);

static const struct rule every_rows[] = {
	{"name", R_REQUIRED, R_FORMAT(DNS_LABEL)},
	{"image", R_REQUIRED},
	{"terminationMessagePolicy", R_REQUIRED, R_TEXTS("File", "FallbackToLogsOnError")},
	{"ports", R_EACH(R_OBJECT(port_rows))},
	{"env", R_EACH(R_RULES(pod_env_rules))},
	{"envFrom", R_EACH(R_RULES(pod_env_from_rules))},
	{R_RULES(pod_mount_rules)},
	{"imagePullPolicy", POD_PULL_POLICIES},
	{"resources", R_CHECK(pod_check_requirements)},
	{"resizePolicy", R_EACH(R_OBJECT(resize_rows))},
	{"securityContext", R_RULES(pod_security_rules)},
};

static const struct rule container_rows[] = {
	{R_OBJECT(every_rows)},
	{"name", R_ALWAYS, R_ONCE},
	{R_RULES(pod_probe_rules)},
	{"restartPolicy", R_FORBIDDEN("may not be set for non-init containers")},
};

static void start_containers(const struct rule_at *at)
{
	start_host_ports(pod_of(at));
}

/* --- init containers ------------------------------------------------------------------------- */

static void add_names(struct name_set *names, struct json containers)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it))
		name_set_add(names, rule_text(it.value, "name"));
}

static void start_init(const struct rule_at *at)
{
	add_names(&pod_of(at)->names, json_get(at->up->value, "containers"));
}

static void check_name_once(const struct rule_at *at)
{
	if (!name_set_add(&pod_of(at)->names, json_str(at->value)))
		rule_duplicate_str(at, NULL, json_str(at->value));
}

/* Upstream looks at the one container as a list of its own. */
static void check_init_ports(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(host_ports_rows);
	struct path first = path_index(at->up->path, 0);
	struct rule_at container = *at;

	container.path = &first;
	start_host_ports(pod_of(at));
	rules_check(&rules, &container);
}

static bool is_strict(const struct rule_at *at)
{
	return pod_of(at)->strict;
}

#define NOT_RUNNING R_FORBIDDEN("may not be set for init containers without restartPolicy=Always")

static const struct rule ending_rows[] = {
	{"lifecycle", NOT_RUNNING},
	{"livenessProbe", NOT_RUNNING},
	{"readinessProbe", NOT_RUNNING},
	{"startupProbe", NOT_RUNNING},
};
static const struct rule init_rows[] = {
	{R_OBJECT(every_rows)},
	{"restartPolicy", R_TEXTS("Always")},
	{"name", R_FILLED, R_CHECK(check_name_once)},
	{R_CHECK(check_init_ports)},
	{R_IF("restartPolicy", "Always"), R_RULES(pod_probe_rules)},
	{R_UNLESS("restartPolicy", "Always"), R_OBJECT(ending_rows)},
	{"resizePolicy", R_WHEN(is_strict), R_FILLED, R_CHECK(check_no_resize)},
};

/* --- ephemeral containers -------------------------------------------------------------------- */

static void start_ephemeral(const struct rule_at *at)
{
	struct pod_rules *r = pod_of(at);

	add_names(&r->names, json_get(at->up->value, "containers"));
	add_names(&r->names, json_get(at->up->value, "initContainers"));
	add_names(&r->targets, json_get(at->up->value, "containers"));
	add_names(&r->targets, json_get(at->up->value, "initContainers"));
}

static void check_target(const struct rule_at *at)
{
	if (!name_set_has(&pod_of(at)->targets, json_str(at->value)))
		rule_not_found(at, NULL);
}

#define NOT_EPHEMERAL R_FORBIDDEN("cannot be set for an Ephemeral Container")

static const struct rule ephemeral_mount_rows[] = {
	{"subPath", NOT_EPHEMERAL},
	{"subPathExpr", NOT_EPHEMERAL},
};
/* What would make others depend on it is not allowed. */
static const struct rule ephemeral_rows[] = {
	{R_OBJECT(every_rows)},
	{R_OBJECT(image_rows)},
	{"name", R_ALWAYS, R_CHECK(check_name_once)},
	{"targetContainerName", R_FILLED, R_CHECK(check_target)},
	{"ports", NOT_EPHEMERAL},
	{"resources", R_FILLED, NOT_EPHEMERAL},
	{"resizePolicy", NOT_EPHEMERAL},
	{"restartPolicy", NOT_EPHEMERAL},
	{"restartPolicyRules", NOT_EPHEMERAL},
	{"livenessProbe", NOT_EPHEMERAL},
	{"readinessProbe", NOT_EPHEMERAL},
	{"startupProbe", NOT_EPHEMERAL},
	{"lifecycle", NOT_EPHEMERAL},
	{"volumeMounts", R_EACH(R_OBJECT(ephemeral_mount_rows))},
};

static const struct rule spec_rows[] = {
	{"containers", R_REQUIRED, R_CHECK(start_containers), R_EACH(R_OBJECT(container_rows))},
	{"containers", R_EACH(R_OBJECT(host_ports_rows))},
	{"initContainers", R_CHECK(start_init), R_EACH(R_OBJECT(init_rows))},
	{"ephemeralContainers", R_CHECK(start_ephemeral), R_EACH(R_OBJECT(ephemeral_rows))},
};
const struct rules pod_containers_rules = RULES_OF(spec_rows);
