/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that were written and that the informer does not show yet. */
#include "scheduler/recent_conditions.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/yaml.h"
#include "tap.h"

#include "base/banned.h"

static struct json_doc *conditions(const char *text)
{
	AUTO(json_doc_unref) struct json_doc *read = yaml_parse(str_from(text), NULL, NULL);

	return json_doc_thaw(json_doc_root(read));
}

static void remember(struct recent_conditions *recent, const char *uid, const char *text,
		     int64_t now)
{
	AUTO(json_doc_unref) struct json_doc *doc = conditions(text);

	recent_conditions_remember(recent, str_from(uid), json_doc_root(doc), now);
}

/* What is known of a group becomes this. */
static void becomes(const struct recent_conditions *recent, const char *uid, const char *known,
		    const char *want)
{
	AUTO(json_doc_unref) struct json_doc *doc = conditions(known);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	recent_conditions_complete(recent, str_from(uid), doc, json_doc_root(doc));
	json_print(json_doc_root(doc), JSON_COMPACT, &text);
	is(buf_text(&text), want);
}

#define REFUSED "{type: Unschedulable, lastTransitionTime: \"2026-01-01T00:00:05Z\", message: new}"
#define REFUSED_TEXT                                                                   \
	"{\"type\":\"Unschedulable\",\"lastTransitionTime\":\"2026-01-01T00:00:05Z\"," \
	"\"message\":\"new\"}"

int main(void)
{
	AUTO(recent_conditions_free) struct recent_conditions *recent = recent_conditions_new(1);

	becomes(recent, "u", "[]", "[]");
	remember(recent, "u", "[" REFUSED "]", TIME_SECOND);
	becomes(recent, "u", "[]", "[" REFUSED_TEXT "]");
	becomes(recent, "other", "[]", "[]");
	becomes(recent, "u",
		"[{type: Unschedulable, lastTransitionTime: \"2026-01-01T00:00:01Z\", message: "
		"old}]",
		"[" REFUSED_TEXT "]");
	becomes(recent, "u",
		"[{type: Unschedulable, lastTransitionTime: \"2026-01-01T00:00:06Z\"}]",
		"[{\"type\":\"Unschedulable\",\"lastTransitionTime\":\"2026-01-01T00:00:06Z\"}]");
	becomes(recent, "u", "[{type: Mine}]", "[{\"type\":\"Mine\"}," REFUSED_TEXT "]");
	remember(recent, "u", "[]", 2 * TIME_SECOND);
	becomes(recent, "u", "[]", "[]");
	remember(recent, "v", "[" REFUSED "]", 3 * TIME_SECOND);
	remember(recent, "w", "[]", 60 * TIME_SECOND);
	becomes(recent, "v", "[]", "[]");
	return tap_done();
}
