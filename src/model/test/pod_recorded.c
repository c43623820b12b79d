/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations with a real kube-apiserver about pods, replayed in process: decode, default, validate,
 * and compare with what it answered. Where the recordings are not there, that is said and nothing is
 * checked.
 *
 * Only what is a pod's own is compared. What admission adds (service account, tolerations, priority,
 * token) is taken out of the answer first where we have not said it ourselves; what other objects
 * decide (a missing PriorityClass, a RuntimeClass) is left out and counted. */
#include <dirent.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "model/pod.h"
#include "model/pod_validate.h"
#include "tap.h"

struct count {
	int passed;
	int failed;
	int left_out;
};

/* The objects that a case has made so far, by path. */
struct made {
	struct str path;
	struct json object; /* as the server answered */
};
struct store VEC_FIELDS(struct made);

static struct json find_made(const struct store *store, struct str path)
{
	for (size_t i = store->len; i-- > 0;)
		if (str_eq(store->ptr[i].path, path))
			return store->ptr[i].object;
	return JSON_NONE;
}

/* --- taking admission out -------------------------------------------------------------------- */

static bool is_admitted_toleration(struct json toleration)
{
	return str_starts(json_str(json_get(toleration, "key")), STR("node.kubernetes.io/")) &&
	       json_int(json_get(toleration, "tolerationSeconds")) == 300;
}

static void drop_admitted(struct json_doc *doc, struct json spec, struct json ours)
{
	static const char *const members[] = {
		"serviceAccountName",
		"serviceAccount",
		"priority",
		"preemptionPolicy",
	};
	struct json tolerations = json_get(spec, "tolerations");

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (json_is_absent(json_get(ours, members[i])))
			json_remove(doc, spec, str_from(members[i]));
	for (size_t i = json_len(tolerations); i-- > 0;)
		if (is_admitted_toleration(json_at(tolerations, i)) &&
		    json_len(tolerations) > json_len(json_get(ours, "tolerations")))
			json_remove_at(doc, tolerations, i);
	if (!json_len(tolerations))
		json_remove(doc, spec, STR("tolerations"));
}

static void drop_token(struct json_doc *doc, struct json spec)
{
	static const char *const lists[] = {"containers", "initContainers"};
	struct json volumes = json_get(spec, "volumes");

	for (size_t i = json_len(volumes); i-- > 0;)
		if (str_starts(json_str(json_get(json_at(volumes, i), "name")),
			       STR("kube-api-access")))
			json_remove_at(doc, volumes, i);
	if (!json_len(volumes))
		json_remove(doc, spec, STR("volumes"));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it)) {
			struct json mounts = json_get(it.value, "volumeMounts");

			for (size_t k = json_len(mounts); k-- > 0;)
				if (str_starts(json_str(json_get(json_at(mounts, k), "name")),
					       STR("kube-api-access")))
					json_remove_at(doc, mounts, k);
			if (!json_len(mounts))
				json_remove(doc, it.value, STR("volumeMounts"));
		}
	}
}

/* --- comparing ------------------------------------------------------------------------------- */

static void show(const char *what, struct json value)
{
	char *text = json_text(value, JSON_CANONICAL);

	tap_show(what, text);
	mem_free(text);
}

static bool same_part(struct json got, struct json want, const char *key)
{
	if (json_eq(json_get(got, key), json_get(want, key)))
		return true;
	show("want", json_get(want, key));
	show("got ", json_get(got, key));
	return false;
}

static bool same_object(struct json got, struct json answer)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(answer);
	struct json want = json_doc_root(doc);

	if (json_is(json_get(want, "spec"), JSON_OBJ)) {
		drop_token(doc, json_get(want, "spec"));
		drop_admitted(doc, json_get(want, "spec"), json_get(got, "spec"));
	}
	return same_part(got, want, "spec") && same_part(got, want, "status") &&
	       same_part(got, want, "template");
}

/* Up to the placeholder for what differs from run to run. */
static bool same_text(struct str got, struct str want)
{
	ptrdiff_t mask = str_find(want, STR("<diff>"), 0);

	return mask < 0 ? str_eq(got, want) : str_starts(got, str_slice(want, 0, (size_t)mask));
}

