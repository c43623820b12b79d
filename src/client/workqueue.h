/* SPDX-License-Identifier: Apache-2.0 */
/* client/workqueue.h - a queue of keys to process: each at most once at a time, none lost.
 *
 *	workqueue_add(queue, STR("ns/job"));		from an informer's event
 *	...
 *	static void work(void *arg, struct str key)	starts to process it, and at the end:
 *		workqueue_done(queue, key);		on success, or
 *		workqueue_retry(queue, key);		to retry later, with growing pauses
 *
 * A key that is added while it waits is queued once; a key that is added while it is processed is
 * processed again afterwards, never at the same time. Keys come out in the order in which they
 * became due. At most `workers` keys are processed at once. `work` is called from the loop, not
 * from within a function of this header, and may end its key before it returns. */
#ifndef CLIENT_WORKQUEUE_H
#define CLIENT_WORKQUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct loop;
struct resource;
struct workqueue;

/* `key` is valid until the key has ended. */
typedef void workqueue_fn(void *arg, struct str key);

struct workqueue_options {
	workqueue_fn *work;
	void *arg;
	size_t workers;  /* 0: 16 */
	int64_t base_us; /* the first pause of a retry; 0: 5 ms. Doubles up to ... */
	int64_t max_us;  /* ... this; 0: 1000 s */
	/* The prefix of the keys ("namespace/name", or "name") in the store and the component that
	 * processes them, for base/quarantine.h; NULL: not recorded. */
	const struct resource *resource;
	const char *component;
};

struct workqueue *workqueue_new(struct loop *loop, const struct workqueue_options *options)
	__attribute__((returns_nonnull));
/* No callback follows. Accepts NULL. */
void workqueue_free(struct workqueue *queue);
DEFINE_AUTO(struct workqueue *, workqueue_free);

/* As soon as a worker is free. */
void workqueue_add(struct workqueue *queue, struct str key);
/* Not before `after_us` from now; of several such, the earliest counts. */
void workqueue_add_after(struct workqueue *queue, struct str key, int64_t after_us);

/* Ends a key that is being processed. workqueue_done() also resets its failures. */
void workqueue_done(struct workqueue *queue, struct str key);
void workqueue_retry(struct workqueue *queue, struct str key);
/* Success, but it must be processed again. */
void workqueue_done_after(struct workqueue *queue, struct str key, int64_t after_us);

/* How often the key was retried since its last success. */
unsigned workqueue_failures(const struct workqueue *queue, struct str key);

struct workqueue_stats {
	size_t ready;   /* due, waiting for a worker */
	size_t delayed; /* not yet due */
	size_t active;  /* being processed */
	uint64_t added;
	uint64_t retried;
};
void workqueue_stats(const struct workqueue *queue, struct workqueue_stats *ret);

#endif
