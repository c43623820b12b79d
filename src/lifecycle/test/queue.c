/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: every row of the table of states, alone and with a parent; then trees that are closed and
 * opened, with a controller that crashes after any write. HyperNodes' counts and jobs' time to live.
 */
#include "lifecycle/hypernode_lifecycle.h"
#include "lifecycle/queue_lifecycle.h"
#include "lifecycle/ttl_lifecycle.h"
#include "model/core/meta.h"
#include "others.h"
#include "world.h"

#include "base/banned.h"

#define BY_PARENT "'annotations':{'volcano.sh/closed-by-parent':'true'},"
#define PATCH_STATE(state) "patch-status queues q {'status':{'state':'" state "'}}\n"
#define PATCH_BY(value)                                                                           \
	"patch queues q {'metadata':{'annotations':{'volcano.sh/closed-by-parent':'" value "'}}}" \
	"\n"
#define CLOSED "CloseQueue: Close queue succeed\n"

static const struct {
	const char *about;
	const char *annotations;
	const char *state;
	const char *parent; /* its state; NULL: not there */
	size_t groups;
	const char *commands; /* actions, with blanks between */
	const char *plan;
} rows[] = {
	{"a new queue is opened", "", "", "Open", 0, "", "0 " PATCH_STATE("Open")},
	{"below a closed one, too", "", "", "Closed", 0, "", "0 " PATCH_STATE("Open")},
	{"an open queue stays", "", "Open", "Open", 0, "", ""},
	{"without a parent that is there, too", "", "Open", NULL, 0, "", ""},
	{"opening an open queue does nothing", "", "Open", "Open", 0, "OpenQueue",
	 "0 delete commands c0\n"},
	{"closing an empty queue", "", "Open", "Open", 0, "CloseQueue",
	 "0 " PATCH_STATE("Closed") CLOSED "1 delete commands c0\n"},
	{"closing one in use", "", "Open", "Open", 2, "CloseQueue",
	 "0 " PATCH_STATE("Closing") CLOSED "1 delete commands c0\n"},
	{"closing a closed queue does nothing", "", "Closed", "Open", 0, "CloseQueue",
	 "0 delete commands c0\n"},
	{"closing a closing queue does nothing", "", "Closing", "Open", 1, "CloseQueue",
	 "0 delete commands c0\n"},
	{"closing an unknown one", "", "Unknown", "Open", 0, "CloseQueue",
	 "0 " PATCH_STATE("Closed") CLOSED "1 delete commands c0\n"},
	{"a closing queue stays while it is in use", "", "Closing", "Open", 1, "", ""},
	{"and is closed when it is not", "", "Closing", "Open", 0, "", "0 " PATCH_STATE("Closed")},
	{"opening a closed queue", "", "Closed", "Open", 0, "OpenQueue",
	 "0 " PATCH_STATE("Open") "1 " PATCH_BY("false") "2 delete commands c0\n"},
	{"opening a closing queue", "", "Closing", "Open", 3, "OpenQueue",
	 "0 " PATCH_STATE("Open") "1 " PATCH_BY("false") "2 delete commands c0\n"},
	{"opening an unknown one", "", "Unknown", "Open", 0, "OpenQueue",
	 "0 " PATCH_STATE("Open") "1 " PATCH_BY("false") "2 delete commands c0\n"},
	{"one below a closed queue waits", "", "Closed", "Closed", 0, "OpenQueue", ""},
	{"one below a closing queue waits", "", "Closed", "Closing", 0, "OpenQueue", ""},
	{"unless something else is wanted by now", "", "Closed", "Closed", 0,
	 "OpenQueue CloseQueue", "0 delete commands c0\n"},
	{"an unknown queue stays", "", "Unknown", "Open", 0, "SyncQueue", "0 delete commands c0\n"},
	{"it is closed with its parent", "", "Unknown", "Closed", 0, "",
	 "0 " PATCH_BY("true") "1 " PATCH_STATE("Closed") CLOSED},
	{"a queue is closed with its parent", "", "Open", "Closed", 0, "",
	 "0 " PATCH_BY("true") "1 " PATCH_STATE("Closed") CLOSED},
	{"and closing while it is in use", "", "Open", "Closing", 1, "",
	 "0 " PATCH_BY("true") "1 " PATCH_STATE("Closing") CLOSED},
	{"and opened with it", BY_PARENT, "Closed", "Open", 0, "",
	 "0 " PATCH_STATE("Open") "1 " PATCH_BY("false")},
	{"also from closing", BY_PARENT, "Closing", "Open", 1, "",
	 "0 " PATCH_STATE("Open") "1 " PATCH_BY("false")},
	{"one that was closed by hand stays closed", "", "Closed", "Open", 0, "", ""},
	{"the mark of a controller that stopped in between is removed", BY_PARENT, "Open", "Open",
	 0, "", "0 " PATCH_BY("false")},
	{"what is no word for queues is thrown away", "", "Open", "Open", 0, "AbortJob",
	 "0 delete commands c0\n"},
};

