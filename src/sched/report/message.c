/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/message.c - see the header. One function per cause; the table is at the end. */
#include "sched/report/message.h"

#include "base/number.h"
#include "sched/report/words.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

static struct str subject_of(const struct message *m, const struct reason *why)
{
	return symbols_text(m->ssn->cluster->symbols, why->subject);
}

static void amount(struct message *m, int dim, int64_t value, struct buf *to)
{
	words_amount(&m->names, dim, value, to);
}

static void quantity(struct message *m, int dim, int64_t value, struct buf *to)
{
	words_quantity(&m->names, dim, value, to);
}

static void set_amounts(struct message *m, const struct demand *d)
{
	m->dim = d->dim;
	m->needs = d->needs;
	m->total = d->total;
	m->free = d->free;
	m->has_free = true;
}

/* --- those who have it -------------------------------------------------------------------------- */

void message_holders(struct message *m, const struct holders_query *query,
		     const struct holders *holders)
{
	if (!holders)
		holders = holders_find(m->ssn, query);
	m->outdated |= holders->outdated;
	m->holders = holders;
	m->reserved = query->reserved;
	m->text_len = m->text.len;
	if (!holders->len)
		return;
	buf_puts(&m->text, "; ");
	holders_print(holders, m->job, &m->names, query, &m->text);
}

/* "Wait for `first` to end", or for pods outside of jobs if there is no job. */
static void advise_wait(struct message *m)
{
	if (m->holders && m->holders->len) {
		buf_puts(&m->advice, "Wait for ");
		holders_print_names(m->holders, m->job, &m->advice);
		buf_puts(&m->advice, m->reserved ? " to run and end" : " to end");
	} else {
		buf_puts(&m->advice, "Wait for running pods to end");
	}
}

/* --- the cluster -------------------------------------------------------------------------------- */

/* Several pods need it together. */
static const char *at_once(int64_t pods)
{
	return pods > 1 ? " at once" : "";
}

static void advise_add(struct message *m, const struct demand *d)
{
	buf_puts(&m->advice, "Add a node with ");
	words_resource(&m->names, d->dim, &m->advice);
	buf_puts(&m->advice, ", or remove that request from the job");
}

void message_too_large(struct message *m, const struct demand *d, int64_t largest)
{
	const char *which = d->where[0] ? " that it may use" : "";

	m->never = true;
	set_amounts(m, d);
	buf_puts(&m->text,
		 d->pods > 1 ? "can never start: each pod needs " : "can never start: needs ");
	quantity(m, d->dim, d->each, &m->text);
	if (largest > 0) {
		buf_printf(&m->text, " on one node, the largest%s has ", which);
		amount(m, d->dim, largest, &m->text);
		buf_puts(&m->advice, "Ask for at most ");
		quantity(m, d->dim, largest, &m->advice);
		buf_puts(&m->advice, " per pod, or add a larger node");
	} else {
		buf_printf(&m->text, ", and no node%s has any", which);
		advise_add(m, d);
	}
	buf_puts(&m->brief, "can never start: needs ");
	quantity(m, d->dim, d->each, &m->brief);
	if (largest > 0)
		buf_puts(&m->brief, ", largest node has ");
	else
		buf_puts(&m->brief, ", no node has any");
	if (largest > 0)
		amount(m, d->dim, largest, &m->brief);
}

void message_never(struct message *m, const struct demand *d)
{
	m->never = true;
	set_amounts(m, d);
	buf_puts(&m->text, "can never start: needs ");
	quantity(m, d->dim, d->needs, &m->text);
	if (d->total <= 0) {
		buf_puts(&m->text, ", and no node has any");
		advise_add(m, d);
	} else {
		buf_printf(&m->text, "%s, the cluster has ", at_once(d->pods));
		amount(m, d->dim, d->total, &m->text);
		buf_puts(&m->advice, "Ask for at most ");
		quantity(m, d->dim, d->total, &m->advice);
		buf_puts(&m->advice, ", or add nodes");
	}
	buf_puts(&m->brief, "can never start: needs ");
	quantity(m, d->dim, d->needs, &m->brief);
	buf_puts(&m->brief, ", cluster has ");
	amount(m, d->dim, d->total > 0 ? d->total : 0, &m->brief);
}

