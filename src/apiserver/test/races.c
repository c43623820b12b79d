/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that read other objects, and requests that arrive together: no two may pass a check that they
 * could not pass one after the other.
 *
 * Each property sends a burst of requests in a drawn order, some of them in the same turn of the loop
 * and others a few turns apart, so that they meet in every state of a write: staged, in the commit that
 * runs, visible. Then it reads the state and looks for what must never be. In bodies ' stands for ". */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "apiserver/crd/install.h"
#include "apiserver/test/quotes.h"
#include "random.h"

#define TO_INT(text) ((int)strtol(text, NULL, 10))

enum { ROUNDS = 12, BURST_MAX = 64 };

#define NS "/api/v1/namespaces"
#define QUEUES "/apis/scheduling.volcano.sh/v1beta1/queues"
#define JOBS "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs"
#define CLASSES "/apis/scheduling.k8s.io/v1/priorityclasses"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define TASKS \
	"'tasks':[{'replicas':1,'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}}]"

/* --- bursts --- */

struct request {
	char *method, *path, *body;
	struct answer answer;
};

struct burst {
	struct world *w;
	uint64_t seed;
	int round;
	struct request requests[BURST_MAX];
	size_t len;
};

static uint64_t draw(struct burst *burst, uint64_t below)
{
	return random_below(&burst->seed, below);
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	return text;
}

/* Takes the texts. */
static void add(struct burst *burst, const char *method, char *path, char *body)
{
	assert(burst->len < BURST_MAX);
	burst->requests[burst->len++] =
		(struct request){.method = mem_strdup(method), .path = path, .body = body};
}

static void shuffle(struct burst *burst)
{
	for (size_t i = burst->len; i > 1; i--) {
		size_t other = (size_t)draw(burst, i);
		struct request kept = burst->requests[i - 1];

		burst->requests[i - 1] = burst->requests[other];
		burst->requests[other] = kept;
	}
}

static bool all_answered(const struct burst *burst)
{
	for (size_t i = 0; i < burst->len; i++)
		if (!burst->requests[i].answer.done)
			return false;
	return true;
}

static void send_one(struct burst *burst, struct request *r)
{
	struct call *call = world_question(burst->w, r->method, r->path, r->body, &r->answer);

	if (call->kind) {
		api_serve(call);
		return;
	}
	r->answer = (struct answer){.done = true, .code = 404}; /* as front.c does */
	call_free(call);
}

/* Send them all; gives how many were answered with `code`. */
static size_t send_all(struct burst *burst, int code)
{
	size_t count = 0;

	shuffle(burst);
	for (size_t i = 0; i < burst->len; i++) {
		struct request *r = &burst->requests[i];

		send_one(burst, r);
		for (uint64_t turns = burst->round % 3 == 0 ? 0 : draw(burst, 3); turns > 0;
		     turns--)
			loop_turn(burst->w->loop, 0);
	}
	while (!all_answered(burst))
		loop_turn(burst->w->loop, -1);
	world_settle(burst->w);
	for (size_t i = 0; i < burst->len; i++)
		count += burst->requests[i].answer.code == code;
	return count;
}

static void clear(struct burst *burst)
{
	for (size_t i = 0; i < burst->len; i++) {
		mem_free(burst->requests[i].method);
		mem_free(burst->requests[i].path);
		mem_free(burst->requests[i].body);
		answer_done(&burst->requests[i].answer);
	}
	burst->len = 0;
}

/* One request by itself, with everything that it sets off. Takes the texts. */
static struct json_doc *one(struct burst *burst, const char *method, char *path, char *body)
{
	struct answer answer = ask(burst->w, method, path, body);

	world_settle(burst->w);
	mem_free(path);
	mem_free(body);
	return answer.doc;
}

static void do_one(struct burst *burst, const char *method, char *path, char *body)
{
	json_doc_unref(one(burst, method, path, body));
}

/* --- reading back --- */

