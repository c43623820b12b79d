/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - see the header. Documents in the store are never changed: a change replaces them, as the
 * API does, and goes into the model as an event. */
#include "world.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "fake_http.h"
#include "json/merge.h"
#include "model/core/claims.h"
#include "model/group/priorityclass.h"
#include "model/pod/pod.h"
#include "model/volcano/podgroup.h"
#include "model/volcano/wait_reason.h"
#include "sched/device/cards.h"
#include "sched/plugin/extender.h"
#include "sched/plugin/outside.h"
#include "sched/report/explain.h"

#include "base/banned.h"

enum { SECOND = 1000000, TICK = SECOND / 5, QUIET = 3 * SECOND, LONGEST = 20 * SECOND };
#define START INT64_C(1700000000000000)

static char *key_of(struct str kind, struct str namespace, struct str name)
{
	return mem_printf("%.*s %.*s/%.*s", STR_ARG(kind), STR_ARG(namespace), STR_ARG(name));
}

struct world *world_new(const struct cluster_options *options)
{
	struct world *world = mem_new(struct world);

	world->cluster = cluster_new(options);
	world->objects = map_new(1);
	world->known = map_new(1);
	world->nodes = map_new(1);
	world->now = START;
	world->options.refresh = true;
	return world;
}

static void object_free(struct object *object)
{
	json_doc_unref(object->doc);
	mem_free(object->key);
	mem_free(object);
}

void world_free(struct world *world)
{
	size_t at = 0;
	struct str key;
	void *value;

	if (!world)
		return;
	while (map_next(world->objects, &at, NULL, &value))
		object_free(value);
	at = 0;
	while (map_next(world->known, &at, &key, &value)) {
		mem_free((char *)key.ptr);
		mem_free(value);
	}
	at = 0;
	while (map_next(world->nodes, &at, NULL, &value))
		mem_free(value);
	for (size_t i = 0; i < world->events.len; i++) {
		mem_free(world->events.ptr[i].object);
		mem_free(world->events.ptr[i].type);
		mem_free(world->events.ptr[i].message);
	}
	vec_done(&world->events);
	map_free(world->objects);
	map_free(world->known);
	map_free(world->nodes);
	cluster_free(world->cluster);
	config_free(world->config);
	mem_free(world->wrong);
	mem_free(world);
}

int world_configure(struct world *world, struct str text, struct err *err)
{
	struct config *config = config_parse(text, ++world->configs, err);

	if (!config)
		return -1;
	config_free(world->config);
	world->config = config;
	return 0;
}

/* --- objects --------------------------------------------------------------------------------- */

struct object *world_find(const struct world *world, struct str kind, struct str namespace,
			  struct str name)
{
	AUTO(mem_free) char *key = key_of(kind, namespace, name);

	return map_get(world->objects, str_from(key));
}

static void forget_pod(struct world *world, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
	size_t at = 0;
	struct str known;
	void *value;

	while (map_next(world->known, &at, &known, &value))
		if (str_is(known, key)) {
			map_remove(world->known, known);
			mem_free((char *)known.ptr);
			mem_free(value);
			return;
		}
}

static void know_pod(struct world *world, struct str namespace, struct str name, struct json meta)
{
	struct str group =
		json_str(json_get(json_get(meta, "annotations"), "scheduling.k8s.io/group-name"));

	forget_pod(world, namespace, name);
	map_put(world->known, str_from(mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name))),
		group.len ? mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(group))
			  : mem_strdup("-"));
}

static void know_node(struct world *world, struct str name)
{
	char *kept;

	if (map_get(world->nodes, name))
		return;
	kept = str_dup(name);
	map_put(world->nodes, str_from(kept), kept);
}

/* The model hears of it. */
static int publish(struct world *world, struct object *object, struct json_doc *doc,
		   struct err *err)
{
	json_doc_unref(object->doc);
	object->doc = json_doc_freeze(json_doc_root(doc));
	if (object->kind == CLUSTER_KIND_COUNT) /* of no interest to the scheduler */
		return 0;
	return cluster_apply(world->cluster, object->kind, object->doc, err);
}

