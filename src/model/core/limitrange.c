/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/limitrange.c - limit ranges: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/limitrange.h"

#include "base/mem.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

/* Copies the entries of `from` that `to` lacks. */
static void fill_from(struct json_doc *doc, struct json to, struct json from)
{
	struct json_iter it = json_iter(from);

	while (json_next(&it))
		if (json_is_absent(json_get_str(to, it.key)))
			json_set(doc, to, it.key, json_new_copy(doc, it.value));
}

/* The default limit of a container is the maximum, and its default request is the limit. */
static void fill_limitrange_item(struct json_doc *doc, struct json item)
{
	struct json limits;
	struct json requests;

	if (!str_is(json_str(json_get(item, "type")), "Container"))
		return;
	limits = json_ensure_obj(doc, item, "default");
	requests = json_ensure_obj(doc, item, "defaultRequest");
	fill_from(doc, limits, json_get(item, "max"));
	fill_from(doc, requests, limits);
	fill_from(doc, requests, json_get(item, "min"));
	if (!json_len(limits))
		json_remove(doc, item, STR("default"));
	if (!json_len(requests))
		json_remove(doc, item, STR("defaultRequest"));
}

#define VIEW struct limitrange_item
static const struct field limitrange_item_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.LimitType")},
	{"max", F_RESOURCES, AT(max), F_GO("v1.ResourceList")},
	{"min", F_RESOURCES, AT(min), F_GO("v1.ResourceList")},
	{"default", F_RESOURCES, AT(default_), F_GO("v1.ResourceList")},
	{"defaultRequest", F_RESOURCES, AT(default_request), F_GO("v1.ResourceList")},
	{"maxLimitRequestRatio", F_RESOURCES, AT(max_limit_request_ratio), F_GO("v1.ResourceList")},
};
#undef VIEW
const struct type limitrange_item_type = {
	TYPE("LimitRangeItem", "v1", struct limitrange_item, limitrange_item_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_limitrange_item,
};

#define VIEW struct limitrange_spec
static const struct field limitrange_spec_fields[] = {
	{"limits", F_LIST(F_OBJECT(limitrange_item)), AT(limits), F_ALWAYS, F_REQUIRED,
	 F_LIST_ATOMIC},
};
#undef VIEW
const struct type limitrange_spec_type = {
	TYPE("LimitRangeSpec", "v1", struct limitrange_spec, limitrange_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct limitrange
static const struct field limitrange_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(limitrange_spec), AT(spec), F_DEFAULT("{}")},
};
#undef VIEW

static const char *const lists[] = {"max", "min", "default", "defaultRequest",
				    "maxLimitRequestRatio"};

static void check_type(const struct rule_at *at)
{
	struct str type = json_str(at->value);

	if (name_validate(NAME_QUALIFIED, type, at->path, at->causes) &&
	    str_find_byte(type, '/', 0) < 0 && !str_is(type, "Pod") && !str_is(type, "Container") &&
	    !str_is(type, "PersistentVolumeClaim"))
		rule_invalid(at, NULL, "must be a standard limit type or fully qualified");
}

static void check_resource(const struct rule_at *at)
{
	struct str type = rule_text(at->up->up->value, "type");

	if (str_is(type, "Pod") || str_is(type, "Container"))
		rule_container_resource_name(at);
	else
		rule_resource_name(at);
}

/* The values of a limit for one resource. */
struct bounds {
	struct quantity min, max, limit, request, ratio;
	bool has_min, has_max, has_limit, has_request, has_ratio;
};

static void read_bounds(struct json item, const char *name, struct bounds *b)
{
	b->has_min = rules_quantity(json_get(item, "min"), name, &b->min);
	b->has_max = rules_quantity(json_get(item, "max"), name, &b->max);
	b->has_limit = rules_quantity(json_get(item, "default"), name, &b->limit);
	b->has_request = rules_quantity(json_get(item, "defaultRequest"), name, &b->request);
	b->has_ratio = rules_quantity(json_get(item, "maxLimitRequestRatio"), name, &b->ratio);
	if (str_is(json_str(json_get(item, "type")), "Pod"))
		b->has_limit = b->has_request = false;
}

/* Of `list`[name], with `shown`: `what` has a value that `other` does not allow. */
struct disagreement {
	const char *list;
	const struct quantity *shown;
	const char *what;
	const struct quantity *left;
	const char *other;
	const struct quantity *right;
};

/* Report about an entry of one of the lists. */
static void invalid_entry(const struct rule_at *at, const char *list, struct str name,
			  struct str shown, const char *detail)
{
	struct path path = path_member(at->path, str_from(list));
	struct path entry = path_key(&path, name);

	causes_invalid_str(at->causes, &entry, shown, "%s", detail);
}

static void report(const struct disagreement *d, struct str name, const struct rule_at *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf left = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf right = BUF_UNBOUNDED;

	quantity_print(d->shown, &shown);
	quantity_print(d->left, &left);
	quantity_print(d->right, &right);
	buf_printf(&text, "%s value %s is greater than %s value %s", d->what, buf_text(&left),
		   d->other, buf_text(&right));
	invalid_entry(at, d->list, name, buf_str(&shown), buf_text(&text));
}

static void check_order(const struct bounds *b, struct str name, const struct rule_at *at)
{
	const struct {
		bool both;
		struct disagreement d;
	} rows[] = {
		{b->has_min && b->has_max, {"min", &b->min, "min", &b->min, "max", &b->max}},
		{b->has_request && b->has_min,
		 {"defaultRequest", &b->request, "min", &b->min, "default request", &b->request}},
		{b->has_request && b->has_max,
		 {"defaultRequest", &b->request, "default request", &b->request, "max", &b->max}},
		{b->has_request && b->has_limit,
		 {"defaultRequest", &b->request, "default request", &b->request, "default limit",
		  &b->limit}},
		{b->has_limit && b->has_min,
		 {"default", &b->min, "min", &b->min, "default", &b->limit}},
		{b->has_limit && b->has_max,
		 {"default", &b->max, "default", &b->limit, "max", &b->max}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].both && quantity_cmp(rows[i].d.left, rows[i].d.right) > 0)
			report(&rows[i].d, name, at);
}

static void check_ratio(const struct bounds *b, struct str name, const struct rule_at *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf detail = BUF_UNBOUNDED;
	struct quantity one = quantity_make(1, QUANTITY_DECIMAL_SI);
	double most;

	if (!b->has_ratio)
		return;
	quantity_print(&b->ratio, &text);
	buf_printf(&detail, "ratio %s is less than 1", buf_text(&text));
	if (quantity_cmp(&b->ratio, &one) < 0)
		invalid_entry(at, "maxLimitRequestRatio", name, buf_str(&text), buf_text(&detail));
	if (!b->has_min || !b->has_max || quantity_is_zero(&b->min))
		return;
	most = quantity_real(&b->max) / quantity_real(&b->min);
	buf_clear(&detail);
	buf_printf(&detail, "ratio %s is greater than max/min = %f", buf_text(&text), most);
	if (quantity_real(&b->ratio) > most)
		invalid_entry(at, "maxLimitRequestRatio", name, buf_str(&text), buf_text(&detail));
}

/* A resource that cannot be overcommitted must have equal requests and limits. */
static void check_equal(const struct bounds *b, struct str name, const struct rule_at *at)
{
	AUTO(buf_done) struct buf limit = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf request = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!b->has_limit || !b->has_request || quantity_cmp(&b->limit, &b->request) == 0 ||
	    (rules_is_native_resource(name) && !rules_is_hugepages(name)))
		return;
	quantity_print(&b->limit, &limit);
	quantity_print(&b->request, &request);
	buf_printf(&text, "default value %s must equal to defaultRequest value %s in %.*s",
		   buf_text(&limit), buf_text(&request), STR_ARG(name));
	invalid_entry(at, "defaultRequest", name, buf_str(&request), buf_text(&text));
}

