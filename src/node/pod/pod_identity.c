/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_identity.c - securityContext; a container's fields replace those of its pod. */
#include "node/pod/pod_identity.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/number.h"
#include "model/value/quantity.h"
#include "node/machine/oom_score.h"

#include "base/banned.h"

enum {
	PASSWD_MAX = 16 * 1024 * 1024,
	MAP_MAX = 64 * 1024,
	MAX_PROCESSES = 32768,
	MAX_FILES = 1048576,
	ID_MAX = INT32_MAX,
	/* Numbers that neither distributions nor container engines nor systemd assign. */
	DEFAULT_FIRST = 0x70000000,
	DEFAULT_COUNT = 0x10000000,
	DEFAULT_SEED = 1,
	SYSTEM_LAST = 999, /* users and groups of the system are below; people come after them */
};

/* By number, as linux/capability.h has them. */
static const char *const capability_names[] = {
	"CHOWN",
	"DAC_OVERRIDE",
	"DAC_READ_SEARCH",
	"FOWNER",
	"FSETID",
	"KILL",
	"SETGID",
	"SETUID",
	"SETPCAP",
	"LINUX_IMMUTABLE",
	"NET_BIND_SERVICE",
	"NET_BROADCAST",
	"NET_ADMIN",
	"NET_RAW",
	"IPC_LOCK",
	"IPC_OWNER",
	"SYS_MODULE",
	"SYS_RAWIO",
	"SYS_CHROOT",
	"SYS_PTRACE",
	"SYS_PACCT",
	"SYS_ADMIN",
	"SYS_BOOT",
	"SYS_NICE",
	"SYS_RESOURCE",
	"SYS_TIME",
	"SYS_TTY_CONFIG",
	"MKNOD",
	"LEASE",
	"AUDIT_WRITE",
	"AUDIT_CONTROL",
	"SETFCAP",
	"MAC_OVERRIDE",
	"MAC_ADMIN",
	"SYSLOG",
	"WAKE_ALARM",
	"BLOCK_SUSPEND",
	"AUDIT_READ",
	"PERFMON",
	"BPF",
	"CHECKPOINT_RESTORE",
};

/* The default of runtimes without MKNOD: no list of devices protects the machine's disks from a pod. */
static const char *const usual_capabilities[] = {
	"CHOWN",      "DAC_OVERRIDE", "FSETID",      "FOWNER",  "NET_RAW",
	"SETGID",     "SETUID",       "SETFCAP",     "SETPCAP", "NET_BIND_SERVICE",
	"SYS_CHROOT", "KILL",         "AUDIT_WRITE",
};

int pod_identity_capability(struct str name)
{
	if (str_eq_nocase(str_slice(name, 0, 4), STR("CAP_")))
		name = str_skip(name, 4);
	for (size_t i = 0; i < ARRAY_LEN(capability_names); i++)
		if (str_eq_nocase(name, str_from(capability_names[i])))
			return (int)i;
	return -1;
}

const char *pod_identity_capability_name(int number)
{
	return number >= 0 && (size_t)number < ARRAY_LEN(capability_names)
		       ? capability_names[number]
		       : NULL;
}

/* --- capabilities --- */

/* The bit of a capability, or all bits for ALL. */
static int bit_of(struct str name, const char *field, size_t index, uint64_t *ret, struct err *err)
{
	int number = pod_identity_capability(name);

	if (str_eq_nocase(name, STR("ALL"))) {
		*ret = UINT64_MAX;
		return 0;
	}
	if (number < 0)
		return err_set(err, ERR_INVALID,
			       "securityContext.capabilities.%s[%zu]: unknown capability \"%.*s\"",
			       field, index, STR_ARG(name));
	*ret = UINT64_C(1) << number;
	return 0;
}

/* As with runtimes: ALL first, then `add`, then `drop`. */
static int capabilities_of(const struct security_context *context, bool privileged, uint64_t *ret,
			   struct err *err)
{
	const struct capabilities *list = context ? context->capabilities : NULL;
	uint64_t keep = 0, bit;
	bool dropped_all = false;