typedef void each_fn(void *arg, struct json object);

static void each(struct burst *burst, const char *prefix, each_fn *fn, void *arg)
{
	struct store_walk walk = store_walk(burst->w->store, str_from(prefix), str_none());
	struct object *object;
	struct err err;

	while ((object = store_walk_next(&walk))) {
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(object->text, NULL, &err);

		fn(arg, json_doc_root(doc));
	}
}

static struct json at(struct json object, const char *pointer)
{
	return json_pointer_get(object, str_from(pointer));
}

/* --- queues --- */

#define GUARANTEED "'deserved':{'cpu':'%d'},'guarantee':{'resource':{'cpu':'%d'}}"

struct below {
	char parent[16];
	int64_t cpus;
	int count;
};

static void add_below(void *arg, struct json queue)
{
	struct below *below = arg;
	struct str cpus = json_str(at(queue, "/spec/guarantee/resource/cpu"));

	if (!str_is(json_str(at(queue, "/spec/parent")), below->parent))
		return;
	below->count++;
	below->cpus += cpus.len ? TO_INT(cpus.ptr) : 0;
}

static struct below look_below(struct burst *burst, const char *kind)
{
	struct below below = {0};

	snprintf(below.parent, sizeof(below.parent), "%s%d", kind, burst->round);
	each(burst, "scheduling.volcano.sh/queues/", add_below, &below);
	return below;
}

/* The reproduction of the issue: of 24 children of 8 under a parent of 10, one fits. */
static bool guarantees_fit(struct burst *burst)
{
	int round = burst->round;

	do_one(burst, "POST", mem_strdup(QUEUES),
	       text_of("{'metadata':{'name':'g%d'},'spec':{" GUARANTEED "}}", round, 10, 10));
	for (int i = 0; i < 24; i++)
		add(burst, "POST", mem_strdup(QUEUES),
		    text_of("{'metadata':{'name':'g%d-%d'},'spec':{'parent':'g%d'," GUARANTEED "}}",
			    round, i, round, 8, 8));
	return send_all(burst, 201) == 1 && look_below(burst, "g").count == 1;
}

/* Children grow while their parent shrinks and others come. */
static bool guarantees_stay_within(struct burst *burst)
{
	AUTO(json_doc_unref) struct json_doc *parent = NULL;
	int round = burst->round;

	do_one(burst, "POST", mem_strdup(QUEUES),
	       text_of("{'metadata':{'name':'s%d'},'spec':{" GUARANTEED "}}", round, 20, 20));
	for (int i = 0; i < 4; i++)
		do_one(burst, "POST", mem_strdup(QUEUES),
		       text_of("{'metadata':{'name':'s%d-%d'},'spec':{'parent':'s%d'," GUARANTEED
			       "}}",
			       round, i, round, 1, 1));
	for (int i = 0; i < 12; i++) {
		int size = 1 + (int)draw(burst, 10);

		add(burst, "PATCH merge", text_of(QUEUES "/s%d-%d", round, i % 4),
		    text_of("{'spec':{" GUARANTEED "}}", size, size));
		add(burst, "POST", mem_strdup(QUEUES),
		    text_of("{'metadata':{'name':'s%d-%d'},'spec':{'parent':'s%d'," GUARANTEED "}}",
			    round, 4 + i, round, size, size));
		add(burst, "PATCH merge", text_of(QUEUES "/s%d", round),
		    text_of("{'spec':{" GUARANTEED "}}", 4 + size, 4 + size));
		add(burst, "DELETE", text_of(QUEUES "/s%d-%d", round, i), NULL);
	}
	(void)send_all(burst, 200);
	parent = one(burst, "GET", text_of(QUEUES "/s%d", round), NULL);
	return look_below(burst, "s").cpus <=
	       TO_INT(json_str(at(json_doc_root(parent), "/spec/guarantee/resource/cpu")).ptr);
}

