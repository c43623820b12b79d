/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - run cases of scheduling through the pure scheduler.
 *
 *	sched-replay-pure [-v] [-t] [-p] [-d FILE] [-c FILE] [-n FILE] FILE|FOLDER...
 *
 * A case is a configuration, a cluster, steps and what is expected after each. TAP, one line per case,
 * and a count a folder at the end (-t: counts only). With -p all that came out is printed, in the form in
 * which it can be expected. Recorded cases that come out otherwise here are
 * named by scenarios of our own (-d, test/data/sched/differs): these, and no others, must differ. With
 * -c the page of differences has to have their rows. With -n every numbered scenario of the specification
 * has to be shown, or to be in that file (numbered.h). A folder that is not there is said to be left
 * out. Cases whose configuration names something that is not built yet are skipped. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "facts.h"
#include "json/yaml.h"
#include "model/volcano/wait_reason.h"
#include "numbered.h"
#include "sched/report/explain.h"
#include "sched/report/reason.h"
#include "shorthand.h"
#include "world.h"

#include "base/banned.h"

/* A recorded case that is known to differ. */
struct difference {
	char *name; /* "queue/default-queue-is-made" */
	char *row;  /* words of the page of differences */
};

/* Causes of which a scenario expects the line and the advice. */
struct seen_causes {
	bool reasons[REASON_CODE_COUNT];
};

struct totals {
	struct seen_causes causes;
	VEC(struct difference) differences;
	int number, passed, failed, skipped, differing;
	bool verbose, terse, prints;
	char folder[256];
	int folder_passed, folder_failed, folder_skipped;
	struct numbered numbered;
};

static int read_file(const char *path, struct buf *to)
{
	FILE *file = fopen(path, "re");
	char chunk[65536];
	size_t got;

	if (!file)
		return -1;
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_put(to, chunk, got);
	(void)fclose(file);
	return 0;
}

/* --- one case -------------------------------------------------------------------------------- */

static bool has_flag(struct json args, const char *name, struct str *ret)
{
	struct json_iter it = json_iter(args);

	while (json_next(&it)) {
		struct str rest = json_str(it.value), key;

		if (str_split(&rest, '=', &key) && str_is(key, name)) {
			*ret = rest;
			return true;
		}
	}
	return false;
}

static struct world *world_for(struct json root)
{
	struct json args = json_get(root, "scheduler_args");
	struct json options = json_get(root, "options");
	struct json_iter it = json_iter(args);
	const char *names[8] = {NULL}, *selectors[8] = {NULL};
	struct cluster_options o = {0};
	size_t name_count = 0, selector_count = 0;
	struct str value, key;
	struct world *world;

	while (json_next(&it)) {
		value = json_str(it.value);
		(void)str_split(&value, '=', &key);
		if (str_is(key, "--scheduler-name") && name_count < 7)
			names[name_count++] = value.ptr;
		if (str_is(key, "--node-selector") && selector_count < 7)
			selectors[selector_count++] = value.ptr;
	}
	if (name_count)
		o.scheduler_names = names;
	if (selector_count)
		o.node_selector = selectors;
	if (has_flag(args, "--default-queue", &value))
		o.default_queue = value.ptr;
	if (has_flag(args, "--scheduler-sharding-name", &value))
		o.shard_name = value.ptr;
	o.no_classes = has_flag(args, "--priority-class", &value) && str_is(value, "false");
	if (has_flag(args, "--feature-gates", &value))
		o.no_classes |= str_find(value, STR("PriorityClass=false"), 0) >= 0;
	world = world_new(&o);
	if (has_flag(args, "--feature-gates", &value))
		world->options.queue_gates =
			str_find(value, STR("SchedulingGatesQueueAdmission=true"), 0) >= 0;
	if (has_flag(args, "--scheduler-sharding-mode", &value)) {
		world->options.shard_hard = str_is(value, "hard");
		world->options.shard_soft = str_is(value, "soft");
	}
	world->http = json_get(root, "http");
	world->ordered = json_bool(json_get(options, "ordered"));
	world->spoiled = json_bool(json_get(options, "spoiled"));
	world->linger = (int64_t)(json_real(json_get(options, "terminate_seconds")) * 1e6);
	return world;
}

