/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sequence.c - bytes are a sequence of operations on an API in memory: creates, updates, patches,
 * removals, collections, watches from now and from earlier, lists in pages and of earlier states,
 * time, commits of several writes at once. The history is short, so that it is often too old.
 *
 * After each commit:
 * 1. what a watcher received, played back, is what a list with the same selector says, each with its
 *    revision; nothing is ADDED twice, or MODIFIED or DELETED before it was there; events come with
 *    rising revisions;
 * 2. the pages of a list together are the state of its first page, whatever was written between;
 * 3. a list of an earlier revision (Exact) is what it was then;
 * 4. 410 is only said of what is older than the history;
 * 5. who writes with an old resourceVersion is refused.
 * The universe is two kinds, two namespaces and four names. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "apiserver/test/world.h"
#include "base/number.h"
#include "base/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	KINDS = 2,
	NAMESPACES = 2,
	NAMES = 4,
	SLOTS = NAMESPACES * NAMES,
	WATCHERS = 4,
	PAGERS = 2,
	SNAPSHOTS = 8,
	HISTORY = 24,
	MOST_BYTES = 1024,
	ALL = -1,
};

static const char *const paths[KINDS] = {"configmaps", "pods"};
static const char *const labels[] = {"x", "y", "z"};

/* The state of a kind: the revision of each object that is there, else 0. */
struct state {
	int64_t at[SLOTS];
};
struct snapshot {
	int64_t revision;
	struct state states[KINDS];
	uint8_t labels[KINDS][SLOTS];
};
struct selector {
	int kind;
	int namespace; /* or ALL */
	int label;     /* or ALL */
};

struct run;
struct watcher {
	struct run *run;
	struct call *call;
	struct selector selector;
	struct state state;
	int64_t last; /* revision reported */
	bool initial; /* what is there is being reported: in the order of names */
};
struct pager {
	struct selector selector;
	struct state wanted;
	struct state seen;
	char *token;
};

struct run {
	struct world w;
	const uint8_t *data;
	size_t left;
	struct watcher *watchers[WATCHERS];
	struct pager pagers[PAGERS];
	struct snapshot snapshots[SNAPSHOTS];
	size_t snapshot_count;
	size_t pending; /* writes on their way */
};

static int take(struct run *r, int below)
{
	if (r->left == 0)
		return 0;
	r->left--;
	return *r->data++ % below;
}

/* --- reading --- */

static int slot_of(struct json object)
{
	struct json metadata = json_get(object, "metadata");
	struct str namespace = json_str(json_get(metadata, "namespace"));
	struct str name = json_str(json_get(metadata, "name"));

	assert(namespace.len == 1 && name.len == 1);
	return (namespace.ptr[0] - 'a') * NAMES + (name.ptr[0] - 'p');
}

static int64_t revision_of(struct json object)
{
	int64_t revision = 0;
	int rc = number_parse_i64(
		json_str(json_get(json_get(object, "metadata"), "resourceVersion")), &revision,
		NULL);

	assert(rc == 0 && revision > 0);
	(void)rc;
	return revision;
}

static uint8_t label_of(struct json object)
{
	struct str label =
		json_str(json_get(json_get(json_get(object, "metadata"), "labels"), "l"));

	return label.len == 1 ? (uint8_t)(label.ptr[0] - 'x') : UINT8_MAX;
}

static void add_items(struct json list, struct state *state)
{
	struct json_iter it = json_iter(json_get(list, "items"));

	while (json_next(&it)) {
		int slot = slot_of(it.value);

		assert(!state->at[slot]); /* none twice, also over pages */
		state->at[slot] = revision_of(it.value);
	}
}

static const char *path_of(const struct selector *s, char path[64])
{
	if (s->namespace == ALL)
		snprintf(path, 64, "/api/v1/%s", paths[s->kind]);
	else
		snprintf(path, 64, "/api/v1/namespaces/%c/%s", 'a' + s->namespace, paths[s->kind]);
	return path;
}

