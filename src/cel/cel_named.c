/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_named.c - functions of rules on URLs, versions and named formats.
 *
 * Each such value is stored as its text: a URL as written, a version as accepted, a format as its name.
 * Functions parse the text again with the parser that accepted it. URLs are parsed as Go's net/url does,
 * versions as semver 2.0.0, with their error messages. */
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "base/url.h"
#include "base/vec.h"
#include "cel/cel_internal.h"
#include "model/value/names.h"
#include "model/value/text_format.h"

#include "base/banned.h"

/* --- URLs ------------------------------------------------------------------------------------ */

struct parts {
	struct str scheme;
	struct str host; /* with its port */
	struct str path;
	struct str query; /* none: there is none */
};

static bool is_one_of(char c, const char *chars)
{
	return c && strchr(chars, c);
}

/* Splits off the scheme before a colon; false if the scheme is missing. */
static bool cut_scheme(struct str *rest, struct str *ret)
{
	*ret = STR("");
	for (size_t i = 0; i < rest->len; i++) {
		char c = rest->ptr[i];

		if (c == ':') {
			*ret = str_slice(*rest, 0, i);
			*rest = str_skip(*rest, i + 1);
			return i > 0;
		}
		if (!isalpha((unsigned char)c) &&
		    (!i || (!isdigit((unsigned char)c) && !is_one_of(c, "+-."))))
			return true;
	}
	return true;
}

static bool is_port(struct str text)
{
	for (size_t i = 1; i < text.len; i++)
		if (!isdigit((unsigned char)text.ptr[i]))
			return false;
	return !text.len || text.ptr[0] == ':';
}

/* The error of a host and its port, or NULL. */
static const char *check_host(struct str host, struct arena *arena)
{
	bool bracket = host.len && host.ptr[0] == '[';
	ptrdiff_t end = str_rfind_byte(host, bracket ? ']' : ':');
	struct str port = end < 0 ? STR("") : str_skip(host, (size_t)end + bracket);

	if (bracket && end < 0)
		return "missing ']' in host";
	if (!is_port(port))
		return arena_printf(arena, "invalid port \"%.*s\" after host", STR_ARG(port));
	for (size_t i = 0; i < host.len; i++)
		if (is_one_of(host.ptr[i], " \\^`{|}"))
			return arena_printf(arena, "invalid character \"%c\" in host name",
					    host.ptr[i]);
	return NULL;
}

static const char *check_escapes(struct str text, struct arena *arena)
{
	for (size_t i = 0; i < text.len; i++) {
		struct str escape = str_slice(text, i, i + 3);

		if (text.ptr[i] == '%' &&
		    (escape.len < 3 || !isxdigit((unsigned char)escape.ptr[1]) ||
		     !isxdigit((unsigned char)escape.ptr[2])))
			return arena_printf(arena, "invalid URL escape \"%.*s\"", STR_ARG(escape));
	}
	return NULL;
}

/* The host after two slashes, without user information. */
static const char *cut_host(struct str *rest, struct parts *parts, struct arena *arena)
{
	struct str authority = str_skip(*rest, 2);
	ptrdiff_t slash = str_find_byte(authority, '/', 0);
	ptrdiff_t at;

	*rest = slash < 0 ? STR("") : str_skip(authority, (size_t)slash);
	if (slash >= 0)
		authority = str_slice(authority, 0, (size_t)slash);
	at = str_rfind_byte(authority, '@');
	parts->host = at < 0 ? authority : str_skip(authority, (size_t)at + 1);
	return check_host(parts->host, arena);
}

/* Returns the error, or NULL if it is a URL. `request` is as strict as a server: no relative URLs,
 * and '#' has no special meaning. */
