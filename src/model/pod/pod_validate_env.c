/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_env.c - the rules of environments, and of references to a pod's own fields and
 * resources, which volumes have as well. */
#include <ctype.h>

#include "model/pod/pod_rules.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

/* --- fields ---------------------------------------------------------------------------------- */

/* "metadata.labels['a']": what is before the bracket and what is in it. */
static bool split_subscript(struct str text, struct str *ret_path, struct str *ret_subscript)
{
	ptrdiff_t open = str_find(text, STR("['"), 0);

	if (open <= 0 || !str_ends(text, STR("']")) || text.len < (size_t)open + 4)
		return false;
	*ret_path = str_slice(text, 0, (size_t)open);
	*ret_subscript = str_slice(text, (size_t)open + 2, text.len - 2);
	return true;
}

static void check_subscript(const struct rule_at *at, struct str base, struct str key)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	if (!str_is(base, "metadata.annotations")) {
		name_validate(NAME_QUALIFIED, key, at->path, at->causes);
		return;
	}
	for (size_t i = 0; i < key.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)key.ptr[i]));
	name_validate(NAME_QUALIFIED, buf_str(&lower), at->path, at->causes);
}

static void bad_field(const struct rule_at *at, struct str field, const char *why)
{
	rule_invalid_str(at, "fieldPath", field, "error converting fieldPath: %s%.*s", why,
			 STR_ARG(field));
}

static void check_field_ref(const struct rule_at *at, struct rule_texts fields)
{
	static const char *const known[] = {
		"metadata.annotations", "metadata.labels",
		"metadata.name",        "metadata.namespace",
		"metadata.uid",         "spec.nodeName",
		"spec.restartPolicy",   "spec.serviceAccountName",
		"spec.schedulerName",   "status.phase",
		"status.hostIP",        "status.hostIPs",
		"status.podIP",         "status.podIPs",
	};
	const struct rule_texts all = {known, ARRAY_LEN(known)};
	struct str version = rule_text(at->value, "apiVersion");
	struct str field = rule_text(at->value, "fieldPath");
	struct str base = field;
	struct str key;

	if (!rule_required(at, "apiVersion") || !rule_required(at, "fieldPath"))
		return;
	if (!str_is(version, "v1")) {
		rule_invalid(at, "fieldPath",
			     "error converting fieldPath: unsupported pod version: %.*s",
			     STR_ARG(version));
	} else if (split_subscript(field, &base, &key)) {
		if (str_is(base, "metadata.annotations") || str_is(base, "metadata.labels"))
			check_subscript(at, base, key);
		else
			bad_field(at, field, "field label does not support subscript: ");
	} else {
		if (str_is(field, "spec.host"))
			field = STR("spec.nodeName");
		if (!rule_texts_have(all, field))
			bad_field(at, field, "field label not supported: ");
		else if (!rule_texts_have(fields, field))
			rule_not_supported(at, "fieldPath", field, fields);
	}
}

void pod_check_env_field(const struct rule_at *at)
{
	check_field_ref(at, RULE_TEXTS("metadata.name", "metadata.namespace", "metadata.uid",
				       "spec.nodeName", "spec.serviceAccountName", "status.hostIP",
				       "status.hostIPs", "status.podIP", "status.podIPs"));
}

void pod_check_file_field(const struct rule_at *at)
{
	check_field_ref(at, RULE_TEXTS("metadata.annotations", "metadata.labels", "metadata.name",
				       "metadata.namespace", "metadata.uid"));
}

/* --- resources ------------------------------------------------------------------------------- */

static const char *const unit_texts[] = {
	"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
};
static const char *const cpu_texts[] = {"1m", "1"};

/* Which divisors go with which resources. */
static const struct divisor {
	const char *end; /* of the resource's name after "limits." or "requests." */
	const char *called;
	struct rule_texts texts;
	const char *list;
} divisors[] = {
#define UNITS "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are"
	{"cpu", "cpu", {cpu_texts, ARRAY_LEN(cpu_texts)}, "1m and 1 are"},
	{"memory", "memory", {unit_texts, ARRAY_LEN(unit_texts)}, UNITS},
	{"ephemeral-storage",
	 "local ephemeral storage",
	 {unit_texts, ARRAY_LEN(unit_texts)},
	 UNITS},
	{"hugepages-", "hugepages", {unit_texts, ARRAY_LEN(unit_texts)}, UNITS},
#undef UNITS
};

/* The name after "limits." or "requests.". */
static struct str resource_of(struct str text)
{
	if (str_starts(text, STR("limits.")))
		return str_skip(text, sizeof("limits.") - 1);
	if (str_starts(text, STR("requests.")))
		return str_skip(text, sizeof("requests.") - 1);
	return str_none();
}

