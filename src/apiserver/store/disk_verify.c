/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_verify.c - walk the pages of an LMDB 0.9 file before LMDB trusts them.
 *
 * The file is an array of pages. The first two are copies of the root record, written in turns; the
 * one with the higher transaction number counts. It names two trees: that of free pages, and the
 * main one, whose values are the root records of the named databases. Pages are never changed while
 * a root record refers to them.
 *
 * What holds for a sound file, and is checked:
 * 1. every page that is referred to is in the file, says its own number and its type, and is
 *    referred to once;
 * 2. all that a page refers to inside of itself is inside of it;
 * 3. keys ascend over each tree, and all of its leaves are equally deep;
 * 4. the counters of a tree are those of its pages and entries;
 * 5. a free page is free once, and not in use.
 *
 * The layout is that of 64-bit machines in their own byte order, as in lmdb's mdb.c; a file of
 * another machine fails at its magic number or at its page size. */
#include "apiserver/store/disk_verify.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

#include "base/banned.h"

enum { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_LARGE = 4, PAGE_META = 8 };
enum { NODE_LARGE = 1, NODE_DATABASE = 2 };
enum {
	META_VERSION = 1,
	META_COUNT = 2,
	DEPTH_MAX = 32,
	PAGE_SIZE_MIN = 512,
	PAGE_SIZE_MAX = 32768,
	DATABASE_FLAGS = 0, /* of those that we make: plain keys, one value each */
	FREE_FLAGS = 8,     /* keys are integers */
};
static const uint32_t meta_magic = 0xBEEFC0DE;
static const uint64_t no_page = UINT64_MAX;

struct page {
	uint64_t number;
	uint16_t pad;
	uint16_t flags;
	union {
		struct {
			uint16_t lower; /* end of the offsets of nodes */
			uint16_t upper; /* start of the nodes */
		};
		uint32_t pages; /* of a large value */
	};
};
struct tree {
	uint32_t pad; /* of the tree of free pages: the page size */
	uint16_t flags;
	uint16_t depth;
	uint64_t branch_pages;
	uint64_t leaf_pages;
	uint64_t large_pages;
	uint64_t entries;
	uint64_t root;
};
struct meta {
	uint32_t magic;
	uint32_t version;
	uint64_t address;
	uint64_t map_bytes;
	struct tree free;
	struct tree main;
	uint64_t last_page;
	uint64_t txn;
};
struct node {
	uint16_t low;
	uint16_t high;
	uint16_t flags;
	uint16_t key_len;
};
static_assert(sizeof(struct page) == 16 && sizeof(struct tree) == 48 && sizeof(struct node) == 8 &&
		      sizeof(struct meta) == 136,
	      "as LMDB lays them out");

struct file {
	const char *bytes;
	size_t len;
	uint64_t pages; /* whole ones in it */
	uint32_t page_size;
	uint64_t last_page;
	uint8_t *seen; /* a bit a page */
	struct err *err;
};

/* The position of a walk over a tree. */
struct walk {
	struct file *file;
	const struct tree *tree;
	struct str last;   /* the key before ... */
	bool has_last;     /* ... if there was one ... */
	bool is_separator; /* ... of a branch: the next key may be the same */
	struct tree count; /* as far as it has come */
	int (*visit)(struct file *file, unsigned flags, struct str key, struct str value);
};

static int unsound(const struct file *file, uint64_t page, const char *what)
{
	return err_set(file->err, ERR_STORE_READ, "page %" PRIu64 " of data.mdb %s", page, what);
}

/* --- pages --- */

static bool test_and_set(struct file *file, uint64_t page)
{
	uint8_t bit = (uint8_t)(1 << page % 8);
	bool was = file->seen[page / 8] & bit;

	file->seen[page / 8] |= bit;
	return was;
}

