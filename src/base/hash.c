/* SPDX-License-Identifier: Apache-2.0 */
/* base/hash.c - hashes of bytes. */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/banned.h"

static const uint32_t fnv32_basis = 2166136261U;
static const uint32_t fnv32_prime = 16777619U;
static const uint64_t fnv64_basis = 14695981039346656037U;
static const uint64_t fnv64_prime = 1099511628211U;

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, len, seed);
}

uint64_t hash_secret(void)
{
	unsigned long at = getauxval(AT_RANDOM);
	const void *bytes = NULL;

	_Static_assert(sizeof(bytes) == sizeof(at), "the kernel hands addresses over as numbers");
	memcpy(&bytes, &at, sizeof(bytes));
	/* The C library takes its own guards from these 16 bytes; hashed, they do not show them. Linux always
	 * provides them. */
	return bytes ? XXH3_64bits(bytes, 16) : 0;
}

uint64_t hash_checksum(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}

uint32_t hash_fnv1_32(struct str s)
{
	uint32_t hash = fnv32_basis;

	for (size_t i = 0; i < s.len; i++)
		hash = (hash * fnv32_prime) ^ (uint8_t)s.ptr[i];
	return hash;
}

uint32_t hash_fnv1a_32(struct str s)
{
	uint32_t hash = fnv32_basis;

	for (size_t i = 0; i < s.len; i++)
		hash = (hash ^ (uint8_t)s.ptr[i]) * fnv32_prime;
	return hash;
}

uint64_t hash_fnv1a_64(struct str s)
{
	uint64_t hash = fnv64_basis;

	for (size_t i = 0; i < s.len; i++)
		hash = (hash ^ (uint8_t)s.ptr[i]) * fnv64_prime;
	return hash;
}
