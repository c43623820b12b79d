/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC with SHA-256, against the vectors of RFC 4231. */
#include "http/mac.h"

#include <stdio.h>

#include "tap.h"

static const char *hex_of(struct str key, struct str text, char hex[2 * MAC_BYTES + 1])
{
	uint8_t mac[MAC_BYTES];

	mac_sha256(key, text, mac);
	for (size_t i = 0; i < MAC_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", mac[i]);
	return hex;
}

int main(void)
{
	char hex[2 * MAC_BYTES + 1];
	uint8_t a[MAC_BYTES], b[MAC_BYTES];

	is(hex_of(STR("Jefe"), STR("what do ya want for nothing?"), hex),
	   "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	is(hex_of(STR("\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
		      "\x0b"),
		  STR("Hi There"), hex),
	   "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	mac_sha256(STR("k"), STR("a"), a);
	mac_sha256(STR("k"), STR("a"), b);
	ok(mac_is_same(a, b), "the same key and text");
	mac_sha256(STR("l"), STR("a"), b);
	ok(!mac_is_same(a, b), "another key");
	return tap_done();
}
