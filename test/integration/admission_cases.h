/* SPDX-License-Identifier: Apache-2.0 */
/* admission_cases.h - recorded answers of Volcano 1.15 to creates, updates and removals of its kinds, replayed against
 * an API server and the controllers in one process, on the virtual loop. The recordings are not part of the project:
 * where ../shared/cases/volcano/admission is not there this says so, and passes; test/data/admission has the rules in
 * our own words.
 *
 * Cases that we answer otherwise on purpose are named here; one that starts to agree is a failure,
 * so that the list stays true (docs/compatibility.md has the reasons). Cases that wait for pods to
 * run are left out: there is no scheduler here. */
#ifndef INTEGRATION_ADMISSION_CASES_H
#define INTEGRATION_ADMISSION_CASES_H

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>

#include "admission/admission.h"
#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/fd.h"
#include "base/time.h"
#include "controller/controller.h"

static const char *const differs[] = {
	"flow-self",
	"flow-update-cycle",
	"job-depends-bad-iteration",
	"job-plugin-null-args",
	"job-policy-bad-action-exit-code",
	"job-policy-no-action-exit-code",
	"pod-jdb-percent-inside",
	"queue-no-spec",
	"queue-update-parent-child",
};

struct home;
/* How a request reaches the server: as it is, or as a kube-apiserver with webhooks does it. */
typedef void send_fn(struct home *h, struct got *got, struct client_ask *ask);

struct home {
	send_fn *send;
	struct world w;
	struct admission_config config;
	struct client *client;
	struct controllers *controllers;
	char namespace[32];
	size_t left_out;
};

/* --- the world ------------------------------------------------------------------------------- */

static void pass(struct home *h, int64_t time)
{
	int64_t until = loop_uptime(h->w.loop) + time;

	loop_drain(h->w.loop);
	while (loop_uptime(h->w.loop) < until) {
		(void)loop_turn(h->w.loop, until - loop_uptime(h->w.loop));
		loop_drain(h->w.loop);
	}
}

static void open_home(struct home *h, const char *folder, bool plain)
{
	AUTO(mem_free) char *path = mem_printf("%s/../admission.conf", folder);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	struct err err;

	h->config = (struct admission_config)ADMISSION_CONFIG_INIT;
	if (fd_read_file(path, &text, &err) == 0)
		h->config.groups = admission_groups_parse(buf_str(&text), &err);
	ok(h->config.groups != NULL, "the groups can be read");
	h->w.loop = loop_new_virtual(3, WORLD_START, &err);
	h->w.store = store_open(h->w.loop, &(struct store_options){0}, &err);
	h->w.api = api_new(&(struct api_options){
		.loop = h->w.loop, .store = h->w.store, .admission = &h->config, .plain = plain});
	ok(install_definitions(h->w.api, &err) == 0, "Volcano's kinds are there");
	api_start(h->w.api, &(struct api_place){0});
	h->w.client = world_client(&h->w, "tester");
	h->client = world_client(&h->w, "controllers");
	h->controllers = controllers_new(
		h->w.loop, h->client,
		&(struct controllers_options){.controllers = "queue-controller"}, &err);
	pass(h, TIME_SECOND);
}

static void close_home(struct home *h)
{
	controllers_free(h->controllers);
	client_free(h->client);
	world_close(&h->w);
	admission_groups_free(h->config.groups);
}

/* --- steps ----------------------------------------------------------------------------------- */

/* Kinds have their name twice, here Volcano's counts. */
static const struct resource *resource_of(struct str kind)
{
	static const enum resource_id volcano[] = {
		RESOURCE_VCJOBS,   RESOURCE_VCCRONJOBS,   RESOURCE_QUEUES,     RESOURCE_PODGROUPS,
		RESOURCE_JOBFLOWS, RESOURCE_JOBTEMPLATES, RESOURCE_HYPERNODES, RESOURCE_PODS,
		RESOURCE_COMMANDS, RESOURCE_NAMESPACES};

	for (size_t i = 0; i < ARRAY_LEN(volcano); i++)
		if (str_eq(resources[volcano[i]].kind, kind))
			return &resources[volcano[i]];
	return NULL;
}

static void ask(struct home *h, struct got *got, struct client_ask ask, struct str kind)
{
	ask.resource = resource_of(kind);
	assert(ask.resource);
	if (ask.resource->namespaced && !ask.namespace.len)
		ask.namespace = str_from(h->namespace);
	h->send(h, got, &ask);
	pass(h, 100 * TIME_MILLISECOND);
}

static void create(struct home *h, struct got *got, struct json object)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(object);

	ask(h, got, (struct client_ask){.verb = CLIENT_CREATE, .body = doc},
	    json_str(json_get(object, "kind")));
}

