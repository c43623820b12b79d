/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios of the life of a job: test/data/lifecycle. What the words mean is in the README there.
 *
 * Each scenario is run once as it stands, and once more for every write of that run, with the
 * controller crashing right after it: the same must hold, and the end must be the same. (Crashing
 * before a write is crashing after the previous one: the controller has no state.) Events are the
 * exception: one that was about to be recorded is lost. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "coverage.h"
#include "scenario_job.h"
#include "tap.h"

#include "base/banned.h"

/* --- what happens ---------------------------------------------------------------------------- */

static void settle(struct run *run)
{
	run->world.now += TIME_SECOND;
	if (!world_settle(&run->world))
		complain(run, "the controller does not come to rest");
}

/* The pods that "a/0", "a" or "all" stands for. */
static bool is_meant(struct json pod, struct str which)
{
	struct json labels = json_get(json_get(pod, "metadata"), "labels");
	struct str task = json_str(json_get(labels, KEY_TASK_SPEC));
	struct str index = json_str(json_get(labels, KEY_TASK_INDEX));
	ptrdiff_t slash = str_find_byte(which, '/', 0);

	if (slash < 0)
		return str_is(which, "all") || str_eq(which, task);
	return str_eq(str_slice(which, 0, (size_t)slash), task) &&
	       str_eq(str_skip(which, (size_t)slash + 1), index);
}

enum fate { START, SUCCEED, FAIL, EVICT, GO, RESTARTS, UNREADY };
static const struct {
	const char *word;
	enum fate fate;
	const char *only; /* pods in this phase, where all are meant */
} fates[] = {
	{"start", START, "Pending"}, {"succeed", SUCCEED, "Running"},
	{"fail", FAIL, "Running"},   {"evict", EVICT, NULL},
	{"gone", GO, NULL},          {"restarts", RESTARTS, NULL},
	{"unready", UNREADY, NULL},
};

static void befall(struct run *run, struct world_object *pod, enum fate fate, int64_t number)
{
	char time[TIME_TEXT_SIZE];
	char *patch = NULL;

	time_print(run->world.now, time);
	switch (fate) {
	case START:
		patch = mem_strdup("{\"status\":{\"phase\":\"Running\",\"containerStatuses\":"
				   "[{\"name\":\"m\",\"ready\":true,\"restartCount\":0}]}}");
		break;
	case UNREADY:
		patch = mem_strdup("{\"status\":{\"phase\":\"Running\",\"containerStatuses\":"
				   "[{\"name\":\"m\",\"ready\":false,\"restartCount\":0}]}}");
		break;
	case SUCCEED:
	case FAIL:
		patch = mem_printf("{\"status\":{\"phase\":\"%s\",\"containerStatuses\":[{\"name\":"
				   "\"m\",\"state\":{\"terminated\":{\"exitCode\":%lld,"
				   "\"finishedAt\":\"%s\"}}}]}}",
				   fate == FAIL ? "Failed" : "Succeeded",
				   fate == FAIL ? (long long)number : 0, time);
		break;
	case RESTARTS:
		patch = mem_printf("{\"status\":{\"containerStatuses\":[{\"name\":\"m\",\"ready\":"
				   "true,\"restartCount\":%lld}]}}",
				   (long long)number);
		break;
	case EVICT:
		world_delete(&run->world, pod);
		return;
	default:
		world_remove(&run->world, pod);
		return;
	}
	world_merge(&run->world, pod, patch);
	mem_free(patch);
}

static bool happen_to_pods(struct run *run, struct str verb, struct str rest)
{
	struct str which = next_word(&rest);
	int64_t number = 1;
	bool found = false;
	size_t row = 0;

	for (; row < ARRAY_LEN(fates) && !str_is(verb, fates[row].word); row++)
		;
	if (row == ARRAY_LEN(fates))
		return false;
	if (str_trim(rest).len > 0 && number_parse_i64(str_trim(rest), &number, NULL) < 0)
		complain(run, "\"%.*s\" is no number", STR_ARG(rest));
	for (size_t i = run->world.objects.len; i-- > 0;) {
		struct world_object *object = &run->world.objects.ptr[i];
		struct json root = json_doc_root(object->doc);
		struct str phase = json_str(json_get(json_get(root, "status"), "phase"));
		bool one = str_find_byte(which, '/', 0) >= 0;

		if (object->kind != PLAN_POD || !is_meant(root, which) ||
		    (!one && fates[row].only && !str_is(phase, fates[row].only)))
			continue;
		befall(run, object, fates[row].fate, number);
		found = true;
	}
	if (!found)
		complain(run, "there is no pod %.*s", STR_ARG(which));
	return true;
}

