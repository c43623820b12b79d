/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/permission.c - see permission.h. Lists of rules are short: they are searched from the start. */
#include "authorization/permission.h"

#include <stdint.h>

#include "base/banned.h"

static bool has(const struct strs *list, struct str text)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i], text))
			return true;
	return false;
}

static bool has_or_all(const struct strs *list, struct str text)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i], "*") || str_eq(list->ptr[i], text))
			return true;
	return false;
}

/* Is it "PLURAL/SUB", or "PLURAL" if there is no sub? */
static bool is_resource(struct str text, struct str plural, struct str sub)
{
	if (!sub.len)
		return str_eq(text, plural);
	return text.len == plural.len + 1 + sub.len && str_starts(text, plural) &&
	       text.ptr[plural.len] == '/' && str_ends(text, sub);
}

static bool allows_resource(const struct strs *list, struct str plural, struct str sub)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i], "*") || is_resource(list->ptr[i], plural, sub) ||
		    (sub.len && is_resource(list->ptr[i], STR("*"), sub)))
			return true;
	return false;
}

/* `pattern` may end in stars, which stand for the rest. */
static bool covers_url(struct str pattern, struct str url)
{
	size_t len = pattern.len;

	while (len && pattern.ptr[len - 1] == '*')
		len--;
	return len < pattern.len ? str_starts(url, str_slice(pattern, 0, len))
				 : str_eq(pattern, url);
}

static bool allows_url(const struct strs *list, struct str url)
{
	for (size_t i = 0; i < list->len; i++)
		if (covers_url(list->ptr[i], url))
			return true;
	return false;
}

bool permission_allows(const struct policy_rule *rule, const struct access *access)
{
	if (!has_or_all(&rule->verbs, access->verb))
		return false;
	if (!str_is_none(access->path))
		return allows_url(&rule->non_resource_urls, access->path);
	return has_or_all(&rule->api_groups, access->group) &&
	       allows_resource(&rule->resources, access->plural, access->sub) &&
	       (!rule->resource_names.len || has(&rule->resource_names, access->name));
}

static size_t product(size_t a, size_t b)
{
	size_t result;

	return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t or_one(size_t count)
{
	return count ? count : 1;
}

static size_t resource_parts(const struct policy_rule *rule)
{
	size_t kinds = product(rule->api_groups.len, rule->resources.len);

	return product(product(kinds, rule->verbs.len), or_one(rule->resource_names.len));
}

size_t permission_part_count(const struct policy_rule *rule)
{
	size_t resources = resource_parts(rule);
	size_t urls = product(rule->non_resource_urls.len, rule->verbs.len);
	size_t sum;

	return __builtin_add_overflow(resources, urls, &sum) ? SIZE_MAX : sum;
}

struct permission_part permission_part(const struct policy_rule *rule, size_t index)
{
	size_t resources = resource_parts(rule);
	size_t names = or_one(rule->resource_names.len);
	struct permission_part part = {.resource = str_none(), .name = str_none()};

	if (index >= resources) {
		index -= resources;
		part.url = rule->non_resource_urls.ptr[index / rule->verbs.len];
		part.verb = rule->verbs.ptr[index % rule->verbs.len];
		return part;
	}
	if (rule->resource_names.len)
		part.name = rule->resource_names.ptr[index % names];
	index /= names;
	part.verb = rule->verbs.ptr[index % rule->verbs.len];
	index /= rule->verbs.len;
	part.resource = rule->resources.ptr[index % rule->resources.len];
	part.group = rule->api_groups.ptr[index / rule->resources.len];
	return part;
}

/* A part such as "pods/log" is covered by "*", by itself, and by "*" with "/log" after it. */
static bool covers_resource(const struct strs *list, struct str resource)
{
	struct str sub = resource, plural;

	if (has_or_all(list, resource))
		return true;
	if (!str_split(&sub, '/', &plural))
		return false;
	return sub.len && allows_resource(list, plural, sub);
}

bool permission_covers(const struct policy_rule *rule, const struct permission_part *part)
{
	if (!has_or_all(&rule->verbs, part->verb))
		return false;
	if (str_is_none(part->resource))
		return !rule->resource_names.len && allows_url(&rule->non_resource_urls, part->url);
	return has_or_all(&rule->api_groups, part->group) &&
	       covers_resource(&rule->resources, part->resource) &&
	       (!rule->resource_names.len ||
		(!str_is_none(part->name) && has(&rule->resource_names, part->name)));
}
