/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow.c - see follow.h.
 *
 * Two informers, of the job and of its pods, and a stream for each run of a container that has begun
 * (pod, container, restarts). A stream that breaks while its container runs is opened again a
 * little later, after the last line. The end: the job is in a last phase, its pods were listed once
 * more (the job's status may come before theirs), and no stream is open. */
#include "cli/follow.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/logstream.h"
#include "cli/phase.h"
#include "cli/pods.h"
#include "client/informer.h"
#include "loop/loop.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum { AGAIN_US = 1000 * 1000, PATIENCE_US = 3 * 1000 * 1000, PREFIX_COLOURS = 6 };

struct follow {
	struct cli *cli;
	const struct follow_options *options;
	struct follow_result *result;
	struct informer *jobs;
	struct informer *pods;
	struct map *outputs; /* by "uid/container/restarts" */
	size_t open;         /* outputs whose stream has not ended */
	size_t colours;      /* handed out so far */
	bool many;           /* lines have a prefix */
	bool over;           /* the job has ended */
	bool listed;         /* ... and its pods were listed since */
	bool done;
	struct client_request *last_list;
	struct loop_timer *patience;
};

struct output {
	struct follow *follow;
	struct logstream *stream;
	struct loop_timer *again;
	char *prefix;
	struct err err; /* why it broke */
	bool ended;
	char key[];
};

/* --- one output --------------------------------------------------------------------------------- */

static void check_done(struct follow *f)
{
	if (f->over && f->listed && !f->open)
		f->done = true;
}

static void got_line(void *arg, struct str line)
{
	struct output *output = arg;
	struct cli *cli = output->follow->cli;

	buf_printf(&cli->out, "%s%.*s\n", output->prefix, STR_ARG(line));
	cli_flush(cli);
}

static void end_output(struct output *output)
{
	output->ended = true;
	output->follow->open--;
	check_done(output->follow);
}

/* Is the container that this is the output of still running, as far as is known? */
static bool still_runs(const struct output *output)
{
	struct informer_walk walk = {0};
	struct json_doc *doc;

	while (output->follow->pods && (doc = informer_next(output->follow->pods, &walk))) {
		struct json pod = json_doc_root(doc);
		struct str uid = meta_uid(pod);

		if (str_starts(str_from(output->key), uid))
			return str_is(json_str(json_get(json_get(pod, "status"), "phase")),
				      "Running");
	}
	return false;
}

static void got_end(void *arg, const struct err *err)
{
	struct output *output = arg;

	if (err && client_is_transient(err->code) && still_runs(output)) {
		loop_timer_set(output->again, AGAIN_US);
		return;
	}
	if (err && err->code != ERR_NOT_FOUND)
		cli_warn(output->follow->cli, "%sno more output: %s", output->prefix, err->text);
	end_output(output);
}

static void try_again(struct loop_timer *timer, void *arg)
{
	struct output *output = arg;

	(void)timer;
	logstream_again(output->stream);
}

/* Each its own colour, in turn. */
static char *make_prefix(struct follow *f, const struct pod_place *place, struct str container,
			 bool several)
{
	static const int colours[PREFIX_COLOURS] = {36, 33, 32, 35, 34, 31};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!f->many)
		return str_dup(str_none());
	if (cli_has_colour(f->cli))
		buf_printf(&text, "\x1b[%dm", colours[f->colours++ % PREFIX_COLOURS]);
	if (place->task.len)
		buf_printf(&text, "%.*s/%lld", STR_ARG(place->task), (long long)place->index);
	else
		buf_put_str(&text, place->name);
	if (several)
		buf_printf(&text, " %.*s", STR_ARG(container));
	buf_puts(&text, " | ");
	if (cli_has_colour(f->cli))
		buf_puts(&text, "\x1b[0m");
	return str_dup(buf_str(&text));
}

