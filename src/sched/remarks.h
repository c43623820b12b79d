/* SPDX-License-Identifier: Apache-2.0 */
/* sched/remarks.h - annotations that say something which cannot be meant, and so are passed over.
 *
 * Volcano reads many annotations of pods, groups, nodes and queues, and where one makes no sense it goes on with the
 * default without a word. So do we, but not without a word: an object with such an annotation has a
 * remark, which becomes an event of it, once for each text. It goes when the annotation is mended. */
#ifndef SCHED_REMARKS_H
#define SCHED_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"

struct cluster;
struct remarks;
struct session;

/* Who found it: what reads the objects, or a plugin that knows more of what is meant. */
enum remark_topic { REMARK_READ, REMARK_PLUGIN, REMARK_TOPIC_COUNT };
enum remark_kind { REMARK_POD, REMARK_GROUP, REMARK_NODE, REMARK_QUEUE, REMARK_KIND_COUNT };

struct remarks *remarks_new(void) __attribute__((returns_nonnull));
void remarks_free(struct remarks *remarks);

/* Look at the annotations (and the labels that may stand for them) of an object: "namespace/name", or "name". */
void remarks_check(struct remarks *remarks, enum remark_kind kind, struct str key,
		   struct json notes, struct json labels);
/* A remark of another's; NULL: there is nothing wrong any more. */
void remarks_set(struct remarks *remarks, enum remark_kind kind, enum remark_topic topic,
		 struct str key, const char *text);
/* The object is gone. */
void remarks_forget(struct remarks *remarks, enum remark_kind kind, struct str key);

/* Is there something that nobody has been told of? */
bool remarks_are_untold(const struct remarks *remarks);
/* Events for those that nobody has been told of; at the end of a session. */
void remarks_tell(struct session *ssn);

#endif
