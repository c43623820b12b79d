/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_service.h - what is special about services. */
#ifndef APISERVER_KIND_SERVICE_H
#define APISERVER_KIND_SERVICE_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_service_ops;

#endif
