/* SPDX-License-Identifier: Apache-2.0 */
/* HyperNodes that are found: by labels, from a UFM; what becomes of those that are there; and trees that are not sound. */
#include "base/arena.h"
#include "lifecycle/hypernode_discovery.h"
#include "lifecycle/hypernode_lifecycle.h"
#include "others.h"

#include "base/banned.h"

enum { MAX = 16 };

/* Documents of a list, which live as long as it. */
struct list {
	struct json_doc *docs[MAX];
	struct json at[MAX];
	size_t len;
};

static void add(struct list *list, const char *text)
{
	list->docs[list->len] = doc_of(text);
	list->at[list->len] = json_doc_root(list->docs[list->len]);
	list->len++;
}

static void list_done(struct list *list)
{
	for (size_t i = 0; i < list->len; i++)
		json_doc_unref(list->docs[i]);
	list->len = 0;
}

static struct discovery_world world_of(const struct list *nodes, const struct list *hypernodes)
{
	return (struct discovery_world){nodes->at, nodes->len, hypernodes->at, hypernodes->len};
}

enum source { BY_LABELS, BY_UFM };

/* The plan of a source as text, or the error; for mem_free(). */
static char *found(enum source source, const char *config, const struct list *nodes,
		   const struct list *hypernodes)
{
	AUTO(plan_done) struct plan plan;
	AUTO(json_doc_unref) struct json_doc *doc = doc_of(config);
	struct discovery_world world = world_of(nodes, hypernodes);
	struct discovery found = {0};
	struct err err;
	char *text;
	int result;

	plan_init(&plan);
	found.arena = plan.arena;
	result = source == BY_LABELS ? discovery_by_labels(json_doc_root(doc), &world, &found, &err)
				     : discovery_by_ufm(json_doc_root(doc), &world, &found, &err);
	if (result == 0)
		discovery_plan(source == BY_LABELS ? STR("label") : STR("ufm"), &found, &world,
			       INT64_C(1700000000000000), &plan);
	text = result < 0 ? mem_strdup(err.text) : plan_text(&plan);
	for (size_t i = 0; i < found.notes.len; i++) {
		char *more = mem_printf("%s# %.*s\n", text, STR_ARG(found.notes.ptr[i]));

		mem_free(text);
		text = more;
	}
	discovery_done(&found);
	return text;
}

static void has(const char *text, const char *part, const char *about)
{
	ok(strstr(text, part) != NULL, "%s", about);
	if (!strstr(text, part))
		printf("# %s\n# lacks %s\n", text, part);
}

#define TYPES                                                                                     \
	"{'networkTopologyTypes':{'net':[{'nodeLabel':'spine'},{'nodeLabel':'rack'},{'nodeLabel'" \
	":'kubernetes.io/hostname'}]}}"

static void add_labelled(struct list *nodes)
{
	add(nodes, "{'metadata':{'name':'n2','labels':{'rack':'a','spine':'s'}}}");
	add(nodes, "{'metadata':{'name':'n1','labels':{'rack':'a','spine':'s'}}}");
	add(nodes, "{'metadata':{'name':'n3','labels':{'rack':'b','spine':'s'}}}");
	add(nodes, "{'metadata':{'name':'n4','labels':{'spine':'s'}}}");
	add(nodes, "{'metadata':{'name':'n5','labels':{'rack':'c'}}}");
}