static void patch(struct home *h, struct got *got, struct json step)
{
	AUTO(json_doc_unref) struct json_doc *body = json_doc_thaw(json_get(step, "body"));
	struct str type = json_str(json_get(step, "type"));

	ask(h, got,
	    (struct client_ask){.verb = CLIENT_PATCH,
				.name = json_str(json_get(step, "name")),
				.sub = json_str(json_get(step, "subresource")),
				.body = body,
				.patch = str_is(type, "json")        ? CLIENT_PATCH_JSON
					 : str_is(type, "strategic") ? CLIENT_PATCH_STRATEGIC
								     : CLIENT_PATCH_MERGE},
	    json_str(json_get(step, "kind")));
}

static void command(struct home *h, struct got *got, struct json step)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = doc_of(
		"{\"apiVersion\":\"bus.volcano.sh/v1alpha1\",\"kind\":\"Command\",\"metadata\":{"
		"\"generateName\":\"c-\"},\"action\":\"%.*s\",\"target\":{\"apiVersion\":"
		"\"scheduling.volcano.sh/"
		"v1beta1\",\"kind\":\"Queue\",\"name\":\"%.*s\",\"uid\":\"\"}"
		"}",
		STR_ARG(json_str(json_get(step, "action"))),
		STR_ARG(json_str(json_get(step, "name"))));

	ask(h, got,
	    (struct client_ask){.verb = CLIENT_CREATE, .namespace = STR("default"), .body = doc},
	    STR("Command"));
}

/* False: it is no step with an answer. */
static bool do_step(struct home *h, struct got *got, struct json step)
{
	struct json_iter it = json_iter(step);

	while (json_next(&it)) {
		if (str_is(it.key, "create"))
			create(h, got, it.value);
		else if (str_is(it.key, "patch"))
			patch(h, got, it.value);
		else if (str_is(it.key, "command"))
			command(h, got, it.value);
		else if (str_is(it.key, "delete"))
			ask(h, got,
			    (struct client_ask){.verb = CLIENT_DELETE,
						.name = json_str(json_get(it.value, "name")),
						.propagation = CLIENT_BACKGROUND},
			    json_str(json_get(it.value, "kind")));
		else
			continue;
		return true;
	}
	pass(h, TIME_SECOND);
	return false;
}

/* --- comparing ------------------------------------------------------------------------------- */

static void drop(struct json_doc *doc, struct json object, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)json_remove(doc, object, str_from(keys[i]));
}

/* Take what starts so out of a list, and an empty list out of the object. */
static void filter(struct json_doc *doc, struct json object, const char *list, const char *key,
		   const char *prefix)
{
	struct json array = json_get(object, list);

	for (size_t i = json_len(array); i-- > 0;)
		if (str_starts(json_str(json_get(json_at(array, i), key)), str_from(prefix)))
			(void)json_remove_at(doc, array, i);
	if (json_is(array, JSON_ARR) && !json_len(array))
		(void)json_remove(doc, object, str_from(list));
}

static void strip_pod(struct json_doc *doc, struct json spec)
{
	static const char *const keys[] = {"serviceAccount",     "serviceAccountName", "nodeName",
					   "enableServiceLinks", "preemptionPolicy",   "priority"};
	struct json_iter it = json_iter(json_get(spec, "containers"));

	drop(doc, spec, keys, ARRAY_LEN(keys));
	filter(doc, spec, "volumes", "name", "kube-api-access-");
	filter(doc, spec, "tolerations", "key", "node.kubernetes.io/");
	while (json_next(&it))
		filter(doc, it.value, "volumeMounts", "name", "kube-api-access-");
}

/* What was stored, without what differs from run to run. */
static struct json_doc *strip(struct json object)
{
	static const char *const keys[] = {"uid", "resourceVersion", "generation", "managedFields",
					   "creationTimestamp"};
	struct json_doc *doc = json_doc_thaw(object);
	struct json root = json_doc_root(doc);

	drop(doc, json_get(root, "metadata"), keys, ARRAY_LEN(keys));
	(void)json_remove(doc, root, STR("status"));
	if (str_is(json_str(json_get(root, "kind")), "Pod"))
		strip_pod(doc, json_get(root, "spec"));
	return doc;
}

