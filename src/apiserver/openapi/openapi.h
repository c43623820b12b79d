/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi.h - the pages below /openapi.
 *
 * Documents are made when they are first asked for, and kept compressed, which is what most clients
 * take, until the kinds that they describe change. */
#ifndef APISERVER_OPENAPI_H
#define APISERVER_OPENAPI_H

#include "apiserver/request/pages.h"

struct openapi;

struct openapi *openapi_new(void) __attribute__((returns_nonnull));
/* Takes NULL. */
void openapi_free(struct openapi *openapi);

/* /openapi/v2, and everything below /openapi/v3. */
pages_fn openapi_serve_v2, openapi_serve_v3;

#endif
