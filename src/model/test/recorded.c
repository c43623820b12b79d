/* SPDX-License-Identifier: Apache-2.0 */
/* What a real kube-apiserver answered, if the recordings are there: each POST, PUT and PATCH of a
 * built-in kind goes through omission, defaults and rules, and must end with the same code, the same
 * causes and the same object.
 *
 * There is no server here: what only a server knows (uid, versions, addresses that it hands out) is
 * left out of the comparison, and steps that depend on other objects are passed over. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "json/doc.h"
#include "json/merge.h"
#include "json/strategic.h"
#include "model/core/configmap.h"
#include "model/core/event.h"
#include "model/core/limitrange.h"
#include "model/core/meta.h"
#include "model/core/namespace.h"
#include "model/core/node.h"
#include "model/core/pvc.h"
#include "model/core/quota.h"
#include "model/core/secret.h"
#include "model/core/service.h"
#include "model/core/serviceaccount.h"
#include "model/group/disruption.h"
#include "model/group/endpoints.h"
#include "model/group/lease.h"
#include "model/group/priorityclass.h"
#include "tap.h"

#include "base/banned.h"

struct row {
	const char *prefix; /* of the path, "%" for "/namespaces/NAME" */
	const char *plural;
	const struct type *type;
	enum name_format format;
	bool namespaced;
	void (*prepare)(struct json_doc *doc, struct json object);
	void (*create)(struct json object, struct causes *causes);
	void (*update)(struct json object, struct json old, struct causes *causes);
	void (*status)(struct json object, struct json old, struct causes *causes);
};

#define CORE "/api/v1"
static const struct row rows[] = {
	{CORE, "nodes", &node_type, NAME_DNS_SUBDOMAIN, false, node_prepare_create, NULL, NULL,
	 NULL},
	{CORE, "namespaces", &namespace_type, NAME_DNS_LABEL, false, namespace_prepare_create, NULL,
	 NULL, NULL},
	{CORE, "configmaps", &configmap_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL, NULL},
	{CORE, "secrets", &secret_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL, NULL},
	{CORE, "events", &event_type, NAME_PATH_SEGMENT, true, NULL, event_validate_create,
	 event_validate_update, NULL},
	{"/apis/events.k8s.io/v1", "events", &events_event_type, NAME_DNS_SUBDOMAIN, true, NULL,
	 events_event_validate_create, events_event_validate_update, NULL},
	{"/apis/scheduling.k8s.io/v1", "priorityclasses", &priorityclass_type, NAME_DNS_SUBDOMAIN,
	 false, NULL, NULL, NULL, NULL},
	{"/apis/coordination.k8s.io/v1", "leases", &lease_type, NAME_DNS_SUBDOMAIN, true, NULL,
	 NULL, NULL, NULL},
	{"/apis/policy/v1", "poddisruptionbudgets", &pdb_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL,
	 NULL, NULL},
	{CORE, "persistentvolumeclaims", &pvc_type, NAME_DNS_SUBDOMAIN, true, pvc_prepare_create,
	 NULL, NULL, NULL},
	{CORE, "resourcequotas", &quota_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL, NULL},
	{CORE, "limitranges", &limitrange_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL, NULL},
	{CORE, "serviceaccounts", &serviceaccount_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL,
	 NULL},
	{CORE, "services", &service_type, NAME_DNS1035_LABEL, true, service_prepare_create, NULL,
	 NULL, NULL},
	{CORE, "endpoints", &endpoints_type, NAME_DNS_SUBDOMAIN, true, NULL, NULL, NULL, NULL},
};

struct step {
	const struct row *row;
	struct str name; /* "" for a POST */
	struct str sub;
};

static struct str cut(struct str *rest)
{
	struct str part = str_none();

	return str_split(rest, '/', &part) ? part : str_none();
}

/* The row that a path is of, or NULL; the rest of the path in *ret. */
static bool find_row(struct str path, struct step *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str rest = path;
		struct str plural;

		if (!str_starts(path, str_from(rows[i].prefix)))
			continue;
		rest = str_skip(path, strlen(rows[i].prefix) + 1);
		plural = cut(&rest);
		if (rows[i].namespaced) {
			if (!str_is(plural, "namespaces"))
				continue;
			cut(&rest);
			plural = cut(&rest);
		}
		if (!str_is(plural, rows[i].plural))
			continue;
		*ret = (struct step){.row = &rows[i]};
		ret->name = cut(&rest);
		ret->sub = cut(&rest);
		if (!ret->sub.len || str_is(ret->sub, "status"))
			return true;
	}
	return false;
}

