/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - see the header. */
#include "facts.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/omap.h"
#include "model/value/quantity.h"
#include "model/volcano/wait_reason.h"
#include "sched/report/explain.h"

#include "base/banned.h"

void notes_done(struct notes *notes)
{
	for (size_t i = 0; i < notes->len; i++)
		mem_free(notes->ptr[i]);
	vec_done(notes);
}

/* --- texts ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.';
}

/* Replace each whole word `name` by `by`. */
static void replace_word(struct buf *text, struct str name, const char *by)
{
	AUTO(buf_done) struct buf out = BUF_INIT(SIZE_MAX);
	struct str s = buf_str(text);
	size_t at = 0;
	ptrdiff_t found;

	while ((found = str_find(s, name, at)) >= 0) {
		size_t end = (size_t)found + name.len;
		bool whole = (found == 0 || !is_word(s.ptr[found - 1])) &&
			     (end == s.len || !is_word(s.ptr[end]) ||
			      (s.ptr[end] == '.' && (end + 1 == s.len || s.ptr[end + 1] == ' ')));

		buf_put(&out, s.ptr + at, (size_t)found - at);
		if (whole)
			buf_puts(&out, by);
		else
			buf_put_str(&out, name);
		at = end;
	}
	buf_put(&out, s.ptr + at, s.len - at);
	buf_clear(text);
	buf_put_str(text, buf_str(&out));
}

/* Names of pods and nodes out of a text. */
static char *normal(const struct world *world, struct str message)
{
	struct buf text = BUF_INIT(SIZE_MAX);
	size_t at = 0;
	struct str key;
	void *value;

	buf_put_str(&text, message);
	while (map_next(world->known, &at, &key, &value)) {
		ptrdiff_t slash = str_find_byte(key, '/', 0);

		replace_word(&text, key, "<pod>");
		replace_word(&text, str_skip(key, (size_t)slash + 1), "<pod>");
	}
	at = 0;
	while (map_next(world->nodes, &at, &key, &value))
		replace_word(&text, key, "<node>");
	return buf_take(&text);
}

/* A text about a state that passes, such as "3 Binding". */
static bool is_passing(const char *text)
{
	static const char *const words[] = {" Binding", " Bound", " Allocated", " Releasing"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *found = strstr(text, words[i]);

		if (found && found > text && found[-1] >= '0' && found[-1] <= '9')
			return true;
	}
	return strncmp(text, "0/", 2) == 0 && strstr(text, "tasks in gang unschedulable");
}

/* --- collecting ------------------------------------------------------------------------------ */

static void count(struct json_doc *doc, struct json object, const char *key)
{
	json_set_int(doc, object, key, json_int(json_get(object, key)) + 1);
}

static struct json ensure_group(struct json_doc *doc, struct json groups, const char *name)
{
	struct json group = json_get(groups, name);

	if (!json_is_absent(group))
		return group;
	group = json_ensure_obj(doc, groups, name);
	json_set_int(doc, group, "bound", 0);
	json_set_int(doc, group, "pending", 0);
	json_set_int(doc, group, "evicted", 0);
	return group;
}

static struct str name_of(const struct object *object)
{
	return str_skip(str_from(object->key),
			(size_t)str_find_byte(str_from(object->key), ' ', 0) + 1);
}

static void add_unbound(const struct world *world, struct json_doc *doc, struct json root,
			const char *group, struct json condition)
{
	struct json all = json_ensure_obj(doc, root, "unbound");
	struct json list = json_ensure_arr(doc, all, group);
	AUTO(mem_free) char *message = normal(world, json_str(json_get(condition, "message")));
	struct json_iter it = json_iter(list);
	struct json made;

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "message")), message) &&
		    str_eq(json_str(json_get(it.value, "reason")),
			   json_str(json_get(condition, "reason")))) {
			count(doc, it.value, "count");
			return;
		}
	made = json_new_obj(doc);
	json_set_int(doc, made, "count", 1);
	json_set_str(doc, made, "status", json_str(json_get(condition, "status")));
	json_set_str(doc, made, "reason", json_str(json_get(condition, "reason")));
	json_set_str(doc, made, "message", str_from(message));
	json_append(doc, list, made);
}

