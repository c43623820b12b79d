/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_job.h - of the scenarios of jobs: a run, and the lines that describe the job. */
#ifndef LIFECYCLE_TEST_SCENARIO_JOB_H
#define LIFECYCLE_TEST_SCENARIO_JOB_H

#include <stdarg.h>

#include "base/number.h"
#include "base/str.h"
#include "json/yaml.h"
#include "world.h"

struct coverage;

struct scenario {
	const char *file;
	struct str name;
	struct str text; /* its lines */
	size_t line;     /* of the first */
	struct coverage *coverage;
};

/* One run of one scenario. */
struct run {
	struct world world;
	const struct scenario *scenario;
	struct json_doc *job;      /* until it is submitted */
	struct coverage *coverage; /* NULL in runs that die */
	bool dies;                 /* so that events are not looked at */
	size_t line;
	struct buf wrong; /* what did not hold */
};

/* --- small things ---------------------------------------------------------------------------- */

static void complain(struct run *run, const char *format, ...) PRINTF(2, 3);
static void complain(struct run *run, const char *format, ...)
{
	va_list args;

	buf_printf(&run->wrong, "%s:%zu: ", run->scenario->file, run->line);
	va_start(args, format);
	buf_vprintf(&run->wrong, format, args);
	va_end(args);
	buf_putc(&run->wrong, '\n');
}

static struct str next_word(struct str *rest)
{
	struct str word = str_none();

	*rest = str_trim(*rest);
	if (rest->len == 0 || !str_split(rest, ' ', &word))
		return STR("");
	return word;
}

static struct json_doc *parse(struct run *run, struct str text)
{
	struct err err;
	struct json_doc *doc = yaml_parse(text, NULL, &err);

	if (!doc)
		complain(run, "%s", err.text);
	if (doc && !json_doc_is_mutable(doc)) {
		AUTO(json_doc_unref) struct json_doc *frozen = doc;

		doc = json_doc_thaw(json_doc_root(frozen));
	}
	return doc;
}

static struct json spec_of(struct run *run)
{
	return json_ensure_obj(run->job, json_doc_root(run->job), "spec");
}

/* --- the job --------------------------------------------------------------------------------- */

/* key=value, where the value is YAML. */
static void set_member(struct run *run, struct json object, struct str word)
{
	ptrdiff_t equals = str_find_byte(word, '=', 0);
	AUTO(json_doc_unref) struct json_doc *value = NULL;

	if (equals < 0) {
		complain(run, "\"%.*s\" is no key=value", STR_ARG(word));
		return;
	}
	value = parse(run, str_skip(word, (size_t)equals + 1));
	if (value)
		json_set(run->job, object, str_slice(word, 0, (size_t)equals),
			 json_new_copy(run->job, json_doc_root(value)));
}

/* policy EVENT[,EVENT] ACTION [timeout=5s], policy exit=3 ACTION */
static void add_policy(struct run *run, struct json owner, struct str rest)
{
	struct json row = json_new_obj(run->job);
	struct str events = next_word(&rest);
	struct str event;

	if (str_starts(events, STR("exit="))) {
		int64_t code = 0;

		if (number_parse_i64(str_skip(events, 5), &code, NULL) < 0)
			complain(run, "no exit code");
		json_set_int(run->job, row, "exitCode", code);
	} else if (str_find_byte(events, ',', 0) < 0) {
		json_set_str(run->job, row, "event", events);
	} else {
		while (str_split(&events, ',', &event))
			json_append(run->job, json_ensure_arr(run->job, row, "events"),
				    json_new_str(run->job, event));
	}
	json_set_str(run->job, row, "action", next_word(&rest));
	for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest))
		set_member(run, row, word);
	json_append(run->job, json_ensure_arr(run->job, owner, "policies"), row);
}

