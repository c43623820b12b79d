/* SPDX-License-Identifier: Apache-2.0 */
/* Owner clean-up: background, foreground, orphans, several owners, owners that never were. */
#include "apiserver/test/world.h"
#include "random.h"

#define CM "/api/v1/namespaces/a/configmaps"
#define SECRETS "/api/v1/namespaces/a/secrets"

/* The uid of an object, for references to it. */
static const char *uid_of(struct world *w, const char *path, char uid[40])
{
	AUTO(answer_done) struct answer answer = ask(w, "GET", path, NULL);
	struct json metadata = json_get(json_doc_root(answer.doc), "metadata");

	snprintf(uid, 40, "%.*s", STR_ARG(json_str(json_get(metadata, "uid"))));
	return uid;
}

static void make(struct world *w, const char *collection, const char *name)
{
	char body[128];

	snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
	answer_done(&(struct answer){.doc = ask(w, "POST", collection, body).doc});
}

/* A secret that belongs to config maps; `blocks` is for all of them. */
static int own(struct world *w, const char *name, const char *const *owners, bool blocks)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	char path[100], uid[40];

	buf_printf(&body, "{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[", name);
	for (size_t i = 0; owners[i]; i++) {
		snprintf(path, sizeof(path), CM "/%s", owners[i]);
		buf_printf(&body,
			   "%s{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"%s\","
			   "\"uid\":\"%s\",\"blockOwnerDeletion\":%s}",
			   i ? "," : "", owners[i], uid_of(w, path, uid),
			   blocks ? "true" : "false");
	}
	buf_puts(&body, "]}}");
	AUTO(answer_done) struct answer answer = ask(w, "POST", SECRETS, buf_text(&body));

	return answer.code;
}

static int code_of(struct world *w, const char *path)
{
	AUTO(answer_done) struct answer answer = ask(w, "GET", path, NULL);

	return answer.code;
}

static void act(struct world *w, const char *method, const char *path, const char *body)
{
	AUTO(answer_done) struct answer answer = ask(w, method, path, body);

	if (answer.code >= 300)
		printf("# %s %s: %d\n", method, path, answer.code);
}

#define BY(...)                   \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static void test_background(struct world *w)
{
	make(w, CM, "o");
	ok(own(w, "d", BY("o"), true) == 201, "an object with an owner");
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 200, "stays while its owner is there");
	act(w, "DELETE", CM "/o", NULL);
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 404, "and goes with it");

	make(w, CM, "o");
	make(w, CM, "p");
	own(w, "d", BY("o", "p"), false);
	act(w, "DELETE", CM "/o", NULL);
	world_settle(w);
	static const struct step one_left[] = {
		{"GET", SECRETS "/d", NULL, 200, "/metadata/ownerReferences/0/name", "p"},
		{"GET", SECRETS "/d", NULL, 200, "/metadata/ownerReferences/1", NULL},
	};
	world_steps(w, one_left, ARRAY_LEN(one_left));
	act(w, "DELETE", CM "/p", NULL);
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 404, "the last of several owners takes it along");
}

static void test_dangling(struct world *w)
{
	act(w, "POST", SECRETS,
	    "{\"metadata\":{\"name\":\"d\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
	    "\"ConfigMap\",\"name\":\"never\",\"uid\":\"11111111-2222-3333-4444-555555555555\"}]}"
	    "}");
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 404, "an owner that never was");
	make(w, CM, "o");
	act(w, "POST", SECRETS,
	    "{\"metadata\":{\"name\":\"d\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
	    "\"ConfigMap\",\"name\":\"o\",\"uid\":\"11111111-2222-3333-4444-555555555555\"}]}}");
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 404, "one whose name another object has now");
	act(w, "POST", SECRETS,
	    "{\"metadata\":{\"name\":\"d\",\"ownerReferences\":[{\"apiVersion\":\"no.org/v1\","
	    "\"kind\":\"Thing\",\"name\":\"o\",\"uid\":\"11111111-2222-3333-4444-555555555555\"}]}"
	    "}");
	act(w, "POST", "/api/v1/nodes",
	    "{\"metadata\":{\"name\":\"n\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
	    "\"ConfigMap\",\"name\":\"o\",\"uid\":\"11111111-2222-3333-4444-555555555555\"}]}}");
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 200, "one of a kind that is not served proves nothing");
	ok(code_of(w, "/api/v1/nodes/n") == 200, "nor one in a namespace, outside of it");
	act(w, "PATCH merge", SECRETS "/d", "{\"metadata\":{\"ownerReferences\":null}}");
	act(w, "DELETE", SECRETS "/d", NULL);
	act(w, "DELETE", CM "/o", NULL);
}