/* A parent that goes while children come: a child has a parent. */
static bool parents_stay(struct burst *burst)
{
	AUTO(json_doc_unref) struct json_doc *parent = NULL;
	int round = burst->round;

	do_one(burst, "POST", mem_strdup(QUEUES),
	       text_of("{'metadata':{'name':'p%d'},'spec':{}}", round));
	for (int i = 0; i < 4; i++)
		add(burst, "POST", mem_strdup(QUEUES),
		    text_of("{'metadata':{'name':'p%d-%d'},'spec':{'parent':'p%d'}}", round, i,
			    round));
	add(burst, "DELETE", text_of(QUEUES "/p%d", round), NULL);
	(void)send_all(burst, 201);
	parent = one(burst, "GET", text_of(QUEUES "/p%d", round), NULL);
	return (look_below(burst, "p").count > 0) ==
	       str_is(json_str(at(json_doc_root(parent), "/kind")), "Queue");
}

/* Two queues that want to be below each other. */
static bool trees_have_no_rings(struct burst *burst)
{
	int round = burst->round;
	size_t moved;

	for (int i = 0; i < 2; i++)
		do_one(burst, "POST", mem_strdup(QUEUES),
		       text_of("{'metadata':{'name':'%c%d'},'spec':{}}", "xy"[i], round));
	for (int i = 0; i < 2; i++)
		add(burst, "PATCH merge", text_of(QUEUES "/%c%d", "xy"[i], round),
		    text_of("{'spec':{'parent':'%c%d'}}", "yx"[i], round));
	moved = send_all(burst, 200);
	return moved == 1 && look_below(burst, "x").count + look_below(burst, "y").count == 1;
}

static int64_t revision_of(const struct request *request)
{
	struct str text =
		json_str(at(json_doc_root(request->answer.doc), "/metadata/resourceVersion"));

	return text.len ? strtoll(text.ptr, NULL, 10) : 0;
}

/* Jobs are accepted before their queue gets children, or is closed, and not after, by revisions. */
static bool jobs_come_first(struct burst *burst, const char *end)
{
	int64_t ended = 0, last = 0;

	(void)send_all(burst, 201);
	for (size_t i = 0; i < burst->len; i++) {
		const struct request *r = &burst->requests[i];
		bool job = strcmp(r->path, JOBS) == 0;

		if (!job && strcmp(r->method, end) == 0 && r->answer.code < 300)
			ended = revision_of(r);
		if (job && r->answer.code == 201 && revision_of(r) > last)
			last = revision_of(r);
	}
	return ended && last < ended;
}

static void add_jobs(struct burst *burst, const char *kind)
{
	int round = burst->round;

	do_one(burst, "POST", mem_strdup(QUEUES),
	       text_of("{'metadata':{'name':'%s%d'},'spec':{}}", kind, round));
	do_one(burst, "PATCH merge", text_of(QUEUES "/%s%d/status", kind, round),
	       text_of("{'status':{'state':'Open'}}"));
	for (int i = 0; i < 8; i++)
		add(burst, "POST", mem_strdup(JOBS),
		    text_of("{'metadata':{'name':'%s%d-%d'},'spec':{'queue':'%s%d'," TASKS "}}",
			    kind, round, i, kind, round));
}

static bool leaves_have_jobs(struct burst *burst)
{
	add_jobs(burst, "l");
	add(burst, "POST", mem_strdup(QUEUES),
	    text_of("{'metadata':{'name':'l%d-c'},'spec':{'parent':'l%d'}}", burst->round,
		    burst->round));
	return jobs_come_first(burst, "POST");
}

static bool open_queues_have_jobs(struct burst *burst)
{
	add_jobs(burst, "o");
	add(burst, "PATCH merge", text_of(QUEUES "/o%d/status", burst->round),
	    text_of("{'status':{'state':'Closed'}}"));
	return jobs_come_first(burst, "PATCH merge");
}

