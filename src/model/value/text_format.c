/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/text_format.c - see the header.
 *
 * Any other format (int32, double, ...) says nothing there, and so nothing here. Names are compared
 * without hyphens, as upstream does: date-time is datetime. */
#include "model/value/text_format.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "model/value/names.h"

#include "base/banned.h"

enum { NAME_SIZE = 32, ADDRESS_SIZE = 64 };

static bool is_anything(struct str text)
{
	(void)text;
	return true;
}

static bool is_datetime(struct str text)
{
	struct err err;
	int64_t time;

	return time_parse(text, &time, &err) == 0;
}

static bool is_date(struct str text)
{
	AUTO(buf_done) struct buf whole = BUF_INIT(NAME_SIZE);

	buf_put_str(&whole, text);
	buf_puts(&whole, "T00:00:00Z");
	return text.len == 10 && is_datetime(buf_str(&whole));
}

static bool is_address(int family, struct str text)
{
	unsigned char address[sizeof(struct in6_addr)];
	char copy[ADDRESS_SIZE];

	if (!text.len || text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len))
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return inet_pton(family, copy, address) == 1;
}

/* Zeros before a number are fine, as in Go's older parser: 010.1.2.3. */
static bool is_ipv4(struct str text)
{
	struct str rest = text;
	struct str part;
	size_t count = 0;

	if (str_find_byte(text, ':', 0) >= 0) /* an IPv4 address in the form of IPv6 */
		return str_find_byte(text, '.', 0) >= 0 && is_address(AF_INET6, text) &&
		       str_starts(text, STR("::ffff:"));
	for (; str_split(&rest, '.', &part); count++) {
		uint64_t number = 0;

		if (part.len == 0)
			return false;
		for (size_t i = 0; i < part.len; i++) {
			if (part.ptr[i] < '0' || part.ptr[i] > '9')
				return false;
			number = number * 10 + (uint64_t)(part.ptr[i] - '0');
			if (number > UINT8_MAX)
				return false;
		}
	}
	return count == 4;
}

static bool is_label(struct str text)
{
	return name_is(NAME_DNS_LABEL, text);
}

static bool is_subdomain(struct str text)
{
	return name_is(NAME_DNS_SUBDOMAIN, text);
}

static bool is_ipv6(struct str text)
{
	return is_address(AF_INET6, text);
}

static bool is_cidr(struct str text)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	int64_t bits;
	struct err err;
	bool old;

	if (slash < 0)
		return false;
	old = is_ipv4(str_slice(text, 0, (size_t)slash));
	if (!old && !is_ipv6(str_slice(text, 0, (size_t)slash)))
		return false;
	return number_parse_range(str_skip(text, (size_t)slash + 1), 0, old ? 32 : 128, &bits,
				  &err) == 0;
}

static bool is_base64(struct str text)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_OBJECT_BYTES);
	struct err err;

	return base64_parse(text, &bytes, &err) == 0;
}

/* A scheme followed by something, or an absolute path, without characters that a URL must not
 * contain. */
static bool is_uri(struct str text)
{
	size_t i = 0;

	for (size_t k = 0; k < text.len; k++)
		if ((unsigned char)text.ptr[k] <= ' ' || text.ptr[k] == 0x7f)
			return false;
	if (!text.len || text.ptr[0] == '/')
		return text.len > 0;
	while (i < text.len && (isalnum((unsigned char)text.ptr[i]) ||
				(i && str_find_byte(STR("+-."), text.ptr[i], 0) >= 0)))
		i++;
	return i > 0 && isalpha((unsigned char)text.ptr[0]) && i + 1 < text.len &&
	       text.ptr[i] == ':';
}

static bool is_short_host(struct str text)
{
	struct str rest = text;
	struct str label;

	while (str_split(&rest, '.', &label))
		if (label.len > 63)
			return false;
	return text.len <= 255;
}

static bool is_email(struct str text)
{
	ptrdiff_t at = str_rfind_byte(text, '@');

	if (at <= 0 || (size_t)at + 1 >= text.len || str_find_byte(text, '@', 0) != at)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= ' ' ||
		    str_find_byte(STR("<>,;:"), text.ptr[i], 0) >= 0)
			return false;
	return text.ptr[0] != '.' && text.ptr[at - 1] != '.' && text.ptr[at + 1] != '.' &&
	       text.ptr[text.len - 1] != '.' && str_find(text, STR(".."), 0) < 0;
}

/* As Go has it, or a number and a unit ("22 ns", "3 days"). */
static bool is_duration(struct str text)
{
	static const char *const units[] = {"ns",   "nano", "us",  "micro", "ms", "milli",
					    "s",    "sec",  "m",   "min",   "h",  "hr",
					    "hour", "d",    "day", "w",     "wk", "week"};
	struct err err;
	int64_t time;
	size_t i = 0;

	if (duration_parse(text, &time, &err) == 0)
		return true;
	while (i < text.len && isdigit((unsigned char)text.ptr[i]))
		i++;
	if (!i)
		return false;
	text = str_trim(str_skip(text, i));
	for (size_t k = 0; k < ARRAY_LEN(units); k++)
		if (str_eq_nocase(str_slice(text, 0, strlen(units[k])), str_from(units[k])) &&
		    (text.len == strlen(units[k]) || strlen(units[k]) > 2))
			return true;
	return false;
}

