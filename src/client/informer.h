/* SPDX-License-Identifier: Apache-2.0 */
/* client/informer.h - all objects of a kind and every change of them: list, then watch.
 *
 *	struct informer *pods = informer_new(client, &(struct informer_options){
 *		.resource = &resources[RESOURCE_PODS], .store = true });
 *	informer_listen(pods, &(struct informer_events){ .added = pod_added, ... }, me);
 *	informer_start(pods);
 *
 * It lists in pages, then watches from the version of the list. A watch that ends is resumed from
 * the last version seen (bookmarks advance it while nothing happens). If the server no longer has
 * that version (410), the informer lists again and reports the differences as if they had been
 * watched: missing objects as deleted, new versions as updated, a new uid as deleted and added.
 * After failures it retries with growing, jittered pauses, without limit, and at once when the client
 * finds that the server answers again. A kind that the server does not have (404: its definition is
 * not installed) has no objects; it is asked for now and then.
 *
 * Always true: a listener gets an object as added, then updated any number of times, then deleted;
 * versions of one object only increase; before `synced` it gets all objects of the first list.
 * Documents are decoded once and shared. Without `store` the informer remembers only names, uids
 * and versions, about 100 bytes per object: listeners keep what they need. */
#ifndef CLIENT_INFORMER_H
#define CLIENT_INFORMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "client/resource.h"
#include "json/doc.h"

struct client;
struct informer;
struct log;

struct informer_options {
	const struct resource *resource; /* must outlive the informer */
	struct str namespace;            /* none: all; copied, as the selectors */
	struct str label_selector;
	struct str field_selector;
	bool store;   /* keep the documents, for informer_get() and indexes */
	int64_t page; /* objects per page of the list; 0: 500; < 0: all at once */
	/* Without the permission to list it, go on as if there were none. It is asked for every few
	 * seconds, and what is there is reported once it is granted. */
	bool optional;
	struct log *log; /* logs failed lists and lost versions; may be NULL */
};

/* Valid during the call. */
struct informer_object {
	struct str namespace; /* "" for kinds without */
	struct str name;      /* followed by a NUL */
	/* The newest known version. For a deletion: the last one; NULL if the object was just
	 * missing from a list and documents are not kept. Items of a list of a built-in kind have
	 * no apiVersion and kind, as everywhere in Kubernetes. */
	struct json_doc *doc;
	struct json_doc *old; /* updated, with `store`: the version before; else NULL */
};

/* Every member may be NULL. Listeners are called in the order in which they were added; the store
 * already has the change. They may send requests but must not free the informer. */
struct informer_events {
	void (*added)(void *arg, const struct informer_object *object);
	void (*updated)(void *arg, const struct informer_object *object);
	void (*deleted)(void *arg, const struct informer_object *object);
	/* The first list was reported completely. Called once. */
	void (*synced)(void *arg);
};

struct informer *informer_new(struct client *client, const struct informer_options *options)
	__attribute__((returns_nonnull));
/* Call it before its client is freed, and not from one of its events. Accepts NULL. */
void informer_free(struct informer *informer);
DEFINE_AUTO(struct informer *, informer_free);

/* Before informer_start(). The struct is copied. */
void informer_listen(struct informer *informer, const struct informer_events *events, void *arg);
void informer_start(struct informer *informer);

bool informer_synced(const struct informer *informer);
/* Was the last list denied, for want of a permission? */
bool informer_denied(const struct informer *informer);
size_t informer_len(const struct informer *informer);
/* The version up to which everything was reported; "" before the first list. Valid until control
 * returns to the loop. */
struct str informer_version(const struct informer *informer);

/* --- with `store`; documents are valid until control returns to the loop --- */

struct json_doc *informer_get(const struct informer *informer, struct str namespace,
			      struct str name);
/* The next one in order of namespace and name, of one namespace or (none) of all:
 *	struct informer_walk walk = {.namespace = ns};
 *	while ((doc = informer_next(informer, &walk))) ...
 * Objects that are added or removed meanwhile may or may not be seen. */
struct informer_walk {
	struct str namespace;
	struct str at; /* begins as none */
};
struct json_doc *informer_next(const struct informer *informer, struct informer_walk *walk);

/* An index: objects by texts that a function finds in them (the node of a pod, the uid of an
 * owner). Added before informer_start(). */
struct informer_keys;
typedef void informer_index_fn(void *arg, struct json object, struct informer_keys *keys);
/* Called by the function: the object is found under this text. Copied; a repeated text counts once.
 */
void informer_key_add(struct informer_keys *keys, struct str key);
/* Returns the number of the index, counted from 0. */
size_t informer_index_add(struct informer *informer, informer_index_fn *fn, void *arg);
/* How many are found under a key, and the i-th of them (in no particular order). */
size_t informer_index_len(const struct informer *informer, size_t index, struct str key);
struct json_doc *informer_index_get(const struct informer *informer, size_t index, struct str key,
				    size_t i);

/* --- numbers --- */

struct informer_stats {
	uint64_t lists;   /* begun */
	uint64_t watches; /* begun */
	uint64_t events;  /* received, including bookmarks */
	uint64_t relists; /* lists because a version was lost */
	uint64_t failures;
};
void informer_stats(const struct informer *informer, struct informer_stats *ret);

#endif
