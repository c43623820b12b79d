/* SPDX-License-Identifier: Apache-2.0 */
/* http/mac.c - HMAC with SHA-256, by OpenSSL. */
#include "http/mac.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/banned.h"

void mac_sha256(struct str key, struct str text, uint8_t ret[MAC_BYTES])
{
	unsigned len = 0;
	const void *made = HMAC(EVP_sha256(), key.ptr, (int)key.len,
				(const unsigned char *)text.ptr, text.len, ret, &len);

	assert(made && len == MAC_BYTES); /* fails only without memory */
}

bool mac_is_same(const uint8_t a[MAC_BYTES], const uint8_t b[MAC_BYTES])
{
	return CRYPTO_memcmp(a, b, MAC_BYTES) == 0;
}
