/* SPDX-License-Identifier: Apache-2.0 */
/* cli/submit.c - see submit.h.
 *
 * A job of vsub is one task, "task", with as many replicas as there are tasks, which all run at the
 * same time. An array is one job, too: its elements are replicas that need not run together, and all
 * must succeed; with a bound (%k) there are k replicas which each run every k-th element.
 *
 * The words of the command and the values of the environment reach the program unchanged: what
 * Kubernetes would expand in them is escaped here. Only upstream's form (not `batch`) is passed on as
 * it is, because upstream does that. */
#include "cli/submit.h"

#include "base/buf.h"
#include "base/number.h"
#include "cli/array.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"

#include "base/banned.h"

#define INDEX_PATH "metadata.labels['volcano.sh/task-index']"

/* --- resources ---------------------------------------------------------------------------------- */

/* "cpu=1000m,memory=100Mi" as an object. */
static int set_amounts(struct json_doc *doc, struct json to, const char *key, struct str text,
		       struct err *err)
{
	struct json amounts = json_ensure_obj(doc, to, key);
	struct str rest = text;
	struct str part;

	if (!text.len)
		return 0;
	while (str_split(&rest, ',', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		struct str name = str_slice(part, 0, equals < 0 ? 0 : (size_t)equals);
		struct str value = str_skip(part, (size_t)equals + 1);
		struct quantity amount;

		if (equals < 0 || str_find_byte(value, '=', 0) >= 0)
			return err_set(err, ERR_BAD_REQUEST,
				       "invalid argument syntax %.*s, expected <resource>=<value>",
				       STR_ARG(part));
		if (quantity_parse(value, &amount, err) < 0)
			return -1;
		json_set(doc, amounts, name, json_new_str(doc, value));
	}
	return 0;
}

int submit_parse_memory(struct str text, struct buf *to, struct err *err)
{
	struct quantity amount;
	int64_t number;
	struct err none;

	buf_put_str(to, text);
	if (number_parse_i64(text, &number, &none) == 0)
		buf_puts(to, "Mi");
	return quantity_parse(buf_str(to), &amount, err);
}

/* One amount of vsub's: asked for, and a bound if it was said. */
static int set_one(struct json_doc *doc, struct json resources, struct str name, struct str value,
		   struct err *err)
{
	struct quantity amount;

	if (quantity_parse(value, &amount, err) < 0)
		return -1;
	json_set(doc, json_ensure_obj(doc, resources, "requests"), name, json_new_str(doc, value));
	json_set(doc, json_ensure_obj(doc, resources, "limits"), name, json_new_str(doc, value));
	return 0;
}

static int set_batch_amounts(struct json_doc *doc, struct json resources,
			     const struct submit *submit, struct err *err)
{
	AUTO(buf_done) struct buf memory = BUF_UNBOUNDED;

	if (submit->cpus.len && set_one(doc, resources, STR("cpu"), submit->cpus, err) < 0)
		return err_wrap(err, "--cpus %.*s", STR_ARG(submit->cpus));
	if (!submit->cpus.len)
		json_set_str(doc, json_ensure_obj(doc, resources, "requests"), "cpu", STR("1"));
	if (submit->mem.len && (submit_parse_memory(submit->mem, &memory, err) < 0 ||
				set_one(doc, resources, STR("memory"), buf_str(&memory), err) < 0))
		return err_wrap(err, "--mem %.*s", STR_ARG(submit->mem));
	if (submit->gpus.len && !str_is(submit->gpus, "0") &&
	    set_one(doc, resources, submit->gpu_resource, submit->gpus, err) < 0)
		return err_wrap(err, "--gpus %.*s", STR_ARG(submit->gpus));
	return 0;
}

static int set_resources(struct json_doc *doc, struct json container, const struct submit *submit,
			 struct err *err)
{
	struct json resources = json_ensure_obj(doc, container, "resources");

