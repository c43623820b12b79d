/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/api_internal.h - shared by the files of the API; no other module includes it.
 *
 * The way of a write, step by step, each in its file:
 *	body.c		an object of this kind: types, unknown and doubled fields, defaults
 *	metadata.c	what the server keeps in metadata, and what may change there
 *	admit.c		namespaces, priorities, quotas, and what else may change or refuse it
 *	staged_write.c		the object as text, into the store, and the answer when it is durable */
#ifndef APISERVER_API_INTERNAL_H
#define APISERVER_API_INTERNAL_H

#include "apiserver/api.h"
#include "apiserver/kind/kind.h"
#include "apiserver/request/call.h"
#include "apiserver/store/decoded.h"
#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/vec.h"
#include "loop/loop.h"

struct api {
	struct api_options options;
	struct kinds *kinds;
	struct fair *fair;
	struct list calls; /* all that there are */
	uint64_t epoch;    /* counts up when what kinds point at is replaced (definition.c) */
	size_t in_flight;  /* of the calls, those that are served and no watches */
	struct map *kind_watches; /* prefix -> struct kind_watch (watcher.c) */
	struct admit_volcano *volcano;
	struct reconcilers *reconcilers; /* NULL before api_start() */
	struct list podlogs;             /* that are being sent */
	const struct log_source *log_source;
	void *log_source_arg;
	char *root_ca;
	char *token_key;         /* NULL: no tokens of service accounts */
	const struct auth *auth; /* authenticates other tokens; NULL: none */
	int port;
	size_t watchers;
	bool stopping;
	struct backups *backups;         /* by schedule; NULL: none */
	struct decoded *decoded;         /* for readers in the same process (direct.c) */
	struct definitions *definitions; /* of custom kinds */
	struct openapi *openapi;         /* documents that were asked for */
	struct offloads *offloads;
	struct buf before,
		tail; /* the text of an object on its way to the store (staged_write.c) */
	VEC(struct arena *) arenas; /* of calls that are over, for the next ones */
};

/* --- verbs --- */

typedef void verb_fn(struct call *call);
#define VERB_DECLARE(id, function, word, options) verb_fn verb_##function;
VERBS(VERB_DECLARE)
#undef VERB_DECLARE

/* --- body.c
 * -------------------------------------------------------------------------------------------------
 * */

/* Is it an object of the call's kind, by what it says itself? */
int body_recognize(struct call *call, struct json body, struct err *err) MUST_CHECK;
/* A changeable copy of a body that was recognized: decoded as strictly as the call asks, with its
 * defaults. NULL and an error if it is no such object. Needs nothing but the call. */
struct json_doc *body_make(struct call *call, struct json body, struct err *err) MUST_CHECK;
/* Both. */
struct json_doc *body_decode(struct call *call, struct json body, struct err *err) MUST_CHECK;
/* Only the steps after decoding: prune, types, defaults, canonical values, and whether it is of the
 * call's kind. For the result of a patch; errors say only why. */
bool body_is_of_kind(const struct call *call, struct json object);
int body_check_kind(struct call *call, struct json object, struct err *err) MUST_CHECK;
/* "the object provided is unrecognized ...": with `why` and the beginning of the body. -1. */
int body_unrecognized(struct call *call, const char *why, struct err *err);
int body_complete(struct call *call, struct json_doc *doc, struct err *err) MUST_CHECK;

/* --- metadata.c --- */

/* For a new object: namespace, name or generateName, uid, creationTimestamp, generation. */
int metadata_create(struct call *call, struct json_doc *doc, struct err *err) MUST_CHECK;
/* Does anything differ outside metadata and status? */
bool metadata_differs_outside(struct json object, struct json old);
/* For a new version: what only the server sets is as it was, but for the generation. */
void metadata_update(struct call *call, struct json_doc *doc, struct json old);
/* The generation: one more if what the kind calls its spec differs. After everything that changes it. */
void metadata_count_generation(struct call *call, struct json_doc *doc, struct json old);
void metadata_validate(struct call *call, struct json object, struct causes *causes);
void metadata_validate_update(struct call *call, struct json object, struct json old,
			      struct causes *causes);

/* --- admit.c
 * ------------------------------------------------------------------------------------------------
 * */

