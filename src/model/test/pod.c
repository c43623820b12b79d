/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: tables, defaults, rules, warnings, views. Behaviours are rows in test/data/pod; a row's
 * "causes" are all that is wrong, in order; "..." at the end of one stands for anything. */
#include "model/pod/pod.h"

#include "base/buf.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/pod/pod_prepare.h"
#include "model/pod/pod_validate.h"
#include "model/pod/pod_warn.h"
#include "model/value/image_name.h"
#include "tap.h"

static void test_tables(void)
{
	static const struct type *const types[] = {
		&pod_type,
		&pod_template_type,
		&pod_template_spec_type,
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const char *wrong = type_check(types[i], arena);

		ok(!wrong, "the table of %s holds together%s%s", types[i]->name, wrong ? ": " : "",
		   wrong ? wrong : "");
	}
}

/* --- rows ------------------------------------------------------------------------------------ */

static void read_into(const char *name, struct buf *to)
{
	/* from the build folder, and from the root */
	static const char *const roots[] = {"../test/data/pod/", "test/data/pod/"};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	FILE *file = NULL;
	char chunk[4096];
	size_t got;

	for (size_t i = 0; !file && i < ARRAY_LEN(roots); i++)
		file = fopen(arena_printf(arena, "%s%s", roots[i], name), "re");
	while (file && (got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_put(to, chunk, got);
	if (file)
		(void)fclose(file);
}

typedef void row_fn(struct json row, const char *about);

static void each_row(const char *name, row_fn *fn)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest;
	struct str line;
	int rows = 0;

	read_into(name, &text);
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line)) {
		AUTO(json_doc_unref)
		struct json_doc *doc = line.len ? json_parse(line, NULL, NULL) : NULL;
		char *about;

		if (!line.len)
			continue;
		rows++;
		about = str_dup(json_str(json_get(json_doc_root(doc), "about")));
		fn(json_doc_root(doc), about);
		mem_free(about);
	}
	ok(rows > 0, "%s has rows", name);
}

static bool same_text(struct str got, struct str want)
{
	if (str_ends(want, STR("...")))
		return str_starts(got, str_slice(want, 0, want.len - 3));
	return str_eq(got, want);
}

static void check_texts(const struct buf *texts, size_t count, struct json want, const char *about)
{
	bool same = json_len(want) == count;

	for (size_t i = 0; same && i < count; i++)
		same = same_text(buf_str(&texts[i]), json_str(json_at(want, i)));
	ok(same, "%s", about);
	for (size_t i = 0; !same && i < count; i++)
		tap_show("got ", buf_text(&texts[i]));
	for (size_t i = 0; !same && i < json_len(want); i++) {
		char *text = str_dup(json_str(json_at(want, i)));

		tap_show("want", text);
		mem_free(text);
	}
}

struct texts VEC_FIELDS(struct buf);

static void texts_done(struct texts *texts)
{
	for (size_t i = 0; i < texts->len; i++)
		buf_done(&texts->ptr[i]);
	vec_done(texts);
}

static void check_causes(const struct causes *causes, struct json want, const char *about)
{
	struct texts texts = {0};

	for (size_t i = 0; i < causes->len; i++) {
		struct buf text = BUF_UNBOUNDED;

		buf_printf(&text, "%s: %s", causes->ptr[i].field, causes->ptr[i].message);
		vec_push(&texts, text);
	}
	check_texts(texts.ptr, texts.len, want, about);
	texts_done(&texts);
}

/* A pod "p" of a spec, with its defaults. */
static struct json_doc *make_pod(struct json spec, struct json meta, struct json status)
{
	struct json_doc *doc = json_doc_new();
	struct json pod = json_new_obj(doc);

	json_doc_set_root(doc, pod);
	json_set(doc, pod, STR("metadata"),
		 json_is(meta, JSON_OBJ) ? json_new_copy(doc, meta) : json_new_obj(doc));
	json_set_str(doc, json_get(pod, "metadata"), "name", STR("p"));
	json_set(doc, pod, STR("spec"), json_new_copy(doc, spec));
	if (json_is(status, JSON_OBJ))
		json_set(doc, pod, STR("status"), json_new_copy(doc, status));
	type_default(&pod_type, doc, pod);
	return doc;
}

