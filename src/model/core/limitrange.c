/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/limitrange.c - limit ranges: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/core/limitrange.h"

#include "base/mem.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

/* What `to` lacks of `from`. */
static void fill_from(struct json_doc *doc, struct json to, struct json from)
{
	struct json_iter it = json_iter(from);

	while (json_next(&it))
		if (json_is_absent(json_get_str(to, it.key)))
			json_set(doc, to, it.key, json_new_copy(doc, it.value));
}

/* A container's limit is the most there is, and its request the limit, unless it says otherwise. */
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
const struct type limitrange_type = {
	TYPE("LimitRange", "v1", struct limitrange, limitrange_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

static const char *const lists[] = {"max", "min", "default", "defaultRequest",
				    "maxLimitRequestRatio"};

static void validate_type(struct str type, struct name_set *seen, const struct path *at,
			  struct causes *causes)
{
	struct path path = path_member(at, STR("type"));

	if (name_validate(NAME_QUALIFIED, type, &path, causes) && str_find_byte(type, '/', 0) < 0 &&
	    !str_is(type, "Pod") && !str_is(type, "Container") &&
	    !str_is(type, "PersistentVolumeClaim"))
		causes_invalid_str(causes, &path, type,
				   "must be a standard limit type or fully qualified");
	if (!name_set_add(seen, type))
		causes_duplicate_str(causes, &path, type);
}

static void validate_names(struct json item, const char *list, const struct path *at,
			   struct causes *causes)
{
	struct str type = json_str(json_get(item, "type"));
	struct path path = path_member(at, str_from(list));
	struct json_iter it = json_iter(json_get(item, list));

	while (json_next(&it)) {
		struct path key = path_key(&path, it.key);

		if (str_is(type, "Pod") || str_is(type, "Container"))
			rules_container_resource_name(it.key, &key, causes);
		else
			(void)rules_resource_name(it.key, &key, causes); /* told already */
	}
}

/* What a limit says of one resource. */
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

/* Tells of `list`[name], with `shown`, that `what` has a value that is not as `other` allows. */
struct disagreement {
	const char *list;
	const struct quantity *shown;
	const char *what;
	const struct quantity *left;
	const char *other;
	const struct quantity *right;
};

static void tell(const struct disagreement *d, struct str name, const struct path *at,
		 struct causes *causes)
{
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf left = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf right = BUF_UNBOUNDED;
	struct path list = path_member(at, str_from(d->list));
	struct path path = path_key(&list, name);

	quantity_print(d->shown, &shown);
	quantity_print(d->left, &left);
	quantity_print(d->right, &right);
	causes_invalid_str(causes, &path, buf_str(&shown),
			   "%s value %s is greater than %s value %s", d->what, buf_text(&left),
			   d->other, buf_text(&right));
}

static void validate_order(const struct bounds *b, struct str name, const struct path *at,
			   struct causes *causes)
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
			tell(&rows[i].d, name, at, causes);
}

static void validate_ratio(const struct bounds *b, struct str name, const struct path *at,
			   struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity one = quantity_make(1, QUANTITY_DECIMAL_SI);
	struct path list = path_member(at, STR("maxLimitRequestRatio"));
	struct path path = path_key(&list, name);
	double most;

	if (!b->has_ratio)
		return;
	quantity_print(&b->ratio, &text);
	if (quantity_cmp(&b->ratio, &one) < 0)
		causes_invalid_str(causes, &path, buf_str(&text), "ratio %s is less than 1",
				   buf_text(&text));
	if (!b->has_min || !b->has_max || quantity_is_zero(&b->min))
		return;
	most = quantity_real(&b->max) / quantity_real(&b->min);
	if (quantity_real(&b->ratio) > most)
		causes_invalid_str(causes, &path, buf_str(&text),
				   "ratio %s is greater than max/min = %f", buf_text(&text), most);
}

/* What cannot be overcommitted has requests and limits that are the same. */
static void validate_equal(const struct bounds *b, struct str name, const struct path *at,
			   struct causes *causes)
{
	AUTO(buf_done) struct buf limit = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf request = BUF_UNBOUNDED;
	struct path list = path_member(at, STR("defaultRequest"));
	struct path path = path_key(&list, name);

	if (!b->has_limit || !b->has_request || quantity_cmp(&b->limit, &b->request) == 0 ||
	    (rules_is_native_resource(name) && !rules_is_hugepages(name)))
		return;
	quantity_print(&b->limit, &limit);
	quantity_print(&b->request, &request);
	causes_invalid_str(causes, &path, buf_str(&request),
			   "default value %s must equal to defaultRequest value %s in %.*s",
			   buf_text(&limit), buf_text(&request), STR_ARG(name));
}

/* Is this the first list that has the name? */
static bool is_first(struct json item, size_t list, struct str name)
{
	for (size_t i = 0; i < list; i++)
		if (!json_is_absent(json_get_str(json_get(item, lists[i]), name)))
			return false;
	return true;
}

static void validate_bounds(struct json item, const struct path *at, struct causes *causes)
{
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(item, lists[i]));

		while (json_next(&it)) {
			AUTO(mem_free) char *name = str_dup(it.key);
			struct bounds bounds = {0};

			if (!is_first(item, i, it.key))
				continue;
			read_bounds(item, name, &bounds);
			validate_order(&bounds, it.key, at, causes);
			validate_ratio(&bounds, it.key, at, causes);
			validate_equal(&bounds, it.key, at, causes);
		}
	}
}

static void forbid(struct json item, const char *list, const struct path *at, struct causes *causes)
{
	struct path path = path_member(at, str_from(list));

	if (json_len(json_get(item, list)))
		causes_forbidden(causes, &path, "may not be specified when `type` is 'Pod'");
}

static void validate_item(struct json item, struct name_set *seen, const struct path *at,
			  struct causes *causes)
{
	struct str type = json_str(json_get(item, "type"));
	struct path limits_path = path_member(at, STR("limits"));

	validate_type(type, seen, at, causes);
	validate_names(item, "max", at, causes);
	validate_names(item, "min", at, causes);
	if (str_is(type, "Pod")) {
		forbid(item, "default", at, causes);
		forbid(item, "defaultRequest", at, causes);
	} else {
		validate_names(item, "default", at, causes);
		validate_names(item, "defaultRequest", at, causes);
	}
	if (str_is(type, "PersistentVolumeClaim") &&
	    json_is_absent(json_get(json_get(item, "min"), "storage")) &&
	    json_is_absent(json_get(json_get(item, "max"), "storage")))
		causes_required(causes, &limits_path,
				"either minimum or maximum storage value is required, but neither "
				"was provided");
	validate_names(item, "maxLimitRequestRatio", at, causes);
	validate_bounds(item, at, causes);
}

void limitrange_validate_create(struct json limitrange, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("limits"));
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(json_get(json_get(limitrange, "spec"), "limits"));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		validate_item(it.value, &seen, &at, causes);
	}
}

void limitrange_validate_update(struct json limitrange, struct json old, struct causes *causes)
{
	(void)old;
	rules_meta(limitrange, NAME_DNS_SUBDOMAIN, true, causes);
	limitrange_validate_create(limitrange, causes);
}
