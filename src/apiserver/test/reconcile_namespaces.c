/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a namespace: Active, Terminating, what is in it, its conditions, its end. */
#include "apiserver/test/world.h"
#include "base/buf.h"
#include "base/time.h"
#include "json/pointer.h"

#define NS "/api/v1/namespaces"
#define POD(name, more)                                            \
	"{\"metadata\":{\"name\":\"" name                          \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\"}]" more "}}"

static const struct step empty[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/spec/finalizers/0", "kubernetes"},
	{"GET", NS "/a", NULL, 200, "/status/phase", "Active"},
	{"PATCH merge", NS "/a", "{\"spec\":{\"finalizers\":[]}}", 200, "/spec/finalizers/0",
	 "kubernetes"},
	{"DELETE", NS "/a", NULL, 200, "/status/phase", "Terminating"},
	{"GET", NS "/a", NULL, 404, "/reason", "NotFound"},
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/status/phase", "Active"},
	{"GET", NS "/a/serviceaccounts/default", NULL, 200, "/kind", "ServiceAccount"},
	{"DELETE", NS "/default", NULL, 403, "/message",
	 "namespaces \"default\" is forbidden: this namespace may not be deleted"},
	{"DELETE", NS "/kube-node-lease", NULL, 200, "/status/phase", "Terminating"},
	{"GET", NS "/kube-node-lease", NULL, 200, "/status/phase", "Active"},
	{"POST", NS "/none/configmaps", "{\"metadata\":{\"name\":\"Bad_\"}}", 404, "/message",
	 "namespaces \"none\" not found"},
};

static const struct step held[] = {
	{"POST", NS "/a/configmaps",
	 "{\"metadata\":{\"name\":\"hold\",\"finalizers\":[\"a.com/x\"]}}", 201, "/kind",
	 "ConfigMap"},
	{"POST", NS "/a/pods", POD("free", ""), 201, "/status/phase", "Pending"},
	{"POST", NS "/a/pods", POD("bound", ",\"nodeName\":\"n\""), 201, "/spec/nodeName", "n"},
	{"DELETE", NS "/a", NULL, 200, "/status/phase", "Terminating"},
	{"POST", NS "/a/configmaps", "{\"metadata\":{\"name\":\"late\"}}", 403, "/message",
	 "configmaps \"late\" is forbidden: unable to create new content in namespace a because it "
	 "is being terminated"},
	{"POST", NS "/a/configmaps", "{\"metadata\":{\"generateName\":\"g-\"}}", 403,
	 "/details/causes/0/reason", "NamespaceTerminating"},
	{"POST", NS "/a/configmaps", "{\"metadata\":{\"generateName\":\"g-\"}}", 403,
	 "/details/name", "g-"},
	/* pods first */
	{"GET", NS "/a/pods/free", NULL, 404, "/reason", "NotFound"},
	{"GET", NS "/a/pods/bound", NULL, 200, "/metadata/deletionGracePeriodSeconds", "30"},
	{"GET", NS "/a/configmaps/hold", NULL, 200, "/metadata/deletionTimestamp", NULL},
	{"GET", NS "/a/serviceaccounts/default", NULL, 200, "/kind", "ServiceAccount"},
	{"DELETE", NS "/a", NULL, 200, "/status/phase", "Terminating"},
	{"DELETE", NS "/a/pods/bound", "{\"gracePeriodSeconds\":0}", 200, "/kind", "Pod"},
	/* then the rest */
	{"GET", NS "/a/serviceaccounts/default", NULL, 404, "/reason", "NotFound"},
	{"GET", NS "/a/configmaps/hold", NULL, 200, "/metadata/deletionGracePeriodSeconds", "0"},
	{"GET", NS "/a", NULL, 200, "/status/conditions/3/message",
	 "Some resources are remaining: configmaps. has 1 resource instances"},
	{"GET", NS "/a", NULL, 200, "/status/conditions/4/message",
	 "Some content in the namespace has finalizers remaining: a.com/x in 1 resource "
	 "instances"},
	{"GET", NS "/a", NULL, 200, "/status/conditions/2/status", "False"},
};

static const struct step released[] = {
	{"PATCH merge", NS "/a/configmaps/hold", "{\"metadata\":{\"finalizers\":null}}", 200,
	 "/kind", "ConfigMap"},
	{"GET", NS "/a", NULL, 404, "/reason", "NotFound"},
};

/* Data that looks like what the server writes. */
static const struct step lookalike[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"look\"}}", 201, "/kind", "Namespace"},
	{"POST", NS "/look/configmaps",
	 "{\"metadata\":{\"name\":\"c\"},\"data\":{\"deletionTimestamp\":\"x\"}}", 201, "/kind",
	 "ConfigMap"},
	{"DELETE", NS "/look", NULL, 200, "/status/phase", "Terminating"},
	{"GET", NS "/look", NULL, 404, "/reason", "NotFound"},
};

