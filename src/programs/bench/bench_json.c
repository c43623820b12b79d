/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_json.c - a list of pods as a server sends it, read, printed and copied as a whole.
 *
 * parse takes fresh memory each time, parse_pooled the memory of the document before it. _ratio
 * is what that costs compared with yyjson alone, which bounds no depth and keeps keys that stand twice. thaw
 * makes a copy that can be changed, freeze one that can be shared. Costs are by pod; the same in MB of
 * text a second stands next to them (docs/benchmarks.md). */
#include <yyjson.h>

#include "base/mem.h"
#include "json/doc.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"
#include "programs/bench/pod_list_text.h"

#include "base/banned.h"

enum { PAIRS = 25 };

static void must_parse(struct str text, const struct json_options *options)
{
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, options, &err);

	bench_require(doc != NULL, &err);
}

static void must_read(struct str text, const yyjson_alc *alc)
{
	yyjson_doc *doc = yyjson_read_opts((char *)text.ptr, text.len, 0, alc, NULL);
	struct err err = {.text = "yyjson does not read the list"};

	bench_require(doc != NULL, &err);
	yyjson_doc_free(doc);
}

/* What ours costs in parts of what the library costs: the median of pairs that follow one another, so
 * that a slow minute of the machine is in both. Pooled, the library has one block for each document
 * again. */
static double ratio_to_yyjson(struct str text, struct json_pool *pool)
{
	size_t room = pool ? yyjson_read_max_memory_usage(text.len, 0) : 0;
	AUTO(mem_free) char *block = mem_zalloc(room);
	double quotients[PAIRS];

	for (size_t i = 0; i < PAIRS; i++) {
		yyjson_alc alc;
		double start = bench_cpu_ms();

		must_parse(text, &(struct json_options){.pool = pool});
		double middle = bench_cpu_ms();
		must_read(text, yyjson_alc_pool_init(&alc, block, room) ? &alc : NULL);
		quotients[i] = (middle - start) / (bench_cpu_ms() - middle);
	}
	return bench_median(quotients, PAIRS);
}

static void measure_copies(struct bench_run *run, const struct json_doc *doc)
{
	size_t pods = bench_size(run);
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(doc));

	bench_phase(run, "thaw");
	while (bench_round(run, pods))
		json_doc_unref(json_doc_thaw(json_doc_root(doc)));
	bench_phase(run, "freeze");
	while (bench_round(run, pods))
		json_doc_unref(json_doc_freeze(json_doc_root(thawed)));
}

static void report_speeds(struct bench_run *run, double bytes_per_pod)
{
	static const char *const costs[] = {"parse_ns", "parse_pooled_ns", "print_ns"};
	static const char *const speeds[] = {"parse_mb_s", "parse_pooled_mb_s", "print_mb_s"};

	for (size_t i = 0; i < ARRAY_LEN(costs); i++)
		bench_value(run, speeds[i], bytes_per_pod * 1e3 / bench_cost(run, costs[i]));
}

static void measure_json(struct bench_run *run)
{
	size_t pods = bench_size(run);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	AUTO(json_pool_free) struct json_pool *pool = json_pool_new(SIZE_MAX / 2);
	struct err err = {0};

	pod_list_print(pods, &text);
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(buf_str(&text), NULL, &err);

	bench_require(doc != NULL, &err);
	bench_value(run, "text_bytes_per_pod", (double)text.len / (double)pods);
	bench_value(run, "bytes_per_pod", (double)json_doc_bytes(doc) / (double)pods);
	bench_phase(run, "parse");
	while (bench_round(run, pods))
		must_parse(buf_str(&text), NULL);
	bench_phase(run, "parse_pooled");
	while (bench_round(run, pods))
		must_parse(buf_str(&text), &(struct json_options){.pool = pool});
	bench_value(run, "parse_ratio", ratio_to_yyjson(buf_str(&text), NULL));
	bench_value(run, "parse_pooled_ratio", ratio_to_yyjson(buf_str(&text), pool));
	bench_phase(run, "print");
	while (bench_round(run, pods)) {
		buf_clear(&out);
		json_print(json_doc_root(doc), JSON_COMPACT, &out);
	}
	measure_copies(run, doc);
	report_speeds(run, (double)text.len / (double)pods);
}

const struct bench bench_json = {
	.name = "json",
	.about = "a list of pods, as a server sends it: parsed, printed, copied",
	.item = "pods",
	.size = 5000,
	.run = measure_json,
};
