/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/bridge_orphans.c - bridges whose data directory was deleted while no process was left to remove them.
 *
 * A bridge has the folder of its node as its alias. A bridge whose folder does not exist, and that has no cable,
 * is removed with its table. If the folder only cannot be seen from here (another mount namespace), its node makes
 * the bridge again when a pod needs it. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "node/net/bridge.h"
#include "node/net/netlink.h"

#include "base/banned.h"

enum { ALIAS_SIZE = 256 };

struct link {
	uint32_t index;
	uint32_t master; /* 0: none */
	char name[IFNAMSIZ];
	char alias[ALIAS_SIZE];
};
struct links {
	VEC(struct link) list;
};

static void take_text(char *to, size_t size, const char *from, size_t len)
{
	size_t most = len < size - 1 ? len : size - 1;

	memcpy(to, from, most);
	to[most] = '\0';
}

static void take_attribute(struct link *link, const struct rtattr *attribute, const char *data)
{
	size_t len = attribute->rta_len - RTA_LENGTH(0);

	if (attribute->rta_type == IFLA_IFNAME)
		take_text(link->name, sizeof(link->name), data, len);
	else if (attribute->rta_type == IFLA_IFALIAS)
		take_text(link->alias, sizeof(link->alias), data, len);
	else if (attribute->rta_type == IFLA_MASTER && len >= sizeof(link->master))
		memcpy(&link->master, data, sizeof(link->master));
}

static void take_link(void *arg, uint16_t type, const void *data, size_t len)
{
	struct links *links = arg;
	const char *at = (const char *)data + NLMSG_ALIGN(sizeof(struct ifinfomsg));
	struct link link = {0};
	struct ifinfomsg header;

	if (type != RTM_NEWLINK || len < NLMSG_ALIGN(sizeof(header)))
		return;
	memcpy(&header, data, sizeof(header));
	link.index = (uint32_t)header.ifi_index;
	len -= NLMSG_ALIGN(sizeof(header));
	while (len >= sizeof(struct rtattr)) {
		struct rtattr attribute;
		size_t step;

		memcpy(&attribute, at, sizeof(attribute));
		step = RTA_ALIGN(attribute.rta_len);
		if (attribute.rta_len < RTA_LENGTH(0) || attribute.rta_len > len)
			break;
		take_attribute(&link, &attribute, at + RTA_LENGTH(0));
		if (step >= len)
			break;
		at += step;
		len -= step;
	}
	vec_push(&links->list, link);
}

static bool is_orphan(const struct links *links, const struct link *link, const char *prefix)
{
	if (!str_starts(str_from(link->name), str_from(prefix)) || link->alias[0] != '/' ||
	    access(link->alias, F_OK) == 0 || errno != ENOENT)
		return false;
	for (size_t i = 0; i < links->list.len; i++)
		if (links->list.ptr[i].master == link->index)
			return false;
	return true;
}

size_t bridge_remove_orphans(int socket, const char *prefix)
{
	struct ifinfomsg header = {0};
	struct netlink message = {0};
	struct links links = {0};
	size_t count = 0;

	netlink_begin(&message, RTM_GETLINK, 0, &header, sizeof(header));
	if (netlink_list(socket, &message, take_link, &links) == 0)
		for (size_t i = 0; i < links.list.len; i++) {
			const struct link *link = &links.list.ptr[i];
			struct bridge bridge = {.name = link->name, .socket = socket};
			struct err err;

			if (!is_orphan(&links, link, prefix))
				continue;
			if (bridge_unshare(&bridge, &err) < 0)
				err.text[0] = '\0'; /* it had no table */
			count += bridge_remove(&bridge, &err) == 0;
		}
	vec_done(&links.list);
	return count;
}