/* Finalizers of others, in the spec and in the metadata. */
static const struct step finalizers[] = {
	{"POST", NS,
	 "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"a.com/x\"]},\"spec\":{\"finalizers\":"
	 "[\"a.com/y\"]}}",
	 201, "/spec/finalizers/1", "kubernetes"},
	{"DELETE", NS "/f", NULL, 200, "/status/phase", "Terminating"},
	{"GET", NS "/f", NULL, 200, "/spec/finalizers", "[\"a.com/y\"]"},
	{"GET", NS "/f", NULL, 200, "/status/conditions/3/reason", "ContentRemoved"},
	{"PUT", NS "/f/finalize",
	 "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"a.com/x\"]},\"spec\":{\"finalizers\":"
	 "[\"bad name\"]}}",
	 422, "/reason", "Invalid"},
	{"PUT", NS "/f/finalize",
	 "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"a.com/x\"]},\"spec\":{}}", 200,
	 "/spec/finalizers", NULL},
	{"GET", NS "/f", NULL, 200, "/metadata/finalizers/0", "a.com/x"},
	{"PATCH merge", NS "/f", "{\"metadata\":{\"finalizers\":null}}", 200, "/kind", "Namespace"},
	{"GET", NS "/f", NULL, 404, "/reason", "NotFound"},
};

/* A finalizer that is listed several times goes as a whole, and takes no other with it. */
static const struct step repeated[] = {
	{"POST", NS,
	 "{\"metadata\":{\"name\":\"g\"},\"spec\":{\"finalizers\":[\"kubernetes\",\"kubernetes\","
	 "\"a.com/y\",\"kubernetes\",\"kubernetes\"]}}",
	 201, "/kind", "Namespace"},
	{"DELETE", NS "/g", NULL, 200, "/kind", "Namespace"},
	{"GET", NS "/g", NULL, 200, "/spec/finalizers", "[\"a.com/y\"]"},
	{"PUT", NS "/g/finalize", "{\"metadata\":{\"name\":\"g\"},\"spec\":{}}", 200,
	 "/spec/finalizers", NULL},
	{"GET", NS "/g", NULL, 404, "/reason", "NotFound"},
};

/* More than one go, with a restart between. */
static void test_many(struct world *w)
{
	enum { MANY = 1200 };
	char body[64];

	answer_done(&(struct answer){
		.doc = ask(w, "POST", NS, "{\"metadata\":{\"name\":\"many\"}}").doc});
	for (int i = 0; i < MANY; i++) {
		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%d\"}}", i);
		json_doc_unref(ask(w, "POST", NS "/many/configmaps", body).doc);
	}
	json_doc_unref(ask(w, "DELETE", NS "/many", NULL).doc);
	world_restart(w);
	ok(store_count(w->store, STR("/configmaps/many/")) == 0 &&
		   !store_get(w->store, STR("/namespaces//many")),
	   "a namespace of %d objects goes, through a restart", MANY);
}

/* A condition names some finalizers of very many, and counts the others. */
static void test_many_finalizers(struct world *w)
{
	enum { MANY = 30000 };
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct str text;

	buf_puts(&body, "{\"metadata\":{\"name\":\"c\",\"finalizers\":[");
	for (int i = 0; i < MANY; i++)
		buf_printf(&body, "%s\"a.com/%05d\"", i ? "," : "", i);
	buf_puts(&body, "]}}");
	json_doc_unref(ask(w, "POST", NS, "{\"metadata\":{\"name\":\"fins\"}}").doc);
	json_doc_unref(ask(w, "POST", NS "/fins/configmaps", buf_text(&body)).doc);
	json_doc_unref(ask(w, "DELETE", NS "/fins", NULL).doc);
	world_settle(w);
	doc = ask(w, "GET", NS "/fins", NULL).doc;
	text = json_str(json_pointer_get(json_doc_root(doc), STR("/status/conditions/4/message")));
	ok(str_find(text, STR("a.com/00099 in 1 resource instances, and 29900 more"), 0) > 0,
	   "the condition of a namespace is bounded");
	ok(text.len < 8192, "... in its length");
	json_doc_unref(ask(w, "PATCH merge", NS "/fins/configmaps/c",
			   "{\"metadata\":{\"finalizers\":null}}")
			       .doc);
}

int main(void)
{
	struct world w = world_new();

	world_steps(&w, empty, ARRAY_LEN(empty));
	world_steps(&w, held, ARRAY_LEN(held));
	world_restart(&w);
	world_steps(&w, released, ARRAY_LEN(released));
	world_steps(&w, finalizers, ARRAY_LEN(finalizers));
	world_steps(&w, repeated, ARRAY_LEN(repeated));
	test_many_finalizers(&w);
	world_steps(&w, lookalike, ARRAY_LEN(lookalike));
	test_many(&w);
	world_free(&w);
	return tap_done();
}