/* ${ns} and ${pad:N} become what they stand for. */
static void expand(struct str text, struct buf *to)
{
	for (size_t at = 0; at < text.len;) {
		struct str rest = str_skip(text, at);
		ptrdiff_t end = str_find_byte(rest, '}', 0);
		int64_t count;

		if (str_starts(rest, STR("${ns}"))) {
			buf_puts(to, "case-ns");
			at += 5;
		} else if (str_starts(rest, STR("${id}"))) {
			buf_puts(to, "case");
			at += 5;
		} else if (str_starts(rest, STR("${pad:")) && end > 0 &&
			   !number_parse_i64(str_slice(rest, 6, (size_t)end), &count, NULL)) {
			for (int64_t i = 0; i < count; i++)
				buf_putc(to, 'x');
			at += (size_t)end + 1;
		} else {
			buf_putc(to, text.ptr[at++]);
		}
	}
}

static struct json_doc *expanded(struct str line)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	expand(line, &text);
	return json_parse(buf_str(&text), NULL, NULL);
}

/* --- the way of a request -------------------------------------------------------------------- */

struct store {
	struct map *objects; /* path of an object -> json_doc */
	struct arena *arena; /* of the paths */
};

static void put(struct store *store, struct str path, struct json_doc *doc)
{
	struct json_doc *old = map_put(store->objects, path, doc);

	json_doc_unref(old);
}

static void validate_meta(const struct step *step, struct json object, struct json old,
			  struct causes *causes)
{
	struct path path = path_member(NULL, STR("metadata"));
	struct meta_rules rules = {step->row->namespaced, step->row->format, true};

	if (json_is_absent(old))
		meta_validate(json_get(object, "metadata"), &rules, &path, causes);
	else
		meta_validate_update(json_get(old, "metadata"), json_get(object, "metadata"),
				     &rules, &path, causes);
}

/* What the server knows of an object. */
static void set_meta(const struct step *step, struct json_doc *doc, struct json object,
		     struct json old)
{
	struct json meta = json_ensure_obj(doc, object, "metadata");
	struct json status = json_get(old, "status");

	if (step->row->namespaced)
		json_set_str(doc, meta, "namespace", STR("case-ns"));
	else
		json_remove(doc, meta, STR("namespace"));
	json_set_str(doc, object, "kind", str_from(step->row->type->name));
	if (json_is_absent(old))
		return;
	json_set_str(doc, meta, "resourceVersion", STR("1"));
	json_remove(doc, meta, STR("creationTimestamp"));
	if (!step->sub.len && (step->row->status || step->row->type->status) &&
	    !json_is_absent(status))
		json_set(doc, object, STR("status"), json_new_copy(doc, status));
	if (step->sub.len && !json_is_absent(json_get(old, "spec")))
		json_set(doc, object, STR("spec"), json_new_copy(doc, json_get(old, "spec")));
}

static int run(const struct step *step, struct json_doc *doc, struct json old,
	       struct causes *causes)
{
	struct json object = json_doc_root(doc);
	struct err err = {0};

	if (type_check_types(step->row->type, object, &err))
		return 400;
	set_meta(step, doc, object, old);
	type_prune(step->row->type, doc, object, NULL, NULL);
	type_default(step->row->type, doc, object);
	type_canonicalize(step->row->type, doc, object);
	if (json_is_absent(old) && step->row->prepare)
		step->row->prepare(doc, object);
	validate_meta(step, object, old, causes);
	if (json_is_absent(old) && step->row->create)
		step->row->create(object, causes);
	else if (step->sub.len && step->row->status)
		step->row->status(object, old, causes);
	else if (!json_is_absent(old) && step->row->update)
		step->row->update(object, old, causes);
	else if (json_is_absent(old) && step->row->type->rules)
		type_validate(step->row->type, object, causes);
	else if (step->sub.len)
		type_validate_status(step->row->type, old, object, causes);
	else if (step->row->type->update)
		type_validate_update(step->row->type, old, object, causes);
	return causes->len ? 422 : json_is_absent(old) ? 201 : 200;
}

/* --- comparing ------------------------------------------------------------------------------- */