/* Is this the first list that has the name? */
static bool is_first(struct json item, size_t list, struct str name)
{
	for (size_t i = 0; i < list; i++)
		if (!json_is_absent(json_get_str(json_get(item, lists[i]), name)))
			return false;
	return true;
}

static void check_bounds(const struct rule_at *at)
{
	struct json item = at->value;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(item, lists[i]));

		while (json_next(&it)) {
			AUTO(mem_free) char *name = str_dup(it.key);
			struct bounds bounds = {0};

			if (!is_first(item, i, it.key))
				continue;
			read_bounds(item, name, &bounds);
			check_order(&bounds, it.key, at);
			check_ratio(&bounds, it.key, at);
			check_equal(&bounds, it.key, at);
		}
	}
}

static bool lacks_storage(const struct rule_at *at)
{
	return str_is(rule_text(at->value, "type"), "PersistentVolumeClaim") &&
	       json_is_absent(json_get(json_get(at->value, "min"), "storage")) &&
	       json_is_absent(json_get(json_get(at->value, "max"), "storage"));
}

#define NOT_OF_PODS R_FORBIDDEN("may not be specified when `type` is 'Pod'")

static const struct rule item_rules[] = {
	{"type", R_ALWAYS, R_CHECK(check_type)},
	{"type", R_ALWAYS, R_ONCE},
	{"max", R_EACH(R_CHECK(check_resource))},
	{"min", R_EACH(R_CHECK(check_resource))},
	{"default", R_IF("type", "Pod"), R_FILLED, NOT_OF_PODS},
	{"defaultRequest", R_IF("type", "Pod"), R_FILLED, NOT_OF_PODS},
	{"default", R_UNLESS("type", "Pod"), R_EACH(R_CHECK(check_resource))},
	{"defaultRequest", R_UNLESS("type", "Pod"), R_EACH(R_CHECK(check_resource))},
	{"limits", R_WHEN(lacks_storage), R_ALWAYS,
	 R_LACKS("either minimum or maximum storage value is required, but neither was provided")},
	{"maxLimitRequestRatio", R_EACH(R_CHECK(check_resource))},
	{R_CHECK(check_bounds)},
};
static const struct rule spec_rules[] = {
	{"limits", R_EACH(R_OBJECT(item_rules))},
};
static const struct rule limitrange_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
};

static const struct rule update_rules[] = {
	{R_CHECK(rule_meta)},
	{R_OBJECT(limitrange_rules)},
};

const struct type limitrange_type = {
	TYPE("LimitRange", "v1", struct limitrange, limitrange_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(limitrange_rules),
	TYPE_UPDATE(update_rules),
};
