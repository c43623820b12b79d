/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/typed.c - objects by what is known of their fields.
 *
 * Every walk has the same three cases: an object whose members are looked at one by one, a list whose
 * elements have names (a key, or their value), and everything else, which is one thing. Members and
 * elements of another version are found through an index: both sides may be as long as a request. */
#include "apiserver/apply/typed.h"

#include "apiserver/apply/typed_internal.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "apiserver/kind/kind.h"
#include "base/arena.h"
#include "base/map.h"
#include "json/index.h"
#include "json/strategic.h"
#include "model/core/meta.h"
#include "model/field/fields.h"

#include "base/banned.h"

/* The elements of a list by their steps; of several with one step, the first. */
struct elements {
	struct arena *arena;
	struct map *map;
};

static void elements_done(struct elements *elements)
{
	map_free(elements->map);
	arena_free(elements->arena);
}
DEFINE_AUTO_IN_PLACE(struct elements, elements_done);

static struct elements elements_of(struct typed_place place, struct json list)
{
	AUTO(buf_done) struct buf step = BUF_UNBOUNDED;
	struct elements made = {NULL, NULL};
	struct json_iter it = json_iter(list);

	if (!json_is(list, JSON_ARR) || !json_len(list))
		return made;
	made.arena = arena_new(0);
	made.map = map_new(json_len(list));
	while (json_next(&it)) {
		struct json *held;

		typed_print_element(place, it.value, &step);
		if (map_get(made.map, buf_str(&step)))
			continue;
		held = arena_new_of(made.arena, struct json);
		*held = it.value;
		(void)map_put(made.map, arena_str(made.arena, buf_str(&step)), held);
	}
	return made;
}

static struct json elements_find(const struct elements *elements, struct str step)
{
	const struct json *found = elements->map ? map_get(elements->map, step) : NULL;

	return found ? *found : JSON_NONE;
}

/* --- checking -------------------------------------------------------------------------------- */

/* What stands at a place, as structured-merge-diff sees it. */
enum want { WANT_ANY, WANT_SCALAR, WANT_STRING, WANT_NUMBER, WANT_BOOLEAN, WANT_LIST, WANT_MAP };

static enum want want_of_field(const struct field *field)
{
	static const enum want wants[FIELD_CLASS_COUNT] = {
		[FIELD_BOOL] = WANT_BOOLEAN,     [FIELD_INT32] = WANT_NUMBER,
		[FIELD_INT64] = WANT_NUMBER,     [FIELD_DOUBLE] = WANT_NUMBER,
		[FIELD_STR] = WANT_STRING,       [FIELD_BYTES] = WANT_STRING,
		[FIELD_ENUM] = WANT_STRING,      [FIELD_QUANTITY] = WANT_SCALAR,
		[FIELD_DURATION] = WANT_STRING,  [FIELD_TIME] = WANT_SCALAR,
		[FIELD_MICROTIME] = WANT_SCALAR, [FIELD_INTSTR] = WANT_SCALAR,
		[FIELD_OBJECT] = WANT_MAP,       [FIELD_LIST] = WANT_LIST,
		[FIELD_MAP] = WANT_MAP,
	};

	return wants[field->is];
}

static enum want want_of_node(const struct schema_node *node)
{
	static const struct {
		unsigned types;
		enum want want;
	} wants[] = {
		{SCHEMA_STRING, WANT_STRING},   {SCHEMA_INTEGER, WANT_NUMBER},
		{SCHEMA_NUMBER, WANT_NUMBER},   {SCHEMA_INTEGER | SCHEMA_NUMBER, WANT_NUMBER},
		{SCHEMA_BOOLEAN, WANT_BOOLEAN}, {SCHEMA_INTEGER | SCHEMA_STRING, WANT_SCALAR},
		{SCHEMA_ARRAY, WANT_LIST},      {SCHEMA_OBJECT, WANT_MAP},
	};

	for (size_t i = 0; i < ARRAY_LEN(wants); i++)
		if (node->types == wants[i].types)
			return wants[i].want;
	return WANT_ANY;
}