static void add_pod(const struct world *world, struct json_doc *doc, struct json root,
		    struct str key, const char *group)
{
	struct json groups = json_get(root, "groups");
	struct json facts = ensure_group(doc, groups, group);
	ptrdiff_t slash = str_find_byte(key, '/', 0);
	struct object *object = world_find(world, STR("Pod"), str_slice(key, 0, (size_t)slash),
					   str_skip(key, (size_t)slash + 1));
	struct json pod, node;
	struct json_iter it;

	if (!object || object->deleted) {
		count(doc, facts, "evicted");
		return;
	}
	pod = json_doc_root(object->doc);
	node = json_get(json_get(pod, "spec"), "nodeName");
	if (json_str(node).len) {
		AUTO(mem_free) char *name = str_dup(json_str(node));

		count(doc, facts, "bound");
		count(doc, json_ensure_obj(doc, json_ensure_obj(doc, root, "nodes"), name), group);
		json_set(doc, json_ensure_obj(doc, root, "pods"), key, json_new_copy(doc, node));
		return;
	}
	count(doc, facts, "pending");
	it = json_iter(json_get(json_get(pod, "status"), "conditions"));
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodScheduled"))
			add_unbound(world, doc, root, group, it.value);
}

static void add_group(const struct world *world, struct json_doc *doc, struct json root,
		      const struct object *object)
{
	struct json status = json_get(json_doc_root(object->doc), "status");
	AUTO(mem_free) char *name = str_dup(name_of(object));
	struct json facts = ensure_group(doc, json_get(root, "groups"), name);
	struct str phase = json_str(json_get(status, "phase"));
	struct json_iter it = json_iter(json_get(status, "conditions"));

	json_set_str(doc, facts, "phase", phase.len ? phase : STR("Pending"));
	while (json_next(&it)) {
		struct json all = json_ensure_obj(doc, root, "conditions");
		struct json mine = json_ensure_obj(doc, all, name);
		AUTO(mem_free) char *type = str_dup(json_str(json_get(it.value, "type")));
		AUTO(mem_free)
		char *message = normal(world, json_str(json_get(it.value, "message")));
		struct json fact = json_ensure_obj(doc, mine, type);

		json_set_str(doc, fact, "status", json_str(json_get(it.value, "status")));
		json_set_str(doc, fact, "reason", json_str(json_get(it.value, "reason")));
		if ((!phase.len || str_is(phase, "Pending") || str_is(phase, "Inqueue") ||
		     str_is(phase, "Unknown")) &&
		    !is_passing(message))
			json_set_str(doc, fact, "message", str_from(message));
	}
}

static const char *group_of_event(const struct world *world, const struct world_event *event)
{
	struct str object = str_from(event->object);

	if (str_starts(object, STR("PodGroup ")))
		return event->object + strlen("PodGroup ");
	if (!str_starts(object, STR("Pod "))) /* of a node or a queue: under its name */
		return strchr(event->object, ' ') + 1;
	return map_get(world->known, str_skip(object, strlen("Pod ")));
}

static void add_event(const struct world *world, struct json_doc *doc, struct json root,
		      const struct world_event *event)
{
	const char *group = group_of_event(world, event);
	AUTO(mem_free) char *message = normal(world, str_from(event->message));
	struct json list;

	if (!group || is_passing(message))
		return;
	list = json_ensure_arr(doc,
			       json_ensure_obj(doc, json_ensure_obj(doc, root, "events"), group),
			       event->type);
	json_append(doc, list, json_new_str(doc, str_from(message)));
}

