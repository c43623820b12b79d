/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/session/decisions.h"

#include "build.h"
#include "tap.h"

#include "base/banned.h"

/* So many pods are reported something in a cycle. */
static int reported(struct cluster *cluster, struct config *config)
{
	AUTO(session_free) struct session *ssn = session_run(cluster, config, 0, NULL);
	int count = 0;

	for (size_t i = 0; i < ssn->decisions.all.len; i++)
		count += ssn->decisions.all.ptr[i].kind == DECIDE_POD;
	return count;
}

static void set_capability(struct cluster *cluster, int cpu)
{
	(void)apply(cluster,
		    "{kind: Queue, metadata: {name: q}, spec: {weight: 1, capability: {cpu: "
		    "\"%d\"}}, status: {state: Open}}",
		    cpu);
}

/* A group of so many pods in a queue that is full; then one more comes, and then the queue has capacity, and
 * no node. */
static void test_numbers(int pods, bool again, const char *what)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free)
	struct config *config = configure("{actions: allocate, tiers: [{plugins: [{name: gang}, "
					  "{name: predicates}, {name: proportion}]}]}");

	set_capability(c, 1);
	add_node(c, "n1", 1);
	(void)apply(c, "{kind: Node, metadata: {name: n2}, spec: {unschedulable: true}, status: "
		       "{allocatable: {cpu: \"1k\", memory: 64Gi, pods: \"110\"}}}");
	add_group(c, "r", 1, "q");
	add_pod(c, "r", 0, "n1", "{cpu: \"1\"}");
	add_group(c, "g", 1, "q");
	for (int i = 0; i < pods; i++)
		add_pod(c, "g", i, NULL, "{cpu: \"1\"}");
	ok(reported(c, config) == pods, "%s: each pod is reported that it waits", what);
	ok(reported(c, config) == 0, "once");
	add_pod(c, "g", pods, NULL, "{cpu: \"1\"}");
	ok(reported(c, config) == (again ? pods + 1 : 1), "one more comes: %s",
	   again ? "all report how many wait now" : "it alone is reported");
	set_capability(c, 1000);
	ok(reported(c, config) == pods + 1, "another reason is reported for all");
	ok(holds(c), "and the model holds");
}

int main(void)
{
	test_numbers(20, true, "a few");
	test_numbers(200, false, "many");
	return tap_done();
}
