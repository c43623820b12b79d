/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/session/config.h"

#include "sched/session/session.h"
#include "tap.h"

#include "base/banned.h"

static void refuses(const char *text, const char *why, const char *what)
{
	struct err err = {0};
	AUTO(config_free) struct config *config = config_parse(str_from(text), 1, &err);

	ok(!config, "%s is refused", what);
	is(err.text, why);
}

static void test_refusals(void)
{
	refuses("", "actions: a list of names with commas is needed", "an empty file");
	refuses("actions: \"enqueue, dance\"", "actions: there is no action \"dance\"",
		"an unknown action");
	refuses("{actions: allocate, tiers: [{plugins: [{name: drf, enableHierarchy: true}, {name: "
		"proportion}]}]}",
		"tiers[0]: proportion and drf with hierarchy enabled conflicts",
		"what cannot work together");
	refuses("{actions: [allocate]}", "actions: a list of names with commas is needed",
		"a list of actions");
	refuses("{actions: allocate, tiers: {plugins: [{name: gang}]}}", "tiers: must be a list",
		"a tier that is not in a list");
	refuses("{actions: allocate, tiers: [gang]}", "tiers[0]: must be an object {plugins}",
		"a tier that is a name");
	refuses("{actions: allocate, tiers: [{plugins: gang}]}",
		"tiers[0]: plugins: must be a list", "plugins that are a name");
	refuses("{actions: allocate, tiers: [{plugins: [gang]}]}",
		"tiers[0].plugins[0]: must be an object {name, arguments, ...}",
		"a plugin that is a name");
	refuses("{actions: allocate, tiers: [{plugins: [{name: binpack, arguments: "
		"[binpack.weight]}]}]}",
		"tiers[0].plugins[0]: binpack: arguments: must be an object",
		"a list of arguments");
	refuses("{actions: allocate, metrics: [prometheus]}", "metrics: must be an object",
		"metrics that are a list");
	refuses("{actions: allocate, metrics: {type: prometheus, tls: {}}}",
		"metrics: tls: must be a text", "metrics within metrics");
	refuses("{actions: allocate, configurations: {name: allocate}}",
		"configurations: must be a list", "configurations that are no list");
	refuses("{actions: allocate, configurations: [allocate]}",
		"configurations[0]: must be an object {name, arguments}",
		"a configuration that is a name");
	refuses("{actions: allocate, tiers: [{plugins: [{name: gang, enableJobReady: maybe}]}]}",
		"tiers[0].plugins[0]: gang: enableJobReady: must be true or false",
		"a switch that is no boolean");
}

static void test_reading(void)
{
	struct err err = {0};
	AUTO(config_free)
	struct config *config =
		config_parse(str_from("actions: \" enqueue ,allocate\"\n"
				      "mood: sunny\n"
				      "tiers:\n"
				      "- plugins:\n"
				      "  - name: gang\n"
				      "    enableJobOrder: false\n"
				      "- plugins:\n"
				      "  - name: priority\n"
				      "  - name: overcommit\n"
				      "    arguments: {overcommit-factor: lots}\n"
				      "configurations:\n"
				      "- name: allocate\n"
				      "  arguments: {predicateErrorCacheEnable: false}\n"),
			     1, &err);

	ok(config, "a file is read %s", err.text);
	if (!config)
		return;
	ok(config->actions.len == 2 && config->enqueues, "with its actions");
	ok(json_is(json_get(config->actions.ptr[1].arguments, "predicateErrorCacheEnable"),
		   JSON_BOOL),
	   "and their arguments");
	ok(config->hooks[HOOK_JOB_ORDER].len == 1 &&
		   strcmp(config->hooks[HOOK_JOB_ORDER].ptr[0]->type->name, "priority") == 0,
	   "a hook that is switched off is not asked");
	ok(config->hooks[HOOK_JOB_READY].len == 1 &&
		   config->hooks[HOOK_JOB_READY].ptr[0]->tier == 0,
	   "the others are, in their tier");
	ok(config->notes.len == 2, "what is odd is noted");
	is(config->notes.ptr[0],
	   "plugin overcommit: argument overcommit-factor: is no number; the default stays");
	is(config->notes.ptr[1], "mood: is not known, and passed over");
	ok(config_find_plugin(config, "gang") && !config_find_plugin(config, "drf"),
	   "plugins are found by name");
}

/* A typing error has no effect, and does not stay unnoticed. */
static void test_notes(void)
{
	static const char *const want[] = {
		"configurations: argument: is not known, and passed over",
		"configurations[0]: there is no action \"alocate\"",
		"plugin gang: argument weight: is not known, and passed over",
		"there is no plugin \"magic\": it is passed over",
		"plugin binpack: enableNodeorder: is not known, and passed over",
		"plugin binpack: argument binpack.wieght: is not known, and passed over",
		"plugin binpack: argument binpack.resources.x.com/fpga: is not known, and passed "
		"over",
		"plugin capacity: argument capacity.DynamicResourceAllocationEnable: devices of "
		"resource claims are not counted yet",
		"tiers: plugin: is not known, and passed over",
	};
	struct err err = {0};
	AUTO(config_free)
	struct config *config = config_parse(
		STR("actions: allocate\n"
		    "configurations: [{name: alocate, argument: {}}]\n"
		    "tiers:\n"
		    "- plugins:\n"
		    "  - {name: gang, arguments: {weight: 1}}\n"
		    "  - {name: magic, arguments: {weight: 1}}\n"
		    "  - name: binpack\n"
		    "    enableNodeorder: false\n"
		    "    arguments: {binpack.resources: x.com/gpu, binpack.resources.x.com/gpu: "
		    "2,\n"
		    "      binpack.wieght: 3, binpack.resources.x.com/fpga: 2}\n"
		    "  - {name: predicates, arguments: {predicate.CacheEnable: true}}\n"
		    "  - {name: capacity, arguments: {capacity.DynamicResourceAllocationEnable: "
		    "true,\n"
		    "      capacity.DRAConsumableCapacityEnable: false}}\n"
		    "- plugin: []\n"),
		1, &err);

	ok(config && config->notes.len == ARRAY_LEN(want), "all that is odd is noted %s", err.text);
	for (size_t i = 0; config && i < config->notes.len && i < ARRAY_LEN(want); i++)
		is(config->notes.ptr[i], want[i]);
}

/* Nor does what is written twice. */
static void test_twice(void)
{
	struct err err = {0};
	AUTO(config_free)
	struct config *config = config_parse(
		str_from("actions: dance\nactions: allocate\n---\nactions: [\n"), 1, &err);

	ok(config && config->actions.len == 1 && config->notes.len == 2,
	   "the last key of the first document holds %s", err.text);
	is(config ? config->notes.ptr[0] : "",
	   "line 2, column 1: key \"actions\" already set in map, first at line 1, column 1: the "
	   "last one holds");
	is(config ? config->notes.ptr[1] : "", "what follows the first document is passed over");
}

static void test_builtin(void)
{
	struct err err = {0};
	AUTO(config_free) struct config *config = config_parse(str_from(config_builtin), 1, &err);

	ok(config && config->actions.len == 3 && config->plugins.len == 9,
	   "what is built in is good %s", err.text);
}

int main(void)
{
	test_refusals();
	test_reading();
	test_notes();
	test_twice();
	test_builtin();
	return tap_done();
}
