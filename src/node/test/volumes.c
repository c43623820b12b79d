/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/pod_volumes.h: every kind of volume on disk, the mounts of a container, and the end of it all. */
#include <sys/socket.h>
#include <sys/un.h>

#include "base/buf.h"
#include "folder.h"
#include "node/volume/host_path.h"
#include "node/volume/pod_volumes.h"
#include "node/volume/volume_path.h"
#include "pods.h"
#include "tap.h"

#define OBJECTS                                                                               \
	"configmaps: {settings: {data: {a: one, b: two}}}\n"                                  \
	"secrets: {keys: {data: {s: c2VjcmV0}}}\n"                                            \
	"claims:\n"                                                                           \
	"  plain: {metadata: {name: plain, namespace: ns, uid: u9}, spec: {}}\n"              \
	"  bound: {metadata: {name: bound, namespace: ns}, spec: {volumeName: pv}}\n"         \
	"  far: {metadata: {name: far, namespace: ns}, spec: {volumeName: nfs}}\n"            \
	"  block: {metadata: {name: block, namespace: ns}, spec: {volumeMode: Block}}\n"      \
	"volumes: {pv: {spec: {local: {path: /srv/data}}}, nfs: {spec: {nfs: {path: /x}}}}\n" \
	"allocatable: {memory: 8Gi}\n"

enum { MUCH = 70 * 1024 };

struct world {
	struct folder in;
	struct pods pods;
	struct pod_volumes_place place;
	struct container_env env;
};

/* A pod with these lines of its spec, in a folder of its own. */
static void world_open(struct world *world, const char *spec)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err = {0};

	*world = (struct world){0};
	folder_open(&world->in);
	folder_mkdir(&world->in, "home/pods/u-1");
	buf_printf(&text, "metadata: {name: p, namespace: ns, uid: u-1}\nspec:\n%s", spec);
	pods_open(&world->pods, buf_text(&text), OBJECTS);
	world->place = (struct pod_volumes_place){
		.folder = folder_at(&world->in, "home/pods/u-1"),
		.claims = folder_at(&world->in, "home/claims"),
		.hidden = folder_at(&world->in, "home"),
		.memory = world->in.path,
		.namespaces = true,
	};
	if (world->pods.pod.spec.containers.len &&
	    container_env_make(&world->pods.sandbox, &world->pods.pod.spec.containers.ptr[0], NULL,
			       world->pods.arena, &world->env, &err) < 0)
		printf("# %s\n", err.text);
}

static void world_close(struct world *world)
{
	container_env_done(&world->env);
	pods_close(&world->pods);
	folder_close(&world->in);
}

static int world_make(struct world *world, bool *changed, struct err *err)
{
	return pod_volumes_make(&world->pods.sandbox, &world->place, changed, err);
}

static mode_t mode_of(struct world *world, const char *name)
{
	struct stat info;

	return stat(folder_at(&world->in, name), &info) == 0 ? info.st_mode : 0;
}