static const char *read_url(struct str text, bool request, struct arena *arena, struct parts *ret)
{
	struct str rest = text;
	ptrdiff_t at;
	const char *why = NULL;

	*ret = (struct parts){.host = STR(""), .path = STR("")};
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return "net/url: invalid control character in URL";
	at = str_find_byte(rest, '#', 0);
	if (!request && at >= 0)
		rest = str_slice(rest, 0, (size_t)at);
	if (!rest.len)
		return "empty url";
	if (!cut_scheme(&rest, &ret->scheme))
		return "missing protocol scheme";
	at = str_find_byte(rest, '?', 0);
	if (at >= 0) {
		ret->query = str_skip(rest, (size_t)at + 1);
		rest = str_slice(rest, 0, (size_t)at);
	}
	if (!str_starts(rest, STR("/"))) {
		if (!ret->scheme.len && !str_is(text, "*"))
			return "invalid URI for request";
		ret->path = ret->scheme.len ? STR("") : rest;
		return NULL;
	}
	if (str_starts(rest, STR("//")) && (ret->scheme.len || !request))
		why = cut_host(&rest, ret, arena);
	ret->path = rest;
	return why ? why : check_escapes(rest, arena);
}

/* Returns the message `parse "x": reason`, or NULL if it is a URL. */
static const char *url_problem(struct str text, struct arena *arena)
{
	AUTO(buf_done) struct buf message = BUF_UNBOUNDED;
	struct parts parts;
	const char *why = read_url(text, true, arena, &parts);

	if (!why)
		return NULL;
	buf_puts(&message, "parse \"");
	buf_put_json(&message, text);
	buf_printf(&message, "\": %s", why);
	return arena_strdup(arena, buf_text(&message));
}

static struct cel_value call_url(struct cel_run *run, const struct cel_value *args, size_t count)
{
	const char *why;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	why = url_problem(args[0].text, run->arena);
	if (why)
		return cel_error(arena_printf(
			run->arena, "URL parse error during conversion from string: %s", why));
	return (struct cel_value){.kind = CEL_URL, .text = args[0].text};
}

static struct cel_value call_is_url(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return args[0].kind == CEL_STRING ? cel_bool(!url_problem(args[0].text, run->arena))
					  : CEL_NO_OVERLOAD;
}

static bool read_parts(struct cel_run *run, const struct cel_value *url, struct parts *ret)
{
	return url->kind == CEL_URL && !read_url(url->text, false, run->arena, ret);
}

static struct cel_value call_scheme(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;
	struct parts parts;

	(void)count;
	if (!read_parts(run, &args[0], &parts))
		return CEL_NO_OVERLOAD;
	for (size_t i = 0; i < parts.scheme.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)parts.scheme.ptr[i]));
	return cel_text_of(&lower, run);
}

static struct cel_value call_host(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct parts parts;

	(void)count;
	return read_parts(run, &args[0], &parts) ? cel_text(parts.host) : CEL_NO_OVERLOAD;
}

/* The offset of the port with its colon, or the end if there is none. */
static size_t port_at(struct str host)
{
	ptrdiff_t colon = str_rfind_byte(host, ':');

	if (colon < 0 || str_find_byte(host, ']', (size_t)colon) >= 0)
		return host.len;
	return (size_t)colon;
}

static struct cel_value call_hostname(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	struct parts parts;
	struct str name;

	(void)count;
	if (!read_parts(run, &args[0], &parts))
		return CEL_NO_OVERLOAD;
	name = str_slice(parts.host, 0, port_at(parts.host));
	if (str_starts(name, STR("[")) && str_ends(name, STR("]")))
		name = str_slice(name, 1, name.len - 1);
	return cel_text(name);
}

static struct cel_value call_port(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct parts parts;

	(void)count;
	return read_parts(run, &args[0], &parts)
		       ? cel_text(str_skip(parts.host, port_at(parts.host) + 1))
		       : CEL_NO_OVERLOAD;
}

/* The path as written, with characters escaped that a path must not contain. */
static struct cel_value call_path(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct parts parts;

	(void)count;
	if (!read_parts(run, &args[0], &parts))
		return CEL_NO_OVERLOAD;
	for (size_t i = 0; i < parts.path.len; i++) {
		unsigned char c = (unsigned char)parts.path.ptr[i];

		if (isalnum(c) || is_one_of((char)c, "-_.~!$&'()*+,;=:@[]/%"))
			buf_putc(&text, (char)c);
		else
			buf_printf(&text, "%%%02X", c);
	}
	return cel_text_of(&text, run);
}

