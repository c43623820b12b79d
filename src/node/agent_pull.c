/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent_pull.c - see agent_pull.h. `podman image exists`, then `podman pull` where that says no, run by
 * posix_spawn() on a thread of the loop; the last line of what they print is what people are told.
 *
 * Always true: an answer is given once. What was there a while ago may have been removed since, so that the
 * next pod asks again. */
#include "node/agent_pull.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/mem.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { SEED = 11, OUTPUT_BYTES = 16 * 1024 };

struct agent_pull {
	struct loop *loop;
	char *program;
	char *home;
	void (*woken)(void *arg);
	void *arg;
	struct map *asked; /* by image and how: struct question */
	unsigned refs;     /* the agent's, and one a question under way */
	bool closed;
};

struct question {
	struct agent_pull *self;
	char *key;
	char *image;
	enum agent_pull_how how;
	bool answered;
	enum agent_pull_is is;
	struct buf output;
	char **argv; /* of a command; NULL: it is about an image */
};

static void question_free(struct question *question)
{
	mem_free(question->key);
	mem_free(question->image);
	for (size_t i = 0; question->argv && question->argv[i]; i++)
		mem_free(question->argv[i]);
	mem_free(question->argv);
	buf_done(&question->output);
	mem_free(question);
}

static void unref(struct agent_pull *self)
{
	struct str key;
	void *value;
	size_t at = 0;

	if (--self->refs > 0)
		return;
	while (map_next(self->asked, &at, &key, &value))
		question_free(value);
	map_free(self->asked);
	mem_free(self->program);
	mem_free(self->home);
	mem_free(self);
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
	self->refs = 1;
	return self;
}

void agent_pull_free(struct agent_pull *self)
{
	if (!self)
		return;
	self->closed = true;
	unref(self);
}

/* --- off the thread --- */

static void read_all(int fd, struct buf *to)
{
	char piece[1024];
	ssize_t got;

	while ((got = read(fd, piece, sizeof(piece))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			buf_put(to, piece, (size_t)got < buf_room(to) ? (size_t)got : buf_room(to));
}

/* Its exit code; -1: it could not be started. */
static int run(struct question *question, const char *const *argv)
{
	const char *const env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		question->self->home, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int ends[2];
	int status = 0;
	pid_t pid;
	int failed;

	buf_clear(&question->output);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	(void)posix_spawnattr_init(&attributes);
	(void)sigemptyset(&none);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	failed = posix_spawnp(&pid, argv[0], &actions, &attributes, (char *const *)argv,
			      (char *const *)env);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	fd_close(ends[1]);
	if (!failed)
		read_all(ends[0], &question->output);
	fd_close(ends[0]);
	if (failed) {
		buf_puts(&question->output, strerrordesc_np(failed));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void find_out(void *arg)
{
	struct question *question = arg;
	const char *program = question->self->program;

	question->is = PULL_IS_THERE;
	if (question->how != PULL_HOW_ALWAYS &&
	    run(question, (const char *[]){program, "image", "exists", question->image, NULL}) == 0)
		return;
	question->is = PULL_IS_ABSENT;
	if (question->how == PULL_HOW_NEVER)
		return;
	question->is = run(question,
			   (const char *[]){program, "pull", "--quiet", question->image, NULL}) == 0
			       ? PULL_IS_THERE
			       : PULL_HAS_FAILED;
}

static void just_run(void *arg)
{
	struct question *question = arg;

	(void)run(question, (const char *const *)question->argv);
}

/* --- on the loop --- */

static void on_found_out(void *arg)
{
	struct question *question = arg;
	struct agent_pull *self = question->self;

	question->answered = true;
	if (!self->closed && question->is == PULL_IS_THERE)
		self->woken(self->arg);
	unref(self);
}

static void ask(struct agent_pull *self, const char *key, struct str image, enum agent_pull_how how)
{
	struct question *question = mem_new(struct question);

	question->self = self;
	question->key = mem_strdup(key);
	question->image = str_dup(image);
	question->how = how;
	question->output = buf_make(OUTPUT_BYTES);
	(void)map_put(self->asked, str_from(question->key), question);
	self->refs++;
	loop_work(self->loop, find_out, on_found_out, question);
}

static void on_run(void *arg)
{
	struct question *question = arg;
	struct agent_pull *self = question->self;

	question_free(question);
	unref(self);
}

void agent_pull_run(struct agent_pull *self, const char *const *argv)
{
	struct question *question = mem_new(struct question);
	size_t len = 0;

	while (argv[len])
		len++;
	question->self = self;
	question->output = buf_make(OUTPUT_BYTES);
	question->argv = mem_calloc(len + 1, sizeof(*question->argv));
	for (size_t i = 0; i < len; i++)
		question->argv[i] = mem_strdup(argv[i]);
	self->refs++;
	loop_work(self->loop, just_run, on_run, question);
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
	enum agent_pull_is is;

	if (!question)
		ask(self, key, image, how);
	if (!question || !question->answered)
		return PULL_IS_COMING;
	is = question->is;
	*ret_why = arena_str(arena, last_line(buf_str(&question->output))).ptr;
	(void)map_remove(self->asked, str_from(key));
	question_free(question);
	return is;
}
