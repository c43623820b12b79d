/* SPDX-License-Identifier: Apache-2.0 */
/* script.h - a store against a model: bytes say what is done, and everything that must hold is
 * asserted on the way. For seeded random bytes (replay.c) and for a fuzzer (fuzz_store.c).
 *
 * The model is the list of all writes in order of revision. What must hold, after every step:
 * 1. writers are called in order of revision, each once, and only then readers see the write;
 * 2. the state that readers see is that of the writes up to its revision;
 * 3. for every revision r that is kept, the state at r and the events after r give the current state;
 * 4. what was acknowledged is there after the store was closed, or had failed, and was opened again,
 *    and so is nothing else, but what the last commit may have brought to disk. */
#ifndef APISERVER_TEST_SCRIPT_H
#define APISERVER_TEST_SCRIPT_H

#include <assert.h>
#include <stdio.h>

#include "apiserver/store/disk_memory.h"
#include "apiserver/store/store.h"
#include "base/vec.h"
#include "loop/loop.h"

enum { SCRIPT_KEYS = 12, SCRIPT_WATCHES = 4, SCRIPT_HISTORY = 16 };

/* What a key holds; revision 0: nothing. */
struct script_state {
	int64_t revision[SCRIPT_KEYS];
	char value[SCRIPT_KEYS];
};

struct script_write {
	enum store_op op;
	int key;
	char value;
};

struct script_watch {
	struct script *script;
	struct store_watch *watch;
	int64_t known;
	struct str prefix;
	struct script_state state; /* at the start, then changed by events */
};

struct script {
	const uint8_t *at;
	const uint8_t *end;
	struct loop *loop;
	struct disk_memory *memory;
	struct store *store;
	VEC(struct script_write) writes; /* of revision 2, 3, ... */
	int64_t acked;                   /* the newest revision that its writer was called for */
	bool expect_failure;
	struct script_watch watches[SCRIPT_WATCHES];
};

static inline struct str script_key(int key)
{
	static const char *const keys[SCRIPT_KEYS] = {
		"/pods/a/1",  "/pods/a/12",     "/pods/a/2",      "/pods/a/3",
		"/pods/b/1",  "/pods/b/2",      "/podsx/a/1",     "/nodes//n1",
		"/nodes//n2", "batch/jobs/a/1", "batch/jobs/a/2", "batch/jobs/b/1",
	};

	return str_from(keys[key]);
}

static inline struct str script_prefix(unsigned choice)
{
	static const char *const prefixes[] = {"",        "/pods/",      "/pods/a/",    "/pods/a/1",
					       "/nodes/", "batch/jobs/", "/none/none/", "/po"};

	return str_from(prefixes[choice % 8]);
}

static inline unsigned script_byte(struct script *script)
{
	return script->at < script->end ? *script->at++ : 0;
}

/* The state at a revision, by the model. */
static inline struct script_state script_at(const struct script *script, int64_t revision)
{
	struct script_state state = {0};

	assert(revision <= 1 || script->writes.ptr);
	for (int64_t i = 2; i <= revision; i++) {
		const struct script_write *write = &script->writes.ptr[i - 2];

		state.revision[write->key] = write->op == STORE_DELETE ? 0 : i;
		state.value[write->key] = write->value;
	}
	return state;
}

/* Do two states agree on the keys with this prefix? */
static inline bool script_same(const struct script_state *a, const struct script_state *b,
			       struct str prefix)
{
	for (int i = 0; i < SCRIPT_KEYS; i++)
		if (str_starts(script_key(i), prefix) &&
		    (a->revision[i] != b->revision[i] ||
		     (a->revision[i] && a->value[i] != b->value[i])))
			return false;
	return true;
}

static inline struct script_state script_read(const struct script *script)
{
	struct script_state state = {0};

	for (int i = 0; i < SCRIPT_KEYS; i++) {
		struct object *object = store_get(script->store, script_key(i));
		char digits[40];

		if (!object)
			continue;
		state.revision[i] = object->revision;
		state.value[i] = object_field(object, STR("value")).ptr[0];
		int len = snprintf(digits, sizeof(digits), "<%lld,%c>", (long long)object->revision,
				   state.value[i]);
		assert(str_eq(object->text, str_of(digits, (size_t)len)));
	}
	return state;
}

static inline void script_check(const struct script *script)
{
	struct script_state now = script_read(script);
	struct script_state want = script_at(script, store_revision(script->store));

	assert(script_same(&now, &want, STR("")));
	assert(store_revision(script->store) == script->acked);
	for (int i = 0; i < SCRIPT_WATCHES; i++)
		assert(!script->watches[i].watch ||
		       script->watches[i].known > store_revision(script->store) ||
		       script_same(&script->watches[i].state, &now, script->watches[i].prefix));
	store_check(script->store);
}

/* --- steps ---------------------------------------------------------------------------------- */

static inline void script_done(void *arg, struct object *object, const struct err *err)
{
	struct script *script = arg;

	assert((object == NULL) == (err != NULL));
	if (err) {
		assert(script->expect_failure && err->code == ERR_UNAVAILABLE);
		return;
	}
	script->acked++;
	assert(object->revision == script->acked);
	assert(store_revision(script->store) == script->acked);
}

