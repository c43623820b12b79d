/* SPDX-License-Identifier: Apache-2.0 */
/* controller/bound_pods.c - nodes, the pods of each, unfinished jobs.
 *
 * Always true: a pod is in the list of its node at `at`; `finished` counts the pods that are. */
#include "controller/bound_pods.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "lifecycle/job_lifecycle.h"

#include "base/banned.h"

struct bound_pods {
	struct map *pods;        /* by key */
	struct map *nodes;       /* by name */
	struct map *jobs;        /* by uid */
	struct map *tolerations; /* by the bytes of their hash */
	size_t finished;
};

/* --- nodes ----------------------------------------------------------------------------------- */

static struct bound_node *ensure_node(struct bound_pods *all, struct str name)
{
	struct bound_node *node = map_get(all->nodes, name);

	if (node)
		return node;
	node = mem_new(struct bound_node);
	node->name = str_dup(name);
	(void)map_put(all->nodes, str_from(node->name), node);
	return node;
}

static void node_free(struct bound_node *node)
{
	json_doc_unref(node->taints);
	vec_done(&node->pods);
	mem_free(node->name);
	mem_free(node);
}

static void drop_unused_node(struct bound_pods *all, struct bound_node *node)
{
	if (node->facts.exists || node->pods.len > 0)
		return;
	(void)map_remove(all->nodes, str_from(node->name));
	node_free(node);
}

static void leave_node(struct bound_pods *all, struct bound_pod *pod)
{
	struct bound_node *node = pod->node;

	if (!node)
		return;
	node->pods.ptr[node->pods.len - 1]->at = pod->at;
	vec_remove_swap(&node->pods, pod->at);
	pod->node = NULL;
	pod->since = 0;
	drop_unused_node(all, node);
}

static void join_node(struct bound_pods *all, struct bound_pod *pod, struct str name)
{
	if (pod->node && str_is(name, pod->node->name))
		return;
	leave_node(all, pod);
	if (name.len == 0)
		return;
	pod->node = ensure_node(all, name);
	pod->at = pod->node->pods.len;
	vec_push(&pod->node->pods, pod);
}

bool bound_pods_put_node(struct bound_pods *all, struct str name, struct json node)
{
	struct bound_node *row = ensure_node(all, name);
	struct eviction_node facts;
	bool same, threat;

	eviction_node_read(node, &facts);
	threat = eviction_node_threatens(&facts);
	same = row->facts.exists == facts.exists && row->facts.ready == facts.ready &&
	       eviction_node_threatens(&row->facts) == threat &&
	       (!threat || json_eq(row->facts.taints, facts.taints));
	/* Another threat, or none: waiting begins again when there is one. */
	if (!threat || row->facts.exists != facts.exists)
		for (size_t i = 0; i < row->pods.len; i++)
			row->pods.ptr[i]->since = 0;
	json_doc_unref(row->taints);
	row->taints = threat && facts.exists ? json_doc_freeze(facts.taints) : NULL;
	facts.taints = row->taints ? json_doc_root(row->taints) : JSON_NONE;
	row->facts = facts;
	drop_unused_node(all, row);
	return !same && threat;
}

struct bound_node *bound_pods_node(const struct bound_pods *all, struct str name)
{
	return map_get(all->nodes, name);
}

/* --- jobs ------------------------------------------------------------------------------------ */

static struct bound_job *ensure_job(struct bound_pods *all, struct str uid)
{
	struct bound_job *job = map_get(all->jobs, uid);

	if (job)
		return job;
	job = mem_new(struct bound_job);
	job->uid = str_dup(uid);
	(void)map_put(all->jobs, str_from(job->uid), job);
	return job;
}

static void drop_unused_job(struct bound_pods *all, struct bound_job *job)
{
	if (!job || job->known || job->pods > 0)
		return;
	(void)map_remove(all->jobs, str_from(job->uid));
	mem_free(job->uid);
	mem_free(job);
}

void bound_pods_put_job(struct bound_pods *all, struct str uid, bool finished)
{
	struct bound_job *job = ensure_job(all, uid);

	job->known = true;
	job->finished = finished;
}

void bound_pods_remove_job(struct bound_pods *all, struct str uid)
{
	struct bound_job *job = map_get(all->jobs, uid);

	if (job)
		job->known = false;
	drop_unused_job(all, job);
}

static void join_job(struct bound_pods *all, struct bound_pod *pod, struct str uid)
{
	struct bound_job *old = pod->job;

	if (old && str_is(uid, old->uid))
		return;
	pod->job = uid.len ? ensure_job(all, uid) : NULL;
	if (pod->job)
		pod->job->pods++;
	if (old)
		old->pods--;
	drop_unused_job(all, old);
}

/* --- tolerations ----------------------------------------------------------------------------- */

static struct str hash_key(const uint64_t *hash)
{
	return str_of((const char *)hash, sizeof(*hash));
}

static void release_tolerations(struct bound_pods *all, struct shared_tolerations *shared)
{
	if (!shared || --shared->users > 0)
		return;
	if (map_get(all->tolerations, hash_key(&shared->hash)) == shared)
		(void)map_remove(all->tolerations, hash_key(&shared->hash));
	json_doc_unref(shared->doc);
	mem_free(shared);
}

