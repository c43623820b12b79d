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

static void check_seccomp(struct pod_rules *r, struct json profile, const struct path *path)
{
	const struct rule_texts types = RULE_TEXTS("Localhost", "RuntimeDefault", "Unconfined");
	struct rule_at at = pod_rule_at(r, profile, path);
	struct str type = rule_text(profile, "type");
	bool local = rule_has(profile, "localhostProfile");
	PATH(type_path, path, "type");
	PATH(local_path, path, "localhostProfile");

	if (!json_is(profile, JSON_OBJ))
		return;
	if (!type.len)
		causes_required(r->causes, &type_path,
				"type is required when seccompProfile is set");
	else
		rule_text_of(&at, "type", types);
	if (!str_is(type, "Localhost")) {
		if (local)
			rule_invalid_go(&seccomp_profile_type, profile, &local_path, r->causes,
					"can only be set when seccomp type is Localhost");
	} else if (!local) {
		causes_required(r->causes, &local_path,
				"must be set when seccomp type is Localhost");
	} else {
		rule_local(rule_text(profile, "localhostProfile"), &local_path, r->causes);
	}
}

static void check_local_app_armor(struct pod_rules *r, struct json profile, const struct path *path)
{
	struct str local = rule_text(profile, "localhostProfile");

	if (!local.len || (str_trim(local).len == local.len && !str_trim(local).len)) {
		causes_required(r->causes, path, "must be set when AppArmor type is Localhost");
		return;
	}
	if (str_trim(local).len != local.len)
		causes_invalid_str(r->causes, path, local, "must not be padded with whitespace");
	if (local.len > PROFILE_MAX)
		causes_too_long(r->causes, path, PROFILE_MAX);
}

static void check_app_armor(struct pod_rules *r, struct json profile, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, profile, path);
	struct str type = rule_text(profile, "type");
	PATH(type_path, path, "type");
	PATH(local_path, path, "localhostProfile");

	if (!json_is(profile, JSON_OBJ))
		return;
	if (!type.len)
		causes_required(r->causes, &type_path,
				"type is required when appArmorProfile is set");
	else if (str_is(type, "Localhost"))
		check_local_app_armor(r, profile, &local_path);
	else if (!str_is(type, "RuntimeDefault") && !str_is(type, "Unconfined"))
		rule_text_of(&at, "type", RULE_TEXTS("Localhost", "RuntimeDefault", "Unconfined"));
	else if (rule_has(profile, "localhostProfile"))
		causes_invalid_str(r->causes, &local_path, rule_text(profile, "localhostProfile"),
				   "can only be set when AppArmor type is Localhost");
}

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

static void check_windows_user(struct pod_rules *r, struct str name, const struct path *path)
{
	ptrdiff_t slash = str_find_byte(name, '\\', 0);
	struct str domain = str_slice(name, 0, slash < 0 ? 0 : (size_t)slash);
	struct str user = str_skip(name, (size_t)(slash + 1));

	if (domain.len >= DOMAIN_MAX)
		causes_invalid_str(r->causes, path, name,
				   "runAsUserName's Domain length must be under %d characters",
				   DOMAIN_MAX);
	if (slash >= 0 && !is_domain(domain))
		causes_invalid_str(r->causes, path, name,
				   "runAsUserName's Domain doesn't match the NetBios nor the DNS "
				   "format");
	if (!user.len)
		causes_invalid_str(r->causes, path, name, "runAsUserName's User cannot be empty");
	else if (user.len > USER_MAX)
		causes_invalid_str(
			r->causes, path, name,
			"runAsUserName's User length must not be longer than %d characters",
			USER_MAX);
	if (has_only(user, ". "))
		causes_invalid_str(r->causes, path, name,
				   "runAsUserName's User cannot contain only periods or spaces");
	if (has_any(user, "\"/\\:;|=,+*?<>@[]"))
		causes_invalid_str(r->causes, path, name,
				   "runAsUserName's User cannot contain the following characters: "
				   "\"/\\:;|=,+*?<>@[]");
}