static void open_output(struct follow *f, const struct pod_place *place, struct json status)
{
	struct str container = json_str(json_get(status, "name"));
	struct str uid = meta_uid(place->pod);
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct output *output;

	buf_printf(&key, "%.*s/%.*s/%lld", STR_ARG(uid), STR_ARG(container),
		   (long long)json_int(json_get(status, "restartCount")));
	if (map_get(f->outputs, buf_str(&key)))
		return;
	output = mem_zalloc(sizeof(*output) + key.len + 1);
	output->follow = f;
	memcpy(output->key, buf_text(&key), key.len + 1);
	output->prefix =
		make_prefix(f, place, container,
			    json_len(json_get(json_get(place->pod, "spec"), "containers")) > 1);
	(void)map_put(f->outputs, str_from(output->key), output);
	f->open++;
	output->again = loop_timer_new(f->cli->loop, try_again, output);
	output->stream = logstream_new(f->cli->client, &(struct logstream_options){
							       .namespace = f->options->namespace,
							       .pod = place->name,
							       .container = container,
							       .follow = f->pods != NULL,
							       .previous = f->options->previous,
							       .timestamps = f->options->timestamps,
							       .tail = f->options->tail,
							       .since_us = f->options->since_us,
							       .line = got_line,
							       .ended = got_end,
							       .arg = output,
						       });
}

static void outputs_done(struct follow *f)
{
	void *value;
	size_t at = 0;

	while (map_next(f->outputs, &at, NULL, &value)) {
		struct output *output = value;

		logstream_free(output->stream);
		loop_timer_free(output->again);
		mem_free(output->prefix);
		mem_free(output);
	}
	map_free(f->outputs);
}

/* --- pods --------------------------------------------------------------------------------------- */

static bool is_wanted(const struct follow_options *options, const struct pod_place *place)
{
	return (!options->task.len || str_eq(options->task, place->task)) &&
	       (options->index < 0 || options->index == place->index);
}

static bool has_begun(struct json status, bool previous)
{
	struct json state = json_get(status, "state");

	if (previous)
		return !json_is_absent(json_get(json_get(status, "lastState"), "terminated"));
	return !json_is_absent(json_get(state, "running")) ||
	       !json_is_absent(json_get(state, "terminated"));
}

static void look_at_pod(struct follow *f, const struct pod_place *place)
{
	static const char *const lists[] = {"initContainerStatuses", "containerStatuses"};
	struct json status = json_get(place->pod, "status");
	struct str only = f->options->container;
	struct pod_failure failure;

	if (pod_failure_of(place->pod, &failure)) {
		if (failure.exit_code > f->result->exit_code)
			f->result->exit_code = (int)failure.exit_code;
		if (failure.time_limit)
			f->result->time_limit = failure.time_limit;
	}
	if (f->options->quiet || !is_wanted(f->options, place))
		return;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(status, lists[i]));

		while (json_next(&it))
			if (has_begun(it.value, f->options->previous) &&
			    (!only.len || str_eq(only, json_str(json_get(it.value, "name")))))
				open_output(f, place, it.value);
	}
}

static void pod_changed(void *arg, const struct informer_object *object)
{
	struct pod_place place = pod_place_of(json_doc_root(object->doc));

	look_at_pod(arg, &place);
}

static void got_last_list(void *arg, const struct client_result *result)
{
	struct follow *f = arg;
	struct json_iter it;

	f->last_list = NULL;
	f->listed = true;
	if (result->doc && !result->err) {
		it = json_iter(json_get(json_doc_root(result->doc), "items"));
		while (json_next(&it)) {
			struct pod_place place = pod_place_of(it.value);

			look_at_pod(f, &place);
		}
	}
	check_done(f);
}

/* --- the job ------------------------------------------------------------------------------------ */

static void list_last(struct follow *f)
{
	if (f->over)
		return;
	f->over = true;
	f->last_list = client_send(f->cli->client,
				   &(struct client_ask){.verb = CLIENT_LIST,
							.resource = &resources[RESOURCE_PODS],
							.namespace = f->options->namespace,
							.label_selector = pods_selector(
								f->options->job, f->cli->arena),
							.done = got_last_list,
							.arg = f});
}

static void job_changed(void *arg, const struct informer_object *object)
{
	struct follow *f = arg;
	struct str phase = phase_of(json_doc_root(object->doc));

	if (f->over)
		return;
	f->result->phase = phase_find(phase);
	if (phase_is_end(phase))
		list_last(f);
}

static void job_deleted(void *arg, const struct informer_object *object)
{
	struct follow *f = arg;

	(void)object;
	if (!f->over)
		f->result->phase = str_none();
	list_last(f);
}

/* --- both --------------------------------------------------------------------------------------- */

