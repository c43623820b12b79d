/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/network.h: addresses that stay, and, in namespaces that the test makes for itself, a bridge with
 * pods that reach one another. */
#include "node/net/network.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "folder.h"
#include "node/net/netns.h"
#include "tap.h"

enum { PORT = 4242 };

static void test_loopback(void)
{
	struct network_options options;
	struct network_pod first = {0}, second = {0}, again = {0}, host = {0}, third = {0};
	struct network *network;
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_mkdir(&in, "pods/a");
	folder_mkdir(&in, "pods/b");
	folder_mkdir(&in, "pods/c");
	options = (struct network_options){.folder = in.path};
	network = network_open(&options, &err);
	ok(network && !network_has_bridge(network) && !network_lacks(network),
	   "a network on loopback %s", err.text);
	is(network_host_address(network), "127.0.0.1");
	ok(network_pod_make(network, "a", false, &first, &err) == 0 &&
		   strncmp(first.address, "127.", 4) == 0 && !first.netns,
	   "a pod has %s", first.address);
	ok(network_pod_make(network, "b", false, &second, &err) == 0 &&
		   strcmp(first.address, second.address) != 0,
	   "another one has %s", second.address);
	ok(network_pod_make(network, "h", true, &host, &err) == 0, "hostNetwork");
	is(host.address, "127.0.0.1");
	network_close(network);

	network = network_open(&options, &err);
	ok(network_pod_make(network, "c", false, &third, &err) == 0 &&
		   strcmp(third.address, first.address) != 0 &&
		   strcmp(third.address, second.address) != 0,
	   "after a restart a new pod gets none of them: %s", third.address);
	ok(network_pod_make(network, "a", false, &again, &err) == 0, "and an old one");
	is(again.address, first.address);
	ok(network_pod_remove(network, "a", &err) == 0 &&
		   network_pod_remove(network, "a", &err) == 0,
	   "a pod goes, twice is fine %s", err.text);
	ok(network_pod_make(network, "a", false, &again, &err) == 0 &&
		   strcmp(again.address, first.address) != 0,
	   "its address is not given away at once");
	network_close(network);
	folder_close(&in);
}

/* --- with a bridge --- */

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	(void)close(fd);
}

/* Namespaces of the test's own, as any user. */
static bool enter(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char text[64];

	if (unshare((uid ? CLONE_NEWUSER : 0) | CLONE_NEWNET | CLONE_NEWNS) < 0)
		return false;
	if (uid) {
		write_text("/proc/self/setgroups", "deny");
		(void)snprintf(text, sizeof(text), "0 %u 1", uid);
		write_text("/proc/self/uid_map", text);
		(void)snprintf(text, sizeof(text), "0 %u 1", gid);
		write_text("/proc/self/gid_map", text);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};

	assert(inet_pton(AF_INET, text, &address.sin_addr) == 1);
	return address;
}

/* In the namespace of a pod: 0 when `work` went well. */
static pid_t start_in(const char *netns, int (*work)(const char *address, int ready),
		      const char *address, int ready)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd = netns ? open(netns, O_RDONLY | O_CLOEXEC) : -1;

		if (netns && setns(fd, CLONE_NEWNET) < 0)
			_exit(9);
		_exit(work(address, ready));
	}
	return pid;
}

static int serve(const char *text, int ready)
{
	struct sockaddr_in address = address_of(text);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int yes = 1;
	int guest;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 8) < 0 ||
	    write(ready, "x", 1) != 1)
		return 1;
	for (int i = 0; i < 2; i++) {
		guest = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (guest < 0 || write(guest, "hello", 5) != 5)
			return 2;
		(void)close(guest);
	}
	return 0;
}

static int visit(const char *text, int ready)
{
	struct sockaddr_in address = address_of(text);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char answer[8] = "";

	(void)ready;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    recv(fd, answer, 5, MSG_WAITALL) != 5)
		return 1;
	return strcmp(answer, "hello") != 0;
}

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_talk(const struct network_pod *server, const struct network_pod *guest)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert(pipe2(ends, O_CLOEXEC) == 0);
	pid = start_in(server->netns, serve, server->address, ends[1]);
	(void)close(ends[1]);
	if (read(ends[0], &byte, 1) != 1) {
		ok(false, "the server listens (%d)", status_of(pid));
		(void)close(ends[0]);
		return;
	}
	(void)close(ends[0]);
	ok(status_of(start_in(guest->netns, visit, server->address, -1)) == 0,
	   "a pod reaches another one at %s", server->address);
	ok(status_of(start_in(NULL, visit, server->address, -1)) == 0, "and so does the machine");
	ok(status_of(pid) == 0, "the server has had both");
}

