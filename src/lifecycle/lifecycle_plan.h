/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/lifecycle_plan.h - what a controller decided: writes as data, events to record, when to look again.
 *
 * Every controller is a pure function from what is recorded and what is observed to a plan; the
 * service executes the plan and calls the function again when something has changed. The rules
 * of a plan, which let a crash at any point replay to the same end:
 *
 * 1. Writes go out stage by stage. Those of one stage may be under way at the same time; a stage
 *    starts only when all of the one before are done. What a later stage does follows from what an
 *    earlier one has recorded.
 * 2. A write that fails ends the plan behind its stage, and the service looks again after a while.
 *    Two failures are none: to create what is there, and to delete what is gone. The plan does not
 *    know which of its creates found something there; the next look does.
 * 3. Executing the same plan twice does no harm: updates have the resource version that they were
 *    made from, deletes the uid.
 * 4. Nothing is in a plan that would change nothing: a plan without writes is the end of the work
 *    until the world changes, or `look_at`.
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

enum plan_verb {
	PLAN_CREATE,        /* doc: the object */
	PLAN_UPDATE,        /* doc: the object with its resource version */
	PLAN_UPDATE_STATUS, /* the same; only its status counts */
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

/* Of a delete: what becomes of what the object owns. */
enum plan_propagation { PLAN_BACKGROUND, PLAN_FOREGROUND, PLAN_ORPHAN, PLAN_PROPAGATION_COUNT };

struct plan_write {
	enum plan_verb verb;
	enum plan_kind_id kind;
	enum plan_patch patch;
	enum plan_propagation propagation;
	unsigned stage;
	struct str namespace;
	struct str name;
	struct str uid;       /* of a delete: only this one; none: whichever has the name */
	bool at_once;         /* of a delete: without a grace period */
	struct json_doc *doc; /* owned; NULL for a delete */
	/* A failure is told as a Warning of this reason: `fail_text` and the error behind it, or where
	 * `fail_list` says so, one event for all that failed in the stage:
	 * <fail_text>[failed to create pod j-a-0, err: <Forbidden: ...> ...]. NULL: not told. */
	const char *fail_reason;
	const char *fail_text;
	bool fail_list;
	/* Where the namespace is going away, which nobody can help: a Warning NamespaceTerminating of
	 * this text instead. NULL: a failure like others. */
	const char *ending_text;
};

/* An event to record. */
struct plan_note {
	bool warning;
	bool steady;    /* a state, not an occurrence: recorded when it is new, not at every look */
	unsigned stage; /* recorded when all writes of the stages before this one are done */
	const char *reason;
	struct str message;
	struct str
		same; /* of a state: it is no other one while this is the same; none: the message */
	enum plan_kind_id kind; /* the object that it is about */
	struct str namespace;
	struct str name;
	struct str uid;
};

struct plan {
	struct arena *arena;
	VEC(struct plan_write) writes; /* stages never go down */
	VEC(struct plan_note) notes;
	unsigned stage; /* what is added belongs to this one */
	/* The object that the plan is for: events of writes that fail are about it. */
	enum plan_kind_id about_kind;
	struct str about_namespace;
	struct str about_name; /* none: such events are dropped */
	struct str about_uid;
	int64_t look_at; /* look again then, at the latest; 0: only when something changes */
};

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);
DEFINE_AUTO_IN_PLACE(struct plan, plan_done);

/* What the plan is for. */
void plan_about(struct plan *plan, enum plan_kind_id kind, const struct meta *meta);
/* What is added from now on waits for what was added before. */
void plan_next_stage(struct plan *plan);
/* Look again at `time`, or earlier if that was asked for before. */
void plan_look_at(struct plan *plan, int64_t time);
bool plan_is_empty(const struct plan *plan); /* neither writes nor events */

/* Each takes over `doc` and gives the write, valid until the next is added, so that the rest can be
 * set. Namespace and name are those of the document. */
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
/* Only the object with this uid, so that a delete which comes late does not hit its successor. */
struct plan_write *plan_delete(struct plan *plan, enum plan_kind_id kind, const struct meta *meta);

/* An event about the object with this metadata; `reason` must be a constant. */
void plan_normal(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		 const char *reason, const char *format, ...) PRINTF(5, 6);
void plan_warning(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		  const char *reason, const char *format, ...) PRINTF(5, 6);
/* The event that was added last tells of a state. One that is in the plan already is taken out
 * again. */
void plan_steady(struct plan *plan);
/* Likewise, and the state is the same one as long as `same` is, whatever the words. */
void plan_steady_by(struct plan *plan, struct str same);

/* One line a write and an event, for tests and logs:
 *	0 update-status jobs ns/j
 *	1 create pods ns/j-a-0
 *	1 event Normal ExecuteAction ns/j: Start to execute action AbortJob */
void plan_print(const struct plan *plan, struct buf *to);

#endif
