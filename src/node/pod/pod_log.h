/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_log.h - reads what a container has printed, from the files that its supervisor writes.
 *
 * A reader sees whole lines, in order, over all rotated parts, and can follow a run until it has ended. Parts that
 * were deleted by rotation before they were read are missing. */
#ifndef NODE_POD_LOG_H
#define NODE_POD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"

struct folder_watches;
struct pod_log;

struct pod_log_request {
	const char *folder; /* of the pod; texts are copied */
	const char *container;
	size_t index; /* of the container, init containers first */
	unsigned run;
	bool timestamps;
	int64_t since;      /* microseconds since 1970; 0: from the beginning */
	int64_t tail_lines; /* below 0: all */
};

/* A run that has printed nothing has an empty log. */
struct pod_log *pod_log_open(struct folder_watches *watches, const struct pod_log_request *request)
	__attribute__((returns_nonnull));
void pod_log_close(struct pod_log *log);
DEFINE_AUTO(struct pod_log *, pod_log_close);

enum pod_log_state { POD_LOG_MORE, POD_LOG_WAIT, POD_LOG_END };
/* Append at most about `most` bytes, whole lines. */
enum pod_log_state pod_log_read(struct pod_log *log, struct buf *to, size_t most);
/* Call `wake` whenever reading may give more than POD_LOG_WAIT. */
void pod_log_follow(struct pod_log *log, void (*wake)(void *arg), void *arg);

#endif
