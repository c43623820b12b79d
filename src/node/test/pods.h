/* SPDX-License-Identifier: Apache-2.0 */
/* node/test/pods.h - a pod and what it refers to, from YAML. */
#ifndef NODE_TEST_PODS_H
#define NODE_TEST_PODS_H

#include <assert.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/macro.h"
#include "json/doc.h"
#include "json/yaml.h"
#include "model/pod/pod.h"
#include "node/pod/sandbox.h"

enum { PODS_OBJECTS = 16 };

struct pods {
	struct arena *arena;
	struct json_doc *pod_doc;
	struct json_doc *objects_doc; /* {configmaps: {name: object}, secrets: ..., ...} */
	struct pod pod;
	struct sandbox sandbox;
};

static inline struct json_doc *pods_yaml(const char *text)
{
	struct err err = {0};
	struct json_doc *doc = yaml_parse(str_from(text), NULL, &err);

	if (!doc)
		(void)fprintf(stderr, "# %s\n", err.text);
	assert(doc);
	return doc;
}

static inline struct json pods_find(void *arg, enum sandbox_kind kind, struct str namespace,
				    struct str name)
{
	static const char *const names[SANDBOX_KIND_COUNT] = {"configmaps", "secrets", "claims",
							      "volumes"};
	const struct pods *pods = arg;

	(void)namespace;
	return json_get_str(json_get(json_doc_root(pods->objects_doc), names[kind]), name);
}

static inline void pods_open(struct pods *pods, const char *pod, const char *objects)
{
	struct err err = {0};

	*pods = (struct pods){.arena = arena_new(0)};
	pods->pod_doc = pods_yaml(pod);
	pods->objects_doc = pods_yaml(objects ? objects : "{}");
	if (type_decode(&pod_type, json_doc_root(pods->pod_doc), pods->arena, &pods->pod, &err) < 0)
		(void)fprintf(stderr, "# %s\n", err.text);
	assert(!err.text[0]);
	pods->sandbox = (struct sandbox){
		.pod = &pods->pod,
		.find = pods_find,
		.arg = pods,
		.node_name = STR("node-1"),
		.host_ip = STR("192.0.2.1"),
		.pod_ip = STR("10.88.0.5"),
		.hostname = STR("pod-host"),
		.allocatable = json_get(json_doc_root(pods->objects_doc), "allocatable"),
	};
}

static inline void pods_close(struct pods *pods)
{
	json_doc_unref(pods->pod_doc);
	json_doc_unref(pods->objects_doc);
	arena_free(pods->arena);
}
DEFINE_AUTO_IN_PLACE(struct pods, pods_close);

#endif
