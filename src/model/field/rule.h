/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/rule.h - rows that say what a value must be, and the walker that checks them.
 *
 * The field table of a type says which members there are. A table of rules says what they must be, in
 * the order in which kube-apiserver checks them, which is seldom the order of the fields:
 *
 *	static const struct rule port_rules[] = {
 *		{"name", R_FILLED, R_FORMAT(PORT), R_ONCE},
 *		{"containerPort", R_REQUIRED, R_RANGE(1, 65535)},
 *		{"protocol", R_REQUIRED, R_TEXTS("SCTP", "TCP", "UDP")},
 *	};
 *	static const struct rule container_rules[] = {
 *		{"name", R_REQUIRED, R_FORMAT(DNS_LABEL)},
 *		{"ports", R_EACH(R_OBJECT(port_rules))},
 *		{"resources", R_CHECK(check_resources)},
 *	};
 *
 * The walker looks the member up, extends the path and adds the cause in Kubernetes' words. A
 * function (R_CHECK) says what a row cannot; it gets the value with its path, and reports there or
 * about a member of the value (rule_invalid and the other rule_* functions), so that it makes no
 * path of its own.
 *
 * Words of one row are checked in this order; the first three may end the row: conditions, R_FORBIDDEN and the
 * other rows that are a cause, R_REQUIRED, R_IMMUTABLE and R_FIXED, R_TEXTS, R_KEY and R_FORMAT, R_MAX_LEN, R_ONCE,
 * ranges, counts, R_CHECK, R_OBJECT, R_EACH, R_TYPE, R_ONE. A member may have several rows.
 *
 * A row is about a member that is set: absent and null are skipped, unless R_REQUIRED, R_ALWAYS,
 * R_IMMUTABLE or R_FIXED says otherwise; R_FILLED skips what is empty ("", [], {}) as well. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/path.h"
#include "model/rules/causes.h"
#include "model/value/names.h"

struct name_set;
struct type;
struct rule;

/* A value under check. */
struct rule_at {
	struct json value;
	const struct path *path; /* NULL: the top of the document */
	struct causes *causes;
	struct json old;          /* the value before an update; absent if there is none */
	const struct rule_at *up; /* the object or list that holds it; NULL at the top */
	struct name_set
		*seen; /* what earlier elements of the nearest list have (R_ONCE); may be NULL */
	void *context; /* of the caller of rules_check() */
};

/* The start of a check: an object at a path. */
static inline struct rule_at rule_start(struct json value, const struct path *path,
					struct causes *causes)
{
	return (struct rule_at){.value = value, .path = path, .causes = causes};
}

typedef void rule_fn(const struct rule_at *at);
typedef bool rule_when_fn(const struct rule_at *at);

/* Texts that a value may be, in the order in which a message lists them. */
struct rule_texts {
	const char *const *ptr;
	size_t len;
};

/* The rows of an object, in the order in which they are checked. */
struct rules {
	const struct rule *ptr;
	size_t len;
};
#define RULES_OF(rows)                  \
	{                               \
		(rows), ARRAY_LEN(rows) \
	}

/* Exactly one of the members that rows name: the first one that is set is checked, every other one is
 * forbidden. */
struct rule_one {
	struct rules rows;
	const char *none; /* words of the Required cause if none is set; NULL: that is fine */
	const char *more; /* words of the Forbidden cause */
};

struct rule {
	const char *member; /* NULL: the value itself */
	const char *called; /* the member's name in paths, if upstream calls it otherwise */
	const char *again;  /* the same if it is one too many of R_ONE */

	/* conditions on the object that has the member */
	rule_when_fn *when;
	const char *if_member;
	const char *if_text;
	bool if_not : 1;

	bool required : 1;
	bool always : 1;
	bool filled : 1;
	bool nonempty : 1;
	bool immutable : 1;
	bool fixed : 1;
	bool stop : 1;
	bool flat : 1;
	bool once : 1;
	bool nonzero : 1;
	bool entry : 1;
	bool skip_many : 1;
	bool hidden : 1;
	bool dotted : 1;
	bool has_min : 1;
	bool has_max : 1;
	uint8_t format;     /* enum name_format */
	uint8_t key_format; /* the same of the key, for an entry of a map */
	uint8_t says;       /* enum cause_reason + 1: the row is this cause, with `detail` */
	const char *detail;
	const char *range_detail;
	int64_t min;
	int64_t max;
	size_t max_len;   /* of a text, in bytes */
	size_t max_count; /* of elements */
	struct rule_texts texts;
	rule_fn *check;
	rule_fn *also; /* of a row of R_ONE: checked even if it is one too many */

	/* what is below */
	const struct rules *object;
	const struct type *type;
	const struct rule_one *one;
	const struct rule *each;
};

/* --- the words of a row ---------------------------------------------------------------------- */

#define R_WHEN(condition) .when = (condition)
/* Only if a sibling has this text; only if it has not. */
#define R_IF(sibling, text) .if_member = (sibling), .if_text = (text)
#define R_UNLESS(sibling, text) R_IF(sibling, text), .if_not = true

