/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_resources.c - the rules of requests, limits and resource claims, of containers and
 * of the pod as a whole. */
#include <stdlib.h>

#include "base/buf.h"
#include "json/index.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_spec.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum { MILLIS = 1000 };

/* --- names ----------------------------------------------------------------------------------- */

static bool is_huge_page(struct str name)
{
	return str_starts(name, STR("hugepages-"));
}

static bool is_native(struct str name)
{
	return str_find_byte(name, '/', 0) < 0 || str_find(name, STR("kubernetes.io/"), 0) >= 0;
}

static bool can_overcommit(struct str name)
{
	return is_native(name) && !is_huge_page(name);
}

static bool is_extended(struct str name)
{
	AUTO(buf_done) struct buf quota = BUF_UNBOUNDED;

	if (is_native(name) || str_starts(name, STR("requests.")))
		return false;
	buf_puts(&quota, "requests.");
	buf_put_str(&quota, name);
	return name_is(NAME_QUALIFIED, buf_str(&quota));
}

static bool is_counted(struct str name)
{
	const struct rule_texts counted =
		RULE_TEXTS("pods", "resourcequotas", "services", "replicationcontrollers",
			   "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports",
			   "services.loadbalancers");

	return rule_texts_have(counted, name) || is_extended(name);
}

static bool is_standard(struct str name)
{
	const struct rule_texts standard =
		RULE_TEXTS("cpu", "memory", "ephemeral-storage", "storage", "requests.cpu",
			   "requests.memory", "requests.ephemeral-storage", "requests.storage",
			   "limits.cpu", "limits.memory", "limits.ephemeral-storage");

	return rule_texts_have(standard, name) || is_counted(name) || is_huge_page(name) ||
	       str_starts(name, STR("requests.hugepages-"));
}

/* Is it the name of any resource? */
static bool check_name(const struct rule_at *at)
{
	struct str name = at->path->name;

	if (!name_validate(NAME_QUALIFIED, name, at->path, at->causes))
		return false;
	if (str_find_byte(name, '/', 0) >= 0 || is_standard(name))
		return true;
	rule_invalid_str(at, NULL, name, "must be a standard resource type or fully qualified");
	return false;
}

static void check_container_name(const struct rule_at *at)
{
	const struct rule_texts standard = RULE_TEXTS("cpu", "memory", "ephemeral-storage");
	struct str name = at->path->name;

	check_name(at);
	if (str_find_byte(name, '/', 0) < 0) {
		if (!rule_texts_have(standard, name) && !is_huge_page(name))
			rule_invalid_str(at, NULL, name,
					 "must be a standard resource for containers");
	} else if (!is_native(name) && !is_extended(name)) {
		rule_invalid_str(at, NULL, name, "doesn't follow extended resource name standard");
	}
}

static void check_pod_name(const struct rule_at *at)
{
	const struct rule_texts known = RULE_TEXTS("cpu", "hugepages-", "memory");

	if (check_name(at) && !pod_total_is_known(at->path->name))
		rule_not_supported(at, NULL, at->path->name, known);
}

/* --- amounts --------------------------------------------------------------------------------- */

static void invalid_amount(const struct rule_at *at, const char *key, const struct quantity *value,
			   const char *detail)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	quantity_print(value, &text);
	rule_invalid_str(at, key, buf_str(&text), "%s", detail);
}

/* "must be ... limit of 2" */
static void invalid_against(const struct rule_at *at, const char *key, const struct quantity *value,
			    const char *detail, const struct quantity *other)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, detail);
	quantity_print(other, &text);
	invalid_amount(at, key, value, buf_text(&text));
}

static void check_huge_pages(const struct rule_at *at, const struct quantity *value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str name = at->path->name;
	struct quantity size;

	if (!quantity_parse(str_skip(name, sizeof("hugepages-") - 1), &size, NULL) &&
	    quantity_sign(&size) > 0 && quantity_milli(&size) % MILLIS == 0 &&
	    quantity_value(value) % quantity_value(&size) == 0)
		return;
	quantity_print(value, &text);
	buf_printf(&text, " is not positive integer multiple of %.*s", STR_ARG(name));
	invalid_amount(at, NULL, value, buf_text(&text));
}

/* Reported about the lists of the resources. */
static void check_against_limit(const struct rule_at *at, const struct quantity *value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct rule_at *resources = at->up->up;
	struct str name = at->path->name;
	struct quantity limit;

	if (pod_total_read(json_index_get(pod_of(at)->limits, name), &limit)) {
		if (!can_overcommit(name))
			rule_required_as(resources, "limits",
					 "Limit must be set for non overcommitable resources");
		return;
	}
	if (quantity_cmp(value, &limit) != 0 && !can_overcommit(name)) {
		buf_printf(&text, "must be equal to %.*s limit of ", STR_ARG(name));
		invalid_against(resources, "requests", value, buf_text(&text), &limit);
	} else if (quantity_cmp(value, &limit) > 0) {
		buf_printf(&text, "must be less than or equal to %.*s limit of ", STR_ARG(name));
		invalid_against(resources, "requests", value, buf_text(&text), &limit);
	}
}

