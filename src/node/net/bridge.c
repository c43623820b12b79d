/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/bridge.c - links, addresses and routes.
 *
 * Everything can be repeated: what exists is no error, and a cable of the same name was left by an earlier run of
 * the pod. */
#include "node/net/bridge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>

#include "node/net/netlink.h"

#include "base/banned.h"

enum { INDEX_LOOPBACK = 1, INDEX_INSIDE = 2, OWNER_MAX = 256 /* an alias holds one byte less */ };

static int set_up(int socket, int index)
{
	struct ifinfomsg header = {.ifi_index = index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct netlink message = {0};

	netlink_begin(&message, RTM_NEWLINK, 0, &header, sizeof(header));
	return netlink_ask(socket, &message);
}

static int add_address(int socket, int index, uint32_t address, unsigned prefix)
{
	struct ifaddrmsg header = {.ifa_family = AF_INET,
				   .ifa_prefixlen = (uint8_t)prefix,
				   .ifa_index = (uint32_t)index};
	struct netlink message = {0};
	int number;

	netlink_begin(&message, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, &header, sizeof(header));
	netlink_put_u32(&message, IFA_LOCAL, htonl(address));
	netlink_put_u32(&message, IFA_ADDRESS, htonl(address));
	number = netlink_ask(socket, &message);
	return number == EEXIST ? 0 : number;
}

static int add_default_route(int socket, int index, uint32_t gateway)
{
	struct rtmsg header = {
		.rtm_family = AF_INET,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNICAST,
	};
	struct netlink message = {0};
	int number;

	netlink_begin(&message, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	netlink_put_u32(&message, RTA_GATEWAY, htonl(gateway));
	netlink_put_u32(&message, RTA_OIF, (uint32_t)index);
	number = netlink_ask(socket, &message);
	return number == EEXIST ? 0 : number;
}

static int remove_link(int socket, const char *name)
{
	struct ifinfomsg header = {0};
	struct netlink message = {0};
	int number;

	netlink_begin(&message, RTM_DELLINK, 0, &header, sizeof(header));
	netlink_put_str(&message, IFLA_IFNAME, name);
	number = netlink_ask(socket, &message);
	return number == ENODEV ? 0 : number;
}

/* --- the bridge --- */

static int add_bridge(const struct bridge *bridge)
{
	struct ifinfomsg header = {0};
	struct netlink message = {0};
	size_t info;
	int number;

	netlink_begin(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	netlink_put_str(&message, IFLA_IFNAME, bridge->name);
	info = netlink_nest(&message, IFLA_LINKINFO);
	netlink_put_str(&message, IFLA_INFO_KIND, "bridge");
	netlink_nest_end(&message, info);
	number = netlink_ask(bridge->socket, &message);
	return number == EEXIST ? 0 : number;
}

/* Sets the folder of the node as alias: bridge_remove_orphans() finds it there. */
static int set_alias(const struct bridge *bridge, int index)
{
	struct ifinfomsg header = {.ifi_index = index};
	struct netlink message = {0};

	netlink_begin(&message, RTM_NEWLINK, 0, &header, sizeof(header));
	netlink_put(&message, IFLA_IFALIAS, bridge->owner, strlen(bridge->owner));
	return netlink_ask(bridge->socket, &message);
}

int bridge_make(const struct bridge *bridge, struct err *err)
{
	int number = add_bridge(bridge);
	int index = (int)if_nametoindex(bridge->name);

	if (number == 0 && index == 0)
		number = ENODEV;
	if (number == 0)
		number = add_address(bridge->socket, index, bridge->subnet + 1, bridge->prefix);
	if (number == 0 && bridge->owner && strlen(bridge->owner) < OWNER_MAX)
		number = set_alias(bridge, index);
	if (number == 0)
		number = set_up(bridge->socket, index);
	return number ? err_errno(err, number, "bridge %s", bridge->name) : 0;
}

int bridge_remove(const struct bridge *bridge, struct err *err)
{
	int number = remove_link(bridge->socket, bridge->name);

	return number ? err_errno(err, number, "bridge %s", bridge->name) : 0;
}

/* --- cables --- */

static int add_cable(const struct bridge *bridge, const struct bridge_cable *cable)
{
	struct ifinfomsg header = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct ifinfomsg peer = {.ifi_index = INDEX_INSIDE};
	struct netlink message = {0};
	size_t info, data, other;

	netlink_begin(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
	netlink_put_str(&message, IFLA_IFNAME, cable->name);
	netlink_put_u32(&message, IFLA_MASTER, if_nametoindex(bridge->name));
	info = netlink_nest(&message, IFLA_LINKINFO);
	netlink_put_str(&message, IFLA_INFO_KIND, "veth");
	data = netlink_nest(&message, IFLA_INFO_DATA);
	other = netlink_nest(&message, VETH_INFO_PEER);
	netlink_put_raw(&message, &peer, sizeof(peer));
	netlink_put_str(&message, IFLA_IFNAME, "eth0");
	netlink_put_u32(&message, IFLA_NET_NS_FD, (uint32_t)cable->fd);
	netlink_nest_end(&message, other);
	netlink_nest_end(&message, data);
	netlink_nest_end(&message, info);
	return netlink_ask(bridge->socket, &message);
}

int bridge_connect(const struct bridge *bridge, const struct bridge_cable *cable, struct err *err)
{
	int number = add_cable(bridge, cable);

	if (number == EEXIST) {
		number = remove_link(bridge->socket, cable->name);
		if (number == 0)
			number = add_cable(bridge, cable);
	}
	if (number == 0)
		number = set_up(cable->inside, INDEX_LOOPBACK);
	if (number == 0)
		number = add_address(cable->inside, INDEX_INSIDE, cable->address, bridge->prefix);
	if (number == 0)
		number = set_up(cable->inside, INDEX_INSIDE);
	if (number == 0)
		number = add_default_route(cable->inside, INDEX_INSIDE, bridge->subnet + 1);
	return number ? err_errno(err, number, "a cable to bridge %s", bridge->name) : 0;
}

int bridge_disconnect(const struct bridge *bridge, const char *name, struct err *err)
{
	int number = remove_link(bridge->socket, name);

	return number ? err_errno(err, number, "cable %s", name) : 0;
}

/* --- what is in use --- */

struct overlap {
	const struct bridge *bridge;
	uint32_t index; /* index of the bridge itself */
	bool found;
};

static uint32_t mask_of(unsigned bits)
{
	return bits == 0 ? 0 : UINT32_MAX << (32 - bits);
}

/* Checks a route, except the default one and those of the bridge. */
static void check_route(void *arg, uint16_t type, const void *data, size_t len)
{
	struct overlap *overlap = arg;
	const struct rtmsg *route = data;
	const char *at = (const char *)data + NLMSG_ALIGN(sizeof(*route));
	uint32_t to = 0, out = 0, mask;

	if (type != RTM_NEWROUTE || len < sizeof(*route) || route->rtm_dst_len == 0 ||
	    route->rtm_family != AF_INET)
		return;
	len -= sizeof(*route);
	while (len >= sizeof(struct rtattr)) {
		struct rtattr attribute;
		size_t step;

		memcpy(&attribute, at, sizeof(attribute));
		step = RTA_ALIGN(attribute.rta_len);
		if (attribute.rta_len < RTA_LENGTH(0) || attribute.rta_len > len)
			break;
		if (attribute.rta_type == RTA_DST && attribute.rta_len >= RTA_LENGTH(sizeof(to)))
			memcpy(&to, at + RTA_LENGTH(0), sizeof(to));
		if (attribute.rta_type == RTA_OIF && attribute.rta_len >= RTA_LENGTH(sizeof(out)))
			memcpy(&out, at + RTA_LENGTH(0), sizeof(out));
		if (step >= len)
			break;
		at += step;
		len -= step;
	}
	mask = mask_of(route->rtm_dst_len < overlap->bridge->prefix ? route->rtm_dst_len
								    : overlap->bridge->prefix);
	if (out != overlap->index && (ntohl(to) & mask) == (overlap->bridge->subnet & mask))
		overlap->found = true;
}

bool bridge_overlaps(const struct bridge *bridge)
{
	struct overlap overlap = {bridge, if_nametoindex(bridge->name), false};
	struct rtmsg header = {.rtm_family = AF_INET};
	struct netlink message = {0};

	netlink_begin(&message, RTM_GETROUTE, 0, &header, sizeof(header));
	return netlink_list(bridge->socket, &message, check_route, &overlap) != 0 || overlap.found;
}