/* All values of one name, in order. */
static struct cel_value values_of(const struct query *query, struct str name, struct arena *arena)
{
	struct cel_value *items = arena_calloc(arena, query->count, sizeof(*items));
	size_t len = 0;

	for (size_t i = 0; i < query->count; i++)
		if (str_eq(query->pairs[i].name, name))
			items[len++] = cel_text(arena_str(arena, query->pairs[i].value));
	return cel_list_of(items, len);
}

static struct cel_value call_query(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(query_done) struct query query = {.count = 0};
	struct parts parts;
	struct cel_value *items;
	struct cel_value made = {.kind = CEL_MAP};

	(void)count;
	if (!read_parts(run, &args[0], &parts))
		return CEL_NO_OVERLOAD;
	query_init(&query, parts.query);
	items = cel_alloc_items(run, query.count * 2);
	for (size_t i = 0; items && i < query.count && !run->over; i++) {
		struct str name = query.pairs[i].name;
		bool known = false;

		cel_work(run, query.count); /* visits every pair */
		for (size_t k = 0; k < i && !known; k++)
			known = str_eq(query.pairs[k].name, name);
		if (known)
			continue;
		items[made.len++] = cel_text(arena_str(run->arena, name));
		items[made.len++] = values_of(&query, name, run->arena);
	}
	made.items = items;
	return run->over ? cel_cancelled() : made;
}

/* --- versions -------------------------------------------------------------------------------- */

struct version {
	uint64_t numbers[3];
	struct str before; /* the prerelease, "rc.1"; none: it is a release */
};

static bool is_digits(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!isdigit((unsigned char)text.ptr[i]))
			return false;
	return text.len > 0;
}

/* The error of the identifiers after '-' or '+', or NULL. */
static const char *check_identifiers(struct str text, bool before, struct arena *arena)
{
	struct str part;

	if (!text.len)
		return before ? "Prerelease is empty" : "Build meta data is empty";
	while (str_split(&text, '.', &part)) {
		if (!part.len)
			return before ? "Prerelease is empty" : "Build meta data is empty";
		for (size_t i = 0; i < part.len; i++)
			if (!isalnum((unsigned char)part.ptr[i]) && part.ptr[i] != '-')
				return arena_printf(
					arena, "Invalid character(s) found in %s \"%.*s\"",
					before ? "prerelease" : "build meta data", STR_ARG(part));
		if (before && part.len > 1 && part.ptr[0] == '0' && is_digits(part))
			return arena_printf(arena,
					    "Numeric PreRelease version must not contain leading "
					    "zeroes \"%.*s\"",
					    STR_ARG(part));
	}
	return NULL;
}

static const char *read_number(struct str text, size_t which, struct arena *arena, uint64_t *ret)
{
	static const char *const names[] = {"major", "minor", "patch"};
	static const char *const capitals[] = {"Major", "Minor", "Patch"};

	if (!is_digits(text) && (text.len || which == 2))
		return arena_printf(arena, "Invalid character(s) found in %s number \"%.*s\"",
				    names[which], STR_ARG(text));
	if (text.len > 1 && text.ptr[0] == '0')
		return arena_printf(arena, "%s number must not contain leading zeroes \"%.*s\"",
				    capitals[which], STR_ARG(text));
	return number_parse_u64(text, ret, NULL) < 0
		       ? arena_printf(arena, "strconv.ParseUint: parsing \"%.*s\": %s",
				      STR_ARG(text),
				      text.len ? "value out of range" : "invalid syntax")
		       : NULL;
}