static enum want want_of(struct typed_place place)
{
	if (place.type || place.custom_root)
		return WANT_MAP;
	if (place.field)
		return want_of_field(place.field);
	return place.node ? want_of_node(place.node) : WANT_ANY;
}

static bool is_wanted(enum want want, struct json value)
{
	enum json_type type = json_type(value);
	bool number = type == JSON_INT || type == JSON_REAL;

	switch (want) {
	case WANT_ANY:
		return true;
	case WANT_SCALAR:
		return number || type == JSON_STR || type == JSON_BOOL;
	case WANT_STRING:
		return type == JSON_STR;
	case WANT_NUMBER:
		return number;
	case WANT_BOOLEAN:
		return type == JSON_BOOL;
	case WANT_LIST:
		return type == JSON_ARR;
	case WANT_MAP:
		return type == JSON_OBJ;
	}
	return true;
}

/* As Go's %#v prints it. */
static void print_go_syntax(struct json value, struct buf *to)
{
	struct json_iter it = json_iter(value);
	bool object = json_is(value, JSON_OBJ);

	if (!object && !json_is(value, JSON_ARR)) {
		json_print(value, JSON_COMPACT, to);
		return;
	}
	buf_puts(to, object ? "map[string]interface {}{" : "[]interface {}{");
	while (json_next(&it) && !buf_is_over(to)) {
		buf_puts(to, it.index ? ", " : "");
		if (object)
			buf_printf(to, "\"%.*s\":", STR_ARG(it.key));
		print_go_syntax(it.value, to);
	}
	buf_putc(to, '}');
}

static const char *go_type_of(struct json value)
{
	return json_is(value, JSON_STR)    ? "string"
	       : json_is(value, JSON_BOOL) ? "bool"
	       : json_is(value, JSON_ARR)  ? "[]interface {}"
					   : "map[string]interface {}";
}

static int report_unexpected(enum want want, struct json value, struct str up, struct err *err)
{
	static const char *const names[] = {[WANT_SCALAR] = "any scalar",
					    [WANT_STRING] = "string",
					    [WANT_NUMBER] = "numeric (int or float)",
					    [WANT_BOOLEAN] = "boolean",
					    [WANT_LIST] = "list",
					    [WANT_MAP] = "map"};
	AUTO(buf_done) struct buf got = BUF_INIT(ERR_TEXT_SIZE);

	if (want == WANT_NUMBER) {
		buf_puts(&got, go_type_of(value));
	} else if (want == WANT_STRING) {
		buf_puts(&got, "&value.valueUnstructured{Value:");
		print_go_syntax(value, &got);
		buf_putc(&got, '}');
	} else {
		buf_puts(&got, "&{");
		json_print_go(value, &got);
		buf_putc(&got, '}');
	}
	return err_set(err, ERR_UNKNOWN, "%.*s%sexpected %s, got %s", STR_ARG(up),
		       up.len ? ": " : "", names[want], buf_text(&got));
}

static int check(struct typed_place place, struct json value, struct str up, struct err *err);

static int check_members(struct typed_place place, struct json value, struct str up,
			 struct err *err)
{
	struct json_iter it = json_iter(value);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
		bool named;
		bool known;
		struct typed_place below = typed_member(place, it.key, &named, &known);

		buf_printf(&path, "%.*s.%.*s", STR_ARG(up), STR_ARG(it.key));
		if (!known)
			return err_set(err, ERR_UNKNOWN, "%s: field not declared in schema",
				       buf_text(&path));
		if (check(below, it.value, buf_str(&path), err) < 0)
			return -1;
	}
	return 0;
}

/* Does an element of a list with keys have one of them? Those of built-in kinds have defaults, if only
 * "" and 0. */
static bool has_a_key(struct typed_place place, struct json element)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct typed_place of = typed_element(place);

	if (!place.node)
		return true;
	for (size_t i = 0; i < place.node->list_keys.len; i++)
		if (!json_is_absent(
			    typed_key_value(of, element, place.node->list_keys.ptr[i], doc)))
			return true;
	return false;
}

