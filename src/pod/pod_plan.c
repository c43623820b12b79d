/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_plan.c - a pod's plan as text, and back.
 *
 * The text is a first line that names the format, then fields in a fixed order: numbers of eight bytes, lowest
 * byte first; strings as their length and their bytes, NULL as a length of all ones; lists as their count and
 * their elements. One table per struct names the fields, so that both directions agree and a new field is a new
 * row. A field that is added changes the first line.
 *
 * Always true: decoding never reads past the end of the text, and makes no list that is longer than the rest of
 * the text, so that a few bytes cannot ask for much memory. */
#include "pod/pod_plan.h"

#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

static const struct str first_line = STR_INIT("volcano pod plan " PLAN_VERSION "\n");
static const uint64_t no_text = UINT64_MAX;

const struct plan_identity plan_identity_none = {
	.uid = -1,
	.gid = -1,
	.max_processes = -1,
	.max_files = -1,
	.core_size = -1,
	.keep_capabilities = UINT64_MAX,
};

bool plan_mount_is_file(const struct plan_mount *mount)
{
	return mount->fstype &&
	       (strcmp(mount->fstype, PLAN_HOSTS) == 0 || strcmp(mount->fstype, PLAN_MESSAGE) == 0);
}

enum field_type {
	FIELD_TEXT,
	FIELD_TEXTS, /* ends in NULL when decoded; its count is elsewhere */
	FIELD_BOOL,
	FIELD_INT,
	FIELD_UINT,
	FIELD_I64,
	FIELD_U64,
	FIELD_SIZE,
	FIELD_U32S,
	FIELD_STRUCT,
	FIELD_STRUCTS,
};

struct field {
	const char *name;
	enum field_type type;
	size_t at;
	size_t count_at; /* of lists: the field that has their length */
	const struct shape *of;
};

struct shape {
	size_t size;
	const struct field *fields;
	size_t n_fields;
};

#define FIELD(type, member, kind)                              \
	{                                                      \
#member, kind, offsetof(type, member), 0, NULL \
	}
#define LIST(type, member, count, kind, shape)                                      \
	{                                                                           \
#member, kind, offsetof(type, member), offsetof(type, count), shape \
	}
#define SHAPE(type, fields)                             \
	{                                               \
		sizeof(type), fields, ARRAY_LEN(fields) \
	}

static const struct field mount_fields[] = {
	FIELD(struct plan_mount, source, FIELD_TEXT),
	FIELD(struct plan_mount, target, FIELD_TEXT),
	FIELD(struct plan_mount, fstype, FIELD_TEXT),
	FIELD(struct plan_mount, options, FIELD_TEXT),
	FIELD(struct plan_mount, below, FIELD_TEXT),
	FIELD(struct plan_mount, foreign, FIELD_BOOL),
	FIELD(struct plan_mount, read_only, FIELD_BOOL),
};
static const struct shape mount_shape = SHAPE(struct plan_mount, mount_fields);

static const struct field identity_fields[] = {
	FIELD(struct plan_identity, uid, FIELD_I64),
	FIELD(struct plan_identity, gid, FIELD_I64),
	LIST(struct plan_identity, groups, n_groups, FIELD_U32S, NULL),
	FIELD(struct plan_identity, no_new_privs, FIELD_BOOL),
	FIELD(struct plan_identity, max_processes, FIELD_I64),
	FIELD(struct plan_identity, max_files, FIELD_I64),
	FIELD(struct plan_identity, core_size, FIELD_I64),
	FIELD(struct plan_identity, oom_score_adj, FIELD_INT),
	FIELD(struct plan_identity, nice, FIELD_INT),
	FIELD(struct plan_identity, keep_capabilities, FIELD_U64),
};
static const struct shape identity_shape = SHAPE(struct plan_identity, identity_fields);