static void issue(struct run *run, struct str action)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_doc *doc = NULL;

	buf_printf(&text,
		   "{apiVersion: bus.volcano.sh/v1alpha1, kind: Command, metadata: {name: c%u, "
		   "namespace: ns}, action: %.*s, target: {apiVersion: batch.volcano.sh/v1alpha1, "
		   "kind: Job, name: j, uid: u}}",
		   run->world.uids, STR_ARG(action));
	doc = parse(run, buf_str(&text));
	if (doc)
		world_create(&run->world, PLAN_COMMAND, doc);
}

static enum plan_kind_id kind_of(struct run *run, struct str plural)
{
	for (int i = 0; i < PLAN_KIND_COUNT; i++)
		if (str_is(plural, plan_kinds[i].plural))
			return (enum plan_kind_id)i;
	complain(run, "there is no kind %.*s", STR_ARG(plural));
	return PLAN_KIND_COUNT;
}

static void add_object(struct run *run, struct str rest)
{
	enum plan_kind_id kind = kind_of(run, next_word(&rest));
	struct str name = next_word(&rest);
	struct json_doc *doc = parse(run, str_trim(rest).len > 0 ? rest : STR("{}"));

	if (!doc || kind == PLAN_KIND_COUNT)
		return;
	json_set_str(doc, json_ensure_obj(doc, json_doc_root(doc), "metadata"), "name", name);
	world_create(&run->world, kind, doc);
}

static void remove_object(struct run *run, struct str rest)
{
	enum plan_kind_id kind = kind_of(run, next_word(&rest));
	struct world_object *object = world_find(&run->world, kind, str_trim(rest));

	if (object)
		world_remove(&run->world, object);
	else
		complain(run, "%.*s is not there", STR_ARG(rest));
}

static struct world_object *the_group(struct run *run)
{
	for (size_t i = 0; i < run->world.objects.len; i++)
		if (run->world.objects.ptr[i].kind == PLAN_PODGROUP)
			return &run->world.objects.ptr[i];
	return NULL;
}

static void patch_object(struct run *run, struct str rest)
{
	enum plan_kind_id kind = kind_of(run, next_word(&rest));
	struct str name = next_word(&rest);
	struct world_object *object =
		str_is(name, "GROUP") ? the_group(run) : world_find(&run->world, kind, name);
	AUTO(json_doc_unref) struct json_doc *patch = parse(run, rest);

	if (!object)
		complain(run, "%.*s is not there", STR_ARG(name));
	else if (patch)
		world_replace(&run->world, object,
			      json_merge_apply(json_doc_root(object->doc), json_doc_root(patch)));
}

static void set_group(struct run *run, struct str rest)
{
	struct str phase = next_word(&rest);
	AUTO(buf_done) struct buf patch = BUF_UNBOUNDED;
	char time[TIME_TEXT_SIZE];

	buf_printf(&patch, "{\"status\":{\"phase\":\"%.*s\",\"conditions\":[", STR_ARG(phase));
	if (str_trim(rest).len > 0)
		buf_printf(&patch,
			   "{\"type\":\"Unschedulable\",\"status\":\"True\",\"message\":\"%.*s\","
			   "\"lastTransitionTime\":\"%s\"}",
			   STR_ARG(str_trim(rest)), time_print(run->world.now, time));
	buf_puts(&patch, "]}}");
	if (the_group(run))
		world_merge(&run->world, the_group(run), buf_text(&patch));
	else
		complain(run, "there is no podgroup");
}