/* Can an element of a list with keys be named? */
static int check_keys(struct typed_place place, struct json element, size_t index, struct str up,
		      struct err *err)
{
	AUTO(buf_done) struct buf keys = BUF_UNBOUNDED;

	if (!json_is(element, JSON_OBJ))
		return err_set(err, ERR_UNKNOWN,
			       "%.*s: element %zu: associative list with keys may not have non-map "
			       "elements",
			       STR_ARG(up), index);
	if (has_a_key(place, element))
		return 0;
	for (size_t i = 0; place.node && i < place.node->list_keys.len; i++)
		buf_printf(&keys, "%s\"%.*s\"", i ? " " : "",
			   STR_ARG(place.node->list_keys.ptr[i]));
	return err_set(err, ERR_UNKNOWN,
		       "%.*s: element %zu: associative list with keys has an element that omits "
		       "all key fields [%s] (and doesn't have default values for any key fields)",
		       STR_ARG(up), index, buf_text(&keys));
}

static int check_elements(struct typed_place place, struct json value, struct str up,
			  struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *seen = map_new(json_len(value));
	AUTO(buf_done) struct buf step = BUF_UNBOUNDED;
	struct json_iter it = json_iter(value);
	bool named = typed_is_list(place, value);
	bool keyed = named && typed_relation(place) == TYPED_KEYS;

	while (json_next(&it)) {
		AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

		if (keyed && check_keys(place, it.value, it.index, up, err) < 0)
			return -1;
		buf_put_str(&path, up);
		if (named) {
			typed_print_element(place, it.value, &step);
			fieldset_print_step(buf_str(&step), &path);
		} else {
			buf_printf(&path, "[%zu]", it.index);
		}
		if (named && map_put(seen, arena_str(arena, buf_str(&step)), seen))
			return err_set(err, ERR_UNKNOWN, "%.*s: duplicate entries for key %.*s",
				       STR_ARG(up), STR_ARG(str_skip(buf_str(&path), up.len)));
		if (check(typed_element(place), it.value, buf_str(&path), err) < 0)
			return -1;
	}
	return 0;
}

static int check(struct typed_place place, struct json value, struct str up, struct err *err)
{
	enum want want = want_of(place);

	if (json_is(value, JSON_NULL))
		return 0;
	if (!is_wanted(want, value))
		return report_unexpected(want, value, up, err);
	if (json_is(value, JSON_OBJ))
		return check_members(place, value, up, err);
	if (json_is(value, JSON_ARR))
		return check_elements(place, value, up, err);
	return 0;
}

int typed_check(struct typed_place place, struct json value, struct err *err)
{
	return check(place, value, STR(""), err);
}

/* --- fields ---------------------------------------------------------------------------------- */

static void put_step(struct buf *step, struct str key)
{
	buf_clear(step);
	buf_puts(step, "f:");
	buf_put_str(step, key);
}

static void fill(struct arena *arena, struct typed_place place, struct json value,
		 struct fieldset *here)
{
	AUTO(buf_done) struct buf step = BUF_UNBOUNDED;
	struct json_iter it = json_iter(value);

	if (!typed_is_object(place, value) && !typed_is_list(place, value)) {
		here->member = true;
		return;
	}
	while (json_next(&it)) {
		struct fieldset *child;
		bool named = false;
		bool known;
		struct typed_place below;

		if (it.object) {
			below = typed_member(place, it.key, &named, &known);
			put_step(&step, it.key);
		} else {
			below = typed_element(place);
			typed_print_element(place, it.value, &step);
		}
		child = fieldset_add(arena, here, buf_str(&step));
		fill(arena, below, it.value, child);
		if (!named || json_is(it.value, JSON_NULL) ||
		    (json_is(it.value, JSON_OBJ) && !json_len(it.value)))
			child->member = true;
	}
}

struct fieldset *typed_fields(struct arena *arena, struct typed_place place, struct json value)
{
	struct fieldset *set = fieldset_new(arena);