	if (submit->batch && set_batch_amounts(doc, resources, submit, err) < 0)
		return -1;
	if ((submit->limits.len || !submit->batch) &&
	    set_amounts(doc, resources, "limits", submit->limits, err) < 0)
		return -1;
	if ((submit->requests.len || !submit->batch) &&
	    set_amounts(doc, resources, "requests", submit->requests, err) < 0)
		return -1;
	return 0;
}

/* --- environment -------------------------------------------------------------------------------- */

void submit_put_literal(struct str text, struct buf *to)
{
	for (size_t i = 0; i < text.len; i++) {
		char next = i + 1 < text.len ? text.ptr[i + 1] : 0;

		if (text.ptr[i] == '$' && (next == '$' || next == '('))
			buf_putc(to, '$');
		buf_putc(to, text.ptr[i]);
	}
}

static struct json new_literal(struct json_doc *doc, struct str text)
{
	AUTO(buf_done) struct buf literal = BUF_UNBOUNDED;

	submit_put_literal(text, &literal);
	return json_new_str(doc, buf_str(&literal));
}

/* VSUB_<name>, and SLURM_<name> if that is wanted. `value` none: the index of the pod. */
static void add_env(struct json_doc *doc, struct json list, const struct submit *submit,
		    const char *name, struct str value)
{
	static const char *const families[] = {"VSUB", "SLURM"};

	for (size_t i = 0; i < (submit->slurm_env ? 2U : 1U); i++) {
		struct json env = json_new_obj(doc);

		json_set(doc, env, STR("name"), json_new_printf(doc, "%s_%s", families[i], name));
		if (!str_is_none(value))
			json_set(doc, env, STR("value"), new_literal(doc, value));
		else
			json_set_str(doc,
				     json_ensure_obj(doc, json_ensure_obj(doc, env, "valueFrom"),
						     "fieldRef"),
				     "fieldPath", STR(INDEX_PATH));
		json_append(doc, list, env);
	}
}

static void add_env_int(struct json_doc *doc, struct json list, const struct submit *submit,
			const char *name, int64_t value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_int(&text, value);
	add_env(doc, list, submit, name, buf_str(&text));
}

static int set_env(struct json_doc *doc, struct json container, const struct submit *submit,
		   struct err *err)
{
	struct json list = json_ensure_arr(doc, container, "env");
	const struct array *array = submit->array;

	for (size_t i = 0; i < submit->env_count; i++) {
		ptrdiff_t equals = str_find_byte(submit->env[i], '=', 0);
		struct json env = json_new_obj(doc);

		if (equals <= 0)
			return err_set(err, ERR_BAD_REQUEST, "--env %.*s: must be NAME=VALUE",
				       STR_ARG(submit->env[i]));
		json_set_str(doc, env, "name", str_slice(submit->env[i], 0, (size_t)equals));
		json_set(doc, env, STR("value"),
			 new_literal(doc, str_skip(submit->env[i], (size_t)equals + 1)));
		json_append(doc, list, env);
	}
	add_env(doc, list, submit, "JOB_NAME", submit->name);
	add_env(doc, list, submit, "PROCID", str_none());
	add_env_int(doc, list, submit, "NTASKS", submit->replicas);
	if (submit->cpus.len)
		add_env(doc, list, submit, "CPUS_PER_TASK", submit->cpus);
	if (array) {
		add_env_int(doc, list, submit, "ARRAY_TASK_COUNT", array->count);
		add_env_int(doc, list, submit, "ARRAY_TASK_MIN", array->least);
		add_env_int(doc, list, submit, "ARRAY_TASK_MAX", array->most);
	}
	return 0;
}

/* --- commands ----------------------------------------------------------------------------------- */

/* Whether the controller can number the elements: then no shell has to, which would take as long to start as
 * many a command takes to run. */
static bool is_numbered(const struct submit *submit)
{
	return submit->array && submit->home && submit->array->len == 1 && !submit->array->at_once;
}

/* Does the command need a shell around it: to number it, to bound it, or to write to a file? */
static bool needs_shell(const struct submit *submit)
{
	return (submit->array && !is_numbered(submit)) || submit->output.len;
}

/* The text in single quotes, for a shell. */
static void put_quoted(struct str text, struct buf *to)
{
	buf_putc(to, '\'');
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\'')
			buf_puts(to, "'\\''");
		else
			buf_putc(to, text.ptr[i]);
	buf_putc(to, '\'');
}

