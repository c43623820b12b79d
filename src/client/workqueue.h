/* SPDX-License-Identifier: Apache-2.0 */
/* client/workqueue.h - keys that want to be looked at: each once at a time, none forgotten.
 *
 *	workqueue_add(queue, STR("ns/job"));		from an informer's event
 *	...
 *	static void work(void *arg, struct str key)	starts looking at it, and when that has ended:
 *		workqueue_done(queue, key);		it went well, or
 *		workqueue_retry(queue, key);		again later, each time later than the last
 *
 * A key that is added while it waits is there once; one that is added while it is being worked on
 * is looked at again afterwards, never at the same time. Keys come out in the order in which they
 * became due. At most `workers` keys are worked on at once. `work` is called from the loop, not
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

/* `key` is lent until the key has been ended. */
typedef void workqueue_fn(void *arg, struct str key);

struct workqueue_options {
	workqueue_fn *work;
	void *arg;
	size_t workers;  /* 0: 16 */
	int64_t base_us; /* the first pause of a retry; 0: 5 ms. Doubles up to ... */
	int64_t max_us;  /* ... this; 0: 1000 s */
	/* Whose keys they are ("namespace/name", or "name"), and who works on them, for a note of what is
	 * processed (base/quarantine.h); NULL: nobody's. */
	const struct resource *resource;
	const char *component;
};

struct workqueue *workqueue_new(struct loop *loop, const struct workqueue_options *options)
	__attribute__((returns_nonnull));
/* Nothing is called any more. Takes NULL. */
void workqueue_free(struct workqueue *queue);
DEFINE_AUTO(struct workqueue *, workqueue_free);

/* As soon as a worker is free. */
void workqueue_add(struct workqueue *queue, struct str key);
/* Not before `after_us` from now; of several such, the earliest counts. */
void workqueue_add_after(struct workqueue *queue, struct str key, int64_t after_us);

/* How a key ends that is being worked on. workqueue_done() also forgets how often it failed. */
void workqueue_done(struct workqueue *queue, struct str key);
void workqueue_retry(struct workqueue *queue, struct str key);
/* It went well, and wants to be looked at again. */
void workqueue_done_after(struct workqueue *queue, struct str key, int64_t after_us);

/* How often the key was retried since it last went well. */
unsigned workqueue_failures(const struct workqueue *queue, struct str key);

struct workqueue_stats {
	size_t ready;   /* due, waiting for a worker */
	size_t delayed; /* not yet due */
	size_t active;  /* being worked on */
	uint64_t added;
	uint64_t retried;
};
void workqueue_stats(const struct workqueue *queue, struct workqueue_stats *ret);

#endif