static bool same_causes(const struct causes *causes, struct json answer)
{
	struct json list = json_get(json_get(answer, "details"), "causes");
	bool same = json_len(list) == causes->len;

	for (size_t i = 0; same && i < causes->len; i++) {
		struct json cause = json_at(list, i);

		same = same_text(str_from(causes->ptr[i].message),
				 json_str(json_get(cause, "message"))) &&
		       str_is(json_str(json_get(cause, "field")), causes->ptr[i].field) &&
		       str_is(json_str(json_get(cause, "reason")),
			      cause_reason_name(causes->ptr[i].reason));
	}
	if (same)
		return true;
	show("want", list);
	for (size_t i = 0; i < causes->len; i++) {
		tap_show("got  field", causes->ptr[i].field);
		tap_show("got  message", causes->ptr[i].message);
	}
	return false;
}

static bool same_message(const struct causes *causes, const char *kind, struct json answer)
{
	struct err err = {0};
	struct str want = json_str(json_get(answer, "message"));

	if (!causes->len)
		return true;
	(void)causes_err(causes, kind, json_str(json_get(json_get(answer, "details"), "name")),
			 &err);
	if (same_text(str_from(err.text), want) || strlen(err.text) + 1 >= sizeof(err.text))
		return true;
	show("want", json_get(answer, "message"));
	tap_show("got ", err.text);
	return false;
}

/* --- the steps ------------------------------------------------------------------------------- */

static struct json_doc *patched(struct json target, struct json request, struct json body)
{
	struct field root;
	const struct json_strategy_schema schema = type_strategy(&pod_type, &root);
	struct str type = json_str(json_get(json_get(request, "headers"), "Content-Type"));

	if (str_is(type, "application/merge-patch+json"))
		return json_merge_apply(target, body);
	if (str_is(type, "application/json-patch+json"))
		return json_patch_apply(target, body, NULL);
	return json_strategic_apply(target, body, &schema, NULL);
}

/* The new object, as the server would have it before validation; NULL when we cannot tell. */
static struct json_doc *make_object(struct json request, struct json old, bool status,
				    const struct type *type)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json body = json_get(request, "body");
	bool create = str_is(json_str(json_get(request, "method")), "POST");
	struct json object;

	if (str_is(json_str(json_get(request, "method")), "PATCH"))
		doc = patched(old, request, body);
	else
		doc = json_doc_thaw(body);
	if (!doc || (create && type_check_types(type, json_doc_root(doc), NULL)))
		return NULL;
	object = json_doc_root(doc);
	type_prune(type, doc, object, NULL, NULL);
	if (!create) /* the part that is not written stays as it was */
		json_set(doc, object, status ? STR("spec") : STR("status"),
			 json_new_copy(doc, json_get(old, status ? "spec" : "status")));
	type_default(type, doc, object);
	type_canonicalize(type, doc, object);
	if (create && type == &pod_type)
		pod_prepare_create(doc, object);
	return TAKE(doc);
}

static void validate(struct json object, struct json old, bool status, const struct type *type,
		     struct causes *causes)
{
	if (status) {
		pod_validate_status(object, old, causes);
		return;
	}
	type_validate(type, object, causes);
	if (type == &pod_type && json_is_absent(old))
		pod_validate_new(object, causes);
	else if (type == &pod_type)
		pod_validate_update(object, old, causes);
}

/* "/api/v1/namespaces/${ns}/pods/p/status" -> the object's path, and whether it is its status. */
static struct str object_path(struct str path, bool *ret_status)
{
	*ret_status = str_ends(path, STR("/status"));
	return *ret_status ? str_slice(path, 0, path.len - sizeof("/status") + 1) : path;
}

static const struct type *type_of(struct str path)
{
	struct str rest = str_skip(path, sizeof("/api/v1/namespaces/${ns}/") - 1);

	if (!str_starts(path, STR("/api/v1/namespaces/${ns}/")))
		return NULL;
	if (str_is(rest, "pods") || str_starts(rest, STR("pods/")))
		return &pod_type;
	return str_is(rest, "podtemplates") || str_starts(rest, STR("podtemplates/"))
		       ? &pod_template_type
		       : NULL;
}

