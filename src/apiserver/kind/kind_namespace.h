/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_namespace.h - what is special about namespaces. */
#ifndef APISERVER_KIND_NAMESPACE_H
#define APISERVER_KIND_NAMESPACE_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_namespace_ops;
extern const struct kind_sub kind_namespace_subs[];

#endif
