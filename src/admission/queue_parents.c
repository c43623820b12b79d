/* SPDX-License-Identifier: Apache-2.0 */
/* admission/queue_parents.c - the tree of queues by spec.parent, and the limits of its resources.
 *
 * A queue's capability is at most that of the nearest queue above that limits the resource; the
 * guarantees of all children together are at most their parent's, and so are their deserved
 * amounts. A resource that a parent below root does not name counts as 0. Sums and amounts are
 * printed as the scheduler prints them.
 *
 * In upstream a queue can become the child of its own child, after which neither can be deleted;
 * here that is rejected. Such a tree may be stored nevertheless, so walks end after QUEUE_STEPS_MAX.
 */
#include "admission/queues.h"
#include "model/core/meta.h"
#include "model/value/resources.h"

#include "base/banned.h"

/* --- place ----------------------------------------------------------------------------------- */

static bool is_top(struct str parent)
{
	return !parent.len || str_is(parent, "root");
}

static struct str parent_of(struct json queue)
{
	return json_str(json_get(json_get(queue, "spec"), "parent"));
}

static struct json look_up(const struct admission_case *c, struct str name)
{
	const struct admission_world *world = &c->admission->world;
	const struct json found = world->queue(world->arg, name);

	return found;
}

static int check_depth(const struct admission_case *c, const struct queue *queue)
{
	struct str parent = queue->spec.parent;
	struct str name = queue->meta.name;

	for (int32_t depth = 2; !is_top(parent); depth++) {
		struct json above = look_up(c, parent);

		if (c->review->operation == ADMISSION_UPDATE && str_eq(parent, name))
			return hook_deny(c, "queue %.*s cannot use its descendant %.*s as parent",
					 STR_ARG(name), STR_ARG(queue->spec.parent));
		if (depth > c->admission->config.max_queue_depth)
			return hook_deny(c, "queue %.*s exceeds the maximum allowed depth of %d",
					 STR_ARG(name), (int)c->admission->config.max_queue_depth);
		if (json_is_absent(above))
			return hook_deny(c,
					 "failed to get parent queue %.*s of queue "
					 "%.*s: " HOOK_QUEUE_NOT_FOUND,
					 STR_ARG(parent), STR_ARG(name), STR_ARG(parent));
		parent = parent_of(above);
	}
	return 0;
}

static void count_queue(void *arg, struct json queue)
{
	(void)queue;
	(*(size_t *)arg)++;
}

int queue_tree_place(const struct admission_case *c, const struct queue *queue)
{
	const struct admission_world *world = &c->admission->world;
	struct str parent = queue->spec.parent;
	size_t children = 0;
	int64_t pods;

	if (is_top(parent))
		return 0;
	if (str_is(queue->meta.name, "root")) /* all others are below it */
		return hook_deny(c, "queue root cannot use its descendant %.*s as parent",
				 STR_ARG(parent));
	if (str_eq(parent, queue->meta.name))
		return hook_deny(c, "queue %.*s cannot use itself as parent",
				 STR_ARG(queue->meta.name));
	if (check_depth(c, queue) < 0)
		return -1;
	world->each_queue(world->arg, parent, count_queue, &children);
	pods = queue_allocated_pods(look_up(c, parent));
	if (!children && pods)
		return hook_deny(c,
				 "queue %.*s cannot be the parent queue of queue %.*s because it "
				 "has allocated Pods: %lld",
				 STR_ARG(parent), STR_ARG(queue->meta.name), (long long)pods);
	return 0;
}

/* --- amounts --------------------------------------------------------------------------------- */

enum amounts { CAPABILITY, DESERVED, GUARANTEE };

struct tree {
	const struct admission_case *c;
	struct dims *dims;
};

/* An amount of a queue in the document, as a vector. A stored queue is well-formed; amounts that
 * are not numbers are skipped. */
static void read_amounts(const struct tree *tree, struct json queue, enum amounts which,
			 struct resources *ret)
{
	struct queue view;
	const struct resource_list *list = &view.spec.capability;

