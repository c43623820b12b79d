/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_pull.c - see agent_pull.h. Runs `podman image exists`, then `podman pull` if the image is
 * missing, as children of the loop (command.h); users see the last line of their output.
 *
 * Each class of commands has its own limit, so that pulls that hang do not delay a pod whose image is present.
 *
 * Always true: an answer is given once, except that an image is present, which holds for KEEP: a pod may have
 * several containers with images, and needs all answers at the same time. An image may be removed later, so that a
 * later pod asks again. A question is in `asked` or stands alone (argv), and in at most one queue. */
#include "node/runtime/agent_pull.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"
#include "node/agent/agent_command.h"

#include "base/banned.h"

#define KEEP (10 * TIME_SECOND)

enum { SEED = 11, OUTPUT_BYTES = 16 * 1024 };

/* What a command does. */
enum pull_class { CLASS_EXISTS, CLASS_PULL, CLASS_OTHER, CLASS_COUNT };
static const unsigned at_once[CLASS_COUNT] = {
	[CLASS_EXISTS] = 8, [CLASS_PULL] = 4, [CLASS_OTHER] = 8};

struct agent_pull {
	struct loop *loop;
	char *program;
	char *home;
	void (*woken)(void *arg);
	void *arg;
	struct map *asked; /* by image and how: struct question */
	struct list running;
	struct list lines[CLASS_COUNT]; /* questions that wait to be run */
	unsigned counts[CLASS_COUNT];   /* number of commands that run */
};

struct question {
	struct list link; /* in a queue, or running, or alone */
	struct agent_pull *self;
	char *key;
	char *image;
	enum agent_pull_how how;
	enum pull_class class; /* output of its command */
	struct agent_command *command;
	bool answered;
	int64_t keep_until; /* by loop_uptime(); 0: not asked since it was answered */
	enum agent_pull_is is;
	struct buf output;
	char **argv; /* of a command; NULL: it is about an image */
};

static void question_free(struct question *question)
{
	agent_command_abandon(question->command);
	list_remove(&question->link);
	mem_free(question->key);
	mem_free(question->image);
	for (size_t i = 0; question->argv && question->argv[i]; i++)
		mem_free(question->argv[i]);
	mem_free(question->argv);
	buf_done(&question->output);
	mem_free(question);
}

static struct question *question_new(struct agent_pull *self, enum pull_class class)
{
	struct question *question = mem_new(struct question);

	question->self = self;
	question->class = class;
	question->output = buf_make(OUTPUT_BYTES);
	list_init(&question->link);
	return question;
}

struct agent_pull *agent_pull_new(struct loop *loop, const char *program, const char *home,
				  void (*woken)(void *arg), void *arg)
{
	struct agent_pull *self = mem_new(struct agent_pull);

	self->loop = loop;
	self->program = mem_strdup(program);
	self->home = mem_printf("HOME=%s", home ? home : "/");
	self->woken = woken;
	self->arg = arg;
	self->asked = map_new(SEED);
	list_init(&self->running);
	for (size_t i = 0; i < CLASS_COUNT; i++)
		list_init(&self->lines[i]);
	return self;
}

static int start(struct question *question);

/* Commands without a caller, such as the removal of a container, are run although no one waits for them. */
static void start_others(struct agent_pull *self)
{
	LIST_EACH(&self->lines[CLASS_OTHER], struct question, link, question) {
		(void)start(question);
		question_free(question);
	}
}

static void drop_others(struct list *list)
{
	LIST_EACH(list, struct question, link, question) {
		if (question->argv)
			question_free(question);
	}
}

void agent_pull_free(struct agent_pull *self)
{
	struct str key;
	void *value;
	size_t at = 0;

	if (!self)
		return;
	start_others(self);
	drop_others(&self->running);
	while (map_next(self->asked, &at, &key, &value))
		question_free(value);
	map_free(self->asked);
	mem_free(self->program);
	mem_free(self->home);
	mem_free(self);
}

/* --- commands --- */

static void enter(struct question *question, enum pull_class class);

static void answer(struct question *question, enum agent_pull_is is)
{
	struct agent_pull *self = question->self;

	question->answered = true;
	question->is = is;
	if (is == PULL_IS_THERE)
		self->woken(self->arg); /* may ask again, and free the question */
}

