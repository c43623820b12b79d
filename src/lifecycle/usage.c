/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/usage.c - what pods count for in a quota.
 *
 * An extended resource that is only limited counts as asked for, since that is what Kubernetes makes
 * of it; upstream forgets it. */
#include "lifecycle/usage.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/pod_total.h"
#include "model/quantity.h"

#include "base/banned.h"

void usage_init(struct usage *usage, struct arena *arena)
{
	*usage = (struct usage){.arena = arena};
}

void usage_done(struct usage *usage)
{
	vec_done(&usage->amounts);
}

static void add(struct usage *usage, const char *prefix, struct str name, struct quantity value)
{
	struct str key = str_from(arena_printf(usage->arena, "%s%.*s", prefix, STR_ARG(name)));

	value.text = str_none();
	for (size_t i = 0; i < usage->amounts.len; i++) {
		if (str_eq(usage->amounts.ptr[i].name, key)) {
			quantity_add(&usage->amounts.ptr[i].value, &value);
			return;
		}
	}
	vec_push(&usage->amounts, (struct resource_amount){key, value});
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

/* What the pod as a whole asks for replaces the sum of its containers. */
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

static void add_requests(struct usage *usage, const struct pod_amount *amount, int64_t count)
{
	struct quantity value = amount->value;

	quantity_mul(&value, count);
	if (is_plain(amount->name) || is_huge(amount->name) || is_extended(amount->name)) {
		add(usage, "", amount->name, value);
		add(usage, "requests.", amount->name, value);
	}
}

static void add_limits(struct usage *usage, const struct pod_amount *amount,
		       const struct pod_total *requests, int64_t count)
{
	struct quantity value = amount->value;

	quantity_mul(&value, count);
	if (is_plain(amount->name))
		add(usage, "limits.", amount->name, value);
	else if (is_extended(amount->name) && !pod_total_find(requests, amount->name))
		add_requests(usage, amount, count);
}

void usage_add_pod(struct usage *usage, struct json spec, int64_t count)
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
	add(usage, "", STR("pods"), quantity_make(count, QUANTITY_DECIMAL_SI));
	add(usage, "count/", STR("pods"), quantity_make(count, QUANTITY_DECIMAL_SI));
	for (size_t i = 0; i < requests.len; i++)
		add_requests(usage, &requests.ptr[i], count);
	for (size_t i = 0; i < limits.len; i++)
		add_limits(usage, &limits.ptr[i], &requests, count);
}

bool usage_equals(const struct usage *usage, const struct resource_list *list)
{
	if (usage->amounts.len != list->len)
		return false;
	for (size_t i = 0; i < list->len; i++) {
		bool same = false;

		for (size_t k = 0; k < usage->amounts.len; k++)
			if (str_eq(usage->amounts.ptr[k].name, list->ptr[i].name))
				same = quantity_cmp(&usage->amounts.ptr[k].value,
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

struct json usage_encode(const struct usage *usage, struct json_doc *doc)
{
	struct json ret = json_new_obj(doc);
	VEC(struct resource_amount) sorted = {0};
	char text[QUANTITY_TEXT_SIZE];

	for (size_t i = 0; i < usage->amounts.len; i++)
		vec_push(&sorted, usage->amounts.ptr[i]);
	if (sorted.len > 1)
		qsort(sorted.ptr, sorted.len, sizeof(*sorted.ptr), by_name);
	for (size_t i = 0; i < sorted.len; i++)
		json_add(doc, ret, sorted.ptr[i].name,
			 json_new_str(doc,
				      str_from(quantity_canonical(&sorted.ptr[i].value, text))));
	vec_done(&sorted);
	return ret;
}
