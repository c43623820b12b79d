/* SPDX-License-Identifier: Apache-2.0 */
/* base/url.c - URLs by RFC 3986 as Go's net/url reads it; queries decoded into one allocation.
 *
 * Decoding never makes a text longer, so the length of the raw query is enough space. */
#include "base/url.h"

#include "base/mem.h"
#include "base/number.h"

#include "base/banned.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes into `to`, which has space for raw.len bytes. Returns the length, or -1 for a bad
 * sequence, whose offset is stored in *bad. */
static ptrdiff_t decode(struct str raw, bool query, char *to, size_t *bad)
{
	size_t len = 0;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.ptr[i];

		if (c == '%') {
			if (raw.len - i < 3 || hex_digit(raw.ptr[i + 1]) < 0 ||
			    hex_digit(raw.ptr[i + 2]) < 0) {
				*bad = i;
				return -1;
			}
			c = (char)(hex_digit(raw.ptr[i + 1]) * 16 + hex_digit(raw.ptr[i + 2]));
			i += 2;
		} else if (c == '+' && query) {
			c = ' ';
		}
		to[len++] = c;
	}
	return (ptrdiff_t)len;
}

static int decode_into(struct str raw, bool query, struct buf *to, struct err *err)
{
	size_t bad = 0;
	ptrdiff_t len;

	if (raw.len == 0)
		return 0;
	if (buf_space(to) < raw.len)
		return err_set(err, ERR_TOO_LARGE, "more than %zu bytes", to->limit);
	len = decode(raw, query, buf_reserve(to, raw.len), &bad);
	if (len < 0)
		return err_set(err, ERR_BAD_REQUEST, "invalid URL escape \"%.*s\"",
			       STR_ARG(str_slice(raw, bad, bad + 3)));
	buf_commit(to, (size_t)len);
	return 0;
}

int url_decode_path(struct str raw, struct buf *to, struct err *err)
{
	return decode_into(raw, false, to, err);
}

int url_decode_query(struct str raw, struct buf *to, struct err *err)
{
	return decode_into(raw, true, to, err);
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.' || c == '~';
}

static void encode_byte(unsigned char c, struct buf *to)
{
	const char *digits = "0123456789ABCDEF";
	char text[3] = {'%', digits[c >> 4], digits[c & 15]};

	buf_put(to, text, sizeof(text));
}

void url_encode_path(struct str text, struct buf *to)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (is_unreserved(c) || (c && strchr("$&+:=@", c)))
			buf_putc(to, c);
		else
			encode_byte((unsigned char)c, to);
	}
}

void url_encode_query(struct str text, struct buf *to)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (is_unreserved(c))
			buf_putc(to, c);
		else if (c == ' ')
			buf_putc(to, '+');
		else
			encode_byte((unsigned char)c, to);
	}
}

/* Is it neither a control character nor a blank, which a URL never contains? */
static bool has_bad_byte(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= 0x20 || text.ptr[i] == 0x7f)
			return true;
	return false;
}

static int parse_authority(struct str authority, struct url *url, struct err *err)
{
	ptrdiff_t at = str_rfind_byte(authority, '@'), colon, close;
	struct str port = str_none();
	int64_t number;

	if (at >= 0) {
		url->user = str_slice(authority, 0, (size_t)at);
		authority = str_skip(authority, (size_t)at + 1);
	}
	url->host = authority;
	if (authority.len && authority.ptr[0] == '[') {
		close = str_find_byte(authority, ']', 0);
		if (close < 0)
			return err_set(err, ERR_BAD_REQUEST, "missing ']' in host");
		url->host = str_slice(authority, 1, (size_t)close);
		port = str_skip(authority, (size_t)close + 1);
		if (port.len && port.ptr[0] != ':')
			return err_set(err, ERR_BAD_REQUEST, "unexpected \"%.*s\" after the host",
				       STR_ARG(port));
		port = port.len ? str_skip(port, 1) : str_none();
	} else if ((colon = str_rfind_byte(authority, ':')) >= 0) {
		url->host = str_slice(authority, 0, (size_t)colon);
		port = str_skip(authority, (size_t)colon + 1);
		if (str_find_byte(url->host, ':', 0) >= 0)
			return err_set(err, ERR_BAD_REQUEST, "an IPv6 host must be in brackets");
	}
	if (url->host.len == 0)
		return err_set(err, ERR_BAD_REQUEST, "no host");
	if (port.len) {
		if (number_parse_range(port, 1, 65535, &number, err) < 0)
			return err_wrap(err, "port");
		url->port = (int)number;
	}
	return 0;
}

