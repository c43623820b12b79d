/* SPDX-License-Identifier: Apache-2.0 */
/* client/denials.c - see denials.h. There are as many as sorts of requests at most, a few dozen: a list. */
#include "client/denials.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/refusals.h"
#include "loop/loop.h"

#include "base/banned.h"

struct denial {
	enum client_verb verb;
	const struct resource *resource;
	char *sub;
	char *text;
	int64_t since;
};

struct denials {
	struct loop *loop;
	struct log *log;
	VEC(struct denial) list;
};

struct denials *denials_new(struct loop *loop, struct log *log)
{
	struct denials *denials = mem_new(struct denials);

	denials->loop = loop;
	denials->log = log;
	return denials;
}

static void remove_at(struct denials *denials, size_t at)
{
	mem_free(denials->list.ptr[at].sub);
	mem_free(denials->list.ptr[at].text);
	vec_remove(&denials->list, at);
}

void denials_free(struct denials *denials)
{
	if (!denials)
		return;
	while (denials->list.len)
		remove_at(denials, denials->list.len - 1);
	vec_done(&denials->list);
	mem_free(denials);
}

/* Its place, or the length of the list. */
static size_t find(const struct denials *denials, const struct client_ask *ask)
{
	size_t at = 0;

	while (at < denials->list.len && (denials->list.ptr[at].verb != ask->verb ||
					  denials->list.ptr[at].resource != ask->resource ||
					  !str_is(ask->sub, denials->list.ptr[at].sub)))
		at++;
	return at;
}

/* A list or a watch names no object that could be unwanted. */
static bool is_denial(const struct client_ask *ask, const struct err *err)
{
	bool reads = ask->verb == CLIENT_LIST || ask->verb == CLIENT_WATCH;

	return err->code == ERR_FORBIDDEN && (reads || refusals_is_denial(err));
}

/* The server looks at permissions first: an answer about the object means that they are there. */
static bool is_permitted(const struct client_ask *ask, const struct err *err)
{
	return !err || err->code == ERR_ALREADY_EXISTS || err->code == ERR_CONFLICT ||
	       err->code == ERR_NOT_FOUND || err->code == ERR_INVALID || err->code == ERR_EXPIRED ||
	       err->code == ERR_GONE || (err->code == ERR_FORBIDDEN && !is_denial(ask, err));
}

void denials_answered(struct denials *denials, const struct client_ask *ask, const struct err *err)
{
	bool denied = err && ask->resource && is_denial(ask, err);
	size_t at;

	if (!ask->resource || (!denied && !denials->list.len))
		return;
	at = find(denials, ask);
	if (denied && at == denials->list.len) {
		vec_push(&denials->list, (struct denial){.verb = ask->verb,
							 .resource = ask->resource,
							 .sub = str_dup(ask->sub),
							 .text = mem_strdup(err->text),
							 .since = loop_now(denials->loop)});
		log_error(denials->log, "permission is missing",
			  LOG_STR("verb", refusals_verb(ask->verb)),
			  LOG_VIEW("resource", ask->resource->plural),
			  LOG_VIEW("subresource", ask->sub),
			  LOG_VIEW("group", ask->resource->group), LOG_STR("error", err->text));
	} else if (is_permitted(ask, err) && at < denials->list.len) {
		log_info(denials->log, "permission was granted",
			 LOG_STR("verb", refusals_verb(ask->verb)),
			 LOG_VIEW("resource", ask->resource->plural),
			 LOG_VIEW("subresource", ask->sub));
		remove_at(denials, at);
	}
}

bool denials_next(const struct denials *denials, size_t *at, struct client_denial *ret)
{
	const struct denial *denial;

	if (*at >= denials->list.len)
		return false;
	denial = &denials->list.ptr[(*at)++];
	*ret = (struct client_denial){.verb = refusals_verb(denial->verb),
				      .resource = denial->resource,
				      .sub = str_from(denial->sub),
				      .text = str_from(denial->text),
				      .since_us = denial->since};
	return true;
}
