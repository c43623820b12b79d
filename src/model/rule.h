/* SPDX-License-Identifier: Apache-2.0 */
/* model/rule.h - small rules that the rules of kinds are made of, each in Kubernetes' words.
 *
 * They look at a member of an object and add causes at its path. "Has" means there and not null. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/names.h"
#include "model/path.h"

/* PATH(name, path, "name"); declares the path of a member. */
#define PATH(variable, up, member) struct path variable = path_member((up), STR(member))

bool rule_has(struct json object, const char *key);
static inline struct str rule_text(struct json object, const char *key)
{
	return json_str(json_get(object, key));
}

/* Texts that a field may have, in the order in which they are told. */
struct rule_texts {
	const char *const *ptr;
	size_t len;
};
#define RULE_TEXTS(...)                                          \
	((struct rule_texts){(const char *const[]){__VA_ARGS__}, \
			     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)})
bool rule_texts_have(struct rule_texts texts, struct str text);

/* Where: the object, the path of the object, where causes go. */
struct rule_at {
	struct json object;
	const struct path *path;
	struct causes *causes;
};

/* A text that may not be empty; says whether it is there. */
bool rule_required(const struct rule_at *at, const char *key);
/* A text in a format: if it is there; or required. */
void rule_name(const struct rule_at *at, const char *key, enum name_format format);
void rule_name_required(const struct rule_at *at, const char *key, enum name_format format);
/* One of some texts: if it has one; or required. */
void rule_text_of(const struct rule_at *at, const char *key, struct rule_texts texts);
void rule_text_of_required(const struct rule_at *at, const char *key, struct rule_texts texts);
/* A number in a range, if it has one. */
void rule_range(const struct rule_at *at, const char *key, int64_t low, int64_t high);
/* A user's or a group's number, if it has one. */
void rule_id(const struct rule_at *at, const char *key);
void rule_not_negative(const struct rule_at *at, const char *key);
/* The bits of a file's mode, if it has them. */
void rule_file_mode(const struct rule_at *at, const char *key);
/* Must not be there. */
void rule_forbid(const struct rule_at *at, const char *key, const char *detail);

/* --- paths of files -------------------------------------------------------------------------- */

bool rule_has_backsteps(struct str file);
void rule_no_backsteps(struct str file, const struct path *path, struct causes *causes);
/* Relative, and without "..". */
void rule_local(struct str file, const struct path *path, struct causes *causes);
/* And not beginning with "..". */
void rule_local_free(struct str file, const struct path *path, struct causes *causes);

/* --- sets of names --------------------------------------------------------------------------- */

struct name_set {
	struct str *ptr;
	size_t len;
	size_t size;
};
void name_set_done(struct name_set *set);
DEFINE_AUTO_IN_PLACE(struct name_set, name_set_done);
bool name_set_has(const struct name_set *set, struct str name);
/* Says whether it is new. */
bool name_set_add(struct name_set *set, struct str name);

/* --- values as Go shows them ----------------------------------------------------------------- */

/* An object, or a list of objects, as upstream's internal type prints it: every field, under its name
 * in Go. `type` is the objects'. */
void rule_invalid_go(const struct type *type, struct json value, const struct path *path,
		     struct causes *causes, const char *detail);

#endif
