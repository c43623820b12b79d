/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/metadata.c - the part of every object that the server keeps.
 *
 * Always true of a stored object: it has a name, a uid and a creationTimestamp, none of which ever
 * changes; its namespace is that of its key; deletionTimestamp, once set, is never cleared;
 * generation counts changes of what the kind calls its spec, and the start of its removal. */
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "base/uuid.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/rules/causes.h"
#include "model/value/names.h"

#include "base/banned.h"

enum { NAME_MAX_LEN = 63, SUFFIX_LEN = 5, GENERATE_TRIES = 8 };

/* Letters and digits that make no words, as Kubernetes' generated names use. */
static const char suffix_alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

static void set_time(struct json_doc *doc, struct json metadata, const char *key, int64_t time)
{
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, metadata, key, str_from(time_print(time, text)));
}

static struct str random_name(struct call *call, struct str base)
{
	struct loop *loop = api_loop(call->api);
	char suffix[SUFFIX_LEN + 1] = "";

	for (size_t i = 0; i < SUFFIX_LEN; i++)
		suffix[i] = suffix_alphabet[loop_random_below(loop, sizeof(suffix_alphabet) - 1)];
	base = str_slice(base, 0, NAME_MAX_LEN - SUFFIX_LEN);
	return str_from(arena_printf(call->arena, "%.*s%s", STR_ARG(base), suffix));
}

/* An unused name, if a few attempts find one; else the last attempt. */
static struct str generate_name(struct call *call, struct str base)
{
	struct store *store = api_store(call->api);
	struct str name = random_name(call, base);

	for (int i = 1; i < GENERATE_TRIES && store_newest(store, call_key(call, name)); i++)
		name = random_name(call, base);
	return name;
}

static const char *new_uid(struct call *call)
{
	uint8_t bytes[16];
	char *text = arena_alloc(call->arena, UUID_TEXT_SIZE);

	loop_random(api_loop(call->api), bytes, sizeof(bytes));
	return uuid_print(bytes, text);
}

/* The namespace of the body must be that of the path; a kind without namespaces has none. */
static int set_namespace(struct call *call, struct json_doc *doc, struct json metadata,
			 struct err *err)
{
	struct str namespace = json_str(json_get(metadata, "namespace"));

	if (!call->kind->namespaced) {
		(void)json_remove(doc, metadata, STR("namespace"));
		return 0;
	}
	if (namespace.len && !str_eq(namespace, call->namespace))
		return err_set(
			err, ERR_BAD_REQUEST,
			"the namespace of the provided object does not match the namespace sent "
			"on the request");
	json_set_str(doc, metadata, "namespace", call->namespace);
	return 0;
}

/* Fields that only the server sets, and that a client's copy may bring along. */
static void clear_server_fields(struct json_doc *doc, struct json metadata)
{
	static const char *const fields[] = {"selfLink", "deletionTimestamp",
					     "deletionGracePeriodSeconds", "managedFields"};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		(void)json_remove(doc, metadata, str_from(fields[i]));
}

int metadata_create(struct call *call, struct json_doc *doc, struct err *err)
{
	struct json object = json_doc_root(doc);
	struct json metadata = json_ensure_obj(doc, object, "metadata");
	struct str base = json_str(json_get(metadata, "generateName"));

	struct str version = json_str(json_get(metadata, "resourceVersion"));

	/* the store refuses it, which a dry run does not reach */
	if (version.len && !str_is(version, "0") && call->verb == VERB_CREATE &&
	    !call->options.dry_run.len)
		return err_set(err, ERR_UNKNOWN,
			       "resourceVersion should not be set on objects to be created");
	if (set_namespace(call, doc, metadata, err) < 0)
		return -1;
	clear_server_fields(doc, metadata);
	(void)json_remove(doc, metadata, STR("resourceVersion"));
	if (json_str(json_get(metadata, "name")).len == 0 && base.len)
		json_set_str(doc, metadata, "name", generate_name(call, base));
	json_set_str(doc, metadata, "uid", str_from(new_uid(call)));
	set_time(doc, metadata, "creationTimestamp", api_now(call->api));
	if (call->kind->generation_late)
		(void)json_remove(doc, metadata, STR("generation"));
	else if (call->kind->generation) /* the others keep what they bring along */
		json_set_int(doc, metadata, "generation", 1);
	return 0;
}

/* --- updates
 * ------------------------------------------------------------------------------------------------
 * */

static void keep_member(struct json_doc *doc, struct json metadata, struct json old,
			const char *key)
{
	struct json value = json_get(old, key);

	if (json_is_absent(value))
		(void)json_remove(doc, metadata, str_from(key));
	else
		json_set(doc, metadata, str_from(key), json_new_copy(doc, value));
}

