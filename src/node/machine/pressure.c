/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/pressure.c - thresholds, readings, ranking and messages. */
#include "node/machine/pressure.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/pod/pod.h"
#include "model/value/quantity.h"
#include "node/machine/cgroup_layout.h"

#include "base/banned.h"

enum { PROC_FILE_MAX = 1024 * 1024, CRITICAL_PRIORITY = 2000000000, WHOLE = 10000 };

static const char *const resource_names[PRESSURE_SIGNAL_COUNT] = {
	[PRESSURE_MEMORY] = "memory",
	[PRESSURE_DISK] = "ephemeral-storage",
	[PRESSURE_PIDS] = "pids",
};
static const char *const signal_names[PRESSURE_SIGNAL_COUNT] = {
	[PRESSURE_MEMORY] = "memory.available",
	[PRESSURE_DISK] = "nodefs.available",
	[PRESSURE_PIDS] = "pid.available",
};

/* --- thresholds --- */

/* A large disk that is nearly full still has much space: therefore the absolute bounds. */
const struct pressure_limits pressure_limits_default = {{
	[PRESSURE_MEMORY] = {.amount = INT64_C(100) << 20},
	[PRESSURE_DISK] = {.parts = 500, .amount = INT64_C(1) << 30},
	[PRESSURE_PIDS] = {.parts = 500, .amount = 1000},
}};

static int limit_parse(struct str text, struct pressure_limit *ret, struct err *err)
{
	struct quantity amount;
	double percent;

	if (str_ends(text, STR("%"))) {
		if (number_parse_double(str_slice(text, 0, text.len - 1), &percent, err) < 0)
			return -1;
		if (!(percent >= 0 && percent <= 100))
			return err_set(err, ERR_BAD_REQUEST,
				       "\"%.*s\" is not between 0%% and 100%%", STR_ARG(text));
		*ret = (struct pressure_limit){.parts = (int64_t)(percent * 100 + 0.5)};
		return 0;
	}
	if (quantity_parse(text, &amount, err) < 0)
		return -1;
	if (quantity_sign(&amount) < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is less than nothing",
			       STR_ARG(text));
	*ret = (struct pressure_limit){.amount = quantity_value(&amount)};
	return 0;
}

static int signal_parse(struct str part, struct pressure_limits *ret, struct err *err)
{
	ptrdiff_t at = str_find_byte(part, '<', 0);
	struct str name = at < 0 ? part : str_trim(str_slice(part, 0, (size_t)at));

	if (at < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not SIGNAL<AMOUNT",
			       STR_ARG(part));
	for (size_t i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		if (str_is(name, signal_names[i]))
			return limit_parse(str_trim(str_skip(part, (size_t)at + 1)), &ret->of[i],
					   err);
	return err_set(err, ERR_BAD_REQUEST,
		       "\"%.*s\" is none of memory.available, nodefs.available and pid.available",
		       STR_ARG(name));
}

int pressure_limits_parse(const char *text, struct pressure_limits *ret, struct err *err)
{
	struct pressure_limits limits = *ret;
	struct str rest = str_from(text ? text : "");
	struct str part;

	while (rest.len && str_split(&rest, ',', &part))
		if (signal_parse(str_trim(part), &limits, err) < 0)
			return -1;
	*ret = limits;
	return 0;
}

int64_t pressure_threshold(const struct pressure_limits *limits, enum pressure_signal signal,
			   int64_t total)
{
	const struct pressure_limit *limit = &limits->of[signal];
	int64_t part = total / WHOLE * limit->parts + total % WHOLE * limit->parts / WHOLE;

	if (limit->parts == 0 || (limit->amount > 0 && limit->amount < part))
		return limit->amount;
	return part;
}

bool pressure_is_under(const struct pressure_limits *limits, const struct pressure_node *node,
		       enum pressure_signal signal)
{
	return node->total[signal] > 0 &&
	       node->available[signal] < pressure_threshold(limits, signal, node->total[signal]);
}

/* --- how the node is --- */

bool pressure_observe(struct pressure_state *state, const struct pressure_limits *limits,
		      const struct pressure_node *node, int64_t now, int64_t transition)
{
	bool changed = false;

	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++) {
		bool crossed = pressure_is_under(limits, node, (enum pressure_signal)i);
		bool under;

		if (crossed)
			state->crossed[i] = now;
		under = crossed || (state->under[i] && now - state->crossed[i] < transition);
		changed = changed || under != state->under[i];
		state->under[i] = under;
	}
	return changed;
}

