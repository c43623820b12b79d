/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/folder_watch.c - one inotify descriptor for all watches.
 *
 * The kernel has one number per folder, however often it is watched: the watches of one folder are a group, which
 * ends with the last of them. Events of a number that was removed are ignored; the kernel does not reuse it soon. */
#include "node/volume/folder_watch.h"

#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { EVENT_BYTES = 4096 };

struct group {
	int number;
	struct list members;
};

struct folder_watches {
	struct loop *loop;
	unsigned refs;
	int fd; /* -1: there is none */
	struct loop_fd *watch;
	struct map *groups; /* by the bytes of their numbers */
};

struct folder_watch {
	struct folder_watches *watches;
	struct group *group;
	struct list link;
	struct loop_defer defer;
	void (*changed)(void *arg);
	void *arg;
};

static struct str key_of(const int *number)
{
	return str_of((const char *)number, sizeof(*number));
}

static void fire(void *arg)
{
	struct folder_watch *watch = arg;

	watch->changed(watch->arg);
}

static void note_event(struct folder_watches *self, const struct inotify_event *event)
{
	struct group *group = map_get(self->groups, key_of(&event->wd));

	if (!group)
		return;
	LIST_EACH(&group->members, struct folder_watch, link, watch)
		loop_defer(self->loop, &watch->defer, fire, watch);
}

/* The kernel has dropped events: anything may have changed. */
static void note_all(struct folder_watches *self)
{
	size_t at = 0;
	void *value;

	while (map_next(self->groups, &at, NULL, &value)) {
		struct group *group = value;

		LIST_EACH(&group->members, struct folder_watch, link, watch)
			loop_defer(self->loop, &watch->defer, fire, watch);
	}
}

static void on_events(struct loop_fd *loop_fd, int fd, unsigned events, void *arg)
{
	struct folder_watches *self = arg;
	_Alignas(struct inotify_event) char bytes[EVENT_BYTES];
	ssize_t len;

	(void)loop_fd;
	(void)events;
	while ((len = read(fd, bytes, sizeof(bytes))) > 0)
		for (char *at = bytes; at < bytes + len;) {
			const struct inotify_event *event = (const void *)at;

			if (event->mask & IN_Q_OVERFLOW)
				note_all(self);
			else
				note_event(self, event);
			at += sizeof(*event) + event->len;
		}
}

struct folder_watches *folder_watches_new(struct loop *loop)
{
	struct folder_watches *self = mem_new(struct folder_watches);

	self->loop = loop;
	self->refs = 1;
	self->groups = map_new(0);
	self->fd = -1;
	return self;
}

void folder_watches_unref(struct folder_watches *watches)
{
	if (!watches || --watches->refs)
		return;
	loop_fd_remove(watches->watch);
	fd_close(watches->fd);
	map_free(watches->groups);
	mem_free(watches);
}

/* The first watch opens the descriptor. */
static int add_folder(struct folder_watches *self, const char *folder)
{
	if (self->fd < 0)
		self->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (self->fd >= 0 && !self->watch)
		self->watch = loop_fd_add(self->loop, self->fd, LOOP_READ, on_events, self, NULL);
	return self->watch ? inotify_add_watch(self->fd, folder,
					       IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO |
						       IN_DELETE_SELF)
			   : -1;
}

static struct group *take_group(struct folder_watches *self, const char *folder)
{
	int number = add_folder(self, folder);
	struct group *group = number < 0 ? NULL : map_get(self->groups, key_of(&number));

	if (group || number < 0)
		return group;
	group = mem_new(struct group);
	group->number = number;
	list_init(&group->members);
	(void)map_put(self->groups, key_of(&group->number), group);
	return group;
}

struct folder_watch *folder_watch_new(struct folder_watches *watches, const char *folder,
				      void (*changed)(void *arg), void *arg)
{
	struct group *group = take_group(watches, folder);
	struct folder_watch *watch;

	if (!group)
		return NULL;
	watch = mem_new(struct folder_watch);
	watches->refs++;
	watch->watches = watches;
	watch->group = group;
	watch->changed = changed;
	watch->arg = arg;
	list_push(&group->members, &watch->link);
	return watch;
}

void folder_watch_free(struct folder_watch *watch)
{
	struct folder_watches *self;
	struct group *group;

	if (!watch)
		return;
	self = watch->watches;
	group = watch->group;
	loop_defer_cancel(self->loop, &watch->defer);
	list_remove(&watch->link);
	mem_free(watch);
	if (list_is_empty(&group->members)) {
		(void)map_remove(self->groups, key_of(&group->number));
		(void)inotify_rm_watch(self->fd,
				       group->number); /* the kernel may have removed it */
		mem_free(group);
	}
	folder_watches_unref(self);
}