static void test_labels(void)
{
	struct list nodes = {0}, none = {0}, there = {0};
	AUTO(mem_free) char *first = NULL, *second = NULL, *empty = NULL;

	add_labelled(&nodes);
	first = found(BY_LABELS, TYPES, &nodes, &none);
	has(first, "create hypernodes hypernode-net-tier1-", "a rack is a HyperNode of tier 1");
	has(first,
	    "'labels':{'volcano.sh/network-topology-source':'label','rack':'a'}},'spec':{"
	    "'members':[{'selector':{'exactMatch':{'name':'n1'}},'type':'Node'},{'selector':{"
	    "'exactMatch':{'name':'n2'}},'type':'Node'}],'tier':1,'tierName':'rack'}",
	    "with its nodes in order");
	has(first, "create hypernodes hypernode-net-tier2-", "a spine is one of tier 2");
	has(first, "'rack':'c'", "a node without the wider label ends the chain there");
	ok(!strstr(first, "'name':'n4'"), "a node without its lowest label is in no domain");
	second = found(BY_LABELS, TYPES, &nodes, &none);
	is(second, first);
	add(&there, "{'metadata':{'name':'hypernode-net-tier1-old','uid':'u','labels':{"
		    "'volcano.sh/network-topology-source':'label','rack':'a'}},'spec':{'tier':1,"
		    "'members':[]}}");
	add(&there, "{'metadata':{'name':'hypernode-net-tier1-gone','uid':'v','labels':{"
		    "'volcano.sh/network-topology-source':'label','rack':'z'}},'spec':{'tier':1}}");
	add(&there, "{'metadata':{'name':'mine','uid':'w'},'spec':{'tier':1}}");
	mem_free(second);
	second = found(BY_LABELS, TYPES, &nodes, &there);
	has(second, "patch hypernodes hypernode-net-tier1-old", "one that is there keeps its name");
	has(second, "delete hypernodes hypernode-net-tier1-gone",
	    "one whose label no node has is deleted");
	ok(!strstr(second, "hypernodes mine"), "one that a user has made stays");
	list_done(&nodes);
	empty = found(BY_LABELS, TYPES, &nodes, &there);
	ok(!strstr(empty, "0 delete"), "if nothing is found nothing is deleted");
	has(empty, "'type':'DiscoveryStale','status':'True'", "and they say that they are stale");
	list_done(&there);
}

static void test_label_faults(void)
{
	static const struct {
		const char *about, *config, *want;
	} rows[] = {
		{"one label of two types",
		 "{'networkTopologyTypes':{'a':[{'nodeLabel':'rack'},{'nodeLabel':'h'}],'b':[{"
		 "'nodeLabel':'rack'},{'nodeLabel':'h'}]}}",
		 "config.networkTopologyTypes: the label rack is used by both a and b"},
		{"no types", "{}", "config.networkTopologyTypes: must be an object"},
		{"a type that is no list", "{'networkTopologyTypes':{'a':1}}",
		 "config.networkTopologyTypes.a: must be a list of {nodeLabel}"},
		{"a label that is missing", "{'networkTopologyTypes':{'a':[{}]}}",
		 "config.networkTopologyTypes.a[0].nodeLabel: required"},
		{"a label twice",
		 "{'networkTopologyTypes':{'a':[{'nodeLabel':'r'},{'nodeLabel':'r'},{'nodeLabel':'"
		 "h'}]"
		 "}}",
		 "# networkTopologyTypes.a is skipped: it has the label r twice\n"},
		{"a long name",
		 "{'networkTopologyTypes':{'aaaaaaaaaabbbbbbbbbbc':[{'nodeLabel':'r'}]}}",
		 "# networkTopologyTypes.aaaaaaaaaabbbbbbbbbbc is skipped"},
	};
	struct list nodes = {0}, none = {0};

	add_labelled(&nodes);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *text = found(BY_LABELS, rows[i].config, &nodes, &none);

		has(text, rows[i].want, rows[i].about);
	}
	list_done(&nodes);
	add(&nodes, "{'metadata':{'name':'n1','labels':{'rack':'a','spine':'s'}}}");
	add(&nodes, "{'metadata':{'name':'n2','labels':{'rack':'a','spine':'t'}}}");
	{
		AUTO(mem_free) char *text = found(BY_LABELS, TYPES, &nodes, &none);

		has(text, "name different domains above it",
		    "a rack in two spines is in the first");
	}
	list_done(&nodes);
}

#define PORT(node, leaf) \
	"{'description':'Computer IB Port','system_name':'" node "','peer_node_name':'" leaf "'}"

