/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews: every row of test/data/admission as the reviews that kube-apiserver would send, to the same words and the
 * same objects as in process; and what is no review. */
#include "webhook/review.h"

#include "admission/test/rows.h"
#include "base/base64.h"
#include "json/patch.h"

#include "base/banned.h"

static const char *operation_name(enum admission_operation operation)
{
	return operation == ADMISSION_CREATE   ? "CREATE"
	       : operation == ADMISSION_UPDATE ? "UPDATE"
					       : "DELETE";
}

static void put_member(struct buf *to, const char *key, struct json value)
{
	buf_printf(to, ",\"%s\":", key);
	if (json_is_absent(value))
		buf_puts(to, "null");
	else
		json_print(value, JSON_COMPACT, to);
}

static void put_review(const struct admission_review *review, struct buf *to)
{
	buf_printf(to,
		   "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
		   "\"request\":{\"uid\":\"u-1\",\"operation\":\"%s\",\"resource\":{\"group\":\"%.*"
		   "s\","
		   "\"version\":\"v1\",\"resource\":\"%.*s\"},\"namespace\":\"%.*s\",\"name\":\"%.*"
		   "s\"",
		   operation_name(review->operation), STR_ARG(review->group),
		   STR_ARG(review->resource), STR_ARG(review->namespace), STR_ARG(review->name));
	put_member(to, "object", review->object);
	/* Removals in the rows have a name only. */
	if (review->operation == ADMISSION_DELETE)
		buf_printf(to, ",\"oldObject\":{\"metadata\":{\"name\":\"%.*s\"}}",
			   STR_ARG(review->name));
	else
		put_member(to, "oldObject", review->old);
	buf_puts(to, "}}");
}

/* The answer's document; NULL and a failed check if there is none. */
static struct json_doc *ask(const struct admission_hook *hook, const struct admission_setup *setup,
			    struct str text, enum review_outcome *ret)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf answer = BUF_UNBOUNDED;
	AUTO(review_done) struct review review = {0};
	struct json_doc *doc;
	struct err err = {0};

	if (review_parse(text, arena, &review, &err) < 0) {
		ok(false, "%s: %s", hook->path, err.text);
		return NULL;
	}
	*ret = review_decide(&review, hook, setup, &answer);
	doc = json_parse(buf_str(&answer), NULL, &err);
	if (!doc)
		ok(false, "%s: %s", hook->path, err.text);
	return doc;
}

static void apply(struct json response, struct json_doc *doc)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *patch = NULL;
	AUTO(json_doc_unref) struct json_doc *changed = NULL;
	struct err err = {0};

	if (base64_parse(json_str(json_get(response, "patch")), &text, &err) == 0)
		patch = json_parse(buf_str(&text), NULL, &err);
	if (patch)
		changed = json_patch_apply(json_doc_root(doc), json_doc_root(patch), &err);
	if (changed)
		json_doc_set_root(doc, json_new_copy(doc, json_doc_root(changed)));
	else
		ok(false, "the patch applies: %s", err.text);
}

static int run_hook(struct row *row, const struct admission_hook *hook,
		    const struct admission_review *review, struct json_doc *doc,
		    struct admission_refusal *refusal)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *answer = NULL;
	enum review_outcome outcome = REVIEW_FAILED;
	struct json response, status;

	put_review(review, &text);
	answer = ask(hook, &row->admission, buf_str(&text), &outcome);
	if (!answer)
		return -1;
	response = json_get(json_doc_root(answer), "response");
	if (!str_is(json_str(json_get(response, "uid")), "u-1") ||
	    json_bool(json_get(response, "allowed")) == (outcome == REVIEW_REFUSED))
		ok(false, "%s: the answer belongs to the review", hook->path);
	if (outcome == REVIEW_CHANGED)
		apply(response, doc);
	if (outcome != REVIEW_REFUSED)
		return 0;
	status = json_get(response, "status");
	refusal->code = json_is_absent(json_get(status, "reason")) ? ERR_DENIED : ERR_INVALID;
	refusal->webhook = hook->webhook;
	refusal->message = arena_str(row->arena, json_str(json_get(status, "message")));
	return -1;
}

static int run(struct row *row, struct admission_review *review, struct json_doc *doc,
	       struct admission_refusal *refusal)
{
	for (size_t i = 0; i < admission_hook_count; i++) {
		if (!admission_hook_concerns(&admission_hooks[i], review))
			continue;
		if (run_hook(row, &admission_hooks[i], review, doc, refusal) < 0)
			return -1;
		if (review->operation != ADMISSION_DELETE)
			review->object = json_doc_root(doc);
	}
	return 0;
}

/* --- what is no review ------------------------------------------------------------------------ */

#define REVIEW(request)                       \
	"{\"apiVersion\":\"admission.k8s.io/" \
	"v1\",\"kind\":\"AdmissionReview\",\"request\":" request "}"

