/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/webhookconfig_validate.c - the rules of webhook configurations, in the order and the
 * words of kube-apiserver 1.34. Of CEL conditions only the required fields are checked here; the
 * code that runs them compiles them. */
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

static void check_name(const struct rule_at *at)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;
	struct str name = json_str(at->value);

	if (!name_check(NAME_DNS_SUBDOMAIN, name, join, &problems))
		rule_invalid(at, NULL, "%s", buf_text(&problems));
	else if (count_parts(name, '.') < SEGMENTS_MIN)
		rule_invalid(at, NULL,
			     "should be a domain with at least three segments separated by dots");
}

/* --- rules ----------------------------------------------------------------------------------- */

/* Nothing in addition to '*'. */
static void check_star(const struct rule_at *at, const char *what)
{
	if (json_len(at->value) > 1 && json_has_str(at->value, STR("*")))
		rule_invalid(at, NULL, "if '*' is present, must not specify other %s", what);
}

static void check_operations(const struct rule_at *at)
{
	check_star(at, "operations");
}

static void check_groups(const struct rule_at *at)
{
	check_star(at, "API groups");
}

static void check_versions(const struct rule_at *at)
{
	check_star(at, "API versions");
}

/* Does an earlier one already cover it: "pods/status" by "pods/" and "*" or "*" and "/status"? */
static bool is_covered(const struct name_set *seen, struct str resource, struct str sub)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "%.*s/%.*s", STR_ARG(resource), STR_ARG(sub));
	return name_set_has(seen, buf_str(&text));
}

static void check_resource(const struct rule_at *at)
{
	struct str whole = json_str(at->value);
	struct str rest = whole;
	struct str resource;

	(void)str_split(&rest, '/', &resource);
	if (whole.len && resource.len != whole.len && is_covered(at->seen, resource, STR("*")))
		rule_invalid(at, NULL, "if '%.*s/*' is present, must not specify %.*s",
			     STR_ARG(resource), STR_ARG(whole));
	if (whole.len && resource.len != whole.len && is_covered(at->seen, STR("*"), rest))
		rule_invalid(at, NULL, "if '*/%.*s' is present, must not specify %.*s",
			     STR_ARG(rest), STR_ARG(whole));
	if (!whole.len)
		rule_required_as(at, NULL, "");
	(void)name_set_add(at->seen, whole);
}

static void check_resources(const struct rule_at *at)
{
	struct json_iter it = json_iter(at->value);
	bool plain = false;

	while (json_next(&it)) {
		struct str text = json_str(it.value);

		if (str_find_byte(text, '/', 0) < 0 && text.len)
			plain = !str_is(text, "*");
	}
	if (json_len(at->value) > 1 && json_has_str(at->value, STR("*/*")))
		rule_invalid(at, NULL, "if '*/*' is present, must not specify other resources");
	if (json_has_str(at->value, STR("*")) && plain)
		rule_invalid(at, NULL,
			     "if '*' is present, must not specify other resources without "
			     "subresources");
}

