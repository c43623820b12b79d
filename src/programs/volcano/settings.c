/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/settings.c - what the command line of `volcano` says.
 *
 * One table of options: a row says for which commands it is, what it takes and where that goes. */
#include "programs/volcano/settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/roff.h"
#include "base/str.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "node/machine/pressure.h"

#include "base/banned.h"

enum {
	NODES_MAX = 100000,
	BACKUPS_MAX = 100000,
	BACKUPS_KEPT = 24,
	PIDS_DEFAULT = 4096,
	PIDS_MAX = 4194304
};

typedef int set_fn(struct settings *settings, const char *value, struct err *err);

struct option {
	const char *name;
	char letter; /* 0: none */
	unsigned commands;
	const char *value; /* what it takes, for help; NULL: nothing */
	set_fn *set;
	const char *about;
};

static int set_folder(struct settings *settings, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, ERR_BAD_REQUEST, "must name a folder");
	mem_free(settings->folder);
	settings->folder = mem_strdup(value);
	return 0;
}

static int set_listen(struct settings *settings, const char *value, struct err *err)
{
	(void)err;
	settings->listen = value;
	return 0;
}

static int set_to(struct settings *settings, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, ERR_BAD_REQUEST, "must name a folder");
	settings->to = value;
	return 0;
}

static int set_components(struct settings *settings, const char *value, struct err *err)
{
	(void)err;
	settings->components = value;
	return 0;
}

static int set_admission(struct settings *settings, const char *value, struct err *err)
{
	if (!str_is(str_from(value), "on") && !str_is(str_from(value), "off"))
		return err_set(err, ERR_BAD_REQUEST, "\"%s\" is none of on and off", value);
	settings->admission = value;
	return 0;
}

/* From the root on: in the background we work in another folder. */
static int set_path(struct settings *settings, const char **to, const char *value, struct err *err)
{
	char *absolute = realpath(value, NULL);

	if (!absolute)
		return err_errno(err, errno, "%s", value);
	vec_push(&settings->paths, absolute);
	*to = absolute;
	return 0;
}

static int set_admission_conf(struct settings *settings, const char *value, struct err *err)
{
	return set_path(settings, &settings->admission_conf, value, err);
}

static int set_scheduler_conf(struct settings *settings, const char *value, struct err *err)
{
	return set_path(settings, &settings->scheduler_conf, value, err);
}

static int set_plugins_dir(struct settings *settings, const char *value, struct err *err)
{
	return set_path(settings, &settings->plugins_dir, value, err);
}

/* Made where it is missing, so that a mistake is noticed at the start. */
static int set_backup_dir(struct settings *settings, const char *value, struct err *err)
{
	if (mkdir(value, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "%s", value);
	return set_path(settings, &settings->backup_dir, value, err);
}

static int set_backup_every(struct settings *settings, const char *value, struct err *err)
{
	int64_t nanoseconds;

	if (duration_parse(str_from(value), &nanoseconds, err) < 0)
		return -1;
	if (nanoseconds < INT64_C(1000000) * DURATION_MICROSECOND)
		return err_set(err, ERR_BAD_REQUEST, "\"%s\" is less than a second", value);
	settings->backup_every_us = nanoseconds / DURATION_MICROSECOND;
	return 0;
}

static int set_backup_keep(struct settings *settings, const char *value, struct err *err)
{
	return number_parse_range(str_from(value), 1, BACKUPS_MAX, &settings->backup_keep, err);
}

static int add_name(struct settings *settings, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, ERR_BAD_REQUEST, "must be a host name or an IP address");
	vec_push(&settings->names, value);
	return 0;
}

static int set_nodes(struct settings *settings, const char *value, struct err *err)
{
	return number_parse_range(str_from(value), 0, NODES_MAX, &settings->nodes, err);
}

static int set_simulated_nodes(struct settings *settings, const char *value, struct err *err)
{
	return number_parse_range(str_from(value), 0, NODES_MAX, &settings->simulated_nodes, err);
}

static int set_node_resources(struct settings *settings, const char *value, struct err *err)
{
	(void)err;
	settings->node_resources = value;
	return 0;
}

static int set_node_reserved(struct settings *settings, const char *value, struct err *err)
{
	(void)err;
	settings->node_reserved = value;
	return 0;
}

static int set_eviction(struct settings *settings, const char *value, struct err *err)
{
	struct pressure_limits limits = pressure_limits_default;

	settings->eviction = value;
	return pressure_limits_parse(value, &limits, err);
}

static int set_eviction_transition(struct settings *settings, const char *value, struct err *err)
{
	int64_t nanoseconds;

	if (duration_parse(str_from(value), &nanoseconds, err) < 0)
		return -1;
	if (nanoseconds < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%s\" is less than nothing", value);
	settings->eviction_transition_us = nanoseconds / DURATION_MICROSECOND;
	return 0;
}

static int set_runtime(struct settings *settings, const char *value, struct err *err)
{
	(void)err;
	settings->runtime = value;
	return 0;
}

static int set_allow_root_pods(struct settings *settings, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	settings->allow_root_pods = true;
	return 0;
}