/* A queue, other than the job's, that uses more than it deserves and from which nothing is reclaimed. */
static const struct queue_info *find_greedy(const struct message *m, int dim, int64_t *ret_excess)
{
	const struct cluster *cluster = m->ssn->cluster;
	const struct queue_info *found = NULL;
	size_t at = 0;
	void *value;

	while (map_next(cluster->queues, &at, NULL, &value)) {
		const struct queue_info *queue = value;
		struct queue_report report = config_queue_report(m->ssn->config, queue);
		int64_t excess;

		if (queue->reclaimable || queue == m->job->queue || !report.deserved ||
		    !list_is_empty(&queue->children))
			continue;
		excess =
			resources_get(&queue->allocated, dim) - resources_get(report.deserved, dim);
		if (excess <= 0 || (found && excess <= *ret_excess))
			continue;
		found = queue;
		*ret_excess = excess;
	}
	return found;
}

static void put_greedy(struct message *m, int dim)
{
	int64_t excess = 0;
	const struct queue_info *greedy = find_greedy(m, dim, &excess);

	if (!greedy)
		return;
	buf_printf(&m->text, "; queue `%.*s` uses ", STR_ARG(greedy->text));
	amount(m, dim, excess, &m->text);
	buf_puts(&m->text, " more than it deserves and is not reclaimable");
	buf_printf(&m->advice, ", or make queue `%.*s` reclaimable", STR_ARG(greedy->text));
}

/* What is free is reserved: for jobs that were admitted, or for which pods are being evicted. */
static void put_reserved(struct message *m, const struct demand *d)
{
	const struct holders_query query = {.dim = d->dim, .reserved = true};
	const struct holders *holders = holders_find(m->ssn, &query);

	m->text_len = m->text.len;
	m->holders = holders;
	m->reserved = true;
	m->outdated |= holders->outdated;
	buf_puts(&m->text, ", ");
	words_free(&m->names, d->dim, d->free, d->total, &m->text);
	buf_puts(&m->text, ", but reserved");
	if (holders->len) {
		buf_puts(&m->text, " for ");
		holders_print_names(holders, m->job, &m->text);
		buf_puts(&m->text, holders->len + holders->more > 1 ? ", which are ahead of it"
								    : ", which is ahead of it");
	}
	buf_puts(&m->brief, "needs ");
	quantity(m, d->dim, d->needs, &m->brief);
	buf_puts(&m->brief, ", free ones are reserved");
	advise_wait(m);
	buf_puts(&m->advice, ", give this job a higher priority, or add nodes");
}

void message_waiting(struct message *m, const struct demand *d)
{
	const struct holders_query query = {.dim = d->dim};

	set_amounts(m, d);
	buf_puts(&m->text, "waiting for ");
	words_resource(&m->names, d->dim, &m->text);
	buf_printf(&m->text, "%s: needs ", d->where);
	amount(m, d->dim, d->needs, &m->text);
	if (d->needs <= d->free) {
		put_reserved(m, d);
		return;
	}
	buf_puts(&m->text, ", ");
	words_free(&m->names, d->dim, d->free, d->total, &m->text);
	buf_puts(&m->brief, "needs ");
	quantity(m, d->dim, d->needs, &m->brief);
	buf_puts(&m->brief, ", ");
	amount(m, d->dim, d->free > 0 ? d->free : 0, &m->brief);
	buf_puts(&m->brief, " of ");
	amount(m, d->dim, d->total, &m->brief);
	buf_puts(&m->brief, " free");
	message_holders(m, &query, m->holders);
	advise_wait(m);
	buf_puts(&m->advice, ", ask for less, or add nodes");
	put_greedy(m, d->dim);
}