static void select_by(struct call *call, const struct selector *s)
{
	if (s->label != ALL)
		call->options.label_selector =
			str_from(arena_printf(call->arena, "l=%s", labels[s->label]));
}

static struct call *list_call(struct run *r, const struct selector *s, struct answer *answer)
{
	char path[64];
	struct call *call = world_question(&r->w, "GET", path_of(s, path), NULL, answer);

	select_by(call, s);
	return call;
}

static void list(struct run *r, const struct selector *s, struct state *ret, int64_t *revision)
{
	AUTO(answer_done) struct answer answer = {0};

	memset(ret, 0, sizeof(*ret));
	api_serve(list_call(r, s, &answer));
	assert(answer.done && answer.code == 200);
	add_items(json_doc_root(answer.doc), ret);
	if (revision)
		*revision = revision_of(json_doc_root(answer.doc));
}

/* --- watchers --- */

static void watcher_drop(struct run *r, struct watcher *watcher)
{
	for (int i = 0; i < WATCHERS; i++)
		if (r->watchers[i] == watcher)
			r->watchers[i] = NULL;
	call_free(watcher->call);
	mem_free(watcher);
}

static void on_answered(struct call *call)
{
	struct watcher *watcher = call->arg;

	if (call->answer.code == 200)
		return;
	assert(call->answer.code == 410 || call->answer.code == 504);
	watcher_drop(watcher->run, watcher);
}

/* Gives false for a bookmark. */
static bool play(struct watcher *watcher, struct str type, struct json object)
{
	int64_t revision = revision_of(object);

	if (str_is(type, "BOOKMARK")) {
		assert(revision >= watcher->last);
		watcher->initial = false;
		return false;
	}
	int slot = slot_of(object);
	int64_t *there = &watcher->state.at[slot];

	if (!watcher->initial)
		assert(revision > watcher->last);
	if (revision > watcher->last)
		watcher->last = revision;
	assert(str_is(type, "ADDED") == (*there == 0));
	*there = str_is(type, "DELETED") ? 0 : revision;
	return true;
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct watcher *watcher = call->arg;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(chunk_str(event->text), NULL, NULL);

	assert(doc);
	if (str_is(json_str(json_get(json_doc_root(doc), "type")), "ERROR"))
		return 0; /* the end follows */
	(void)play(watcher, json_str(json_get(json_doc_root(doc), "type")),
		   json_get(json_doc_root(doc), "object"));
	return 0;
}

static void on_ended(struct call *call)
{
	struct watcher *watcher = call->arg;

	watcher_drop(watcher->run, watcher);
}

static const struct call_sink watch_sink = {
	.answered = on_answered, .event = on_event, .ended = on_ended};

/* From a snapshot on: what it had is what the watcher knows. */
static void start_from(struct run *r, struct watcher *watcher, const struct snapshot *snapshot)
{
	const struct selector *s = &watcher->selector;

	for (int slot = 0; slot < SLOTS; slot++)
		if ((s->namespace == ALL || slot / NAMES == s->namespace) &&
		    (s->label == ALL || snapshot->labels[s->kind][slot] == s->label))
			watcher->state.at[slot] = snapshot->states[s->kind].at[slot];
	watcher->last = snapshot->revision;
	watcher->initial = false;
	watcher->call->options.resource_version =
		str_from(arena_printf(watcher->call->arena, "%" PRId64, snapshot->revision));
	(void)r;
}

static struct selector take_selector(struct run *r)
{
	struct selector s = {.kind = take(r, KINDS)};

	s.namespace = take(r, NAMESPACES + 1) - 1;
	s.label = take(r, (int)ARRAY_LEN(labels) + 1) - 1;
	return s;
}