static void check_windows(struct pod_rules *r, struct json options, const struct path *path)
{
	struct str name = rule_text(options, "runAsUserName");
	struct str credential = rule_text(options, "gmsaCredentialSpec");
	PATH(credential_name, path, "gmsaCredentialSpecName");
	PATH(credential_path, path, "gmsaCredentialSpec");
	PATH(user, path, "runAsUserName");

	if (rule_has(options, "gmsaCredentialSpecName"))
		name_validate(NAME_DNS_SUBDOMAIN, rule_text(options, "gmsaCredentialSpecName"),
			      &credential_name, r->causes);
	if (rule_has(options, "gmsaCredentialSpec") && !credential.len)
		causes_invalid_str(r->causes, &credential_path, credential,
				   "gmsaCredentialSpec cannot be an empty string");
	else if (credential.len > (size_t)CREDENTIAL_KIB * 1024)
		causes_invalid_str(r->causes, &credential_path, credential,
				   "gmsaCredentialSpec size must be under %d KiB", CREDENTIAL_KIB);
	if (!rule_has(options, "runAsUserName"))
		return;
	if (!name.len)
		causes_invalid_str(r->causes, &user, name,
				   "runAsUserName cannot be an empty string");
	else if (has_control(name))
		causes_invalid_str(r->causes, &user, name,
				   "runAsUserName cannot contain control characters");
	else if (str_find_byte(name, '\\', 0) != str_rfind_byte(name, '\\'))
		causes_invalid_str(r->causes, &user, name,
				   "runAsUserName cannot contain more than one backslash");
	else
		check_windows_user(r, name, &user);
}

/* --- containers ------------------------------------------------------------------------------ */

static void check_escalation(struct pod_rules *r, struct json context, const struct path *path)
{
	struct json allow = json_get(context, "allowPrivilegeEscalation");
	struct json_iter it = json_iter(json_get(json_get(context, "capabilities"), "add"));

	if (!json_is(allow, JSON_BOOL) || json_bool(allow))
		return;
	if (json_bool(json_get(context, "privileged")))
		rule_invalid_go(
			&security_context_type, context, path, r->causes,
			"cannot set `allowPrivilegeEscalation` to false and `privileged` to "
			"true");
	while (json_next(&it))
		if (str_is(json_str(it.value), "CAP_SYS_ADMIN"))
			rule_invalid_go(&security_context_type, context, path, r->causes,
					"cannot set `allowPrivilegeEscalation` to false and "
					"`capabilities.Add` CAP_SYS_ADMIN");
}

void pod_rules_security(struct pod_rules *r, struct json context, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, context, path);
	PATH(proc, path, "procMount");
	PATH(seccomp, path, "seccompProfile");
	PATH(windows, path, "windowsOptions");
	PATH(app_armor, path, "appArmorProfile");

	if (!json_is(context, JSON_OBJ))
		return;
	rule_id(&at, "runAsUser");
	rule_id(&at, "runAsGroup");
	rule_text_of(&at, "procMount", RULE_TEXTS("Default", "Unmasked"));
	if (r->host_users && str_is(rule_text(context, "procMount"), "Unmasked"))
		causes_invalid_str(r->causes, &proc, STR("Unmasked"),
				   "`hostUsers` must be false to use `Unmasked`");
	check_seccomp(r, json_get(context, "seccompProfile"), &seccomp);
	check_escalation(r, context, path);
	check_windows(r, json_get(context, "windowsOptions"), &windows);
	check_app_armor(r, json_get(context, "appArmorProfile"), &app_armor);
}

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
static void check_host_sysctl(struct pod_rules *r, struct str name, const struct path *path)
{
	const struct rule_texts ipc = RULE_TEXTS("kernel.sem", "kernel.shmall", "kernel.shmmax",
						 "kernel.shmmni", "kernel.shm_rmid_forced");
	bool is_ipc = rule_texts_have(ipc, name) || str_starts(name, STR("kernel.msg")) ||
		      str_starts(name, STR("fs.mqueue."));

	if (json_bool(json_get(r->spec, "hostNetwork")) && str_starts(name, STR("net.")))
		causes_invalid_str(r->causes, path, name,
				   "may not be specified when 'hostNetwork' is true");
	else if (json_bool(json_get(r->spec, "hostIPC")) && is_ipc)
		causes_invalid_str(r->causes, path, name,
				   "may not be specified when 'hostIPC' is true");
}

