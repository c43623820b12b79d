/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_total.c - sums over a pod's containers.
 *
 * Containers and sidecars run together; an init container runs with the sidecars that were started
 * before it. The pod needs the largest of these in each resource. Look-up is linear while there are few
 * resources, and by a hash map when a request names many. */
#include "model/pod/pod_total.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

enum { HASHED = 32 };

void pod_total_done(struct pod_total *total)
{
	vec_done(total);
	map_free(total->places);
	total->places = NULL;
}

int pod_total_read(struct json value, struct quantity *ret)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json_is(value, JSON_STR))
		return quantity_parse(json_str(value), ret, NULL);
	if (!json_is(value, JSON_INT) && !json_is(value, JSON_REAL))
		return -1;
	json_print(value, JSON_COMPACT, &text);
	if (quantity_parse(buf_str(&text), ret, NULL))
		return -1;
	ret->text = str_none();
	return 0;
}

static struct pod_amount *find(const struct pod_total *total, struct str name)
{
	if (total->places) {
		uintptr_t place = (uintptr_t)map_get(total->places, name);

		return place ? &total->ptr[place - 1] : NULL;
	}
	for (size_t i = 0; i < total->len; i++)
		if (str_eq(total->ptr[i].name, name))
			return &total->ptr[i];
	return NULL;
}

static void add(struct pod_total *total, struct pod_amount amount)
{
	vec_push(total, amount);
	if (total->len < HASHED)
		return;
	if (!total->places) {
		total->places = map_new((uint64_t)(uintptr_t)total);
		for (size_t i = 0; i + 1 < total->len; i++)
			(void)map_put(total->places, total->ptr[i].name,
				      (void *)(uintptr_t)(i + 1));
	}
	(void)map_put(total->places, amount.name, (void *)(uintptr_t)total->len);
}

const struct pod_amount *pod_total_find(const struct pod_total *total, struct str name)
{
	return find(total, name);
}

static void add_list(struct pod_total *total, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct pod_amount *amount = find(total, it.key);
		struct quantity value;

		if (pod_total_read(it.value, &value))
			continue;
		if (amount)
			quantity_add(&amount->value, &value);
		else
			add(total, (struct pod_amount){it.key, value});
	}
}

static void add_total(struct pod_total *total, const struct pod_total *other)
{
	for (size_t i = 0; i < other->len; i++) {
		struct pod_amount *amount = find(total, other->ptr[i].name);

		if (amount)
			quantity_add(&amount->value, &other->ptr[i].value);
		else
			add(total, other->ptr[i]);
	}
}

static void raise_to(struct pod_total *total, const struct pod_total *other)
{
	for (size_t i = 0; i < other->len; i++) {
		struct pod_amount *amount = find(total, other->ptr[i].name);

		if (!amount)
			add(total, other->ptr[i]);
		else if (quantity_cmp(&amount->value, &other->ptr[i].value) < 0)
			amount->value = other->ptr[i].value;
	}
}

void pod_total_sum(struct json spec, const char *which, struct pod_total *ret)
{
	AUTO(pod_total_done) struct pod_total sidecars = {0};
	AUTO(pod_total_done) struct pod_total most = {0};
	struct json_iter it = json_iter(json_get(spec, "containers"));

	while (json_next(&it))
		add_list(ret, json_get(json_get(it.value, "resources"), which));
	it = json_iter(json_get(spec, "initContainers"));
	while (json_next(&it)) {
		AUTO(pod_total_done) struct pod_total now = {0};
		struct json list = json_get(json_get(it.value, "resources"), which);

		if (str_is(json_str(json_get(it.value, "restartPolicy")), "Always")) {
			add_list(ret, list);
			add_list(&sidecars, list);
		} else {
			add_list(&now, list);
		}
		add_total(&now, &sidecars);
		raise_to(&most, &now);
	}
	raise_to(ret, &most);
}

static bool is_huge_page(struct str resource)
{
	return str_starts(resource, STR("hugepages-"));
}

bool pod_total_is_known(struct str resource)
{
	return str_is(resource, "cpu") || str_is(resource, "memory") || is_huge_page(resource);
}

static void put_amount(struct json_doc *doc, struct json list, const struct pod_amount *amount)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	quantity_print(&amount->value, &text);
	json_add(doc, list, amount->name, json_new_str(doc, buf_str(&text)));
}

/* Huge pages that the containers are limited to are the pod's limit. */
static void default_limits(struct json_doc *doc, struct json spec, struct json resources)
{
	AUTO(pod_total_done) struct pod_total total = {0};
	struct json requests = json_get(resources, "requests");

	if (!json_len(json_get(resources, "limits")) && !json_len(requests))
		return;
	pod_total_sum(spec, "limits", &total);
	for (size_t i = 0; i < total.len; i++) {
		struct str name = total.ptr[i].name;

		if (is_huge_page(name) && json_is_absent(json_get_str(requests, name)) &&
		    json_is_absent(json_get_str(json_get(resources, "limits"), name)))
			put_amount(doc, json_ensure_obj(doc, resources, "limits"), &total.ptr[i]);
	}
}

/* What is requested is what the containers request, else what the pod is limited to. */
static void default_requests(struct json_doc *doc, struct json spec, struct json resources)
{
	AUTO(pod_total_done) struct pod_total total = {0};
	struct json_iter it = json_iter(json_get(resources, "limits"));

	if (!json_len(json_get(resources, "limits")))
		return;
	pod_total_sum(spec, "requests", &total);
	for (size_t i = 0; i < total.len; i++)
		if (pod_total_is_known(total.ptr[i].name) && !is_huge_page(total.ptr[i].name) &&
		    json_is_absent(
			    json_get_str(json_get(resources, "requests"), total.ptr[i].name)))
			put_amount(doc, json_ensure_obj(doc, resources, "requests"), &total.ptr[i]);
	while (json_next(&it))
		if (pod_total_is_known(it.key) &&
		    json_is_absent(json_get_str(json_get(resources, "requests"), it.key)))
			json_add(doc, json_ensure_obj(doc, resources, "requests"), it.key,
				 json_new_copy(doc, it.value));
}

void pod_total_default(struct json_doc *doc, struct json spec)
{
	struct json resources = json_get(spec, "resources");

	if (!json_is(resources, JSON_OBJ))
		return;
	default_limits(doc, spec, resources);
	default_requests(doc, spec, resources);
}
