/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/config.c - reading the configuration file (scheduler specification, 1.5). */
#include "sched/session/config.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "json/yaml.h"
#include "sched/session/session.h"

#include "base/banned.h"

const char *const config_builtin = "actions: \"enqueue, allocate, backfill\"\n"
				   "tiers:\n"
				   "- plugins:\n"
				   "  - name: priority\n"
				   "  - name: gang\n"
				   "  - name: conformance\n"
				   "- plugins:\n"
				   "  - name: overcommit\n"
				   "  - name: drf\n"
				   "  - name: predicates\n"
				   "  - name: proportion\n"
				   "  - name: nodeorder\n"
				   "  - name: network-topology-aware\n";

/* As the file spells them. */
static const char *const switch_names[SWITCH_COUNT] = {
	[SWITCH_JOB_ORDER] = "enableJobOrder",
	[SWITCH_HIERARCHY] = "enableHierarchy",
	[SWITCH_JOB_READY] = "enableJobReady",
	[SWITCH_JOB_PIPELINED] = "enableJobPipelined",
	[SWITCH_TASK_ORDER] = "enableTaskOrder",
	[SWITCH_PREEMPTABLE] = "enablePreemptable",
	[SWITCH_RECLAIMABLE] = "enableReclaimable",
	[SWITCH_PREEMPTIVE] = "enablePreemptive",
	[SWITCH_QUEUE_ORDER] = "enableQueueOrder",
	[SWITCH_CLUSTER_ORDER] = "EnabledClusterOrder",
	[SWITCH_PREDICATE] = "enablePredicate",
	[SWITCH_BEST_NODE] = "enableBestNode",
	[SWITCH_NODE_ORDER] = "enableNodeOrder",
	[SWITCH_TARGET_JOB] = "enableTargetJob",
	[SWITCH_RESERVED_NODES] = "enableReservedNodes",
	[SWITCH_JOB_ENQUEUED] = "enableJobEnqueued",
	[SWITCH_VICTIM] = "enabledVictim",
	[SWITCH_JOB_STARVING] = "enableJobStarving",
	[SWITCH_OVERUSED] = "enabledOverused",
	[SWITCH_ALLOCATABLE] = "enabledAllocatable",
	[SWITCH_HYPERNODE_ORDER] = "enabledHyperNodeOrder",
	[SWITCH_SUB_JOB_READY] = "enabledSubJobReady",
	[SWITCH_SUB_JOB_PIPELINED] = "enabledSubJobPipelined",
	[SWITCH_SUB_JOB_ORDER] = "enabledSubJobOrder",
	[SWITCH_HYPERNODE_GRADIENT] = "enabledHyperNodeGradient",
};
static_assert(SWITCH_COUNT <= 32, "a bit each");

/* --- arguments ------------------------------------------------------------------------------- */

struct json args_get(struct plugin_args *args, const char *name)
{
	vec_push(&args->wanted, hash_str(str_from(name), 0));
	return json_get(args->object, name);
}

static bool is_wanted(const struct plugin_args *args, struct str name)
{
	uint64_t hash = hash_str(name, 0);

	for (size_t i = 0; i < args->wanted.len; i++)
		if (args->wanted.ptr[i] == hash)
			return true;
	return false;
}

static void note_type(struct plugin_args *args, const char *name, const char *want)
{
	vec_push(&args->notes, mem_printf("argument %s: is no %s; the default stays", name, want));
}

int64_t args_int(struct plugin_args *args, const char *name, int64_t fallback)
{
	struct json value = args_get(args, name);

	if (json_is_absent(value) || json_is_i64(value))
		return json_is_absent(value) ? fallback : json_int(value);
	note_type(args, name, "integer");
	return fallback;
}

double args_real(struct plugin_args *args, const char *name, double fallback)
{
	struct json value = args_get(args, name);

	if (json_is(value, JSON_INT) || json_is(value, JSON_REAL))
		return json_real(value);
	if (!json_is_absent(value))
		note_type(args, name, "number");
	return fallback;
}

