/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/devices.h on made-up machines: who gets which device, and what containers see of them. */
#include "node/machine/devices.h"

#include "folder.h"
#include "pods.h"
#include "tap.h"

/* Four cards of one maker, two of another; no namespaces are tried. */
static void make_machine(struct folder *in, struct machine *ret)
{
	struct err err = {0};

	folder_write(in, "proc/meminfo", "MemTotal:       16777216 kB\n");
	folder_write(in, "proc/self/mountinfo", "30 1 0:27 / / rw - ext4 x rw\n");
	folder_write(in, "proc/sys/kernel/pid_max", "4194304\n");
	for (int i = 0; i < 4; i++)
		folder_write(in, arena_printf(in->arena, "dev/nvidia%d", i), "");
	folder_write(in, "dev/nvidiactl", "");
	folder_write(in, "dev/kfd", "");
	for (int i = 128; i < 130; i++) {
		folder_write(in, arena_printf(in->arena, "dev/dri/renderD%d", i), "");
		folder_write(in,
			     arena_printf(in->arena, "sys/class/drm/renderD%d/device/vendor", i),
			     "0x1002\n");
	}
	ok(machine_open(&(struct machine_paths){.proc = folder_at(in, "proc"),
						.sys = folder_at(in, "sys"),
						.dev = folder_at(in, "dev"),
						.root = in->path,
						.folder = in->path,
						.no_namespaces = true},
			ret, &err) == 0,
	   "a machine with devices %s", err.text);
}

static const char *choose(const struct devices_node *node, const struct pods *of,
			  const char *const *taken, size_t len, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	*err = (struct err){0};
	if (devices_choose(node, &of->pod, taken, len, &text, err) < 0)
		return err->text;
	return arena_str(of->arena, buf_str(&text)).ptr;
}

/* What a container sees, in one line. */
static const char *see(const struct machine *machine, const struct pods *of, size_t container,
		       const char *text, bool hide)
{
	AUTO(buf_done) struct buf all = BUF_UNBOUNDED;
	struct devices_view view;

	devices_see(machine, &of->pod, container, text, hide, of->arena, &view);
	for (size_t i = 0; i < view.n_env; i++)
		buf_printf(&all, "%s ", view.env[i]);
	for (size_t i = 0; i < view.n_mounts; i++)
		buf_printf(&all, "-%s:%s ", strrchr(view.mounts[i].target, '/') + 1,
			   view.mounts[i].options);
	return arena_str(of->arena, buf_str(&all)).ptr;
}

/* Files of one with a /dev of its own. */
static const char *files(const struct machine *machine, const struct pods *of, size_t container,
			 const char *text)
{
	AUTO(buf_done) struct buf all = BUF_UNBOUNDED;
	struct devices_view view;

	devices_see(machine, &of->pod, container, text, true, of->arena, &view);
	for (size_t i = 0; i < view.n_files; i++)
		buf_printf(&all, "%s ", strrchr(view.files[i], '/') + 1);
	return arena_str(of->arena, buf_str(&all)).ptr;
}

#define TWO                                                                         \
	"{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}," \
	" {name: b, resources: {limits: {nvidia.com/gpu: 1}}}]}}"

static void test_choose(const struct machine *machine)
{
	struct machine_division whole = {.nodes = 1}, half = {.nodes = 2};
	struct machine_amount declared = {STR("nvidia.com/gpu"), STR("3")};
	struct devices_node node = {machine, &whole, 0}, second = {machine, &half, 1};
	AUTO(pods_close) struct pods two, none, both;
	const char *taken[] = {NULL, NULL};
	struct err err;

	pods_open(&two, TWO, NULL);
	pods_open(&none, "{spec: {containers: [{name: a}]}}", NULL);
	pods_open(&both,
		  "{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 3, "
		  "amd.com/gpu: 1}}}]}}",
		  NULL);
	is(choose(&node, &none, NULL, 0, &err), "");
	is(choose(&node, &two, taken, 2, &err), "nvidia.com/gpu=0,1");
	taken[1] = "nvidia.com/gpu=0,2;amd.com/gpu=0";
	is(choose(&node, &two, taken, 2, &err), "nvidia.com/gpu=1,3");
	is(choose(&node, &both, taken, 2, &err),
	   "nvidia.com/gpu: 1 more wanted than there are free");
	ok(err.code == ERR_UNAVAILABLE, "... which may change");
	taken[1] = "amd.com/gpu=0";
	is(choose(&node, &both, taken, 2, &err), "nvidia.com/gpu=0,1,2;amd.com/gpu=1");
	is(choose(&second, &two, NULL, 0, &err), "nvidia.com/gpu=2,3");
	half.resources = &declared;
	half.n_resources = 1;
	is(choose(&second, &two, NULL, 0, &err), "nvidia.com/gpu=3,4");
	half.n_resources = 0;
}

