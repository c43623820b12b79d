/* SPDX-License-Identifier: Apache-2.0 */
/* http/mac.h - authenticates a text by a shared key: HMAC with SHA-256 (RFC 2104). */
#ifndef HTTP_MAC_H
#define HTTP_MAC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { MAC_BYTES = 32 };

void mac_sha256(struct str key, struct str text, uint8_t ret[MAC_BYTES]);
/* Compares in constant time. */
bool mac_is_same(const uint8_t a[MAC_BYTES], const uint8_t b[MAC_BYTES]);

#endif