enum pressure_signal pressure_wants(const struct pressure_state *state,
				    const struct pressure_limits *limits,
				    const struct pressure_node *node, int64_t now)
{
	if (now < state->evict_after)
		return PRESSURE_SIGNAL_COUNT;
	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		if (pressure_is_under(limits, node, (enum pressure_signal)i))
			return (enum pressure_signal)i;
	return PRESSURE_SIGNAL_COUNT;
}

void pressure_evicted(struct pressure_state *state, int64_t now)
{
	state->evict_after = now + PRESSURE_PAUSE;
}

const struct pressure_condition *pressure_condition(enum pressure_signal signal, bool under)
{
	static const struct pressure_condition rows[PRESSURE_SIGNAL_COUNT][2] = {
		[PRESSURE_MEMORY] = {{"MemoryPressure", "False", "KubeletHasSufficientMemory",
				      "kubelet has sufficient memory available"},
				     {"MemoryPressure", "True", "KubeletHasInsufficientMemory",
				      "kubelet has insufficient memory available"}},
		[PRESSURE_DISK] = {{"DiskPressure", "False", "KubeletHasNoDiskPressure",
				    "kubelet has no disk pressure"},
				   {"DiskPressure", "True", "KubeletHasDiskPressure",
				    "kubelet has disk pressure"}},
		[PRESSURE_PIDS] = {{"PIDPressure", "False", "KubeletHasSufficientPID",
				    "kubelet has sufficient PID available"},
				   {"PIDPressure", "True", "KubeletHasInsufficientPID",
				    "kubelet has insufficient PID available"}},
	};

	return &rows[signal][under];
}

static bool tolerates_memory(struct json pod)
{
	struct json list = json_get(json_get(pod, "spec"), "tolerations");

	for (struct json_iter it = json_iter(list); json_next(&it);) {
		struct str key = json_str(json_get(it.value, "key"));
		struct str effect = json_str(json_get(it.value, "effect"));
		bool exists = str_is(json_str(json_get(it.value, "operator")), "Exists");
		bool is = str_is(key, "node.kubernetes.io/memory-pressure") &&
			  (exists || json_str(json_get(it.value, "value")).len == 0);

		if ((is || (exists && key.len == 0)) &&
		    (effect.len == 0 || str_is(effect, "NoSchedule")))
			return true;
	}
	return false;
}

bool pressure_admits(const struct pressure_state *state, struct json pod, struct buf *why)
{
	bool other = state->under[PRESSURE_DISK] || state->under[PRESSURE_PIDS];
	const char *between = "";

	if ((!other && !state->under[PRESSURE_MEMORY]) ||
	    json_int(json_get(json_get(pod, "spec"), "priority")) >= CRITICAL_PRIORITY)
		return true;
	if (!other && (pod_qos_of(pod) != POD_QOS_BEST_EFFORT || tolerates_memory(pod)))
		return true;
	buf_puts(why, "The node had condition: [");
	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++) {
		if (!state->under[i])
			continue;
		buf_printf(why, "%s%s", between,
			   pressure_condition((enum pressure_signal)i, true)->type);
		between = " ";
	}
	buf_puts(why, "]. ");
	return false;
}

/* --- looking --- */

/* "MemAvailable: 123 kB" in bytes; -1: not found. */
static int64_t member(struct str text, struct str name)
{
	struct str line;
	int64_t value;

	while (str_split(&text, '\n', &line)) {
		if (!str_starts(line, name))
			continue;
		line = str_trim(str_skip(line, name.len));
		line = str_slice(line, 0, line.len - (str_ends(line, STR(" kB")) ? 3 : 0));
		return number_parse_i64(line, &value, NULL) < 0 ? -1 : value * 1024;
	}
	return -1;
}

/* "0.20 0.18 0.12 1/80 11206": the number of threads is after the slash. */
static int64_t threads(struct str text)
{
	struct str rest = str_trim(text);
	struct str word;
	int64_t value;

	for (int i = 0; i < 4; i++)
		if (!str_split(&rest, ' ', &word))
			return -1;
	rest = word;
	if (!str_split(&rest, '/', &word) || number_parse_i64(rest, &value, NULL) < 0)
		return -1;
	return value;
}

static int read_proc(const char *proc, const char *name, struct buf *to, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", proc, name);

	buf_clear(to);
	return fd_read_file(path, to, err);
}

/* A group may allow less than the machine has. */
static void bound_memory(const struct cgroup_layout *cgroups, struct pressure_node *node)
{
	int64_t limit = cgroups ? cgroup_layout_memory_limit(cgroups) : 0;
	int64_t left;

	if (limit == 0 || limit >= node->total[PRESSURE_MEMORY])
		return;
	node->total[PRESSURE_MEMORY] = limit;
	left = cgroup_layout_memory_left(cgroups);
	if (left >= 0 && left < node->available[PRESSURE_MEMORY])
		node->available[PRESSURE_MEMORY] = left;
}

