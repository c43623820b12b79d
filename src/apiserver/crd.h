/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd.h - what a CustomResourceDefinition (apiextensions.k8s.io/v1) must be, and what is
 * filled in for its author. Everything is said as kube-apiserver says it. */
#ifndef APISERVER_CRD_H
#define APISERVER_CRD_H

#include "json/doc.h"

struct causes;
struct path;

/* Fill in what an author may leave out: singular, listKind, conversion; and note in
 * status.storedVersions the version that objects are stored in. */
void crd_prepare(struct json_doc *doc, struct json crd);

/* Add a cause for everything that is wrong with a prepared definition, but its metadata (only its
 * name is looked at). `old` is the one that it replaces, or absent. */
void crd_validate(struct json crd, struct json old, struct causes *causes);

/* Is this `openAPIV3Schema` a structural one, with sound defaults? Part of crd_validate(). */
void crd_validate_schema(struct json schema, const struct path *path, struct causes *causes);

#endif
