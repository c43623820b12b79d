/* SPDX-License-Identifier: Apache-2.0 */
/* Informers against the server in the same process: what they report and keep matches the server,
 * with any faults. */
#include "client/informer.h"

#include "base/buf.h"
#include "base/number.h"
#include "base/time.h"
#include "client/faults.h"
#include "client_world.h"

enum { NAMES = 12 };

static struct json_doc *configmap(const char *namespace, const char *name, unsigned value)
{
	return doc_of(
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"labels\":{\"v\":\"%u\"}"
		"},\"data\":{\"v\":\"%u\"}}",
		name, namespace, value % 3, value);
}

static void make_namespaces(struct world *w)
{
	struct got got = {0};
	static const char *const names[] = {"a", "b"};

	for (size_t i = 0; i < 2; i++) {
		AUTO(json_doc_unref)
		struct json_doc *doc = doc_of("{\"metadata\":{\"name\":\"%s\"}}", names[i]);

		got.calls = 0;
		client_create(w->client, &resources[RESOURCE_NAMESPACES], doc, got_it, &got);
		world_wait(w, &got);
	}
	json_doc_unref(got.doc);
}

static void create(struct world *w, const char *namespace, const char *name, unsigned value)
{
	AUTO(json_doc_unref) struct json_doc *doc = configmap(namespace, name, value);

	client_create(w->client, &resources[RESOURCE_CONFIGMAPS], doc, NULL, NULL);
}

static void erase(struct world *w, const char *namespace, const char *name)
{
	client_delete(w->client, &resources[RESOURCE_CONFIGMAPS], str_from(namespace),
		      str_from(name), NULL, NULL);
}

/* --- what a listener hears, held against what it may hear --- */

struct heard {
	struct informer *informer;
	struct buf lines;
	bool keep_lines;
	/* What is there by what was heard: version, 0 for nothing. */
	long versions[2][NAMES];
	char uids[2][NAMES][40];
	int synced;
	bool broken;
};

static long number_of(struct str text)
{
	int64_t number = 0;

	(void)!number_parse_i64(text, &number, NULL);
	return (long)number;
}

static long *slot_of(struct heard *heard, const struct informer_object *object, char **ret_uid)
{
	int namespace = str_is(object->namespace, "b");
	long name = number_of(str_skip(object->name, 1));

	*ret_uid = heard->uids[namespace][name];
	return &heard->versions[namespace][name];
}

static void note(struct heard *heard, const char *what, const struct informer_object *object)
{
	if (heard->keep_lines)
		buf_printf(&heard->lines, "%s%.*s/%.*s ", what, STR_ARG(object->namespace),
			   STR_ARG(object->name));
}

static void on_added(void *arg, const struct informer_object *object)
{
	struct heard *heard = arg;
	char *uid;
	long *slot = slot_of(heard, object, &uid);

	note(heard, "+", object);
	heard->broken = heard->broken || *slot || !object->doc || object->old;
	*slot = number_of(str_from(text_at(object->doc, "metadata.resourceVersion")));
	snprintf(uid, 40, "%.39s", text_at(object->doc, "metadata.uid"));
}

static void on_updated(void *arg, const struct informer_object *object)
{
	struct heard *heard = arg;
	char *uid;
	long *slot = slot_of(heard, object, &uid);
	long version = number_of(str_from(text_at(object->doc, "metadata.resourceVersion")));

	note(heard, "~", object);
	heard->broken = heard->broken || !*slot || version <= *slot ||
			strcmp(uid, text_at(object->doc, "metadata.uid")) != 0;
	*slot = version;
}

static void on_deleted(void *arg, const struct informer_object *object)
{
	struct heard *heard = arg;
	char *uid;
	long *slot = slot_of(heard, object, &uid);

	note(heard, "-", object);
	heard->broken = heard->broken || !*slot;
	*slot = 0;
}

static void on_synced(void *arg)
{
	struct heard *heard = arg;

	heard->synced++;
	if (heard->keep_lines)
		buf_puts(&heard->lines, "! ");
}

static void by_value(void *arg, struct json object, struct informer_keys *keys)
{
	(void)arg;
	informer_key_add(keys, json_str(json_get(json_get(object, "data"), "v")));
	informer_key_add(keys, STR("all"));
	informer_key_add(keys, STR("all"));
}

static void start(struct heard *heard, struct client *client, struct informer_options options)
{
	options.resource = &resources[RESOURCE_CONFIGMAPS];
	heard->lines = (struct buf)BUF_UNBOUNDED;
	heard->informer = informer_new(client, &options);
	if (options.store)
		ok(informer_index_add(heard->informer, by_value, NULL) == 0, "the first index");
	informer_listen(heard->informer,
			&(struct informer_events){.added = on_added,
						  .updated = on_updated,
						  .deleted = on_deleted,
						  .synced = on_synced},
			heard);
	informer_start(heard->informer);
}

