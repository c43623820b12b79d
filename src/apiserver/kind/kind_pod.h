/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_pod.h - what is special about pods. */
#ifndef APISERVER_KIND_POD_H
#define APISERVER_KIND_POD_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_pod_ops;

#endif
