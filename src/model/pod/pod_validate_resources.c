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
static bool check_name(struct pod_rules *r, struct str name, const struct path *path)
{
	if (!name_validate(NAME_QUALIFIED, name, path, r->causes))
		return false;
	if (str_find_byte(name, '/', 0) >= 0 || is_standard(name))
		return true;
	causes_invalid_str(r->causes, path, name,
			   "must be a standard resource type or fully qualified");
	return false;
}

typedef void check_name_fn(struct pod_rules *r, struct str name, const struct path *path);

static void check_container_name(struct pod_rules *r, struct str name, const struct path *path)
{
	const struct rule_texts standard = RULE_TEXTS("cpu", "memory", "ephemeral-storage");

	check_name(r, name, path);
	if (str_find_byte(name, '/', 0) < 0) {
		if (!rule_texts_have(standard, name) && !is_huge_page(name))
			causes_invalid_str(r->causes, path, name,
					   "must be a standard resource for containers");
	} else if (!is_native(name) && !is_extended(name)) {
		causes_invalid_str(r->causes, path, name,
				   "doesn't follow extended resource name standard");
	}
}

static void check_pod_name(struct pod_rules *r, struct str name, const struct path *path)
{
	const struct rule_texts known = RULE_TEXTS("cpu", "hugepages-", "memory");

	if (check_name(r, name, path) && !pod_total_is_known(name))
		causes_not_supported(r->causes, path, name, known.ptr, known.len);
}

/* --- amounts --------------------------------------------------------------------------------- */

static void invalid_amount(struct pod_rules *r, const struct path *path,
			   const struct quantity *value, const char *detail)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	quantity_print(value, &text);
	causes_invalid_str(r->causes, path, buf_str(&text), "%s", detail);
}

/* "must be ... limit of 2" */
static void invalid_beside(struct pod_rules *r, const struct path *path,
			   const struct quantity *value, const char *detail,
			   const struct quantity *other)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, detail);
	quantity_print(other, &text);
	invalid_amount(r, path, value, buf_text(&text));
}

static void check_huge_pages(struct pod_rules *r, struct str name, const struct quantity *value,
			     const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str size_text = str_skip(name, sizeof("hugepages-") - 1);
	struct quantity size;

	if (!quantity_parse(size_text, &size, NULL) && quantity_sign(&size) > 0 &&
	    quantity_milli(&size) % MILLIS == 0 &&
	    quantity_value(value) % quantity_value(&size) == 0)
		return;
	quantity_print(value, &text);
	buf_printf(&text, " is not positive integer multiple of %.*s", STR_ARG(name));
	invalid_amount(r, path, value, buf_text(&text));
}

static void check_amount(struct pod_rules *r, struct str name, const struct quantity *value,
			 const struct path *path)
{
	if (quantity_sign(value) < 0)
		invalid_amount(r, path, value, "must be greater than or equal to 0");
	if (is_counted(name) && quantity_milli(value) % MILLIS != 0)
		invalid_amount(r, path, value, "must be an integer");
}

static void check_against_limit(struct pod_rules *r, struct str name, const struct quantity *value,
				struct json limit_value, const struct path *resources)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity limit;
	PATH(limits_path, resources, "limits");
	PATH(requests_path, resources, "requests");

	if (pod_total_read(limit_value, &limit)) {
		if (!can_overcommit(name))
			causes_required(r->causes, &limits_path,
					"Limit must be set for non overcommitable resources");
		return;
	}
	if (quantity_cmp(value, &limit) != 0 && !can_overcommit(name)) {
		buf_printf(&text, "must be equal to %.*s limit of ", STR_ARG(name));
		invalid_beside(r, &requests_path, value, buf_text(&text), &limit);
	} else if (quantity_cmp(value, &limit) > 0) {
		buf_printf(&text, "must be less than or equal to %.*s limit of ", STR_ARG(name));
		invalid_beside(r, &requests_path, value, buf_text(&text), &limit);
	}
}

/* What a list had. */
struct seen {
	bool compute; /* cpu or memory */
	bool huge_pages;
};