/* Time passes; the controller looks when it asked to. */
static void wait(struct run *run, struct str text)
{
	int64_t seconds = 0;
	int64_t until;

	if (number_parse_i64(text, &seconds, NULL) < 0)
		complain(run, "\"%.*s\" is no number of seconds", STR_ARG(text));
	until = run->world.now + seconds * TIME_SECOND;
	while (run->world.next_at > 0 && run->world.next_at <= until) {
		if (run->world.next_at > run->world.now)
			run->world.now = run->world.next_at;
		run->world.next_at = 0;
		if (!world_settle(&run->world))
			complain(run, "the controller does not come to rest");
	}
	run->world.now = until;
}

/* task replicas, of the job that is there */
static void scale(struct run *run, struct str rest)
{
	struct world_object *job = world_find(&run->world, PLAN_JOB, STR("j"));
	struct str task = next_word(&rest);
	int64_t replicas = 0, least = -1;
	struct json_iter it;
	struct json_doc *doc;

	if (!job || number_parse_i64(next_word(&rest), &replicas, NULL) < 0) {
		complain(run, "scale TASK REPLICAS [MIN]");
		return;
	}
	if (str_trim(rest).len > 0 && number_parse_i64(str_trim(rest), &least, NULL) < 0)
		complain(run, "\"%.*s\" is no number", STR_ARG(rest));
	doc = json_doc_thaw(json_doc_root(job->doc));
	it = json_iter(json_get(json_get(json_doc_root(doc), "spec"), "tasks"));
	while (json_next(&it)) {
		struct json spec = json_get(json_doc_root(doc), "spec");

		if (!str_eq(json_str(json_get(it.value, "name")), task))
			continue;
		json_set_int(doc, it.value, "replicas", replicas);
		if (least < 0)
			continue;
		json_set_int(doc, spec, "minAvailable",
			     json_int(json_get(spec, "minAvailable")) + least -
				     json_int(json_get(it.value, "minAvailable")));
		json_set_int(doc, it.value, "minAvailable", least);
	}
	world_replace(&run->world, job, doc);
}

static bool happen(struct run *run, struct str verb, struct str rest)
{
	struct world *world = &run->world;

	if (str_is(verb, "submit")) {
		fill_in(run);
		world_create(world, PLAN_JOB, json_doc_thaw(json_doc_root(run->job)));
		settle(run);
	} else if (str_is(verb, "settle")) {
		settle(run);
	} else if (str_is(verb, "manual")) {
		world->manual = true;
	} else if (str_is(verb, "automatic")) {
		world->manual = false;
		settle(run);
	} else if (str_is(verb, "eager")) {
		world->eager = true;
	} else if (str_is(verb, "grace")) {
		world->grace = true;
	} else if (str_is(verb, "batch")) {
		int64_t size = 0;

		if (number_parse_i64(str_trim(rest), &size, NULL) == 0)
			world->batch = (size_t)size;
	} else if (str_is(verb, "refuse")) {
		snprintf(world->refuse, sizeof(world->refuse), "%.*s", STR_ARG(str_trim(rest)));
	} else if (str_is(verb, "give-up")) {
		world->give_up = true;
		settle(run);
		world->give_up = false;
	} else if (str_is(verb, "command")) {
		issue(run, str_trim(rest));
		settle(run);
	} else if (str_is(verb, "object")) {
		add_object(run, rest);
	} else if (str_is(verb, "remove")) {
		remove_object(run, rest);
	} else if (str_is(verb, "patch")) {
		patch_object(run, rest);
	} else if (str_is(verb, "group")) {
		set_group(run, rest);
		settle(run);
	} else if (str_is(verb, "wait")) {
		wait(run, str_trim(rest));
	} else if (str_is(verb, "scale")) {
		scale(run, rest);
		settle(run);
	} else {
		return false;
	}
	return true;
}

/* --- what is expected ------------------------------------------------------------------------ */

static struct json status_of(struct run *run)
{
	return json_get(world_get(&run->world, PLAN_JOB, "j"), "status");
}

