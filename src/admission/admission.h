/* SPDX-License-Identifier: Apache-2.0 */
/* admission/admission.h - defaults and rules of Volcano's kinds, the same as in upstream's
 * webhooks.
 *
 * A review is data: an operation and its object. Rules that need other objects get them through
 * `struct admission_world`; nothing here reads a clock, a file or the network. Each path of
 * upstream's webhook manager ("/jobs/mutate") is one file and one row. The embedded server runs all
 * rows that concern a write:
 *
 *	admission_change(&admission, &review, doc, &refusal)	after CRD defaults, before the schema
 *	admission_check(&admission, &review, &refusal)		after the schema
 *
 * and a webhook over HTTPS runs one of them by its path.
 *
 * Texts are exactly those of upstream, because people and programs search for them;
 * docs/compatibility.md lists the few differences. */
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
	struct json object; /* absent for a deletion */
	struct json old;    /* absent for a creation */
	struct arena *arena;
};

/* How rules read other objects. Objects are valid until the review ends. */
typedef void admission_queue_fn(void *arg, struct json queue);
struct admission_world {
	void *arg;
	/* Absent if there is none. */
	struct json (*queue)(void *arg, struct str name);
	struct json (*namespace)(void *arg, struct str name);
	struct json (*priority_class)(void *arg, struct str name);
	/* Calls for each queue whose spec.parent is this, by name; for str_none(), for every queue.
	 */
	void (*each_queue)(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg);
	/* Does tzdata have this time zone? */
	bool (*has_time_zone)(void *arg, struct str name);
};

/* Resource groups set where their pods may run (the file of --admission-conf). */
struct admission_groups;

struct admission_config {
	struct strs
		scheduler_names; /* names of our scheduler; the first one is the default of jobs */
	struct strs enabled;     /* enabled paths; empty: all */
	int32_t max_queue_depth;
	bool check_allocated_pods;       /* a queue with allocated pods cannot be deleted */
	bool protect_root;               /* the resources of queue root cannot be changed */
	bool queue_gates;                /* SchedulingGatesQueueAdmission */
	struct admission_groups *groups; /* NULL: no configuration */
};
/* The defaults of upstream's flags, with every path enabled. */
#define ADMISSION_CONFIG_INIT                              \
	{                                                  \
		.max_queue_depth = 5, .protect_root = true \
	}

struct admission_setup {
	struct admission_config config;
	struct admission_world world;
};

/* Why a review was rejected. */
struct admission_refusal {
	enum err_code code;  /* ERR_DENIED, ERR_INVALID */
	const char *webhook; /* the webhook that rejects: "validatejob.volcano.sh" */
	struct str message;  /* the webhook's message; allocated in the review's arena */
};

/* Run the rules that apply to the review: the first sets defaults in place, the second checks. 0,
 * or -1 and a rejection. */
int admission_change(const struct admission_setup *admission, const struct admission_review *review,
		     struct json_doc *doc, struct admission_refusal *ret) MUST_CHECK;
int admission_check(const struct admission_setup *admission, const struct admission_review *review,
		    struct admission_refusal *ret) MUST_CHECK;

/* The message as kube-apiserver reports it: `admission webhook "x" denied the request: ...`; in the
 * arena. */
struct str admission_message(const struct admission_refusal *refusal, struct arena *arena);

/* --- one path at a time ---------------------------------------------------------------------- */

/* The arguments of a rule. */
struct admission_case {
	const struct admission_setup *admission;
	const struct admission_review *review;
	struct arena *arena;
	struct json_doc *doc; /* the document of the object, to change it; NULL in checks */
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

/* Reads the configuration, the YAML file of --admission-conf. ERR_BAD_REQUEST names the field. */
struct admission_groups *admission_groups_parse(struct str text, struct err *err) MUST_CHECK;
void admission_groups_free(struct admission_groups *groups);
DEFINE_AUTO(struct admission_groups *, admission_groups_free);

#endif
