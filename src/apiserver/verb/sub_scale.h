/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_scale.h - the sub-resource "scale": the size of an object, whatever its kind. */
#ifndef APISERVER_SUB_SCALE_H
#define APISERVER_SUB_SCALE_H

#include "apiserver/kind/kind.h"

/* For kinds with a `scale`, which says where the size is. */
extern const struct kind_sub sub_scale;

#endif
