/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/node_words.c - nodes that a pod does not ask for, that refuse it, or that other pods keep it from; see
 * node_look.h. */
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_affinity.h"
#include "sched/place/affinity.h"
#include "sched/report/node_look.h"
#include "sched/report/words.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { NAMES_MAX = 3 };

static const struct cluster *cluster_of(const struct look *l)
{
	return l->m->ssn->cluster;
}

/* --- what the pod asks for ---------------------------------------------------------------------- */

static void put_requirement(const struct node_selector_requirement *r, struct buf *to)
{
	static const char *const words[NODE_SELECTOR_OP_COUNT] = {
		[NODE_SELECTOR_NONE] = "=",
		[NODE_SELECTOR_IN] = "=",
		[NODE_SELECTOR_NOT_IN] = " other than ",
		[NODE_SELECTOR_GT] = " above ",
		[NODE_SELECTOR_LT] = " below ",
		[NODE_SELECTOR_EXISTS] = " (any value)",
		[NODE_SELECTOR_DOES_NOT_EXIST] = " (must be absent)",
	};

	buf_put_str(to, r->key);
	buf_puts(to, r->op < NODE_SELECTOR_OP_COUNT && words[r->op] ? words[r->op] : "=");
	for (size_t i = 0; i < r->values.len; i++)
		buf_printf(to, "%s%.*s", i ? " or " : "", STR_ARG(r->values.ptr[i]));
}

static void put_term(const struct node_selector_term *term, bool *any, struct buf *to)
{
	bool first = true;

	for (size_t i = 0; i < term->match_expressions.len; i++) {
		if (*any)
			buf_puts(to, first ? ", or " : " and ");
		put_requirement(&term->match_expressions.ptr[i], to);
		*any = true;
		first = false;
	}
	for (size_t i = 0; i < term->match_fields.len; i++) {
		if (*any)
			buf_puts(to, first ? ", or " : " and ");
		put_requirement(&term->match_fields.ptr[i], to);
		*any = true;
		first = false;
	}
}

/* "gpu=a100 and zone=eu" */
void look_put_selector(const struct look *l, struct buf *to)
{
	const struct pod_spec *spec = l->task->class->terms->spec;
	const struct node_affinity *affinity = spec->affinity ? spec->affinity->node : NULL;
	bool any = false;

	for (size_t i = 0; i < spec->node_selector.len; i++) {
		buf_printf(to, "%s%.*s=%.*s", any ? " and " : "",
			   STR_ARG(spec->node_selector.ptr[i].key),
			   STR_ARG(spec->node_selector.ptr[i].value));
		any = true;
	}
	for (size_t i = 0; affinity && affinity->required && i < affinity->required->terms.len; i++)
		put_term(&affinity->required->terms.ptr[i], &any, to);
}

/* Has a node this label? */
static bool is_somewhere(const struct cluster *cluster, const struct label *label)
{
	uint32_t key = symbols_find(cluster->symbols, label->key);
	uint32_t value = symbols_find(cluster->symbols, label->value);

	for (uint32_t slot = 0; key && slot < cluster->nodes.len; slot++) {
		const struct node_info *node = cluster->nodes.ptr[slot];

		if (node && node->there && node->labels &&
		    label_set_get(node->labels, key) == value && (value || !label->value.len))
			return true;
	}
	return false;
}

/* The label of the nodeSelector that no node has, if there is one. */
static const struct label *find_missing(const struct look *l)
{
	const struct labels *labels = &l->task->class->terms->spec->node_selector;

	for (size_t i = 0; i < labels->len; i++)
		if (!is_somewhere(cluster_of(l), &labels->ptr[i]))
			return &labels->ptr[i];
	return NULL;
}

