/* SPDX-License-Identifier: Apache-2.0 */
/* admission/queues_validate.c - the rules of a Queue: guarantee <= deserved <= capability, the
 * state, the old tree by annotations, and which queues cannot be deleted. The tree by spec.parent
 * is in queue_parents.c. Messages list resources in the order of their names; in upstream the order
 * is random. */
#include "admission/hooks.h"
#include "admission/queues.h"
#include "base/number.h"
#include "model/core/meta.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* --- amounts --------------------------------------------------------------------------------- */

static const struct quantity *find_amount(const struct resource_list *list, struct str name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i].name, name))
			return &list->ptr[i].value;
	return NULL;
}

/* Not negative, and an integer for countable resources. */
static void check_amounts(const struct resource_list *list, const struct path *path,
			  struct causes *causes)
{
	for (size_t i = 0; i < list->len; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		const struct resource_amount *amount = &list->ptr[i];
		struct path at = path_member(path, amount->name);

		quantity_print(&amount->value, &text);
		if (quantity_sign(&amount->value) < 0)
			causes_invalid_str(causes, &at, buf_str(&text),
					   "must be greater than or equal to 0");
		if ((rules_is_integer_resource(amount->name) ||
		     rules_is_extended_resource(amount->name)) &&
		    !quantity_is_whole(&amount->value, 0))
			causes_invalid_str(causes, &at, buf_str(&text), "must be an integer");
	}
}

/* `deserved[cpu]=2 must be <= capability[cpu]=1` */
static void check_order(const struct resource_amount *amount, const struct quantity *deserved,
			const char *rule, const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf limit = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path at = path_member(path, amount->name);

	quantity_print(&amount->value, &limit);
	if (!deserved) {
		causes_invalid_str(causes, &at, STR("<nil>"), "deserved[%.*s] must be %s[%.*s]=%s",
				   STR_ARG(amount->name), rule, STR_ARG(amount->name),
				   buf_text(&limit));
		return;
	}
	quantity_print(deserved, &text);
	causes_invalid_str(causes, &at, buf_str(&text), "deserved[%.*s]=%s must be %s[%.*s]=%s",
			   STR_ARG(amount->name), buf_text(&text), rule, STR_ARG(amount->name),
			   buf_text(&limit));
}

static void check_resources(const struct queue_spec *spec, const struct path *path,
			    struct causes *causes)
{
	struct path capability = path_member(path, STR("capability"));
	struct path deserved = path_member(path, STR("deserved"));
	struct path guarantee = path_member(path, STR("guarantee"));
	struct path resource = path_member(&guarantee, STR("resource"));

	check_amounts(&spec->capability, &capability, causes);
	check_amounts(&spec->deserved, &deserved, causes);
	for (size_t i = 0; i < spec->guarantee.resource.len; i++) {
		struct resource_amount *amount = &spec->guarantee.resource.ptr[i];
		const struct quantity *value = find_amount(&spec->deserved, amount->name);

		check_amounts(&(struct resource_list){amount, 1}, &resource, causes);
		if (!value || quantity_cmp(value, &amount->value) < 0)
			check_order(amount, value, ">= guarantee", &deserved, causes);
	}
	for (size_t i = 0; i < spec->deserved.len; i++) {
		struct str name = spec->deserved.ptr[i].name;
		const struct quantity *limit = find_amount(&spec->capability, name);

		if (limit && quantity_cmp(&spec->deserved.ptr[i].value, limit) > 0)
			check_order(&(struct resource_amount){name, *limit},
				    &spec->deserved.ptr[i].value, "<= capability", &deserved,
				    causes);
	}
}

/* --- state and annotations ------------------------------------------------------------------- */

static void check_state(struct str state, const struct path *path, struct causes *causes)
{
	if (state.len && !str_is(state, queue_state_names[QUEUE_OPEN]) &&
	    !str_is(state, queue_state_names[QUEUE_CLOSED]))
		causes_invalid_str(causes, path, state, "queue state must be in [Open Closed]");
}

static size_t count_parts(struct str text)
{
	struct str part;
	size_t count = 0;

	if (str_is_none(text))
		text = STR("");
	while (str_split(&text, '/', &part))
		count++;
	return count;
}

static bool check_weights(struct str weights, const struct path *path, struct causes *causes)
{
	struct str rest = str_is_none(weights) ? STR("") : weights;
	struct str part;

	while (str_split(&rest, '/', &part)) {
		AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
		double value;

		causes_quote(&quoted, part);
		if (number_parse_double(part, &value, NULL) < 0) {
			causes_invalid_str(causes, path, weights,
					   "%.*s in the %.*s is invalid number: "
					   "strconv.ParseFloat: parsing %s: invalid syntax",
					   STR_ARG(part), STR_ARG(weights), buf_text(&quoted));
			return false;
		}
		if (value <= 0) {
			causes_invalid_str(causes, path, weights,
					   "%.*s in the %.*s must be larger than 0", STR_ARG(part),
					   STR_ARG(weights));
			return false;
		}
	}
	return true;
}

/* Searches for a queue whose path contains the path of this one. */
struct below {
	struct str name;
	struct str path;
	struct str found_name;
	struct str found_path;
};

