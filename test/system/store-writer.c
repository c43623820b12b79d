/* SPDX-License-Identifier: Apache-2.0 */
/* store-writer.c - is anything lost when a process dies in the middle of writing?
 *
 *	store-writer write FOLDER SEED		writes forever, 16 writes in flight; prints a line
 *						"KEY REVISION REMOVED" for each that is acknowledged
 *	store-writer kill FOLDER TIMES SEED	runs that, kills it (SIGKILL) after a random number of
 *						lines, looks whether all that it printed is there, again
 *						and again on the same store
 *
 * A line counts once it is in the pipe: it was written before the kill, whether it was read or not. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apiserver/store/store.h"
#include "base/number.h"
#include "loop/loop.h"
#include "random.h"
#include "tap.h"

enum { KEYS = 200, IN_FLIGHT = 16, LINE_BYTES = 64, LINES_MAX = 400, KILLS_MIN = 100 };

static void die(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static struct str key_of(unsigned key, char text[LINE_BYTES])
{
	int len = snprintf(text, LINE_BYTES, "/pods/ns-%u/pod-%u", key % 3, key);

	return str_of(text, (size_t)len);
}

/* --- writing ---------------------------------------------------------------------------------- */

struct writer {
	struct store *store;
	uint64_t seed;
};
struct slot {
	struct writer *writer;
	unsigned key;
	bool removes;
};

static void write_next(struct slot *slot);

static void slot_done(void *arg, struct object *object, const struct err *err)
{
	struct slot *slot = arg;
	char line[LINE_BYTES];

	if (err)
		die(err->text);
	int len = snprintf(line, sizeof(line), "%u %" PRId64 " %d\n", slot->key, object->revision,
			   slot->removes);

	/* straight into the pipe, whole: nothing is lost in a buffer */
	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		exit(1);
	write_next(slot);
}

static void write_next(struct slot *slot)
{
	static const char filler[3000] = "";
	struct writer *writer = slot->writer;
	char name[LINE_BYTES];
	struct store_write write = {.done = slot_done, .arg = slot};
	struct err err;

	slot->key = (unsigned)(random_next(&writer->seed) % KEYS);
	write.key = key_of(slot->key, name);
	bool there = store_newest(writer->store, write.key) != NULL;

	slot->removes = there && random_next(&writer->seed) % 4 == 0;
	write.op = slot->removes ? STORE_DELETE : there ? STORE_UPDATE : STORE_CREATE;
	write.before = write.key;
	write.tail = str_of(filler, random_next(&writer->seed) % sizeof(filler));
	if (store_write(writer->store, &write, NULL, &err) < 0)
		die(err.text);
}

static int run_writer(const char *folder, uint64_t seed)
{
	struct err err;
	struct loop *loop = loop_new(&err);
	struct writer writer = {.seed = seed};
	struct slot slots[IN_FLIGHT];

	if (!loop)
		die(err.text);
	writer.store = store_open(loop, &(struct store_options){.folder = folder}, &err);
	if (!writer.store)
		die(err.text);
	for (size_t i = 0; i < IN_FLIGHT; i++) {
		slots[i].writer = &writer;
		write_next(&slots[i]);
	}
	loop_run(loop);
	return 1;
}

/* --- killing ---------------------------------------------------------------------------------- */

/* The newest that was acknowledged. */
struct known {
	int64_t revision[KEYS];
	bool removed[KEYS];
	int64_t newest;
	uint64_t lines;
};

static int64_t field(struct str *rest)
{
	struct str part = str_none();
	int64_t number = 0;

	if (!str_split(rest, ' ', &part) || number_parse_i64(part, &number, NULL) < 0)
		die("a line of the writer is malformed");
	return number;
}

static void learn(struct known *known, const char *line)
{
	struct str rest = str_trim(str_from(line));
	int64_t key = field(&rest);
	int64_t revision = field(&rest);

	if (key < 0 || key >= KEYS || revision <= known->newest)
		die("the writer was answered out of order");
	known->revision[key] = revision;
	known->removed[key] = field(&rest) != 0;
	known->newest = revision;
	known->lines++;
}