static void check_divisor(const struct rule_at *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str resource = rule_text(at->value, "resource");
	struct str name = resource_of(resource);
	struct quantity divisor;

	if (pod_total_read(json_get(at->value, "divisor"), &divisor) || quantity_is_zero(&divisor))
		return;
	quantity_print(&divisor, &text);
	for (size_t i = 0; i < ARRAY_LEN(divisors); i++) {
		const struct divisor *row = &divisors[i];
		bool prefix = str_ends(str_from(row->end), STR("-"));

		if (prefix ? !str_starts(name, str_from(row->end)) : !str_is(name, row->end))
			continue;
		if (!rule_texts_have(row->texts, buf_str(&text)))
			rule_invalid_str(at, "divisor", resource,
					 "only divisor's values %s supported with the %s resource",
					 row->list, row->called);
	}
}

static void check_resource_ref(const struct rule_at *at, bool volume)
{
	const struct rule_texts known =
		RULE_TEXTS("limits.cpu", "limits.ephemeral-storage", "limits.memory",
			   "requests.cpu", "requests.ephemeral-storage", "requests.memory");
	struct str resource = rule_text(at->value, "resource");

	if ((!volume || rule_required(at, "containerName")) && rule_required(at, "resource") &&
	    !str_starts(resource_of(resource), STR("hugepages-")))
		rule_text_of(at, "resource", known);
	check_divisor(at);
}

void pod_check_env_resource(const struct rule_at *at)
{
	check_resource_ref(at, false);
}

void pod_check_file_resource(const struct rule_at *at)
{
	check_resource_ref(at, true);
}

/* --- variables ------------------------------------------------------------------------------- */

static bool is_strict(const struct rule_at *at)
{
	return pod_of(at)->strict;
}

static bool is_free(const struct rule_at *at)
{
	return !pod_of(at)->strict;
}

static size_t count_set(struct json object, const struct rule *rows, size_t count)
{
	size_t set = 0;

	for (size_t i = 0; i < count; i++)
		set += rule_has(object, rows[i].member);
	return set;
}

static const struct rule key_ref_rows[] = {
	{"name", R_ALWAYS, R_FORMAT(DNS_SUBDOMAIN)},
	{"key", R_REQUIRED, R_FORMAT(CONFIG_KEY)},
};
static const struct rule file_ref_rows[] = {
	{"key", R_REQUIRED, R_FORMAT(ENV_VAR_FREE)},
	{"volumeName", R_REQUIRED, R_FORMAT(DNS_LABEL)},
	{"path", R_REQUIRED, R_CHECK(rule_no_backsteps_in)},
};
static const struct rule value_rows[] = {
	{"fieldRef", R_CHECK(pod_check_env_field)},
	{"resourceFieldRef", R_CHECK(pod_check_env_resource)},
	{"configMapKeyRef", R_OBJECT(key_ref_rows)},
	{"secretKeyRef", R_OBJECT(key_ref_rows)},
	{"fileKeyRef", R_OBJECT(file_ref_rows)},
};

static void check_one_value(const struct rule_at *at)
{
	size_t count = count_set(at->value, value_rows, ARRAY_LEN(value_rows));

	if (!count)
		rule_invalid_str(at, NULL, STR(""),
				 "must specify one of: `fieldRef`, `resourceFieldRef`, "
				 "`configMapKeyRef` or `secretKeyRef`");
	else if (rule_beside(at, "value").len)
		rule_invalid_str(at, NULL, STR(""),
				 "may not be specified when `value` is not empty");
	else if (count > 1)
		rule_invalid_str(at, NULL, STR(""),
				 "may not have more than one field specified at a time");
}

static const struct rule value_from_rows[] = {
	{R_OBJECT(value_rows)},
	{R_CHECK(check_one_value)},
};
static const struct rule env_rows[] = {
	{"name", R_WHEN(is_strict), R_REQUIRED, R_FORMAT(ENV_VAR)},
	{"name", R_WHEN(is_free), R_REQUIRED, R_FORMAT(ENV_VAR_FREE)},
	{"valueFrom", R_OBJECT(value_from_rows)},
};
const struct rules pod_env_rules = RULES_OF(env_rows);

/* A name that may be the beginning of one. */
static void check_source_name(const struct rule_at *at)
{
	name_validate_prefix(NAME_DNS_SUBDOMAIN, json_str(at->value), at->path, at->causes);
}

static const struct rule source_name_rows[] = {
	{"name", R_REQUIRED, R_CHECK(check_source_name)},
};
static const struct rule source_rows[] = {
	{"configMapRef", R_OBJECT(source_name_rows)},
	{"secretRef", R_OBJECT(source_name_rows)},
};

/* Reported under the list. */
static void check_one_source(const struct rule_at *at)
{
	size_t count = count_set(at->value, source_rows, ARRAY_LEN(source_rows));

	if (!count)
		rule_invalid_str(at->up, NULL, STR(""),
				 "must specify one of: `configMapRef` or `secretRef`");
	else if (count > 1)
		rule_invalid_str(at->up, NULL, STR(""),
				 "may not have more than one field specified at a time");
}

static const struct rule env_from_rows[] = {
	{"prefix", R_WHEN(is_strict), R_FILLED, R_FORMAT(ENV_VAR)},
	{"prefix", R_WHEN(is_free), R_FILLED, R_FORMAT(ENV_VAR_FREE)},
	{R_OBJECT(source_rows)},
	{R_CHECK(check_one_source)},
};
const struct rules pod_env_from_rules = RULES_OF(env_from_rows);
