/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/aside.h - objects that are set aside because they crashed a component
 * (base/quarantine.h): what users see of them. */
#ifndef APISERVER_ASIDE_H
#define APISERVER_ASIDE_H

#include "json/doc.h"

struct api;

/* At the start: a log line and an event for each; deleted ones are released. */
void aside_report(struct api *api);
/* The member "setAside" of the status page, if there are any. */
void aside_encode(struct api *api, struct json_doc *doc, struct json root);

#endif