struct json_doc *facts_of(const struct world *world, struct str placement)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	size_t at = 0;
	struct str key;
	void *value;

	json_doc_set_root(doc, root);
	json_ensure_obj(doc, root, "groups");
	json_ensure_obj(doc, root, "queues");
	if (world->exited)
		json_set_str(doc, json_ensure_obj(doc, root, "process"), "exited", STR("failure"));
	if (world->unsettled)
		json_set_bool(doc, root, "settled", false);
	while (map_next(world->objects, &at, NULL, &value)) {
		const struct object *object = value;
		struct json mine = json_doc_root(object->doc);

		if (object->kind == CLUSTER_PODGROUP)
			add_group(world, doc, root, object);
		if (object->kind == CLUSTER_NODE) {
			AUTO(mem_free)
			char *name =
				str_dup(json_str(json_get(json_get(mine, "metadata"), "name")));

			json_ensure_obj(doc, json_ensure_obj(doc, root, "nodes"), name);
		}
		if (object->kind == CLUSTER_QUEUE) {
			struct json held = json_get(json_get(mine, "status"), "allocated");

			json_set(doc, json_get(root, "queues"),
				 json_str(json_get(json_get(mine, "metadata"), "name")),
				 json_is_absent(held) ? json_new_obj(doc)
						      : json_new_copy(doc, held));
		}
	}
	at = 0;
	while (map_next(world->known, &at, &key, &value))
		add_pod(world, doc, root, key, value);
	for (size_t i = 0; i < world->events.len; i++)
		add_event(world, doc, root, &world->events.ptr[i]);
	if (!str_is(placement, "nodes"))
		json_remove(doc, root, STR("nodes"));
	if (!str_is(placement, "pods"))
		json_remove(doc, root, STR("pods"));
	return doc;
}

void facts_add_annotations(const struct world *world, struct json names, struct json_doc *facts)
{
	size_t at = 0;
	void *value;

	while (json_len(names) && map_next(world->objects, &at, NULL, &value)) {
		const struct object *object = value;
		struct json meta = json_get(json_doc_root(object->doc), "metadata");
		struct json_iter it = json_iter(names);
		struct json all, mine;

		if (object->kind != CLUSTER_POD || object->deleted)
			continue;
		all = json_ensure_obj(facts, json_doc_root(facts), "annotations");
		mine = json_new_obj(facts);
		json_set(facts, all, name_of(object), mine);
		while (json_next(&it)) {
			struct json note =
				json_get_str(json_get(meta, "annotations"), json_str(it.value));

			if (!json_is_absent(note))
				json_set(facts, mine, json_str(it.value),
					 json_new_copy(facts, note));
		}
	}
}

/* --- comparing ------------------------------------------------------------------------------- */

static void note(struct notes *notes, const char *path, const char *what, struct json want,
		 struct json have)
{
	AUTO(mem_free) char *w = json_text(want, JSON_COMPACT);
	AUTO(mem_free) char *h = json_text(have, JSON_COMPACT);

	vec_push(notes, mem_printf("%s: %s %s, have %s", path, what, w, h));
}

static bool same_amounts(struct json want, struct json have)
{
	const struct {
		struct json a, b;
	} ways[] = {{want, have}, {have, want}};

	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct json_iter it = json_iter(ways[w].a);

		while (json_next(&it)) {
			struct quantity x = {0}, y = {0};
			struct json other = json_get_str(ways[w].b, it.key);

			if (quantity_parse(json_str(it.value), &x, NULL) < 0 ||
			    (!json_is_absent(other) &&
			     quantity_parse(json_str(other), &y, NULL) < 0) ||
			    quantity_cmp(&x, &y) != 0)
				return false;
		}
	}
	return true;
}

static bool has_element(struct json list, struct json element)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (json_eq(it.value, element))
			return true;
	return false;
}

