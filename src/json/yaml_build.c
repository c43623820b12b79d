/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml_build.c - a JSON document out of the events of one YAML document.
 *
 * Open containers are a stack of frames. The members of all open maps are in one array, those of
 * each frame after those of the frame below it; they become members of the object when the map is
 * closed, since until then a merge or a repeated key may still replace them. Long maps get an
 * index, so that n keys cost n log n. An anchor remembers its value; an alias, or a merge, copies
 * it.
 *
 * What must stay true:
 * 1. Nothing is copied before its nodes, bytes and depth were checked against the limits.
 * 2. An anchor can be used only after the end of its own node: no document contains itself.
 * 3. Nothing recurses except the functions of json, over documents within the limit of depth. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/omap.h"
#include "base/vec.h"
#include "json/yaml_internal.h"

#include "base/banned.h"

/* In the arena, like its key. */
struct member {
	struct str key;
	struct json value;
	struct yaml_place place; /* of the key */
	bool explicit;           /* not only by a merge */
};

struct frame {
	bool map;
	struct json value;
	struct yaml_place place;
	struct anchor *anchor; /* NULL: it has none */
	/* of a map */
	size_t first;       /* its first member */
	struct omap *index; /* key to member; NULL while there are few */
	bool has_key;       /* the next node is a value */
	bool merge;         /* of a merge key */
	struct str key;
	struct yaml_place key_place;
};

struct anchor {
	struct str name;
	struct json value;
	bool open; /* its end has not been seen */
	bool is_scalar;
	struct yaml_scalar scalar; /* as a key it is printed as it was written */
};

struct yaml_build {
	const struct yaml_options *options;
	struct json_doc *doc;
	struct arena *arena;
	struct omap *anchors;
	VEC(struct frame) frames;
	VEC(struct member *) members;
	size_t nodes;
	size_t depths; /* of all nodes together */
	size_t copied; /* bytes, by aliases and merges */
};

enum { FEW_MEMBERS = 16, USUAL_DEPTH = 32 };

int yaml_err(struct err *err, enum err_code code, struct yaml_place place, const char *format, ...)
{
	AUTO(mem_free) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	return err_set(err, code, "line %zu, column %zu: %s", place.line, place.column, text);
}

static int wrap_place(struct err *err, struct yaml_place place)
{
	return err_wrap(err, "line %zu, column %zu", place.line, place.column);
}

struct yaml_build *yaml_build_new(const struct yaml_options *options)
{
	struct yaml_build *build = mem_new(struct yaml_build);

	build->options = options;
	build->doc = json_doc_new();
	build->arena = arena_new(0);
	build->anchors = omap_new();
	return build;
}

void yaml_build_free(struct yaml_build *build)
{
	if (!build)
		return;
	for (size_t i = 0; i < build->frames.len; i++)
		omap_free(build->frames.ptr[i].index);
	vec_done(&build->frames);
	vec_done(&build->members);
	omap_free(build->anchors);
	arena_free(build->arena);
	json_doc_unref(build->doc);
	mem_free(build);
}

struct arena *yaml_build_arena(struct yaml_build *build)
{
	return build->arena;
}

struct json_doc *yaml_build_take(struct yaml_build *build)
{
	assert(build->frames.len == 0);
	return TAKE(build->doc);
}

static struct frame *top(struct yaml_build *build)
{
	return build->frames.len ? &build->frames.ptr[build->frames.len - 1] : NULL;
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* The cost of a node grows with its depth: libyaml visits all open flow containers at each token,
 * and a printer indents each line. So the sum of the depths is limited too. */
static int count_nodes(struct yaml_build *build, size_t nodes, size_t depth,
		       struct yaml_place place, struct err *err)
{
	build->nodes += nodes;
	build->depths += nodes * depth;
	if (build->nodes > build->options->max_nodes)
		return yaml_err(err, ERR_TOO_LARGE, place,
				"the document has more than %zu nodes, aliases included",
				build->options->max_nodes);
	if (build->depths > build->options->max_nodes * USUAL_DEPTH)
		return yaml_err(err, ERR_TOO_LARGE, place,
				"the document is too large for being so deeply nested");
	return 0;
}

static int check_depth(const struct yaml_build *build, size_t depth, struct yaml_place place,
		       struct err *err)
{
	if (depth <= build->options->max_depth)
		return 0;
	return yaml_err(err, ERR_TOO_LARGE, place, "the document is nested deeper than %zu levels",
			build->options->max_depth);
}

struct measure {
	size_t nodes;
	size_t bytes;
	size_t height; /* containers on the longest path down */
};

static struct measure measure(struct json value)
{
	struct measure sum = {.nodes = 1, .bytes = json_str(value).len};
	struct json_iter it = json_iter(value);