static const struct field container_fields[] = {
	FIELD(struct plan_container, name, FIELD_TEXT),
	LIST(struct plan_container, argv, argc, FIELD_TEXTS, NULL),
	LIST(struct plan_container, env, n_env, FIELD_TEXTS, NULL),
	FIELD(struct plan_container, cwd, FIELD_TEXT),
	FIELD(struct plan_container, other_cwd, FIELD_TEXT),
	LIST(struct plan_container, cgroups, n_cgroups, FIELD_TEXTS, NULL),
	LIST(struct plan_container, group_folders, n_group_folders, FIELD_TEXTS, NULL),
	LIST(struct plan_container, group_values, n_group_values, FIELD_TEXTS, NULL),
	LIST(struct plan_container, mounts, n_mounts, FIELD_STRUCTS, &mount_shape),
	FIELD(struct plan_container, root, FIELD_TEXT),
	FIELD(struct plan_container, read_only_root, FIELD_BOOL),
	FIELD(struct plan_container, scratch, FIELD_TEXT),
	{"identity", FIELD_STRUCT, offsetof(struct plan_container, identity), 0, &identity_shape},
	FIELD(struct plan_container, seals_sys, FIELD_BOOL),
	FIELD(struct plan_container, seals_proc, FIELD_BOOL),
	FIELD(struct plan_container, tty, FIELD_BOOL),
	FIELD(struct plan_container, stdin_open, FIELD_BOOL),
};
static const struct shape container_shape = SHAPE(struct plan_container, container_fields);

static const struct field plan_fields[] = {
	FIELD(struct pod_plan, uid, FIELD_TEXT),
	FIELD(struct pod_plan, namespace_, FIELD_TEXT),
	FIELD(struct pod_plan, name, FIELD_TEXT),
	FIELD(struct pod_plan, hostname, FIELD_TEXT),
	FIELD(struct pod_plan, address, FIELD_TEXT),
	FIELD(struct pod_plan, folder, FIELD_TEXT),
	FIELD(struct pod_plan, hidden, FIELD_TEXT),
	FIELD(struct pod_plan, netns, FIELD_TEXT),
	FIELD(struct pod_plan, user_namespace, FIELD_BOOL),
	FIELD(struct pod_plan, mount_namespace, FIELD_BOOL),
	FIELD(struct pod_plan, uts_namespace, FIELD_BOOL),
	FIELD(struct pod_plan, pid_namespace, FIELD_BOOL),
	FIELD(struct pod_plan, deadline_us, FIELD_I64),
	FIELD(struct pod_plan, grace_us, FIELD_I64),
	FIELD(struct pod_plan, log_size, FIELD_U64),
	FIELD(struct pod_plan, log_files, FIELD_UINT),
	LIST(struct pod_plan, containers, n_containers, FIELD_STRUCTS, &container_shape),
	FIELD(struct pod_plan, n_init, FIELD_SIZE),
};
static const struct shape plan_shape = SHAPE(struct pod_plan, plan_fields);

/* --- encoding --- */

static void put_u64(struct buf *to, uint64_t value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	buf_put(to, bytes, sizeof(bytes));
}

static void put_text(struct buf *to, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	put_u64(to, text ? len : no_text);
	buf_put(to, text ? text : "", len);
}

/* The value of a whole-number field, widened. */
static uint64_t number_at(const struct field *field, const void *at)
{
	switch (field->type) {
	case FIELD_BOOL:
		return *(const bool *)at;
	case FIELD_INT:
		return (uint64_t)(int64_t) * (const int *)at;
	case FIELD_UINT:
		return *(const unsigned *)at;
	case FIELD_SIZE:
		return *(const size_t *)at;
	default:
		return *(const uint64_t *)at; /* I64 is stored with the same bits */
	}
}

static void put_struct(struct buf *to, const struct shape *shape, const char *from);

