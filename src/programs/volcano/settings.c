/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/settings.c - the flags of `volcano`, and what they say. */
#include "programs/volcano/settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "flags/complete.h"
#include "model/value/duration.h"
#include "node/machine/pressure.h"

#include "base/banned.h"

enum { NODES_MAX = 100000, BACKUPS_MAX = 100000, PIDS_MAX = 4194304 };

/* --- values ------------------------------------------------------------------------------------- */

static int check_folder(const char *value, struct err *err)
{
	return *value ? 0 : err_set(err, ERR_BAD_REQUEST, "must name a folder");
}

static int check_names(const char *value, struct err *err)
{
	return *value ? 0 : err_set(err, ERR_BAD_REQUEST, "must be a host name or an IP address");
}

static int check_eviction(const char *value, struct err *err)
{
	struct pressure_limits limits = pressure_limits_default;

	return pressure_limits_parse(value, &limits, err);
}

static int check_duration(const char *value, int64_t least, const char *text, struct err *err)
{
	int64_t nanoseconds = 0;

	if (duration_parse(str_from(value), &nanoseconds, err) < 0)
		return -1;
	if (nanoseconds / DURATION_MICROSECOND < least)
		return err_set(err, ERR_BAD_REQUEST, "must be at least %s", text);
	return 0;
}

static int check_second(const char *value, struct err *err)
{
	return check_duration(value, TIME_SECOND, "1s", err);
}

static int check_positive(const char *value, struct err *err)
{
	return check_duration(value, 0, "0s", err);
}

/* --- the tables --------------------------------------------------------------------------------- */

const struct flag settings_common[] = {
	{.name = "data-dir",
	 .about = "the data directory (default: $VOLCANO_HOME or ~/.volcano)",
	 .noun = "D",
	 .completes = COMPLETE_FILES,
	 .check = check_folder},
	{.name = NULL},
};

const struct flag settings_up[] = {
	{.name = "detach",
	 .letter = 'd',
	 .type = FLAG_BOOL,
	 .about = "run in the background; returns when it is ready"},
	{.name = "listen",
	 .about = "where to serve (default: 127.0.0.1:6443, or a free port if that is in use)",
	 .noun = "ADDR:PORT"},
	{.name = "tls-san",
	 .type = FLAG_LIST,
	 .about = "one more name or address that clients use to reach the server",
	 .noun = "NAME",
	 .check = check_names},
	{.name = "components",
	 .about = "what to run, with commas between (default: everything)",
	 .noun = "LIST"},
	{.name = "admission",
	 .type = FLAG_CHOICE,
	 .choices = "on off",
	 .about = "rules beyond Kubernetes': Volcano's, tokens on request only, warnings about "
		  "fields without effect (default: on, but off for a bare apiserver)",
	 .noun = "on|off"},
	{.name = "admission-conf",
	 .about = "resource groups: what pods get by namespace or annotation (default: none)",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.name = "feature-gates",
	 .about = "SchedulingGatesQueueAdmission=true: pods that ask for it wait for their queue "
		  "at a "
		  "scheduling gate",
	 .noun = "NAME=BOOL,..."},
	{.name = "scheduler-conf",
	 .about = "the scheduler's actions and plugins (default: as Volcano's)",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.name = "plugins-dir",
	 .about = "shared objects with scheduler plugins, in addition to the built-in ones",
	 .noun = "FOLDER",
	 .completes = COMPLETE_FILES},
	{.name = "nodes",
	 .type = FLAG_INT,
	 .max = NODES_MAX,
	 .about = "divide this machine into N nodes, 0: none (default: 1; 0 with "
		  "--simulate-nodes)",
	 .noun = "N"},
	{.name = "node-resources",
	 .about = "resources per node, instead of the detected ones: nvidia.com/gpu=4,cpu=8",
	 .noun = "LIST"},
	{.name = "node-reserved",
	 .about = "resources per node that pods do not get: cpu=500m,memory=1Gi",
	 .noun = "LIST"},
	{.name = "eviction-hard",
	 .about = "evict pods if less than this is free (default: "
		  "memory.available<100Mi,nodefs.available<5%,pid.available<5%; of the disk at "
		  "most 1Gi)",
	 .noun = "LIST",
	 .check = check_eviction},
	{.name = "eviction-pressure-transition-period",
	 .type = FLAG_DURATION,
	 .about = "how long a node reports pressure after it has ended (default: 5m)",
	 .noun = "TIME",
	 .check = check_positive},
	{.name = "runtime",
	 .about = "run containers in images: by podman or crun, if installed (default: as "
		  "processes)",
	 .noun = "NAME",
	 .choices = "podman crun"},
	{.name = "allow-root-pods",
	 .type = FLAG_BOOL,
	 .about = "let pods run as root or system users, or with privileges (default: refused; "
		  "needs root)"},
	{.name = "pod-max-pids",
	 .type = FLAG_INT,
	 .max = PIDS_MAX,
	 .value = "4096",
	 .about = "processes and threads per pod at once, 0: any number",
	 .noun = "N"},
	{.name = "simulate-nodes",
	 .type = FLAG_INT,
	 .max = NODES_MAX,
	 .about = "add N nodes that only pretend to run pods",
	 .noun = "N"},
	{.name = "backup-dir",
	 .about = "write backups of the store to this folder regularly (default: none)",
	 .noun = "FOLDER",
	 .completes = COMPLETE_FILES},
	{.name = "backup-every",
	 .type = FLAG_DURATION,
	 .value = "1h",
	 .about = "time between backups, with --backup-dir",
	 .noun = "TIME",
	 .check = check_second},
	{.name = "backup-keep",
	 .type = FLAG_INT,
	 .min = 1,
	 .max = BACKUPS_MAX,
	 .value = "24",
	 .about = "how many backups to keep; older ones are deleted",
	 .noun = "N"},
	{.name = "log-level",
	 .type = FLAG_CHOICE,
	 .choices = "debug info warn error",
	 .value = "info",
	 .about = "debug, info, warn or error",
	 .noun = "LEVEL"},
	{.name = NULL},
};

