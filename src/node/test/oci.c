/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/oci.h: which words a runtime is started with. */
#include "node/runtime/oci.h"

#include "base/buf.h"
#include "folder.h"
#include "pods.h"
#include "tap.h"

static const char *starter; /* of podman's containers */

static void check(const char *lines, const struct pod_plan *plan, struct plan_container *own,
		  const char *want)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf pod = BUF_UNBOUNDED;
	static const char *const args[] = {"a", "b", NULL};
	static const char *const devices[] = {"/dev/x", NULL};
	const char *const *argv = NULL;
	struct err err = {0};
	size_t len = 0;

	buf_printf(&pod, "spec: {containers: [{name: c, image: img, %s}]}\n", lines);
	pods_open(&pods, buf_text(&pod), NULL);
	if (oci_argv(&(struct oci_container){.program = "/usr/bin/podman",
					     .image = "img",
					     .name = "volcano-u-c",
					     .starter = starter,
					     .pid_file = starter ? "/p/pid" : NULL,
					     .devices = devices,
					     .n_devices = starter ? 1 : 0,
					     .host_pid = pods.pod.spec.host_pid,
					     .pod = plan,
					     .plan = own,
					     .args = args,
					     .n_args = 2,
					     .container = &pods.pod.spec.containers.ptr[0]},
		     pods.arena, &argv, &len, &err) < 0)
		buf_puts(&text, err.text);
	for (size_t i = 0; i < len; i++)
		buf_printf(&text, "%s%s", i ? " " : "", argv[i]);
	is(buf_text(&text), want);
}

#define HEAD "/usr/bin/podman run --rm --replace --log-driver none "

static void test_find(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	enum oci_runtime runtime = OCI_PODMAN;
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_write(&in, "bin/podman", "");
	ok(oci_parse("crun", &runtime, &err) == 0 && runtime == OCI_CRUN, "crun");
	is(oci_name(runtime), "crun");
	ok(oci_parse("lxc", &runtime, &err) < 0, "not lxc");
	is(err.text, "\"lxc\" is not a runtime: one of podman, crun");
	ok(!oci_find(OCI_PODMAN, folder_at(&in, "bin"), arena, &err), "not what cannot be run");
	is(err.text, "podman is not installed; install it, or run without --runtime");
	assert(chmod(folder_at(&in, "bin/podman"), 0755) == 0);
	is(oci_find(OCI_PODMAN, arena_printf(arena, ":/not/there:%s/bin", in.path), arena, &err),
	   folder_at(&in, "bin/podman"));
	folder_close(&in);
}

int main(void)
{
	static const char *const argv[] = {"sh", "-c", "echo $X", NULL};
	static const char *const env[] = {"X=a b", NULL};
	static const struct plan_mount mounts[] = {
		{.source = "/v/a", .target = "/a", .read_only = true},
		{.fstype = "tmpfs", .target = "/home/me/.volcano"},
	};
	static const struct plan_mount comma[] = {{.source = "/v/a,b", .target = "/a"}};
	static const uint32_t groups[] = {5};
	struct pod_plan plan = {.hostname = "h", .netns = "/n/netns"};
	struct plan_container own = {.argv = argv,
				     .argc = 3,
				     .env = env,
				     .n_env = 1,
				     .mounts = mounts,
				     .n_mounts = 2,
				     .cwd = "/w",
				     .identity = plan_identity_none};

	test_find();
	own.identity.uid = 7;
	own.identity.gid = 8;
	own.identity.groups = groups;
	own.identity.n_groups = 1;
	own.identity.no_new_privs = true;
	own.identity.max_files = 9;
	own.identity.core_size = 0;
	check("workingDir: /w, command: [sh], imagePullPolicy: Always, resources: {limits: {cpu: "
	      "1500m, memory: 1Ki}}, securityContext: {readOnlyRootFilesystem: true, capabilities: "
	      "{add: [NET_ADMIN], drop: [ALL]}}",
	      &plan, &own,
	      HEAD
	      "--pull never --name volcano-u-c --network ns:/n/netns --hostname h --workdir "
	      "/w --interactive --env X=a b --mount type=bind,source=/v/a,destination=/a,readonly "
	      "--mount "
	      "type=tmpfs,destination=/home/me/.volcano --user 7:8 --group-add 5 "
	      "--security-opt no-new-privileges --read-only --cap-drop ALL --cap-add NET_ADMIN "
	      "--ulimit nofile=9:9 --ulimit core=0:0 --cpus 1.500 --memory 1024b --entrypoint sh "
	      "-- img -c echo $X");
	plan.netns = NULL;
	own = (struct plan_container){.identity = plan_identity_none, .cwd = "/w", .tty = true};
	check("args: [a, b]", &plan, &own,
	      HEAD "--pull never --name volcano-u-c --network host --tty -- img a b");
	starter = "/usr/bin/crun";
	own.tty = false;
	check("resources: {limits: {cpu: 1, memory: 1Ki}}", &plan, &own,
	      "/usr/bin/podman --cgroup-manager cgroupfs --runtime /usr/bin/crun run --rm "
	      "--replace "
	      "--log-driver none --pull never --cgroups disabled --mount "
	      "type=tmpfs,destination=/sys/fs/cgroup,ro,tmpfs-mode=0555,notmpcopyup "
	      "--pidfile /p/pid --name "
	      "volcano-u-c --network host --interactive --device /dev/x -- img a b");
	own.mounts = comma;
	own.n_mounts = 1;
	check("args: [a]", &plan, &own,
	      "mountPath /a: a comma cannot be passed to a container runtime");
	return tap_done();
}