/* Of several resources the one that makes it impossible, else the one that is short now. */
static int worst_of(const struct cluster *cluster, const struct job *job, const struct reason *why)
{
	int best = why->dim < 0 ? -1 : (unsigned char)why->dim, rank = -1;

	for (dim_set rest = why->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t asked = resources_get(&job->min_resources, dim);
		int64_t total = resources_get(&cluster->total, dim);
		int now = asked > total                                        ? 2
			  : asked > total - resources_get(&cluster->used, dim) ? 1
									       : 0;

		if (now > rank) {
			rank = now;
			best = dim;
		}
	}
	return best;
}

static void message_cluster(struct message *m, const struct reason *why)
{
	const struct cluster *cluster = m->ssn->cluster;
	int dim = worst_of(cluster, m->job, why);
	struct demand d = {.dim = dim, .pods = m->job->min_available, .where = ""};
	int64_t largest = cluster_most(m->ssn->cluster, CAPACITY_ALLOCATABLE, dim);

	d.needs = dim == why->dim ? why->asked : resources_get(&m->job->min_resources, dim);
	d.each = d.needs;
	d.total = resources_get(&cluster->total, dim);
	d.free = d.total - resources_get(&cluster->used, dim);
	if (d.pods <= 1 && d.needs > largest)
		message_too_large(m, &d, largest);
	else if (d.needs > d.total)
		message_never(m, &d);
	else
		message_waiting(m, &d);
}

/* --- queues ------------------------------------------------------------------------------------- */

static const struct queue_info *queue_of(const struct message *m, const struct reason *why)
{
	return map_get(m->ssn->cluster->queues, subject_of(m, why));
}

/* "queue `q`", and whose limit it is if that is another queue than the job's. */
static void put_queue(struct message *m, const struct reason *why, struct buf *to)
{
	struct str name = subject_of(m, why);

	buf_printf(to, "queue `%.*s`", STR_ARG(name));
	if (m->job->queue && !str_eq(m->job->queue->text, name))
		buf_printf(to, " (above queue `%.*s`)", STR_ARG(m->job->queue->text));
}

static void set_limits(struct message *m, const struct reason *why)
{
	struct demand d = {.dim = why->dim,
			   .needs = why->asked,
			   .free = why->limit - why->have,
			   .total = why->limit};

	set_amounts(m, &d);
}

static void never_in_queue(struct message *m, const struct reason *why)
{
	m->never = true;
	buf_puts(&m->text, "can never start: needs ");
	quantity(m, why->dim, why->asked, &m->text);
	buf_printf(&m->text, "%s, ", at_once(m->job->min_available));
	put_queue(m, why, &m->text);
	if (why->limit > 0)
		buf_puts(&m->text, " may use at most ");
	else
		buf_puts(&m->text, " may use none");
	if (why->limit > 0)
		amount(m, why->dim, why->limit, &m->text);
	buf_puts(&m->brief, "can never start: needs ");
	quantity(m, why->dim, why->asked, &m->brief);
	buf_puts(&m->brief, ", queue may use ");
	amount(m, why->dim, why->limit > 0 ? why->limit : 0, &m->brief);
}

/* "2 of 2 CPUs in use" */
static void put_in_use(struct message *m, const struct reason *why, struct buf *to)
{
	amount(m, why->dim, why->have, to);
	buf_puts(to, " of ");
	quantity(m, why->dim, why->limit, to);
	buf_puts(to, " in use");
}

/* Jobs of the queue that use it, or have it reserved if what they use is not the reason. */
static void queue_holders(struct message *m, const struct reason *why)
{
	struct holders_query query = {.queue = queue_of(m, why), .dim = why->dim};

	query.reserved = why->reserved > 0 && why->have + why->asked <= why->limit;
	if (query.queue)
		message_holders(m, &query, NULL);
}