/* --- classes, services --- */

static void count_default(void *arg, struct json class)
{
	*(int *)arg += json_bool(at(class, "/globalDefault"));
}

static bool one_class_is_default(struct burst *burst)
{
	int defaults = 0;

	for (int i = 0; i < 8; i++)
		add(burst, "POST", mem_strdup(CLASSES),
		    text_of("{'metadata':{'name':'c%d-%d'},'value':%d,'globalDefault':true}",
			    burst->round, i, i));
	if (burst->round)
		add(burst, "DELETE", text_of(CLASSES "/c%d-0", burst->round - 1), NULL);
	(void)send_all(burst, 201);
	each(burst, "scheduling.k8s.io/priorityclasses/", count_default, &defaults);
	return defaults == 1;
}

struct ports {
	char seen[1 << 16];
	int twice;
};

static void see_ports(void *arg, struct json service)
{
	struct ports *ports = arg;
	struct str address = json_str(at(service, "/spec/clusterIP"));
	ptrdiff_t dot = str_rfind_byte(address, '.');

	for (struct json_iter it = json_iter(at(service, "/spec/ports")); json_next(&it);) {
		int64_t port = json_int(json_get(it.value, "nodePort"));

		if (port)
			ports->twice += ports->seen[port]++ > 0;
	}
	/* those that ask for an address ask for one below 10.96.0.16 */
	if (dot > 0 && str_starts(address, STR("10.96.0.")) && TO_INT(address.ptr + dot + 1) < 16)
		ports->twice += ports->seen[TO_INT(address.ptr + dot + 1)]++ > 0;
}

static bool ports_are_had_once(struct burst *burst)
{
	AUTO(mem_free) struct ports *ports = mem_new(struct ports);
	int round = burst->round;

	for (int i = 0; i < 12; i++) {
		uint64_t port = 30000 + draw(burst, 6);

		add(burst, "POST", mem_strdup(NS "/a/services"),
		    text_of("{'metadata':{'name':'s%d-%d'},'spec':{'type':'NodePort','ports':["
			    "{'port':80,'nodePort':%d}]}}",
			    round, i, (int)port));
		add(burst, "POST", mem_strdup(NS "/a/services"),
		    text_of("{'metadata':{'name':'t%d-%d'},'spec':{'clusterIP':'10.96.0.%d',"
			    "'ports':[{'port':80}]}}",
			    round, i, 10 + i % 4));
		add(burst, "DELETE", text_of(NS "/a/services/s%d-%d", round - 1, i), NULL);
		add(burst, "PATCH merge", text_of(NS "/a/services/s%d-%d", round, i),
		    text_of("{'spec':{'ports':[{'port':80,'nodePort':%d}]}}",
			    (int)(30000 + draw(burst, 6))));
	}
	(void)send_all(burst, 201);
	each(burst, "/services/", see_ports, ports);
	return ports->twice == 0;
}

/* --- quotas, budgets, bindings --- */

static void count_object(void *arg, struct json object)
{
	(void)object;
	++*(int *)arg;
}

static bool quotas_hold(struct burst *burst)
{
	AUTO(mem_free) char *prefix = mem_printf("/configmaps/q%d/", burst->round);
	AUTO(json_doc_unref) struct json_doc *quota = NULL;
	char used[16];
	int count = 0;

	do_one(burst, "POST", mem_strdup(NS), text_of("{'metadata':{'name':'q%d'}}", burst->round));
	do_one(burst, "POST", text_of(NS "/q%d/resourcequotas", burst->round),
	       text_of("{'metadata':{'name':'q'},'spec':{'hard':{'count/configmaps':'6'}}}"));
	for (int i = 0; i < 16; i++) {
		add(burst, "POST", text_of(NS "/q%d/configmaps", burst->round),
		    text_of("{'metadata':{'name':'c%d'}}", (int)draw(burst, 12)));
		add(burst, "DELETE", text_of(NS "/q%d/configmaps/c%d", burst->round, i), NULL);
	}
	(void)send_all(burst, 201);
	each(burst, prefix, count_object, &count);
	quota = one(burst, "GET", text_of(NS "/q%d/resourcequotas/q", burst->round), NULL);
	snprintf(used, sizeof(used), "%d", count);
	return count <= 6 &&
	       str_is(json_str(at(json_doc_root(quota), "/status/used/count~1configmaps")), used);
}

