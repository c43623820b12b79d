/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit.h - what may change or refuse a write before it is stored, in process.
 *
 * An admitter is a pure function of the request and one row of ADMITTERS (admit_rows.h), called in the
 * order of the rows, first those that change the object, then, when it has been validated, those
 * that only look. */
#ifndef APISERVER_ADMIT_H
#define APISERVER_ADMIT_H

#include "apiserver/request/call.h"
#include "base/err.h"
#include "json/doc.h"

struct admission {
	struct call *call;
	struct json_doc *doc; /* NULL for a removal, and when it must not be changed any more */
	struct json object;   /* absent for a removal */
	struct json old;      /* absent for a new one */
};

typedef int admit_fn(const struct admission *admission, struct err *err);

/* The object may not be written, because ...: sets the error and returns -1. Names the object as
 * Kubernetes does, which before validation has no generated name yet. */
int admit_forbidden(const struct admission *admission, struct err *err, const char *format, ...)
	PRINTF(3, 4);

/* The bits of struct admitter.verbs. A patch is an update. */
enum {
	ADMIT_CREATE = 1 << VERB_CREATE,
	ADMIT_UPDATE = 1 << VERB_UPDATE,
	ADMIT_DELETE = 1 << VERB_DELETE,
};

#define ADMIT_PODS(plugin) .name = (plugin), .group = "", .plural = "pods"
#define ADMIT_CLAIMS(plugin) .name = (plugin), .group = "", .plural = "persistentvolumeclaims"
#define ADMIT_CLASSES(plugin) \
	.name = (plugin), .group = "scheduling.k8s.io", .plural = "priorityclasses"

struct admitter {
	const char *name;
	unsigned verbs;     /* ADMIT_CREATE, ADMIT_UPDATE, ADMIT_DELETE */
	const char *group;  /* NULL: any */
	const char *plural; /* NULL: any */
	bool sub;           /* of sub-resources too */
	admit_fn *change;   /* may change the object; not asked of a removal */
	admit_fn *check;    /* only looks */
};

#endif
