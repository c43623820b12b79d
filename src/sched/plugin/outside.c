/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/outside.c - see the header. An entry is in the list `queued` from being asked until it is sent, and is
 * never freed while it is under way. */
#include "sched/plugin/outside.h"

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"

#include "base/banned.h"

enum { AT_ONCE = 16, MESSAGES_MAX = 1000 };
#define ASKED_AGAIN (1 * TIME_SECOND)
#define CURRENT (10 * TIME_SECOND)
#define FORGOTTEN (60 * TIME_SECOND)

struct outside_call {
	struct list link; /* among those that are queued */
	char *key;        /* NULL: a message */
	char *verb;
	char *subject;
	char *body;
	size_t body_len;
	bool sent;
	bool known; /* has been answered, or has failed */
	bool failed;
	char *why;
	struct json_doc *reply;
	int64_t answered;
	int64_t asked; /* last */
};

struct outside {
	struct map *entries; /* by key */
	struct list queued;
	struct list flying;
	size_t in_flight;
	size_t messages; /* that are queued */
	uint64_t failures;
};

struct outside *outside_new(void)
{
	struct outside *outside = mem_new(struct outside);

	outside->entries = map_new(0);
	list_init(&outside->queued);
	list_init(&outside->flying);
	return outside;
}

static void call_free(struct outside_call *call)
{
	list_remove(&call->link);
	mem_free(call->key);
	mem_free(call->verb);
	mem_free(call->subject);
	mem_free(call->body);
	mem_free(call->why);
	json_doc_unref(call->reply);
	mem_free(call);
}

void outside_free(struct outside *outside)
{
	struct list *const lists[] = {&outside->queued, &outside->flying};
	size_t at = 0;
	void *value;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		while (!list_is_empty(lists[i])) {
			struct outside_call *call =
				container_of(lists[i]->next, struct outside_call, link);

			if (call->key)
				(void)map_remove(outside->entries, str_from(call->key));
			call_free(call);
		}
	while (map_next(outside->entries, &at, NULL, &value))
		call_free(value);
	map_free(outside->entries);
	mem_free(outside);
}

static void set_body(struct outside_call *call, struct str body)
{
	mem_free(call->body);
	call->body = str_dup(body);
	call->body_len = body.len;
}

static struct outside_call *call_new(const char *verb, struct str subject, struct str body)
{
	struct outside_call *call = mem_new(struct outside_call);

	list_init(&call->link);
	call->verb = mem_strdup(verb);
	call->subject = str_dup(subject);
	set_body(call, body);
	return call;
}

static void queue(struct outside *outside, struct outside_call *call)
{
	if (!call->sent && !list_is_linked(&call->link))
		list_push(&outside->queued, &call->link);
}

static struct outside_answer answer_of(const struct outside_call *call, int64_t now)
{
	struct outside_answer answer = {.state = OUTSIDE_WAITS, .reply = JSON_NONE};

	if (!call->known)
		return answer;
	answer.old = now - call->answered > CURRENT;
	answer.state = call->failed ? OUTSIDE_FAILED : OUTSIDE_ANSWERED;
	if (call->failed)
		answer.why = call->why;
	else
		answer.reply = json_doc_root(call->reply);
	return answer;
}

/* Takes the key. */
static struct outside_call *entry_of(struct outside *outside, char *key, const char *verb,
				     struct str subject, struct str body)
{
	struct outside_call *call = map_get(outside->entries, str_from(key));

	if (call) {
		mem_free(key);
		return call;
	}
	call = call_new(verb, subject, body);
	call->key = key;
	map_put(outside->entries, str_from(call->key), call);
	return call;
}

static char *key_of(const char *verb, struct str body)
{
	return mem_printf("%s\n%.*s", verb, STR_ARG(body));
}

struct outside_answer outside_ask(struct outside *outside, const char *verb, struct str subject,
				  struct str body, int64_t now)
{
	struct outside_call *call = entry_of(outside, key_of(verb, body), verb, subject, body);
	struct outside_answer answer = answer_of(call, now);