static bool is_namespaced(enum cluster_kind kind)
{
	return kind == CLUSTER_POD || kind == CLUSTER_PODGROUP || kind == CLUSTER_QUOTA ||
	       kind == CLUSTER_PDB || kind == CLUSTER_PVC || kind == CLUSTER_CONFIGMAP;
}

static struct json ensure_condition(struct json_doc *doc, const char *type)
{
	struct json status = json_ensure_obj(doc, json_doc_root(doc), "status");
	struct json list = json_ensure_arr(doc, status, "conditions");
	struct json_iter it = json_iter(list);
	struct json made;

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	made = json_new_obj(doc);
	json_set_str(doc, made, "type", str_from(type));
	json_append(doc, list, made);
	return made;
}

static void set_condition(struct json_doc *doc, const char *type, const char *status,
			  const char *reason, const char *message)
{
	struct json c = ensure_condition(doc, type);

	json_set_str(doc, c, "status", str_from(status));
	json_set_str(doc, c, "reason", str_from(reason));
	json_set_str(doc, c, "message", str_from(message));
}

/* What a runtime class adds to its pods. */
static struct json overhead_of(const struct world *world, struct json spec)
{
	struct str name = json_str(json_get(spec, "runtimeClassName"));
	const struct object *class = world_find(world, STR("RuntimeClass"), str_none(), name);

	return class ? json_get(json_get(json_doc_root(class->doc), "overhead"), "podFixed")
		     : JSON_NONE;
}

/* What the API server fills in. */
static void fill_in(struct world *world, struct json_doc *doc, enum cluster_kind kind)
{
	struct json root = json_doc_root(doc), meta = json_ensure_obj(doc, root, "metadata");
	struct json spec = json_get(root, "spec");
	char text[TIME_TEXT_SIZE];
	const struct thing *class;
	int32_t priority = 0;

	if (is_namespaced(kind) && json_is_absent(json_get(meta, "namespace")))
		json_set_str(doc, meta, "namespace", STR("default"));
	if (json_is_absent(json_get(meta, "uid")))
		json_set(doc, meta, STR("uid"),
			 json_new_printf(doc, "00000000-0000-0000-0000-%012llu",
					 (unsigned long long)++world->uids));
	if (kind == CLUSTER_NAMESPACE)
		json_set_str(doc, json_ensure_obj(doc, meta, "labels"),
			     "kubernetes.io/metadata.name", json_str(json_get(meta, "name")));
	if ((kind == CLUSTER_PODGROUP || kind == CLUSTER_QUEUE) && world->ordered)
		world->now += SECOND;
	if (json_is_absent(json_get(meta, "creationTimestamp")))
		json_set_str(doc, meta, "creationTimestamp",
			     str_from(time_print(world->now, text)));
	if (kind == CLUSTER_POD && json_is_absent(json_get(spec, "priority"))) {
		(void)cluster_priority(world->cluster,
				       json_str(json_get(spec, "priorityClassName")), &priority);
		json_set_int(doc, spec, "priority", priority);
		class = cluster_find_thing(world->cluster, CLUSTER_PRIORITYCLASS, str_none(),
					   json_str(json_get(spec, "priorityClassName")));
		if (class && ((const struct priorityclass *)class->view)->preemption_policy.len)
			json_set_str(
				doc, spec, "preemptionPolicy",
				((const struct priorityclass *)class->view)->preemption_policy);
	}
	if (kind == CLUSTER_POD) {
		struct json overhead = overhead_of(world, spec);

		type_default(&pod_type, doc, root);
		if (!json_is_absent(overhead))
			json_set(doc, spec, STR("overhead"), json_new_copy(doc, overhead));
		if (json_len(json_get(spec, "schedulingGates")))
			set_condition(doc, "PodScheduled", "False", "SchedulingGated",
				      "Scheduling is blocked due to non-empty scheduling gates");
	}
	if (kind == CLUSTER_POD) {
		struct json_iter it = json_iter(json_get(json_get(root, "status"), "conditions"));

		while (json_next(&it))
			if (!json_is(json_get(it.value, "lastTransitionTime"), JSON_STR))
				json_set_str(doc, it.value, "lastTransitionTime",
					     str_from(time_print(world->now, text)));
	}
}

