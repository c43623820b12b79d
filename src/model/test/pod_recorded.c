/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations with a real kube-apiserver about pods, replayed in process: decode, default, validate,
 * and compare with what it answered. If the recordings are missing, the test says so and
 * checks nothing.
 *
 * Only what is a pod's own is compared. What admission adds (service account, tolerations, priority,
 * token) is taken out of the answer first if we have not said it ourselves; what other objects
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
#include "model/pod/pod.h"
#include "model/pod/pod_prepare.h"
#include "model/pod/pod_validate.h"
#include "model/pod/pod_warn.h"
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

/* --- admission, as far as the pod's rules see it --------------------------------------------- */

static bool tolerates(struct json tolerations, const char *taint)
{
	struct json_iter it = json_iter(tolerations);

	while (json_next(&it)) {
		struct str key = json_str(json_get(it.value, "key"));
		struct str effect = json_str(json_get(it.value, "effect"));

		if ((!key.len || str_is(key, taint)) &&
		    (!effect.len || str_is(effect, "NoExecute")))
			return true;
	}
	return false;
}

static void admit(struct json_doc *doc, struct json spec)
{
	static const char *const taints[] = {
		"node.kubernetes.io/not-ready",
		"node.kubernetes.io/unreachable",
	};

	if (json_is_absent(json_get(spec, "serviceAccountName"))) {
		json_set_str(doc, spec, "serviceAccountName", STR("default"));
		json_set_str(doc, spec, "serviceAccount", STR("default"));
	}
	for (size_t i = 0; i < ARRAY_LEN(taints); i++) {
		struct json toleration;

		if (tolerates(json_get(spec, "tolerations"), taints[i]))
			continue;
		toleration = json_new_obj(doc);
		json_set_str(doc, toleration, "key", str_from(taints[i]));
		json_set_str(doc, toleration, "operator", STR("Exists"));
		json_set_str(doc, toleration, "effect", STR("NoExecute"));
		json_set_int(doc, toleration, "tolerationSeconds", 300);
		json_append(doc, json_ensure_arr(doc, spec, "tolerations"), toleration);
	}
}

/* --- taking admission out -------------------------------------------------------------------- */

/* The priority comes from other objects. */
static void drop_admitted(struct json_doc *doc, struct json spec, struct json ours)
{
	static const char *const members[] = {"priority", "preemptionPolicy"};

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (json_is_absent(json_get(ours, members[i])))
			json_remove(doc, spec, str_from(members[i]));
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

static struct json_doc *patched(const struct type *kind, struct json target, struct json request)
{
	struct field root;
	const struct json_strategy_schema schema = type_strategy(kind, &root);
	struct json body = json_get(request, "body");
	struct str type = json_str(json_get(json_get(request, "headers"), "Content-Type"));

	if (str_is(type, "application/merge-patch+json"))
		return json_merge_apply(target, body);
	if (str_is(type, "application/json-patch+json"))
		return json_patch_apply(target, body, NULL);
	return json_strategic_apply(target, body, &schema, NULL);
}

/* The new object, as the server would have it before validation; NULL if it is not known. */
static struct json_doc *make_object(struct json request, struct json old, bool status,
				    const struct type *type)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json body = json_get(request, "body");
	bool create = str_is(json_str(json_get(request, "method")), "POST");
	struct json object;

	if (str_is(json_str(json_get(request, "method")), "PATCH"))
		doc = patched(type, old, request);
	else
		doc = json_doc_thaw(body);
	if (!doc || (create && type_check_types(type, json_doc_root(doc), NULL)))
		return NULL;
	object = json_doc_root(doc);
	if (create)
		json_set_str(doc, json_ensure_obj(doc, object, "metadata"), "namespace",
			     STR("ns-1"));
	type_prune(type, doc, object, NULL, NULL);
	type_default(type, doc, object);
	type_canonicalize(type, doc, object);
	if (type != &pod_type)
		return TAKE(doc);
	if (!status)
		admit(doc, json_get(object, "spec"));
	if (create)
		pod_prepare_create(doc, object, 0);
	else if (status)
		pod_prepare_status(doc, object, old);
	else
		pod_prepare_update(doc, object, old);
	return TAKE(doc);
}

