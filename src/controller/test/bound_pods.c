/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, the pods of each, and unfinished jobs, as they come and go in any order. */
#include "controller/bound_pods.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

__attribute__((format(printf, 1, 2))) static struct json_doc *doc_of(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	AUTO(mem_free) char *text = mem_vprintf(format, args);
	va_end(args);
	return quoted_doc(text);
}

static struct bound_pod *put(struct bound_pods *all, const char *name, const char *uid,
			     const char *node, const char *phase)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = doc_of(
		"{'metadata':{'namespace':'a','name':'%s','uid':'%s','ownerReferences':[{"
		"'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','uid':'j','controller':true}"
		"]},'spec':{'nodeName':'%s','tolerations':[{'key':'k','operator':'Exists'}]},"
		"'status':{'phase':'%s'}}",
		name, uid, node, phase);

	return bound_pods_put(all, json_doc_root(doc));
}

static bool put_node(struct bound_pods *all, const char *taints)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		doc_of("{'metadata':{'name':'n'},'spec':{'taints':[%s]}}", taints ? taints : "");

	return bound_pods_put_node(all, STR("n"), taints ? json_doc_root(doc) : JSON_NONE);
}

#define TAINT "{'key':'k','effect':'NoExecute'}"

static void check_nodes(void)
{
	AUTO(bound_pods_free) struct bound_pods *all = bound_pods_new(1);
	struct bound_pod *pod = put(all, "p", "1", "n", "Running");

	ok(eviction_node_threatens(&pod->node->facts), "a node that is not there is a threat");
	pod->since = 5;
	ok(!put_node(all, "") && pod->since == 0, "one that comes is none");
	ok(put_node(all, TAINT), "a taint is one");
	pod->since = 7;
	ok(!put_node(all, TAINT) && pod->since == 7, "the same taint is the same threat");
	ok(put_node(all, TAINT ",{'key':'l','effect':'NoExecute'}") && pod->since == 7,
	   "another taint is looked at, and waiting goes on");
	ok(!put_node(all, "") && pod->since == 0, "without taints waiting is over");
	ok(put_node(all, NULL), "one that is deleted is a threat");
	bound_pods_remove(all, STR("a"), STR("p"));
	ok(!bound_pods_node(all, STR("n")), "a node without pods that is not there is forgotten");
	(void)put_node(all, NULL);
	ok(!bound_pods_node(all, STR("n")), "without a trace");
}

static void check_pods(void)
{
	AUTO(bound_pods_free) struct bound_pods *all = bound_pods_new(1);
	struct bound_pod *pods[3];
	struct eviction_pod facts;

	pods[0] = put(all, "p", "1", "n", "Running");
	pods[1] = put(all, "q", "2", "n", "Running");
	pods[2] = put(all, "r", "3", "n", "Succeeded");
	ok(pods[0]->tolerations == pods[2]->tolerations, "equal tolerations are shared");
	ok(bound_pods_finished(all) == 1, "finished pods are counted");
	(void)put(all, "r", "3", "n", "Succeeded");
	ok(bound_pods_finished(all) == 1, "once");
	pods[0]->since = 4;
	pods[0]->removed = true;
	(void)put(all, "p", "9", "n", "Failed");
	ok(pods[0]->since == 0 && !pods[0]->removed, "another pod of the name begins again");
	ok(bound_pods_finished(all) == 2, "and counts");
	bound_pods_remove(all, STR("a"), STR("p"));
	ok(pods[1]->node->pods.len == 2 && pods[2]->node->pods.ptr[pods[2]->at] == pods[2] &&
		   pods[1]->node->pods.ptr[pods[1]->at] == pods[1],
	   "those that stay are found at their places");
	bound_pod_facts(pods[1], &facts);
	ok(str_is(facts.namespace, "a") && str_is(facts.name, "q") && facts.has_node &&
		   facts.of_job && !facts.finished && json_len(facts.tolerations) == 1,
	   "the facts are those of the document");
}

static void check_jobs(void)
{
	AUTO(bound_pods_free) struct bound_pods *all = bound_pods_new(1);
	struct bound_pod *pod = put(all, "p", "1", "n", "Succeeded");

	ok(pod->job && !pod->job->known, "a job that is not known");
	bound_pods_put_job(all, STR("j"), false);
	ok(pod->job && pod->job->known && !pod->job->finished, "goes on");
	bound_pods_put_job(all, STR("j"), true);
	ok(pod->job && pod->job->finished, "and finishes");
	bound_pods_remove_job(all, STR("j"));
	ok(pod->job && !pod->job->known, "and is deleted before its pods");
	bound_pods_remove(all, STR("a"), STR("p"));
	bound_pods_remove_job(all, STR("j"));
}

int main(void)
{
	check_nodes();
	check_pods();
	check_jobs();
	return tap_done();
}