/* What the codes of --output stand for, as in sbatch. */
static int put_file_code(const struct submit *submit, char code, struct buf *to, struct err *err)
{
	switch (code) {
	case '%':
		buf_putc(to, '%');
		return 0;
	case 'j':
	case 'A':
	case 'x':
		put_quoted(submit->name, to);
		return 0;
	case 't':
		buf_puts(to, "\"$VSUB_PROCID\"");
		return 0;
	case 'a':
		if (!submit->array)
			return err_set(err, ERR_BAD_REQUEST,
				       "%%a stands for the element of an array: use it with "
				       "--array");
		buf_puts(to, "\"$VSUB_ARRAY_TASK_ID\"");
		return 0;
	default:
		return err_set(err, ERR_BAD_REQUEST,
			       "%%%c is unknown; known are %%j, %%A and %%x (the job's name), %%a "
			       "(the element of an array), %%t (the task's index) and %%%%",
			       code ? code : ' ');
	}
}

static bool has_code(struct str pattern, char code)
{
	for (size_t i = 0; i + 1 < pattern.len; i++)
		if (pattern.ptr[i] == '%' && pattern.ptr[++i] == code)
			return true;
	return false;
}

/* ">FILE 2>&1". Tasks that share a file append to it, so that none of them empties it. */
static int put_redirection(const struct submit *submit, struct buf *to, struct err *err)
{
	struct str left = submit->output;
	bool own =
		submit->array ? has_code(left, 'a') : submit->replicas == 1 || has_code(left, 't');
	ptrdiff_t percent;

	buf_puts(to, own ? ">" : ">>");
	while ((percent = str_find_byte(left, '%', 0)) >= 0) {
		size_t at = (size_t)percent;

		if (at)
			put_quoted(str_slice(left, 0, at), to);
		if (put_file_code(submit, at + 1 < left.len ? left.ptr[at + 1] : 0, to, err) < 0)
			return err_wrap(err, "--output %.*s", STR_ARG(submit->output));
		left = str_skip(left, at + 2);
	}
	if (left.len)
		put_quoted(left, to);
	buf_puts(to, " 2>&1");
	return 0;
}

/* Every k-th element, one after the other, each with its own time limit and output file. */
static void put_pack_shell(const struct submit *submit, struct str redirection, struct buf *to)
{
	const struct array *array = submit->array;

	if (submit->time_s > 0)
		buf_printf(to,
			   "\ttimeout -k 30 %lld \"$@\" %.*s\n"
			   "\tset -- $?\n"
			   "\t[ $1 -ne 124 ] || echo \"vsub: element $ID was stopped at its time "
			   "limit of %llds (--time)\" >&2\n"
			   "\treturn $1\n}\n",
			   (long long)submit->time_s, STR_ARG(redirection),
			   (long long)submit->time_s);
	else
		buf_printf(to, "\t\"$@\" %.*s\n}\n", STR_ARG(redirection));
	buf_printf(to,
		   "code=0 i=$VSUB_PROCID\nwhile [ \"$i\" -lt %lld ]; do\n"
		   "\trun \"$@\" || { last=$?; [ $last -gt $code ] && code=$last; }\n"
		   "\ti=$((i + %lld))\ndone\nexit $code\n",
		   (long long)array->count, (long long)array->at_once);
}

/* A shell that knows its number, runs the command for it or for every k-th number, and writes its
 * output where it was asked to. */
static int put_shell(const struct submit *submit, struct buf *to, struct err *err)
{
	const struct array *array = submit->array;
	AUTO(buf_done) struct buf redirection = BUF_UNBOUNDED;

	if (submit->output.len && put_redirection(submit, &redirection, err) < 0)
		return -1;
	if (!array || is_numbered(submit)) {
		buf_printf(to, "exec \"$@\" %.*s\n", STR_ARG(buf_str(&redirection)));
		return 0;
	}
	array_put_shell(array, to);
	buf_printf(to, "run() {\n\tid \"$i\"\n\texport VSUB_ARRAY_TASK_ID=\"$ID\"%s\n",
		   submit->slurm_env ? " SLURM_ARRAY_TASK_ID=\"$ID\"" : "");
	if (array->at_once)
		put_pack_shell(submit, buf_str(&redirection), to);
	else
		buf_printf(to, "\texec \"$@\" %.*s\n}\ni=$VSUB_PROCID\nrun \"$@\"\n",
			   STR_ARG(buf_str(&redirection)));
	return 0;
}