/* `object` is absent for a removal, `old` for a new one. */
int admit_change(struct call *call, struct json_doc *doc, struct json old,
		 struct err *err) MUST_CHECK;
int admit_check(struct call *call, struct json object, struct json old, struct err *err) MUST_CHECK;

/* --- what verbs share ----------------------------------------------------------------------------
 * */

/* Was it being removed, and has its last finalizer gone? Then so must it. */
bool object_is_finished(const struct kind *kind, struct json object);
/* End the call of a patch that could not be applied, or has made what is no object of the type. */
void patch_refuse(struct call *call, struct err *err);
void patch_refuse_result(struct call *call, const struct type *type, struct json result,
			 struct err *err);
/* Is the object of the body the one of the path? */
int update_check_name(struct call *call, struct json object, struct err *err) MUST_CHECK;
/* The DeleteOptions of the body, which may be absent. False: they are wrong, and the call has ended. */
bool delete_read_options(struct call *call);
/* Is it still the object that the caller means? */
int delete_check_preconditions(struct call *call, struct json object, int64_t revision,
			       struct err *err) MUST_CHECK;

/* --- staged_write.c -------------------------------------------------------------------------------------
 * */

/* What the store gets of an object, made beforehand by stage_prepare(). Zeroed at first. */
struct staging {
	bool ready;
	bool unchanged;          /* since `old` */
	struct buf before;       /* its text, ... */
	struct buf tail;         /* ... but for the revision between the two */
	struct json_doc *answer; /* of a dry run */
	struct store_write write;
};
/* The part of stage_create() (`old` is NULL) and stage_update() that needs nothing but the call. `stored` is
 * the document of `old` as it is stored, or NULL: it is then parsed. */
void stage_prepare(struct call *call, struct json_doc *doc, const struct object *old,
		   struct json_doc *stored, struct staging *to);
/* Only the text and what selectors ask for. Pure as well. */
void stage_print(struct call *call, struct json_doc *doc, struct staging *to);
void staging_done(struct staging *staging);

/* Write the root of `doc` and answer when it is durable; at once if it is a dry run, or if
 * nothing has changed since `old`. Errors are answered too. `made` may be NULL. */
void stage_create(struct call *call, struct json_doc *doc, struct staging *made);
void stage_update(struct call *call, struct json_doc *doc, struct object *old, int code);
void stage_update_made(struct call *call, struct json_doc *doc, struct object *old,
		       struct staging *made, int code);
/* Writes a version that is not the answer of a call; returns the newest version: this one or, if it
 * could not be written, the one before. Borrowed. Nothing is written for a dry run. `made` may be
 * NULL. */
struct object *stage_mark(struct call *call, struct json_doc *doc, struct object *old,
			  struct staging *made);
struct stage_removal {
	struct object *old;   /* the newest version */
	struct staging *made; /* of what is removed; NULL or not ready: it is not made yet */
	bool as_stored;       /* what is removed is as `old` */
	bool status;          /* the answer is a Status rather than the object */
};
/* Remove it; `doc` is the object as it last was. */
void stage_delete(struct call *call, struct json_doc *doc, const struct stage_removal *removal);
/* The last finalizer of an object that is being deleted was removed: deletes the object and answers
 * with its final state, under its old version. */
void stage_finish(struct call *call, struct json_doc *doc, struct object *old);
/* The call has ended; its write goes on. */
void stage_forget(struct staged *staged);
void sweep_forget(struct sweep *sweep);

/* A part of a call's work that runs in a later turn: in its order among the work of all users, or,
 * if the call has no user, in the next turn. Zeroed at first; may be freed from its own callback. */
struct call_step {
	struct fair_job job;
	struct loop_defer defer;
};
void call_step_later(struct call *call, struct call_step *step, void (*fn)(void *arg), void *arg);
void call_step_cancel(struct call *call, struct call_step *step);
bool call_step_is_queued(const struct call_step *step);

/* The time, on a worker as well. */
int64_t call_now(const struct call *call);
/* Give the answer that a worker has made. */
void call_answer_waiting(struct call *call);

/* It is not in flight any more, but goes on for as long as a watch: it counts as one. */
void call_become_stream(struct call *call);
/* The key of the call's object in the store; in the call's arena. */
struct str call_key(struct call *call, struct str name);
/* json_options.on_duplicate for a call's body. */
void call_note_duplicate(void *arg, struct str path);

#endif
