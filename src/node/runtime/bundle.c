/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/bundle.c - see bundle.h. The tables of file systems that every container has, and of hidden and
 * read-only parts of /proc and /sys, are those of container engines. */
#include "node/runtime/bundle.h"

#include "base/macro.h"
#include "json/doc.h"
#include "node/pod/pod_identity.h"

#include "base/banned.h"

static const struct row {
	const char *target;
	const char *type;
	const char *options; /* separated by commas */
} usual_mounts[] = {
	{"/proc", "proc", "nosuid,noexec,nodev"},
	{"/dev", "tmpfs", "nosuid,strictatime,mode=755,size=65536k"},
	{"/dev/pts", "devpts", "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620"},
	{"/dev/mqueue", "mqueue", "nosuid,noexec,nodev"},
	{"/dev/shm", "tmpfs", "nosuid,noexec,nodev,mode=1777,size=65536k"},
	{"/sys", "sysfs", "nosuid,noexec,nodev,ro"},
};

static const char *const masked_paths[] = {
	"/proc/acpi",          "/proc/asound",     "/proc/kcore",       "/proc/keys",
	"/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
	"/proc/scsi",          "/sys/firmware",
};
static const char *const read_only_paths[] = {
	"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};

static void add_text(struct json_doc *doc, struct json list, struct str text)
{
	json_append(doc, list, json_new_str(doc, text));
}

static void set_words(struct json_doc *doc, struct json object, const char *key,
		      const struct image_words *words)
{
	struct json list = json_ensure_arr(doc, object, key);

	for (size_t i = 0; i < words->len; i++)
		add_text(doc, list, str_from(words->ptr[i]));
}

static void set_list(struct json_doc *doc, struct json object, const char *key,
		     const char *const *texts, size_t count)
{
	set_words(doc, object, key, &(struct image_words){texts, count});
}

/* --- the process --- */

static void set_capabilities(struct json_doc *doc, struct json process, uint64_t keep)
{
	static const char *const sets[] = {"bounding", "effective", "permitted"};
	struct json object = json_ensure_obj(doc, process, "capabilities");

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		struct json list = json_ensure_arr(doc, object, sets[i]);
		const char *name;

		for (int number = 0; (name = pod_identity_capability_name(number)); number++)
			if (keep & UINT64_C(1) << number)
				json_append(doc, list, json_new_printf(doc, "CAP_%s", name));
	}
}

static void set_user(struct json_doc *doc, struct json process, const struct plan_identity *who)
{
	struct json user = json_ensure_obj(doc, process, "user");

	json_set_int(doc, user, "uid", who->uid);
	json_set_int(doc, user, "gid", who->gid);
	if (who->n_groups) {
		struct json list = json_ensure_arr(doc, user, "additionalGids");

		for (size_t i = 0; i < who->n_groups; i++)
			json_append(doc, list, json_new_int(doc, who->groups[i]));
	}
}

static void set_process(struct json_doc *doc, struct json root, const struct bundle *bundle)
{
	struct json process = json_ensure_obj(doc, root, "process");

	json_set_bool(doc, process, "terminal", bundle->tty);
	set_user(doc, process, &bundle->identity);
	set_words(doc, process, "args", &bundle->argv);
	set_words(doc, process, "env", &bundle->env);
	json_set_str(doc, process, "cwd", str_from(bundle->folder));
	json_set_bool(doc, process, "noNewPrivileges", bundle->identity.no_new_privs);
	set_capabilities(doc, process, bundle->identity.keep_capabilities);
}

/* --- files --- */

/* Starts with the options that every such mount has. */
static void add_mount(struct json_doc *doc, struct json list, const char *source,
		      const struct row *row)
{
	struct json mount = json_new_obj(doc);
	struct str rest = str_from(row->options);
	struct str option;
	struct json options;

	json_set_str(doc, mount, "destination", str_from(row->target));
	json_set_str(doc, mount, "type", str_from(row->type));
	json_set_str(doc, mount, "source", str_from(source));
	options = json_ensure_arr(doc, mount, "options");
	while (rest.len && str_split(&rest, ',', &option))
		add_text(doc, options, option);
	json_append(doc, list, mount);
}