bool metadata_differs_outside(struct json object, struct json old)
{
	struct json_iter it = json_iter(object);
	size_t seen = 0;
	size_t counted = 0;

	while (json_next(&it)) {
		if (str_is(it.key, "metadata") || str_is(it.key, "status"))
			continue;
		seen++;
		if (!json_eq(it.value, json_get_str(old, it.key)))
			return true;
	}
	for (it = json_iter(old); json_next(&it);)
		counted += !str_is(it.key, "metadata") && !str_is(it.key, "status");
	return seen != counted;
}

void metadata_count_generation(struct call *call, struct json_doc *doc, struct json old)
{
	struct json metadata = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	const struct kind_ops *ops = call->kind->ops;
	struct json object = json_doc_root(doc);
	struct json before = json_get(old, "metadata");
	int64_t generation;
	bool changed;

	if (!call->kind->generation) {
		keep_member(doc, metadata, before, "generation");
		return;
	}
	changed = !kind_sub_is_status(call->kind, call->sub) && /* which cannot touch the rest */
		  (ops && ops->spec_changed ? ops->spec_changed(object, old)
					    : metadata_differs_outside(object, old));
	generation = json_int(json_get(before, "generation")) + changed;
	if (call->kind->generation_late && generation == 0)
		(void)json_remove(doc, metadata, STR("generation"));
	else
		json_set_int(doc, metadata, "generation", generation);
}

void metadata_update(struct call *call, struct json_doc *doc, struct json old)
{
	/* what was left out; another value is a fault (meta_validate_update()) */
	static const char *const kept[] = {"uid", "deletionTimestamp",
					   "deletionGracePeriodSeconds"};
	struct json metadata = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	struct json before = json_get(old, "metadata");

	(void)json_remove(doc, metadata, STR("selfLink"));
	(void)json_remove(doc, metadata, STR("managedFields"));
	keep_member(doc, metadata, before, "creationTimestamp");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (json_is_absent(json_get(metadata, kept[i])) ||
		    (json_is(json_get(metadata, kept[i]), JSON_STR) &&
		     !json_str(json_get(metadata, kept[i])).len))
			keep_member(doc, metadata, before, kept[i]);
	if (call->kind->namespaced)
		json_set_str(doc, metadata, "namespace", json_str(json_get(before, "namespace")));
}

/* --- validation --------------------------------------------------------------------------------
 * */

static struct meta_rules rules_of(const struct kind *kind)
{
	return (struct meta_rules){
		.namespaced = kind->namespaced,
		.format = kind->name_format,
		.built_in = !kind->custom,
	};
}

void metadata_validate(struct call *call, struct json object, struct causes *causes)
{
	struct meta_rules rules = rules_of(call->kind);
	struct path path = path_member(NULL, STR("metadata"));

	meta_validate(json_get(object, "metadata"), &rules, &path, causes);
}

/* Is it as it was, but for what the server itself writes there? */
static bool is_same(struct json metadata, struct json old)
{
	static const char *const own[] = {"resourceVersion", "generation", "managedFields"};
	struct json_iter it = json_iter(metadata);
	size_t left = json_len(old);

	while (json_next(&it)) {
		bool ours = false;

		for (size_t i = 0; i < ARRAY_LEN(own); i++)
			ours = ours || str_is(it.key, own[i]);
		if (!ours && !json_eq(it.value, json_get_str(old, it.key)))
			return false;
		left -= !ours;
	}
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		left -= !json_is_absent(json_get(old, own[i]));
	return left == 0;
}

void metadata_validate_update(struct call *call, struct json object, struct json old,
			      struct causes *causes)
{
	struct meta_rules own = rules_of(call->kind);
	struct meta_rules every = own;
	struct path path = path_member(NULL, STR("metadata"));

	if (is_same(json_get(object, "metadata"), json_get(old, "metadata")))
		return; /* what was good when it was stored still is */
	/* Every object is checked by these rules, then again by the rules of its kind: clients see
	 * each error twice, as with kube-apiserver. */
	every.built_in = false;
	every.format = NAME_PATH_SEGMENT;
	meta_validate(json_get(object, "metadata"), &every, &path, causes);
	meta_validate_update(json_get(old, "metadata"), json_get(object, "metadata"), &every, &path,
			     causes);
	if (!call->kind->meta_once)
		meta_validate_update(json_get(old, "metadata"), json_get(object, "metadata"), &own,
				     &path, causes);
}