static void test_make(void)
{
	struct err err = {0};
	bool changed = false;
	struct world world;

	world_open(&world, "  volumes:\n"
			   "  - {name: cm, configMap: {name: settings}}\n"
			   "  - {name: sec, secret: {secretName: keys, defaultMode: 256}}\n"
			   "  - {name: scratch, emptyDir: {}}\n"
			   "  - {name: mem, emptyDir: {medium: Memory}}\n"
			   "  - {name: eph, ephemeral: {volumeClaimTemplate: {spec: {}}}}\n"
			   "  - {name: down, downwardAPI: {items: [{path: name, fieldRef: "
			   "{fieldPath: metadata.name}}]}}\n"
			   "  - {name: claim, persistentVolumeClaim: {claimName: plain}}\n");
	ok(world_make(&world, &changed, &err) == 0 && changed, "volumes are made %s", err.text);
	is(folder_read(&world.in, "home/pods/u-1/volumes/cm/a"), "one");
	is(folder_read(&world.in, "home/pods/u-1/volumes/sec/s"), "secret");
	is(folder_read(&world.in, "home/pods/u-1/volumes/down/name"), "p");
	ok(mode_of(&world, "home/pods/u-1/volumes/scratch") == (S_IFDIR | 0777),
	   "every user may write to an emptyDir");
	ok(mode_of(&world, "home/pods/u-1/volumes/eph") == (S_IFDIR | 0777), "so is an ephemeral");
	ok(mode_of(&world, "home/claims/ns/plain-u9") == (S_IFDIR | 0777), "and a claim");
	ok(S_ISDIR(mode_of(&world, "home/pods/u-1/volumes/mem")), "memory is a folder elsewhere");
	folder_write(&world.in, "home/pods/u-1/volumes/scratch/kept", "x");
	folder_write(&world.in, "home/claims/ns/plain-u9/kept", "x");
	ok(world_make(&world, &changed, &err) == 0 && !changed, "again changes nothing %s",
	   err.text);
	is(folder_read(&world.in, "home/pods/u-1/volumes/scratch/kept"), "x");

	world.pods.sandbox.allocatable = JSON_NONE;
	json_doc_unref(world.pods.objects_doc);
	world.pods.objects_doc =
		pods_yaml("configmaps: {settings: {data: {a: new}}}\n"
			  "secrets: {keys: {data: {s: c2VjcmV0}}}\n"
			  "claims: {plain: {metadata: {name: plain, namespace: ns, uid: u9}}}\n");
	ok(world_make(&world, &changed, &err) == 0 && changed, "a change is followed %s", err.text);
	is(folder_read(&world.in, "home/pods/u-1/volumes/cm/a"), "new");
	ok(!folder_read(&world.in, "home/pods/u-1/volumes/cm/b"), "as a whole");

	ok(pod_volumes_remove(&world.place, &err) == 0 &&
		   access(folder_at(&world.in, "home/pods/u-1/volumes"), F_OK) < 0,
	   "volumes go %s", err.text);
	is(folder_read(&world.in, "home/claims/ns/plain-u9/kept"), "x");
	ok(pod_volumes_remove_claim(world.place.claims,
				    pods_find(&world.pods, SANDBOX_CLAIM, str_none(), STR("plain")),
				    &err) == 0 &&
		   access(folder_at(&world.in, "home/claims/ns/plain-u9"), F_OK) < 0,
	   "a claim goes by itself %s", err.text);
	ok(pod_volumes_remove(&world.place, &err) == 0, "twice is fine");
	world_close(&world);
}

