/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/report/object_warnings.h"

#include "build.h"
#include "tap.h"

#include "base/banned.h"

enum { SECOND = 1000000 };

/* Warnings of a cycle about groups that are not there, so many seconds after the epoch. */
static int warnings(struct cluster *cluster, struct config *config, int second)
{
	AUTO(session_free)
	struct session *ssn = session_run(cluster, config, (int64_t)second * SECOND, NULL);
	int count = 0;

	for (size_t i = 0; i < ssn->decisions.all.len; i++) {
		const struct decision *d = &ssn->decisions.all.ptr[i];

		count += d->kind == DECIDE_EVENT && strcmp(d->type, "Warning") == 0 &&
			 strstr(d->message, "PodGroup");
	}
	return count;
}

static void add_young_pod(struct cluster *cluster, const char *annotations)
{
	(void)apply(cluster,
		    "{kind: Pod, metadata: {name: p, namespace: default, uid: p, "
		    "creationTimestamp: \"1970-01-01T00:01:40Z\", annotations: {%s}}, spec: "
		    "{schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: "
		    "\"1\"}}}]}, status: {phase: Pending}}",
		    annotations);
}

static const char *const allocate =
	"{actions: allocate, tiers: [{plugins: [{name: gang}, {name: predicates}]}]}";

static void test_missing_group(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(allocate);

	add_queue(c, "default");
	add_young_pod(c, "scheduling.k8s.io/group-name: g");
	ok(warnings(c, config, 101) == 0, "a pod may come before its group");
	ok(warnings(c, config, 104) == 0, "a few seconds long");
	ok(warnings(c, config, 105) == 1, "then it is reported that the group is not there");
	ok(warnings(c, config, 110) == 0, "once");
	ok(!object_warnings_are_unreported(c->warnings), "there is nothing left to report");
}

static void test_late_group(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(allocate);

	add_queue(c, "default");
	add_young_pod(c, "scheduling.k8s.io/group-name: g");
	ok(warnings(c, config, 101) == 0, "before its group");
	add_group(c, "g", 2, "default");
	(void)warnings(c, config, 102);
	ok(warnings(c, config, 110) == 0, "a group that comes in time is not missed");
	ok(!object_warnings_are_unreported(c->warnings), "nor waited for");
	cluster_remove(c, CLUSTER_PODGROUP, STR("default"), STR("g"));
	ok(warnings(c, config, 120) == 1, "but it is when it goes");
}

static void test_no_group(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(allocate);

	add_queue(c, "default");
	add_young_pod(c, "");
	ok(warnings(c, config, 101) == 0, "a pod without a group may get one");
	ok(warnings(c, config, 106) == 1, "where it does not, that is reported");
	add_young_pod(c, "scheduling.k8s.io/group-name: g");
	add_group(c, "g", 1, "default");
	ok(warnings(c, config, 107) == 0, "and it is over when it does");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("p"));
	add_young_pod(c, "");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("p"));
	ok(warnings(c, config, 120) == 0, "nothing is reported of a pod that was deleted");
}

int main(void)
{
	test_missing_group();
	test_late_group();
	test_no_group();
	return tap_done();
}