static void check_list(struct pod_rules *r, struct json resources, const char *which,
		       check_name_fn *names, const struct path *path, struct seen *seen)
{
	bool requests = str_is(STR("requests"), which);
	AUTO(json_index_done)
	struct json_index limits = json_index_make(json_get(resources, "limits"));
	struct json_iter it = json_iter(json_get(resources, which));
	struct path list = path_member(path, str_from(which));

	while (json_next(&it)) {
		struct path at = path_key(&list, it.key);
		struct quantity value;

		if (pod_total_read(it.value, &value))
			continue;
		names(r, it.key, &at);
		check_amount(r, it.key, &value, &at);
		if (requests)
			check_against_limit(r, it.key, &value, json_index_get(&limits, it.key),
					    path);
		if (is_huge_page(it.key)) {
			seen->huge_pages = true;
			check_huge_pages(r, it.key, &value, &at);
		}
		seen->compute = seen->compute || str_is(it.key, "cpu") || str_is(it.key, "memory");
	}
}

/* --- claims that a container uses ------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return str_qsort_cmp(a, b);
}

static void tell_no_claim(struct pod_rules *r, struct str name, const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	causes_quote(&text, name);
	buf_puts(&text, ": must be one of the names in pod.spec.resourceClaims");
	if (!r->claims.len)
		buf_puts(&text, " which is empty");
	else
		qsort(r->claims.ptr, r->claims.len, sizeof(r->claims.ptr[0]), by_name);
	for (size_t i = 0; i < r->claims.len; i++)
		buf_printf(&text, "%s%.*s", i ? ", " : ": ", STR_ARG(r->claims.ptr[i]));
	causes_add(r->causes, CAUSE_NOT_FOUND, path, "Not found: %s", buf_text(&text));
}

/* Uses of claims so far. A use without a request is of the whole claim; requests count until there is
 * one. */
struct claim_uses {
	struct name_set whole;
	struct name_set names;
	struct name_set requests; /* "name/request" */
};

static void claim_uses_done(struct claim_uses *uses)
{
	name_set_done(&uses->whole);
	name_set_done(&uses->names);
	name_set_done(&uses->requests);
}
DEFINE_AUTO_IN_PLACE(struct claim_uses, claim_uses_done);

/* Note a use. Is there an earlier one that it overlaps? `ret_same`: it asks for the same request. */
static bool use_claim(struct claim_uses *uses, struct json claim, bool *ret_same)
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

static void check_claim_uses(struct pod_rules *r, struct json claims, const struct path *path)
{
	AUTO(claim_uses_done) struct claim_uses uses = {0};
	struct json_iter it = json_iter(claims);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
		struct path at = path_index(path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);
		struct str name = rule_text(it.value, "name");
		bool same;

		if (!name.len) {
			causes_required(r->causes, &at, "");
			continue;
		}
		rule_name(&rule, "request", NAME_DNS_LABEL);
		buf_put_str(&key, name);
		if (use_claim(&uses, it.value, &same)) {
			if (same)
				buf_printf(&key, "/%.*s", STR_ARG(rule_text(it.value, "request")));
			causes_duplicate_str(r->causes, &at, buf_str(&key));
		}
		if (!name_set_has(&r->claims, name))
			tell_no_claim(r, name, &at);
	}
}

static void check_requirements(struct pod_rules *r, struct json resources, check_name_fn *names,
			       const struct path *path)
{
	struct seen seen = {0};
	PATH(claims, path, "claims");

	check_list(r, resources, "limits", names, path, &seen);
	check_list(r, resources, "requests", names, path, &seen);
	if (seen.huge_pages && !seen.compute)
		causes_forbidden(r->causes, path, "HugePages require cpu or memory");
	check_claim_uses(r, json_get(resources, "claims"), &claims);
}

void pod_rules_requirements(struct pod_rules *r, struct json resources, const struct path *path)
{
	check_requirements(r, resources, check_container_name, path);
}

/* --- the pod as a whole ---------------------------------------------------------------------- */

