/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/container_env.c - variables of a container; later ones replace earlier ones.
 *
 * Names keep the order in which they first appear, each once. A variable of a service can be referred to by
 * `$(NAME)` like any other; a variable that the container names itself replaces it. */
#include "node/pod/container_env.h"

#include <stdint.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "node/pod/downward.h"
#include "node/pod/service_env.h"

#include "base/banned.h"

#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
enum { HASH_SEED = 7 }; /* only the pod's own names are in the map, and they are bounded */

struct variable {
	struct str name;
	struct str value;
	bool common; /* not named by the pod: cannot be referred to, as in Kubernetes */
};

struct maker {
	const struct sandbox *sandbox;
	const struct container *container;
	struct arena *arena;
	struct map *names; /* to struct variable */
};

void container_env_done(struct container_env *env)
{
	map_free(TAKE(env->names));
}

/* --- one variable --- */

static int set(struct maker *maker, struct str name, struct str value, struct err *err)
{
	struct variable *variable = map_get(maker->names, name);

	if (name.len == 0 || str_find_byte(name, '=', 0) >= 0 || str_find_byte(name, '\0', 0) >= 0)
		return err_set(err, ERR_INVALID, "env: \"%.*s\" cannot be the name of a variable",
			       STR_ARG(name));
	if (str_find_byte(value, '\0', 0) >= 0)
		return err_set(err, ERR_INVALID, "env %.*s: the value has a zero byte in it",
			       STR_ARG(name));
	if (!variable) {
		variable = arena_new_of(maker->arena, struct variable);
		variable->name = arena_str(maker->arena, name);
		(void)map_put(maker->names, variable->name, variable);
	}
	variable->value = arena_str(maker->arena, value);
	variable->common = false;
	return 0;
}

static void set_service(void *arg, struct str name, struct str value)
{
	(void)set(arg, name, value, NULL); /* an invalid name is left out */
}

/* Variables that an image or a runtime would set. */
static void set_common(struct maker *maker, const char *home)
{
	const struct sandbox *sandbox = maker->sandbox;
	const struct variable rows[] = {
		{STR("PATH"), str_from(sandbox->path ? sandbox->path : USUAL_PATH), true},
		{STR("HOSTNAME"), sandbox->hostname, true},
		{STR("HOME"), str_from(home), true},
		{STR("TERM"), maker->container->tty ? STR("xterm") : str_none(), true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct variable *variable;

		if (!rows[i].value.len)
			continue;
		variable = arena_new_of(maker->arena, struct variable);
		*variable = rows[i];
		(void)map_put(maker->names, variable->name, variable);
	}
}

bool container_env_is_common(const struct container_env *env, struct str name)
{
	const struct variable *variable = map_get(env->names, name);

	return variable && variable->common;
}

/* --- config maps and secrets --- */

static const struct source_kind {
	enum sandbox_kind kind;
	const char *name; /* in "... not found" */
	const char *type; /* in "... key in ..." */
	bool base64;
} source_kinds[] = {
	[SANDBOX_CONFIG_MAP] = {SANDBOX_CONFIG_MAP, "configmap", "ConfigMap", false},
	[SANDBOX_SECRET] = {SANDBOX_SECRET, "secret", "Secret", true},
};

/* 1: found; 0: it is missing, and optional. */
static int find_source(const struct maker *maker, const struct source_kind *kind, struct str name,
		       bool optional, struct json *ret, struct err *err)
{
	*ret = sandbox_find(maker->sandbox, kind->kind, name);
	if (!json_is_absent(*ret))
		return 1;
	if (optional)
		return 0;
	return err_set(err, ERR_NOT_FOUND, "%s \"%.*s\" not found", kind->name, STR_ARG(name));
}

static int set_value(struct maker *maker, const struct source_kind *kind, struct str name,
		     struct str text, struct err *err)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_OBJECT_BYTES);

	if (!kind->base64)
		return set(maker, name, text, err);
	if (base64_parse(text, &bytes, err) < 0)
		return err_wrap(err, "env %.*s", STR_ARG(name));
	return set(maker, name, buf_str(&bytes), err);
}

