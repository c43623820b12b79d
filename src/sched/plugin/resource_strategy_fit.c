/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/resource_strategy_fit.c - a strategy for each resource (scheduler specification, 6.22):
 * fill nodes up with GPUs and spread over cpu, say; keep off nodes with scarce resources who does not
 * need them; and leave next to idle devices the cpu and memory that they will need.
 *
 * Names of resources are matched with the dimensions of the cluster when a session opens, patterns
 * ("nvidia.com/" and an asterisk) by their longest prefix, so that a score looks numbers up. What a pod
 * says in its annotations is read once for all pods of its class. */
#include "base/mem.h"
#include "json/doc.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define TYPE_NOTE "volcano.sh/resource-strategy-scoring-type"
#define WEIGHT_NOTE "volcano.sh/resource-strategy-weight"

enum strategy { STRATEGY_NONE, STRATEGY_LEAST, STRATEGY_MOST };

/* What a resource counts for, by dimension. */
struct weight {
	enum strategy strategy; /* STRATEGY_NONE: it does not */
	int64_t weight;
};
struct pattern {
	char *name; /* without the asterisk */
	bool prefix;
	struct weight weight;
};
struct scarce {
	char *name;
	int64_t weight;
	int dim;
};
/* What an idle device keeps for itself. */
struct adjacent {
	char *name;
	double cpu, memory;
	int dim;
};

struct fitting {
	int64_t weight;
	VEC(struct pattern) patterns;
	struct weight by_dim[DIMS_MAX];
	int64_t scarce_weight;
	int64_t scarce_total;
	VEC(struct scarce) scarce;
	VEC(struct adjacent) adjacent;
	/* Of pods with annotations, the class that was asked about last. */
	const struct terms *own_terms;
	struct weight own[DIMS_MAX];
};

enum { DEFAULT_WEIGHT = 10 };
static const double top = 100; /* of a score */
/* What "memory per thousandth of a device" is counted in. */
static const double megabyte = 1000000;

/* --- arguments ------------------------------------------------------------------------------- */

static int wrong(struct err *err, const char *name, const char *want)
{
	return err_set(err, ERR_INVALID, "argument %s: must be %s", name, want);
}

/* Numbers of any kind; an integer loses its fraction, as upstream reads it. */
static int read_number(struct json from, const char *name, double *ret, struct err *err)
{
	if (json_is_absent(from))
		return 0;
	if (!json_is(from, JSON_INT) && !json_is(from, JSON_REAL))
		return wrong(err, name, "a number");
	*ret = json_real(from);
	return 0;
}

static int read_int(struct json from, const char *name, int64_t *ret, struct err *err)
{
	static const double most = 1e15;
	double value = (double)*ret;

	if (read_number(from, name, &value, err) < 0)
		return -1;
	if (value > most || value < -most)
		return wrong(err, name, "a smaller number");
	*ret = (int64_t)value;
	return 0;
}

/* A part that is there, and is to be used; 0: it is not. */
static int read_part(struct json part, const char *name, struct err *err)
{
	struct json enable = json_get(part, "enable"), names = json_get(part, "resources");
	int failed = 0;

	if (json_is_absent(part) || json_is(part, JSON_NULL))
		return 0;
	if (!json_is(part, JSON_OBJ))
		return wrong(err, name, "an object");
	if (!json_is_absent(enable) && !json_is(enable, JSON_BOOL))
		failed = wrong(err, "enable", "true or false");
	else if (!json_is_absent(names) && !json_is(names, JSON_STR))
		failed = wrong(err, "resources", "names with commas between them");
	if (failed < 0)
		return err_wrap(err, "%s", name);
	return json_bool(enable);
}

static enum strategy strategy_of(struct str type)
{
	if (str_is(type, "MostAllocated"))
		return STRATEGY_MOST;
	return str_is(type, "LeastAllocated") ? STRATEGY_LEAST : STRATEGY_NONE;
}

/* An asterisk may be the last character of a name that is longer. */
static bool is_pattern(struct str name)
{
	ptrdiff_t star = str_find_byte(name, '*', 0);

	return star < 0 || (star > 0 && (size_t)star == name.len - 1);
}

static int add_pattern(struct fitting *f, struct plugin_args *args, struct str name,
		       struct json rule, struct err *err)
{
	struct json type = json_get(rule, "type");
	struct weight weight = {STRATEGY_LEAST, 0};
	bool prefix = name.len && name.ptr[name.len - 1] == '*';

