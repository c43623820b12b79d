/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/hosts.h: what a pod finds in /etc/hosts and /etc/resolv.conf. */
#include "node/pod/hosts.h"

#include "folder.h"
#include "pods.h"
#include "tap.h"

#define WORLD                                                                             \
	"pods:\n"                                                                         \
	"- metadata: {name: job-w-0, namespace: ns, uid: self, labels: {app: w}}\n"       \
	"  spec: {hostname: job-w-0, subdomain: job}\n"                                   \
	"  status: {podIP: 10.0.0.1, phase: Running}\n"                                   \
	"- metadata: {name: job-w-1, namespace: ns, uid: u2, labels: {app: w}}\n"         \
	"  spec: {hostname: job-w-1, subdomain: job}\n"                                   \
	"  status: {podIP: 10.0.0.2, phase: Running, conditions: [{type: Ready, status: " \
	"'True'}]}\n"                                                                     \
	"- metadata: {name: ended, namespace: ns, uid: u3, labels: {app: w}}\n"           \
	"  spec: {hostname: ended, subdomain: job}\n"                                     \
	"  status: {podIP: 10.0.0.3, phase: Succeeded}\n"                                 \
	"- metadata: {name: far, namespace: other, uid: u4, labels: {app: w}}\n"          \
	"  spec: {hostname: far, subdomain: job}\n"                                       \
	"  status: {podIP: 10.0.0.4, phase: Running}\n"                                   \
	"- metadata: {name: young, namespace: ns, uid: u5}\n"                             \
	"  spec: {hostname: young, subdomain: job}\n"                                     \
	"- metadata: {name: plain, namespace: ns, uid: u6}\n"                             \
	"  status: {podIP: 10.0.0.6, phase: Running}\n"                                   \
	"services:\n"                                                                     \
	"- metadata: {name: web, namespace: ns}\n"                                        \
	"  spec: {clusterIP: 10.96.0.5, selector: {app: w}}\n"                            \
	"- metadata: {name: job, namespace: ns}\n"                                        \
	"  spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: w}}\n" \
	"- metadata: {name: outside, namespace: ns}\n"                                    \
	"  spec: {clusterIP: 10.96.0.6}\n"

enum { LIST = 8 };

static void test_hosts(const char *spec, const char *want)
{
	AUTO(pods_close) struct pods pods;
	AUTO(json_doc_unref) struct json_doc *doc = pods_yaml(WORLD);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf pod = BUF_UNBOUNDED;
	struct hosts_pod peers[LIST];
	struct json services[LIST];
	struct hosts_world world = {peers, 0, services, 0, NULL};
	struct json_iter it = json_iter(json_get(json_doc_root(doc), "pods"));

	while (json_next(&it))
		peers[world.n_pods++] = (struct hosts_pod){
			it.value, json_str(json_get(json_get(it.value, "status"), "podIP"))};
	it = json_iter(json_get(json_doc_root(doc), "services"));
	while (json_next(&it))
		services[world.n_services++] = it.value;
	buf_printf(&pod, "metadata: {name: job-w-0, namespace: ns, uid: self}\nspec: {%s}\n", spec);
	pods_open(&pods, buf_text(&pod), NULL);
	hosts_print(&pods.pod, STR("10.0.0.1"), &world, STR("127.0.0.1 machine"), &text);
	is(buf_text(&text), want);
	buf_clear(&text);
	world.api = "10.9.0.1";
	hosts_print(&pods.pod, STR("10.0.0.1"), &world, STR("127.0.0.1 machine"), &text);
	ok(strstr(buf_text(&text),
		  "\n10.9.0.1\tkubernetes.default.svc\tkubernetes.default.svc.cluster.local\t"
		  "kubernetes.default\n"),
	   "the API server by its names");
}

#define HEAD                                          \
	"# Kubernetes-managed hosts file.\n"          \
	"127.0.0.1\tlocalhost\n"                      \
	"::1\tlocalhost ip6-localhost ip6-loopback\n" \
	"fe00::0\tip6-localnet\n"                     \
	"fe00::0\tip6-mcastprefix\n"                  \
	"fe00::1\tip6-allnodes\n"                     \
	"fe00::2\tip6-allrouters\n"
