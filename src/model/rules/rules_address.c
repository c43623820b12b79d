/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules_address.c - rules of addresses and networks, in the words of kube-apiserver 1.34. */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* --- addresses ------------------------------------------------------------------------------- */

struct ip {
	unsigned char at[16]; /* an IPv4 address in the first four */
	bool six;
};

static bool parse_ip(struct str text, struct ip *ret)
{
	char copy[INET6_ADDRSTRLEN];

	if (text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr ? text.ptr : "", text.len);
	copy[text.len] = 0;
	ret->six = memchr(copy, ':', text.len) != NULL;
	return inet_pton(ret->six ? AF_INET6 : AF_INET, copy, ret->at) == 1;
}

bool rules_is_ipv6(struct str text)
{
	return str_find_byte(text, ':', 0) >= 0;
}

bool rules_is_ip(struct str text)
{
	struct ip ip;

	return parse_ip(text, &ip);
}

bool rules_ip(struct str text, const struct path *path, struct causes *causes)
{
	if (rules_is_ip(text))
		return true;
	causes_invalid_str(causes, path, text,
			   "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
	return false;
}

/* The address of a network, and how many of its bits count. */
static bool parse_network(struct str text, struct ip *ret_ip, int64_t *ret_bits)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);

	return slash >= 0 && parse_ip(str_slice(text, 0, (size_t)slash), ret_ip) &&
	       number_parse_i64(str_skip(text, (size_t)slash + 1), ret_bits, NULL) == 0 &&
	       *ret_bits >= 0 && *ret_bits <= (ret_ip->six ? 128 : 32);
}

bool rules_is_cidr(struct str text)
{
	struct ip ip;
	int64_t bits;

	return parse_network(text, &ip, &bits);
}

bool rules_cidr(struct str text, const struct path *path, struct causes *causes)
{
	if (rules_is_cidr(text))
		return true;
	causes_invalid_str(causes, path, text,
			   "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
	return false;
}

bool rules_is_within(struct str inner, struct str outer)
{
	struct ip a;
	struct ip b;
	int64_t inner_bits;
	int64_t outer_bits;

	if (!parse_network(inner, &a, &inner_bits) || !parse_network(outer, &b, &outer_bits) ||
	    a.six != b.six || inner_bits <= outer_bits)
		return false;
	for (int64_t i = 0; i < outer_bits; i++)
		if ((a.at[i / 8] ^ b.at[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

static bool is_all_zero(const struct ip *ip, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ip->at[i])
			return false;
	return true;
}

void rules_endpoint_ip(struct str text, const struct path *path, struct causes *causes)
{
	struct ip ip;
	size_t size;
	bool loopback;
	bool local;
	bool multicast;

	if (!parse_ip(text, &ip)) {
		causes_invalid_str(causes, path, text, "must be a valid IP address");
		return;
	}
	size = ip.six ? 16 : 4;
	loopback = ip.six ? is_all_zero(&ip, 15) && ip.at[15] == 1 : ip.at[0] == 127;
	local = ip.six ? ip.at[0] == 0xfe && (ip.at[1] & 0xc0) == 0x80
		       : ip.at[0] == 169 && ip.at[1] == 254;
	multicast = ip.six ? ip.at[0] == 0xff && (ip.at[1] & 0x0f) == 2
			   : ip.at[0] == 224 && ip.at[1] == 0 && ip.at[2] == 0;
	if (is_all_zero(&ip, size))
		causes_invalid_str(causes, path, text, "may not be unspecified (%.*s)",
				   STR_ARG(text));
	if (loopback)
		causes_invalid_str(causes, path, text,
				   "may not be in the loopback range (127.0.0.0/8, ::1/128)");
	if (local)
		causes_invalid_str(causes, path, text,
				   "may not be in the link-local range (169.254.0.0/16, "
				   "fe80::/10)");
	if (multicast)
		causes_invalid_str(causes, path, text,
				   "may not be in the link-local multicast range (224.0.0.0/24, "
				   "ff02::/10)");
}

void rules_domain_path(struct str text, const struct path *path, struct causes *causes)
{
	static const struct str others = STR_INIT("/-._~%!$&'()*+,;=:");
	struct str rest = text;
	struct str host = str_none();

	(void)str_split(&rest, '/', &host);
	if (!text.len) {
		causes_required(causes, path, "");
		return;
	}
	if (!host.len || !rest.len) {
		causes_invalid_str(causes, path, text,
				   "must be a domain-prefixed path (such as \"acme.io/foo\")");
		return;
	}
	(void)name_validate(NAME_DNS_SUBDOMAIN, host, path, causes);
	for (size_t i = 0; i < rest.len; i++)
		if (!isalnum((unsigned char)rest.ptr[i]) &&
		    str_find_byte(others, rest.ptr[i], 0) < 0) {
			causes_invalid_str(causes, path, rest,
					   "Invalid path (regex used for validation is "
					   "'[A-Za-z0-9/\\-._~%%!$&'()*+,;=:]+')");
			return;
		}
}
