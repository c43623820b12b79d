/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/page.c - the objects of a list, or of one page of it.
 *
 * A list is of one state. An older state needs no copy: it is the current state with the later
 * changes of the history undone. For each key, the first change after the wanted revision has the
 * version before it, which is the one to list.
 *
 * A page token is base64 of {"v":"meta.k8s.io/v1","rv":<state>,"start":"<where to go on>"}, as
 * Kubernetes has it. */
#include "apiserver/request/page.h"

#include <ctype.h>
#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/request/filter.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/omap.h"
#include "json/syntax.h"

#include "base/banned.h"

enum { TOKEN_MAX = 4096 };

/* How some objects were at an older revision. */
struct past {
	struct omap *changed; /* key -> struct then */
	struct arena *arena;
};
struct then {
	struct str key;
	struct object *object; /* NULL: it was not there */
};

/* --- the past
 * -------------------------------------------------------------------------------------------------
 * */

static void on_change(void *arg, const struct store_event *event)
{
	struct past *past = arg;
	struct then *then;

	if (omap_get(past->changed, event->object->key))
		return;
	then = arena_new_of(past->arena, struct then);
	then->key = arena_str(past->arena, event->object->key);
	then->object = event->previous ? object_ref(event->previous) : NULL;
	omap_put(past->changed, then->key, then);
}

static int past_read(struct call *call, struct str prefix, int64_t revision, struct past *past,
		     struct err *err)
{
	struct store_watch *watch;

	past->arena = call->arena;
	past->changed = omap_new();
	watch = store_watch(api_store(call->api), prefix, revision, on_change, past, err);
	if (!watch)
		return -1;
	store_unwatch(watch);
	return 0;
}

static void past_done(struct past *past)
{
	struct str key = str_none();

	if (!past->changed)
		return;
	for (struct then *then = omap_seek(past->changed, key, &key); then;
	     then = omap_after(past->changed, key, &key))
		object_unref(then->object);
	omap_free(past->changed);
}
DEFINE_AUTO_IN_PLACE(struct past, past_done);

/* The objects as they were then, in order: of the present ones and those that have changed since,
 * always the one with the smaller key. */
struct steps {
	struct store_walk now;
	struct omap_walk then;
	struct object *next_now;
	struct then *next_then;
};

static struct then *then_next(struct steps *steps, const struct past *past)
{
	return past->changed ? omap_walk_next(&steps->then, NULL) : NULL;
}

static struct steps steps_start(const struct store *store, const struct past *past,
				struct str prefix, struct str after)
{
	bool tail = !str_is_none(after);
	struct steps steps = {.now = store_walk(store, prefix, after)};

	if (past->changed)
		omap_walk_start(&steps.then, past->changed, tail ? after : prefix, tail);
	steps.next_now = store_walk_next(&steps.now);
	steps.next_then = then_next(&steps, past);
	return steps;
}

static struct object *steps_next(struct steps *steps, const struct past *past)
{
	for (;;) {
		struct object *now = steps->next_now;
		struct then *then = steps->next_then;
		int order = !then ? -1 : !now ? 1 : str_cmp(now->key, then->key);

		if (order <= 0)
			steps->next_now = now ? store_walk_next(&steps->now) : NULL;
		if (order < 0)
			return now;
		steps->next_then = then_next(steps, past);
		if (then->object) /* else it was not there then, even if it is now */
			return then->object;
	}
}

/* --- tokens --- */

static struct str make_token(struct call *call, int64_t revision, struct str start)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf encoded = BUF_UNBOUNDED;

	buf_printf(&text, "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRId64 ",\"start\":\"", revision);
	buf_put_json(&text, start);
	buf_puts(&text, "\"}");
	base64_print(&encoded, text.ptr, text.len);
	for (size_t i = 0; i < encoded.len; i++) /* the alphabet that URLs can carry, unpadded */
		encoded.ptr[i] = encoded.ptr[i] == '+'   ? '-'
				 : encoded.ptr[i] == '/' ? '_'
							 : encoded.ptr[i];
	while (encoded.len && encoded.ptr[encoded.len - 1] == '=')
		buf_truncate(&encoded, encoded.len - 1);
	return arena_str(call->arena, buf_str(&encoded));
}