static int set_all(struct maker *maker, const struct source_kind *kind, struct str prefix,
		   const struct env_source *source, struct err *err)
{
	struct json_iter it;
	struct json object;
	int found = find_source(maker, kind, source->name, source->optional.value, &object, err);

	if (found <= 0)
		return found;
	it = json_iter(json_get(object, "data"));
	while (json_next(&it)) {
		char *name =
			arena_printf(maker->arena, "%.*s%.*s", STR_ARG(prefix), STR_ARG(it.key));

		if (set_value(maker, kind, str_from(name), json_str(it.value), err) < 0)
			return -1;
	}
	return 0;
}

static int set_env_from(struct maker *maker, struct err *err)
{
	for (size_t i = 0; i < maker->container->env_from.len; i++) {
		const struct env_from *from = &maker->container->env_from.ptr[i];

		if (from->config_map && set_all(maker, &source_kinds[SANDBOX_CONFIG_MAP],
						from->prefix, from->config_map, err) < 0)
			return -1;
		if (from->secret && set_all(maker, &source_kinds[SANDBOX_SECRET], from->prefix,
					    from->secret, err) < 0)
			return -1;
	}
	return 0;
}

/* --- env --- */

static int set_key(struct maker *maker, const struct source_kind *kind, struct str name,
		   const struct key_ref *ref, struct err *err)
{
	bool optional = ref->optional.value;
	struct json object, value;
	int found = find_source(maker, kind, ref->name, optional, &object, err);

	if (found <= 0)
		return found;
	value = json_get_str(json_get(object, "data"), ref->key);
	if (json_is_absent(value)) {
		if (optional)
			return 0;
		return err_set(err, ERR_NOT_FOUND, "couldn't find key %.*s in %s %.*s/%.*s",
			       STR_ARG(ref->key), kind->type,
			       STR_ARG(maker->sandbox->pod->meta.namespace), STR_ARG(ref->name));
	}
	return set_value(maker, kind, name, json_str(value), err);
}

static int set_from(struct maker *maker, struct str name, const struct env_var_source *from,
		    struct err *err)
{
	struct str value = STR("");

	if (from->config_map)
		return set_key(maker, &source_kinds[SANDBOX_CONFIG_MAP], name, from->config_map,
			       err);
	if (from->secret)
		return set_key(maker, &source_kinds[SANDBOX_SECRET], name, from->secret, err);
	if (from->field &&
	    downward_field(maker->sandbox, from->field->path, maker->arena, &value, err) < 0)
		return -1;
	if (from->resource && downward_resource(maker->sandbox, maker->container, from->resource,
						maker->arena, &value, err) < 0)
		return -1;
	if (from->file)
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "env %.*s: valueFrom.fileKeyRef is not supported by this node",
			       STR_ARG(name));
	return set(maker, name, value, err);
}

