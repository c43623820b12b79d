/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/deviceshare.c - cards that pods share: vGPU, gpu-share, NPUs in the way of HAMi (docs/gpus.md).
 *
 * The cards, and who holds what of them, are in the model (sched/device/cards.h); this plugin says which sorts of
 * devices are on, hands the configuration file over, and asks about nodes. The file is a ConfigMap that the service
 * watches: another version counts from the next session on, and one that makes no sense leaves the last good one. */
#include "sched/plugin/deviceshare.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/core/configmap.h"
#include "model/value/labels.h"
#include "sched/device/cards.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define DEFAULT_NAME "volcano-vgpu-device-config"
#define DEFAULT_NAMESPACE "kube-system"

struct deviceshare {
	struct arena *arena;
	struct device_settings on;
	double weight;
	char *name; /* of the ConfigMap */
	char *namespace;
};

/* --- arguments ---------------------------------------------------------------------------------- */

static int read_rule(struct deviceshare *d, struct json labels, struct device_rule *ret,
		     struct err *err)
{
	struct json_iter it = json_iter(labels);

	if (!json_is(labels, JSON_OBJ) || !json_len(labels))
		return err_set(err, ERR_INVALID, "must be labels, as {app: training}");
	ret->keys = arena_calloc(d->arena, json_len(labels), sizeof(*ret->keys));
	ret->values = arena_calloc(d->arena, json_len(labels), sizeof(*ret->values));
	while (json_next(&it)) {
		if (!json_is(it.value, JSON_STR))
			return err_set(err, ERR_INVALID, "%.*s: must be a text", STR_ARG(it.key));
		ret->keys[ret->len] = arena_str(d->arena, it.key);
		ret->values[ret->len++] = arena_str(d->arena, json_str(it.value));
	}
	return 0;
}

static int read_rules(struct deviceshare *d, struct json list, struct err *err)
{
	size_t count = json_len(list);
	struct device_rule *rules;

	if (json_is_absent(list) || json_is(list, JSON_NULL))
		return 0;
	if (!json_is(list, JSON_ARR) || count > DEVICE_RULES_MAX)
		return err_set(err, ERR_INVALID,
			       "deviceshare.GPUExclusiveRules: must be a list of at most %d labels",
			       DEVICE_RULES_MAX);
	rules = arena_calloc(d->arena, count + 1, sizeof(*rules));
	for (size_t i = 0; i < count; i++)
		if (read_rule(d, json_at(list, i), &rules[i], err) < 0)
			return err_wrap(err, "deviceshare.GPUExclusiveRules[%zu]", i);
	d->on.rules = rules;
	d->on.rule_count = count;
	return 0;
}

static int read_policy(struct deviceshare *d, struct str text, struct err *err)
{
	if (str_is(text, "binpack"))
		d->on.policy = DEVICES_BINPACK;
	else if (str_is(text, "spread"))
		d->on.policy = DEVICES_SPREAD;
	else if (text.len)
		return err_set(err, ERR_INVALID,
			       "deviceshare.SchedulePolicy: \"%.*s\" is neither binpack nor spread",
			       STR_ARG(text));
	return 0;
}

/* What upstream ends the process for; so a lenient configuration does not help either. */
static int check_types(const struct deviceshare *d, struct err *err)
{
	if (d->on.share && d->on.number)
		return err_set(err, ERR_CONFLICT,
			       "deviceshare.GPUSharingEnable and deviceshare.GPUNumberEnable "
			       "exclude each other");
	if ((d->on.share || d->on.number) && d->on.vgpu)
		return err_set(err, ERR_CONFLICT,
			       "deviceshare.VGPUEnable excludes deviceshare.GPUSharingEnable and "
			       "deviceshare.GPUNumberEnable");
	return 0;
}

static int deviceshare_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct deviceshare *d = mem_new(struct deviceshare);

	p->state = d;
	d->arena = arena_new(0);
	d->on.share = args_bool(args, "deviceshare.GPUSharingEnable", false);
	d->on.number = args_bool(args, "deviceshare.GPUNumberEnable", false);
	d->on.vgpu = args_bool(args, "deviceshare.VGPUEnable", false);
	d->on.npu = args_bool(args, "deviceshare.AscendHAMiVNPUEnable", false);
	d->weight = args_real(args, "deviceshare.ScheduleWeight", 0);
	d->name = str_dup(args_str(args, "deviceshare.KnownGeometriesCMName", STR(DEFAULT_NAME)));
	d->namespace = str_dup(
		args_str(args, "deviceshare.KnownGeometriesCMNamespace", STR(DEFAULT_NAMESPACE)));
	if (args_bool(args, "deviceshare.AscendMindClusterVNPUEnable", false))
		return err_set(err, ERR_INVALID,
			       "deviceshare.AscendMindClusterVNPUEnable: vNPUs of MindCluster are "
			       "not part of this scheduler yet");
	/* Cards are reserved here, and annotations travel with the binding: no other scheduler comes between. */
	(void)args_bool(args, "deviceshare.NodeLockEnable", false);
	if (read_policy(d, args_str(args, "deviceshare.SchedulePolicy", str_none()), err) < 0 ||
	    read_rules(d, args_get(args, "deviceshare.GPUExclusiveRules"), err) < 0)
		return -1;
	/* What a pod may share depends on its labels, which no class shows. */
	p->restless = d->on.rule_count > 0;
	return check_types(d, err);
}

