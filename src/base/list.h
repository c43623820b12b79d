/* SPDX-License-Identifier: Apache-2.0 */
/* base/list.h - intrusive doubly linked list: a ring through a node inside each element.
 *
 *	struct watcher { struct list link; ... };
 *	struct list watchers = LIST_INIT(watchers);
 *	list_push(&watchers, &w->link);
 *	LIST_EACH(&watchers, struct watcher, link, w)	(removing w inside is allowed)
 *		watcher_poke(w); */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct list {
	struct list *next;
	struct list *prev;
};

#define LIST_INIT(head)          \
	{                        \
		&(head), &(head) \
	}

static inline void list_init(struct list *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_insert_before(struct list *before, struct list *node)
{
	node->next = before;
	node->prev = before->prev;
	before->prev->next = node;
	before->prev = node;
}

/* At the end, or at the front. The node must not be in a list. */
static inline void list_push(struct list *head, struct list *node)
{
	list_insert_before(head, node);
}
static inline void list_push_front(struct list *head, struct list *node)
{
	list_insert_before(head->next, node);
}

/* Takes the node out of its list. It is then an empty list, so that removing it again does nothing.
 * The node must have been initialised or pushed once. */
static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

/* Is this node in a list with others? */
static inline bool list_is_linked(const struct list *node)
{
	return node->next && node->next != node;
}

static inline struct list *list_first(const struct list *head)
{
	return list_is_empty(head) ? NULL : head->next;
}

static inline struct list *list_pop(struct list *head)
{
	struct list *node = list_first(head);

	if (node)
		list_remove(node);
	return node;
}

/* Move all of `from` to the end of `to`. */
static inline void list_splice(struct list *to, struct list *from)
{
	if (list_is_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#define LIST_EACH(head, type, member, item)                                      \
	for (type *item = container_of((head)->next, type, member),              \
		  *item##_next_ = container_of(item->member.next, type, member); \
	     &item->member != (head);                                            \
	     item = item##_next_, item##_next_ = container_of(item->member.next, type, member))

#endif
