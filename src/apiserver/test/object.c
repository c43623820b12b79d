/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: labels and fields stored with the text, and the record on disk. */
#include "apiserver/store/object.h"

#include <malloc.h>

#include "apiserver/test/stores.h"
#include "base/buf.h"
#include "base/hash.h"

/* About what a pod of a job looks like, 3 kB. */
static struct object *make_pod(int number, struct object_names **names)
{
	AUTO(buf_done) struct buf tail = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	AUTO(mem_free) char *name = mem_printf("train-worker-%d", number);
	AUTO(mem_free) char *key = mem_printf("/pods/research/%s", name);
	AUTO(mem_free)
	char *before = mem_printf("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
				  "\"name\":\"%s\",\"namespace\":\"research\","
				  "\"uid\":\"6f2d7a4e-8f5c-4d43-9d1e-0c2f3a4b5c6d\","
				  "\"resourceVersion\":\"",
				  name);
	const struct object_pair labels[] = {
		{STR("volcano.sh/job-name"), STR("train")},
		{STR("volcano.sh/job-namespace"), STR("research")},
		{STR("volcano.sh/queue-name"), STR("default")},
		{STR("volcano.sh/task-spec"), STR("worker")},
	};
	const struct object_pair fields[] = {
		{STR("metadata.name"), str_from(name)},
		{STR("metadata.namespace"), STR("research")},
		{STR("spec.nodeName"), STR("node-17")},
		{STR("spec.restartPolicy"), STR("OnFailure")},
		{STR("spec.schedulerName"), STR("volcano")},
		{STR("spec.serviceAccountName"), STR("default")},
		{STR("status.phase"), STR("Running")},
		{STR("status.podIP"), STR("10.0.13.7")},
		{STR("status.nominatedNodeName"), STR("")},
	};

	buf_puts(&tail, "\",\"labels\":{");
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		buf_printf(&tail, "%s\"%.*s\":\"%.*s\"", i ? "," : "", STR_ARG(labels[i].key),
			   STR_ARG(labels[i].value));
	buf_puts(&tail, "}},\"spec\":{\"nodeName\":\"node-17\",\"filler\":\"");
	while (tail.len < 2750)
		buf_puts(&tail, "lorem ipsum ");
	buf_puts(&tail, "\"},\"status\":{\"phase\":\"Running\"}}");
	struct object_parts parts = {
		.key = str_from(key),
		.before = str_from(before),
		.tail = buf_str(&tail),
		.labels = labels,
		.label_count = ARRAY_LEN(labels),
		.fields = fields,
		.field_count = ARRAY_LEN(fields),
	};

	return object_new(&parts, 1000 + number, names, &scratch);
}

static void test_parts(void)
{
	struct object_names *names = NULL;
	struct object *pod = make_pod(7, &names);
	struct object_pair label;
	uint64_t at = 0;
	int count = 0;

	ok(str_starts(pod->text, STR("{\"apiVersion\":\"v1\",")) &&
		   str_find(pod->text, STR("\"resourceVersion\":\"1007\",\"labels\""), 0) > 0,
	   "the text has its revision in it");
	ok(str_is(pod->key, "/pods/research/train-worker-7") && pod->revision == 1007, "its key");
	ok(str_is(object_label(pod, STR("volcano.sh/queue-name")), "default"), "a label");
	ok(str_is_none(object_label(pod, STR("volcano.sh/queue"))), "a label that it has not");
	ok(str_is(object_field(pod, STR("metadata.name")), "train-worker-7"), "a field");
	ok(str_is(object_field(pod, STR("status.podIP")), "10.0.13.7"), "one not in the text");
	struct str empty = object_field(pod, STR("status.nominatedNodeName"));

	ok(!str_is_none(empty) && empty.len == 0, "an empty value is not none");
	ok(str_is_none(object_field(pod, STR("no"))), "a field that it has not");
	while (object_next_label(pod, &at, &label))
		count += str_starts(label.key, STR("volcano.sh/")) && label.value.len > 0;
	ok(count == 4, "labels can be walked");
	object_unref(object_ref(pod));
	object_unref(pod);
	object_unref(NULL);
	object_names_unref(names);
}

/* An object with one label, whose place is said to be this. */
static struct object *make_placed(uint32_t place, size_t filler)
{
	const struct object_pair label = {STR("example.com/colour"), STR("ultramarine")};
	struct object_names *names = NULL;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf tail = BUF_UNBOUNDED;
	struct object *object;

