/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/lifecycle_plan.h - what a controller decided: writes as data, events to record, time of the next
 * step.
 *
 * Every controller is a pure function from what is recorded and what is observed to a plan; the
 * service executes the plan and calls the function again when something has changed. The rules
 * of a plan, which make a crash at any point harmless:
 *
 * 1. Writes go out stage by stage. Those of one stage may be in flight at the same time; a stage
 *    starts only when all of the one before are done. What a later stage does follows from what an
 *    earlier one has recorded.
 * 2. A failed write ends the plan after its stage, and the service repeats the step after a while.
 *    Two failures do not count: creating an object that exists, and deleting one that does not. The
 *    plan does not know which creates found an existing object; the next step does.
 * 3. Executing the same plan twice does no harm: updates have the resource version that they were
 *    made from, deletes the uid.
 * 4. A plan has no writes without effect: a plan without writes means that nothing is to be done
 *    until something changes, or until `next_at`.
 *
 * Texts and documents of a plan live in it; what is added is copied unless said otherwise. */
#ifndef LIFECYCLE_LIFECYCLE_PLAN_H
#define LIFECYCLE_LIFECYCLE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/core/meta.h"

/* The kinds that controllers write or look up. To add one: a value here, a row in lifecycle_plan.c. */
enum plan_kind_id {
	PLAN_JOB,
	PLAN_COMMAND,
	PLAN_PODGROUP,
	PLAN_QUEUE,
	PLAN_JOBFLOW,
	PLAN_JOBTEMPLATE,
	PLAN_VCCRONJOB,
	PLAN_HYPERNODE,
	PLAN_POD,
	PLAN_SERVICE,
	PLAN_CONFIGMAP,
	PLAN_SECRET,
	PLAN_CLAIM,
	PLAN_NETWORKPOLICY,
	PLAN_PRIORITYCLASS,
	PLAN_VOLUME,
	PLAN_STORAGECLASS,
	PLAN_NODE,
	PLAN_KIND_COUNT
};

struct plan_kind {
	const char *api_version;
	const char *kind;
	const char *plural;
	bool namespaced;
};
extern const struct plan_kind plan_kinds[PLAN_KIND_COUNT];

struct meta;

/* An object of this kind with a name and a namespace; *ret_meta is its metadata. */
struct json_doc *plan_object_new(enum plan_kind_id kind, struct str name, struct str namespace,
				 struct json *ret_meta);
/* A reference to the object that controls another one. */
struct json plan_owner_new(struct json_doc *doc, enum plan_kind_id kind, const struct meta *owner);

enum plan_verb {
	PLAN_CREATE,        /* doc: the object */
	PLAN_UPDATE,        /* doc: the object with its resource version */
	PLAN_UPDATE_STATUS, /* the same; only its status is written */
	PLAN_PATCH,         /* doc: the patch */
	PLAN_PATCH_STATUS,
	PLAN_DELETE,
	PLAN_VERB_COUNT
};
extern const char *const plan_verb_names[PLAN_VERB_COUNT];

enum plan_patch {
	PLAN_MERGE_PATCH,
	PLAN_JSON_PATCH,
	PLAN_APPLY_PATCH,
	PLAN_STRATEGIC_PATCH,
	PLAN_PATCH_COUNT
};

/* Of a delete: what happens to the objects that it owns. */
enum plan_propagation { PLAN_BACKGROUND, PLAN_FOREGROUND, PLAN_ORPHAN, PLAN_PROPAGATION_COUNT };

struct plan_write {
	enum plan_verb verb;
	enum plan_kind_id kind;
	enum plan_patch patch;
	enum plan_propagation propagation;
	unsigned stage;
	struct str namespace;
	struct str name;
	struct str
		uid;  /* of a delete: only the object with this uid; none: any object of the name */
	bool at_once; /* of a delete: without a grace period */
	struct json_doc *doc; /* owned; NULL for a delete */
	/* A failure is recorded as a Warning with this reason: `fail_text` and the error, or with
	 * `fail_list` one event for all failures of the stage: <fail_text>[failed to create pod
	 * j-a-0, err: <Forbidden: ...> ...]. NULL: not recorded. */
	const char *fail_reason;
	const char *fail_text;
	bool fail_list;
	/* If the namespace is terminating, a Warning NamespaceTerminating with this text is recorded
	 * instead. NULL: handled as other failures. */
	const char *ending_text;
};

/* An event to record. */
struct plan_note {
	bool warning;
	bool steady;    /* a state, not an occurrence: recorded when it is new, not in every step */
	unsigned stage; /* recorded after all writes of earlier stages */
	const char *reason;
	struct str message;
	struct str same;        /* identity of a state; none: the message is its identity */
	enum plan_kind_id kind; /* the object that it is about */
	struct str namespace;
	struct str name;
	struct str uid;
};

struct plan {
	struct arena *arena;
	VEC(struct plan_write) writes; /* ordered by stage */
	VEC(struct plan_note) notes;
	unsigned stage; /* new writes belong to this stage */
	/* The object that the plan is for: events of writes that fail are about it. */
	enum plan_kind_id about_kind;
	struct str about_namespace;
	struct str about_name; /* none: such events are dropped */
	struct str about_uid;
	int64_t next_at; /* time of the next step at the latest; 0: only when something changes */
};

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);
DEFINE_AUTO_IN_PLACE(struct plan, plan_done);

/* Sets the object that the plan is for. */
void plan_about(struct plan *plan, enum plan_kind_id kind, const struct meta *meta);
/* Starts a new stage: later writes wait for all earlier ones. */
void plan_next_stage(struct plan *plan);
/* Requests a step at `time`; an earlier request stays. */
void plan_step_at(struct plan *plan, int64_t time);
bool plan_is_empty(const struct plan *plan); /* neither writes nor events */

/* Each takes `doc` and returns the write, valid until the next one is added, so that the caller can
 * set its other members. Namespace and name are those of the document. */
struct plan_write *plan_create(struct plan *plan, enum plan_kind_id kind, struct json_doc *doc);
struct plan_write *plan_update(struct plan *plan, enum plan_kind_id kind, struct json_doc *doc);
struct plan_write *plan_update_status(struct plan *plan, enum plan_kind_id kind,
				      struct json_doc *doc);
/* Of the object with this metadata. */
struct plan_write *plan_patch(struct plan *plan, enum plan_kind_id kind, const struct meta *meta,
			      enum plan_patch patch, struct json_doc *doc);
struct plan_write *plan_patch_status(struct plan *plan, enum plan_kind_id kind,
				     const struct meta *meta, enum plan_patch patch,
				     struct json_doc *doc);
/* Deletes only the object with this uid, so that a late delete does not hit its successor. */
struct plan_write *plan_delete(struct plan *plan, enum plan_kind_id kind, const struct meta *meta);

/* An event about the object with this metadata; `reason` must be a constant. */
void plan_normal(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		 const char *reason, const char *format, ...) PRINTF(5, 6);
void plan_warning(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		  const char *reason, const char *format, ...) PRINTF(5, 6);
/* The last event reports a state. If the plan already has it, it is removed again. */
void plan_steady(struct plan *plan);
/* The same, with `same` as the identity of the state, independent of the message. */
void plan_steady_by(struct plan *plan, struct str same);

/* Prints one line per write and per event, for tests and logs:
 *	0 update-status jobs ns/j
 *	1 create pods ns/j-a-0
 *	1 event Normal ExecuteAction ns/j: Start to execute action AbortJob */
void plan_print(const struct plan *plan, struct buf *to);

#endif