	for (size_t i = 0; i < ARRAY_LEN(usual_capabilities); i++)
		keep |= UINT64_C(1) << pod_identity_capability(str_from(usual_capabilities[i]));
	if (privileged)
		keep = UINT64_MAX;
	for (size_t i = 0; list && i < list->drop.len; i++)
		if (str_eq_nocase(list->drop.ptr[i], STR("ALL"))) {
			keep = 0;
			dropped_all = true;
		}
	for (size_t i = 0; list && i < list->add.len; i++) {
		if (bit_of(list->add.ptr[i], "add", i, &bit, err) < 0)
			return -1;
		keep |= bit;
	}
	for (size_t i = 0; list && i < list->drop.len; i++) {
		if (bit_of(list->drop.ptr[i], "drop", i, &bit, err) < 0)
			return -1;
		if (bit != UINT64_MAX || !dropped_all)
			keep &= ~bit;
	}
	*ret = keep;
	return 0;
}

/* Would these capabilities let a process see what is hidden from pods, or undo that? */
static bool asks_for_more(const struct security_context *context)
{
	const struct capabilities *list = context ? context->capabilities : NULL;

	for (size_t i = 0; list && i < list->add.len; i++) {
		bool usual = false;

		for (size_t k = 0; k < ARRAY_LEN(usual_capabilities); k++)
			usual = usual ||
				pod_identity_capability(list->add.ptr[i]) ==
					pod_identity_capability(str_from(usual_capabilities[k]));
		if (!usual)
			return true;
	}
	return false;
}

/* --- users and groups --- */

struct wanted {
	struct opt_int64 user, group;
	struct opt_bool non_root;
};

static struct wanted wanted_of(const struct pod_security_context *pod,
			       const struct security_context *own)
{
	struct wanted wanted = {0};

	if (pod) {
		wanted.user = pod->run_as_user;
		wanted.group = pod->run_as_group;
		wanted.non_root = pod->run_as_non_root;
	}
	if (own && own->run_as_user.set)
		wanted.user = own->run_as_user;
	if (own && own->run_as_group.set)
		wanted.group = own->run_as_group;
	if (own && own->run_as_non_root.set)
		wanted.non_root = own->run_as_non_root;
	return wanted;
}

int64_t pod_identity_default(const struct pod_identity_node *node, struct str namespace)
{
	uint64_t hash = hash_bytes(namespace.ptr, namespace.len, DEFAULT_SEED);

	if (node->uid != 0 || node->default_count <= 0)
		return 0;
	return node->default_first + (int64_t)(hash % (uint64_t)node->default_count);
}

/* One of three numbers in a line of the map, with spaces before it. */
static int64_t take_number(struct str *line)
{
	struct str word = str_none();
	int64_t number;

	while (line->len && !word.len && str_split(line, ' ', &word))
		continue;
	return number_parse_i64(word, &number, NULL) == 0 ? number : -1;
}

/* In the user namespace of a container engine there may be only 65536 users: then the upper half of them is used,
 * except the last ones, which belong to no one. */
void pod_identity_find_defaults(struct str map, struct pod_identity_node *ret)
{
	enum { FEW = 1024, NOBODYS = 1024 };
	struct str line;

	ret->default_first = ret->default_count = 0;
	while (str_split(&map, '\n', &line)) {
		int64_t first = take_number(&line);
		int64_t outside = take_number(&line);
		int64_t count = take_number(&line);

		if (first < 0 || outside < 0 || count < FEW)
			continue;
		if (first <= DEFAULT_FIRST && count - (DEFAULT_FIRST - first) >= DEFAULT_COUNT) {
			ret->default_first = DEFAULT_FIRST;
			ret->default_count = DEFAULT_COUNT;
			return;
		}
		if (count / 2 - NOBODYS > ret->default_count) {
			ret->default_first = first + count / 2;
			ret->default_count = count / 2 - NOBODYS;
		}
	}
}

/* Root that may not change users has no users to assign. */
static void find_defaults(struct pod_identity_node *node)
{
	AUTO(buf_done) struct buf map = BUF_INIT(MAP_MAX);
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	uint32_t needed = 1U << CAP_SETUID | 1U << CAP_SETGID;

	if (syscall(SYS_capget, &head, data) == 0 && (data[0].effective & needed) == needed &&
	    fd_read_file("/proc/self/uid_map", &map, NULL) == 0)
		pod_identity_find_defaults(buf_str(&map), node);
}

