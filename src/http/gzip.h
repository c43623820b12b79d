/* SPDX-License-Identifier: Apache-2.0 */
/* http/gzip.h - gzip (RFC 1952) of whole messages, by libdeflate.
 *
 * A struct gzip holds the working memory of both directions and is reused from message to message;
 * each thread needs its own. */
#ifndef HTTP_GZIP_H
#define HTTP_GZIP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct gzip;

/* Level 1 is the fast one and the one used for lists; 12 the smallest. */
enum { GZIP_LEVEL_FAST = 1, GZIP_LEVEL_MAX = 12 };

struct gzip *gzip_new(int level) __attribute__((returns_nonnull));
void gzip_free(struct gzip *gzip);
DEFINE_AUTO(struct gzip *, gzip_free);

/* Appends `data` as one gzip member; equal data gives equal bytes (no time stamp, no name).
 * ERR_TOO_LARGE, with `to` unchanged, if it exceeds the buffer's limit. */
int gzip_compress(struct gzip *gzip, struct str data, struct buf *to, struct err *err) MUST_CHECK;

/* Decompresses the members of `data` one after the other. ERR_TOO_LARGE if the result exceeds the
 * buffer's limit, ERR_BAD_REQUEST if a member is malformed or damaged; in both cases `to` is
 * unchanged. */
int gzip_decompress(struct gzip *gzip, struct str data, struct buf *to, struct err *err) MUST_CHECK;

/* Do these bytes start like gzip? */
bool gzip_is_gzip(struct str data);

#endif
