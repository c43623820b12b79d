/* SPDX-License-Identifier: Apache-2.0 */
/* controller/controller_rows.h - the tables of the controllers. */
#ifndef CONTROLLER_CONTROLLER_ROWS_H
#define CONTROLLER_CONTROLLER_ROWS_H

#include "controller/controller.h"

extern const struct controller controller_cronjob;
extern const struct controller controller_flow;
extern const struct controller controller_hypernode;
extern const struct controller controller_job;
extern const struct controller controller_queue;
extern const struct controller controller_template;
extern const struct controller controller_ttl;
extern const struct controller controller_volume;
extern const struct controller controller_workload;

#endif