static void check_wrong(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "JSON"},
		{"[]", "expected an AdmissionReview"},
		{"{}", "expected an AdmissionReview"},
		{"{\"apiVersion\":\"admission.k8s.io/"
		 "v1beta1\",\"kind\":\"AdmissionReview\",\"request\":{"
		 "\"uid\":\"a\"}}",
		 "apiVersion \"admission.k8s.io/v1beta1\""},
		{"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"Pod\"}", "kind \"Pod\""},
		{"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"}",
		 "request: an object is required"},
		{REVIEW("null"), "request: an object is required"},
		{REVIEW("[]"), "request: an object is required"},
		{REVIEW("{}"), "request.uid: a value is required"},
		{REVIEW("{\"uid\":\"\"}"), "request.uid: a value is required"},
		{REVIEW("{\"uid\":5}"), "request.uid: string expected, not "},
		{REVIEW("{\"uid\":\"a\",\"object\":\"x\"}"),
		 "request.object: object expected, not string"},
		{REVIEW("{\"uid\":\"a\",\"oldObject\":[]}"), "request.oldObject: object expected"},
		{REVIEW("{\"uid\":\"a\",\"dryRun\":\"yes\"}"), "request.dryRun: bool"},
		{REVIEW("{\"uid\":\"a\",\"resource\":{\"group\":1}}"),
		 "request.resource.group: string"},
		{REVIEW("{\"uid\":\"a\",\"uid\":\"b\"}"), "uid is given twice"},
		{REVIEW("{\"uid\":\"a\",\"object\":{\"spec\":{\"queue\":\"x\",\"queue\":\"y\"}}}"),
		 "request.object.spec.queue is given twice"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(review_done) struct review review = {0};
		struct err err = {0};
		int result = review_parse(str_from(rows[i].text), arena, &review, &err);

		ok(result < 0 && strstr(err.text, rows[i].error) && err.code == ERR_BAD_REQUEST,
		   "refused: %s", err.text);
	}
}

static void check_depth(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(review_done) struct review review = {0};
	struct err err = {0};

	buf_puts(&text, "{\"apiVersion\":\"admission.k8s.io/v1\",\"request\":");
	for (int i = 0; i < 100000; i++)
		buf_puts(&text, "{\"a\":");
	ok(review_parse(buf_str(&text), arena, &review, &err) < 0, "too deep: %s", err.text);
}

/* --- reviews that the path is not for --------------------------------------------------------- */

static void check_other(void)
{
	static const struct {
		const char *path, *text, *message; /* NULL: allowed */
	} rows[] = {
		{"/jobs/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"CREATE\",\"resource\":{\"group\":\"\","
			"\"resource\":"
			"\"pods\"},\"object\":{}}"),
		 "expect resource to be jobs.batch.volcano.sh, not pods"},
		{"/jobs/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"CREATE\",\"resource\":{\"group\":\"batch\","
			"\"resource\":\"jobs\"},\"object\":{}}"),
		 "expect resource to be jobs.batch.volcano.sh, not jobs.batch"},
		{"/pods/validate", REVIEW("{\"uid\":\"a\"}"), "expect resource to be pods, not "},
		{"/pods/validate",
		 REVIEW("{\"uid\":\"a\",\"resource\":{\"resource\":\"pods\"},\"operation\":"
			"\"UPDATE\"}"),
		 "expect operation to be 'CREATE', not 'UPDATE'"},
		{"/queues/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"EAT\",\"resource\":{\"group\":"
			"\"scheduling.volcano.sh\",\"resource\":\"queues\"}}"),
		 "expect operation to be 'CREATE', 'UPDATE' or 'DELETE', not 'EAT'"},
		{"/queues/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"DELETE\",\"resource\":{\"group\":"
			"\"scheduling.volcano.sh\",\"resource\":\"queues\"}}"),
		 "the review has no oldObject"},
		{"/queues/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"UPDATE\",\"resource\":{\"group\":"
			"\"scheduling.volcano.sh\",\"resource\":\"queues\"},\"object\":{}}"),
		 "the review has no oldObject"},
		{"/queues/mutate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"CREATE\",\"resource\":{\"group\":"
			"\"scheduling.volcano.sh\",\"resource\":\"queues\"},\"object\":null}"),
		 "the review has no object"},
		{"/queues/validate",
		 REVIEW("{\"uid\":\"a\",\"operation\":\"UPDATE\",\"subResource\":\"status\","
			"\"resource\":{"
			"\"group\":\"scheduling.volcano.sh\",\"resource\":\"queues\"},\"object\":{}"
			","
			"\"oldObject\":{}}"),
		 NULL},
	};
	struct admission_setup setup = {.config = ADMISSION_CONFIG_INIT};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum review_outcome outcome = REVIEW_FAILED;
		AUTO(json_doc_unref)
		struct json_doc *answer = ask(admission_find(str_from(rows[i].path)), &setup,
					      str_from(rows[i].text), &outcome);
		struct json response =
			answer ? json_get(json_doc_root(answer), "response") : JSON_NONE;

		if (!rows[i].message) {
			ok(outcome == REVIEW_ALLOWED && json_len(response) == 2,
			   "%s: a sub-resource is not checked", rows[i].path);
			continue;
		}
		is(json_str(json_get(json_get(response, "status"), "message")).ptr,
		   rows[i].message);
	}
}

int main(void)
{
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;

	(void)check_rows(run, &shown);
	check_wrong();
	check_depth();
	check_other();
	return tap_done();
}
