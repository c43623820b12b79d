/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/wait_reason.c - the tables of the annotation; see the header. */
#include "model/volcano/wait_reason.h"

#include "base/arena.h"

#include "base/banned.h"

#define VIEW struct wait_holder
static const struct field wait_holder_fields[] = {
	{"job", F_STR, AT(job)},   {"namespace", F_STR, AT(namespace)}, {"user", F_STR, AT(user)},
	{"uses", F_STR, AT(uses)}, {"reserved", F_BOOL, AT(reserved)},
};
#undef VIEW
static const struct type wait_holder_type = {
	TYPE("WaitHolder", "v1beta1", struct wait_holder, wait_holder_fields),
};

#define VIEW struct wait_count
static const struct field wait_count_fields[] = {
	{"cause", F_STR, AT(cause)},
	{"text", F_STR, AT(text)},
	{"nodes", F_INT64, AT(nodes)},
	{"taint", F_STR, AT(taint)},
	{"resource", F_STR, AT(resource)},
	{"needs", F_STR, AT(needs)},
	{"largestFree", F_STR, AT(largest_free)},
};
#undef VIEW
static const struct type wait_count_type = {
	TYPE("WaitCount", "v1beta1", struct wait_count, wait_count_fields),
};

#define VIEW struct wait_reason
static const struct field wait_reason_fields[] = {
	{"cause", F_STR, AT(cause)},
	{"text", F_STR, AT(text)},
	{"advice", F_STR, AT(advice)},
	{"brief", F_STR, AT(brief)},
	{"since", F_STR, AT(since)},
	{"never", F_BOOL, AT(never)},
	{"subject", F_STR, AT(subject)},
	{"resource", F_STR, AT(resource)},
	{"needs", F_STR, AT(needs)},
	{"free", F_STR, AT(free)},
	{"total", F_STR, AT(total)},
	{"inUse", F_STR, AT(in_use)},
	{"reserved", F_STR, AT(reserved)},
	{"holders", F_LIST(F_OBJECT(wait_holder)), AT(holders)},
	{"moreHolders", F_INT64, AT(more_holders)},
	{"nodes", F_INT64, AT(nodes)},
	{"domain", F_STR, AT(domain)},
	{"counts", F_LIST(F_OBJECT(wait_count)), AT(counts)},
};
#undef VIEW
const struct type wait_reason_type = {
	TYPE("WaitReason", "v1beta1", struct wait_reason, wait_reason_fields),
	.doc = "one reason why a job waits",
};

struct wait_reasons wait_reasons_parse(struct str text, struct arena *arena)
{
	struct wait_reasons ret = {0};
	struct json_iter it;
	struct err err;

	ret.doc = text.len ? json_parse(text, NULL, &err) : NULL;
	if (!ret.doc)
		return ret;
	it = json_iter(json_doc_root(ret.doc));
	ret.ptr = arena_calloc(arena, json_len(json_doc_root(ret.doc)) + 1, sizeof(*ret.ptr));
	while (json_next(&it))
		if (json_is(it.value, JSON_OBJ) &&
		    type_decode(&wait_reason_type, it.value, arena, &ret.ptr[ret.len], &err) == 0 &&
		    ret.ptr[ret.len].cause.len)
			ret.len++;
	return ret;
}

struct wait_reasons wait_reasons_of(struct json group, struct arena *arena)
{
	struct json notes = json_get(json_get(group, "metadata"), "annotations");

	return wait_reasons_parse(json_str(json_get(notes, WAIT_REASONS_ANNOTATION)), arena);
}

void wait_reasons_done(struct wait_reasons *reasons)
{
	json_doc_unref(reasons->doc);
	*reasons = (struct wait_reasons){0};
}

void wait_reason_append(const struct wait_reason *reason, struct json_doc *doc, struct json list)
{
	json_append(doc, list, type_encode_new(&wait_reason_type, reason, doc));
}
