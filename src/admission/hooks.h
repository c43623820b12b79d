/* SPDX-License-Identifier: Apache-2.0 */
/* admission/hooks.h - the rules, one function a path, and the words that they share. */
#ifndef ADMISSION_HOOKS_H
#define ADMISSION_HOOKS_H

#include "admission/admission.h"
#include "base/buf.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"
#include "model/value/names.h"
#include "model/volcano/podgroup.h"
#include "model/volcano/vcjob.h"

admission_fn jobs_mutate, jobs_validate;
admission_fn podgroups_mutate, podgroups_validate;
admission_fn pods_mutate, pods_validate;
admission_fn queues_mutate, queues_validate;
admission_fn cronjobs_validate, hypernodes_validate, jobflows_validate;

/* jobs_validate() of an update (jobs_update.c). */
int jobs_validate_update(const struct admission_case *c, const struct vcjob *job);
/* The rules of a task's partitions, which hold at all times; false, and why, if they do not. */
bool hook_partition(const struct vcjob_task *task, struct str job, struct buf *to);

/* --- refusing; each returns -1 --------------------------------------------------------------- */

int hook_deny(const struct admission_case *c, const char *format, ...) PRINTF(2, 3);
int hook_deny_str(const struct admission_case *c, struct str message);
/* Everything at once, as an aggregate of errors: one as it is, several in brackets, none twice. */
int hook_deny_causes(const struct admission_case *c, const struct causes *causes);
/* `spec` is missing: 422, as a schema would say it. */
int hook_deny_no_spec(const struct admission_case *c);

/* --- reading --------------------------------------------------------------------------------- */

/* The object as a webhook written in Go reads it: refused in the decoder's words. */
int hook_check_types(const struct admission_case *c, const struct type *type);
/* The view of the object, or of the old one. */
int hook_decode(const struct admission_case *c, const struct type *type, struct json object,
		void *view);

/* --- what several kinds have ----------------------------------------------------------------- */

/* Both tiers given? */
bool hook_has_both_tiers(const struct network_topology *topology);
#define HOOK_BOTH_TIERS                                                \
	"must not specify 'highestTierAllowed' and 'highestTierName' " \
	"in networkTopology simultaneously"

/* A message in the words of the release that Volcano is built with: lengths are bytes there, where
 * the API server says characters. */
void hook_put_words(struct buf *to, const char *message);

/* What is wrong with a name, as Go prints a list: "[a b]"; false and nothing if it is right. */
bool hook_name_problems(enum name_format format, struct str name, struct buf *to);

/* `queue.scheduling.volcano.sh "q" not found` */
#define HOOK_QUEUE_NOT_FOUND "queue.scheduling.volcano.sh \"%.*s\" not found"

struct json hook_annotation(struct json object, const char *key);

#endif