	buf_puts(&tail, "\",\"x\":\"");
	for (size_t i = 0; i < filler; i++)
		buf_putc(&tail, 'x');
	buf_puts(&tail, "\",\"labels\":{\"example.com/colour\":\"ultramarine\"}}");
	object = object_new(&(struct object_parts){.key = STR("/pods/a/b"),
						   .before = STR("{\"r\":\""),
						   .tail = buf_str(&tail),
						   .labels = &label,
						   .label_places = place ? &place : NULL,
						   .label_count = 1},
			    1, &names, &scratch);
	object_names_unref(names);
	return object;
}

/* A label is found at its hint however far that is, and a wrong hint is not trusted. */
static void test_places(void)
{
	enum { FAR = 5000, PLACE = 7 + FAR + 12 };
	static const uint32_t places[] = {0, 1, PLACE - 1, PLACE, PLACE + 1, 6000, UINT32_MAX};
	size_t shared = 0;
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		AUTO(object_unref) struct object *object = make_placed(places[i], FAR);

		good = good &&
		       str_is(object_label(object, STR("example.com/colour")), "ultramarine");
		shared += object->pairs_len < 10;
	}
	ok(good, "a label is there whatever was said about its place");
	ok(shared == 1, "and is not kept twice if it stands there");
}

/* Names that are the same are shared; objects may outlive the cache and one another. */
static void test_names(void)
{
	struct object_names *names = NULL;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	struct object *first = make_pod(1, &names);
	struct object *second = make_pod(2, &names);
	struct object *bare =
		object_new(&(struct object_parts){.key = STR("/pods/a/b")}, 5, &names, &scratch);
	uint64_t at = 0;
	struct object_pair label;

	ok(first->names == second->names && bare->names != first->names, "names are shared");
	object_names_unref(names);
	object_unref(first);
	ok(str_is(object_field(second, STR("spec.nodeName")), "node-17"), "and outlive the first");
	ok(str_is(bare->text, "5") && !object_next_label(bare, &at, &label) &&
		   str_is_none(object_field(bare, STR("x"))),
	   "an object may have neither labels nor fields");
	object_unref(second);
	object_unref(bare);
}

static void test_record(void)
{
	struct object_names *names = NULL;
	AUTO(object_unref) struct object *pod = make_pod(3, &names);
	size_t len = object_record_len(pod);
	AUTO(mem_free) char *record = mem_alloc(len);
	struct err err;

	object_encode(pod, record);
	struct object *again = object_decode(pod->key, str_of(record, len), &names, &err);

	ok(again && str_eq(again->text, pod->text) && again->revision == pod->revision &&
		   again->names == pod->names,
	   "a record is read back");
	ok(again && str_is(object_label(again, STR("volcano.sh/task-spec")), "worker") &&
		   str_is(object_field(again, STR("status.phase")), "Running"),
	   "with labels and fields");
	object_unref(again);
	ok(!object_decode(STR("/pods/research/other"), str_of(record, len), &names, &err) &&
		   err.code == ERR_STORE_READ,
	   "not under another key: %s", err.text);
	ok(!object_decode(pod->key, str_of(record, 10), &names, &err), "cut short: %s", err.text);
	size_t refused = 0;

	for (size_t i = 0; i < len; i++) {
		record[i] ^= 1;
		again = object_decode(pod->key, str_of(record, len), &names, &err);
		refused += again == NULL;
		object_unref(again);
		record[i] ^= 1;
	}
	ok(refused == len, "no damaged byte goes unnoticed");
	/* with a right checksum over wrong pairs, as only a bug of ours could write it */
	size_t accepted = 0;

	for (size_t i = 8; i < len; i++) {
		record[i] ^= (char)0x81;
		uint64_t checksum = hash_checksum(record + 8, len - 8);

		memcpy(record, &checksum, 8);
		again = object_decode(pod->key, str_of(record, len), &names, &err);
		accepted += again != NULL;
		if (again)
			(void)object_field(again, STR("no such field"));
		object_unref(again);
		record[i] ^= (char)0x81;
	}
	ok(accepted < len, "nor does a malformed one do harm");
	object_names_unref(names);
}

static void test_size(void)
{
	struct object_names *names = NULL;
	struct object *pod = make_pod(12345, &names);
	size_t overhead = object_bytes(pod) - pod->text.len;

	printf("# a pod of %zu bytes of text takes %zu bytes in addition, %zu from the allocator\n",
	       pod->text.len, overhead, malloc_usable_size(pod) + 8 - pod->text.len);
	ok(pod->text.len > 2900 && overhead < 200,
	   "a pod of 3 kB takes %zu bytes in addition to its text", overhead);
	object_unref(pod);
	object_names_unref(names);
}

int main(void)
{
	test_parts();
	test_places();
	test_names();
	test_record();
	test_size();
	return tap_done();
}
