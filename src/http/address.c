/* SPDX-License-Identifier: Apache-2.0 */
/* http/address.c - addresses from text and back, by inet_pton: numeric addresses only, nothing is
 * resolved.
 */
#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/un.h>

#include "base/number.h"

#include "base/banned.h"

static int parse_unix(struct str path, struct address *ret, struct err *err)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&ret->sockaddr;
	bool abstract = path.len && path.ptr[0] == '@';

	if (path.len == 0 || path.len >= sizeof(un->sun_path))
		return err_set(err, ERR_BAD_REQUEST,
			       "unix:%.*s: a socket's path has 1 to %zu bytes", STR_ARG(path),
			       sizeof(un->sun_path) - 1);
	if (memchr(path.ptr, '\0', path.len))
		return err_set(err, ERR_BAD_REQUEST, "a socket's path has no NUL");
	*ret = (struct address){0};
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path.ptr, path.len);
	if (abstract)
		un->sun_path[0] = '\0';
	ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.len + !abstract);
	return 0;
}

int address_parse_ip(struct str ip, int port, struct address *ret, struct err *err)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct address address = {0};
	struct sockaddr_in *v4 = (struct sockaddr_in *)&address.sockaddr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address.sockaddr;

	if (ip.len == 0 || ip.len >= sizeof(text) || memchr(ip.ptr, '\0', ip.len))
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not an IP address", STR_ARG(ip));
	memcpy(text, ip.ptr, ip.len);
	text[ip.len] = '\0';
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		address.len = sizeof(*v4);
	} else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		address.len = sizeof(*v6);
	} else {
		return err_set(err, ERR_BAD_REQUEST, "\"%s\" is not an IP address", text);
	}
	*ret = address;
	return 0;
}

int address_parse(struct str text, struct address *ret, struct err *err)
{
	ptrdiff_t colon = str_rfind_byte(text, ':');
	struct str host;
	int64_t port;

	if (str_starts(text, STR("unix:")))
		return parse_unix(str_skip(text, 5), ret, err);
	if (colon < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not an address with a port",
			       STR_ARG(text));
	host = str_slice(text, 0, (size_t)colon);
	if (number_parse_range(str_skip(text, (size_t)colon + 1), 0, 65535, &port, err) < 0)
		return err_wrap(err, "port of \"%.*s\"", STR_ARG(text));
	if (host.len == 0)
		return address_parse_ip(STR("::"), (int)port, ret, err);
	if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = str_slice(host, 1, host.len - 1);
	else if (str_find_byte(host, ':', 0) >= 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\": write [IPv6]:port", STR_ARG(text));
	return address_parse_ip(host, (int)port, ret, err);
}

int address_port(const struct address *address)
{
	if (address->len == 0)
		return 0;
	if (address->sockaddr.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)&address->sockaddr)->sin_port);
	if (address->sockaddr.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&address->sockaddr)->sin6_port);
	return 0;
}

static void print_unix(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sockaddr;
	size_t head = offsetof(struct sockaddr_un, sun_path);
	size_t len = address->len > head ? address->len - head : 0;

	if (len && un->sun_path[0] == '\0')
		snprintf(text, ADDRESS_TEXT_SIZE, "unix:@%.*s", (int)(len - 1), un->sun_path + 1);
	else
		snprintf(text, ADDRESS_TEXT_SIZE, "unix:%.*s", (int)strnlen(un->sun_path, len),
			 un->sun_path);
}

const char *address_print(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->sockaddr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->sockaddr;
	char ip[INET6_ADDRSTRLEN] = "";

	text[0] = '\0';
	if (address->len == 0)
		return text;
	switch (address->sockaddr.ss_family) {
	case AF_UNIX:
		print_unix(address, text);
		break;
	case AF_INET:
		inet_ntop(AF_INET, &v4->sin_addr, ip, sizeof(ip));
		snprintf(text, ADDRESS_TEXT_SIZE, "%s:%d", ip, ntohs(v4->sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &v6->sin6_addr, ip, sizeof(ip));
		snprintf(text, ADDRESS_TEXT_SIZE, "[%s]:%d", ip, ntohs(v6->sin6_port));
		break;
	default:
		break;
	}
	return text;
}

bool address_is_unix(const struct address *address)
{
	return address->len && address->sockaddr.ss_family == AF_UNIX;
}

bool address_is_local(const struct address *address)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->sockaddr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->sockaddr;

	if (address->len == 0)
		return false;
	if (address->sockaddr.ss_family == AF_INET)
		return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
	if (address->sockaddr.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return address->sockaddr.ss_family == AF_UNIX;
}