/* Namespaces are there without being written, with the label that the API server gives them. */
static int ensure_namespace(struct world *world, struct str name, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc), meta;

	if (!name.len || cluster_find_thing(world->cluster, CLUSTER_NAMESPACE, str_none(), name))
		return 0;
	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", STR("Namespace"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", name);
	return world_apply(world, root, err);
}

int world_apply(struct world *world, struct json manifest, struct err *err)
{
	enum cluster_kind kind = cluster_kind_find(json_str(json_get(manifest, "kind")));
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(manifest);
	struct json meta;
	struct object *object;
	struct str namespace, name;

	fill_in(world, doc, kind);
	meta = json_get(json_doc_root(doc), "metadata");
	namespace = json_str(json_get(meta, "namespace"));
	name = json_str(json_get(meta, "name"));
	if (ensure_namespace(world, namespace, err) < 0)
		return -1;
	object = world_find(world, json_str(json_get(manifest, "kind")), namespace, name);
	if (!object) {
		object = mem_new(struct object);
		object->kind = kind;
		object->key = key_of(json_str(json_get(manifest, "kind")), namespace, name);
		map_put(world->objects, str_from(object->key), object);
	}
	if (kind == CLUSTER_POD)
		know_pod(world, namespace, name, meta);
	if (kind == CLUSTER_NODE)
		know_node(world, name);
	return publish(world, object, doc, err);
}

static void take_away(struct world *world, struct object *object)
{
	struct json meta = json_get(json_doc_root(object->doc), "metadata");

	cluster_remove(world->cluster, object->kind, json_str(json_get(meta, "namespace")),
		       json_str(json_get(meta, "name")));
	map_remove(world->objects, str_from(object->key));
	object_free(object);
}

void world_delete(struct world *world, struct str kind, struct str namespace, struct str name)
{
	struct object *object = world_find(world, kind, namespace, name);

	if (!object)
		return;
	if (object->kind == CLUSTER_POD)
		forget_pod(world, namespace, name);
	take_away(world, object);
}

int world_patch(struct world *world, struct str kind, struct str namespace, struct str name,
		struct json patch, struct err *err)
{
	struct object *object = world_find(world, kind, namespace, name);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!object)
		return err_set(err, ERR_NOT_FOUND, "%.*s %.*s is not there", STR_ARG(kind),
			       STR_ARG(name));
	doc = json_merge_apply(json_doc_root(object->doc), patch);
	return publish(world, object, doc, err);
}

/* --- decisions ------------------------------------------------------------------------------- */

static struct object *object_of_task(const struct world *world, const struct task *task)
{
	return world_find(world, STR("Pod"), task_namespace(task), task_name(task));
}

static struct object *object_of_job(const struct world *world, const struct job *job)
{
	return world_find(world, STR("PodGroup"), job_namespace(job), job_name(job));
}

static void record(struct world *world, const char *kind, const char *key, const char *type,
		   const char *reason, const char *message)
{
	struct world_event event = {mem_printf("%s %s", kind, key),
				    mem_printf("%s %s %s", kind, type, reason),
				    mem_strdup(message)};

	vec_push(&world->events, event);
}

/* Who makes volumes of a claim's class. */
static struct str provisioner_of(const struct world *world, struct str namespace, struct str claim)
{
	const struct object *pvc =
		world_find(world, STR("PersistentVolumeClaim"), namespace, claim);
	struct json spec = pvc ? json_get(json_doc_root(pvc->doc), "spec") : JSON_NONE;
	const struct object *class = world_find(world, STR("StorageClass"), str_none(),
						json_str(json_get(spec, "storageClassName")));