static int by_value(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* The same text; several errors of a schema may stand in another order. */
static bool same_text(struct str got, struct str want)
{
	AUTO(mem_free) char *left = NULL;
	AUTO(mem_free) char *right = NULL;

	if (str_find(want, STR(" is invalid: ["), 0) < 0 || got.len != want.len)
		return str_eq(got, want);
	left = str_dup(got);
	right = str_dup(want);
	qsort(left, got.len, 1, by_value);
	qsort(right, want.len, 1, by_value);
	return strcmp(left, right) == 0;
}

static bool is_answer(const struct got *got, struct json reply, struct buf *why)
{
	struct json root = got->doc ? json_doc_root(got->doc) : JSON_NONE;
	struct json want = json_get(reply, "object");
	struct str message = json_str(json_get(reply, "message"));
	AUTO(json_doc_unref) struct json_doc *stored = NULL;

	if (got->code != json_int(json_get(reply, "code"))) {
		buf_printf(why, "%d %s", got->code, got->text);
		return false;
	}
	if (message.len && strlen(got->text) < ERR_TEXT_SIZE - 1 &&
	    !same_text(str_from(got->text), message)) {
		buf_puts(why, got->text);
		return false;
	}
	if (json_is_absent(want))
		return true;
	stored = strip(root);
	{
		AUTO(json_doc_unref) struct json_doc *wanted = strip(want);

		if (json_eq(json_doc_root(stored), json_doc_root(wanted)))
			return true;
	}
	json_print(json_doc_root(stored), JSON_CANONICAL, why);
	return false;
}

/* --- cases ----------------------------------------------------------------------------------- */

static bool waits_for_pods(struct json recorded)
{
	struct json_iter it = json_iter(json_get(recorded, "do"));

	while (json_next(&it))
		if (str_is(json_str(json_get(json_get(it.value, "wait"), "kind")), "Job"))
			return true;
	return false;
}

static void set_up(struct home *h, struct json given)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		doc_of("{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}", h->namespace);
	AUTO(json_doc_unref) struct json_doc *namespace = json_doc_thaw(json_doc_root(doc));
	struct json_iter it = json_iter(json_get(given, "namespace"));
	struct got got = {0};

	while (json_next(&it))
		json_set(namespace, json_get(json_doc_root(namespace), "metadata"), it.key,
			 json_new_copy(namespace, it.value));
	create(h, &got, json_doc_root(namespace));
	it = json_iter(json_get(given, "objects"));
	while (json_next(&it))
		create(h, &got, it.value);
	pass(h, TIME_SECOND);
	json_doc_unref(got.doc);
}

static bool run_case(struct home *h, struct json recorded, struct buf *why)
{
	struct json replies = json_get(json_get(recorded, "expect"), "replies");
	struct json_iter it = json_iter(json_get(recorded, "do"));
	struct got got = {0};
	size_t reply = 0;
	bool good = true;

	set_up(h, json_get(recorded, "given"));
	while (good && json_next(&it))
		if (do_step(h, &got, it.value))
			good = is_answer(&got, json_at(replies, reply++), why);
	json_doc_unref(got.doc);
	return good;
}

static void replace_all(struct buf *text, const char *what, const char *by)
{
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	struct str rest = buf_str(text);
	ptrdiff_t at;

	while ((at = str_find(rest, str_from(what), 0)) >= 0) {
		buf_put(&out, rest.ptr, (size_t)at);
		buf_puts(&out, by);
		rest = str_skip(rest, (size_t)at + strlen(what));
	}
	buf_put_str(&out, rest);
	buf_clear(text);
	buf_put_str(text, buf_str(&out));
}

static void run_file(struct home *h, const char *folder, const char *file, int number)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, file);
	AUTO(mem_free) char *id = mem_printf("c%05d", number);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_JSON_BYTES);
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct str name = str_slice(str_from(file), 0, strlen(file) - strlen(".json"));
	bool other = false;
	bool same;
	struct err err;

	if (fd_read_file(path, &text, &err) < 0) {
		ok(false, "%s", err.text);
		return;
	}
	replace_all(&text, "${id}", id);
	doc = json_parse(buf_str(&text), NULL, &err);
	if (!doc || waits_for_pods(json_doc_root(doc))) {
		h->left_out++;
		return;
	}
	snprintf(h->namespace, sizeof(h->namespace), "ns-%s", id);
	for (size_t i = 0; i < ARRAY_LEN(differs); i++)
		other = other || str_is(name, differs[i]);
	same = run_case(h, json_doc_root(doc), &why);
	if (!ok(same != other, "%.*s%s", STR_ARG(name), other ? ", otherwise on purpose" : ""))
		printf("#   %s\n", buf_text(&why));
}

static int is_case(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".json"));
}

/* The folder of the recordings and its files; -1: they are not there. */
static int find_cases(const char **ret_folder, struct dirent ***ret_files)
{
	static const char *const roots[] = {"../shared/cases/volcano/admission",
					    "../../shared/cases/volcano/admission"};
	int count = -1;

	for (size_t i = 0; count < 0 && i < ARRAY_LEN(roots); i++) {
		*ret_folder = roots[i];
		count = scandir(*ret_folder, ret_files, is_case, alphasort);
	}
	if (count < 0)
		ok(true, "left out: the recordings are not there");
	return count;
}

static void run_files(struct home *h, const char *folder, struct dirent **files, int count)
{
	for (int i = 0; i < count; i++) {
		run_file(h, folder, files[i]->d_name, i);
		free(files[i]);
	}
	free(files);
	printf("# left out: %zu cases that wait for pods\n", h->left_out);
}

#endif
