/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/network.c - addresses of pods.
 *
 * Addresses are used in turn, so that a released address is not given to another pod at once. A pod's address file
 * is written last: a namespace without it is incomplete, and is made again. */
#include "node/net/network.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "node/net/bridge.h"
#include "node/net/netlink.h"
#include "node/net/netns.h"

#include "base/banned.h"

/* 128 subnets of 4096 addresses in 10.200.0.0/13; 254 of 65536 in 127.0.0.0/8. */
enum {
	BRIDGE_BITS = 20,
	BRIDGE_CHOICES = 128,
	LOOPBACK_BITS = 16,
	LOOPBACK_CHOICES = 254,
	FIRST_HOST = 2, /* after the network and the bridge */
	TEXT_MAX = 256,
	NAME_SIZE = 16,
};
#define BRIDGE_NET UINT32_C(0x0ac80000)
#define PREFIX "vc-"
#define LOOPBACK_NET UINT32_C(0x7f000000)

struct network {
	const char *folder;
	char name[NAME_SIZE]; /* of the bridge */
	struct bridge bridge; /* subnet and prefix are those of either mode */
	bool has_bridge;
	char *lacks;
	char host[NETWORK_ADDRESS_SIZE];
	uint32_t next;
	uint64_t *used; /* one bit per host */
};

/* --- addresses --- */

static void print_address(uint32_t address, char text[NETWORK_ADDRESS_SIZE])
{
	(void)snprintf(text, NETWORK_ADDRESS_SIZE, "%u.%u.%u.%u", address >> 24,
		       address >> 16 & 255U, address >> 8 & 255U, address & 255U);
}

static bool parse_address(struct str text, uint32_t *ret)
{
	uint32_t address = 0;
	struct str part;
	int64_t value;
	int parts = 0;

	for (; str_split(&text, '.', &part); parts++) {
		if (number_parse_range(part, 0, 255, &value, NULL) < 0)
			return false;
		address = address << 8 | (uint32_t)value;
	}
	*ret = address;
	return parts == 4;
}

static uint32_t hosts_of(const struct network *network)
{
	return UINT32_C(1) << (32 - network->bridge.prefix);
}

static bool is_ours(const struct network *network, uint32_t address)
{
	return (address & ~(hosts_of(network) - 1)) == network->bridge.subnet;
}

static void mark(struct network *network, uint32_t address, bool used)
{
	uint32_t host = address - network->bridge.subnet;
	uint64_t bit = UINT64_C(1) << (host % 64);

	if (used)
		network->used[host / 64] |= bit;
	else
		network->used[host / 64] &= ~bit;
}

static int take_address(struct network *network, uint32_t *ret, struct err *err)
{
	uint32_t last = hosts_of(network) - 1; /* for broadcasts */

	for (uint32_t tried = FIRST_HOST; tried < last; tried++) {
		uint32_t host = network->next;

		network->next = host + 1 < last ? host + 1 : FIRST_HOST;
		if (network->used[host / 64] & UINT64_C(1) << (host % 64))
			continue;
		*ret = network->bridge.subnet + host;
		mark(network, *ret, true);
		return 0;
	}
	return err_set(err, ERR_UNAVAILABLE, "all %u addresses of pods are taken",
		       last - FIRST_HOST);
}

/* --- files --- */

static char *path_of(const struct network *network, const char *uid, const char *name)
{
	return mem_printf("%s/pods/%s/%s", network->folder, uid, name);
}

static bool read_address(const struct network *network, const char *uid, uint32_t *ret)
{
	AUTO(mem_free) char *path = path_of(network, uid, "address");
	AUTO(buf_done) struct buf text = BUF_INIT(TEXT_MAX);

	return fd_read_file(path, &text, NULL) == 0 &&
	       parse_address(str_trim(buf_str(&text)), ret) && is_ours(network, *ret);
}

