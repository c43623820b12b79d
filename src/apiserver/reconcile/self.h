/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/self.h - writes of the server itself, independent of calls of clients.
 *
 * Each is a call of the server's own: it takes the same path as a client's, without the admission
 * that is for clients. No client waits for it; unexpected failures are logged (not: another writer
 * was first). */
#ifndef APISERVER_SELF_H
#define APISERVER_SELF_H

#include "base/str.h"
#include "json/doc.h"

struct api;
struct kind;

/* Takes the document. */
void self_create(struct api *api, const struct kind *kind, struct str namespace,
		 struct json_doc *doc);
/* The same from a text of ours, which must be JSON. */
void self_create_text(struct api *api, const struct kind *kind, struct str namespace,
		      struct str text);

/* Replace the newest version by `doc` (taken), which was made from it in this turn of the loop: a
 * thawed api_read_newest(). Removes the object if that takes its last finalizer away. */
void self_update(struct api *api, const struct kind *kind, struct json_doc *doc);

/* Take a finalizer, each time that it is listed, from the newest version of an object. */
void self_drop_finalizer(struct api *api, const struct kind *kind, struct json object,
			 const char *finalizer);

struct self_removal {
	const struct kind *kind;
	struct str namespace;
	struct str name;
	struct str uid;         /* none: whichever it is */
	struct str propagation; /* none: as the object says */
};
void self_remove(struct api *api, const struct self_removal *removal);

/* Drop the calls that are under way; their writes go on. */
void self_stop(struct api *api);

#endif
