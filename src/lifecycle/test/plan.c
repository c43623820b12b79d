/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: stages, and what they print. */
#include "base/buf.h"
#include "lifecycle/lifecycle_plan.h"
#include "tap.h"

#include "base/banned.h"

static struct json_doc *parse(const char *text)
{
	struct json_doc *doc = json_parse(str_from(text), NULL, NULL);

	if (!doc)
		ok(false, "the test's own text parses");
	return doc;
}

static void test_print(void)
{
	struct meta job = {.namespace = STR("ns"), .name = STR("j"), .uid = STR("u1")};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(plan_done) struct plan plan;

	plan_init(&plan);
	ok(plan_is_empty(&plan), "a new plan is empty");
	plan_next_stage(&plan);
	ok(plan.stage == 0, "there is no stage without writes");
	plan_update_status(&plan, PLAN_JOB,
			   parse("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\"}}"));
	plan_next_stage(&plan);
	plan_normal(&plan, PLAN_JOB, &job, "ExecuteAction", "Start to execute action %s ",
		    "AbortJob");
	plan_create(&plan, PLAN_POD,
		    parse("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j-a-0\"}}"));
	ok(str_is(plan_delete(&plan, PLAN_PODGROUP, &job)->uid, "u1"),
	   "a delete is of one object only");
	plan_next_stage(&plan);
	plan_warning(&plan, PLAN_JOB, &job, "PVCError", "none");
	plan_print(&plan, &text);
	is(buf_text(&text), "0 update-status jobs ns/j\n"
			    "1 event Normal ExecuteAction ns/j: Start to execute action AbortJob \n"
			    "1 create pods ns/j-a-0\n"
			    "1 delete podgroups ns/j\n"
			    "2 event Warning PVCError ns/j: none\n");
}

static void test_next_step(void)
{
	AUTO(plan_done) struct plan plan;

	plan_init(&plan);
	ok(plan.next_at == 0, "no step is requested");
	plan_step_at(&plan, 50);
	plan_step_at(&plan, 70);
	ok(plan.next_at == 50, "the earliest time counts");
}

int main(void)
{
	test_print();
	test_next_step();
	for (int i = 0; i < PLAN_KIND_COUNT; i++)
		ok(plan_kinds[i].plural, "kind %d has a row", i);
	return tap_done();
}
