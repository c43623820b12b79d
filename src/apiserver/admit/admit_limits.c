/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_limits.c - LimitRanger: containers get the requests and limits that a limit range of
 * their namespace has for those who say nothing; containers, pods and claims must be within its bounds.
 *
 * An annotation of the pod lists what was set. Every violated limit is reported, those of one limit
 * range together. */
#include <stdlib.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "model/pod/pod_total.h"

#include "base/banned.h"

#define ANNOTATION "kubernetes.io/limit-ranger"

/* --- limit ranges ---------------------------------------------------------------------------- */

/* Only new pods and resizes are checked. */
static bool is_asked(const struct admission *admission)
{
	const struct call *call = admission->call;
	bool pod = str_is(call->kind->prefix, "/pods/");
	bool update = !json_is_absent(admission->old);
	struct json metadata = json_get(admission->old, "metadata");

	if (call->sub.len ? !(pod && update && str_is(call->sub, "resize")) : pod && update)
		return false;
	return json_is_absent(json_get(metadata, "deletionTimestamp"));
}

/* Walk those of the call's namespace. */
static struct store_newest_walk walk_ranges(struct call *call)
{
	const struct kind *kind =
		kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("limitranges"));

	return store_newest_walk(api_store(call->api),
				 api_key(call->arena, kind, call->namespace, str_none()));
}

/* The next one; its document is the caller's. */
static struct json_doc *next_range(struct store_newest_walk *walk)
{
	struct object *object = store_newest_next(walk);
	struct err err;

	return object ? json_parse(object->text, NULL, &err) : NULL;
}

static struct json limits_of(struct json_doc *range)
{
	return json_get(json_get(json_doc_root(range), "spec"), "limits");
}

/* --- what is filled in ----------------------------------------------------------------------- */

/* Amounts that a container does not have; their names into `set`. */
static void fill(struct json_doc *doc, struct json container, const char *which,
		 struct json amounts, struct buf *set)
{
	VEC(struct str) names = {0};

	for (struct json_iter it = json_iter(amounts); json_next(&it);) {
		struct json resources = json_ensure_obj(doc, container, "resources");
		struct json list = json_ensure_obj(doc, resources, which);

		if (!json_is_absent(json_get_str(list, it.key)))
			continue;
		json_set(doc, list, it.key, json_new_copy(doc, it.value));
		vec_push(&names, it.key);
	}
	if (names.len)
		qsort(names.ptr, names.len, sizeof(*names.ptr), str_qsort_cmp);
	for (size_t i = 0; i < names.len; i++)
		buf_printf(set, "%s%.*s", i ? ", " : "", STR_ARG(names.ptr[i]));
	vec_done(&names);
}

static void note(struct buf *notes, const struct buf *set, const char *what, const char *of,
		 struct json container)
{
	if (set->len)
		buf_printf(notes, "%s%s %s for %s %.*s", notes->len ? "; " : "", buf_text(set),
			   what, of, STR_ARG(json_str(json_get(container, "name"))));
}

static void fill_containers(struct json_doc *doc, struct json containers, const char *of,
			    struct json limit, struct buf *notes)
{
	for (struct json_iter it = json_iter(containers); json_next(&it);) {
		AUTO(buf_done) struct buf requests = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf limits = BUF_UNBOUNDED;

		fill(doc, it.value, "limits", json_get(limit, "default"), &limits);
		fill(doc, it.value, "requests", json_get(limit, "defaultRequest"), &requests);
		note(notes, &requests, "request", of, it.value);
		note(notes, &limits, "limit", of, it.value);
	}
}

static void fill_pod(const struct admission *admission, struct json_doc *range)
{
	struct json_doc *doc = admission->doc;
	struct json spec = json_get(admission->object, "spec");
	struct json metadata = json_get(admission->object, "metadata");
	AUTO(buf_done) struct buf notes = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (struct json_iter it = json_iter(limits_of(range)); json_next(&it);) {
		if (!str_is(json_str(json_get(it.value, "type")), "Container"))
			continue;
		fill_containers(doc, json_get(spec, "containers"), "container", it.value, &notes);
		fill_containers(doc, json_get(spec, "initContainers"), "init container", it.value,
				&notes);
	}
	if (!notes.len)
		return;
	buf_printf(&text, "LimitRanger plugin set: %s", buf_text(&notes));
	json_set_str(doc, json_ensure_obj(doc, metadata, "annotations"), ANNOTATION,
		     buf_str(&text));
}

