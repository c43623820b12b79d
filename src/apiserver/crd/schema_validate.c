/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_validate.c - validate a value by a node, in kube-apiserver's words and
 * order:
 * type, alternatives, text, format, number, elements, enum, members.
 *
 * Alternatives are tried with separate causes; of those that fail, the one that passed most checks
 * is reported. Each check that is passed counts, as upstream counts them, so that the same
 * alternative is chosen.
 *
 * On updates, what equals the old value may be wrong: causes found below it are dropped again. */
#include <inttypes.h>
#include <math.h>

#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/index.h"

#include "base/banned.h"

/* --- reporting ------------------------------------------------------------------------------- */

/* The path as one step, with what stands before it. */
static struct path whole_path(const struct path *path, const struct schema_walk *walk,
			      struct buf *text)
{
	buf_puts(text, walk->prefix);
	if (path && text->len)
		buf_putc(text, '.');
	path_print(path, text);
	return path_member(NULL, text->len ? buf_str(text) : STR("<nil>"));
}

/* "<path> in body <words>" as the detail of a cause with this value, printed already. */
static void tell(enum cause_reason reason, struct str value, const struct path *path,
		 struct schema_walk *walk, const char *words)
{
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	struct path where = whole_path(path, walk, &at);

	path_print(path, &shown);
	causes_add(walk->causes, reason, &where, "Invalid value: %.*s: %s in body %s",
		   STR_ARG(value), buf_text(&shown), words);
}

static void put_value(struct json value, struct buf *to)
{
	if (json_is(value, JSON_STR))
		causes_quote(to, json_str(value));
	else
		json_print(value, JSON_COMPACT, to);
}

static void report_value(struct json value, const struct path *path, struct schema_walk *walk,
			 const char *words)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	put_value(value, &text);
	tell(CAUSE_INVALID, buf_str(&text), path, walk, words);
}

/* Wrong type: `got` is what it is. */
static void report_type(struct str want, struct str got, const struct path *path,
			struct schema_walk *walk)
{
	AUTO(buf_done) struct buf value = BUF_UNBOUNDED;
	AUTO(mem_free) char *words = NULL;

	causes_quote(&value, got);
	words = mem_printf("must be of type %.*s: %s", STR_ARG(want), buf_text(&value));
	tell(CAUSE_TYPE_INVALID, buf_str(&value), path, walk, words);
}

/* About alternatives: they have no field of their own. */
static void report_alternatives(const struct path *path, struct schema_walk *walk,
				const char *words)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	struct path where = whole_path(NULL, walk, &at);

	path_print(path, &text);
	causes_quote(&quoted, buf_str(&text));
	causes_add(walk->causes, CAUSE_INVALID, &where, "Invalid value: \"\": %s %s",
		   buf_text(&quoted), words);
}

static void drop_causes(struct causes *causes, size_t keep)
{
	while (causes->len > keep) {
		struct cause *cause = &causes->ptr[--causes->len];

		mem_free(cause->field);
		mem_free(cause->message);
	}
}

static void move_causes(struct causes *to, struct causes *from)
{
	for (size_t i = 0; i < from->len; i++)
		vec_push(to, from->ptr[i]);
	from->len = 0;
}

/* --- types ----------------------------------------------------------------------------------- */

struct kind_of {
	unsigned type;
	const char *name;
	const char *format; /* as Go's value of it would have */
};

static struct kind_of kind_of(struct json value)
{
	static const struct kind_of kinds[JSON_TYPE_COUNT] = {
		[JSON_ABSENT] = {SCHEMA_NULL, "null", ""},
		[JSON_NULL] = {SCHEMA_NULL, "null", ""},
		[JSON_BOOL] = {SCHEMA_BOOLEAN, "boolean", ""},
		[JSON_INT] = {SCHEMA_INTEGER, "integer", "int64"},
		[JSON_REAL] = {SCHEMA_NUMBER, "number", "double"},
		[JSON_STR] = {SCHEMA_STRING, "string", ""},
		[JSON_ARR] = {SCHEMA_ARRAY, "array", ""},
		[JSON_OBJ] = {SCHEMA_OBJECT, "object", ""},
	};

	if (json_is(value, JSON_INT) && !json_is_i64(value))
		return kinds[JSON_REAL];
	return kinds[json_type(value)];
}