const struct flag settings_down[] = {
	{.name = "pods",
	 .type = FLAG_BOOL,
	 .about = "stop the processes of pods as well (default: they keep running, for the next "
		  "up)"},
	{.name = NULL},
};

const struct flag settings_backup[] = {
	{.name = "to",
	 .about = "the destination: a folder that is empty or does not exist",
	 .noun = "FOLDER",
	 .completes = COMPLETE_FILES,
	 .check = check_folder},
	{.name = NULL},
};

const struct flag settings_status[] = {
	{.name = "output",
	 .letter = 'o',
	 .type = FLAG_CHOICE,
	 .choices = "text json",
	 .value = "text",
	 .about = "text or json",
	 .noun = "FORMAT"},
	{.name = NULL},
};

/* --- reading ------------------------------------------------------------------------------------ */

/* NULL: not given. */
static const char *given(const struct command_line *line, const char *name)
{
	return command_given(line, name) ? command_str(line, name).ptr : NULL;
}

/* From the root on: in the background we work in another folder. */
static int read_path(struct settings *settings, const struct command_line *line, const char *name,
		     const char **ret, struct err *err)
{
	const char *value = given(line, name);
	char *absolute;

	if (!value)
		return 0;
	absolute = realpath(value, NULL);
	if (!absolute)
		return err_errno(err, errno, "--%s: %s", name, value);
	vec_push(&settings->owned, absolute);
	*ret = absolute;
	return 0;
}

