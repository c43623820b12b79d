/* SPDX-License-Identifier: Apache-2.0 */
/* controller/lookups.c - see lookups.h. One row per object; it has a request while it is read, a timer while it
 * waits after a failure, and else the answer. Rows that are not fresh any more are forgotten when their number
 * has doubled.
 *
 * Always true: a row has waiters only while it has a request or its timer is set. */
#include "controller/lookups.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "loop/loop.h"

#include "base/banned.h"

/* After an answer that is no answer. */
#define AGAIN (TIME_SECOND)
enum { SWEEP = 256 };

struct row {
	struct lookups *lookups;
	char *key; /* "resource/namespace/name" */
	struct client_request *request;
	struct loop_timer *timer;
	struct json_doc *doc; /* NULL: there is none */
	int64_t until;        /* the answer is used, by loop_uptime() */
	VEC(char *) waiters;
};

struct lookups {
	struct client *client;
	struct loop *loop;
	lookups_known_fn *known;
	void *arg;
	struct map *rows;
	size_t sweep_at;
};

struct lookups *lookups_new(struct client *client, lookups_known_fn *known, void *arg)
{
	struct lookups *lookups = mem_new(struct lookups);

	lookups->client = client;
	lookups->loop = client_loop(client);
	lookups->known = known;
	lookups->arg = arg;
	lookups->rows = map_new(loop_random_u64(lookups->loop));
	lookups->sweep_at = SWEEP;
	return lookups;
}

static void row_free(struct row *row)
{
	client_cancel(row->request);
	loop_timer_free(row->timer);
	json_doc_unref(row->doc);
	for (size_t i = 0; i < row->waiters.len; i++)
		mem_free(row->waiters.ptr[i]);
	vec_done(&row->waiters);
	mem_free(row->key);
	mem_free(row);
}

void lookups_free(struct lookups *lookups)
{
	size_t at = 0;
	void *row;

	if (!lookups)
		return;
	while (map_next(lookups->rows, &at, NULL, &row))
		row_free(row);
	map_free(lookups->rows);
	mem_free(lookups);
}

/* --- rows --- */

static void put_key(enum resource_id resource, struct str namespace, struct str name,
		    struct buf *to)
{
	buf_printf(to, "%d/%.*s/%.*s", (int)resource, STR_ARG(namespace), STR_ARG(name));
}

static bool is_idle(const struct row *row)
{
	return !row->request && !(row->timer && loop_timer_is_set(row->timer));
}

static void sweep(struct lookups *lookups)
{
	int64_t now = loop_uptime(lookups->loop);
	size_t at = 0;
	void *value;

	if (map_len(lookups->rows) < lookups->sweep_at)
		return;
	while (map_next(lookups->rows, &at, NULL, &value)) {
		struct row *row = value;

		if (!is_idle(row) || row->until > now)
			continue;
		(void)map_remove(lookups->rows, str_from(row->key));
		row_free(row);
	}
	lookups->sweep_at = 2 * map_len(lookups->rows);
	if (lookups->sweep_at < SWEEP)
		lookups->sweep_at = SWEEP;
}

static struct row *row_of(struct lookups *lookups, enum resource_id resource, struct str namespace,
			  struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct row *row;

	put_key(resource, namespace, name, &key);
	row = map_get(lookups->rows, buf_str(&key));
	if (row)
		return row;
	sweep(lookups);
	row = mem_new(struct row);
	row->lookups = lookups;
	row->key = buf_take(&key);
	(void)map_put(lookups->rows, str_from(row->key), row);
	return row;
}

static void set_doc(struct row *row, struct json_doc *doc)
{
	if (doc)
		json_doc_ref(doc);
	json_doc_unref(row->doc);
	row->doc = doc;
	row->until = loop_uptime(row->lookups->loop) + LOOKUPS_FRESH;
}

/* --- reading --- */

/* The callback may ask for the same row again. */
static void wake(struct row *row)
{
	struct lookups *lookups = row->lookups;
	VEC(char *) waiters = {0};

	for (size_t i = 0; i < row->waiters.len; i++)
		vec_push(&waiters, row->waiters.ptr[i]);
	row->waiters.len = 0;
	for (size_t i = 0; i < waiters.len; i++) {
		lookups->known(lookups->arg, str_from(waiters.ptr[i]));
		mem_free(waiters.ptr[i]);
	}
	vec_done(&waiters);
}

static void on_again(struct loop_timer *timer, void *arg)
{
	(void)timer;
	wake(arg);
}

static void on_read(void *arg, const struct client_result *result)
{
	struct row *row = arg;
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	row->request = NULL;
	if (code == ERR_NONE || code == ERR_NOT_FOUND || code == ERR_FORBIDDEN) {
		set_doc(row, code ? NULL : result->doc);
		wake(row);
		return;
	}
	if (!row->timer)
		row->timer = loop_timer_new(row->lookups->loop, on_again, row);
	loop_timer_set(row->timer, AGAIN);
}

static void add_waiter(struct row *row, struct str waiter)
{
	for (size_t i = 0; i < row->waiters.len; i++)
		if (str_is(waiter, row->waiters.ptr[i]))
			return;
	vec_push(&row->waiters, str_dup(waiter));
}

bool lookups_get(struct lookups *lookups, enum resource_id resource, struct str namespace,
		 struct str name, struct str waiter, struct json *ret)
{
	struct row *row = row_of(lookups, resource, namespace, name);

	if (is_idle(row) && row->until > loop_uptime(lookups->loop)) {
		*ret = row->doc ? json_doc_root(row->doc) : JSON_NONE;
		return true;
	}
	add_waiter(row, waiter);
	if (is_idle(row))
		row->request = client_get(lookups->client, &resources[resource], namespace, name,
					  on_read, row);
	return false;
}

void lookups_put(struct lookups *lookups, enum resource_id resource, struct str namespace,
		 struct str name, struct json_doc *doc)
{
	struct row *row = row_of(lookups, resource, namespace, name);

	if (is_idle(row)) /* what is being read is newer */
		set_doc(row, doc);
}
