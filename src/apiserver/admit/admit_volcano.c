/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_volcano.c - the rules of admission/ in process, where a cluster has webhooks.
 *
 * The rules run at the same two points as webhooks: after the defaults of the schema and before its
 * validation, and after it. Changed objects are pruned and get the defaults of the schema again, as
 * kube-apiserver does with the result of a webhook.
 *
 * Rules ask for queues often, for each job at least, so these are kept as documents; a version that
 * is no longer the newest is dropped when it is met. */
#include "admission/admission.h"
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/zone_file.h"
#include "model/rules/causes.h"

#include "base/banned.h"

enum { SPARE_QUEUES = 1024 }; /* deleted or not yet visible ones that are kept */

struct queue_doc {
	struct object *object;
	struct json_doc *doc;
};

struct admit_volcano {
	struct admission_config config;
	struct str scheduler; /* if the configuration names none */
	struct map *queues;   /* key: struct queue_doc */
};

/* One review. */
struct review {
	struct call *call;
	const struct kind *queues;
	VEC(struct json_doc *) lent;
};

static void review_done(struct review *review)
{
	for (size_t i = 0; i < review->lent.len; i++)
		json_doc_unref(review->lent.ptr[i]);
	vec_done(&review->lent);
}
DEFINE_AUTO_IN_PLACE(struct review, review_done);

struct admit_volcano *admit_volcano_new(const struct admission_config *config)
{
	struct admit_volcano *volcano = mem_new(struct admit_volcano);

	volcano->config = config ? *config : (struct admission_config)ADMISSION_CONFIG_INIT;
	volcano->scheduler = STR("volcano");
	if (!volcano->config.scheduler_names.len)
		volcano->config.scheduler_names = (struct strs){&volcano->scheduler, 1};
	volcano->queues = map_new(0);
	return volcano;
}

static void queue_doc_free(struct queue_doc *queue)
{
	object_unref(queue->object);
	json_doc_unref(queue->doc);
	mem_free(queue);
}

static void forget_queues(struct admit_volcano *volcano)
{
	size_t at = 0;
	void *queue;

	while (map_next(volcano->queues, &at, NULL, &queue))
		queue_doc_free(queue);
	map_clear(volcano->queues);
}

void admit_volcano_free(struct admit_volcano *volcano)
{
	if (!volcano)
		return;
	forget_queues(volcano);
	map_free(volcano->queues);
	mem_free(volcano);
}

/* --- the world ------------------------------------------------------------------------------- */

static struct json lend(struct review *review, struct json_doc *doc)
{
	if (!doc)
		return JSON_NONE;
	vec_push(&review->lent, doc);
	return json_doc_root(doc);
}

/* The document of a version of a queue. */
static struct json lend_queue(struct review *review, struct object *object)
{
	struct admit_volcano *volcano = review->call->api->volcano;
	struct queue_doc *queue = map_get(volcano->queues, object->key);
	struct json_doc *doc;
	struct err err;

	if (queue && queue->object == object)
		return lend(review, json_doc_ref(queue->doc));
	doc = json_parse(object->text, NULL, &err);
	if (!doc)
		return JSON_NONE;
	if (map_len(volcano->queues) >
	    store_count(api_store(review->call->api), review->queues->prefix) + SPARE_QUEUES)
		forget_queues(volcano);
	queue = mem_new(struct queue_doc);
	queue->object = object_ref(object);
	queue->doc = json_doc_ref(doc);
	queue = map_put(volcano->queues, queue->object->key, queue);
	if (queue)
		queue_doc_free(queue);
	return lend(review, doc);
}

static struct json find_queue(void *arg, struct str name)
{
	struct review *review = arg;
	struct call *call = review->call;
	struct object *object;

	if (!review->queues)
		return JSON_NONE;
	object = store_newest(api_store(call->api),
			      api_key(call->arena, review->queues, str_none(), name));
	return object ? lend_queue(review, object) : JSON_NONE;
}

static void each_queue(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	struct review *review = arg;
	struct store *store = api_store(review->call->api);
	struct store_newest_walk walk;
	struct object *object;

	if (!review->queues)
		return;
	walk = store_newest_walk(store, review->queues->prefix);
	while ((object = store_newest_next(&walk))) {
		struct json queue = lend_queue(review, object);

		if (!json_is_absent(queue) &&
		    (str_is_none(parent) ||
		     str_eq(json_str(json_get(json_get(queue, "spec"), "parent")), parent)))
			fn(fn_arg, queue);
	}
}