static bool is_whole(double number)
{
	return isfinite(number) && number == trunc(number);
}

/* May a real number stand for an integer? Larger ones are not exact. */
static bool is_integer(double number)
{
	const double most = 9007199254740991; /* 2^53 - 1 */

	return is_whole(number) && fabs(number) <= most;
}

static bool type_fits(const struct schema_node *node, struct json value, unsigned type)
{
	if (node->types & type)
		return true;
	if (type == SCHEMA_NUMBER)
		return (node->types & SCHEMA_INTEGER) && is_integer(json_real(value));
	return type == SCHEMA_INTEGER && (node->types & SCHEMA_NUMBER);
}

/* Is the type right? Else *ret_format says whether it is the format that wants another one. */
static bool is_right_type(const struct schema_node *node, struct json value, struct kind_of kind,
			  bool *ret_format)
{
	bool numeric = node->types & (SCHEMA_NUMBER | SCHEMA_INTEGER);
	bool texts = kind.type == SCHEMA_STRING || kind.type == SCHEMA_ARRAY;

	*ret_format = false;
	if (kind.type == SCHEMA_NULL)
		return !node->types || node->nullable || (node->types & SCHEMA_NULL);
	if (node->format && !texts && !type_fits(node, value, kind.type)) {
		*ret_format = true;
		return false;
	}
	return !node->types || (node->format && texts && !numeric) ||
	       type_fits(node, value, kind.type);
}

/* Says whether the type is right. */
static bool check_type(const struct schema_node *node, struct json value, const struct path *path,
		       struct schema_walk *walk)
{
	struct kind_of kind = kind_of(value);
	bool format;

	if (is_right_type(node, value, kind, &format))
		return true;
	if (format)
		report_type(node->format_text, str_from(kind.format), path, walk);
	else
		report_type(str_from(node->type_text), str_from(kind.name), path, walk);
	return false;
}

/* --- alternatives ---------------------------------------------------------------------------- */

/* A failed alternative that may be reported. */
struct best {
	struct causes causes;
	size_t count;
	bool set;
};

static void keep_better(struct best *best, struct causes *causes, size_t count)
{
	if (best->set && count <= best->count)
		return;
	drop_causes(&best->causes, 0);
	move_causes(&best->causes, causes);
	best->count = count;
	best->set = true;
}

/* How many of the nodes fit; stops at the first if `one` will do. */
static size_t try_all(const struct schema_nodes *nodes, struct json value, const struct path *path,
		      struct schema_walk *walk, struct best *best, bool one)
{
	size_t fit = 0;

	for (size_t i = 0; i < nodes->len; i++) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		struct schema_walk inner = *walk;
		size_t count;

		inner.causes = &causes;
		count = schema_check(nodes->ptr[i], value, JSON_NONE, path, &inner);
		if (!causes.len) {
			if (!fit++)
				best->count = count;
			if (one)
				break;
		} else if (!fit) {
			keep_better(best, &causes, count);
		}
	}
	return fit;
}

/* The first of the nodes that fits, of those that may: a wrong type is skipped without a report. Nearly
 * every quantity is checked this way: a number or a text. */
static bool fits_any(const struct schema_nodes *nodes, struct json value, const struct path *path,
		     struct schema_walk *walk, size_t *ret_count)
{
	bool format;

	for (size_t i = 0; i < nodes->len; i++) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		struct schema_walk inner = *walk;

		if (!is_right_type(nodes->ptr[i], value, kind_of(value), &format))
			continue;
		inner.causes = &causes;
		*ret_count = schema_check(nodes->ptr[i], value, JSON_NONE, path, &inner);
		if (!causes.len)
			return true;
	}
	return false;
}

static size_t check_any(const struct schema_node *node, struct json value, const struct path *path,
			struct schema_walk *walk)
{
	struct best best = {0};

	if (!node->any_of.len || fits_any(&node->any_of, value, path, walk, &best.count))
		return best.count;
	best.count = 0;
	if (!try_all(&node->any_of, value, path, walk, &best, true)) {
		report_alternatives(path, walk, "must validate at least one schema (anyOf)");
		move_causes(walk->causes, &best.causes);
	}
	causes_done(&best.causes);
	return best.count;
}

