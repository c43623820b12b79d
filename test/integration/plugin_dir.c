/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins from shared objects: one that works, and those that are refused. The folder with what was built is
 * the argument. */
#include "programs/plugins/plugin_dir.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "sched/plugin/plugin.h"
#include "sched/plugin/plugin_module.h"
#include "sched/session/config.h"
#include "tap.h"

#include "base/banned.h"

/* A folder with one link in it, under that name. */
static char *folder_with(const char *built, const char *as)
{
	char *folder = mem_strdup("/tmp/plugin-dir-XXXXXX");
	char *link;

	if (!mkdtemp(folder))
		return folder;
	link = mem_printf("%s/%s", folder, as);
	if (symlink(built, link) < 0)
		perror(link);
	mem_free(link);
	return folder;
}

static void take_away(char *folder, const char *as)
{
	char *link = mem_printf("%s/%s", folder, as);

	(void)unlink(link);
	(void)rmdir(folder);
	mem_free(link);
	mem_free(folder);
}

static void refuses(const char *from, const char *built, const char *as, const char *why)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", from, built);
	char *folder = folder_with(path, as);
	struct err err = {0};
	struct plugin_dir *dir = plugin_dir_open(folder, &err);

	ok(!dir, "%s as %s is refused", built, as);
	ok(strstr(err.text, why) && strstr(err.text, as), "with its file and why: %s", err.text);
	plugin_dir_close(dir);
	take_away(folder, as);
}

static struct config *configure(const struct plugin_dir *dir, const char *arguments,
				struct err *err)
{
	AUTO(mem_free)
	char *text = mem_printf("{actions: allocate, tiers: [{plugins: [{name: gang}, {name: "
				"node-prefix, arguments: %s}]}]}",
				arguments);

	return config_parse_with(str_from(text), 1, dir ? plugin_dir_types(dir) : NULL, err);
}

static void test_sample(const char *sample)
{
	char *folder = folder_with(sample, "node-prefix.so");
	struct err err = {0};
	struct plugin_dir *dir = plugin_dir_open(folder, &err);
	struct config *config;

	ok(dir && plugin_dir_types(dir)->len == 1, "the sample is loaded %s", err.text);
	if (!dir) {
		take_away(folder, "node-prefix.so");
		return;
	}
	config = configure(dir, "{prefix: big-, weight: 3}", &err);
	ok(config && config->scores.len == 1 && config->scores.ptr[0].weight == 3,
	   "and is in use where a configuration names it %s", err.text);
	config_free(config);
	config = configure(dir, "{weight: 3}", &err);
	ok(!config, "it may refuse its arguments");
	is(err.text, "tiers[0].plugins[1]: node-prefix: argument prefix: is missing");
	config_free(config);
	config = configure(NULL, "{prefix: big-}", &err);
	ok(config && config->scores.len == 0 && config->notes.len == 1,
	   "without it the name is unknown");
	is(config && config->notes.len ? config->notes.ptr[0] : "",
	   "there is no plugin \"node-prefix\": it is passed over");
	config_free(config);
	plugin_dir_close(dir);
	take_away(folder, "node-prefix.so");
}

static void test_folders(void)
{
	char folder[] = "/tmp/plugin-dir-XXXXXX";
	struct err err = {0};
	struct plugin_dir *dir = plugin_dir_open("/nowhere/at/all", &err);

	ok(!dir, "a folder that is not there is an error");
	is(err.text, "/nowhere/at/all: No such file or directory");
	ok(mkdtemp(folder) && (dir = plugin_dir_open(folder, &err)) &&
		   plugin_dir_types(dir)->len == 0,
	   "an empty one is not %s", err.text);
	plugin_dir_close(dir);
	(void)rmdir(folder);
}

int main(int argc, char **argv)
{
	const char *built = argc > 2 ? argv[2] : ".";

	test_folders();
	test_sample(argc > 1 ? argv[1] : "");
	AUTO(mem_free)
	char *versions = mem_printf("was built for version 999 of the plugin interface, this "
				    "program has %d",
				    PLUGIN_ABI);
	refuses(built, "wrong-abi.so", "wrong.so", versions);
	refuses(built, "wrong-layout.so", "wrong.so",
		"was built with the headers of another version");
	refuses(built, "wrong-name.so", "other.so", "is the plugin \"mine\"");
	refuses(built, "wrong-gang.so", "gang.so", "the name is that of a plugin of Volcano's");
	refuses(built, "wrong-nothing.so", "nothing.so", "shows no volcano_plugin");
	refuses("/etc", "hosts", "text.so", "text.so");
	return tap_done();
}
