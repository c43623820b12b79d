/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of queues, and who holds what: golden texts. */
#include "base/arena.h"
#include "cli/amounts.h"
#include "cli/queue_bars.h"
#include "cli/toplist.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

#define NODE(name, cpu)                                                        \
	"{'metadata':{'name':'" name "'},'status':{'allocatable':{'cpu':'" cpu \
	"','memory':'64Gi','pods':'110','nvidia.com/gpu':'4'}}}"
#define QUEUE(name, spec, status) \
	"{'metadata':{'name':'" name "'},'spec':{" spec "},'status':{" status "}}"

static void test_amounts(void)
{
	static const struct {
		const char *list, *name, *want;
	} cases[] = {
		{"{'memory':'100Mi'}", "memory", "100Mi"},
		{"{'memory':'1Gi'}", "memory", "1024Mi"},
		{"{'memory':'64Gi'}", "memory", "64Gi"},
		{"{'memory':'9000'}", "memory", "9000"},
		{"{'memory':1.5}", "memory", "1.5"},
		{"{'cpu':'1500m'}", "cpu", "1.5"},
		{"{'cpu':'100'}", "memory", "0"},
		{"{'cpu':'what'}", "cpu", "0"},
		{"{'nvidia.com/gpu':8}", "nvidia.com/gpu", "8"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json_doc_unref) struct json_doc *list = quoted_doc(cases[i].list);
		AUTO(amounts_done) struct amounts amounts = {0};
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		amounts_add_list(&amounts, json_doc_root(list));
		amounts_put(&amounts, str_from(cases[i].name), &text);
		is(buf_text(&text), cases[i].want);
	}
}

#define ROOT QUEUE("root", "'weight':1", "'state':'Open'")
#define DEFAULT                                        \
	QUEUE("default", "'weight':1,'parent':'root'", \
	      "'state':'Open','allocated':{'cpu':'8','memory':'1Gi'}")
#define RESEARCH                                                                  \
	QUEUE("research", "'weight':3,'parent':'root','capability':{'cpu':'32'}", \
	      "'state':'Closed'")
#define VISION                                                    \
	QUEUE("vision",                                           \
	      "'weight':1,'parent':'research','deserved':{'cpu':" \
	      "'16'},'guarantee':{'resource':{'cpu':'4'}}",       \
	      "'state':'Open','allocated':{'cpu':'24','nvidia.com/gpu':'2'}")
#define RING(name, parent) QUEUE(name, "'weight':1,'parent':'" parent "'", "'state':'Open'")

static const char tree_queues[] = "[" ROOT "," DEFAULT "," RESEARCH "," VISION
				  "," RING("a-ring", "b-ring") "," RING("b-ring", "a-ring") "]";

static const char tree_text[] =
	"b-ring        cpu             [............|...........]  0 of 64, share 32  weight 1\n"
	"              memory          [............|...........]  0 of 128Gi, share 64Gi\n"
	"              nvidia.com/gpu  [............|...........]  0 of 8, share 4\n"
	"`- a-ring     cpu             [............|...........]  0 of 64, share 32  weight 1\n"
	"              memory          [............|...........]  0 of 128Gi, share 64Gi\n"
	"              nvidia.com/gpu  [............|...........]  0 of 8, share 4\n"
	"root          cpu             [############|...........]  32 of 64, share 32  weight "
	"1\n"
	"              memory          [#...........|...........]  1024Mi of 128Gi, share 64Gi\n"
	"              nvidia.com/gpu  [######......|...........]  2 of 8, share 4\n"
	"|- default    cpu             [###|....................]  8 of 64, share 8  weight 1\n"
	"|             memory          [#..|....................]  1024Mi of 128Gi, share 16Gi\n"
	"|             nvidia.com/gpu  [...|....................]  0 of 8, share 1\n"
	"`- research   cpu             [##################|.....]  24 of 32, share 24  weight 3 "
	" Closed\n"
	"              memory          [.........|..............]  0 of 128Gi, share 48Gi\n"
	"              nvidia.com/gpu  [######...|..............]  2 of 8, share 3\n"
	"   `- vision  cpu             [############|#####......]  24 of 32, deserves 16, "
	"guaranteed 4  weight 1\n"
	"              memory          [.........|..............]  0 of 128Gi, share 48Gi\n"
	"              nvidia.com/gpu  [######...|..............]  2 of 8, share 3\n";