/* `count` pages from `number` on come into use. */
static int claim(struct file *file, uint64_t number, uint64_t count)
{
	if (number < META_COUNT || number > file->last_page || number >= file->pages ||
	    count > file->pages - number || count > file->last_page + 1 - number)
		return unsound(file, number, "is referred to, but is not there");
	for (uint64_t i = number; i < number + count; i++)
		if (test_and_set(file, i))
			return unsound(file, i, "is in use twice");
	return 0;
}

static int open_page(struct file *file, uint64_t number, unsigned type, struct page *ret)
{
	if (claim(file, number, 1) < 0)
		return -1;
	memcpy(ret, file->bytes + number * file->page_size, sizeof(*ret));
	if (ret->number != number)
		return unsound(file, number, "says that it is another one");
	if (ret->flags != type)
		return unsound(file, number, "is of the wrong type");
	if (type != PAGE_LARGE && (ret->lower < sizeof(*ret) || ret->lower > ret->upper ||
				   ret->upper > file->page_size || ret->lower % 2))
		return unsound(file, number, "has bounds that are none");
	return 0;
}

static uint32_t node_count(const struct page *page)
{
	return (uint32_t)(page->lower - sizeof(*page)) / 2;
}

/* The node at `index`, its key, and the space after its key. */
static int open_node(const struct file *file, const struct page *page, uint32_t index,
		     struct node *ret, struct str *key, struct str *rest)
{
	const char *bytes = file->bytes + page->number * file->page_size;
	uint16_t at;

	memcpy(&at, bytes + sizeof(*page) + 2 * (size_t)index, sizeof(at));
	if (at < page->upper || at % 2 || at + sizeof(*ret) > file->page_size)
		return unsound(file, page->number, "has a node outside of it");
	memcpy(ret, bytes + at, sizeof(*ret));
	size_t room = file->page_size - at - sizeof(*ret);

	if (ret->key_len > room)
		return unsound(file, page->number, "has a key that is too long");
	*key = str_of(bytes + at + sizeof(*ret), ret->key_len);
	*rest = str_of(key->ptr + key->len, room - key->len);
	return 0;
}

/* --- trees --- */

static int key_order(const struct walk *walk, struct str a, struct str b)
{
	uint64_t x, y;

	if (walk->tree->flags != FREE_FLAGS)
		return str_cmp(a, b);
	memcpy(&x, a.ptr, sizeof(x));
	memcpy(&y, b.ptr, sizeof(y));
	return (x > y) - (x < y);
}

static int take_key(struct walk *walk, uint64_t page, struct str key, bool is_separator)
{
	if (walk->tree->flags == FREE_FLAGS ? key.len != sizeof(uint64_t) : key.len == 0)
		return unsound(walk->file, page, "has a key of the wrong length");
	if (walk->has_last) {
		int order = key_order(walk, walk->last, key);

		if (order > 0 || (order == 0 && !walk->is_separator))
			return unsound(walk->file, page, "has keys out of order");
	}
	walk->last = key;
	walk->has_last = true;
	walk->is_separator = is_separator;
	return 0;
}

/* The value of a leaf's node, wherever it is. */
static int open_value(struct walk *walk, const struct page *leaf, const struct node *node,
		      struct str rest, struct str *ret)
{
	struct file *file = walk->file;
	size_t len = node->low | (size_t)node->high << 16;
	struct page large = {0};
	uint64_t number;

	if (node->flags & ~(NODE_LARGE | NODE_DATABASE))
		return unsound(file, leaf->number, "has a node of unknown type");
	if (!(node->flags & NODE_LARGE)) {
		if (len > rest.len)
			return unsound(file, leaf->number, "has a value that is too long");
		*ret = str_of(rest.ptr, len);
		return 0;
	}
	if (rest.len < sizeof(number))
		return unsound(file, leaf->number, "has a node outside of it");
	memcpy(&number, rest.ptr, sizeof(number));
	if (open_page(file, number, PAGE_LARGE, &large) < 0)
		return -1;
	/* a value that was written twice in one transaction keeps the pages of the longer one */
	if (large.pages < (sizeof(large) - 1 + len) / file->page_size + 1)
		return unsound(file, number, "has the wrong length");
	walk->count.large_pages += large.pages;
	*ret = str_of(file->bytes + number * file->page_size + sizeof(large), len);
	return large.pages > 1 ? claim(file, number + 1, large.pages - 1) : 0;
}