static size_t check_one(const struct schema_node *node, struct json value, const struct path *path,
			struct schema_walk *walk)
{
	struct best best = {0};
	AUTO(mem_free) char *words = NULL;
	size_t fit;

	if (!node->one_of.len)
		return 0;
	fit = try_all(&node->one_of, value, path, walk, &best, false);
	if (fit == 0) {
		report_alternatives(path, walk,
				    "must validate one and only one schema (oneOf). "
				    "Found none valid");
		move_causes(walk->causes, &best.causes);
	} else if (fit > 1) {
		words = mem_printf("must validate one and only one schema (oneOf). Found %zu valid "
				   "alternatives",
				   fit);
		report_alternatives(path, walk, words);
	}
	causes_done(&best.causes);
	return best.count;
}

static size_t check_alternatives(const struct schema_node *node, struct json value,
				 const struct path *path, struct schema_walk *walk)
{
	size_t count = check_any(node, value, path, walk) + check_one(node, value, path, walk);
	size_t fit = 0;

	for (size_t i = 0; i < node->all_of.len; i++) {
		size_t before = walk->causes->len;

		count += schema_check(node->all_of.ptr[i], value, JSON_NONE, path, walk);
		fit += walk->causes->len == before;
	}
	if (fit < node->all_of.len)
		report_alternatives(path, walk,
				    fit ? "must validate all the schemas (allOf)"
					: "must validate all the schemas (allOf). None validated");
	if (node->not ) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		struct schema_walk inner = *walk;

		inner.causes = &causes;
		schema_check(node->not, value, JSON_NONE, path, &inner);
		if (!causes.len)
			report_alternatives(path, walk, "must not validate the schema (not)");
	}
	return count + 1;
}

/* --- scalars --------------------------------------------------------------------------------- */

static int64_t count_runes(struct str text)
{
	int64_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += (text.ptr[i] & 0xc0) != 0x80;
	return count;
}

/* Does a text match, or was there no pattern? If it could not be determined, that is reported once, at
 * the end. */
static bool matches(const struct pattern *pattern, struct str text, const struct schema_walk *walk)
{
	return !pattern || !*walk->steps || pattern_matches(pattern, text, walk->steps) ||
	       !*walk->steps;
}

static void check_text(const struct schema_node *node, struct json value, const struct path *path,
		       struct schema_walk *walk)
{
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	AUTO(mem_free) char *words = NULL;
	struct str text = json_str(value);

	if (node->max_length.set && count_runes(text) > node->max_length.value) {
		struct path where = whole_path(path, walk, &at);

		causes_too_long(walk->causes, &where, (size_t)node->max_length.value);
	} else if (node->min_length.set && count_runes(text) < node->min_length.value) {
		words = mem_printf("should be at least %" PRId64 " chars long",
				   node->min_length.value);
		report_value(value, path, walk, words);
	} else if (!matches(node->pattern, text, walk)) {
		words = mem_printf("should match '%.*s'", STR_ARG(pattern_text(node->pattern)));
		report_value(value, path, walk, words);
	}
}

static void check_format(const struct schema_node *node, struct json value, const struct path *path,
			 struct schema_walk *walk)
{
	struct str text = json_str(value);

	if (!matches(node->format_pattern, text, walk) ||
	    (node->format->check && !node->format->check(text)))
		report_type(node->format_text, text, path, walk);
}

/* "should be <words> <bound>", the bound as a number of the value's class. */
static void report_bound(struct json value, struct json bound, const char *words,
			 const struct path *path, struct schema_walk *walk)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, words);
	if (json_is(value, JSON_INT) && json_is(bound, JSON_REAL))
		buf_put_int(&text, (int64_t)json_real(bound));
	else
		json_print(bound, JSON_COMPACT, &text);
	report_value(value, path, walk, buf_text(&text));
}

/* Like <, 0, > of a and b; exact if both are integers. */
static int number_cmp(struct json a, struct json b)
{
	if (json_is_i64(a) && json_is_i64(b)) {
		int64_t left = json_int(a);
		int64_t right = json_int(b);

		return left < right ? -1 : left > right;
	}
	return json_real(a) < json_real(b) ? -1 : json_real(a) > json_real(b);
}