static bool wants_more(struct json root, const char *text)
{
	/* What is known but not built yet is refused in these words. */
	(void)root;
	return strstr(text, "is not part of this scheduler yet");
}

/* The address of the case's server, which nothing connects to. */
static char *with_address(struct str text)
{
	struct buf to = BUF_UNBOUNDED;
	ptrdiff_t at;

	while ((at = str_find(text, STR("{http}"), 0)) >= 0) {
		buf_put_str(&to, str_slice(text, 0, (size_t)at));
		buf_puts(&to, "http://127.0.0.1:1");
		text = str_skip(text, (size_t)at + strlen("{http}"));
	}
	buf_put_str(&to, text);
	return buf_take(&to);
}

/* 1: something that is not built yet. */
static int configure(struct world *world, struct json root, struct str given)
{
	AUTO(mem_free) char *replaced = with_address(given);
	struct str text = str_from(replaced);
	struct str value;
	struct err err;

	err.text[0] = '\0';
	if (world_configure(world, text, &err) == 0)
		return wants_more(root, "");
	if (wants_more(root, err.text))
		return 1;
	if (err.code == ERR_CONFLICT) { /* no leniency helps */
		world->exited = true;
		return 0;
	}
	if (has_flag(json_get(root, "scheduler_args"), "--disable-default-scheduler-config",
		     &value))
		world->exited = true;
	if (!world->config && world_configure(world, str_from(config_builtin), &err) < 0)
		abort();
	return 0;
}

static int rank(struct json object)
{
	static const enum cluster_kind order[] = {
		CLUSTER_NAMESPACE, CLUSTER_PRIORITYCLASS, CLUSTER_STORAGECLASS, CLUSTER_PV,
		CLUSTER_PVC,       CLUSTER_HYPERNODE,     CLUSTER_NODE,         CLUSTER_CSINODE,
		CLUSTER_NODESHARD, CLUSTER_CONFIGMAP,     CLUSTER_NUMATOPOLOGY, CLUSTER_QUEUE,
		CLUSTER_POD,       CLUSTER_PDB,           CLUSTER_QUOTA,        CLUSTER_PODGROUP};
	enum cluster_kind kind = cluster_kind_find(json_str(json_get(object, "kind")));

	for (int i = 0; i < (int)ARRAY_LEN(order); i++)
		if (order[i] == kind)
			return i;
	return -1;
}

/* Manifests, with those that lines of shorthand stand for. */
static struct json_doc *expanded(struct json list, struct notes *notes)
{
	struct json_doc *doc = json_doc_new();
	struct json all = json_new_arr(doc);
	struct json_iter it = json_iter(list);

	json_doc_set_root(doc, all);
	while (json_next(&it)) {
		struct err err;

		if (!json_is(it.value, JSON_STR))
			json_append(doc, all, json_new_copy(doc, it.value));
		else if (shorthand_expand(doc, all, json_str(it.value), &err) < 0)
			vec_push(notes, mem_printf("%s", err.text));
	}
	return doc;
}

/* Of one kind by namespace and name, as a list of the API has them. */
static int by_name(const void *left, const void *right)
{
	const struct json *a = left, *b = right;
	struct json one = json_get(*a, "metadata"), two = json_get(*b, "metadata");
	int ranks = rank(*a) - rank(*b);
	int names =
		str_cmp(json_str(json_get(one, "namespace")), json_str(json_get(two, "namespace")));

	if (!names)
		names = str_cmp(json_str(json_get(one, "name")), json_str(json_get(two, "name")));
	return ranks ? ranks : names;
}

/* `listed`: they are there when the scheduler starts, and it comes to know them by a list. */
static void apply_all(struct world *world, struct json objects, bool listed, struct notes *notes)
{
	AUTO(json_doc_unref) struct json_doc *doc = expanded(objects, notes);
	struct json_iter it = json_iter(json_doc_root(doc));
	VEC(struct json) all = {0};

	while (json_next(&it))
		vec_push(&all, it.value);
	if (listed && all.len)
		qsort(all.ptr, all.len, sizeof(*all.ptr), by_name);
	for (int r = -1; r < CLUSTER_KIND_COUNT; r++)
		for (size_t i = 0; i < all.len; i++) {
			struct err err;

			if (rank(all.ptr[i]) == r && world_apply(world, all.ptr[i], &err) < 0 &&
			    !world->spoiled)
				vec_push(notes, mem_printf("apply: %s", err.text));
		}
	vec_done(&all);
}

