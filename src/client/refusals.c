/* SPDX-License-Identifier: Apache-2.0 */
/* client/refusals.c - see refusals.h. One map of both sorts of keys. A key of an object is made from
 * what the write does to which object, one of a permission from the same without the name. */
#include "client/refusals.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

#define FIRST (50 * TIME_MILLISECOND)
#define MOST (30 * TIME_SECOND)
#define PERMISSION_MOST (2 * TIME_SECOND)
/* A key without a write for so long is forgotten, so that deleted objects cost nothing. */
#define FORGET (10 * TIME_MINUTE)
enum { SWEEP = 1024 };

struct refusal {
	char *key;
	unsigned times; /* in a row */
	int64_t until;
	bool under_way;
	enum err_code code;
	char *text;
};

struct refusals {
	struct map *keys;
	size_t sweep_at;
};

struct refusals *refusals_new(uint64_t seed)
{
	struct refusals *refusals = mem_new(struct refusals);

	refusals->keys = map_new(seed);
	refusals->sweep_at = SWEEP;
	return refusals;
}

static void refusal_free(struct refusal *refusal)
{
	mem_free(refusal->key);
	mem_free(refusal->text);
	mem_free(refusal);
}

void refusals_free(struct refusals *refusals)
{
	size_t at = 0;
	void *value;

	if (!refusals)
		return;
	while (map_next(refusals->keys, &at, NULL, &value))
		refusal_free(value);
	map_free(refusals->keys);
	mem_free(refusals);
}

/* --- keys --- */

const char *refusals_verb(enum client_verb verb)
{
	static const char *const names[CLIENT_VERB_COUNT] = {
		[CLIENT_GET] = "get",       [CLIENT_LIST] = "list",
		[CLIENT_WATCH] = "watch",   [CLIENT_CREATE] = "create",
		[CLIENT_UPDATE] = "update", [CLIENT_PATCH] = "patch",
		[CLIENT_DELETE] = "delete", [CLIENT_DELETE_COLLECTION] = "deletecollection",
		[CLIENT_RAW] = "raw",
	};

	return names[verb];
}

static bool is_write(const struct client_ask *ask)
{
	return ask->verb == CLIENT_CREATE || ask->verb == CLIENT_UPDATE ||
	       ask->verb == CLIENT_PATCH || ask->verb == CLIENT_DELETE;
}

/* A create has its name in the body. */
static struct str name_of(const struct client_ask *ask)
{
	if (ask->name.len || !ask->body)
		return ask->name;
	return json_str(json_get(json_get(json_doc_root(ask->body), "metadata"), "name"));
}

static void put_permission(const struct client_ask *ask, struct buf *to)
{
	buf_printf(to, "%s %.*s.%.*s/%.*s %.*s", refusals_verb(ask->verb),
		   STR_ARG(ask->resource->plural), STR_ARG(ask->resource->group), STR_ARG(ask->sub),
		   STR_ARG(ask->namespace));
}

static struct refusal *find(const struct refusals *refusals, const struct client_ask *ask,
			    bool permission)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	put_permission(ask, &key);
	if (!permission)
		buf_printf(&key, "/%.*s", STR_ARG(name_of(ask)));
	return map_get(refusals->keys, buf_str(&key));
}

static bool is_held(const struct refusals *refusals, const struct client_ask *ask)
{
	return map_len(refusals->keys) && is_write(ask) && !ask->own_pace;
}

/* --- what the server said --- */

bool refusals_is_denial(const struct err *err)
{
	struct str text = str_from(err->text);

	return err->code == ERR_FORBIDDEN && str_find(text, STR(" cannot "), 0) >= 0 &&
	       str_find(text, STR(" resource "), 0) >= 0;
}

static int64_t pause_of(const struct refusal *refusal, bool permission)
{
	int64_t most = permission ? PERMISSION_MOST : MOST;
	bool race = refusal->code == ERR_CONFLICT || refusal->code == ERR_ALREADY_EXISTS ||
		    refusal->code == ERR_NOT_FOUND;
	int64_t pause = FIRST;

	if (race && refusal->times == 1)
		return 0;
	for (unsigned i = 1; i < refusal->times && pause < most; i++)
		pause *= 2;
	return pause < most ? pause : most;
}