/* The first byte that is none of base64 for URLs, without padding; -1: all are. */
static ptrdiff_t find_bad_byte(struct str token)
{
	static const struct str others = STR_INIT("-_\r\n");
	size_t digits = 0;

	for (size_t i = 0; i < token.len; i++) {
		unsigned char c = (unsigned char)token.ptr[i];

		if (!isalnum(c) && str_find_byte(others, (char)c, 0) < 0)
			return (ptrdiff_t)i;
		digits += c != '\r' && c != '\n';
	}
	return digits % 4 == 1 ? (ptrdiff_t)token.len - 1 : -1;
}

static struct json_doc *decode_token(struct str token, struct err *err)
{
	AUTO(buf_done) struct buf plain = BUF_INIT(TOKEN_MAX);
	AUTO(buf_done) struct buf text = BUF_INIT(TOKEN_MAX);
	ptrdiff_t bad = find_bad_byte(token);
	struct json_doc *doc;

	if (bad >= 0) {
		(void)err_set(err, ERR_BAD_REQUEST, "illegal base64 data at input byte %td", bad);
		return NULL;
	}
	for (size_t i = 0; i < token.len; i++) {
		char c = token.ptr[i];

		if (c != '\r' && c != '\n')
			buf_putc(&plain, c == '-' ? '+' : c == '_' ? '/' : c);
	}
	while (plain.len % 4 && !buf_is_over(&plain))
		buf_putc(&plain, '=');
	if (buf_is_over(&plain)) {
		(void)err_set(err, ERR_BAD_REQUEST, "it has more than %d bytes", TOKEN_MAX);
		return NULL;
	}
	if (base64_parse(buf_str(&plain), &text, err) < 0)
		return NULL;
	doc = json_parse(buf_str(&text), NULL, err);
	if (!doc)
		(void)json_syntax_check(buf_str(&text), err); /* in Go's words, if it has some */
	return doc;
}

/* A ".." in it would lead to objects of other kinds or namespaces. */
static bool is_clean(struct str key)
{
	struct str part;

	if (str_starts(key, STR("/"))) /* of a kind without namespaces */
		key = str_skip(key, 1);
	while (str_split(&key, '/', &part))
		if (!part.len || str_is(part, ".") || str_is(part, ".."))
			return false;
	return true;
}

