/* SPDX-License-Identifier: Apache-2.0 */
/* base/mem.h - allocation that aborts when memory runs out.
 *
 * Running out of memory is not an error that anyone handles: state is durable before it is
 * acknowledged, so an abort loses nothing. Input that is too large is an error and is rejected
 * before memory is allocated for it (base/limits.h). Every result is freed with mem_free(). */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

#include "base/macro.h"

void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));
void *mem_zalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));
/* Overflow of count * size aborts. */
void *mem_calloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(1, 2)));
void *mem_realloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
void *mem_dup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
/* A NUL-terminated copy; `text` must not be NULL. */
char *mem_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *mem_strdup_len(const char *text, size_t len) __attribute__((malloc, returns_nonnull));
char *mem_printf(const char *format, ...) __attribute__((malloc, returns_nonnull)) PRINTF(1, 2);
char *mem_vprintf(const char *format, va_list args)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

/* Takes NULL. */
void mem_free(void *data);

static inline void mem_free_auto(void *variable)
{
	mem_free(*(void **)variable);
}

/* A zeroed object of a type. */
#define mem_new(type) ((type *)mem_zalloc(sizeof(type)))

#endif