/* Keys that are no facts by themselves. */
static bool is_short(struct str key)
{
	static const char *const keys[] = {"after",  "bound", "pending", "evicted", "phase",
					   "filled", "at",    "why",     "reasons", "advice"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (str_is(key, keys[i]))
			return true;
	return false;
}

static void missing(struct json want, struct json have, const char *path, int depth,
		    struct notes *notes)
{
	struct json_iter it = json_iter(want);
	bool exact = depth == 2 && (str_starts(str_from(path), STR("nodes|")) ||
				    str_starts(str_from(path), STR("queues|")) ||
				    str_starts(str_from(path), STR("annotations|")));

	if (json_is(want, JSON_OBJ) && !exact) {
		if (!json_is(have, JSON_OBJ)) {
			note(notes, path, "want", want, have);
			return;
		}
		while (json_next(&it)) {
			AUTO(mem_free)
			char *below =
				mem_printf("%s%s%.*s", path, *path ? "|" : "", STR_ARG(it.key));

			if (depth > 0 || !is_short(it.key))
				missing(it.value, json_get_str(have, it.key), below, depth + 1,
					notes);
		}
		return;
	}
	if (json_is(want, JSON_ARR)) {
		while (json_next(&it))
			if (!has_element(have, it.value))
				note(notes, path, "no", it.value, have);
		return;
	}
	if (strncmp(path, "queues|", 7) == 0 ? !same_amounts(want, have) : !json_eq(want, have))
		note(notes, path, "want", want, have);
}

void facts_missing(struct json want, struct json have, struct notes *notes)
{
	missing(want, have, "", 0, notes);
}

/* --- the short form -------------------------------------------------------------------------- */

static void short_groups(struct json want, struct json have, struct notes *notes)
{
	static const char *const keys[] = {"bound", "pending", "evicted", "phase"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct json_iter it = json_iter(json_get(want, keys[i]));

		while (json_next(&it)) {
			AUTO(mem_free) char *name = mem_printf("default/%.*s", STR_ARG(it.key));
			AUTO(mem_free) char *path = mem_printf("%s of %s", keys[i], name);
			struct json mine =
				json_get(json_get(json_get(have, "groups"), name), keys[i]);

			if (!json_eq(it.value, mine))
				note(notes, path, "want", it.value, mine);
		}
	}
}

static void short_places(const struct world *world, struct json want, struct notes *notes)
{
	struct json_iter it = json_iter(json_get(want, "filled"));

	while (json_next(&it)) {
		const struct node_info *node = cluster_find_node(world->cluster, it.key);

		if (!node || node->task_count != (uint32_t)json_int(it.value))
			vec_push(notes, mem_printf("filled %.*s: want %lld pods, have %u",
						   STR_ARG(it.key), (long long)json_int(it.value),
						   node ? node->task_count : 0));
	}
	it = json_iter(json_get(want, "at"));
	while (json_next(&it)) {
		struct object *pod = world_find(world, STR("Pod"), STR("default"), it.key);
		struct json node =
			pod ? json_get(json_get(json_doc_root(pod->doc), "spec"), "nodeName")
			    : JSON_NONE;
		AUTO(mem_free) char *path = mem_printf("%.*s is at", STR_ARG(it.key));

		if (!str_eq(json_str(node), json_str(it.value)))
			note(notes, path, "want", it.value, node);
	}
}

static void short_reasons(const struct world *world, struct json want, struct notes *notes)
{
	struct json_iter it = json_iter(json_get(want, "why"));

	while (json_next(&it)) {
		const struct job *job = cluster_find_job(world->cluster, STR("default"), it.key);
		const char *text = job && job->why ? job->why : "";

		if (str_find(str_from(text), json_str(it.value), 0) < 0)
			vec_push(notes,
				 mem_printf("why %.*s: want \"%.*s\", have \"%s\"", STR_ARG(it.key),
					    STR_ARG(json_str(it.value)), text));
	}
}

/* One field of each reason that the annotation of a group reports, in their order: "QueueShare NoNodeFits". */
static void short_reported(const struct world *world, struct json want, const char *field,
			   const char *between, struct notes *notes)
{
	struct json_iter it = json_iter(want);

	while (json_next(&it)) {
		struct object *group = world_find(world, STR("PodGroup"), STR("default"), it.key);
		AUTO(buf_done) struct buf told = BUF_UNBOUNDED;
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct json meta = JSON_NONE;
		struct json_iter at;

		if (group)
			meta = json_get(json_doc_root(group->doc), "metadata");
		doc = json_parse(
			json_str(json_get(json_get(meta, "annotations"), WAIT_REASONS_ANNOTATION)),
			NULL, NULL);
		at = json_iter(doc ? json_doc_root(doc) : JSON_NONE);
		while (json_next(&at)) {
			buf_puts(&told, told.len ? between : "");
			buf_put_str(&told, json_str(json_get(at.value, field)));
		}
		if (!str_eq(buf_str(&told), json_str(it.value)))
			vec_push(notes, mem_printf("%s %.*s: want \"%.*s\", have \"%s\"", field,
						   STR_ARG(it.key), STR_ARG(json_str(it.value)),
						   buf_text(&told)));
	}
}

void facts_short(const struct world *world, struct json want, struct json have, struct notes *notes)
{
	short_groups(want, have, notes);
	short_places(world, want, notes);
	short_reasons(world, want, notes);
	short_reported(world, json_get(want, "reasons"), "cause", " ", notes);
	short_reported(world, json_get(want, "advice"), "advice", "; ", notes);
}

/* --- claims ---------------------------------------------------------------------------------- */

struct picked {
	VEC(struct str) nodes; /* of bound pods */
	int bound, pending, evicted;
	VEC(const char *) groups; /* with a bound pod */
};

static bool lists(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	if (json_is(list, JSON_STR))
		return str_eq(json_str(list), text);
	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return true;
	return false;
}

static bool selects(struct json claim, struct str key, const char *group)
{
	static const char *const names[] = {"pod", "pods"};
	struct str name = str_skip(key, (size_t)str_find_byte(key, '/', 0) + 1);

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!json_is_absent(json_get(claim, names[i])))
			return lists(json_get(claim, names[i]), name);
	return lists(json_get(claim, "group"), str_from(group)) ||
	       lists(json_get(claim, "groups"), str_from(group));
}