static void check_row(size_t row)
{
	AUTO(mem_free)
	char *text = mem_printf("{'metadata':{%s'name':'q','uid':'u'},'spec':{'parent':'p'},"
				"'status':{%s%s%s}}",
				rows[row].annotations, *rows[row].state ? "'state':'" : "",
				rows[row].state, *rows[row].state ? "'" : "");
	AUTO(mem_free)
	char *above = mem_printf("{'metadata':{'name':'p'},'status':{'state':'%s'}}",
				 rows[row].parent ? rows[row].parent : "Open");
	AUTO(json_doc_unref) struct json_doc *queue = doc_of(text);
	AUTO(json_doc_unref) struct json_doc *parent = doc_of(above);
	AUTO(json_doc_unref) struct json_doc *list = json_doc_new();
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *got = NULL;
	struct json commands[4];
	struct queue_world world = {json_doc_root(queue), JSON_NONE, commands, 0, rows[row].groups};
	struct str rest = str_from(rows[row].commands);
	struct str action;
	struct err err;

	if (rows[row].parent)
		world.parent = json_doc_root(parent);
	while (rest.len && str_split(&rest, ' ', &action)) {
		struct json command = json_new_obj(list);
		struct json meta = json_ensure_obj(list, command, "metadata");

		json_set_str(list, command, "action", action);
		json_set(list, meta, STR("name"),
			 json_new_printf(list, "c%zu", world.command_count));
		commands[world.command_count++] = command;
	}
	plan_init(&plan);
	ok(queue_step(&world, &plan, &err) == 0, "%s", rows[row].about);
	got = plan_text(&plan);
	tap_is(got, rows[row].plan, __FILE__, __LINE__, rows[row].about);
}

static void test_others(void)
{
	AUTO(json_doc_unref)
	struct json_doc *fresh = doc_of("{'metadata':{'name':'q'},'spec':{}}");
	AUTO(json_doc_unref)
	struct json_doc *root = doc_of("{'metadata':{'name':'root'},'status':{'state':'Open'}}");
	AUTO(json_doc_unref)
	struct json_doc *close = doc_of("{'metadata':{'name':'c'},'action':'CloseQueue'}");
	struct json command = json_doc_root(close);
	static const char *const about[] = {"a queue without a parent gets one",
					    "the root is not closed",
					    "commands for a deleted queue are deleted"};
	struct queue_world world = {.queue = json_doc_root(fresh)};
	struct err err;

	for (int i = 0; i < 3; i++) {
		AUTO(plan_done) struct plan plan;
		AUTO(mem_free) char *got = NULL;

		plan_init(&plan);
		if (i > 0) {
			world.commands = &command;
			world.command_count = 1;
			world.queue = i == 1 ? json_doc_root(root) : JSON_NONE;
		}
		ok(queue_step(&world, &plan, &err) == 0, "it goes on");
		got = plan_text(&plan);
		tap_is(got,
		       i == 0 ? "0 patch queues q {'spec':{'parent':'root'}}\n0 " PATCH_STATE(
					"Open")
			      : "0 delete commands c\n",
		       __FILE__, __LINE__, about[i]);
	}
}

/* --- trees ----------------------------------------------------------------------------------- */

static void put(struct world *world, enum plan_kind_id kind, const char *text)
{
	(void)world_create(world, kind, doc_of(text));
}

static struct str parent_name(struct json queue)
{
	return json_str(json_get(json_get(queue, "spec"), "parent"));
}