/* The pod must have at least what its containers have together. */
static void check_total(struct pod_rules *r, struct json resources, const char *which,
			bool huge_pages_only, const struct path *path)
{
	AUTO(pod_total_done) struct pod_total total = {0};
	struct path list = path_member(path, str_from(which));

	pod_total_sum(r->spec, which, &total);
	for (size_t i = 0; i < total.len; i++) {
		struct path at = path_key(&list, total.ptr[i].name);
		struct quantity own;

		if ((huge_pages_only && !is_huge_page(total.ptr[i].name)) ||
		    pod_total_read(json_get_str(json_get(resources, which), total.ptr[i].name),
				   &own) ||
		    quantity_cmp(&total.ptr[i].value, &own) <= 0)
			continue;
		invalid_beside(r, &at, &own,
			       huge_pages_only ? "must be greater than or equal to aggregate "
						 "container limits of "
					       : "must be greater than or equal to aggregate "
						 "container requests of ",
			       &total.ptr[i].value);
	}
}

static void check_container_limits(struct pod_rules *r, struct json resources,
				   const struct path *path)
{
	struct json_iter it = json_iter(json_get(r->spec, "containers"));
	PATH(containers, path, "containers");

	while (json_next(&it)) {
		struct path at = path_index(&containers, it.index);
		struct json_iter limit =
			json_iter(json_get(json_get(it.value, "resources"), "limits"));

		while (json_next(&limit)) {
			struct path key = path_key(&at, limit.key);
			struct quantity value;
			struct quantity own;
			PATH(limits, &key, "limits");

			if (!pod_total_read(limit.value, &value) &&
			    !pod_total_read(json_get_str(json_get(resources, "limits"), limit.key),
					    &own) &&
			    quantity_cmp(&value, &own) > 0)
				invalid_beside(r, &limits, &value,
					       "must be less than or equal to pod limits of ",
					       &own);
		}
	}
}

void pod_rules_resources(struct pod_rules *r, const struct path *spec)
{
	struct json resources = json_get(r->spec, "resources");
	struct rule_at at;
	PATH(path, spec, "resources");

	at = pod_rule_at(r, resources, &path);
	if (!json_is(resources, JSON_OBJ))
		return;
	if (str_is(rule_text(json_get(r->spec, "os"), "name"), "windows")) {
		causes_forbidden(r->causes, &path, "may not be set for a windows pod");
		return;
	}
	rule_forbid(&at, "claims", "claims may not be set for Resources at pod-level");
	check_requirements(r, resources, check_pod_name, &path);
	check_total(r, resources, "requests", false, &path);
	check_total(r, resources, "limits", true, &path);
	check_container_limits(r, resources, &path);
}

/* --- the pod's claims ------------------------------------------------------------------------ */

static void check_claim(struct pod_rules *r, struct json claim, struct name_set *names,
			const struct path *path)
{
	struct rule_at at = pod_rule_at(r, claim, path);
	struct str name = rule_text(claim, "name");
	bool by_claim = rule_has(claim, "resourceClaimName");
	bool by_template = rule_has(claim, "resourceClaimTemplateName");
	PATH(name_path, path, "name");
	PATH(claim_path, path, "resourceClaimName");
	PATH(template_path, path, "resourceClaimTemplateName");

	if (name.len && !name_set_add(names, name))
		causes_duplicate_str(r->causes, &name_path, name);
	else
		rule_name_required(&at, "name", NAME_DNS_LABEL);
	if (by_claim && by_template)
		rule_invalid_go(&pod_claim_type, claim, path, r->causes,
				"at most one of `resourceClaimName` or `resourceClaimTemplateName` "
				"may be specified");
	if (!by_claim && !by_template)
		rule_invalid_go(&pod_claim_type, claim, path, r->causes,
				"must specify one of: `resourceClaimName`, "
				"`resourceClaimTemplateName`");
	if (by_claim)
		name_validate(NAME_DNS_SUBDOMAIN, rule_text(claim, "resourceClaimName"),
			      &claim_path, r->causes);
	if (by_template)
		name_validate(NAME_DNS_SUBDOMAIN, rule_text(claim, "resourceClaimTemplateName"),
			      &template_path, r->causes);
}

void pod_rules_resource_claims(struct pod_rules *r, struct json claims, const struct path *path)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(claims);
	bool mirror = rule_has(json_get(r->meta, "annotations"), "kubernetes.io/config.mirror");

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct path nowhere = path_member(NULL, STR(""));

		if (rule_text(it.value, "name").len)
			name_set_add(&r->claims, rule_text(it.value, "name"));
		if (mirror)
			causes_forbidden(r->causes, &nowhere,
					 "static pods do not support resource claims");
		else
			check_claim(r, it.value, &names, &at);
	}
}