/* A command of its class has ended, or could not be started (-1). */
static void conclude(struct question *question, int code)
{
	switch (question->class) {
	case CLASS_EXISTS:
		if (code == 0)
			answer(question, PULL_IS_THERE);
		else if (question->how == PULL_HOW_NEVER)
			answer(question, PULL_IS_ABSENT);
		else
			enter(question, CLASS_PULL);
		break;
	case CLASS_PULL:
		answer(question, code == 0 ? PULL_IS_THERE : PULL_HAS_FAILED);
		break;
	case CLASS_OTHER:
	case CLASS_COUNT:
		question_free(question);
		break;
	}
}

static void start_next(struct agent_pull *self, enum pull_class class);

static void on_ended(void *arg, int code, struct str output)
{
	struct question *question = arg;
	struct agent_pull *self = question->self;
	enum pull_class class = question->class;

	question->command = NULL;
	list_remove(&question->link);
	buf_put_str(&question->output, output);
	self->counts[class]--;
	conclude(question, code);
	start_next(self, class);
}

/* 0, or -1: it could not be started, and the output says why. */
static int start(struct question *question)
{
	struct agent_pull *self = question->self;
	const char *const env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", self->home,
		NULL};
	const char *const exists[] = {self->program, "image",         "exists",
				      "--",          question->image, NULL};
	const char *const pull[] = {self->program, "pull", "--quiet", "--", question->image, NULL};
	const char *const *argvs[CLASS_COUNT] = {
		[CLASS_EXISTS] = exists,
		[CLASS_PULL] = pull,
		[CLASS_OTHER] = (const char *const *)question->argv,
	};
	struct err err;

	buf_clear(&question->output);
	question->command = agent_command_start(
		self->loop,
		&(struct agent_command_options){.argv = argvs[question->class],
						.env = env,
						.output_max = question->argv ? 0 : OUTPUT_BYTES,
						.done = on_ended,
						.arg = question},
		&err);
	if (question->command)
		return 0;
	buf_puts(&question->output, err.text);
	return -1;
}

static void start_next(struct agent_pull *self, enum pull_class class)
{
	struct list *node;

	while (self->counts[class] < at_once[class] && (node = list_pop(&self->lines[class]))) {
		struct question *question = container_of(node, struct question, link);

		list_init(&question->link);
		if (start(question) < 0) {
			conclude(question, -1);
			continue;
		}
		list_push(&self->running, &question->link);
		self->counts[class]++;
	}
}

/* Adds a question to the queue of a class. */
static void enter(struct question *question, enum pull_class class)
{
	question->class = class;
	list_push(&question->self->lines[class], &question->link);
	start_next(question->self, class);
}

static void ask(struct agent_pull *self, const char *key, struct str image, enum agent_pull_how how)
{
	struct question *question = question_new(self, CLASS_EXISTS);

	question->key = mem_strdup(key);
	question->image = str_dup(image);
	question->how = how;
	(void)map_put(self->asked, str_from(question->key), question);
	enter(question, how == PULL_HOW_ALWAYS ? CLASS_PULL : CLASS_EXISTS);
}

void agent_pull_run(struct agent_pull *self, const char *const *argv)
{
	struct question *question = question_new(self, CLASS_OTHER);
	size_t len = 0;

	while (argv[len])
		len++;
	question->argv = mem_calloc(len + 1, sizeof(*question->argv));
	for (size_t i = 0; i < len; i++)
		question->argv[i] = mem_strdup(argv[i]);
	enter(question, CLASS_OTHER);
}

static struct str last_line(struct str text)
{
	text = str_trim(text);
	return str_skip(text, (size_t)(str_rfind_byte(text, '\n') + 1));
}

enum agent_pull_is agent_pull_ask(struct agent_pull *self, struct str image,
				  enum agent_pull_how how, struct arena *arena,
				  const char **ret_why)
{
	const char *key = arena_printf(arena, "%d %.*s", (int)how, STR_ARG(image));
	struct question *question = map_get(self->asked, str_from(key));
	int64_t now = loop_uptime(self->loop);
	enum agent_pull_is is;

	if (question && question->keep_until && question->keep_until < now) {
		(void)map_remove(self->asked, str_from(key));
		question_free(question);
		question = NULL;
	}
	if (!question)
		ask(self, key, image, how);
	if (!question || !question->answered)
		return PULL_IS_COMING;
	is = question->is;
	if (is == PULL_IS_THERE) {
		if (!question->keep_until)
			question->keep_until = now + KEEP;
		return is;
	}
	*ret_why = arena_str(arena, last_line(buf_str(&question->output))).ptr;
	(void)map_remove(self->asked, str_from(key));
	question_free(question);
	return is;
}