static void stop(struct heard *heard)
{
	informer_free(heard->informer);
	buf_done(&heard->lines);
}

static const char *take_lines(struct heard *heard)
{
	static char text[400];

	snprintf(text, sizeof(text), "%s", buf_text(&heard->lines));
	buf_clear(&heard->lines);
	return text;
}

static void test_telling(void)
{
	struct world w;
	struct heard all = {.keep_lines = true}, some = {.keep_lines = true};
	struct informer_walk walk = {.namespace = STR("a")};
	struct informer_stats stats;

	world_open(&w, 1, 0);
	make_namespaces(&w);
	for (unsigned i = 0; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%u", i);
		create(&w, "a", name, i);
	}
	loop_drain(w.loop);
	start(&all, w.client, (struct informer_options){.store = true, .page = 2});
	start(&some, w.client,
	      (struct informer_options){.namespace = STR("a"), .label_selector = STR("v=1")});
	ok(!informer_synced(all.informer), "nothing is known at first");
	loop_drain(w.loop);
	is(take_lines(&all), "+a/n0 +a/n1 +a/n2 +a/n3 +a/n4 ! ");
	is(take_lines(&some), "+a/n1 +a/n4 ! ");
	ok(informer_synced(all.informer) && informer_len(all.informer) == 5, "now it is");
	create(&w, "b", "n0", 1);
	erase(&w, "a", "n1");
	loop_drain(w.loop);
	is(take_lines(&all), "+b/n0 -a/n1 ");
	is(take_lines(&some), "-a/n1 ");
	ok(!strcmp(text_at(informer_get(all.informer, STR("b"), STR("n0")), "data.v"), "1"),
	   "a stored document by its name");
	ok(!informer_get(all.informer, STR("a"), STR("n1")), "and none that was deleted");
	ok(informer_index_len(all.informer, 0, STR("all")) == 5 &&
		   informer_index_len(all.informer, 0, STR("1")) == 1,
	   "an index follows");
	is(text_at(informer_index_get(all.informer, 0, STR("1"), 0), "metadata.namespace"), "b");
	is(text_at(informer_next(all.informer, &walk), "metadata.name"), "n0");
	is(text_at(informer_next(all.informer, &walk), "metadata.name"), "n2");
	(void)informer_next(all.informer, &walk);
	(void)informer_next(all.informer, &walk);
	ok(!informer_next(all.informer, &walk), "a walk stays in its namespace");
	informer_stats(all.informer, &stats);
	ok(stats.lists == 1 && stats.relists == 0 && stats.watches == 1, "one list, one watch");
	stop(&all);
	stop(&some);
	world_close(&w);
}

/* A watch is lost; the server has forgotten the version, or has not. */
static void test_resuming(size_t history)
{
	struct world w;
	struct faults faults = {0};
	struct heard heard = {.keep_lines = true};
	struct client *client;
	struct informer_stats stats;

	world_open(&w, 2, history);
	make_namespaces(&w);
	client = client_new(
		w.loop,
		faults_new(w.loop, direct_new(w.api, &(struct direct_user){.name = "x"}), &faults),
		NULL);
	create(&w, "a", "n0", 1);
	create(&w, "a", "n1", 1);
	create(&w, "a", "n2", 1);
	loop_drain(w.loop);
	start(&heard, client, (struct informer_options){0});
	loop_drain(w.loop);
	is(take_lines(&heard), "+a/n0 +a/n1 +a/n2 ! ");
	faults.cut = true;
	erase(&w, "a", "n0"); /* ends the watch */
	loop_drain(w.loop);
	erase(&w, "a", "n1");
	loop_drain(w.loop);
	create(&w, "a", "n1", 2); /* another one of that name */
	loop_drain(w.loop);       /* large writes at the same time may end in either order */
	create(&w, "a", "n3", 2);
	loop_drain(w.loop);
	is(take_lines(&heard), "");
	for (int i = 0; i < 20; i++)
		(void)loop_turn(w.loop, TIME_SECOND);
	faults.cut = false;
	for (int i = 0; i < 100; i++)
		(void)loop_turn(w.loop, TIME_SECOND);
	informer_stats(heard.informer, &stats);
	if (history)
		is(take_lines(&heard), "-a/n1 +a/n1 +a/n3 -a/n0 ");
	else
		is(take_lines(&heard), "-a/n0 -a/n1 +a/n1 +a/n3 ");
	ok(stats.relists == (history ? 1 : 0),
	   history ? "a version that was forgotten: the list again" : "a resumed watch");
	ok(!heard.broken, "nothing impossible was reported");
	stop(&heard);
	client_free(client);
	world_close(&w);
}