static void deviceshare_free(struct plugin *p)
{
	struct deviceshare *d = p->state;

	if (!d)
		return;
	arena_free(d->arena);
	mem_free(d->name);
	mem_free(d->namespace);
	mem_free(d);
}

bool deviceshare_source(const struct config *config, struct str *ret_namespace,
			struct str *ret_name)
{
	const struct plugin *p = config_find_plugin(config, "deviceshare");
	const struct deviceshare *d = p ? p->state : NULL;

	if (!d || p->type != &deviceshare_plugin)
		return false;
	*ret_namespace = str_from(d->namespace);
	*ret_name = str_from(d->name);
	return true;
}

/* --- sessions ----------------------------------------------------------------------------------- */

/* The text of the file; none: it is not there. */
static struct str find_file(const struct deviceshare *d, const struct cluster *cluster)
{
	const struct thing *thing = cluster_find_thing(cluster, CLUSTER_CONFIGMAP,
						       str_from(d->namespace), str_from(d->name));
	const struct configmap *map = thing ? thing->view : NULL;

	return map ? labels_get(&map->data, STR(DEVICE_CONFIG_KEY)) : str_none();
}

static void configure(const struct deviceshare *d, struct cluster *cluster, struct str file,
		      uint64_t number)
{
	struct device_config *config = NULL;
	struct err err;

	err.text[0] = '\0';
	if (str_is_none(file))
		config = device_config_builtin();
	else
		config = device_config_parse(file, &err);
	cards_configure(cluster, &d->on, config, number);
	if (!config)
		cluster->devices->problem = mem_printf("ConfigMap %s/%s, %s: %s", d->namespace,
						       d->name, DEVICE_CONFIG_KEY, err.text);
}

/* It is reported once to who holds a card that is not healthy any more. */
static void report_unhealthy(struct session *ssn, struct node_info *node, uint16_t type, size_t at)
{
	struct card *card = &node->devices->pools[type].cards[at];

	if (card->healthy || card->reported)
		return;
	card->reported = true;
	LIST_EACH(&node->tasks, struct task, node_link, task) {
		bool holds = false;

		for (size_t i = 0; task->devices && i < task->devices->pieces.len; i++)
			holds |= task->devices->pieces.ptr[i].card == at &&
				 task->devices->pieces.ptr[i].type == type;
		if (holds)
			decisions_add_event(
				ssn, NULL, task, "Warning", "UnhealthyDevice",
				arena_printf(ssn->arena,
					     "card %.*s of node %.*s, which this pod uses, is "
					     "reported as unhealthy",
					     STR_ARG(card->id), STR_ARG(node->text)));
	}
}

static void report_all_unhealthy(struct session *ssn)
{
	struct cluster *cluster = ssn->cluster;

	for (size_t slot = 0; slot < cluster->nodes.len; slot++) {
		struct node_info *node = cluster->nodes.ptr[slot];

		for (size_t type = 0; node && node->devices && type < node->devices->len; type++)
			for (size_t i = 0; i < node->devices->pools[type].len; i++)
				report_unhealthy(ssn, node, (uint16_t)type, i);
	}
}

static void deviceshare_prepare(struct plugin *p)
{
	const struct deviceshare *d = p->state;
	struct cluster *cluster = p->ssn->cluster;
	struct str file = find_file(d, cluster);
	uint64_t number = hash_str(file, p->ssn->config->number);

	if (!cluster->devices || cluster->devices->number != number)
		configure(d, cluster, file, number);
	cluster->devices->session = p->ssn->id;
	if (cluster->devices->stale)
		report_all_unhealthy(p->ssn);
	cards_settle(cluster);
}

/* --- nodes -------------------------------------------------------------------------------------- */

static bool asks_for_cards(const struct plugin *p, const struct task *task)
{
	(void)p;
	return task->class->ask;
}

/* Pods that keep apart from others of their group, or by their labels, see cards otherwise. */
static uint64_t key_of(const struct plugin *p, const struct task *task)
{
	uint64_t key = cards_rules_of(p->ssn->cluster, task);

	return task->class->ask->apart ? key ^ (uint64_t)(uintptr_t)task->job : key;
}

static verdict test_cards(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	return cards_test(p->ssn->cluster, task, node);
}

static double score_cards(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	double score = cards_score(p->ssn->cluster, task, node);

	return (double)(int64_t)(score + 0.5);
}

static double weight(const struct plugin *p)
{
	return ((const struct deviceshare *)p->state)->weight;
}

static int placed(const struct plugin *p, struct task *task)
{
	return cards_reserve(p->ssn->cluster, task);
}

static void unplaced(const struct plugin *p, struct task *task)
{
	cards_release(p->ssn->cluster, task);
}

static const struct filter_row deviceshare_filters[] = {
	{.name = "DeviceShare",
	 .scope = SCOPE_NODE,
	 .applies = asks_for_cards,
	 .test = test_cards,
	 .key = key_of},
	{.name = NULL},
};
static const struct score_row deviceshare_scores[] = {
	{.name = "DeviceShare",
	 .scope = SCOPE_NODE,
	 .applies = asks_for_cards,
	 .key = key_of,
	 .weight = weight,
	 .score = score_cards},
	{.name = NULL},
};

const struct plugin_type deviceshare_plugin = {
	.name = "deviceshare",
	.alike = true,
	.new = deviceshare_new,
	.free = deviceshare_free,
	.prepare = deviceshare_prepare,
	.filters = deviceshare_filters,
	.scores = deviceshare_scores,
	.placed = placed,
	.unplaced = unplaced,
};