	fill(arena, place, value, set);
	fieldset_finish(arena, set);
	return set;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* What is equal is passed over. A set that cannot get anything below a place is NULL there. */
struct comparer {
	struct arena *arena;
	struct buf step;
};

static struct fieldset *child_of(struct comparer *c, struct fieldset *set, struct str step)
{
	return set ? fieldset_add(c->arena, set, step) : NULL;
}

static struct typed_change below_of(struct comparer *c, struct typed_change change)
{
	struct str step = buf_str(&c->step);

	return (struct typed_change){
		.added = child_of(c, change.added, step),
		.modified = child_of(c, change.modified, step),
		.removed = child_of(c, change.removed, step),
	};
}

static void compare(struct comparer *c, struct typed_place place, struct json old,
		    struct json value, struct typed_change here);

static void compare_members(struct comparer *c, struct typed_place place, struct json old,
			    struct json value, struct typed_change here)
{
	AUTO(json_index_done) struct json_index olds = json_index_make(old);
	AUTO(json_index_done) struct json_index values = json_index_make(value);
	struct json_iter it = json_iter(value);
	bool named;
	bool known;

	while (json_next(&it)) {
		struct json before = json_index_get(&olds, it.key);
		struct typed_place below;

		if (json_eq(before, it.value))
			continue;
		below = typed_member(place, it.key, &named, &known);
		put_step(&c->step, it.key);
		compare(c, below, before, it.value, below_of(c, here));
	}
	for (it = json_iter(old); json_next(&it);) {
		struct typed_place below;

		if (!json_is_absent(json_index_get(&values, it.key)))
			continue;
		below = typed_member(place, it.key, &named, &known);
		put_step(&c->step, it.key);
		compare(c, below, it.value, JSON_NONE, below_of(c, here));
	}
}

static void compare_elements(struct comparer *c, struct typed_place place, struct json old,
			     struct json value, struct typed_change here)
{
	AUTO(elements_done) struct elements olds = elements_of(place, old);
	AUTO(elements_done) struct elements values = elements_of(place, value);
	struct typed_place element = typed_element(place);
	struct json_iter it = json_iter(value);

	while (json_is(value, JSON_ARR) && json_next(&it)) {
		struct json before;

		typed_print_element(place, it.value, &c->step);
		before = elements_find(&olds, buf_str(&c->step));
		if (!json_eq(before, it.value))
			compare(c, element, before, it.value, below_of(c, here));
	}
	for (it = json_iter(old); json_is(old, JSON_ARR) && json_next(&it);) {
		typed_print_element(place, it.value, &c->step);
		if (json_is_absent(elements_find(&values, buf_str(&c->step))))
			compare(c, element, it.value, JSON_NONE, below_of(c, here));
	}
}

static void note(struct fieldset *set)
{
	if (set)
		set->member = true;
}

static void compare(struct comparer *c, struct typed_place place, struct json old,
		    struct json value, struct typed_change here)
{
	struct json one = json_is_absent(value) || json_is(value, JSON_NULL) ? old : value;
	struct json other = json_is(old, one.val ? json_type(one) : JSON_ABSENT) ? old : JSON_NONE;
	bool fits = json_is_absent(old) || json_is(old, JSON_NULL) || json_is_absent(value) ||
		    json_is(value, JSON_NULL) || json_type(old) == json_type(value);
	struct typed_change below = here;

	if (json_is_absent(old))
		below.modified = below.removed = NULL; /* all of it is new */
	if (fits && typed_is_object(place, one))
		compare_members(c, place, other, json_is(value, JSON_OBJ) ? value : JSON_NONE,
				below);
	else if (fits && typed_is_list(place, one))
		compare_elements(c, place, other, json_is(value, JSON_ARR) ? value : JSON_NONE,
				 below);
	else if (!json_is_absent(old) && !json_is_absent(value) && !json_eq(old, value))
		note(here.modified);
	if (json_is_absent(old))
		note(here.added);
	else if (json_is_absent(value))
		note(here.removed);
}

struct typed_change typed_compare(struct arena *arena, struct typed_place place, struct json old,
				  struct json value)
{
	struct comparer c = {arena, BUF_UNBOUNDED};
	struct typed_change change = {
		.added = fieldset_new(arena),
		.modified = fieldset_new(arena),
		.removed = fieldset_new(arena),
	};