/* --- writers at random, faults at random --- */

static void do_something(struct world *w)
{
	char name[16];
	const char *namespace = loop_random_below(w->loop, 2) ? "a" : "b";
	unsigned value = (unsigned)loop_random_below(w->loop, 100);

	snprintf(name, sizeof(name), "n%u", (unsigned)loop_random_below(w->loop, NAMES));
	switch (loop_random_below(w->loop, 4)) {
	case 0:
		erase(w, namespace, name);
		break;
	case 1: {
		AUTO(json_doc_unref) struct json_doc *doc = configmap(namespace, name, value);

		client_update(w->client, &resources[RESOURCE_CONFIGMAPS], "", doc, NULL, NULL);
		break;
	}
	default:
		create(w, namespace, name, value);
	}
}

/* Is what was heard and kept just what a list says? */
static bool agrees(struct world *w, struct heard *heard, const char *selector)
{
	struct got got = {0};
	struct json_iter it;
	size_t count = 0;
	bool same = true;

	(void)world_ask(w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_CONFIGMAPS],
					     .label_selector = str_from(selector)});
	it = json_iter(json_get(json_doc_root(got.doc), "items"));
	while (json_next(&it)) {
		struct json meta = json_get(it.value, "metadata");
		struct informer_object object = {.namespace = json_str(json_get(meta, "namespace")),
						 .name = json_str(json_get(meta, "name"))};
		struct json_doc *kept =
			informer_get(heard->informer, object.namespace, object.name);
		char *uid;

		count++;
		same = same &&
		       *slot_of(heard, &object, &uid) ==
			       number_of(json_str(json_get(meta, "resourceVersion"))) &&
		       (!kept ||
			json_eq(json_get(json_doc_root(kept), "data"), json_get(it.value, "data")));
	}
	same = same && informer_len(heard->informer) == count;
	for (int i = 0; i < 2 * NAMES; i++)
		count -= heard->versions[i / NAMES][i % NAMES] != 0;
	json_doc_unref(got.doc);
	return same && count == 0;
}

static void test_storm(uint64_t seed)
{
	static const char *const selectors[] = {"", "v=1", "v!=2"};
	struct world w;
	struct faults faults = {0};
	struct heard heard[3] = {{0}};
	struct client *client;
	struct informer_stats stats;
	uint64_t relists = 0;
	bool same = true;

	world_open(&w, seed, seed % 2 ? 8 : 0);
	make_namespaces(&w);
	client = client_new(
		w.loop,
		faults_new(w.loop, direct_new(w.api, &(struct direct_user){.name = "x"}), &faults),
		NULL);
	faults = (struct faults){.refuse = 50,
				 .lose_ask = 50,
				 .lose_answer = 50,
				 .end_watch = 30,
				 .expire = 100,
				 .delay_us = 30000};
	for (int i = 0; i < 3; i++)
		start(&heard[i], client,
		      (struct informer_options){.store = i != 1,
						.page = 1 + (int64_t)loop_random_below(w.loop, 8),
						.label_selector = str_from(selectors[i])});
	for (int phase = 0; phase < 5; phase++) {
		for (int step = 0; step < 300; step++) {
			do_something(&w);
			if (loop_random_below(w.loop, 50) == 0)
				faults.cut = !faults.cut;
			(void)loop_turn(w.loop, (int64_t)loop_random_below(w.loop, 20000));
		}
		faults.cut = false;
		for (int64_t until = loop_uptime(w.loop) + 3 * TIME_MINUTE;
		     loop_uptime(w.loop) < until;)
			(void)loop_turn(w.loop, TIME_SECOND);
		for (int i = 0; i < 3; i++)
			same = same && agrees(&w, &heard[i], selectors[i]);
	}
	for (int i = 0; i < 3; i++) {
		informer_stats(heard[i].informer, &stats);
		relists += stats.relists;
		same = same && heard[i].synced == 1 && !heard[i].broken;
	}
	ok(same, "seed %llu: at rest, what was heard is what is there", (unsigned long long)seed);
	ok(relists > 0, "with %llu lists on the way", (unsigned long long)relists);
	for (int i = 0; i < 3; i++)
		stop(&heard[i]);
	client_free(client);
	world_close(&w);
}

int main(void)
{
	test_telling();
	test_resuming(0);
	test_resuming(3);
	for (uint64_t seed = 1; seed <= 6; seed++)
		test_storm(seed);
	return tap_done();
}
