/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd.h - what a CustomResourceDefinition (apiextensions.k8s.io/v1) must be, and what is
 * filled in for its author. Everything is said as kube-apiserver says it. */
#ifndef APISERVER_CRD_H
#define APISERVER_CRD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/doc.h"

struct causes;
struct path;

/* Fill in what an author may leave out: singular, listKind, conversion; and note in
 * status.storedVersions the version that objects are stored in. */
void crd_prepare(struct json_doc *doc, struct json crd);

/* Add a cause for everything that is wrong with a prepared definition, but its metadata (only its
 * name is looked at). `old` is the one that it replaces, or absent; a spec that has not changed is
 * not looked at again. */
void crd_validate(struct json crd, struct json old, struct causes *causes);

/* Is it a group that belongs to Kubernetes? */
bool crd_group_is_protected(struct str group);

/* --- status (crd_status.c) --- */

/* The initial status of a definition: its stored versions and nothing else. */
void crd_prepare_status(struct json_doc *doc, struct json crd);
/* Accept the names that are free, and say so in the status: acceptedNames and the conditions
 * NamesAccepted, Established, and, for groups that belong to Kubernetes, that it was approved.
 * `taken` are the accepted names of all definitions of the group, its own included. False if
 * nothing has changed. */
bool crd_settle(struct json_doc *doc, struct json crd, const struct json *taken, size_t count,
		int64_t now);
/* Marks it for deletion, with the finalizer that keeps it until its objects were deleted. */
void crd_start_removal(struct json_doc *doc, struct json crd, int64_t now);
/* Take that finalizer away. False if it was not there. */
bool crd_remove_finalizer(struct json_doc *doc, struct json crd);

/* Is this `openAPIV3Schema` a structural one, with sound defaults? Part of crd_validate(). */
void crd_validate_schema(struct json schema, const struct path *path, struct causes *causes);

#endif