bool args_bool(struct plugin_args *args, const char *name, bool fallback)
{
	struct json value = args_get(args, name);
	bool parsed;

	if (json_is(value, JSON_BOOL))
		return json_bool(value);
	if (json_is(value, JSON_STR) && number_parse_bool(json_str(value), &parsed, NULL) == 0)
		return parsed;
	if (!json_is_absent(value))
		note_type(args, name, "boolean");
	return fallback;
}

struct str args_str(struct plugin_args *args, const char *name, struct str fallback)
{
	struct json value = args_get(args, name);

	if (json_is(value, JSON_STR))
		return json_str(value);
	if (!json_is_absent(value))
		note_type(args, name, "text");
	return fallback;
}

/* --- reading --------------------------------------------------------------------------------- */

static struct json arguments_of(struct json root, struct str action)
{
	struct json_iter it = json_iter(json_get(root, "configurations"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), action))
			return json_get(it.value, "arguments");
	return JSON_NONE;
}

static void note(struct config *config, char *text)
{
	vec_push(&config->notes, text);
}

/* Keys that mean nothing to us, as a typing error does not; they are passed over, as upstream does. */
static void note_keys(struct config *config, struct json object, const char *const *known,
		      const char *where)
{
	struct json_iter it = json_iter(object);

	while (json_next(&it)) {
		size_t i = 0;

		while (known[i] && !str_is(it.key, known[i]))
			i++;
		if (!known[i])
			note(config, mem_printf("%s%.*s: is not known, and passed over", where,
						STR_ARG(it.key)));
	}
}

/* A list, or nothing. */
static int want_list(struct json value, const char *name, struct err *err)
{
	if (json_is_absent(value) || json_is(value, JSON_NULL) || json_is(value, JSON_ARR))
		return 0;
	return err_set(err, ERR_INVALID, "%s: must be a list", name);
}

/* An object, or nothing. */
static int want_object(struct json value, const char *fields, struct err *err)
{
	if (json_is_absent(value) || json_is(value, JSON_NULL) || json_is(value, JSON_OBJ))
		return 0;
	return err_set(err, ERR_INVALID, "must be an object%s", fields);
}

static int want_arguments(struct json of, struct err *err)
{
	if (want_object(json_get(of, "arguments"), "", err) < 0)
		return err_wrap(err, "arguments");
	return 0;
}

static int read_configurations(struct config *config, struct json root, struct err *err)
{
	static const char *const known[] = {"name", "arguments", NULL};
	struct json_iter it = json_iter(json_get(root, "configurations"));

	if (want_list(json_get(root, "configurations"), "configurations", err) < 0)
		return -1;
	while (json_next(&it)) {
		struct str name = json_str(json_get(it.value, "name"));

		if (want_object(it.value, " {name, arguments}", err) < 0 ||
		    want_arguments(it.value, err) < 0)
			return err_wrap(err, "configurations[%zu]", it.index);
		note_keys(config, it.value, known, "configurations: ");
		if (!action_type_find(name))
			note(config, mem_printf("configurations[%zu]: there is no action \"%.*s\"",
						it.index, STR_ARG(name)));
	}
	return 0;
}

static int read_actions(struct config *config, struct json root, struct err *err)
{
	struct json list = json_get(root, "actions");
	struct str rest = json_str(list), part;

	if (!json_is(list, JSON_STR))
		return err_set(err, ERR_INVALID, "actions: a list of names with commas is needed");
	while (str_split(&rest, ',', &part)) {
		struct str name = str_trim(part);
		const struct action_type *type = action_type_find(name);

		if (!type)
			return err_set(err, ERR_INVALID, "actions: there is no action \"%.*s\"",
				       STR_ARG(name));
		config->enqueues |= str_is(name, "enqueue");
		config->fills |= str_is(name, "backfill");
		vec_push(&config->actions, (struct config_action){type, arguments_of(root, name)});
	}
	return 0;
}