static void set_tolerations(struct bound_pods *all, struct bound_pod *pod, struct json list)
{
	struct shared_tolerations *old = pod->tolerations;
	uint64_t hash = json_hash(list, 0);
	struct shared_tolerations *shared = map_get(all->tolerations, hash_key(&hash));

	if (old && json_eq(json_doc_root(old->doc), list))
		return;
	if (json_len(list) == 0) {
		shared = NULL;
	} else if (!shared || !json_eq(json_doc_root(shared->doc), list)) {
		bool taken = shared;

		shared = mem_new(struct shared_tolerations);
		shared->hash = hash;
		shared->doc = json_doc_freeze(list);
		if (!taken)
			(void)map_put(all->tolerations, hash_key(&shared->hash), shared);
	}
	if (shared)
		shared->users++;
	pod->tolerations = shared;
	release_tolerations(all, old);
}

/* --- pods ------------------------------------------------------------------------------------ */

static struct bound_pod *ensure_pod(struct bound_pods *all, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
	size_t len = namespace.len + 1 + name.len;
	struct bound_pod *pod = map_get(all->pods, str_of(key, len));

	if (pod)
		return pod;
	pod = mem_zalloc(sizeof(*pod) + len + 1);
	pod->namespace_len = namespace.len;
	pod->key_len = len;
	memcpy(pod->key, key, len);
	(void)map_put(all->pods, str_of(pod->key, len), pod);
	return pod;
}

static void drop_pod(struct bound_pods *all, struct bound_pod *pod)
{
	all->finished -= pod->finished;
	leave_node(all, pod);
	join_job(all, pod, str_none());
	release_tolerations(all, pod->tolerations);
	(void)map_remove(all->pods, str_of(pod->key, pod->key_len));
	mem_free(pod);
}

struct bound_pod *bound_pods_put(struct bound_pods *all, struct json document)
{
	struct eviction_pod facts;
	struct bound_pod *pod;

	eviction_pod_read(document, &facts);
	pod = ensure_pod(all, facts.namespace, facts.name);
	if (!str_is(facts.uid, pod->uid)) { /* another of the same name */
		pod->since = 0;
		pod->removed = false;
	}
	(void)snprintf(pod->uid, sizeof(pod->uid), "%.*s", STR_ARG(facts.uid));
	all->finished += facts.finished;
	all->finished -= pod->finished;
	pod->finished = facts.finished;
	pod->deleting = facts.deleting;
	pod->has_grace = facts.has_grace;
	pod->created = facts.created;
	join_node(all, pod, json_str(json_get(json_get(document, "spec"), "nodeName")));
	join_job(all, pod, job_controller_of(document));
	set_tolerations(all, pod, facts.tolerations);
	return pod;
}

void bound_pods_remove(struct bound_pods *all, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
	struct bound_pod *pod = map_get(all->pods, str_from(key));

	if (pod)
		drop_pod(all, pod);
}

struct bound_pod *bound_pods_get(const struct bound_pods *all, struct str key)
{
	return map_get(all->pods, key);
}

struct bound_pod *bound_pods_next(const struct bound_pods *all, size_t *at)
{
	void *pod;

	return map_next(all->pods, at, NULL, &pod) ? pod : NULL;
}

size_t bound_pods_finished(const struct bound_pods *all)
{
	return all->finished;
}

void bound_pod_facts(const struct bound_pod *pod, struct eviction_pod *ret)
{
	struct str key = str_of(pod->key, pod->key_len);

	*ret = (struct eviction_pod){
		.namespace = str_slice(key, 0, pod->namespace_len),
		.name = str_skip(key, pod->namespace_len + 1),
		.uid = str_from(pod->uid),
		.tolerations = pod->tolerations ? json_doc_root(pod->tolerations->doc) : JSON_NONE,
		.created = pod->created,
		.has_node = pod->node,
		.finished = pod->finished,
		.deleting = pod->deleting,
		.has_grace = pod->has_grace,
		.of_job = pod->job,
	};
}

/* --- life ------------------------------------------------------------------------------------ */

struct bound_pods *bound_pods_new(uint64_t seed)
{
	struct bound_pods *all = mem_new(struct bound_pods);

	all->pods = map_new(seed);
	all->nodes = map_new(seed);
	all->jobs = map_new(seed);
	all->tolerations = map_new(seed);
	return all;
}

void bound_pods_free(struct bound_pods *all)
{
	size_t at = 0;
	void *value;

	if (!all)
		return;
	while (map_next(all->pods, &at, NULL, &value))
		drop_pod(all, value);
	at = 0;
	while (map_next(all->nodes, &at, NULL, &value))
		node_free(value);
	at = 0;
	while (map_next(all->jobs, &at, NULL, &value)) {
		mem_free(((struct bound_job *)value)->uid);
		mem_free(value);
	}
	map_free(all->pods);
	map_free(all->nodes);
	map_free(all->jobs);
	map_free(all->tolerations);
	mem_free(all);
}