static void test_ufm(void)
{
	static const char ports[] = "[" PORT("NODE-1.example.com", "leaf-b") "," PORT(
		"node-1.example.com",
		"leaf-a") "," PORT("node-2",
				   "leaf-b") "," PORT("node-3",
						      "leaf-c") ",{"
								"'description':'Switch IB "
								"Port','system_name':'leaf-b','"
								"peer_node_name':'core'}]";
	static const char fewer[] = "[" PORT("node-2", "leaf-b") "," PORT("node-3", "leaf-c") "]";
	struct list nodes = {0}, none = {0}, there = {0};
	AUTO(mem_free) char *first = NULL, *second = NULL, *empty = NULL;

	add(&nodes, "{'metadata':{'name':'node-1'}}");
	add(&nodes, "{'metadata':{'name':'node-2'}}");
	first = found(BY_UFM, ports, &nodes, &none);
	has(first, "'annotations':{'volcano.sh/network-topology-leaves':'leaf-a,leaf-b'}",
	    "leaf switches that share a node are one domain");
	has(first,
	    "'members':[{'selector':{'exactMatch':{'name':'node-1'}},'type':'Node'},{'selector':{"
	    "'exactMatch':{'name':'node-2'}},'type':'Node'}]",
	    "with the names of nodes that Kubernetes has, whatever case and domain UFM knows");
	has(first, "create hypernodes spine-hn", "one domain has all of them");
	add(&there, "{'metadata':{'name':'leaf-kept','uid':'u','labels':{"
		    "'volcano.sh/network-topology-source':'ufm'},'annotations':{"
		    "'volcano.sh/network-topology-leaves':'leaf-a,leaf-b'}},'spec':{'tier':1}}");
	second = found(BY_UFM, fewer, &nodes, &there);
	has(second, "patch hypernodes leaf-kept", "its name stays while one of its switches does");
	empty = found(BY_UFM, "[]", &nodes, &there);
	ok(!strstr(empty, "0 delete") && strstr(empty, "DiscoveryStale"),
	   "an empty answer deletes nothing");
	mem_free(empty);
	empty = found(BY_UFM, "{}", &nodes, &there);
	is(empty, "the answer is not a list of ports");
	list_done(&nodes);
	list_done(&there);
}

static void test_config(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"{}", NULL},
		{"{'networkTopologyDiscovery':[]}", NULL},
		{"{'networkTopologyDiscovery':1}", "networkTopologyDiscovery: must be a list"},
		{"{'networkTopologyDiscovery':[{}]}",
		 "networkTopologyDiscovery[0].source: required"},
		{"{'networkTopologyDiscovery':[{'source':'ufm','interval':'x'}]}",
		 "networkTopologyDiscovery[0].interval: must be a duration of at least 1s, such as "
		 "10m"},
		{"{'networkTopologyDiscovery':[{'source':'ufm'},{'source':'ufm'}]}",
		 "networkTopologyDiscovery[1].source: \"ufm\" is there twice"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = doc_of(rows[i].text);
		struct discovery_config config;
		struct err err;

		err.text[0] = '\0';
		if (discovery_config_read(json_doc_root(doc), &config, &err) == 0)
			discovery_config_done(&config);
		is(err.text, rows[i].want ? rows[i].want : "");
	}
}

/* What is written of the soundness of the first of a list. */
static char *checked(const struct list *all)
{
	AUTO(hypernode_parents_free)
	struct hypernode_parents *tree = hypernode_parents_new(all->at, all->len);
	AUTO(plan_done) struct plan plan;

	plan_init(&plan);
	(void)hypernode_check(all->at[0], tree, 0, &plan);
	return plan_text(&plan);
}

#define HYPER(name, more, member)                                                        \
	"{'metadata':{'name':'" name "','uid':'u'},'spec':{'tier':1,'members':[{'type':" \
	"'HyperNode','selector':{'exactMatch':{'name':'" member "'}}}]}" more "}"

static void test_soundness(void)
{
	struct list all = {0};
	AUTO(mem_free) char *text = NULL;

	add(&all, HYPER("a", "", "x"));
	add(&all, HYPER("b", "", "a"));
	text = checked(&all);
	is(text, "");
	add(&all, HYPER("c", "", "a"));
	mem_free(text);
	text = checked(&all);
	has(text, "!TwoParents: it is a member of both b and c", "two parents are reported");
	list_done(&all);
	add(&all, HYPER("a", "", "b"));
	add(&all, HYPER("b", "", "a"));
	mem_free(text);
	text = checked(&all);
	has(text, "!Cycle: it contains itself", "a cycle is reported");
	list_done(&all);
	add(&all, "{'metadata':{'name':'a','uid':'u'},'spec':{'tier':1},'status':{'conditions':[{"
		  "'type':'Sound','status':'False'}]}}");
	mem_free(text);
	text = checked(&all);
	has(text, "'type':'Sound','status':'True'", "and that it is healed");
	list_done(&all);
}

int main(void)
{
	test_labels();
	test_label_faults();
	test_ufm();
	test_config();
	test_soundness();
	return tap_done();
}
