/* SPDX-License-Identifier: Apache-2.0 */
/* client/kubeconfig.c - reading kubeconfig files and merging them.
 *
 * One table per kind of entry lists the fields; other fields (extensions) are ignored, as in
 * kubectl, but a field of the wrong type is an error even in an entry that is not selected.
 *
 * 1. The first file to set a name wins; a later entry of that name is checked for errors and ignored as a whole.
 * 2. Names are unique within a file. */
#include "client/kubeconfig.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "client/kubeconfig_internal.h"
#include "json/doc.h"
#include "json/yaml.h"

#include "base/banned.h"

enum type {
	TYPE_TEXT,
	TYPE_PATH, /* a text; relative to the folder of the file */
	TYPE_DATA, /* base64 of a text */
	TYPE_BOOL,
	TYPE_TEXTS,
	TYPE_OBJECT, /* true if it is there; its fields are read elsewhere */
};

struct field {
	const char *key;
	enum type type;
	size_t offset;
};

#define CLUSTER(member) offsetof(struct kubeconfig_cluster, member)
#define USER(member) offsetof(struct kubeconfig_user, member)
#define CONTEXT(member) offsetof(struct kubeconfig_context, member)
#define EXEC(member) offsetof(struct kubeconfig_exec, member)

static const struct field cluster_fields[] = {
	{"server", TYPE_TEXT, CLUSTER(server)},
	{"tls-server-name", TYPE_TEXT, CLUSTER(tls_server_name)},
	{"proxy-url", TYPE_TEXT, CLUSTER(proxy_url)},
	{"certificate-authority", TYPE_PATH, CLUSTER(ca_file)},
	{"certificate-authority-data", TYPE_DATA, CLUSTER(ca)},
	{"insecure-skip-tls-verify", TYPE_BOOL, CLUSTER(insecure)},
	{"disable-compression", TYPE_BOOL, CLUSTER(disable_compression)},
	{NULL, TYPE_TEXT, 0},
};

static const struct field user_fields[] = {
	{"client-certificate", TYPE_PATH, USER(cert_file)},
	{"client-certificate-data", TYPE_DATA, USER(cert)},
	{"client-key", TYPE_PATH, USER(key_file)},
	{"client-key-data", TYPE_DATA, USER(key)},
	{"token", TYPE_TEXT, USER(token)},
	{"tokenFile", TYPE_PATH, USER(token_file)},
	{"username", TYPE_TEXT, USER(username)},
	{"password", TYPE_TEXT, USER(password)},
	{"as", TYPE_TEXT, USER(as)},
	{"as-uid", TYPE_TEXT, USER(as_uid)},
	{"as-groups", TYPE_TEXTS, USER(as_groups)},
	{"auth-provider", TYPE_OBJECT, USER(auth_provider)},
	{NULL, TYPE_TEXT, 0},
};

static const struct field context_fields[] = {
	{"cluster", TYPE_TEXT, CONTEXT(cluster)},
	{"user", TYPE_TEXT, CONTEXT(user)},
	{"namespace", TYPE_TEXT, CONTEXT(namespace)},
	{NULL, TYPE_TEXT, 0},
};

static const struct field exec_fields[] = {
	{"apiVersion", TYPE_TEXT, EXEC(api_version)},
	{"command", TYPE_TEXT, EXEC(command)},
	{"args", TYPE_TEXTS, EXEC(args)},
	{"installHint", TYPE_TEXT, EXEC(install_hint)},
	{"interactiveMode", TYPE_TEXT, EXEC(interactive_mode)},
	{"provideClusterInfo", TYPE_BOOL, EXEC(provide_cluster_info)},
	{NULL, TYPE_TEXT, 0},
};

/* ---- life ---- */

struct kubeconfig *kubeconfig_new(const struct kubeconfig_files *files)
{
	struct kubeconfig *config = mem_new(struct kubeconfig);

	if (files)
		config->files = *files;
	config->memory = arena_new(0);
	config->clusters = map_new(0); /* the names are the user's own: no attack by collisions */
	config->users = map_new(0);
	config->contexts = map_new(0);
	config->current = "";
	return config;
}

void kubeconfig_free(struct kubeconfig *config)
{
	if (!config)
		return;
	map_free(config->clusters);
	map_free(config->users);
	map_free(config->contexts);
	arena_free(config->memory);
	mem_free(config);
}

const char *kubeconfig_current(const struct kubeconfig *config)
{
	return config->current;
}

