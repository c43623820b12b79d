/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded cases of admission (admission_cases.h) against an API server without rules and the webhooks next to it:
 * what is allowed, what is refused in which words, and what is stored, is the same as with the rules in the server.
 *
 * The test does what kube-apiserver does: an object with the defaults of its schema is sent to the mutating webhooks,
 * what they make of it is checked by the schema and then sent to the validating ones. What the rules read comes from
 * informers. */
#include "admission_cases.h"
#include "base/base64.h"
#include "json/patch.h"
#include "webhook/cluster_view.h"
#include "webhook/review.h"

static struct cluster_view *view;

/* The request as webhooks see it. */
struct asked {
	struct home *h;
	const struct client_ask *ask;
	const char *operation;
	struct json_doc *object; /* NULL of a deletion */
	struct json_doc *old;    /* NULL of a creation */
};

static void put_review(const struct asked *asked, struct buf *to)
{
	const struct resource *resource = asked->ask->resource;

	buf_printf(
		to,
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{"
		"\"uid\":\"u\",\"operation\":\"%s\",\"resource\":{\"group\":\"%.*s\",\"version\":"
		"\"%.*s\",\"resource\":\"%.*s\"},\"namespace\":\"%.*s\",\"object\":",
		asked->operation, STR_ARG(resource->group), STR_ARG(resource->version),
		STR_ARG(resource->plural), STR_ARG(asked->ask->namespace));
	if (asked->object)
		json_print(json_doc_root(asked->object), JSON_COMPACT, to);
	else
		buf_puts(to, "null");
	buf_puts(to, ",\"oldObject\":");
	if (asked->old)
		json_print(json_doc_root(asked->old), JSON_COMPACT, to);
	else
		buf_puts(to, "null");
	buf_puts(to, "}}");
}

static void apply(struct asked *asked, struct json response)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *patch = NULL;
	struct json_doc *changed;

	assert(base64_parse(json_str(json_get(response, "patch")), &text, NULL) == 0);
	patch = json_parse(buf_str(&text), NULL, NULL);
	assert(patch);
	changed = json_patch_apply(json_doc_root(asked->object), json_doc_root(patch), NULL);
	assert(changed);
	json_doc_unref(asked->object);
	asked->object = changed;
}

/* kube-apiserver's words for a refusal. */
static void refuse(struct got *got, const struct admission_hook *hook, struct json status)
{
	int64_t code = json_int(json_get(status, "code"));

	got->calls = 1;
	got->code = code ? (int)code : 400;
	snprintf(got->text, sizeof(got->text), "admission webhook \"%s\" denied the request: %.*s",
		 hook->webhook, STR_ARG(json_str(json_get(status, "message"))));
	json_doc_unref(TAKE(got->doc));
}

static bool run_hook(struct asked *asked, const struct admission_hook *hook, struct got *got)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf answer = BUF_UNBOUNDED;
	AUTO(review_done) struct review review = {0};
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct str scheduler = STR("volcano");
	struct admission_setup setup = {.config = asked->h->config};
	struct view_reads reads;
	enum review_outcome outcome;
	struct json response;
	struct err err = {0};

	put_review(asked, &text);
	if (review_parse(buf_str(&text), arena, &review, &err) < 0) {
		ok(false, "%s: %s", hook->path, err.text);
		return false;
	}
	view_reads_init(&reads, view, arena);
	setup.world = view_reads_world(&reads);
	setup.config.scheduler_names = (struct strs){&scheduler, 1};
	outcome = review_decide(&review, hook, &setup, &answer);
	view_reads_done(&reads);
	doc = json_parse(buf_str(&answer), NULL, &err);
	assert(doc);
	response = json_get(json_doc_root(doc), "response");
	if (outcome == REVIEW_CHANGED)
		apply(asked, response);
	else if (outcome == REVIEW_REFUSED)
		refuse(got, hook, json_get(response, "status"));
	return outcome != REVIEW_REFUSED;
}