/* One look at one queue. True: something was written. */
static bool step_queue(struct world *world, struct world_object *object)
{
	AUTO(json_doc_unref) struct json_doc *kept = json_doc_ref(object->doc);
	struct queue_world input = {.queue = json_doc_root(kept)};
	struct str name = meta_name(input.queue);
	VEC(struct json) commands = {0};
	size_t writes = world->writes;
	AUTO(plan_done) struct plan plan;
	struct err err;

	plan_init(&plan);
	input.parent = world_lookup(world, PLAN_QUEUE, parent_name(input.queue));
	for (size_t i = 0; i < world->objects.len; i++) {
		struct json root = json_doc_root(world->objects.ptr[i].doc);

		if (world->objects.ptr[i].kind == PLAN_COMMAND &&
		    str_eq(json_str(json_get(json_get(root, "target"), "name")), name))
			vec_push(&commands, root);
		input.groups += world->objects.ptr[i].kind == PLAN_PODGROUP &&
				str_eq(json_str(json_get(json_get(root, "spec"), "queue")), name);
	}
	input.commands = commands.ptr;
	input.command_count = commands.len;
	if (queue_step(&input, &plan, &err) == 0)
		world_execute(world, &plan);
	vec_done(&commands);
	return world->writes > writes;
}

static void settle(struct world *world)
{
	bool changed = true;

	for (int turn = 0; changed && turn < 100; turn++) {
		changed = false;
		for (size_t i = 0; i < world->objects.len; i++)
			if (world->objects.ptr[i].kind == PLAN_QUEUE &&
			    step_queue(world, &world->objects.ptr[i]))
				changed = true;
	}
	ok(!changed, "it comes to rest");
}

#define COMMAND(name, action, target) \
	"{'metadata':{'name':'" name "'},'action':'" action "','target':{'name':'" target "'}}"

static char *states_of(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < world->objects.len; i++) {
		struct json root = json_doc_root(world->objects.ptr[i].doc);
		struct json meta = json_get(root, "metadata");

		buf_printf(&text, "%s%s", i ? " " : "", world->objects.ptr[i].key);
		if (world->objects.ptr[i].kind == PLAN_QUEUE)
			buf_printf(&text, "=%.*s%s",
				   STR_ARG(json_str(json_get(json_get(root, "status"), "state"))),
				   str_is(json_str(json_get(json_get(meta, "annotations"),
							    KEY_CLOSED_BY_PARENT)),
					  "true")
					   ? "*"
					   : "");
	}
	return buf_take(&text);
}

/* A tree is closed, a child of it by hand, and opened again. */
static size_t run_tree(size_t crash)
{
	AUTO(world_done) struct world world;
	static const struct {
		const char *command;
		const char *states;
	} steps[] = {
		{NULL, "queues/root=Open queues/p=Open queues/c=Open queues/d=Open queues/e=Open "
		       "podgroups/g"},
		{COMMAND("1", "CloseQueue", "d"),
		 "queues/root=Open queues/p=Open queues/c=Open queues/d=Closed queues/e=Open "
		 "podgroups/g"},
		{COMMAND("2", "CloseQueue", "p"),
		 "queues/root=Open queues/p=Closed queues/c=Closing* queues/d=Closed "
		 "queues/e=Closed* podgroups/g"},
		{COMMAND("3", "OpenQueue", "e"),
		 "queues/root=Open queues/p=Closed queues/c=Closing* queues/d=Closed "
		 "queues/e=Closed* podgroups/g commands/3"},
		{COMMAND("4", "OpenQueue", "p"),
		 "queues/root=Open queues/p=Open queues/c=Open queues/d=Closed queues/e=Open "
		 "podgroups/g"},
	};

	world_init(&world);
	world.crash = crash;
	put(&world, PLAN_QUEUE, "{'metadata':{'name':'root'},'spec':{}}");
	put(&world, PLAN_QUEUE, "{'metadata':{'name':'p'},'spec':{}}");
	put(&world, PLAN_QUEUE, "{'metadata':{'name':'c'},'spec':{'parent':'p'}}");
	put(&world, PLAN_QUEUE, "{'metadata':{'name':'d'},'spec':{'parent':'p'}}");
	put(&world, PLAN_QUEUE, "{'metadata':{'name':'e'},'spec':{'parent':'c'}}");
	put(&world, PLAN_PODGROUP, "{'metadata':{'name':'g'},'spec':{'queue':'c'}}");
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		AUTO(mem_free) char *got = NULL;

		if (steps[i].command)
			put(&world, PLAN_COMMAND, steps[i].command);
		settle(&world);
		got = states_of(&world);
		if (!ok(strcmp(got, steps[i].states) == 0, "step %zu of a tree, dying at %zu", i,
			crash))
			printf("#   got  %s\n#   want %s\n", got, steps[i].states);
	}
	return world.writes;
}

/* --- hyper nodes, time to live --------------------------------------------------------------- */

