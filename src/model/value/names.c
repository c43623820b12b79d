/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/names.c - the formats of names, each a few lines of C instead of a regular expression.
 *
 * Every check that fails gives one message, in upstream's order and wording; the messages show the
 * regular expressions that upstream uses, which are also what name_pattern() gives to schemas. */
#include "model/value/names.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macro.h"

#include "base/banned.h"

enum { LABEL_MAX = 63, SUBDOMAIN_MAX = 253, PORT_MAX = 15 };

#define LABEL_RE "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_RE LABEL_RE "(\\." LABEL_RE ")*"
#define DNS1035_RE "[a-z]([-a-z0-9]*[a-z0-9])?"
#define QUALIFIED_RE "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define CONFIG_KEY_RE "[-._a-zA-Z0-9]+"
#define ENV_VAR_RE "[-._a-zA-Z][-._a-zA-Z0-9]*"

#define USED(re) "regex used for validation is '" re "')"
#define LABEL_BAD                                                                               \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'," \
	" and must start and end with an alphanumeric character (e.g. 'my-name',  or "          \
	"'123-abc', " USED(LABEL_RE)
#define SUBDOMAIN_BAD                                                                            \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-'" \
	" or '.', and must start and end with an alphanumeric character (e.g. "                  \
	"'example.com', " USED(SUBDOMAIN_RE)
#define DNS1035_BAD                                                                         \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start" \
	" with an alphabetic character, and end with an alphanumeric character (e.g. "      \
	"'my-name',  or 'abc-123', " USED(DNS1035_RE)
#define QUALIFIED_BAD                                                                   \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and " \
	"end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "        \
	"'123-abc', " USED(QUALIFIED_RE)
#define LABEL_VALUE_BAD                                                                         \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_'" \
	" or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "  \
	"'my_value',  or '12345', " USED("(" QUALIFIED_RE ")?")
#define CONFIG_KEY_BAD                                                                       \
	"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " \
	"'key.name',  or 'KEY_NAME',  or 'key-name', " USED(CONFIG_KEY_RE)
#define ENV_VAR_BAD                                                                 \
	"a valid environment variable name must consist of alphabetic characters, " \
	"digits, '_', '-', or '.', and must not start with a digit (e.g. "          \
	"'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', " USED(ENV_VAR_RE)

#define SEARCH_LABEL_RE "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
#define SEARCH_BAD                                                                               \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_'" \
	", '-' or '.', and must start and end with an alphanumeric character (e.g. "             \
	"'example.com', " USED(SEARCH_LABEL_RE "(\\." SEARCH_LABEL_RE ")*")

/* Where messages go. */
struct sink {
	name_problem_fn *fn;
	void *arg;
	const char *before; /* "name part " */
	bool found;
};

static void tell(struct sink *sink, const char *message)
{
	char text[1024];

	sink->found = true;
	if (!sink->fn)
		return;
	snprintf(text, sizeof(text), "%s%s", sink->before, message);
	sink->fn(sink->arg, text);
}

static void check_len(struct str text, size_t most, struct sink *sink)
{
	char message[64];

	if (text.len <= most)
		return;
	snprintf(message, sizeof(message), "must be no more than %zu characters", most);
	tell(sink, message);
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower_or_digit(char c)
{
	return is_lower(c) || is_digit(c);
}

static bool is_alnum(char c)
{
	return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

static bool is_name_char(char c)
{
	return is_alnum(c) || c == '-' || c == '_' || c == '.';
}

static bool is_label(struct str text)
{
	if (!text.len || !is_lower_or_digit(text.ptr[0]) ||
	    !is_lower_or_digit(text.ptr[text.len - 1]))
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!is_lower_or_digit(text.ptr[i]) && text.ptr[i] != '-')
			return false;
	return true;
}

static bool is_subdomain(struct str text)
{
	struct str part;

	while (str_split(&text, '.', &part))
		if (!is_label(part))
			return false;
	return true;
}

static bool is_qualified_part(struct str text)
{
	if (!text.len || !is_alnum(text.ptr[0]) || !is_alnum(text.ptr[text.len - 1]))
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!is_name_char(text.ptr[i]))
			return false;
	return true;
}

static bool is_all_name_chars(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_name_char(text.ptr[i]))
			return false;
	return text.len > 0;
}

static void check_any(struct str text, struct sink *sink)
{
	(void)text;
	(void)sink;
}

static void check_label(struct str text, struct sink *sink)
{
	check_len(text, LABEL_MAX, sink);
	if (!is_label(text))
		tell(sink, is_subdomain(text) ? "must not contain dots" : LABEL_BAD);
}

static void check_subdomain(struct str text, struct sink *sink)
{
	check_len(text, SUBDOMAIN_MAX, sink);
	if (!is_subdomain(text))
		tell(sink, SUBDOMAIN_BAD);
}