	if (!json_is(rule, JSON_OBJ))
		return wrong(err, "resources", "an object of objects {type, weight}");
	if (!json_is_absent(type) && !json_is(type, JSON_STR))
		return wrong(err, "resources.type", "LeastAllocated or MostAllocated");
	if (read_int(json_get(rule, "weight"), "resources.weight", &weight.weight, err) < 0)
		return -1;
	if (!is_pattern(name)) {
		vec_push(&args->notes,
			 mem_printf("argument resources: \"%.*s\" is passed over: an asterisk can "
				    "only end a longer name",
				    STR_ARG(name)));
		return 0;
	}
	if (strategy_of(json_str(type)) == STRATEGY_MOST)
		weight.strategy = STRATEGY_MOST;
	if (weight.weight <= 0)
		weight.weight = 1;
	vec_push(&f->patterns,
		 (struct pattern){str_dup(str_slice(name, 0, name.len - prefix)), prefix, weight});
	return 0;
}

static int read_resources(struct fitting *f, struct plugin_args *args, struct err *err)
{
	struct json resources = args_get(args, "resources");
	struct json_iter it = json_iter(resources);
	static const struct weight least = {STRATEGY_LEAST, 1};

	f->weight = DEFAULT_WEIGHT;
	if (read_int(args_get(args, "resourceStrategyFitWeight"), "resourceStrategyFitWeight",
		     &f->weight, err) < 0)
		return -1;
	if (f->weight < 0)
		f->weight = DEFAULT_WEIGHT;
	if (!json_is_absent(resources) && !json_is(resources, JSON_NULL) &&
	    !json_is(resources, JSON_OBJ))
		return wrong(err, "resources", "an object of objects {type, weight}");
	while (json_next(&it))
		if (add_pattern(f, args, it.key, it.value, err) < 0)
			return -1;
	if (json_len(resources))
		return 0;
	vec_push(&f->patterns, (struct pattern){mem_strdup("cpu"), false, least});
	vec_push(&f->patterns, (struct pattern){mem_strdup("memory"), false, least});
	return 0;
}

static int read_scarce(struct fitting *f, struct json part, struct err *err)
{
	struct str rest = json_str(json_get(part, "resources")), piece;
	struct json weights = json_get(part, "resourceWeight");

	if (read_int(json_get(part, "weight"), "sra.weight", &f->scarce_weight, err) < 0)
		return -1;
	if (!json_is_absent(weights) && !json_is(weights, JSON_OBJ))
		return wrong(err, "sra.resourceWeight", "an object of numbers");
	while (str_split(&rest, ',', &piece)) {
		struct str name = str_trim(piece);
		int64_t weight = 1;

		if (!name.len)
			continue;
		if (read_int(json_get_str(weights, name), "sra.resourceWeight", &weight, err) < 0)
			return -1;
		if (weight < 0)
			weight = 1;
		f->scarce_total += weight;
		vec_push(&f->scarce, (struct scarce){str_dup(name), weight, DIM_NONE});
	}
	return 0;
}

/* "<name>.cpu", "<name>.memory"; 1 where there is none. */
static int read_rate(struct json rates, struct str name, const char *of, double *ret,
		     struct err *err)
{
	AUTO(mem_free) char *key = mem_printf("%.*s.%s", STR_ARG(name), of);

	*ret = 1;
	if (read_number(json_get(rates, key), "proportional.resourceProportion", ret, err) < 0)
		return -1;
	if (*ret < 0)
		*ret = 1;
	return 0;
}

static int read_adjacent(struct fitting *f, struct json part, struct err *err)
{
	struct str rest = json_str(json_get(part, "resources")), piece;
	struct json rates = json_get(part, "resourceProportion");

	if (!json_is_absent(rates) && !json_is(rates, JSON_OBJ))
		return wrong(err, "proportional.resourceProportion", "an object of numbers");
	while (str_split(&rest, ',', &piece)) {
		struct adjacent adjacent = {.dim = DIM_NONE};
		struct str name = str_trim(piece);

		if (!name.len)
			continue;
		if (read_rate(rates, name, "cpu", &adjacent.cpu, err) < 0 ||
		    read_rate(rates, name, "memory", &adjacent.memory, err) < 0)
			return -1;
		adjacent.name = str_dup(name);
		vec_push(&f->adjacent, adjacent);
	}
	return 0;
}

