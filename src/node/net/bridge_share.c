/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/bridge_share.c - pods reach other networks under the machine's address, by nf_tables.
 *
 *	table ip NAME { chain postrouting { type nat hook postrouting priority 100;
 *		ip saddr SUBNET oifname != NAME masquerade } }
 *
 * The table is replaced in one batch, so that doing it again leaves one rule. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "node/net/bridge.h"
#include "node/net/netlink.h"

#include "base/banned.h"

#define FORWARD "/proc/sys/net/ipv4/ip_forward"
#define CHAIN "postrouting"
enum { PRIORITY_SOURCE = 100, SADDR_OFFSET = 12, ADDRESS_BYTES = 4 };

static void begin(struct netlink *batch, uint16_t type, uint16_t flags)
{
	struct nfgenmsg header = {.nfgen_family = NFPROTO_IPV4};

	netlink_begin(batch, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, &header,
		      sizeof(header));
}

static void put_edge(struct netlink *batch, uint16_t type)
{
	struct nfgenmsg header = {.nfgen_family = AF_UNSPEC, .res_id = htons(NFNL_SUBSYS_NFTABLES)};

	netlink_begin(batch, type, 0, &header, sizeof(header));
}

static void put_number(struct netlink *batch, uint16_t type, uint32_t value)
{
	netlink_put_u32(batch, type, htonl(value));
}

static void put_value(struct netlink *batch, uint16_t type, const void *data, size_t len)
{
	size_t at = netlink_nest(batch, type);

	netlink_put(batch, NFTA_DATA_VALUE, data, len);
	netlink_nest_end(batch, at);
}