static int walk_leaf(struct walk *walk, uint64_t number)
{
	struct page page = {0};
	struct str key = {0};
	struct str rest = {0};
	struct str value = {0};
	struct node node = {0};

	if (open_page(walk->file, number, PAGE_LEAF, &page) < 0)
		return -1;
	walk->count.leaf_pages++;
	if (node_count(&page) == 0)
		return unsound(walk->file, number, "is empty");
	for (uint32_t i = 0; i < node_count(&page); i++) {
		if (open_node(walk->file, &page, i, &node, &key, &rest) < 0 ||
		    take_key(walk, number, key, false) < 0 ||
		    open_value(walk, &page, &node, rest, &value) < 0 ||
		    walk->visit(walk->file, node.flags, key, value) < 0)
			return -1;
		walk->count.entries++;
	}
	return 0;
}

static int walk_page(struct walk *walk, uint64_t number, unsigned depth)
{
	struct page page = {0};
	struct str key = {0};
	struct str rest = {0};
	struct node node = {0};

	if (depth <= 1)
		return walk_leaf(walk, number);
	if (open_page(walk->file, number, PAGE_BRANCH, &page) < 0)
		return -1;
	walk->count.branch_pages++;
	/* that of free pages is changed while it is written, and may be left with one */
	if (node_count(&page) < (walk->tree->flags == FREE_FLAGS ? 1U : 2U))
		return unsound(walk->file, number, "has too few branches");
	for (uint32_t i = 0; i < node_count(&page); i++) {
		if (open_node(walk->file, &page, i, &node, &key, &rest) < 0 ||
		    (i > 0 && take_key(walk, number, key, true) < 0))
			return -1;
		uint64_t child = node.low | (uint64_t)node.high << 16 | (uint64_t)node.flags << 32;

		if (walk_page(walk, child, depth - 1) < 0)
			return -1;
	}
	return 0;
}

static int walk_tree(struct file *file, const struct tree *tree,
		     int (*visit)(struct file *file, unsigned flags, struct str key,
				  struct str value))
{
	struct walk walk = {.file = file, .tree = tree, .visit = visit};

	if ((tree->root == no_page) != (tree->depth == 0) || tree->depth > DEPTH_MAX)
		return unsound(file, tree->root, "is no root");
	if (tree->depth > 0 && walk_page(&walk, tree->root, tree->depth) < 0)
		return -1;
	if (walk.count.branch_pages != tree->branch_pages ||
	    walk.count.leaf_pages != tree->leaf_pages ||
	    walk.count.large_pages != tree->large_pages || walk.count.entries != tree->entries)
		return unsound(file, tree->root, "has lost some of its pages or entries");
	return 0;
}

/* --- what is in the trees --- */

static int visit_object(struct file *file, unsigned flags, struct str key, struct str value)
{
	(void)key;
	(void)value;
	if (flags & NODE_DATABASE)
		return err_set(file->err, ERR_STORE_READ, "data.mdb has a database for a value");
	return 0;
}

static int visit_database(struct file *file, unsigned flags, struct str key, struct str value)
{
	struct tree tree;

	(void)key;
	if (!(flags & NODE_DATABASE) || value.len != sizeof(tree))
		return err_set(file->err, ERR_STORE_READ, "data.mdb has a value for a database");
	memcpy(&tree, value.ptr, sizeof(tree));
	if (tree.flags != DATABASE_FLAGS)
		return err_set(file->err, ERR_STORE_READ,
			       "data.mdb has a database of another kind");
	return walk_tree(file, &tree, visit_object);
}

