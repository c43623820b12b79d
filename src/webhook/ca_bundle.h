/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/ca_bundle.h - lists of CA certificates as PEM: compare, join, clean up. */
#ifndef WEBHOOK_CA_BUNDLE_H
#define WEBHOOK_CA_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Cuts the next certificate off, from BEGIN to END; false if there is none left. What is between them is skipped. */
bool ca_bundle_next(struct str *rest, struct str *ret);
size_t ca_bundle_len(struct str bundle);
/* Are all certificates of `some` in it? */
bool ca_bundle_has(struct str bundle, struct str some);

/* Appends the certificates of `from` that `to` does not have, that are valid at `now`, and, if `signs` is given, that
 * signed this certificate; until it has `max` of them. */
struct ca_bundle_filter {
	int64_t now;
	struct str signs; /* PEM; none: any */
	size_t max;
};
void ca_bundle_add(struct buf *to, struct str from, const struct ca_bundle_filter *filter);

#endif