/* expect PHASE [counter=number ...]; counters that are not named are 0. */
static void expect_status(struct run *run, struct str rest)
{
	static const char *const names[] = {"pending", "running",     "succeeded",  "failed",
					    "unknown", "terminating", "retryCount", "version"};
	struct json status = status_of(run);
	struct str want = next_word(&rest);
	struct str phase = json_str(json_get(json_get(status, "state"), "phase"));
	int64_t values[ARRAY_LEN(names)] = {0};
	bool given[ARRAY_LEN(names)] = {0};

	if (!str_eq(phase, want))
		complain(run, "the phase is %.*s, not %.*s", STR_ARG(phase), STR_ARG(want));
	for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest)) {
		ptrdiff_t equals = str_find_byte(word, '=', 0);
		size_t row = 0;

		for (; row < ARRAY_LEN(names); row++)
			if (equals > 0 && str_is(str_slice(word, 0, (size_t)equals), names[row]))
				break;
		if (row == ARRAY_LEN(names) ||
		    number_parse_i64(str_skip(word, (size_t)equals + 1), &values[row], NULL) < 0) {
			complain(run, "what is \"%.*s\"?", STR_ARG(word));
			continue;
		}
		given[row] = true;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		bool always = i < 6;

		if ((given[i] || always) && json_int(json_get(status, names[i])) != values[i])
			complain(run, "%s is %lld, not %lld", names[i],
				 (long long)json_int(json_get(status, names[i])),
				 (long long)values[i]);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "a/0=Running a/1=Pending", sorted. */
static void put_pods(struct run *run, struct buf *to)
{
	VEC(char *) lines = {0};

	for (size_t i = 0; i < run->world.objects.len; i++) {
		struct json root = json_doc_root(run->world.objects.ptr[i].doc);
		struct json meta = json_get(root, "metadata");
		struct json labels = json_get(meta, "labels");
		bool going = !json_is_absent(json_get(meta, "deletionTimestamp"));
		struct str phase = json_str(json_get(json_get(root, "status"), "phase"));

		if (run->world.objects.ptr[i].kind != PLAN_POD)
			continue;
		vec_push(&lines, mem_printf("%.*s/%.*s=%.*s",
					    STR_ARG(json_str(json_get(labels, KEY_TASK_SPEC))),
					    STR_ARG(json_str(json_get(labels, KEY_TASK_INDEX))),
					    STR_ARG(going ? STR("Terminating") : phase)));
	}
	if (lines.len > 1)
		qsort(lines.ptr, lines.len, sizeof(*lines.ptr), by_text);
	for (size_t i = 0; i < lines.len; i++) {
		buf_printf(to, "%s%s", i > 0 ? " " : "", lines.ptr[i]);
		mem_free(lines.ptr[i]);
	}
	vec_done(&lines);
}

static void expect_text(struct run *run, const char *what, struct str got, struct str want)
{
	if (!str_eq(got, str_trim(want)))
		complain(run, "%s: \"%.*s\", not \"%.*s\"", what, STR_ARG(got),
			 STR_ARG(str_trim(want)));
}

/* field KIND NAME /pointer = value, or ~ a part of it */
static void expect_field(struct run *run, struct str rest)
{
	enum plan_kind_id kind = kind_of(run, next_word(&rest));
	struct str name = next_word(&rest);
	struct str pointer = next_word(&rest);
	struct world_object *object = world_find(&run->world, kind, name);
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	struct json value;

	if (str_is(name, "GROUP"))
		object = the_group(run);
	if (!object) {
		complain(run, "%.*s is not there", STR_ARG(name));
		return;
	}
	value = json_pointer_get(json_doc_root(object->doc), pointer);
	if (json_is(value, JSON_STR))
		buf_put_str(&got, json_str(value));
	else
		json_print(value, JSON_CANONICAL, &got);
	if (!str_is(next_word(&rest), "~"))
		expect_text(run, "the field", buf_str(&got), rest);
	else if (str_find(buf_str(&got), str_trim(rest), 0) < 0)
		complain(run, "\"%.*s\" is not in \"%s\"", STR_ARG(rest), buf_text(&got));
}

static void expect_event(struct run *run, struct str rest, bool wanted)
{
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;
	bool found;

	if (run->dies)
		return;
	buf_put_str(&line, rest);
	found = str_find(buf_str(&run->world.events), buf_str(&line), 0) >= 0;
	if (found != wanted)
		complain(run, "event \"%.*s\" %s; there are:\n%s", STR_ARG(rest),
			 wanted ? "is missing" : "is there", buf_text(&run->world.events));
}

static bool expect(struct run *run, struct str verb, struct str rest)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (str_is(verb, "expect")) {
		expect_status(run, rest);
	} else if (str_is(verb, "phases")) {
		expect_text(run, "phases", buf_str(&run->world.phases), rest);
	} else if (str_is(verb, "pods")) {
		put_pods(run, &text);
		expect_text(run, "pods", buf_str(&text), rest);
	} else if (str_is(verb, "field")) {
		expect_field(run, rest);
	} else if (str_is(verb, "event")) {
		expect_event(run, str_trim(rest), true);
	} else if (str_is(verb, "no-event")) {
		expect_event(run, str_trim(rest), false);
	} else if (str_is(verb, "there")) {
		enum plan_kind_id kind = kind_of(run, next_word(&rest));

		if (!world_find(&run->world, kind, str_trim(rest)))
			complain(run, "%.*s is not there", STR_ARG(rest));
	} else if (str_is(verb, "absent")) {
		enum plan_kind_id kind = kind_of(run, next_word(&rest));

		if (str_is(str_trim(rest), "GROUP")
			    ? the_group(run) != NULL
			    : world_find(&run->world, kind, str_trim(rest)) != NULL)
			complain(run, "%.*s is there", STR_ARG(rest));
	} else if (str_is(verb, "writes")) {
		buf_printf(&text, "%zu", run->world.writes);
		if (!run->dies)
			expect_text(run, "writes", buf_str(&text), rest);
	} else if (str_is(verb, "example")) {
		if (run->coverage && !cover_example(run->coverage, run, str_trim(rest)))
			complain(run, "there is no example %.*s", STR_ARG(rest));
	} else {
		return false;
	}
	return true;
}

