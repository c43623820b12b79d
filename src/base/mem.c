/* SPDX-License-Identifier: Apache-2.0 */
/* base/mem.c - allocation that aborts; see the header for why. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

enum { SMALL_BYTES = 1024, SMALL_TEXT = 256 };

__attribute__((noreturn)) static void out_of_memory(size_t size)
{
	fprintf(stderr, "out of memory: cannot allocate %zu bytes\n", size);
	abort();
}

static size_t product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory(SIZE_MAX);
	return bytes;
}

void *mem_alloc(size_t size)
{
	void *data = malloc(size ? size : 1);

	if (!data)
		out_of_memory(size);
	return data;
}

void *mem_zalloc(size_t size)
{
	return mem_calloc(1, size);
}

/* Small blocks are cleared by hand: glibc caches freed blocks for malloc(), but its calloc() does not use that
 * cache. Large ones may come from the kernel, which has cleared them. */
void *mem_calloc(size_t count, size_t size)
{
	size_t bytes = product(count, size);
	void *data;

	if (bytes <= SMALL_BYTES)
		return memset(mem_alloc(bytes), 0, bytes);
	data = calloc(1, bytes);
	if (!data)
		out_of_memory(bytes);
	return data;
}

void *mem_realloc(void *old, size_t count, size_t size)
{
	size_t bytes = product(count, size);
	void *data = realloc(old, bytes ? bytes : 1);

	if (!data)
		out_of_memory(bytes);
	return data;
}

void *mem_dup(const void *data, size_t size)
{
	void *copy = mem_alloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strdup_len(text, strlen(text));
}

char *mem_strdup_len(const char *text, size_t len)
{
	char *copy = mem_alloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	return text;
}

char *mem_vprintf(const char *format, va_list args)
{
	char small[SMALL_TEXT]; /* short texts are printed once; long ones are measured first */
	va_list again;
	int len;
	char *text;

	va_copy(again, args);
	len = vsnprintf(small, sizeof(small), format, again);
	va_end(again);
	if (len < 0)
		out_of_memory(SIZE_MAX);
	if ((size_t)len < sizeof(small))
		return mem_dup(small, (size_t)len + 1);
	text = mem_alloc((size_t)len + 1);
	(void)vsnprintf(text, (size_t)len + 1, format, args); /* measured above */
	return text;
}

void mem_free(void *data)
{
	free(data);
}
