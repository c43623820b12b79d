/* SPDX-License-Identifier: Apache-2.0 */
/* node/pressure.h: thresholds, who goes first, and kubelet's words. */
#include "node/pressure.h"

#include "folder.h"
#include "tap.h"

#define MI (INT64_C(1) << 20)

static void test_thresholds(void)
{
	struct pressure_node node = {.total = {1000 * MI, 1000 * MI, 1000},
				     .available = {100 * MI, 100 * MI, 50}};

	for (int i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		ok(!pressure_is_under(&node, (enum pressure_signal)i), "%s: at the threshold",
		   pressure_condition((enum pressure_signal)i, false)->type);
	node = (struct pressure_node){.total = {1000 * MI, 1000 * MI, 1000},
				      .available = {100 * MI - 1, 100 * MI - 1, 49}};
	for (int i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		ok(pressure_is_under(&node, (enum pressure_signal)i), "%s: below it",
		   pressure_condition((enum pressure_signal)i, true)->type);
	is(pressure_condition(PRESSURE_DISK, true)->reason, "KubeletHasDiskPressure");
	is(pressure_condition(PRESSURE_PIDS, false)->message,
	   "kubelet has sufficient PID available");
}

static void test_choose(void)
{
	struct pressure_pod pods[] = {
		{.use = {STR("within"), {50, 9, 5}, {100, 0, 0}}, .priority = -5},
		{.use = {STR("over, high"), {300, 9, 900}, {100, 0, 0}}, .priority = 10},
		{.use = {STR("over, low"), {150, 9, 7}, {100, 0, 0}}, .priority = 0},
		{.use = {STR("further over, low"), {170, 9, 6}, {110, 0, 0}}, .priority = 0},
		{.use = {STR("system"), {900, 9, 9}, {0, 0, 0}}, .priority = 2000001000},
		{.use = {STR("ended"), {900, 9, 9}, {0, 0, 0}}, .ended = true},
	};

	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == 3,
	   "over its request first, lowest priority, furthest over");
	pods[3].ended = true;
	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == 2, "then the next of that priority");
	pods[2].ended = true;
	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == 1, "then who is over, of higher priority");
	pods[1].ended = true;
	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == 0, "then who is within its request");
	pods[0].ended = true;
	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == -1, "never the system's");
	pods[0].ended = pods[1].ended = pods[2].ended = false;
	ok(pressure_choose(PRESSURE_PIDS, pods, 6) == 0, "processes: by priority alone");
	pods[2].use.used[PRESSURE_MEMORY] = -1;
	ok(pressure_choose(PRESSURE_MEMORY, pods, 6) == 2, "whose use is not known goes first");
}

static void test_message(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct pressure_node node = {.total = {1000 * MI, 1000 * MI, 1000},
				     .available = {51 * MI, 100 * MI, 12}};
	struct pressure_use containers[] = {
		{STR("a"), {2048 * MI, 0, 0}, {1024 * MI, 0, 0}},
		{STR("b"), {10 * MI, 0, 0}, {1024 * MI, 0, 0}},
		{STR("c"), {5 * MI, 0, 0}, {0, 0, 0}},
	};

	pressure_message(PRESSURE_MEMORY, &node, containers, 3, &text);
	is(buf_text(&text),
	   "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51Mi. "
	   "Container a was using 2Gi, request is 1Gi, has larger consumption of memory. "
	   "Container c was using 5Mi, request is 0, has larger consumption of memory. ");
	buf_clear(&text);
	pressure_message(PRESSURE_PIDS, &node, containers, 3, &text);
	is(buf_text(&text),
	   "The node was low on resource: pids. Threshold quantity: 50, available: 12. ");
}

static void test_look(void)
{
	struct pressure_node node = {0};
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_write(&in, "meminfo", "MemTotal:  1024 kB\nMemFree: 1 kB\nMemAvailable:  512 kB\n");
	folder_write(&in, "loadavg", "0.20 0.18 0.12 1/80 11206\n");
	folder_write(&in, "sys/kernel/pid_max", "1000\n");
	ok(pressure_look(in.path, in.path, &node, &err) == 0, "a made-up machine %s", err.text);
	ok(node.total[PRESSURE_MEMORY] == MI && node.available[PRESSURE_MEMORY] == MI / 2,
	   "its memory");
	ok(node.total[PRESSURE_PIDS] == 1000 && node.available[PRESSURE_PIDS] == 920,
	   "its processes");
	ok(node.total[PRESSURE_DISK] > 0, "its disk");
	ok(pressure_look("/proc", "/", &node, &err) == 0 && node.available[PRESSURE_MEMORY] > 0,
	   "this one %s", err.text);
	folder_close(&in);
}

int main(void)
{
	test_thresholds();
	test_choose();
	test_message();
	test_look();
	return tap_done();
}