void look_say_selector(struct look *l)
{
	const struct label *missing = find_missing(l);
	const struct labels *labels = &l->task->class->terms->spec->node_selector;
	const struct affinity *affinity = l->task->class->terms->spec->affinity;
	bool by_affinity = affinity && affinity->node && affinity->node->required;
	struct message *m = l->m;

	if (missing && str_is(missing->key, "kubernetes.io/hostname")) {
		buf_printf(&m->text, "there is no node `%.*s`", STR_ARG(missing->value));
		buf_printf(&m->brief, "no node %.*s", STR_ARG(missing->value));
		buf_puts(&m->advice, "Correct the name in the nodeSelector, or remove it");
		return;
	}
	buf_puts(&m->text, "no node has the label");
	if (missing)
		buf_printf(&m->text, " %.*s=%.*s", STR_ARG(missing->key), STR_ARG(missing->value));
	else
		buf_puts(&m->text, labels->len + by_affinity > 1 ? "s " : " ");
	if (!missing)
		look_put_selector(l, &m->text);
	buf_printf(&m->text, " (%zu checked)", cluster_of(l)->node_count);
	buf_puts(&m->brief, "no node has the label ");
	if (missing)
		buf_printf(&m->brief, "%.*s=%.*s", STR_ARG(missing->key), STR_ARG(missing->value));
	else
		look_put_selector(l, &m->brief);
	buf_printf(&m->advice, "Label a node, or remove the %s from the job",
		   missing || !by_affinity ? "nodeSelector" : "node affinity");
}

/* --- which nodes -------------------------------------------------------------------------------- */

static bool has_selector(const struct look *l)
{
	return l->s && l->s->wanted < l->s->nodes;
}

/* "all 3 nodes", "the 2 nodes with gpu=a100", "the 2 nodes with enough free CPU" */
static void put_which(const struct look *l, struct buf *to)
{
	uint32_t all = l->s ? l->s->nodes : (uint32_t)cluster_of(l)->node_count;
	bool some = l->nodes < all;

	if (l->nodes == 1)
		buf_puts(to, "the only node");
	else if (l->nodes == 2 && !some)
		buf_puts(to, "both nodes");
	else
		buf_printf(to, some ? "the %u nodes" : "all %u nodes", l->nodes);
	if (has_selector(l)) {
		buf_puts(to, " with the label ");
		look_put_selector(l, to);
	}
	if (l->capable && l->s && l->nodes < l->s->wanted) {
		buf_puts(to, has_selector(l) ? " and enough free " : " with enough free ");
		words_resource(&l->m->names, DIM_CPU, to);
	}
}

static const struct node_info *first_of(const struct look *l)
{
	return l->first == NODE_ABSENT ? NULL : cluster_of(l)->nodes.ptr[l->first];
}

const char *look_have(const struct look *l)
{
	return l->nodes == 1 ? "has" : "have";
}
const char *look_are(const struct look *l)
{
	return l->nodes == 1 ? "is" : "are";
}

/* "node `n1`" if it is the only one there is, else which. */
void look_put_nodes(const struct look *l, struct buf *to)
{
	const struct node_info *node = first_of(l);

	if (l->nodes == 1 && node)
		buf_printf(to, "node `%.*s`", STR_ARG(node->text));
	else
		put_which(l, to);
}

/* --- one text per code -------------------------------------------------------------------------- */

static void say_cordoned(struct look *l)
{
	const struct node_info *node = first_of(l);

	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s closed for new pods (cordoned)", look_are(l));
	buf_puts(&l->m->brief, "nodes are cordoned");
	buf_printf(&l->m->advice, "Open a node again (kubectl uncordon %.*s)",
		   STR_ARG(node ? node->text : STR("NODE")));
}

struct condition_taint {
	const char *key;
	const char *text; /* after "node `n1` " */
	const char *many;
	const char *advice;
};
static const struct condition_taint condition_taints[] = {
	{"node.kubernetes.io/unreachable", "does not answer", "do not answer",
	 "Start the node again, or remove it"},
	{"node.kubernetes.io/not-ready", "is not ready", "are not ready",
	 "Start the node agent, or look at the node's conditions (kubectl describe node)"},
	{"node.kubernetes.io/memory-pressure", "is short of memory", "are short of memory",
	 "Free memory on the node"},
	{"node.kubernetes.io/disk-pressure", "is short of disk space", "are short of disk space",
	 "Free disk space on the node"},
	{"node.kubernetes.io/pid-pressure", "has too many processes", "have too many processes",
	 "Stop processes on the node"},
	{"node.kubernetes.io/network-unavailable", "has no network", "have no network",
	 "Repair the network of the node"},
	{"node.kubernetes.io/unschedulable", "is closed for new pods (cordoned)",
	 "are closed for new pods (cordoned)", "Open the node again (kubectl uncordon)"},
};