static void put_list(struct buf *to, const struct field *field, const void *const *at, size_t count)
{
	put_u64(to, count);
	for (size_t i = 0; i < count; i++) {
		if (field->type == FIELD_TEXTS)
			put_text(to, ((const char *const *)*at)[i]);
		else if (field->type == FIELD_U32S)
			put_u64(to, ((const uint32_t *)*at)[i]);
		else
			put_struct(to, field->of, (const char *)*at + i * field->of->size);
	}
}

static void put_struct(struct buf *to, const struct shape *shape, const char *from)
{
	for (size_t i = 0; i < shape->n_fields; i++) {
		const struct field *field = &shape->fields[i];
		const void *at = from + field->at;

		if (field->type == FIELD_TEXT)
			put_text(to, *(const char *const *)at);
		else if (field->type == FIELD_STRUCT)
			put_struct(to, field->of, at);
		else if (field->count_at)
			put_list(to, field, at,
				 *(const size_t *)(const void *)(from + field->count_at));
		else
			put_u64(to, number_at(field, at));
	}
}

int pod_plan_encode(const struct pod_plan *plan, struct buf *to, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PLAN_BYTES);

	buf_put_str(&text, first_line);
	put_struct(&text, &plan_shape, (const char *)plan);
	if (buf_is_over(&text))
		return err_set(err, ERR_TOO_LARGE, "the pod's plan is over %d bytes",
			       LIMIT_PLAN_BYTES);
	return buf_add(to, text.ptr, text.len, err);
}

/* --- decoding --- */

struct reader {
	struct str rest;
	struct arena *arena;
	struct err *err;
};

static int wrong(struct reader *reader, const struct field *field, const char *why)
{
	return err_set(reader->err, ERR_BAD_REQUEST, "%s: %s", field->name, why);
}

static int get_u64(struct reader *reader, const struct field *field, uint64_t *ret)
{
	uint64_t value = 0;

	if (reader->rest.len < 8)
		return wrong(reader, field, "the text ends early");
	for (size_t i = 8; i-- > 0;)
		value = value << 8 | (unsigned char)reader->rest.ptr[i];
	reader->rest = str_skip(reader->rest, 8);
	*ret = value;
	return 0;
}

static int get_text(struct reader *reader, const struct field *field, const char **ret)
{
	uint64_t len = 0;
	struct str text;

	if (get_u64(reader, field, &len) < 0)
		return -1;
	*ret = NULL;
	if (len == no_text)
		return 0;
	if (len > reader->rest.len)
		return wrong(reader, field, "the text ends early");
	text = str_slice(reader->rest, 0, (size_t)len);
	if (str_find_byte(text, '\0', 0) >= 0)
		return wrong(reader, field, "has a NUL in it");
	*ret = arena_str(reader->arena, text).ptr;
	reader->rest = str_skip(reader->rest, (size_t)len);
	return 0;
}

static int get_number(struct reader *reader, const struct field *field, void *at)
{
	uint64_t value = 0;

	if (get_u64(reader, field, &value) < 0)
		return -1;
	if (field->type == FIELD_BOOL && value > 1)
		return wrong(reader, field, "is neither true nor false");
	if ((field->type == FIELD_UINT && value > UINT32_MAX) ||
	    (field->type == FIELD_INT && (int64_t)value != (int)(int64_t)value))
		return wrong(reader, field, "is out of range");
	switch (field->type) {
	case FIELD_BOOL:
		*(bool *)at = value;
		break;
	case FIELD_INT:
		*(int *)at = (int)(int64_t)value;
		break;
	case FIELD_UINT:
		*(unsigned *)at = (unsigned)value;
		break;
	case FIELD_SIZE:
		*(size_t *)at = (size_t)value;
		break;
	default:
		*(uint64_t *)at = value;
		break;
	}
	return 0;
}

static int get_struct(struct reader *reader, const struct shape *shape, char *to);

static int get_texts(struct reader *reader, const struct field *field, size_t count, void *at)
{
	const char **list = arena_calloc(reader->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		if (get_text(reader, field, &list[i]) < 0)
			return -1;
		if (!list[i])
			return wrong(reader, field, "has a part that is missing");
	}
	*(const char *const **)at = list;
	return 0;
}

