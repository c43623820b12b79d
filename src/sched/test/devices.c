/* SPDX-License-Identifier: Apache-2.0 */
/* Random cards and random pods: no card is ever overcommitted, also not between two steps of a statement; and a
 * statement that is undone leaves every counter as it was. The seed is printed. */
#include "base/buf.h"
#include "build.h"
#include "random.h"
#include "sched/device/cards.h"
#include "sched/place/finder.h"
#include "sched/session/statement.h"
#include "tap.h"

#include "base/banned.h"

enum { NODES = 4, CARDS = 4, PODS = 40, WORLDS = 40, STEPS = 60 };

static const char *const policies[] = {"", ", deviceshare.SchedulePolicy: binpack",
				       ", deviceshare.SchedulePolicy: spread"};

static void add_geometries(struct cluster *c)
{
	(void)apply(c,
		    "{kind: ConfigMap, metadata: {name: volcano-vgpu-device-config, namespace: "
		    "kube-system}, data: {device-config.yaml: '{nvidia: {knownMigGeometries: "
		    "[{models: [A100], allowedGeometries: [{group: one, geometries: [{name: s, "
		    "memory: 5000, count: 7}]}, {group: two, geometries: [{name: m, memory: 10000, "
		    "count: 3}, {name: s, memory: 5000, count: 1}]}, {group: three, geometries: "
		    "[{name: l, memory: 40000, count: 1}]}]}]}}'}}");
}

static void add_cards(struct cluster *c, uint64_t *seed, int node)
{
	AUTO(buf_done) struct buf cards = BUF_INIT(SIZE_MAX);
	bool mig = random_below(seed, 3) == 0;
	uint64_t count = 1 + random_below(seed, CARDS);

	for (uint64_t i = 0; i < count; i++)
		buf_printf(&cards, "G%d-%d,%d,%d,%s,%s,%s:", node, (int)i,
			   (int)(1 + random_below(seed, 8)), mig ? 40000 : 16000,
			   mig ? "A100" : "V100", random_below(seed, 8) ? "true" : "false",
			   mig ? "mig" : "hami-core");
	(void)apply(c,
		    "{kind: Node, metadata: {name: n%d, annotations: "
		    "{volcano.sh/node-vgpu-register: \"%s\"}}, status: {allocatable: {cpu: "
		    "\"100\", memory: 64Gi, pods: \"110\", volcano.sh/vgpu-number: \"1000\", "
		    "volcano.sh/vgpu-memory: \"1000000\", volcano.sh/vgpu-cores: \"1000\"}}}",
		    node, buf_text(&cards));
}

static void put_limits(struct buf *to, uint64_t *seed)
{
	buf_printf(to, "{volcano.sh/vgpu-number: \"%d\"", (int)(1 + random_below(seed, 2)));
	switch (random_below(seed, 3)) {
	case 0:
		buf_printf(to, ", volcano.sh/vgpu-memory-percentage: \"%d\"",
			   (int)(5 + random_below(seed, 60)));
		break;
	case 1:
		buf_printf(to, ", volcano.sh/vgpu-memory: \"%d\"",
			   (int)(500 + random_below(seed, 12000)));
		break;
	default:
		break;
	}
	if (random_below(seed, 2))
		buf_printf(to, ", volcano.sh/vgpu-cores: \"%d\"",
			   (int)(random_below(seed, 6) * 20));
	buf_putc(to, '}');
}

static void add_random_pod(struct cluster *c, uint64_t *seed, int index)
{
	AUTO(buf_done) struct buf containers = BUF_INIT(SIZE_MAX);
	uint64_t count = 1 + random_below(seed, 2);

	for (uint64_t i = 0; i < count; i++) {
		buf_printf(&containers, "%s{name: c%d, resources: {requests: {cpu: 10m}, limits: ",
			   i ? ", " : "", (int)i);
		put_limits(&containers, seed);
		buf_puts(&containers, "}}");
	}
	(void)apply(c,
		    "{kind: Pod, metadata: {name: g-w-%d, namespace: default, uid: u%d, "
		    "annotations: {scheduling.k8s.io/group-name: g%s}}, spec: {schedulerName: "
		    "volcano, containers: [%s]}, status: {phase: Pending}}",
		    index, index,
		    random_below(seed, 4) ? "" : ", volcano.sh/vgpu-podgroup-policy: spread",
		    buf_text(&containers));
}