	if (type_decode(&queue_type, queue, tree->c->arena, &view, NULL) < 0)
		return;
	if (which == DESERVED)
		list = &view.spec.deserved;
	else if (which == GUARANTEE)
		list = &view.spec.guarantee.resource;
	if (resources_add_list(ret, tree->dims, DIMS_ADD, list, NULL) < 0)
		resources_clear(ret);
}

static int64_t amount_of(const struct tree *tree, struct json queue, int dim)
{
	AUTO(resources_done) struct resources amounts = RESOURCES_INIT;

	read_amounts(tree, queue, CAPABILITY, &amounts);
	return resources_get(&amounts, dim);
}

/* cpu and memory as quantities, others in thousandths. */
static const char *print_amount(const struct tree *tree, int dim, int64_t value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity quantity;

	if (dim > DIM_MEMORY)
		return arena_printf(tree->c->arena, "%lld%s.00", (long long)value,
				    dim == DIM_STORAGE && value ? "000" : "");
	quantity = resources_quantity(dim, value);
	quantity_print(&quantity, &text);
	return arena_strdup(tree->c->arena, buf_text(&text));
}

/* The limit of the nearest queue above that has one; 0 if none has. */
static int64_t bound_above(const struct tree *tree, struct str parent, int dim)
{
	for (int steps = 0; !is_top(parent) && steps < QUEUE_STEPS_MAX; steps++) {
		struct json above = look_up(tree->c, parent);
		int64_t value = amount_of(tree, above, dim);

		if (json_is_absent(above) || value > 0)
			return value;
		parent = parent_of(above);
	}
	return 0;
}

static int fits_above(const struct tree *tree, const struct queue *queue)
{
	AUTO(resources_done) struct resources own = RESOURCES_INIT;
	dim_set dims;

	read_amounts(tree, tree->c->review->object, CAPABILITY, &own);
	for (dims = resources_dims(&own); dims; dims &= dims - 1) {
		int dim = __builtin_ctzll(dims);
		int64_t bound = bound_above(tree, queue->spec.parent, dim);

		if (bound > 0 && resources_get(&own, dim) > bound)
			return hook_deny(tree->c,
					 "queue %.*s capability[%.*s]=%s exceeds its ancestor's "
					 "capability=%s",
					 STR_ARG(queue->meta.name),
					 STR_ARG(dims_name(tree->dims, dim)),
					 print_amount(tree, dim, resources_get(&own, dim)),
					 print_amount(tree, dim, bound));
	}
	return 0;
}

/* --- descendants ----------------------------------------------------------------------------- */

/* The largest limit of a resource among the topmost queues of a subtree that have one. */
struct search {
	const struct tree *tree;
	int dim;
	int left; /* steps down */
	int64_t largest;
};

static void search_below(void *arg, struct json queue)
{
	const struct search *up = arg;
	const struct admission_world *world = &up->tree->c->admission->world;
	struct search here = {up->tree, up->dim, up->left - 1, amount_of(up->tree, queue, up->dim)};

	if (here.largest <= 0 && here.left > 0)
		world->each_queue(world->arg, meta_name(queue), search_below, &here);
	if (here.largest > up->largest)
		((struct search *)arg)->largest = here.largest;
}

static int fits_below(const struct tree *tree, const struct queue *queue)
{
	const struct admission_world *world = &tree->c->admission->world;
	AUTO(resources_done) struct resources own = RESOURCES_INIT;
	dim_set dims;

	read_amounts(tree, tree->c->review->object, CAPABILITY, &own);
	for (dims = resources_dims(&own); dims; dims &= dims - 1) {
		int dim = __builtin_ctzll(dims);
		struct search search = {tree, dim, tree->c->admission->config.max_queue_depth + 1,
					0};

		world->each_queue(world->arg, queue->meta.name, search_below, &search);
		if (resources_get(&own, dim) < search.largest)
			return hook_deny(tree->c,
					 "queue %.*s capability[%.*s]=%s is smaller than its "
					 "descendants' max capability=%s",
					 STR_ARG(queue->meta.name),
					 STR_ARG(dims_name(tree->dims, dim)),
					 print_amount(tree, dim, resources_get(&own, dim)),
					 print_amount(tree, dim, search.largest));
	}
	return 0;
}

