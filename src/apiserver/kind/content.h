/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/content.h - what an object of a kind may contain. */
#ifndef APISERVER_CONTENT_H
#define APISERVER_CONTENT_H

#include "apiserver/kind/kind.h"

/* By the field table of a built-in kind. */
extern const struct kind_content content_typed;

#endif