	call->asked = now;
	if (answer.state == OUTSIDE_WAITS || now - call->answered > ASKED_AGAIN)
		queue(outside, call);
	return answer;
}

struct outside_answer outside_poll(struct outside *outside, const char *verb, struct str body,
				   int64_t now)
{
	struct outside_call *call = entry_of(outside, mem_strdup(verb), verb, str_from(verb), body);
	struct outside_answer answer = answer_of(call, now);

	call->asked = now;
	if ((answer.state == OUTSIDE_WAITS || now - call->answered > ASKED_AGAIN) && !call->sent) {
		set_body(call, body);
		queue(outside, call);
	}
	return answer;
}

void outside_tell(struct outside *outside, const char *verb, struct str body)
{
	struct outside_call *call;

	if (outside->messages >= MESSAGES_MAX) { /* the server does not keep up */
		outside->failures++;
		return;
	}
	call = call_new(verb, STR(""), body);
	outside->messages++;
	list_push(&outside->queued, &call->link);
}

void outside_forget(struct outside *outside, const char *verb, struct str body)
{
	AUTO(mem_free) char *key = key_of(verb, body);
	struct outside_call *call = map_get(outside->entries, str_from(key));

	if (!call || call->sent)
		return;
	(void)map_remove(outside->entries, str_from(key));
	call_free(call);
}

void outside_tidy(struct outside *outside, int64_t now)
{
	VEC(struct outside_call *) gone = {0};
	size_t at = 0;
	void *value;

	while (map_next(outside->entries, &at, NULL, &value)) {
		struct outside_call *call = value;

		if (!call->sent && now - call->asked > FORGOTTEN)
			vec_push(&gone, call);
	}
	for (size_t i = 0; i < gone.len; i++) {
		(void)map_remove(outside->entries, str_from(gone.ptr[i]->key));
		call_free(gone.ptr[i]);
	}
	vec_done(&gone);
}

/* --- calls ----------------------------------------------------------------------------------- */

static bool is_busy(const struct outside *outside, const struct outside_call *call)
{
	LIST_EACH(&outside->flying, struct outside_call, link, other)
		if (call->key && strcmp(other->verb, call->verb) == 0 &&
		    strcmp(other->subject, call->subject) == 0)
			return true;
	return false;
}

struct outside_call *outside_next(struct outside *outside)
{
	if (outside->in_flight >= AT_ONCE)
		return NULL;
	LIST_EACH(&outside->queued, struct outside_call, link, call) {
		if (is_busy(outside, call))
			continue;
		list_remove(&call->link);
		list_push(&outside->flying, &call->link);
		outside->in_flight++;
		outside->messages -= !call->key;
		call->sent = true;
		return call;
	}
	return NULL;
}

const char *outside_call_verb(const struct outside_call *call)
{
	return call->verb;
}

struct str outside_call_body(const struct outside_call *call)
{
	return str_of(call->body, call->body_len);
}

static void take_answer(struct outside_call *call, int status, struct str body, const char *failure)
{
	struct err err;

	json_doc_unref(call->reply);
	call->reply = NULL;
	mem_free(call->why);
	call->why = NULL;
	call->known = true;
	if (failure) {
		call->why = mem_strdup(failure);
	} else if (status != 200) {
		call->why = mem_printf("%s answers with status %d", call->verb, status);
	} else {
		call->reply = json_parse(str_trim(body).len ? body : STR("{}"), NULL, &err);
		if (!call->reply)
			call->why =
				mem_printf("%s answers what is no JSON: %s", call->verb, err.text);
	}
	call->failed = !call->reply;
}

void outside_end(struct outside *outside, struct outside_call *call, int status, struct str body,
		 const char *failure, int64_t now)
{
	list_remove(&call->link);
	outside->in_flight--;
	call->sent = false;
	call->answered = now;
	take_answer(call, status, body, failure);
	outside->failures += call->failed;
	if (!call->key)
		call_free(call);
}

uint64_t outside_failures(const struct outside *outside)
{
	return outside->failures;
}
