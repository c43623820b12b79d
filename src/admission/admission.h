/* SPDX-License-Identifier: Apache-2.0 */
/* admission/admission.h - defaults and rules of Volcano's kinds, as upstream's webhooks have them.
 *
 * A review is data: what is being done to which object. Rules that look at other objects ask a
 * world for them; nothing here reads a clock, a file or the network. Each path of upstream's
 * webhook manager ("/jobs/mutate") is one file and one row. The embedded server runs all rows that
 * concern a write:
 *
 *	admission_change(&admission, &review, doc, &refusal)	after CRD defaults, before the schema
 *	admission_check(&admission, &review, &refusal)		after the schema
 *
 * and a webhook over HTTPS runs one of them by its path.
 *
 * Texts are upstream's, by letter, since people and programs look for them; the few places where we
 * decide otherwise are in docs/compatibility.md. */
#ifndef ADMISSION_ADMISSION_H
#define ADMISSION_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/view.h"

enum admission_operation {
	ADMISSION_CREATE = 1 << 0,
	ADMISSION_UPDATE = 1 << 1,
	ADMISSION_DELETE = 1 << 2,
	ADMISSION_CONNECT = 1 << 3,
};

struct admission_review {
	enum admission_operation operation;
	struct str group;
	struct str version;
	struct str resource; /* the plural */
	struct str sub;      /* sub-resource; "" for the object itself */
	struct str namespace;
	struct str name;
	struct str user;
	bool dry_run;
	struct json object; /* absent for a removal */
	struct json old;    /* absent for a new one */
	struct arena *arena;
};

/* What rules ask about other objects. Objects are lent until the review is over. */
typedef void admission_queue_fn(void *arg, struct json queue);
struct admission_world {
	void *arg;
	/* Absent where there is none. */
	struct json (*queue)(void *arg, struct str name);
	struct json (*namespace)(void *arg, struct str name);
	struct json (*priority_class)(void *arg, struct str name);
	/* Each queue whose spec.parent is this, by name; each one there is for str_none(). */
	void (*each_queue)(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg);
	/* Does tzdata know it? */
	bool (*has_time_zone)(void *arg, struct str name);
};

/* Pods of a resource group get its place (the file of --admission-conf). */
struct admission_groups;

struct admission_config {
	struct strs scheduler_names; /* ours; the first is that of jobs that name none */
	struct strs enabled;         /* paths; none at all: every one */
	int32_t max_queue_depth;
	bool check_allocated_pods;       /* a queue with allocated pods is not removed */
	bool protect_root;               /* the resources of queue root stay as they are */
	bool queue_gates;                /* SchedulingGatesQueueAdmission */
	struct admission_groups *groups; /* NULL: no configuration */
};
/* As upstream's flags are by default, with every path on. */
#define ADMISSION_CONFIG_INIT                              \
	{                                                  \
		.max_queue_depth = 5, .protect_root = true \
	}

struct admission_setup {
	struct admission_config config;
	struct admission_world world;
};

/* Why not. */
struct admission_refusal {
	enum err_code code;  /* ERR_DENIED, ERR_INVALID */
	const char *webhook; /* who says so: "validatejob.volcano.sh" */
	struct str message;  /* in its own words; in the review's arena */
};

/* Run what concerns the review: fill in, in place; check. 0, or -1 and a refusal. */
int admission_change(const struct admission_setup *admission, const struct admission_review *review,
		     struct json_doc *doc, struct admission_refusal *ret) MUST_CHECK;
int admission_check(const struct admission_setup *admission, const struct admission_review *review,
		    struct admission_refusal *ret) MUST_CHECK;

/* As kube-apiserver tells of it: `admission webhook "x" denied the request: ...`; in the arena. */
struct str admission_tell(const struct admission_refusal *refusal, struct arena *arena);

/* --- one path at a time ---------------------------------------------------------------------- */

/* What a rule has at hand. */
struct admission_case {
	const struct admission_setup *admission;
	const struct admission_review *review;
	struct arena *arena;
	struct json_doc *doc; /* where the object may be changed; NULL in checks */
	struct admission_refusal *refusal;
};
typedef int admission_fn(const struct admission_case *c);

struct admission_hook {
	const char *path;    /* "/jobs/validate" */
	const char *webhook; /* "validatejob.volcano.sh" */
	const char *group;
	const char *resource;
	unsigned operations;
	admission_fn *mutate; /* one of the two */
	admission_fn *validate;
};
extern const struct admission_hook admission_hooks[];
extern const size_t admission_hook_count;

/* The row of a path, or NULL. */
const struct admission_hook *admission_find(struct str path);
bool admission_hook_concerns(const struct admission_hook *hook,
			     const struct admission_review *review);
int admission_run(const struct admission_hook *hook, const struct admission_setup *admission,
		  const struct admission_review *review, struct json_doc *doc,
		  struct admission_refusal *ret) MUST_CHECK;

/* --- resource groups ------------------------------------------------------------------------- */

/* Read the configuration, YAML as --admission-conf holds it. ERR_BAD_REQUEST names the field. */
struct admission_groups *admission_groups_parse(struct str text, struct err *err) MUST_CHECK;
void admission_groups_free(struct admission_groups *groups);
DEFINE_AUTO(struct admission_groups *, admission_groups_free);

#endif