static int admit_limits(const struct admission *admission, struct err *err)
{
	struct store_newest_walk walk;
	struct json_doc *range;

	(void)err;
	if (!is_asked(admission) || !json_is(json_get(admission->object, "spec"), JSON_OBJ))
		return 0;
	walk = walk_ranges(admission->call);
	while ((range = next_range(&walk))) {
		fill_pod(admission, range);
		json_doc_unref(range);
	}
	return 0;
}

/* --- bounds ---------------------------------------------------------------------------------- */

/* What is held against a limit range: the amounts of a container, a pod or a claim. */
struct amounts {
	const char *type; /* "Container" */
	struct pod_total requests;
	struct pod_total limits;
	bool no_limits; /* a claim has none */
};

/* What was missed, each a text. */
struct misses {
	struct arena *arena;
	VEC(const char *) texts;
};

struct bound {
	const struct amounts *of;
	struct misses *misses;
	struct str name;
	struct quantity value;
	const struct pod_amount *request;
	const struct pod_amount *limit;
};

static const char *print(struct arena *arena, const struct quantity *value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	quantity_print(value, &text);
	return arena_strdup(arena, buf_text(&text));
}

/* "minimum cpu usage per Container is 100m, but request is 50m" */
static void miss(const struct bound *bound, const char *which, const char *what,
		 const struct pod_amount *is)
{
	struct arena *arena = bound->misses->arena;
	const char *text =
		arena_printf(arena, "%s %.*s usage per %s is %s", which, STR_ARG(bound->name),
			     bound->of->type, print(arena, &bound->value));

	text = is ? arena_printf(arena, "%s, but %s is %s", text, what, print(arena, &is->value))
		  : arena_printf(arena, "%s.  No %s is specified", text, what);
	vec_push(&bound->misses->texts, text);
}

static void check_min(const struct bound *bound)
{
	if (!bound->request || quantity_cmp(&bound->request->value, &bound->value) < 0)
		miss(bound, "minimum", "request", bound->request);
	else if (bound->limit && quantity_cmp(&bound->limit->value, &bound->value) < 0)
		miss(bound, "minimum", "limit", bound->limit);
}

static void check_max(const struct bound *bound)
{
	if (bound->of->no_limits) {
		if (!bound->request || quantity_cmp(&bound->request->value, &bound->value) > 0)
			miss(bound, "maximum", "request", bound->request);
		return;
	}
	if (!bound->limit || quantity_cmp(&bound->limit->value, &bound->value) > 0)
		miss(bound, "maximum", "limit", bound->limit);
	else if (bound->request && quantity_cmp(&bound->request->value, &bound->value) > 0)
		miss(bound, "maximum", "request", bound->request);
}

static void check_ratio(const struct bound *bound)
{
	struct arena *arena = bound->misses->arena;
	const char *text =
		arena_printf(arena, "%.*s max limit to request ratio per %s is %s",
			     STR_ARG(bound->name), bound->of->type, print(arena, &bound->value));
	double ratio;

	if (!bound->request || quantity_is_zero(&bound->request->value)) {
		text = arena_printf(arena, "%s, but no request is specified or request is 0", text);
	} else if (!bound->limit || quantity_is_zero(&bound->limit->value)) {
		text = arena_printf(arena, "%s, but no limit is specified or limit is 0", text);
	} else {
		ratio = quantity_real(&bound->limit->value) / quantity_real(&bound->request->value);
		if (ratio <= quantity_real(&bound->value))
			return;
		text = arena_printf(arena, "%s, but provided ratio is %f", text, ratio);
	}
	vec_push(&bound->misses->texts, text);
}

