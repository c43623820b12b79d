/* SPDX-License-Identifier: Apache-2.0 */
/* json/print.c - values to text, as Go's encoding/json prints them.
 *
 * Floats are in the fewest digits that read back to the same number; yyjson finds the digits, the
 * form is Go's: plain from 1e-6 up to 1e21, otherwise with an exponent of as few digits as it
 * needs. Strings escape what must be, and < > & U+2028 U+2029 as Go does so that the text is safe
 * inside web pages.
 *
 * What must stay true: whatever is printed parses, and prints the same again. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "json/doc.h"
#include "json/doc_internal.h"

#include "base/banned.h"

enum {
	INDENT = 4,
	REAL_SIZE = 64,
};

struct print {
	struct buf *to;
	enum json_style style;
};

/* If the buffer has enough space, writing is a copy; otherwise the buffer's own function grows it.
 */
static inline void put(struct print *p, const char *text, size_t len)
{
	struct buf *to = p->to;

	if (!to->ptr || to->size - to->len <= len || buf_space(to) < len) {
		buf_put(to, text, len);
		return;
	}
	memcpy(to->ptr + to->len, text, len);
	to->len += len;
	to->ptr[to->len] = '\0';
}

static inline void put_char(struct print *p, char c)
{
	struct buf *to = p->to;

	if (!to->ptr || to->size - to->len <= 1 || buf_space(to) < 1) {
		buf_putc(to, c);
		return;
	}
	to->ptr[to->len++] = c;
	to->ptr[to->len] = '\0';
}

static bool is_indented(const struct print *p)
{
	return p->style == JSON_PRETTY || p->style == JSON_INDENTED;
}

static void put_line(struct print *p, size_t depth)
{
	static const char spaces[] = "                                ";

	if (!is_indented(p))
		return;
	put_char(p, '\n');
	for (size_t left = depth * (p->style == JSON_PRETTY ? INDENT : INDENT / 2); left > 0;) {
		size_t some = left < sizeof(spaces) - 1 ? left : sizeof(spaces) - 1;

		put(p, spaces, some);
		left -= some;
	}
}

/* --- strings --------------------------------------------------------------------------------- */

/* How a byte is escaped: 0 not at all, 1 \u00XX, 2 maybe U+2028 or U+2029, otherwise \ and that
 * letter. */
enum { PLAIN, HEX, WIDE };

static const unsigned char escapes[256] = {
	[0x00] = HEX,  [0x01] = HEX,  [0x02] = HEX, [0x03] = HEX, [0x04] = HEX, [0x05] = HEX,
	[0x06] = HEX,  [0x07] = HEX,  ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', [0x0B] = HEX,
	['\f'] = 'f',  ['\r'] = 'r',  [0x0E] = HEX, [0x0F] = HEX, [0x10] = HEX, [0x11] = HEX,
	[0x12] = HEX,  [0x13] = HEX,  [0x14] = HEX, [0x15] = HEX, [0x16] = HEX, [0x17] = HEX,
	[0x18] = HEX,  [0x19] = HEX,  [0x1A] = HEX, [0x1B] = HEX, [0x1C] = HEX, [0x1D] = HEX,
	[0x1E] = HEX,  [0x1F] = HEX,  ['"'] = '"',  ['&'] = HEX,  ['<'] = HEX,  ['>'] = HEX,
	['\\'] = '\\', [0xE2] = WIDE,
};

/* Returns how many bytes of the text were consumed. */
static size_t put_escape(struct print *p, const char *at, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char byte = (unsigned char)*at;
	char text[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};

	switch (escapes[byte]) {
	case HEX:
		put(p, text, 6);
		return 1;
	case WIDE:
		if (end - at >= 3 && at[1] == '\x80' && (at[2] == '\xA8' || at[2] == '\xA9')) {
			put(p, at[2] == '\xA8' ? "\\u2028" : "\\u2029", 6);
			return 3;
		}
		put_char(p, *at);
		return 1;
	default:
		text[1] = (char)escapes[byte];
		put(p, text, 2);
		return 1;
	}
}

/* Sixteen bytes at once: the compiler uses the machine's vector instructions. */
enum { WIDTH = 16 };
typedef unsigned char bytes16 __attribute__((vector_size(WIDTH)));
typedef uint64_t words2 __attribute__((vector_size(WIDTH)));

static inline bool is_plain16(bytes16 b)
{
	bytes16 odd = (bytes16)(b < 0x20) | (bytes16)(b == '"') | (bytes16)(b == '&') |
		      (bytes16)(b == '<') | (bytes16)(b == '>') | (bytes16)(b == '\\') |
		      (bytes16)(b == 0xE2);
	words2 words = (words2)odd;

	return (words[0] | words[1]) == 0;
}