/* Returns the error, or NULL if it is a version. */
static const char *read_version(struct str text, struct arena *arena, struct version *ret)
{
	struct str part[3] = {{NULL, 0}};
	struct str build = str_none();
	const char *why = NULL;
	ptrdiff_t at;

	if (!text.len)
		return "Version string empty";
	if (!str_split(&text, '.', &part[0]) || !str_split(&text, '.', &part[1]) ||
	    str_is_none(text))
		return "No Major.Minor.Patch elements found";
	part[2] = text;
	*ret = (struct version){.before = str_none()};
	at = str_find_byte(part[2], '+', 0);
	if (at >= 0) {
		build = str_skip(part[2], (size_t)at + 1);
		part[2] = str_slice(part[2], 0, (size_t)at);
	}
	at = str_find_byte(part[2], '-', 0);
	if (at >= 0) {
		ret->before = str_skip(part[2], (size_t)at + 1);
		part[2] = str_slice(part[2], 0, (size_t)at);
	}
	for (size_t i = 0; i < ARRAY_LEN(part) && !why; i++)
		why = read_number(part[i], i, arena, &ret->numbers[i]);
	if (!why && !str_is_none(ret->before))
		why = check_identifiers(ret->before, true, arena);
	if (!why && !str_is_none(build))
		why = check_identifiers(build, false, arena);
	return why;
}

/* "v1.02" becomes "1.2.0": removes the letter and leading zeroes and adds missing numbers. NULL if it is not a
 * version. */
static const char *normalize(struct str text, struct arena *arena)
{
	const char *made = "";
	struct str part = STR("");
	size_t count = 0;

	if (str_starts(text, STR("v")))
		text = str_skip(text, 1);
	while (count < 3 && !str_is_none(text)) {
		size_t zeroes = 0;

		if (count == 2) {
			part = text;
			text = str_none();
		} else if (!str_split(&text, '.', &part)) {
			break;
		}
		while (zeroes + 1 < part.len && part.ptr[zeroes] == '0' &&
		       isdigit((unsigned char)part.ptr[zeroes + 1]))
			zeroes++;
		part = str_skip(part, zeroes);
		made = arena_printf(arena, "%s%s%.*s", made, count ? "." : "", STR_ARG(part));
		count++;
	}
	if (count < 3 && (str_find_byte(part, '+', 0) >= 0 || str_find_byte(part, '-', 0) >= 0))
		return NULL;
	for (; count < 3; count++)
		made = arena_printf(arena, "%s%s", made, count ? ".0" : "0");
	return made;
}

/* The text that the arguments of semver() and isSemver() give. */
static const char *version_of(struct cel_run *run, const struct cel_value *args, size_t count,
			      struct str *ret)
{
	struct version version;

	*ret = args[0].text;
	if (count > 1 && args[1].truth) {
		const char *normal = normalize(args[0].text, run->arena);

		if (!normal)
			return "short version cannot contain PreRelease/Build meta data";
		*ret = str_from(normal);
	}
	return read_version(*ret, run->arena, &version);
}

static struct cel_value call_semver(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct cel_value made = {.kind = CEL_SEMVER};
	const char *why;

	if (args[0].kind != CEL_STRING || (count > 1 && args[1].kind != CEL_BOOL))
		return CEL_NO_OVERLOAD;
	why = version_of(run, args, count, &made.text);
	return why ? cel_error(why) : made;
}

static struct cel_value call_is_semver(struct cel_run *run, const struct cel_value *args,
				       size_t count)
{
	struct str text;

	if (args[0].kind != CEL_STRING || (count > 1 && args[1].kind != CEL_BOOL))
		return CEL_NO_OVERLOAD;
	return cel_bool(!version_of(run, args, count, &text));
}

static struct cel_value number_of(struct cel_run *run, const struct cel_value *value, size_t which)
{
	struct version version;

	if (value->kind != CEL_SEMVER || read_version(value->text, run->arena, &version))
		return CEL_NO_OVERLOAD;
	return cel_int((int64_t)version.numbers[which]);
}

static struct cel_value call_major(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return number_of(run, &args[0], 0);
}

static struct cel_value call_minor(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return number_of(run, &args[0], 1);
}

static struct cel_value call_patch(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return number_of(run, &args[0], 2);
}

