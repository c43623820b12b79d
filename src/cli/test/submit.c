/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, scripts, times and sizes as people write them, and the jobs that they come to. */
#include "cli/submit.h"

#include "base/arena.h"
#include "base/vec.h"
#include "cli/array.h"
#include "cli/script.h"
#include "json/pointer.h"
#include "json/yaml.h"
#include "tap.h"

#include "base/banned.h"

static void test_arrays(void)
{
	static const struct {
		const char *text;
		int64_t count, least, most, at_once;
	} good[] = {
		{"1-100", 100, 1, 100, 0}, {"5", 1, 5, 5, 0},           {"0-9:3", 4, 0, 9, 0},
		{"1,5,7-9", 5, 1, 9, 0},   {"1-100%8", 100, 1, 100, 8}, {"1-3%9", 3, 1, 3, 3},
		{"0-8:3", 3, 0, 6, 0},     {"9,1-2", 3, 1, 9, 0},
	};
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"",
		 "\"\": \"\" must be a number from 0 to 2147483647; arrays are written as 1-100, "
		 "0-9:3, 1,5,7-9 or 1-100%8"},
		{"9-1", "\"9-1\": ends before it begins"},
		{"1-9:0", "\"1-9:0\": the step must be at least 1"},
		{"0-9999999", "at most 1000000 elements can be given"},
	};
	struct array array;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		ok(array_parse(str_from(good[i].text), &array, &err) == 0 &&
			   array.count == good[i].count && array.least == good[i].least &&
			   array.most == good[i].most && array.at_once == good[i].at_once,
		   "%s has %lld elements", good[i].text, (long long)good[i].count);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ok(array_parse(str_from(bad[i].text), &array, &err) < 0, "%s is refused",
		   bad[i].text);
		is(err.text, bad[i].error);
	}
	ok(array_parse(STR("1-x"), &array, &err) < 0 && array_parse(STR("1%"), &array, &err) < 0 &&
		   array_parse(STR("-1"), &array, &err) < 0 &&
		   array_parse(STR("1,,2"), &array, &err) < 0,
	   "and so is what is no number");
}

static void test_times(void)
{
	static const struct {
		const char *text;
		int64_t seconds; /* below 0: refused */
	} cases[] = {
		{"90", 5400},        {"30:00", 1800}, {"2:00:30", 7230}, {"1-12", 129600},
		{"1-12:30", 131400}, {"0-0:0:5", 5},  {"90s", 90},       {"1h30m", 5400},
		{"1500ms", 2},       {"", -1},        {"soon", -1},      {"1:2:3:4", -1},
		{"-5", -1},          {"1-", -1},
	};
	int64_t seconds;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int status = submit_parse_time(str_from(cases[i].text), &seconds, &err);

		ok(cases[i].seconds < 0 ? status < 0 : status == 0 && seconds == cases[i].seconds,
		   "\"%s\" is %lld seconds", cases[i].text, (long long)cases[i].seconds);
	}
}