static bool is_server_only(struct str key)
{
	static const char *const keys[] = {"uid",        "resourceVersion",     "creationTimestamp",
					   "generation", "managedFields",       "clusterIP",
					   "clusterIPs", "ipFamilies",          "ipFamilyPolicy",
					   "nodePort",   "healthCheckNodePort", "apiVersion"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (str_is(key, keys[i]))
			return true;
	return false;
}

static bool differs(struct json got, struct json want, struct str key);

static bool objects_differ(struct json got, struct json want)
{
	struct json_iter it = json_iter(want);

	while (json_next(&it))
		if (!is_server_only(it.key) && differs(json_get_str(got, it.key), it.value, it.key))
			return true;
	it = json_iter(got);
	while (json_next(&it))
		if (!is_server_only(it.key) && json_is_absent(json_get_str(want, it.key))) {
			printf("#   unexpected %.*s\n", STR_ARG(it.key));
			return true;
		}
	return false;
}

static bool differs(struct json got, struct json want, struct str key)
{
	if (json_is(want, JSON_STR) && str_starts(json_str(want), STR("<")))
		return false;
	if (json_is(want, JSON_OBJ) && json_is(got, JSON_OBJ))
		return objects_differ(got, want);
	if (json_is(want, JSON_ARR) && json_len(want) == json_len(got)) {
		for (size_t i = 0; i < json_len(want); i++)
			if (differs(json_at(got, i), json_at(want, i), key))
				return true;
		return false;
	}
	if (json_eq(got, want))
		return false;
	AUTO(mem_free) char *left = json_text(got, JSON_COMPACT);
	AUTO(mem_free) char *right = json_text(want, JSON_COMPACT);

	printf("#   %.*s: want %.300s, got %.300s\n", STR_ARG(key), right, left);
	return true;
}

static bool same_cause(struct json want, struct json got)
{
	return json_eq(json_get(want, "field"), json_get(got, "field")) &&
	       json_eq(json_get(want, "message"), json_get(got, "message")) &&
	       json_eq(json_get(want, "reason"), json_get(got, "reason"));
}

static bool has_cause(struct json causes, struct json cause)
{
	struct json_iter it = json_iter(causes);

	while (json_next(&it))
		if (same_cause(it.value, cause))
			return true;
	return false;
}

/* An update can report a cause more than once; the server decides that. */
static bool causes_differ(const struct causes *causes, struct json want)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json got = causes_encode(causes, doc);
	struct json_iter it = json_iter(want);
	bool found = false;

	while (json_next(&it))
		if (!has_cause(got, it.value)) {
			printf("#   missing %.*s: %.*s\n",
			       STR_ARG(json_str(json_get(it.value, "field"))),
			       STR_ARG(json_str(json_get(it.value, "message"))));
			found = true;
		}
	it = json_iter(got);
	while (json_next(&it))
		if (!has_cause(want, it.value)) {
			printf("#   unexpected %.*s: %.*s\n",
			       STR_ARG(json_str(json_get(it.value, "field"))),
			       STR_ARG(json_str(json_get(it.value, "message"))));
			found = true;
		}
	return found;
}

/* --- a case ---------------------------------------------------------------------------------- */

/* The document that a request asks for; NULL if it is not known here. */
static struct json_doc *wanted(const struct step *step, struct str method, struct json request,
			       struct json old)
{
	struct json body = json_get(request, "body");
	struct str type = json_str(json_get(json_get(request, "headers"), "Content-Type"));
	struct field root;
	struct json_strategy_schema schema = type_strategy(step->row->type, &root);

	if (!json_is(body, JSON_OBJ))
		return NULL;
	if (str_is(method, "POST"))
		return json_doc_thaw(body);
	if (json_is_absent(old))
		return NULL;
	if (str_is(method, "PUT"))
		return json_doc_thaw(body);
	if (str_is(type, "application/merge-patch+json"))
		return json_merge_apply(old, body);
	if (str_is(type, "application/strategic-merge-patch+json"))
		return json_strategic_apply(old, body, &schema, NULL);
	return NULL;
}

/* Codes that no rule of a kind gives. */
static bool is_about_rules(int64_t code)
{
	return code == 200 || code == 201 || code == 422;
}

