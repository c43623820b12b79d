/* SPDX-License-Identifier: Apache-2.0 */
/* base/base64.c - RFC 4648 base64 with padding. */
#include "base/base64.h"

#include <stdint.h>

#include "base/banned.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_print(struct buf *to, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t group = (uint32_t)bytes[i] << 16;
		char text[4];

		if (left > 1)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (left > 2)
			group |= bytes[i + 2];
		text[0] = alphabet[group >> 18];
		text[1] = alphabet[group >> 12 & 63];
		text[2] = left > 1 ? alphabet[group >> 6 & 63] : '=';
		text[3] = left > 2 ? alphabet[group & 63] : '=';
		buf_put(to, text, sizeof(text));
	}
}

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters at a time: `have` of them collected in `group`, `pads` of them '='. */
struct decoder {
	uint32_t group;
	unsigned have;
	unsigned pads;
	bool ended;
};

static bool decode_char(struct decoder *d, char c, struct buf *to)
{
	int value = c == '=' ? 0 : digit(c);
	char bytes[3];

	if (value < 0 || d->ended)
		return false;
	if (c == '=' && d->have < 2)
		return false;
	if (c != '=' && d->pads)
		return false;
	d->pads += c == '=';
	d->group = d->group << 6 | (uint32_t)value;
	if (++d->have < 4)
		return true;
	bytes[0] = (char)(d->group >> 16);
	bytes[1] = (char)(d->group >> 8);
	bytes[2] = (char)d->group;
	buf_put(to, bytes, 3 - d->pads);
	*d = (struct decoder){.ended = d->pads > 0};
	return true;
}

static int decode(struct str text, struct buf *to, struct err *err)
{
	struct decoder d = {0};

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
			continue;
		if (!decode_char(&d, text.ptr[i], to))
			return err_set(err, ERR_BAD_REQUEST,
				       "illegal base64 data at input byte %zu", i);
	}
	if (d.have) /* the offset that Go reports: the start of the last group, or of the missing padding */
		return err_set(err, ERR_BAD_REQUEST, "illegal base64 data at input byte %zu",
			       d.pads ? text.len : text.len - d.have);
	if (buf_is_over(to))
		return err_set(err, ERR_TOO_LARGE, "more than %zu bytes", to->limit);
	return 0;
}

int base64_parse(struct str text, struct buf *to, struct err *err)
{
	size_t len = to->len;
	bool over = to->over;
	int result;

	to->over = false;
	result = decode(text, to, err);
	if (result < 0)
		buf_truncate(to, len);
	to->over = over;
	return result;
}
