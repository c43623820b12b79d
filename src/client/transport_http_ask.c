/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport_http_ask.c - from a request to method, target and body. */
#include "client/transport_http_ask.h"

#include <inttypes.h>

#include "base/url.h"
#include "client/transport.h"

#include "base/banned.h"

static const char *const methods[] = {
	[CLIENT_GET] = "GET",       [CLIENT_LIST] = "GET",
	[CLIENT_WATCH] = "GET",     [CLIENT_CREATE] = "POST",
	[CLIENT_UPDATE] = "PUT",    [CLIENT_PATCH] = "PATCH",
	[CLIENT_DELETE] = "DELETE", [CLIENT_DELETE_COLLECTION] = "DELETE",
};

static const char *const patch_types[] = {
	[CLIENT_PATCH_JSON] = "application/json-patch+json",
	[CLIENT_PATCH_MERGE] = "application/merge-patch+json",
	[CLIENT_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
	[CLIENT_PATCH_APPLY] = "application/apply-patch+yaml",
};
_Static_assert(ARRAY_LEN(patch_types) == CLIENT_PATCH_COUNT, "every patch");

static const char *const propagations[] = {
	[CLIENT_BACKGROUND] = "Background",
	[CLIENT_FOREGROUND] = "Foreground",
	[CLIENT_ORPHAN] = "Orphan",
};

/* --- the query --- */

struct query_writer {
	struct buf *to;
	bool begun;
};

static void put(struct query_writer *query, const char *name, struct str value)
{
	if (value.len == 0)
		return;
	buf_putc(query->to, query->begun ? '&' : '?');
	buf_puts(query->to, name);
	buf_putc(query->to, '=');
	url_encode_query(value, query->to);
	query->begun = true;
}

static void put_number(struct query_writer *query, const char *name, int64_t value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (value <= 0)
		return;
	buf_put_int(&text, value);
	put(query, name, buf_str(&text));
}

static bool is_write(enum client_verb verb)
{
	return verb == CLIENT_CREATE || verb == CLIENT_UPDATE || verb == CLIENT_PATCH;
}

static void put_query(struct buf *to, const struct transport_ask *from)
{
	const struct client_ask *ask = &from->ask;
	struct query_writer query = {.to = to};

	put(&query, "labelSelector", ask->label_selector);
	put(&query, "fieldSelector", ask->field_selector);
	put(&query, "resourceVersion", ask->resource_version);
	put(&query, "resourceVersionMatch",
	    from->initial_events ? STR("NotOlderThan") : ask->version_match);
	put_number(&query, "limit", ask->limit);
	put(&query, "continue", ask->continue_token);
	if (is_write(ask->verb))
		put(&query, "fieldManager", ask->field_manager);
	if (ask->force)
		put(&query, "force", STR("true"));
	if (ask->dry_run && is_write(ask->verb))
		put(&query, "dryRun", STR("All"));
	if (ask->verb != CLIENT_WATCH)
		return;
	put(&query, "watch", STR("true"));
	put(&query, "allowWatchBookmarks", STR("true"));
	if (from->initial_events)
		put(&query, "sendInitialEvents", STR("true"));
	put_number(&query, "timeoutSeconds", from->timeout_s);
}

/* --- the body --- */

static void put_delete_options(struct buf *to, const struct client_ask *ask)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", STR("DeleteOptions"));
	json_set_str(doc, root, "apiVersion", STR("v1"));
	if (ask->grace_seconds)
		json_set_int(doc, root, "gracePeriodSeconds", *ask->grace_seconds);
	if (ask->propagation)
		json_set_str(doc, root, "propagationPolicy",
			     str_from(propagations[ask->propagation]));
	if (ask->precondition_uid.len)
		json_set_str(doc, json_ensure_obj(doc, root, "preconditions"), "uid",
			     ask->precondition_uid);
	if (ask->precondition_version.len)
		json_set_str(doc, json_ensure_obj(doc, root, "preconditions"), "resourceVersion",
			     ask->precondition_version);
	if (ask->dry_run)
		json_append(doc, json_ensure_arr(doc, root, "dryRun"),
			    json_new_str(doc, STR("All")));
	json_print(root, JSON_COMPACT, to);
}

/* Is it an object without apiVersion and kind? */
static bool lacks_kind(const struct client_ask *ask)
{
	struct json root = json_doc_root(ask->body);
	bool whole = ask->verb == CLIENT_CREATE ? !ask->sub.len : ask->verb == CLIENT_UPDATE;

	return whole && ask->resource && json_is(root, JSON_OBJ) &&
	       json_is_absent(json_get(root, "kind"));
}

/* Adds the kind of the resource: the server rejects an object without it. */
static void put_named(struct buf *to, const struct client_ask *ask)
{
	struct json_iter it = json_iter(json_doc_root(ask->body));

	buf_puts(to, "{\"apiVersion\":\"");
	resource_put_api_version(ask->resource, to);
	buf_puts(to, "\",\"kind\":\"");
	buf_put_str(to, ask->resource->kind);
	buf_putc(to, '"');
	while (json_next(&it)) {
		if (str_is(it.key, "apiVersion"))
			continue;
		buf_putc(to, ',');
		json_print_member(it.key, it.value, to);
	}
	buf_putc(to, '}');
}

static void put_body(struct transport_http_ask *made, const struct client_ask *ask)
{
	bool delete = ask->verb == CLIENT_DELETE || ask->verb == CLIENT_DELETE_COLLECTION;

	made->content_type = STR("application/json");
	if (ask->verb == CLIENT_PATCH)
		made->content_type = str_from(patch_types[ask->patch]);
	else if (ask->content_type.len)
		made->content_type = ask->content_type;
	if (delete)
		put_delete_options(&made->text, ask);
	else if (ask->body && lacks_kind(ask))
		put_named(&made->text, ask);
	else if (ask->body)
		json_print(json_doc_root(ask->body), JSON_COMPACT, &made->text);
	made->body = made->text.len ? buf_str(&made->text) : ask->raw_body;
	if (made->body.len == 0)
		made->content_type = str_none();
}

void transport_http_ask_init(struct transport_http_ask *made, const struct transport_ask *from)
{
	const struct client_ask *ask = &from->ask;

	*made = (struct transport_http_ask){.target = BUF_UNBOUNDED, .text = BUF_UNBOUNDED};
	if (ask->verb == CLIENT_RAW) {
		made->method = ask->method;
		buf_put_str(&made->target, ask->path);
	} else {
		made->method = str_from(methods[ask->verb]);
		resource_put_path(ask->resource, ask->namespace, ask->name, ask->sub,
				  &made->target);
		put_query(&made->target, from);
	}
	put_body(made, ask);
}

void transport_http_ask_done(struct transport_http_ask *made)
{
	buf_done(&made->target);
	buf_done(&made->text);
}