static void test_scripts(struct arena *arena)
{
	struct words words = {0};
	struct err err;

	ok(script_is(STR("#!/bin/sh\n")) && !script_is(STR("\x7f"
							   "ELF")),
	   "a script begins with #!");
	ok(script_flags(
		   STR("#!/bin/sh\n#VSUB -n 4 -J 'a b'\n# a comment\n\n#VSUBS -x\n #VSUB\t-q r\n"
		       "echo\n#VSUB -z\n"),
		   arena, &words, &err) == 0 &&
		   words.len == 6 && str_is(words.ptr[1], "4") && str_is(words.ptr[3], "a b") &&
		   str_is(words.ptr[5], "r"),
	   "flags are read up to the first command");
	vec_clear(&words);
	ok(script_flags(STR("#!/bin/sh\n#VSUB -J 'a\n"), arena, &words, &err) < 0,
	   "a quote is open");
	is(err.text, "line 2: the quote ' in the command is not closed");
	vec_clear(&words);
	ok(script_command(STR("#!/bin/bash -e\necho $0\n"), STR("x.sh"), arena, &words, &err) ==
			   0 &&
		   words.len == 5 && str_is(words.ptr[0], "/bin/bash") &&
		   str_is(words.ptr[1], "-e") && str_is(words.ptr[2], "-c") &&
		   str_is(words.ptr[3], "#!/bin/bash -e\necho $0\n") &&
		   str_is(words.ptr[4], "x.sh"),
	   "a shell takes the text and a name");
	vec_clear(&words);
	ok(script_command(STR("#!/usr/bin/env python3\nprint(1)\n"), STR("/a/x.py"), arena, &words,
			  &err) == 0 &&
		   words.len == 5 && str_is(words.ptr[0], "python3") &&
		   str_find(words.ptr[2], STR("__file__ = "), 0) >= 0 &&
		   str_is(words.ptr[3], "#!/usr/bin/env python3\nprint(1)\n") &&
		   str_is(words.ptr[4], "/a/x.py"),
	   "python is given the text and __file__");
	vec_clear(&words);
	ok(script_command(STR("#!/usr/bin/awk -f\n"), STR("x.awk"), arena, &words, &err) < 0,
	   "what cannot take a text is refused");
	is(err.text,
	   "x.awk: do not know how to hand a script to \"#!/usr/bin/awk -f\"; put it where "
	   "the job runs and name it after \"--\"");
	vec_done(&words);
}

static const char gang_text[] =
	"apiVersion: batch.volcano.sh/v1alpha1\n"
	"kind: Job\n"
	"metadata:\n"
	"  name: train\n"
	"  namespace: ns\n"
	"spec:\n"
	"  minAvailable: 4\n"
	"  plugins:\n"
	"    env: []\n"
	"    svc: []\n"
	"  queue: research\n"
	"  schedulerName: volcano\n"
	"  tasks:\n"
	"  - name: task\n"
	"    replicas: 4\n"
	"    template:\n"
	"      metadata:\n"
	"        labels:\n"
	"          job.volcano.sh: train\n"
	"        name: train\n"
	"      spec:\n"
	"        activeDeadlineSeconds: 60\n"
	"        containers:\n"
	"        - command:\n"
	"          - ./train.sh\n"
	"          env:\n"
	"          - name: A\n"
	"            value: b=c\n"
	"          - name: VSUB_JOB_NAME\n"
	"            value: train\n"
	"          - name: VSUB_PROCID\n"
	"            valueFrom:\n"
	"              fieldRef:\n"
	"                fieldPath: metadata.labels['volcano.sh/task-index']\n"
	"          - name: VSUB_NTASKS\n"
	"            value: \"4\"\n"
	"          - name: VSUB_CPUS_PER_TASK\n"
	"            value: \"2\"\n"
	"          image: busybox\n"
	"          imagePullPolicy: IfNotPresent\n"
	"          name: main\n"
	"          resources:\n"
	"            limits:\n"
	"              cpu: \"2\"\n"
	"              memory: 512Mi\n"
	"              nvidia.com/gpu: \"1\"\n"
	"            requests:\n"
	"              cpu: \"2\"\n"
	"              memory: 512Mi\n"
	"              nvidia.com/gpu: \"1\"\n"
	"          workingDir: /here\n"
	"        restartPolicy: Never\n";

static const struct str train[] = {STR_INIT("./train.sh")};
static const struct str variables[] = {STR_INIT("A=b=c")};
static const struct submit gang = {
	.name = STR_INIT("train"),
	.namespace = STR_INIT("ns"),
	.queue = STR_INIT("research"),
	.scheduler = STR_INIT("volcano"),
	.image = STR_INIT("busybox"),
	.replicas = 4,
	.min = 4,
	.command = train,
	.words = 1,
	.batch = true,
	.cpus = STR_INIT("2"),
	.mem = STR_INIT("512"),
	.gpus = STR_INIT("1"),
	.gpu_resource = STR_INIT("nvidia.com/gpu"),
	.folder = STR_INIT("/here"),
	.time_s = 60,
	.env = variables,
	.env_count = 1,
};