static void test_refused(void)
{
	static const struct {
		const char *volume, *error;
	} rows[] = {
		{"configMap: {name: gone}", "configmap \"gone\" not found"},
		{"persistentVolumeClaim: {claimName: gone}",
		 "persistentvolumeclaim \"gone\" not found"},
		{"persistentVolumeClaim: {claimName: far}",
		 "persistentvolume \"nfs\": this node supports only hostPath and local"},
		{"persistentVolumeClaim: {claimName: block}",
		 "persistentvolumeclaim \"block\": volumeMode Block is not supported by this node"},
		{"emptyDir: {medium: HugePages}",
		 "emptyDir.medium: HugePages is not supported by this node"},
		{"nfs: {server: s, path: /x}", "is of a kind that this node does not support"},
		{"hostPath: {path: /etc/passwd, type: Directory}",
		 "hostPath type check failed: /etc/passwd is not a directory, it's a File"},
		{"hostPath: {path: /etc, type: File}",
		 "hostPath type check failed: /etc is not a file, it's a Directory"},
		{"hostPath: {path: /dev/null, type: Socket}",
		 "hostPath type check failed: /dev/null is not a socket file, it's a CharDevice"},
		{"hostPath: {path: /not/there, type: BlockDevice}",
		 "hostPath type check failed, /not/there is not a block device, unable to "
		 "determine "
		 "its type: No such file or directory"},
		{"hostPath: {path: /not/there}",
		 "hostPath.path: /not/there: No such file or directory"},
		{"hostPath: {path: /etc, type: Sphere}", "Sphere is an invalid volume type"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf want = BUF_UNBOUNDED;
		struct err err = {0};
		struct world world;

		buf_printf(&text, "  volumes: [{name: v, %s}]\n", rows[i].volume);
		buf_printf(&want, "MountVolume.SetUp failed for volume \"v\" : %s", rows[i].error);
		world_open(&world, buf_text(&text));
		ok(world_make(&world, NULL, &err) < 0, "refused: %s", rows[i].volume);
		is(err.text, buf_text(&want));
		world_close(&world);
	}
}

static void check_host_path(struct folder *in, const char *name, const char *type)
{
	struct host_path_volume volume = {.path = str_from(folder_at(in, name)),
					  .type = str_from(type)};
	struct err err = {0};

	ok(host_path_check(&volume, folder_at(in, "hidden"), &err) == 0, "hostPath %s %s %s", name,
	   type, err.text);
}

static void test_host_path(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct host_path_volume inside = {0};
	struct err err = {0};
	struct stat info;
	struct folder in;

	folder_open(&in);
	folder_mkdir(&in, "hidden/store");
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", in.path);
	assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	check_host_path(&in, "made/below", "DirectoryOrCreate");
	check_host_path(&in, "made/below", "DirectoryOrCreate");
	check_host_path(&in, "made/below", "Directory");
	check_host_path(&in, "made/file", "FileOrCreate");
	check_host_path(&in, "made/file", "File");
	check_host_path(&in, "made/file", "");
	check_host_path(&in, "socket", "Socket");
	ok(stat(folder_at(&in, "made/below"), &info) == 0 && (info.st_mode & 0777) == 0755 &&
		   stat(folder_at(&in, "made/file"), &info) == 0 && (info.st_mode & 0777) == 0644,
	   "what was made has kubelet's modes");
	assert(symlink(folder_at(&in, "hidden/store"), folder_at(&in, "trick")) == 0);
	inside.path = str_from(folder_at(&in, "trick"));
	ok(host_path_check(&inside, folder_at(&in, "hidden"), &err) < 0 &&
		   err.code == ERR_FORBIDDEN,
	   "not into the node's own folder, by a link either: %s", err.text);
	(void)close(fd);
	folder_close(&in);
}

/* The volume of a claim is a path that a user has named, too. */
static void test_claimed_path(void)
{
	static const struct {
		const char *path, *type;
		bool fine;
	} rows[] = {
		{"home", "", false},
		{"home/store", "", false},
		{"home/new", "DirectoryOrCreate", false},
		{"trick", "", false},
		{"trick/new", "DirectoryOrCreate", false},
		{"free", "", true},
		{"free/new/er", "DirectoryOrCreate", true},
		{"none", "", true},
		{"home/volumes/pvc-1", "DirectoryOrCreate", true},
		{"home/volumes/..", "", false},
		{"home/volumes/pvc-1/x", "DirectoryOrCreate", false},
		{"home/volumes", "", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct err err = {0};
		struct world world;

		world_open(&world,
			   "  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n");
		folder_mkdir(&world.in, "home/store");
		folder_mkdir(&world.in, "home/volumes/pvc-1/x");
		assert(rmdir(folder_at(&world.in, "home/volumes/pvc-1/x")) == 0 &&
		       rmdir(folder_at(&world.in, "home/volumes/pvc-1")) == 0);
		folder_mkdir(&world.in, "free");
		assert(symlink(folder_at(&world.in, "home"), folder_at(&world.in, "trick")) == 0);
		buf_printf(&text,
			   "claims: {c: {metadata: {name: c, namespace: ns}, spec: {volumeName: "
			   "pv}}}\nvolumes: {pv: {spec: {hostPath: {path: %s, type: '%s'}}}}\n",
			   folder_at(&world.in, rows[i].path), rows[i].type);
		json_doc_unref(world.pods.objects_doc);
		world.pods.objects_doc = pods_yaml(buf_text(&text));
		ok((world_make(&world, NULL, &err) == 0) == rows[i].fine, "a volume at %s %s: %s",
		   rows[i].path, rows[i].type, err.text);
		ok(access(folder_at(&world.in, "home/new"), F_OK) < 0,
		   "nothing is made in the node's own folder");
		if (str_is(str_from(rows[i].type), "DirectoryOrCreate") && rows[i].fine)
			ok(mode_of(&world, rows[i].path) == (S_IFDIR | 0777),
			   "every user may write to what is made");
		world_close(&world);
	}
}

/* "target <- source [in below] [foreign] [ro]" a line; the test's folder is written as @. */
static const char *show(struct world *world, const struct plan_mount *mounts, size_t len,
			struct buf *to)
{
	size_t skip = strlen(world->in.path);

	buf_clear(to);
	for (size_t i = 0; i < len; i++) {
		const char *paths[] = {mounts[i].target,
				       mounts[i].source ? mounts[i].source : mounts[i].fstype};

		for (size_t k = 0; k < 2; k++)
			buf_printf(to, "%s%s%s", k ? " <- " : "",
				   strncmp(paths[k], world->in.path, skip) == 0 ? "@" : "",
				   paths[k] + (strncmp(paths[k], world->in.path, skip) == 0 ? skip
											    : 0));
		if (mounts[i].below)
			buf_printf(to, " in %s", mounts[i].below);
		buf_puts(to, mounts[i].foreign ? " foreign" : "");
		buf_puts(to, mounts[i].read_only ? " ro\n" : "\n");
	}
	return buf_text(to);
}

static void test_mounts(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct pod_volumes_mounts mounts = {0};
	struct err err = {0};
	struct world world;

	world_open(
		&world,
		"  containers:\n"
		"  - name: c\n"
		"    env: [{name: WHO, value: me}]\n"
		"    volumeMounts:\n"
		"    - {name: scratch, mountPath: /data/deep/er, subPath: x/y}\n"
		"    - {name: scratch, mountPath: /data, subPathExpr: for/$(WHO)}\n"
		"    - {name: cm, mountPath: /etc/app/}\n"
		"    - {name: cm, mountPath: /etc/one, subPath: a}\n"
		"    - {name: host, mountPath: /host, readOnly: true}\n"
		"    - {name: claim, mountPath: rel}\n"
		"    - {name: bound, mountPath: /bound}\n"
		"  volumes:\n"
		"  - {name: cm, configMap: {name: settings}}\n"
		"  - {name: scratch, emptyDir: {}}\n"
		"  - {name: host, hostPath: {path: /}}\n"
		"  - {name: bound, persistentVolumeClaim: {claimName: bound}}\n"
		"  - {name: claim, persistentVolumeClaim: {claimName: plain, readOnly: true}}\n");
	ok(world_make(&world, NULL, &err) == 0, "volumes %s", err.text);
	ok(pod_volumes_mounts(&world.pods.sandbox, &world.place,
			      &world.pods.pod.spec.containers.ptr[0], &world.env, world.pods.arena,
			      &mounts, &err) == 0,
	   "mounts %s", err.text);
	show(&world, mounts.ptr, mounts.len, &text);
	ok(mounts.len == 8, "seven mounts, and the node's folder hidden");
	is(buf_text(&text), "/data <- @/home/pods/u-1/volumes/scratch in for/me\n"
			    "/host <- / foreign ro\n"
			    "/rel <- @/home/claims/ns/plain-u9 ro\n"
			    "/bound <- /srv/data foreign\n"
			    "/etc/app <- @/home/pods/u-1/volumes/cm ro\n"
			    "/etc/one <- @/home/pods/u-1/volumes/cm in a ro\n"
			    "/data/deep/er <- @/home/pods/u-1/volumes/scratch in x/y\n"
			    "@/home <- tmpfs ro\n");
	world_close(&world);
}

static void test_sub_path(void)
{
	static const struct {
		const char *mount, *error;
	} rows[] = {
		{"subPath: /etc", "error SubPath `/etc` must not be an absolute path"},
		{"subPath: a/../../b",
		 "unable to provision SubPath `a/../../b`: must not contain '..'"},
		{"subPathExpr: $(GONE)/x", "missing value for GONE"},
		{"subPath: out", "failed to prepare subPath for volumeMount \"v\" of container "
				 "\"c\": out: leads out of the volume"},
		{"subPath: out/etc", "failed to prepare subPath for volumeMount \"v\" of container "
				     "\"c\": out/etc: leads out of the volume"},
		{"subPath: within", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct pod_volumes_mounts mounts = {0};
		struct err err = {0};
		struct world world;

		buf_printf(
			&text,
			"  containers: [{name: c, volumeMounts: [{name: v, mountPath: /x, %s}]}]\n"
			"  volumes: [{name: v, emptyDir: {}}]\n",
			rows[i].mount);
		world_open(&world, buf_text(&text));
		world.place.namespaces = false; /* if it is a link; source.c has mounts */
		ok(world_make(&world, NULL, &err) == 0, "a volume %s", err.text);
		folder_mkdir(&world.in, "home/pods/u-1/volumes/v/real");
		assert(symlink("/", folder_at(&world.in, "home/pods/u-1/volumes/v/out")) == 0);
		assert(symlink("real", folder_at(&world.in, "home/pods/u-1/volumes/v/within")) ==
		       0);
		ok((pod_volumes_mounts(&world.pods.sandbox, &world.place,
				       &world.pods.pod.spec.containers.ptr[0], &world.env,
				       world.pods.arena, &mounts, &err) < 0) ==
			   (rows[i].error != NULL),
		   "%s", rows[i].mount);
		if (rows[i].error)
			is(err.text, rows[i].error);
		else
			is(mounts.ptr[0].source,
			   folder_at(&world.in, "home/pods/u-1/volumes/v/real"));
		world_close(&world);
	}
}

static void test_size(void)
{
	struct err err = {0};
	struct world world;
	char *much = mem_zalloc(MUCH);

	memset(much, 'x', MUCH - 1);
	world_open(&world, "  volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {sizeLimit: "
			   "64Ki}}]\n");
	ok(world_make(&world, NULL, &err) == 0, "volumes %s", err.text);
	folder_write(&world.in, "home/pods/u-1/volumes/a/much", much);
	ok(!pod_volumes_over_limit(&world.pods.sandbox, &world.place, world.pods.arena),
	   "within its limit, or without one");
	folder_write(&world.in, "home/pods/u-1/volumes/b/sub/much", much);
	is(pod_volumes_over_limit(&world.pods.sandbox, &world.place, world.pods.arena),
	   "Usage of EmptyDir volume \"b\" exceeds the limit \"64Ki\". ");
	mem_free(much);
	world_close(&world);
}

static void test_links(void)
{
	struct plan_mount mounts[2] = {{0}};
	struct err err = {0};
	struct world world;

	world_open(&world, "  volumes: [{name: a, emptyDir: {}}]\n");
	ok(world_make(&world, NULL, &err) == 0, "a volume %s", err.text);
	mounts[0].source = folder_at(&world.in, "home/pods/u-1/volumes/a");
	mounts[0].target = folder_at(&world.in, "here");
	mounts[1] = mounts[0];
	mounts[1].target = folder_at(&world.in, "home");
	ok(pod_volumes_link(&world.place, mounts, 1, &err) == 0, "a link in place of a mount %s",
	   err.text);
	ok(pod_volumes_link(&world.place, mounts, 1, &err) == 0, "which may be there");
	folder_write(&world.in, "here/x", "through it");
	is(folder_read(&world.in, "home/pods/u-1/volumes/a/x"), "through it");
	ok(pod_volumes_link(&world.place, mounts, 2, &err) < 0 && err.code == ERR_CONFLICT,
	   "refused by name: %s", err.text);
	ok(pod_volumes_remove(&world.place, &err) == 0 &&
		   access(folder_at(&world.in, "here"), F_OK) < 0 &&
		   access(folder_at(&world.in, "home"), F_OK) == 0,
	   "links go with the volumes %s", err.text);
	world_close(&world);
}

/* As root, in memory of its own. */
static void test_memory(void)
{
	struct err err = {0};
	struct world world;
	struct stat info, above;

	if (geteuid() != 0) {
		ok(true, "memory # SKIP only root may mount");
		return;
	}
	world_open(&world, "  volumes: [{name: m, emptyDir: {medium: Memory, sizeLimit: 1Mi}}]\n"
			   "  securityContext: {fsGroup: 7}\n");
	world.place.can_mount = true;
	if (world_make(&world, NULL, &err) < 0 && strstr(err.text, "not permitted")) {
		ok(true, "memory # SKIP %s", err.text);
		world_close(&world);
		return;
	}
	ok(world_make(&world, NULL, &err) == 0, "memory is mounted, once %s", err.text);
	ok(stat(folder_at(&world.in, "home/pods/u-1/volumes/m"), &info) == 0 &&
		   stat(world.in.path, &above) == 0 && info.st_dev != above.st_dev,
	   "a file system of its own");
	ok(info.st_gid == 7 && (info.st_mode & 07777) == 02777, "of the group");
	ok(pod_volumes_remove(&world.place, &err) == 0 &&
		   access(folder_at(&world.in, "home/pods/u-1/volumes"), F_OK) < 0,
	   "and gone %s", err.text);
	world_close(&world);
}

int main(void)
{
	test_make();
	test_refused();
	test_host_path();
	test_claimed_path();
	test_mounts();
	test_sub_path();
	test_size();
	test_links();
	test_memory();
	return tap_done();
}
