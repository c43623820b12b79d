/* SPDX-License-Identifier: Apache-2.0 */
/* base/omap.c - ordered map: a B-tree.
 *
 * Always true, and asserted by omap_check():
 * 1. keys in a node ascend strictly; child i holds only keys between key i-1 and key i;
 * 2. every node but the root has at least NODE_MIN entries, and none has more than NODE_MAX;
 * 3. all leaves are equally deep.
 *
 * Inserting splits full nodes on the way down and removing fills thin ones on the way down, so that
 * neither ever has to go back up. */
#include "base/omap.h"

#include <assert.h>

#include "base/mem.h"

#include "base/banned.h"

enum { NODE_DEGREE = 16, NODE_MIN = NODE_DEGREE - 1, NODE_MAX = 2 * NODE_DEGREE - 1 };

struct entry {
	struct str key;
	void *value;
};

struct node {
	unsigned len;
	bool leaf;
	struct entry entries[NODE_MAX];
	struct node *children[]; /* NODE_MAX + 1 of them, unless it is a leaf */
};

struct omap {
	struct node *root;
	size_t len;
};

static struct node *node_new(bool leaf)
{
	size_t children = leaf ? 0 : NODE_MAX + 1;
	struct node *node = mem_zalloc(sizeof(struct node) + children * sizeof(struct node *));

	node->leaf = leaf;
	return node;
}

static void node_free(struct node *node)
{
	if (!node->leaf)
		for (unsigned i = 0; i <= node->len; i++)
			node_free(node->children[i]);
	mem_free(node);
}

struct omap *omap_new(void)
{
	struct omap *omap = mem_new(struct omap);

	omap->root = node_new(true);
	return omap;
}

void omap_free(struct omap *omap)
{
	if (!omap)
		return;
	node_free(omap->root);
	mem_free(omap);
}

size_t omap_len(const struct omap *omap)
{
	return omap->len;
}