static void message_capability(struct message *m, const struct reason *why)
{
	bool reserved = why->reserved > 0 && why->have + why->asked <= why->limit;

	set_limits(m, why);
	if (why->beyond) {
		never_in_queue(m, why);
		buf_puts(&m->advice, "Ask for less, or raise the limit (capability) of ");
		put_queue(m, why, &m->advice);
		return;
	}
	put_queue(m, why, &m->text);
	if (why->have >= why->limit) {
		buf_puts(&m->text, " is at its limit: ");
		put_in_use(m, why, &m->text);
	} else {
		buf_puts(&m->text, " may use at most ");
		quantity(m, why->dim, why->limit, &m->text);
		buf_puts(&m->text, ": ");
		amount(m, why->dim, why->have, &m->text);
		buf_printf(&m->text, " %s in use", words_is(why->dim, why->have));
	}
	if (reserved) {
		buf_puts(&m->text, ", ");
		amount(m, why->dim, why->reserved, &m->text);
		buf_printf(&m->text, " %s reserved", words_is(why->dim, why->reserved));
	}
	buf_puts(&m->text, ", needs ");
	amount(m, why->dim, why->asked, &m->text);
	buf_puts(&m->text, why->have > 0 ? " more" : "");
	queue_holders(m, why);
	buf_puts(&m->brief, "queue limit: ");
	put_in_use(m, why, &m->brief);
	advise_wait(m);
	buf_puts(&m->advice, ", or raise the limit (capability) of ");
	put_queue(m, why, &m->advice);
}

/* "the other 8 are guaranteed to queue `qg`" */
static void put_guarantees(struct message *m, const struct reason *why, struct buf *to)
{
	const struct cluster *cluster = m->ssn->cluster;
	size_t at = 0, count = 0, len = 0;
	void *value;

	while (map_next(cluster->queues, &at, NULL, &value)) {
		const struct queue_info *queue = value;

		len += queue != m->job->queue && list_is_empty(&queue->children) &&
		       resources_get(&queue->guarantee, why->dim) > 0;
	}
	buf_puts(to, len > 1 ? "queues " : "queue ");
	for (at = 0; map_next(cluster->queues, &at, NULL, &value) && count < HOLDERS_MAX;) {
		const struct queue_info *queue = value;

		if (queue == m->job->queue || !list_is_empty(&queue->children) ||
		    resources_get(&queue->guarantee, why->dim) <= 0)
			continue;
		words_join(count++, len, to);
		words_name(queue->text, to);
	}
	if (len > HOLDERS_MAX)
		buf_printf(to, " and %zu more", len - HOLDERS_MAX);
}

static void message_guaranteed(struct message *m, const struct reason *why)
{
	int64_t total = resources_get(&m->ssn->cluster->total, why->dim);

	set_limits(m, why);
	m->never = why->beyond;
	if (why->beyond) {
		buf_puts(&m->text, "can never start: needs ");
		quantity(m, why->dim, why->asked, &m->text);
		buf_printf(&m->text, "%s, ", at_once(m->job->min_available));
	}
	put_queue(m, why, &m->text);
	buf_puts(&m->text, " may use ");
	amount(m, why->dim, why->limit, &m->text);
	buf_puts(&m->text, " of ");
	quantity(m, why->dim, total, &m->text);
	if (!why->beyond) {
		buf_puts(&m->text, why->have >= why->limit ? " and uses all of it" : " and uses ");
		if (why->have < why->limit)
			amount(m, why->dim, why->have, &m->text);
		buf_puts(&m->text, ", needs ");
		amount(m, why->dim, why->asked, &m->text);
		buf_puts(&m->text, why->have > 0 ? " more" : "");
	}
	buf_puts(&m->text, "; the other ");
	amount(m, why->dim, total - why->limit, &m->text);
	buf_printf(&m->text, " %s guaranteed to ", words_is(why->dim, total - why->limit));
	put_guarantees(m, why, &m->text);
	m->text_len = m->text.len;
	if (!why->beyond)
		queue_holders(m, why);
	buf_puts(&m->brief, "the rest is guaranteed to other queues");
	if (!why->beyond) {
		advise_wait(m);
		buf_puts(&m->advice, ", add nodes, or lower the guarantee of ");
	} else {
		buf_puts(&m->advice, "Ask for less, add nodes, or lower the guarantee of ");
	}
	put_guarantees(m, why, &m->advice);
}