static void check_entry(const struct rule_at *at, bool request)
{
	struct pod_rules *r = pod_of(at);
	struct str name = at->path->name;
	struct quantity value;

	if (pod_total_read(at->value, &value))
		return;
	if (r->pod_level)
		check_pod_name(at);
	else
		check_container_name(at);
	if (quantity_sign(&value) < 0)
		invalid_amount(at, NULL, &value, "must be greater than or equal to 0");
	if (is_counted(name) && quantity_milli(&value) % MILLIS != 0)
		invalid_amount(at, NULL, &value, "must be an integer");
	if (request)
		check_against_limit(at, &value);
	if (is_huge_page(name)) {
		r->has_huge_pages = true;
		check_huge_pages(at, &value);
	}
	r->has_compute = r->has_compute || str_is(name, "cpu") || str_is(name, "memory");
}

static void check_limit(const struct rule_at *at)
{
	check_entry(at, false);
}

static void check_request(const struct rule_at *at)
{
	check_entry(at, true);
}

/* --- claims that a container uses ------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return str_qsort_cmp(a, b);
}

static void report_no_claim(const struct rule_at *at, struct str name)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct name_set *claims = &pod_of(at)->claims;

	causes_quote(&text, name);
	buf_puts(&text, ": must be one of the names in pod.spec.resourceClaims");
	if (!claims->len)
		buf_puts(&text, " which is empty");
	else
		qsort(claims->ptr, claims->len, sizeof(claims->ptr[0]), by_name);
	for (size_t i = 0; i < claims->len; i++)
		buf_printf(&text, "%s%.*s", i ? ", " : ": ", STR_ARG(claims->ptr[i]));
	rule_add(at, NULL, CAUSE_NOT_FOUND, "Not found: %s", buf_text(&text));
}

/* Uses of claims so far. A use without a request is of the whole claim; requests count until there is
 * one. */
struct pod_claim_uses {
	struct name_set whole;
	struct name_set names;
	struct name_set requests; /* "name/request" */
};

static void pod_claim_uses_done(struct pod_claim_uses *uses)
{
	name_set_done(&uses->whole);
	name_set_done(&uses->names);
	name_set_done(&uses->requests);
}
DEFINE_AUTO_IN_PLACE(struct pod_claim_uses, pod_claim_uses_done);

/* Note a use. Is there an earlier one that it overlaps? `ret_same`: it asks for the same request. */
static bool use_claim(struct pod_claim_uses *uses, struct json claim, bool *ret_same)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str name = rule_text(claim, "name");
	struct str request = rule_text(claim, "request");
	bool whole = name_set_has(&uses->whole, name);
	bool used;

	buf_printf(&text, "%.*s/%.*s", STR_ARG(name), STR_ARG(request));
	*ret_same = request.len && name_set_has(&uses->requests, buf_str(&text));
	used = whole || (request.len ? *ret_same : name_set_has(&uses->names, name));
	(void)name_set_add(&uses->names, name);
	if (!request.len)
		(void)name_set_add(&uses->whole, name);
	else if (!whole)
		(void)name_set_add_copy(&uses->requests, buf_str(&text));
	return used;
}

static void check_claim_use(const struct rule_at *at)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct str name = rule_text(at->value, "name");
	bool same;

	if (!name.len) {
		rule_required_as(at, NULL, "");
		return;
	}
	rule_name(at, "request", NAME_DNS_LABEL);
	buf_put_str(&key, name);
	if (use_claim(pod_of(at)->claim_uses, at->value, &same)) {
		if (same)
			buf_printf(&key, "/%.*s", STR_ARG(rule_text(at->value, "request")));
		rule_duplicate_str(at, NULL, buf_str(&key));
	}
	if (!name_set_has(&pod_of(at)->claims, name))
		report_no_claim(at, name);
}

static bool has_huge_pages_alone(const struct rule_at *at)
{
	return pod_of(at)->has_huge_pages && !pod_of(at)->has_compute;
}

static const struct rule requirement_rows[] = {
	{"limits", R_EACH(R_CHECK(check_limit))},
	{"requests", R_EACH(R_CHECK(check_request))},
	{R_WHEN(has_huge_pages_alone), R_FORBIDDEN("HugePages require cpu or memory")},
	{"claims", R_EACH(R_CHECK(check_claim_use))},
};

static void check_requirements(const struct rule_at *at, bool pod_level)
{
	static const struct rules rules = RULES_OF(requirement_rows);
	AUTO(pod_claim_uses_done) struct pod_claim_uses uses = {0};
	AUTO(json_index_done)
	struct json_index limits = json_index_make(json_get(at->value, "limits"));
	struct pod_rules *r = pod_of(at);

	r->pod_level = pod_level;
	r->has_compute = false;
	r->has_huge_pages = false;
	r->limits = &limits;
	r->claim_uses = &uses;
	rules_check(&rules, at);
	r->limits = NULL;
	r->claim_uses = NULL;
}

void pod_check_requirements(const struct rule_at *at)
{
	check_requirements(at, false);
}

