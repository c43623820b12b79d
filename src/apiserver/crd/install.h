/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/install.h - the definitions of Volcano's kinds, put into the store at the start.
 *
 * They are those of config/crd: both are made from the tables in model/. Changes by users are kept:
 * a definition is updated only if it is unchanged since a former start of ours created it, which an
 * annotation records. A definition that a user installed or changed is not touched; after it, or
 * the value of the annotation, was deleted, the next start installs ours again. */
#ifndef APISERVER_INSTALL_H
#define APISERVER_INSTALL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

struct api;

#define INSTALL_ANNOTATION "volcano.sh/installed-spec"

/* Create what is missing, update what is ours, and wait until all is served. Turns the loop: not
 * from a callback. The error is that of the first write that failed; the others go on. */
int install_definitions(struct api *api, struct err *err) MUST_CHECK;

/* What the annotation says of a definition like this one. */
void install_print_mark(struct json crd, struct buf *to);

#endif
