/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/demand.c - how much of a quota pods use.
 *
 * An extended resource with only a limit counts as requested, because Kubernetes sets the request to
 * the limit; upstream ignores it. */
#include "lifecycle/demand.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

void demand_init(struct demand *demand, struct arena *arena)
{
	*demand = (struct demand){.arena = arena};
}

void demand_done(struct demand *demand)
{
	vec_done(&demand->amounts);
}

static bool is_joined(struct str key, struct str prefix, struct str name)
{
	return key.len == prefix.len + name.len && str_starts(key, prefix) &&
	       str_eq(str_skip(key, prefix.len), name);
}

static void add(struct demand *demand, struct str prefix, struct str name, struct quantity value)
{
	struct str key = name;

	value.text = str_none();
	for (size_t i = 0; i < demand->amounts.len; i++) {
		if (is_joined(demand->amounts.ptr[i].name, prefix, name)) {
			quantity_add(&demand->amounts.ptr[i].value, &value);
			return;
		}
	}
	if (prefix.len > 0)
		key = str_from(
			arena_printf(demand->arena, "%.*s%.*s", STR_ARG(prefix), STR_ARG(name)));
	vec_push(&demand->amounts, (struct resource_amount){key, value});
}

static bool is_plain(struct str name)
{
	return str_is(name, "cpu") || str_is(name, "memory") || str_is(name, "ephemeral-storage");
}

static bool is_huge(struct str name)
{
	return str_starts(name, STR("hugepages-"));
}

static bool is_extended(struct str name)
{
	return str_find_byte(name, '/', 0) > 0 && str_find(name, STR("kubernetes.io/"), 0) < 0;
}

static void add_list(struct pod_total *total, struct json list, bool only_known)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct pod_amount *found = NULL;
		struct quantity value;

		if (pod_total_read(it.value, &value))
			continue;
		for (size_t i = 0; i < total->len; i++)
			if (str_eq(total->ptr[i].name, it.key))
				found = &total->ptr[i];
		if (found)
			quantity_add(&found->value, &value);
		else if (!only_known)
			vec_push(total, (struct pod_amount){it.key, value});
	}
}

/* Requests of the pod as a whole replace the sum of its containers. */
static void override(struct pod_total *total, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct quantity value;

		if (pod_total_read(it.value, &value))
			continue;
		for (size_t i = 0; i < total->len; i++)
			if (str_eq(total->ptr[i].name, it.key))
				vec_remove_swap(total, i);
		vec_push(total, (struct pod_amount){it.key, value});
	}
}

static void add_requests(struct demand *demand, const struct pod_amount *amount, int64_t count)
{
	struct quantity value = amount->value;

	quantity_mul(&value, count);
	if (is_plain(amount->name) || is_huge(amount->name) || is_extended(amount->name)) {
		add(demand, STR(""), amount->name, value);
		add(demand, STR("requests."), amount->name, value);
	}
}

static void add_limits(struct demand *demand, const struct pod_amount *amount,
		       const struct pod_total *requests, int64_t count)
{
	struct quantity value = amount->value;

	quantity_mul(&value, count);
	if (is_plain(amount->name))
		add(demand, STR("limits."), amount->name, value);
	else if (is_extended(amount->name) && !pod_total_find(requests, amount->name))
		add_requests(demand, amount, count);
}

void demand_add_pod(struct demand *demand, struct json spec, int64_t count)
{
	AUTO(pod_total_done) struct pod_total requests = {0};
	AUTO(pod_total_done) struct pod_total limits = {0};
	struct json whole = json_get(spec, "resources");

	if (count <= 0)
		return;
	pod_total_sum(spec, "requests", &requests);
	pod_total_sum(spec, "limits", &limits);
	override(&requests, json_get(whole, "requests"));
	override(&limits, json_get(whole, "limits"));
	add_list(&requests, json_get(spec, "overhead"), false);
	add_list(&limits, json_get(spec, "overhead"), true);
	add(demand, STR(""), STR("pods"), quantity_make(count, QUANTITY_DECIMAL_SI));
	add(demand, STR("count/"), STR("pods"), quantity_make(count, QUANTITY_DECIMAL_SI));
	for (size_t i = 0; i < requests.len; i++)
		add_requests(demand, &requests.ptr[i], count);
	for (size_t i = 0; i < limits.len; i++)
		add_limits(demand, &limits.ptr[i], &requests, count);
}

bool demand_equals(const struct demand *demand, const struct resource_list *list)
{
	if (demand->amounts.len != list->len)
		return false;
	for (size_t i = 0; i < list->len; i++) {
		bool same = false;

		for (size_t k = 0; k < demand->amounts.len; k++)
			if (str_eq(demand->amounts.ptr[k].name, list->ptr[i].name))
				same = quantity_cmp(&demand->amounts.ptr[k].value,
						    &list->ptr[i].value) == 0;
		if (!same)
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct resource_amount *l = a, *r = b;

	return str_cmp(l->name, r->name);
}

struct json demand_encode(const struct demand *demand, struct json_doc *doc)
{
	struct json ret = json_new_obj(doc);
	VEC(struct resource_amount) sorted = {0};
	char text[QUANTITY_TEXT_SIZE];

	for (size_t i = 0; i < demand->amounts.len; i++)
		vec_push(&sorted, demand->amounts.ptr[i]);
	if (sorted.len > 1)
		qsort(sorted.ptr, sorted.len, sizeof(*sorted.ptr), by_name);
	for (size_t i = 0; i < sorted.len; i++)
		json_add(doc, ret, sorted.ptr[i].name,
			 json_new_str(doc,
				      str_from(quantity_canonical(&sorted.ptr[i].value, text))));
	vec_done(&sorted);
	return ret;
}