static void op_watch(struct run *r)
{
	int place = take(r, WATCHERS);
	struct watcher *watcher = mem_new(struct watcher);
	int from = take(r, SNAPSHOTS + 4);
	char path[64];

	if (r->watchers[place])
		watcher_drop(r, r->watchers[place]);
	r->watchers[place] = watcher;
	watcher->run = r;
	watcher->initial = true;
	watcher->selector = take_selector(r);
	watcher->call =
		world_call(&r->w, &watch_sink, watcher, "GET", path_of(&watcher->selector, path));
	watcher->call->verb = VERB_WATCH;
	watcher->call->options.watch = OPTION_TRUE;
	select_by(watcher->call, &watcher->selector);
	if (from < SNAPSHOTS && (size_t)from < r->snapshot_count) {
		start_from(r, watcher, &r->snapshots[from]);
	} else if (from == SNAPSHOTS) {
		watcher->call->options.allow_bookmarks = OPTION_TRUE;
		watcher->call->options.send_initial_events = OPTION_TRUE;
		watcher->call->options.version_match = STR("NotOlderThan");
	} else if (from == SNAPSHOTS + 1) {
		watcher->call->options.resource_version = STR("0");
		watcher->call->options.allow_bookmarks = OPTION_TRUE;
		watcher->call->options.timeout_seconds = 1 + take(r, 90);
	}
	api_serve(watcher->call);
	if (r->watchers[place] == watcher)
		watcher->initial = false;
}

static void check_watchers(struct run *r)
{
	for (int i = 0; i < WATCHERS; i++) {
		struct state now;

		if (!r->watchers[i])
			continue;
		list(r, &r->watchers[i]->selector, &now, NULL);
		assert(memcmp(&now, &r->watchers[i]->state, sizeof(now)) == 0);
	}
}

/* --- earlier states --- */

static void take_snapshot(struct run *r)
{
	struct snapshot *snapshot =
		&r->snapshots[r->snapshot_count < SNAPSHOTS ? r->snapshot_count++
							    : (size_t)take(r, SNAPSHOTS)];

	for (int kind = 0; kind < KINDS; kind++) {
		AUTO(answer_done) struct answer answer = {0};
		struct selector all = {.kind = kind, .namespace = ALL, .label = ALL};
		struct json_iter it;

		memset(&snapshot->states[kind], 0, sizeof(struct state));
		api_serve(list_call(r, &all, &answer));
		add_items(json_doc_root(answer.doc), &snapshot->states[kind]);
		it = json_iter(json_get(json_doc_root(answer.doc), "items"));
		while (json_next(&it))
			snapshot->labels[kind][slot_of(it.value)] = label_of(it.value);
		snapshot->revision = revision_of(json_doc_root(answer.doc));
	}
}

static void op_exact(struct run *r)
{
	AUTO(answer_done) struct answer answer = {0};
	struct selector all = {.kind = take(r, KINDS), .namespace = ALL, .label = ALL};
	struct state then = {0};
	const struct snapshot *snapshot;
	struct call *call;

	if (!r->snapshot_count)
		return;
	snapshot = &r->snapshots[(size_t)take(r, SNAPSHOTS) % r->snapshot_count];
	call = list_call(r, &all, &answer);
	call->options.resource_version =
		str_from(arena_printf(call->arena, "%" PRId64, snapshot->revision));
	call->options.version_match = STR("Exact");
	api_serve(call);
	assert(answer.done);
	if (answer.code == 410) {
		assert(snapshot->revision < store_compacted(r->w.store));
		return;
	}
	assert(answer.code == 200);
	add_items(json_doc_root(answer.doc), &then);
	assert(memcmp(&then, &snapshot->states[all.kind], sizeof(then)) == 0);
}

static void pager_end(struct pager *pager)
{
	mem_free(pager->token);
	*pager = (struct pager){0};
}

