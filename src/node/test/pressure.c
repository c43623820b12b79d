/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/pressure.h: thresholds, who goes first, and kubelet's words. */
#include "node/machine/pressure.h"

#include "folder.h"
#include "node/machine/cgroup_layout.h"
#include "tap.h"

#define MI (INT64_C(1) << 20)

#define GI (INT64_C(1) << 30)

static const struct pressure_limits *const usual = &pressure_limits_default;

static void test_thresholds(void)
{
	struct pressure_node node = {.total = {1000 * MI, 1000 * MI, 1000},
				     .available = {100 * MI, 50 * MI, 50}};

	for (int i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		ok(!pressure_is_under(usual, &node, (enum pressure_signal)i),
		   "%s: at the threshold",
		   pressure_condition((enum pressure_signal)i, false)->type);
	node = (struct pressure_node){.total = {1000 * MI, 1000 * MI, 1000},
				      .available = {100 * MI - 1, 50 * MI - 1, 49}};
	for (int i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		ok(pressure_is_under(usual, &node, (enum pressure_signal)i), "%s: below it",
		   pressure_condition((enum pressure_signal)i, true)->type);
	ok(pressure_threshold(usual, PRESSURE_DISK, 2000 * GI) == GI,
	   "of a large disk no more than a gibibyte must stay free");
	ok(pressure_threshold(usual, PRESSURE_PIDS, 4194304) == 1000, "nor many process numbers");
	node = (struct pressure_node){0};
	ok(!pressure_is_under(usual, &node, PRESSURE_MEMORY),
	   "what is not known is not too little");
	is(pressure_condition(PRESSURE_DISK, true)->reason, "KubeletHasDiskPressure");
	is(pressure_condition(PRESSURE_PIDS, false)->message,
	   "kubelet has sufficient PID available");
}

static void test_limits(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"memory", "\"memory\" is not SIGNAL<AMOUNT"},
		{"imagefs.available<5%",
		 "\"imagefs.available\" is none of memory.available, nodefs.available and "
		 "pid.available"},
		{"memory.available<101%", "\"101%\" is not between 0% and 100%"},
		{"memory.available<-1Mi", "\"-1Mi\" is less than nothing"},
	};
	struct pressure_limits limits = pressure_limits_default;
	struct err err = {0};

	ok(pressure_limits_parse("memory.available<2Gi, nodefs.available<12.5%", &limits, &err) ==
		   0,
	   "limits as kubelet writes them %s", err.text);
	ok(pressure_threshold(&limits, PRESSURE_MEMORY, 8 * GI) == 2 * GI, "an amount");
	ok(pressure_threshold(&limits, PRESSURE_DISK, 800 * GI) == 100 * GI,
	   "a share that was asked for has no other bound");
	ok(pressure_threshold(&limits, PRESSURE_PIDS, 1000) == 50, "what is not named stays");
	ok(pressure_limits_parse("memory.available<0", &limits, &err) == 0 &&
		   !pressure_is_under(&limits, &(struct pressure_node){.total = {GI}},
				      PRESSURE_MEMORY),
	   "none switches it off");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ok(pressure_limits_parse(rows[i].text, &limits, &err) < 0, "%s is refused",
		   rows[i].text);
		is(err.text, rows[i].error);
	}
	ok(pressure_limits_parse(NULL, &limits, &err) == 0, "none is none");
}

/* A minute of readings, one a second. */
static void test_state(void)
{
	const struct pressure_node low = {.total = {GI, GI, 1000}, .available = {MI, GI, 1000}};
	const struct pressure_node fine = {.total = {GI, GI, 1000}, .available = {GI, GI, 1000}};
	struct pressure_state state = {0};
	int64_t back = 30 * TIME_SECOND;
	int64_t evictions = 0, at = 0;

	ok(!pressure_observe(&state, usual, &fine, 1, back) && !state.under[PRESSURE_MEMORY],
	   "all is well");
	ok(pressure_observe(&state, usual, &low, 2, back) && state.under[PRESSURE_MEMORY] &&
		   !state.under[PRESSURE_DISK],
	   "memory runs short");
	for (at = 2; at < TIME_MINUTE; at += TIME_SECOND) {
		if (pressure_wants(&state, usual, &low, at) != PRESSURE_MEMORY)
			continue;
		evictions++;
		pressure_evicted(&state, at);
	}
	ok(evictions == 6, "one pod in ten seconds has to go");
	ok(pressure_observe(&state, usual, &low, at, back) == false, "it goes on");
	ok(pressure_wants(&state, usual, &fine, at + TIME_MINUTE) == PRESSURE_SIGNAL_COUNT,
	   "when there is enough again no pod is evicted");
	ok(!pressure_observe(&state, usual, &fine, at + back - 1, back) &&
		   state.under[PRESSURE_MEMORY],
	   "but the condition stays for a while");
	ok(pressure_observe(&state, usual, &fine, at + back, back) && !state.under[PRESSURE_MEMORY],
	   "and then goes");
	ok(pressure_observe(&state, usual, &low, at + back + 1, 0) &&
		   pressure_observe(&state, usual, &fine, at + back + 2, 0),
	   "or at once");
}

static bool admits(const struct pressure_state *state, const char *pod, struct buf *why)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(pod), NULL, NULL);

	buf_clear(why);
	return pressure_admits(state, json_doc_root(doc), why);
}

