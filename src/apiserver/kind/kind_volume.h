/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_volume.h - the ops of persistent volumes. */
#ifndef APISERVER_KIND_VOLUME_H
#define APISERVER_KIND_VOLUME_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_volume_ops;

#endif