static int set_command(struct json_doc *doc, struct json container, const struct submit *submit,
		       struct err *err)
{
	struct json list;

	if (!submit->words)
		return 0;
	list = json_ensure_arr(doc, container, "command");
	if (needs_shell(submit)) {
		AUTO(buf_done) struct buf shell = BUF_UNBOUNDED;

		if (put_shell(submit, &shell, err) < 0)
			return -1;
		json_append(doc, list, json_new_str(doc, STR("sh")));
		json_append(doc, list, json_new_str(doc, STR("-c")));
		json_append(doc, list, new_literal(doc, buf_str(&shell)));
		json_append(doc, list, json_new_str(doc, STR("vsub")));
	}
	for (size_t i = 0; i < submit->words; i++)
		json_append(doc, list,
			    submit->batch ? new_literal(doc, submit->command[i])
					  : json_new_str(doc, submit->command[i]));
	return 0;
}

/* --- the job ------------------------------------------------------------------------------------ */

static void add_policy(struct json_doc *doc, struct json spec, const char *event,
		       const char *action)
{
	struct json policy = json_new_obj(doc);

	json_set_str(doc, policy, "event", str_from(event));
	json_set_str(doc, policy, "action", str_from(action));
	json_append(doc, json_ensure_arr(doc, spec, "policies"), policy);
}

static void number_elements(struct json_doc *doc, struct json env, const struct submit *submit)
{
	const struct array_range *range = &submit->array->ranges[0];

	json_append(doc, env,
		    json_new_printf(doc, "--array-id=VSUB_ARRAY_TASK_ID%s",
				    submit->slurm_env ? ",SLURM_ARRAY_TASK_ID" : ""));
	json_append(doc, env, json_new_printf(doc, "--array-first=%lld", (long long)range->first));
	json_append(doc, env, json_new_printf(doc, "--array-step=%lld", (long long)range->step));
}

static void set_batch(struct json_doc *doc, struct json spec, const struct submit *submit)
{
	struct json plugins = json_ensure_obj(doc, spec, "plugins");
	struct json env = json_ensure_arr(doc, plugins, "env");

	if (is_numbered(submit))
		number_elements(doc, env, submit);
	if (submit->replicas > 1 && !submit->array)
		(void)json_ensure_arr(doc, plugins, "svc");
	if (submit->array)
		json_set_int(doc, spec, "minSuccess", submit->replicas);
	if (submit->retries > 0) {
		/* The first run counts: a job fails once it has run maxRetry times. */
		json_set_int(doc, spec, "maxRetry", submit->retries + 1);
		add_policy(doc, spec, "PodFailed", "RestartJob");
	} else if (submit->stop_on_failure) {
		add_policy(doc, spec, "PodFailed", "TerminateJob");
	}
	if (submit->priority.len)
		json_set_str(doc, spec, "priorityClassName", submit->priority);
}

static int set_user(struct json_doc *doc, struct json pod, const struct submit *submit,
		    struct err *err)
{
	const struct {
		const char *flag, *field;
		struct str value;
	} rows[] = {{"--uid", "runAsUser", submit->uid}, {"--gid", "runAsGroup", submit->gid}};
	int64_t number;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!rows[i].value.len)
			continue;
		if (number_parse_range(rows[i].value, 0, INT32_MAX, &number, err) < 0)
			return err_wrap(err, "%s", rows[i].flag);
		json_set_int(doc, json_ensure_obj(doc, pod, "securityContext"), rows[i].field,
			     number);
	}
	return 0;
}

static int set_pod(struct json_doc *doc, struct json pod, const struct submit *submit,
		   struct err *err)
{
	struct json container = json_new_obj(doc);

