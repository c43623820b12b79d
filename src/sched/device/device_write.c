/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_write.c - what a pod got, as annotations for the device plugin of its node (additions, 1.4, 1.7,
 * 1.8), and a check of the counts.
 *
 * The device plugin hands out, for each of its pods in the order of vgpu-time, the first list entry that is not empty:
 * so no two pods of a node have the same time, and a container that asks for nothing has an empty entry. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "sched/cluster/cluster.h"
#include "sched/device/cards.h"

#include "base/banned.h"

static void set_number(struct json_doc *doc, struct json to, const char *key, int64_t value)
{
	json_set(doc, to, str_from(key), json_new_printf(doc, "%lld", (long long)value));
}

static const struct card *card_of(const struct task *task, const struct device_piece *piece)
{
	const struct node_devices *node = task->node->devices;

	return piece->card == CARD_NONE || !node || piece->type >= node->len
		       ? NULL
		       : &node->pools[piece->type].cards[piece->card];
}

/* "uuid,NVIDIA,3000,10:uuid,NVIDIA,3000,10:;uuid,..." */
static void print_list(const struct task *task, size_t type, struct str name, bool ended,
		       struct buf *to)
{
	const struct device_pieces *pieces = &task->devices->pieces;
	uint16_t container = 0;
	bool any = false;

	for (size_t i = 0; i < pieces->len; i++) {
		const struct device_piece *piece = &pieces->ptr[i];
		const struct card *card = card_of(task, piece);

		if (piece->type != type || !card)
			continue;
		for (; container < piece->container; container++)
			buf_putc(to, ';');
		buf_put_str(to, card->id);
		if (piece->instance != INSTANCE_NONE)
			card_print_instance(card, piece->instance, to);
		buf_printf(to, ",%.*s,%lld,%lld:", STR_ARG(name), (long long)piece->memory,
			   (long long)piece->cores);
		any = true;
	}
	if (any && ended)
		buf_putc(to, ';');
}

/* Keys that vGPU and NPUs have alike. */
struct bind_keys {
	const char *node;
	const char *time;
	const char *phase;
	const char *bind_time;
};
static const struct bind_keys vgpu_keys = {"volcano.sh/vgpu-node", "volcano.sh/vgpu-time",
					   "volcano.sh/bind-phase", "volcano.sh/bind-time"};
static const struct bind_keys npu_keys = {"hami.io/vgpu-node", "hami.io/vgpu-time",
					  "hami.io/bind-phase", "hami.io/bind-time"};

static void set_times(const struct task *task, const struct bind_keys *keys, int64_t now,
		      struct json_doc *doc, struct json to)
{
	json_set_str(doc, to, keys->node, task->node->text);
	set_number(doc, to, keys->time, task->devices->time);
	json_set_str(doc, to, keys->phase, STR("allocating"));
	set_number(doc, to, keys->bind_time, now / TIME_SECOND);
}

static void write_vgpu(const struct task *task, size_t type, int64_t now, struct json_doc *doc,
		       struct json to)
{
	AUTO(buf_done) struct buf list = BUF_INIT(SIZE_MAX);

	print_list(task, type, STR("NVIDIA"), false, &list);
	set_times(task, &vgpu_keys, now, doc, to);
	json_set_str(doc, to, "volcano.sh/vgpu-ids-new", buf_str(&list));
	json_set_str(doc, to, "volcano.sh/devices-to-allocate", buf_str(&list));
}

static void write_share(const struct task *task, size_t type, int64_t now, struct json_doc *doc,
			struct json to)
{
	AUTO(buf_done) struct buf list = BUF_INIT(SIZE_MAX);
	const struct device_pieces *pieces = &task->devices->pieces;

	for (size_t i = 0; i < pieces->len; i++)
		if (pieces->ptr[i].type == type)
			buf_printf(&list, "%s%u", list.len ? "," : "", pieces->ptr[i].card);
	json_set_str(doc, to, "volcano.sh/gpu-index", buf_str(&list));
	set_number(doc, to, "volcano.sh/predicate-time", now * (INT64_C(1000000000) / TIME_SECOND));
}

/* [{"UUID":"npu-0","temp":"vir02"}] */
static void print_templates(const struct task *task, size_t type, const struct npu_config *npu,
			    struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json list = json_new_arr(doc);
	const struct device_pieces *pieces = &task->devices->pieces;

	json_doc_set_root(doc, list);
	for (size_t i = 0; i < pieces->len; i++) {
		const struct card *card = card_of(task, &pieces->ptr[i]);
		struct json one = json_new_obj(doc);
		struct str template;

		if (pieces->ptr[i].type != type || !card)
			continue;
		(void)npu_trim(npu, pieces->ptr[i].memory, &template);
		json_set_str(doc, one, "UUID", card->id);
		if (template.len)
			json_set_str(doc, one, "temp", template);
		json_append(doc, list, one);
	}
	json_print(list, JSON_COMPACT, to);
}

