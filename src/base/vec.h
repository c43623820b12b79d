/* SPDX-License-Identifier: Apache-2.0 */
/* base/vec.h - a growing array, typed by macro. It owns its array, not what the elements own.
 *
 *	struct names VEC(struct str);
 *	VEC(struct str) names = {0};
 *	vec_push(&names, STR("a"));
 *	for (size_t i = 0; i < names.len; i++) use(names.ptr[i]);
 *	vec_done(&names);
 *
 * A named type: struct str_vec VEC_FIELDS(struct str); */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define VEC_FIELDS(type)     \
	{                    \
		type *ptr;   \
		size_t len;  \
		size_t size; \
	}
#define VEC(type) struct VEC_FIELDS(type)

/* Grows by half again, so that pushing n elements costs O(n). */
void *vec_grow(void *ptr, size_t *size, size_t want, size_t element);

#define vec_reserve(vec, want)                                                                 \
	((want) > (vec)->size ? (void)((vec)->ptr = vec_grow((vec)->ptr, &(vec)->size, (want), \
							     sizeof(*(vec)->ptr)))             \
			      : (void)0)
#define vec_push(vec, ...)                                \
	do {                                              \
		vec_reserve((vec), (vec)->len + 1);       \
		(vec)->ptr[(vec)->len++] = (__VA_ARGS__); \
	} while (0)
/* Adds a zeroed element and returns its address, valid until the next push. */
#define vec_add(vec)                         \
	(vec_reserve((vec), (vec)->len + 1), \
	 memset(&(vec)->ptr[(vec)->len], 0, sizeof(*(vec)->ptr)), &(vec)->ptr[(vec)->len++])
/* Close the gap; keeps the order. */
#define vec_remove(vec, index)                                             \
	do {                                                               \
		size_t vec_at_ = (index);                                  \
		memmove(&(vec)->ptr[vec_at_], &(vec)->ptr[vec_at_ + 1],    \
			((vec)->len - vec_at_ - 1) * sizeof(*(vec)->ptr)); \
		(vec)->len--;                                              \
	} while (0)
/* Fill the gap with the last element. */
#define vec_remove_swap(vec, index) ((vec)->ptr[(index)] = (vec)->ptr[--(vec)->len])
#define vec_clear(vec) ((void)((vec)->len = 0))
#define vec_done(vec)                         \
	do {                                  \
		mem_free((vec)->ptr);         \
		(vec)->ptr = NULL;            \
		(vec)->len = (vec)->size = 0; \
	} while (0)

#endif
