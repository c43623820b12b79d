/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a patch if the role of the user has `update` but not `patch`, nor `get`. */
#include "client/amend.h"

#include "base/time.h"
#include "fake.h"
#include "quoted.h"

struct world {
	struct loop *loop;
	struct fake fake;
	struct client *client;
	struct client_request *request;
	int ended;
	int code;
};

static void open_world(struct world *w)
{
	*w = (struct world){0};
	w->loop = loop_new_virtual(1, 0, NULL);
	fake_init(&w->fake);
	w->client = client_new(w->loop, &w->fake.transport, NULL);
}

static void close_world(struct world *w)
{
	client_free(w->client);
	loop_free(w->loop);
}

static void on_done(void *arg, const struct client_result *result)
{
	struct world *w = arg;

	w->ended++;
	w->code = result->code;
}

static void patch(struct world *w, enum client_patch how, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *body = quoted_doc(text);

	w->ended = 0;
	w->request =
		client_send(w->client, &(struct client_ask){.verb = CLIENT_PATCH,
							    .patch = how,
							    .resource = &resources[RESOURCE_PODS],
							    .namespace = STR("a"),
							    .name = STR("p"),
							    .sub = STR("status"),
							    .body = body,
							    .done = on_done,
							    .arg = w});
}

static void answer(struct world *w, enum err_code code, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = code ? NULL : quoted_doc(text);
	struct transport_answer answer = {
		.code = code ? err_http(code) : 200, .retry_after_us = -1, .doc = doc};

	if (code)
		(void)err_set(&answer.err, code, "%s", text);
	fake_answer(&w->fake, &answer);
}

static void deny(struct world *w)
{
	answer(w, ERR_FORBIDDEN,
	       "pods \"p\" is forbidden: User \"x\" cannot patch resource \"pods/status\" in API "
	       "group \"\" in the namespace \"a\"");
}

static enum client_verb verb(struct world *w)
{
	return w->fake.count ? fake_first(&w->fake)->ask.verb : CLIENT_VERB_COUNT;
}

static void is_body(struct world *w, const char *want)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(want);

	ok(json_eq(json_doc_root(fake_first(&w->fake)->ask.body), json_doc_root(doc)), "sends %s",
	   want);
}

#define POD(version, rest) \
	"{'metadata':{'name':'p','uid':'u','resourceVersion':'" version "'}" rest "}"
#define WHOLE(version, rest)                                                      \
	"{'metadata':{'name':'p','uid':'u','resourceVersion':'" version "'}" rest \
	",'apiVersion':'v1','kind':'Pod'}"

static void test_update(void)
{
	struct world w;

	open_world(&w);
	patch(&w, CLIENT_PATCH_MERGE, "{'metadata':{'uid':'u'},'status':{'x':1}}");
	ok(verb(&w) == CLIENT_PATCH, "a patch is sent as a patch");
	answer(&w, ERR_NONE, POD("1", ""));
	ok(w.ended == 1 && w.code == 200, "... and that is all if it is permitted");
	patch(&w, CLIENT_PATCH_MERGE, "{'metadata':{'uid':'u'},'status':{'x':1,'y':null}}");
	deny(&w);
	ok(verb(&w) == CLIENT_GET && !w.ended, "if it is denied, the object is read");
	ok(!fake_first(&w.fake)->ask.sub.len, "... and not its status");
	answer(&w, ERR_NONE, POD("5", ",'status':{'y':2,'z':3}"));
	ok(verb(&w) == CLIENT_UPDATE && str_is(fake_first(&w.fake)->ask.sub, "status"),
	   "then its status is updated");
	is_body(&w, WHOLE("5", ",'status':{'x':1,'z':3}"));
	answer(&w, ERR_CONFLICT, "modified");
	ok(verb(&w) == CLIENT_GET && !w.ended, "after a conflict it is read again");
	answer(&w, ERR_NONE, POD("6", ",'status':{'z':4}"));
	is_body(&w, WHOLE("6", ",'status':{'x':1,'z':4}"));
	answer(&w, ERR_NONE, POD("7", ""));
	ok(w.ended == 1 && w.code == 200, "the caller sees a success");
	patch(&w, CLIENT_PATCH_MERGE, "{'metadata':{'uid':'u'},'status':{'x':1}}");
	ok(verb(&w) == CLIENT_GET, "the next patch starts with reading");
	answer(&w, ERR_NONE, "{'metadata':{'name':'p','uid':'other'}}");
	ok(w.ended == 1 && w.code == 409, "another object of the same name is left alone");
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	(void)loop_turn(w.loop, TIME_SECOND);
	answer(&w, ERR_NOT_FOUND, "none");
	ok(w.ended == 1 && w.code == 404, "an object that was deleted is reported as such");
	close_world(&w);
}