static void say_taint(struct look *l)
{
	const struct node_info *node = first_of(l);
	const struct taint *taint =
		node ? taints_first_untolerated(&node->profile->taints,
						&l->task->class->terms->spec->tolerations,
						TAINTS_THAT_FORBID)
		     : l->why->fit->taint;
	struct message *m = l->m;

	look_put_nodes(l, &m->text);
	for (size_t i = 0; taint && i < ARRAY_LEN(condition_taints); i++) {
		const struct condition_taint *row = &condition_taints[i];

		if (!str_is(taint->key, row->key))
			continue;
		buf_printf(&m->text, " %s", l->nodes == 1 ? row->text : row->many);
		buf_printf(&m->brief, "nodes %s", row->many);
		buf_puts(&m->advice, row->advice);
		return;
	}
	buf_printf(&m->text, " %s the taint ", look_have(l));
	buf_puts(&m->brief, "taint ");
	if (taint) {
		reason_print_taint(taint, &m->text);
		reason_print_taint(taint, &m->brief);
	}
	buf_puts(&m->text, ", which this job does not tolerate");
	buf_puts(&m->advice, "Add a toleration to the job, or remove the taint from a node");
}

/* Jobs of pods that stand in the way, by name. */
struct blockers {
	const struct job *jobs[NAMES_MAX];
	size_t len;
	size_t more;
	struct str pod; /* of a pod without a job */
};

static void add_blocker(struct blockers *b, const struct task *task)
{
	if (!task->job) {
		b->pod = task_name(task);
		return;
	}
	for (size_t i = 0; i < b->len; i++)
		if (b->jobs[i] == task->job)
			return;
	if (b->len < NAMES_MAX)
		b->jobs[b->len++] = task->job;
	else
		b->more++;
}

/* "; `db` has one there" */
static void put_blockers(const struct look *l, const struct blockers *b, const char *verb)
{
	struct buf *to = &l->m->text;

	if (!b->len && !b->pod.len)
		return;
	buf_puts(to, "; ");
	for (size_t i = 0; i < b->len; i++) {
		words_join(i, b->len, to);
		if (b->jobs[i] == l->m->job)
			buf_puts(to, "its own pods");
		else
			words_name(holder_name(b->jobs[i]), to);
	}
	if (!b->len)
		buf_printf(to, "pod `%.*s`", STR_ARG(b->pod));
	if (b->more)
		buf_puts(to, " and others");
	buf_printf(to, " %s", verb);
}

typedef bool blocks_fn(const struct look *l, const struct task *task);

static struct blockers find_blockers(const struct look *l, blocks_fn *blocks)
{
	const struct cluster *cluster = cluster_of(l);
	struct blockers ret = {.len = 0};

	for (uint32_t slot = 0; l->s && slot < cluster->nodes.len; slot++)
		if (l->s->is_usable[slot])
			LIST_EACH(&cluster->nodes.ptr[slot]->tasks, struct task, node_link, task)
				if (blocks(l, task))
					add_blocker(&ret, task);
	return ret;
}

static bool uses_same_port(const struct look *l, const struct task *task)
{
	const struct terms *mine = l->task->class->terms, *its = task->class->terms;

	for (size_t i = 0; i < mine->port_count; i++)
		for (size_t j = 0; j < its->port_count; j++)
			if (mine->ports[i].port == its->ports[j].port)
				return true;
	return false;
}

static void say_ports(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	struct blockers b = find_blockers(l, uses_same_port);
	struct message *m = l->m;

	buf_printf(&m->text, "port%s", terms->port_count == 1 ? "" : "s");
	for (size_t i = 0; i < terms->port_count; i++)
		buf_printf(&m->text, "%s%d", i ? ", " : " ", terms->ports[i].port);
	buf_printf(&m->text, " of the node (hostPort) %s in use on ",
		   terms->port_count == 1 ? "is" : "are");
	look_put_nodes(l, &m->text);
	put_blockers(l, &b, b.len == 1 && !b.more ? "uses it" : "use it");
	buf_printf(&m->brief, "host port in use");
	buf_puts(&m->advice, "Wait until the port is free, use another port, or add a node");
}

