/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/filter.h - which objects a list, a watch or a removal of a collection is about:
 * namespace, name, label selector and field selector, asked of stored objects without parsing them.
 * */
#ifndef APISERVER_FILTER_H
#define APISERVER_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct call;
struct filter;
struct object;

/* From the call's options and, for a watch of one object, its name. Lives in the call's arena.
 * ERR_BAD_REQUEST for a selector that does not parse or asks for a field that the kind does not
 * offer. */
struct filter *filter_new(struct call *call, struct err *err) MUST_CHECK;
/* Where to look: the kind, or the kind in a namespace. */
struct str filter_prefix(const struct filter *filter);
/* Does it let everything below its prefix through? */
bool filter_is_plain(const struct filter *filter);
/* Is it about one object in a known place, by its name? Such a list has no pages. */
bool filter_is_single(const struct filter *filter);
bool filter_matches(const struct filter *filter, const struct object *object);

#endif
