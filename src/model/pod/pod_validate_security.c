/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_security.c - the rules of security contexts, and of what each operating system
 * has of them. */
#include <ctype.h>
#include <string.h>

#include "model/pod/pod_rules.h"
#include "model/pod/security.h"

#include "base/banned.h"

enum {
	SYSCTL_MAX = 253,
	PROFILE_MAX = 4095,
	CREDENTIAL_KIB = 64,
	DOMAIN_MAX = 256,
	USER_MAX = 104
};

/* --- profiles -------------------------------------------------------------------------------- */

static void check_not_local(const struct rule_at *at)
{
	rule_invalid_go(&seccomp_profile_type, at->up->value, at->path, at->causes,
			"can only be set when seccomp type is Localhost");
}

static bool lacks_profile(const struct rule_at *at)
{
	return !rule_has(at->value, "localhostProfile");
}

static const struct rule seccomp_rows[] = {
	{"type", R_REQUIRED_AS("type is required when seccompProfile is set"),
	 R_TEXTS("Localhost", "RuntimeDefault", "Unconfined")},
	{"localhostProfile", R_UNLESS("type", "Localhost"), R_CHECK(check_not_local)},
	{"localhostProfile", R_IF("type", "Localhost"), R_WHEN(lacks_profile), R_ALWAYS,
	 R_LACKS("must be set when seccomp type is Localhost")},
	{"localhostProfile", R_IF("type", "Localhost"), R_CHECK(rule_local_in)},
};

static void check_local_app_armor(const struct rule_at *at)
{
	struct str local = json_str(at->value);

	if (!local.len || (str_trim(local).len == local.len && !str_trim(local).len)) {
		rule_required_as(at, NULL, "must be set when AppArmor type is Localhost");
		return;
	}
	if (str_trim(local).len != local.len)
		rule_invalid(at, NULL, "must not be padded with whitespace");
	if (local.len > PROFILE_MAX)
		causes_too_long(at->causes, at->path, PROFILE_MAX);
}

static bool needs_no_profile(const struct rule_at *at)
{
	struct str type = rule_text(at->value, "type");

	return str_is(type, "RuntimeDefault") || str_is(type, "Unconfined");
}

static const struct rule app_armor_rows[] = {
	{"type", R_REQUIRED_AS("type is required when appArmorProfile is set"),
	 R_TEXTS("Localhost", "RuntimeDefault", "Unconfined")},
	{"localhostProfile", R_IF("type", "Localhost"), R_ALWAYS, R_CHECK(check_local_app_armor)},
	{"localhostProfile", R_WHEN(needs_no_profile),
	 R_INVALID("can only be set when AppArmor type is Localhost")},
};

/* --- Windows --------------------------------------------------------------------------------- */

static bool has_any(struct str text, const char *of)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] && strchr(of, text.ptr[i]))
			return true;
	return false;
}

static bool has_only(struct str text, const char *of)
{
	for (size_t i = 0; i < text.len; i++)
		if (!text.ptr[i] || !strchr(of, text.ptr[i]))
			return false;
	return text.len > 0;
}

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (iscntrl((unsigned char)text.ptr[i]))
			return true;
	return false;
}

/* A NetBios name or a DNS name, in any case. */
static bool is_domain(struct str domain)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	if (domain.len && domain.len <= 15 && domain.ptr[0] != '.' &&
	    !has_any(domain, "\\/:*?\"<>|"))
		return true;
	for (size_t i = 0; i < domain.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)domain.ptr[i]));
	return name_is(NAME_DNS_SUBDOMAIN, buf_str(&lower));
}

static void check_windows_account(const struct rule_at *at, struct str name)
{
	ptrdiff_t slash = str_find_byte(name, '\\', 0);
	struct str domain = str_slice(name, 0, slash < 0 ? 0 : (size_t)slash);
	struct str user = str_skip(name, (size_t)(slash + 1));

	if (domain.len >= DOMAIN_MAX)
		rule_invalid(at, NULL, "runAsUserName's Domain length must be under %d characters",
			     DOMAIN_MAX);
	if (slash >= 0 && !is_domain(domain))
		rule_invalid(at, NULL,
			     "runAsUserName's Domain doesn't match the NetBios nor the DNS "
			     "format");
	if (!user.len)
		rule_invalid(at, NULL, "runAsUserName's User cannot be empty");
	else if (user.len > USER_MAX)
		rule_invalid(at, NULL,
			     "runAsUserName's User length must not be longer than %d characters",
			     USER_MAX);
	if (has_only(user, ". "))
		rule_invalid(at, NULL,
			     "runAsUserName's User cannot contain only periods or spaces");
	if (has_any(user, "\"/\\:;|=,+*?<>@[]"))
		rule_invalid(at, NULL,
			     "runAsUserName's User cannot contain the following characters: "
			     "\"/\\:;|=,+*?<>@[]");
}