static void check_dns1035(struct str text, struct sink *sink)
{
	check_len(text, LABEL_MAX, sink);
	if (!is_label(text) || !is_lower(text.ptr[0]))
		tell(sink, DNS1035_BAD);
}

static void check_qualified(struct str text, struct sink *sink)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	struct str name = text;

	if (slash >= 0) {
		struct str prefix = str_slice(text, 0, (size_t)slash);

		name = str_skip(text, (size_t)slash + 1);
		if (str_find_byte(name, '/', 0) >= 0) {
			tell(sink, "a qualified name " QUALIFIED_BAD
				   " with an optional DNS subdomain prefix and '/' (e.g. "
				   "'example.com/MyName')");
			return;
		}
		sink->before = "prefix part ";
		if (!prefix.len)
			tell(sink, "must be non-empty");
		else
			check_subdomain(prefix, sink);
	}
	sink->before = "name part ";
	if (!name.len)
		tell(sink, "must be non-empty");
	check_len(name, LABEL_MAX, sink);
	if (!is_qualified_part(name))
		tell(sink, QUALIFIED_BAD);
}

static void check_label_value(struct str text, struct sink *sink)
{
	check_len(text, LABEL_MAX, sink);
	if (text.len && !is_qualified_part(text))
		tell(sink, LABEL_VALUE_BAD);
}

static void check_path_segment(struct str text, struct sink *sink)
{
	if (str_is(text, "."))
		tell(sink, "may not be '.'");
	if (str_is(text, ".."))
		tell(sink, "may not be '..'");
	if (str_find_byte(text, '/', 0) >= 0)
		tell(sink, "may not contain '/'");
	if (str_find_byte(text, '%', 0) >= 0)
		tell(sink, "may not contain '%'");
}

static void check_dots(struct str text, struct sink *sink)
{
	if (str_is(text, "."))
		tell(sink, "must not be '.'");
	else if (str_is(text, ".."))
		tell(sink, "must not be '..'");
	else if (str_starts(text, STR("..")))
		tell(sink, "must not start with '..'");
}

static void check_config_key(struct str text, struct sink *sink)
{
	check_len(text, SUBDOMAIN_MAX, sink);
	if (!is_all_name_chars(text))
		tell(sink, CONFIG_KEY_BAD);
	check_dots(text, sink);
}

static void check_env_var(struct str text, struct sink *sink)
{
	if (!is_all_name_chars(text) || is_digit(text.ptr[0]))
		tell(sink, ENV_VAR_BAD);
	check_dots(text, sink);
}

static void check_port(struct str text, struct sink *sink)
{
	bool charset = text.len > 0;
	bool letter = false;

	check_len(text, PORT_MAX, sink);
	for (size_t i = 0; i < text.len; i++) {
		charset = charset && (is_lower_or_digit(text.ptr[i]) || text.ptr[i] == '-');
		letter = letter || is_lower(text.ptr[i]);
	}
	if (!charset)
		tell(sink,
		     "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
	if (!letter)
		tell(sink, "must contain at least one letter (a-z)");
	if (str_find(text, STR("--"), 0) >= 0)
		tell(sink, "must not contain consecutive hyphens");
	if (text.len && (text.ptr[0] == '-' || text.ptr[text.len - 1] == '-'))
		tell(sink, "must not begin or end with a hyphen");
}

static void check_ip(struct str text, struct sink *sink)
{
	char copy[INET6_ADDRSTRLEN] = "";
	unsigned char address[sizeof(struct in6_addr)];

	if (text.len < sizeof(copy) && text.len)
		memcpy(copy, text.ptr, text.len);
	if (strlen(copy) != text.len ||
	    (inet_pton(AF_INET, copy, address) != 1 && inet_pton(AF_INET6, copy, address) != 1))
		tell(sink, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

static void check_env_var_free(struct str text, struct sink *sink)
{
	if (!text.len)
		tell(sink, "environment variable name must be non-empty");
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] >= ' ' && text.ptr[i] <= '~' && text.ptr[i] != '=')
			continue;
		tell(sink, "a valid environment variable name must consist only of printable ASCII "
			   "characters other than '='");
		return;
	}
}

static void check_http_header(struct str text, struct sink *sink)
{
	bool good = text.len > 0;

	for (size_t i = 0; i < text.len; i++)
		good = good && (is_alnum(text.ptr[i]) || text.ptr[i] == '-');
	if (!good)
		tell(sink, "a valid HTTP header must consist of alphanumeric characters or '-' "
			   "(e.g. 'X-Header-Name', " USED("[-A-Za-z0-9]+"));
}

static bool is_search_part(struct str part)
{
	if (str_starts(part, STR("_")))
		part = str_skip(part, 1);
	for (size_t i = 0; i < part.len; i++)
		if (!is_lower_or_digit(part.ptr[i]) && part.ptr[i] != '-' && part.ptr[i] != '_')
			return false;
	return part.len && is_lower_or_digit(part.ptr[0]) &&
	       is_lower_or_digit(part.ptr[part.len - 1]);
}

