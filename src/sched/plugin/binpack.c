/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/binpack.c - fill nodes that are used already (scheduler specification, 6.13). */
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct weighted {
	char *name;
	int64_t weight;
	int dim; /* DIM_NONE: no node offers it */
};

struct binpack {
	int64_t weight;
	VEC(struct weighted) resources;
	int64_t by_dim[DIMS_MAX]; /* -1: not weighed */
};

static void add(struct binpack *b, struct plugin_args *args, struct str name, const char *argument)
{
	int64_t weight = args_int(args, argument, 1);

	vec_push(&b->resources,
		 (struct weighted){str_dup(name), weight < 0 ? 1 : weight, DIM_NONE});
}

static int binpack_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct binpack *b = mem_new(struct binpack);
	struct str rest = args_str(args, "binpack.resources", str_none()), part;

	(void)err;
	b->weight = args_int(args, "binpack.weight", 1);
	while (str_split(&rest, ',', &part)) {
		struct str name = str_trim(part);
		AUTO(mem_free) char *argument = NULL;

		if (!name.len)
			continue;
		argument = mem_printf("binpack.resources.%.*s", STR_ARG(name));
		add(b, args, name, argument);
	}
	/* After the list: what is said of these two holds, though it names them as well. */
	add(b, args, STR("cpu"), "binpack.cpu");
	add(b, args, STR("memory"), "binpack.memory");
	p->state = b;
	return 0;
}

static void binpack_free(struct plugin *p)
{
	struct binpack *b = p->state;

	for (size_t i = 0; b && i < b->resources.len; i++)
		mem_free(b->resources.ptr[i].name);
	if (b)
		vec_done(&b->resources);
	mem_free(b);
}

static void binpack_open(struct plugin *p)
{
	struct binpack *b = p->state;

	for (int dim = 0; dim < DIMS_MAX; dim++)
		b->by_dim[dim] = -1;
	for (size_t i = 0; i < b->resources.len; i++) {
		int dim = dims_find(p->ssn->cluster->dims, str_from(b->resources.ptr[i].name));

		if (dim != DIM_NONE)
			b->by_dim[dim] = b->resources.ptr[i].weight;
	}
}

static double binpack_weight(const struct plugin *p)
{
	return (double)((const struct binpack *)p->state)->weight;
}

static double binpack_score(const struct plugin *p, const struct task *task,
			    const struct node_info *node)
{
	const struct binpack *b = p->state;
	const struct columns *cols = &p->ssn->cluster->columns;
	double sum = 0, weights = 0;

	for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t weight = b->by_dim[dim];
		int64_t allocatable, used;

		if (weight < 0)
			continue;
		weights += (double)weight;
		allocatable = columns_get(cols, CAPACITY_ALLOCATABLE, dim, node->slot);
		if (!allocatable || !weight)
			continue;
		used = columns_get(cols, CAPACITY_USED, dim, node->slot) +
		       resources_get(&task->class->request, dim);
		if (used > allocatable)
			return 0;
		sum += (double)used * (double)weight / (double)allocatable;
	}
	return weights > 0 ? 100 * sum / weights : 0;
}

static const struct score_row binpack_scores[] = {
	{.name = "binpack", .scope = SCOPE_NODE, .weight = binpack_weight, .score = binpack_score},
	{.name = NULL},
};

const struct plugin_type binpack_plugin = {
	.name = "binpack",
	.alike = true,
	.new = binpack_new,
	.free = binpack_free,
	.open = binpack_open,
	.scores = binpack_scores,
};
