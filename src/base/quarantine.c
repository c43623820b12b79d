/* SPDX-License-Identifier: Apache-2.0 */
/* base/quarantine.c - the page that records a crash, and the list of objects that caused one.
 *
 * The page (file "crash-marker") is mapped shared: what is written to it survives the process without a
 * system call. The list (file "quarantine") has a line "CRASHES SIGNAL COMPONENT KEY" for each key, and
 * is replaced as a whole.
 *
 * The handler has no variable to find the page by (there are none in this project), so the page's
 * address is at the low end of the alternate signal stack that it runs on. Threads without such a
 * stack record nothing: only the thread of the loop processes objects.
 *
 * What must stay true: the handler only stores into the page; then the default action of the signal
 * follows. */
#include "base/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"

#include "base/banned.h"

enum {
	PAGE_BYTES = 4096,
	KEY_MAX = 1024, /* of a key in the page; longer keys are not recorded */
	COMPONENT_MAX = 32,
	STACK_BYTES = 64 * 1024,
	FILE_MAX_BYTES = 1024 * 1024,
};

#define MAGIC "volcano-crash-1"

struct page {
	char magic[16];
	volatile sig_atomic_t signal;
	volatile uint32_t key_len; /* 0: no object is being processed */
	char component[COMPONENT_MAX];
	char key[KEY_MAX];
};
_Static_assert(sizeof(struct page) <= PAGE_BYTES, "it is one page");

struct row {
	char *key;
	char *component;
	int signal;
	unsigned crashes;
};

struct quarantine {
	char *folder;
	struct page *page;
	void *stack;
	struct map *rows; /* key -> struct row */
	size_t aside;     /* rows with enough crashes */
};

static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

/* --- the list --------------------------------------------------------------------------------- */

static void row_free(struct row *row)
{
	if (!row)
		return;
	mem_free(row->key);
	mem_free(row->component);
	mem_free(row);
}

static struct row *row_get(struct quarantine *q, struct str key)
{
	struct row *row = map_get(q->rows, key);

	if (row)
		return row;
	row = mem_new(struct row);
	row->key = str_dup(key);
	row->component = mem_strdup("");
	map_put(q->rows, str_from(row->key), row);
	return row;
}

static void recount(struct quarantine *q)
{
	size_t at = 0;
	void *value;

	q->aside = 0;
	while (map_next(q->rows, &at, NULL, &value))
		q->aside += ((const struct row *)value)->crashes >= QUARANTINE_CRASHES;
}

/* A malformed line is skipped. */
static void read_line(struct quarantine *q, struct str line)
{
	struct str crashes, signal, component;
	int64_t numbers[2];
	struct row *row;

	if (!str_split(&line, ' ', &crashes) || !str_split(&line, ' ', &signal) ||
	    !str_split(&line, ' ', &component) || !line.len ||
	    number_parse_i64(crashes, &numbers[0], NULL) < 0 || numbers[0] < 1 ||
	    numbers[0] > INT16_MAX || number_parse_i64(signal, &numbers[1], NULL) < 0 ||
	    numbers[1] < 0 || numbers[1] > INT16_MAX)
		return;
	row = row_get(q, line);
	row->crashes = (unsigned)numbers[0];
	row->signal = (int)numbers[1];
	mem_free(row->component);
	row->component = str_dup(component);
}

static int read_list(struct quarantine *q, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/quarantine", q->folder);
	AUTO(buf_done) struct buf text = BUF_INIT(FILE_MAX_BYTES);
	struct str rest, line;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (fd_read_file(path, &text, err) < 0)
		return -1;
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		read_line(q, line);
	recount(q);
	return 0;
}

