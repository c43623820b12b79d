/* SPDX-License-Identifier: Apache-2.0 */
/* base/hash.h - hashes of bytes. hash_bytes() is XXH3 with a seed and may change between versions
 * of the program; the FNV ones are fixed by what users see (names, sharding). */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed);

static inline uint64_t hash_str(struct str s, uint64_t seed)
{
	return hash_bytes(s.ptr, s.len, seed);
}

/* A number that only this process knows, the same for as long as it lives: the kernel gave it at the start. It keeps others from
 * choosing what collides. What is stored, sent or ordered must not depend on it. */
uint64_t hash_secret(void);

/* XXH3 without a seed, for files: its result never changes. */
uint64_t hash_checksum(const void *data, size_t len);

uint32_t hash_fnv1_32(struct str s);
uint32_t hash_fnv1a_32(struct str s);
uint64_t hash_fnv1a_64(struct str s);

#endif
