/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/security.h - what a pod's processes may do, and as whom they run. */
#ifndef MODEL_SECURITY_H
#define MODEL_SECURITY_H

#include <stdint.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct capabilities {
	struct strs add;
	struct strs drop;
};

/* Of a container; goes before the pod's. */
struct security_context {
	const struct capabilities *capabilities;
	struct opt_bool privileged;
	struct opt_int64 run_as_user;
	struct opt_int64 run_as_group;
	struct opt_bool run_as_non_root;
	struct opt_bool read_only_root;
	struct opt_bool allow_escalation;
};
extern const struct type security_context_type;

struct pod_security_context {
	struct opt_int64 run_as_user;
	struct opt_int64 run_as_group;
	struct opt_bool run_as_non_root;
	VIEW_LIST(int64_t) supplemental_groups;
	struct opt_int64 fs_group;
};
extern const struct type pod_security_context_type;
extern const struct type seccomp_profile_type;

#endif