/* Not a table, not metadata alone, and not what depends on a removal or on a version. */
static bool is_told(const struct step *step, struct json body)
{
	struct json causes = json_get(json_get(body, "details"), "causes");
	struct str kind = json_str(json_get(body, "kind"));
	struct str field = json_str(json_get(json_at(causes, 0), "field"));

	return (!kind.len || str_is(kind, step->row->type->name) || str_is(kind, "Status")) &&
	       !str_is(field, "metadata.resourceVersion") && !str_is(field, "patch") &&
	       json_is_absent(json_get(json_get(body, "metadata"), "deletionTimestamp"));
}

/* If only parts are compared (`only`), by their paths, the code is enough. */
static bool answers_differ(struct json line, struct json_doc *doc, int got,
			   const struct causes *causes)
{
	struct json expect = json_get(line, "expect");
	struct json body = json_get(expect, "body");
	int64_t code = json_int(json_get(expect, "code"));
	bool bad = (got == 201 ? 200 : got) != (code == 201 ? 200 : code);

	if (json_is(json_get(line, "only"), JSON_ARR))
		return bad;
	if (bad || got == 422)
		return causes_differ(causes, json_get(json_get(body, "details"), "causes")) || bad;
	return objects_differ(json_doc_root(doc), body);
}

static void run_step(struct store *store, struct json line, const char *file, size_t number)
{
	struct json request = json_get(line, "do");
	struct json expect = json_get(line, "expect");
	struct str method = json_str(json_get(request, "method"));
	struct str path = json_str(json_get(request, "path"));
	struct json body = json_get(expect, "body");
	int64_t code = json_int(json_get(expect, "code"));
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct json_doc *before;
	struct step step;
	int got;

	if (str_is(method, "GET") || str_is(method, "DELETE") || !find_row(path, &step))
		return;
	buf_put_str(&key, path);
	if (step.sub.len)
		key.len -= step.sub.len + 1;
	before = map_get(store->objects, buf_str(&key));
	doc = wanted(&step, method, request, before ? json_doc_root(before) : JSON_NONE);
	if (!doc)
		return;
	got = run(&step, doc, before ? json_doc_root(before) : JSON_NONE, &causes);
	if (is_about_rules(code) && is_told(&step, body))
		ok(!answers_differ(line, doc, got, &causes), "%s:%zu %.*s %.*s", file, number,
		   STR_ARG(method), STR_ARG(path));
	if (got >= 300 || code >= 300)
		return;
	if (str_is(method, "POST"))
		buf_printf(&key, "/%.*s",
			   STR_ARG(json_str(
				   json_get(json_get(json_doc_root(doc), "metadata"), "name"))));
	put(store, arena_str(store->arena, buf_str(&key)), json_doc_ref(doc));
}

static void run_case(const char *folder, const char *file)
{
	AUTO(map_free) struct map *objects = map_new(1);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct store store = {objects, arena};
	char *line = NULL;
	size_t room = 0;
	size_t number = 0;
	size_t at = 0;
	struct str key;
	void *value;
	char path[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	in = fopen(path, "re");
	if (!in)
		return;
	while (getline(&line, &room, in) > 0) {
		AUTO(json_doc_unref) struct json_doc *doc = expanded(str_trim(str_from(line)));

		number++;
		if (doc && json_is(json_get(json_doc_root(doc), "do"), JSON_OBJ))
			run_step(&store, json_doc_root(doc), file, number);
	}
	free(line);
	fclose(in);
	while (map_next(objects, &at, &key, &value))
		json_doc_unref(value);
}

static int is_case(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".jsonl"));
}

static bool run_topic(const char *topic)
{
	static const char *const roots[] = {"../shared/cases/kube-api",
					    "../../shared/cases/kube-api"};
	struct dirent **files = NULL;
	char folder[256];
	int count = -1;

	for (size_t i = 0; count < 0 && i < ARRAY_LEN(roots); i++) {
		snprintf(folder, sizeof(folder), "%s/%s", roots[i], topic);
		count = scandir(folder, &files, is_case, alphasort);
	}
	for (int i = 0; i < count; i++) {
		run_case(folder, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	return count >= 0;
}

int main(void)
{
	static const char *const topics[] = {"objects",      "namespaces", "quantities",
					     "subresources", "flows",      "tables"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(topics); i++)
		any = run_topic(topics[i]) || any;
	ok(true, any ? "the recordings were there" : "left out: the recordings are not there");
	return tap_done();
}
