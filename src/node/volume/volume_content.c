/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_content.c - files from objects. */
#include "node/volume/volume_content.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "node/pod/downward.h"

#include "base/banned.h"

enum { USUAL_MODE = 0644, TOKEN_MODE = 0600, MODE_MASK = 0777 };

struct content {
	const struct sandbox *sandbox;
	struct arena *arena;
	struct opt_int32 mode; /* mode of files without one */
	int64_t owner;         /* -1: not set */
	VEC(struct atomic_folder_file) files;
};

/* Adds a file; the result is valid until the next one is added. */
static struct atomic_folder_file *add(struct content *content, struct str path, struct str data,
				      struct opt_int32 mode)
{
	struct atomic_folder_file file = {.path = path, .data = data, .uid = content->owner};

	if (!mode.set)
		mode = content->mode;
	file.mode = mode.set ? (mode_t)(mode.value & MODE_MASK) : USUAL_MODE;
	for (size_t i = 0; i < content->files.len; i++)
		if (str_eq(content->files.ptr[i].path, path)) {
			content->files.ptr[i] = file;
			return &content->files.ptr[i];
		}
	vec_push(&content->files, file);
	return &content->files.ptr[content->files.len - 1];
}

/* --- config maps and secrets --- */

static int decode(struct content *content, struct str text, struct str *ret, struct err *err)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_OBJECT_BYTES);

	if (base64_parse(text, &bytes, err) < 0)
		return -1;
	*ret = arena_str(content->arena, buf_str(&bytes));
	return 0;
}

/* Keys that are plain text, and keys that are bytes. */
struct keyed {
	enum sandbox_kind kind;
	struct json text, bytes;
	bool optional;
};

/* 1: the key exists; 0: it does not. */
static int find_key(struct content *content, const struct keyed *keyed, struct str key,
		    struct str *ret, struct err *err)
{
	struct json value = json_get_str(keyed->text, key);

	if (!json_is_absent(value)) {
		*ret = json_str(value);
		return 1;
	}
	value = json_get_str(keyed->bytes, key);
	if (json_is_absent(value))
		return 0;
	return decode(content, json_str(value), ret, err) < 0
		       ? err_wrap(err, "key %.*s", STR_ARG(key))
		       : 1;
}

static int add_all(struct content *content, const struct keyed *keyed, struct err *err)
{
	struct json_iter it = json_iter(keyed->text);
	struct opt_int32 none = {0};
	struct str data;

	while (json_next(&it))
		add(content, it.key, json_str(it.value), none);
	it = json_iter(keyed->bytes);
	while (json_next(&it)) {
		if (decode(content, json_str(it.value), &data, err) < 0)
			return err_wrap(err, "key %.*s", STR_ARG(it.key));
		add(content, it.key, data, none);
	}
	return 0;
}

static int add_items(struct content *content, const struct keyed *keyed,
		     const struct key_paths *items, struct err *err)
{
	for (size_t i = 0; i < items->len; i++) {
		const struct key_path *item = &items->ptr[i];
		struct str data = str_none();
		int found = find_key(content, keyed, item->key, &data, err);

		if (found < 0)
			return -1;
		if (found > 0)
			add(content, item->path, data, item->mode);
		else if (!keyed->optional)
			return err_set(err, ERR_NOT_FOUND, "%s: %.*s",
				       keyed->kind == SANDBOX_SECRET
					       ? "references non-existent secret key"
					       : "configmap references non-existent config key",
				       STR_ARG(item->key));
	}
	return 0;
}

static int add_keyed(struct content *content, enum sandbox_kind kind, struct str name,
		     const struct key_paths *items, bool optional, struct err *err)
{
	struct json object = sandbox_find(content->sandbox, kind, name);
	struct keyed keyed = {.kind = kind, .optional = optional};

	if (json_is_absent(object)) {
		if (optional)
			return 0;
		return err_set(err, ERR_NOT_FOUND, "%s \"%.*s\" not found",
			       kind == SANDBOX_SECRET ? "secret" : "configmap", STR_ARG(name));
	}
	if (kind == SANDBOX_SECRET) {
		keyed.bytes = json_get(object, "data");
	} else {
		keyed.text = json_get(object, "data");
		keyed.bytes = json_get(object, "binaryData");
	}
	return items->len ? add_items(content, &keyed, items, err) : add_all(content, &keyed, err);
}