static void test_jobs(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *job = NULL;
	struct submit wrong = gang;
	struct err err;

	job = submit_job(&gang, &err);
	ok(job != NULL, "a gang is made");
	if (job)
		yaml_print(json_doc_root(job), &text);
	is(buf_text(&text), gang_text);
	wrong.mem = STR("much");
	ok(!submit_job(&wrong, &err), "a size that is none is refused");
	ok(str_starts(str_from(err.text), STR("--mem much: quantities must match")), "by its flag");
	wrong = gang;
	wrong.env = train;
	ok(!submit_job(&wrong, &err), "a variable without a value is refused");
	is(err.text, "--env ./train.sh: must be NAME=VALUE");
}

static void test_array_job(void)
{
	struct array array;
	struct submit submit = gang;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *job = NULL;
	struct json command, spec;

	submit.slurm_env = true;
	submit.array = &array;
	ok(array_parse(STR("1-9:2,20%2"), &array, &err) == 0, "an array with a bound");
	submit.replicas = 2;
	submit.min = 1;
	job = submit_job(&submit, &err);
	ok(job != NULL, "comes to a job");
	if (!job)
		return;
	spec = json_get(json_doc_root(job), "spec");
	ok(json_int(json_get(spec, "minSuccess")) == 2 &&
		   json_is_absent(json_pointer_get(spec, STR("/plugins/svc"))),
	   "whose pods must all succeed, and do not know one another");
	command = json_pointer_get(spec, STR("/tasks/0/template/spec/containers/0/command"));
	is(json_str(json_at(command, 2)).ptr,
	   "id() {\n"
	   "\tif [ \"$1\" -lt 5 ]; then ID=$$((1 + 2 * ($1 - 0)))\n"
	   "\telif [ \"$1\" -lt 6 ]; then ID=$$((20 + 1 * ($1 - 5)))\n"
	   "\tfi\n"
	   "}\n"
	   "run() {\n"
	   "\tid \"$i\"\n"
	   "\texport VSUB_ARRAY_TASK_ID=\"$ID\" SLURM_ARRAY_TASK_ID=\"$ID\"\n"
	   "\ttimeout -k 30 60 \"$@\" \n"
	   "\tset -- $?\n"
	   "\t[ $1 -ne 124 ] || echo \"vsub: element $ID was stopped at its time limit of 60s "
	   "(--time)\" >&2\n"
	   "\treturn $1\n"
	   "}\n"
	   "code=0 i=$VSUB_PROCID\n"
	   "while [ \"$i\" -lt 6 ]; do\n"
	   "\trun \"$@\" || { last=$?; [ $last -gt $code ] && code=$last; }\n"
	   "\ti=$$((i + 2))\n"
	   "done\n"
	   "exit $code\n");
	ok(str_is(json_str(json_at(command, 4)), "./train.sh"), "the command follows it");
}

/* What Kubernetes expands in a command and in variables is escaped, and nothing else. */
static void test_literal(void)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"$", "$"},
		{"$HOME", "$HOME"},
		{"$$", "$$$"},
		{"$(HOME)", "$$(HOME)"},
		{"$$(HOME)", "$$$$(HOME)"},
		{"kill $$; echo $((1 + 2))", "kill $$$; echo $$((1 + 2))"},
		{"$$$", "$$$$$"},
		{"a$(", "a$$("},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		submit_put_literal(str_from(cases[i][0]), &text);
		is(buf_text(&text), cases[i][1]);
	}
}

static struct str shell_of(struct json_doc *job)
{
	return json_str(json_pointer_get(
		json_doc_root(job), STR("/spec/tasks/0/template/spec/containers/0/command/2")));
}

