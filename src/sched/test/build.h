/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - clusters for tests, from lines of YAML. */
#ifndef SCHED_TEST_BUILD_H
#define SCHED_TEST_BUILD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/yaml.h"
#include "sched/session/session.h"

/* Apply one manifest; gives what cluster_apply() gives. */
__attribute__((format(printf, 2, 3), unused)) static int apply(struct cluster *cluster,
							       const char *format, ...)
{
	va_list args;
	char *text;
	struct json_doc *doc;
	struct err err;
	int result;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	doc = yaml_parse(str_from(text), NULL, &err);
	if (!doc) {
		printf("Bail out! %s: %s\n", err.text, text);
		(void)fflush(stdout);
		abort();
	}
	result = cluster_apply(cluster,
			       cluster_kind_find(json_str(json_get(json_doc_root(doc), "kind"))),
			       doc, &err);
	json_doc_unref(doc);
	mem_free(text);
	return result;
}

__attribute__((unused)) static void add_queue(struct cluster *cluster, const char *name)
{
	(void)apply(cluster,
		    "{kind: Queue, metadata: {name: %s}, spec: {weight: 1}, status: {state: Open}}",
		    name);
}

__attribute__((unused)) static void add_node(struct cluster *cluster, const char *name, int cpu)
{
	(void)apply(cluster,
		    "{kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s}}, "
		    "status: {allocatable: {cpu: \"%d\", memory: 64Gi, pods: \"110\"}}}",
		    name, name, cpu);
}

__attribute__((unused)) static void add_group(struct cluster *cluster, const char *name, int min,
					      const char *queue)
{
	(void)apply(cluster,
		    "{kind: PodGroup, metadata: {name: %s, namespace: default, uid: %s}, "
		    "spec: {minMember: %d, queue: %s}, status: {phase: Inqueue}}",
		    name, name, min, queue);
}

/* A pod of a group; on a node where one is given. `more` is the rest of its spec, or "". */
__attribute__((unused)) static void add_pod(struct cluster *cluster, const char *group, int index,
					    const char *node, const char *requests)
{
	(void)apply(cluster,
		    "{kind: Pod, metadata: {name: %s-w-%d, namespace: default, uid: %s-%d, labels: "
		    "{app: %s, index: \"%d\"}, annotations: {scheduling.k8s.io/group-name: %s}}, "
		    "spec: {schedulerName: volcano, %s%s%s containers: [{name: c, resources: "
		    "{requests: %s}}]}, status: {phase: %s}}",
		    group, index, group, index, group, index, group, node ? "nodeName: " : "",
		    node ? node : "", node ? "," : "", requests, node ? "Running" : "Pending");
}

__attribute__((unused)) static struct config *configure(const char *text)
{
	static uint64_t number;
	struct err err;
	struct config *config = config_parse(str_from(text), ++number, &err);

	if (!config) {
		printf("Bail out! %s\n", err.text);
		(void)fflush(stdout);
		abort();
	}
	return config;
}

__attribute__((unused)) static struct task *task_of(const struct cluster *cluster, const char *name)
{
	return cluster_find_task(cluster, STR("default"), str_from(name));
}

__attribute__((unused)) static bool holds(const struct cluster *cluster)
{
	char *wrong = cluster_check(cluster);

	if (wrong)
		printf("# %s\n", wrong);
	mem_free(wrong);
	return !wrong;
}

#endif