static void count_healthy(void *arg, struct json pod)
{
	*(int *)arg += json_is_absent(at(pod, "/metadata/deletionTimestamp"));
}

static bool budgets_hold(struct burst *burst)
{
	AUTO(mem_free) char *prefix = mem_printf("/pods/b%d/", burst->round);
	int round = burst->round;
	int healthy = 0;

	do_one(burst, "POST", mem_strdup(NS), text_of("{'metadata':{'name':'b%d'}}", round));
	do_one(burst, "POST", text_of("/apis/policy/v1/namespaces/b%d/poddisruptionbudgets", round),
	       text_of("{'metadata':{'name':'b'},'spec':{'minAvailable':4,'selector':{"
		       "'matchLabels':{'app':'w'}}}}"));
	for (int i = 0; i < 8; i++) {
		do_one(burst, "POST", text_of(NS "/b%d/pods", round),
		       text_of("{'metadata':{'name':'p%d','labels':{'app':'w'}},'spec':{'nodeName':"
			       "'n','containers':[{'name':'c','image':'i'}]}}",
			       i));
		do_one(burst, "PATCH merge", text_of(NS "/b%d/pods/p%d/status", round, i),
		       text_of("{'status':{'phase':'Running','conditions':[{'type':'Ready',"
			       "'status':'True'}]}}"));
	}
	for (int i = 0; i < 16; i++)
		add(burst, "POST", text_of(NS "/b%d/pods/p%d/eviction", round, i % 8),
		    text_of("{'metadata':{'name':'p%d'}}", i % 8));
	(void)send_all(burst, 201);
	each(burst, prefix, count_healthy, &healthy);
	return healthy == 4;
}

static bool pods_are_bound_once(struct burst *burst)
{
	do_one(burst, "POST", mem_strdup(NS "/a/pods"),
	       text_of("{'metadata':{'name':'p%d'},'spec':{'containers':[{'name':'c','image':'i'}]"
		       "}}",
		       burst->round));
	for (int i = 0; i < 6; i++)
		add(burst, "POST", text_of(NS "/a/pods/p%d/binding", burst->round),
		    text_of("{'metadata':{'name':'p%d'},'target':{'kind':'Node','name':'n%d'}}",
			    burst->round, i));
	return send_all(burst, 201) == 1;
}

/* --- namespaces, definitions --- */

static bool namespaces_are_emptied(struct burst *burst)
{
	AUTO(mem_free) char *prefix = mem_printf("/configmaps/n%d/", burst->round);
	AUTO(json_doc_unref) struct json_doc *space = NULL;
	int count = 0;

	do_one(burst, "POST", mem_strdup(NS), text_of("{'metadata':{'name':'n%d'}}", burst->round));
	for (int i = 0; i < 12; i++)
		add(burst, "POST", text_of(NS "/n%d/configmaps", burst->round),
		    text_of("{'metadata':{'name':'c%d'}}", i));
	add(burst, "DELETE", text_of(NS "/n%d", burst->round), NULL);
	(void)send_all(burst, 201);
	world_wait(burst->w, 60 * INT64_C(1000000));
	space = one(burst, "GET", text_of(NS "/n%d", burst->round), NULL);
	each(burst, prefix, count_object, &count);
	return count == 0 && json_int(at(json_doc_root(space), "/code")) == 404;
}

