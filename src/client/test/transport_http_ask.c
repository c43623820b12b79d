/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as HTTP has them: one line each. */
#include "client/transport_http_ask.h"

#include "base/mem.h"
#include "client/transport.h"
#include "tap.h"

static const char *line_of(const struct transport_ask *ask)
{
	static char text[500];
	AUTO(transport_http_ask_done) struct transport_http_ask made = {0};

	transport_http_ask_init(&made, ask);
	snprintf(text, sizeof(text), "%.*s %s %.*s %.*s", STR_ARG(made.method),
		 buf_text(&made.target), STR_ARG(made.content_type), STR_ARG(made.body));
	return text;
}

#define POD .resource = &resources[RESOURCE_PODS], .namespace = STR("a"), .name = STR("p")
#define PODS .resource = &resources[RESOURCE_PODS], .namespace = STR("a")
#define LINE(...) line_of(&(struct transport_ask){.ask = {__VA_ARGS__}})

int main(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(STR("{\"a\": 1}"), NULL, NULL);
	AUTO(json_doc_unref)
	struct json_doc *other = json_parse(STR("{\"kind\":\"x\"}"), NULL, NULL);
	AUTO(json_doc_unref)
	struct json_doc *empty = json_parse(STR("{\"apiVersion\":\"old\"}"), NULL, NULL);
	int64_t grace = 0;

	is(LINE(POD, .verb = CLIENT_GET), "GET /api/v1/namespaces/a/pods/p  ");
	is(LINE(PODS, .verb = CLIENT_LIST, .label_selector = STR("x in (a,b)"), .limit = 5,
		.continue_token = STR("t/+="), .field_manager = STR("me")),
	   "GET "
	   "/api/v1/namespaces/a/pods?labelSelector=x+in+%28a%2Cb%29&limit=5&continue=t%2F%2B%3D "
	   " ");
	is(LINE(PODS, .verb = CLIENT_CREATE, .body = doc, .field_manager = STR("me"),
		.dry_run = true),
	   "POST /api/v1/namespaces/a/pods?fieldManager=me&dryRun=All application/json "
	   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":1}");
	is(LINE(POD, .verb = CLIENT_UPDATE, .sub = STR("status"), .body = doc),
	   "PUT /api/v1/namespaces/a/pods/p/status application/json "
	   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":1}");
	is(LINE(PODS, .verb = CLIENT_CREATE, .body = other),
	   "POST /api/v1/namespaces/a/pods application/json {\"kind\":\"x\"}");
	is(LINE(PODS, .verb = CLIENT_CREATE, .body = empty),
	   "POST /api/v1/namespaces/a/pods application/json "
	   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
	is(LINE(POD, .verb = CLIENT_CREATE, .sub = STR("binding"), .body = doc),
	   "POST /api/v1/namespaces/a/pods/p/binding application/json {\"a\":1}");
	is(LINE(POD, .verb = CLIENT_PATCH, .patch = CLIENT_PATCH_APPLY, .force = true, .body = doc,
		.field_manager = STR("me")),
	   "PATCH /api/v1/namespaces/a/pods/p?fieldManager=me&force=true "
	   "application/apply-patch+yaml {\"a\":1}");
	is(LINE(POD, .verb = CLIENT_DELETE, .grace_seconds = &grace, .propagation = CLIENT_ORPHAN,
		.precondition_uid = STR("u"), .dry_run = true),
	   "DELETE /api/v1/namespaces/a/pods/p application/json {\"kind\":\"DeleteOptions\","
	   "\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,\"propagationPolicy\":\"Orphan\","
	   "\"preconditions\":{\"uid\":\"u\"},\"dryRun\":[\"All\"]}");
	is(line_of(&(struct transport_ask){
		   .ask = {PODS, .verb = CLIENT_WATCH, .resource_version = STR("7")},
		   .timeout_s = 9}),
	   "GET /api/v1/namespaces/a/pods?resourceVersion=7&watch=true&allowWatchBookmarks=true&"
	   "timeoutSeconds=9  ");
	is(line_of(&(struct transport_ask){.ask = {PODS, .verb = CLIENT_WATCH},
					   .initial_events = true}),
	   "GET /api/v1/namespaces/a/pods?resourceVersionMatch=NotOlderThan&watch=true&"
	   "allowWatchBookmarks=true&sendInitialEvents=true  ");
	is(LINE(.verb = CLIENT_RAW, .method = STR("POST"), .path = STR("/x?y=1"),
		.content_type = STR("text/plain"), .raw_body = STR("hi")),
	   "POST /x?y=1 text/plain hi");
	return tap_done();
}