/* Numbers come before words; numbers compare by value, words as texts. */
static int compare_identifiers(struct str a, struct str b)
{
	bool number = is_digits(a);

	if (number != is_digits(b))
		return number ? -1 : 1;
	if (number && a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return str_cmp(a, b);
}

/* A prerelease is less than its release. */
static int compare_before(struct str a, struct str b)
{
	struct str one;
	struct str other;
	int order = 0;

	if (str_is_none(a) || str_is_none(b))
		return str_is_none(a) - str_is_none(b);
	while (!order && !str_is_none(a) && !str_is_none(b)) {
		(void)str_split(&a, '.', &one);
		(void)str_split(&b, '.', &other);
		order = compare_identifiers(one, other);
	}
	return order ? order : str_is_none(b) - str_is_none(a);
}

bool cel_version_cmp(const struct cel_value *a, const struct cel_value *b, struct arena *arena,
		     int *ret)
{
	struct version one;
	struct version other;

	if (a->kind != CEL_SEMVER || b->kind != CEL_SEMVER || read_version(a->text, arena, &one) ||
	    read_version(b->text, arena, &other))
		return false;
	*ret = 0;
	for (size_t i = 0; i < ARRAY_LEN(one.numbers) && !*ret; i++)
		*ret = (one.numbers[i] > other.numbers[i]) - (one.numbers[i] < other.numbers[i]);
	if (!*ret)
		*ret = compare_before(one.before, other.before);
	return true;
}

/* --- named formats --------------------------------------------------------------------------- */

static const struct named {
	const char *name;
	enum name_format format; /* NAME_ANY: by a format of schemas */
	bool prefix;
	const char *problem; /* the message for a bad value; NULL: the message of the URL parser */
} formats[] = {
	{"dns1123Label", NAME_DNS_LABEL, false, NULL},
	{"dns1123Subdomain", NAME_DNS_SUBDOMAIN, false, NULL},
	{"dns1035Label", NAME_DNS1035_LABEL, false, NULL},
	{"qualifiedName", NAME_QUALIFIED, false, NULL},
	{"dns1123LabelPrefix", NAME_DNS_LABEL, true, NULL},
	{"dns1123SubdomainPrefix", NAME_DNS_SUBDOMAIN, true, NULL},
	{"dns1035LabelPrefix", NAME_DNS1035_LABEL, true, NULL},
	{"labelValue", NAME_LABEL_VALUE, false, NULL},
	{"uri", NAME_ANY, false, NULL},
	{"uuid", NAME_ANY, false, "does not match the UUID format"},
	{"byte", NAME_ANY, false, "invalid base64"},
	{"date", NAME_ANY, false, "invalid date"},
	{"datetime", NAME_ANY, false, "invalid datetime"},
};

static const struct named *find_format(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(name, formats[i].name))
			return &formats[i];
	return NULL;
}

struct problems {
	struct arena *arena;
	VEC(struct cel_value) list;
};

static void add_problem(void *arg, const char *message)
{
	struct problems *problems = arg;

	vec_push(&problems->list, cel_text(str_from(arena_strdup(problems->arena, message))));
}

/* 8-4-4-4-12 hexadecimal digits; the dashes are optional. */
static bool is_uuid(struct str text)
{
	static const size_t lens[] = {8, 4, 4, 4, 12};
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		if (i && at < text.len && text.ptr[at] == '-')
			at++;
		for (size_t k = 0; k < lens[i]; k++, at++)
			if (at >= text.len || !isxdigit((unsigned char)text.ptr[at]))
				return false;
	}
	return at == text.len;
}

static void check_format(const struct named *format, struct str text, struct problems *problems)
{
	const char *why = NULL;

	if (format->format != NAME_ANY && format->prefix)
		(void)name_check_prefix(format->format, text, add_problem, problems);
	else if (format->format != NAME_ANY)
		(void)name_check(format->format, text, add_problem, problems);
	else if (!format->problem)
		why = url_problem(text, problems->arena);
	else if (str_is(str_from(format->name), "uuid"))
		why = is_uuid(text) ? NULL : format->problem;
	else if (!text_format_find(str_from(format->name))->check(text))
		why = format->problem;
	if (why)
		add_problem(problems, why);
}

static struct cel_value call_named(struct cel_run *run, const struct cel_value *args, size_t count)
{
	const struct named *format = find_format(args[0].text);
	struct cel_value made = {.kind = CEL_FORMAT};