static inline void script_put(struct script *script, enum store_op op)
{
	unsigned choice = script_byte(script);
	int key = (int)(choice % SCRIPT_KEYS);
	char value = (char)('a' + choice / SCRIPT_KEYS % 26);
	struct script_state newest = script_at(script, (int64_t)script->writes.len + 1);
	bool there = newest.revision[key] != 0;
	int64_t expect = choice & 0x80 ? newest.revision[key] : 0;
	char tail[3] = {',', value, '>'};
	struct object_pair field = {STR("value"), str_of(&value, 1)};
	struct store_write write = {
		.op = op,
		.key = script_key(key),
		.expect = expect,
		.before = STR("<"),
		.tail = str_of(tail, 3),
		.fields = &field,
		.field_count = 1,
		.done = script_done,
		.arg = script,
	};
	int64_t revision;
	struct err err;

	if (store_write(script->store, &write, &revision, &err) == 0) {
		assert(there == (op != STORE_CREATE));
		struct script_write made = {op, key, value};

		vec_push(&script->writes, made);
		assert(revision == (int64_t)script->writes.len + 1);
	} else {
		assert(store_failure(script->store) || there == (op == STORE_CREATE));
	}
}

static inline void script_event(void *arg, const struct store_event *event)
{
	struct script_watch *watch = arg;
	const struct script_write *write = &watch->script->writes.ptr[event->revision - 2];
	static const enum store_event_type types[] = {STORE_ADDED, STORE_MODIFIED, STORE_DELETED};
	int key = write->key;

	assert(event->revision > watch->known);
	assert(str_eq(event->object->key, script_key(key)) && types[write->op] == event->type);
	assert(event->object->revision == event->revision);
	assert((event->previous ? event->previous->revision : 0) == watch->state.revision[key]);
	watch->known = event->revision;
	watch->state.revision[key] = event->type == STORE_DELETED ? 0 : event->revision;
	watch->state.value[key] = write->value;
}

static inline void script_unwatch(struct script *script)
{
	for (int i = 0; i < SCRIPT_WATCHES; i++)
		store_unwatch(TAKE(script->watches[i].watch));
}

static inline void script_watch(struct script *script)
{
	unsigned choice = script_byte(script);
	struct script_watch *watch = &script->watches[choice % SCRIPT_WATCHES];
	int64_t newest = store_revision(script->store);
	int64_t from = newest + 2 - (int64_t)(script_byte(script) % (SCRIPT_HISTORY + 6));
	struct err err;

	store_unwatch(TAKE(watch->watch));
	watch->script = script;
	watch->prefix = script_prefix(choice / SCRIPT_WATCHES);
	watch->known = from;
	/* one from the future starts with the state that will then be */
	if (from > (int64_t)script->writes.len + 1)
		from = watch->known = newest;
	if (from >= 1)
		watch->state = script_at(script, from);
	watch->watch = store_watch(script->store, watch->prefix, from, script_event, watch, &err);
	assert(!watch->watch == (from < store_compacted(script->store)));
	assert(watch->watch || err.code == ERR_EXPIRED);
}

static inline void script_open(struct script *script)
{
	struct err err;
	struct store_options options = {
		.disk = disk_memory_open(script->memory, &err),
		.history_events = SCRIPT_HISTORY,
		.history_bytes = 2000,
	};

	script->store = store_open(script->loop, &options, &err);
	assert(script->store);
}

/* Closes, and opens what is on disk: all of it, or with a failed disk what it took. */
static inline void script_reopen(struct script *script)
{
	int64_t acked = script->acked;

	script_unwatch(script);
	store_close(script->store);
	script->store = NULL;
	assert(script->expect_failure || script->acked == (int64_t)script->writes.len + 1);
	acked = script->acked > acked ? script->acked : acked;
	disk_memory_set_faults(script->memory, &(struct disk_memory_faults){0});
	script->expect_failure = false;
	script_open(script);
	int64_t revision = store_revision(script->store);

	assert(revision >= acked && revision <= (int64_t)script->writes.len + 1);
	script->writes.len = (size_t)(revision - 1);
	script->acked = revision;
	assert(store_compacted(script->store) == revision);
}

static inline void script_fault(struct script *script)
{
	unsigned choice = script_byte(script);
	struct disk_memory_faults faults = {
		.fail = true, .fail_after = choice % 8, .keep = choice & 0x80};

	disk_memory_set_faults(script->memory, &faults);
	script->expect_failure = true;
}

static inline void script_step(struct script *script)
{
	unsigned choice = script_byte(script);

	if (choice < 60)
		script_put(script, STORE_CREATE);
	else if (choice < 120)
		script_put(script, STORE_UPDATE);
	else if (choice < 160)
		script_put(script, STORE_DELETE);
	else if (choice < 210)
		(void)loop_turn(script->loop, 0);
	else if (choice < 220)
		store_flush(script->store);
	else if (choice < 248)
		script_watch(script);
	else if (choice < 252)
		script_reopen(script);
	else
		script_fault(script);
}

/* Gives the revision that it came to. */
static inline int64_t script_run(const uint8_t *data, size_t size)
{
	struct script script = {
		.at = data,
		.end = data + size,
		.loop = loop_new_virtual(size, 0, NULL),
		.memory = disk_memory_new(),
		.acked = 1,
	};

	assert(script.loop);
	script_open(&script);
	while (script.at < script.end) {
		script_step(&script);
		script_check(&script);
	}
	script_reopen(&script);
	script_check(&script);
	store_close(script.store);
	disk_memory_free(script.memory);
	loop_free(script.loop);
	vec_done(&script.writes);
	return script.acked;
}

#endif