/* Finds a number in lines "name:x:NUMBER:...", the format of both files. */
static bool is_known(const char *file, int64_t id)
{
	AUTO(buf_done) struct buf text = BUF_INIT(PASSWD_MAX);
	struct str rest, line, field;
	int64_t number;

	if (!file || fd_read_file(file, &text, NULL) < 0)
		return false;
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		for (int i = 0; i < 3 && str_split(&line, ':', &field); i++)
			if (i == 2 && number_parse_i64(field, &number, NULL) == 0 && number == id)
				return true;
	return false;
}

/* Is it root, or a user or group that owns files and devices of the machine? The group "disk" may read all disks. */
static int check_system(int64_t id, const char *field, const struct pod_identity_node *node,
			bool group, struct err *err)
{
	bool root = id == 0 && (!group || !node->images);

	if (node->uid != 0 || node->allow_root)
		return 0;
	if (!root &&
	    (node->images || id > SYSTEM_LAST || !is_known(group ? node->groups : node->users, id)))
		return 0;
	return err_set(err, ERR_FORBIDDEN,
		       "securityContext.%s: %" PRId64 " is %s; only a node that was started with "
		       "--allow-root-pods permits that",
		       field, id,
		       root    ? "root"
		       : group ? "a group of the system"
			       : "a user of the system");
}

static int check_id(struct opt_int64 id, int64_t own, const char *field, bool root, struct err *err)
{
	if (!id.set)
		return 0;
	if (id.value < 0 || id.value > ID_MAX)
		return err_set(err, ERR_INVALID, "securityContext.%s: %" PRId64 " is not an id",
			       field, id.value);
	if (!root && id.value != own)
		return err_set(err, ERR_FORBIDDEN,
			       "securityContext.%s: %" PRId64 " needs a node that runs as root; "
			       "this one runs as %" PRId64,
			       field, id.value, own);
	return 0;
}

static int check_user(const struct wanted *wanted, const struct pod_identity_node *node,
		      const struct pod *pod, const struct container *container, struct err *err)
{
	bool root = node->uid == 0;

	if (wanted->non_root.value && wanted->user.set && wanted->user.value == 0)
		return err_set(err, ERR_INVALID,
			       "container's runAsUser breaks non-root policy "
			       "(pod: \"%.*s_%.*s(%.*s)\", container: %.*s)",
			       STR_ARG(pod->meta.name), STR_ARG(pod->meta.namespace),
			       STR_ARG(pod->meta.uid), STR_ARG(container->name));
	if (check_id(wanted->user, node->uid, "runAsUser", root, err) < 0 ||
	    check_id(wanted->group, node->gid, "runAsGroup", root, err) < 0)
		return -1;
	if (wanted->user.set && check_system(wanted->user.value, "runAsUser", node, false, err) < 0)
		return -1;
	return wanted->group.set ? check_system(wanted->group.value, "runAsGroup", node, true, err)
				 : 0;
}

static int add_groups(const struct pod_security_context *context,
		      const struct pod_identity_node *node, struct arena *arena,
		      struct plan_identity *ret, struct err *err)
{
	size_t len = 0;
	uint32_t *groups;

	if (!context)
		return 0;
	groups = arena_calloc(arena, context->supplemental_groups.len + 2, sizeof(*groups));
	if (check_id(context->fs_group, node->gid, "fsGroup", node->uid == 0, err) < 0 ||
	    (context->fs_group.set &&
	     check_system(context->fs_group.value, "fsGroup", node, true, err) < 0))
		return -1;
	if (context->fs_group.set && node->uid == 0)
		groups[len++] = (uint32_t)context->fs_group.value;
	for (size_t i = 0; i < context->supplemental_groups.len; i++) {
		struct opt_int64 group = {true, context->supplemental_groups.ptr[i]};

		if (check_id(group, node->gid, "supplementalGroups", node->uid == 0, err) < 0 ||
		    check_system(group.value, "supplementalGroups", node, true, err) < 0)
			return -1;
		if (node->uid == 0)
			groups[len++] = (uint32_t)group.value;
	}
	ret->groups = groups;
	ret->n_groups = len;
	return 0;
}