static void test_hypernodes(void)
{
	static const struct {
		const char *members;
		const char *plan;
	} counts[] = {
		{"{'selector':{'exactMatch':{'name':'elsewhere'}}}", "1"},
		{"{'selector':{'regexMatch':{'pattern':'^n[0-2]$'}}}", "3"},
		{"{'selector':{'labelMatch':{'matchLabels':{'odd':'1'}}}}", "2"},
		{"{'selector':{'labelMatch':{'matchExpressions':[{'key':'odd','operator':'NotIn',"
		 "'values':['1']}]}}}",
		 "2"},
		{"{'selector':{'labelMatch':{}}}", NULL},
		{"{'selector':{'regexMatch':{'pattern':'n[01]'}}},{'selector':{'exactMatch':{'name'"
		 ":"
		 "'n1'}}},{'selector':{'exactMatch':{'name':'n3'}}}",
		 "3"},
	};
	AUTO(json_doc_unref)
	struct json_doc *list =
		doc_of("[{'metadata':{'name':'n0','labels':{'odd':'0'}}},{'metadata':{'name':'n1',"
		       "'labels':{'odd':'1'}}},{'metadata':{'name':'n2'}},{'metadata':{'name':'n3',"
		       "'labels':{'odd':'1'}}}]");
	struct json nodes[4];
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		nodes[i] = json_at(json_doc_root(list), i);
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		AUTO(mem_free)
		char *text = mem_printf("{'metadata':{'name':'h'},'spec':{'members':[%s]}}",
					counts[i].members);
		AUTO(mem_free)
		char *want = counts[i].plan ? mem_printf("0 patch-status hypernodes h "
							 "{'status':{'nodeCount':%s}}\n",
							 counts[i].plan)
					    : mem_strdup("");
		AUTO(json_doc_unref) struct json_doc *doc = doc_of(text);
		AUTO(plan_done) struct plan plan;
		AUTO(mem_free) char *got = NULL;

		plan_init(&plan);
		ok(hypernode_step(json_doc_root(doc), nodes, ARRAY_LEN(nodes), &plan, &err) == 0,
		   "members can be counted");
		got = plan_text(&plan);
		tap_is(got, want, __FILE__, __LINE__, counts[i].members);
	}
}

static void test_ttl(void)
{
	static const struct {
		const char *about, *ttl, *phase;
		int64_t later; /* seconds after the end */
		const char *plan;
		int64_t view; /* seconds after the end */
	} times[] = {
		{"no time, no end", "", "Completed", 1000000, "", 0},
		{"its time is not over", "'ttlSecondsAfterFinished':60", "Completed", 59, "", 60},
		{"its time is over", "'ttlSecondsAfterFinished':60", "Completed", 60,
		 "0 delete jobs j\n", 0},
		{"failed ones go", "'ttlSecondsAfterFinished':0", "Failed", 0, "0 delete jobs j\n",
		 0},
		{"terminated ones go", "'ttlSecondsAfterFinished':0", "Terminated", 0,
		 "0 delete jobs j\n", 0},
		{"aborted ones stay", "'ttlSecondsAfterFinished':0", "Aborted", 100, "", 0},
		{"running ones stay", "'ttlSecondsAfterFinished':0", "Running", 100, "", 0},
	};
	int64_t end = 1767323045 * TIME_SECOND;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		AUTO(mem_free)
		char *text = mem_printf("{'metadata':{'name':'j','namespace':'n','uid':'u'},'spec':"
					"{%s},'status':{'state':{'phase':'%s','lastTransitionTime':"
					"'2026-01-02T03:04:05Z'}}}",
					times[i].ttl, times[i].phase);
		AUTO(json_doc_unref) struct json_doc *doc = doc_of(text);
		AUTO(plan_done) struct plan plan;
		AUTO(mem_free) char *got = NULL;

		plan_init(&plan);
		ok(ttl_step(json_doc_root(doc), end + times[i].later * TIME_SECOND, &plan, &err) ==
				   0 &&
			   plan.next_at == (times[i].view ? end + times[i].view * TIME_SECOND : 0),
		   "%s: looked at in time", times[i].about);
		got = plan_text(&plan);
		tap_is(got, times[i].plan, __FILE__, __LINE__, times[i].about);
		if (plan.writes.len)
			ok(plan.writes.ptr[0].propagation == PLAN_FOREGROUND &&
				   str_is(plan.writes.ptr[0].uid, "u"),
			   "what it owns goes first, and only this one");
	}
}

int main(void)
{
	size_t writes;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(i);
	test_others();
	writes = run_tree(0);
	for (size_t i = 1; i <= writes; i++)
		(void)run_tree(i);
	test_hypernodes();
	test_ttl();
	return tap_done();
}
