/* SPDX-License-Identifier: Apache-2.0 */
/* json/doc.h - JSON documents: one way to read them, whether they were parsed or built.
 *
 * A document owns its values. `struct json` is a reference to one value, passed by value, valid as
 * long as its document lives (and, in a document that is being built, as long as that value is not
 * removed). JSON_NONE stands for "absent": every function accepts it, so that look-ups can be
 * chained:
 *
 *	struct str name = json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name"));
 *
 * A parsed document is immutable and compact. A built one, or a thawed copy, can be changed until
 * it is published. After that it never changes. Documents are shared by a reference count that is
 * not atomic.
 *
 * Duplicate keys: the last one wins, as in Go; the others are not in the document.
 *
 * Size and depth of input are limited (json_parse, YAML, the patches), so that recursive functions
 * are safe. The depth of what the program itself builds is not checked at each step; copying,
 * printing and comparing assert JSON_DEPTH_HARD, twice the limit for input, which only a bug can
 * reach. */
#ifndef JSON_DOC_H
#define JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/macro.h"
#include "base/str.h"

struct json_doc;
struct json_pool;

struct json {
	const void *val; /* NULL: absent */
	bool built;      /* which of the two forms of document it is in */
};
#define JSON_NONE ((struct json){NULL, false})

enum json_type {
	JSON_ABSENT,
	JSON_NULL,
	JSON_BOOL,
	JSON_INT,
	JSON_REAL,
	JSON_STR,
	JSON_ARR,
	JSON_OBJ,
	JSON_TYPE_COUNT
};

enum { JSON_DEPTH_HARD = 2 * LIMIT_JSON_DEPTH };

/* --- documents ------------------------------------------------------------------------------- */

/* "spec.containers[0].name", as Kubernetes prints it; lent for the call. */
typedef void json_duplicate_fn(void *arg, struct str path);

struct json_options {
	size_t max_bytes; /* 0: LIMIT_JSON_BYTES */
	size_t max_depth; /* 0: LIMIT_JSON_DEPTH, which is also the most */
	/* Called once for each duplicate key, in order; NULL: duplicates are not reported. */
	json_duplicate_fn *on_duplicate;
	void *arg;
	struct json_pool *pool; /* where the document's memory comes from; NULL: malloc */
	bool own; /* this program printed it: depth and duplicate keys are not checked */
};

/* One JSON text, strictly RFC 8259, valid UTF-8. ERR_BAD_REQUEST says what and at which line and
 * column; ERR_TOO_LARGE if it exceeds a limit. `options` may be NULL. */
struct json_doc *json_parse(struct str text, const struct json_options *options,
			    struct err *err) MUST_CHECK;
/* An empty document to build in; its root is absent until json_doc_set_root().
 *
 * Memory of values that were removed or replaced is freed only with the document. A document that
 * is edited for a long time should be replaced by a thawed copy of itself from time to time;
 * json_doc_bytes() shows when. */
struct json_doc *json_doc_new(void) __attribute__((returns_nonnull));
/* A copy that can be changed, of a whole document or of one value as the root. */
struct json_doc *json_doc_thaw(struct json root) __attribute__((returns_nonnull));
/* The same content as an immutable document without unused memory. */
struct json_doc *json_doc_freeze(struct json root) __attribute__((returns_nonnull));

struct json_doc *json_doc_ref(struct json_doc *doc);
void json_doc_unref(struct json_doc *doc);
DEFINE_AUTO(struct json_doc *, json_doc_unref);

struct json json_doc_root(const struct json_doc *doc);
bool json_doc_is_mutable(const struct json_doc *doc);
/* About how many bytes of memory the document uses. */
size_t json_doc_bytes(const struct json_doc *doc);
/* Does no one else have a reference to it, nor to a pool of its memory? Then another thread may free it. */
bool json_doc_is_sole(const struct json_doc *doc);

/* A pool of memory blocks that documents reuse, for code that parses large texts again and again:
 * without it, more than half of the time goes into page faults. Keeps at most `keep` unused bytes.
 * Documents may outlive the pool. */
struct json_pool *json_pool_new(size_t keep) __attribute__((returns_nonnull));
void json_pool_free(struct json_pool *pool);
DEFINE_AUTO(struct json_pool *, json_pool_free);

/* --- reading --------------------------------------------------------------------------------- */

extern const unsigned char
	json_types[32]; /* indexed by the lowest five bits of the tag of a value */
static inline enum json_type json_type(struct json j)
{
	return j.val ? (enum json_type)json_types[*(const uint64_t *)j.val & 31] : JSON_ABSENT;
}
const char *json_type_name(enum json_type type); /* "string", "object", ... for messages */

static inline bool json_is_absent(struct json j)
{
	return j.val == NULL;
}
static inline bool json_is(struct json j, enum json_type type)
{
	return json_type(j) == type;
}

/* The value; none, 0 or false if it is absent or of another type. */
struct str json_str(struct json j); /* followed by a NUL; may contain NULs */
bool json_bool(struct json j);
int64_t json_int(struct json j); /* an integer that fits; a real is not one */
double json_real(struct json j); /* of an integer as well */
/* Is it an integer within int64? (JSON_INT covers uint64 above that, which Kubernetes never uses.)
 */
bool json_is_i64(struct json j);

