/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/jsonpath.c - the first value that a path leads to.
 *
 * A step that may lead to several values ([*], a filter) tries them in order until one leads to the
 * end of the path. Nothing is compiled: paths are short, and read where a person looks. */
#include "apiserver/kind/jsonpath.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/number.h"

#include "base/banned.h"

enum { NAME_SIZE = 256 };

static struct json find(struct json at, struct str path, size_t depth);

/* The length of a name up to one of the `ends`; a backslash escapes the next byte. */
static size_t name_len(struct str path, const char *ends)
{
	size_t len = 0;

	while (len < path.len && !strchr(ends, path.ptr[len]))
		len += path.ptr[len] == '\\' && len + 1 < path.len ? 2 : 1;
	return len;
}

/* The member of that name, its backslashes taken out. */
static struct json get_member(struct json at, struct str name)
{
	char room[NAME_SIZE];
	size_t len = 0;

	if (name.len > sizeof(room))
		return JSON_NONE;
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '\\' && i + 1 < name.len)
			i++;
		room[len++] = name.ptr[i];
	}
	return json_get_str(at, str_of(room, len));
}

static struct json find_any(struct json at, struct str rest, size_t depth)
{
	struct json_iter it = json_iter(at);

	while (json_next(&it)) {
		struct json found = find(it.value, rest, depth);

		if (!json_is_absent(found))
			return found;
	}
	return JSON_NONE;
}

/* --- filters: [?(@.type=="Ready")] --- */

struct comparison {
	struct str path; /* after the @ */
	struct str op;   /* none: is it there? */
	struct str text; /* the literal, without its quotes */
	bool quoted;
};

static bool parse_comparison(struct str text, struct comparison *ret)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
	struct str left = str_trim(text);

	*ret = (struct comparison){.path = left};
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		ptrdiff_t at = str_find(text, str_from(ops[i]), 0);

		if (at < 0)
			continue;
		ret->path = str_trim(str_slice(text, 0, (size_t)at));
		ret->op = str_from(ops[i]);
		ret->text = str_trim(str_skip(text, (size_t)at + ret->op.len));
		break;
	}
	if (ret->text.len >= 2 && (ret->text.ptr[0] == '"' || ret->text.ptr[0] == '\'')) {
		ret->text = str_slice(ret->text, 1, ret->text.len - 1);
		ret->quoted = true;
	}
	if (!str_starts(ret->path, STR("@")))
		return false;
	ret->path = str_skip(ret->path, 1);
	return true;
}

static int compare_value(struct json value, const struct comparison *c)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	int64_t number;

	if (json_is(value, JSON_STR))
		return str_cmp(json_str(value), c->text);
	if (json_is_i64(value) && number_parse_i64(c->text, &number, NULL) == 0)
		return (json_int(value) > number) - (json_int(value) < number);
	json_print(value, JSON_COMPACT, &text);
	return str_cmp(buf_str(&text), c->text);
}

static bool holds(struct json element, const struct comparison *c, size_t depth)
{
	struct json value = find(element, c->path, depth);
	int order;

	if (json_is_absent(value) || !c->op.len)
		return !json_is_absent(value);
	order = compare_value(value, c);
	if (str_is(c->op, "=="))
		return order == 0;
	if (str_is(c->op, "!="))
		return order != 0;
	if (str_is(c->op, "<="))
		return order <= 0;
	if (str_is(c->op, ">="))
		return order >= 0;
	return str_is(c->op, "<") ? order < 0 : order > 0;
}

static struct json find_filtered(struct json at, struct str filter, struct str rest, size_t depth)
{
	struct json_iter it = json_iter(at);
	struct comparison c;

	if (!parse_comparison(filter, &c))
		return JSON_NONE;
	while (json_next(&it)) {
		struct json found =
			holds(it.value, &c, depth) ? find(it.value, rest, depth) : JSON_NONE;

		if (!json_is_absent(found))
			return found;
	}
	return JSON_NONE;
}

/* --- steps --- */

static struct json find_index(struct json at, struct str digits, struct str rest, size_t depth)
{
	int64_t index;

	if (number_parse_i64(digits, &index, NULL) < 0)
		return JSON_NONE;
	if (index < 0)
		index += (int64_t)json_len(at);
	return index < 0 ? JSON_NONE : find(json_at(at, (size_t)index), rest, depth);
}

/* The content of brackets, after the opening one. */
static struct json find_bracket(struct json at, struct str path, size_t depth)
{
	bool filter = str_starts(path, STR("?("));
	ptrdiff_t end = filter ? str_find(path, STR(")]"), 0) : str_find_byte(path, ']', 0);
	struct str inside;
	struct str rest;

	if (end < 0)
		return JSON_NONE;
	inside = str_trim(str_slice(path, filter ? 2 : 0, (size_t)end));
	rest = str_skip(path, (size_t)end + (filter ? 2 : 1));
	if (filter)
		return find_filtered(at, inside, rest, depth);
	if (str_is(inside, "*"))
		return find_any(at, rest, depth);
	if (inside.len >= 2 && (inside.ptr[0] == '\'' || inside.ptr[0] == '"'))
		return find(json_get_str(at, str_slice(inside, 1, inside.len - 1)), rest, depth);
	return find_index(at, inside, rest, depth);
}

static struct json find(struct json at, struct str path, size_t depth)
{
	struct str name;

	if (path.len == 0 || json_is_absent(at) || depth > LIMIT_JSON_DEPTH)
		return path.len == 0 ? at : JSON_NONE;
	if (path.ptr[0] == '[')
		return find_bracket(at, str_skip(path, 1), depth + 1);
	path = str_skip(path, path.ptr[0] == '.');
	name = str_slice(path, 0, name_len(path, ".["));
	if (name.len == 0)
		return find(at, path, depth + 1);
	if (str_is(name, "*"))
		return find_any(at, str_skip(path, name.len), depth + 1);
	return find(get_member(at, name), str_skip(path, name.len), depth + 1);
}

struct json jsonpath_first(struct json root, struct str path)
{
	return find(root, path, 0);
}