static void remove_key(struct refusals *refusals, struct refusal *refusal)
{
	if (!refusal)
		return;
	(void)map_remove(refusals->keys, str_from(refusal->key));
	refusal_free(refusal);
}

/* Forgets keys that were not used for long, when their number has doubled. */
static void sweep(struct refusals *refusals, int64_t now)
{
	size_t at = 0;
	void *value;

	if (map_len(refusals->keys) < refusals->sweep_at)
		return;
	while (map_next(refusals->keys, &at, NULL, &value)) {
		struct refusal *refusal = value;

		if (!refusal->under_way && refusal->until + FORGET < now)
			remove_key(refusals, refusal);
	}
	refusals->sweep_at = 2 * map_len(refusals->keys);
	if (refusals->sweep_at < SWEEP)
		refusals->sweep_at = SWEEP;
}

static struct refusal *ensure(struct refusals *refusals, const struct client_ask *ask,
			      bool permission)
{
	struct refusal *refusal = find(refusals, ask, permission);
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	if (refusal)
		return refusal;
	put_permission(ask, &key);
	if (!permission)
		buf_printf(&key, "/%.*s", STR_ARG(name_of(ask)));
	refusal = mem_new(struct refusal);
	refusal->key = buf_take(&key);
	(void)map_put(refusals->keys, str_from(refusal->key), refusal);
	return refusal;
}

void refusals_answered(struct refusals *refusals, const struct client_ask *ask,
		       const struct err *err, int64_t now)
{
	struct refusal *refusal;
	bool permission;

	if (!is_write(ask) || ask->own_pace)
		return;
	refusals_dropped(refusals, ask);
	permission = err && refusals_is_denial(err);
	if (!permission && map_len(refusals->keys))
		remove_key(refusals, find(refusals, ask, true));
	if (!err) {
		if (map_len(refusals->keys))
			remove_key(refusals, find(refusals, ask, false));
		return;
	}
	sweep(refusals, now);
	refusal = ensure(refusals, ask, permission);
	refusal->times++;
	refusal->code = err->code;
	mem_free(refusal->text);
	refusal->text = mem_strdup(err->text);
	refusal->until = now + pause_of(refusal, permission);
}

void refusals_outage_ended(struct refusals *refusals)
{
	size_t at = 0;
	void *value;

	while (map_next(refusals->keys, &at, NULL, &value)) {
		struct refusal *refusal = value;

		if (refusal->code == ERR_UNAVAILABLE || refusal->code == ERR_TIMEOUT)
			refusal->until = 0;
	}
}

void refusals_sent(struct refusals *refusals, const struct client_ask *ask)
{
	if (!is_held(refusals, ask))
		return;
	for (int permission = 0; permission < 2; permission++) {
		struct refusal *refusal = find(refusals, ask, permission);

		if (refusal)
			refusal->under_way = true;
	}
}

void refusals_dropped(struct refusals *refusals, const struct client_ask *ask)
{
	if (!is_held(refusals, ask))
		return;
	for (int permission = 0; permission < 2; permission++) {
		struct refusal *refusal = find(refusals, ask, permission);

		if (refusal)
			refusal->under_way = false;
	}
}

int64_t refusals_wait(const struct refusals *refusals, const struct client_ask *ask, int64_t now)
{
	int64_t wait = 0;

	if (!is_held(refusals, ask))
		return 0;
	for (int permission = 0; permission < 2; permission++) {
		const struct refusal *refusal = find(refusals, ask, permission);
		int64_t left = refusal ? refusal->until - now : 0;

		if (refusal && refusal->under_way && left < FIRST)
			left = FIRST;
		if (left > wait)
			wait = left;
	}
	return wait;
}

bool refusals_why(const struct refusals *refusals, const struct client_ask *ask, struct err *ret)
{
	const struct refusal *refusal = find(refusals, ask, true);

	if (!refusal)
		refusal = find(refusals, ask, false);
	if (!refusal)
		return false;
	(void)err_set(ret, refusal->code, "%s", refusal->text);
	return true;
}
