/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_event.h - what is special about events. */
#ifndef APISERVER_KIND_EVENT_H
#define APISERVER_KIND_EVENT_H

#include "apiserver/kind/kind.h"

/* Of those of the core, which is what is stored. */
extern const struct kind_ops kind_event_ops;

#endif
