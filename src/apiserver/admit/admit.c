/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit.c - asks the admitters that admit_rows.h lists. */
#include "apiserver/admit/admit.h"

#include <stdarg.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"

#include "base/banned.h"

#define ADMITTER_ADDRESS(name) &admitter_##name,
static const struct admitter *const admitters[] = {ADMITTERS(ADMITTER_ADDRESS)};

/* A patch and a PUT are updates; removing many is removing each. */
static unsigned verb_bit(const struct call *call, struct json old)
{
	if (call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION)
		return ADMIT_DELETE;
	return json_is_absent(old) ? ADMIT_CREATE : ADMIT_UPDATE;
}

static bool concerns(const struct admitter *row, const struct call *call, unsigned verb)
{
	return (row->verbs & verb) && (!call->sub.len || row->sub) &&
	       (!row->group || str_is(call->kind->group, row->group)) &&
	       (!row->plural || str_is(call->kind->plural, row->plural));
}

int admit_forbidden(const struct admission *admission, struct err *err, const char *format, ...)
{
	struct call *call = admission->call;
	struct json body =
		call->body.doc ? json_get(json_doc_root(call->body.doc), "metadata") : JSON_NONE;
	struct str name = call->name;
	char *why;
	va_list args;

	if (!name.len)
		name = json_str(json_get(json_get(admission->object, "metadata"), "name"));
	if (admission->doc && !call->name.len && !json_str(json_get(body, "name")).len &&
	    json_str(json_get(body, "generateName")).len)
		name = json_str(json_get(body, "generateName"));
	if (!name.len)
		name = STR("Unknown");
	va_start(args, format);
	why = arena_vprintf(call->arena, format, args);
	va_end(args);
	return call_err_forbidden(call, arena_str(call->arena, name), why, err);
}

int admit_change(struct call *call, struct json_doc *doc, struct json old, struct err *err)
{
	struct admission admission = {call, doc, json_doc_root(doc), old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i]->change && concerns(admitters[i], call, verb) &&
		    admitters[i]->change(&admission, err) < 0)
			return -1;
	return 0;
}

int admit_check(struct call *call, struct json object, struct json old, struct err *err)
{
	struct admission admission = {call, NULL, object, old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i]->check && concerns(admitters[i], call, verb) && !call->internal &&
		    admitters[i]->check(&admission, err) < 0)
			return -1;
	return 0;
}
