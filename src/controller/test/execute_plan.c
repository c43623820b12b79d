/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a plan: what is reported about a write that the server refuses. */
#include "controller/execute_plan.h"

#include "base/time.h"
#include "client/client.h"
#include "client/recorder.h"
#include "client/test/fake.h"
#include "model/core/meta.h"

#include "base/banned.h"

struct world {
	struct loop *loop;
	struct fake fake;
	struct client *client;
	struct recorder *recorder;
	enum execution_end end;
};

static void ended(void *arg, enum execution_end end)
{
	((struct world *)arg)->end = end;
}

static void open_world(struct world *w)
{
	*w = (struct world){.loop = loop_new_virtual(1, TIME_HOUR, NULL)};
	fake_init(&w->fake);
	w->client = client_new(w->loop, &w->fake.transport, NULL);
	w->recorder = recorder_new(w->client, &(struct recorder_options){.component = STR("test")});
}

static void close_world(struct world *w)
{
	recorder_free(w->recorder);
	client_free(w->client);
	loop_free(w->loop);
}

/* A plan for the object ns/c that makes job ns/c-1. */
static void start(struct world *w, const char *ending_text)
{
	const struct meta meta = {.namespace = STR("ns"), .name = STR("c"), .uid = STR("u")};
	struct execution_options options = {
		.client = w->client, .recorder = w->recorder, .done = ended, .arg = w};
	struct plan plan;
	struct plan_write *write;

	plan_init(&plan);
	plan_about(&plan, PLAN_VCCRONJOB, &meta);
	write = plan_create(
		&plan, PLAN_JOB,
		json_parse(STR("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"c-1\"}}"), NULL,
			   NULL));
	write->fail_reason = "FailedCreate";
	write->fail_text = "Failed to create job: ";
	write->ending_text = ending_text;
	execution_start(&options, &plan);
	plan_done(&plan);
}

/* The server says no, with one cause. */
static void refuse(struct world *w, const char *cause)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"kind\":\"Status\",\"details\":{\"causes\":[{\"reason\":\"%s\","
				"\"field\":\"metadata.namespace\"}]}}",
				cause);
	AUTO(json_doc_unref) struct json_doc *status = json_parse(str_from(text), NULL, NULL);
	struct transport_answer answer = {.code = 403, .doc = status, .retry_after_us = -1};

	(void)err_set(&answer.err, ERR_FORBIDDEN, "not here");
	fake_answer(&w->fake, &answer);
}

/* The event that is sent next: "reason message". */
static char *reported(struct world *w)
{
	struct json event;

	while (!w->fake.count && loop_turn(w->loop, TIME_HOUR))
		;
	if (!w->fake.count)
		return mem_printf("nothing");
	event = json_doc_root(fake_first(&w->fake)->ask.body);
	return mem_printf("%.*s %.*s", STR_ARG(json_str(json_get(event, "reason"))),
			  STR_ARG(json_str(json_get(event, "message"))));
}

static void check(const char *cause, const char *ending_text, const char *want)
{
	AUTO(mem_free) char *got = NULL;
	struct world w;

	open_world(&w);
	start(&w, ending_text);
	refuse(&w, cause);
	ok(w.end == EXECUTION_FAILED, "the plan failed");
	got = reported(&w);
	is(got, want);
	close_world(&w);
}

int main(void)
{
	static const char ending[] = "Namespace ns is terminating, skipping job creation";

	check("NamespaceTerminating", ending,
	      "NamespaceTerminating Namespace ns is terminating, "
	      "skipping job creation");
	check("FieldValueInvalid", ending, "FailedCreate Failed to create job: not here");
	check("NamespaceTerminating", NULL, "FailedCreate Failed to create job: not here");
	return tap_done();
}