static void test_strategic(void)
{
	struct world w;

	open_world(&w);
	patch(&w, CLIENT_PATCH_STRATEGIC,
	      "{'status':{'conditions':[{'type':'B','status':'False'}],'n':'x'}}");
	deny(&w);
	answer(&w, ERR_NONE,
	       POD("5", ",'status':{'conditions':[{'type':'A'},{'type':'B','r':1}]}"));
	is_body(&w, WHOLE("5", ",'status':{'conditions':[{'type':'A'},{'type':'B','r':1,'status':"
			       "'False'}],'n':'x'}"));
	answer(&w, ERR_NONE, POD("6", ""));
	patch(&w, CLIENT_PATCH_JSON, "[{'op':'add','path':'/status','value':{'x':1}}]");
	answer(&w, ERR_NONE, POD("6", ""));
	is_body(&w, WHOLE("6", ",'status':{'x':1}"));
	answer(&w, ERR_NONE, POD("7", ""));
	patch(&w, CLIENT_PATCH_JSON, "[{'op':'test','path':'/status','value':{'x':1}}]");
	answer(&w, ERR_NONE, POD("7", ""));
	ok(w.ended == 1 && w.code == 422, "a patch that does not apply fails");
	patch(&w, CLIENT_PATCH_MERGE, "{'metadata':{'resourceVersion':'3'},'status':{'x':1}}");
	(void)loop_turn(w.loop, TIME_SECOND);
	answer(&w, ERR_NONE, POD("7", ""));
	is_body(&w, WHOLE("3", ",'status':{'x':1}"));
	answer(&w, ERR_CONFLICT, "modified");
	ok(w.ended == 1 && w.code == 409,
	   "a patch with a version is not repeated after a conflict");
	close_world(&w);
}

static void test_no_get(void)
{
	struct world w;

	open_world(&w);
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	deny(&w);
	deny(&w);
	ok(verb(&w) == CLIENT_LIST &&
		   str_is(fake_first(&w.fake)->ask.field_selector, "metadata.name=p"),
	   "without get, the object is listed by its name");
	answer(&w, ERR_NONE, "{'items':[" POD("5", "") "]}");
	is_body(&w, WHOLE("5", ",'status':{'x':1}"));
	answer(&w, ERR_NONE, POD("6", ""));
	ok(w.ended == 1 && w.code == 200, "the caller sees a success");
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	ok(verb(&w) == CLIENT_LIST, "the next patch starts with that");
	answer(&w, ERR_NONE, "{'items':[]}");
	ok(w.ended == 1 && w.code == 404, "an object that was deleted is reported as such");
	close_world(&w);
}

static void test_denied(void)
{
	struct client_denial denial;
	struct world w;
	size_t at = 0;

	open_world(&w);
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	deny(&w);
	ok(!client_next_denial(w.client, &at, &denial),
	   "a patch that has another way is no denial");
	answer(&w, ERR_NONE, POD("5", ""));
	deny(&w);
	ok(w.ended == 1 && w.code == 403, "without any way it is denied");
	at = 0;
	ok(client_next_denial(w.client, &at, &denial) && str_is(str_from(denial.verb), "patch") &&
		   str_is(denial.resource->plural, "pods") && str_is(denial.sub, "status"),
	   "... and listed");
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	while (!w.fake.count)
		(void)loop_turn(w.loop, TIME_SECOND);
	ok(verb(&w) == CLIENT_PATCH, "the next one begins from the beginning");
	answer(&w, ERR_NONE, POD("5", ""));
	at = 0;
	ok(!client_next_denial(w.client, &at, &denial), "a success ends that");
	close_world(&w);
}

static void test_memory(void)
{
	struct world w;

	open_world(&w);
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	deny(&w);
	answer(&w, ERR_NONE, POD("5", ""));
	answer(&w, ERR_NONE, POD("6", ""));
	(void)loop_turn(w.loop, 61 * TIME_SECOND);
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	ok(verb(&w) == CLIENT_PATCH, "a patch is tried again after a minute");
	deny(&w);
	client_cancel(w.request);
	ok(w.fake.count == 0 && !w.ended, "a request may be cancelled while the object is read");
	patch(&w, CLIENT_PATCH_MERGE, "{'status':{'x':1}}");
	answer(&w, ERR_NONE, POD("5", ""));
	close_world(&w); /* while it is updated */
}

int main(void)
{
	test_update();
	test_strategic();
	test_no_get();
	test_denied();
	test_memory();
	return tap_done();
}