static bool is_within(const struct card *card)
{
	for (enum device_view view = 0; view < DEVICE_VIEW_COUNT; view++) {
		const struct card_use *use = &card->use[view];

		if (use->count < 0 || use->count > card->count || use->memory < 0 ||
		    use->memory > card->memory || use->cores < 0 || use->cores > 100 ||
		    (use->count && !card->healthy))
			return false;
		for (uint32_t i = 0; card->mig && i < card->mig->size; i++)
			if (card->instances[view][i] > 1)
				return false;
	}
	return true;
}

/* Is no card overcommitted? All uses go into the hash. */
static bool are_within(const struct cluster *c, struct buf *uses)
{
	buf_clear(uses);
	for (size_t i = 0; i < c->nodes.len; i++) {
		const struct node_info *node = c->nodes.ptr[i];

		for (size_t j = 0; node && node->devices && j < node->devices->pools[0].len; j++) {
			const struct card *card = &node->devices->pools[0].cards[j];

			buf_put(uses, card->use, sizeof(card->use));
			if (!is_within(card))
				return false;
		}
	}
	return true;
}

static bool try_statement(struct session *ssn, uint64_t *seed)
{
	AUTO(buf_done) struct buf before = BUF_INIT(SIZE_MAX);
	AUTO(buf_done) struct buf after = BUF_INIT(SIZE_MAX);
	struct statement *st = statement_new(ssn);
	static const struct node_set everywhere = {0};
	bool good = are_within(ssn->cluster, &before);

	for (int i = 0; good && i < STEPS; i++) {
		AUTO(mem_free) char *name = mem_printf("g-w-%d", (int)random_below(seed, PODS));
		struct task *task = task_of(ssn->cluster, name);
		struct choice choice;

		if (task->status == TASK_RUNNING && random_below(seed, 3) == 0)
			statement_evict(st, task, "test", task->job);
		else if (task->status == TASK_PENDING &&
			 finder_choose(ssn, task, &everywhere, &choice, NULL))
			(void)!(choice.idle ? statement_allocate(st, task, choice.node)
					    : statement_pipeline(st, task, choice.node, false));
		if (random_below(seed, 8) == 0)
			statement_undo_to(st, random_below(seed, statement_mark(st) + 1), false);
		good = are_within(ssn->cluster, &after) && holds(ssn->cluster);
	}
	if (!good || random_below(seed, 2) == 0) {
		statement_undo_to(st, 0, false);
		statement_discard(st);
		return good && are_within(ssn->cluster, &after) &&
		       str_eq(buf_str(&before), buf_str(&after));
	}
	statement_commit(st);
	return are_within(ssn->cluster, &after);
}

/* What was decided comes back from the API: bound pods run with their annotations, evicted ones go. */
static void answer(struct session *ssn)
{
	for (size_t i = 0; i < ssn->decisions.all.len; i++) {
		const struct decision *d = &ssn->decisions.all.ptr[i];

		if (d->kind == DECIDE_EVICT)
			cluster_evict_failed(ssn->cluster, d->task);
		else if (d->kind == DECIDE_BIND && i % 3 == 0)
			cluster_bind_failed(ssn->cluster, d->task);
	}
}

static bool try_world(uint64_t *seed)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(mem_free)
	char *text = mem_printf("{actions: allocate, tiers: [{plugins: [{name: gang}, {name: "
				"predicates}, {name: deviceshare, arguments: "
				"{deviceshare.VGPUEnable: true%s}}]}]}",
				policies[random_below(seed, ARRAY_LEN(policies))]);
	AUTO(config_free) struct config *config = configure(text);
	bool good = true;

	add_queue(c, "q");
	add_geometries(c);
	add_group(c, "g", 1, "q");
	for (int i = 0; i < NODES; i++)
		add_cards(c, seed, i);
	for (int i = 0; i < PODS; i++)
		add_random_pod(c, seed, i);
	for (int i = 0; good && i < 6; i++) {
		AUTO(session_free) struct session *ssn = session_open(c, config, 0, NULL);

		good = try_statement(ssn, seed);
		session_close(ssn);
		answer(ssn);
		good = good && holds(c);
		if (i == 3) /* cards come, go and change */
			add_cards(c, seed, (int)random_below(seed, NODES));
		good = good && holds(c);
	}
	return good;
}

int main(void)
{
	uint64_t seed = 20261118;
	bool good = true;

	for (int i = 0; good && i < WORLDS; i++) {
		uint64_t now = seed;

		good = try_world(&seed);
		if (!good)
			printf("# seed %llu\n", (unsigned long long)now);
	}
	ok(good, "no card is overcommitted, and undone statements leave no trace");
	return tap_done();
}