static void op_page(struct run *r)
{
	struct pager *pager = &r->pagers[take(r, PAGERS)];
	AUTO(answer_done) struct answer answer = {0};
	struct call *call;
	struct str token;

	if (!pager->token) {
		pager->selector = take_selector(r);
		list(r, &pager->selector, &pager->wanted, NULL);
	}
	call = list_call(r, &pager->selector, &answer);
	call->options.limit = 1 + take(r, 3);
	if (pager->token)
		call->options.continue_token = arena_str(call->arena, str_from(pager->token));
	api_serve(call);
	assert(answer.done && (answer.code == 200 || answer.code == 410));
	if (answer.code == 410) {
		pager_end(pager);
		return;
	}
	add_items(json_doc_root(answer.doc), &pager->seen);
	token = json_str(json_get(json_get(json_doc_root(answer.doc), "metadata"), "continue"));
	mem_free(pager->token);
	pager->token = token.len ? str_dup(token) : NULL;
	if (!pager->token) {
		assert(memcmp(&pager->seen, &pager->wanted, sizeof(pager->seen)) == 0);
		pager_end(pager);
	}
}

/* --- writes --- */

struct write {
	struct run *run;
	bool stale; /* it must not succeed */
};

static void on_written(struct call *call)
{
	struct write *write = call->arg;

	assert(call->answer.code != 500);
	assert(!write->stale || call->answer.code >= 400);
	write->run->pending--;
	mem_free(write);
	call_free(call);
}

static const struct call_sink write_sink = {.answered = on_written};

static void write_later(struct run *r, const char *method, const char *path, const char *body,
			bool stale)
{
	struct write *write = mem_new(struct write);
	struct call *call = world_call(&r->w, &write_sink, write, method, path);

	write->run = r;
	write->stale = stale;
	r->pending++;
	if (body) {
		call->body.doc = json_parse(str_from(body), NULL, NULL);
		assert(call->body.doc);
	}
	api_serve(call);
}

struct target {
	int kind, slot;
	char collection[64];
	char path[72];
	char name[2];
};

static struct target take_target(struct run *r)
{
	struct target t = {.kind = take(r, KINDS), .slot = take(r, SLOTS)};

	t.name[0] = (char)('p' + t.slot % NAMES);
	snprintf(t.collection, sizeof(t.collection), "/api/v1/namespaces/%c/%s",
		 'a' + t.slot / NAMES, paths[t.kind]);
	snprintf(t.path, sizeof(t.path), "%s/%s", t.collection, t.name);
	return t;
}

static void op_create(struct run *r)
{
	struct target t = take_target(r);
	int extra = take(r, 8);
	AUTO(mem_free)
	char *body = mem_printf(
		"{\"metadata\":{\"name\":\"%s\",\"labels\":{\"l\":\"%s\"}%s}%s}", t.name,
		labels[take(r, (int)ARRAY_LEN(labels))],
		extra % 4 == 3 ? ",\"finalizers\":[\"example.com/hold\"]" : "",
		t.kind ? ",\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":"
			 "\"i\"}]}"
		       : ",\"data\":{\"k\":\"1\"}");

	write_later(r, "POST", t.collection, body, false);
}

/* A whole object again, by its present version, by none, or by one that was deleted. */
static void op_update(struct run *r)
{
	struct target t = take_target(r);
	AUTO(answer_done) struct answer answer = {0};
	int version = take(r, 3);
	AUTO(mem_free) char *body = NULL;

	api_serve(world_question(&r->w, "GET", t.path, NULL, &answer));
	assert(answer.done);
	if (answer.code != 200)
		return;
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(json_doc_root(answer.doc));
	struct json object = json_doc_root(doc);
	struct json metadata = json_get(object, "metadata");

	json_set_str(doc, json_ensure_obj(doc, metadata, "labels"), "l",
		     str_from(labels[take(r, (int)ARRAY_LEN(labels))]));
	if (version == 1)
		(void)json_remove(doc, metadata, STR("resourceVersion"));
	if (version == 2)
		json_set(doc, metadata, STR("resourceVersion"),
			 json_new_printf(doc, "%" PRId64, revision_of(object) - 1));
	body = json_text(object, JSON_COMPACT);
	write_later(r, "PUT", t.path, body, version == 2);
}