#define R_REQUIRED .required = true
#define R_REQUIRED_AS(words) .required = true, .detail = (words)
#define R_ALWAYS .always = true
#define R_FILLED .filled = true
/* A number: 0 is the same as absent. */
#define R_NONZERO .nonzero = true
/* Set, but empty: Required. */
#define R_NONEMPTY .nonempty = true
/* The row is a cause: Forbidden, Invalid with the value, Required. */
#define R_FORBIDDEN(words) .says = CAUSE_FORBIDDEN + 1, .detail = (words)
#define R_INVALID(words) .says = CAUSE_INVALID + 1, .detail = (words)
#define R_LACKS(words) .says = CAUSE_REQUIRED + 1, .detail = (words)
/* May not change in an update: Invalid with the new value. */
#define R_IMMUTABLE .immutable = true
#define R_IMMUTABLE_AS(words) .immutable = true, .detail = (words)
/* The same, Forbidden with these words. */
#define R_FIXED(words) .fixed = true, .detail = (words)

#define R_TEXTS(...)                                  \
	.texts = {(const char *const[]){__VA_ARGS__}, \
		  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)}
#define R_FORMAT(which) .format = NAME_##which
#define R_KEY(which) .key_format = NAME_##which
#define R_MIN(low) .has_min = true, .min = (low)
#define R_MAX(high) .has_max = true, .max = (high)
#define R_RANGE(low, high) .has_min = true, .has_max = true, .min = (low), .max = (high)
/* Words for a number outside of its range. */
#define R_RANGE_AS(words) .range_detail = (words)
#define R_PORT R_RANGE(1, 65535)
#define R_MAX_LEN(bytes) .max_len = (bytes)
#define R_MAX_COUNT(elements) .max_count = (elements)
/* The same, and elements are not checked if there are more. */
#define R_AT_MOST(elements) .max_count = (elements), .skip_many = true

#define R_CHECK(function) .check = (function)
#define R_ALSO(function) .also = (function)
#define R_OBJECT(rows) .object = &(const struct rules)RULES_OF(rows)
/* The same by the name of a struct rules, of another file. */
#define R_RULES(name) .object = &(name)
/* By the rules of a type. */
#define R_TYPE(noun) .type = &noun##_type
#define R_ONE(rows, without, with_more)            \
	.one = &(const struct rule_one)            \
	{                                          \
		RULES_OF(rows), without, with_more \
	}
/* Every element of a list, every value of a map: R_EACH(R_FORMAT(IP)). */
#define R_EACH(...)                         \
	.each = &(const struct rule)        \
	{                                   \
		.member = NULL, __VA_ARGS__ \
	}
/* Elements report under the path of their list. */
#define R_FLAT .flat = true
/* A text that no earlier element of the list has, in the element or as this member of it. */
#define R_ONCE .once = true

/* The member is an entry of a map: [key] in paths. */
#define R_ENTRY .entry = true
/* Entries of the map are members in paths: .key. */
#define R_DOTTED .dotted = true
/* Paths leave the member out. */
#define R_HIDDEN .hidden = true
#define R_AS(name) .called = (name)
#define R_AGAIN(name) .again = (name)
/* If the row has added a cause, the rows after it are not checked. */
#define R_STOP .stop = true

/* In the declaration of a type. */
#define TYPE_RULES(rows) .rules = &(const struct rules)RULES_OF(rows)
#define TYPE_UPDATE(rows) .update = &(const struct rules)RULES_OF(rows)
#define TYPE_STATUS(rows) .status = &(const struct rules)RULES_OF(rows)

/* Of a type of which nothing is checked. */
extern const struct rules rules_none;

/* --- checking -------------------------------------------------------------------------------- */

/* Check a value by rows. `at` needs value, path and causes; old in an update. */
void rules_check(const struct rules *rules, const struct rule_at *at);

/* --- for functions of rows ------------------------------------------------------------------- */

/* Report about the value, or about a member of it if `key` is not NULL; "a.b" is the member of a
 * member. The value is printed as Go does;
 * an absent one as "". */
void rule_invalid(const struct rule_at *at, const char *key, const char *format, ...) PRINTF(3, 4);
/* The same with another text than the value. */
void rule_invalid_str(const struct rule_at *at, const char *key, struct str shown,
		      const char *format, ...) PRINTF(4, 5);
void rule_required_as(const struct rule_at *at, const char *key, const char *words);
void rule_forbidden(const struct rule_at *at, const char *key, const char *words);
void rule_duplicate(const struct rule_at *at, const char *key);
void rule_duplicate_str(const struct rule_at *at, const char *key, struct str shown);
void rule_not_supported(const struct rule_at *at, const char *key, struct str shown,
			struct rule_texts texts);
void rule_not_found(const struct rule_at *at, const char *key);
/* One cause with a ready message. */
void rule_add(const struct rule_at *at, const char *key, enum cause_reason reason,
	      const char *format, ...) PRINTF(4, 5);

/* The document that the value is in. */
static inline const struct rule_at *rule_top(const struct rule_at *at)
{
	while (at->up)
		at = at->up;
	return at;
}

/* The text of a sibling of the value. */
static inline struct str rule_beside(const struct rule_at *at, const char *key)
{
	return json_str(json_get(at->up->value, key));
}

#endif