static void pick(const struct world *world, struct json claim, struct picked *picked)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(world->known, &at, &key, &value)) {
		ptrdiff_t slash = str_find_byte(key, '/', 0);
		struct object *object =
			world_find(world, STR("Pod"), str_slice(key, 0, (size_t)slash),
				   str_skip(key, (size_t)slash + 1));
		struct str node;
		bool known = false;

		if (!selects(claim, key, value))
			continue;
		if (!object || object->deleted) {
			picked->evicted++;
			continue;
		}
		node = json_str(json_get(json_get(json_doc_root(object->doc), "spec"), "nodeName"));
		if (!node.len) {
			picked->pending++;
			continue;
		}
		picked->bound++;
		vec_push(&picked->nodes, node);
		for (size_t i = 0; i < picked->groups.len; i++)
			known |= strcmp(picked->groups.ptr[i], value) == 0;
		if (!known)
			vec_push(&picked->groups, (const char *)value);
	}
}

static bool allows(struct json wanted, int64_t number)
{
	struct json_iter it = json_iter(wanted);

	if (!json_is(wanted, JSON_ARR))
		return json_is_absent(wanted) || json_int(wanted) == number;
	while (json_next(&it))
		if (json_int(it.value) == number)
			return true;
	return false;
}

static struct str domain(const struct world *world, struct str node, struct str label)
{
	struct object *object = world_find(world, STR("Node"), str_none(), node);