static struct informer *watch(struct follow *f, enum resource_id id, struct str labels,
			      struct str fields, const struct informer_events *events)
{
	struct informer *informer =
		informer_new(f->cli->client, &(struct informer_options){
						     .resource = &resources[id],
						     .namespace = f->options->namespace,
						     .label_selector = labels,
						     .field_selector = fields,
						     .store = true,
					     });

	informer_listen(informer, events, f);
	informer_start(informer);
	return informer;
}

static void grow_impatient(struct loop_timer *timer, void *arg)
{
	struct follow *f = arg;

	(void)timer;
	if (!f->result->phase.len || str_is(f->result->phase, "Pending"))
		cli_warn(f->cli, "job %.*s waits; `vcctl job explain %.*s` says what for",
			 STR_ARG(f->options->job), STR_ARG(f->options->job));
}

static bool has_many(const struct follow_options *options, struct json job)
{
	struct json_iter it = json_iter(json_get(json_get(job, "spec"), "tasks"));
	int64_t sum = 0;

	while (json_next(&it)) {
		struct json pod = json_get(json_get(it.value, "template"), "spec");
		int64_t containers =
			options->container.len ? 1 : (int64_t)json_len(json_get(pod, "containers"));

		if (!options->task.len ||
		    str_eq(options->task, json_str(json_get(it.value, "name"))))
			sum += (options->index < 0 ? json_int(json_get(it.value, "replicas")) : 1) *
			       containers;
	}
	return sum > 1;
}

int follow_to_end(struct cli *cli, const struct follow_options *options, struct follow_result *ret,
		  struct err *err)
{
	static const struct informer_events job_events = {
		.added = job_changed, .updated = job_changed, .deleted = job_deleted};
	static const struct informer_events pod_events = {.added = pod_changed,
							  .updated = pod_changed};
	struct follow f = {.cli = cli, .options = options, .result = ret};
	AUTO(json_doc_unref)
	struct json_doc *job = cli_get(cli, RESOURCE_VCJOBS, options->namespace, options->job, err);

	*ret = (struct follow_result){0};
	if (!job)
		return -1;
	f.many = options->prefix || has_many(options, json_doc_root(job));
	f.outputs = map_new(loop_random_u64(cli->loop));
	f.pods = watch(&f, RESOURCE_PODS, pods_selector(options->job, cli->arena), str_none(),
		       &pod_events);
	f.jobs = watch(
		&f, RESOURCE_VCJOBS, str_none(),
		str_from(arena_printf(cli->arena, "metadata.name=%.*s", STR_ARG(options->job))),
		&job_events);
	f.patience = loop_timer_new(cli->loop, grow_impatient, &f);
	if (options->impatient)
		loop_timer_set(f.patience, PATIENCE_US);
	ret->timed_out = !cli_wait(cli, &f.done, options->timeout_us);
	loop_timer_free(f.patience);
	client_cancel(f.last_list);
	informer_free(f.jobs);
	informer_free(f.pods);
	outputs_done(&f);
	return 0;
}

int follow_once(struct cli *cli, const struct follow_options *options, struct err *err)
{
	struct follow_result result = {0};
	struct follow f = {
		.cli = cli, .options = options, .result = &result, .over = true, .listed = true};
	AUTO(json_doc_unref)
	struct json_doc *job = cli_get(cli, RESOURCE_VCJOBS, options->namespace, options->job, err);
	AUTO(json_doc_unref) struct json_doc *pods = NULL;
	struct pod_places places;

	if (!job)
		return -1;
	pods = cli_list(cli, RESOURCE_PODS, options->namespace,
			pods_selector(options->job, cli->arena), err);
	if (!pods)
		return -1;
	f.many = options->prefix || has_many(options, json_doc_root(job));
	f.outputs = map_new(0);
	places = pod_places_sort(json_doc_root(job), json_get(json_doc_root(pods), "items"),
				 cli->arena);
	for (size_t i = 0; i < places.len; i++) {
		f.done = false;
		look_at_pod(&f, &places.ptr[i]);
		check_done(&f);
		(void)cli_wait(cli, &f.done, -1);
	}
	if (!map_len(f.outputs))
		cli_warn(cli, "no output yet: no container of %.*s that was asked for has begun%s",
			 STR_ARG(options->job), options->previous ? " a second time" : "");
	outputs_done(&f);
	return 0;
}