static int read_switches(struct plugin *plugin, struct json options, struct err *err)
{
	for (int i = 0; i < SWITCH_COUNT; i++) {
		struct json value = json_get(options, switch_names[i]);
		bool on = i != SWITCH_HIERARCHY && i != SWITCH_CLUSTER_ORDER;

		if (!json_is_absent(value) && !json_is(value, JSON_NULL)) {
			if (!json_is(value, JSON_BOOL))
				return err_set(err, ERR_INVALID, "%s: must be true or false",
					       switch_names[i]);
			on = json_bool(value);
		}
		plugin->on |= (uint32_t)on << i;
	}
	return 0;
}

/* NULL: there is none of that name. */
static const struct plugin_type *find_type(const struct plugin_types *more, struct str name)
{
	const struct plugin_type *type = plugin_type_find(name);

	for (size_t i = 0; !type && more && i < more->len; i++)
		if (str_is(name, more->ptr[i]->name))
			type = more->ptr[i];
	return type;
}

/* Volcano does without a plugin that it does not know, and so does this. */
static int pass_over(struct config *config, struct str name)
{
	note(config, mem_printf("there is no plugin \"%.*s\": it is passed over", STR_ARG(name)));
	return 0;
}

/* The last one of that name: where a plugin is listed twice, the arguments that come last hold in both
 * places. */
static struct json last_of(struct json root, struct str name)
{
	struct json_iter tier = json_iter(json_get(root, "tiers"));
	struct json last = JSON_NONE;

	while (json_next(&tier)) {
		struct json_iter it = json_iter(json_get(tier.value, "plugins"));

		while (json_next(&it))
			if (str_eq(json_str(json_get(it.value, "name")), name))
				last = it.value;
	}
	return last;
}

/* Arguments that the plugin did not ask for. */
static void note_arguments(struct plugin_args *args)
{
	struct json_iter it = json_iter(args->object);

	while (json_next(&it))
		if (!is_wanted(args, it.key))
			vec_push(&args->notes,
				 mem_printf("argument %.*s: is not known, and passed over",
					    STR_ARG(it.key)));
}

static void note_switches(struct config *config, struct json options, const char *plugin)
{
	const char *known[SWITCH_COUNT + 3] = {"name", "arguments", NULL};
	AUTO(mem_free) char *where = mem_printf("plugin %s: ", plugin);

	for (int i = 0; i < SWITCH_COUNT; i++)
		known[i + 2] = switch_names[i];
	known[SWITCH_COUNT + 2] = NULL;
	note_keys(config, options, known, where);
}

static int read_plugin(struct config *config, const struct plugin_types *more, struct json options,
		       uint32_t tier, struct err *err)
{
	struct str name = json_str(json_get(options, "name"));
	const struct plugin_type *type = find_type(more, name);
	struct json last = last_of(json_doc_root(config->doc), name);
	struct plugin_args args = {.object = json_get(last, "arguments")};
	struct plugin *plugin;
	int failed = 0;

	if (want_object(options, " {name, arguments, ...}", err) < 0)
		return -1;
	if (want_arguments(options, err) < 0)
		return err_wrap(err, "%.*s", STR_ARG(name));
	if (!type)
		return pass_over(config, name);
	plugin = mem_new(struct plugin);
	plugin->type = type;
	plugin->tier = tier;
	vec_push(&config->plugins, plugin);
	if (read_switches(plugin, options, err) < 0 ||
	    (plugin->type->new && plugin->type->new (plugin, &args, err) < 0))
		failed = -1;
	else
		note_arguments(&args);
	note_switches(config, options, plugin->type->name);
	for (size_t i = 0; i < args.notes.len; i++) {
		note(config, mem_printf("plugin %s: %s", plugin->type->name, args.notes.ptr[i]));
		mem_free(args.notes.ptr[i]);
	}
	vec_done(&args.notes);
	vec_done(&args.wanted);
	return failed < 0 ? err_wrap(err, "%.*s", STR_ARG(name)) : 0;
}

