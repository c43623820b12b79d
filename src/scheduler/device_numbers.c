/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/device_numbers.c - metrics of cards that pods share (scheduler specification, part 8): what each card has,
 * what is used of it, and which pod uses how much. Made of the model when they are asked for. */
#include "base/buf.h"
#include "sched/cluster/cluster.h"
#include "sched/device/device.h"
#include "scheduler/numbers.h"

#include "base/banned.h"

typedef int64_t card_value_fn(const struct card *card);
typedef int64_t piece_value_fn(const struct device_piece *piece);

static int64_t shared_by(const struct card *card)
{
	return card->use[DEVICES_NOW].count;
}
static int64_t memory_used(const struct card *card)
{
	return card->use[DEVICES_NOW].memory;
}
static int64_t cores_used(const struct card *card)
{
	return card->use[DEVICES_NOW].cores;
}
static int64_t memory_of(const struct card *card)
{
	return card->memory;
}
static int64_t piece_memory(const struct device_piece *piece)
{
	return piece->memory;
}
static int64_t piece_cores(const struct device_piece *piece)
{
	return piece->cores;
}

static const struct {
	const char *name;
	const char *help;
	card_value_fn *value;
} card_rows[] = {
	{"vgpu_device_shared_number", "Containers that share the card", shared_by},
	{"vgpu_device_allocated_memory", "Memory of the card that is allocated", memory_used},
	{"vgpu_device_allocated_cores", "Percent of the card's cores that are allocated",
	 cores_used},
	{"vgpu_device_memory_limit", "Memory of the card", memory_of},
};
static const struct {
	const char *name;
	const char *help;
	piece_value_fn *value;
} piece_rows[] = {
	{"vgpu_device_memory_allocation_for_a_certain_pod",
	 "Memory of the card that a pod was given", piece_memory},
	{"vgpu_device_core_allocation_for_a_certain_pod",
	 "Percent of the card's cores that a pod was given", piece_cores},
};

/* Ids come from annotations: a label's value needs its quotes escaped. */
static void put_label(struct buf *to, const char *name, struct str value)
{
	buf_printf(to, "%s=\"", name);
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (c == '\n') {
			buf_puts(to, "\\n");
			continue;
		}
		if (c == '"' || c == '\\')
			buf_putc(to, '\\');
		buf_putc(to, c);
	}
	buf_putc(to, '"');
}

static void put_series(struct buf *to, const char *name, const struct card *card,
		       const struct node_info *node)
{
	buf_printf(to, "volcano_%s{", name);
	put_label(to, "devID", card->id);
	buf_putc(to, ',');
	put_label(to, "NodeName", node->text);
}

static void print_cards(const struct node_info *node, size_t row, struct buf *to)
{
	for (size_t type = 0; node->devices && type < node->devices->len; type++)
		for (size_t i = 0; i < node->devices->pools[type].len; i++) {
			const struct card *card = &node->devices->pools[type].cards[i];

			put_series(to, card_rows[row].name, card, node);
			buf_printf(to, "} %lld\n", (long long)card_rows[row].value(card));
		}
}

/* What a pod has of a card, all its containers together; counted at the first of its pieces there. */
static bool sum_pieces(const struct device_pieces *pieces, size_t at, piece_value_fn *value,
		       int64_t *ret)
{
	const struct device_piece *mine = &pieces->ptr[at];

	*ret = 0;
	for (size_t i = 0; i < pieces->len; i++) {
		const struct device_piece *piece = &pieces->ptr[i];

		if (piece->type != mine->type || piece->card != mine->card)
			continue;
		if (i < at)
			return false;
		*ret += value(piece);
	}
	return mine->card != CARD_NONE;
}

static void print_pieces(const struct task *task, size_t row, struct buf *to)
{
	const struct node_devices *node = task->node->devices;
	const struct device_pieces *pieces = &task->devices->pieces;
	int64_t sum;

	for (size_t i = 0; node && i < pieces->len; i++) {
		const struct device_piece *piece = &pieces->ptr[i];

		if (piece->type >= node->len || !sum_pieces(pieces, i, piece_rows[row].value, &sum))
			continue;
		put_series(to, piece_rows[row].name, &node->pools[piece->type].cards[piece->card],
			   task->node);
		buf_putc(to, ',');
		put_label(to, "podName", task_key(task));
		buf_printf(to, "} %lld\n", (long long)sum);
	}
}

static void put_head(struct buf *to, const char *name, const char *help)
{
	buf_printf(to, "# HELP volcano_%s %s\n# TYPE volcano_%s gauge\n", name, help, name);
}

void numbers_print_devices(const struct cluster *cluster, struct buf *to)
{
	for (size_t row = 0; row < ARRAY_LEN(card_rows); row++) {
		put_head(to, card_rows[row].name, card_rows[row].help);
		for (size_t i = 0; i < cluster->nodes.len; i++)
			if (cluster->nodes.ptr[i])
				print_cards(cluster->nodes.ptr[i], row, to);
	}
	for (size_t row = 0; row < ARRAY_LEN(piece_rows); row++) {
		put_head(to, piece_rows[row].name, piece_rows[row].help);
		for (size_t i = 0; i < cluster->nodes.len; i++) {
			if (!cluster->nodes.ptr[i] || !cluster->nodes.ptr[i]->devices)
				continue;
			LIST_EACH(&cluster->nodes.ptr[i]->tasks, struct task, node_link, task)
				if (task->devices)
					print_pieces(task, row, to);
		}
	}
}