/* --- running --------------------------------------------------------------------------------- */

static void run_lines(struct run *run)
{
	struct str rest = run->scenario->text;
	struct str line;

	run->line = run->scenario->line;
	for (; str_split(&rest, '\n', &line); run->line++) {
		struct str words = str_trim(line);
		struct str verb;

		if (words.len == 0 || words.ptr[0] == '#')
			continue;
		verb = next_word(&words);
		if (run->coverage && str_is(verb, "plugin"))
			cover_plugin(run->coverage, words);
		if (!describe(run, verb, words) && !happen_to_pods(run, verb, words) &&
		    !happen(run, verb, words) && !expect(run, verb, words))
			complain(run, "what is \"%.*s\"?", STR_ARG(verb));
	}
}

/* Everything that lasts, without times and numbers of versions. */
static void put_end(struct run *run, struct buf *to)
{
	VEC(char *) lines = {0};

	for (size_t i = 0; i < run->world.objects.len; i++) {
		struct world_object *object = &run->world.objects.ptr[i];
		struct json root = json_doc_root(object->doc);
		struct json marks = json_get(json_get(root, "metadata"), "annotations");

		vec_push(&lines,
			 mem_printf("%s %.*s version %.*s retry %.*s\n", object->key,
				    STR_ARG(json_str(json_get(json_get(root, "status"), "phase"))),
				    STR_ARG(json_str(json_get(marks, KEY_JOB_VERSION))),
				    STR_ARG(json_str(json_get(marks, KEY_JOB_RETRY_COUNT)))));
	}
	if (lines.len > 1)
		qsort(lines.ptr, lines.len, sizeof(*lines.ptr), by_text);
	for (size_t i = 0; i < lines.len; i++) {
		buf_puts(to, lines.ptr[i]);
		mem_free(lines.ptr[i]);
	}
	vec_done(&lines);
	buf_printf(to, "phases %s retry %lld version %lld\n", buf_text(&run->world.phases),
		   (long long)json_int(json_get(status_of(run), "retryCount")),
		   (long long)json_int(json_get(status_of(run), "version")));
}