static void remember(struct store *store, struct str path, struct json answer, struct arena *arena)
{
	struct str name = json_str(json_get(json_get(answer, "metadata"), "name"));

	vec_push(store, (struct made){str_from(arena_printf(arena, "%.*s/%.*s", STR_ARG(path),
							    STR_ARG(name))),
				      answer});
}

static bool is_write(struct str method)
{
	return str_is(method, "POST") || str_is(method, "PUT") || str_is(method, "PATCH");
}

static bool check(struct json_doc *doc, struct json old, bool status, const struct type *type,
		  struct json expect)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json answer = json_get(expect, "body");

	validate(json_doc_root(doc), old, status, type, &causes);
	if (json_int(json_get(expect, "code")) == 422)
		return same_causes(&causes, answer) && same_message(&causes, type->name, answer);
	return same_causes(&causes, JSON_NONE) && same_object(json_doc_root(doc), answer);
}

static void step(struct json line, struct store *store, const char *file, struct count *count,
		 struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json request = json_get(line, "do");
	struct json expect = json_get(line, "expect");
	int64_t code = json_int(json_get(expect, "code"));
	bool status;
	struct str path = object_path(json_str(json_get(request, "path")), &status);
	const struct type *type = type_of(path);
	struct json old = find_made(store, path);
	bool create = str_is(json_str(json_get(request, "method")), "POST");

	if (!type || !is_write(json_str(json_get(request, "method"))) || !code)
		return;
	if (create && code < 300)
		remember(store, path, json_get(expect, "body"), arena);
	if ((!create && json_is_absent(old)) || (code > 300 && code != 422)) {
		count->left_out++;
		return;
	}
	doc = make_object(request, create ? JSON_NONE : old, status, type);
	if (doc && check(doc, create ? JSON_NONE : old, status, type, expect)) {
		count->passed++;
	} else {
		char *text = json_text(json_get(request, "body"), JSON_COMPACT);

		count->failed++;
		tap_show(file, text);
		mem_free(text);
	}
	if (!create && code < 300)
		vec_push(store, (struct made){path, json_get(expect, "body")});
}

static struct str read_file(const char *path, struct buf *to)
{
	FILE *file = fopen(path, "re");
	char chunk[4096];
	size_t got;

	while (file && (got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_put(to, chunk, got);
	if (file)
		(void)fclose(file);
	return buf_str(to);
}

static void replay(const char *path, struct count *count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str rest = read_file(path, &text);
	VEC(struct json_doc *) docs = {0};
	struct store store = {0};
	struct str line;

	while (str_split(&rest, '\n', &line)) {
		struct json_doc *doc = line.len ? json_parse(line, NULL, NULL) : NULL;

		if (!doc)
			continue;
		vec_push(&docs, doc);
		step(json_doc_root(doc), &store, path, count, arena);
	}
	for (size_t i = 0; i < docs.len; i++)
		json_doc_unref(docs.ptr[i]);
	vec_done(&docs);
	vec_done(&store);
}

static bool replay_folder(const char *root, const char *topic)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const char *folder = arena_printf(arena, "%s/%s", root, topic);
	struct count count = {0};
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (str_ends(str_from(entry->d_name), STR(".jsonl")))
			replay(arena_printf(arena, "%s/%s", folder, entry->d_name), &count);
	if (dir)
		(void)closedir(dir);
	if (!dir)
		return false;
	ok(!count.failed, "%s: %d of %d steps as recorded, %d need more than the pod", topic,
	   count.passed, count.passed + count.failed, count.left_out);
	return true;
}

int main(void)
{
	static const char *const roots[] = {
		"../../shared/cases/kube-api",
		"../shared/cases/kube-api",
	};
	static const char *const topics[] = {
		"pod-defaulting",   "pod-validation", "quantities",
		"field-validation", "flows",          "subresources",
	};
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_LEN(roots); i++)
		for (size_t k = 0; k < ARRAY_LEN(topics); k++)
			found = replay_folder(roots[i], topics[k]) || found;
	if (!found)
		ok(true, "no recordings here, nothing to replay # SKIP");
	return tap_done();
}