/* Members and elements. Look-up is linear; objects are small. */
struct json json_get_str(struct json object, struct str key);
static inline struct json json_get(struct json object, const char *key)
{
	return json_get_str(object, str_from(key)); /* inline, so that the length is a constant */
}
struct json json_at(struct json array, size_t index);
size_t json_len(struct json container); /* members or elements; 0 for anything else */

/* Walk an object's members or an array's elements, in order:
 *	struct json_iter it = json_iter(j);
 *	while (json_next(&it)) use(it.key, it.value);		key is none in an array
 * In a document that is being built, the current member or element may be removed or replaced during
 * the walk; after an element of an array was removed, `index` is too large for the later ones. */
struct json_iter {
	struct json value;
	struct str key;
	size_t index; /* of the current one */
	const void *next;
	size_t left;
	bool object;
	bool built;
};
struct json_iter json_iter(struct json container);
bool json_next(struct json_iter *it);
/* The next value, or an absent one: for a second list that is walked in step with a first. json_at() would begin at the
 * start each time. */
static inline struct json json_next_value(struct json_iter *it)
{
	return json_next(it) ? it->value : JSON_NONE;
}

/* Has a list this text? Linear. */
bool json_has_str(struct json list, struct str text);

/* Is the content the same? The order of members does not matter; 1 and 1.0 differ (as in Go, int64
 * is not float64). */
bool json_eq(struct json a, struct json b);
/* Values that are equal by json_eq() have the same hash. */
uint64_t json_hash(struct json j, uint64_t seed);

/* --- building (documents from json_doc_new() and json_doc_thaw() only) ----------------------- */

/* New values belong to `doc` and are in no container until they are set or appended. A value can be
 * in one place only: copy it to have it in two. Strings are copied; bytes in them that are not
 * UTF-8 become U+FFFD, as in Go. */
struct json json_new_null(struct json_doc *doc);
struct json json_new_bool(struct json_doc *doc, bool value);
struct json json_new_int(struct json_doc *doc, int64_t value);
struct json json_new_uint(struct json_doc *doc, uint64_t value);
struct json json_new_real(struct json_doc *doc, double value); /* must be finite */
struct json json_new_str(struct json_doc *doc, struct str value);
struct json json_new_printf(struct json_doc *doc, const char *format, ...) PRINTF(2, 3);
struct json json_new_arr(struct json_doc *doc);
struct json json_new_obj(struct json_doc *doc);
/* A deep copy of a value of this or another document; null for an absent one. */
struct json json_new_copy(struct json_doc *doc, struct json value);

void json_doc_set_root(struct json_doc *doc, struct json value);
/* Replaces or adds a member; a replaced one keeps its position. */
void json_set(struct json_doc *doc, struct json object, struct str key, struct json value);
/* The same for a key that the object does not have: does not search, so that filling a large object
 * is not quadratic. */
void json_add(struct json_doc *doc, struct json object, struct str key, struct json value);
void json_set_str(struct json_doc *doc, struct json object, const char *key, struct str value);
void json_set_int(struct json_doc *doc, struct json object, const char *key, int64_t value);
void json_set_bool(struct json_doc *doc, struct json object, const char *key, bool value);
/* The member; if it is absent, null or of another type, it becomes an empty object (array). */
struct json json_ensure_obj(struct json_doc *doc, struct json object, const char *key);
struct json json_ensure_arr(struct json_doc *doc, struct json object, const char *key);
/* Returns false if there was no such member. */
bool json_remove(struct json_doc *doc, struct json object, struct str key);
void json_append(struct json_doc *doc, struct json array, struct json value);
/* `index` at most the length. */
void json_insert(struct json_doc *doc, struct json array, size_t index, struct json value);
bool json_remove_at(struct json_doc *doc, struct json array, size_t index);
/* Removes every element that is this string and returns their number. Use it to remove elements by
 * content: json_iter.index is wrong after json_remove_at() in the same walk. */
size_t json_remove_str(struct json_doc *doc, struct json array, struct str text);
void json_replace_at(struct json_doc *doc, struct json array, size_t index, struct json value);

/* Removes each member or element for which `must_go` returns true, in one pass. `key` is none in an
 * array. `must_go` may change the content of the value, but not the container. */
typedef bool json_remove_fn(void *arg, struct str key, struct json value);
void json_remove_if(struct json_doc *doc, struct json container, json_remove_fn *removed,
		    void *arg);

/* --- printing -------------------------------------------------------------------------------- */

/* Numbers and escapes are Go's: 1.0 prints as 1, <, > and & as \u003c, \u003e and \u0026. */
enum json_style {
	JSON_COMPACT,   /* as stored and sent */
	JSON_PRETTY,    /* indented by four, as kubectl -o json; no newline at the end */
	JSON_INDENTED,  /* by two, as kube-apiserver with ?pretty; no newline at the end */
	JSON_CANONICAL, /* compact, keys sorted by bytes: equal content, equal bytes */
};
/* Nothing for an absent value. */
void json_print(struct json j, enum json_style style, struct buf *to);
/* `"key":value`, compact. */
void json_print_member(struct str key, struct json value, struct buf *to);
/* For mem_free(). */
char *json_text(struct json j, enum json_style style) __attribute__((returns_nonnull));

#endif