/* --- sums ------------------------------------------------------------------------------------ */

struct sum {
	const struct tree *tree;
	struct str but;  /* left out: its new amounts are added separately */
	const char *who; /* "parent queue p", "queue q" */
	struct resources limit[GUARANTEE + 1];
	struct resources total[GUARANTEE + 1];
	int result;
};

static void sum_done(struct sum *sum)
{
	for (size_t i = 0; i < ARRAY_LEN(sum->limit); i++) {
		resources_done(&sum->limit[i]);
		resources_done(&sum->total[i]);
	}
}
DEFINE_AUTO_IN_PLACE(struct sum, sum_done);

static void add_part(struct sum *sum, struct json queue, enum amounts which, const char *word)
{
	AUTO(buf_done) struct buf total = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf limit = BUF_UNBOUNDED;
	AUTO(resources_done) struct resources own = RESOURCES_INIT;

	if (sum->result < 0)
		return;
	read_amounts(sum->tree, queue, which, &own);
	resources_add(&sum->total[which], &own);
	if (!resources_less_partly(&sum->limit[which], &sum->total[which], ABSENT_ZERO))
		return;
	resources_print(&sum->total[which], sum->tree->dims, &total);
	resources_print(&sum->limit[which], sum->tree->dims, &limit);
	sum->result = hook_deny(sum->tree->c,
				"%s validation failed: sum of children's %s (%s) exceeds parent's "
				"%s limit (%s)",
				sum->who, word, buf_text(&total), word, buf_text(&limit));
}

static void add_queue(void *arg, struct json queue)
{
	struct sum *sum = arg;
	struct str name = meta_name(queue);

	if (sum->but.len && str_eq(name, sum->but))
		return;
	add_part(sum, queue, GUARANTEE, "guarantee");
	add_part(sum, queue, DESERVED, "deserved");
}

static int check_sums(const struct tree *tree, struct json parent, struct str parent_name,
		      struct json own)
{
	const struct admission_case *c = tree->c;
	const struct admission_world *world = &c->admission->world;
	AUTO(sum_done) struct sum sum = {.tree = tree};

	sum.who = arena_printf(c->arena, "%s %.*s", json_is_absent(own) ? "queue" : "parent queue",
			       STR_ARG(parent_name));
	if (!json_is_absent(own))
		sum.but = meta_name(own);
	read_amounts(tree, parent, GUARANTEE, &sum.limit[GUARANTEE]);
	read_amounts(tree, parent, DESERVED, &sum.limit[DESERVED]);
	world->each_queue(world->arg, parent_name, add_queue, &sum);
	sum.but = str_none();
	if (!json_is_absent(own))
		add_queue(&sum, own);
	return sum.result;
}

int queue_tree_fits(const struct admission_case *c, const struct queue *queue)
{
	AUTO(dims_free) struct dims *dims = dims_new();
	const struct tree tree = {c, dims};
	struct str parent = queue->spec.parent;

	if (!is_top(parent)) {
		struct json above = look_up(c, parent);

		if (json_is_absent(above))
			return hook_deny(c, "parent queue %.*s not found: " HOOK_QUEUE_NOT_FOUND,
					 STR_ARG(parent), STR_ARG(parent));
		if (fits_above(&tree, queue) < 0 ||
		    check_sums(&tree, above, parent, c->review->object) < 0)
			return -1;
	}
	if (fits_below(&tree, queue) < 0)
		return -1;
	return check_sums(&tree, c->review->object, queue->meta.name, JSON_NONE);
}