static const struct rule rule_rows[] = {
	{"operations", R_REQUIRED, R_CHECK(check_operations),
	 R_EACH(R_TEXTS("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))},
	{"apiGroups", R_REQUIRED, R_CHECK(check_groups)},
	{"apiVersions", R_REQUIRED, R_CHECK(check_versions), R_EACH(R_REQUIRED)},
	{"resources", R_REQUIRED, R_EACH(R_CHECK(check_resource))},
	{"resources", R_CHECK(check_resources)},
	{"scope", R_TEXTS("*", "Cluster", "Namespaced")},
};

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

static void check_url(const struct rule_at *at)
{
	struct str url = json_str(at->value);
	struct str fragment = cut(&url, '#');
	struct str query = cut(&url, '?');
	ptrdiff_t colon = str_find(url, STR("://"), 0);
	struct str scheme = str_slice(url, 0, colon > 0 ? (size_t)colon : 0);
	struct str host = colon > 0 ? str_skip(url, (size_t)colon + 3) : str_none();
	ptrdiff_t user;

	(void)cut(&host, '/');
	user = str_rfind_byte(host, '@');
	if (!str_is(scheme, "https"))
		rule_invalid_str(at, NULL, scheme, "'https' is the only allowed URL scheme" FORM);
	if (host.len <= (size_t)(user + 1))
		rule_invalid_str(at, NULL, STR(""), "host must be specified" FORM);
	if (user >= 0)
		rule_invalid_str(at, NULL, str_slice(host, 0, (size_t)user),
				 "user information is not permitted in the URL");
	if (fragment.len)
		rule_invalid_str(at, NULL, fragment, "fragments are not permitted in the URL");
	if (query.len)
		rule_invalid_str(at, NULL, query, "query parameters are not permitted in the URL");
}

struct segment {
	size_t index;
	const struct rule_at *at;
};

static void report_segment(void *arg, const char *message)
{
	struct segment *segment = arg;

	rule_invalid(segment->at, NULL, "segment[%zu]: %s", segment->index, message);
}

static void check_path(const struct rule_at *at)
{
	struct str whole = json_str(at->value);
	struct segment segment = {0, at};
	struct str rest = str_skip(whole, 1);
	struct str part;

	if (!whole.len || str_is(whole, "/"))
		return;
	if (str_is(whole, "//")) {
		rule_invalid(at, NULL, "segment[0] may not be empty");
		return;
	}
	if (whole.ptr[0] != '/')
		rule_invalid(at, NULL, "must start with a '/'");
	if (str_ends(rest, STR("/")))
		rest = str_slice(rest, 0, rest.len - 1);
	for (; str_split(&rest, '/', &part); segment.index++) {
		if (part.len)
			(void)name_check(NAME_DNS_SUBDOMAIN, part, report_segment, &segment);
		else
			rule_invalid(at, NULL, "segment[%zu] may not be empty", segment.index);
	}
}

static bool is_nowhere(const struct rule_at *at)
{
	return rule_has(at->value, "url") == rule_has(at->value, "service");
}

static const struct rule service_rows[] = {
	{"name", R_REQUIRED},
	{"namespace", R_REQUIRED},
	{"port", R_ALWAYS, R_RANGE(1, UINT16_MAX),
	 R_RANGE_AS("port is not valid: must be between 1 and 65535, inclusive")},
	{"path", R_CHECK(check_path)},
};
static const struct rule client_rows[] = {
	{R_WHEN(is_nowhere), R_LACKS("exactly one of url or service is required"), R_STOP},
	{"url", R_CHECK(check_url)},
	{"service", R_OBJECT(service_rows)},
};

/* --- webhooks -------------------------------------------------------------------------------- */

static void check_review_version(const struct rule_at *at)
{
	if (!name_set_add(at->seen, json_str(at->value)))
		rule_invalid(at, NULL, "duplicate version");
	else
		(void)name_validate(NAME_DNS1035_LABEL, json_str(at->value), at->path, at->causes);
}

static void check_known_version(const struct rule_at *at)
{
	if (!json_has_str(at->value, STR("v1")) && !json_has_str(at->value, STR("v1beta1")))
		rule_invalid(at, NULL, "must include at least one of v1, v1beta1");
}

static bool lacks_side_effects(const struct rule_at *at)
{
	return !rule_has(at->value, "sideEffects");
}

static const struct rule condition_rows[] = {
	{"expression", R_REQUIRED},
	{"name", R_REQUIRED, R_FORMAT(QUALIFIED)},
};
static const struct rule hook_rows[] = {
	{"name", R_REQUIRED, R_CHECK(check_name)},
	{"rules", R_EACH(R_OBJECT(rule_rows))},
	{"failurePolicy", R_TEXTS("Fail", "Ignore")},
	{"matchPolicy", R_TEXTS("Equivalent", "Exact")},
	{"sideEffects", R_TEXTS("None", "NoneOnDryRun")},
	{"sideEffects", R_WHEN(lacks_side_effects), R_ALWAYS,
	 R_LACKS("must specify one of None, NoneOnDryRun")},
	{"timeoutSeconds", R_RANGE(1, TIMEOUT_MAX),
	 R_RANGE_AS("the timeout value must be between 1 and 30 seconds")},
	{"namespaceSelector", R_CHECK(rule_selector)},
	{"objectSelector", R_CHECK(rule_selector)},
	{"reinvocationPolicy", R_TEXTS("IfNeeded", "Never")},
	{"clientConfig", R_ALWAYS, R_OBJECT(client_rows)},
	{"matchConditions", R_EACH(R_OBJECT(condition_rows))},
	{"admissionReviewVersions", R_REQUIRED_AS("must specify one of v1, v1beta1"),
	 R_EACH(R_CHECK(check_review_version))},
	{"admissionReviewVersions", R_FILLED, R_CHECK(check_known_version)},
	{"name", R_FILLED, R_ONCE},
};
static const struct rule configuration_rows[] = {
	{"webhooks", R_EACH(R_OBJECT(hook_rows))},
};
const struct rules webhook_configuration_rules = RULES_OF(configuration_rows);

static const struct rule update_rows[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_RULES(webhook_configuration_rules)},
};
const struct rules webhook_configuration_update_rules = RULES_OF(update_rows);
