/* SPDX-License-Identifier: Apache-2.0 */
/* node/pressure.c - thresholds, ranks and words. */
#include "node/pressure.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/quantity.h"

#include "base/banned.h"

enum { PROC_FILE_MAX = 1024 * 1024, CRITICAL_PRIORITY = 2000000000 };

static const char *const resource_names[PRESSURE_SIGNAL_COUNT] = {
	[PRESSURE_MEMORY] = "memory",
	[PRESSURE_DISK] = "ephemeral-storage",
	[PRESSURE_PIDS] = "pids",
};

static int64_t threshold(const struct pressure_node *node, enum pressure_signal signal)
{
	if (signal == PRESSURE_MEMORY)
		return PRESSURE_MEMORY_BYTES;
	return node->total[signal] *
	       (signal == PRESSURE_DISK ? PRESSURE_DISK_PERCENT : PRESSURE_PIDS_PERCENT) / 100;
}

bool pressure_is_under(const struct pressure_node *node, enum pressure_signal signal)
{
	return node->total[signal] > 0 && node->available[signal] < threshold(node, signal);
}

const struct pressure_condition *pressure_condition(enum pressure_signal signal, bool under)
{
	static const struct pressure_condition rows[PRESSURE_SIGNAL_COUNT][2] = {
		[PRESSURE_MEMORY] = {{"MemoryPressure", "False", "KubeletHasSufficientMemory",
				      "kubelet has sufficient memory available",
				      "node.kubernetes.io/memory-pressure"},
				     {"MemoryPressure", "True", "KubeletHasInsufficientMemory",
				      "kubelet has insufficient memory available",
				      "node.kubernetes.io/memory-pressure"}},
		[PRESSURE_DISK] = {{"DiskPressure", "False", "KubeletHasNoDiskPressure",
				    "kubelet has no disk pressure",
				    "node.kubernetes.io/disk-pressure"},
				   {"DiskPressure", "True", "KubeletHasDiskPressure",
				    "kubelet has disk pressure",
				    "node.kubernetes.io/disk-pressure"}},
		[PRESSURE_PIDS] = {{"PIDPressure", "False", "KubeletHasSufficientPID",
				    "kubelet has sufficient PID available",
				    "node.kubernetes.io/pid-pressure"},
				   {"PIDPressure", "True", "KubeletHasInsufficientPID",
				    "kubelet has insufficient PID available",
				    "node.kubernetes.io/pid-pressure"}},
	};

	return &rows[signal][under];
}

/* --- looking --- */

/* "MemAvailable:   123 kB" in bytes. */
static int64_t member(struct str text, struct str name)
{
	struct str line;
	int64_t value;

	while (str_split(&text, '\n', &line)) {
		if (!str_starts(line, name))
			continue;
		line = str_trim(str_skip(line, name.len));
		line = str_slice(line, 0, line.len - (str_ends(line, STR(" kB")) ? 3 : 0));
		return number_parse_i64(line, &value, NULL) < 0 ? 0 : value * 1024;
	}
	return 0;
}

/* "0.20 0.18 0.12 1/80 11206": the number of threads is behind the stroke. */
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

int pressure_look(const char *proc, const char *folder, struct pressure_node *ret, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(PROC_FILE_MAX);
	struct pressure_node node = {0};
	struct statvfs disk;
	int64_t running;

	if (read_proc(proc, "meminfo", &text, err) < 0)
		return -1;
	node.total[PRESSURE_MEMORY] = member(buf_str(&text), STR("MemTotal:"));
	node.available[PRESSURE_MEMORY] = member(buf_str(&text), STR("MemAvailable:"));
	if (statvfs(folder, &disk) < 0)
		return err_errno(err, errno, "%s", folder);
	node.total[PRESSURE_DISK] = (int64_t)(disk.f_frsize * disk.f_blocks);
	node.available[PRESSURE_DISK] = (int64_t)(disk.f_frsize * disk.f_bavail);
	if (read_proc(proc, "loadavg", &text, err) < 0)
		return -1;
	running = threads(buf_str(&text));
	if (read_proc(proc, "sys/kernel/pid_max", &text, err) < 0)
		return -1;
	if (running >= 0 &&
	    number_parse_i64(str_trim(buf_str(&text)), &node.total[PRESSURE_PIDS], NULL) == 0)
		node.available[PRESSURE_PIDS] = node.total[PRESSURE_PIDS] - running;
	*ret = node;
	return 0;
}

/* --- choosing --- */

static bool is_over(const struct pressure_use *use, enum pressure_signal signal)
{
	return use->used[signal] > use->asked[signal];
}

/* Does the left one have to go before the right one? */
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

void pressure_message(enum pressure_signal signal, const struct pressure_node *node,
		      const struct pressure_use *containers, size_t len, struct buf *to)
{
	const char *resource = resource_names[signal];

	buf_printf(to, "The node was low on resource: %s. Threshold quantity: ", resource);
	put_amount(to, signal, threshold(node, signal));
	buf_puts(to, ", available: ");
	put_amount(to, signal, node->available[signal]);
	buf_puts(to, ". ");
	for (size_t i = 0; i < len; i++) {
		const struct pressure_use *use = &containers[i];

		if (signal == PRESSURE_PIDS || use->used[signal] < 0 || !is_over(use, signal))
			continue;
		buf_printf(to, "Container %.*s was using ", STR_ARG(use->name));
		put_amount(to, signal, use->used[signal]);
		buf_puts(to, ", request is ");
		put_amount(to, signal, use->asked[signal]);
		buf_printf(to, ", has larger consumption of %s. ", resource);
	}
}
