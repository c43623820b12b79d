/* SPDX-License-Identifier: Apache-2.0 */
/* Queue: views, defaults, what is always written. */
#include "model/volcano/queue.h"

#include "base/mem.h"
#include "tap.h"

static struct json_doc *parse(const char *text)
{
	struct err err;

	return json_parse(str_from(text), NULL, &err);
}

static void test_view(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref)
	struct json_doc *doc = parse(
		"{\"metadata\":{\"name\":\"q\"},\"spec\":{\"weight\":2,\"capability\":{\"cpu\":"
		"\"10\","
		"\"nvidia.com/gpu\":8},\"deserved\":{\"cpu\":5},\"guarantee\":{\"resource\":"
		"{\"cpu\":\"1000m\"}},\"parent\":\"root\",\"priority\":10,\"reclaimable\":false,"
		"\"type\":\"t\",\"affinity\":{\"nodeGroupAntiAffinity\":"
		"{\"preferredDuringSchedulingIgnoredDuringExecution\":[\"g\"]}},"
		"\"extendClusters\":[{\"name\":\"c\",\"weight\":1,\"capacity\":{\"cpu\":\"1\"}}]},"
		"\"status\":{\"state\":\"Closing\",\"running\":3,\"reservation\":{\"nodes\":[\"n\"]"
		"},"
		"\"allocated\":{\"cpu\":\"2\"}}}");
	struct err err = {0};
	struct queue queue;

	ok(type_decode(&queue_type, json_doc_root(doc), arena, &queue, &err) == 0, "decodes %s",
	   err.text);
	ok(queue.spec.weight == 2 && queue.spec.priority == 10 && queue.spec.capability.len == 2 &&
		   queue.spec.deserved.len == 1 && queue.spec.guarantee.resource.len == 1,
	   "numbers and resources");
	ok(queue.spec.reclaimable.set && !queue.spec.reclaimable.value &&
		   str_is(queue.spec.parent, "root") && str_is(queue.spec.type, "t"),
	   "reclaimable, parent, type");
	ok(!queue.spec.affinity->node_group_affinity &&
		   queue.spec.affinity->node_group_anti_affinity->preferred.len == 1,
	   "affinity to groups of nodes");
	ok(queue.spec.extend_clusters.len == 1 && queue.spec.extend_clusters.ptr[0].weight == 1,
	   "clusters");
	ok(queue.spec.dequeue_strategy == DEQUEUE_TRAVERSE, "traverse is the default");
	ok(queue.status.state == QUEUE_CLOSING && queue.status.running == 3 &&
		   queue.status.reservation.nodes.len == 1 && queue.status.allocated.len == 1,
	   "status");
}

static void test_defaults(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse("{\"spec\":{}}");
	AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *made = json_doc_new();
	const struct queue_status status = {.state = QUEUE_OPEN};
	AUTO(mem_free) char *text = NULL;

	type_default(&queue_type, copy, json_doc_root(copy));
	text = json_text(json_doc_root(copy), JSON_CANONICAL);
	is(text, "{\"spec\":{\"dequeueStrategy\":\"traverse\",\"weight\":1}}");
	mem_free(TAKE(text));
	text = json_text(type_encode_new(&queue_status_type, &status, made), JSON_CANONICAL);
	is(text, "{\"allocated\":{},\"state\":\"Open\"}");
}

static void test_rules(void)
{
	static const struct {
		const char *spec;
		const char *message;
	} rows[] = {
		{"{\"weight\":0}", "Invalid value: 0: must be between 1 and 65535, inclusive"},
		{"{\"priority\":-1}", "Invalid value: -1: must be greater than or equal to 0"},
		{"{\"dequeueStrategy\":\"lifo\"}",
		 "Unsupported value: \"lifo\": supported values: \"fifo\", \"traverse\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(rows[i].spec);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		type_validate(&queue_spec_type, json_doc_root(doc), &causes);
		is(causes.len ? causes.ptr[0].message : "", rows[i].message);
	}
}

int main(void)
{
	test_view();
	test_defaults();
	test_rules();
	return tap_done();
}