	(void)count;
	if (args[0].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	if (!format)
		return cel_none();
	made.text = str_from(format->name);
	return cel_some(&made, run->arena);
}

static struct cel_value call_validate(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	const struct named *format = args[0].kind == CEL_FORMAT ? find_format(args[0].text) : NULL;
	struct problems problems = {.arena = run->arena};
	struct cel_value *items;
	struct cel_value list;

	(void)count;
	if (!format || args[1].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	check_format(format, args[1].text, &problems);
	if (!problems.list.len)
		return cel_none();
	items = arena_calloc(run->arena, problems.list.len, sizeof(*items));
	memcpy(items, problems.list.ptr, problems.list.len * sizeof(*items));
	list = cel_list_of(items, problems.list.len);
	vec_done(&problems.list);
	return cel_some(&list, run->arena);
}

/* One function per format, because format.NAME() takes no argument that names it. */
#define FORMAT(function, format_name)                                                         \
	static struct cel_value function(struct cel_run *run, const struct cel_value *args,   \
					 size_t count)                                        \
	{                                                                                     \
		(void)run;                                                                    \
		(void)args;                                                                   \
		(void)count;                                                                  \
		return (struct cel_value){.kind = CEL_FORMAT, .text = STR_INIT(format_name)}; \
	}
FORMAT(make_label, "dns1123Label")
FORMAT(make_subdomain, "dns1123Subdomain")
FORMAT(make_old_label, "dns1035Label")
FORMAT(make_qualified, "qualifiedName")
FORMAT(make_label_prefix, "dns1123LabelPrefix")
FORMAT(make_subdomain_prefix, "dns1123SubdomainPrefix")
FORMAT(make_old_label_prefix, "dns1035LabelPrefix")
FORMAT(make_label_value, "labelValue")
FORMAT(make_uri, "uri")
FORMAT(make_uuid, "uuid")
FORMAT(make_byte, "byte")
FORMAT(make_date, "date")
FORMAT(make_datetime, "datetime")

const struct cel_function cel_functions_named[] = {
	{"url", "s:l", call_url, PRICE_TEXT_SIZE},
	{"isURL", "s:b", call_is_url, PRICE_ONE},
	{"getScheme", "l.:s", call_scheme, PRICE_ONE},
	{"getHost", "l.:s", call_host, PRICE_ONE},
	{"getHostname", "l.:s", call_hostname, PRICE_ONE},
	{"getPort", "l.:s", call_port, PRICE_ONE},
	{"getEscapedPath", "l.:s", call_path, PRICE_ONE},
	{"getQuery", "l.:{s[s]}", call_query, PRICE_ONE},
	{"format.named", "s:?f", call_named, PRICE_ONE},
	{"format.dns1123Label", ":f", make_label, PRICE_ONE},
	{"format.dns1123Subdomain", ":f", make_subdomain, PRICE_ONE},
	{"format.dns1035Label", ":f", make_old_label, PRICE_ONE},
	{"format.qualifiedName", ":f", make_qualified, PRICE_ONE},
	{"format.dns1123LabelPrefix", ":f", make_label_prefix, PRICE_ONE},
	{"format.dns1123SubdomainPrefix", ":f", make_subdomain_prefix, PRICE_ONE},
	{"format.dns1035LabelPrefix", ":f", make_old_label_prefix, PRICE_ONE},
	{"format.labelValue", ":f", make_label_value, PRICE_ONE},
	{"format.uri", ":f", make_uri, PRICE_ONE},
	{"format.uuid", ":f", make_uuid, PRICE_ONE},
	{"format.byte", ":f", make_byte, PRICE_ONE},
	{"format.date", ":f", make_date, PRICE_ONE},
	{"format.datetime", ":f", make_datetime, PRICE_ONE},
	{"validate", "f.s:?[s]", call_validate, PRICE_FORMAT},
	{"semver", "s:v sb:v", call_semver, PRICE_TEXT},
	{"isSemver", "s:b sb:b", call_is_semver, PRICE_TEXT},
	{"major", "v.:i", call_major, PRICE_ONE},
	{"minor", "v.:i", call_minor, PRICE_ONE},
	{"patch", "v.:i", call_patch, PRICE_ONE},
};
const size_t cel_functions_named_count = ARRAY_LEN(cel_functions_named);
