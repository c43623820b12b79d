/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_store.c - the API server's store, with pods of 3 kB in it.
 *
 * get: by key, in no order. stage: all that a write costs in CPU time without a disk, 64 at a
 * time. write_1, write_16, write_64, write_1024: so many updates that share one commit to disk; by
 * the wall's clock, since most of it is waiting. load: the folder is opened again, by pod.
 *
 * bytes_per_pod is what the heap holds for a pod, its history left out; overhead_per_pod is that
 * without the pod's own text. The folder is made in $TMPDIR: put that on the disk that is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { POD_BYTES = 3000, NAME_BYTES = 64, FILL_BATCH = 1000 };

struct pods {
	struct bench_run *run;
	struct loop *loop;
	struct store *store;
	char *folder;    /* NULL: in memory */
	struct buf text; /* of a pod, after its revision */
};

static struct str key_of(size_t number, char text[NAME_BYTES])
{
	int len = snprintf(text, NAME_BYTES, "/pods/research/train-worker-%zu", number);

	return str_of(text, (size_t)len);
}

static void put(struct pods *pods, enum store_op op, size_t number)
{
	char name[NAME_BYTES];
	struct str key = key_of(number, name);
	const struct object_pair labels[] = {
		{STR("volcano.sh/job-name"), STR("train")},
		{STR("volcano.sh/queue-name"), STR("default")},
		{STR("volcano.sh/task-spec"), STR("worker")},
	};
	const struct object_pair fields[] = {
		{STR("metadata.name"), str_skip(key, sizeof("/pods/research/") - 1)},
		{STR("metadata.namespace"), STR("research")},
		{STR("spec.nodeName"), STR("node-17")},
		{STR("spec.restartPolicy"), STR("OnFailure")},
		{STR("spec.schedulerName"), STR("volcano")},
		{STR("spec.serviceAccountName"), STR("default")},
		{STR("status.phase"), STR("Running")},
		{STR("status.podIP"), STR("10.0.13.7")},
		{STR("status.nominatedNodeName"), STR("")},
	};
	struct store_write write = {
		.op = op,
		.key = key,
		.before = STR("{\"metadata\":{\"resourceVersion\":\""),
		.tail = buf_str(&pods->text),
		.labels = labels,
		.label_count = ARRAY_LEN(labels),
		.fields = fields,
		.field_count = ARRAY_LEN(fields),
	};
	struct err err = {0};

	bench_require(store_write(pods->store, &write, NULL, &err) == 0, &err);
}

static void flush(struct pods *pods)
{
	store_flush(pods->store);
	bench_require(!store_failure(pods->store), &(struct err){.text = "the store has failed"});
}

static void open_store(struct pods *pods)
{
	struct store_options options = {.folder = pods->folder, .history_events = 1};
	struct err err = {0};

	pods->store = store_open(pods->loop, &options, &err);
	bench_require(pods->store != NULL, &err);
}

static void fill(struct pods *pods)
{
	size_t count = bench_size(pods->run);

	for (size_t i = 0; i < count; i++) {
		put(pods, STORE_CREATE, i);
		if (i % FILL_BATCH == FILL_BATCH - 1)
			flush(pods);
	}
	flush(pods);
}

static void update(struct pods *pods, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(pods, STORE_UPDATE, bench_dice_below(pods->run, bench_size(pods->run)));
	flush(pods);
}

static void measure_memory(struct pods *pods)
{
	enum { GETS = 1000, WRITES = 64 };
	struct bench_run *run = pods->run;
	size_t count = bench_size(run);
	size_t heap = bench_heap();
	char name[NAME_BYTES];

	open_store(pods);
	fill(pods);
	double bytes = (double)(bench_heap() - heap) / (double)count;
	const struct object *pod = store_get(pods->store, key_of(0, name));

	bench_value(run, "bytes_per_pod", bytes);
	bench_value(run, "overhead_per_pod", bytes - (double)pod->text.len);
	bench_phase(run, "get");
	while (bench_round(run, GETS))
		for (size_t i = 0; i < GETS; i++)
			bench_use(
				store_get(pods->store, key_of(bench_dice_below(run, count), name)));
	bench_phase(run, "stage");
	while (bench_round(run, WRITES))
		update(pods, WRITES);
	store_close(TAKE(pods->store));
}

static void measure_disk(struct pods *pods)
{
	static const struct {
		const char *name;
		size_t batch;
	} phases[] = {{"write_1", 1}, {"write_16", 16}, {"write_64", 64}, {"write_1024", 1024}};
	struct bench_run *run = pods->run;
	struct store_stats stats;

	open_store(pods);
	fill(pods);
	for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
		bench_phase_wall(run, phases[i].name);
		while (bench_round(run, phases[i].batch))
			update(pods, phases[i].batch);
	}
	store_stats(pods->store, &stats);
	bench_value(run, "disk_bytes_per_pod", (double)stats.disk_bytes / (double)bench_size(run));
	store_close(TAKE(pods->store));
	bench_phase_wall(run, "load");
	while (bench_round(run, bench_size(run))) {
		open_store(pods);
		bench_pause(run);
		store_close(TAKE(pods->store));
		bench_resume(run);
	}
}

static void remove_folder(char *folder)
{
	static const char *const files[] = {"data.mdb", "lock", "format"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, files[i]);

		(void)unlink(path); /* what is left is in a temporary folder */
	}
	(void)rmdir(folder);
	mem_free(folder);
}

static void measure_store(struct bench_run *run)
{
	struct err err = {0};
	const char *root = getenv("TMPDIR");
	char *folder = mem_printf("%s/vc-bench-store.XXXXXX", root ? root : "/tmp");
	struct pods pods = {.run = run, .loop = loop_new(&err), .text = BUF_UNBOUNDED};

	bench_require(pods.loop != NULL, &err);
	buf_puts(&pods.text, "\",\"labels\":{\"volcano.sh/job-name\":\"train\","
			     "\"volcano.sh/queue-name\":\"default\","
			     "\"volcano.sh/task-spec\":\"worker\"}},\"filler\":\"");
	while (pods.text.len < POD_BYTES)
		buf_puts(&pods.text, "lorem ipsum ");
	buf_puts(&pods.text, "\"}");
	measure_memory(&pods);
	bench_require(mkdtemp(folder) != NULL, &(struct err){.text = "no temporary folder"});
	pods.folder = folder;
	measure_disk(&pods);
	remove_folder(folder);
	buf_done(&pods.text);
	loop_free(pods.loop);
}

const struct bench bench_store = {
	.name = "store",
	.about = "the API server's store: pods of 3 kB read, written to disk, loaded",
	.item = "pods",
	.size = 100000,
	.run = measure_store,
};