static void check_credential(const struct rule_at *at)
{
	struct str credential = json_str(at->value);

	if (!credential.len)
		rule_invalid(at, NULL, "gmsaCredentialSpec cannot be an empty string");
	else if (credential.len > (size_t)CREDENTIAL_KIB * 1024)
		rule_invalid(at, NULL, "gmsaCredentialSpec size must be under %d KiB",
			     CREDENTIAL_KIB);
}

static void check_windows_user(const struct rule_at *at)
{
	struct str name = json_str(at->value);

	if (!name.len)
		rule_invalid(at, NULL, "runAsUserName cannot be an empty string");
	else if (has_control(name))
		rule_invalid(at, NULL, "runAsUserName cannot contain control characters");
	else if (str_find_byte(name, '\\', 0) != str_rfind_byte(name, '\\'))
		rule_invalid(at, NULL, "runAsUserName cannot contain more than one backslash");
	else
		check_windows_account(at, name);
}

static const struct rule windows_rows[] = {
	{"gmsaCredentialSpecName", R_FORMAT(DNS_SUBDOMAIN)},
	{"gmsaCredentialSpec", R_CHECK(check_credential)},
	{"runAsUserName", R_CHECK(check_windows_user)},
};

/* --- containers ------------------------------------------------------------------------------ */

static bool has_host_users(const struct rule_at *at)
{
	return pod_of(at)->host_users;
}

static void check_escalation(const struct rule_at *at)
{
	struct json allow = json_get(at->value, "allowPrivilegeEscalation");
	struct json_iter it = json_iter(json_get(json_get(at->value, "capabilities"), "add"));

	if (!json_is(allow, JSON_BOOL) || json_bool(allow))
		return;
	if (json_bool(json_get(at->value, "privileged")))
		rule_invalid_go(
			&security_context_type, at->value, at->path, at->causes,
			"cannot set `allowPrivilegeEscalation` to false and `privileged` to "
			"true");
	while (json_next(&it))
		if (str_is(json_str(it.value), "CAP_SYS_ADMIN"))
			rule_invalid_go(&security_context_type, at->value, at->path, at->causes,
					"cannot set `allowPrivilegeEscalation` to false and "
					"`capabilities.Add` CAP_SYS_ADMIN");
}

static const struct rule security_rows[] = {
	{"runAsUser", R_ID},
	{"runAsGroup", R_ID},
	{"procMount", R_TEXTS("Default", "Unmasked")},
	{"procMount", R_IF("procMount", "Unmasked"), R_WHEN(has_host_users),
	 R_INVALID("`hostUsers` must be false to use `Unmasked`")},
	{"seccompProfile", R_OBJECT(seccomp_rows)},
	{R_CHECK(check_escalation)},
	{"windowsOptions", R_OBJECT(windows_rows)},
	{"appArmorProfile", R_OBJECT(app_armor_rows)},
};
const struct rules pod_security_rules = RULES_OF(security_rows);

/* --- pods ------------------------------------------------------------------------------------ */

static bool is_sysctl_part(struct str part)
{
	for (size_t i = 0; i < part.len; i++) {
		char c = part.ptr[i];
		bool inner = i > 0 && i + 1 < part.len && (c == '-' || c == '_');

		if (!islower((unsigned char)c) && !isdigit((unsigned char)c) && !inner)
			return false;
	}
	return part.len > 0;
}

static bool is_sysctl(struct str name)
{
	struct str rest = name;
	struct str part;

	if (name.len > SYSCTL_MAX)
		return false;
	while (str_split(&rest, '.', &part)) {
		struct str inner;

		while (str_split(&part, '/', &inner))
			if (!is_sysctl_part(inner))
				return false;
	}
	return true;
}