static void check_bounds(const struct amounts *of, struct json limit, struct misses *misses)
{
	static const struct {
		const char *name;
		void (*check)(const struct bound *bound);
	} rows[] = {{"min", check_min}, {"max", check_max}, {"maxLimitRequestRatio", check_ratio}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (struct json_iter it = json_iter(json_get(limit, rows[i].name));
		     json_next(&it);) {
			struct bound bound = {.of = of,
					      .misses = misses,
					      .name = it.key,
					      .request = pod_total_find(&of->requests, it.key),
					      .limit = pod_total_find(&of->limits, it.key)};

			if (!pod_total_read(it.value, &bound.value))
				rows[i].check(&bound);
		}
}

static void read_list(struct json list, struct pod_total *ret)
{
	for (struct json_iter it = json_iter(list); json_next(&it);) {
		struct pod_amount amount = {.name = it.key};

		if (!pod_total_read(it.value, &amount.value))
			vec_push(ret, amount);
	}
}

static void check_container(struct json container, struct json limit, struct misses *misses)
{
	struct amounts of = {.type = "Container"};
	struct json resources = json_get(container, "resources");

	read_list(json_get(resources, "requests"), &of.requests);
	read_list(json_get(resources, "limits"), &of.limits);
	check_bounds(&of, limit, misses);
	pod_total_done(&of.requests);
	pod_total_done(&of.limits);
}

static void check_pod(struct json spec, struct json limit, struct misses *misses)
{
	struct amounts of = {.type = "Pod"};

	pod_total_sum(spec, "requests", &of.requests);
	pod_total_sum(spec, "limits", &of.limits);
	check_bounds(&of, limit, misses);
	pod_total_done(&of.requests);
	pod_total_done(&of.limits);
}

static void check_claim(struct json spec, struct json limit, struct misses *misses)
{
	struct amounts of = {.type = "PersistentVolumeClaim", .no_limits = true};

	read_list(json_get(json_get(spec, "resources"), "requests"), &of.requests);
	check_bounds(&of, limit, misses);
	pod_total_done(&of.requests);
}

static void check_range(const struct admission *admission, struct json_doc *range,
			struct misses *misses)
{
	struct json spec = json_get(admission->object, "spec");
	bool pod = str_is(admission->call->kind->prefix, "/pods/");

	for (struct json_iter it = json_iter(limits_of(range)); json_next(&it);) {
		struct str type = json_str(json_get(it.value, "type"));
		static const char *const lists[] = {"containers", "initContainers"};

		for (size_t i = 0; pod && str_is(type, "Container") && i < ARRAY_LEN(lists); i++)
			for (struct json_iter at = json_iter(json_get(spec, lists[i]));
			     json_next(&at);)
				check_container(at.value, it.value, misses);
		if (pod && str_is(type, "Pod"))
			check_pod(spec, it.value, misses);
		else if (!pod && str_is(type, "PersistentVolumeClaim"))
			check_claim(spec, it.value, misses);
	}
}

static int tell(const struct admission *admission, const struct misses *misses, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!misses->texts.len)
		return 0;
	for (size_t i = 0; i < misses->texts.len; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", misses->texts.ptr[i]);
	return admit_forbidden(admission, err, misses->texts.len > 1 ? "[%s]" : "%s",
			       buf_text(&text));
}

static int admit_limits_check(const struct admission *admission, struct err *err)
{
	struct store_newest_walk walk;
	struct json_doc *range;
	int result = 0;

	if (!is_asked(admission))
		return 0;
	walk = walk_ranges(admission->call);
	while (result == 0 && (range = next_range(&walk))) {
		struct misses misses = {.arena = admission->call->arena};

		check_range(admission, range, &misses);
		result = tell(admission, &misses, err);
		vec_done(&misses.texts);
		json_doc_unref(range);
	}
	return result;
}

const struct admitter admitter_pod_limits = {ADMIT_PODS("LimitRanger"),
					     .verbs = ADMIT_CREATE | ADMIT_UPDATE, .sub = true,
					     .change = admit_limits, .check = admit_limits_check};

const struct admitter admitter_claim_limits = {ADMIT_CLAIMS("LimitRanger"),
					       .verbs = ADMIT_CREATE | ADMIT_UPDATE,
					       .check = admit_limits_check};
