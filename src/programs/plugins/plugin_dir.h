/* SPDX-License-Identifier: Apache-2.0 */
/* programs/plugins/plugin_dir.h - plugins from shared objects: every *.so of a folder.
 *
 * A plugin is named as its file without ".so". Loading only makes it known; the configuration says whether
 * it is used. One that cannot be loaded, was built for another program, or has a name that is taken
 * makes the whole folder fail, with the reason: a scheduler that leaves out a plugin that an administrator
 * relies on is worse than one that does not start. */
#ifndef PROGRAMS_PLUGINS_PLUGIN_DIR_H
#define PROGRAMS_PLUGINS_PLUGIN_DIR_H

#include "base/err.h"
#include "base/macro.h"

struct plugin_dir;
struct plugin_types;

/* In the order of the names. */
struct plugin_dir *plugin_dir_open(const char *path, struct err *err) MUST_CHECK;
/* After every configuration that uses one of them. Takes NULL. */
void plugin_dir_close(struct plugin_dir *dir);
DEFINE_AUTO(struct plugin_dir *, plugin_dir_close);

/* Lent. */
const struct plugin_types *plugin_dir_types(const struct plugin_dir *dir);

#endif
