/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit.h - what may change or refuse a write before it is stored, in process.
 *
 * An admitter is one row of the table in admit.c: a pure function of the request, called in the
 * order of the rows, first those that change the object, then, when it has been validated, those
 * that only look. */
#ifndef APISERVER_ADMIT_H
#define APISERVER_ADMIT_H

#include "apiserver/call.h"
#include "base/err.h"
#include "json/doc.h"

struct admission {
	struct call *call;
	struct json_doc *doc; /* NULL for a removal, and when it must not be changed any more */
	struct json object;   /* absent for a removal */
	struct json old;      /* absent for a new one */
};

typedef int admit_fn(const struct admission *admission, struct err *err);

struct admitter {
	const char *name;
	unsigned verbs;     /* bits of enum verb */
	const char *group;  /* NULL: any */
	const char *plural; /* NULL: any */
	admit_fn *change;
	admit_fn *check;
};

#endif