/* Other queues by what they use, the largest first. */
static void put_other_queues(struct message *m, int dim)
{
	const struct cluster *cluster = m->ssn->cluster;
	const struct queue_info *largest = NULL;
	size_t at = 0;
	void *value;

	while (map_next(cluster->queues, &at, NULL, &value)) {
		const struct queue_info *queue = value;
		int64_t uses = resources_get(&queue->allocated, dim);

		if (queue != m->job->queue && list_is_empty(&queue->children) && uses > 0 &&
		    (!largest || uses > resources_get(&largest->allocated, dim)))
			largest = queue;
	}
	if (!largest)
		return;
	buf_printf(&m->text, "; queue `%.*s` uses ", STR_ARG(largest->text));
	amount(m, dim, resources_get(&largest->allocated, dim), &m->text);
}

static void message_share(struct message *m, const struct reason *why)
{
	int64_t total = resources_get(&m->ssn->cluster->total, why->dim);

	set_limits(m, why);
	put_queue(m, why, &m->text);
	buf_puts(&m->text,
		 why->have >= why->limit ? " uses its share: " : " would pass its share: ");
	put_in_use(m, why, &m->text);
	buf_puts(&m->text, ", needs ");
	amount(m, why->dim, why->asked, &m->text);
	buf_puts(&m->text, why->have > 0 ? " more" : "");
	buf_puts(&m->text, ", and of ");
	quantity(m, why->dim, total, &m->text);
	buf_puts(&m->text, " nothing is left to borrow");
	m->text_len = m->text.len;
	put_other_queues(m, why->dim);
	buf_puts(&m->brief, "queue share used: ");
	put_in_use(m, why, &m->brief);
	buf_puts(&m->advice,
		 "Wait for jobs to end, add nodes, or raise the share (weight or deserved) of ");
	put_queue(m, why, &m->advice);
	put_greedy(m, why->dim);
}

static void message_queue_missing(struct message *m, const struct reason *why)
{
	struct str name = subject_of(m, why);

	buf_printf(&m->text, "queue `%.*s` does not exist", STR_ARG(name));
	buf_printf(&m->brief, "queue %.*s does not exist", STR_ARG(name));
	buf_printf(&m->advice,
		   "Create it (vcctl queue create -n %.*s -w 1), or submit to another queue",
		   STR_ARG(name));
}

static void message_queue_closed(struct message *m, const struct reason *why)
{
	struct str name = subject_of(m, why);

	put_queue(m, why, &m->text);
	buf_puts(&m->text, " is closed: it starts no new jobs");
	buf_printf(&m->brief, "queue %.*s is closed", STR_ARG(name));
	buf_printf(&m->advice,
		   "Open it (vcctl queue operate -n %.*s -a open), or submit to another queue",
		   STR_ARG(name));
}

static void message_queue_broken(struct message *m, const struct reason *why)
{
	const struct queue_info *queue = queue_of(m, why);
	struct str parent = queue && queue->view ? queue->view->spec.parent : str_none();

	put_queue(m, why, &m->text);
	if (parent.len && !map_get(m->ssn->cluster->queues, parent))
		buf_printf(&m->text, " has the parent `%.*s`, which does not exist",
			   STR_ARG(parent));
	else if (parent.len)
		buf_printf(&m->text, " is its own ancestor (parent `%.*s`)", STR_ARG(parent));
	else
		buf_puts(&m->text, " has no place in the tree of queues");
	buf_puts(&m->brief, "queue has a wrong parent");
	buf_puts(&m->advice,
		 "Set a parent that exists (spec.parent of the queue), or submit to another queue");
}

