/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vckinds.h - every kind that Volcano adds, as data: names, scope, columns, sub-resource; and
 * the CustomResourceDefinition that follows from a row and its field table.
 *
 * The files in config/crd are printed from here by tools/make-crd; a test holds them against it. */
#ifndef MODEL_VCKINDS_H
#define MODEL_VCKINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/doc.h"
#include "model/field/fields.h"

/* A column of `kubectl get`. */
struct vckind_column {
	const char *name; /* NULL ends the list */
	const char *type;
	const char *path;
	int priority; /* 1: only with -o wide */
};

struct vckind {
	const char *group;
	const char *version;
	const char *kind;
	const char *plural;
	const char *singular;
	const char *short_names[3]; /* NULL-terminated */
	const struct type *type;
	const struct vckind_column *columns; /* may be NULL */
	bool namespaced;
	bool status;             /* has a status sub-resource */
	bool empty_subresources; /* says `subresources: {}`, as upstream's PodGroup does */
};

extern const struct vckind vckinds[];
extern const size_t vckind_count;

/* The definition, a new value of `doc`. */
struct json vckind_crd(const struct vckind *kind, struct json_doc *doc);

#endif