static char *definition_text(int round, int number, const char *kind)
{
	return text_of(
		"{'metadata':{'name':'r%ds.g%d.example.com'},'spec':{'group':'g%d.example.com',"
		"'scope':'Namespaced','names':{'plural':'r%ds','kind':'%s'},'versions':[{"
		"'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':"
		"'object','x-kubernetes-preserve-unknown-fields':true}}}]}}",
		number, round, round, number, kind);
}

struct accepted {
	char group[32];
	int count;
};

static void count_accepted(void *arg, struct json crd)
{
	struct accepted *accepted = arg;

	accepted->count += str_is(json_str(at(crd, "/spec/group")), accepted->group) &&
			   str_is(json_str(at(crd, "/status/acceptedNames/kind")), "Same");
}

static bool names_are_accepted_once(struct burst *burst)
{
	struct accepted accepted = {0};

	for (int i = 0; i < 6; i++)
		add(burst, "POST", mem_strdup(CRDS), definition_text(burst->round, i, "Same"));
	snprintf(accepted.group, sizeof(accepted.group), "g%d.example.com", burst->round);
	(void)send_all(burst, 201);
	each(burst, "apiextensions.k8s.io/customresourcedefinitions/", count_accepted, &accepted);
	return accepted.count == 1;
}

/* A definition that goes while objects come leaves none of them. */
static bool definitions_leave_nothing(struct burst *burst)
{
	int round = 100 + burst->round;
	AUTO(mem_free) char *prefix = mem_printf("g%d.example.com/r0s/", round);
	int count = 0;

	do_one(burst, "POST", mem_strdup(CRDS), definition_text(round, 0, "Kind"));
	for (int i = 0; i < 12; i++)
		add(burst, "POST", text_of("/apis/g%d.example.com/v1/namespaces/a/r0s", round),
		    text_of("{'metadata':{'name':'o%d'}}", i));
	add(burst, "DELETE", text_of(CRDS "/r0s.g%d.example.com", round), NULL);
	(void)send_all(burst, 201);
	each(burst, prefix, count_object, &count);
	return count == 0;
}

/* --- the table --- */

static const struct {
	bool (*holds)(struct burst *burst);
	const char *what;
} properties[] = {
	{guarantees_fit, "of 24 children of 8 under a parent of 10 one is admitted"},
	{guarantees_stay_within, "the guarantees of children stay within their parent's"},
	{parents_stay, "a queue with children is not removed, one that is removed gets none"},
	{trees_have_no_rings, "of two queues that move below each other one does"},
	{leaves_have_jobs, "no job is accepted after its queue has got a child"},
	{open_queues_have_jobs, "no job is accepted after its queue was closed"},
	{one_class_is_default, "one priority class is the default"},
	{ports_are_had_once, "node ports and addresses are given once"},
	{quotas_hold, "a quota is not exceeded, and its status is right"},
	{budgets_hold, "evictions leave what a budget wants"},
	{pods_are_bound_once, "a pod is bound once"},
	{namespaces_are_emptied, "nothing is left in a deleted namespace"},
	{names_are_accepted_once, "one definition of a group has a name"},
	{definitions_leave_nothing, "nothing is left of a deleted definition"},
};

int main(void)
{
	struct world w = world_new();
	struct burst *burst = mem_new(struct burst);
	uint64_t seed = 20260101;
	struct err err;

	ok(install_definitions(w.api, &err) == 0, "Volcano's kinds are there");
	burst->w = &w;
	do_one(burst, "POST", mem_strdup(NS), text_of("{'metadata':{'name':'a'}}"));
	printf("# seed %" PRIu64 "\n", seed);
	for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
		int held = 0;

		burst->seed = seed + i;
		for (burst->round = 0; burst->round < ROUNDS; burst->round++) {
			held += properties[i].holds(burst);
			clear(burst);
		}
		ok(held == ROUNDS, "%s (%d of %d bursts)", properties[i].what, held, ROUNDS);
	}
	mem_free(burst);
	world_free(&w);
	return tap_done();
}