/* For an integer the factor is an integer too: its fraction is dropped. */
static int64_t whole_factor(struct json factor)
{
	return json_is_i64(factor) ? json_int(factor) : (int64_t)json_real(factor);
}

static void report_factor(int64_t factor, const struct path *path, struct schema_walk *walk)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	path_print(path, &name);
	causes_invalid_int(walk->causes, path, factor,
			   "factor MultipleOf declared for %s must be positive: %" PRId64,
			   buf_text(&name), factor);
}

static bool is_multiple(struct json value, struct json factor)
{
	double by = json_real(factor);

	if (json_is_i64(value))
		return json_int(value) % whole_factor(factor) == 0;
	return by > 0 && is_whole(by < 1 ? 1 / by * json_real(value) : json_real(value) / by);
}

static void check_number(const struct schema_node *node, struct json value, const struct path *path,
			 struct schema_walk *walk)
{
	if (!json_is_absent(node->multiple_of) && json_is_i64(value) &&
	    whole_factor(node->multiple_of) <= 0)
		report_factor(whole_factor(node->multiple_of), path, walk);
	else if (!json_is_absent(node->multiple_of) && !is_multiple(value, node->multiple_of))
		report_bound(value, node->multiple_of, "should be a multiple of ", path, walk);
	if (!json_is_absent(node->minimum)) {
		int order = number_cmp(value, node->minimum);

		if (order < 0 || (order == 0 && node->exclusive_minimum))
			report_bound(value, node->minimum,
				     node->exclusive_minimum
					     ? "should be greater than "
					     : "should be greater than or equal to ",
				     path, walk);
	}
	if (!json_is_absent(node->maximum)) {
		int order = number_cmp(value, node->maximum);

		if (order > 0 || (order == 0 && node->exclusive_maximum))
			report_bound(value, node->maximum,
				     node->exclusive_maximum ? "should be less than "
							     : "should be less than or equal to ",
				     path, walk);
	}
}

static bool enum_has(struct json enums, struct json value)
{
	struct json_iter it = json_iter(enums);
	bool number = json_is(value, JSON_INT) || json_is(value, JSON_REAL);

	while (json_next(&it)) {
		if (json_eq(it.value, value))
			return true;
		if (number && (json_is(it.value, JSON_INT) || json_is(it.value, JSON_REAL)) &&
		    number_cmp(it.value, value) == 0)
			return true;
	}
	return false;
}

static void check_enum(const struct schema_node *node, struct json value, const struct path *path,
		       struct schema_walk *walk)
{
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(node->enums);
	struct path where;

	if (json_is_absent(node->enums) || enum_has(node->enums, value))
		return;
	put_value(value, &text);
	buf_puts(&text, ": supported values: ");
	while (json_next(&it)) {
		AUTO(buf_done) struct buf one = BUF_UNBOUNDED;

		if (it.index)
			buf_puts(&text, ", ");
		if (json_is(it.value, JSON_STR))
			buf_put_str(&one, json_str(it.value));
		else
			json_print(it.value, JSON_COMPACT, &one);
		causes_quote(&text, buf_str(&one));
	}
	where = whole_path(path, walk, &at);
	causes_add(walk->causes, CAUSE_NOT_SUPPORTED, &where, "Unsupported value: %s",
		   buf_text(&text));
}

/* --- arrays and objects ---------------------------------------------------------------------- */

static void report_few(struct json value, int64_t least, const char *what, const struct path *path,
		       struct schema_walk *walk)
{
	AUTO(mem_free) char *count = mem_printf("%zu", json_len(value));
	AUTO(mem_free) char *words = mem_printf("should have at least %" PRId64 " %s", least, what);

	tell(CAUSE_INVALID, str_from(count), path, walk, words);
}

static void report_many(struct json value, int64_t most, const struct path *path,
			struct schema_walk *walk)
{
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	struct path where = whole_path(path, walk, &at);

	causes_too_many(walk->causes, &where, json_len(value), (size_t)most);
}

static void check_unique(struct json value, const struct path *path, struct schema_walk *walk)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *seen = map_new(json_len(value));
	struct json_iter it = json_iter(value);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		json_print(it.value, JSON_CANONICAL, &text);
		if (map_put(seen, arena_str(arena, buf_str(&text)), arena)) {
			tell(CAUSE_INVALID, STR("\"\""), path, walk,
			     "shouldn't contain duplicates");
			return;
		}
	}
}