/* One run; `crash` writes are executed before the controller dies. Gives what was wrong, and in
 * *end what there is at the end. */
static size_t run_once(const struct scenario *scenario, size_t crash, struct buf *wrong,
		       struct buf *end)
{
	struct run run = {.scenario = scenario, .dies = crash > 0, .wrong = BUF_UNBOUNDED};
	size_t writes;

	world_init(&run.world);
	if (crash == 0) {
		run.coverage = scenario->coverage;
		run.world.seen = cover_step;
		run.world.seen_arg = run.coverage;
	}
	run.world.crash = crash;
	begin_job(&run);
	world_create(&run.world, PLAN_QUEUE, parse(&run, STR("{metadata: {name: default}}")));
	run_lines(&run);
	if (run.coverage)
		cover_end(run.coverage, &run);
	put_end(&run, end);
	buf_put_str(wrong, buf_str(&run.wrong));
	writes = run.world.writes;
	json_doc_unref(run.job);
	world_done(&run.world);
	buf_done(&run.wrong);
	return writes;
}

static void run_scenario(const struct scenario *scenario)
{
	AUTO(buf_done) struct buf wrong = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf end = BUF_UNBOUNDED;
	size_t writes = run_once(scenario, 0, &wrong, &end);
	size_t crash = 1;

	ok(wrong.len == 0, "%.*s", STR_ARG(scenario->name));
	if (wrong.len > 0) {
		tap_show("wrong", buf_text(&wrong));
		return;
	}
	for (; crash <= writes && wrong.len == 0; crash++) {
		AUTO(buf_done) struct buf other = BUF_UNBOUNDED;

		run_once(scenario, crash, &wrong, &other);
		if (!str_eq(buf_str(&other), buf_str(&end)))
			buf_printf(&wrong, "ends as\n%snot as\n%s", buf_text(&other),
				   buf_text(&end));
	}
	ok(wrong.len == 0, "%.*s: the same when the controller crashes after any of %zu writes",
	   STR_ARG(scenario->name), writes);
	if (wrong.len > 0) {
		printf("#   after write %zu\n", crash - 1);
		tap_show("wrong", buf_text(&wrong));
	}
}

static void run_file(const char *path, struct scenario scenario, const char *only)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	FILE *file = fopen(path, "re");
	struct str rest, line;
	char chunk[4096];
	size_t got, number = 0;

	if (!file) {
		ok(false, "%s can be read", path);
		return;
	}
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_put(&text, chunk, got);
	fclose(file);
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line)) {
		number++;
		if (!str_starts(line, STR("scenario "))) {
			if (scenario.text.ptr)
				scenario.text.len =
					(size_t)(line.ptr + line.len - scenario.text.ptr);
			continue;
		}
		if (scenario.text.ptr && (!only || str_find(scenario.name, str_from(only), 0) >= 0))
			run_scenario(&scenario);
		scenario.name = str_skip(line, 9);
		scenario.text = str_of(line.ptr + line.len + 1, 0);
		scenario.line = number + 1;
	}
	if (scenario.text.ptr && (!only || str_find(scenario.name, str_from(only), 0) >= 0))
		run_scenario(&scenario);
}

static int is_scenario(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".txt"));
}

int main(int argc, char **argv)
{
	static const char *const roots[] = {"../test/data/lifecycle", "test/data/lifecycle"};
	struct coverage coverage = {0};
	struct dirent **entries = NULL;
	int count = -1;
	size_t root = 0;

	for (; root < ARRAY_LEN(roots) && count < 0; root++)
		count = scandir(roots[root], &entries, is_scenario, alphasort);
	ok(count > 0, "there are scenarios");
	for (int i = 0; i < count; i++) {
		char *path = mem_printf("%s/%s", roots[root - 1], entries[i]->d_name);

		run_file(path, (struct scenario){entries[i]->d_name, .coverage = &coverage},
			 argc > 1 ? argv[1] : NULL);
		mem_free(path);
		free(entries[i]);
	}
	free(entries);
	if (argc < 2)
		cover_check(&coverage);
	return tap_done();
}
