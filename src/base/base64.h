/* SPDX-License-Identifier: Apache-2.0 */
/* base/base64.h - RFC 4648 base64, with padding, as JSON carries bytes (secrets, certificates). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

void base64_print(struct buf *to, const void *data, size_t len);
/* Appends the bytes. Line breaks are skipped, as Go's decoder does; anything else that is not
 * base64 is an error that says where, and leaves `to` as it was. */
int base64_parse(struct str text, struct buf *to, struct err *err) MUST_CHECK;

#endif
