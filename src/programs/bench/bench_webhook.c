/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_webhook.c - reviews of Jobs with `size` tasks, as the webhook manager answers them: read, decided
 * by the rule, and the answer printed; without HTTPS, which bench_http.c measures.
 *
 * mutate: /jobs/mutate, with a patch; validate: /jobs/validate, allowed. review_bytes: the size of a review. */
#include "admission/admission.h"
#include "base/arena.h"
#include "base/buf.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"
#include "webhook/review.h"

#include "base/banned.h"

static struct json find_queue(void *arg, struct str name)
{
	(void)name;
	return json_doc_root(arg);
}

static void each_queue(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	(void)arg;
	(void)parent;
	(void)fn;
	(void)fn_arg;
}

static bool has_time_zone(void *arg, struct str name)
{
	(void)arg;
	(void)name;
	return true;
}

static void put_review(size_t tasks, struct buf *to)
{
	buf_puts(
		to,
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{"
		"\"uid\":\"u\",\"operation\":\"CREATE\",\"resource\":{\"group\":\"batch.volcano."
		"sh\","
		"\"version\":\"v1alpha1\",\"resource\":\"jobs\"},\"namespace\":\"default\","
		"\"object\":{"
		"\"metadata\":{\"name\":\"j\",\"namespace\":\"default\"},\"spec\":{\"queue\":\"q\","
		"\"tasks\":[");
	for (size_t i = 0; i < tasks; i++)
		buf_printf(to,
			   "%s{\"name\":\"t%zu\",\"replicas\":2,\"template\":{\"spec\":{"
			   "\"containers\":[{"
			   "\"name\":\"main\",\"image\":\"busybox\",\"resources\":{\"requests\":{"
			   "\"cpu\":"
			   "\"1\",\"memory\":\"1Gi\"}}}]}}}",
			   i ? "," : "", i);
	buf_puts(to, "]}}}}");
}

static void answer(struct str text, const char *path, const struct admission_setup *setup,
		   enum review_outcome wanted)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf to = BUF_UNBOUNDED;
	AUTO(review_done) struct review review = {0};
	struct err err;

	bench_require(review_parse(text, arena, &review, &err) == 0, &err);
	if (review_decide(&review, admission_find(str_from(path)), setup, &to) == wanted)
		return;
	(void)err_set(&err, ERR_INTERNAL, "%s: %s", path, buf_text(&to));
	bench_require(false, &err);
}

static void run_webhook(struct bench_run *run)
{
	AUTO(json_doc_unref)
	struct json_doc *queue = json_parse(
		STR("{\"metadata\":{\"name\":\"q\"},\"status\":{\"state\":\"Open\"}}"), NULL, NULL);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str scheduler = STR("volcano");
	struct admission_setup setup = {
		.config = ADMISSION_CONFIG_INIT,
		.world = {queue, find_queue, find_queue, find_queue, each_queue, has_time_zone}};

	setup.config.scheduler_names = (struct strs){&scheduler, 1};
	put_review(bench_size(run), &text);
	bench_phase(run, "mutate");
	while (bench_round(run, 1))
		answer(buf_str(&text), "/jobs/mutate", &setup, REVIEW_CHANGED);
	bench_phase(run, "validate");
	while (bench_round(run, 1))
		answer(buf_str(&text), "/jobs/validate", &setup, REVIEW_ALLOWED);
	bench_value(run, "review_bytes", (double)text.len);
}

const struct bench bench_webhook = {.name = "webhook",
				    .about = "reviews of Jobs, without HTTPS",
				    .item = "tasks",
				    .size = 1000,
				    .run = run_webhook};