	if (!json_is(value, JSON_ARR) && !json_is(value, JSON_OBJ))
		return sum;
	while (json_next(&it)) {
		struct measure part = measure(it.value);

		sum.nodes += part.nodes;
		sum.bytes += part.bytes + it.key.len;
		if (part.height > sum.height)
			sum.height = part.height;
	}
	sum.height++;
	return sum;
}

/* A copy of a value of this document, if the limits allow it. */
static int copy(struct yaml_build *build, struct json value, struct yaml_place place,
		struct json *ret, struct err *err)
{
	struct measure more = measure(value);

	build->copied += more.bytes;
	if (build->copied > build->options->max_bytes)
		return yaml_err(err, ERR_TOO_LARGE, place, "aliases copy more than %zu bytes",
				build->options->max_bytes);
	size_t depth = build->frames.len + more.height;
	if (count_nodes(build, more.nodes, depth, place, err) < 0 ||
	    check_depth(build, depth, place, err) < 0)
		return -1;
	*ret = json_new_copy(build->doc, value);
	return 0;
}

/* --- members ---------------------------------------------------------------------------------- */

static struct member *find_member(struct yaml_build *build, const struct frame *frame,
				  struct str key)
{
	if (frame->index)
		return omap_get(frame->index, key);
	for (size_t i = frame->first; i < build->members.len; i++) {
		if (str_eq(build->members.ptr[i]->key, key))
			return build->members.ptr[i];
	}
	return NULL;
}

static void add_member(struct yaml_build *build, struct frame *frame, const struct member *new)
{
	struct member *member = arena_new_of(build->arena, struct member);
	size_t from = build->members.len;

	*member = *new;
	vec_push(&build->members, member);
	if (!frame->index && build->members.len - frame->first > FEW_MEMBERS) {
		frame->index = omap_new();
		from = frame->first;
	}
	for (; frame->index && from < build->members.len; from++)
		(void)omap_put(frame->index, build->members.ptr[from]->key,
			       build->members.ptr[from]); /* it is new */
}

static int report_duplicate(const struct yaml_build *build, const struct member *member,
			    struct yaml_place place, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (build->options->go_errors)
		buf_printf(&text, "line %zu: key \"", place.line);
	else
		buf_printf(&text, "line %zu, column %zu: key \"", place.line, place.column);
	buf_put_json(&text, str_slice(member->key, 0, 256));
	buf_puts(&text, "\" already set in map");
	if (!build->options->go_errors)
		buf_printf(&text, ", first at line %zu, column %zu", member->place.line,
			   member->place.column);
	if (!build->options->on_duplicate)
		return err_set(err, ERR_BAD_REQUEST, "%s", buf_text(&text));
	build->options->on_duplicate(build->options->arg, buf_str(&text));
	return 0;
}

/* Set a member; a later one replaces an earlier one in its place. */
static int put_member(struct yaml_build *build, struct frame *frame, const struct member *new,
		      struct err *err)
{
	struct member *old = find_member(build, frame, new->key);

	if (!old) {
		add_member(build, frame, new);
		return 0;
	}
	if (old->explicit && new->explicit &&report_duplicate(build, old, new->place, err) < 0)
		return -1;
	old->value = new->value;
	if (new->explicit) {
		old->explicit = true;
		old->place = new->place;
	}
	return 0;
}

/* --- merge keys ------------------------------------------------------------------------------- */

/* Into `frame`, at its merge key. */
static int merge_map(struct yaml_build *build, struct frame *frame, struct json map,
		     struct err *err)
{
	struct yaml_place place = frame->key_place;
	struct json_iter it = json_iter(map);

	if (!json_is(map, JSON_OBJ))
		return yaml_err(err, ERR_BAD_REQUEST, place,
				"map merge requires map or sequence of maps as the value, found "
				"%s",
				json_type_name(json_type(map)));
	while (json_next(&it)) {
		struct member member = {.place = place};

		if (copy(build, it.value, place, &member.value, err) < 0)
			return -1;
		member.key = arena_str(build->arena, it.key);
		if (put_member(build, frame, &member, err) < 0)
			return -1;
	}
	return 0;
}

/* From the last map of a list to the first: earlier ones win. */
static int merge_value(struct yaml_build *build, struct frame *frame, struct json value,
		       struct err *err)
{
	struct json_iter it = json_iter(value);
	size_t count = json_len(value);

	if (!json_is(value, JSON_ARR))
		return merge_map(build, frame, value, err);
	/* Each element is looked up once, because json_at() is linear. */
	struct json *maps = arena_calloc(build->arena, count, sizeof(*maps));
	for (size_t i = 0; json_next(&it); i++)
		maps[i] = it.value;
	while (count > 0) {
		if (merge_map(build, frame, maps[--count], err) < 0)
			return -1;
	}
	return 0;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* The node's anchor, still open, or NULL if it has none. */
static struct anchor *add_anchor(struct yaml_build *build, const struct yaml_node *node)
{
	if (str_is_none(node->anchor))
		return NULL;
	struct anchor *anchor = arena_new_of(build->arena, struct anchor);
	anchor->name = arena_str(build->arena, node->anchor);
	anchor->open = true;
	(void)omap_put(build->anchors, anchor->name, anchor); /* a name may be used again */
	return anchor;
}

/* The map that waits for a key, or NULL. */
static struct frame *keyless_map(struct yaml_build *build)
{
	struct frame *frame = top(build);

