/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi.c - the pages below /openapi: choosing, keeping and sending documents.
 *
 * A document is known by a hash of what it describes, which costs nothing to speak of: the index of
 * version 3 names each document with its hash, so that clients can keep it for good, and an If-None-
 * Match is answered without making anything. */
#include "apiserver/openapi/openapi.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "apiserver/api_internal.h"
#include "apiserver/openapi/openapi_doc.h"
#include "apiserver/request/media.h"
#include "apiserver/request/route.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/url.h"
#include "http/chunk.h"
#include "http/gzip.h"
#include "http/headers.h"
#include "http/http_server.h"

#include "base/banned.h"

enum { GZIP_LEVEL = 6, HASH_SIZE = 20 };

#define PROTO_V2 "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
#define PROTO_V2_NEW "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

/* A document that was made. */
struct kept {
	enum openapi_form form;
	char *group; /* NULL: all */
	char *version;
	uint64_t hash;
	struct chunk *packed;
};

struct openapi {
	struct gzip *gzip;
	uint64_t generation; /* of the kinds that all that is kept fits */
	VEC(struct kept) kept;
};

struct openapi *openapi_new(void)
{
	struct openapi *openapi = mem_new(struct openapi);

	openapi->gzip = gzip_new(GZIP_LEVEL);
	return openapi;
}

static void kept_done(struct kept *kept)
{
	mem_free(kept->group);
	mem_free(kept->version);
	chunk_unref(kept->packed);
}

void openapi_free(struct openapi *openapi)
{
	if (!openapi)
		return;
	for (size_t i = 0; i < openapi->kept.len; i++)
		kept_done(&openapi->kept.ptr[i]);
	vec_done(&openapi->kept);
	gzip_free(openapi->gzip);
	mem_free(openapi);
}

/* --- keeping --------------------------------------------------------------------------------- */

static struct str text_of(const char *text)
{
	return text ? str_from(text) : str_none();
}

/* Kinds have changed: drop what no longer fits. */
static void refresh(struct openapi *openapi, const struct kinds *kinds)
{
	if (openapi->generation == kinds_generation(kinds))
		return;
	for (size_t i = openapi->kept.len; i-- > 0;) {
		struct kept *kept = &openapi->kept.ptr[i];

		if (openapi_doc_hash(kinds, text_of(kept->group), text_of(kept->version)) ==
		    kept->hash)
			continue;
		kept_done(kept);
		vec_remove_swap(&openapi->kept, i);
	}
	openapi->generation = kinds_generation(kinds);
}

static struct kept *find_kept(struct openapi *openapi, enum openapi_form form, struct str group,
			      struct str version)
{
	for (size_t i = 0; i < openapi->kept.len; i++) {
		struct kept *kept = &openapi->kept.ptr[i];

		if (kept->form == form && str_eq(text_of(kept->group), group) &&
		    str_eq(text_of(kept->version), version))
			return kept;
	}
	return NULL;
}

static struct kept *get_kept(struct openapi *openapi, const struct kinds *kinds,
			     enum openapi_form form, struct str group, struct str version)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_RESPONSE_BYTES);
	AUTO(buf_done) struct buf packed = BUF_INIT(LIMIT_RESPONSE_BYTES);
	struct kept *kept;
	struct err err;

	refresh(openapi, kinds);
	kept = find_kept(openapi, form, group, version);
	if (kept)
		return kept;
	openapi_doc_print(kinds, form, group, version, &text);
	if (buf_is_over(&text) || gzip_compress(openapi->gzip, buf_str(&text), &packed, &err) < 0)
		return NULL;
	kept = vec_add(&openapi->kept);
	kept->form = form;
	kept->group = str_is_none(group) ? NULL : str_dup(group);
	kept->version = str_is_none(version) ? NULL : str_dup(version);
	kept->hash = openapi_doc_hash(kinds, group, version);
	kept->packed = chunk_new(packed.ptr, packed.len);
	return kept;
}

/* --- sending --------------------------------------------------------------------------------- */

static const char *print_hash(uint64_t hash, char text[HASH_SIZE])
{
	snprintf(text, HASH_SIZE, "%016" PRIX64, hash);
	return text;
}

static void answer_status(struct call *call, enum err_code code, const char *text)
{
	struct err err;

	(void)err_set(&err, code, "%s", text);
	call_answer_err(call, &err);
}

/* The client has it already. */
static bool is_known(const struct pages_request *page, const char *hash)
{
	struct str known = http_request_header(page->request, STR("if-none-match"));
	AUTO(mem_free) char *quoted = mem_printf("\"%s\"", hash);

	return known.len && str_find(known, str_from(quoted), 0) >= 0;
}

static void send_kept(const struct pages_request *page, struct openapi *openapi,
		      const struct kept *kept, const char *type)
{
	struct headers *headers = http_reply_headers(page->request);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_RESPONSE_BYTES);
	struct err err;

	headers_put(headers, STR("vary"), STR("Accept-Encoding, Accept"));
	if (media_takes_gzip(http_request_header(page->request, STR("accept-encoding")))) {
		headers_put(headers, STR("content-encoding"), STR("gzip"));
		call_answer_text(page->call, 200, chunk_ref(kept->packed), type);
	} else if (gzip_decompress(openapi->gzip, chunk_str(kept->packed), &text, &err) < 0) {
		call_answer_err(page->call, &err);
	} else {
		call_answer_text(page->call, 200, chunk_take(&text), type);
	}
}