	compare(&c, place, old, value, change);
	buf_done(&c.step);
	fieldset_finish(arena, change.added);
	fieldset_finish(arena, change.modified);
	fieldset_finish(arena, change.removed);
	return change;
}

/* --- merging --------------------------------------------------------------------------------- */

static struct json merge_members(struct typed_place place, struct json live, struct json config,
				 struct json_doc *doc)
{
	AUTO(json_index_done) struct json_index lives = json_index_make(live);
	AUTO(json_index_done) struct json_index configs = json_index_make(config);
	struct json made = json_new_obj(doc);
	struct json_iter it = json_iter(live);
	bool named;
	bool known;

	while (json_next(&it))
		json_add(doc, made, it.key,
			 typed_merge(typed_member(place, it.key, &named, &known), it.value,
				     json_index_get(&configs, it.key), doc));
	for (it = json_iter(config); json_next(&it);)
		if (json_is_absent(json_index_get(&lives, it.key)))
			json_add(doc, made, it.key, json_new_copy(doc, it.value));
	return made;
}

static struct json merge_elements(struct typed_place place, struct json live, struct json config,
				  struct json_doc *doc)
{
	AUTO(elements_done) struct elements lives = elements_of(place, live);
	AUTO(elements_done) struct elements configs = elements_of(place, config);
	AUTO(buf_done) struct buf step = BUF_UNBOUNDED;
	struct json made = json_new_arr(doc);
	struct json_iter it = json_iter(live);

	while (json_next(&it)) {
		typed_print_element(place, it.value, &step);
		json_append(doc, made,
			    typed_merge(typed_element(place), it.value,
					elements_find(&configs, buf_str(&step)), doc));
	}
	for (it = json_iter(config); json_next(&it);) {
		typed_print_element(place, it.value, &step);
		if (json_is_absent(elements_find(&lives, buf_str(&step))))
			json_append(doc, made, json_new_copy(doc, it.value));
	}
	return made;
}

struct json typed_merge(struct typed_place place, struct json live, struct json config,
			struct json_doc *doc)
{
	bool parts = (typed_is_object(place, live) || typed_is_list(place, live)) && json_len(live);

	if (json_is_absent(config) || (json_is(config, JSON_NULL) && parts))
		return json_new_copy(doc, live);
	if (typed_is_object(place, live) && typed_is_object(place, config))
		return merge_members(place, live, config, doc);
	if (typed_is_list(place, live) && typed_is_list(place, config))
		return merge_elements(place, live, config, doc);
	return json_new_copy(doc, config);
}

/* --- removing -------------------------------------------------------------------------------- */

enum left { LEFT_ALL, LEFT_EMPTY, LEFT_NOTHING };

/* What is left of the value after the fields of the set were removed? */
static enum left remove_from(struct typed_place place, struct json_doc *doc, struct json value,
			     const struct fieldset *set)
{
	if (set->member)
		return LEFT_NOTHING;
	if (!set->count)
		return LEFT_ALL;
	typed_remove(place, doc, value, set);
	return (json_is(value, JSON_OBJ) || json_is(value, JSON_ARR)) && !json_len(value)
		       ? LEFT_EMPTY
		       : LEFT_ALL;
}

struct removing {
	struct typed_place place;
	struct json_doc *doc;
	struct json value;
	const struct fieldset *set;
	struct buf step;
};

static bool is_removed(void *arg, struct str key, struct json value)
{
	struct removing *removing = arg;
	struct typed_place below = typed_element(removing->place);
	const struct fieldset *set;
	enum left left;
	bool named;
	bool known;

	if (!str_is_none(key)) {
		put_step(&removing->step, key);
		below = typed_member(removing->place, key, &named, &known);
	} else {
		typed_print_element(removing->place, value, &removing->step);
	}
	set = fieldset_find(removing->set, buf_str(&removing->step));
	left = set ? remove_from(below, removing->doc, value, set) : LEFT_ALL;
	if (left == LEFT_EMPTY && !str_is_none(key)) { /* another manager owns it and keeps it */
		json_set(removing->doc, removing->value, key, json_new_null(removing->doc));
		return false;
	}
	return left != LEFT_ALL;
}

void typed_remove(struct typed_place place, struct json_doc *doc, struct json value,
		  const struct fieldset *set)
{
	struct removing removing = {place, doc, value, set, BUF_UNBOUNDED};

	if (typed_is_object(place, value) || typed_is_list(place, value))
		json_remove_if(doc, value, is_removed, &removing);
	buf_done(&removing.step);
}

/* --- nulls ----------------------------------------------------------------------------------- */

static bool has_nothing(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL) ||
	       ((json_is(value, JSON_OBJ) || json_is(value, JSON_ARR)) && !json_len(value));
}

