/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/webhookconfig_validate.c - the rules of webhook configurations, in the order and the words of
 * kube-apiserver 1.34. Conditions in the expression language are looked at for what they must have,
 * and compiled by whoever runs them. */
#include "base/buf.h"
#include "model/group/webhookconfig.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

enum { TIMEOUT_MAX = 30, SEGMENTS_MIN = 3 };

#define FORM "; desired format: https://host[/path]"

/* --- names ----------------------------------------------------------------------------------- */

static void join(void *arg, const char *message)
{
	struct buf *joined = arg;

	if (joined->len)
		buf_putc(joined, ',');
	buf_puts(joined, message);
}

static size_t count_parts(struct str text, char separator)
{
	struct str part;
	size_t count = 0;

	while (str_split(&text, separator, &part))
		count++;
	return count;
}

static void check_name(struct str name, const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;

	if (!name.len) {
		causes_required(causes, path, "");
		return;
	}
	if (!name_check(NAME_DNS_SUBDOMAIN, name, join, &problems))
		causes_invalid_str(causes, path, name, "%s", buf_text(&problems));
	else if (count_parts(name, '.') < SEGMENTS_MIN)
		causes_invalid_str(causes, path, name,
				   "should be a domain with at least three segments separated by "
				   "dots");
}

/* --- rules ----------------------------------------------------------------------------------- */

/* A list that must have something, and nothing beside '*'. */
static void check_list(struct json rule, const char *key, const char *what, const struct path *up,
		       struct causes *causes)
{
	struct json list = json_get(rule, key);
	struct path path = path_member(up, str_from(key));

	if (!json_len(list))
		causes_required(causes, &path, "");
	if (json_len(list) > 1 && rules_has(list, STR("*")))
		causes_invalid(causes, &path, list, "if '*' is present, must not specify other %s",
			       what);
}

static void check_operations(struct json rule, const struct path *up, struct causes *causes)
{
	static const char *const known[] = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
	struct json_iter it = json_iter(json_get(rule, "operations"));
	PATH(path, up, "operations");

	check_list(rule, "operations", "operations", up, causes);
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		rules_one_of(it.value, known, ARRAY_LEN(known), &at, causes);
	}
}

/* Did one before this one say it already: "pods/status" by "pods/" and "*" or "*" and "/status"? */
static bool is_covered(const struct name_set *seen, struct str resource, struct str sub)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "%.*s/%.*s", STR_ARG(resource), STR_ARG(sub));
	return name_set_has(seen, buf_str(&text));
}

/* `seen` are those before. */
static void check_resource(struct str whole, const struct name_set *seen, const struct path *path,
			   struct causes *causes)
{
	struct path at = *path;
	struct str rest = whole;
	struct str resource;

	if (!whole.len) {
		causes_required(causes, &at, "");
		return;
	}
	(void)str_split(&rest, '/', &resource);
	if (resource.len == whole.len)
		return;
	if (is_covered(seen, resource, STR("*")))
		causes_invalid_str(causes, &at, whole,
				   "if '%.*s/*' is present, must not specify %.*s",
				   STR_ARG(resource), STR_ARG(whole));
	if (is_covered(seen, STR("*"), rest))
		causes_invalid_str(causes, &at, whole,
				   "if '*/%.*s' is present, must not specify %.*s", STR_ARG(rest),
				   STR_ARG(whole));
}

static void check_resources(struct json rule, const struct path *up, struct causes *causes)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json list = json_get(rule, "resources");
	struct json_iter it = json_iter(list);
	bool plain = false;
	PATH(path, up, "resources");

	if (!json_len(list))
		causes_required(causes, &path, "");
	while (json_next(&it)) {
		struct str text = json_str(it.value);
		struct path at = path_index(&path, it.index);

		check_resource(text, &seen, &at, causes);
		(void)name_set_add(&seen, text);
		if (str_find_byte(text, '/', 0) < 0 && text.len)
			plain = !str_is(text, "*");
	}
	if (json_len(list) > 1 && rules_has(list, STR("*/*")))
		causes_invalid(causes, &path, list,
			       "if '*/*' is present, must not specify other resources");
	if (rules_has(list, STR("*")) && plain)
		causes_invalid(causes, &path, list,
			       "if '*' is present, must not specify other resources without "
			       "subresources");
}