static int write_address(const struct network *network, const char *uid, const char *address,
			 struct err *err)
{
	AUTO(mem_free) char *path = path_of(network, uid, "address");
	AUTO(fd_close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	/* Not synced: a pod's processes do not survive a crash of the machine either. */
	if (fd < 0 || write(fd, address, strlen(address)) != (ssize_t)strlen(address))
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Reads the addresses of pods from before this process. */
static void find_pods(struct network *network)
{
	AUTO(mem_free) char *folder = mem_printf("%s/pods", network->folder);
	struct dirent **entries = NULL;
	int len = scandir(folder, &entries, NULL, NULL);

	for (int i = 0; i < len; i++) {
		uint32_t address;

		if (read_address(network, entries[i]->d_name, &address)) {
			mark(network, address, true);
			if (address - network->bridge.subnet >= network->next)
				network->next = address - network->bridge.subnet + 1;
		}
		mem_free(entries[i]);
	}
	mem_free(entries);
	if (network->next >= hosts_of(network) - 1)
		network->next = FIRST_HOST;
}

/* --- opening --- */

/* Reads "10.200.16.0/20", the subnet that was chosen before. */
static bool read_subnet(struct network *network)
{
	AUTO(mem_free) char *path = mem_printf("%s/network", network->folder);
	AUTO(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	struct str rest, address;
	uint32_t subnet;
	int64_t prefix;

	if (fd_read_file(path, &text, NULL) < 0)
		return false;
	rest = str_trim(buf_str(&text));
	if (!str_split(&rest, '/', &address) || !parse_address(address, &subnet) ||
	    number_parse_range(rest, 8, 30, &prefix, NULL) < 0 ||
	    prefix != (int64_t)network->bridge.prefix)
		return false;
	network->bridge.subnet = subnet;
	return true;
}

static int write_subnet(const struct network *network, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/network", network->folder);
	char address[NETWORK_ADDRESS_SIZE];
	char text[TEXT_MAX];
	int len;

	print_address(network->bridge.subnet, address);
	len = snprintf(text, sizeof(text), "%s/%u\n", address, network->bridge.prefix);
	return fd_write_file(path, text, (size_t)len, 0600, err);
}

/* The first free subnet, starting at a number that depends on the folder's name. */
static int choose_subnet(struct network *network, uint64_t hash, struct err *err)
{
	for (uint64_t i = 0; i < BRIDGE_CHOICES; i++) {
		network->bridge.subnet = BRIDGE_NET + ((uint32_t)((hash + i) % BRIDGE_CHOICES)
						       << (32 - BRIDGE_BITS));
		if (!bridge_overlaps(&network->bridge))
			return write_subnet(network, err);
	}
	return err_set(err, ERR_UNAVAILABLE, "every subnet of 10.200.0.0/13 is in use");
}

static int open_bridge(struct network *network, uint64_t hash, struct err *err)
{
	struct err why = {0};

	network->bridge.prefix = BRIDGE_BITS;
	network->bridge.socket = netlink_open(NETLINK_ROUTE);
	if (network->bridge.socket < 0)
		return err_errno(err, errno, "rtnetlink");
	(void)bridge_remove_orphans(network->bridge.socket, PREFIX);
	if (!read_subnet(network) && choose_subnet(network, hash, err) < 0)
		return -1;
	if (bridge_make(&network->bridge, err) < 0)
		return -1;
	if (bridge_share(&network->bridge, &why) < 0)
		network->lacks =
			mem_printf("pods reach only each other and this machine: %s", why.text);
	print_address(network->bridge.subnet + 1, network->host);
	return 0;
}

static void open_loopback(struct network *network, uint64_t hash)
{
	network->bridge.prefix = LOOPBACK_BITS;
	network->bridge.subnet =
		LOOPBACK_NET + ((uint32_t)(1 + hash % LOOPBACK_CHOICES) << LOOPBACK_BITS);
	(void)snprintf(network->host, sizeof(network->host), "127.0.0.1");
}

struct network *network_open(const struct network_options *options, struct err *err)
{
	AUTO(network_close) struct network *network = mem_new(struct network);
	uint64_t hash = hash_fnv1a_64(str_from(options->folder));
	struct err why = {0};

	network->folder = options->folder;
	network->next = FIRST_HOST;
	network->bridge.socket = -1;
	(void)snprintf(network->name, sizeof(network->name), PREFIX "%08" PRIx32, (uint32_t)hash);
	network->bridge.name = network->name;
	network->bridge.owner = network->folder;
	network->has_bridge = options->bridge && open_bridge(network, hash, &why) == 0;
	if (!network->has_bridge)
		open_loopback(network, hash);
	if (options->bridge && !network->has_bridge)
		network->lacks = mem_printf("pods share the machine's network: %s", why.text);
	network->used = mem_calloc(hosts_of(network) / 64, sizeof(uint64_t));
	find_pods(network);
	if (access(network->folder, W_OK) < 0) {
		(void)err_errno(err, errno, "%s", network->folder);
		return NULL;
	}
	return TAKE(network);
}

void network_close(struct network *network)
{
	if (!network)
		return;
	fd_close(network->bridge.socket);
	mem_free(network->lacks);
	mem_free(network->used);
	mem_free(network);
}

bool network_has_bridge(const struct network *network)
{
	return network->has_bridge;
}

const char *network_lacks(const struct network *network)
{
	return network->lacks;
}

const char *network_host_address(const struct network *network)
{
	return network->host;
}

/* --- pods --- */

void network_pod_done(struct network_pod *pod)
{
	mem_free(TAKE(pod->netns));
}

static void cable_name(const char *uid, char name[NAME_SIZE])
{
	(void)snprintf(name, NAME_SIZE, "vc%012" PRIx64,
		       hash_fnv1a_64(str_from(uid)) & UINT64_C(0xffffffffffff));
}

/* Another process may have removed it as unused. */
static int ensure_bridge(const struct network *network, struct err *err)
{
	if (if_nametoindex(network->name))
		return 0;
	if (bridge_make(&network->bridge, err) < 0)
		return -1;
	return network->lacks ? 0 : bridge_share(&network->bridge, err);
}

static int make_namespace(struct network *network, const char *uid, const char *path,
			  uint32_t address, struct err *err)
{
	AUTO(fd_close) int fd = -1;
	AUTO(fd_close) int inside = -1;
	char name[NAME_SIZE];

	cable_name(uid, name);
	if (ensure_bridge(network, err) < 0 || netns_remove(path, err) < 0 ||
	    netns_make(path, &fd, &inside, err) < 0)
		return -1;
	return bridge_connect(&network->bridge, &(struct bridge_cable){name, address, fd, inside},
			      err);
}

int network_pod_make(struct network *network, const char *uid, bool host, struct network_pod *ret,
		     struct err *err)
{
	AUTO(network_pod_done) struct network_pod pod = {0};
	uint32_t address = 0;
	bool known;

	if (host) {
		*ret = (struct network_pod){0};
		(void)snprintf(ret->address, sizeof(ret->address), "%s", network->host);
		return 0;
	}
	pod.netns = network->has_bridge ? path_of(network, uid, "netns") : NULL;
	known = read_address(network, uid, &address);
	if (!known && take_address(network, &address, err) < 0)
		return -1;
	print_address(address, pod.address);
	if (pod.netns && (!known || !netns_is(pod.netns)) &&
	    make_namespace(network, uid, pod.netns, address, err) < 0) {
		if (!known)
			mark(network, address, false);
		return -1;
	}
	if (!known && write_address(network, uid, pod.address, err) < 0) {
		mark(network, address, false);
		return -1;
	}
	*ret = pod;
	pod.netns = NULL;
	return 0;
}

int network_pod_remove(struct network *network, const char *uid, struct err *err)
{
	AUTO(mem_free) char *netns = path_of(network, uid, "netns");
	AUTO(mem_free) char *file = path_of(network, uid, "address");
	uint32_t address;
	char name[NAME_SIZE];

	if (!read_address(network, uid, &address))
		address = 0;
	cable_name(uid, name);
	if (network->has_bridge &&
	    (bridge_disconnect(&network->bridge, name, err) < 0 || netns_remove(netns, err) < 0))
		return -1;
	if (unlink(file) < 0 && errno != ENOENT)
		return err_errno(err, errno, "%s", file);
	if (address)
		mark(network, address, false);
	return 0;
}

int network_remove(struct network *network, struct err *err)
{
	if (!network->has_bridge)
		return 0;
	if (!network->lacks && bridge_unshare(&network->bridge, err) < 0)
		return -1;
	return bridge_remove(&network->bridge, err);
}