static void check_dns_search(struct str text, struct sink *sink)
{
	struct str rest = text;
	struct str part;
	bool good = true;

	check_len(text, SUBDOMAIN_MAX, sink);
	while (str_split(&rest, '.', &part))
		good = good && is_search_part(part);
	if (!good)
		tell(sink, SEARCH_BAD);
}

static const struct {
	void (*check)(struct str text, struct sink *sink);
	const char *pattern;
	size_t max_len;
} formats[] = {
	[NAME_ANY] = {check_any, NULL, 0},
	[NAME_DNS_LABEL] = {check_label, "^" LABEL_RE "$", LABEL_MAX},
	[NAME_DNS_SUBDOMAIN] = {check_subdomain, "^" SUBDOMAIN_RE "$", SUBDOMAIN_MAX},
	[NAME_DNS1035_LABEL] = {check_dns1035, "^" DNS1035_RE "$", LABEL_MAX},
	[NAME_QUALIFIED] = {check_qualified, NULL, SUBDOMAIN_MAX + 1 + LABEL_MAX},
	[NAME_LABEL_VALUE] = {check_label_value, "^(" QUALIFIED_RE ")?$", LABEL_MAX},
	[NAME_PATH_SEGMENT] = {check_path_segment, NULL, 0},
	[NAME_CONFIG_KEY] = {check_config_key, "^" CONFIG_KEY_RE "$", SUBDOMAIN_MAX},
	[NAME_ENV_VAR] = {check_env_var, "^" ENV_VAR_RE "$", 0},
	[NAME_PORT] = {check_port, NULL, PORT_MAX},
	[NAME_IP] = {check_ip, NULL, 0},
	[NAME_ENV_VAR_FREE] = {check_env_var_free, NULL, 0},
	[NAME_HTTP_HEADER] = {check_http_header, NULL, 0},
	[NAME_DNS_SEARCH] = {check_dns_search, NULL, SUBDOMAIN_MAX},
};
static_assert(ARRAY_LEN(formats) == NAME_FORMAT_COUNT, "check every format");

bool name_check(enum name_format format, struct str text, name_problem_fn *problem, void *arg)
{
	struct sink sink = {.fn = problem, .arg = arg, .before = ""};

	formats[format].check(text, &sink);
	return !sink.found;
}

bool name_check_prefix(enum name_format format, struct str text, name_problem_fn *problem,
		       void *arg)
{
	struct sink sink = {.fn = problem, .arg = arg, .before = ""};
	char copy[512];

	if (format == NAME_PATH_SEGMENT && (str_is(text, ".") || str_is(text, "..")))
		return true; /* something follows */
	/* As upstream: the dash and the character before it are looked at as one letter. */
	if (format != NAME_PATH_SEGMENT && text.len > 1 && text.len < sizeof(copy) &&
	    text.ptr[text.len - 1] == '-') {
		memcpy(copy, text.ptr, text.len - 2);
		copy[text.len - 2] = 'a';
		text = str_of(copy, text.len - 1);
	}
	formats[format].check(text, &sink);
	return !sink.found;
}

struct invalid {
	struct causes *causes;
	const struct path *path;
	struct str text;
};

static void add_invalid(void *arg, const char *message)
{
	struct invalid *invalid = arg;

	causes_invalid_str(invalid->causes, invalid->path, invalid->text, "%s", message);
}

struct joined {
	struct buf *text;
	const char *separator;
};

static void join_problem(void *arg, const char *message)
{
	const struct joined *joined = arg;

	if (joined->text->len)
		buf_puts(joined->text, joined->separator);
	buf_puts(joined->text, message);
}

bool name_check_joined(enum name_format format, struct str text, const char *separator,
		       struct buf *to)
{
	struct joined joined = {to, separator};

	return name_check(format, text, join_problem, &joined);
}

bool name_validate_joined(enum name_format format, struct str text, const char *separator,
			  const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;

	if (name_check_joined(format, text, separator, &problems))
		return true;
	causes_invalid_str(causes, path, text, "%s", buf_text(&problems));
	return false;
}

bool name_validate(enum name_format format, struct str text, const struct path *path,
		   struct causes *causes)
{
	return name_validate_as(format, text, text, path, causes);
}

bool name_validate_as(enum name_format format, struct str text, struct str shown,
		      const struct path *path, struct causes *causes)
{
	struct invalid invalid = {causes, path, shown};

	return name_check(format, text, add_invalid, &invalid);
}

bool name_validate_prefix(enum name_format format, struct str text, const struct path *path,
			  struct causes *causes)
{
	struct invalid invalid = {causes, path, text};

	return name_check_prefix(format, text, add_invalid, &invalid);
}

const char *name_pattern(enum name_format format)
{
	return formats[format].pattern;
}

size_t name_max_len(enum name_format format)
{
	return formats[format].max_len;
}
