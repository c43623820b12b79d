/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/node_words.c - nodes that a pod does not ask for, that refuse it, or that other pods keep it from; see
 * node_look.h. */
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_affinity.h"
#include "sched/place/affinity_index.h"
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
		[NODE_SELECTOR_NOT_IN] = " not ",
		[NODE_SELECTOR_GT] = " above ",
		[NODE_SELECTOR_LT] = " below ",
		[NODE_SELECTOR_EXISTS] = " (any value)",
		[NODE_SELECTOR_DOES_NOT_EXIST] = " not set",
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

/* Labels that say what a machine is: no one can change that by a label. */
static bool is_of_machine(struct str key)
{
	return str_is(key, "kubernetes.io/arch") || str_is(key, "kubernetes.io/os");
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
	if (!missing && by_affinity)
		buf_puts(&m->text, "no node has labels that fit: ");
	else
		buf_printf(&m->text, "no node has %s ",
			   missing || labels->len == 1 ? "the label" : "all the labels");
	if (missing)
		buf_printf(&m->text, "%.*s=%.*s", STR_ARG(missing->key), STR_ARG(missing->value));
	else
		look_put_selector(l, &m->text);
	buf_printf(&m->text, " (%zu checked)", cluster_of(l)->node_count);
	buf_printf(&m->brief, "no node has the label%s ", missing || labels->len == 1 ? "" : "s");
	if (missing)
		buf_printf(&m->brief, "%.*s=%.*s", STR_ARG(missing->key), STR_ARG(missing->value));
	else
		look_put_selector(l, &m->brief);
	buf_printf(&m->advice, "%s, or remove the %s from the job",
		   missing && is_of_machine(missing->key) ? "Add such a node" : "Label a node",
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
	/* What keeps it from the other nodes is said after it. */
	bool rest = some && l->s && !l->s->usable && !has_selector(l);

	if (rest && l->nodes > 1) {
		buf_printf(to, "%u of %u nodes", l->nodes, all);
		return;
	}
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
	if (!l->capable || !l->s || l->nodes == l->s->wanted)
		return;
	if (l->nodes == l->s->usable) {
		buf_puts(to, has_selector(l) ? " and" : "");
		buf_puts(to, " that it may use");
		return;
	}
	buf_puts(to, has_selector(l) ? " and enough free " : " with enough free ");
	if (l->s->dim == DIM_NONE)
		buf_puts(to, "capacity");
	else
		words_resource(&l->m->names, l->s->dim, to);
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

/* Taints that keep the job from nodes, each once. */
struct taint_list {
	const struct taint *at[NAMES_MAX];
	size_t len;
	bool more;
	bool differ; /* not every node has all of them */
};

static bool is_same(const struct taint *a, const struct taint *b)
{
	return str_eq(a->key, b->key) && str_eq(a->value, b->value) && a->effect == b->effect;
}

static bool add_taint(struct taint_list *list, const struct taint *taint)
{
	for (size_t i = 0; i < list->len; i++)
		if (is_same(list->at[i], taint))
			return false;
	if (list->len < NAMES_MAX)
		list->at[list->len++] = taint;
	else
		list->more = true;
	return true;
}

/* Those of one node; gives their number. */
static size_t add_taints(const struct look *l, const struct node_info *node,
			 struct taint_list *list, bool *ret_new)
{
	const struct tolerations *tolerations = &l->task->class->terms->spec->tolerations;
	const struct taints *all = &node->profile->taints;
	size_t count = 0;

	for (size_t i = 0; i < all->len; i++) {
		const struct taints one = {&all->ptr[i], 1};

		if (!taints_first_untolerated(&one, tolerations, TAINTS_THAT_FORBID))
			continue;
		count++;
		*ret_new |= add_taint(list, &all->ptr[i]);
	}
	return count;
}

static struct taint_list find_taints(const struct look *l)
{
	const struct cluster *cluster = cluster_of(l);
	struct taint_list list = {.len = 0};
	size_t first = 0;

	if (!l->s && first_of(l)) {
		bool is_new = false;

		add_taints(l, first_of(l), &list, &is_new);
	} else if (!l->s && l->why->fit->taint) {
		add_taint(&list, l->why->fit->taint);
	}
	for (uint32_t slot = 0; l->s && slot < cluster->nodes.len; slot++) {
		const struct survey_node *at = &l->s->at[slot];
		bool is_new = false;
		size_t count;

		if (!at->wanted || !(at->codes & VERDICT(FIT_TAINT)) ||
		    (l->capable && !at->capable))
			continue;
		count = add_taints(l, cluster->nodes.ptr[slot], &list, &is_new);
		list.differ |= first && (is_new || count != first);
		first = first ? first : count;
	}
	return list;
}

static void put_taints(const struct taint_list *list, struct buf *to)
{
	size_t len = list->len + list->more;

	for (size_t i = 0; i < list->len; i++) {
		words_join(i, len, to);
		reason_print_taint(list->at[i], to);
	}
	buf_puts(to, list->more ? " and more" : "");
}

static bool say_condition(struct look *l, const struct taint *taint)
{
	struct message *m = l->m;

	for (size_t i = 0; taint && i < ARRAY_LEN(condition_taints); i++) {
		const struct condition_taint *row = &condition_taints[i];

		if (!str_is(taint->key, row->key))
			continue;
		buf_printf(&m->text, " %s", l->nodes == 1 ? row->text : row->many);
		buf_printf(&m->brief, "nodes %s", row->many);
		buf_puts(&m->advice, row->advice);
		return true;
	}
	return false;
}

static void say_taint(struct look *l)
{
	struct taint_list list = find_taints(l);
	struct message *m = l->m;
	bool many = list.len > 1;

	look_put_nodes(l, &m->text);
	if (list.len && say_condition(l, list.at[0]))
		return;
	if (list.differ) {
		buf_printf(&m->text, " %s taints that this job does not tolerate: ", look_have(l));
		put_taints(&list, &m->text);
	} else {
		buf_printf(&m->text, " %s the taint%s ", look_have(l), many ? "s" : "");
		put_taints(&list, &m->text);
		buf_puts(&m->text, ", which this job does not tolerate");
	}
	buf_puts(&m->brief, many ? "taints " : "taint ");
	put_taints(&list, &m->brief);
	if (many && !list.differ)
		buf_puts(&m->advice, "Add a toleration of each taint to the job, or remove the "
				     "taints from a node");
	else
		buf_puts(&m->advice,
			 "Add a toleration to the job, or remove the taint from a node");
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
		if (l->s->at[slot].usable)
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

static void put_ports(const struct terms *terms, struct buf *to)
{
	buf_printf(to, "port%s", terms->port_count == 1 ? "" : "s");
	for (size_t i = 0; i < terms->port_count; i++)
		buf_printf(to, "%s%d", i ? ", " : " ", terms->ports[i].port);
}

static void say_ports(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	struct blockers b = find_blockers(l, uses_same_port);
	struct message *m = l->m;

	if (l->s && !b.len && !b.pod.len && m->job->min_available > 1) {
		look_say_apart(l, NULL);
		return;
	}
	put_ports(terms, &m->text);
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

static void put_pods_of(const struct pod_term *term, struct buf *to)
{
	buf_puts(to, "pods with ");
	selector_print(&term->selector, to);
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

/* Places for pods that may not share one: domains of the term, or nodes. */
struct places {
	uint32_t usable;
	uint32_t now; /* of these, with a node that can take a pod now */
};

static struct places count_places(const struct look *l, const struct pod_term *term)
{
	const struct cluster *cluster = cluster_of(l);
	size_t domains = term ? term->topology->nodes.len : 0;
	uint8_t *seen = arena_zalloc(l->m->ssn->arena, domains + 1);
	enum { SEEN = 1, SEEN_FREE = 2 };
	struct places ret = {0};

	for (uint32_t slot = 0; l->s && slot < cluster->nodes.len; slot++) {
		const struct survey_node *at = &l->s->at[slot];
		uint32_t domain = term ? topology_domain(term->topology, slot) : 0;
		bool is_free = at->capable && !at->codes;

		if (!at->usable || (term && domain >= domains))
			continue;
		ret.usable += !term || !(seen[domain] & SEEN);
		ret.now += is_free && (!term || !(seen[domain] & SEEN_FREE));
		seen[domain] |= SEEN | (is_free ? SEEN_FREE : 0);
	}
	return ret;
}

void look_say_apart(struct look *l, const struct pod_term *term)
{
	struct message *m = l->m;
	struct places places = count_places(l, term);
	struct str key = term ? topology_name(l, term) : STR("kubernetes.io/hostname");
	bool by_node = str_is(key, "kubernetes.io/hostname");

	m->never = l->s && m->job->min_available > (int64_t)places.usable;
	if (m->never)
		buf_puts(&m->text, "can never start: ");
	buf_printf(&m->text, "its %lld pods ", (long long)m->job->min_available);
	if (term) {
		buf_puts(&m->text, "must be on different nodes (anti-affinity)");
	} else {
		buf_puts(&m->text, "each need ");
		put_ports(l->task->class->terms, &m->text);
		buf_puts(&m->text, " of a node (hostPort)");
	}
	if (!by_node)
		buf_printf(&m->text, ", each with another value of the label %.*s", STR_ARG(key));
	if (l->s && !m->never)
		buf_printf(&m->text, ", and only %u of %u can take one now", places.now,
			   places.usable);
	else if (l->s && by_node)
		buf_printf(&m->text, ", and it may use %u node%s", places.usable,
			   places.usable == 1 ? "" : "s");
	else if (l->s)
		buf_printf(&m->text, ", and there %s %u", places.usable == 1 ? "is" : "are",
			   places.usable);
	buf_puts(&m->brief, "its pods need different nodes");
	buf_printf(&m->advice, "%s fewer pods, add nodes%s, or remove the %s",
		   m->never ? "Use" : "Wait for pods to end, use",
		   by_node ? "" : " with other values of the label",
		   term ? "anti-affinity" : "hostPort");
}

static void say_anti_affinity(struct look *l)
{
	const struct terms *terms = l->task->class->terms;
	const struct pod_term *own = look_own_term(terms);
	struct blockers b = find_blockers(l, is_avoided);
	struct message *m = l->m;

	if (own && (!b.len || (b.len == 1 && !b.more && b.jobs[0] == m->job))) {
		look_say_apart(l, own);
		return;
	}
	buf_puts(&m->text, "must not share a node with ");
	if (terms->anti.len)
		put_pods_of(terms->anti.ptr[0], &m->text);
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
		put_pods_of(term, &m->text);
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
	[FIT_DEVICE_NONE] = look_say_devices,
	[FIT_VGPU] = look_say_devices,
	[FIT_VGPU_NEVER] = look_say_devices,
	[FIT_GPU_MEMORY] = look_say_devices,
	[FIT_GPU_NUMBER] = look_say_devices,
	[FIT_NPU] = look_say_devices,
	[FIT_NPU_NEVER] = look_say_devices,
	[FIT_NUMA] = look_say_numa,
	[FIT_OTHER] = look_say_other,
};

void look_say(struct look *l, enum fit_code code)
{
	if (sayers[code])
		sayers[code](l);
}