static struct str namespace_of(struct json ref)
{
	static const char *const namespaced[] = {"Pod",
						 "PodGroup",
						 "ResourceQuota",
						 "PodDisruptionBudget",
						 "PersistentVolumeClaim",
						 "ConfigMap"};
	struct str namespace = json_str(json_get(ref, "namespace"));

	for (size_t i = 0; i < ARRAY_LEN(namespaced); i++)
		if (str_is(json_str(json_get(ref, "kind")), namespaced[i]))
			return namespace.len ? namespace : STR("default");
	return str_none();
}

static int take_step(struct world *world, struct json root, struct json step, struct notes *notes)
{
	struct json_iter it = json_iter(json_get(step, "delete"));
	struct json config = json_get(step, "config");

	while (json_next(&it))
		world_delete(world, json_str(json_get(it.value, "kind")), namespace_of(it.value),
			     json_str(json_get(it.value, "name")));
	it = json_iter(json_get(step, "patch"));
	while (json_next(&it)) {
		struct err err;

		if (world_patch(world, json_str(json_get(it.value, "kind")), namespace_of(it.value),
				json_str(json_get(it.value, "name")), json_get(it.value, "patch"),
				&err) < 0)
			vec_push(notes, mem_printf("patch: %s", err.text));
	}
	apply_all(world, json_get(step, "apply"), false, notes);
	if (!json_is_absent(json_get(step, "http")))
		world->http = json_get(step, "http");
	if (json_is(config, JSON_STR) && configure(world, root, json_str(config)))
		return 1;
	world->now += (int64_t)(json_real(json_get(step, "wait")) * 1e6);
	return 0;
}

/* Why groups wait: the text of each reason, and what would help. */
static void show_reasons(const struct world *world)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(world->objects, &at, &key, &value)) {
		struct json meta =
			json_get(json_doc_root(((struct object *)value)->doc), "metadata");
		struct json note = json_get(json_get(meta, "annotations"), WAIT_REASONS_ANNOTATION);
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(json_str(note), NULL, NULL);
		struct json_iter it = json_iter(doc ? json_doc_root(doc) : JSON_NONE);

		while (json_next(&it))
			printf("# why %.*s: %.*s: %.*s (%.*s)\n", STR_ARG(key),
			       STR_ARG(json_str(json_get(it.value, "cause"))),
			       STR_ARG(json_str(json_get(it.value, "text"))),
			       STR_ARG(json_str(json_get(it.value, "advice"))));
	}
}

/* What came out, as comments of TAP. */
static void show(const struct world *world, struct str stage)
{
	AUTO(json_doc_unref) struct json_doc *facts = facts_of(world, STR("pods"));
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	struct str rest, line;

	yaml_print(json_doc_root(facts), &text);
	printf("# - after: %.*s\n", STR_ARG(stage));
	rest = buf_str(&text);
	while (rest.len) {
		(void)str_split(&rest, '\n', &line);
		printf("#   %.*s\n", STR_ARG(line));
	}
	show_reasons(world);
}

static struct str name_of(struct json step)
{
	return json_is_absent(step) ? STR("given") : json_str(json_get(step, "name"));
}

static void judge(struct world *world, struct json root, struct json step, struct json expect,
		  struct notes *notes)
{
	struct json options = json_get(root, "options");
	struct str name = name_of(step);
	struct json steps = json_get(root, "steps");
	struct str last = json_len(steps)
				  ? json_str(json_get(json_at(steps, json_len(steps) - 1), "name"))
				  : STR("given");
	AUTO(json_doc_unref)
	struct json_doc *facts = facts_of(world, json_str(json_get(options, "placement")));
	struct json_iter it = json_iter(json_get(root, "claims"));
	struct notes mine = {0};