static void test_admits(void)
{
	static const char plain[] = "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}";
	static const char asks[] = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
				   "{\"requests\":{\"cpu\":\"1\"}}}]}}";
	static const char system[] = "{\"spec\":{\"priority\":2000000000,\"containers\":[]}}";
	static const char tolerant[] =
		"{\"spec\":{\"tolerations\":[{\"key\":\"node.kubernetes.io/memory-pressure\","
		"\"operator\":\"Exists\"}],\"containers\":[{\"name\":\"c\"}]}}";
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct pressure_state state = {0};

	ok(admits(&state, plain, &why), "a node that is well takes every pod");
	state.under[PRESSURE_MEMORY] = true;
	ok(!admits(&state, plain, &why), "one short of memory none that asks for nothing");
	is(buf_text(&why), "The node had condition: [MemoryPressure]. ");
	ok(admits(&state, asks, &why), "but those that ask");
	ok(admits(&state, tolerant, &why), "and those that tolerate it");
	state.under[PRESSURE_DISK] = true;
	ok(!admits(&state, asks, &why), "one short of disk takes none");
	is(buf_text(&why), "The node had condition: [MemoryPressure DiskPressure]. ");
	ok(admits(&state, system, &why), "but the system's");
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
	struct pressure_use containers[] = {
		{STR("a"), {2048 * MI, 0, 0}, {1024 * MI, 0, 0}},
		{STR("b"), {10 * MI, 0, 0}, {1024 * MI, 0, 0}},
		{STR("c"), {5 * MI, 0, 0}, {0, 0, 0}},
	};

	struct pressure_use pod = {.used = {0, 300 * MI, 0}};

	pressure_message(&(struct pressure_why){PRESSURE_MEMORY, 100 * MI, 51 * MI, containers, 3},
			 &text);
	is(buf_text(&text),
	   "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51Mi. "
	   "Container a was using 2Gi, request is 1Gi, has larger consumption of memory. "
	   "Container c was using 5Mi, request is 0, has larger consumption of memory. ");
	buf_clear(&text);
	pressure_message(&(struct pressure_why){PRESSURE_PIDS, 50, 12, containers, 3}, &text);
	is(buf_text(&text),
	   "The node was low on resource: pids. Threshold quantity: 50, available: 12. ");
	buf_clear(&text);
	pressure_message(&(struct pressure_why){PRESSURE_DISK, GI, 5 * MI, &pod, 1}, &text);
	is(buf_text(&text),
	   "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: "
	   "5Mi. The pod was using 300Mi, request is 0, has larger consumption of "
	   "ephemeral-storage. ");
}

static void test_look(void)
{
	struct pressure_node node = {0};
	struct err err = {0};
	struct cgroup_layout layout = {.version = CGROUP_V2};
	struct pressure_place place = {.cgroups = NULL};
	struct folder in;

	folder_open(&in);
	place.proc = place.folder = in.path;
	folder_write(&in, "meminfo", "MemTotal:  1024 kB\nMemFree: 1 kB\nMemAvailable:  512 kB\n");
	folder_write(&in, "loadavg", "0.20 0.18 0.12 1/80 11206\n");
	folder_write(&in, "sys/kernel/pid_max", "1000\n");
	ok(pressure_read(&place, &node, &err) == 0, "a made-up machine %s", err.text);
	ok(node.total[PRESSURE_MEMORY] == MI && node.available[PRESSURE_MEMORY] == MI / 2,
	   "its memory");
	ok(node.total[PRESSURE_PIDS] == 1000 && node.available[PRESSURE_PIDS] == 920,
	   "its processes");
	ok(node.total[PRESSURE_DISK] > 0, "its disk");
	layout.mount[CGROUP_MEMORY] = in.path;
	layout.self[CGROUP_MEMORY] = (char[]){"/a/b"};
	place.cgroups = &layout;
	folder_write(&in, "a/memory.max", "524288\n");
	folder_write(&in, "a/memory.current", "400000\n");
	folder_write(&in, "a/memory.stat", "anon 1\ninactive_file 100000\n");
	ok(pressure_read(&place, &node, &err) == 0 && node.total[PRESSURE_MEMORY] == 524288 &&
		   node.available[PRESSURE_MEMORY] == 224288,
	   "a control group allows less %s", err.text);
	folder_write(&in, "a/memory.current", "900000\n");
	ok(pressure_read(&place, &node, &err) == 0 && node.available[PRESSURE_MEMORY] == 0,
	   "and nothing when it is full");
	folder_write(&in, "meminfo", "MemTotal:  1024 kB\n");
	folder_write(&in, "sys/kernel/pid_max", "10\n");
	place.cgroups = NULL;
	ok(pressure_read(&place, &node, &err) == 0 && node.total[PRESSURE_MEMORY] == 0 &&
		   node.total[PRESSURE_PIDS] == 0,
	   "what makes no sense is not known");
	place = (struct pressure_place){.proc = "/proc", .folder = "/"};
	ok(pressure_read(&place, &node, &err) == 0 && node.available[PRESSURE_MEMORY] > 0,
	   "this one %s", err.text);
	folder_close(&in);
}

int main(void)
{
	test_thresholds();
	test_limits();
	test_state();
	test_admits();
	test_choose();
	test_message();
	test_look();
	return tap_done();
}