static int set_env(struct maker *maker, struct err *err)
{
	struct container_env so_far = {.names = maker->names};

	for (size_t i = 0; i < maker->container->env.len; i++) {
		const struct env_var *var = &maker->container->env.ptr[i];
		struct str value = var->value;
		int ret;

		if (!value.len && var->from)
			ret = set_from(maker, var->name, var->from, err);
		else
			ret = container_env_expand(&so_far, value, false, maker->arena, &value,
						   err) < 0
				      ? -1
				      : set(maker, var->name, value, err);
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* --- texts --- */

/* Expands one reference or escape after the '$' at `at`; returns where to continue. */
static size_t expand_one(const struct container_env *env, struct str text, size_t at,
			 struct buf *to, struct buf *missing)
{
	const struct variable *variable;
	ptrdiff_t end;
	struct str name;

	if (text.ptr[at + 1] == '$') {
		buf_putc(to, '$');
		return at + 2;
	}
	end = text.ptr[at + 1] == '(' ? str_find_byte(text, ')', at + 2) : -1;
	if (end < 0) {
		buf_putc(to, '$');
		return at + 1;
	}
	name = str_slice(text, at + 2, (size_t)end);
	variable = map_get(env->names, name);
	if (variable && variable->common)
		variable = NULL;
	if (variable)
		buf_put_str(to, variable->value);
	else
		buf_printf(to, "$(%.*s)", STR_ARG(name));
	if (!variable || !variable->value.len)
		buf_printf(missing, "%s%.*s", missing->len ? ", " : "", STR_ARG(name));
	return (size_t)end + 1;
}

int container_env_expand(const struct container_env *env, struct str text, bool strict,
			 struct arena *arena, struct str *ret, struct err *err)
{
	AUTO(buf_done) struct buf to = BUF_INIT(LIMIT_OBJECT_BYTES);
	AUTO(buf_done) struct buf missing = BUF_INIT(ERR_TEXT_SIZE);
	size_t at = 0;

	while (at < text.len) {
		if (text.ptr[at] == '$' && at + 1 < text.len)
			at = expand_one(env, text, at, &to, &missing);
		else
			buf_putc(&to, text.ptr[at++]);
	}
	if (strict && missing.len)
		return err_set(err, ERR_INVALID, "missing value for %s", buf_text(&missing));
	if (buf_is_over(&to))
		return err_set(err, ERR_TOO_LARGE,
			       "a text with $(NAME) becomes larger than %d bytes",
			       LIMIT_OBJECT_BYTES);
	*ret = arena_str(arena, buf_str(&to));
	return 0;
}

static int add_words(const struct container_env *env, const struct strs *words, const char *field,
		     struct arena *arena, const char **to, struct err *err)
{
	struct str text = str_none();

	for (size_t i = 0; i < words->len; i++) {
		if (container_env_expand(env, words->ptr[i], false, arena, &text, err) < 0)
			return -1;
		if (str_find_byte(text, '\0', 0) >= 0)
			return err_set(err, ERR_INVALID, "%s[%zu]: has a zero byte in it", field,
				       i);
		to[i] = text.ptr;
	}
	return 0;
}

static int make_argv(const struct maker *maker, struct container_env *ret, struct err *err)
{
	const struct strs *command = &maker->container->command;
	const struct strs *args = &maker->container->args;
	size_t len = command->len ? command->len + args->len : 0;
	const char **argv = arena_calloc(maker->arena, len + 1, sizeof(*argv));

	if (len && (add_words(ret, command, "command", maker->arena, argv, err) < 0 ||
		    add_words(ret, args, "args", maker->arena, argv + command->len, err) < 0))
		return -1;
	ret->argv = argv;
	ret->argc = len;
	return 0;
}

static void make_list(const struct maker *maker, struct container_env *ret)
{
	const char **list = arena_calloc(maker->arena, map_len(maker->names) + 1, sizeof(*list));
	size_t at = 0;
	void *value;

	while (map_next(maker->names, &at, NULL, &value)) {
		const struct variable *variable = value;

		list[ret->n_env++] =
			arena_printf(maker->arena, "%.*s=%.*s", STR_ARG(variable->name),
				     STR_ARG(variable->value));
	}
	ret->env = list;
}

int container_env_make(const struct sandbox *sandbox, const struct container *container,
		       const char *home, struct arena *arena, struct container_env *ret,
		       struct err *err)
{
	AUTO(container_env_done) struct container_env env = {.names = map_new(HASH_SEED)};
	struct maker maker = {sandbox, container, arena, env.names};

	set_common(&maker, home);
	service_env_walk(sandbox, arena, set_service, &maker);
	if (set_env_from(&maker, err) < 0 || set_env(&maker, err) < 0 ||
	    make_argv(&maker, &env, err) < 0)
		return -1;
	make_list(&maker, &env);
	*ret = env;
	env.names = NULL;
	return 0;
}