	if (str_is(label, "node") || !object)
		return node;
	return json_str(json_get_str(
		json_get(json_get(json_doc_root(object->doc), "metadata"), "labels"), label));
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* How many of the picked pods are in each domain that has any, ascending; gives their number. */
static size_t domain_sizes(const struct world *world, const struct picked *picked, struct str label,
			   int *sizes)
{
	size_t n = 0;

	for (size_t i = 0; i < picked->nodes.len; i++) {
		struct str mine = domain(world, picked->nodes.ptr[i], label);
		bool first = true;
		int total = 0;

		for (size_t j = 0; j < picked->nodes.len; j++) {
			if (!str_eq(mine, domain(world, picked->nodes.ptr[j], label)))
				continue;
			first &= j >= i;
			total++;
		}
		if (first)
			sizes[n++] = total;
	}
	qsort(sizes, n, sizeof(*sizes), by_number);
	return n;
}

static bool sizes_are(struct json want, const int *sizes, size_t n)
{
	if (json_is_absent(want))
		return true;
	if (json_len(want) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (json_int(json_at(want, i)) != sizes[i])
			return false;
	return true;
}

static const char *judge_places(const struct world *world, struct json claim,
				const struct picked *picked)
{
	struct str same = json_str(json_get(claim, "same"));
	struct str distinct = json_str(json_get(claim, "distinct"));
	struct str per = json_str(json_get(claim, "per"));
	int *sizes = mem_calloc(picked->nodes.len + 1, sizeof(*sizes));
	const char *wrong = NULL;
	size_t n;

	for (size_t i = 0; i < picked->nodes.len; i++) {
		if (!json_is_absent(json_get(claim, "only_on")) &&
		    !lists(json_get(claim, "only_on"), picked->nodes.ptr[i]))
			wrong = "only_on";
		if (lists(json_get(claim, "not_on"), picked->nodes.ptr[i]))
			wrong = "not_on";
	}
	if (same.len && domain_sizes(world, picked, same, sizes) > 1)
		wrong = "same";
	if (distinct.len && domain_sizes(world, picked, distinct, sizes) < picked->nodes.len)
		wrong = "distinct";
	if (per.len) {
		n = domain_sizes(world, picked, per, sizes);
		if (n && !json_is_absent(json_get(claim, "max")) &&
		    sizes[n - 1] > json_int(json_get(claim, "max")))
			wrong = "max";
		if (!sizes_are(json_get(claim, "sizes"), sizes, n))
			wrong = "sizes";
	}
	mem_free(sizes);
	return wrong;
}

static const char *judge_node(const struct world *world, struct json claim)
{
	struct str name = json_str(json_get(claim, "node"));
	const struct node_info *node = name.len ? cluster_find_node(world->cluster, name) : NULL;
	int64_t pods = node ? node->task_count : 0;
	struct json most = json_get(claim, "max_pods"), least = json_get(claim, "min_pods");

	if (!name.len)
		return NULL;
	if ((!json_is_absent(most) && pods > json_int(most)) ||
	    (!json_is_absent(least) && pods < json_int(least)))
		return "pods on node";
	return NULL;
}

static const char *judge_phases(const struct world *world, struct json claim)
{
	struct json want = json_get(claim, "phases");
	struct json groups = json_get(claim, "groups");
	struct json_iter it = json_iter(want);

	/* As many groups in each phase as the list names it. */
	while (json_next(&it)) {
		struct json_iter again = json_iter(want), group = json_iter(groups);
		int named = 0, have = 0;

		while (json_next(&again))
			named += json_eq(again.value, it.value);
		while (json_next(&group)) {
			struct str key = json_str(group.value);
			ptrdiff_t slash = str_find_byte(key, '/', 0);
			struct object *object =
				world_find(world, STR("PodGroup"), str_slice(key, 0, (size_t)slash),
					   str_skip(key, (size_t)slash + 1));
			struct str phase =
				object ? json_str(json_get(
						 json_get(json_doc_root(object->doc), "status"),
						 "phase"))
				       : str_none();

			have += str_eq(phase.len ? phase : STR("Pending"), json_str(it.value));
		}
		if (named != have)
			return "phases";
	}
	return NULL;
}

void facts_claim(const struct world *world, struct json claim, struct notes *notes)
{
	struct picked picked = {0};
	const char *wrong = NULL;

	pick(world, claim, &picked);
	if (!allows(json_get(claim, "bound"), picked.bound))
		wrong = "bound";
	if (!allows(json_get(claim, "pending"), picked.pending))
		wrong = "pending";
	if (!allows(json_get(claim, "evicted"), picked.evicted))
		wrong = "evicted";
	if (!allows(json_get(claim, "groups_bound"), (int64_t)picked.groups.len))
		wrong = "groups_bound";
	if (!wrong)
		wrong = judge_places(world, claim, &picked);
	if (!wrong)
		wrong = judge_node(world, claim);
	if (!wrong)
		wrong = judge_phases(world, claim);
	if (wrong) {
		AUTO(mem_free) char *text = json_text(claim, JSON_COMPACT);

		vec_push(notes,
			 mem_printf("claim %s: %s does not hold (bound %d, pending %d, "
				    "evicted %d)",
				    text, wrong, picked.bound, picked.pending, picked.evicted));
	}
	vec_done(&picked.nodes);
	vec_done(&picked.groups);
}
