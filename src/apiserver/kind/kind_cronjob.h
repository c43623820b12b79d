/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_cronjob.h - the ops of cron jobs of Kubernetes itself. */
#ifndef APISERVER_KIND_CRONJOB_H
#define APISERVER_KIND_CRONJOB_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_cronjob_ops;

#endif
