/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/edit.h - a write in steps: what needs nothing but the call, and what needs the API.
 *
 * A small write takes all its steps in one turn. Of a large one (call->work.large) the pure steps are a worker's
 * (offload.h), and others may write meanwhile: the steps that need the API look whether the object is still
 * the one that they began with, and begin again if it is not. The last step checks and stages in one turn,
 * so that a check and its effect are never apart. */
#ifndef APISERVER_EDIT_H
#define APISERVER_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "apiserver/api_internal.h"
#include "base/vec.h"

struct edit;

/* Of an object that is to be removed: what is written. */
enum edit_removal {
	EDIT_REMOVE,        /* it goes */
	EDIT_REMOVE_MARKED, /* a version with a deletionTimestamp, then it is deleted */
	EDIT_MARK,          /* that version only: something has to be done first */
};

/* False: the call was answered, and may have been freed. */
typedef bool edit_fn(struct edit *edit);
struct edit_step {
	edit_fn *fn;
	bool pure; /* needs nothing but the write: may run on a worker */
};

struct edit {
	struct call *call;
	struct api *api;               /* the call's, which may end before the edit */
	const struct edit_step *first; /* where to begin again; ends with a NULL fn */
	const struct edit_step *next;
	struct object *stored; /* owned: the version that it starts from; NULL: there is none */
	struct json_doc *old;  /* owned: its document, as clients of the kind's version see it */
	bool old_is_stored;    /* and as it is stored */
	struct json_doc *doc;  /* owned: the object as it will be */
	struct staging made;   /* of a large one */
	bool split;
	bool kept;  /* it is on the heap */
	bool ended; /* the worker has answered */
	bool makes; /* it is of an object that need not be there */
	bool odd;   /* the result is of another kind: the API must say what is wrong */
	enum edit_removal removal; /* what a removal does */
	size_t restarts;
	/* what the call had to say before the first step */
	size_t warnings;
	size_t warning_chars;
	const char **odd_fields;
	size_t odd_field_count;
	size_t yaml_duplicates;
	VEC(const char *) later; /* warnings that come after those of admission */
};

/* Take all steps, in this turn or in several; ends the call. The fields from `stored` on are zero, but those
 * that the first step expects; what they own is taken. */
void edit_run(const struct edit *edit);
/* The call is freed. Takes NULL. */
void edit_forget(struct edit *edit);

/* --- for steps --- */

/* Read the newest version into `stored`. Says whether the call is large because of it. */
void edit_read(struct edit *edit);
/* The same, and false if there is none, which was answered. */
bool edit_find(struct edit *edit);
/* Is there a newer version than the one it began with? */
bool edit_is_stale(const struct edit *edit);
/* Begin again; false if it has been tried too often, which was answered. */
bool edit_restart(struct edit *edit);
/* `old`, if it is not there yet. Pure. */
void edit_decode_old(struct edit *edit);
/* Go on with the steps of another write, from one of them on. */
void edit_go_to(struct edit *edit, const struct edit_step *step);
/* What it was to do is done: it is another write from now on, which starts with reading the object. */
void edit_become(struct edit *edit, const struct edit_step *steps);
/* An error is the answer; false. */
bool edit_refuse(struct edit *edit, const struct err *err);

/* Warnings of the kind, kept until admission is done. Pure. */
void edit_gather_warnings(struct edit *edit);
/* Send those that were kept, or make them now. */
void edit_warn(struct edit *edit);

/* The object of the call's body, and who manages it; then edit_new. Pure (verb_create.c). */
bool edit_decode_new(struct edit *edit);
/* What a new object that was decoded still has to go through. */
extern const struct edit_step edit_new[];
/* What of a new version follows from `old` and `doc`; then edit_version. Pure (verb_update.c). */
bool edit_make_version(struct edit *edit);
/* What a new version still has to go through. */
extern const struct edit_step edit_version[];
/* The removal of an object (verb_delete.c). */
extern const struct edit_step edit_delete[];

#endif