/* Sysctls of a namespace that is the host's. */
static void check_host_sysctl(const struct rule_at *at)
{
	const struct rule_texts ipc = RULE_TEXTS("kernel.sem", "kernel.shmall", "kernel.shmmax",
						 "kernel.shmmni", "kernel.shm_rmid_forced");
	struct str name = json_str(at->value);
	bool is_ipc = rule_texts_have(ipc, name) || str_starts(name, STR("kernel.msg")) ||
		      str_starts(name, STR("fs.mqueue."));

	if (json_bool(json_get(pod_spec_of(at), "hostNetwork")) && str_starts(name, STR("net.")))
		rule_invalid(at, NULL, "may not be specified when 'hostNetwork' is true");
	else if (json_bool(json_get(pod_spec_of(at), "hostIPC")) && is_ipc)
		rule_invalid(at, NULL, "may not be specified when 'hostIPC' is true");
}

static void check_sysctl(const struct rule_at *at)
{
	struct str name = json_str(at->value);
	bool new = name_set_add(at->seen, name);

	if (!name.len)
		rule_required_as(at, NULL, "");
	else if (!is_sysctl(name))
		rule_invalid(at, NULL, "must have at most %d characters and match regex %s",
			     SYSCTL_MAX,
			     "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
			     "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
	else if (!new)
		rule_duplicate(at, NULL);
	check_host_sysctl(at);
}

/* A member of the spec, which upstream reports in the security context. */
static void check_shared_processes(const struct rule_at *at)
{
	struct json share = json_get(pod_spec_of(at), "shareProcessNamespace");

	if (json_bool(json_get(pod_spec_of(at), "hostPID")) && json_bool(share))
		causes_invalid(at->causes, at->path, share,
			       "ShareProcessNamespace and HostPID cannot both be enabled");
}

static const struct rule sysctl_rows[] = {
	{"name", R_ALWAYS, R_CHECK(check_sysctl)},
};
static const struct rule pod_rows[] = {
	{"fsGroup", R_ID},
	{"runAsUser", R_ID},
	{"runAsGroup", R_ID},
	{"supplementalGroups", R_EACH(R_ID)},
	{"shareProcessNamespace", R_ALWAYS, R_CHECK(check_shared_processes)},
	{"sysctls", R_EACH(R_OBJECT(sysctl_rows))},
	{"fsGroupChangePolicy", R_TEXTS("Always", "OnRootMismatch")},
	{"seccompProfile", R_OBJECT(seccomp_rows)},
	{"windowsOptions", R_OBJECT(windows_rows)},
	{"appArmorProfile", R_OBJECT(app_armor_rows)},
	{"supplementalGroupsPolicy", R_TEXTS("Merge", "Strict")},
	{"seLinuxChangePolicy", R_TEXTS("MountOption", "Recursive")},
};
const struct rules pod_pod_security_rules = RULES_OF(pod_rows);

/* --- host processes on Windows --------------------------------------------------------------- */

static struct opt_bool host_process(struct json owner)
{
	struct json context = json_get(owner, "securityContext");
	struct json process = json_get(json_get(context, "windowsOptions"), "hostProcess");

	return (struct opt_bool){json_is(process, JSON_BOOL), json_bool(process)};
}

static void count_process(const struct rule_at *at)
{
	struct pod_rules *r = pod_of(at);
	struct opt_bool pod = host_process(r->spec);
	struct opt_bool own = host_process(at->value);

	r->containers++;
	if (!pod.set && !own.set)
		return;
	if (pod.set && own.set && own.value != pod.value)
		rule_add(at, "securityContext.windowsOptions.hostProcess", CAUSE_INVALID,
			 "Invalid value: %s: pod hostProcess value must be identical if both are "
			 "specified, was %s",
			 own.value ? "true" : "false", pod.value ? "true" : "false");
	r->host_processes += own.set ? own.value : pod.value;
}

static void check_processes(const struct rule_at *at)
{
	struct pod_rules *r = pod_of(at);

	if (!r->host_processes)
		return;
	if (r->host_processes != r->containers)
		rule_invalid_str(at, NULL, STR(""),
				 "If pod contains any hostProcess containers then all containers "
				 "must be HostProcess containers");
	if (!json_bool(json_get(at->value, "hostNetwork")))
		rule_add(at, "hostNetwork", CAUSE_INVALID,
			 "Invalid value: false: hostNetwork must be true if pod contains any "
			 "hostProcess containers");
}

static const struct rule count_rows[] = {
	{R_CHECK(count_process)},
};
static const struct rule process_rows[] = {
	POD_EACH_CONTAINER(count_rows),
	{R_CHECK(check_processes)},
};
const struct rules pod_process_rules = RULES_OF(process_rows);

/* --- operating systems ----------------------------------------------------------------------- */

#define NOT_ON_WINDOWS R_FORBIDDEN("cannot be set for a windows pod")
#define NOT_ON_LINUX R_FORBIDDEN("windows options cannot be set for a linux pod")

static const struct rule linux_security_rows[] = {
	{"windowsOptions", NOT_ON_LINUX},
};
static const struct rule linux_container_rows[] = {
	{"securityContext", R_OBJECT(linux_security_rows)},
};
static const struct rule linux_rows[] = {
	{"securityContext", R_OBJECT(linux_security_rows)},
	POD_EACH_CONTAINER(linux_container_rows),
};

static const struct rule windows_security_rows[] = {
	{"appArmorProfile", NOT_ON_WINDOWS},
	{"seLinuxOptions", NOT_ON_WINDOWS},
	{"seccompProfile", NOT_ON_WINDOWS},
	{"capabilities", NOT_ON_WINDOWS},
	{"readOnlyRootFilesystem", NOT_ON_WINDOWS},
	{"privileged", NOT_ON_WINDOWS},
	{"allowPrivilegeEscalation", NOT_ON_WINDOWS},
	{"procMount", NOT_ON_WINDOWS},
	{"runAsUser", NOT_ON_WINDOWS},
	{"runAsGroup", NOT_ON_WINDOWS},
};
static const struct rule windows_container_rows[] = {
	{"securityContext", R_OBJECT(windows_security_rows)},
};
/* Upstream's order goes to and fro between the security context and the spec. */
static const struct rule windows_first_rows[] = {
	{"appArmorProfile", NOT_ON_WINDOWS},
	{"seLinuxOptions", NOT_ON_WINDOWS},
};
static const struct rule windows_second_rows[] = {
	{"seccompProfile", NOT_ON_WINDOWS},
	{"fsGroup", NOT_ON_WINDOWS},
	{"fsGroupChangePolicy", NOT_ON_WINDOWS},
	{"sysctls", NOT_ON_WINDOWS},
};
static const struct rule windows_third_rows[] = {
	{"runAsUser", NOT_ON_WINDOWS},           {"runAsGroup", NOT_ON_WINDOWS},
	{"supplementalGroups", NOT_ON_WINDOWS},  {"supplementalGroupsPolicy", NOT_ON_WINDOWS},
	{"seLinuxChangePolicy", NOT_ON_WINDOWS},
};
static const struct rule windows_pod_rows[] = {
	{"securityContext", R_OBJECT(windows_first_rows)},
	{"hostUsers", NOT_ON_WINDOWS},
	{"hostPID", NOT_ON_WINDOWS},
	{"hostIPC", NOT_ON_WINDOWS},
	{"securityContext", R_OBJECT(windows_second_rows)},
	{"shareProcessNamespace", NOT_ON_WINDOWS},
	{"securityContext", R_OBJECT(windows_third_rows)},
	POD_EACH_CONTAINER(windows_container_rows),
};

/* Upstream reports an unknown one about the object. */
static void check_os_name(const struct rule_at *at)
{
	const struct rule_texts known = RULE_TEXTS("linux", "windows");
	struct str name = rule_text(at->value, "name");

	if (!name.len)
		rule_required_as(at, "name", "");
	else if (!rule_texts_have(known, name))
		rule_not_supported(at, NULL, name, known);
}

/* What a system does not have is reported about the spec that holds the system's name. */
static void check_system(const struct rule_at *at)
{
	static const struct rules windows = RULES_OF(windows_pod_rows);
	static const struct rules others = RULES_OF(linux_rows);
	struct str name = rule_text(at->value, "name");

	if (str_is(name, "windows"))
		rules_check(&windows, at->up);
	else if (str_is(name, "linux"))
		rules_check(&others, at->up);
}

static const struct rule os_rows[] = {
	{"os", R_CHECK(check_os_name)},
	{"os", R_CHECK(check_system)},
};
const struct rules pod_os_rules = RULES_OF(os_rows);