static void add_task(struct run *run, struct str rest)
{
	struct json row = json_new_obj(run->job);
	struct json container, requests;
	int64_t replicas = 0;

	json_set_str(run->job, row, "name", next_word(&rest));
	if (number_parse_i64(next_word(&rest), &replicas, NULL) < 0)
		complain(run, "a task wants a number of pods");
	json_set_int(run->job, row, "replicas", replicas);
	for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest))
		set_member(run, row, word);
	container = json_new_obj(run->job);
	json_set_str(run->job, container, "name", STR("m"));
	json_set_str(run->job, container, "image", STR("i"));
	requests = json_ensure_obj(run->job, json_ensure_obj(run->job, container, "resources"),
				   "requests");
	json_set_str(run->job, requests, "cpu", STR("1"));
	json_append(
		run->job,
		json_ensure_arr(run->job,
				json_ensure_obj(run->job,
						json_ensure_obj(run->job, row, "template"), "spec"),
				"containers"),
		container);
	json_append(run->job, json_ensure_arr(run->job, spec_of(run), "tasks"), row);
}

static struct json last_task(struct run *run)
{
	struct json tasks = json_get(spec_of(run), "tasks");

	return json_at(tasks, json_len(tasks) - 1);
}

/* What admission would have added. */
static void fill_in(struct run *run)
{
	struct json spec = spec_of(run);
	struct json_iter it = json_iter(json_get(spec, "tasks"));
	int64_t sum = 0;

	while (json_next(&it)) {
		struct json part = json_get(it.value, "partitionPolicy");
		int64_t least = json_int(json_get(part, "minPartitions")) *
				json_int(json_get(part, "partitionSize"));

		if (json_is_absent(json_get(it.value, "minAvailable")))
			json_set_int(run->job, it.value, "minAvailable",
				     least > 0 ? least : json_int(json_get(it.value, "replicas")));
		sum += json_int(json_get(it.value, "minAvailable"));
	}
	if (json_is_absent(json_get(spec, "minAvailable")))
		json_set_int(run->job, spec, "minAvailable", sum);
	if (json_is_absent(json_get(spec, "queue")))
		json_set_str(run->job, spec, "queue", STR("default"));
	if (json_is_absent(json_get(spec, "maxRetry")))
		json_set_int(run->job, spec, "maxRetry", 3);
	if (json_is_absent(json_get(spec, "schedulerName")))
		json_set_str(run->job, spec, "schedulerName", STR("volcano"));
}

static void merge_spec(struct run *run, struct json target, struct str text)
{
	AUTO(json_doc_unref) struct json_doc *patch = parse(run, text);
	AUTO(json_doc_unref) struct json_doc *merged = NULL;
	struct json_iter it;

	if (!patch)
		return;
	merged = json_merge_apply(target, json_doc_root(patch));
	it = json_iter(json_doc_root(merged));
	while (json_next(&it))
		json_set(run->job, target, it.key, json_new_copy(run->job, it.value));
}

static void begin_job(struct run *run)
{
	struct json root, meta;

	run->job = json_doc_new();
	root = json_new_obj(run->job);
	json_doc_set_root(run->job, root);
	json_set_str(run->job, root, "apiVersion", STR("batch.volcano.sh/v1alpha1"));
	json_set_str(run->job, root, "kind", STR("Job"));
	meta = json_ensure_obj(run->job, root, "metadata");
	json_set_str(run->job, meta, "name", STR("j"));
	json_set_str(run->job, meta, "namespace", STR("ns"));
}

/* Lines that describe the job; false: the line is none of these. */
static bool describe(struct run *run, struct str verb, struct str rest)
{
	if (str_is(verb, "job")) {
		for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest))
			set_member(run, spec_of(run), word);
	} else if (str_is(verb, "task")) {
		add_task(run, rest);
	} else if (str_is(verb, "policy")) {
		add_policy(run, spec_of(run), rest);
	} else if (str_is(verb, "task-policy")) {
		add_policy(run, last_task(run), rest);
	} else if (str_is(verb, "plugin")) {
		struct json args = json_new_arr(run->job);
		struct str name = next_word(&rest);

		for (struct str word = next_word(&rest); word.len > 0; word = next_word(&rest))
			json_append(run->job, args, json_new_str(run->job, word));
		json_set(run->job, json_ensure_obj(run->job, spec_of(run), "plugins"), name, args);
	} else if (str_is(verb, "spec")) {
		merge_spec(run, spec_of(run), rest);
	} else if (str_is(verb, "metadata")) {
		merge_spec(run, json_get(json_doc_root(run->job), "metadata"), rest);
	} else if (str_is(verb, "task-spec")) {
		merge_spec(run, last_task(run), rest);
	} else {
		return false;
	}
	return true;
}

#endif