static void test_foreground(struct world *w)
{
	static const struct step held[] = {
		{"DELETE", CM "/o", "{\"propagationPolicy\":\"Foreground\"}", 200,
		 "/metadata/finalizers/0", "foregroundDeletion"},
		{"GET", CM "/o", NULL, 200, "/metadata/finalizers/0", "foregroundDeletion"},
		{"GET", SECRETS "/free", NULL, 404, "/reason", "NotFound"},
		{"GET", SECRETS "/d", NULL, 200, "/metadata/finalizers/0", "a.com/x"},
	};

	make(w, CM, "o");
	own(w, "d", BY("o"), true);
	own(w, "free", BY("o"), false);
	act(w, "PATCH merge", SECRETS "/d", "{\"metadata\":{\"finalizers\":[\"a.com/x\"]}}");
	world_steps(w, held, ARRAY_LEN(held));
	world_restart(w);
	ok(code_of(w, CM "/o") == 200, "the owner waits, through a restart as well");
	act(w, "PATCH merge", SECRETS "/d", "{\"metadata\":{\"finalizers\":null}}");
	world_settle(w);
	ok(code_of(w, SECRETS "/d") == 404 && code_of(w, CM "/o") == 404,
	   "and goes when nothing holds it up any more");
	make(w, CM, "alone");
	act(w, "DELETE", CM "/alone", "{\"propagationPolicy\":\"Foreground\"}");
	world_settle(w);
	ok(code_of(w, CM "/alone") == 404, "without dependents it goes at once");
}

static void test_orphan(struct world *w)
{
	make(w, CM, "o");
	own(w, "d", BY("o"), true);
	own(w, "e", BY("o"), true);
	static const struct step orphaned[] = {
		{"DELETE", CM "/o", "{\"propagationPolicy\":\"Orphan\"}", 200,
		 "/metadata/finalizers/0", "orphan"},
		{"GET", CM "/o", NULL, 404, "/reason", "NotFound"},
		{"GET", SECRETS "/d", NULL, 200, "/metadata/ownerReferences", NULL},
		{"GET", SECRETS "/e", NULL, 200, "/metadata/ownerReferences", NULL},
		{"DELETE", SECRETS "/d", NULL, 200, "/status", "Success"},
		{"DELETE", SECRETS "/e", NULL, 200, "/status", "Success"},
	};
	world_steps(w, orphaned, ARRAY_LEN(orphaned));
}

/* A finalizer that is listed several times goes as a whole, and takes no other with it. */
static void test_repeated(struct world *w)
{
	static const struct step repeated[] = {
		{"POST", CM,
		 "{\"metadata\":{\"name\":\"o\",\"finalizers\":[\"orphan\",\"orphan\",\"orphan\","
		 "\"orphan\",\"orphan\"]}}",
		 201, "/kind", "ConfigMap"},
		{"DELETE", CM "/o", NULL, 200, "/kind", "ConfigMap"},
		{"GET", CM "/o", NULL, 404, "/reason", "NotFound"},
		{"POST", CM,
		 "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"foregroundDeletion\","
		 "\"foregroundDeletion\",\"a.com/x\",\"foregroundDeletion\"]}}",
		 201, "/kind", "ConfigMap"},
		{"DELETE", CM "/f", NULL, 200, "/kind", "ConfigMap"},
		{"GET", CM "/f", NULL, 200, "/metadata/finalizers", "[\"a.com/x\"]"},
		{"PATCH merge", CM "/f", "{\"metadata\":{\"finalizers\":null}}", 200, "/kind",
		 "ConfigMap"},
		{"GET", CM "/f", NULL, 404, "/reason", "NotFound"},
		{"POST", CM,
		 "{\"metadata\":{\"name\":\"b\",\"finalizers\":[\"orphan\",\"orphan\"]}}", 201,
		 "/kind", "ConfigMap"},
		{"DELETE", CM "/b", "{\"propagationPolicy\":\"Background\"}", 200, "/status",
		 "Success"},
		{"GET", CM "/b", NULL, 404, "/reason", "NotFound"},
	};

	world_steps(w, repeated, ARRAY_LEN(repeated));
}