static bool has_term(const struct pod_term *const *terms, size_t len, const struct pod_term *term)
{
	for (size_t i = 0; i < len; i++)
		if (terms[i] == term)
			return true;
	return false;
}

static bool matches_own(const struct terms *terms, const struct pod_term *term)
{
	return has_term((const struct pod_term *const *)terms->matched.ptr, terms->matched.len,
			term);
}

/* A pod that this one must keep away from. */
static bool is_avoided(const struct look *l, const struct task *task)
{
	const struct terms *mine = l->task->class->terms;

	for (size_t i = 0; i < mine->anti.len; i++)
		if (matches_own(task->class->terms, mine->anti.ptr[i]))
			return true;
	return false;
}

/* A pod that keeps this one away. */
static bool avoids(const struct look *l, const struct task *task)
{
	const struct terms *mine = l->task->class->terms, *its = task->class->terms;

	for (size_t i = 0; i < its->anti.len; i++)
		if (matches_own(mine, its->anti.ptr[i]))
			return true;
	return false;
}

static void put_pods_of(const struct look *l, const struct pod_term *term, struct buf *to)
{
	buf_puts(to, "pods with ");
	selector_print(&term->selector, to);
	(void)l;
}

/* The first of its anti-affinity terms that its own pods match, or NULL. */
const struct pod_term *look_own_term(const struct terms *terms)
{
	for (size_t i = 0; i < terms->anti.len; i++)
		if (matches_own(terms, terms->anti.ptr[i]))
			return terms->anti.ptr[i];
	return NULL;
}

static struct str topology_name(const struct look *l, const struct pod_term *term)
{
	return symbols_text(cluster_of(l)->symbols, term->topology->key);
}

/* Its own pods may not share a node (or zone): there are fewer of these than pods. */
void look_say_own_spread(struct look *l, const struct pod_term *term)
{
	struct message *m = l->m;
	int64_t domains = 0;
	struct str key = topology_name(l, term);
	const char *noun = str_is(key, "kubernetes.io/hostname") ? "node" : "domain";

	for (size_t i = 0; i < term->topology->nodes.len; i++)
		domains += term->topology->nodes.ptr[i] > 0;
	m->never = m->job->min_available > domains;
	if (m->never)
		buf_puts(&m->text, "can never start: ");
	buf_printf(&m->text, "its pods must be on different %ss (anti-affinity): ", noun);
	words_count(m->job->min_available, "pod", &m->text);
	buf_printf(&m->text, " at once, ");
	words_count(domains, noun, &m->text);
	if (!str_is(key, "kubernetes.io/hostname"))
		buf_printf(&m->text, " (label %.*s)", STR_ARG(key));
	buf_printf(&m->brief, "its pods need different %ss", noun);
	buf_printf(&m->advice, "Use fewer pods, add %ss, or remove the anti-affinity", noun);
}

static void say_anti_affinity(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	const struct pod_term *own = look_own_term(terms);
	struct blockers b = find_blockers(l, is_avoided);
	struct message *m = l->m;

	if (own && (!b.len || (b.len == 1 && !b.more && b.jobs[0] == m->job))) {
		look_say_own_spread(l, own);
		return;
	}
	buf_puts(&m->text, "must not share a node with ");
	if (terms->anti.len)
		put_pods_of(l, terms->anti.ptr[0], &m->text);
	buf_puts(&m->text, " (anti-affinity), and ");
	look_put_nodes(l, &m->text);
	buf_printf(&m->text, " %s such pods", l->nodes == 1 ? "runs" : "run");
	put_blockers(l, &b, b.len == 1 && !b.more ? "is one" : "are such");
	buf_puts(&m->brief, "anti-affinity to running pods");
	buf_puts(&m->advice, "Wait for these pods to end, add a node, or remove the anti-affinity");
}

static void say_existing(struct look *l)
{
	struct blockers b = find_blockers(l, avoids);
	struct message *m = l->m;

	look_put_nodes(l, &m->text);
	buf_printf(&m->text, " %s pods that must not share a node with this one (anti-affinity)",
		   l->nodes == 1 ? "runs" : "run");
	put_blockers(l, &b, b.len == 1 && !b.more ? "keeps it away" : "keep it away");
	buf_puts(&m->brief, "anti-affinity of running pods");
	buf_puts(&m->advice, "Wait for these pods to end, or add a node");
}