/* One life of a writer: killed after so many lines. */
static void run_and_kill(const char *program, const char *folder, struct known *known,
			 uint64_t *seed)
{
	uint64_t lines = random_next(seed) % LINES_MAX;
	char text[LINE_BYTES];
	int pipes[2];

	(void)snprintf(text, sizeof(text), "%" PRIu64, random_next(seed) >> 33);
	if (pipe(pipes) < 0)
		die("pipe");
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		(void)dup2(pipes[1], STDOUT_FILENO);
		(void)close(pipes[0]);
		(void)close(pipes[1]);
		(void)execl(program, program, "write", folder, text, (char *)NULL);
		_exit(127);
	}
	if (lines % 16 == 0)
		(void)kill(pid, SIGKILL); /* while it starts */
	(void)close(pipes[1]);
	FILE *from = fdopen(pipes[0], "re");

	if (pid < 0 || !from)
		die("cannot start the writer");
	for (uint64_t i = 0; fgets(text, sizeof(text), from); i++) {
		learn(known, text);
		if (i == lines)
			(void)kill(pid, SIGKILL);
	}
	(void)fclose(from);
	int status = 0;

	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		die("the writer ended by itself");
}

/* Is this what was acknowledged of a key, or what a later write made of it? Such a one was durable
 * when the process was killed, but no client had been notified yet. */
static bool is_kept(const struct known *known, unsigned key, const struct object *object)
{
	int64_t revision = known->removed[key] ? 0 : known->revision[key];

	if (!object)
		return revision == 0;
	return object->revision == revision || object->revision > known->newest;
}

/* How many acknowledged writes are not there? From here on what is there counts as known. */
static int64_t count_lost(const char *folder, struct known *known)
{
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new(&err);
	AUTO(store_close)
	struct store *store =
		loop ? store_open(loop, &(struct store_options){.folder = folder}, &err) : NULL;
	char text[LINE_BYTES];
	int64_t lost = 0;

	if (!store)
		die(err.text);
	store_check(store);
	int64_t unheard = store_revision(store) - known->newest;

	for (unsigned i = 0; i < KEYS; i++) {
		const struct object *object = store_get(store, key_of(i, text));

		if (object && !str_starts(object->text, object->key))
			die("an object has the text of another");
		lost += !is_kept(known, i, object);
		known->revision[i] = object ? object->revision : 0;
		known->removed[i] = false;
	}
	known->newest = store_revision(store);
	if (unheard < 0 || unheard > 2 * IN_FLIGHT)
		die("the revision is not that of the last writes");
	return lost > unheard ? lost : 0; /* removals that no client had been notified of yet */
}

static int run_killer(const char *program, const char *folder, int64_t times, uint64_t seed)
{
	struct known known = {.newest = 1};
	int64_t lost = 0;

	printf("# seed %" PRIu64 "\n", seed);
	(void)count_lost(folder, &known); /* makes it; the first life may be too short */
	for (int64_t i = 0; i < times; i++) {
		run_and_kill(program, folder, &known, &seed);
		lost += count_lost(folder, &known);
	}
	ok(known.lines > 1000, "%" PRIu64 " writes were acknowledged", known.lines);
	ok(times >= KILLS_MIN, "the writer was killed %" PRId64 " times", times);
	ok(lost == 0, "every acknowledged write was there each time (%" PRId64 " were not)", lost);
	return tap_done();
}

int main(int argc, char **argv)
{
	int64_t seed = 1;
	int64_t times = KILLS_MIN;

	if (argc == 4 && strcmp(argv[1], "write") == 0 &&
	    number_parse_i64(str_from(argv[3]), &seed, NULL) == 0)
		return run_writer(argv[2], (uint64_t)seed);
	if (argc == 5 && strcmp(argv[1], "kill") == 0 &&
	    number_parse_i64(str_from(argv[3]), &times, NULL) == 0 &&
	    number_parse_i64(str_from(argv[4]), &seed, NULL) == 0)
		return run_killer(argv[0], argv[2], times, (uint64_t)seed);
	die("usage: store-writer write FOLDER SEED | kill FOLDER TIMES SEED");
	return 1;
}