/* ---- fields ---- */

/* A file that is being read. */
struct reader {
	struct kubeconfig *config;
	struct arena *memory;
	struct str folder; /* with its slash, or empty */
};

static bool is_set(struct json value)
{
	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

static int expect(struct json value, enum json_type type, const char *at, struct err *err)
{
	if (json_is(value, type))
		return 0;
	return err_set(err, ERR_INVALID, "%s: must be of type %s, not %s", at, json_type_name(type),
		       json_type_name(json_type(value)));
}

static int decode_text(struct arena *memory, struct json value, const char *at, const char **ret,
		       struct err *err)
{
	struct str text = json_str(value);

	if (expect(value, JSON_STR, at, err) < 0)
		return -1;
	if (str_find_byte(text, '\0', 0) >= 0)
		return err_set(err, ERR_INVALID, "%s: must not contain NUL", at);
	*ret = arena_str(memory, text).ptr;
	return 0;
}

static int decode_data(struct arena *memory, struct json value, const char *at, const char **ret,
		       struct err *err)
{
	AUTO(buf_done) struct buf data = BUF_INIT(LIMIT_PEM_BYTES);

	if (expect(value, JSON_STR, at, err) < 0)
		return -1;
	if (base64_parse(json_str(value), &data, err) < 0)
		return err_wrap(err, "%s", at);
	if (str_find_byte(buf_str(&data), '\0', 0) >= 0)
		return err_set(err, ERR_INVALID, "%s: must be the base64 of a PEM text", at);
	*ret = arena_str(memory, buf_str(&data)).ptr;
	return 0;
}

static int decode_texts(struct arena *memory, struct json value, const char *at,
			struct kubeconfig_list *ret, struct err *err)
{
	const char **texts = NULL;
	struct json_iter it = json_iter(value);

	if (expect(value, JSON_ARR, at, err) < 0)
		return -1;
	texts = arena_calloc(memory, json_len(value) + 1, sizeof(*texts));
	while (json_next(&it)) {
		const char *place = arena_printf(memory, "%s[%zu]", at, it.index);

		if (decode_text(memory, it.value, place, &texts[it.index], err) < 0)
			return -1;
	}
	*ret = (struct kubeconfig_list){texts, json_len(value)};
	return 0;
}

static const char *resolve(const struct reader *r, const char *path)
{
	if (path[0] == '\0' || path[0] == '/')
		return path;
	return arena_printf(r->memory, "%.*s%s", STR_ARG(r->folder), path);
}

static int decode_field(const struct reader *r, struct json value, const struct field *field,
			const char *at, void *to, struct err *err)
{
	void *place = (char *)to + field->offset;

	switch (field->type) {
	case TYPE_TEXT:
		return decode_text(r->memory, value, at, place, err);
	case TYPE_PATH:
		if (decode_text(r->memory, value, at, place, err) < 0)
			return -1;
		*(const char **)place = resolve(r, *(const char **)place);
		return 0;
	case TYPE_DATA:
		return decode_data(r->memory, value, at, place, err);
	case TYPE_BOOL:
		*(bool *)place = json_bool(value);
		return expect(value, JSON_BOOL, at, err);
	case TYPE_TEXTS:
		return decode_texts(r->memory, value, at, place, err);
	case TYPE_OBJECT:
		*(bool *)place = true;
		return expect(value, JSON_OBJ, at, err);
	}
	return 0;
}

/* Fills `to`, which is all zero, by a table. */
static int decode(const struct reader *r, struct json object, const struct field *fields,
		  const char *at, void *to, struct err *err)
{
	if (expect(object, JSON_OBJ, at, err) < 0)
		return -1;
	for (const struct field *field = fields; field->key; field++) {
		struct json value = json_get(object, field->key);
		const char *place = arena_printf(r->memory, "%s.%s", at, field->key);

		if (is_set(value)) {
			if (decode_field(r, value, field, place, to, err) < 0)
				return -1;
		} else if (field->type <= TYPE_DATA) {
			*(const char **)(void *)((char *)to + field->offset) = "";
		}
	}
	return 0;
}

/* ---- beyond the tables ---- */

static int decode_env(const struct reader *r, struct json value, const char *at,
		      struct kubeconfig_list *ret, struct err *err)
{
	const char **texts = NULL;
	struct json_iter it = json_iter(value);

	if (!is_set(value))
		return 0;
	if (expect(value, JSON_ARR, at, err) < 0)
		return -1;
	texts = arena_calloc(r->memory, json_len(value) + 1, sizeof(*texts));
	while (json_next(&it)) {
		struct json name = json_get(it.value, "name"), text = json_get(it.value, "value");
		const char *place = arena_printf(r->memory, "%s[%zu]", at, it.index);
		const char *left = "", *right = "";

		if (decode_text(r->memory, name, arena_printf(r->memory, "%s.name", place), &left,
				err) < 0)
			return -1;
		if (is_set(text) &&
		    decode_text(r->memory, text, arena_printf(r->memory, "%s.value", place), &right,
				err) < 0)
			return -1;
		if (left[0] == '\0' || strchr(left, '='))
			return err_set(err, ERR_INVALID,
				       "%s.name: \"%s\" is not the name of a variable", place,
				       left);
		texts[it.index] = arena_printf(r->memory, "%s=%s", left, right);
	}
	*ret = (struct kubeconfig_list){texts, json_len(value)};
	return 0;
}

static int decode_exec(const struct reader *r, struct json value, const char *at,
		       struct kubeconfig_exec **ret, struct err *err)
{
	struct kubeconfig_exec *exec = arena_new_of(r->memory, struct kubeconfig_exec);

	if (!is_set(value))
		return 0;
	if (decode(r, value, exec_fields, at, exec, err) < 0 ||
	    decode_env(r, json_get(value, "env"), arena_printf(r->memory, "%s.env", at), &exec->env,
		       err) < 0)
		return -1;
	if (strchr(exec->command, '/'))
		exec->command = resolve(r, exec->command);
	*ret = exec;
	return 0;
}

static int decode_extra(const struct reader *r, struct json value, const char *at,
			struct kubeconfig_user *user, struct err *err)
{
	struct json_iter it = json_iter(value);

	if (!is_set(value))
		return 0;
	if (expect(value, JSON_OBJ, at, err) < 0)
		return -1;
	user->as_extra = arena_calloc(r->memory, json_len(value), sizeof(*user->as_extra));
	while (json_next(&it)) {
		struct kubeconfig_extra *extra = &user->as_extra[user->as_extra_len++];

		extra->key = arena_str(r->memory, it.key).ptr;
		if (decode_texts(r->memory, it.value,
				 arena_printf(r->memory, "%s.%s", at, extra->key), &extra->values,
				 err) < 0)
			return -1;
	}
	return 0;
}

typedef int decode_fn(const struct reader *r, struct json value, const char *at,
		      struct kubeconfig_entry *entry, struct err *err);

static int decode_cluster(const struct reader *r, struct json value, const char *at,
			  struct kubeconfig_entry *entry, struct err *err)
{
	return decode(r, value, cluster_fields, at, &entry->cluster, err);
}

static int decode_context(const struct reader *r, struct json value, const char *at,
			  struct kubeconfig_entry *entry, struct err *err)
{
	return decode(r, value, context_fields, at, &entry->context, err);
}

static int decode_user(const struct reader *r, struct json value, const char *at,
		       struct kubeconfig_entry *entry, struct err *err)
{
	const char *exec = arena_printf(r->memory, "%s.exec", at);
	const char *extra = arena_printf(r->memory, "%s.as-user-extra", at);

	if (decode(r, value, user_fields, at, &entry->user, err) < 0 ||
	    decode_exec(r, json_get(value, "exec"), exec, &entry->user.exec, err) < 0)
		return -1;
	return decode_extra(r, json_get(value, "as-user-extra"), extra, &entry->user, err);
}

/* ---- whole files ---- */

/* One of the three lists of a file: `list` holds objects with a name and, under `member`, the
 * content. */
struct section {
	const char *list;
	const char *member;
	decode_fn *decode;
	size_t map; /* offset of the map in struct kubeconfig */
};

static const struct section sections[] = {
	{"clusters", "cluster", decode_cluster, offsetof(struct kubeconfig, clusters)},
	{"users", "user", decode_user, offsetof(struct kubeconfig, users)},
	{"contexts", "context", decode_context, offsetof(struct kubeconfig, contexts)},
};

static struct kubeconfig_entry *add_entry(const struct reader *r, struct json item,
					  const struct section *section, const char *at,
					  struct err *err)
{
	struct kubeconfig_entry *entry = arena_new_of(r->memory, struct kubeconfig_entry);
	struct json content = json_get(item, section->member);
	AUTO(json_doc_unref) struct json_doc *empty = NULL;

	if (expect(item, JSON_OBJ, at, err) < 0 ||
	    decode_text(r->memory, json_get(item, "name"), arena_printf(r->memory, "%s.name", at),
			&entry->name, err) < 0)
		return NULL;
	if (!is_set(content)) {
		empty = json_doc_new();
		content = json_new_obj(empty);
	}
	entry->where = arena_printf(r->memory, "%s.%s", at, section->member);
	return section->decode(r, content, entry->where, entry, err) < 0 ? NULL : entry;
}

static int add_section(const struct reader *r, struct json root, const struct section *section,
		       const char *path, struct err *err)
{
	struct map *known = *(struct map **)(void *)((char *)r->config + section->map);
	AUTO(map_free) struct map *here = map_new(0);
	struct json list = json_get(root, section->list);
	struct json_iter it = json_iter(list);

	if (!is_set(list))
		return 0;
	if (expect(list, JSON_ARR, section->list, err) < 0)
		return -1;
	while (json_next(&it)) {
		const char *at = arena_printf(r->memory, "%s[%zu]", section->list, it.index);
		struct kubeconfig_entry *entry = add_entry(r, it.value, section, at, err);

		if (!entry)
			return -1;
		if (map_put(here, str_from(entry->name), entry))
			return err_set(err, ERR_INVALID, "%s.name: \"%s\" is used twice", at,
				       entry->name);
		entry->where = arena_printf(r->memory, "%s: %s", path, entry->where);
		if (!map_get(known, str_from(entry->name)))
			map_put(known, str_from(entry->name), entry);
	}
	return 0;
}

/* Either may be missing; if given it must have this value. */
static int check_kind(struct json root, struct err *err)
{
	struct json version = json_get(root, "apiVersion"), kind = json_get(root, "kind");

	if (is_set(version) && !str_is(json_str(version), "v1"))
		return err_set(err, ERR_INVALID, "apiVersion: must be v1");
	if (is_set(kind) && !str_is(json_str(kind), "Config"))
		return err_set(err, ERR_INVALID, "kind: must be Config");
	return 0;
}

static int add_file(const struct reader *r, struct json root, const char *path, struct err *err)
{
	struct json current = json_get(root, "current-context");
	const char *name = "";

	if (!is_set(root))
		return 0;
	if (expect(root, JSON_OBJ, "the file", err) < 0 || check_kind(root, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (add_section(r, root, &sections[i], path, err) < 0)
			return -1;
	if (is_set(current) && decode_text(r->memory, current, "current-context", &name, err) < 0)
		return -1;
	if (r->config->current[0] == '\0')
		r->config->current = name;
	return 0;
}

int kubeconfig_add(struct kubeconfig *config, struct str text, const char *path, struct err *err)
{
	const struct yaml_options options = {.max_bytes = LIMIT_KUBECONFIG_BYTES};
	AUTO(json_doc_unref) struct json_doc *doc = yaml_parse(text, &options, err);
	ptrdiff_t slash = str_rfind_byte(str_from(path), '/');
	struct reader r = {.config = config,
			   .memory = config->memory,
			   .folder = str_slice(str_from(path), 0, (size_t)(slash + 1))};

	if (!doc || add_file(&r, json_doc_root(doc), path, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}

int kubeconfig_read(const struct kubeconfig_files *files, const char *path, struct buf *to,
		    struct err *err)
{
	return files->read ? files->read(files->arg, path, to, err) : fd_read_file(path, to, err);
}

int kubeconfig_load(struct kubeconfig *config, const char *path, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_KUBECONFIG_BYTES);

	if (kubeconfig_read(&config->files, path, &text, err) < 0)
		return -1;
	return kubeconfig_add(config, buf_str(&text), path, err);
}

int kubeconfig_load_list(struct kubeconfig *config, const char *paths, struct err *err)
{
	struct str rest = str_from(paths), part;

	while (str_split(&rest, ':', &part)) {
		AUTO(mem_free) char *path = str_dup(part);
		AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_KUBECONFIG_BYTES);
		struct err missing = {0};

		if (part.len == 0)
			continue;
		if (kubeconfig_read(&config->files, path, &text, &missing) < 0) {
			if (missing.code == ERR_NOT_FOUND)
				continue;
			return err_set(err, missing.code, "%s", missing.text);
		}
		if (kubeconfig_add(config, buf_str(&text), path, err) < 0)
			return -1;
	}
	return 0;
}
