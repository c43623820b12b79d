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

static void check_subscript(struct pod_rules *r, struct str base, struct str key,
			    const struct path *path)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	if (!str_is(base, "metadata.annotations")) {
		name_validate(NAME_QUALIFIED, key, path, r->causes);
		return;
	}
	for (size_t i = 0; i < key.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)key.ptr[i]));
	name_validate(NAME_QUALIFIED, buf_str(&lower), path, r->causes);
}

static void bad_field(struct pod_rules *r, struct str field, const struct path *path,
		      const char *why)
{
	causes_invalid_str(r->causes, path, field, "error converting fieldPath: %s%.*s", why,
			   STR_ARG(field));
}

void pod_rules_field_ref(struct pod_rules *r, struct json ref, struct rule_texts fields,
			 const struct path *path)
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
	struct rule_at at = pod_rule_at(r, ref, path);
	struct str version = rule_text(ref, "apiVersion");
	struct str field = rule_text(ref, "fieldPath");
	struct str base = field;
	struct str key;
	PATH(field_path, path, "fieldPath");

	if (!rule_required(&at, "apiVersion") || !rule_required(&at, "fieldPath"))
		return;
	if (!str_is(version, "v1")) {
		causes_invalid_str(r->causes, &field_path, field,
				   "error converting fieldPath: unsupported pod version: %.*s",
				   STR_ARG(version));
	} else if (split_subscript(field, &base, &key)) {
		if (str_is(base, "metadata.annotations") || str_is(base, "metadata.labels"))
			check_subscript(r, base, key, path);
		else
			bad_field(r, field, &field_path,
				  "field label does not support subscript: ");
	} else {
		if (str_is(field, "spec.host"))
			field = STR("spec.nodeName");
		if (!rule_texts_have(all, field))
			bad_field(r, field, &field_path, "field label not supported: ");
		else if (!rule_texts_have(fields, field))
			causes_not_supported(r->causes, &field_path, field, fields.ptr, fields.len);
	}
}

/* --- resources ------------------------------------------------------------------------------- */

static const char *const unit_texts[] = {
	"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
};
static const char *const cpu_texts[] = {"1m", "1"};

/* Which divisors go with which resources. */
static const struct divisor {
	const char *end; /* of the resource's name behind "limits." or "requests." */
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

/* The name behind "limits." or "requests.". */
static struct str resource_of(struct str text)
{
	if (str_starts(text, STR("limits.")))
		return str_skip(text, sizeof("limits.") - 1);
	if (str_starts(text, STR("requests.")))
		return str_skip(text, sizeof("requests.") - 1);
	return str_none();
}

static void check_divisor(struct pod_rules *r, struct json ref, const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str resource = rule_text(ref, "resource");
	struct str name = resource_of(resource);
	struct quantity divisor;
	PATH(divisor_path, path, "divisor");

	if (pod_total_read(json_get(ref, "divisor"), &divisor) || quantity_is_zero(&divisor))
		return;
	quantity_print(&divisor, &text);
	for (size_t i = 0; i < ARRAY_LEN(divisors); i++) {
		const struct divisor *row = &divisors[i];
		bool prefix = str_ends(str_from(row->end), STR("-"));

		if (prefix ? !str_starts(name, str_from(row->end)) : !str_is(name, row->end))
			continue;
		if (!rule_texts_have(row->texts, buf_str(&text)))
			causes_invalid_str(r->causes, &divisor_path, resource,
					   "only divisor's values %s supported with the %s "
					   "resource",
					   row->list, row->called);
	}
}

void pod_rules_resource_ref(struct pod_rules *r, struct json ref, bool volume,
			    const struct path *path)
{
	const struct rule_texts known =
		RULE_TEXTS("limits.cpu", "limits.ephemeral-storage", "limits.memory",
			   "requests.cpu", "requests.ephemeral-storage", "requests.memory");
	struct rule_at at = pod_rule_at(r, ref, path);
	struct str resource = rule_text(ref, "resource");

	if ((!volume || rule_required(&at, "containerName")) && rule_required(&at, "resource") &&
	    !str_starts(resource_of(resource), STR("hugepages-")))
		rule_text_of(&at, "resource", known);
	check_divisor(r, ref, path);
}

/* --- variables ------------------------------------------------------------------------------- */

static void check_key_ref(struct pod_rules *r, struct json ref, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, ref, path);
	PATH(name, path, "name");

	name_validate(NAME_DNS_SUBDOMAIN, rule_text(ref, "name"), &name, r->causes);
	rule_name_required(&at, "key", NAME_CONFIG_KEY);
}

