/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of Volcano's kinds at the start: installed once, brought up to date while they are
 * ours, and left alone if they are not. */
#include "apiserver/crd/install.h"

#include "apiserver/test/quotes.h"
#include "model/volcano/vckinds.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define QUEUES CRDS "/queues.scheduling.volcano.sh"

static void install(struct world *w)
{
	struct err err = {0};

	world_restart(w);
	if (!ok(install_definitions(w->api, &err) == 0, "the start succeeds"))
		printf("#   %s\n", err.text);
}

static void test_first_start(struct world *w)
{
	static const struct step steps[] = {
		{"POST", "/apis/scheduling.volcano.sh/v1beta1/queues",
		 "{'metadata':{'name':'q'},'spec':{}}", 201, "/spec",
		 "{'dequeueStrategy':'traverse','weight':1,'reclaimable':true}"},
		{"POST", "/apis/scheduling.volcano.sh/v1beta1/queues",
		 "{'metadata':{'name':'r'},'spec':{'weight':-1}}", 422, "/details/kind", "Queue"},
		{"GET", QUEUES, NULL, 200, "/status/conditions/1/status", "True"},
	};

	int64_t before = store_revision(w->store);

	install(w);
	ok(store_revision(w->store) - before == (int64_t)vckind_count,
	   "each definition is written once, with all that its status says");
	for (size_t i = 0; i < vckind_count; i++)
		ok(kinds_find(api_kinds(w->api), str_from(vckinds[i].group),
			      str_from(vckinds[i].version), str_from(vckinds[i].plural)),
		   "%s.%s is served", vckinds[i].plural, vckinds[i].group);
	quotes_steps(w, steps, ARRAY_LEN(steps));
}

static void test_next_start(struct world *w)
{
	int64_t revision = store_revision(w->store);

	install(w);
	ok(store_revision(w->store) == revision, "a start that finds all as it is writes nothing");
}

/* One that an older release has made: its mark is that of its spec. */
static void test_upgrade(struct world *w)
{
	static const char change[] = "[{'op':'remove','path':'/spec/versions/0/schema/"
				     "openAPIV3Schema/properties/spec/properties/weight'}]";
	static const struct step after[] = {
		{"GET", QUEUES, NULL, 200,
		 "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/weight/type",
		 "integer"},
		{"GET", QUEUES, NULL, 200, "/metadata/labels/mine", "1"},
		{"GET", "/apis/scheduling.volcano.sh/v1beta1/queues/q", NULL, 200, "/spec/weight",
		 "1"},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct answer answer = ask(w, "PATCH json", QUEUES, quotes_text(arena, change));
	AUTO(buf_done) struct buf mark = BUF_UNBOUNDED;
	AUTO(mem_free) char *patch = NULL;

	install_print_mark(json_doc_root(answer.doc), &mark);
	json_doc_unref(answer.doc);
	patch = mem_printf("{'metadata':{'labels':{'mine':'1'},'annotations':{'%s':'%s'}}}",
			   INSTALL_ANNOTATION, buf_text(&mark));
	json_doc_unref(ask(w, "PATCH merge", QUEUES, quotes_text(arena, patch)).doc);
	install(w);
	quotes_steps(w, after, ARRAY_LEN(after));
}

static void test_foreign(struct world *w)
{
	static const struct step before[] = {
		{"PATCH json", QUEUES,
		 "[{'op':'replace','path':'/spec/versions/0/additionalPrinterColumns/0/name',"
		 "'value':'UP'}]",
		 200, "/metadata/generation", "4"},
		{"DELETE", CRDS "/jobs.batch.volcano.sh", NULL, 200, "/kind",
		 "CustomResourceDefinition"},
		{"GET", CRDS "/jobs.batch.volcano.sh", NULL, 404, "/reason", "NotFound"},
	};
	static const struct step after[] = {
		{"GET", QUEUES, NULL, 200, "/spec/versions/0/additionalPrinterColumns/0/name",
		 "UP"},
		{"GET", CRDS "/jobs.batch.volcano.sh", NULL, 200, "/status/acceptedNames/kind",
		 "Job"},
	};

	quotes_steps(w, before, ARRAY_LEN(before));
	install(w);
	quotes_steps(w, after, ARRAY_LEN(after));
}

int main(void)
{
	struct world w = world_new();

	test_first_start(&w);
	test_next_start(&w);
	test_upgrade(&w);
	test_foreign(&w);
	world_free(&w);
	return tap_done();
}
