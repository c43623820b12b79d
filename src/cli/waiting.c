/* SPDX-License-Identifier: Apache-2.0 */
/* cli/waiting.c - see waiting.h. Jobs are of one group if their texts say the same before the first ':' or ';': that is
 * what they wait for, and the numbers come after it. */
#include "cli/waiting.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/time.h"
#include "base/uuid.h"
#include "base/vec.h"
#include "cli/pod_problem.h"
#include "cli/pods.h"
#include "model/value/duration.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

enum { JOBS_MAX = 20 };

struct entry {
	struct str cause; /* what the group has in common */
	struct str name;
	struct str namespace;
	struct str brief;
	struct str since;
	size_t like; /* how many are in its group */
};
struct entries VEC_FIELDS(struct entry);

struct str waiting_name(struct json group)
{
	struct str name = json_str(json_get(json_get(group, "metadata"), "name"));
	size_t tail = UUID_TEXT_SIZE; /* with the '-' before it */

	if (name.len > tail && name.ptr[name.len - tail] == '-' &&
	    uuid_is_valid(str_skip(name, name.len - tail + 1)))
		return str_slice(name, 0, name.len - tail);
	return name;
}

static struct str common_part(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == ':' || text.ptr[i] == ';')
			return str_slice(text, 0, i);
	return text;
}

static int by_group(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order;

	if (a->like != b->like)
		return a->like > b->like ? -1 : 1;
	order = str_cmp(a->cause, b->cause);
	if (!order)
		order = str_cmp(a->since, b->since);
	return order ? order : str_cmp(a->name, b->name);
}

static struct str copy(struct str text, struct arena *arena)
{
	return str_from(arena_printf(arena, "%.*s", STR_ARG(text)));
}

static void add(struct entries *entries, struct json group, struct arena *arena)
{
	struct wait_reasons reasons = wait_reasons_of(group, arena);
	struct json metadata = json_get(group, "metadata");
	struct str phase = json_str(json_get(json_get(group, "status"), "phase"));
	struct entry entry = {.name = waiting_name(group),
			      .namespace = json_str(json_get(metadata, "namespace"))};

	if (reasons.len) {
		entry.cause = copy(common_part(reasons.ptr[0].text), arena);
		entry.brief = copy(reasons.ptr[0].brief, arena);
		entry.since = copy(reasons.ptr[0].since, arena);
	} else if (!phase.len || str_is(phase, "Pending") || str_is(phase, "Inqueue")) {
		entry.cause = STR("the scheduler has not said yet what they wait for");
		entry.since = json_str(json_get(metadata, "creationTimestamp"));
	}
	wait_reasons_done(&reasons);
	if (entry.cause.len)
		vec_push(entries, entry);
}

static bool has_job(const struct entries *entries, struct str namespace, struct str name)
{
	for (size_t i = 0; i < entries->len; i++)
		if (str_eq(entries->ptr[i].name, name) &&
		    str_eq(entries->ptr[i].namespace, namespace))
			return true;
	return false;
}

/* Jobs whose pods have a node and cannot start, or fail again and again. */
static void add_problems(struct entries *entries, const struct waiting_facts *facts,
			 struct arena *arena)
{
	const struct pod_problem_facts more = {.now = facts->now};
	struct json_iter it = json_iter(facts->pods);

	while (json_next(&it)) {
		struct json metadata = json_get(it.value, "metadata");
		struct pod_place place = pod_place_of(it.value);
		const struct pod_places one = {&place, 1};
		struct str phase = json_str(json_get(json_get(it.value, "status"), "phase"));
		struct entry entry = {
			.name = json_str(json_get(json_get(metadata, "labels"), PODS_JOB_LABEL)),
			.namespace = json_str(json_get(metadata, "namespace"))};
		struct pod_problem problem;

		if (!str_is(phase, "Pending") || !pod_problem_find(&one, &more, arena, &problem) ||
		    has_job(entries, entry.namespace, entry.name))
			continue;
		entry.cause = problem.brief;
		entry.since = problem.since;
		vec_push(entries, entry);
	}
}

static int by_cause(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return str_cmp(a->cause, b->cause);
}

static void count_like(struct entries *entries)
{
	size_t first = 0;

	if (entries->len)
		qsort(entries->ptr, entries->len, sizeof(*entries->ptr), by_cause);
	for (size_t i = 1; i <= entries->len; i++) {
		if (i < entries->len && str_eq(entries->ptr[i].cause, entries->ptr[first].cause))
			continue;
		for (size_t j = first; j < i; j++)
			entries->ptr[j].like = i - first;
		first = i;
	}
}

static void put_entry(const struct waiting_facts *facts, const struct entry *entry, struct buf *to)
{
	char age[DURATION_TEXT_SIZE];
	int64_t since;
	struct err err;

	struct str brief = entry->brief;

	if (str_starts(brief, entry->cause)) /* "can never start: " is above */
		brief = str_trim(str_skip(brief, entry->cause.len + 1));
	buf_printf(to, "  %.*s/%.*s", STR_ARG(entry->namespace), STR_ARG(entry->name));
	if (brief.len)
		buf_printf(to, "  %.*s", STR_ARG(brief));
	if (time_parse(entry->since, &since, &err) == 0)
		buf_printf(to, " %s(for %s)%s", facts->faint,
			   duration_print_age(facts->now - since, age), facts->plain);
	buf_putc(to, '\n');
}

size_t waiting_print(const struct waiting_facts *facts, struct arena *arena, struct buf *to)
{
	struct json_iter it = json_iter(facts->groups);
	struct entries entries = {0};
	size_t count;

	while (json_next(&it)) {
		struct str queue = json_str(json_get(json_get(it.value, "spec"), "queue"));

		if (!facts->queue.len || str_eq(queue.len ? queue : STR("default"), facts->queue))
			add(&entries, it.value, arena);
	}
	add_problems(&entries, facts, arena);
	count_like(&entries);
	if (entries.len)
		qsort(entries.ptr, entries.len, sizeof(*entries.ptr), by_group);
	for (size_t i = 0, shown = 0; i < entries.len; i++) {
		bool first = !i || !str_eq(entries.ptr[i].cause, entries.ptr[i - 1].cause);

		shown = first ? 0 : shown;
		if (first)
			buf_printf(to, "%s%s%zu job%s: %.*s%s\n", i ? "\n" : "", facts->bold,
				   entries.ptr[i].like, entries.ptr[i].like == 1 ? "" : "s",
				   STR_ARG(entries.ptr[i].cause), facts->plain);
		if (shown++ < JOBS_MAX)
			put_entry(facts, &entries.ptr[i], to);
		else if (shown == JOBS_MAX + 1)
			buf_printf(to, "  and %zu more\n", entries.ptr[i].like - JOBS_MAX);
	}
	count = entries.len;
	vec_done(&entries);
	return count;
}