	facts_add_annotations(world, json_get(options, "annotations"), facts);
	facts_missing(expect, json_doc_root(facts), &mine);
	facts_short(world, expect, json_doc_root(facts), &mine);
	while (json_next(&it)) {
		struct str after = json_str(json_get(it.value, "after"));

		if (str_eq(after.len ? after : last, name))
			facts_claim(world, it.value, &mine);
	}
	for (size_t i = 0; i < mine.len; i++)
		vec_push(notes, mem_printf("after %.*s: %s", STR_ARG(name), mine.ptr[i]));
	notes_done(&mine);
}

/* The scheduler makes these itself. */
static void make_queue(struct world *world, const char *name)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(mem_free) char *text = NULL;

	if (world_find(world, STR("Queue"), str_none(), str_from(name)))
		return;
	text = mem_printf("{\"kind\":\"Queue\",\"metadata\":{\"name\":\"%s\"},\"spec\":{"
			  "\"weight\":1,\"reclaimable\":%s},\"status\":{\"state\":\"Open\"}}",
			  name, strcmp(name, "root") == 0 ? "false" : "true");
	doc = json_parse(str_from(text), NULL, NULL);
	if (world_apply(world, json_doc_root(doc), NULL) < 0)
		abort();
}

/* The configuration: literally, or as "actions" and "tiers" of names (with options where there are
 * some), or what is built in. */
static char *config_text(struct json root)
{
	struct json literal = json_get(root, "config");
	struct json_iter tier = json_iter(json_get(root, "tiers"));
	struct buf text = BUF_INIT(SIZE_MAX);

	if (json_is(literal, JSON_STR))
		return str_dup(json_str(literal));
	if (json_is_absent(json_get(root, "tiers")))
		return mem_strdup(config_builtin);
	buf_puts(&text, "{\"actions\": ");
	json_print(json_get(root, "actions"), JSON_COMPACT, &text);
	buf_puts(&text, ", \"tiers\": [");
	while (json_next(&tier)) {
		struct json_iter it = json_iter(tier.value);

		buf_puts(&text, tier.index ? ", {\"plugins\": [" : "{\"plugins\": [");
		while (json_next(&it)) {
			buf_puts(&text, it.index ? ", " : "");
			if (json_is(it.value, JSON_STR))
				buf_puts(&text, "{\"name\": ");
			json_print(it.value, JSON_COMPACT, &text);
			if (json_is(it.value, JSON_STR))
				buf_puts(&text, "}");
		}
		buf_puts(&text, "]}");
	}
	buf_puts(&text, "], \"configurations\": ");
	json_print(json_is_absent(json_get(root, "configurations"))
			   ? json_get(root, "nothing")
			   : json_get(root, "configurations"),
		   JSON_COMPACT, &text);
	if (json_is_absent(json_get(root, "configurations")))
		buf_puts(&text, "[]");
	buf_puts(&text, "}");
	return buf_take(&text);
}

static void note_cause(struct seen_causes *seen, const struct wait_reason *reason, bool worded)
{
	for (int i = 0; worded && i < REASON_CODE_COUNT; i++)
		seen->reasons[i] |= str_is(reason->cause, reason_name((enum reason_code)i));
}

/* Which causes do groups report? Those of a job count if this step expects its line and its advice. */
static void note_causes(const struct world *world, struct json expect, struct seen_causes *seen)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	size_t at = 0;
	void *value;

	while (map_next(world->objects, &at, NULL, &value)) {
		struct json group = json_doc_root(((struct object *)value)->doc);
		struct str name = json_str(json_get(json_get(group, "metadata"), "name"));
		struct wait_reasons reasons = wait_reasons_of(group, arena);
		bool worded = !json_is_absent(json_get_str(json_get(expect, "why"), name)) &&
			      !json_is_absent(json_get_str(json_get(expect, "advice"), name));

		for (size_t i = 0; i < reasons.len; i++)
			note_cause(seen, &reasons.ptr[i], worded);
		wait_reasons_done(&reasons);
	}
}