/* False: there are none to be had. */
static bool test_bridge(void)
{
	struct network_pod first = {0}, second = {0}, again = {0};
	struct network_options options;
	struct network *network;
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_mkdir(&in, "pods/a");
	folder_mkdir(&in, "pods/b");
	options = (struct network_options){.folder = in.path, .bridge = true};
	network = network_open(&options, &err);
	assert(network);
	if (!network_has_bridge(network)) {
		ok(true, "a bridge # SKIP %s", network_lacks(network));
		network_close(network);
		folder_close(&in);
		return false;
	}
	ok(!network_lacks(network), "a bridge that reaches out %s",
	   network_lacks(network) ? network_lacks(network) : "");
	ok(strncmp(network_host_address(network), "10.20", 5) == 0, "the machine is at %s",
	   network_host_address(network));
	ok(network_pod_make(network, "a", false, &first, &err) == 0 &&
		   network_pod_make(network, "b", false, &second, &err) == 0,
	   "two pods: %s and %s %s", first.address, second.address, err.text);
	ok(netns_is(first.netns) && netns_is(second.netns), "each in a namespace of its own");
	test_talk(&first, &second);
	network_close(network);

	network = network_open(&options, &err);
	ok(network && network_pod_make(network, "a", false, &again, &err) == 0,
	   "found again after a restart %s", err.text);
	is(again.address, first.address);
	test_talk(&again, &second);
	ok(network_pod_remove(network, "a", &err) == 0 && !netns_is(first.netns) &&
		   network_pod_remove(network, "b", &err) == 0 && access(second.netns, F_OK) < 0 &&
		   network_pod_remove(network, "b", &err) == 0,
	   "namespaces go %s", err.text);
	ok(network_remove(network, &err) == 0 && network_remove(network, &err) == 0,
	   "and the bridge %s", err.text);
	network_close(network);
	network_pod_done(&first);
	network_pod_done(&second);
	network_pod_done(&again);
	folder_close(&in);
	return true;
}

static unsigned find_bridge(const char *folder)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "vc-%08x", (unsigned)hash_fnv1a_64(str_from(folder)));
	return if_nametoindex(name);
}

/* Homes that were killed and deleted. */
static void test_orphans(void)
{
	struct folder gone, there, in;
	const struct folder *all[] = {&gone, &there, &in};
	struct network *networks[ARRAY_LEN(all)];
	struct network_pod pod = {0};
	struct err err = {0};

	folder_open(&gone);
	folder_open(&there);
	folder_open(&in);
	folder_mkdir(&there, "pods/a");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (i == 2)
			folder_close(&gone);
		networks[i] = network_open(
			&(struct network_options){.folder = all[i]->path, .bridge = true}, &err);
		assert(networks[i]);
	}
	ok(find_bridge(gone.path) == 0,
	   "a bridge is removed when its data directory no longer exists");
	ok(find_bridge(there.path) && find_bridge(in.path), "others stay");
	ok(network_remove(networks[1], &err) == 0 &&
		   network_pod_make(networks[1], "a", false, &pod, &err) == 0 &&
		   find_bridge(there.path),
	   "one that was taken away is made again for the next pod %s", err.text);
	ok(network_pod_remove(networks[1], "a", &err) == 0, "which goes %s", err.text);
	for (size_t i = 1; i < ARRAY_LEN(all); i++)
		ok(network_remove(networks[i], &err) == 0, "it goes %s", err.text);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		network_close(networks[i]);
	network_pod_done(&pod);
	folder_close(&there);
	folder_close(&in);
}

int main(void)
{
	bool bridges;

	test_loopback();
	if (enter()) {
		bridges = test_bridge();
		if (bridges)
			test_orphans();
	} else
		ok(true, "a bridge # SKIP the kernel forbids namespaces here");
	return tap_done();
}