static void message_queue_not_leaf(struct message *m, const struct reason *why)
{
	const struct queue_info *queue = queue_of(m, why);
	size_t count = 0, len = 0;

	put_queue(m, why, &m->text);
	buf_puts(&m->text, " has child queues and takes no jobs itself");
	buf_puts(&m->brief, "queue has child queues");
	buf_puts(&m->advice, "Submit to one of its child queues");
	if (!queue)
		return;
	LIST_EACH(&queue->children, struct queue_info, sibling, child)
		len++;
	buf_puts(&m->advice, ": ");
	LIST_EACH(&queue->children, struct queue_info, sibling, child) {
		if (count == HOLDERS_MAX)
			break;
		words_join(count++, len, &m->advice);
		words_name(child->text, &m->advice);
	}
	if (len > HOLDERS_MAX)
		buf_printf(&m->advice, " and %zu more", len - HOLDERS_MAX);
}

/* --- quotas ------------------------------------------------------------------------------------- */

/* Quotas also count what no node has: "4 count/jobs.batch". */
static void quota_amount(struct message *m, const struct reason *why, int64_t value, struct buf *to)
{
	if (why->dim != DIM_NONE) {
		quantity(m, why->dim, value, to);
		return;
	}
	buf_printf(to, "%lld %.*s", (long long)(value / 1000), STR_ARG(why->resource));
}

static void quota_number(struct message *m, const struct reason *why, int64_t value, struct buf *to)
{
	if (why->dim != DIM_NONE)
		amount(m, why->dim, value, to);
	else
		buf_put_int(to, value / 1000);
}

static void message_quota(struct message *m, const struct reason *why)
{
	const struct holders_query query = {.namespace = job_namespace(m->job), .dim = why->dim};
	struct str name = subject_of(m, why);

	if (why->dim != DIM_NONE)
		set_limits(m, why);
	m->never = why->beyond;
	buf_printf(&m->text, "namespace `%.*s` may %s ", STR_ARG(job_namespace(m->job)),
		   why->dim == DIM_PODS ? "run" : "use");
	quota_amount(m, why, why->limit, &m->text);
	buf_printf(&m->text, " (quota `%.*s`), ", STR_ARG(name));
	if (why->beyond) {
		buf_puts(&m->text, "this job needs ");
		quota_number(m, why, why->asked, &m->text);
		buf_puts(&m->text, ": it can never start");
		buf_printf(&m->advice, "Raise quota `%.*s`, or ask for less", STR_ARG(name));
	} else {
		quota_number(m, why, why->have, &m->text);
		buf_printf(&m->text, " %s in use, this job needs ", words_is(why->dim, why->have));
		quota_number(m, why, why->asked, &m->text);
		m->text_len = m->text.len;
		if (why->dim != DIM_NONE)
			message_holders(m, &query, NULL);
		advise_wait(m);
		buf_printf(&m->advice, ", or raise quota `%.*s`", STR_ARG(name));
	}
	buf_printf(&m->brief, "quota %.*s", STR_ARG(name));
}

/* --- the pods of the job ------------------------------------------------------------------------ */

static void message_tasks(struct message *m, const struct reason *why)
{
	struct str task = subject_of(m, why);

	if (task.len)
		buf_printf(&m->text, "task `%.*s` is ", STR_ARG(task));
	buf_puts(&m->text, "waiting for its pods to be created: ");
	buf_printf(&m->text, "%lld of %lld exist", (long long)why->have, (long long)why->limit);
	buf_printf(&m->brief, "%lld of %lld pods exist", (long long)why->have,
		   (long long)why->limit);
	buf_puts(&m->advice,
		 "Check that the controller runs (volcano status), and the job's events for "
		 "pods that were rejected");
}