void pod_check_overhead(const struct rule_at *at)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct rule_at resources = *at;

	resources.value = json_new_obj(doc);
	json_set(doc, resources.value, STR("limits"), json_new_copy(doc, at->value));
	check_requirements(&resources, false);
}

/* --- the pod as a whole ---------------------------------------------------------------------- */

/* The pod must have at least what its containers have together. */
static void check_total(const struct rule_at *at, const char *which, bool huge_pages_only)
{
	AUTO(pod_total_done) struct pod_total total = {0};
	struct path list = path_member(at->path, str_from(which));
	struct rule_at entry = *at;

	pod_total_sum(pod_spec_of(at), which, &total);
	for (size_t i = 0; i < total.len; i++) {
		struct path path = path_key(&list, total.ptr[i].name);
		struct quantity own;

		if ((huge_pages_only && !is_huge_page(total.ptr[i].name)) ||
		    pod_total_read(json_get_str(json_get(at->value, which), total.ptr[i].name),
				   &own) ||
		    quantity_cmp(&total.ptr[i].value, &own) <= 0)
			continue;
		entry.path = &path;
		invalid_against(&entry, NULL, &own,
				huge_pages_only ? "must be greater than or equal to aggregate "
						  "container limits of "
						: "must be greater than or equal to aggregate "
						  "container requests of ",
				&total.ptr[i].value);
	}
}

static void check_totals(const struct rule_at *at)
{
	check_total(at, "requests", false);
	check_total(at, "limits", true);
}

static void check_container_limit(const struct rule_at *at)
{
	struct json limits = json_get(json_get(pod_spec_of(at), "resources"), "limits");
	struct quantity value;
	struct quantity own;

	if (!pod_total_read(at->value, &value) &&
	    !pod_total_read(json_get_str(limits, at->path->name), &own) &&
	    quantity_cmp(&value, &own) > 0)
		invalid_against(at, "limits", &value,
				"must be less than or equal to pod limits of ", &own);
}

/* Upstream reports the containers below the resources of the pod. */
static const struct rule container_limit_rows[] = {
	{"limits", R_HIDDEN, R_EACH(R_CHECK(check_container_limit))},
};
static const struct rule container_resource_rows[] = {
	{"resources", R_HIDDEN, R_OBJECT(container_limit_rows)},
};
static const struct rule containers_rows[] = {
	{"containers", R_EACH(R_OBJECT(container_resource_rows))},
};

static void check_container_limits(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(containers_rows);
	struct rule_at spec = *at;

	spec.value = pod_spec_of(at);
	rules_check(&rules, &spec);
}

static void check_pod_requirements(const struct rule_at *at)
{
	check_requirements(at, true);
}

static bool is_windows(const struct rule_at *at)
{
	return str_is(rule_text(json_get(pod_spec_of(at), "os"), "name"), "windows");
}

static const struct rule pod_rows[] = {
	{R_WHEN(is_windows), R_FORBIDDEN("may not be set for a windows pod"), R_STOP},
	{"claims", R_FORBIDDEN("claims may not be set for Resources at pod-level")},
	{R_CHECK(check_pod_requirements)},
	{R_CHECK(check_totals)},
	{R_CHECK(check_container_limits)},
};

void pod_check_pod_resources(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(pod_rows);

	rules_check(&rules, at);
}

/* --- the pod's claims ------------------------------------------------------------------------ */

static void check_claim_name(const struct rule_at *at)
{
	struct str name = json_str(at->value);

	if (name.len && !name_set_add(at->seen, name))
		rule_duplicate(at, NULL);
	else if (!name.len)
		rule_required_as(at, NULL, "");
	else
		name_validate(NAME_DNS_LABEL, name, at->path, at->causes);
}

static void check_claim_source(const struct rule_at *at)
{
	bool by_claim = rule_has(at->value, "resourceClaimName");
	bool by_template = rule_has(at->value, "resourceClaimTemplateName");

	if (by_claim && by_template)
		rule_invalid_go(&pod_claim_type, at->value, at->path, at->causes,
				"at most one of `resourceClaimName` or `resourceClaimTemplateName` "
				"may be specified");
	if (!by_claim && !by_template)
		rule_invalid_go(&pod_claim_type, at->value, at->path, at->causes,
				"must specify one of: `resourceClaimName`, "
				"`resourceClaimTemplateName`");
}

static const struct rule claim_rows[] = {
	{"name", R_ALWAYS, R_CHECK(check_claim_name)},
	{R_CHECK(check_claim_source)},
	{"resourceClaimName", R_FORMAT(DNS_SUBDOMAIN)},
	{"resourceClaimTemplateName", R_FORMAT(DNS_SUBDOMAIN)},
};

void pod_check_resource_claim(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(claim_rows);
	struct pod_rules *r = pod_of(at);
	struct path nowhere = path_member(NULL, STR(""));

	if (rule_text(at->value, "name").len)
		name_set_add(&r->claims, rule_text(at->value, "name"));
	if (rule_has(json_get(r->meta, "annotations"), "kubernetes.io/config.mirror"))
		causes_forbidden(at->causes, &nowhere,
				 "static pods do not support resource claims");
	else
		rules_check(&rules, at);
}