static void say_affinity(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	struct message *m = l->m;
	const struct pod_term *term = terms->affinity.len ? terms->affinity.ptr[0] : NULL;

	buf_puts(&m->text, "must run next to ");
	if (term)
		put_pods_of(l, term, &m->text);
	buf_puts(&m->text, term && !term->matching_total
				   ? " (affinity), and no such pod runs"
				   : " (affinity), and no node it may use has one");
	buf_puts(&m->brief, "affinity: no such pod runs");
	buf_puts(&m->advice, "Start these pods first, or remove the affinity");
}

static void say_spread(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	struct message *m = l->m;
	struct str key = terms->spread.len ? terms->spread.ptr[0].rule->topology_key : str_none();

	buf_printf(&m->text,
		   "its pods must be spread evenly over %.*s (at most %d more in one than in "
		   "another), "
		   "and those with the fewest pods cannot take one",
		   STR_ARG(key), terms->spread.len ? terms->spread.ptr[0].rule->max_skew : 1);
	buf_puts(&m->brief, "topology spread");
	buf_puts(&m->advice, "Free capacity where it has the fewest pods, or raise maxSkew");
}

static void say_spread_label(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	struct str key = terms->spread.len ? terms->spread.ptr[0].rule->topology_key : str_none();

	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s no label %.*s, by which its pods are spread", look_have(l),
		   STR_ARG(key));
	buf_printf(&l->m->brief, "nodes have no label %.*s", STR_ARG(key));
	buf_printf(&l->m->advice, "Label the nodes with %.*s, or remove the spread constraint",
		   STR_ARG(key));
}

static void say_pod_count(struct look *l)
{
	const struct node_info *node = first_of(l);
	struct message *m = l->m;

	look_put_nodes(l, &m->text);
	buf_printf(&m->text, " %s as many pods as %s", l->nodes == 1 ? "runs" : "run",
		   l->nodes == 1 ? "it may" : "they may");
	if (node)
		buf_printf(&m->text, " (%lld)",
			   (long long)columns_get(&cluster_of(l)->columns, CAPACITY_ALLOCATABLE,
						  DIM_PODS, node->slot));
	buf_puts(&m->brief, "nodes run as many pods as they may");
	buf_puts(&m->advice, "Wait for pods to end, or add a node");
}

/* --- all of them -------------------------------------------------------------------------------- */

typedef void say_fn(struct look *l);
static say_fn *const sayers[FIT_CODE_COUNT] = {
	[FIT_POD_COUNT] = say_pod_count,
	[FIT_UNSCHEDULABLE] = say_cordoned,
	[FIT_NODE_AFFINITY] = look_say_selector,
	[FIT_TAINT] = say_taint,
	[FIT_PORTS] = say_ports,
	[FIT_POD_AFFINITY] = say_affinity,
	[FIT_POD_ANTI_AFFINITY] = say_anti_affinity,
	[FIT_EXISTING_ANTI_AFFINITY] = say_existing,
	[FIT_VOLUME_ZONE] = look_say_volume_zone,
	[FIT_SPREAD_LABEL] = say_spread_label,
	[FIT_SPREAD] = say_spread,
	[FIT_VOLUME_AFFINITY] = look_say_volume_affinity,
	[FIT_VOLUME_NONE] = look_say_volume_none,
	[FIT_VOLUME_STORAGE] = look_say_volume_storage,
	[FIT_VOLUME_LOST] = look_say_volume_lost,
	[FIT_ATTACH] = look_say_attach,
	[FIT_GROUP_LABEL] = look_say_group_label,
	[FIT_GROUP_UNSET] = look_say_group_unset,
	[FIT_GROUP_MISMATCH] = look_say_group,
	[FIT_PROPORTION] = look_say_proportion,
	[FIT_SHARD] = look_say_shard,
	[FIT_ZONE_CLOSED] = look_say_zone_closed,
	[FIT_ZONE_FOREIGN] = look_say_zone_foreign,
	[FIT_OTHER] = look_say_other,
};

void look_say(struct look *l, enum fit_code code)
{
	if (sayers[code])
		sayers[code](l);
}
