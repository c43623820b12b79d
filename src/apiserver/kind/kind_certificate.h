/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_certificate.h - what is special about requests for certificates. */
#ifndef APISERVER_KIND_CERTIFICATE_H
#define APISERVER_KIND_CERTIFICATE_H

#include "apiserver/kind/kind.h"

extern const struct kind_ops kind_certificate_ops;
extern const struct kind_sub kind_certificate_subs[];

#endif
