/* SPDX-License-Identifier: Apache-2.0 */
/* controller/controller_rows.h - the controllers, in the order in which they start. To add one: its file
 * with a `const struct controller controller_<name>`, and its row here. */
#ifndef CONTROLLER_CONTROLLER_ROWS_H
#define CONTROLLER_CONTROLLER_ROWS_H

#include "base/macro.h"
#include "controller/controller.h"

#define CONTROLLERS(row) \
	ROWS( \
	row(job) \
	row(queue) \
	row(workload) \
	row(ttl) \
	row(flow) \
	row(template) \
	row(cronjob) \
	row(hypernode) \
	row(volume) \
	row(node) \
	row(eviction))

#define CONTROLLER_DECLARE(name) extern const struct controller controller_##name;
CONTROLLERS(CONTROLLER_DECLARE)
#undef CONTROLLER_DECLARE

#endif