int pressure_read(const struct pressure_place *place, struct pressure_node *ret, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(PROC_FILE_MAX);
	struct pressure_node node = {0};
	struct statvfs disk;
	int64_t running, most;

	if (read_proc(place->proc, "meminfo", &text, err) < 0)
		return -1;
	node.total[PRESSURE_MEMORY] = member(buf_str(&text), STR("MemTotal:"));
	node.available[PRESSURE_MEMORY] = member(buf_str(&text), STR("MemAvailable:"));
	if (node.available[PRESSURE_MEMORY] < 0)
		node.total[PRESSURE_MEMORY] = 0; /* the kernel does not say */
	bound_memory(place->cgroups, &node);
	if (statvfs(place->folder, &disk) < 0)
		return err_errno(err, errno, "%s", place->folder);
	node.total[PRESSURE_DISK] = (int64_t)(disk.f_frsize * disk.f_blocks);
	node.available[PRESSURE_DISK] = (int64_t)(disk.f_frsize * disk.f_bavail);
	if (read_proc(place->proc, "loadavg", &text, err) < 0)
		return -1;
	running = threads(buf_str(&text));
	if (read_proc(place->proc, "sys/kernel/pid_max", &text, err) < 0)
		return -1;
	/* In a container the two may have different scopes: then nothing is known. */
	if (number_parse_i64(str_trim(buf_str(&text)), &most, NULL) == 0 && running >= 0 &&
	    running <= most) {
		node.total[PRESSURE_PIDS] = most;
		node.available[PRESSURE_PIDS] = most - running;
	}
	*ret = node;
	return 0;
}

/* --- choosing --- */

static bool is_over(const struct pressure_use *use, enum pressure_signal signal)
{
	return use->used[signal] > use->asked[signal];
}

/* Does the left pod have to be evicted before the right one? */
static bool goes_first(enum pressure_signal signal, const struct pressure_pod *left,
		       const struct pressure_pod *right)
{
	const struct pressure_use *l = &left->use, *r = &right->use;
	bool l_known = l->used[signal] >= 0, r_known = r->used[signal] >= 0;

	if (signal != PRESSURE_PIDS) {
		if (l_known != r_known)
			return !l_known;
		if (l_known && is_over(l, signal) != is_over(r, signal))
			return is_over(l, signal);
	}
	if (left->priority != right->priority)
		return left->priority < right->priority;
	return l->used[signal] - l->asked[signal] > r->used[signal] - r->asked[signal];
}

ssize_t pressure_choose(enum pressure_signal signal, const struct pressure_pod *pods, size_t len)
{
	ssize_t chosen = -1;

	for (size_t i = 0; i < len; i++) {
		if (pods[i].ended || pods[i].priority >= CRITICAL_PRIORITY)
			continue;
		if (chosen < 0 || goes_first(signal, &pods[i], &pods[chosen]))
			chosen = (ssize_t)i;
	}
	return chosen;
}

/* --- words --- */

static void put_amount(struct buf *to, enum pressure_signal signal, int64_t value)
{
	struct quantity amount = quantity_make(value, signal == PRESSURE_PIDS ? QUANTITY_DECIMAL_SI
									      : QUANTITY_BINARY_SI);
	char text[QUANTITY_TEXT_SIZE];

	buf_puts(to, quantity_canonical(&amount, text));
}

void pressure_message(const struct pressure_why *why, struct buf *to)
{
	enum pressure_signal signal = why->signal;
	const char *resource = resource_names[signal];

	buf_printf(to, "The node was low on resource: %s. Threshold quantity: ", resource);
	put_amount(to, signal, why->threshold);
	buf_puts(to, ", available: ");
	put_amount(to, signal, why->available);
	buf_puts(to, ". ");
	for (size_t i = 0; i < why->len; i++) {
		const struct pressure_use *use = &why->containers[i];

		if (signal == PRESSURE_PIDS || use->used[signal] < 0 || !is_over(use, signal))
			continue;
		if (use->name.len)
			buf_printf(to, "Container %.*s was using ", STR_ARG(use->name));
		else
			buf_puts(to, "The pod was using ");
		put_amount(to, signal, use->used[signal]);
		buf_puts(to, ", request is ");
		put_amount(to, signal, use->asked[signal]);
		buf_printf(to, ", has larger consumption of %s. ", resource);
	}
}