/* Creates the table first: only an existing one can be deleted. */
static void put_no_table(struct netlink *batch, const char *name, uint16_t flags)
{
	begin(batch, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	netlink_put_str(batch, NFTA_TABLE_NAME, name);
	begin(batch, NFT_MSG_DELTABLE, flags);
	netlink_put_str(batch, NFTA_TABLE_NAME, name);
}

static void put_table(struct netlink *batch, const char *name)
{
	put_no_table(batch, name, 0);
	begin(batch, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	netlink_put_str(batch, NFTA_TABLE_NAME, name);
}

static void put_chain(struct netlink *batch, const char *table)
{
	size_t hook;

	begin(batch, NFT_MSG_NEWCHAIN, NLM_F_CREATE);
	netlink_put_str(batch, NFTA_CHAIN_TABLE, table);
	netlink_put_str(batch, NFTA_CHAIN_NAME, CHAIN);
	hook = netlink_nest(batch, NFTA_CHAIN_HOOK);
	put_number(batch, NFTA_HOOK_HOOKNUM, NF_INET_POST_ROUTING);
	put_number(batch, NFTA_HOOK_PRIORITY, PRIORITY_SOURCE);
	netlink_nest_end(batch, hook);
	netlink_put_str(batch, NFTA_CHAIN_TYPE, "nat");
}

/* Begins an expression; returns the arguments of netlink_nest_end(), inner first. */
struct expression {
	size_t element, data;
};

static struct expression begin_expression(struct netlink *batch, const char *name)
{
	struct expression at;

	at.element = netlink_nest(batch, NFTA_LIST_ELEM);
	netlink_put_str(batch, NFTA_EXPR_NAME, name);
	at.data = netlink_nest(batch, NFTA_EXPR_DATA);
	return at;
}

static void end_expression(struct netlink *batch, struct expression at)
{
	netlink_nest_end(batch, at.data);
	netlink_nest_end(batch, at.element);
}

static void put_compare(struct netlink *batch, uint32_t how, const void *data, size_t len)
{
	struct expression at = begin_expression(batch, "cmp");

	put_number(batch, NFTA_CMP_SREG, NFT_REG_1);
	put_number(batch, NFTA_CMP_OP, how);
	put_value(batch, NFTA_CMP_DATA, data, len);
	end_expression(batch, at);
}

static void put_from(struct netlink *batch, const struct bridge *bridge)
{
	uint32_t mask = htonl(UINT32_MAX << (32 - bridge->prefix));
	uint32_t subnet = htonl(bridge->subnet);
	uint32_t none = 0;
	struct expression at = begin_expression(batch, "payload");

	put_number(batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
	put_number(batch, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	put_number(batch, NFTA_PAYLOAD_OFFSET, SADDR_OFFSET);
	put_number(batch, NFTA_PAYLOAD_LEN, ADDRESS_BYTES);
	end_expression(batch, at);
	at = begin_expression(batch, "bitwise");
	put_number(batch, NFTA_BITWISE_SREG, NFT_REG_1);
	put_number(batch, NFTA_BITWISE_DREG, NFT_REG_1);
	put_number(batch, NFTA_BITWISE_LEN, ADDRESS_BYTES);
	put_value(batch, NFTA_BITWISE_MASK, &mask, sizeof(mask));
	put_value(batch, NFTA_BITWISE_XOR, &none, sizeof(none));
	end_expression(batch, at);
	put_compare(batch, NFT_CMP_EQ, &subnet, sizeof(subnet));
}

static void put_elsewhere(struct netlink *batch, const struct bridge *bridge)
{
	char name[IFNAMSIZ] = {0};
	struct expression at = begin_expression(batch, "meta");

	put_number(batch, NFTA_META_DREG, NFT_REG_1);
	put_number(batch, NFTA_META_KEY, NFT_META_OIFNAME);
	end_expression(batch, at);
	(void)snprintf(name, sizeof(name), "%s", bridge->name);
	put_compare(batch, NFT_CMP_NEQ, name, sizeof(name));
}

static void put_rule(struct netlink *batch, const struct bridge *bridge)
{
	size_t all;

	begin(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);
	netlink_put_str(batch, NFTA_RULE_TABLE, bridge->name);
	netlink_put_str(batch, NFTA_RULE_CHAIN, CHAIN);
	all = netlink_nest(batch, NFTA_RULE_EXPRESSIONS);
	put_from(batch, bridge);
	put_elsewhere(batch, bridge);
	end_expression(batch, begin_expression(batch, "masq"));
	netlink_nest_end(batch, all);
}

/* Switches forwarding on if it is off: the setting belongs to the machine. */
static int forward(void)
{
	AUTO(fd_close) int fd = open(FORWARD, O_RDWR | O_CLOEXEC);
	char is = '0';

	if (fd < 0 || read(fd, &is, 1) != 1)
		return errno;
	return is != '1' && write(fd, "1", 1) != 1 ? errno : 0;
}

int bridge_share(const struct bridge *bridge, struct err *err)
{
	AUTO(fd_close) int fd = netlink_open(NETLINK_NETFILTER);
	struct netlink batch = {0};
	int number;

	if (fd < 0)
		return err_errno(err, errno, "nf_tables");
	put_edge(&batch, NFNL_MSG_BATCH_BEGIN);
	put_table(&batch, bridge->name);
	put_chain(&batch, bridge->name);
	put_rule(&batch, bridge);
	put_edge(&batch, NFNL_MSG_BATCH_END);
	number = netlink_ask(fd, &batch);
	if (number)
		return err_errno(err, number, "nf_tables");
	number = forward();
	return number ? err_errno(err, number, FORWARD) : 0;
}

int bridge_unshare(const struct bridge *bridge, struct err *err)
{
	AUTO(fd_close) int fd = netlink_open(NETLINK_NETFILTER);
	struct netlink batch = {0};
	int number;

	if (fd < 0)
		return err_errno(err, errno, "nf_tables");
	put_edge(&batch, NFNL_MSG_BATCH_BEGIN);
	put_no_table(&batch, bridge->name, NLM_F_ACK);
	put_edge(&batch, NFNL_MSG_BATCH_END);
	number = netlink_ask(fd, &batch);
	return number ? err_errno(err, number, "nf_tables") : 0;
}
