/* SPDX-License-Identifier: Apache-2.0 */
/* cli/amounts.h - amounts of resources by name, added up from documents; cpu and memory first, the
 * others by name. */
#ifndef CLI_AMOUNTS_H
#define CLI_AMOUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/value/quantity.h"

struct amount {
	struct str name; /* lies in the document it came from */
	struct quantity value;
};
struct amounts {
	struct amount *ptr;
	size_t len;
	size_t size;
};
void amounts_done(struct amounts *amounts);
DEFINE_AUTO_IN_PLACE(struct amounts, amounts_done);

/* A list of resources ({"cpu": "1", ...}); what is no quantity is left out. */
void amounts_add_list(struct amounts *amounts, struct json list);
/* What the containers of a pod request. */
void amounts_add_pod(struct amounts *amounts, struct json pod);
void amounts_add(struct amounts *amounts, const struct amounts *other);
/* NULL: none. */
const struct amount *amounts_find(const struct amounts *amounts, struct str name);
double amounts_real(const struct amounts *amounts, struct str name);
/* As it is printed; "0" for what is not there. */
void amounts_put(const struct amounts *amounts, struct str name, struct buf *to);

#endif