static void check_file_ref(struct pod_rules *r, struct json ref, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, ref, path);
	PATH(file, path, "path");

	rule_name_required(&at, "key", NAME_ENV_VAR_FREE);
	rule_name_required(&at, "volumeName", NAME_DNS_LABEL);
	if (rule_required(&at, "path"))
		rule_no_backsteps(rule_text(ref, "path"), &file, r->causes);
}

static void check_env_field(struct pod_rules *r, struct json ref, const struct path *path)
{
	const struct rule_texts fields =
		RULE_TEXTS("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
			   "spec.serviceAccountName", "status.hostIP", "status.hostIPs",
			   "status.podIP", "status.podIPs");

	pod_rules_field_ref(r, ref, fields, path);
}

static void check_env_resource(struct pod_rules *r, struct json ref, const struct path *path)
{
	pod_rules_resource_ref(r, ref, false, path);
}

static void check_value_from(struct pod_rules *r, struct json from, bool has_value,
			     const struct path *path)
{
	static const struct {
		const char *key;
		void (*check)(struct pod_rules *r, struct json ref, const struct path *path);
	} sources[] = {
		{"fieldRef", check_env_field},      {"resourceFieldRef", check_env_resource},
		{"configMapKeyRef", check_key_ref}, {"secretKeyRef", check_key_ref},
		{"fileKeyRef", check_file_ref},
	};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct path below = path_member(path, str_from(sources[i].key));

		if (!rule_has(from, sources[i].key))
			continue;
		count++;
		sources[i].check(r, json_get(from, sources[i].key), &below);
	}
	if (!count)
		causes_invalid_str(r->causes, path, STR(""),
				   "must specify one of: `fieldRef`, `resourceFieldRef`, "
				   "`configMapKeyRef` or `secretKeyRef`");
	else if (has_value)
		causes_invalid_str(r->causes, path, STR(""),
				   "may not be specified when `value` is not empty");
	else if (count > 1)
		causes_invalid_str(r->causes, path, STR(""),
				   "may not have more than one field specified at a time");
}

void pod_rules_env(struct pod_rules *r, struct json env, const struct path *path)
{
	struct json_iter it = json_iter(env);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);
		PATH(from, &at, "valueFrom");

		rule_name_required(&rule, "name", r->strict ? NAME_ENV_VAR : NAME_ENV_VAR_FREE);
		if (rule_has(it.value, "valueFrom"))
			check_value_from(r, json_get(it.value, "valueFrom"),
					 rule_text(it.value, "value").len > 0, &from);
	}
}

/* A name that may be the beginning of one. */
static void check_env_source(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);
	PATH(name, path, "name");

	if (rule_required(&at, "name"))
		name_validate_prefix(NAME_DNS_SUBDOMAIN, rule_text(source, "name"), &name,
				     r->causes);
}

void pod_rules_env_from(struct pod_rules *r, struct json env_from, const struct path *path)
{
	static const char *const sources[] = {"configMapRef", "secretRef"};
	struct json_iter it = json_iter(env_from);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);
		size_t count = 0;

		rule_name(&rule, "prefix", r->strict ? NAME_ENV_VAR : NAME_ENV_VAR_FREE);
		for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
			struct path below = path_member(&at, str_from(sources[i]));

			if (!rule_has(it.value, sources[i]))
				continue;
			count++;
			check_env_source(r, json_get(it.value, sources[i]), &below);
		}
		if (!count)
			causes_invalid_str(r->causes, path, STR(""),
					   "must specify one of: `configMapRef` or `secretRef`");
		else if (count > 1)
			causes_invalid_str(r->causes, path, STR(""),
					   "may not have more than one field specified at a time");
	}
}
