/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/settings.h - what the command line of `volcano` says. */
#ifndef PROGRAMS_VOLCANO_SETTINGS_H
#define PROGRAMS_VOLCANO_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/vec.h"

struct buf;

/* Bits: which commands an option is for. */
enum command {
	COMMAND_UP = 1,
	COMMAND_DOWN = 2,
	COMMAND_STATUS = 4,
	COMMAND_BACKUP = 8,
	COMMAND_STORE = 16
};

struct settings {
	char *folder; /* --data-dir, or as settings_complete() finds it */
	const char *listen;
	const char *to; /* of a backup */
	const char *components;
	const char *admission; /* "on", "off"; NULL: not said */
	const char *admission_conf;
	const char *scheduler_conf;
	const char *plugins_dir;
	const char *backup_dir;
	int64_t backup_every_us; /* -1: not said */
	int64_t backup_keep;     /* -1: not said */
	VEC(char *) paths;       /* that the ones above lie in */
	VEC(const char *) names; /* --tls-san */
	VEC(const char *) words; /* of `store`: what to do, and with which object */
	int64_t nodes;           /* -1: not said */
	int64_t simulated_nodes;
	const char *node_resources;
	const char *node_reserved;
	const char *eviction;
	int64_t eviction_transition_us; /* -1: not said */
	const char *runtime;            /* NULL: containers are processes */
	bool allow_root_pods;
	int64_t pod_max_pids;
	enum log_level log_level;
	bool detach;
	bool json;
	bool pods; /* of `down`: they end as well */
	bool help;
};

void settings_init(struct settings *settings);
void settings_done(struct settings *settings);
DEFINE_AUTO_IN_PLACE(struct settings, settings_done);

/* The arguments behind the command, which end in NULL and must live on. An unknown option, a
 * missing or a wrong value is an error that names it. */
int settings_parse(struct settings *settings, enum command command, char **args,
		   struct err *err) MUST_CHECK;
/* The folder, where none was given: $VOLCANO_HOME, or .volcano in $HOME; both may be NULL. */
int settings_complete(struct settings *settings, const char *volcano_home, const char *home,
		      struct err *err) MUST_CHECK;
/* How many nodes this machine is to be: as --nodes says, or one where none are simulated. */
size_t settings_real_nodes(const struct settings *settings);
/* The options of a command, a line each. */
void settings_print_help(enum command command, struct buf *to);
/* The same for the manual page. */
void settings_print_manual(enum command command, struct buf *to);

#endif
