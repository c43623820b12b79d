/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/reading.h - stored objects as clients of a kind's version see them.
 *
 * What is stored is sent as it is, except for a built-in kind that is stored as another one
 * (events), and for two cases of custom kinds: another version than the stored one has its own
 * apiVersion, and
 * its own schema; and an object that is older than its schema is read through it, so that removed
 * fields are hidden and new defaults are shown. */
#ifndef APISERVER_READING_H
#define APISERVER_READING_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct buf;
struct decoded;
struct json_doc;
struct kind;
struct object;

/* Can the text be sent as it stands? */
bool reading_is_plain(const struct kind *kind, const struct object *object);
/* The object as a document: one that can be changed unless it is plain. */
struct json_doc *reading_parse(const struct kind *kind, const struct object *object,
			       struct err *err) MUST_CHECK;
/* The same from the cache, if it is plain: one that must not be changed. */
struct json_doc *reading_get(struct decoded *decoded, const struct kind *kind,
			     struct object *object, struct err *err) MUST_CHECK;
/* Append its text; with `head`, apiVersion and kind included. */
void reading_print(const struct kind *kind, const struct object *object, bool head, struct buf *to);

#endif