void typed_put_nulls(struct typed_place place, struct json config, struct json_doc *doc,
		     struct json value)
{
	AUTO(buf_done) struct buf step = BUF_UNBOUNDED;
	AUTO(elements_done) struct elements elements = {0};
	struct json_iter it = json_iter(config);
	bool named;
	bool known;

	if (typed_is_list(place, config) && typed_is_list(place, value))
		elements = elements_of(place, value);
	else if (!typed_is_object(place, config) || !typed_is_object(place, value))
		return;
	while (json_next(&it)) {
		if (!it.object) {
			typed_print_element(place, it.value, &step);
			typed_put_nulls(typed_element(place), it.value, doc,
					elements_find(&elements, buf_str(&step)));
		} else if (json_is(it.value, JSON_NULL) &&
			   has_nothing(json_get_str(value, it.key))) {
			json_set(doc, value, it.key, json_new_null(doc));
		} else {
			typed_put_nulls(typed_member(place, it.key, &named, &known), it.value, doc,
					json_get_str(value, it.key));
		}
	}
}

/* --- parents --------------------------------------------------------------------------------- */

static void add_parents(struct arena *arena, struct typed_place place, const struct fieldset *set,
			struct fieldset *to)
{
	to->member = set->member;
	for (size_t i = 0; i < set->count; i++) {
		const struct fieldset *child = set->children[i];
		struct fieldset *made = fieldset_add(arena, to, child->key);
		struct str key = str_skip(child->key, 2);
		bool named = false;
		bool known;
		struct typed_place below = str_starts(child->key, STR("f:"))
						   ? typed_member(place, key, &named, &known)
						   : typed_element(place);

		add_parents(arena, below, child, made);
		made->member = made->member || named;
	}
}

struct fieldset *typed_with_parents(struct arena *arena, struct typed_place place,
				    const struct fieldset *set)
{
	struct fieldset *made = fieldset_new(arena);

	add_parents(arena, place, set, made);
	return made;
}

/* --- nothing set ----------------------------------------------------------------------------- */

static struct json empty_of(const struct type *type, struct json_doc *doc);

static struct json empty_value(const struct field *field, struct json_doc *doc)
{
	switch (field->is) {
	case FIELD_OBJECT:
		return empty_of(field->type, doc);
	case FIELD_BOOL:
		return json_new_bool(doc, false);
	case FIELD_INT32:
	case FIELD_INT64:
		return json_new_int(doc, 0);
	case FIELD_STR:
	case FIELD_ENUM:
		return json_new_str(doc, STR(""));
	default:
		return json_new_null(doc);
	}
}

/* Members that Go always writes: those that say so, and structs that are no pointers. */
static struct json empty_of(const struct type *type, struct json_doc *doc)
{
	struct json made = json_new_obj(doc);

	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		bool structure = field->is == FIELD_OBJECT && field->dflt;

		if (structure || field->always || field->required)
			json_add(doc, made, str_from(field->name), empty_value(field, doc));
	}
	return made;
}

struct json typed_empty(const struct kind *kind, struct json_doc *doc)
{
	return kind->type ? empty_of(kind->type, doc) : json_new_obj(doc);
}