/* Index of the first entry with a key >= `key`; *found says whether it equals it. */
static unsigned search(const struct node *node, struct str key, bool *found)
{
	unsigned low = 0;
	unsigned high = node->len;

	*found = false;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = str_cmp(node->entries[middle].key, key);

		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *omap_get(const struct omap *omap, struct str key)
{
	const struct node *node = omap->root;

	for (;;) {
		bool found;
		unsigned at = search(node, key, &found);

		if (found)
			return node->entries[at].value;
		if (node->leaf)
			return NULL;
		node = node->children[at];
	}
}

/* Make a gap at `at` for one more entry, and for the child after it. */
static void open_gap(struct node *node, unsigned at)
{
	memmove(&node->entries[at + 1], &node->entries[at],
		(node->len - at) * sizeof(node->entries[0]));
	if (!node->leaf)
		memmove(&node->children[at + 2], &node->children[at + 1],
			(node->len - at) * sizeof(node->children[0]));
	node->len++;
}

/* Close the gap at `at`; removes the child after it as well. */
static void close_gap(struct node *node, unsigned at)
{
	node->len--;
	memmove(&node->entries[at], &node->entries[at + 1],
		(node->len - at) * sizeof(node->entries[0]));
	if (!node->leaf)
		memmove(&node->children[at + 1], &node->children[at + 2],
			(node->len - at) * sizeof(node->children[0]));
}

/* Split the full child at `at`: its middle entry moves up, its upper half becomes the next child.
 */
static void split_child(struct node *node, unsigned at)
{
	struct node *left = node->children[at];
	struct node *right = node_new(left->leaf);

	assert(left->len == NODE_MAX);
	right->len = NODE_MIN;
	memcpy(right->entries, &left->entries[NODE_DEGREE], NODE_MIN * sizeof(left->entries[0]));
	if (!left->leaf)
		memcpy(right->children, &left->children[NODE_DEGREE],
		       NODE_DEGREE * sizeof(left->children[0]));
	left->len = NODE_MIN;
	open_gap(node, at);
	node->entries[at] = left->entries[NODE_MIN];
	node->children[at + 1] = right;
}

void *omap_put(struct omap *omap, struct str key, void *value)
{
	struct node *node = omap->root;

	assert(value);
	if (node->len == NODE_MAX) {
		struct node *root = node_new(false);

		root->children[0] = node;
		omap->root = node = root;
		split_child(root, 0);
	}
	for (;;) {
		bool found;
		unsigned at = search(node, key, &found);

		if (found) {
			void *old = node->entries[at].value;

			node->entries[at] = (struct entry){key, value};
			return old;
		}
		if (node->leaf) {
			open_gap(node, at);
			node->entries[at] = (struct entry){key, value};
			omap->len++;
			return NULL;
		}
		if (node->children[at]->len == NODE_MAX)
			split_child(node, at); /* look again: the middle entry may be the key */
		else
			node = node->children[at];
	}
}

/* Entry `at` and the child after it move down into the child before it. */
static void merge_children(struct node *node, unsigned at)
{
	struct node *left = node->children[at];
	struct node *right = node->children[at + 1];

	left->entries[left->len] = node->entries[at];
	memcpy(&left->entries[left->len + 1], right->entries,
	       right->len * sizeof(left->entries[0]));
	if (!left->leaf)
		memcpy(&left->children[left->len + 1], right->children,
		       (right->len + 1) * sizeof(left->children[0]));
	left->len += right->len + 1;
	close_gap(node, at);
	mem_free(right);
}

static void borrow_from_left(struct node *node, unsigned at)
{
	struct node *child = node->children[at];
	struct node *left = node->children[at - 1];

	memmove(&child->entries[1], child->entries, child->len * sizeof(child->entries[0]));
	child->entries[0] = node->entries[at - 1];
	if (!child->leaf) {
		memmove(&child->children[1], child->children,
			(child->len + 1) * sizeof(child->children[0]));
		child->children[0] = left->children[left->len];
	}
	child->len++;
	node->entries[at - 1] = left->entries[--left->len];
}

static void borrow_from_right(struct node *node, unsigned at)
{
	struct node *child = node->children[at];
	struct node *right = node->children[at + 1];

	child->entries[child->len++] = node->entries[at];
	if (!child->leaf) {
		child->children[child->len] = right->children[0];
		memmove(right->children, &right->children[1],
			right->len * sizeof(right->children[0]));
	}
	node->entries[at] = right->entries[0];
	right->len--;
	memmove(right->entries, &right->entries[1], right->len * sizeof(right->entries[0]));
}

/* Gives the child at `at` more than the minimum, so that an entry can be removed from it. The child
 * may move or be merged: returns the child to continue with. */
static struct node *fill_child(struct node *node, unsigned at)
{
	if (node->children[at]->len > NODE_MIN)
		return node->children[at];
	if (at > 0 && node->children[at - 1]->len > NODE_MIN) {
		borrow_from_left(node, at);
		return node->children[at];
	}
	if (at < node->len && node->children[at + 1]->len > NODE_MIN) {
		borrow_from_right(node, at);
		return node->children[at];
	}
	if (at == node->len)
		at--;
	merge_children(node, at);
	return node->children[at];
}

/* Removes the largest (smallest) entry of a subtree whose root has more than the minimum. */
static struct entry take_last(struct node *node)
{
	while (!node->leaf)
		node = fill_child(node, node->len);
	return node->entries[--node->len];
}

static struct entry take_first(struct node *node)
{
	struct entry first;

	while (!node->leaf)
		node = fill_child(node, 0);
	first = node->entries[0];
	close_gap(node, 0);
	return first;
}

/* Replace the inner entry at `at` by its neighbour in a child, if one of the children has more than
 * the minimum.
 */
static bool replace_inner(struct node *node, unsigned at)
{
	if (node->children[at]->len > NODE_MIN)
		node->entries[at] = take_last(node->children[at]);
	else if (node->children[at + 1]->len > NODE_MIN)
		node->entries[at] = take_first(node->children[at + 1]);
	else
		return false;
	return true;
}

/* The root may be left without entries by a merge: its only child takes its place. */
static void shrink_root(struct omap *omap)
{
	struct node *root = omap->root;

	if (root->len == 0 && !root->leaf) {
		omap->root = root->children[0];
		mem_free(root);
	}
}

void *omap_remove(struct omap *omap, struct str key)
{
	struct node *node = omap->root;
	void *value = NULL;

	while (!value) {
		bool found;
		unsigned at = search(node, key, &found);

		if (found && node->leaf) {
			value = node->entries[at].value;
			close_gap(node, at);
		} else if (found) {
			void *inner = node->entries[at].value;

			if (replace_inner(node, at)) {
				value = inner;
			} else {
				merge_children(node, at); /* the key went down with it */
				node = node->children[at];
			}
		} else if (node->leaf) {
			break;
		} else {
			node = fill_child(node, at);
		}
	}
	shrink_root(omap);
	omap->len -= value != NULL;
	return value;
}

/* The first entry with a key >= `from`, or > `from` if `after`. */
static void *seek(const struct omap *omap, struct str from, bool after, struct str *key)
{
	const struct node *node = omap->root;
	const struct entry *best = NULL;

	for (;;) {
		bool found;
		unsigned at = search(node, from, &found);

		if (found && after)
			at++;
		if (at < node->len)
			best = &node->entries[at];
		if (node->leaf || (found && !after))
			break;
		node = node->children[at];
	}
	if (!best)
		return NULL;
	if (key)
		*key = best->key;
	return best->value;
}

void *omap_seek(const struct omap *omap, struct str from, struct str *key)
{
	return seek(omap, from, false, key);
}

void *omap_after(const struct omap *omap, struct str from, struct str *key)
{
	return seek(omap, from, true, key);
}

static size_t count_all(const struct node *node)
{
	size_t count = node->len;

	for (unsigned i = 0; !node->leaf && i <= node->len; i++)
		count += count_all(node->children[i]);
	return count;
}

/* Counts the entries of a subtree within the bounds (NULL: no bound). */
static size_t count_within(const struct node *node, const struct str *from, const struct str *to)
{
	bool has_first = false;
	bool has_end = false;
	unsigned first = from ? search(node, *from, &has_first) : 0;
	unsigned end = to ? search(node, *to, &has_end) : node->len;
	size_t count = end > first ? end - first : 0;

	if (!from && !to)
		return count_all(node);
	if (node->leaf || end < first)
		return count;
	for (unsigned i = first; i <= end; i++) {
		bool starts = i == first && from;
		bool ends = i == end && to;

		if (starts && has_first)
			continue; /* the whole child is before the first key */
		count += count_within(node->children[i], starts ? from : NULL, ends ? to : NULL);
	}
	return count;
}

size_t omap_count(const struct omap *omap, struct str from, struct str to)
{
	return count_within(omap->root, &from, str_is_none(to) ? NULL : &to);
}

/* The first entry of a subtree comes next. */
static void enter(struct omap_walk *walk, const struct node *node)
{
	for (;;) {
		assert(walk->depth < OMAP_DEPTH);
		walk->up[walk->depth].node = node;
		walk->up[walk->depth++].at = 0;
		if (node->leaf)
			return;
		node = node->children[0];
	}
}

void omap_walk_start(struct omap_walk *walk, const struct omap *omap, struct str from, bool after)
{
	const struct node *node = omap->root;

	walk->depth = 0;
	for (;;) {
		bool found;
		unsigned at = search(node, from, &found);

		assert(walk->depth < OMAP_DEPTH);
		walk->up[walk->depth].node = node;
		walk->up[walk->depth++].at = at + (found && after);
		if (node->leaf || (found && !after))
			return;
		node = node->children[at + found];
		if (found) {
			enter(walk, node);
			return;
		}
	}
}

void *omap_walk_next(struct omap_walk *walk, struct str *key)
{
	while (walk->depth) {
		const struct node *node = walk->up[walk->depth - 1].node;
		unsigned at = walk->up[walk->depth - 1].at;

		if (at == node->len) {
			walk->depth--;
			continue;
		}
		walk->up[walk->depth - 1].at++;
		if (!node->leaf)
			enter(walk, node->children[at + 1]);
		if (key)
			*key = node->entries[at].key;
		return node->entries[at].value;
	}
	return NULL;
}

/* Are the keys strictly between the bounds (NULL: no bound) and ascending? */
static bool keys_ascend(const struct node *node, const struct str *low, const struct str *high)
{
	for (unsigned i = 0; i < node->len; i++) {
		const struct str *key = &node->entries[i].key;

		if (!node->entries[i].value || (low && str_cmp(*low, *key) >= 0))
			return false;
		low = key;
	}
	return !low || !high || node->len == 0 || str_cmp(*low, *high) < 0;
}

/* Walks a subtree; gives its depth, and adds its entries to *count. */
static unsigned check_node(const struct node *node, const struct str *low, const struct str *high,
			   size_t *count)
{
	unsigned depth = 0;

	assert(keys_ascend(node, low, high));
	*count += node->len;
	for (unsigned i = 0; !node->leaf && i <= node->len; i++) {
		const struct node *child = node->children[i];
		unsigned below = check_node(child, i ? &node->entries[i - 1].key : low,
					    i < node->len ? &node->entries[i].key : high, count);

		assert(child->len >= NODE_MIN && (i == 0 || below == depth));
		depth = below;
	}
	return depth + 1;
}

void omap_check(const struct omap *omap)
{
	size_t count = 0;

	(void)check_node(omap->root, NULL, NULL, &count);
	assert(count == omap->len);
}