static void find_below(void *arg, struct json queue)
{
	struct below *below = arg;
	struct str name = meta_name(queue);
	struct str path = json_str(hook_annotation(queue, QUEUE_HIERARCHY));

	if (!below->found_name.len && !str_eq(name, below->name) && path.len > below->path.len &&
	    str_starts(path, below->path) && path.ptr[below->path.len] == '/') {
		below->found_name = name;
		below->found_path = path;
	}
}

static void check_annotations(const struct admission_case *c, const struct path *path,
			      struct causes *causes)
{
	const struct admission_world *world = &c->admission->world;
	struct str tree = json_str(hook_annotation(c->review->object, QUEUE_HIERARCHY));
	struct str weights = json_str(hook_annotation(c->review->object, QUEUE_WEIGHTS));
	struct below below = {.name = c->review->name, .path = tree};

	if (!tree.len && !weights.len)
		return;
	if (count_parts(tree) != count_parts(weights)) {
		causes_invalid_str(causes, path, tree,
				   QUEUE_HIERARCHY
				   " must have the same length with " QUEUE_WEIGHTS);
		return;
	}
	if (!check_weights(weights, path, causes))
		return;
	world->each_queue(world->arg, str_none(), find_below, &below);
	if (below.found_name.len)
		causes_invalid_str(
			causes, path, tree,
			"%.*s is not allowed to be in the sub path of %.*s of queue %.*s",
			STR_ARG(tree), STR_ARG(below.found_path), STR_ARG(below.found_name));
}

static int check_queue(const struct admission_case *c, const struct queue *queue)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path body = path_member(NULL, STR("requestBody"));
	struct path spec = path_member(&body, STR("spec"));
	struct path state = path_member(&spec, STR("state"));
	struct path meta = path_member(&body, STR("metadata"));
	struct path annotations = path_member(&meta, STR("annotations"));

	check_resources(&queue->spec, &spec, &causes);
	check_state(json_str(json_get(json_get(c->review->object, "status"), "state")), &state,
		    &causes);
	check_annotations(c, &annotations, &causes);
	return causes.len ? hook_deny_causes(c, &causes) : 0;
}

/* --- deletion -------------------------------------------------------------------------------- */

int64_t queue_allocated_pods(struct json queue)
{
	struct json allocated = json_get(json_get(queue, "status"), "allocated");
	struct quantity pods;

	return rules_quantity(allocated, "pods", &pods) ? quantity_value(&pods) : 0;
}

struct names {
	struct buf text;
	size_t count;
};

static void put_name(void *arg, struct json queue)
{
	struct names *names = arg;

	buf_printf(&names->text, "%s%.*s", names->count++ ? ", " : "", STR_ARG(meta_name(queue)));
}

static int check_removal(const struct admission_case *c)
{
	const struct admission_world *world = &c->admission->world;
	struct str name = c->review->name;
	struct json queue = world->queue(world->arg, name);
	struct names children = {.text = BUF_UNBOUNDED};
	int result = 0;

	if (str_is(name, "default") || str_is(name, "root"))
		return hook_deny(c, "`%.*s` queue can not be deleted", STR_ARG(name));
	if (json_is_absent(queue))
		return hook_deny(c, HOOK_QUEUE_NOT_FOUND, STR_ARG(name));
	if (c->admission->config.check_allocated_pods && queue_allocated_pods(queue))
		return hook_deny(c,
				 "queue %.*s cannot be deleted because it has allocated Pods: %lld",
				 STR_ARG(name), (long long)queue_allocated_pods(queue));
	world->each_queue(world->arg, name, put_name, &children);
	if (children.count)
		result = hook_deny(
			c, "queue %.*s can not be deleted because it has %zu child queues: %s",
			STR_ARG(name), children.count, buf_text(&children.text));
	buf_done(&children.text);
	return result;
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool same_amounts(const struct resource_list *a, const struct resource_list *b)
{
	for (size_t i = 0; i < a->len; i++) {
		const struct quantity *other = find_amount(b, a->ptr[i].name);

		if (!other || quantity_cmp(&a->ptr[i].value, other) != 0)
			return false;
	}
	return a->len == b->len;
}

static bool same_resources(const struct queue_spec *a, const struct queue_spec *b)
{
	return same_amounts(&a->capability, &b->capability) &&
	       same_amounts(&a->deserved, &b->deserved) &&
	       same_amounts(&a->guarantee.resource, &b->guarantee.resource);
}

int queues_validate(const struct admission_case *c)
{
	bool update = c->review->operation == ADMISSION_UPDATE;
	struct queue queue;
	struct queue old;
	bool moved;

	if (c->review->operation == ADMISSION_DELETE)
		return check_removal(c);
	if (hook_decode(c, &queue_type, c->review->object, &queue) < 0 ||
	    check_queue(c, &queue) < 0 ||
	    (update && hook_decode(c, &queue_type, c->review->old, &old) < 0))
		return -1;
	moved = !update || !str_eq(queue.spec.parent, old.spec.parent);
	if (moved && queue_tree_place(c, &queue) < 0)
		return -1;
	if (str_is(queue.meta.name, "root")) {
		if (update && c->admission->config.protect_root &&
		    !same_resources(&queue.spec, &old.spec))
			return hook_deny(c, "root queue's resource attributes (capability, "
					    "deserved, guarantee) cannot be modified");
		return 0;
	}
	if (moved || !same_resources(&queue.spec, &old.spec))
		return queue_tree_fits(c, &queue);
	return 0;
}