	return class ? json_str(json_get(json_doc_root(class->doc), "provisioner")) : str_none();
}

/* What the controller of volumes makes of a reservation: the claim gets its volume. */
static void bind_claim(struct world *world, const struct volume_reservation *reservation)
{
	struct str maker = reservation->volume.len ? str_none()
						   : provisioner_of(world, reservation->namespace,
								    reservation->claim);
	AUTO(mem_free)
	char *volume = reservation->volume.len
			       ? str_dup(reservation->volume)
			       : mem_printf("made-%.*s", STR_ARG(reservation->claim));
	AUTO(mem_free)
	char *claim = mem_printf("{\"metadata\":{\"annotations\":{\"" CLAIM_BIND_COMPLETED
				 "\":\"yes\"}},\"spec\":{\"volumeName\":\"%s\"},"
				 "\"status\":{\"phase\":\"Bound\"}}",
				 volume);
	AUTO(mem_free)
	char *pv = mem_printf("{\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"%s\"},"
			      "\"spec\":{%s%.*s%s\"claimRef\":{\"namespace\":\"%.*s\",\"name\":"
			      "\"%.*s\"}},\"status\":{\"phase\":\"Bound\"}}",
			      volume, reservation->volume.len ? "" : "\"csi\":{\"driver\":\"",
			      STR_ARG(maker), reservation->volume.len ? "" : "\"},",
			      STR_ARG(reservation->namespace), STR_ARG(reservation->claim));
	AUTO(json_doc_unref) struct json_doc *of_pv = json_parse(str_from(pv), NULL, NULL);
	AUTO(json_doc_unref) struct json_doc *of_claim = json_parse(str_from(claim), NULL, NULL);

	if ((reservation->volume.len ? world_patch(world, STR("PersistentVolume"), str_none(),
						   reservation->volume, json_doc_root(of_pv), NULL)
				     : world_apply(world, json_doc_root(of_pv), NULL)) < 0 ||
	    world_patch(world, STR("PersistentVolumeClaim"), reservation->namespace,
			reservation->claim, json_doc_root(of_claim), NULL) < 0)
		abort();
}

/* The API server merges the annotations of a binding into the pod. */
static void annotate(const struct world *world, const struct task *task, struct json_doc *doc)
{
	struct json meta = json_get(json_doc_root(doc), "metadata");

	(void)cards_annotate(world->cluster, task, world->now, doc,
			     json_ensure_obj(doc, meta, "annotations"));
}

static void execute_pod(struct world *world, const struct decision *d)
{
	struct object *object = object_of_task(world, d->task);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	char text[TIME_TEXT_SIZE];
	struct volume_reservation reservation;
	struct json spec;

	if (!object)
		return;
	while (d->kind == DECIDE_BIND &&
	       volumes_get_reservation(world->cluster, d->task, 0, &reservation))
		bind_claim(world, &reservation);
	doc = json_doc_thaw(json_doc_root(object->doc));
	spec = json_get(json_doc_root(doc), "spec");
	switch (d->kind) {
	case DECIDE_BIND:
		json_set_str(doc, spec, "nodeName", str_from(d->node));
		annotate(world, d->task, doc);
		world->binds++;
		record(world, "Pod", d->task->text, "Normal", "Scheduled",
		       "Successfully assigned <pod> to <node>");
		break;
	case DECIDE_EVICT:
		object->deleted = world->now;
		json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "deletionTimestamp",
			     str_from(time_print(world->now, text)));
		world->evictions++;
		break;
	case DECIDE_UNGATE:
		json_remove(doc, spec, STR("schedulingGates"));
		break;
	default:
		set_condition(doc, "PodScheduled", "False", d->reason, d->message);
		if (d->nominated)
			json_set_str(doc, json_ensure_obj(doc, json_doc_root(doc), "status"),
				     "nominatedNodeName", str_from(d->nominated));
	}
	if (publish(world, object, doc, NULL) < 0)
		abort();
	if (d->kind != DECIDE_EVICT)
		return;
	{
		AUTO(mem_free) char *why = mem_printf("Pod is evicted, because of %s", d->reason);

		record(world, "Pod", d->task->text, "Warning", "Evict", why);
		if (d->task->job)
			record(world, "PodGroup", d->task->job->key, "Normal", "Evict", d->reason);
	}
}