static void test_see(const struct machine *machine)
{
	static const char text[] = "nvidia.com/gpu=0,2,3";
	struct machine bare = {0};
	AUTO(pods_close) struct pods two, other, amd;

	pods_open(&two,
		  "{spec: {initContainers: ["
		  "{name: i, resources: {limits: {nvidia.com/gpu: 2}}},"
		  "{name: s, restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}],"
		  "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}, "
		  "{name: b, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
		  NULL);
	pods_open(&other, "{spec: {containers: [{name: a}]}}", NULL);
	pods_open(&amd, "{spec: {containers: [{name: a, resources: {limits: {amd.com/gpu: 1}}}]}}",
		  NULL);
	is(see(machine, &two, 0, text, false),
	   "NVIDIA_VISIBLE_DEVICES=2,3 CUDA_VISIBLE_DEVICES=2,3 ROCR_VISIBLE_DEVICES= ");
	is(see(machine, &two, 1, text, true),
	   "NVIDIA_VISIBLE_DEVICES=0 CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES= "
	   "-dev:nvidia1,nvidia2,nvidia3,kfd -dri:renderD128,renderD129 ");
	is(see(machine, &two, 2, text, true),
	   "NVIDIA_VISIBLE_DEVICES=2 CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES= "
	   "-dev:nvidia0,nvidia1,nvidia3,kfd -dri:renderD128,renderD129 ");
	is(see(machine, &two, 3, text, true),
	   "NVIDIA_VISIBLE_DEVICES=3 CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES= "
	   "-dev:nvidia0,nvidia1,nvidia2,kfd -dri:renderD128,renderD129 ");
	is(see(machine, &other, 0, NULL, false),
	   "NVIDIA_VISIBLE_DEVICES=void CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES= ");
	is(see(machine, &amd, 0, "amd.com/gpu=1", true),
	   "NVIDIA_VISIBLE_DEVICES=void CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES=0 "
	   "-dev:nvidia0,nvidia1,nvidia2,nvidia3 -dri:renderD128 ");
	is(see(&bare, &two, 3, text, true), "NVIDIA_VISIBLE_DEVICES=3 CUDA_VISIBLE_DEVICES=3 ");
	is(see(&bare, &other, 0, NULL, true), "");
}

static void test_files(const struct machine *machine)
{
	AUTO(pods_close) struct pods two, amd;

	pods_open(&two, TWO, NULL);
	pods_open(&amd,
		  "{spec: {containers: [{name: a, resources: {limits: {amd.com/gpu: 1}}}, {name: "
		  "b}]}}",
		  NULL);
	is(files(machine, &two, 0, "nvidia.com/gpu=1,3"),
	   "nvidia1 nvidiactl nvidia-uvm nvidia-uvm-tools nvidia-modeset ");
	is(files(machine, &two, 1, "nvidia.com/gpu=1,3"),
	   "nvidia3 nvidiactl nvidia-uvm nvidia-uvm-tools nvidia-modeset ");
	is(files(machine, &amd, 0, "amd.com/gpu=1"), "renderD129 kfd ");
	is(files(machine, &amd, 1, "amd.com/gpu=1"), "");
}

static void test_env(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	static const char *const own[] = {"A=1", "CUDA_VISIBLE_DEVICES=7", "CUDA_VISIBLE=x", NULL};
	static const char *const more[] = {"CUDA_VISIBLE_DEVICES=0", NULL};
	struct devices_view view = {.env = more, .n_env = 1};
	size_t len = 3;
	const char *const *env = devices_env(own, &len, &view, arena);

	ok(len == 3 && !env[3], "as many as before: a pod cannot choose its devices itself");
	is(env[0], "A=1");
	is(env[1], "CUDA_VISIBLE=x");
	is(env[2], "CUDA_VISIBLE_DEVICES=0");
}

int main(void)
{
	AUTO(machine_close) struct machine machine = {0};
	struct folder in;

	folder_open(&in);
	make_machine(&in, &machine);
	test_choose(&machine);
	test_see(&machine);
	test_files(&machine);
	test_env();
	folder_close(&in);
	return tap_done();
}