static void test_default(struct json row, const char *about)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	const struct type *type =
		json_bool(json_get(row, "template")) ? &pod_template_spec_type : &pod_type;
	struct json object = json_new_obj(doc);

	json_doc_set_root(doc, object);
	json_set(doc, object, STR("spec"), json_new_copy(doc, json_get(row, "in")));
	type_default(type, doc, object);
	ok(json_eq(json_get(object, "spec"), json_get(row, "out")), "%s", about);
	if (!json_eq(json_get(object, "spec"), json_get(row, "out"))) {
		char *got = json_text(json_get(object, "spec"), JSON_CANONICAL);
		char *want = json_text(json_get(row, "out"), JSON_CANONICAL);

		tap_show("got ", got);
		tap_show("want", want);
		mem_free(got);
		mem_free(want);
	}
}

static void test_validate(struct json row, const char *about)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json template = json_get(row, "template");
	struct path spec = path_member(NULL, STR("spec"));
	struct path tasks = path_member(&spec, STR("tasks"));
	struct path task = path_index(&tasks, 0);
	struct path path = path_member(&task, STR("template"));

	if (json_is(template, JSON_OBJ)) {
		doc = json_doc_thaw(template);
		type_default(&pod_template_spec_type, doc, json_doc_root(doc));
		type_validate_at(&pod_template_spec_type, json_doc_root(doc), &path, &causes);
	} else {
		doc = make_pod(json_get(row, "spec"), json_get(row, "meta"), JSON_NONE);
		type_validate(&pod_type, json_doc_root(doc), &causes);
		pod_validate_new(json_doc_root(doc), &causes);
	}
	check_causes(&causes, json_get(row, "causes"), about);
}

static void test_update(struct json row, const char *about)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json given = json_get(row, "spec");
	struct json spec = json_is_absent(given) ? json_get(row, "old") : given;
	AUTO(json_doc_unref)
	struct json_doc *old =
		make_pod(json_get(row, "old"), JSON_NONE, json_get(row, "old_status"));
	AUTO(json_doc_unref)
	struct json_doc *doc = make_pod(spec, json_get(row, "meta"), json_get(row, "status"));
	struct json object = json_doc_root(doc);
	struct str what = json_str(json_get(row, "do"));

	if (str_is(what, "status")) {
		pod_prepare_status(doc, object, json_doc_root(old));
		pod_validate_status(object, json_doc_root(old), &causes);
	} else {
		pod_prepare_update(doc, object, json_doc_root(old));
		type_validate(&pod_type, object, &causes);
		if (str_is(what, "ephemeral"))
			pod_validate_ephemeral(object, json_doc_root(old), &causes);
		else
			pod_validate_update(object, json_doc_root(old), &causes);
	}
	check_causes(&causes, json_get(row, "causes"), about);
}

static void add_text(void *arg, const char *text)
{
	struct texts *texts = arg;
	struct buf copy = BUF_UNBOUNDED;

	buf_puts(&copy, text);
	vec_push(texts, copy);
}

static void test_warn(struct json row, const char *about)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = make_pod(json_get(row, "spec"), json_get(row, "meta"), JSON_NONE);
	struct texts texts = {0};

	json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "name",
		     json_str(json_get(row, "name")));
	pod_warn(json_doc_root(doc), add_text, &texts);
	check_texts(texts.ptr, texts.len, json_get(row, "warnings"), about);
	texts_done(&texts);
}

/* --- preparing ------------------------------------------------------------------------------- */

static struct json_doc *parse(const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, NULL);

	return json_doc_thaw(json_doc_root(doc));
}