static void op_patch(struct run *r)
{
	static const char *const patches[][2] = {
		{"PATCH merge", "{\"metadata\":{\"labels\":{\"l\":\"x\"}}}"},
		{"PATCH merge", "{\"metadata\":{\"labels\":{\"l\":\"y\"}}}"},
		{"PATCH merge", "{\"metadata\":{\"labels\":null}}"},
		{"PATCH merge", "{\"metadata\":{\"finalizers\":null}}"},
		{"PATCH merge", "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}"},
		{"PATCH", "{\"metadata\":{\"labels\":{\"l\":\"z\"}}}"},
		{"PATCH json",
		 "[{\"op\":\"add\",\"path\":\"/metadata/labels/l\",\"value\":\"y\"}]"},
		{"PATCH json",
		 "[{\"op\":\"test\",\"path\":\"/metadata/name\",\"value\":\"none\"}]"},
		{"PATCH merge", "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}"},
	};
	struct target t = take_target(r);
	size_t which = (size_t)take(r, (int)ARRAY_LEN(patches));

	write_later(r, patches[which][0], t.path, patches[which][1], false);
}

static void op_delete(struct run *r)
{
	static const char *const options[] = {NULL, "{\"gracePeriodSeconds\":0}",
					      "{\"gracePeriodSeconds\":1}",
					      "{\"propagationPolicy\":\"Foreground\"}",
					      "{\"preconditions\":{\"resourceVersion\":\"1\"}}"};
	struct target t = take_target(r);
	int which = take(r, (int)ARRAY_LEN(options));

	write_later(r, "DELETE", t.path, options[which], which == 4);
}

static void op_delete_all(struct run *r)
{
	struct selector s = take_selector(r);
	struct write *write = mem_new(struct write);
	char path[64];
	struct call *call;

	if (s.namespace == ALL)
		s.namespace = 0;
	call = world_call(&r->w, &write_sink, write, "DELETE", path_of(&s, path));
	write->run = r;
	r->pending++;
	select_by(call, &s);
	api_serve(call);
}

/* --- the run --- */

static void op_commit(struct run *r)
{
	world_settle(&r->w);
	while (r->pending)
		(void)loop_turn(r->w.loop, -1);
	world_settle(&r->w);
	check_watchers(r);
	take_snapshot(r);
}

static void op_time(struct run *r)
{
	world_wait(&r->w, take(r, 100) * TIME_SECOND);
	check_watchers(r);
}

static void start(struct run *r)
{
	struct err err;

	r->w.loop = loop_new_virtual(1, INT64_C(1767323045000000), &err);
	r->w.store = store_open(r->w.loop,
				&(struct store_options){.folder = NULL, .history_events = HISTORY},
				&err);
	r->w.api = api_new(&(struct api_options){.loop = r->w.loop, .store = r->w.store});
	for (int i = 0; i < NAMESPACES; i++) {
		AUTO(mem_free) char *name = mem_printf("{\"metadata\":{\"name\":\"%c\"}}", 'a' + i);
		AUTO(mem_free)
		char *accounts = mem_printf("/api/v1/namespaces/%c/serviceaccounts", 'a' + i);

		write_later(r, "POST", "/api/v1/namespaces", name, false);
		write_later(r, "POST", accounts, "{\"metadata\":{\"name\":\"default\"}}", false);
	}
	op_commit(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const ops[])(struct run * r) = {
		op_create, op_create, op_create, op_update,     op_update, op_patch, op_patch,
		op_patch,  op_delete, op_delete, op_delete_all, op_watch,  op_watch, op_page,
		op_page,   op_exact,  op_commit, op_commit,     op_commit, op_time,
	};
	struct run r = {.data = data, .left = size};

	if (size == 0 || size > MOST_BYTES)
		return 0;
	start(&r);
	while (r.left)
		ops[take(&r, (int)ARRAY_LEN(ops))](&r);
	op_commit(&r);
	for (int i = 0; i < WATCHERS; i++)
		if (r.watchers[i])
			watcher_drop(&r, r.watchers[i]);
	for (int i = 0; i < PAGERS; i++)
		pager_end(&r.pagers[i]);
	world_free(&r.w);
	return 0;
}
