/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/managed.h - who set which field of an object: metadata.managedFields, and server-side
 * apply, which is built on it.
 *
 * A client that creates or changes an object over HTTP becomes the manager of its fields. Writers in
 * this process that give no name do not, and their objects are not tracked before a client applies
 * to them. So the pods of a job have no managed fields. */
#ifndef APISERVER_MANAGED_H
#define APISERVER_MANAGED_H

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

struct call;

/* A new object as it was decoded, before anything is filled in. */
void managed_create(struct call *call, struct json_doc *doc);
/* A new version, if what it may not touch is as it was. */
void managed_update(struct call *call, struct json_doc *doc, struct json old);
/* Put what was found into the object's metadata. */
void managed_store(struct call *call, struct json_doc *doc);

/* Is the configuration that is applied one for this object? */
int managed_check(struct call *call, struct json config, struct err *err) MUST_CHECK;
/* What the call's configuration makes of the object. NULL: the call was answered, with a conflict
 * or what else is wrong. */
struct json_doc *managed_apply(struct call *call, struct json live) MUST_CHECK;

#endif