/* The rest from `at` on, 4 to 15 bytes, as two pieces that may overlap. */
static inline bytes16 load_rest(struct str s, size_t at)
{
	uint64_t halves[2];
	uint32_t quarters[2];
	bytes16 both;

	if (s.len - at >= 8) {
		memcpy(&halves[0], s.ptr + at, sizeof(halves[0]));
		memcpy(&halves[1], s.ptr + s.len - 8, sizeof(halves[1]));
	} else {
		memcpy(&quarters[0], s.ptr + at, sizeof(quarters[0]));
		memcpy(&quarters[1], s.ptr + s.len - 4, sizeof(quarters[1]));
		halves[0] = halves[1] = (uint64_t)quarters[0] << 32 | quarters[1];
	}
	memcpy(&both, halves, sizeof(both));
	return both;
}

/* How many bytes at the front need no escape; most strings need none. */
static size_t plain_run(struct str s)
{
	const unsigned char *bytes = (const unsigned char *)s.ptr;
	size_t len = 0;
	bytes16 some;

	for (; s.len - len >= WIDTH; len += WIDTH) {
		memcpy(&some, bytes + len, WIDTH);
		if (!is_plain16(some))
			break;
	}
	if (s.len - len < WIDTH && s.len - len >= 4 && is_plain16(load_rest(s, len)))
		return s.len;
	while (len < s.len && escapes[bytes[len]] == PLAIN)
		len++;
	return len;
}

static void put_string(struct print *p, struct str s)
{
	struct buf *to = p->to;
	size_t run = plain_run(s);

	/* The usual case: nothing to escape, and enough space for all of it. */
	if (run == s.len && to->ptr && to->size - to->len > s.len + 2 &&
	    buf_space(to) >= s.len + 2) {
		char *at = to->ptr + to->len;

		*at = '"';
		memcpy(at + 1, s.ptr, s.len);
		at[s.len + 1] = '"';
		at[s.len + 2] = '\0';
		to->len += s.len + 2;
		return;
	}
	put_char(p, '"');
	while (s.len > 0) {
		put(p, s.ptr, run);
		s = str_skip(s, run);
		if (s.len > 0)
			s = str_skip(s, put_escape(p, s.ptr, s.ptr + s.len));
		run = plain_run(s);
	}
	put_char(p, '"');
}

/* --- numbers --------------------------------------------------------------------------------- */

static void put_uint(struct print *p, uint64_t value, bool negative)
{
	char text[24];
	char *at = text + sizeof(text);

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	if (negative)
		*--at = '-';
	put(p, at, (size_t)(text + sizeof(text) - at));
}

/* Digits without point or leading zeros, and where the point stands: 0.d1d2... * 10^point. */
struct decimal {
	char digits[REAL_SIZE];
	int len;
	int point;
};

static void decimal_make(double value, struct decimal *d)
{
	yyjson_val val = {.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL, .uni.f64 = fabs(value)};
	char memory[1024];
	yyjson_alc alc;
	bool pointed = false;
	int exponent = 0;
	size_t len = 0;

	(void)yyjson_alc_pool_init(&alc, memory, sizeof(memory));
	const char *text = yyjson_val_write_opts(&val, YYJSON_WRITE_NOFLAG, &alc, &len, NULL);
	assert(text);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == 'e' || text[i] == 'E') {
			exponent = (int)strtol(text + i + 1, NULL, 10);
			break;
		}
		if (text[i] == '.') {
			pointed = true;
			continue;
		}
		if (!pointed && d->len > 0)
			d->point++;
		if (pointed && d->len == 0 && text[i] == '0') {
			d->point--;
		} else if (d->len > 0 || text[i] != '0') {
			if (d->len == 0 && !pointed)
				d->point = 1;
			d->digits[d->len++] = text[i];
		}
	}
	d->point += exponent;
	while (d->len > 0 && d->digits[d->len - 1] == '0')
		d->len--;
}

static void put_zeros(struct print *p, int count)
{
	for (; count > 0; count--)
		put_char(p, '0');
}

static void put_plain(struct print *p, const struct decimal *d)
{
	if (d->point <= 0) {
		put(p, "0.", 2);
		put_zeros(p, -d->point);
		put(p, d->digits, (size_t)d->len);
		return;
	}
	int whole = d->len < d->point ? d->len : d->point;

	put(p, d->digits, (size_t)whole);
	put_zeros(p, d->point - whole);
	if (d->len > whole) {
		put_char(p, '.');
		put(p, d->digits + whole, (size_t)(d->len - whole));
	}
}

static void put_exponent(struct print *p, const struct decimal *d)
{
	int exponent = d->point - 1;

	put(p, d->digits, 1);
	if (d->len > 1) {
		put_char(p, '.');
		put(p, d->digits + 1, (size_t)d->len - 1);
	}
	put(p, exponent < 0 ? "e-" : "e+", 2);
	put_uint(p, (uint64_t)abs(exponent), false);
}

static void put_real(struct print *p, double value)
{
	struct decimal d = {.len = 0};
	double size = fabs(value);

	if (size == 0) { /* -0.0 as well: it equals 0.0, and equal content prints equally */
		put_char(p, '0');
		return;
	}
	if (value < 0)
		put_char(p, '-');
	decimal_make(value, &d);
	if (size < 1e-6 || size >= 1e21)
		put_exponent(p, &d);
	else
		put_plain(p, &d);
}

