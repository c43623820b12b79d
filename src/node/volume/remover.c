/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/remover.c - see remover.h. A list of folders; the lane for files has one of them at a time, so that
 * a thousand pods that end at once do not fill it.
 *
 * Always true: while the list is not empty, work is under way, or a timer is set because the lane was full. The
 * struct lives until its last work has ended. */
#include "node/volume/remover.h"

#include <stdbool.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"
#include "node/volume/atomic_folder.h"

#include "base/banned.h"

#define AGAIN TIME_SECOND

struct folder {
	struct list link;
	char path[];
};

struct remover {
	struct loop *loop;
	struct loop_timer *timer;
	struct list waiting;
	struct folder *at; /* the folder that is being removed */
	bool closed;
};

static void start(struct remover *remover);

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	start(arg);
}

struct remover *remover_new(struct loop *loop)
{
	struct remover *remover = mem_new(struct remover);

	remover->loop = loop;
	remover->timer = loop_timer_new(loop, on_timer, remover);
	list_init(&remover->waiting);
	return remover;
}

void remover_free(struct remover *remover)
{
	struct list *node;

	if (!remover)
		return;
	while ((node = list_pop(&remover->waiting)))
		mem_free(container_of(node, struct folder, link));
	loop_timer_free(TAKE(remover->timer));
	remover->closed = true;
	if (!remover->at)
		mem_free(remover);
}

static void remove_work(void *arg)
{
	struct remover *remover = arg;
	struct err err;

	if (folder_delete(remover->at->path, &err) < 0)
		return; /* what is left is retried at the next start */
}

static void remove_done(void *arg)
{
	struct remover *remover = arg;

	mem_free(TAKE(remover->at));
	if (remover->closed)
		mem_free(remover);
	else
		start(remover);
}

static void start(struct remover *remover)
{
	struct list *node = remover->at ? NULL : list_pop(&remover->waiting);
	struct err err;

	if (!node)
		return;
	remover->at = container_of(node, struct folder, link);
	if (loop_work(remover->loop, LOOP_LANE_FILES, remove_work, remove_done, remover, &err) == 0)
		return;
	list_push_front(&remover->waiting, &remover->at->link);
	remover->at = NULL;
	loop_timer_set(remover->timer, AGAIN);
}

void remover_add(struct remover *remover, const char *folder)
{
	size_t len = strlen(folder) + 1;
	struct folder *entry = mem_zalloc(sizeof(*entry) + len);

	memcpy(entry->path, folder, len);
	list_push(&remover->waiting, &entry->link);
	start(remover);
}