static int check_token(struct json token, struct err *err)
{
	struct str version = json_str(json_get(token, "v"));
	struct str start = json_str(json_get(token, "start"));

	if (!str_is(version, "meta.k8s.io/v1"))
		return err_set(err, ERR_BAD_REQUEST,
			       "server does not recognize this encoded version %.*s",
			       STR_ARG(version));
	if (json_int(json_get(token, "rv")) == 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
	if (!start.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "encoded start key empty (version meta.k8s.io/v1)");
	if (!is_clean(start))
		return err_set(err, ERR_BAD_REQUEST, "%.*s", STR_ARG(start));
	return 0;
}

static int refuse_future(struct call *call, uint64_t wanted, int64_t current, struct err *err)
{
	call->answer.retry_after = 1;
	call->error.too_large_version = true;
	return err_set(err, ERR_TIMEOUT,
		       "Timeout: Too large resource version: %" PRIu64 ", current: %" PRId64,
		       wanted, current);
}

/* The start of the page: the state, and the key to continue after. */
static int parse_token(struct call *call, struct str prefix, int64_t *ret_revision,
		       struct str *ret_after, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = decode_token(call->options.continue_token, err);
	struct json token = doc ? json_doc_root(doc) : JSON_NONE;
	struct str start = json_str(json_get(token, "start"));
	int64_t current = store_revision(api_store(call->api));

	if (!doc || check_token(token, err) < 0)
		return err_wrap(err, "invalid continue token: continue key is not valid");
	if (call->options.resource_version.len && !str_is(call->options.resource_version, "0"))
		return err_set(err, ERR_BAD_REQUEST,
			       "specifying resource version is not allowed when using continue");
	*ret_revision = json_int(json_get(token, "rv"));
	if (*ret_revision < 0) /* whatever is newest */
		*ret_revision = current;
	if (*ret_revision > current)
		return refuse_future(call, (uint64_t)*ret_revision, current, err);
	*ret_after =
		str_from(arena_printf(call->arena, "%.*s%.*s", STR_ARG(prefix), STR_ARG(start)));
	return 0;
}

/* --- which state
 * -------------------------------------------------------------------------------------------------
 * */

/* Pages of a request that names a version show exactly that version. */
static bool is_exact(const struct call_options *options)
{
	return str_is(options->version_match, "Exact") ||
	       (!options->version_match.len && options->limit > 0);
}

/* In the words of Go; lists have a few words before them. */
static int refuse_version(struct call *call, struct str version, struct err *err)
{
	bool lists = call->verb == VERB_LIST || call->verb == VERB_DELETE_COLLECTION;
	bool digits = true;

	for (size_t i = 0; i < version.len; i++)
		digits = digits && version.ptr[i] >= '0' && version.ptr[i] <= '9';
	return err_set(err, lists ? ERR_BAD_REQUEST : ERR_UNKNOWN,
		       "%sresourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: parsing "
		       "\"%.*s\": %s",
		       lists ? "invalid resource version: " : "", STR_ARG(version),
		       STR_ARG(version), digits ? "value out of range" : "invalid syntax");
}

int page_check_version(struct call *call, int64_t *ret_revision, struct err *err)
{
	struct str version = call->options.resource_version;
	int64_t current = store_revision(api_store(call->api));
	uint64_t wanted;

	*ret_revision = current;
	if (!version.len)
		return 0;
	if (number_parse_u64(version, &wanted, NULL) < 0)
		return refuse_version(call, version, err);
	if (wanted > (uint64_t)current)
		return refuse_future(call, wanted, current, err);
	if (is_exact(&call->options) && wanted > 0)
		*ret_revision = (int64_t)wanted;
	return 0;
}

/* A token for a state that the history no longer reaches. */
static int report_expired(struct call *call, struct err *err)
{
	if (err->code != ERR_EXPIRED || !call->options.continue_token.len)
		return -1;
	return err_set(
		err, ERR_EXPIRED,
		"The provided continue parameter is too old to display a consistent list "
		"result. You can start a new list without the continue parameter, or use the "
		"continue token in this response to retrieve the remainder of the results. "
		"Continuing with the provided token results in an inconsistent list - objects "
		"that were created, modified, or deleted between the time the first chunk was "
		"returned and now may show up in the list.");
}

static void fill(struct call *call, const struct filter *filter, const struct past *past,
		 struct str after, struct page *page)
{
	const struct store *store = api_store(call->api);
	struct str prefix = filter_prefix(filter);
	int64_t limit = call->options.limit;
	struct steps steps = steps_start(store, past, prefix, after);
	struct object *object = steps_next(&steps, past);

	/* resourceVersion=0 is answered from memory in Kubernetes, and whole */
	if (limit <= 0 || str_is(call->options.resource_version, "0") ||
	    (filter_is_single(filter) && str_is_none(after)))
		limit = INT64_MAX;
	for (; object && (int64_t)page->objects.len < limit; object = steps_next(&steps, past)) {
		after = object->key;
		if (filter_matches(filter, object))
			vec_push(&page->objects, object_ref(object));
	}
	if (!object)
		return;
	page->token = make_token(call, page->revision, str_skip(after, prefix.len));
	if (filter_is_plain(filter) && !past->changed)
		page->remaining = (int64_t)store_count_from(store, prefix, object->key);
	else if (filter_is_plain(filter))
		for (page->remaining = 0; object; object = steps_next(&steps, past))
			page->remaining++;
}

int page_read(struct call *call, const struct filter *filter, struct page *page, struct err *err)
{
	AUTO(past_done) struct past past = {0};
	struct str prefix = filter_prefix(filter);
	struct str after = str_none();
	int64_t current = store_revision(api_store(call->api));

	page->remaining = -1;
	if (call->options.continue_token.len) {
		if (parse_token(call, prefix, &page->revision, &after, err) < 0)
			return -1;
	} else if (page_check_version(call, &page->revision, err) < 0) {
		return -1;
	}
	if (page->revision < current && past_read(call, prefix, page->revision, &past, err) < 0)
		return report_expired(call, err);
	fill(call, filter, &past, after, page);
	return 0;
}

void page_done(struct page *page)
{
	for (size_t i = 0; i < page->objects.len; i++)
		object_unref(page->objects.ptr[i]);
	vec_done(&page->objects);
}