/* Digits, with the check digit right; blanks and hyphens do not count. */
static bool is_isbn(struct str text, size_t want)
{
	unsigned sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		unsigned digit;

		if (c == ' ' || c == '-')
			continue;
		if (!isdigit((unsigned char)c) && !(want == 10 && count == 9 && c == 'X'))
			return false;
		digit = c == 'X' ? 10 : (unsigned)(c - '0');
		sum += want == 10 ? digit * (10 - (unsigned)count) : digit * (count % 2 ? 3 : 1);
		if (++count > want)
			return false;
	}
	return count == want && sum % (want == 10 ? 11 : 10) == 0;
}

static bool is_isbn10(struct str text)
{
	return is_isbn(text, 10);
}

static bool is_isbn13(struct str text)
{
	return is_isbn(text, 13);
}

static bool is_any_isbn(struct str text)
{
	return is_isbn10(text) || is_isbn13(text);
}

/* Luhn's check over the digits. */
static bool is_creditcard(struct str text)
{
	unsigned sum = 0;
	size_t count = 0;

	for (size_t i = text.len; i-- > 0;) {
		unsigned digit;

		if (text.ptr[i] == ' ' || text.ptr[i] == '-')
			continue;
		if (!isdigit((unsigned char)text.ptr[i]))
			return false;
		digit = (unsigned)(text.ptr[i] - '0') * (count++ % 2 ? 2 : 1);
		sum += digit > 9 ? digit - 9 : digit;
	}
	return count >= 13 && count <= 19 && sum % 10 == 0;
}

#define HEX "[0-9a-fA-F]"
#define LETTER "[a-zA-Z0-9\\p{S}\\p{L}]"
#define OCTET "(?:[01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])"

static const struct text_format formats[] = {
	{"bsonobjectid", "^" HEX "{24}$", NULL},
	{"uri", NULL, is_uri},
	{"email", NULL, is_email},
	{"hostname",
	 "^(?:" LETTER "(?:-?" LETTER "{0,62})?|(?:" LETTER "(?:[a-zA-Z0-9\\p{S}\\p{L}-]"
	 "{0,61}" LETTER ")?\\.)+[a-zA-Z\\p{L}]{2,63})$",
	 is_short_host},
	{"k8sshortname", NULL, is_label},
	{"k8slongname", NULL, is_subdomain},
	{"ipv4", NULL, is_ipv4},
	{"ipv6", NULL, is_ipv6},
	{"cidr", NULL, is_cidr},
	{"mac",
	 "^(?:" HEX "{2}(?::" HEX "{2}){5}(?:(?::" HEX "{2}){2})?(?:(?::" HEX "{2}){12})?|" HEX
	 "{2}(?:-" HEX "{2}){5}(?:(?:-" HEX "{2}){2})?|" HEX "{4}(?:\\." HEX "{4}){2}(?:\\." HEX
	 "{4})?)$",
	 NULL},
	{"uuid", "^" HEX "{8}-?" HEX "{4}-?" HEX "{4}-?" HEX "{4}-?" HEX "{12}$", NULL},
	{"uuid3", "^" HEX "{8}-?" HEX "{4}-?3" HEX "{3}-?" HEX "{4}-?" HEX "{12}$", NULL},
	{"uuid4", "^" HEX "{8}-?" HEX "{4}-?4" HEX "{3}-?[89abAB]" HEX "{3}-?" HEX "{12}$", NULL},
	{"uuid5", "^" HEX "{8}-?" HEX "{4}-?5" HEX "{3}-?[89abAB]" HEX "{3}-?" HEX "{12}$", NULL},
	{"isbn", NULL, is_any_isbn},
	{"isbn10", NULL, is_isbn10},
	{"isbn13", NULL, is_isbn13},
	{"creditcard", NULL, is_creditcard},
	{"ssn", "^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$", NULL},
	{"hexcolor", "^#?(?:" HEX "{3}|" HEX "{6})$", NULL},
	{"rgbcolor", "^rgb\\(\\s*" OCTET "\\s*,\\s*" OCTET "\\s*,\\s*" OCTET "\\s*\\)$", NULL},
	{"byte", NULL, is_base64},
	{"password", NULL, is_anything},
	{"date", NULL, is_date},
	{"duration", NULL, is_duration},
	{"datetime", NULL, is_datetime},
};

const struct text_format *text_format_find(struct str name)
{
	char plain[NAME_SIZE];
	size_t len = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '-')
			continue;
		if (len == sizeof(plain))
			return NULL;
		plain[len++] = name.ptr[i];
	}
	for (size_t i = 0; len && i < ARRAY_LEN(formats); i++)
		if (str_is(str_of(plain, len), formats[i].name))
			return &formats[i];
	return NULL;
}