static void test_prepare(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = parse(
		"{\"metadata\":{\"labels\":{\"a\":\"1\"}},\"spec\":{\"hostnameOverride\":\"x\","
		"\"schedulingGates\":[{\"name\":\"g\"}],\"volumes\":[{\"name\":\"v\",\"image\":{}}]"
		","
		"\"containers\":[{\"name\":\"c\",\"restartPolicy\":\"Always\"}],"
		"\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\"},"
		"{\"name\":\"j\",\"restartPolicy\":\"Never\"}],"
		"\"topologySpreadConstraints\":[{\"labelSelector\":{},"
		"\"matchLabelKeys\":[\"a\",\"b\"]}]},\"status\":{\"phase\":\"Running\"}}");
	struct json pod = json_doc_root(doc);
	struct json spec = json_get(pod, "spec");
	struct json status;
	struct json selector;

	pod_prepare_create(doc, pod, 1000000);
	status = json_get(pod, "status");
	ok(str_is(json_str(json_get(status, "phase")), "Pending"), "a new pod is pending");
	ok(str_is(json_str(json_get(status, "qosClass")), "BestEffort"), "of the class that it is");
	ok(str_is(json_str(json_get(json_at(json_get(status, "conditions"), 0), "reason")),
		  "SchedulingGated"),
	   "a gated one says why it waits");
	ok(json_is_absent(json_get(spec, "hostnameOverride")) &&
		   json_is_absent(json_get(json_at(json_get(spec, "volumes"), 0), "image")),
	   "fields of features that are off are dropped");
	ok(json_is_absent(json_get(json_at(json_get(spec, "containers"), 0), "restartPolicy")) &&
		   json_is_absent(json_get(json_at(json_get(spec, "initContainers"), 1),
					   "restartPolicy")) &&
		   !json_is_absent(
			   json_get(json_at(json_get(spec, "initContainers"), 0), "restartPolicy")),
	   "only sidecars keep a restart policy of their own");
	selector =
		json_get(json_at(json_get(spec, "topologySpreadConstraints"), 0), "labelSelector");
	ok(json_len(json_get(selector, "matchExpressions")) == 1,
	   "the pod's labels go into selectors that ask for them");
}

/* --- questions ------------------------------------------------------------------------------- */

static void test_qos(void)
{
	static const struct {
		const char *pod;
		enum pod_qos want;
	} rows[] = {
		{"{\"spec\":{\"containers\":[{}]}}", POD_QOS_BEST_EFFORT},
		{"{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"0\"}}}]}}",
		 POD_QOS_BEST_EFFORT},
		{"{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":1}}}]}}",
		 POD_QOS_BURSTABLE},
		{"{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1\","
		 "\"memory\":"
		 "\"1\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"1\"}}}]}}",
		 POD_QOS_GUARANTEED},
		{"{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1\","
		 "\"memory\":"
		 "\"1\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"1\"}}},{}]}}",
		 POD_QOS_BURSTABLE},
		{"{\"spec\":{\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1\"},"
		 "\"limits\":{"
		 "\"cpu\":\"1\",\"memory\":\"1\"}},\"containers\":[{}]}}",
		 POD_QOS_GUARANTEED},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(rows[i].pod);

		ok(pod_qos_of(json_doc_root(doc)) == rows[i].want, "%s: %s",
		   pod_qos_name(rows[i].want), rows[i].pod);
	}
}

static void test_grace(void)
{
	static const struct {
		const char *pod;
		int64_t asked;
		int64_t want;
		const char *about;
	} rows[] = {
		{"{\"spec\":{\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":30}}", -1, 30,
		 "a bound pod has the time that it says"},
		{"{\"spec\":{\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":30}}", 5, 5,
		 "or that is asked for"},
		{"{\"spec\":{\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":-5}}", -1, 1,
		 "a negative time is a second"},
		{"{\"spec\":{\"terminationGracePeriodSeconds\":30}}", 5, 0,
		 "what runs nowhere goes at once"},
		{"{\"spec\":{\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":30},"
		 "\"status\":{\"phase\":\"Failed\"}}",
		 -1, 0, "as does what has ended"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(rows[i].pod);

		ok(pod_grace(json_doc_root(doc), rows[i].asked) == rows[i].want, "%s",
		   rows[i].about);
	}
}