#define PEERS                                                           \
	"10.0.0.2\tjob-w-1.job\tjob-w-1.job.ns\tjob-w-1.job.ns.svc"     \
	"\tjob-w-1.job.ns.svc.cluster.local\n"                          \
	"10.0.0.2\tweb\tweb.ns\tweb.ns.svc\tweb.ns.svc.cluster.local\n" \
	"10.0.0.1\tjob\tjob.ns\tjob.ns.svc\tjob.ns.svc.cluster.local\n" \
	"10.0.0.2\tjob\tjob.ns\tjob.ns.svc\tjob.ns.svc.cluster.local\n"

static void test_resolv(const char *spec, const char *machine, const char *want)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf pod = BUF_UNBOUNDED;

	buf_printf(&pod, "metadata: {name: p, namespace: ns}\nspec: {%s}\n", spec);
	pods_open(&pods, buf_text(&pod), NULL);
	hosts_print_resolv(&pods.pod, str_from(machine), &text);
	is(buf_text(&text), want);
}

static void test_write(void)
{
	struct err err = {0};
	struct stat before, after;
	bool changed = false;
	struct folder in;

	folder_open(&in);
	ok(hosts_write(folder_at(&in, "hosts"), STR("a long text\n"), &changed, &err) == 0 &&
		   changed,
	   "a file %s", err.text);
	assert(stat(folder_at(&in, "hosts"), &before) == 0);
	ok(hosts_write(folder_at(&in, "hosts"), STR("short\n"), &changed, &err) == 0 && changed,
	   "another content %s", err.text);
	is(folder_read(&in, "hosts"), "short\n");
	ok(stat(folder_at(&in, "hosts"), &after) == 0 && before.st_ino == after.st_ino &&
		   (after.st_mode & 0777) == 0644,
	   "in the same file");
	ok(hosts_write(folder_at(&in, "hosts"), STR("short\n"), &changed, &err) == 0 && !changed,
	   "the same again is nothing");
	folder_close(&in);
}

static void test_name(const char *meta, const char *want)
{
	AUTO(pods_close) struct pods pods;

	pods_open(&pods, meta, NULL);
	is(arena_str(pods.arena, hosts_name(&pods.pod)).ptr, want);
}

int main(void)
{
	test_hosts("hostname: job-w-0, subdomain: job",
		   HEAD "10.0.0.1\tjob-w-0.job.ns.svc.cluster.local\tjob-w-0.job\tjob-w-0.job.ns"
			"\tjob-w-0.job.ns.svc\tjob-w-0\n" PEERS);
	test_hosts("hostAliases: [{ip: 1.2.3.4, hostnames: [a, b]}]",
		   HEAD "10.0.0.1\tjob-w-0\n" PEERS
			"\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n");
	test_hosts("hostNetwork: true",
		   "# Kubernetes-managed hosts file (host network).\n127.0.0.1 machine\n" PEERS);
	test_resolv("", "# x\nnameserver 1.1.1.1\nsearch home\noptions ndots:2\n",
		    "search home\n"
		    "nameserver 1.1.1.1\noptions ndots:2\n");
	test_resolv("dnsPolicy: Default", "nameserver 1.1.1.1\nnameserver 8.8.8.8\n",
		    "nameserver 1.1.1.1\nnameserver 8.8.8.8\n");
	test_resolv("dnsPolicy: None, dnsConfig: {nameservers: [9.9.9.9], searches: [a, b], "
		    "options: [{name: ndots, value: '3'}, {name: edns0}]}",
		    "nameserver 1.1.1.1\n",
		    "search a b\nnameserver 9.9.9.9\noptions ndots:3 edns0\n");
	test_write();
	test_name("metadata: {name: p}", "p");
	test_name("{metadata: {name: p}, spec: {hostname: h}}", "h");
	test_name("metadata: {name: "
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-b}",
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	return tap_done();
}