static int write_list(struct quarantine *q, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/quarantine", q->folder);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quarantine_row row;
	size_t at = 0;

	while (quarantine_next(q, &at, &row))
		buf_printf(&text, "%u %d %s %s\n", row.crashes, row.signal, row.component, row.key);
	if (!text.len) {
		if (unlink(path) < 0 && errno != ENOENT)
			return err_errno(err, errno, "%s", path);
		return 0;
	}
	return fd_write_file(path, text.ptr, text.len, 0600, err);
}

/* --- the page --------------------------------------------------------------------------------- */

static void on_crash(int signo)
{
	stack_t stack;
	struct page *page;

	if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE) && stack.ss_sp) {
		memcpy(&page, stack.ss_sp, sizeof(page));
		page->signal = signo;
	}
	(void)signal(signo, SIG_DFL);
	(void)raise(signo); /* once the handler returns */
}

static int watch_crashes(struct quarantine *q, struct err *err)
{
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = STACK_BYTES};

	q->stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (q->stack == MAP_FAILED) {
		q->stack = NULL;
		return err_errno(err, errno, "a stack for signals");
	}
	memcpy(q->stack, &q->page, sizeof(q->page));
	stack.ss_sp = q->stack;
	if (sigaltstack(&stack, NULL) < 0)
		return err_errno(err, errno, "sigaltstack");
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (sigaction(signals[i], &action, NULL) < 0)
			return err_errno(err, errno, "sigaction");
	return 0;
}

/* The block is allocated before the page is used, because writing to the page on a full disk would raise
 * SIGBUS. If the disk is full, crashes are not recorded; the program starts all the same. */
static bool map_page(struct quarantine *q)
{
	AUTO(mem_free) char *path = mem_printf("%s/crash-marker", q->folder);
	AUTO(fd_close) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	void *page;

	if (fd < 0 || posix_fallocate(fd, 0, PAGE_BYTES) != 0)
		return false;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return false;
	q->page = page;
	return true;
}

static void clear_page(struct page *page)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->magic, MAGIC, sizeof(MAGIC));
}

static bool is_key(struct str key)
{
	for (size_t i = 0; i < key.len; i++)
		if ((unsigned char)key.ptr[i] <= ' ' || key.ptr[i] == 0x7f)
			return false;
	return key.len > 0;
}

/* Counts the crash that the previous process recorded. If the list cannot be written, the count
 * holds only for this process. */
static void take_crash(struct quarantine *q, struct quarantine_row *ret)
{
	struct err err;
	struct page *page = q->page;
	struct str key = str_of(page->key, page->key_len <= KEY_MAX ? page->key_len : 0);
	bool crashed = memcmp(page->magic, MAGIC, sizeof(MAGIC)) == 0 && page->signal > 0 &&
		       page->signal < NSIG && is_key(key);
	struct row *row;

	if (crashed) {
		page->component[COMPONENT_MAX - 1] = '\0';
		row = row_get(q, key);
		row->crashes += row->crashes < INT16_MAX;
		row->signal = page->signal;
		mem_free(row->component);
		row->component =
			mem_strdup(is_key(str_from(page->component)) ? page->component : "-");
		if (ret)
			*ret = (struct quarantine_row){row->key, row->component, row->signal,
						       row->crashes};
		recount(q);
		(void)write_list(q, &err);
	}
	clear_page(page);
}

/* --- life ------------------------------------------------------------------------------------- */

static struct quarantine *quarantine_new(const char *folder)
{
	struct quarantine *q = mem_new(struct quarantine);

	q->folder = mem_strdup(folder);
	q->rows = map_new(0);
	return q;
}

struct quarantine *quarantine_open(const char *folder, struct quarantine_row *ret_crashed,
				   struct err *err)
{
	AUTO(quarantine_close) struct quarantine *q = quarantine_new(folder);

	if (ret_crashed)
		*ret_crashed = (struct quarantine_row){0};
	if (read_list(q, err) < 0)
		return NULL;
	if (map_page(q)) {
		take_crash(q, ret_crashed);
		if (watch_crashes(q, err) < 0)
			return NULL;
	}
	return TAKE(q);
}