static void test_images(void)
{
	static const struct {
		const char *image;
		bool latest;
	} rows[] = {
		{"busybox", true},
		{"busybox:latest", true},
		{"busybox:1", false},
		{"a.b:5000/x/y", true},
		{"a.b:5000/x/y:v1", false},
		{"localhost/x", true},
		{"x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		 false},
		{"x:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		 true},
		{"x@sha256:xyz", false},
		{"Busybox", false},
		{"HOST/x", true},
		{"a__b/c-d.e", true},
		{"a..b", false},
		{"-a", false},
		{"", false},
		{"x:", false},
		{"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ok(image_name_is_latest(str_from(rows[i].image)) == rows[i].latest,
		   "'%s' is %sthe newest", rows[i].image, rows[i].latest ? "" : "not known to be ");
}

static void test_view(void)
{
	static const char text[] =
		"{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"nodeName\":"
		"\"n\","
		"\"priority\":7,\"restartPolicy\":\"OnFailure\",\"preemptionPolicy\":\"Never\","
		"\"schedulingGates\":[{\"name\":\"g\"}],\"containers\":[{\"name\":\"c\",\"image\":"
		"\"i\","
		"\"command\":[\"x\"],\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{"
		"\"fieldPath\":"
		"\"metadata.name\"}}}],\"resources\":{\"requests\":{\"cpu\":\"500m\"}},\"ports\":[{"
		"\"containerPort\":1}]}],\"initContainers\":[{\"name\":\"s\",\"restartPolicy\":"
		"\"Always\"}],"
		"\"volumes\":[{\"name\":\"v\",\"configMap\":{\"name\":\"m\",\"items\":[{\"key\":"
		"\"k\","
		"\"path\":\"f\"}]}}],\"affinity\":{\"podAntiAffinity\":{"
		"\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":\"z\"}]}},"
		"\"tolerations\":[{\"operator\":\"Exists\"}]},\"status\":{\"phase\":\"Running\","
		"\"startTime\":\"2024-01-01T00:00:00Z\",\"conditions\":[{\"type\":\"Ready\","
		"\"status\":"
		"\"True\",\"lastProbeTime\":null}],\"containerStatuses\":[{\"name\":\"c\","
		"\"ready\":true,"
		"\"restartCount\":2,\"state\":{\"terminated\":{\"exitCode\":3}}}]}}";
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);
	struct err err = {0};
	struct pod pod;
	const struct container_status *status;

	ok(!type_decode(&pod_type, json_doc_root(doc), arena, &pod, &err), "decodes: %s", err.text);
	ok(str_is(labels_get(&pod.meta.labels, STR("a")), "b"), "metadata");
	ok(pod_is_bound(&pod) && pod_is_gated(&pod) && !pod_is_finished(&pod) && pod_is_ready(&pod),
	   "is bound, gated, running and ready");
	ok(pod.spec.priority.value == 7 && pod.spec.restart_policy == RESTART_ON_FAILURE &&
		   pod.spec.preemption_policy == PREEMPTION_NEVER,
	   "policies");
	ok(pod.spec.containers.len == 1 && pod.spec.containers.ptr[0].env.len == 1 &&
		   str_is(pod.spec.containers.ptr[0].env.ptr[0].from->field->path, "metadata.name"),
	   "containers and their environment");
	ok(quantity_milli(&pod.spec.containers.ptr[0].resources.requests.ptr[0].value) == 500,
	   "requests");
	ok(container_is_sidecar(&pod.spec.init_containers.ptr[0]), "sidecars");
	ok(str_is(pod.spec.volumes.ptr[0].config_map->items.ptr[0].path, "f"), "volumes");
	ok(str_is(pod.spec.affinity->anti->required.ptr[0].topology_key, "z"), "affinity");
	status = pod_find_status(&pod, STR("c"));
	ok(status && status->ready && status->restart_count == 2 &&
		   status->state.terminated->exit_code == 3,
	   "states of containers");
	ok(!pod_find_status(&pod, STR("x")), "none of a container that is not there");
	is(pod_phase_name(pod.status.phase), "Running");
}

static void test_addresses(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse("{\"status\":{\"podIP\":\"1.1.1.1\"}}");
	AUTO(json_doc_unref)
	struct json_doc *other = parse("{\"status\":{\"podIPs\":[{\"ip\":\"2.2.2.2\"}]}}");
	struct json status;

	type_default(&pod_type, doc, json_doc_root(doc));
	type_default(&pod_type, other, json_doc_root(other));
	status = json_get(json_doc_root(doc), "status");
	ok(str_is(json_str(json_get(json_at(json_get(status, "podIPs"), 0), "ip")), "1.1.1.1"),
	   "podIP is the first of podIPs");
	status = json_get(json_doc_root(other), "status");
	ok(str_is(json_str(json_get(status, "podIP")), "2.2.2.2"), "and the other way round");
}

int main(void)
{
	test_tables();
	each_row("default.jsonl", test_default);
	each_row("validate.jsonl", test_validate);
	each_row("update.jsonl", test_update);
	each_row("warn.jsonl", test_warn);
	test_prepare();
	test_qos();
	test_grace();
	test_images();
	test_view();
	test_addresses();
	return tap_done();
}
