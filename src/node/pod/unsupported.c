/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/unsupported.c - the table.
 *
 * A row is a path below the pod's spec, in which `[]` stands for every element, and a test of the value there. To
 * refuse or warn about another field, add a row. */
#include "node/pod/unsupported.h"

#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"

#include "base/banned.h"

typedef bool value_fn(struct json value, const struct unsupported_world *world);

static bool is_there(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return json_is(value, JSON_BOOL)  ? json_bool(value)
	       : json_is(value, JSON_STR) ? json_str(value).len > 0
	       : json_is(value, JSON_ARR) || json_is(value, JSON_OBJ)
		       ? json_len(value) > 0
		       : json_is(value, JSON_INT) && json_int(value) != 0;
}

static bool is_windows(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return str_is(json_str(value), "windows");
}

static bool is_shared(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return str_is(json_str(value), "Bidirectional") ||
	       str_is(json_str(value), "HostToContainer");
}

/* Without a runtime there is no root file system of the container's own. */
static bool is_without_runtime(struct json value, const struct unsupported_world *world)
{
	return !world->runtime && is_there(value, world);
}

static bool is_without_namespaces(struct json value, const struct unsupported_world *world)
{
	return !world->namespaces && is_there(value, world);
}

static bool is_confined(struct json value, const struct unsupported_world *world)
{
	struct str type = json_str(json_get(value, "type"));

	(void)world;
	return type.len > 0 && !str_is(type, "Unconfined");
}

static bool is_own_users(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return json_is(value, JSON_BOOL) && !json_bool(value);
}

static bool is_not_term(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return json_str(value).len > 0 && !str_is(json_str(value), "SIGTERM");
}

/* Of a list of resources. */
static bool has_huge_pages(struct json value, const struct unsupported_world *world)
{
	struct json_iter it = json_iter(value);

	(void)world;
	while (json_next(&it))
		if (str_starts(it.key, STR("hugepages-")))
			return true;
	return false;
}

static bool is_merged(struct json value, const struct unsupported_world *world)
{
	(void)world;
	return str_is(json_str(value), "Merge");
}

#define REFUSED UNSUPPORTED_REFUSED
#define WARNED UNSUPPORTED_WARNED

static const struct row {
	const char *path; /* containers[] stands for init containers, too */
	value_fn *is;
	enum unsupported_is what;
	const char *why;
} rows[] = {
	{"os.name", is_windows, REFUSED, "this node runs Linux"},
	{"hostUsers", is_own_users, REFUSED, "user namespaces of pods are not supported"},
	{"resourceClaims", is_there, REFUSED, "dynamic resource allocation is not supported"},
	{"volumes[].awsElasticBlockStore", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].azureDisk", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].azureFile", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].cephfs", is_there, REFUSED, "network file systems are not mounted"},
	{"volumes[].cinder", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].csi", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].fc", is_there, REFUSED, "network disks are not supported"},
	{"volumes[].flexVolume", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].flocker", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].gcePersistentDisk", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].gitRepo", is_there, REFUSED, "clone in an init container instead"},
	{"volumes[].glusterfs", is_there, REFUSED, "network file systems are not mounted"},
	{"volumes[].image", is_there, REFUSED, "images are not volumes here"},
	{"volumes[].iscsi", is_there, REFUSED, "network disks are not supported"},
	{"volumes[].nfs", is_there, REFUSED, "mount it on the machine, and use hostPath"},
	{"volumes[].photonPersistentDisk", is_there, REFUSED, "cloud disks are not supported"},
	{"volumes[].projected.sources[].clusterTrustBundle", is_there, REFUSED,
	 "bundles of certificates are not supported"},
	{"volumes[].projected.sources[].podCertificate", is_there, REFUSED,
	 "certificates of pods are not supported"},
	{"volumes[].portworxVolume", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].quobyte", is_there, REFUSED, "network file systems are not mounted"},
	{"volumes[].rbd", is_there, REFUSED, "network disks are not supported"},
	{"volumes[].scaleIO", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].storageos", is_there, REFUSED, "storage drivers are not supported"},
	{"volumes[].vsphereVolume", is_there, REFUSED, "cloud disks are not supported"},
	{"containers[].livenessProbe.grpc", is_there, REFUSED,
	 "probe by exec, httpGet or tcpSocket"},
	{"containers[].readinessProbe.grpc", is_there, REFUSED,
	 "probe by exec, httpGet or tcpSocket"},
	{"containers[].startupProbe.grpc", is_there, REFUSED,
	 "probe by exec, httpGet or tcpSocket"},
	{"containers[].volumeDevices", is_there, REFUSED, "raw devices are not supported"},
	{"containers[].resources.claims", is_there, REFUSED,
	 "dynamic resource allocation is not supported"},
	{"containers[].env[].valueFrom.fileKeyRef", is_there, REFUSED,
	 "variables from files of a volume are not supported"},
	{"containers[].securityContext.windowsOptions", is_there, REFUSED, "this node runs Linux"},
	{"securityContext.windowsOptions", is_there, REFUSED, "this node runs Linux"},
	{"containers[].securityContext.readOnlyRootFilesystem", is_without_namespaces, REFUSED,
	 "the machine does not permit mount namespaces"},
	{"containers[].lifecycle.stopSignal", is_not_term, REFUSED, "containers end by SIGTERM"},
	{"containers[].restartPolicyRules", is_there, REFUSED,
	 "the pod's restartPolicy holds for all exit codes"},
	{"hostnameOverride", is_there, REFUSED, "use hostname"},
	{"resources", is_there, WARNED, "only what containers ask for and are limited to counts"},
	{"containers[].resources.limits.ephemeral-storage", is_there, WARNED,
	 "is not kept: set sizeLimit of an emptyDir"},
	{"containers[].resources.limits", has_huge_pages, WARNED,
	 "huge pages are counted by the scheduler, and not kept by the node"},
	{"containers[].stdin", is_there, WARNED, "nobody can be attached: standard input is empty"},
	{"securityContext.supplementalGroupsPolicy", is_merged, WARNED,
	 "groups of the user in /etc/group are not added"},
	{"securityContext.seLinuxChangePolicy", is_there, WARNED, "SELinux labels are not set"},
	{"containers[].securityContext.seccompProfile", is_confined, WARNED,
	 "system calls are not filtered"},
	{"securityContext.seccompProfile", is_confined, WARNED, "system calls are not filtered"},
	{"containers[].securityContext.appArmorProfile", is_confined, WARNED,
	 "AppArmor profiles are not applied"},
	{"securityContext.appArmorProfile", is_confined, WARNED,
	 "AppArmor profiles are not applied"},
	{"containers[].securityContext.seLinuxOptions", is_there, WARNED,
	 "SELinux labels are not set"},
	{"securityContext.seLinuxOptions", is_there, WARNED, "SELinux labels are not set"},
	{"containers[].securityContext.procMount", is_there, WARNED, "/proc is the usual one"},
	{"securityContext.sysctls", is_there, WARNED, "kernel settings are not changed"},
	{"shareProcessNamespace", is_there, WARNED, "containers do not see each other's processes"},
	{"hostIPC", is_there, WARNED, "every pod shares the machine's IPC namespace"},
	{"runtimeClassName", is_without_runtime, WARNED, "there is no container runtime"},
	{"imagePullSecrets", is_without_runtime, WARNED,
	 "images are not pulled: processes run on the machine's own files"},
	{"setHostnameAsFQDN", is_there, WARNED, "the host name is the short one"},
	{"containers[].volumeMounts[].mountPropagation", is_shared, WARNED,
	 "mounts that come later are not passed on"},
	{"containers[].volumeMounts[].recursiveReadOnly", is_there, WARNED,
	 "only the volume itself is read-only"},
	{"containers[].ports[].hostPort", is_there, WARNED,
	 "ports are not passed on: use hostNetwork"},
	{"ephemeralContainers", is_there, WARNED, "ephemeral containers are not started"},
};

