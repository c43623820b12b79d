/* SPDX-License-Identifier: Apache-2.0 */
/* cli/live.h - a view that is drawn again whenever what it shows has changed.
 *
 * On a terminal each drawing takes the place of the one before, and comes at least once a second so
 * that ages go on; elsewhere one follows the other. A drawing is what the function puts into
 * cli->out. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/resource.h"
#include "json/doc.h"

struct cli;
struct informer;

enum { LIVE_SOURCES_MAX = 6 };

struct live_source {
	enum resource_id id;
	struct str namespace; /* none: all */
	struct str selector;
	struct str fields;
};

/* `items[i]` are the objects of the i-th source, as an array. */
typedef int live_draw_fn(struct cli *cli, const struct json *items, void *arg, struct err *err);

/* Once, from lists. */
int live_once(struct cli *cli, const struct live_source *sources, size_t count, live_draw_fn *draw,
	      void *arg, struct err *err) MUST_CHECK;
/* Until the program is ended, or drawing fails. */
int live_run(struct cli *cli, const struct live_source *sources, size_t count, live_draw_fn *draw,
	     void *arg, struct err *err) MUST_CHECK;

#endif
