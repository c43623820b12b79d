/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/podlog.h - the output of containers: pods/NAME/log, and who provides the bytes.
 *
 * The API checks the request and answers with a stream; the bytes come from a source, which the node
 * agent registers:
 *
 *	api_set_log_source(api, &source, node);
 *
 * Everything happens on the loop. A source reads what is there without waiting. */
#ifndef APISERVER_PODLOG_H
#define APISERVER_PODLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct api;
struct call;
struct podlog;

/* What is asked for. Texts are lent for the call. */
struct log_request {
	struct str namespace;
	struct str pod;
	struct str uid;
	struct str node;
	struct str container;
	bool previous;      /* of the container's last run but one */
	bool timestamps;    /* a time before each line */
	int64_t since;      /* microseconds since 1970; 0: from the beginning */
	int64_t tail_lines; /* the last so many; below 0: all */
};

enum log_state {
	LOG_MORE, /* there is more: read again */
	LOG_WAIT, /* nothing for now: the source calls the follower when there may be more */
	LOG_END,
};

struct log_source {
	/* An open log, or NULL and an error, in the words for the client. */
	void *(*open)(void *arg, const struct log_request *request, struct err *err);
	/* Append at most `most` bytes. */
	enum log_state (*read)(void *log, struct buf *to, size_t most);
	/* Call `wake` whenever reading may give more than LOG_WAIT, until the log is closed. */
	void (*follow)(void *log, void (*wake)(void *arg), void *arg);
	void (*close)(void *log);
};

/* `source` and `arg` must outlive the API; NULL: none any more. */
void api_set_log_source(struct api *api, const struct log_source *source, void *arg);

/* --- for the API --- */

/* GET pods/NAME/log */
void podlog_serve(struct call *call);
/* Stops it, without a further word to its call. */
void podlog_free(struct podlog *podlog);
/* Every log that is being sent ends, in a later turn. */
void podlogs_end(struct api *api);

#endif
