/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/jobtemplate.c - the tables of JobTemplate. Its spec is a JobSpec without a wrapper. */
#include "model/volcano/jobtemplate.h"

#include "model/volcano/vcjob.h"

#include "base/banned.h"

#define FLOW .group = "sh.volcano.flow"

#define VIEW struct jobtemplate_status
static const struct field jobtemplate_status_fields[] = {
	{"jobDependsOnList", F_LIST(F_STR), AT(job_depends_on_list), F_DOC("jobs made from it")},
};
#undef VIEW
static const struct type jobtemplate_status_type = {
	TYPE("JobTemplateStatus", "v1alpha1", struct jobtemplate_status, jobtemplate_status_fields),
	FLOW,
};

#define VIEW struct jobtemplate
static const struct field jobtemplate_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(vcjob_spec), AT(spec)},
	{"status", F_OBJECT(jobtemplate_status), AT(status)},
};
#undef VIEW
const struct type jobtemplate_type = {
	TYPE("JobTemplate", "v1alpha1", struct jobtemplate, jobtemplate_fields),
	FLOW,
	.doc = "what a flow makes jobs from",
};
