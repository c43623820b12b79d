/* SPDX-License-Identifier: Apache-2.0 */
/* base/uuid.c - version 4 UUIDs. */
#include "base/uuid.h"

#include "base/banned.h"

static bool is_dash_at(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

const char *uuid_print(const uint8_t bytes[16], char text[UUID_TEXT_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	for (size_t i = 0; i < 16; i++) {
		uint8_t byte = bytes[i];

		if (i == 6)
			byte = (uint8_t)((byte & 0x0f) | 0x40); /* version 4 */
		if (i == 8)
			byte = (uint8_t)((byte & 0x3f) | 0x80); /* variant 1 */
		if (is_dash_at(at))
			text[at++] = '-';
		text[at++] = hex[byte >> 4];
		text[at++] = hex[byte & 15];
	}
	text[at] = '\0';
	return text;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool uuid_is_valid(struct str text)
{
	if (text.len != UUID_TEXT_SIZE - 1)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (is_dash_at(i) ? text.ptr[i] != '-' : !is_hex(text.ptr[i]))
			return false;
	return true;
}