/* --- the downward API, tokens --- */

static int add_downward(struct content *content, const struct downward_files *files,
			struct err *err)
{
	for (size_t i = 0; i < files->len; i++) {
		const struct downward_file *file = &files->ptr[i];
		struct str data = STR("");

		if (file->field && downward_field(content->sandbox, file->field->path,
						  content->arena, &data, err) < 0)
			return -1;
		if (file->resource && downward_resource(content->sandbox, NULL, file->resource,
							content->arena, &data, err) < 0)
			return -1;
		add(content, file->path, arena_str(content->arena, data), file->mode);
	}
	return 0;
}

/* A token belongs to the user that all containers run as, if there is one. */
static int64_t user_of(const struct pod *pod)
{
	struct opt_int64 user = {0};

	if (pod->spec.security_context)
		user = pod->spec.security_context->run_as_user;
	for (size_t i = 0; i < pod->spec.containers.len; i++) {
		const struct security_context *own = pod->spec.containers.ptr[i].security_context;

		if (own && own->run_as_user.set &&
		    (!user.set || own->run_as_user.value != user.value))
			return pod->spec.containers.len == 1 ? own->run_as_user.value : -1;
	}
	return user.set ? user.value : -1;
}

static int add_token(struct content *content, const struct token_projection *token, struct err *err)
{
	const struct pod *pod = content->sandbox->pod;
	int64_t user = user_of(pod);
	struct opt_int32 mode = {true, TOKEN_MODE};
	struct str text;

	if (!content->sandbox->token)
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "serviceAccountToken: this node cannot get tokens");
	if (content->sandbox->token(content->sandbox->arg, token, &text, err) < 0)
		return err_wrap(err, "failed to fetch token");
	if (user < 0)
		mode = content->mode; /* pods with images may run as any user */
	add(content, token->path, arena_str(content->arena, text), mode)->uid = user;
	return 0;
}

static int add_projected(struct content *content, const struct projected_volume *projected,
			 struct err *err)
{
	for (size_t i = 0; i < projected->sources.len; i++) {
		const struct volume_projection *source = &projected->sources.ptr[i];
		const struct key_projection *key =
			source->secret ? source->secret : source->config_map;
		int ret = 0;

		if (key)
			ret = add_keyed(content,
					source->secret ? SANDBOX_SECRET : SANDBOX_CONFIG_MAP,
					key->name, &key->items, key->optional.value, err);
		else if (source->downward)
			ret = add_downward(content, &source->downward->items, err);
		else if (source->token)
			ret = add_token(content, source->token, err);
		else
			ret = err_set(err, ERR_NOT_IMPLEMENTED,
				      "projected.sources[%zu]: is of a kind that this node does "
				      "not support",
				      i);
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* --- volumes --- */

bool volume_content_is(const struct volume *volume)
{
	return volume->config_map || volume->secret || volume->downward || volume->projected;
}

static int fill(struct content *content, const struct volume *volume, struct err *err)
{
	if (volume->config_map) {
		content->mode = volume->config_map->mode;
		return add_keyed(content, SANDBOX_CONFIG_MAP, volume->config_map->name,
				 &volume->config_map->items, volume->config_map->optional.value,
				 err);
	}
	if (volume->secret) {
		content->mode = volume->secret->mode;
		return add_keyed(content, SANDBOX_SECRET, volume->secret->name,
				 &volume->secret->items, volume->secret->optional.value, err);
	}
	if (volume->downward) {
		content->mode = volume->downward->mode;
		return add_downward(content, &volume->downward->items, err);
	}
	content->mode = volume->projected->mode;
	return add_projected(content, volume->projected, err);
}

int volume_content(const struct sandbox *sandbox, const struct volume *volume, struct arena *arena,
		   struct atomic_folder_file **ret, size_t *ret_len, struct err *err)
{
	bool named = user_of(sandbox->pod) >= 0;
	struct content content = {
		.sandbox = sandbox,
		.arena = arena,
		.owner = sandbox->default_user > 0 && !named ? sandbox->default_user : -1};
	int failed = fill(&content, volume, err);

	if (failed == 0) {
		*ret = arena_calloc(arena, content.files.len + 1, sizeof(**ret));
		if (content.files.len)
			memcpy(*ret, content.files.ptr, content.files.len * sizeof(**ret));
		*ret_len = content.files.len;
	}
	vec_done(&content.files);
	return failed;
}