static void check_rule(struct json rule, const struct path *path, struct causes *causes)
{
	static const char *const scopes[] = {"*", "Cluster", "Namespaced"};
	struct json_iter it = json_iter(json_get(rule, "apiVersions"));
	PATH(versions, path, "apiVersions");
	PATH(scope, path, "scope");

	check_operations(rule, path, causes);
	check_list(rule, "apiGroups", "API groups", path, causes);
	check_list(rule, "apiVersions", "API versions", path, causes);
	while (json_next(&it)) {
		struct path at = path_index(&versions, it.index);

		if (!json_str(it.value).len)
			causes_required(causes, &at, "");
	}
	check_resources(rule, path, causes);
	if (rule_has(rule, "scope"))
		rules_one_of(json_get(rule, "scope"), scopes, ARRAY_LEN(scopes), &scope, causes);
}

/* --- where it is ----------------------------------------------------------------------------- */

/* Cut off what follows the first such byte. */
static struct str cut(struct str *text, char separator)
{
	ptrdiff_t at = str_find_byte(*text, separator, 0);
	struct str tail = str_none();

	if (at >= 0) {
		tail = str_skip(*text, (size_t)at + 1);
		*text = str_slice(*text, 0, (size_t)at);
	}
	return tail;
}

static void check_url(struct str url, const struct path *path, struct causes *causes)
{
	struct str fragment = cut(&url, '#');
	struct str query = cut(&url, '?');
	ptrdiff_t colon = str_find(url, STR("://"), 0);
	struct str scheme = str_slice(url, 0, colon > 0 ? (size_t)colon : 0);
	struct str host = colon > 0 ? str_skip(url, (size_t)colon + 3) : str_none();
	ptrdiff_t user;

	(void)cut(&host, '/');
	user = str_rfind_byte(host, '@');
	if (!str_is(scheme, "https"))
		causes_invalid_str(causes, path, scheme,
				   "'https' is the only allowed URL scheme" FORM);
	if (host.len <= (size_t)(user + 1))
		causes_invalid_str(causes, path, STR(""), "host must be specified" FORM);
	if (user >= 0)
		causes_invalid_str(causes, path, str_slice(host, 0, (size_t)user),
				   "user information is not permitted in the URL");
	if (fragment.len)
		causes_invalid_str(causes, path, fragment,
				   "fragments are not permitted in the URL");
	if (query.len)
		causes_invalid_str(causes, path, query,
				   "query parameters are not permitted in the URL");
}

struct segment {
	struct str whole;
	size_t index;
	const struct path *path;
	struct causes *causes;
};

static void tell_segment(void *arg, const char *message)
{
	struct segment *segment = arg;

	causes_invalid_str(segment->causes, segment->path, segment->whole, "segment[%zu]: %s",
			   segment->index, message);
}

static void check_path(struct str whole, const struct path *path, struct causes *causes)
{
	struct segment segment = {whole, 0, path, causes};
	struct str rest = str_skip(whole, 1);
	struct str part;

	if (!whole.len || str_is(whole, "/"))
		return;
	if (str_is(whole, "//")) {
		causes_invalid_str(causes, path, whole, "segment[0] may not be empty");
		return;
	}
	if (whole.ptr[0] != '/')
		causes_invalid_str(causes, path, whole, "must start with a '/'");
	if (str_ends(rest, STR("/")))
		rest = str_slice(rest, 0, rest.len - 1);
	for (; str_split(&rest, '/', &part); segment.index++) {
		if (part.len)
			(void)name_check(NAME_DNS_SUBDOMAIN, part, tell_segment, &segment);
		else
			causes_invalid_str(causes, path, whole, "segment[%zu] may not be empty",
					   segment.index);
	}
}

static void check_service(struct json service, const struct path *path, struct causes *causes)
{
	struct rule_at at = rule_start(service, path, causes);
	int64_t port = json_int(json_get(service, "port"));
	PATH(port_path, path, "port");
	PATH(path_path, path, "path");

	(void)rule_required(&at, "name");
	(void)rule_required(&at, "namespace");
	if (port < 1 || port > UINT16_MAX)
		causes_invalid_int(causes, &port_path, port,
				   "port is not valid: must be between 1 and 65535, inclusive");
	check_path(rule_text(service, "path"), &path_path, causes);
}