static void check_sysctls(struct pod_rules *r, struct json sysctls, const struct path *path)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(sysctls);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str name = rule_text(it.value, "name");
		PATH(name_path, &at, "name");

		if (!name.len)
			causes_required(r->causes, &name_path, "");
		else if (!is_sysctl(name))
			causes_invalid_str(r->causes, &name_path, name,
					   "must have at most %d characters and match regex %s",
					   SYSCTL_MAX,
					   "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
					   "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
		else if (name_set_has(&names, name))
			causes_duplicate_str(r->causes, &name_path, name);
		check_host_sysctl(r, name, &name_path);
		name_set_add(&names, name);
	}
}

void pod_rules_pod_security(struct pod_rules *r, struct json context, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, context, path);
	struct json_iter it = json_iter(json_get(context, "supplementalGroups"));
	PATH(groups, path, "supplementalGroups");
	PATH(share, path, "shareProcessNamespace");
	PATH(sysctls, path, "sysctls");
	PATH(seccomp, path, "seccompProfile");
	PATH(windows, path, "windowsOptions");
	PATH(app_armor, path, "appArmorProfile");

	if (!json_is(context, JSON_OBJ))
		return;
	rule_id(&at, "fsGroup");
	rule_id(&at, "runAsUser");
	rule_id(&at, "runAsGroup");
	while (json_next(&it)) {
		struct path group = path_index(&groups, it.index);
		int64_t id = json_int(it.value);

		if (id < 0 || id > INT32_MAX)
			causes_invalid_int(r->causes, &group, id,
					   "must be between 0 and %d, inclusive", INT32_MAX);
	}
	if (json_bool(json_get(r->spec, "hostPID")) &&
	    json_bool(json_get(r->spec, "shareProcessNamespace")))
		causes_invalid(r->causes, &share, json_get(r->spec, "shareProcessNamespace"),
			       "ShareProcessNamespace and HostPID cannot both be enabled");
	check_sysctls(r, json_get(context, "sysctls"), &sysctls);
	rule_text_of(&at, "fsGroupChangePolicy", RULE_TEXTS("Always", "OnRootMismatch"));
	check_seccomp(r, json_get(context, "seccompProfile"), &seccomp);
	check_windows(r, json_get(context, "windowsOptions"), &windows);
	check_app_armor(r, json_get(context, "appArmorProfile"), &app_armor);
	rule_text_of(&at, "supplementalGroupsPolicy", RULE_TEXTS("Merge", "Strict"));
	rule_text_of(&at, "seLinuxChangePolicy", RULE_TEXTS("MountOption", "Recursive"));
}

/* --- host processes on Windows --------------------------------------------------------------- */

struct processes {
	struct opt_bool pod; /* the pod's setting */
	size_t containers;
	size_t host;
};

static struct opt_bool host_process(struct json owner)
{
	struct json context = json_get(owner, "securityContext");
	struct json process = json_get(json_get(context, "windowsOptions"), "hostProcess");

	return (struct opt_bool){json_is(process, JSON_BOOL), json_bool(process)};
}

static void count_process(struct pod_rules *r, struct json container, const struct path *path,
			  void *arg)
{
	struct processes *count = arg;
	struct opt_bool own = host_process(container);
	PATH(security, path, "securityContext");
	PATH(windows, &security, "windowsOptions");
	PATH(process, &windows, "hostProcess");

	count->containers++;
	if (count->pod.set && own.set && own.value != count->pod.value)
		causes_add(r->causes, CAUSE_INVALID, &process,
			   "Invalid value: %s: pod hostProcess value must be identical if both are "
			   "specified, was %s",
			   own.value ? "true" : "false", count->pod.value ? "true" : "false");
	count->host += own.set ? own.value : count->pod.value;
}

