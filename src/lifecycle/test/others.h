/* SPDX-License-Identifier: Apache-2.0 */
/* others.h - for tests of the controllers other than that of jobs: documents in JSON with ' for ",
 * and plans as text with all that is written. */
#ifndef LIFECYCLE_TEST_OTHERS_H
#define LIFECYCLE_TEST_OTHERS_H

#include <stdio.h>

#include "base/mem.h"
#include "lifecycle/lifecycle_plan.h"
#include "quoted.h"
#include "tap.h"

/* A document that can be changed; printf's words work. */
__attribute__((unused)) static struct json_doc *doc_of(const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);

	return json_doc_thaw(json_doc_root(doc));
}

/* One line per write and per event, in order of stages; " as '. For mem_free(). */
__attribute__((unused)) static char *plan_text(const struct plan *plan)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t note = 0;

	for (size_t i = 0; i <= plan->writes.len; i++) {
		const struct plan_write *write = i < plan->writes.len ? &plan->writes.ptr[i] : NULL;

		for (; note < plan->notes.len &&
		       (!write || plan->notes.ptr[note].stage <= write->stage);
		     note++)
			buf_printf(&text, "%s%s: %.*s\n", plan->notes.ptr[note].warning ? "!" : "",
				   plan->notes.ptr[note].reason,
				   STR_ARG(plan->notes.ptr[note].message));
		if (!write)
			break;
		buf_printf(&text, "%u %s %s %.*s", write->stage, plan_verb_names[write->verb],
			   plan_kinds[write->kind].plural, STR_ARG(write->name));
		if (write->doc) {
			struct json root = json_doc_root(write->doc);

			buf_putc(&text, ' ');
			json_print(write->verb == PLAN_UPDATE_STATUS ? json_get(root, "status")
								     : root,
				   JSON_COMPACT, &text);
		}
		buf_putc(&text, '\n');
	}
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '"')
			text.ptr[i] = '\'';
	return buf_take(&text);
}

#endif