static int fitting_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct fitting *f = mem_new(struct fitting);
	struct json sra = args_get(args, "sra");
	struct json proportional = args_get(args, "proportional");
	int on;

	p->state = f;
	if (read_resources(f, args, err) < 0)
		return -1;
	on = read_part(sra, "sra", err);
	if (on < 0 || (on && read_scarce(f, sra, err) < 0))
		return -1;
	on = read_part(proportional, "proportional", err);
	/* A device that is taken sets free what was kept for it. */
	p->restless = on > 0;
	return on < 0 || (on && read_adjacent(f, proportional, err) < 0) ? -1 : 0;
}

static void fitting_free(struct plugin *p)
{
	struct fitting *f = p->state;

	if (!f)
		return;
	for (size_t i = 0; i < f->patterns.len; i++)
		mem_free(f->patterns.ptr[i].name);
	for (size_t i = 0; i < f->scarce.len; i++)
		mem_free(f->scarce.ptr[i].name);
	for (size_t i = 0; i < f->adjacent.len; i++)
		mem_free(f->adjacent.ptr[i].name);
	vec_done(&f->patterns);
	vec_done(&f->scarce);
	vec_done(&f->adjacent);
	mem_free(f);
}

/* --- names to dimensions --------------------------------------------------------------------- */

/* The rule of exactly that name, else the one with the longest prefix. */
static struct weight weight_of(const struct fitting *f, struct str name)
{
	struct weight best = {STRATEGY_NONE, 0};
	size_t longest = 0;

	for (size_t i = 0; i < f->patterns.len; i++) {
		const struct pattern *pattern = &f->patterns.ptr[i];
		struct str text = str_from(pattern->name);

		if (!pattern->prefix && str_eq(name, text))
			return pattern->weight;
		if (pattern->prefix && str_starts(name, text) && text.len > longest) {
			longest = text.len;
			best = pattern->weight;
		}
	}
	return best;
}

static void fitting_open(struct plugin *p)
{
	struct fitting *f = p->state;
	const struct dims *dims = p->ssn->cluster->dims;

	f->own_terms = NULL;
	for (int dim = 0; dim < (int)dims_len(dims); dim++)
		f->by_dim[dim] = weight_of(f, dims_name(dims, dim));
	for (size_t i = 0; i < f->scarce.len; i++)
		f->scarce.ptr[i].dim = dims_find(dims, str_from(f->scarce.ptr[i].name));
	for (size_t i = 0; i < f->adjacent.len; i++)
		f->adjacent.ptr[i].dim = dims_find(dims, str_from(f->adjacent.ptr[i].name));
}

/* --- scores ---------------------------------------------------------------------------------- */

static double fitting_weight(const struct plugin *p)
{
	return (double)((const struct fitting *)p->state)->weight;
}

static double scarce_weight(const struct plugin *p)
{
	const struct fitting *f = p->state;

	return f->scarce_weight > 0 ? (double)f->scarce_weight : 0;
}

/* {"cpu": 2, ...}; what cannot be read gives no weight to anything. */
static void read_own(const struct plugin *p, const struct terms *terms, enum strategy strategy)
{
	struct fitting *f = p->state;
	struct str text = json_str(json_get(terms->annotations, WEIGHT_NOTE));
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, NULL, NULL);
	struct json_iter it = json_iter(doc ? json_doc_root(doc) : JSON_NONE);

	f->own_terms = terms;
	memset(f->own, 0, sizeof(f->own));
	while (json_next(&it)) {
		int dim = dims_find(p->ssn->cluster->dims, it.key);

		if (!json_is_i64(it.value)) {
			memset(f->own, 0, sizeof(f->own));
			return;
		}
		if (dim != DIM_NONE)
			f->own[dim] = (struct weight){strategy, json_int(it.value)};
	}
}

/* By dimension: what the pod says, else what is configured. */
static const struct weight *weights_for(const struct plugin *p, const struct terms *terms)
{
	struct fitting *f = p->state;
	struct str type = json_str(json_get(terms->annotations, TYPE_NOTE));

	if (!type.len)
		return f->by_dim;
	if (f->own_terms != terms)
		read_own(p, terms, strategy_of(type));
	return f->own;
}