static int get_u32s(struct reader *reader, const struct field *field, size_t count, void *at)
{
	uint32_t *list = arena_calloc(reader->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;

		if (get_u64(reader, field, &value) < 0)
			return -1;
		if (value > UINT32_MAX)
			return wrong(reader, field, "is out of range");
		list[i] = (uint32_t)value;
	}
	*(const uint32_t **)at = list;
	return 0;
}

static int get_list(struct reader *reader, const struct field *field, void *at, size_t *ret_count)
{
	uint64_t count = 0;
	char *list;

	if (get_u64(reader, field, &count) < 0)
		return -1;
	if (count > reader->rest.len / 8) /* each element takes at least eight bytes */
		return wrong(reader, field, "the text ends early");
	*ret_count = (size_t)count;
	if (field->type == FIELD_TEXTS)
		return get_texts(reader, field, (size_t)count, at);
	if (field->type == FIELD_U32S)
		return get_u32s(reader, field, (size_t)count, at);
	if (count > reader->rest.len / (8 * field->of->n_fields))
		return wrong(reader, field, "the text ends early");
	list = arena_calloc(reader->arena, (size_t)count + 1, field->of->size);
	for (size_t i = 0; i < count; i++)
		if (get_struct(reader, field->of, list + i * field->of->size) < 0)
			return err_wrap(reader->err, "%s[%zu]", field->name, i);
	*(void **)at = list;
	return 0;
}

static int get_field(struct reader *reader, const struct field *field, char *to)
{
	void *at = to + field->at;

	if (field->type == FIELD_TEXT)
		return get_text(reader, field, at);
	if (field->type == FIELD_STRUCT)
		return get_struct(reader, field->of, at);
	if (field->count_at)
		return get_list(reader, field, at, (size_t *)(void *)(to + field->count_at));
	return get_number(reader, field, at);
}

static int get_struct(struct reader *reader, const struct shape *shape, char *to)
{
	for (size_t i = 0; i < shape->n_fields; i++)
		if (get_field(reader, &shape->fields[i], to) < 0)
			return -1;
	return 0;
}

/* Checks what a supervisor relies on. */
static int check(const struct pod_plan *plan, struct err *err)
{
	if (!plan->uid || !plan->namespace_ || !plan->name || !plan->folder)
		return err_set(err, ERR_BAD_REQUEST, "uid, namespace, name and folder are needed");
	if (plan->n_init > plan->n_containers)
		return err_set(err, ERR_BAD_REQUEST, "n_init: more than there are containers");
	for (size_t i = 0; i < plan->n_containers; i++) {
		if (!plan->containers[i].name)
			return err_set(err, ERR_BAD_REQUEST, "containers[%zu]: has no name", i);
		for (size_t k = 0; k < plan->containers[i].n_mounts; k++)
			if (!plan->containers[i].mounts[k].target)
				return err_set(err, ERR_BAD_REQUEST,
					       "containers[%zu].mounts[%zu]: has no target", i, k);
	}
	return 0;
}

int pod_plan_decode(struct str text, struct arena *arena, struct pod_plan *ret, struct err *err)
{
	struct reader reader = {.arena = arena, .err = err};
	struct pod_plan plan = {0};

	if (text.len > LIMIT_PLAN_BYTES)
		return err_set(err, ERR_TOO_LARGE, "the pod's plan is over %d bytes",
			       LIMIT_PLAN_BYTES);
	if (!str_starts(text, first_line))
		return err_set(err, ERR_BAD_REQUEST, "this is no pod plan of this version");
	reader.rest = str_skip(text, first_line.len);
	if (get_struct(&reader, &plan_shape, (char *)&plan) < 0 || check(&plan, err) < 0)
		return -1;
	if (reader.rest.len)
		return err_set(err, ERR_BAD_REQUEST, "something follows the pod's plan");
	*ret = plan;
	return 0;
}
