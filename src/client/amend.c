/* SPDX-License-Identifier: Apache-2.0 */
/* client/amend.c - see amend.h. A request takes these steps; each one may be the last:
 *
 *	PATCH --denied--> READ --denied--> FIND
 *	                    |                |
 *	                    +---> UPDATE <---+
 *	                            |
 *	          READ <--conflict--+
 *
 * Always true: a request has one request of the inner transport under way. */
#include "client/amend.h"

#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/refusals.h"
#include "client/transport.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "loop/loop.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* How long a denied way is not tried. */
#define REMEMBER TIME_MINUTE
enum { CONFLICTS = 5 };

enum step { STEP_PATCH, STEP_READ, STEP_FIND, STEP_UPDATE };

/* What is known of a sort of object. */
struct way {
	const struct resource *resource;
	char *sub;
	int64_t no_patch_until; /* by loop_uptime() */
	int64_t no_get_until;
};

struct amend {
	struct transport transport;
	struct transport *inner;
	struct loop *loop;
	struct list requests;
	VEC(struct way *) ways; /* a few */
};

struct request {
	struct amend *amend;
	struct list link;
	const struct transport_ask *outer;
	struct transport_ask ask; /* of the step */
	struct way *way;
	enum step step;
	unsigned conflicts;
	void *token;
	char *selector;        /* of STEP_FIND */
	struct json_doc *body; /* of STEP_UPDATE */
};

bool amend_takes(const struct client_ask *ask)
{
	return ask->verb == CLIENT_PATCH && ask->body && ask->patch != CLIENT_PATCH_APPLY;
}

static struct way *way_of(struct amend *amend, const struct client_ask *ask)
{
	struct way *way;

	for (size_t i = 0; i < amend->ways.len; i++)
		if (amend->ways.ptr[i]->resource == ask->resource &&
		    str_is(ask->sub, amend->ways.ptr[i]->sub))
			return amend->ways.ptr[i];
	way = mem_new(struct way);
	way->resource = ask->resource;
	way->sub = str_dup(ask->sub);
	vec_push(&amend->ways, way);
	return way;
}

static void request_free(struct request *request)
{
	list_remove(&request->link);
	json_doc_unref(request->body);
	mem_free(request->selector);
	mem_free(request);
}

static void finish(struct request *request, const struct transport_answer *answer)
{
	const struct transport_ask *outer = request->outer;

	request_free(request);
	outer->sink->answered(outer->arg, answer);
}

static void fail(struct request *request, enum err_code code, const char *why)
{
	struct transport_answer answer = {.code = err_http(code), .retry_after_us = -1};

	(void)err_set(&answer.err, code, "%.*s \"%.*s\": %s",
		      STR_ARG(request->outer->ask.resource->plural),
		      STR_ARG(request->outer->ask.name), why);
	finish(request, &answer);
}

/* --- steps --- */

static void on_answered(void *arg, const struct transport_answer *answer);
static const struct transport_sink sink = {.answered = on_answered};

static void send(struct request *request, enum step step, const struct client_ask *ask)
{
	struct transport *inner = request->amend->inner;

	request->step = step;
	request->ask = (struct transport_ask){
		.ask = *ask, .try_us = request->outer->try_us, .sink = &sink, .arg = request};
	request->token = inner->ops->send(inner, &request->ask);
}

static void read_object(struct request *request)
{
	const struct client_ask *outer = &request->outer->ask;
	struct client_ask ask = {.resource = outer->resource, .namespace = outer->namespace};

	if (request->way->no_get_until <= loop_uptime(request->amend->loop)) {
		ask.verb = CLIENT_GET;
		ask.name = outer->name;
		send(request, STEP_READ, &ask);
		return;
	}
	if (!request->selector)
		request->selector = mem_printf("metadata.name=%.*s", STR_ARG(outer->name));
	ask.verb = CLIENT_LIST;
	ask.field_selector = str_from(request->selector);
	send(request, STEP_FIND, &ask);
}

/* Lists that the patches of this project name, with the keys of their elements. */
static bool look_up(const void *node, struct str field, struct json_strategy_field *ret)
{
	*ret = (struct json_strategy_field){.child = node};
	if (str_is(field, "conditions"))
		ret->merge_key = STR("type");
	else if (str_is(field, "schedulingGates"))
		ret->merge_key = STR("name");
	if (ret->merge_key.len)
		ret->strategy = JSON_STRATEGY_MERGE;
	return true;
}

static struct json_doc *apply(const struct client_ask *ask, struct json object, struct err *err)
{
	static const struct json_strategy_schema schema = {.lookup = look_up, .node = &schema};
	struct json patch = json_doc_root(ask->body);

