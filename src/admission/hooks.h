/* SPDX-License-Identifier: Apache-2.0 */
/* admission/hooks.h - the rules, one function per path, and the texts that they share. */
#ifndef ADMISSION_HOOKS_H
#define ADMISSION_HOOKS_H

#include "admission/admission.h"
#include "base/buf.h"
#include "base/macro.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"
#include "model/value/names.h"
#include "model/volcano/podgroup.h"
#include "model/volcano/vcjob.h"

/* All rules, in the order in which they run: resource, verb, webhook, group, operations. The path is
 * "/<resource>/<verb>". A row is for the object itself, never for a sub-resource, as in upstream's webhook
 * configurations. To add one: its file with a function <resource>_<verb>(), and its row here. */
#define ADMISSION_HOOKS(row) \
	ROWS( \
	row(jobs, mutate, "mutatejob.volcano.sh", HOOK_BATCH, HOOK_CREATE) \
	row(podgroups, mutate, "mutatepodgroup.volcano.sh", HOOK_SCHEDULING, HOOK_CREATE) \
	row(pods, mutate, "mutatepod.volcano.sh", "", HOOK_CREATE) \
	row(queues, mutate, "mutatequeue.volcano.sh", HOOK_SCHEDULING, HOOK_CREATE) \
	row(jobs, validate, "validatejob.volcano.sh", HOOK_BATCH, HOOK_WRITE) \
	row(podgroups, validate, "validatepodgroup.volcano.sh", HOOK_SCHEDULING, HOOK_CREATE) \
	row(pods, validate, "validatepod.volcano.sh", "", HOOK_CREATE) \
	row(queues, validate, "validatequeue.volcano.sh", HOOK_SCHEDULING, HOOK_WRITE | HOOK_DELETE) \
	row(hypernodes, validate, "validatehypernodes.volcano.sh", HOOK_TOPOLOGY, HOOK_WRITE) \
	row(cronjobs, validate, "validatecronjob.volcano.sh", HOOK_BATCH, HOOK_WRITE) \
	row(jobflows, validate, "validatejobflow.volcano.sh", HOOK_FLOW, HOOK_WRITE))

#define HOOK_BATCH "batch.volcano.sh"
#define HOOK_SCHEDULING "scheduling.volcano.sh"
#define HOOK_TOPOLOGY "topology.volcano.sh"
#define HOOK_FLOW "flow.volcano.sh"
enum {
	HOOK_CREATE = ADMISSION_CREATE,
	HOOK_WRITE = ADMISSION_CREATE | ADMISSION_UPDATE,
	HOOK_DELETE = ADMISSION_DELETE,
};

#define HOOK_DECLARE(resource, verb, webhook, group, operations) admission_fn resource##_##verb;
ADMISSION_HOOKS(HOOK_DECLARE)
#undef HOOK_DECLARE

/* jobs_validate() of an update (jobs_update.c). */
int jobs_validate_update(const struct admission_case *c, const struct vcjob *job);
/* Checks a task's partitions, for creations and updates; false and the reason if they are wrong. */
bool hook_partition(const struct vcjob_task *task, struct str job, struct buf *to);

/* --- rejecting; each returns -1 -------------------------------------------------------------- */

int hook_deny(const struct admission_case *c, const char *format, ...) PRINTF(2, 3);
int hook_deny_str(const struct admission_case *c, struct str message);
/* Reports all errors as one aggregate: a single one as it is, several in brackets, without
 * duplicates. */
int hook_deny_causes(const struct admission_case *c, const struct causes *causes);
/* `spec` is missing: 422, with the message of a schema. */
int hook_deny_no_spec(const struct admission_case *c);

/* --- reading --------------------------------------------------------------------------------- */

/* Decodes the object as a webhook written in Go does; an error has the decoder's message. */
int hook_check_types(const struct admission_case *c, const struct type *type);
/* The decoded object, or the old one. */
int hook_decode(const struct admission_case *c, const struct type *type, struct json object,
		void *view);

/* --- common checks --------------------------------------------------------------------------- */

/* Are both tiers given? */
bool hook_has_both_tiers(const struct network_topology *topology);
#define HOOK_BOTH_TIERS                                                \
	"must not specify 'highestTierAllowed' and 'highestTierName' " \
	"in networkTopology simultaneously"

/* A message of the Kubernetes release that Volcano is built with: it counts lengths in bytes, the
 * API server in characters. */
void hook_put_words(struct buf *to, const char *message);

/* Prints the errors of a name as Go prints a list: "[a b]"; false if the name is valid. */
bool hook_name_problems(enum name_format format, struct str name, struct buf *to);

/* `queue.scheduling.volcano.sh "q" not found` */
#define HOOK_QUEUE_NOT_FOUND "queue.scheduling.volcano.sh \"%.*s\" not found"

struct json hook_annotation(struct json object, const char *key);

#endif