static struct json find_namespace(void *arg, struct str name)
{
	struct review *review = arg;
	struct api *api = review->call->api;
	const struct kind *kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("namespaces"));

	return lend(review, api_read_newest(api, kind, str_none(), name));
}

static struct json find_priority_class(void *arg, struct str name)
{
	struct review *review = arg;
	struct api *api = review->call->api;
	const struct kind *kind = kinds_find(api_kinds(api), STR("scheduling.k8s.io"), STR("v1"),
					     STR("priorityclasses"));

	return lend(review, api_read_newest(api, kind, str_none(), name));
}

static bool has_time_zone(void *arg, struct str name)
{
	(void)arg;
	return zone_file_exists(name);
}

/* --- reviews --------------------------------------------------------------------------------- */

static enum admission_operation operation_of(const struct admission *admission)
{
	if (json_is_absent(admission->object))
		return ADMISSION_DELETE;
	return json_is_absent(admission->old) ? ADMISSION_CREATE : ADMISSION_UPDATE;
}

static struct admission_review review_of(const struct admission *admission)
{
	struct call *call = admission->call;
	struct json metadata = json_get(
		json_is_absent(admission->object) ? admission->old : admission->object, "metadata");

	return (struct admission_review){
		.operation = operation_of(admission),
		.group = call->kind->group,
		.version = call->kind->version,
		.resource = call->kind->plural,
		.sub = call->sub,
		.namespace = call->namespace,
		.name = json_str(json_get(metadata, "name")),
		.user = call->user.name,
		.dry_run = call->options.dry_run.len > 0,
		.object = admission->object,
		.old = admission->old,
		.arena = call->arena,
	};
}

static bool concerns(const struct admission_review *review, bool change)
{
	for (size_t i = 0; i < admission_hook_count; i++)
		if ((admission_hooks[i].mutate != NULL) == change &&
		    admission_hook_concerns(&admission_hooks[i], review))
			return true;
	return false;
}

static int refuse(struct call *call, const struct admission_refusal *refusal, struct str name,
		  struct err *err)
{
	struct str text = admission_message(refusal, call->arena);

	if (refusal->code == ERR_INVALID)
		text = str_from(arena_printf(call->arena, "%.*s \"%.*s\" is invalid: %.*s",
					     STR_ARG(call->kind->qualified), STR_ARG(name),
					     STR_ARG(text)));
	call->error.text = text;
	return err_set(err, refusal->code, "%.*s", STR_ARG(text));
}

static int run(const struct admission *admission, bool change, struct err *err)
{
	struct call *call = admission->call;
	const struct admission_review review = review_of(admission);
	AUTO(review_done)
	struct review here = {.call = call,
			      .queues =
				      kinds_find(api_kinds(call->api), STR("scheduling.volcano.sh"),
						 STR("v1beta1"), STR("queues"))};
	const struct admission_setup setup = {
		.config = call->api->volcano->config,
		.world = {&here, find_queue, find_namespace, find_priority_class, each_queue,
			  has_time_zone},
	};
	struct admission_refusal refusal;
	int result = change ? admission_change(&setup, &review, admission->doc, &refusal)
			    : admission_check(&setup, &review, &refusal);

	return result < 0 ? refuse(call, &refusal, review.name, err) : 0;
}

static int admit_volcano_change(const struct admission *admission, struct err *err)
{
	const struct admission_review review = review_of(admission);
	const struct kind *kind = admission->call->kind;

	if (admission->call->api->options.plain || !concerns(&review, true))
		return 0;
	if (run(admission, true, err) < 0)
		return -1;
	if (kind->custom) {
		kind->content->prune(kind, admission->doc, admission->object, NULL, NULL);
		kind->content->complete(kind, admission->doc, admission->object);
	}
	return 0;
}

static int admit_volcano_check(const struct admission *admission, struct err *err)
{
	const struct admission_review review = review_of(admission);

	if (admission->call->api->options.plain || !concerns(&review, false))
		return 0;
	return run(admission, false, err);
}

const struct admitter admitter_volcano = {.name = "Volcano",
					  .verbs = ADMIT_CREATE | ADMIT_UPDATE | ADMIT_DELETE,
					  .change = admit_volcano_change,
					  .check = admit_volcano_check};