static void test_tree(struct arena *arena)
{
	AUTO(json_doc_unref)
	struct json_doc *nodes = quoted_doc("[" NODE("n0", "32") "," NODE("n1", "32") "]");
	AUTO(json_doc_unref)
	struct json_doc *queues = quoted_doc(tree_queues);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct queue_tree_facts facts = {.queues = json_doc_root(queues),
					       .nodes = json_doc_root(nodes),
					       .bold = "",
					       .faint = "",
					       .good = "",
					       .busy = "",
					       .bad = "",
					       .plain = ""};

	queue_tree_print(&facts, arena, &text);
	is(buf_text(&text), tree_text);
}

static void test_top(struct arena *arena)
{
	AUTO(json_doc_unref)
	struct json_doc *nodes = quoted_doc("[" NODE("n0", "32") "," NODE("n1", "16") "]");
	AUTO(json_doc_unref)
	struct json_doc *queues = quoted_doc("[" QUEUE("default", "", "'state':'Open'") "," QUEUE(
		"q", "", "'state':'Closed'") "]");
	AUTO(json_doc_unref)
	struct json_doc *pods = quoted_doc(
		"[{'metadata':{'namespace':'d','name':'p','labels':{'volcano.sh/job-name':'j'},"
		"'annotations':{'scheduling.k8s.io/group-name':'j-1'}},'spec':{'nodeName':'n1',"
		"'containers':[{'resources':{'requests':{'cpu':'12','memory':'2Gi'}}}]},"
		"'status':{'phase':'Running'}},"
		"{'metadata':{'namespace':'d','name':'over','labels':{'volcano.sh/job-name':'j'}},"
		"'spec':{'nodeName':'n1','containers':[{'resources':{'requests':{'cpu':'4'}}}]},"
		"'status':{'phase':'Succeeded'}}]");
	AUTO(json_doc_unref)
	struct json_doc *groups =
		quoted_doc("[{'metadata':{'namespace':'d','name':'j-1'},'spec':{'queue':'q'}}]");
	AUTO(json_doc_unref)
	struct json_doc *jobs =
		quoted_doc("[{'metadata':{'namespace':'d','name':'i'}},{'metadata':{'namespace':"
			   "'d','name':'j'},'status':{'state':{'phase':'Running'}}}]");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct top_facts facts = {.nodes = json_doc_root(nodes),
					.pods = json_doc_root(pods),
					.queues = json_doc_root(queues),
					.groups = json_doc_root(groups),
					.jobs = json_doc_root(jobs),
					.bold = "",
					.good = "",
					.busy = "",
					.bad = "",
					.plain = "",
					.most = 1};

	top_nodes(&facts, arena, &text);
	top_queues(&facts, arena, &text);
	top_jobs(&facts, arena, &text);
	is(buf_text(&text), "Node                         State         Pods  cpu                  "
			    "        memory                       nvidia.com/gpu\n"
			    "n1                           Unknown          1  [#########...] 12/16 "
			    "        [#...........] 2048Mi/64Gi   [............] 0/4\n"
			    "... and 1 more\n"
			    "Queue                        State         Pods  cpu                  "
			    "        memory                       nvidia.com/gpu\n"
			    "q                            Closed           1  [###.........] 12    "
			    "        [#...........] 2048Mi        [............] 0\n"
			    "... and 1 more\n"
			    "Job                          Phase         Pods  cpu                  "
			    "        memory                       nvidia.com/gpu\n"
			    "d/j                          Running          1  [###.........] 12    "
			    "        [#...........] 2048Mi        [............] 0\n"
			    "... and 1 more\n");
}

static void test_long_names(struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *nodes = quoted_doc("[" NODE("n0", "32") "]");
	AUTO(json_doc_unref)
	struct json_doc *queues = quoted_doc(
		"[" QUEUE("a-department-with-a-name-that-is-long", "", "'state':'Open'") "]");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct top_facts facts = {.nodes = json_doc_root(nodes),
					.queues = json_doc_root(queues),
					.bold = "",
					.good = "",
					.busy = "",
					.bad = "",
					.plain = "",
					.most = 10};
	struct str rest;
	struct str head;

	top_queues(&facts, arena, &text);
	rest = buf_str(&text);
	ok(str_split(&rest, '\n', &head) &&
		   str_find(head, STR("State"), 0) == str_find(rest, STR("Open"), 0),
	   "columns stand below each other whatever the names");
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	test_amounts();
	test_tree(arena);
	test_top(arena);
	test_long_names(arena);
	return tap_done();
}
