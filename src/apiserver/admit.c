/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit.c - what may change or refuse a write. To add one: a function in its own file,
 * declared in admit_rows.h, and a row here; the order is that of kube-apiserver. */
#include "apiserver/admit.h"

#include "apiserver/admit_rows.h"
#include "apiserver/api_internal.h"

#include "base/banned.h"

enum {
	ON_CREATE = 1 << VERB_CREATE,
	ON_UPDATE = 1 << VERB_UPDATE,
	ON_DELETE = 1 << VERB_DELETE,
};

static const struct admitter admitters[] = {
	{.name = "NamespaceLifecycle", .verbs = ON_CREATE | ON_DELETE, .check = admit_namespace},
};

/* A patch and a PUT are updates; removing many is removing each. */
static unsigned verb_bit(const struct call *call, struct json old)
{
	if (call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION)
		return ON_DELETE;
	return json_is_absent(old) ? ON_CREATE : ON_UPDATE;
}

static bool concerns(const struct admitter *row, const struct call *call, unsigned verb)
{
	return (row->verbs & verb) && (!row->group || str_is(call->kind->group, row->group)) &&
	       (!row->plural || str_is(call->kind->plural, row->plural));
}

int admit_change(struct call *call, struct json_doc *doc, struct json old, struct err *err)
{
	struct admission admission = {call, doc, json_doc_root(doc), old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i].change && concerns(&admitters[i], call, verb) && !call->sub.len &&
		    admitters[i].change(&admission, err) < 0)
			return -1;
	return 0;
}

int admit_check(struct call *call, struct json object, struct json old, struct err *err)
{
	struct admission admission = {call, NULL, object, old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i].check && concerns(&admitters[i], call, verb) && !call->internal &&
		    admitters[i].check(&admission, err) < 0)
			return -1;
	return 0;
}
