/* SPDX-License-Identifier: Apache-2.0 */
/* base/vec.c - how a typed array grows. */
#include "base/vec.h"

#include "base/banned.h"

void *vec_grow(void *ptr, size_t *size, size_t want, size_t element)
{
	size_t next = *size ? *size + *size / 2 : 4;

	if (next < want)
		next = want;
	ptr = mem_realloc(ptr, next, element);
	*size = next;
	return ptr;
}
