/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/typed_internal.h - shared by the files that implement typed.h; no other file includes it. */
#ifndef APISERVER_TYPED_INTERNAL_H
#define APISERVER_TYPED_INTERNAL_H

#include "apiserver/apply/typed.h"

enum typed_relation { TYPED_ATOMIC, TYPED_SET, TYPED_KEYS };

/* The place of a member. `named`: it has a field of its own, it is not an entry of a map; `known`: the
 * schema allows it. */
struct typed_place typed_member(struct typed_place place, struct str key, bool *named, bool *known);
/* How a list is merged. */
enum typed_relation typed_relation(struct typed_place place);
/* The place of an element of a list. */
struct typed_place typed_element(struct typed_place place);
/* One of the keys of an element, or its default; a new value of `doc`. */
struct json typed_key_value(struct typed_place element, struct json value, struct str key,
			    struct json_doc *doc);
/* The step that leads to an element: k:{...} or v:...; `to` is cleared. */
void typed_print_element(struct typed_place place, struct json value, struct buf *to);
/* Is the value an object (a list) whose members (elements) have their own managers? */
bool typed_is_object(struct typed_place place, struct json value);
bool typed_is_list(struct typed_place place, struct json value);

#endif