struct walk {
	const struct row *row;
	const struct unsupported_world *world;
	unsupported_fn *fn;
	void *arg;
	struct buf field;
	bool refused;
};

/* The rest of a row's path below a value. */
static void step(struct walk *walk, struct json value, struct str path)
{
	struct str part;
	size_t len = walk->field.len;
	struct json_iter it;
	bool list;

	if (!path.len) {
		if (!json_is_absent(value) && walk->row->is(value, walk->world)) {
			walk->fn(walk->arg, walk->row->what, buf_str(&walk->field), walk->row->why);
			walk->refused = walk->refused || walk->row->what == UNSUPPORTED_REFUSED;
		}
		return;
	}
	if (!str_split(&path, '.', &part))
		return;
	list = str_ends(part, STR("[]"));
	part.len -= list ? 2 : 0;
	buf_printf(&walk->field, ".%.*s", STR_ARG(part));
	value = json_get_str(value, part);
	if (!list)
		step(walk, value, path);
	it = json_iter(list ? value : JSON_NONE);
	while (json_next(&it)) {
		size_t name = walk->field.len;

		buf_printf(&walk->field, "[%zu]", it.index);
		step(walk, it.value, path);
		buf_truncate(&walk->field, name);
	}
	buf_truncate(&walk->field, len);
}

bool unsupported_walk(struct json pod, const struct unsupported_world *world, unsupported_fn *fn,
		      void *arg)
{
	static const char *const lists[] = {"containers[]", "initContainers[]"};
	struct walk walk = {.world = world, .fn = fn, .arg = arg, .field = BUF_UNBOUNDED};
	struct json spec = json_get(pod, "spec");

	buf_puts(&walk.field, "spec");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str path = str_from(rows[i].path);
		bool containers = str_starts(path, STR("containers[]"));

		walk.row = &rows[i];
		if (!containers) {
			step(&walk, spec, path);
			continue;
		}
		for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
			AUTO(buf_done) struct buf own = BUF_UNBOUNDED;

			buf_printf(&own, "%s%.*s", lists[k],
				   STR_ARG(str_skip(path, sizeof("containers[]") - 1)));
			step(&walk, spec, buf_str(&own));
		}
	}
	buf_done(&walk.field);
	return walk.refused;
}