static void set_reasons(struct json_doc *doc, const char *text)
{
	struct json meta = json_get(json_doc_root(doc), "metadata");

	if (!text)
		return;
	if (*text)
		json_set_str(doc, json_ensure_obj(doc, meta, "annotations"),
			     WAIT_REASONS_ANNOTATION, str_from(text));
	else
		json_remove(doc, json_ensure_obj(doc, meta, "annotations"),
			    STR(WAIT_REASONS_ANNOTATION));
}

static void execute_group(struct world *world, const struct decision *d)
{
	struct object *object = object_of_job(world, d->job);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json status;

	if (!object)
		return;
	doc = json_doc_thaw(json_doc_root(object->doc));
	set_reasons(doc, d->reasons);
	status = json_ensure_obj(doc, json_doc_root(doc), "status");
	if (!d->no_status) {
		json_set_str(doc, status, "phase", str_from(podgroup_phase_names[d->phase]));
		json_set_int(doc, status, "running", d->running);
		json_set_int(doc, status, "succeeded", d->succeeded);
		json_set_int(doc, status, "failed", d->failed);
	}
	for (size_t i = 0; i < ARRAY_LEN(d->conditions); i++)
		if (d->conditions[i].type)
			set_condition(doc, d->conditions[i].type, "True", d->conditions[i].reason,
				      d->conditions[i].message);
	if (publish(world, object, doc, NULL) < 0)
		abort();
}

static void execute_queue(struct world *world, const struct decision *d)
{
	struct object *object = world_find(world, STR("Queue"), str_none(), d->queue->text);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json status;

	if (!object)
		return;
	doc = json_doc_thaw(json_doc_root(object->doc));
	status = json_ensure_obj(doc, json_doc_root(doc), "status");
	json_set(doc, status, STR("allocated"),
		 resources_encode(&d->allocated, world->cluster->dims, doc));
	if (publish(world, object, doc, NULL) < 0)
		abort();
}

static void record_text(struct world *world, const struct decision *d, const char *message)
{
	if (d->job)
		record(world, "PodGroup", d->job->key, d->type, d->reason, message);
	else if (d->task)
		record(world, "Pod", d->task->text, d->type, d->reason, message);
	else if (d->queue)
		record(world, "Queue", d->queue->text.ptr, d->type, d->reason, message);
	else
		record(world, "Node", d->node, d->type, d->reason, message);
}

static void record_event(struct world *world, const struct decision *d)
{
	record_text(world, d, d->message);
	for (size_t i = 0; i < ALSO_MAX && d->also[i]; i++)
		record_text(world, d, d->also[i]);
}

static void execute(struct world *world, const struct decision *d)
{
	switch (d->kind) {
	case DECIDE_GROUP:
		execute_group(world, d);
		break;
	case DECIDE_QUEUE:
		execute_queue(world, d);
		break;
	case DECIDE_EVENT:
		record_event(world, d);
		break;
	default:
		execute_pod(world, d);
	}
}

/* --- the kubelet ----------------------------------------------------------------------------- */

static bool tend_pod(struct world *world, struct object *object)
{
	struct json root = json_doc_root(object->doc);
	struct str phase = json_str(json_get(json_get(root, "status"), "phase"));
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json status;

	if (object->deleted) {
		if (world->now - object->deleted < world->linger)
			return false;
		take_away(world, object);
		return true;
	}
	if (!json_str(json_get(json_get(root, "spec"), "nodeName")).len ||
	    (phase.len && !str_is(phase, "Pending")))
		return false;
	doc = json_doc_thaw(root);
	status = json_ensure_obj(doc, json_doc_root(doc), "status");
	json_set_str(doc, status, "phase", STR("Running"));
	set_condition(doc, "Ready", "True", "", "");
	if (publish(world, object, doc, NULL) < 0)
		abort();
	return true;
}

