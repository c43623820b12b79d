/* SPDX-License-Identifier: Apache-2.0 */
/* programs/plugins/plugin_dir.c - see the header. What a shared object needs of the model is in the program that
 * loads it, which shows its symbols (bin/meson.build). */
#include "programs/plugins/plugin_dir.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sched/plugin/plugin_module.h"

#include "base/banned.h"

struct plugin_dir {
	VEC(void *) handles;
	VEC(const struct plugin_type *) types;
	struct plugin_types view;
};

static const struct str suffix = {.ptr = ".so", .len = sizeof(".so") - 1};

/* Is it built for this program? */
static int check_module(const struct plugin_module *module, struct err *err)
{
	if (module->size != sizeof(*module) || module->abi != PLUGIN_ABI)
		return err_set(err, ERR_INVALID,
			       "was built for version %u of the plugin interface, this program has "
			       "%u",
			       module->size == sizeof(*module) ? module->abi : 0, PLUGIN_ABI);
	if (module->layout != PLUGIN_LAYOUT)
		return err_set(err, ERR_INVALID,
			       "was built with the headers of another version: build it again");
	if (!module->type || !module->type->name)
		return err_set(err, ERR_INVALID, "has no table with a name");
	return 0;
}

/* Is its name the file's, and new? */
static int check_name(const struct plugin_dir *dir, struct str file, const struct plugin_type *type,
		      struct err *err)
{
	struct str name = str_slice(file, 0, file.len - suffix.len);

	if (!str_is(name, type->name))
		return err_set(err, ERR_INVALID,
			       "is the plugin \"%s\": a plugin's file has its name", type->name);
	if (plugin_type_find(name))
		return err_set(err, ERR_INVALID, "the name is that of a plugin of Volcano's");
	for (size_t i = 0; i < dir->types.len; i++)
		if (str_is(name, dir->types.ptr[i]->name))
			return err_set(err, ERR_INVALID, "is there twice");
	return 0;
}

static int load(struct plugin_dir *dir, const char *path, struct str file, struct err *err)
{
	AUTO(mem_free) char *full = mem_printf("%s/%.*s", path, STR_ARG(file));
	const struct plugin_module *module;
	void *handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return err_set(err, ERR_INVALID, "%s", dlerror());
	vec_push(&dir->handles, handle);
	module = dlsym(handle, PLUGIN_SYMBOL);
	if (!module)
		return err_set(err, ERR_INVALID, "%s: is no plugin: it shows no " PLUGIN_SYMBOL,
			       full);
	if (check_module(module, err) < 0 || check_name(dir, file, module->type, err) < 0)
		return err_wrap(err, "%s", full);
	vec_push(&dir->types, module->type);
	return 0;
}

static int is_plugin(const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);

	return name.len > suffix.len && str_eq(str_skip(name, name.len - suffix.len), suffix);
}

struct plugin_dir *plugin_dir_open(const char *path, struct err *err)
{
	AUTO(plugin_dir_close) struct plugin_dir *dir = mem_new(struct plugin_dir);
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_plugin, alphasort), failed = 0;

	if (count < 0) {
		(void)err_errno(err, errno, "%s", path);
		return NULL;
	}
	for (int i = 0; i < count; i++) {
		if (failed == 0)
			failed = load(dir, path, str_from(entries[i]->d_name), err);
		mem_free(entries[i]);
	}
	mem_free(entries);
	if (failed < 0)
		return NULL;
	dir->view = (struct plugin_types){dir->types.ptr, dir->types.len};
	return TAKE(dir);
}

void plugin_dir_close(struct plugin_dir *dir)
{
	if (!dir)
		return;
	for (size_t i = dir->handles.len; i-- > 0;)
		(void)dlclose(dir->handles.ptr[i]);
	vec_done(&dir->handles);
	vec_done(&dir->types);
	mem_free(dir);
}

const struct plugin_types *plugin_dir_types(const struct plugin_dir *dir)
{
	return &dir->view;
}