void pod_rules_windows_processes(struct pod_rules *r, const struct path *spec)
{
	struct processes count = {.pod = host_process(r->spec)};
	PATH(network, spec, "hostNetwork");

	pod_rules_each(r, spec, count_process, &count);
	if (!count.host)
		return;
	if (count.host != count.containers)
		causes_invalid_str(r->causes, spec, STR(""),
				   "If pod contains any hostProcess containers then all containers "
				   "must be HostProcess containers");
	if (!json_bool(json_get(r->spec, "hostNetwork")))
		causes_add(r->causes, CAUSE_INVALID, &network,
			   "Invalid value: false: hostNetwork must be true if pod contains any "
			   "hostProcess containers");
}

/* --- operating systems ----------------------------------------------------------------------- */

/* None of these members. */
static void forbid_all(struct pod_rules *r, struct json object, const struct path *path,
		       struct rule_texts members, const char *why)
{
	struct rule_at at = pod_rule_at(r, object, path);

	for (size_t i = 0; i < members.len; i++)
		rule_forbid(&at, members.ptr[i], why);
}

static const char not_on_windows[] = "cannot be set for a windows pod";
static const char not_on_linux[] = "windows options cannot be set for a linux pod";

static void check_linux_container(struct pod_rules *r, struct json container,
				  const struct path *path, void *arg)
{
	PATH(security, path, "securityContext");

	(void)arg;
	forbid_all(r, json_get(container, "securityContext"), &security,
		   RULE_TEXTS("windowsOptions"), not_on_linux);
}

static void check_windows_container(struct pod_rules *r, struct json container,
				    const struct path *path, void *arg)
{
	const struct rule_texts members =
		RULE_TEXTS("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
			   "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation",
			   "procMount", "runAsUser", "runAsGroup");
	PATH(security, path, "securityContext");

	(void)arg;
	forbid_all(r, json_get(container, "securityContext"), &security, members, not_on_windows);
}

static void check_windows_pod(struct pod_rules *r, const struct path *spec)
{
	/* upstream's order goes to and fro between the security context and the spec */
	static const struct {
		const char *key;
		bool in_spec;
	} members[] = {
		{"appArmorProfile", false},
		{"seLinuxOptions", false},
		{"hostUsers", true},
		{"hostPID", true},
		{"hostIPC", true},
		{"seccompProfile", false},
		{"fsGroup", false},
		{"fsGroupChangePolicy", false},
		{"sysctls", false},
		{"shareProcessNamespace", true},
		{"runAsUser", false},
		{"runAsGroup", false},
		{"supplementalGroups", false},
		{"supplementalGroupsPolicy", false},
		{"seLinuxChangePolicy", false},
	};
	PATH(security, spec, "securityContext");

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const struct rule_texts member = {&members[i].key, 1};

		if (members[i].in_spec)
			forbid_all(r, r->spec, spec, member, not_on_windows);
		else
			forbid_all(r, json_get(r->spec, "securityContext"), &security, member,
				   not_on_windows);
	}
	pod_rules_each(r, spec, check_windows_container, NULL);
}

void pod_rules_os(struct pod_rules *r, const struct path *spec)
{
	const struct rule_texts known = RULE_TEXTS("linux", "windows");
	struct json os = json_get(r->spec, "os");
	struct str name = rule_text(os, "name");
	PATH(path, spec, "os");
	PATH(name_path, &path, "name");
	PATH(security, spec, "securityContext");

	if (!json_is(os, JSON_OBJ))
		return;
	if (!name.len) {
		causes_required(r->causes, &name_path, "");
	} else if (!rule_texts_have(known, name)) {
		causes_not_supported(r->causes, &path, name, known.ptr, known.len);
	} else if (str_is(name, "windows")) {
		check_windows_pod(r, spec);
	} else {
		forbid_all(r, json_get(r->spec, "securityContext"), &security,
			   RULE_TEXTS("windowsOptions"), not_on_linux);
		pod_rules_each(r, spec, check_linux_container, NULL);
	}
}
