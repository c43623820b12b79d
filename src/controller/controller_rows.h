/* SPDX-License-Identifier: Apache-2.0 */
/* controller/controller_rows.h - the tables of the controllers. */
#ifndef CONTROLLER_CONTROLLER_ROWS_H
#define CONTROLLER_CONTROLLER_ROWS_H

#include "controller/controller.h"

extern const struct controller controller_job;

#endif
