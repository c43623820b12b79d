/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi_doc.h - what kinds look like, in the words of OpenAPI.
 *
 * Version 2 has everything in one document, as JSON or as the protobuf of gnostic's openapi_v2,
 * which is what older clients ask for; version 3 has a document for each group and version. The
 * text is made piece by piece, so that no more than one definition is ever held as a document. */
#ifndef APISERVER_OPENAPI_DOC_H
#define APISERVER_OPENAPI_DOC_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct kinds;

enum openapi_form { OPENAPI_V2_JSON, OPENAPI_V2_PROTO, OPENAPI_V3, OPENAPI_FORM_COUNT };

/* Append the document of all kinds or, for OPENAPI_V3, of one group and version. */
void openapi_doc_print(const struct kinds *kinds, enum openapi_form form, struct str group,
		       struct str version, struct buf *to);
/* A number that changes with what the document of a group and version says; with none (not even
 * the core's ""), for all of them. */
uint64_t openapi_doc_hash(const struct kinds *kinds, struct str group, struct str version);

#endif