struct quarantine *quarantine_read(const char *folder, struct err *err)
{
	AUTO(quarantine_close) struct quarantine *q = quarantine_new(folder);

	return read_list(q, err) < 0 ? NULL : TAKE(q);
}

void quarantine_close(struct quarantine *q)
{
	stack_t none = {.ss_flags = SS_DISABLE};
	size_t at = 0;
	void *row;

	if (!q)
		return;
	if (q->stack) {
		for (size_t i = 0; i < ARRAY_LEN(signals); i++)
			(void)signal(signals[i], SIG_DFL);
		(void)sigaltstack(&none, NULL);
		(void)munmap(q->stack, STACK_BYTES);
	}
	if (q->page)
		(void)munmap(q->page, PAGE_BYTES);
	while (map_next(q->rows, &at, NULL, &row))
		row_free(row);
	map_free(q->rows);
	mem_free(q->folder);
	mem_free(q);
}

/* --- processing ------------------------------------------------------------------------------- */

static void set_component(struct page *page, const char *component)
{
	size_t len = strlen(component);

	if (len >= COMPONENT_MAX)
		len = COMPONENT_MAX - 1;
	memcpy(page->component, component, len);
	page->component[len] = '\0';
}

/* Joins the parts to a key. 0: it is too long. */
static size_t put_key(char to[KEY_MAX], struct str prefix, struct str namespace, struct str name)
{
	size_t at = 0;

	if (prefix.len + namespace.len + name.len + 1 > KEY_MAX)
		return 0;
	memcpy(to, prefix.ptr, prefix.len);
	at = prefix.len;
	if (namespace.len)
		memcpy(to + at, namespace.ptr, namespace.len);
	at += namespace.len;
	to[at++] = '/';
	if (name.len)
		memcpy(to + at, name.ptr, name.len);
	return at + name.len;
}

void quarantine_enter(struct quarantine *q, const char *component, struct str prefix,
		      struct str namespace, struct str name)
{
	if (!q || !q->page || !prefix.len)
		return;
	set_component(q->page, component);
	q->page->key_len = (uint32_t)put_key(q->page->key, prefix, namespace, name);
}

void quarantine_enter_key(struct quarantine *q, const char *component, struct str key)
{
	if (!q || !q->page || !key.len || key.len > KEY_MAX)
		return;
	set_component(q->page, component);
	memcpy(q->page->key, key.ptr, key.len);
	q->page->key_len = (uint32_t)key.len;
}

void quarantine_leave(struct quarantine *q)
{
	if (q && q->page)
		q->page->key_len = 0;
}

/* --- questions -------------------------------------------------------------------------------- */

bool quarantine_has_key(const struct quarantine *q, struct str key)
{
	const struct row *row = q && q->aside ? map_get(q->rows, key) : NULL;

	return row && row->crashes >= QUARANTINE_CRASHES;
}

bool quarantine_has(const struct quarantine *q, struct str prefix, struct str namespace,
		    struct str name)
{
	char key[KEY_MAX];

	if (!q || !q->aside || !prefix.len)
		return false;
	return quarantine_has_key(q, str_of(key, put_key(key, prefix, namespace, name)));
}

bool quarantine_release(struct quarantine *q, struct str key)
{
	struct row *row = q && map_len(q->rows) ? map_remove(q->rows, key) : NULL;
	struct err err;

	if (!row)
		return false;
	row_free(row);
	recount(q);
	(void)write_list(q,
			 &err); /* if this fails, the object is set aside again after a restart */
	return true;
}

bool quarantine_next(const struct quarantine *q, size_t *at, struct quarantine_row *ret)
{
	void *value;
	const struct row *row;

	if (!q || !map_next(q->rows, at, NULL, &value))
		return false;
	row = value;
	*ret = (struct quarantine_row){row->key, row->component, row->signal, row->crashes};
	return true;
}