static int set_pod_max_pids(struct settings *settings, const char *value, struct err *err)
{
	return number_parse_range(str_from(value), 0, PIDS_MAX, &settings->pod_max_pids, err);
}

static int set_log_level(struct settings *settings, const char *value, struct err *err)
{
	if (!log_level_parse(str_from(value), &settings->log_level))
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%s\" is none of debug, info, warn and error", value);
	return 0;
}

static int set_output(struct settings *settings, const char *value, struct err *err)
{
	settings->json = str_is(str_from(value), "json");
	if (!settings->json && !str_is(str_from(value), "text"))
		return err_set(err, ERR_BAD_REQUEST, "\"%s\" is none of json and text", value);
	return 0;
}

static int set_detach(struct settings *settings, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	settings->detach = true;
	return 0;
}

static int set_pods(struct settings *settings, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	settings->pods = true;
	return 0;
}

static int set_help(struct settings *settings, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	settings->help = true;
	return 0;
}

enum { EVERY = COMMAND_UP | COMMAND_DOWN | COMMAND_STATUS | COMMAND_BACKUP | COMMAND_STORE };
static const struct option options[] = {
	{"data-dir", 0, EVERY, "D", set_folder,
	 "where everything is kept (default: $VOLCANO_HOME or ~/.volcano)"},
	{"detach", 'd', COMMAND_UP, NULL, set_detach,
	 "run in the background; returns when it is ready"},
	{"listen", 0, COMMAND_UP, "ADDR:PORT", set_listen,
	 "where to serve (default: 127.0.0.1:6443, or a free port where that is taken)"},
	{"tls-san", 0, COMMAND_UP, "NAME", add_name,
	 "one more name or address that the server is reached by"},
	{"components", 0, COMMAND_UP, "LIST", set_components,
	 "what to run, with commas between (default: everything)"},
	{"admission", 0, COMMAND_UP, "on|off", set_admission,
	 "rules beyond Kubernetes': Volcano's, tokens on request only, warnings of what has no "
	 "effect (default: on, but off for a bare apiserver)"},
	{"admission-conf", 0, COMMAND_UP, "FILE", set_admission_conf,
	 "resource groups: what pods get by namespace or annotation (default: none)"},
	{"scheduler-conf", 0, COMMAND_UP, "FILE", set_scheduler_conf,
	 "the scheduler's actions and plugins (default: as Volcano's)"},
	{"plugins-dir", 0, COMMAND_UP, "FOLDER", set_plugins_dir,
	 "plugins of the scheduler beside those that are built in: shared objects"},
	{"nodes", 0, COMMAND_UP, "N", set_nodes,
	 "divide this machine into N nodes, 0: none (default: 1; 0 with --simulate-nodes)"},
	{"node-resources", 0, COMMAND_UP, "LIST", set_node_resources,
	 "what each node has, in place of what is found: nvidia.com/gpu=4,cpu=8"},
	{"node-reserved", 0, COMMAND_UP, "LIST", set_node_reserved,
	 "what each node keeps back from pods: cpu=500m,memory=1Gi"},
	{"eviction-hard", 0, COMMAND_UP, "LIST", set_eviction,
	 "what must stay free, or pods are evicted (default: "
	 "memory.available<100Mi,nodefs.available<5%,pid.available<5%; of the disk at most 1Gi)"},
	{"eviction-pressure-transition-period", 0, COMMAND_UP, "TIME", set_eviction_transition,
	 "how long a node says that it is under pressure after it was (default: 5m)"},
	{"runtime", 0, COMMAND_UP, "NAME", set_runtime,
	 "run containers in images: by podman or crun, if installed (default: as processes)"},
	{"allow-root-pods", 0, COMMAND_UP, NULL, set_allow_root_pods,
	 "let pods name root, users of the system, privileges (default: refused; only as root)"},
	{"pod-max-pids", 0, COMMAND_UP, "N", set_pod_max_pids,
	 "processes and threads that a pod may have at once, 0: any number (default: 4096)"},
	{"simulate-nodes", 0, COMMAND_UP, "N", set_simulated_nodes,
	 "add N nodes that only pretend to run pods"},
	{"backup-dir", 0, COMMAND_UP, "FOLDER", set_backup_dir,
	 "write a backup of the store into this folder from time to time (default: none)"},
	{"backup-every", 0, COMMAND_UP, "TIME", set_backup_every,
	 "how often, with --backup-dir (default: 1h)"},
	{"backup-keep", 0, COMMAND_UP, "N", set_backup_keep,
	 "how many of them are kept; older ones are removed (default: 24)"},
	{"log-level", 0, COMMAND_UP, "LEVEL", set_log_level,
	 "debug, info, warn or error (default: info)"},
	{"pods", 0, COMMAND_DOWN, NULL, set_pods,
	 "end the processes of pods as well (default: they run on, for the next up)"},
	{"to", 0, COMMAND_BACKUP, "FOLDER", set_to,
	 "where: a folder that is empty or not there yet"},
	{"output", 'o', COMMAND_STATUS, "FORMAT", set_output, "text (default) or json"},
	{"help", 'h', EVERY, NULL, set_help, "show this"},
};