/* Placeholders of the recording for times and what is not in it. */
static void mask_times(struct json_doc *doc, struct json object)
{
	struct json_iter it = json_iter(json_get(json_get(object, "status"), "conditions"));

	while (json_next(&it))
		if (str_starts(json_str(json_get(it.value, "lastTransitionTime")), STR("1970")))
			json_set_str(doc, it.value, "lastTransitionTime", STR("<time>"));
}

static void validate(struct json object, struct json old, bool status, const struct type *type,
		     struct causes *causes)
{
	static const struct meta_rules rules = {true, NAME_DNS_SUBDOMAIN, true};
	struct path meta = path_member(NULL, STR("metadata"));

	for (int i = 0; i < 2 && !json_is_absent(old); i++) /* for every kind, and for pods */
		meta_validate_update(json_get(old, "metadata"), json_get(object, "metadata"),
				     &rules, &meta, causes);
	if (status) {
		pod_validate_status(object, old, causes);
		return;
	}
	if (json_is_absent(old))
		meta_validate(json_get(object, "metadata"), &rules, &meta, causes);
	type_validate(type, object, causes);
	if (type == &pod_type && json_is_absent(old))
		pod_validate_new(object, causes);
	else if (type == &pod_type)
		pod_validate_update(object, old, causes);
}

/* "/api/v1/namespaces/ns-1/pods/p/status" -> the object's path, and whether it is its status. */
static struct str object_path(struct str path, bool *ret_status)
{
	*ret_status = str_ends(path, STR("/status"));
	return *ret_status ? str_slice(path, 0, path.len - sizeof("/status") + 1) : path;
}

static const struct type *type_of(struct str path)
{
	struct str rest = str_skip(path, sizeof("/api/v1/namespaces/ns-1/") - 1);

	if (!str_starts(path, STR("/api/v1/namespaces/ns-1/")))
		return NULL;
	if (str_ends(path, STR("/binding")) || str_ends(path, STR("/eviction")) ||
	    str_ends(path, STR("/resize")) || str_ends(path, STR("/ephemeralcontainers")))
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

/* An answer of which only some places were kept: {"spec.containers.0.resources": ...}. */
static bool same_places(struct json object, struct json answer)
{
	struct json_iter it = json_iter(answer);

	while (json_next(&it)) {
		struct json value = object;
		struct str rest = it.key;
		struct str part;

		while (str_split(&rest, '.', &part))
			value = json_is(value, JSON_ARR)
					? json_at(value, (size_t)strtol(part.ptr, NULL, 10))
					: json_get_str(value, part);
		if (json_eq(value, it.value) || str_starts(it.key, STR("metadata")) ||
		    (json_is_absent(value) && json_is(it.value, JSON_NULL)))
			continue;
		show("want", it.value);
		show("got ", value);
		return false;
	}
	return true;
}

static void add_warning(void *arg, const char *text)
{
	struct buf *to = arg;
	struct str rest = str_from(text);

	buf_puts(to, to->len ? ", 299 - \"" : "299 - \"");
	for (size_t i = 0; i < rest.len; i++) {
		if (rest.ptr[i] == '"')
			buf_putc(to, '\\');
		buf_putc(to, rest.ptr[i]);
	}
	buf_putc(to, '"');
}

static bool same_warnings(struct json object, struct json expect)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str want = json_str(json_get(json_get(expect, "headers"), "Warning"));

	pod_warn(object, add_warning, &text);
	if (str_eq(want, buf_str(&text)) || str_find(want, STR("unknown field"), 0) >= 0)
		return true;
	tap_show("got ", buf_text(&text));
	show("want", json_get(json_get(expect, "headers"), "Warning"));
	return false;
}