static void write_npu(const struct task *task, size_t type, const struct npu_config *npu,
		      int64_t now, struct json_doc *doc, struct json to)
{
	AUTO(buf_done) struct buf list = BUF_INIT(SIZE_MAX);
	AUTO(buf_done) struct buf templates = BUF_INIT(SIZE_MAX);
	AUTO(mem_free)
	char *wanted = mem_printf("hami.io/%.*s-devices-to-allocate", STR_ARG(npu->word));
	AUTO(mem_free)
	char *held = mem_printf("hami.io/%.*s-devices-allocated", STR_ARG(npu->word));
	AUTO(mem_free) char *runtime = mem_printf("huawei.com/%.*s", STR_ARG(npu->word));

	print_list(task, type, npu->word, true, &list);
	print_templates(task, type, npu, &templates);
	set_times(task, &npu_keys, now, doc, to);
	set_number(doc, to, "predicate-time", now / TIME_SECOND);
	json_set_str(doc, to, wanted, buf_str(&list));
	json_set_str(doc, to, held, buf_str(&list));
	json_set_str(doc, to, runtime, buf_str(&templates));
}

static bool has_type(const struct task *task, size_t type)
{
	const struct device_pieces *pieces = &task->devices->pieces;

	for (size_t i = 0; i < pieces->len; i++)
		if (pieces->ptr[i].type == type)
			return true;
	return false;
}

bool cards_annotate(const struct cluster *cluster, const struct task *task, int64_t now,
		    struct json_doc *doc, struct json annotations)
{
	const struct devices *devices = cluster->devices;

	if (!devices || !task->node || !task->devices || !task->devices->pieces.len)
		return false;
	for (size_t i = 0; i < devices->type_count; i++) {
		if (!has_type(task, i))
			continue;
		switch (devices->types[i].kind) {
		case DEVICE_VGPU:
			write_vgpu(task, i, now, doc, annotations);
			break;
		case DEVICE_SHARE:
			write_share(task, i, now, doc, annotations);
			break;
		case DEVICE_NPU:
			write_npu(task, i, devices->types[i].npu, now, doc, annotations);
			break;
		}
	}
	return true;
}

void cards_stamp(struct task *task, int64_t now)
{
	struct node_devices *node = task->node ? task->node->devices : NULL;
	int64_t seconds = now / TIME_SECOND;

	if (!task->devices || !node)
		return;
	node->last_time = seconds > node->last_time ? seconds : node->last_time + 1;
	task->devices->time = node->last_time;
}

/* --- check -------------------------------------------------------------------------------------- */

static void add_expected(const struct task *task, size_t type, size_t card,
			 struct card_use *expected)
{
	const struct device_pieces *pieces = &task->devices->pieces;

	for (enum device_view view = 0; view < DEVICE_VIEW_COUNT; view++)
		for (size_t i = 0; i < pieces->len; i++) {
			const struct device_piece *piece = &pieces->ptr[i];

			if (piece->type != type || piece->card != card ||
			    task->status == (view == DEVICES_NOW ? TASK_PIPELINED : TASK_RELEASING))
				continue;
			expected[view].count++;
			expected[view].memory += piece->charged;
			expected[view].cores += piece->cores;
		}
}

static char *check_card(const struct node_info *node, size_t type, size_t at)
{
	const struct card *card = &node->devices->pools[type].cards[at];
	struct card_use expected[DEVICE_VIEW_COUNT] = {0};

	LIST_EACH(&node->tasks, struct task, node_link, task)
		if (task->devices)
			add_expected(task, type, at, expected);
	for (enum device_view view = 0; view < DEVICE_VIEW_COUNT; view++)
		if (expected[view].count != card->use[view].count ||
		    expected[view].memory != card->use[view].memory ||
		    expected[view].cores != card->use[view].cores)
			return mem_printf("node %.*s: what is used of card %.*s is not what its "
					  "tasks hold",
					  STR_ARG(node->text), STR_ARG(card->id));
	return NULL;
}

char *cards_check(const struct cluster *cluster, const struct node_info *node)
{
	char *wrong = NULL;

	if (!cluster->devices || !node->devices)
		return NULL;
	for (size_t type = 0; type < node->devices->len; type++)
		for (size_t i = 0; !wrong && i < node->devices->pools[type].len; i++)
			wrong = check_card(node, type, i);
	return wrong;
}