/* a owns b owns a: both wait for one another until a block is taken away. */
static void test_circle(struct world *w)
{
	char body[400], uid[40];

	make(w, CM, "a");
	own(w, "b", BY("a"), true);
	snprintf(body, sizeof(body),
		 "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Secret\","
		 "\"name\":\"b\",\"uid\":\"%s\",\"blockOwnerDeletion\":true}]}}",
		 uid_of(w, SECRETS "/b", uid));
	act(w, "PATCH merge", CM "/a", body);
	world_settle(w);
	act(w, "DELETE", CM "/a", "{\"propagationPolicy\":\"Foreground\"}");
	world_settle(w);
	ok(code_of(w, CM "/a") == 404 && code_of(w, SECRETS "/b") == 404, "a circle goes");
}

static void test_many(struct world *w)
{
	enum { MANY = 600 };
	char name[24];
	int64_t before;

	make(w, CM, "o");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		own(w, name, BY("o"), true);
	}
	world_settle(w);
	before = store_revision(w->store);
	act(w, "DELETE", CM "/o", NULL);
	world_restart(w);
	ok(store_count(w->store, STR("/secrets/")) == 0, "all of many dependents go");
	ok(store_revision(w->store) == before + 1 + MANY, "by one write each");
}

/* --- anything in any order --- */

enum { OBJECTS = 12, ROUNDS = 400 };

/* An object with up to two owners, which may be deleted or may never have existed. */
static void make_random(struct world *w, uint64_t *seed)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	char path[100], uid[40];
	size_t owners = random_next(seed) % 3;

	buf_printf(&body, "{\"metadata\":{\"name\":\"r%d\",\"ownerReferences\":[",
		   (int)(random_next(seed) % OBJECTS));
	for (size_t i = 0; i < owners; i++) {
		int owner = (int)(random_next(seed) % OBJECTS);

		snprintf(path, sizeof(path), CM "/r%d", owner);
		uid_of(w, path, uid);
		if (!uid[0])
			snprintf(uid, sizeof(uid), "00000000-0000-0000-0000-00000000000%zu", i);
		buf_printf(&body,
			   "%s{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"r%d\","
			   "\"uid\":\"%s\",\"blockOwnerDeletion\":%s}",
			   i ? "," : "", owner, uid, random_next(seed) % 2 ? "true" : "false");
	}
	buf_puts(&body, "]}}");
	json_doc_unref(ask(w, "POST", CM, buf_text(&body)).doc);
}

static void remove_random(struct world *w, uint64_t *seed)
{
	static const char *const bodies[] = {"{\"propagationPolicy\":\"Background\"}",
					     "{\"propagationPolicy\":\"Foreground\"}",
					     "{\"propagationPolicy\":\"Orphan\"}", NULL};
	char path[100];

	snprintf(path, sizeof(path), CM "/r%d", (int)(random_next(seed) % OBJECTS));
	json_doc_unref(ask(w, "DELETE", path, bodies[random_next(seed) % 4]).doc);
}

/* Nothing is left half done, and an object with owners has an existing one. */
static bool is_sound(struct world *w)
{
	struct object *object = store_next(w->store, STR("/configmaps/a/r"), str_none());

	for (; object; object = store_next(w->store, STR("/configmaps/a/r"), object->key)) {
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(object->text, NULL, &err);
		struct json metadata = json_get(json_doc_root(doc), "metadata");
		struct json references = json_get(metadata, "ownerReferences");
		char path[100], uid[40];
		bool solid = json_len(references) == 0;

		if (!json_is_absent(json_get(metadata, "deletionTimestamp")))
			return false;
		for (struct json_iter it = json_iter(references); json_next(&it);) {
			snprintf(path, sizeof(path), CM "/%.*s",
				 STR_ARG(json_str(json_get(it.value, "name"))));
			solid = solid ||
				str_is(json_str(json_get(it.value, "uid")), uid_of(w, path, uid));
		}
		if (!solid)
			return false;
	}
	return true;
}

static void test_random(struct world *w, uint64_t seed)
{
	int bad = 0;

	printf("# seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t choice = random_next(&seed) % 16;

		if (choice < 9)
			make_random(w, &seed);
		else if (choice < 14)
			remove_random(w, &seed);
		else if (choice == 14)
			world_settle(w);
		else
			world_restart(w);
		if (choice >= 14)
			bad += !is_sound(w);
	}
	world_settle(w);
	ok(bad == 0 && is_sound(w), "whatever is made and removed in whatever order");
}

int main(void)
{
	struct world w = world_new();

	make(&w, "/api/v1/namespaces", "a");
	test_background(&w);
	test_dangling(&w);
	test_foreground(&w);
	test_orphan(&w);
	test_repeated(&w);
	test_circle(&w);
	test_many(&w);
	test_random(&w, 1);
	test_random(&w, 20261116);
	world_free(&w);
	return tap_done();
}