static size_t check_elements(const struct schema_node *node, struct json value, struct json old,
			     const struct path *path, struct schema_walk *walk)
{
	AUTO(arena_free) struct arena *arena = walk->update ? arena_new(0) : NULL;
	AUTO(map_free) struct map *olds = walk->update ? schema_index_list(node, old, arena) : NULL;
	struct json_iter it = json_iter(value);
	size_t count = 1;

	while (node->items && json_next(&it)) {
		struct path element = path_index(path, it.index);

		count += schema_check(node->items, it.value,
				      schema_find_indexed(node, olds, it.value), &element, walk);
	}
	if (node->min_items.set && (int64_t)json_len(value) < node->min_items.value)
		report_few(value, node->min_items.value, "items", path, walk);
	if (node->max_items.set && (int64_t)json_len(value) > node->max_items.value)
		report_many(value, node->max_items.value, path, walk);
	if (node->unique_items)
		check_unique(value, path, walk);
	return count;
}

static void report_forbidden(struct str key, const struct path *path, struct schema_walk *walk)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	struct path where = whole_path(path, walk, &at);

	causes_quote(&quoted, key);
	path_print(path, &shown);
	causes_add(walk->causes, CAUSE_INVALID, &where,
		   "Invalid value: %s: %s.%.*s in body is a forbidden property", buf_text(&quoted),
		   buf_text(&shown), STR_ARG(key));
}

static size_t check_members(const struct schema_node *node, struct json value, struct json old,
			    const struct path *path, struct schema_walk *walk)
{
	AUTO(json_index_done) struct json_index index = json_index_make(value);
	AUTO(json_index_done) struct json_index olds = json_index_make(old);
	struct json_iter it = json_iter(value);
	size_t count = 0;

	if (node->min_properties.set && (int64_t)json_len(value) < node->min_properties.value)
		report_few(value, node->min_properties.value, "properties", path, walk);
	if (node->max_properties.set && (int64_t)json_len(value) > node->max_properties.value)
		report_many(value, node->max_properties.value, path, walk);
	while (json_next(&it)) {
		const struct schema_node *below = schema_member(node, it.key);
		struct path member = path_member(path, it.key);

		if (below)
			count += schema_check(below, it.value, json_index_get(&olds, it.key),
					      &member, walk);
		else if (node->no_additional)
			report_forbidden(it.key, path, walk);
	}
	for (size_t i = 0; i < node->required.len; i++) {
		AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
		struct path member = path_member(path, node->required.ptr[i]);
		struct path where;

		if (!json_is_absent(json_index_get(&index, node->required.ptr[i])))
			continue;
		where = whole_path(&member, walk, &at);
		causes_required(walk->causes, &where, "");
	}
	return count;
}

/* What else is said of a value of this type; gives the checks that were passed. */
static size_t check_content(const struct schema_node *node, struct json value, struct json old,
			    const struct path *path, struct schema_walk *walk)
{
	switch (json_type(value)) {
	case JSON_STR:
		check_text(node, value, path, walk);
		if (node->format)
			check_format(node, value, path, walk);
		return node->format ? 2 : 1;
	case JSON_INT:
	case JSON_REAL:
		check_number(node, value, path, walk);
		return 2;
	case JSON_ARR:
		return 1 + check_elements(node, value, old, path, walk);
	case JSON_OBJ:
		return 1; /* members come after the enum */
	default:
		return 0;
	}
}

size_t schema_check(const struct schema_node *node, struct json value, struct json old,
		    const struct path *path, struct schema_walk *walk)
{
	size_t before = walk->causes->len;
	size_t count = 0;

	if (node->types || node->format)
		count = check_type(node, value, path, walk) ? 2 : 1;
	if (!json_is(value, JSON_NULL)) {
		count += 1 + check_alternatives(node, value, path, walk);
		count += check_content(node, value, old, path, walk);
	}
	check_enum(node, value, path, walk);
	if (json_is(value, JSON_OBJ))
		count += check_members(node, value, old, path, walk);
	if (walk->update && walk->causes->len > before && !json_is_absent(old) &&
	    json_eq(value, old))
		drop_causes(walk->causes, before);
	return count + 2;
}