	if (ask->patch == CLIENT_PATCH_STRATEGIC)
		return json_strategic_apply(object, patch, &schema, err);
	if (ask->patch == CLIENT_PATCH_JSON)
		return json_patch_apply(object, patch, err);
	return json_merge_apply(object, patch);
}

/* Does the patch itself say which version it is for? */
static bool has_version(const struct client_ask *ask)
{
	struct json meta = json_get(json_doc_root(ask->body), "metadata");

	return json_str(json_get(meta, "resourceVersion")).len > 0;
}

static void update(struct request *request, struct json object)
{
	const struct client_ask *outer = &request->outer->ask;
	struct str uid = meta_uid(json_doc_root(outer->body));
	struct client_ask ask = *outer;
	AUTO(buf_done) struct buf version = BUF_UNBOUNDED;
	struct err err = {0};

	if (uid.len && !str_eq(uid, meta_uid(object))) {
		fail(request, ERR_CONFLICT, "the object was deleted and created again");
		return;
	}
	json_doc_unref(request->body);
	request->body = apply(outer, object, &err);
	if (!request->body) {
		fail(request, err.code, err.text);
		return;
	}
	if (!json_is(json_doc_root(request->body), JSON_OBJ)) {
		fail(request, ERR_BAD_REQUEST, "the patch does not make an object");
		return;
	}
	resource_put_api_version(outer->resource, &version);
	json_set_str(request->body, json_doc_root(request->body), "apiVersion", buf_str(&version));
	json_set_str(request->body, json_doc_root(request->body), "kind", outer->resource->kind);
	ask.verb = CLIENT_UPDATE;
	ask.body = request->body;
	send(request, STEP_UPDATE, &ask);
}

static void on_found(struct request *request, const struct transport_answer *answer)
{
	struct json items = json_get(json_doc_root(answer->doc), "items");

	if (json_len(items) == 0)
		fail(request, ERR_NOT_FOUND, "not found");
	else
		update(request, json_at(items, 0));
}

/* The step is not permitted: the next way, or the end. */
static void on_denied(struct request *request, const struct transport_answer *answer)
{
	int64_t until = loop_uptime(request->amend->loop) + REMEMBER;

	if (request->step == STEP_PATCH) {
		request->way->no_patch_until = until;
		read_object(request);
	} else if (request->step == STEP_READ) {
		request->way->no_get_until = until;
		read_object(request);
	} else {
		/* Next time from the beginning: any of the permissions may be granted first. */
		request->way->no_patch_until = request->way->no_get_until = 0;
		finish(request, answer);
	}
}

static void on_answered(void *arg, const struct transport_answer *answer)
{
	struct request *request = arg;
	enum err_code code = answer->err.code;

	request->token = NULL;
	if (code && refusals_is_denial(&answer->err))
		on_denied(request, answer);
	else if (request->step == STEP_UPDATE && code == ERR_CONFLICT &&
		 !has_version(&request->outer->ask) && ++request->conflicts < CONFLICTS)
		read_object(request);
	else if (code || request->step == STEP_PATCH || request->step == STEP_UPDATE)
		finish(request, answer);
	else if (request->step == STEP_READ)
		update(request, json_doc_root(answer->doc));
	else
		on_found(request, answer);
}

/* --- life --- */

static void *amend_send(struct transport *transport, const struct transport_ask *ask)
{
	struct amend *amend = container_of(transport, struct amend, transport);
	struct request *request = mem_new(struct request);

	request->amend = amend;
	request->outer = ask;
	request->way = way_of(amend, &ask->ask);
	list_push(&amend->requests, &request->link);
	if (request->way->no_patch_until > loop_uptime(amend->loop))
		read_object(request);
	else
		send(request, STEP_PATCH, &ask->ask);
	return request;
}

static void amend_cancel(struct transport *transport, void *token)
{
	struct request *request = token;
	struct amend *amend = container_of(transport, struct amend, transport);

	amend->inner->ops->cancel(amend->inner, request->token);
	request_free(request);
}

static void amend_free(struct transport *transport)
{
	struct amend *amend = container_of(transport, struct amend, transport);

	LIST_EACH(&amend->requests, struct request, link, request)
		amend_cancel(transport, request);
	for (size_t i = 0; i < amend->ways.len; i++) {
		mem_free(amend->ways.ptr[i]->sub);
		mem_free(amend->ways.ptr[i]);
	}
	vec_done(&amend->ways);
	mem_free(amend);
}

struct transport *amend_new(struct loop *loop, struct transport *inner)
{
	static const struct transport_ops ops = {
		.send = amend_send, .cancel = amend_cancel, .free = amend_free};
	struct amend *amend = mem_new(struct amend);

	amend->transport.ops = &ops;
	amend->inner = inner;
	amend->loop = loop;
	list_init(&amend->requests);
	return &amend->transport;
}
