/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler with the API server, on the virtual loop: nodes that are its own for some hours only, and those
 * that it shares with other schedulers. */
#include <string.h>

#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "quoted.h"
#include "scheduler/scheduler.h"

/* --- the API server --------------------------------------------------------------------------------- */

struct home {
	struct world w;
	struct client *client;
	struct scheduler *scheduler;
};

/* `name` NULL: it is made, else changed. */
static void put(struct home *h, enum resource_id resource, const char *name, const char *sub,
		const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(body);
	struct got got = {0};

	(void)world_ask(&h->w, &got,
			&(struct client_ask){
				.verb = name ? CLIENT_PATCH : CLIENT_CREATE,
				.patch = CLIENT_PATCH_MERGE,
				.resource = &resources[resource],
				.namespace = resources[resource].namespaced ? STR("a") : str_none(),
				.name = name ? str_from(name) : str_none(),
				.sub = str_from(sub),
				.body = doc});
	if (got.code != (name ? 200 : 201))
		ok(false, "written: %s: %s", body, got.text);
	json_doc_unref(got.doc);
}

static void make_node(struct home *h, const char *name, const char *labels)
{
	AUTO(mem_free)
	char *body = mem_printf("{'metadata':{'name':'%s','labels':{%s}}}", name, labels);

	put(h, RESOURCE_NODES, NULL, "", body);
	put(h, RESOURCE_NODES, name, "", "{'spec':{'taints':null}}");
	put(h, RESOURCE_NODES, name, "status",
	    "{'status':{'allocatable':{'cpu':'4','memory':'64Gi','pods':'110'},"
	    "'capacity':{'cpu':'4','memory':'64Gi','pods':'110'}}}");
}

static void open_home(struct home *h, const struct scheduler_options *options)
{
	struct err err;

	memset(h, 0, sizeof(*h));
	world_open(&h->w, 1, 0);
	if (install_definitions(h->w.api, &err) < 0)
		printf("Bail out! %s\n", err.text);
	put(h, RESOURCE_NAMESPACES, NULL, "", "{'metadata':{'name':'a'}}");
	h->client = world_client(&h->w, "sched");
	h->scheduler = scheduler_new(h->w.loop, h->client, options, &err);
	ok(h->scheduler != NULL, "the scheduler starts");
}

static void close_home(struct home *h)
{
	scheduler_free(h->scheduler);
	client_free(h->client);
	world_close(&h->w);
}

static const char *at(struct home *h, enum resource_id resource, const char *name, const char *path)
{
	return world_at(&h->w, resource, name, path);
}

/* --- lent nodes ---------------------------------------------------------------------------------- */

/* The world begins at midnight. */
static const char lent[] = "actions: \"enqueue, allocate, shuffle\"\n"
			   "tiers:\n"
			   "- plugins: [{name: gang}, {name: predicates}, {name: tdm, arguments: {"
			   "tdm.revocable-zone.night: \"22:00-00:10\"}}]\n";

static void test_lent(void)
{
	struct home h;

	open_home(&h, &(struct scheduler_options){.config = str_from(lent)});
	make_node(&h, "n1", "'volcano.sh/revocable-zone':'night'");
	put(&h, RESOURCE_PODGROUPS, NULL, "",
	    "{'metadata':{'name':'g'},'spec':{'minMember':1,'queue':'default'}}");
	put(&h, RESOURCE_PODS, NULL, "",
	    "{'metadata':{'name':'p','annotations':{'scheduling.k8s.io/group-name':'g',"
	    "'volcano.sh/revocable-zone':'*'}},'spec':{'schedulerName':'volcano','containers':[{"
	    "'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]}}");
	world_pass(&h.w, TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "spec.nodeName"), "n1");
	put(&h, RESOURCE_PODS, "p", "status", "{'status':{'phase':'Running'}}");
	world_pass(&h.w, 5 * 60 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "");
	world_pass(&h.w, 6 * 60 * TIME_SECOND);
	ok(strcmp(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "") != 0,
	   "it goes when the hours are over, though no job waits");
	close_home(&h);
}

/* --- shards -------------------------------------------------------------------------------------- */

static void uses(struct home *h, const char *use, const char *add, const char *remove)
{
	world_pass(&h->w, 2 * TIME_SECOND);
	is(at(h, RESOURCE_NODESHARDS, "volcano", "status.nodesInUse"), use);
	is(at(h, RESOURCE_NODESHARDS, "volcano", "status.nodesToAdd"), add);
	is(at(h, RESOURCE_NODESHARDS, "volcano", "status.nodesToRemove"), remove);
}

static void test_shard(bool hard)
{
	struct scheduler_stats before, after;
	struct home h;

	open_home(&h, &(struct scheduler_options){.shard_hard = hard, .shard_soft = !hard});
	put(&h, RESOURCE_NODESHARDS, NULL, "",
	    "{'metadata':{'name':'other'},'spec':{'nodesDesired':['n2','n3']}}");
	put(&h, RESOURCE_NODESHARDS, "other", "status", "{'status':{'nodesInUse':['n2','n3']}}");
	put(&h, RESOURCE_NODESHARDS, NULL, "",
	    "{'metadata':{'name':'volcano'},'spec':{'nodesDesired':['n1','n2']}}");
	uses(&h, "[\"n1\"]", "[\"n2\"]", "[]");
	put(&h, RESOURCE_NODESHARDS, "other", "status", "{'status':{'nodesInUse':['n3']}}");
	uses(&h, "[\"n1\",\"n2\"]", "[]", "[]");
	put(&h, RESOURCE_NODESHARDS, "volcano", "", "{'spec':{'nodesDesired':['n2']}}");
	uses(&h, "[\"n2\"]", "[]", "[]");
	scheduler_stats(h.scheduler, &before);
	put(&h, RESOURCE_NODESHARDS, "volcano", "", "{'metadata':{'labels':{'a':'b'}}}");
	uses(&h, "[\"n2\"]", "[]", "[]");
	scheduler_stats(h.scheduler, &after);
	ok(before.writes == after.writes, "what has not changed is not written");
	close_home(&h);
}

/* Who shares nothing says nothing of it. */
static void test_no_shard(void)
{
	struct home h;

	open_home(&h, &(struct scheduler_options){0});
	put(&h, RESOURCE_NODESHARDS, NULL, "",
	    "{'metadata':{'name':'volcano'},'spec':{'nodesDesired':['n1','n2']}}");
	world_pass(&h.w, 2 * TIME_SECOND);
	is(at(&h, RESOURCE_NODESHARDS, "volcano", "status.nodesInUse"), "");
	close_home(&h);
}

int main(void)
{
	test_lent();
	test_shard(true);
	test_shard(false);
	test_no_shard();
	return tap_done();
}