/* Combinations that cannot work. */
static int check_tier(const struct config *config, uint32_t tier, struct err *err)
{
	bool proportion = false, hierarchical = false;

	for (size_t i = 0; i < config->plugins.len; i++) {
		const struct plugin *p = config->plugins.ptr[i];

		if (p->tier != tier)
			continue;
		proportion |= str_is(str_from(p->type->name), "proportion");
		hierarchical |=
			str_is(str_from(p->type->name), "drf") && plugin_is_on(p, SWITCH_HIERARCHY);
	}
	if (proportion && hierarchical)
		return err_set(err, ERR_INVALID,
			       "proportion and drf with hierarchy enabled conflicts");
	return 0;
}

static int read_tiers(struct config *config, const struct plugin_types *more, struct json root,
		      struct err *err)
{
	static const char *const known[] = {"plugins", NULL};
	struct json_iter tier = json_iter(json_get(root, "tiers"));

	if (want_list(json_get(root, "tiers"), "tiers", err) < 0)
		return -1;
	while (json_next(&tier)) {
		struct json plugins = json_get(tier.value, "plugins");
		struct json_iter it = json_iter(plugins);

		if (want_object(tier.value, " {plugins}", err) < 0 ||
		    want_list(plugins, "plugins", err) < 0)
			return err_wrap(err, "tiers[%zu]", tier.index);
		note_keys(config, tier.value, known, "tiers: ");
		while (json_next(&it))
			if (read_plugin(config, more, it.value, (uint32_t)tier.index, err) < 0)
				return err_wrap(err, "tiers[%zu].plugins[%zu]", tier.index,
						it.index);
		if (check_tier(config, (uint32_t)tier.index, err) < 0)
			return err_wrap(err, "tiers[%zu]", tier.index);
	}
	return 0;
}

static int check_metrics(struct config *config, struct json metrics, struct err *err)
{
	static const char *const known[] = {"type", "address", "interval", "tls.insecureSkipVerify",
					    NULL};
	struct str type = json_str(json_get(metrics, "type"));
	bool prometheus = str_is(type, "prometheus");

	if (!type.len)
		return 0;
	if (!prometheus && !str_is(type, "prometheus_adaptor") && !str_is(type, "metrics_api"))
		return err_set(err, ERR_INVALID,
			       "metrics.type: \"%.*s\" is none of prometheus, prometheus_adaptor, "
			       "metrics_api",
			       STR_ARG(type));
	if (prometheus && !json_str(json_get(metrics, "address")).len)
		return err_set(err, ERR_INVALID,
			       "metrics.address: the URL of Prometheus is needed");
	note_keys(config, metrics, known, "metrics: ");
	return 0;
}

/* Names and texts; what is made of them is the collector's. */
static int read_metrics(struct config *config, struct json root, struct err *err)
{
	struct json metrics = json_get(root, "metrics");
	struct json_iter it = json_iter(metrics);

	if (want_object(metrics, "", err) < 0)
		return err_wrap(err, "metrics");
	while (json_next(&it))
		if (json_is(it.value, JSON_OBJ) || json_is(it.value, JSON_ARR))
			return err_set(err, ERR_INVALID, "metrics: %.*s: must be a text",
				       STR_ARG(it.key));
	config->metrics = metrics;
	return check_metrics(config, metrics, err);
}

/* --- what is asked --------------------------------------------------------------------------- */

static bool has_hook(const struct plugin_type *type, const struct hook_row *row)
{
	void (*fn)(void);

	memcpy(&fn, (const char *)type + row->offset, sizeof(fn));
	return fn;
}

static void list_rows(struct config *config, const struct plugin *p)
{
	const struct filter_row *filter = p->type->filters;
	const struct score_row *score = p->type->scores;

	for (; filter && filter->name && plugin_is_on(p, SWITCH_PREDICATE); filter++)
		vec_push(&config->filters, (struct config_filter){filter, p});
	for (; score && score->name && plugin_is_on(p, SWITCH_NODE_ORDER); score++) {
		double weight = score->weight ? score->weight(p) : 1;

		if (weight != 0)
			vec_push(&config->scores, (struct config_score){score, p, weight});
	}
}

