/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/recent_conditions.c - see recent_conditions.h. A map by uid, and a list with what was written last at its end. */
#include "scheduler/recent_conditions.h"

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/core/conditions.h"

#include "base/banned.h"

#define REMEMBERED (5 * TIME_SECOND)

struct memory {
	struct list link;
	char *uid;
	struct json_doc *list;
	int64_t when;
};

struct recent_conditions {
	struct map *memories;
	struct list by_age;
};

static void forget(struct recent_conditions *recent, struct memory *memory)
{
	map_remove(recent->memories, str_from(memory->uid));
	list_remove(&memory->link);
	json_doc_unref(memory->list);
	mem_free(memory->uid);
	mem_free(memory);
}

struct recent_conditions *recent_conditions_new(uint64_t seed)
{
	struct recent_conditions *recent = mem_new(struct recent_conditions);

	recent->memories = map_new(seed);
	list_init(&recent->by_age);
	return recent;
}

void recent_conditions_free(struct recent_conditions *recent)
{
	if (!recent)
		return;
	LIST_EACH(&recent->by_age, struct memory, link, memory)
		forget(recent, memory);
	map_free(recent->memories);
	mem_free(recent);
}

static struct json find(struct json list, struct str type)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

/* No other program writes conditions of these types: what is known and not younger is what was there before. */
static bool is_older(struct json known, struct json ours)
{
	struct str a = json_str(json_get(known, "lastTransitionTime"));
	struct str b = json_str(json_get(ours, "lastTransitionTime"));

	return json_is_absent(known) || str_cmp(a, b) <= 0;
}

void recent_conditions_complete(const struct recent_conditions *recent, struct str uid,
				struct json_doc *doc, struct json list)
{
	const struct memory *memory = map_get(recent->memories, uid);
	struct json_iter it = json_iter(memory ? json_doc_root(memory->list) : JSON_NONE);

	while (json_next(&it)) {
		struct str type = json_str(json_get(it.value, "type"));

		if (!is_older(find(list, type), it.value))
			continue;
		(void)conditions_remove(doc, list, type);
		json_append(doc, list, json_new_copy(doc, it.value));
	}
}

void recent_conditions_remember(struct recent_conditions *recent, struct str uid, struct json list,
				int64_t now)
{
	struct memory *memory = map_get(recent->memories, uid);

	if (memory)
		forget(recent, memory);
	memory = mem_new(struct memory);
	memory->uid = str_dup(uid);
	memory->list = json_doc_freeze(list);
	memory->when = now;
	(void)map_put(recent->memories, str_from(memory->uid), memory);
	list_push(&recent->by_age, &memory->link);
	LIST_EACH(&recent->by_age, struct memory, link, old) {
		if (now - old->when < REMEMBERED)
			break;
		forget(recent, old);
	}
}