/* The webhooks of one of the two rounds; false and an answer if one refuses. */
static bool run_hooks(struct asked *asked, bool change, struct got *got)
{
	const struct resource *resource = asked->ask->resource;
	const struct admission_review about = {.operation = !asked->object ? ADMISSION_DELETE
							    : asked->old   ? ADMISSION_UPDATE
									   : ADMISSION_CREATE,
					       .group = resource->group,
					       .resource = resource->plural,
					       .sub = asked->ask->sub};

	for (size_t i = 0; i < admission_hook_count; i++)
		if ((admission_hooks[i].mutate != NULL) == change &&
		    admission_hook_concerns(&admission_hooks[i], &about) &&
		    !run_hook(asked, &admission_hooks[i], got))
			return false;
	return true;
}

/* What the server would store; NULL and its answer if it refuses. */
static struct json_doc *try_it(struct home *h, struct got *got, const struct client_ask *ask)
{
	static const char *const keys[] = {"uid", "resourceVersion", "generation", "managedFields",
					   "creationTimestamp"};
	struct client_ask dry = *ask;
	struct json_doc *doc;

	dry.dry_run = true;
	(void)world_ask(&h->w, got, &dry);
	if (got->reason != ERR_NONE || !got->doc)
		return NULL;
	doc = json_doc_thaw(json_doc_root(got->doc));
	if (ask->verb == CLIENT_CREATE)
		drop(doc, json_get(json_doc_root(doc), "metadata"), keys, ARRAY_LEN(keys));
	return doc;
}

static void create_asked(struct asked *asked, struct got *got)
{
	struct client_ask ask = *asked->ask;
	AUTO(json_doc_unref) struct json_doc *changed = NULL;

	asked->operation = "CREATE";
	asked->object = try_it(asked->h, got, &ask);
	if (!asked->object) /* what the schema refuses may still be completed */
		asked->object = json_doc_thaw(json_doc_root(ask.body));
	if (!run_hooks(asked, true, got))
		return;
	changed = TAKE(asked->object);
	ask.body = changed;
	asked->object = try_it(asked->h, got, &ask);
	if (asked->object && run_hooks(asked, false, got))
		(void)world_ask(&asked->h->w, got, &ask);
}

/* The object as it is; NULL: there is none. */
static struct json_doc *get_old(struct asked *asked, struct got *got)
{
	(void)world_ask(&asked->h->w, got,
			&(struct client_ask){.verb = CLIENT_GET,
					     .resource = asked->ask->resource,
					     .namespace = asked->ask->namespace,
					     .name = asked->ask->name});
	return got->reason == ERR_NONE && got->doc ? json_doc_ref(got->doc) : NULL;
}

static void change_asked(struct asked *asked, struct got *got)
{
	bool deletes = asked->ask->verb == CLIENT_DELETE;

	asked->operation = deletes ? "DELETE" : "UPDATE";
	asked->old = get_old(asked, got);
	if (!deletes && asked->old) {
		asked->object = try_it(asked->h, got, asked->ask);
		if (!asked->object)
			return;
	}
	if (!asked->old || run_hooks(asked, false, got))
		(void)world_ask(&asked->h->w, got, asked->ask);
}

static void send_by_webhooks(struct home *h, struct got *got, struct client_ask *ask)
{
	struct asked asked = {.h = h, .ask = ask};

	pass(h, 0); /* informers */
	if (ask->verb == CLIENT_CREATE)
		create_asked(&asked, got);
	else
		change_asked(&asked, got);
	json_doc_unref(asked.object);
	json_doc_unref(asked.old);
}

int main(void)
{
	struct dirent **files = NULL;
	const char *folder = NULL;
	int count = find_cases(&folder, &files);
	struct home h = {.send = send_by_webhooks};
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct client *client;

	if (count < 0)
		return tap_done();
	open_home(&h, folder, true);
	client = world_client(&h.w, "webhook");
	view = cluster_view_new(client, (struct strs){0}, NULL);
	pass(&h, TIME_SECOND);
	ok(cluster_view_is_complete(view, &why), "the webhook has read the cluster");
	run_files(&h, folder, files, count);
	cluster_view_free(view);
	client_free(client);
	close_home(&h);
	return tap_done();
}