	return frame && frame->map && !frame->has_key ? frame : NULL;
}

static int set_key(struct yaml_build *build, struct frame *map, const struct yaml_scalar *scalar,
		   struct yaml_place place, struct err *err)
{
	if (yaml_scalar_key(scalar, build->arena, &map->key, err) < 0)
		return wrap_place(err, place);
	map->has_key = true;
	map->merge = false;
	map->key_place = place;
	return 0;
}

/* Put a finished value where it belongs. */
static int place_value(struct yaml_build *build, struct json value, struct err *err)
{
	struct frame *frame = top(build);

	if (!frame) {
		json_doc_set_root(build->doc, value);
		return 0;
	}
	if (!frame->map) {
		json_append(build->doc, frame->value, value);
		return 0;
	}
	frame->has_key = false;
	if (frame->merge)
		return merge_value(build, frame, value, err);
	const struct member member = {
		.key = frame->key, .value = value, .place = frame->key_place, .explicit = true};
	return put_member(build, frame, &member, err);
}

int yaml_build_scalar(struct yaml_build *build, const struct yaml_node *node,
		      const struct yaml_scalar *scalar, struct err *err)
{
	struct json value = JSON_NONE;

	if (count_nodes(build, 1, build->frames.len, node->place, err) < 0)
		return -1;
	struct anchor *anchor = add_anchor(build, node);
	struct frame *map = keyless_map(build);
	if ((!map || anchor) && yaml_scalar_value(scalar, build->doc, &value, err) < 0)
		return wrap_place(err, node->place);
	if (anchor) {
		anchor->value = value;
		anchor->is_scalar = true;
		anchor->scalar = *scalar;
		anchor->scalar.text = arena_str(build->arena, scalar->text);
		anchor->open = false;
	}
	if (map)
		return set_key(build, map, scalar, node->place, err);
	return place_value(build, value, err);
}

int yaml_build_merge(struct yaml_build *build, const struct yaml_node *node,
		     const struct yaml_scalar *scalar, struct err *err)
{
	if (yaml_build_scalar(build, node, scalar, err) < 0)
		return -1;
	struct frame *frame = top(build);
	if (frame && frame->map && frame->has_key)
		frame->merge = true;
	return 0;
}

int yaml_build_alias(struct yaml_build *build, const struct yaml_node *node, struct err *err)
{
	const struct anchor *anchor = omap_get(build->anchors, node->anchor);
	struct json value = JSON_NONE;

	if (!anchor)
		return yaml_err(err, ERR_BAD_REQUEST, node->place,
				"unknown anchor '%.*s' referenced, expected one defined above",
				STR_ARG(str_slice(node->anchor, 0, 256)));
	if (anchor->open)
		return yaml_err(err, ERR_BAD_REQUEST, node->place,
				"anchor '%.*s' value contains itself",
				STR_ARG(str_slice(node->anchor, 0, 256)));
	struct frame *map = keyless_map(build);
	if (map) {
		if (anchor->is_scalar)
			return set_key(build, map, &anchor->scalar, node->place, err);
		return yaml_err(err, ERR_BAD_REQUEST, node->place,
				"found a map or a sequence as a key in a map, expected a scalar");
	}
	struct frame *frame = top(build);
	if (frame && frame->map && frame->merge) {
		frame->has_key = false;
		return merge_map(build, frame, anchor->value, err);
	}
	if (copy(build, anchor->value, node->place, &value, err) < 0)
		return -1;
	return place_value(build, value, err);
}

int yaml_build_open(struct yaml_build *build, const struct yaml_node *node, bool map,
		    struct err *err)
{
	if (keyless_map(build))
		return yaml_err(err, ERR_BAD_REQUEST, node->place,
				"found a %s as a key in a map, expected a scalar",
				map ? "map" : "sequence");
	if (count_nodes(build, 1, build->frames.len, node->place, err) < 0 ||
	    check_depth(build, build->frames.len + 1, node->place, err) < 0)
		return -1;
	vec_push(&build->frames,
		 (struct frame){.map = map,
				.value = map ? json_new_obj(build->doc) : json_new_arr(build->doc),
				.place = node->place,
				.anchor = add_anchor(build, node),
				.first = build->members.len});
	return 0;
}

int yaml_build_close(struct yaml_build *build, struct err *err)
{
	assert(build->frames.len > 0);
	struct frame frame = build->frames.ptr[build->frames.len - 1];

	for (size_t i = frame.first; frame.map && i < build->members.len; i++)
		json_add(build->doc, frame.value, build->members.ptr[i]->key,
			 build->members.ptr[i]->value);
	if (frame.map)
		build->members.len = frame.first;
	omap_free(frame.index);
	build->frames.len--;
	if (frame.anchor) {
		frame.anchor->value = frame.value;
		frame.anchor->open = false;
	}
	return place_value(build, frame.value, err);
}