static void check_client(struct json config, const struct path *path, struct causes *causes)
{
	bool url = rule_has(config, "url");
	bool service = rule_has(config, "service");
	PATH(url_path, path, "url");
	PATH(service_path, path, "service");

	if (url == service)
		causes_required(causes, path, "exactly one of url or service is required");
	else if (url)
		check_url(rule_text(config, "url"), &url_path, causes);
	else
		check_service(json_get(config, "service"), &service_path, causes);
}

/* --- webhooks -------------------------------------------------------------------------------- */

static void check_side_effects(struct json hook, const struct path *up, struct causes *causes)
{
	static const char *const allowed[] = {"None", "NoneOnDryRun"};
	PATH(path, up, "sideEffects");

	if (rule_has(hook, "sideEffects"))
		rules_one_of(json_get(hook, "sideEffects"), allowed, ARRAY_LEN(allowed), &path,
			     causes);
	else
		causes_required(causes, &path, "must specify one of None, NoneOnDryRun");
}

static void check_versions(struct json versions, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(versions);
	AUTO(name_set_done) struct name_set seen = {0};

	if (!json_len(versions))
		causes_required(causes, path, "must specify one of v1, v1beta1");
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		if (!name_set_add(&seen, json_str(it.value)))
			causes_invalid(causes, &at, it.value, "duplicate version");
		else
			(void)name_validate(NAME_DNS1035_LABEL, json_str(it.value), &at, causes);
	}
	if (json_len(versions) && !rules_has(versions, STR("v1")) &&
	    !rules_has(versions, STR("v1beta1")))
		causes_invalid(causes, path, versions, "must include at least one of v1, v1beta1");
}

static void check_conditions(struct json conditions, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(conditions);

	while (json_next(&it)) {
		struct path index = path_index(path, it.index);
		struct rule_at at = rule_start(it.value, &index, causes);

		(void)rule_required(&at, "expression");
		rule_name_required(&at, "name", NAME_QUALIFIED);
	}
}

static void check_hook(struct json hook, const struct path *path, struct causes *causes)
{
	struct rule_at at = rule_start(hook, path, causes);
	struct json timeout = json_get(hook, "timeoutSeconds");
	struct json_iter it = json_iter(json_get(hook, "rules"));
	PATH(name, path, "name");
	PATH(rules, path, "rules");
	PATH(seconds, path, "timeoutSeconds");
	PATH(namespaces, path, "namespaceSelector");
	PATH(objects, path, "objectSelector");
	PATH(client, path, "clientConfig");
	PATH(conditions, path, "matchConditions");

	check_name(rule_text(hook, "name"), &name, causes);
	while (json_next(&it)) {
		struct path index = path_index(&rules, it.index);

		check_rule(it.value, &index, causes);
	}
	rule_text_of(&at, "failurePolicy", RULE_TEXTS("Fail", "Ignore"));
	rule_text_of(&at, "matchPolicy", RULE_TEXTS("Equivalent", "Exact"));
	check_side_effects(hook, path, causes);
	if (json_is(timeout, JSON_INT) &&
	    (json_int(timeout) > TIMEOUT_MAX || json_int(timeout) < 1))
		causes_invalid(causes, &seconds, timeout,
			       "the timeout value must be between 1 and 30 seconds");
	rules_label_selector(json_get(hook, "namespaceSelector"), &namespaces, causes);
	rules_label_selector(json_get(hook, "objectSelector"), &objects, causes);
	rule_text_of(&at, "reinvocationPolicy", RULE_TEXTS("IfNeeded", "Never"));
	check_client(json_get(hook, "clientConfig"), &client, causes);
	check_conditions(json_get(hook, "matchConditions"), &conditions, causes);
}

void webhook_configuration_validate_create(struct json configuration, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(configuration, "webhooks"));
	AUTO(name_set_done) struct name_set seen = {0};
	PATH(path, NULL, "webhooks");

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct str hook = rule_text(it.value, "name");
		PATH(name, &at, "name");
		PATH(versions, &at, "admissionReviewVersions");

		check_hook(it.value, &at, causes);
		check_versions(json_get(it.value, "admissionReviewVersions"), &versions, causes);
		if (hook.len && !name_set_add(&seen, hook))
			causes_duplicate_str(causes, &name, hook);
	}
}

void webhook_configuration_validate_update(struct json configuration, struct json old,
					   struct causes *causes)
{
	(void)old;
	rules_meta(configuration, NAME_DNS_SUBDOMAIN, false, causes);
	webhook_configuration_validate_create(configuration, causes);
}