static void message_sub_groups(struct message *m, const struct reason *why)
{
	(void)why;
	buf_puts(&m->text,
		 "waiting for pods to be created: there are fewer sub-groups than minSubGroups");
	buf_puts(&m->brief, "too few sub-groups");
	buf_puts(&m->advice, "Create the missing pods, or lower minSubGroups");
}

static void message_gated(struct message *m, const struct reason *why)
{
	words_count(why->have, "pod", &m->text);
	buf_printf(&m->text, " %s held by a scheduling gate", why->have == 1 ? "is" : "are");
	buf_puts(&m->brief, "held by a scheduling gate");
	buf_puts(&m->advice, "The program or person that set the gate must remove it");
}

static void message_gang(struct message *m, const struct reason *why)
{
	buf_printf(&m->text, "%lld of its pods fit now, but %lld must start together",
		   (long long)why->have, (long long)why->limit);
	buf_printf(&m->brief, "%lld of %lld pods fit", (long long)why->have, (long long)why->limit);
	buf_puts(&m->advice, "Lower minAvailable if fewer pods are enough to start");
}

static void message_releasing(struct message *m, const struct reason *why)
{
	buf_puts(&m->text, "about to start: waiting for pods that are being stopped to end (");
	words_count(why->have, "pod", &m->text);
	buf_puts(&m->text, why->have == 1 ? " has a place)" : " have places)");
	buf_puts(&m->brief, "waiting for stopped pods to end");
	buf_puts(&m->advice, "Nothing to do: it starts when they have ended");
}

static void message_no_nodes(struct message *m, const struct reason *why)
{
	(void)why;
	buf_puts(&m->text, "the cluster has no nodes");
	buf_puts(&m->brief, "no nodes");
	buf_puts(&m->advice, "Add a node, or start the node agent");
}

typedef void message_fn(struct message *m, const struct reason *why);
static message_fn *const makers[REASON_CODE_COUNT] = {
	[REASON_QUEUE_MISSING] = message_queue_missing,
	[REASON_QUEUE_CLOSED] = message_queue_closed,
	[REASON_QUEUE_BROKEN] = message_queue_broken,
	[REASON_QUEUE_NOT_LEAF] = message_queue_not_leaf,
	[REASON_TASKS] = message_tasks,
	[REASON_ROLE_TASKS] = message_tasks,
	[REASON_SUB_GROUPS] = message_sub_groups,
	[REASON_GATED] = message_gated,
	[REASON_QUOTA] = message_quota,
	[REASON_QUEUE_CAPABILITY] = message_capability,
	[REASON_GUARANTEED] = message_guaranteed,
	[REASON_CLUSTER] = message_cluster,
	[REASON_OVERCOMMIT] = message_cluster,
	[REASON_QUEUE_SHARE] = message_share,
	[REASON_NO_NODES] = message_no_nodes,
	[REASON_NODES] = message_nodes,
	[REASON_NETWORK] = message_network,
	[REASON_NETWORK_BROKEN] = message_network_broken,
	[REASON_GANG] = message_gang,
	[REASON_RELEASING] = message_releasing,
};

void message_make(struct session *ssn, const struct job *job, const struct reason *reason,
		  struct message *ret)
{
	*ret = (struct message){.ssn = ssn,
				.job = job,
				.names = session_names_of(ssn, job),
				.text = BUF_UNBOUNDED,
				.advice = BUF_UNBOUNDED,
				.brief = BUF_UNBOUNDED,
				.dim = DIM_NONE};
	if (makers[reason->code])
		makers[reason->code](ret, reason);
	if (!ret->text_len)
		ret->text_len = ret->text.len;
}

void message_done(struct message *message)
{
	buf_done(&message->text);
	buf_done(&message->advice);
	buf_done(&message->brief);
}