static size_t find_end(struct str text, const char *stops)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] && strchr(stops, text.ptr[i]))
			return i;
	return text.len;
}

int url_parse(struct str text, struct url *ret, struct err *err)
{
	struct url url = {0};
	struct str rest;
	size_t end;

	if (has_bad_byte(text))
		return err_set(err, ERR_BAD_REQUEST, "invalid character in URL");
	if (text.len > 8 && str_eq_nocase(str_slice(text, 0, 8), STR("https://"))) {
		url.scheme = STR("https");
		url.port = 443;
		rest = str_skip(text, 8);
	} else if (text.len > 7 && str_eq_nocase(str_slice(text, 0, 7), STR("http://"))) {
		url.scheme = STR("http");
		url.port = 80;
		rest = str_skip(text, 7);
	} else {
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not an http or https URL",
			       STR_ARG(text));
	}
	end = find_end(rest, "/?#");
	if (parse_authority(str_slice(rest, 0, end), &url, err) < 0)
		return err_wrap(err, "\"%.*s\"", STR_ARG(text));
	rest = str_skip(rest, end);
	rest = str_slice(rest, 0, find_end(rest, "#"));
	end = find_end(rest, "?");
	url.path = str_slice(rest, 0, end);
	if (end < rest.len)
		url.query = str_skip(rest, end + 1);
	*ret = url;
	return 0;
}

int url_split_target(struct str target, struct str *ret_path, struct str *ret_query,
		     struct err *err)
{
	struct url url = {0};
	ptrdiff_t mark;

	if (target.len && target.ptr[0] != '/' && !str_eq(target, STR("*"))) {
		if (url_parse(target, &url, err) < 0)
			return -1;
		*ret_path = url.path.len ? url.path : STR("/");
		*ret_query = url.query;
		return 0;
	}
	if (target.len == 0 || has_bad_byte(target))
		return err_set(err, ERR_BAD_REQUEST, "malformed request target");
	target = str_slice(target, 0, find_end(target, "#"));
	mark = str_find_byte(target, '?', 0);
	*ret_path = mark < 0 ? target : str_slice(target, 0, (size_t)mark);
	*ret_query = mark < 0 ? str_none() : str_skip(target, (size_t)mark + 1);
	return 0;
}

/* Decodes one side of a pair and appends it to text; false if it is malformed. */
static bool decode_part(struct str raw, char *text, size_t *used, struct str *ret)
{
	size_t bad;
	ptrdiff_t len = decode(raw, true, text + *used, &bad);

	if (len < 0)
		return false;
	*ret = str_of(text + *used, (size_t)len);
	*used += (size_t)len;
	return true;
}

void query_init(struct query *query, struct str raw)
{
	size_t parts = 1, used = 0;
	struct str part;

	*query = (struct query){0};
	if (raw.len == 0)
		return;
	for (size_t i = 0; i < raw.len; i++)
		parts += raw.ptr[i] == '&';
	query->text = mem_alloc(raw.len);
	query->pairs = mem_calloc(parts, sizeof(*query->pairs));
	while (str_split(&raw, '&', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		struct str name = equals < 0 ? part : str_slice(part, 0, (size_t)equals);
		struct str value = equals < 0 ? STR("") : str_skip(part, (size_t)equals + 1);
		struct query_pair *pair = &query->pairs[query->count];

		if (part.len == 0)
			continue;
		if (str_find_byte(part, ';', 0) < 0 &&
		    decode_part(name, query->text, &used, &pair->name) &&
		    decode_part(value, query->text, &used, &pair->value))
			query->count++;
		else
			query->skipped++;
	}
}

void query_done(struct query *query)
{
	mem_free(query->pairs);
	mem_free(query->text);
	*query = (struct query){0};
}

struct str query_get(const struct query *query, struct str name)
{
	for (size_t i = 0; i < query->count; i++)
		if (str_eq(query->pairs[i].name, name))
			return query->pairs[i].value;
	return str_none();
}

bool query_has(const struct query *query, struct str name)
{
	return !str_is_none(query_get(query, name));
}
