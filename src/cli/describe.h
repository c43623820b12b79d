/* SPDX-License-Identifier: Apache-2.0 */
/* cli/describe.h - an object as upstream's describe prints it: the fields that Go's types always have
 * are there though they are empty, and keys are in the order of those types. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "client/resource.h"
#include "json/doc.h"

/* A document of its own, for json_doc_unref(): without managedFields. JobFlows and JobTemplates. */
struct json_doc *describe_shape(enum resource_id id, struct json object);

#endif
