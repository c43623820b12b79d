/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_run.c - one evaluation of a rule: its cost and its limits.
 *
 * If a limit is exceeded, the run is marked and an error is returned: the rules of CEL can hide the error
 * (`false && error` is false), but must not hide a cancelled evaluation. Every loop checks the mark.
 *
 * Lists and maps of the object are JSON, in which a look-up is linear. The first look-up in a large
 * one builds an index, so that a rule that visits every element by its index stays linear. */
#include "base/limits.h"
#include "base/map.h"
#include "cel/cel_internal.h"
#include "json/index.h"
#include "regexp/pattern.h"

#include "base/banned.h"

enum {
	UNITS_PER_COST = 10, /* kube-apiserver charges a tenth per character */
	INDEX_MIN = 16,      /* shorter ones are searched linearly */
};

/* A list or map of the object. */
struct indexed {
	const void *val; /* the key */
	struct json *elements;
	struct json_index members;
};

void cel_run_done(struct cel_run *run)
{
	size_t at = 0;
	void *value;

	if (!run->indexed)
		return;
	while (map_next(run->indexed, &at, NULL, &value))
		json_index_done(&((struct indexed *)value)->members);
	map_free(run->indexed);
}

void cel_charge(struct cel_run *run, uint64_t cost)
{
	if (__builtin_add_overflow(run->cost, cost, &run->cost))
		run->cost = UINT64_MAX;
	if (run->cost > LIMIT_CEL_COST)
		run->over = true;
}

void cel_work(struct cel_run *run, uint64_t units)
{
	if (__builtin_add_overflow(run->work, units, &run->work))
		run->work = UINT64_MAX;
	if (run->work / UNITS_PER_COST > LIMIT_CEL_COST)
		run->over = true;
}

uint64_t cel_run_cost(const struct cel_run *run)
{
	uint64_t work = run->work / UNITS_PER_COST;

	return work > run->cost ? work : run->cost;
}

bool cel_may_make(struct cel_run *run, size_t bytes)
{
	cel_work(run, bytes);
	if (bytes > LIMIT_CEL_BYTES || arena_used(run->arena) > LIMIT_CEL_BYTES - bytes)
		run->over = true;
	return !run->over;
}

struct cel_value *cel_alloc_items(struct cel_run *run, size_t count)
{
	size_t bytes;

	cel_work(run, count);
	if (__builtin_mul_overflow(count + 1, sizeof(struct cel_value), &bytes) ||
	    bytes > LIMIT_CEL_BYTES || arena_used(run->arena) > LIMIT_CEL_BYTES - bytes)
		run->over = true;
	return run->over ? NULL : arena_calloc(run->arena, count + 1, sizeof(struct cel_value));
}

static uint64_t work_left(const struct cel_run *run)
{
	uint64_t most = (uint64_t)LIMIT_CEL_COST * UNITS_PER_COST;

	return run->work < most ? most - run->work : 1;
}

/* As many steps as there is work left; a match that uses them all exceeds the limit. */
static void pay_steps(struct cel_run *run, uint64_t had, uint64_t left)
{
	cel_work(run, had - left);
	run->over = run->over || !left;
}

bool cel_run_matches(struct cel_run *run, const struct pattern *pattern, struct str text)
{
	uint64_t had = work_left(run);
	uint64_t left = had;
	bool found = pattern_matches(pattern, text, &left);

	pay_steps(run, had, left);
	return found;
}

bool cel_run_find(struct cel_run *run, const struct pattern *pattern, struct str text,
		  size_t *start, size_t *end)
{
	uint64_t had = work_left(run);
	uint64_t left = had;
	bool found = pattern_find(pattern, text, &left, start, end);

	pay_steps(run, had, left);
	return found;
}

struct cel_value cel_cancelled(void)
{
	return cel_error(CEL_CANCELLED);
}

static struct indexed *index_of(struct cel_run *run, struct json value)
{
	struct str key = {(const char *)&value.val, sizeof(value.val)};
	struct indexed *found;

	if (!run->indexed)
		run->indexed = map_new(0);
	found = map_get(run->indexed, key);
	if (found)
		return found;
	found = arena_new_of(run->arena, struct indexed);
	found->val = value.val;
	cel_work(run, json_len(value));
	if (json_is(value, JSON_ARR)) {
		struct json_iter it = json_iter(value);

		found->elements = arena_calloc(run->arena, json_len(value), sizeof(struct json));
		while (json_next(&it))
			found->elements[it.index] = it.value;
	} else {
		found->members = json_index_make(value);
	}
	map_put(run->indexed, (struct str){(const char *)&found->val, sizeof(found->val)}, found);
	return found;
}

struct json cel_run_at(struct cel_run *run, struct json list, size_t index)
{
	if (index < INDEX_MIN || index >= json_len(list))
		return json_at(list, index);
	return index_of(run, list)->elements[index];
}

struct json cel_run_get(struct cel_run *run, struct json map, struct str key)
{
	if (json_len(map) < INDEX_MIN)
		return json_get_str(map, key);
	return json_index_get(&index_of(run, map)->members, key);
}
