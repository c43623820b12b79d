/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/settings.h - the flags of `volcano`, and what they say. */
#ifndef PROGRAMS_VOLCANO_SETTINGS_H
#define PROGRAMS_VOLCANO_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "flags/command_line.h"

/* The flags of each command, and those of all of them. */
extern const struct flag settings_up[], settings_down[], settings_backup[], settings_status[];
extern const struct flag settings_common[];

struct settings {
	char *folder; /* --data-dir, or as settings_read() finds it */
	const char *listen;
	const char *to; /* of a backup */
	const char *components;
	const char *admission; /* "on", "off"; NULL: not given */
	const char *admission_conf;
	bool queue_gates; /* the feature SchedulingGatesQueueAdmission */
	const char *scheduler_conf;
	const char *plugins_dir;
	const char *backup_dir;
	int64_t backup_every_us;
	int64_t backup_keep;
	VEC(char *) owned;       /* texts that are used above and below */
	VEC(const char *) names; /* --tls-san */
	VEC(const char *) words; /* of `store`: the verb, and the object */
	int64_t nodes;           /* -1: not given */
	int64_t simulated_nodes; /* -1: not given */
	const char *node_resources;
	const char *node_reserved;
	const char *eviction;
	int64_t eviction_transition_us; /* -1: not given */
	const char *runtime;            /* NULL: containers are processes */
	bool allow_root_pods;
	int64_t pod_max_pids;
	enum log_level log_level;
	bool detach;
	bool json;
	bool pods; /* of `down`: stop them as well */
};

/* What the command line says; it must outlive the settings. The folder, if none is given: $VOLCANO_HOME, or
 * .volcano in $HOME; both may be NULL. -1 and an error if the flags do not go together or name files that
 * are missing. */
int settings_read(struct settings *settings, const struct command_line *line,
		  const char *volcano_home, const char *home, struct err *err) MUST_CHECK;
void settings_done(struct settings *settings);
DEFINE_AUTO_IN_PLACE(struct settings, settings_done);

/* How many nodes this machine is to be: as --nodes says, or one if none are simulated. */
size_t settings_real_nodes(const struct settings *settings);

#endif
