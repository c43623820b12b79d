/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/config.h - the scheduler's configuration file: actions, tiers of plugins, their switches
 * and arguments.
 *
 * Read whole or refused whole, with the reason: an unknown action, a plugin of Volcano that is not
 * built, a combination that cannot work. A running scheduler keeps its last good one. Unknown plugins
 * and keys are passed over, and reported in the notes. */
#ifndef SCHED_CONFIG_H
#define SCHED_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "sched/plugin/plugin.h"
#include "sched/session/session_hooks.h"

struct action_type;

struct config_action {
	const struct action_type *type;
	struct json arguments; /* of `configurations`; may be absent */
};
/* A row of a plugin whose switch is on. */
struct config_filter {
	const struct filter_row *row;
	const struct plugin *plugin;
};
struct config_score {
	const struct score_row *row;
	const struct plugin *plugin;
	double weight;
};

struct config {
	struct json_doc *doc;
	VEC(struct config_action) actions;
	VEC(struct plugin *) plugins; /* in order of tiers */
	struct hook_list hooks[HOOK_COUNT];
	VEC(struct config_filter) filters;
	VEC(struct config_score) scores;
	struct json metrics;
	VEC(char *) notes; /* what is odd about it, for the log */
	bool enqueues;     /* the enqueue action is there: groups wait to be admitted */
	bool fills;        /* ... backfill: tasks that ask for nothing are placed */
	bool timed;        /* answers of some plugin change with time alone */
	bool blocks;       /* jobs that wait may be blocked until capacity is freed */
	bool shares;       /* a plugin knows what queues may take back from each other */
	bool job_groups;   /* ... and of identical ones, one is tried for all */
	uint64_t number;   /* of this process: what was cached under another is of no use */
};

/* What holds until a good file has been read. */
extern const char *const config_builtin;

/* `number` identifies a configuration; take the next one each time. ERR_INVALID. */
struct config *config_parse(struct str text, uint64_t number, struct err *err) MUST_CHECK;
/* With plugins in addition to those that are built in, which outlive the configuration; NULL: none. */
struct config *config_parse_with(struct str text, uint64_t number, const struct plugin_types *more,
				 struct err *err) MUST_CHECK;
void config_free(struct config *config);
DEFINE_AUTO(struct config *, config_free);

/* The plugin of that name, or NULL: for plugins that work together. */
/* What plugins say of the amounts of a queue, in a session. */
struct queue_report config_queue_report(const struct config *config,
					const struct queue_info *queue);
const struct plugin *config_find_plugin(const struct config *config, const char *name);

#endif
