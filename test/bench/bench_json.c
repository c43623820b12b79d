/* SPDX-License-Identifier: Apache-2.0 */
/* test/bench/bench_json.c - one large list, each operation by itself, the best of some rounds:
 * whatever disturbs only ever makes it slower. */
#include "bench_json.h"

#include "json/doc.h"
#include "pod_list.h"

#include "base/banned.h"

enum step { PARSE, PARSE_POOLED, PRINT, THAW, FREEZE, STEP_COUNT };

static const char *const names[] = {
	[PARSE] = "parse_mb_s",   [PARSE_POOLED] = "parse_pooled_mb_s",
	[PRINT] = "print_mb_s",   [THAW] = "thaw_mb_s",
	[FREEZE] = "freeze_mb_s",
};
_Static_assert(ARRAY_LEN(names) == STEP_COUNT, "name every step");

struct bench {
	bench_clock_fn *clock;
	void *arg;
	int64_t begun;
	int64_t best[STEP_COUNT]; /* 0: none yet */
};

static void begin(struct bench *bench)
{
	bench->begun = bench->clock(bench->arg);
}

static void end(struct bench *bench, enum step step)
{
	int64_t took = bench->clock(bench->arg) - bench->begun;

	if (took > 0 && (bench->best[step] == 0 || took < bench->best[step]))
		bench->best[step] = took;
}

/* Gives what a parsed document takes, or 0 with an error. */
static size_t run_round(struct bench *bench, struct str text, struct json_pool *pool,
			struct buf *out, struct err *err)
{
	struct json_options pooled = {.pool = pool};

	begin(bench);
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, NULL, err);
	end(bench, PARSE);
	begin(bench);
	AUTO(json_doc_unref) struct json_doc *again = json_parse(text, &pooled, err);
	end(bench, PARSE_POOLED);
	if (!doc || !again)
		return 0;

	buf_clear(out);
	begin(bench);
	json_print(json_doc_root(doc), JSON_COMPACT, out);
	end(bench, PRINT);
	begin(bench);
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(doc));
	end(bench, THAW);
	begin(bench);
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(json_doc_root(thawed));
	end(bench, FREEZE);
	(void)frozen; /* only made and freed */
	return json_doc_bytes(doc);
}

int bench_json_list(size_t pods, int rounds, bench_clock_fn *clock, void *arg, struct buf *to,
		    struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	AUTO(json_pool_free) struct json_pool *pool = json_pool_new(SIZE_MAX / 2);
	struct bench bench = {.clock = clock, .arg = arg};
	size_t held = 0;

	pod_list_print(pods, &text);
	for (int i = 0; i < rounds; i++) {
		held = run_round(&bench, buf_str(&text), pool, &out, err);
		if (held == 0)
			return -1;
	}
	buf_printf(to, "list_bytes: %zu\ndocument_bytes: %zu\n", text.len, held);
	for (int step = 0; step < STEP_COUNT; step++)
		if (bench.best[step] > 0)
			buf_printf(to, "%s: %.0f\n", names[step],
				   (double)text.len * 1e3 / (double)bench.best[step]);
	return 0;
}