	json_set_str(doc, pod, "restartPolicy", STR("Never"));
	json_append(doc, json_ensure_arr(doc, pod, "containers"), container);
	json_set_str(doc, container, "name", submit->batch ? STR("main") : submit->name);
	json_set_str(doc, container, "image", submit->image);
	json_set_str(doc, container, "imagePullPolicy", STR("IfNotPresent"));
	if (set_resources(doc, container, submit, err) < 0)
		return -1;
	if (set_command(doc, container, submit, err) < 0)
		return -1;
	if (!submit->batch)
		return 0;
	if (submit->folder.len)
		json_set_str(doc, container, "workingDir", submit->folder);
	/* A pod that runs elements in turn bounds each of them by itself. */
	if (submit->time_s > 0 && !(submit->array && submit->array->at_once))
		json_set_int(doc, pod, "activeDeadlineSeconds", submit->time_s);
	if (set_user(doc, pod, submit, err) < 0)
		return -1;
	return set_env(doc, container, submit, err);
}

struct json_doc *submit_job(const struct submit *submit, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata, spec, task, template;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("batch.volcano.sh/v1alpha1"));
	json_set_str(doc, root, "kind", STR("Job"));
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "name", submit->name);
	json_set_str(doc, metadata, "namespace", submit->namespace);
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "minAvailable", submit->min);
	json_set_str(doc, spec, "schedulerName", submit->scheduler);
	if (submit->queue.len)
		json_set_str(doc, spec, "queue", submit->queue);
	if (submit->batch)
		set_batch(doc, spec, submit);
	task = json_new_obj(doc);
	json_append(doc, json_ensure_arr(doc, spec, "tasks"), task);
	if (submit->batch)
		json_set_str(doc, task, "name", STR("task"));
	json_set_int(doc, task, "replicas", submit->replicas);
	template = json_ensure_obj(doc, task, "template");
	metadata = json_ensure_obj(doc, template, "metadata");
	json_set_str(doc, metadata, "name", submit->name);
	json_set_str(doc, json_ensure_obj(doc, metadata, "labels"), "job.volcano.sh", submit->name);
	if (set_pod(doc, json_ensure_obj(doc, template, "spec"), submit, err) < 0)
		return NULL;
	return TAKE(doc);
}

/* --- time --------------------------------------------------------------------------------------- */

static int bad_time(struct str text, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "\"%.*s\": must be minutes (90), [HH:]MM:SS, D-HH[:MM[:SS]], or a time such "
		       "as 90s or 1h30m",
		       STR_ARG(text));
}

/* "MM", "MM:SS", "HH:MM:SS"; after days "HH", "HH:MM", "HH:MM:SS". */
static int parse_fields(struct str text, bool days, int64_t *ret)
{
	int64_t fields[3] = {0};
	size_t count = 0;
	struct str part;
	struct err err;

	while (str_split(&text, ':', &part))
		if (count == 3 ||
		    number_parse_range(part, 0, INT32_MAX, &fields[count++], &err) < 0)
			return -1;
	if (days || count == 3)
		*ret = (fields[0] * 60 + fields[1]) * 60 + fields[2];
	else
		*ret = fields[0] * 60 + fields[1];
	return 0;
}

int submit_parse_time(struct str text, int64_t *ret, struct err *err)
{
	ptrdiff_t dash = str_find_byte(text, '-', 0);
	int64_t days = 0;
	int64_t rest = 0;
	int64_t nanoseconds;
	struct err none;

	if (dash > 0) {
		if (number_parse_range(str_slice(text, 0, (size_t)dash), 0, 10000, &days, &none) <
			    0 ||
		    parse_fields(str_skip(text, (size_t)dash + 1), true, &rest) < 0)
			return bad_time(text, err);
	} else if (parse_fields(text, false, &rest) < 0) {
		if (duration_parse(text, &nanoseconds, &none) < 0 || nanoseconds < 0)
			return bad_time(text, err);
		rest = (nanoseconds + 999999999) / 1000000000;
	}
	*ret = days * 24 * 3600 + rest;
	return 0;
}