void settings_init(struct settings *settings)
{
	*settings = (struct settings){.nodes = -1,
				      .simulated_nodes = -1,
				      .eviction_transition_us = -1,
				      .backup_every_us = -1,
				      .backup_keep = -1,
				      .pod_max_pids = PIDS_DEFAULT,
				      .log_level = LOG_LEVEL_INFO};
}

void settings_done(struct settings *settings)
{
	mem_free(settings->folder);
	settings->folder = NULL;
	vec_done(&settings->names);
	vec_done(&settings->words);
	for (size_t i = 0; i < settings->paths.len; i++)
		free(settings->paths.ptr[i]); /* the C library's */
	vec_done(&settings->paths);
}

static bool is_option(const struct option *option, struct str name)
{
	if (str_starts(name, STR("--")))
		return str_is(str_skip(name, 2), option->name);
	return name.len == 2 && name.ptr[0] == '-' && option->letter &&
	       name.ptr[1] == option->letter;
}

static const struct option *find(enum command command, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (options[i].commands & command && is_option(&options[i], name))
			return &options[i];
	return NULL;
}

/* One option, with its value behind '=' or in the next argument. */
static int parse_option(struct settings *settings, enum command command, char ***args,
			struct err *err)
{
	struct str name = str_from(*(*args)++);
	ptrdiff_t equals = str_find_byte(name, '=', 0);
	const char *value = NULL;
	const struct option *option;

	if (equals >= 0) {
		value = name.ptr + equals + 1;
		name = str_slice(name, 0, (size_t)equals);
	}
	option = find(command, name);
	if (!option)
		return err_set(err, ERR_BAD_REQUEST,
			       "there is no option \"%.*s\" here; --help lists them",
			       STR_ARG(name));
	if (!option->value && value)
		return err_set(err, ERR_BAD_REQUEST, "--%s takes no value", option->name);
	if (option->value && !value) {
		value = **args;
		if (!value)
			return err_set(err, ERR_BAD_REQUEST, "--%s needs a value: %s", option->name,
				       option->value);
		(*args)++;
	}
	if (option->set(settings, value, err) < 0)
		return err_wrap(err, "--%s", option->name);
	return 0;
}

int settings_parse(struct settings *settings, enum command command, char **args, struct err *err)
{
	while (*args) {
		if (**args != '-' && command == COMMAND_STORE) {
			vec_push(&settings->words, *args++);
			continue;
		}
		if (**args != '-')
			return err_set(err, ERR_BAD_REQUEST, "what is \"%s\"?", *args);
		if (parse_option(settings, command, &args, err) < 0)
			return -1;
	}
	return 0;
}

/* Backups: what was not said, and that the options go together. */
static int complete_backups(struct settings *settings, struct err *err)
{
	if (!settings->backup_dir && (settings->backup_every_us >= 0 || settings->backup_keep >= 0))
		return err_set(err, ERR_BAD_REQUEST,
			       "--backup-every and --backup-keep need --backup-dir");
	if (settings->backup_every_us < 0)
		settings->backup_every_us = TIME_HOUR;
	if (settings->backup_keep < 0)
		settings->backup_keep = BACKUPS_KEPT;
	return 0;
}

int settings_complete(struct settings *settings, const char *volcano_home, const char *home,
		      struct err *err)
{
	if (complete_backups(settings, err) < 0)
		return -1;
	if (settings->folder)
		return 0;
	if (volcano_home && *volcano_home)
		settings->folder = mem_strdup(volcano_home);
	else if (home && *home)
		settings->folder = mem_printf("%s/.volcano", home);
	else
		return err_set(err, ERR_BAD_REQUEST,
			       "neither $VOLCANO_HOME nor $HOME is set: say --data-dir");
	return 0;
}

size_t settings_real_nodes(const struct settings *settings)
{
	if (settings->nodes >= 0)
		return (size_t)settings->nodes;
	return settings->simulated_nodes > 0 ? 0 : 1;
}

void settings_print_help(enum command command, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct option *option = &options[i];
		AUTO(buf_done) struct buf left = BUF_UNBOUNDED;

		if (!(option->commands & command))
			continue;
		if (option->letter)
			buf_printf(&left, "-%c, ", option->letter);
		buf_printf(&left, "--%s", option->name);
		if (option->value)
			buf_printf(&left, " %s", option->value);
		buf_printf(to, "  %-22s %s\n", buf_text(&left), option->about);
	}
}

void settings_print_manual(enum command command, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct option *option = &options[i];

		if (!(option->commands & command))
			continue;
		buf_puts(to, ".TP\n");
		if (option->letter)
			buf_printf(to, "\\fB\\-%c\\fR, ", option->letter);
		buf_puts(to, "\\fB\\-\\-");
		roff_put(str_from(option->name), to);
		buf_puts(to, "\\fR");
		if (option->value)
			buf_printf(to, " \\fI%s\\fR", option->value);
		buf_putc(to, '\n');
		roff_put(str_from(option->about), to);
		buf_puts(to, ".\n");
	}
}
