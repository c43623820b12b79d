/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/batchjob_internal.h - the parts of the rules of a Kubernetes Job. */
#ifndef MODEL_BATCHJOB_INTERNAL_H
#define MODEL_BATCHJOB_INTERNAL_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"

struct causes;
struct path;

extern const struct type batch_success_policy_type;
extern const struct type batch_uncounted_pods_type;

/* podFailurePolicy, successPolicy and podReplacementPolicy of a job's spec. */
void batch_job_validate_policies(struct json spec, const struct path *path, struct causes *causes);

/* A stretch of a list of indexes, as "1,3-5" has two. */
struct batch_indexes {
	int64_t first;
	int64_t last;
};
/* Removes and returns the first number of a list that is not empty. */
int batch_indexes_next(struct str *rest, int64_t completions, struct batch_indexes *ret,
		       struct err *err) MUST_CHECK;
/* How many indexes are in a list, which must ascend and stay below `completions`. */
int batch_indexes_count(struct str text, int64_t completions, int64_t *ret,
			struct err *err) MUST_CHECK;

#endif
