/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/image_name.c - take image names apart, by the grammar of the distribution references.
 *
 * The digest is cut off at '@', the tag at the last ':' after the last '/', the domain at the first
 * '/' if what is before it looks like a host; what is left is the path, whose parts are lower case.
 */
#include "model/value/image_name.h"

#include <ctype.h>

#include "base/banned.h"

enum { TAG_MAX = 128, NAME_MAX = 255, DIGEST_HEX_MIN = 32, IDENTIFIER_LEN = 64 };

static bool is_lower_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* a path's part: letters and digits, with ".", "_", "__" or dashes between them */
static bool is_part(struct str part)
{
	size_t i = 0;

	if (!part.len || !is_lower_alnum(part.ptr[0]) || !is_lower_alnum(part.ptr[part.len - 1]))
		return false;
	while (i < part.len) {
		size_t start = i;
		char c = part.ptr[i];

		if (is_lower_alnum(c)) {
			i++;
			continue;
		}
		while (i < part.len && part.ptr[i] == c)
			i++;
		if (c == '.' ? i - start > 1 : c == '_' ? i - start > 2 : c != '-')
			return false;
		if (i < part.len && !is_lower_alnum(part.ptr[i]))
			return false;
	}
	return true;
}

static bool is_path(struct str path)
{
	struct str part;

	if (!path.len || path.len > NAME_MAX)
		return false;
	while (str_split(&path, '/', &part))
		if (!is_part(part))
			return false;
	return true;
}

static bool is_tag(struct str tag)
{
	if (!tag.len || tag.len > TAG_MAX || !is_word(tag.ptr[0]))
		return false;
	for (size_t i = 1; i < tag.len; i++)
		if (!is_word(tag.ptr[i]) && tag.ptr[i] != '.' && tag.ptr[i] != '-')
			return false;
	return true;
}

static bool is_hex(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!isxdigit((unsigned char)text.ptr[i]))
			return false;
	return true;
}

/* "sha256:..." */
static bool is_digest(struct str digest)
{
	ptrdiff_t colon = str_find_byte(digest, ':', 0);
	struct str hex = str_skip(digest, (size_t)(colon + 1));

	return colon > 0 && isalpha((unsigned char)digest.ptr[0]) && hex.len >= DIGEST_HEX_MIN &&
	       is_hex(hex);
}

/* Without the domain, if there is one. */
static struct str without_domain(struct str name)
{
	ptrdiff_t slash = str_find_byte(name, '/', 0);
	struct str first = str_slice(name, 0, slash < 0 ? 0 : (size_t)slash);
	bool host = str_is(first, "localhost") || str_find_byte(first, '.', 0) >= 0 ||
		    str_find_byte(first, ':', 0) >= 0;

	for (size_t i = 0; i < first.len; i++)
		host = host || isupper((unsigned char)first.ptr[i]);
	return host ? str_skip(name, (size_t)slash + 1) : name;
}

bool image_name_is_latest(struct str image)
{
	struct str name = image;
	struct str tag = str_none();
	ptrdiff_t at = str_find_byte(name, '@', 0);
	ptrdiff_t colon;

	if (image.len == IDENTIFIER_LEN && is_hex(image))
		return false;
	if (at >= 0 && !is_digest(str_skip(image, (size_t)at + 1)))
		return false;
	if (at >= 0)
		name = str_slice(name, 0, (size_t)at);
	colon = str_rfind_byte(name, ':');
	if (colon >= 0 && str_find_byte(name, '/', (size_t)colon) < 0) {
		tag = str_skip(name, (size_t)colon + 1);
		name = str_slice(name, 0, (size_t)colon);
		if (!is_tag(tag))
			return false;
	}
	if (!is_path(without_domain(name)))
		return false;
	return str_is_none(tag) ? at < 0 : str_is(tag, "latest");
}
