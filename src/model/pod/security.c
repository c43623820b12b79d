/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/security.c - tables of security contexts. */
#include "model/pod/security.h"

#include "base/banned.h"

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct capabilities
static const struct field capabilities_fields[] = {
	{"add", F_LIST(F_STR, F_GO("v1.Capability")), AT(add), F_LIST_ATOMIC},
	{"drop", F_LIST(F_STR, F_GO("v1.Capability")), AT(drop), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type capabilities_type = {
	TYPE("Capabilities", "v1", struct capabilities, capabilities_fields),
	CORE,
};

static const struct field se_linux_options_fields[] = {
	{"user", F_STR},
	{"role", F_STR},
	{"type", F_STR},
	{"level", F_STR},
};
static const struct type se_linux_options_type = {
	TYPE_KNOWN("SELinuxOptions", "v1", se_linux_options_fields),
	CORE,
};

static const struct field windows_options_fields[] = {
	{"gmsaCredentialSpecName", F_STR, F_POINTER},
	{"gmsaCredentialSpec", F_STR, F_POINTER},
	{"runAsUserName", F_STR, F_POINTER},
	{"hostProcess", F_BOOL, F_POINTER},
};
static const struct type windows_options_type = {
	TYPE_KNOWN("WindowsSecurityContextOptions", "v1", windows_options_fields),
	CORE,
};

static const struct field seccomp_profile_fields[] = {
	{"type", F_STR, F_GO("v1.SeccompProfileType"), F_REQUIRED},
	{"localhostProfile", F_STR, F_POINTER},
};
const struct type seccomp_profile_type = {
	TYPE_KNOWN("SeccompProfile", "v1", seccomp_profile_fields),
	CORE,
};

static const struct field app_armor_profile_fields[] = {
	{"type", F_STR, F_GO("v1.AppArmorProfileType"), F_REQUIRED},
	{"localhostProfile", F_STR, F_POINTER},
};
static const struct type app_armor_profile_type = {
	TYPE_KNOWN("AppArmorProfile", "v1", app_armor_profile_fields),
	CORE,
};

static const struct field sysctl_fields[] = {
	{"name", F_STR, F_REQUIRED},
	{"value", F_STR, F_REQUIRED},
};
static const struct type sysctl_type = {
	TYPE_KNOWN("Sysctl", "v1", sysctl_fields),
	CORE,
};

#define VIEW struct security_context
static const struct field security_context_fields[] = {
	{"capabilities", F_OBJECT(capabilities), AT(capabilities)},
	{"privileged", F_BOOL, AT(privileged), F_POINTER},
	{"seLinuxOptions", F_OBJECT(se_linux_options)},
	{"windowsOptions", F_OBJECT(windows_options)},
	{"runAsUser", F_INT64, AT(run_as_user), F_POINTER},
	{"runAsGroup", F_INT64, AT(run_as_group), F_POINTER},
	{"runAsNonRoot", F_BOOL, AT(run_as_non_root), F_POINTER},
	{"readOnlyRootFilesystem", F_BOOL, AT(read_only_root), F_POINTER},
	{"allowPrivilegeEscalation", F_BOOL, AT(allow_escalation), F_POINTER},
	{"procMount", F_STR, F_GO("v1.ProcMountType"), F_POINTER},
	{"seccompProfile", F_OBJECT(seccomp_profile)},
	{"appArmorProfile", F_OBJECT(app_armor_profile)},
};
#undef VIEW
const struct type security_context_type = {
	TYPE("SecurityContext", "v1", struct security_context, security_context_fields),
	CORE,
};

#define VIEW struct pod_security_context
static const struct field pod_security_context_fields[] = {
	{"seLinuxOptions", F_OBJECT(se_linux_options)},
	{"windowsOptions", F_OBJECT(windows_options)},
	{"runAsUser", F_INT64, AT(run_as_user), F_POINTER},
	{"runAsGroup", F_INT64, AT(run_as_group), F_POINTER},
	{"runAsNonRoot", F_BOOL, AT(run_as_non_root), F_POINTER},
	{"supplementalGroups", F_LIST(F_INT64), AT(supplemental_groups), F_LIST_ATOMIC},
	{"supplementalGroupsPolicy", F_STR, F_GO("v1.SupplementalGroupsPolicy"), F_POINTER},
	{"fsGroup", F_INT64, AT(fs_group), F_POINTER},
	{"sysctls", F_LIST(F_OBJECT(sysctl)), F_LIST_ATOMIC},
	{"fsGroupChangePolicy", F_STR, F_GO("v1.PodFSGroupChangePolicy"), F_POINTER},
	{"seccompProfile", F_OBJECT(seccomp_profile)},
	{"appArmorProfile", F_OBJECT(app_armor_profile)},
	{"seLinuxChangePolicy", F_STR, F_GO("v1.PodSELinuxChangePolicy"), F_POINTER},
};
#undef VIEW
const struct type pod_security_context_type = {
	TYPE("PodSecurityContext", "v1", struct pod_security_context, pod_security_context_fields),
	CORE,
};