static int read_backups(struct settings *settings, const struct command_line *line, struct err *err)
{
	const char *folder = command_text(line, "backup-dir");

	if (!command_given(line, "backup-dir") &&
	    (command_given(line, "backup-every") || command_given(line, "backup-keep")))
		return err_set(err, ERR_BAD_REQUEST,
			       "--backup-every and --backup-keep need --backup-dir");
	settings->backup_every_us = command_duration(line, "backup-every");
	settings->backup_keep = command_int(line, "backup-keep");
	/* Created now, so that a mistake is noticed at the start. */
	if (folder && mkdir(folder, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "--backup-dir: %s", folder);
	return read_path(settings, line, "backup-dir", &settings->backup_dir, err);
}

static int64_t int_or_none(const struct command_line *line, const char *name)
{
	return command_given(line, name) ? command_int(line, name) : -1;
}

static int read_up(struct settings *settings, const struct command_line *line, struct err *err)
{
	struct str rest = command_str(line, "tls-san");
	struct str name;

	settings->detach = command_bool(line, "detach");
	settings->listen = given(line, "listen");
	settings->components = given(line, "components");
	settings->admission = given(line, "admission");
	settings->queue_gates =
		command_has_gate(line, "feature-gates", "SchedulingGatesQueueAdmission", false);
	settings->nodes = int_or_none(line, "nodes");
	settings->simulated_nodes = int_or_none(line, "simulate-nodes");
	settings->node_resources = given(line, "node-resources");
	settings->node_reserved = given(line, "node-reserved");
	settings->eviction = given(line, "eviction-hard");
	settings->eviction_transition_us =
		command_given(line, "eviction-pressure-transition-period")
			? command_duration(line, "eviction-pressure-transition-period")
			: -1;
	settings->runtime = given(line, "runtime");
	settings->allow_root_pods = command_bool(line, "allow-root-pods");
	settings->pod_max_pids = command_int(line, "pod-max-pids");
	(void)log_level_parse(command_str(line, "log-level"), &settings->log_level);
	while (command_next(&rest, &name)) {
		char *copy = str_dup(name);

		vec_push(&settings->owned, copy);
		vec_push(&settings->names, copy);
	}
	if (read_path(settings, line, "admission-conf", &settings->admission_conf, err) < 0 ||
	    read_path(settings, line, "scheduler-conf", &settings->scheduler_conf, err) < 0 ||
	    read_path(settings, line, "plugins-dir", &settings->plugins_dir, err) < 0)
		return -1;
	return read_backups(settings, line, err);
}

static int find_folder(struct settings *settings, const struct command_line *line,
		       const char *volcano_home, const char *home, struct err *err)
{
	const char *given = command_text(line, "data-dir");

	if (given)
		settings->folder = mem_strdup(given);
	else if (volcano_home && *volcano_home)
		settings->folder = mem_strdup(volcano_home);
	else if (home && *home)
		settings->folder = mem_printf("%s/.volcano", home);
	else
		return err_set(err, ERR_BAD_REQUEST,
			       "neither $VOLCANO_HOME nor $HOME is set: use --data-dir");
	return 0;
}

int settings_read(struct settings *settings, const struct command_line *line,
		  const char *volcano_home, const char *home, struct err *err)
{
	const struct flag *flags = line->command->flags;

	*settings = (struct settings){.nodes = -1,
				      .simulated_nodes = -1,
				      .eviction_transition_us = -1,
				      .log_level = LOG_LEVEL_INFO};
	if (find_folder(settings, line, volcano_home, home, err) < 0)
		return -1;
	for (size_t i = 0; i < line->argument_count; i++)
		vec_push(&settings->words, line->arguments[i].ptr);
	if (flags == settings_down)
		settings->pods = command_bool(line, "pods");
	if (flags == settings_backup)
		settings->to = command_text(line, "to");
	if (flags == settings_status)
		settings->json = str_is(command_str(line, "output"), "json");
	return flags == settings_up ? read_up(settings, line, err) : 0;
}

void settings_done(struct settings *settings)
{
	mem_free(settings->folder);
	settings->folder = NULL;
	vec_done(&settings->names);
	vec_done(&settings->words);
	for (size_t i = 0; i < settings->owned.len; i++)
		free(settings->owned.ptr[i]); /* some are realpath()'s */
	vec_done(&settings->owned);
}

size_t settings_real_nodes(const struct settings *settings)
{
	if (settings->nodes >= 0)
		return (size_t)settings->nodes;
	return settings->simulated_nodes > 0 ? 0 : 1;
}
