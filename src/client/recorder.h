/* SPDX-License-Identifier: Apache-2.0 */
/* client/recorder.h - events: lines that a user reads under `kubectl describe`.
 *
 * Core/v1 Events, aggregated as by client-go, so that a fault that happens a thousand times is
 * written a few times:
 *	the same again (object, reason, message, type)	increments the count of the existing event
 *	the tenth similar one in 10 minutes (all but the	one event that says "(combined from similar
 *	message)					events): ..." and counts
 *	more than 25 of one object at once		dropped, except one every five minutes
 * Recording never fails and never waits: an event that cannot be written after some attempts is
 * dropped and counted. */
#ifndef CLIENT_RECORDER_H
#define CLIENT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct client;
struct recorder;

struct recorder_options {
	struct str component; /* "volcano"; copied */
	struct str host;      /* may be none */
	/* As client-go's options; 0: its defaults, which are named above. */
	unsigned burst;            /* 25 */
	int64_t refill_us;         /* 300 s */
	unsigned similar;          /* 10 */
	int64_t similar_window_us; /* 600 s */
};

struct recorder *recorder_new(struct client *client, const struct recorder_options *options)
	__attribute__((returns_nonnull));
/* Events that are not written yet are dropped. Takes NULL. */
void recorder_free(struct recorder *recorder);
DEFINE_AUTO(struct recorder *, recorder_free);

/* The object of an event; texts are copied. */
struct recorder_object {
	struct str api_version;
	struct str kind;
	struct str namespace;
	struct str name;
	struct str uid;
	struct str resource_version;
	struct str field_path;
};
/* From an object's metadata; the caller gives apiVersion and kind, because items of lists lack
 * them. Valid as long as the document. */
struct recorder_object recorder_object_of(struct json object, struct str api_version,
					  struct str kind);

/* Record; `type` is "Normal" or "Warning". */
void recorder_event(struct recorder *recorder, const struct recorder_object *object,
		    const char *type, const char *reason, struct str message);
void recorder_eventf(struct recorder *recorder, const struct recorder_object *object,
		     const char *type, const char *reason, const char *format, ...) PRINTF(5, 6);

struct recorder_stats {
	uint64_t recorded;
	uint64_t written;
	uint64_t dropped; /* by the limit per object, or because they could not be written */
	size_t in_flight;
};
void recorder_stats(const struct recorder *recorder, struct recorder_stats *ret);

#endif
