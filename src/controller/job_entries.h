/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_entries.h - the jobs that are known, and the pods of each.
 *
 * A job is known by namespace and name; its pods may be heard of before it, and outlive it. Of a pod
 * only what counts is kept (struct job_pod), in its newest version that is known. */
#ifndef CONTROLLER_JOB_ENTRIES_H
#define CONTROLLER_JOB_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "controller/execute_plan.h"
#include "json/doc.h"
#include "lifecycle/job_lifecycle.h"

struct entries;
struct entry_pod;

struct entry {
	char *key;                 /* "namespace/name" */
	struct json_doc *doc;      /* NULL: there is no such job */
	uint64_t version;          /* of the document */
	struct json_doc *complete; /* the same with defaults; NULL: not made yet */
	VEC(struct entry_pod *) pods;

	/* what the controller remembers while it runs; nothing of it must be remembered */
	struct execution *execution; /* the plan that is being executed, and ... */
	void *controller;            /* ... for whom, ... */
	bool more;                   /* ... whether there is more to do at once, ... */
	enum vcjob_phase enters; /* ... the phase that it brings the job into (NONE: none), ... */
	int64_t next_at;         /* ... and when to look again */
	struct execution_reports reported;
	int64_t counted_at;    /* when its status was last written */
	int64_t failing_since; /* the first of the failures in a row; 0: none */
	enum job_pods_answer pods_answer;
	int64_t wait_us;   /* the last pause because something was in the way */
	char *private_pem; /* for the plugin ssh */
	char *public_line;
	bool awaits_key;    /* a pair is being made */
	unsigned completed; /* how often it was, for metrics */
	unsigned failed;
	bool busy;       /* being worked on: it stays */
	unsigned events; /* of what happened to it meanwhile, its own writes aside */
};

struct entries *entries_new(void) __attribute__((returns_nonnull));
void entries_free(struct entries *entries);

/* NULL: not known. */
struct entry *entries_find(const struct entries *entries, struct str key);
struct entry *entries_next(const struct entries *entries, size_t *at);
size_t entries_len(const struct entries *entries);
/* Forget it if there is neither a job nor pods nor work. */
void entries_drop(struct entries *entries, struct entry *entry);

/* A version of a job. Gives its entry, or NULL where it is not newer than what is known. */
struct entry *entries_put_job(struct entries *entries, struct json_doc *doc);
/* The job was deleted. Returns its entry, or NULL if another one has taken its place. */
struct entry *entries_remove_job(struct entries *entries, struct str namespace, struct str name,
				 struct str uid);

/* A version of a pod. Gives the entry of its job, or NULL where it has none, is not newer, or looks to
 * the job as the one before. */
struct entry *entries_put_pod(struct entries *entries, struct json pod);
/* The pod is on its way out. */
void entries_mark_pod(struct entries *entries, struct str namespace, struct str name,
		      struct str uid);
/* The pod was deleted; `uid` may be none. Returns the entry of its job, or NULL. */
struct entry *entries_remove_pod(struct entries *entries, struct str namespace, struct str name,
				 struct str uid);

/* The pods of an entry that its present job controls; `to` has space for all. Returns their number. */
size_t entries_collect(const struct entry *entry, const struct job_pod **to);

#endif
