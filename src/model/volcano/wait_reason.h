/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/wait_reason.h - why a job waits: the annotation `scheduling.volcano.sh/reasons` of its PodGroup.
 *
 * The scheduler writes it and the command line reads it, both by the tables of wait_reason.c. It is a JSON list, the
 * reason that matters most first:
 *
 *	[{"cause": "ClusterFull",
 *	  "text": "waiting for GPUs: needs 3, 1 of 4 is free; `first` (alice) uses 3",
 *	  "advice": "Wait for `first` to end, or add a node with GPUs.",
 *	  "brief": "needs 3 GPUs, 1 of 4 free",
 *	  "since": "2026-01-02T03:04:05Z",
 *	  "resource": "nvidia.com/gpu", "needs": "3", "free": "1", "total": "4",
 *	  "holders": [{"job": "first", "namespace": "default", "user": "alice", "uses": "3"}]}]
 *
 * `text`, `advice` and `brief` are for people, and may change; the other members are for programs. `since` is when
 * the cause became one of the job's causes. Amounts are written as in manifests. */
#ifndef MODEL_WAIT_REASON_H
#define MODEL_WAIT_REASON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct arena;

#define WAIT_REASONS_ANNOTATION "scheduling.volcano.sh/reasons"
/* Of a Job and its PodGroup: who submitted it. It is information, and gives no rights. */
#define SUBMITTER_ANNOTATION "volcano.sh/submitted-by"

/* A job that uses what another one waits for. */
struct wait_holder {
	struct str job; /* as users know it: without the uid that names of PodGroups end in */
	struct str namespace;
	struct str user; /* empty: not known */
	struct str uses;
	bool reserved; /* it does not run yet: the amount is reserved for it */
};

/* Why so many nodes cannot take a pod. */
struct wait_count {
	struct str cause; /* "Insufficient", "Taint" */
	struct str text;
	int64_t nodes;
	struct str taint;
	struct str resource;
	struct str needs;
	struct str largest_free;
};

struct wait_reason {
	struct str cause;
	struct str text;
	struct str advice;
	struct str brief;
	struct str since;
	bool never;         /* it can never start as it is */
	struct str subject; /* the queue, quota or task that it is about */
	/* What it waits for; empty if it waits for no amount. */
	struct str resource;
	struct str needs; /* all of it at once */
	struct str free;
	struct str total; /* of the cluster, or what the queue or quota allows */
	struct str in_use;
	struct str reserved;
	VIEW_LIST(struct wait_holder) holders; /* the largest first */
	int64_t more_holders;
	int64_t nodes; /* that were looked at; 0: none were */
	struct str domain;
	VIEW_LIST(struct wait_count) counts; /* most nodes first */
};
extern const struct type wait_reason_type;

struct wait_reasons {
	struct wait_reason *ptr;
	size_t len;
	struct json_doc *doc; /* the texts lie in it */
};
/* What an annotation says; nothing if it is no such list. The lists are in the arena. */
struct wait_reasons wait_reasons_parse(struct str text, struct arena *arena);
/* Those of a PodGroup, or of nothing. */
struct wait_reasons wait_reasons_of(struct json group, struct arena *arena);
void wait_reasons_done(struct wait_reasons *reasons);
/* Appends one to a list of a document. */
void wait_reason_append(const struct wait_reason *reason, struct json_doc *doc, struct json list);

#endif