static bool tend_pods(struct world *world, bool *ret_going)
{
	VEC(struct object *) pods = {0};
	size_t at = 0;
	void *value;
	bool changed = false;

	*ret_going = false;
	while (map_next(world->objects, &at, NULL, &value))
		if (((struct object *)value)->kind == CLUSTER_POD)
			vec_push(&pods, (struct object *)value);
	for (size_t i = 0; i < pods.len; i++) {
		*ret_going |= pods.ptr[i]->deleted > 0;
		changed |= tend_pod(world, pods.ptr[i]);
	}
	vec_done(&pods);
	return changed;
}

static void check(struct world *world)
{
	char *wrong = cluster_check(world->cluster);

	if (wrong && !world->wrong)
		world->wrong = wrong;
	else
		mem_free(wrong);
}

/* What the service would have fetched by now. */
static void fetch_usage(struct world *world)
{
	struct cluster *cluster = world->cluster;

	if (!str_is(json_str(json_get(world->config->metrics, "type")), "prometheus"))
		return;
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		struct node_usage usage = {.at = world->now};
		bool failed = !cluster->nodes.ptr[i] || !cluster->nodes.ptr[i]->there;

		for (int kind = 0; kind < USAGE_COUNT && !failed; kind++) {
			AUTO(buf_done) struct buf target = BUF_UNBOUNDED;
			AUTO(buf_done) struct buf reply = BUF_UNBOUNDED;

			usage_put_target((enum usage_kind)kind, cluster->nodes.ptr[i]->text,
					 &target);
			failed = fake_http_answer(world->http, buf_str(&target), str_none(),
						  world->now, &reply) != 200 ||
				 usage_read_answer(buf_str(&reply), &usage.percent[kind],
						   &usage.known[kind], NULL) < 0;
		}
		if (!failed)
			cluster_set_usage(cluster, cluster->nodes.ptr[i]->text, &usage);
	}
}

/* Calls of an extender: the server of the case answers each. */
static void answer_calls(struct world *world)
{
	struct str url;
	int64_t timeout;
	struct outside *outside = extender_calls(world->config, &url, &timeout);
	struct outside_call *call;

	while (outside && (call = outside_next(outside))) {
		AUTO(mem_free) char *target = mem_printf("/%s", outside_call_verb(call));
		AUTO(buf_done) struct buf reply = BUF_UNBOUNDED;
		int status = fake_http_answer(world->http, str_from(target),
					      outside_call_body(call), world->now, &reply);

		outside_end(outside, call, status, buf_str(&reply), NULL, world->now);
		world->cluster->events++;
	}
}

static bool cycle(struct world *world)
{
	AUTO(session_free)
	struct session *ssn =
		session_run(world->cluster, world->config, world->now, &world->options);
	bool changed = false;

	check(world);
	for (size_t i = 0; i < ssn->decisions.all.len; i++) {
		const struct decision *d = &ssn->decisions.all.ptr[i];

		changed |= d->kind != DECIDE_EVENT && d->kind != DECIDE_POD;
		execute(world, d);
	}
	return changed;
}

void world_settle(struct world *world)
{
	int64_t began = world->now, changed_at = world->now;
	bool ever = false, going;

	world->unsettled = false;
	while (!world->exited) {
		bool changed;

		fetch_usage(world);
		changed = cycle(world);
		answer_calls(world);

		world->now += TICK;
		changed |= tend_pods(world, &going);
		if (changed || going) {
			changed_at = world->now;
			ever |= changed;
		}
		if (world->now - changed_at >= (ever ? QUIET : 2 * QUIET))
			return;
		if (world->now - began > LONGEST) {
			world->unsettled = true;
			return;
		}
	}
}
