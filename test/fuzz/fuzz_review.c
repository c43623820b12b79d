/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a webhook is sent, on whatever path, is answered by a JSON text or refused with a reason; a patch applies to
 * the object of the review. The first byte chooses the path. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/base64.h"
#include "json/patch.h"
#include "webhook/review.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct json find_none(void *arg, struct str name)
{
	(void)arg;
	(void)name;
	return JSON_NONE;
}

static void each_none(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	(void)arg;
	(void)parent;
	(void)fn;
	(void)fn_arg;
}

static bool has_none(void *arg, struct str name)
{
	(void)arg;
	(void)name;
	return false;
}

static void check_answer(struct str text, const struct review *review, enum review_outcome outcome)
{
	AUTO(json_doc_unref) struct json_doc *answer = json_parse(text, NULL, NULL);
	AUTO(json_doc_unref) struct json_doc *patch = NULL;
	AUTO(json_doc_unref) struct json_doc *changed = NULL;
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;
	struct json response;

	assert(answer);
	response = json_get(json_doc_root(answer), "response");
	assert(json_bool(json_get(response, "allowed")) == (outcome != REVIEW_REFUSED));
	if (outcome != REVIEW_CHANGED)
		return;
	assert(base64_parse(json_str(json_get(response, "patch")), &bytes, NULL) == 0);
	patch = json_parse(buf_str(&bytes), NULL, NULL);
	assert(patch);
	changed = json_patch_apply(review->admission.object, json_doc_root(patch), NULL);
	assert(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(review_done) struct review review = {0};
	AUTO(buf_done) struct buf answer = BUF_UNBOUNDED;
	struct str scheduler = STR("volcano");
	struct admission_setup setup = {
		.config = ADMISSION_CONFIG_INIT,
		.world = {NULL, find_none, find_none, find_none, each_none, has_none}};
	const struct admission_hook *hook;
	enum review_outcome outcome;
	struct err err;

	if (size == 0)
		return 0;
	hook = &admission_hooks[data[0] % admission_hook_count];
	if (review_parse(str_of((const char *)data + 1, size - 1), arena, &review, &err) < 0) {
		assert(err.text[0]);
		return 0;
	}
	setup.config.scheduler_names = (struct strs){&scheduler, 1};
	outcome = review_decide(&review, hook, &setup, &answer);
	check_answer(buf_str(&answer), &review, outcome);
	return 0;
}
