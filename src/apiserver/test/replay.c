/* SPDX-License-Identifier: Apache-2.0 */
/* The store against a model, by random scripts (script.h asserts); a failure at every commit; and
 * the same on a real disk. */
#include <unistd.h>

#include "apiserver/test/script.h"
#include "apiserver/test/stores.h"
#include "random.h"

enum { SCRIPTS = 400, SCRIPT_BYTES = 600, COMMITS = 30, WRITES_A_COMMIT = 4 };

static void test_scripts(uint64_t seed)
{
	uint8_t data[SCRIPT_BYTES];
	int64_t revisions = 0;

	printf("# seed %" PRIu64 "\n", seed);
	for (int i = 0; i < SCRIPTS; i++) {
		for (size_t at = 0; at < sizeof(data); at++)
			data[at] = (uint8_t)random_next(&seed);
		revisions += script_run(data, sizeof(data));
	}
	ok(revisions > SCRIPTS * 50,
	   "%d scripts with %" PRId64 " revisions: replay equals list, nothing is lost", SCRIPTS,
	   revisions);
}

/* Writes batches until the disk fails at commit `at`; gives how many writes were acknowledged. */
static int64_t run_until_failure(struct loop *loop, struct disk_memory *memory, uint64_t at,
				 bool keep)
{
	struct err err;
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, &err)});
	struct acked acked[COMMITS * WRITES_A_COMMIT] = {0};
	int64_t acknowledged = 0;
	char key[32];

	disk_memory_set_faults(
		memory, &(struct disk_memory_faults){.fail = true, .fail_after = at, .keep = keep});
	for (int i = 0; i < COMMITS * WRITES_A_COMMIT; i++) {
		snprintf(key, sizeof(key), "/pods/a/%d", i % 7);
		(void)put(store, i < 7 ? STORE_CREATE : STORE_UPDATE, key, 0, "x", &acked[i]);
		if (i % WRITES_A_COMMIT == WRITES_A_COMMIT - 1)
			store_flush(store);
		store_check(store);
	}
	for (int i = 0; i < COMMITS * WRITES_A_COMMIT; i++)
		if (acked[i].revision)
			acknowledged++;
	if (store_revision(store) != 1 + acknowledged || !store_failure(store))
		acknowledged = -1;
	store_close(store);
	return acknowledged;
}

static void test_failure_everywhere(bool keep)
{
	int good = 0;

	for (uint64_t at = 0; at < COMMITS; at++) {
		AUTO(loop_free) struct loop *loop = virtual_loop(at);
		AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
		int64_t acknowledged = run_until_failure(loop, memory, at, keep);
		int64_t brought = acknowledged + (keep ? WRITES_A_COMMIT : 0);

		disk_memory_set_faults(memory, &(struct disk_memory_faults){0});
		struct store *store = open_with(
			loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});

		store_check(store);
		good += acknowledged == (int64_t)(at * WRITES_A_COMMIT) &&
			store_revision(store) == (brought ? 1 + brought : 1) &&
			(int64_t)store_count(store, STR("")) == (brought < 7 ? brought : 7);
		store_close(store);
	}
	ok(good == COMMITS, "a failure at every commit (%s) loses nothing that was acknowledged",
	   keep ? "after writing" : "before writing");
}

/* --- on a real disk --------------------------------------------------------------------------- */

static bool same_state(struct store *a, struct store *b)
{
	struct object *x, *y;
	struct str at = str_none();

	if (store_count(a, STR("")) != store_count(b, STR("")))
		return false;
	for (; (x = store_next(a, STR(""), at)); at = x->key) {
		y = store_get(b, x->key);
		if (!y || y->revision != x->revision || !str_eq(x->text, y->text) ||
		    !str_eq(object_label(x, STR("app")), object_label(y, STR("app"))) ||
		    !str_eq(object_field(x, STR("value")), object_field(y, STR("value"))))
			return false;
	}
	return store_revision(a) == store_revision(b);
}

static void churn(struct store *store, uint64_t *seed, int writes)
{
	char key[32], value[32];

	for (int i = 0; i < writes; i++) {
		snprintf(key, sizeof(key), "/pods/ns-%d/%d", (int)(random_next(seed) % 3),
			 (int)(random_next(seed) % 40));
		snprintf(value, sizeof(value), "%d", (int)random_next(seed));
		(void)put(store, (enum store_op)(random_next(seed) % 3), key, 0, value, NULL);
		if (random_next(seed) % 16 == 0)
			store_flush(store);
	}
	store_flush(store);
}

struct copied {
	int calls;
	enum err_code code;
	char text[ERR_TEXT_SIZE];
};

static void copied_done(void *arg, const struct err *err)
{
	struct copied *copied = arg;

	copied->calls++;
	copied->code = err ? err->code : ERR_NONE;
	snprintf(copied->text, sizeof(copied->text), "%s", err ? err->text : "");
}

static void test_folder(bool is_virtual, uint64_t seed)
{
	AUTO(loop_free) struct loop *loop = is_virtual ? virtual_loop(seed) : real_loop();
	char *folder = temporary_folder();
	AUTO(mem_free) char *copy = mem_printf("%s.copy", folder);
	struct store *store = open_folder(loop, folder);
	struct copied copied = {0}, again = {0};
	struct store_stats stats;

	churn(store, &seed, 300);
	int64_t revision = store_revision(store);
	size_t count = store_count(store, STR(""));

	store_backup(store, copy, copied_done, &copied);
	churn(store, &seed, 300);
	while (copied.calls == 0)
		(void)loop_turn(loop, -1);
	is(copied.text, "");
	store_backup(store, copy, copied_done, &again);
	while (again.calls == 0)
		(void)loop_turn(loop, -1);
	ok(again.code == ERR_ALREADY_EXISTS, "a copy is not made over another: %s", again.text);
	struct store *second = open_folder(loop, copy);

	ok(store_revision(second) == revision && store_count(second, STR("")) == count,
	   "a copy made while writing has the state of its start");
	store_check(second);
	store_close(second);
	store_stats(store, &stats);
	ok(stats.disk_bytes > 0 && stats.commits > 10 && stats.object_bytes > 0, "it has numbers");

	/* the first one stays in memory while the folder is opened again */
	AUTO(mem_free) char *rest = mem_printf("%s.rest", folder);

	store_backup(store, rest, NULL, NULL);
	store_close(store);
	store = open_folder(loop, folder);
	second = open_folder(loop, rest);
	ok(same_state(store, second) && store_count(store, STR("")) > 20,
	   "reopened it is what it was");
	store_check(store);
	store_close(store);
	store_close(second);
	rm_folder(folder);
	rm_folder(TAKE(copy));
	rm_folder(TAKE(rest));
}

int main(void)
{
	test_scripts(1);
	test_failure_everywhere(false);
	test_failure_everywhere(true);
	test_folder(true, 1);
	test_folder(false, 2);
	return tap_done();
}
