/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/object_warnings.h - problems of objects that nothing else reports: annotations with a value that makes
 * no sense, which are ignored; pods whose PodGroup does not exist.
 *
 * Volcano reads many annotations of pods, groups, nodes and queues, and silently uses the default if a value makes no
 * sense. We use the default as well, but report it: the object gets a warning, which becomes an event of it, once
 * per text. The warning is dropped when the annotation is corrected.
 *
 * A pod without its PodGroup waits forever, and nothing else would say so. Pods are often created a moment before
 * their group: such a warning is reported only if it is still true some seconds after the pod was created. */
#ifndef SCHED_OBJECT_WARNINGS_H
#define SCHED_OBJECT_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"

struct cluster;
struct object_warnings;
struct session;
struct task;

/* Who found it: what reads the objects, or a plugin that knows more of what is meant. */
enum warning_topic {
	WARNING_READ,
	WARNING_PLUGIN,
	WARNING_NETWORK,
	WARNING_LOST,
	WARNING_USAGE, /* the load of a node is not known */
	WARNING_TOPIC_COUNT
};
enum warning_kind { WARNING_POD, WARNING_GROUP, WARNING_NODE, WARNING_QUEUE, WARNING_KIND_COUNT };

struct object_warnings *object_warnings_new(void) __attribute__((returns_nonnull));
void object_warnings_free(struct object_warnings *warnings);

/* Look at the annotations (and the labels that may stand for them) of an object: "namespace/name", or "name". */
void object_warnings_check(struct object_warnings *warnings, enum warning_kind kind, struct str key,
			   struct json notes, struct json labels);
/* A warning that another module found; NULL: nothing is wrong any more. */
void object_warnings_set(struct object_warnings *warnings, enum warning_kind kind,
			 enum warning_topic topic, struct str key, const char *text);
/* The group of a pod of ours that waits is not there, or it has none. */
void object_warnings_set_lost(struct object_warnings *warnings, const struct task *task);
/* The object was deleted. */
void object_warnings_forget(struct object_warnings *warnings, enum warning_kind kind,
			    struct str key);

/* Is there a warning that was not reported yet, even if it is not due? */
bool object_warnings_are_unreported(const struct object_warnings *warnings);
/* Events for the warnings that are due and not reported; at the end of a session. */
void object_warnings_report(struct session *ssn);

#endif