static void test_output(void)
{
	static const struct {
		const char *pattern, *array;
		int64_t replicas;
		const char *shell;
	} good[] = {
		{"out.txt", NULL, 1, "exec \"$@\" >'out.txt' 2>&1\n"},
		{"it's", NULL, 1, "exec \"$@\" >'it'\\''s' 2>&1\n"},
		{"%x-%t.log", NULL, 4, "exec \"$@\" >'train''-'\"$VSUB_PROCID\"'.log' 2>&1\n"},
		{"all%%t", NULL, 4, "exec \"$@\" >>'all'%'t' 2>&1\n"},
		{"%a", "1-3", 3, "exec \"$@\" >\"$VSUB_ARRAY_TASK_ID\" 2>&1\n"},
		{"one", "1-3", 3, "exec \"$@\" >>'one' 2>&1\n"},
	};
	static const struct {
		const char *pattern, *error;
	} bad[] = {
		{"%a", "--output %a: %a stands for the element of an array: use it with --array"},
		{"a%q", "--output a%q: %q is unknown; known are %j, %A and %x (the job's name), %a "
			"(the element of an array), %t (the task's index) and %%"},
		{"a%", "--output a%: %  is unknown; known are %j, %A and %x (the job's name), %a "
		       "(the element of an array), %t (the task's index) and %%"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		AUTO(json_doc_unref) struct json_doc *job = NULL;
		struct submit submit = gang;
		struct array array = {0};

		submit.home = true;
		submit.output = str_from(good[i].pattern);
		submit.replicas = good[i].replicas;
		if (good[i].array && array_parse(str_from(good[i].array), &array, &err) == 0)
			submit.array = &array;
		job = submit_job(&submit, &err);
		is(job ? shell_of(job).ptr : err.text, good[i].shell);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct submit submit = gang;

		submit.output = str_from(bad[i].pattern);
		ok(!submit_job(&submit, &err), "--output %s is refused", bad[i].pattern);
		is(err.text, bad[i].error);
	}
}

static void test_retries_and_time(void)
{
	AUTO(json_doc_unref) struct json_doc *job = NULL;
	struct submit submit = gang;
	struct array array;
	struct json spec;
	struct err err;

	submit.retries = 2;
	submit.array = &array;
	ok(array_parse(STR("1-9%2"), &array, &err) == 0, "an array of nine, two at once");
	job = submit_job(&submit, &err);
	spec = json_get(json_doc_root(job), "spec");
	ok(json_int(json_get(spec, "maxRetry")) == 3, "two more runs are three in all");
	ok(json_is_absent(
		   json_pointer_get(spec, STR("/tasks/0/template/spec/activeDeadlineSeconds"))) &&
		   str_find(shell_of(job), STR("timeout -k 30 60 \"$@\""), 0) >= 0,
	   "the time limit holds for each element, not for the pod that runs several");
}

/* On one machine the controller numbers the elements of a single range. */
static void test_numbered_array(void)
{
	static const struct {
		const char *text;
		bool home;
		const char *command, *plugin;
	} rows[] = {
		{"3-9:2", true, "./train.sh",
		 "[\"--array-id=VSUB_ARRAY_TASK_ID\",\"--array-first=3\",\"--array-step=2\"]"},
		{"3-9:2", false, "sh", "[]"},
		{"1-9%2", true, "sh", "[]"},
		{"1-3,7", true, "sh", "[]"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf plugin = BUF_UNBOUNDED;
		AUTO(json_doc_unref) struct json_doc *job = NULL;
		struct submit submit = gang;
		struct array array = {0};
		struct json spec;
		struct err err;

		submit.array = &array;
		submit.home = rows[i].home;
		ok(array_parse(str_from(rows[i].text), &array, &err) == 0, "%s", rows[i].text);
		job = submit_job(&submit, &err);
		spec = json_get(json_doc_root(job), "spec");
		is(json_str(json_pointer_get(spec,
					     STR("/tasks/0/template/spec/containers/0/command/0")))
			   .ptr,
		   rows[i].command);
		json_print(json_pointer_get(spec, STR("/plugins/env")), JSON_COMPACT, &plugin);
		is(buf_text(&plugin), rows[i].plugin);
	}
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	test_arrays();
	test_times();
	test_scripts(arena);
	test_jobs();
	test_array_job();
	test_numbered_array();
	test_literal();
	test_output();
	test_retries_and_time();
	return tap_done();
}
