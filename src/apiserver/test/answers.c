/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with large objects in them, over HTTPS: workers make their parts, and each form of them says the
 * same. A client may leave at any time. */
#include "apiserver/test/https_client.h"
#include "base/limits.h"
#include "json/pointer.h"
#include "json/yaml.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"
#define METADATA "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

enum { OBJECTS = 5, LONG_EVERY = 2, KEYS = LIMIT_LARGE_BYTES / 4 };

/* Every other one is large. */
static void make_objects(struct https_client *admin)
{
	for (int i = 0; i < OBJECTS; i++) {
		AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
		struct reply reply;

		buf_printf(&body,
			   "{\"metadata\":{\"name\":\"m%d\",\"labels\":{\"all\":\"of-them\"}},"
			   "\"data\":{\"k\":\"v\"",
			   i);
		for (int key = 0; i % LONG_EVERY == 0 && key < KEYS; key++)
			buf_printf(&body, ",\"k%d\":\"a: \\\"b\\\"\\n\"", key);
		buf_puts(&body, "}}");
		reply = https_request(admin, "POST", MAPS, buf_text(&body));
		if (reply.code != 201)
			bail_out("a config map was refused");
		reply_done(&reply);
	}
}

/* Rows without their ages, which grow while the test runs. Takes the document. */
static struct json_doc *without_ages(struct json_doc *doc)
{
	struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	struct json_iter it = json_iter(json_get(json_doc_root(copy), "rows"));

	while (json_next(&it)) {
		struct json name = json_at(json_get(it.value, "cells"), 0);

		json_set(copy, it.value, STR("cells"), json_new_arr(copy));
		json_append(copy, json_get(it.value, "cells"), json_new_copy(copy, name));
	}
	json_doc_unref(doc);
	return copy;
}

static struct json_doc *ask_for(struct https_client *client, const char *target, const char *accept)
{
	const char *const fields[] = {"accept", accept, NULL};
	struct reply reply;
	struct json_doc *doc;

	https_start(client, "GET", target, fields, str_none(), &reply);
	https_wait(client, &reply);
	doc = reply.doc ? json_doc_ref(reply.doc) : yaml_parse(buf_str(&reply.text), NULL, NULL);
	reply_done(&reply);
	if (!doc)
		bail_out("the answer is neither JSON nor YAML");
	return without_ages(doc);
}

static bool is_either(struct json value, struct json one, struct json other)
{
	return json_eq(value, one) || json_eq(value, other);
}

static void test_forms(struct https_client *admin)
{
	static const struct {
		const char *target, *accept, *pointer, *want, *what;
	} rows[] = {
		{MAPS "?labelSelector=all", "application/json", "/items/4/metadata/name", "m4",
		 "a list"},
		{MAPS "?labelSelector=all", TABLE, "/rows/4/cells/0", "m4", "a Table"},
		{MAPS "?labelSelector=all", METADATA, "/items/4/metadata/name", "m4",
		 "a list of metadata"},
		{MAPS "/m4?", "application/json", "/metadata/name", "m4", "one object"},
		{MAPS "/m4?", TABLE, "/rows/0/cells/0", "m4", "one object as a Table"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *pretty = mem_printf("%s&pretty=true", rows[i].target);
		AUTO(mem_free)
		char *yaml = mem_printf("application/yaml%s",
					rows[i].accept + strlen("application/json"));
		AUTO(json_doc_unref)
		struct json_doc *plain = ask_for(admin, rows[i].target, rows[i].accept);
		AUTO(json_doc_unref)
		struct json_doc *indented = ask_for(admin, pretty, rows[i].accept);
		AUTO(json_doc_unref) struct json_doc *other = ask_for(admin, rows[i].target, yaml);
		/* a Table has ages, which may have changed since the first answer */
		AUTO(json_doc_unref)
		struct json_doc *again = ask_for(admin, rows[i].target, rows[i].accept);
		struct json root = json_doc_root(plain);

		ok(str_is(json_str(json_pointer_get(root, str_from(rows[i].pointer))),
			  rows[i].want),
		   "%s has all of it", rows[i].what);
		ok(is_either(json_doc_root(indented), root, json_doc_root(again)),
		   "%s, indented, is the same", rows[i].what);
		ok(is_either(json_doc_root(other), root, json_doc_root(again)),
		   "%s as YAML is the same", rows[i].what);
	}
}

/* A removal of all answers with the list. */
static void test_collection(struct https_client *admin)
{
	struct reply reply =
		https_request(admin, "DELETE", MAPS "?labelSelector=all&pretty=true", NULL);
	AUTO(json_doc_unref) struct json_doc *left = NULL;

	ok(reply.code == 200 && json_len(json_get(json_doc_root(reply.doc), "items")) == OBJECTS,
	   "a removal of all answers with the list");
	reply_done(&reply);
	left = ask_for(admin, MAPS "?labelSelector=all", "application/json");
	ok(json_len(json_get(json_doc_root(left), "items")) == 0, "and they were deleted");
}

/* After so many turns, whatever is under way by then. */
static void test_leaving(struct site *site, struct https_client *admin)
{
	static const char *const accept[] = {"accept", "application/yaml", NULL};
	static const char *const targets[] = {MAPS, MAPS "/m4?pretty=true", MAPS "/m4"};
	struct reply reply;

	for (int turns = 0; turns < 60; turns++) {
		struct https_client *guest = https_client_of(site, TLS_ALPN_ANY, false);
		struct reply connected = https_request(guest, "GET", "/version", NULL);
		struct reply lost;

		reply_done(&connected);
		https_start(guest, "GET", targets[turns % (int)ARRAY_LEN(targets)], accept,
			    str_none(), &lost);
		for (int i = 0; i < turns && !lost.done; i++)
			(void)loop_turn(site->loop, 1000);
		https_client_free(guest);
		reply_done(&lost);
	}
	reply = https_request(admin, "GET", MAPS "/m4", NULL);
	ok(reply.code == 200, "clients that left have taken nothing along");
	reply_done(&reply);
}

int main(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_ANY, false);

	make_objects(admin);
	test_forms(admin);
	test_leaving(&site, admin);
	test_collection(admin);
	https_client_free(admin);
	site_close(&site);
	return tap_done();
}