static void put_int(struct print *p, struct json j)
{
	int64_t value = json_int(j);

	if (value < 0)
		put_uint(p, -(uint64_t)value, true);
	else
		put_uint(p, json_payload(j).u64, false);
}

/* --- containers ------------------------------------------------------------------------------ */

static void put_value(struct print *p, struct json j, size_t depth);

static void put_member(struct print *p, struct str key, struct json value, size_t depth)
{
	put_line(p, depth);
	put_string(p, key);
	put(p, ": ", is_indented(p) ? 2 : 1);
	put_value(p, value, depth);
}

struct member {
	struct str key;
	struct json value;
};

static int member_cmp(const void *a, const void *b)
{
	return str_cmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static void put_sorted(struct print *p, struct json object, size_t depth)
{
	VEC(struct member) members = {0};
	struct json_iter it = json_iter(object);

	vec_reserve(&members, json_len(object));
	while (json_next(&it))
		vec_push(&members, (struct member){it.key, it.value});
	if (members.ptr)
		qsort(members.ptr, members.len, sizeof(*members.ptr), member_cmp);
	for (size_t i = 0; i < members.len; i++) {
		if (i > 0)
			put_char(p, ',');
		put_member(p, members.ptr[i].key, members.ptr[i].value, depth);
	}
	vec_done(&members);
}

static void put_container(struct print *p, struct json j, size_t depth)
{
	bool object = json_is(j, JSON_OBJ);
	struct json_iter it = json_iter(j);

	assert(depth < JSON_DEPTH_HARD);
	put_char(p, object ? '{' : '[');
	if (object && p->style == JSON_CANONICAL && it.left > 1) {
		put_sorted(p, j, depth + 1);
		put_char(p, '}');
		return;
	}
	while (json_next(&it)) {
		if (it.index > 0)
			put_char(p, ',');
		if (object) {
			put_member(p, it.key, it.value, depth + 1);
		} else {
			put_line(p, depth + 1);
			put_value(p, it.value, depth + 1);
		}
	}
	if (json_len(j) > 0)
		put_line(p, depth);
	put_char(p, object ? '}' : ']');
}

/* A faster path for the usual case, a mutable document printed compactly for the store: walks the
 * ring without an iterator. */
static void put_built(struct print *p, const yyjson_mut_val *val, size_t depth)
{
	size_t left = (size_t)(val->tag >> YYJSON_TAG_BIT);
	uint8_t type = unsafe_yyjson_get_type((void *)val);
	bool object = type == YYJSON_TYPE_OBJ;
	const yyjson_mut_val *at = NULL;

	if (type == YYJSON_TYPE_STR) {
		put_string(p, str_of(val->uni.str, left));
		return;
	}
	if (!object && type != YYJSON_TYPE_ARR) {
		put_value(p, json_of_built(val), depth);
		return;
	}
	assert(depth < JSON_DEPTH_HARD);
	put_char(p, object ? '{' : '[');
	if (left) /* the container points to its last element or key */
		at = ((const yyjson_mut_val *)val->uni.ptr)->next;
	if (left && object)
		at = at->next;
	for (; left; left--, at = at->next) {
		if (object) {
			put_string(p, str_of(at->uni.str, (size_t)(at->tag >> YYJSON_TAG_BIT)));
			put_char(p, ':');
			at = at->next;
		}
		put_built(p, at, depth + 1);
		if (left > 1)
			put_char(p, ',');
	}
	put_char(p, object ? '}' : ']');
}

static void put_value(struct print *p, struct json j, size_t depth)
{
	if (j.built && p->style == JSON_COMPACT && (json_is(j, JSON_OBJ) || json_is(j, JSON_ARR))) {
		put_built(p, json_built_val(j), depth);
		return;
	}
	switch (json_type(j)) {
	case JSON_NULL:
		put(p, "null", 4);
		break;
	case JSON_BOOL:
		put(p, json_bool(j) ? "true" : "false", json_bool(j) ? 4 : 5);
		break;
	case JSON_INT:
		put_int(p, j);
		break;
	case JSON_REAL:
		put_real(p, json_real(j));
		break;
	case JSON_STR:
		put_string(p, json_str(j));
		break;
	case JSON_ARR:
	case JSON_OBJ:
		put_container(p, j, depth);
		break;
	default:
		break;
	}
}

void json_print(struct json j, enum json_style style, struct buf *to)
{
	struct print p = {.to = to, .style = style};

	put_value(&p, j, 0);
}

void json_print_member(struct str key, struct json value, struct buf *to)
{
	struct print p = {.to = to, .style = JSON_COMPACT};

	put_member(&p, key, value, 0);
}

char *json_text(struct json j, enum json_style style)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(j, style, &text);
	return buf_take(&text);
}