/* Other kinds of mounts change the machine's own files, which a container does not have. */
static void add_planned(struct json_doc *doc, struct json list, const struct plan_mount *mount)
{
	AUTO(buf_done) struct buf options = BUF_UNBOUNDED;

	if (mount->fstype && !str_is(str_from(mount->fstype), "tmpfs"))
		return;
	if (mount->fstype) {
		buf_printf(&options, "nosuid,nodev%s%s%s", mount->read_only ? ",ro" : "",
			   mount->options ? "," : "", mount->options ? mount->options : "");
		add_mount(doc, list, mount->fstype,
			  &(struct row){mount->target, mount->fstype, buf_text(&options)});
		return;
	}
	add_mount(doc, list, mount->source,
		  &(struct row){mount->target, "bind",
				mount->read_only ? "rbind,rprivate,ro" : "rbind,rprivate,rw"});
}

static void set_mounts(struct json_doc *doc, struct json root, const struct bundle *bundle)
{
	static const struct row machine_dev = {"/dev", "bind", "rbind,rprivate,rw"};
	struct json list = json_ensure_arr(doc, root, "mounts");

	for (size_t i = 0; i < ARRAY_LEN(usual_mounts); i++) {
		bool dev = str_starts(str_from(usual_mounts[i].target), STR("/dev"));

		if (!bundle->privileged || !dev)
			add_mount(doc, list, usual_mounts[i].type, &usual_mounts[i]);
		else if (str_is(str_from(usual_mounts[i].target), "/dev"))
			add_mount(doc, list, "/dev", &machine_dev);
	}
	for (size_t i = 0; i < bundle->n_mounts; i++)
		add_planned(doc, list, &bundle->mounts[i]);
}

/* --- what is its own --- */

static void add_mapping(struct json_doc *doc, struct json own, const char *key, int64_t inside,
			int64_t outside)
{
	struct json mapping = json_new_obj(doc);

	json_set_int(doc, mapping, "containerID", inside);
	json_set_int(doc, mapping, "hostID", outside);
	json_set_int(doc, mapping, "size", 1);
	json_append(doc, json_ensure_arr(doc, own, key), mapping);
}

static void set_linux(struct json_doc *doc, struct json root, const struct bundle *bundle)
{
	const struct {
		const char *type;
		bool wanted;
	} namespaces[] = {
		{"mount", true},
		{"ipc", true},
		{"pid", !bundle->host_pid},
		{"user", bundle->outer_uid >= 0},
	};
	struct json own = json_ensure_obj(doc, root, "linux");
	struct json list = json_ensure_arr(doc, own, "namespaces");

	for (size_t i = 0; i < ARRAY_LEN(namespaces); i++) {
		struct json row = json_new_obj(doc);

		json_set_str(doc, row, "type", str_from(namespaces[i].type));
		if (namespaces[i].wanted)
			json_append(doc, list, row);
	}
	if (bundle->outer_uid >= 0) {
		add_mapping(doc, own, "uidMappings", bundle->identity.uid, bundle->outer_uid);
		add_mapping(doc, own, "gidMappings", bundle->identity.gid, bundle->outer_gid);
	}
	if (bundle->privileged)
		return;
	set_list(doc, own, "maskedPaths", masked_paths, ARRAY_LEN(masked_paths));
	set_list(doc, own, "readonlyPaths", read_only_paths, ARRAY_LEN(read_only_paths));
}

void bundle_print(const struct bundle *bundle, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json files;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "ociVersion", STR("1.0.2"));
	set_process(doc, root, bundle);
	files = json_ensure_obj(doc, root, "root");
	json_set_str(doc, files, "path", str_from(bundle->root));
	json_set_bool(doc, files, "readonly", bundle->read_only);
	set_mounts(doc, root, bundle);
	set_linux(doc, root, bundle);
	json_print(root, JSON_COMPACT, to);
}