static void list_hooks(struct config *config)
{
	for (size_t i = 0; i < config->plugins.len; i++) {
		const struct plugin *p = config->plugins.ptr[i];

		for (int h = 0; h < HOOK_COUNT; h++)
			if (plugin_is_on(p, hook_rows[h].which) && has_hook(p->type, &hook_rows[h]))
				vec_push(&config->hooks[h], p);
		list_rows(config, p);
		config->shares |= p->type->shares_in_tree && plugin_is_on(p, SWITCH_HIERARCHY);
	}
	config->shares |= config->hooks[HOOK_PREEMPTIVE].len > 0;
}

static void note_duplicate(void *arg, struct str text)
{
	note(arg, mem_printf("%.*s: the last one holds", STR_ARG(text)));
}

/* The first document is the configuration, and of a key that comes twice the last holds, as upstream
 * has it. */
static int read_text(struct config *config, struct str text, struct err *err)
{
	const struct yaml_options options = {.on_duplicate = note_duplicate, .arg = config};
	AUTO(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(text, &options);
	AUTO(json_doc_unref) struct json_doc *second = NULL;

	if (yaml_reader_next(reader, &config->doc, err) < 0)
		return -1;
	if (config->doc && (yaml_reader_next(reader, &second, NULL) < 0 || second))
		note(config, mem_strdup("what follows the first document is passed over"));
	return 0;
}

struct config *config_parse(struct str text, uint64_t number, struct err *err)
{
	return config_parse_with(text, number, NULL, err);
}

struct config *config_parse_with(struct str text, uint64_t number, const struct plugin_types *more,
				 struct err *err)
{
	static const char *const known[] = {"actions", "tiers", "configurations", "metrics", NULL};
	AUTO(config_free) struct config *config = mem_new(struct config);
	struct json root;

	config->number = number;
	if (read_text(config, text, err) < 0)
		return NULL;
	root = json_doc_root(config->doc);
	if (read_actions(config, root, err) < 0 || read_configurations(config, root, err) < 0 ||
	    read_tiers(config, more, root, err) < 0 || read_metrics(config, root, err) < 0)
		return NULL;
	note_keys(config, root, known, "");
	list_hooks(config);
	config->blocks = true;
	for (size_t i = 0; i < config->actions.len; i++)
		config->blocks &= !config->actions.ptr[i].type->evicts;
	for (size_t i = 0; i < config->plugins.len; i++) {
		config->timed |= config->plugins.ptr[i]->type->timed;
		config->blocks &= !config->plugins.ptr[i]->restless;
	}
	config->blocks &= !config->timed;
	config->job_groups = config->blocks;
	for (size_t i = 0; i < config->plugins.len; i++)
		config->job_groups &= config->plugins.ptr[i]->type->alike;
	return TAKE(config);
}

void config_free(struct config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->plugins.len; i++) {
		struct plugin *p = config->plugins.ptr[i];

		if (p->type && p->type->free)
			p->type->free(p);
		mem_free(p);
	}
	for (size_t i = 0; i < config->notes.len; i++)
		mem_free(config->notes.ptr[i]);
	for (int h = 0; h < HOOK_COUNT; h++)
		vec_done(&config->hooks[h]);
	vec_done(&config->notes);
	vec_done(&config->plugins);
	vec_done(&config->actions);
	vec_done(&config->filters);
	vec_done(&config->scores);
	json_doc_unref(config->doc);
	mem_free(config);
}

const struct plugin *config_find_plugin(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->plugins.len; i++)
		if (str_is(str_from(config->plugins.ptr[i]->type->name), name))
			return config->plugins.ptr[i];
	return NULL;
}

struct queue_report config_queue_report(const struct config *config, const struct queue_info *queue)
{
	struct queue_report report = {0};

	for (size_t i = 0; i < config->plugins.len; i++) {
		const struct plugin *p = config->plugins.ptr[i];

		if (p->type->report)
			p->type->report(p, queue, &report);
	}
	return report;
}