static void send_document(const struct pages_request *page, enum openapi_form form,
			  struct str group, struct str version, const char *type)
{
	struct api *api = page->call->api;
	const struct kinds *kinds = api_kinds(api);
	struct kept *kept;
	char hash[HASH_SIZE];

	print_hash(openapi_doc_hash(kinds, group, version), hash);
	headers_printf(http_reply_headers(page->request), STR("etag"), "\"%s\"", hash);
	if (is_known(page, hash)) {
		call_answer_text(page->call, 304, chunk_new("", 0), type);
		return;
	}
	kept = get_kept(api->openapi, kinds, form, group, version);
	if (kept)
		send_kept(page, api->openapi, kept, type);
	else
		answer_status(page->call, ERR_TOO_LARGE, "the document is too large to be sent");
}

/* --- version 2 ------------------------------------------------------------------------------- */

/* In what form the client wants it: the first one that we have. The '@' in the older name is no part
 * of a token, so that the header is not read as one of media types. */
static const char *choose_type(struct str accept)
{
	static const struct {
		const char *name;
		const char *type;
	} rows[] = {
		{PROTO_V2, PROTO_V2_NEW},
		{PROTO_V2_NEW, PROTO_V2_NEW},
		{"application/json", "application/json"},
		{"application/*", "application/json"},
		{"*/*", "application/json"},
	};
	struct str item;

	if (!str_trim(accept).len)
		return "application/json";
	while (str_split(&accept, ',', &item)) {
		struct str name;

		(void)str_split(&item, ';', &name);
		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			if (str_is(str_trim(name), rows[i].name))
				return rows[i].type;
	}
	return NULL;
}

void openapi_serve_v2(const struct pages_request *page)
{
	const char *type = choose_type(http_request_header(page->request, STR("accept")));

	if (type) {
		send_document(page,
			      str_is(str_from(type), "application/json") ? OPENAPI_V2_JSON
									 : OPENAPI_V2_PROTO,
			      str_none(), str_none(), type);
		return;
	}
	answer_status(page->call, ERR_NOT_ACCEPTABLE,
		      "406: Not Acceptable\n\nAvailable representations: application/json, "
		      "" PROTO_V2);
}

/* --- version 3 ------------------------------------------------------------------------------- */

static void put_index_row(const struct kinds *kinds, const struct kind *kind, struct json_doc *doc,
			  struct json paths)
{
	AUTO(mem_free)
	char *path =
		mem_printf("%s/%.*s", kind->group.len ? "apis" : "api", STR_ARG(kind->api_version));
	char hash[HASH_SIZE];
	struct json row;

	if (!json_is_absent(json_get(paths, path)))
		return;
	row = json_new_obj(doc);
	print_hash(openapi_doc_hash(kinds, kind->group, kind->version), hash);
	json_set(doc, row, STR("serverRelativeURL"),
		 json_new_printf(doc, "/openapi/v3/%s?hash=%s", path, hash));
	json_set(doc, paths, str_from(path), row);
}

static void serve_index(const struct pages_request *page)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json root = json_new_obj(doc);
	struct json paths = json_ensure_obj(doc, root, "paths");
	const struct kinds *kinds = api_kinds(page->call->api);
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(kinds, &at)))
		put_index_row(kinds, kind, doc, paths);
	json_print(root, JSON_COMPACT, &text);
	call_answer_text(page->call, 200, chunk_take(&text), "text/plain; charset=utf-8");
}

/* A hash in the query: for good if it is the right one; else the client is sent there. */
static bool settle_hash(const struct pages_request *page, const struct route *route)
{
	struct headers *headers = http_reply_headers(page->request);
	struct str asked = query_get(http_request_query(page->request), STR("hash"));
	char hash[HASH_SIZE];

	if (!asked.len)
		return false;
	print_hash(openapi_doc_hash(api_kinds(page->call->api), route->group, route->version),
		   hash);
	if (str_is(asked, hash)) {
		headers_put(headers, STR("cache-control"), STR("public, immutable"));
		return false;
	}
	headers_printf(headers, STR("location"), "%.*s?hash=%s", STR_ARG(page->path), hash);
	call_answer_text(page->call, 301, chunk_new("", 0), "text/plain; charset=utf-8");
	return true;
}

void openapi_serve_v3(const struct pages_request *page)
{
	struct str below = str_skip(page->path, STR("/openapi/v3").len);
	struct route route = route_parse(below);

	if (below.len <= 1)
		serve_index(page);
	else if (route.class != ROUTE_VERSION ||
		 !kinds_has_version(api_kinds(page->call->api), route.group, route.version))
		pages_not_found(page->call);
	else if (!settle_hash(page, &route))
		send_document(page, OPENAPI_V3, route.group, route.version, "application/json");
}