static double fitting_score(const struct plugin *p, const struct task *task,
			    const struct node_info *node)
{
	const struct columns *cols = &p->ssn->cluster->columns;
	const struct weight *weights = weights_for(p, task->class->terms);
	double sum = 0, total = 0;

	for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		double weight = (double)weights[dim].weight;
		int64_t have = columns_get(cols, CAPACITY_ALLOCATABLE, dim, node->slot);
		int64_t used = columns_get(cols, CAPACITY_USED, dim, node->slot) +
			       resources_get(&task->class->request, dim);

		if (!weights[dim].weight)
			continue;
		total += weight;
		if (!have || weights[dim].strategy == STRATEGY_NONE)
			continue;
		if (used > have)
			return 0;
		if (weights[dim].strategy == STRATEGY_LEAST)
			used = have - used;
		sum += (double)used * weight / (double)have;
	}
	return total > 0 ? top * sum / total : top * sum;
}

/* Who can do without keeps off what is scarce. */
static double scarce_score(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	const struct fitting *f = p->state;
	const struct columns *cols = &p->ssn->cluster->columns;
	int64_t there = 0;

	for (dim_set rest = task->class->dims; rest; rest &= rest - 1)
		if (columns_get(cols, CAPACITY_ALLOCATABLE, __builtin_ctzll(rest), node->slot) == 0)
			return 0;
	if (!f->scarce_total)
		return 0;
	for (size_t i = 0; i < f->scarce.len; i++)
		if (f->scarce.ptr[i].dim != DIM_NONE &&
		    columns_get(cols, CAPACITY_ALLOCATABLE, f->scarce.ptr[i].dim, node->slot) > 0)
			there += f->scarce.ptr[i].weight;
	return top * (1 - (double)there / (double)f->scarce_total);
}

/* --- filter ---------------------------------------------------------------------------------- */

/* Those that ask for one of the devices may take what is next to them. */
static bool is_adjacent(const struct plugin *p, const struct task *task)
{
	const struct fitting *f = p->state;

	for (size_t i = 0; i < f->adjacent.len; i++)
		if (f->adjacent.ptr[i].dim != DIM_NONE &&
		    (task->class->dims & DIM_BIT(f->adjacent.ptr[i].dim)))
			return false;
	return f->adjacent.len > 0;
}

static verdict adjacent_test(const struct plugin *p, const struct task *task,
			     const struct node_info *node)
{
	const struct fitting *f = p->state;
	const struct columns *cols = &p->ssn->cluster->columns;
	double cpu = (double)(columns_get(cols, CAPACITY_IDLE, DIM_CPU, node->slot) -
			      resources_get(&task->class->request, DIM_CPU));
	double memory = (double)(columns_get(cols, CAPACITY_IDLE, DIM_MEMORY, node->slot) -
				 resources_get(&task->class->request, DIM_MEMORY));

	for (size_t i = 0; i < f->adjacent.len; i++) {
		const struct adjacent *adjacent = &f->adjacent.ptr[i];
		double idle = adjacent->dim == DIM_NONE
				      ? 0
				      : (double)columns_get(cols, CAPACITY_IDLE, adjacent->dim,
							    node->slot);

		if (idle > 0 &&
		    (cpu < idle * adjacent->cpu || memory < idle * adjacent->memory * megabyte))
			return VERDICT_OF(FIT_PROPORTION, adjacent->dim);
	}
	return 0;
}

static const struct filter_row fitting_filters[] = {
	{.name = "proportional",
	 .scope = SCOPE_NODE,
	 .applies = is_adjacent,
	 .test = adjacent_test},
	{.name = NULL},
};

static const struct score_row fitting_scores[] = {
	{.name = "resource-strategy-fit",
	 .scope = SCOPE_NODE,
	 .weight = fitting_weight,
	 .score = fitting_score},
	{.name = "sra", .scope = SCOPE_NODE, .weight = scarce_weight, .score = scarce_score},
	{.name = NULL},
};

const struct plugin_type resource_strategy_fit_plugin = {
	.name = "resource-strategy-fit",
	.alike = true,
	.new = fitting_new,
	.free = fitting_free,
	.open = fitting_open,
	.filters = fitting_filters,
	.scores = fitting_scores,
};
