/* SPDX-License-Identifier: Apache-2.0 */
/* http/gzip.h - gzip (RFC 1952) of whole messages, by libdeflate.
 *
 * A struct gzip holds the working memory of both directions and is reused from message to message;
 * a thread that works beside the loop needs one of its own. */
#ifndef HTTP_GZIP_H
#define HTTP_GZIP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct gzip;

/* Level 1 is the fast one and what lists are sent with; 12 the smallest. */
enum { GZIP_LEVEL_FAST = 1, GZIP_LEVEL_MAX = 12 };

struct gzip *gzip_new(int level) __attribute__((returns_nonnull));
void gzip_free(struct gzip *gzip);
DEFINE_AUTO(struct gzip *, gzip_free);

/* Appends `data` as one gzip member; equal data gives equal bytes (no time stamp, no name).
 * ERR_TOO_LARGE, and `to` as it was, if it does not fit within the buffer's bound. */
int gzip_compress(struct gzip *gzip, struct str data, struct buf *to, struct err *err) MUST_CHECK;

/* Appends what the members of `data` hold, one after the other. ERR_TOO_LARGE if that is more than
 * the buffer's bound lets in, ERR_BAD_REQUEST if anything in `data` is not an undamaged member;
 * in both cases `to` is as it was. */
int gzip_decompress(struct gzip *gzip, struct str data, struct buf *to, struct err *err) MUST_CHECK;

/* Do these bytes start like gzip? */
bool gzip_is_gzip(struct str data);

#endif
