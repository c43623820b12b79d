/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/remarks.h - what is wrong with objects that nothing else tells: annotations that say something which
 * cannot be meant, and so are passed over; pods whose group is not there.
 *
 * Volcano reads many annotations of pods, groups, nodes and queues, and where one makes no sense it goes on with the
 * default without a word. So do we, but not without a word: an object with such an annotation has a
 * remark, which becomes an event of it, once for each text. It goes when the annotation is mended.
 *
 * A pod whose group is not there waits for ever, and there is nobody else to say so. Pods often come a moment before
 * their group: such a remark is told only when it still holds some seconds after the pod was created. */
#ifndef SCHED_REMARKS_H
#define SCHED_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"

struct cluster;
struct remarks;
struct session;
struct task;

/* Who found it: what reads the objects, or a plugin that knows more of what is meant. */
enum remark_topic { REMARK_READ, REMARK_PLUGIN, REMARK_LOST, REMARK_TOPIC_COUNT };
enum remark_kind { REMARK_POD, REMARK_GROUP, REMARK_NODE, REMARK_QUEUE, REMARK_KIND_COUNT };

struct remarks *remarks_new(void) __attribute__((returns_nonnull));
void remarks_free(struct remarks *remarks);

/* Look at the annotations (and the labels that may stand for them) of an object: "namespace/name", or "name". */
void remarks_check(struct remarks *remarks, enum remark_kind kind, struct str key,
		   struct json notes, struct json labels);
/* A remark of another's; NULL: there is nothing wrong any more. */
void remarks_set(struct remarks *remarks, enum remark_kind kind, enum remark_topic topic,
		 struct str key, const char *text);
/* The group of a pod of ours that waits is not there, or it has none. */
void remarks_set_lost(struct remarks *remarks, const struct task *task);
/* The object is gone. */
void remarks_forget(struct remarks *remarks, enum remark_kind kind, struct str key);

/* Is there something that nobody has been told of, be it not due yet? */
bool remarks_are_untold(const struct remarks *remarks);
/* Events for those that nobody has been told of, and that are due; at the end of a session. */
void remarks_tell(struct session *ssn);

#endif