/* 1: skipped. */
static int run_case(struct json root, bool prints, struct seen_causes *seen, struct notes *notes)
{
	AUTO(world_free) struct world *world = world_for(root);
	struct json steps = json_get(root, "steps"), expect = json_get(root, "expect");
	AUTO(mem_free) char *config = config_text(root);

	if (configure(world, root, str_from(config)))
		return 1;
	/* Recorded cases say what was in an API; scenarios in which order it comes. */
	apply_all(world, json_get(root, "given"),
		  !world->ordered && !json_is_absent(json_get(root, "case")), notes);
	make_queue(world, "root");
	make_queue(world, world->cluster->default_queue);
	for (size_t i = 0; i <= json_len(steps); i++) {
		struct json step = i ? json_at(steps, i - 1) : JSON_NONE;

		if (i && take_step(world, root, step, notes))
			return 1;
		world_settle(world);
		if (prints)
			show(world, name_of(step));
		judge(world, root, step, json_at(expect, i), notes);
		note_causes(world, json_at(expect, i), seen);
	}
	if (world->wrong)
		vec_push(notes, mem_printf("model: %s", world->wrong));
	return 0;
}

/* --- all cases ------------------------------------------------------------------------------- */

static void end_folder(struct totals *totals)
{
	if (totals->folder[0])
		printf("# %-14s %3d passed, %3d failed, %3d skipped\n", totals->folder,
		       totals->folder_passed, totals->folder_failed, totals->folder_skipped);
	totals->folder[0] = '\0';
	totals->folder_passed = totals->folder_failed = totals->folder_skipped = 0;
}

/* Is it a recorded case that is said to differ? */
static bool is_different(const struct totals *totals, struct json root)
{
	AUTO(mem_free)
	char *name = mem_printf("%.*s/%.*s", STR_ARG(json_str(json_get(root, "topic"))),
				STR_ARG(json_str(json_get(root, "case"))));

	for (size_t i = 0; i < totals->differences.len; i++)
		if (strcmp(totals->differences.ptr[i].name, name) == 0)
			return true;
	return false;
}

static void tell(struct totals *totals, const char *name, bool skipped, const char *why,
		 const struct notes *notes)
{
	totals->number++;
	if (skipped) {
		totals->skipped++;
		totals->folder_skipped++;
	} else if (notes->len) {
		totals->failed++;
		totals->folder_failed++;
	} else {
		totals->passed++;
		totals->folder_passed++;
	}
	if (skipped && !totals->terse)
		printf("ok %d - %s # SKIP %s\n", totals->number, name, why);
	else if (!skipped && (notes->len || !totals->terse))
		printf("%sok %d - %s\n", notes->len ? "not " : "", totals->number, name);
	for (size_t i = 0; i < notes->len && (totals->verbose || (!skipped && i < 6)); i++)
		printf("#   %s\n", notes->ptr[i]);
}

static void run_one(struct totals *totals, const char *path, struct json root)
{
	struct str title = json_str(json_get(root, "title"));
	bool recorded = json_str(json_get(root, "case")).len;
	AUTO(mem_free)
	char *name = recorded ? mem_strdup(path) : mem_printf("%.*s (%s)", STR_ARG(title), path);
	struct notes notes = {0};
	int skipped = run_case(root, totals->prints, &totals->causes, &notes);

	numbered_add(&totals->numbered, json_get(root, "spec"), &notes);
	if (!skipped && is_different(totals, root)) {
		bool differs = notes.len > 0;

		notes_done(&notes);
		notes = (struct notes){0};
		totals->differing += differs;
		if (!differs)
			vec_push(&notes, mem_strdup("is said to differ, and does not"));
	}
	tell(totals, name, skipped, "needs what is not built yet", &notes);
	notes_done(&notes);
}

static void run_file(struct totals *totals, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	AUTO(yaml_reader_free) struct yaml_reader *reader = NULL;
	struct notes notes = {0};
	struct err err = {0};

	if (read_file(path, &text) < 0) {
		vec_push(&notes, mem_strdup("cannot be read"));
		tell(totals, path, false, "", &notes);
	}
	reader = yaml_reader_new(buf_str(&text), NULL);
	for (;;) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (yaml_reader_next(reader, &doc, &err) < 0) {
			vec_push(&notes, mem_strdup(err.text));
			tell(totals, path, false, "", &notes);
			break;
		}
		if (!doc)
			break;
		run_one(totals, path, json_doc_root(doc));
	}
	notes_done(&notes);
}

/* --- what differs on purpose ----------------------------------------------------------------- */