/* A list of free pages: how many, then their numbers, falling. */
static int visit_free(struct file *file, unsigned flags, struct str key, struct str value)
{
	uint64_t count = 0;
	uint64_t before = file->last_page + 1;

	(void)key;
	if (value.len >= sizeof(count))
		memcpy(&count, value.ptr, sizeof(count));
	if (flags & NODE_DATABASE || value.len % sizeof(count) || value.len == 0 ||
	    count > value.len / sizeof(count) - 1)
		return unsound(file, 0, "names a list of free pages that is malformed");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t page;

		memcpy(&page, value.ptr + i * sizeof(page), sizeof(page));
		if (page < META_COUNT || page >= before)
			return unsound(file, page, "is listed as free out of order");
		/* a page after the end was never written: it was free from the start */
		if (page < file->pages && test_and_set(file, page))
			return unsound(file, page, "is free and in use at once");
		before = page;
	}
	return 0;
}

/* --- the file --- */

static int read_meta(struct file *file, unsigned index, struct meta *ret)
{
	const char *bytes = file->bytes + (size_t)index * file->page_size;
	struct page page = {0};

	if (file->len < (index + (size_t)1) * file->page_size)
		return err_set(file->err, ERR_STORE_READ, "data.mdb is cut short");
	memcpy(&page, bytes, sizeof(page));
	memcpy(ret, bytes + sizeof(page), sizeof(*ret));
	if (page.number != index || page.flags != PAGE_META || ret->magic != meta_magic ||
	    ret->version != META_VERSION)
		return unsound(file, index, "is no root record");
	if (ret->free.pad < PAGE_SIZE_MIN || ret->free.pad > PAGE_SIZE_MAX ||
	    (ret->free.pad & (ret->free.pad - 1)))
		return unsound(file, index, "names a page size that is none");
	return 0;
}

/* The root record that counts. */
static int choose_meta(struct file *file, struct meta *ret)
{
	struct meta metas[META_COUNT] = {0};

	file->page_size = PAGE_SIZE_MIN; /* until the first page was read */
	if (read_meta(file, 0, &metas[0]) < 0)
		return -1;
	file->page_size = metas[0].free.pad;
	if (read_meta(file, 1, &metas[1]) < 0)
		return -1;
	*ret = metas[metas[0].txn < metas[1].txn];
	uint64_t older = metas[metas[0].txn >= metas[1].txn].txn;

	if (metas[1].free.pad != metas[0].free.pad || ret->txn - older > 1 ||
	    ret->free.flags != FREE_FLAGS || ret->main.flags != DATABASE_FLAGS)
		return err_set(file->err, ERR_STORE_READ,
			       "the two root records of data.mdb do not go together");
	file->pages = file->len / file->page_size;
	file->last_page = ret->last_page;
	/* pages after the end may have been allocated and freed again without being written */
	if (ret->last_page < 1 || ret->last_page > file->pages + file->pages / 2 + 65536)
		return err_set(file->err, ERR_STORE_READ, "data.mdb is cut short");
	return 0;
}

static int verify_trees(struct file *file)
{
	struct meta meta;

	if (choose_meta(file, &meta) < 0)
		return -1;
	AUTO(mem_free) uint8_t *seen = mem_zalloc(file->pages / 8 + 1);

	file->seen = seen;
	if (walk_tree(file, &meta.main, visit_database) < 0)
		return -1;
	return walk_tree(file, &meta.free, visit_free);
}

int disk_verify(const char *path, struct err *err)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file = {.err = err};
	struct stat info;

	if (fd < 0 || fstat(fd, &info) < 0)
		return err_errno(err, errno, "%s", path);
	if (info.st_size < PAGE_SIZE_MIN)
		return err_set(err, ERR_STORE_READ, "data.mdb is cut short");
	file.len = (size_t)info.st_size;
	void *bytes = mmap(NULL, file.len, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return err_errno(err, errno, "%s", path);
	file.bytes = bytes;
	int result = verify_trees(&file);

	(void)munmap(bytes, file.len); /* cannot fail: it is what was mapped */
	return result;
}