static bool check(struct json_doc *doc, struct json old, bool status, const struct type *type,
		  struct json line)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json expect = json_get(line, "expect");
	struct json answer = json_get(expect, "body");
	bool narrowed = !json_is_absent(json_get(line, "only"));

	validate(json_doc_root(doc), old, status, type, &causes);
	if (json_int(json_get(expect, "code")) == 422)
		return same_causes(&causes, answer) && same_message(&causes, type->name, answer);
	if (json_is_absent(old) && type == &pod_type && !same_warnings(json_doc_root(doc), expect))
		return false;
	mask_times(doc, json_doc_root(doc));
	if (narrowed)
		return same_causes(&causes, JSON_NONE) && same_places(json_doc_root(doc), answer);
	return same_causes(&causes, JSON_NONE) && same_object(json_doc_root(doc), answer);
}

/* Is a body of wrong types refused in the same words? */
static bool same_refusal(struct json request, const struct type *type, struct json answer)
{
	struct err err = {0};
	struct str want = json_str(json_get(answer, "message"));

	if (!type_check_types(type, json_get(request, "body"), &err))
		return false;
	if (str_find(want, str_from(err.text), 0) >= 0)
		return true;
	tap_show("got ", err.text);
	show("want", json_get(answer, "message"));
	return false;
}

static void note(struct count *count, bool passed, const char *file, struct json body)
{
	char *text;

	count->passed += passed;
	count->failed += !passed;
	if (passed)
		return;
	text = json_text(body, JSON_COMPACT);
	tap_show(file, text);
	mem_free(text);
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
	if (create && code < 300 && json_is_absent(json_get(line, "only")))
		remember(store, path, json_get(expect, "body"), arena);
	if (create && code == 400 && json_is(json_get(request, "body"), JSON_OBJ) &&
	    str_find(json_str(json_get(json_get(expect, "body"), "message")),
		     STR("cannot be handled as a"), 0) >= 0 &&
	    str_find(json_str(json_get(json_get(expect, "body"), "message")), STR("strict"), 0) <
		    0) {
		note(count, same_refusal(request, type, json_get(expect, "body")), file,
		     json_get(request, "body"));
		return;
	}
	if ((!create && json_is_absent(old)) || (code > 300 && code != 422) ||
	    (code == 422 &&
	     !json_len(json_get(json_get(json_get(expect, "body"), "details"), "causes")))) {
		count->left_out++;
		return;
	}
	doc = make_object(request, create ? JSON_NONE : old, status, type);
	note(count, doc && check(doc, create ? JSON_NONE : old, status, type, line), file,
	     json_get(request, "body"));
	if (!create && code < 300) /* what was not recorded whole is not known any more */
		vec_push(store, (struct made){path, json_is_absent(json_get(line, "only"))
							    ? json_get(expect, "body")
							    : JSON_NONE});
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

/* Values in place of placeholders: of the namespace's name, and of the first object's uid. */
static struct str fill_in(struct str text, struct buf *to)
{
	while (text.len) {
		if (str_starts(text, STR("${ns}"))) {
			buf_puts(to, "ns-1");
			text = str_skip(text, sizeof("${ns}") - 1);
		} else if (str_starts(text, STR("${u}"))) {
			buf_puts(to, "<uid:1>");
			text = str_skip(text, sizeof("${u}") - 1);
		} else {
			buf_putc(to, text.ptr[0]);
			text = str_skip(text, 1);
		}
	}
	return buf_str(to);
}

static void replay(const char *path, struct count *count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf filled = BUF_UNBOUNDED;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str rest = fill_in(read_file(path, &text), &filled);
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
		"pod-defaulting", "pod-validation", "quantities", "field-validation",
		"flows",          "objects",        "patch",      "names",
		"watch",
	};
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_LEN(roots); i++)
		for (size_t k = 0; k < ARRAY_LEN(topics); k++)
			found = replay_folder(roots[i], topics[k]) || found;
	if (!found)
		ok(true, "left out: there are no recordings here");
	return tap_done();
}