static void read_differences(struct totals *totals, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	AUTO(yaml_reader_free) struct yaml_reader *reader = NULL;
	struct err err;

	if (read_file(path, &text) < 0)
		return;
	reader = yaml_reader_new(buf_str(&text), NULL);
	for (;;) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct json root;

		if (yaml_reader_next(reader, &doc, &err) < 0 || !doc)
			break;
		root = json_doc_root(doc);
		if (json_is(json_get(root, "differs"), JSON_STR))
			vec_push(&totals->differences,
				 (struct difference){str_dup(json_str(json_get(root, "differs"))),
						     str_dup(json_str(json_get(root, "row")))});
	}
}

/* Each has its row on the page that users read. */
static void check_page(struct totals *totals, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	struct notes notes = {0};

	if (read_file(path, &text) < 0)
		vec_push(&notes, mem_strdup("cannot be read"));
	for (size_t i = 0; i < totals->differences.len; i++) {
		const struct difference *d = &totals->differences.ptr[i];

		if (!*d->row || str_find(buf_str(&text), str_from(d->row), 0) < 0)
			vec_push(&notes, mem_printf("has no row for %s: %s", d->name, d->row));
	}
	tell(totals, path, false, "", &notes);
	notes_done(&notes);
}

static void check_numbers(struct totals *totals, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	struct notes notes = {0};

	if (read_file(path, &text) < 0)
		vec_push(&notes, mem_strdup("cannot be read"));
	else
		numbered_check(&totals->numbered, buf_str(&text), &notes);
	tell(totals, path, false, "", &notes);
	notes_done(&notes);
}

static void forget_differences(struct totals *totals)
{
	for (size_t i = 0; i < totals->differences.len; i++) {
		mem_free(totals->differences.ptr[i].name);
		mem_free(totals->differences.ptr[i].row);
	}
	vec_done(&totals->differences);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static void run_path(struct totals *totals, const char *path)
{
	struct dirent **entries = NULL;
	const char *slash = strrchr(path, '/');
	struct stat st;
	bool files = false;
	int count;

	if (stat(path, &st) < 0) {
		printf("# %s is not there: left out\n", path);
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		run_file(totals, path);
		return;
	}
	count = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *below = mem_printf("%s/%s", path, entries[i]->d_name);

		files |= strstr(below, ".yaml") != NULL;
		run_path(totals, below);
		mem_free(entries[i]);
	}
	mem_free(entries);
	if (files) {
		(void)snprintf(totals->folder, sizeof(totals->folder), "%s",
			       slash ? slash + 1 : path);
		end_folder(totals);
	}
}

/* A cause without a scenario that holds its words is a failure. */
static void check_causes(struct totals *totals)
{
	struct notes notes = {0};

	for (int i = REASON_NONE + 1; i < REASON_CODE_COUNT; i++)
		if (!totals->causes.reasons[i])
			vec_push(&notes, mem_printf("%s: no scenario expects its line and advice",
						    reason_name((enum reason_code)i)));
	tell(totals, "every cause has a scenario", false, "", &notes);
	notes_done(&notes);
}

int main(int argc, char **argv)
{
	bool causes = false;
	struct totals totals = {0};
	const char *page = NULL, *numbers = NULL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			totals.verbose = true;
		else if (strcmp(argv[i], "-t") == 0)
			totals.terse = true;
		else if (strcmp(argv[i], "-e") == 0)
			causes = true;
		else if (strcmp(argv[i], "-p") == 0)
			totals.prints = true;
		else if (strcmp(argv[i], "-d") == 0 && i + 1 < argc)
			read_differences(&totals, argv[++i]);
		else if (strcmp(argv[i], "-c") == 0 && i + 1 < argc)
			page = argv[++i];
		else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
			numbers = argv[++i];
		else
			run_path(&totals, argv[i]);
	}
	if (page)
		check_page(&totals, page);
	if (numbers)
		check_numbers(&totals, numbers);
	if (causes)
		check_causes(&totals);
	printf("1..%d\n# %d passed (%d differ on purpose), %d failed, %d skipped\n", totals.number,
	       totals.passed, totals.differing, totals.failed, totals.skipped);
	forget_differences(&totals);
	return totals.failed ? 1 : 0;
}