static int check_rest(const struct security_context *own, const struct pod_identity_node *node,
		      struct err *err)
{
	static const char root[] = "needs a node that runs as root";
	static const char allowed[] = "needs a node that was started with --allow-root-pods";
	const char *needs = node->uid != 0 ? root : allowed;

	if (!own || (node->uid == 0 && node->allow_root))
		return 0;
	if (own->privileged.value)
		return err_set(err, ERR_FORBIDDEN, "securityContext.privileged: %s", needs);
	if (asks_for_more(own))
		return err_set(err, ERR_FORBIDDEN, "securityContext.capabilities.add: %s", needs);
	return 0;
}

/* The default group of root would be root's: a pod that names no group gets one that the machine does not know. In
 * an image numbers belong to the image, and the default is group 0, as with a kubelet. */
static void set_ids(const struct wanted *wanted, const struct pod_identity_node *node,
		    struct str namespace, struct plan_identity *ret)
{
	int64_t user = pod_identity_default(node, namespace);

	if (node->uid != 0)
		return;
	if (wanted->user.set) {
		ret->uid = wanted->user.value;
		ret->gid = node->images || ret->uid == 0 ? 0 : user;
	} else if (!node->images && user) {
		ret->uid = ret->gid = user;
	}
	if (wanted->group.set)
		ret->gid = wanted->group.value;
}

static int64_t bounded(int resource, int64_t most)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0 ||
	    limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (rlim_t)most)
		return most;
	return (int64_t)limit.rlim_max;
}

struct pod_identity_node pod_identity_node_here(int64_t memory)
{
	struct pod_identity_node node = {
		.uid = geteuid(),
		.gid = getegid(),
		.max_processes = bounded(RLIMIT_NPROC, MAX_PROCESSES),
		.max_files = bounded(RLIMIT_NOFILE, MAX_FILES),
		.memory = memory,
		.users = "/etc/passwd",
		.groups = "/etc/group",
	};

	find_defaults(&node);
	return node;
}

int pod_identity_make(const struct pod *pod, const struct container *container,
		      const struct pod_identity_node *node, struct arena *arena,
		      struct plan_identity *ret, struct err *err)
{
	const struct security_context *own = container->security_context;
	struct wanted wanted = wanted_of(pod->spec.security_context, own);
	struct plan_identity identity = plan_identity_none;
	bool privileged = own && own->privileged.value;

	if (check_user(&wanted, node, pod, container, err) < 0 || check_rest(own, node, err) < 0 ||
	    add_groups(pod->spec.security_context, node, arena, &identity, err) < 0 ||
	    capabilities_of(own, privileged, &identity.keep_capabilities, err) < 0)
		return -1;
	set_ids(&wanted, node, pod->meta.namespace, &identity);
	identity.no_new_privs = own && own->allow_escalation.set
					? !own->allow_escalation.value
					: node->uid != 0 || identity.uid > 0;
	identity.max_processes = node->max_processes ? node->max_processes : MAX_PROCESSES;
	identity.max_files = node->max_files ? node->max_files : MAX_FILES;
	identity.core_size = 0;
	identity.oom_score_adj = oom_score(pod, container, node->memory);
	*ret = identity;
	return 0;
}

/* --- homes --- */

/* "name:x:0:0:root:/root:/bin/sh" */
static bool is_line_of(struct str line, int64_t uid, struct str *ret)
{
	struct str field;
	int64_t number;
	bool found = false;

	for (int i = 0; str_split(&line, ':', &field); i++) {
		if (i == 2)
			found = number_parse_i64(field, &number, NULL) == 0 && number == uid;
		if (i == 5) {
			*ret = field;
			return found && field.len > 0;
		}
	}
	return false;
}

const char *pod_identity_home_directory(const char *passwd, int64_t uid, struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_INIT(PASSWD_MAX);
	struct str rest, line, home;

	if (fd_read_file(passwd, &text, NULL) < 0)
		return "/";
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (is_line_of(line, uid, &home))
			return arena_str(arena, home).ptr;
	return "/";
}
