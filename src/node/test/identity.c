/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_identity.h: securityContext as users, groups, capabilities and limits; what is refused. */
#include <inttypes.h>

#include "base/buf.h"
#include "folder.h"
#include "node/machine/oom_score.h"
#include "node/pod/pod_identity.h"
#include "pods.h"
#include "tap.h"

/* A node: an ordinary user's, root's, one that permits root, one with images. */
enum node { ROOT, USER = 1000, ALLOWS, IMAGES, ALLOWS_IMAGES };

static void put_id(struct buf *to, int64_t id)
{
	if (id > 1000000)
		buf_puts(to, "own");
	else
		buf_printf(to, "%" PRId64, id);
}

/* "uid gid groups capabilities flags", or the error. `pod` and `own` are securityContexts. */
static const char *identity_of(const char *pod, const char *own, enum node which, struct buf *to)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	int64_t uid = which == USER ? USER : 0;
	struct folder in;
	struct pod_identity_node node = {.uid = uid,
					 .gid = uid,
					 .default_first = 0x70000000,
					 .default_count = 1000,
					 .allow_root = which == ALLOWS || which == ALLOWS_IMAGES,
					 .images = which == IMAGES || which == ALLOWS_IMAGES};
	struct plan_identity identity = {0};
	struct err err = {0};

	folder_open(&in);
	folder_write(&in, "passwd",
		     "root:x:0:0::/:/bin/sh\ndaemon:x:1:1::/:/bin/sh\n"
		     "alice:x:1001:1001::/:/bin/sh\n");
	folder_write(&in, "group", "root:x:0:\ndisk:x:6:\nnobody:x:65534:\n");
	node.users = folder_at(&in, "passwd");
	node.groups = folder_at(&in, "group");
	buf_printf(&text,
		   "metadata: {name: p, namespace: ns, uid: u}\n"
		   "spec:\n"
		   "  securityContext: {%s}\n"
		   "  containers: [{name: c, securityContext: {%s}}]\n",
		   pod, own);
	pods_open(&pods, buf_text(&text), NULL);
	buf_clear(to);
	if (pod_identity_make(&pods.pod, &pods.pod.spec.containers.ptr[0], &node, pods.arena,
			      &identity, &err) < 0) {
		buf_puts(to, err.text);
		folder_close(&in);
		return buf_text(to);
	}
	put_id(to, identity.uid);
	buf_putc(to, ':');
	put_id(to, identity.gid);
	buf_puts(to, " [");
	for (size_t i = 0; i < identity.n_groups; i++)
		buf_printf(to, "%s%u", i ? " " : "", identity.groups[i]);
	buf_printf(to, "] %" PRIx64 "%s", identity.keep_capabilities,
		   identity.no_new_privs ? " nnp" : "");
	folder_close(&in);
	return buf_text(to);
}

static void test_make(void)
{
	static const struct {
		const char *pod, *own;
		enum node node;
		const char *want;
	} rows[] = {
		{"", "", ROOT, "own:own [] a00425fb nnp"},
		{"", "", ALLOWS, "own:own [] a00425fb nnp"},
		{"", "", USER, "-1:-1 [] a00425fb nnp"},
		{"", "", IMAGES, "-1:-1 [] a00425fb"},
		{"runAsUser: 7", "", ROOT, "7:own [] a00425fb nnp"},
		{"runAsUser: 7", "", IMAGES, "7:0 [] a00425fb nnp"},
		{"runAsUser: 1", "", IMAGES, "1:0 [] a00425fb nnp"},
		{"runAsUser: 1001", "", ROOT, "1001:own [] a00425fb nnp"},
		{"runAsUser: 65534, runAsGroup: 65534", "", ROOT, "65534:65534 [] a00425fb nnp"},
		{"runAsUser: 0", "", ALLOWS, "0:0 [] a00425fb"},
		{"runAsUser: 0", "", ALLOWS_IMAGES, "0:0 [] a00425fb"},
		{"runAsUser: 1, runAsGroup: 6", "", ALLOWS, "1:6 [] a00425fb nnp"},
		{"runAsUser: 7, runAsGroup: 8, supplementalGroups: [3, 4], fsGroup: 5", "", ROOT,
		 "7:8 [5 3 4] a00425fb nnp"},
		{"runAsUser: 7", "runAsUser: 9, runAsGroup: 1, allowPrivilegeEscalation: true",
		 ROOT, "9:1 [] a00425fb"},
		{"", "allowPrivilegeEscalation: false", ROOT, "own:own [] a00425fb nnp"},
		{"", "runAsGroup: 7", ROOT, "own:7 [] a00425fb nnp"},
		{"runAsUser: 1000, runAsGroup: 1000", "", USER, "-1:-1 [] a00425fb nnp"},
		{"", "capabilities: {drop: [ALL]}", ROOT, "own:own [] 0 nnp"},
		{"", "capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}", ROOT,
		 "own:own [] 400 nnp"},
		{"", "capabilities: {add: [CAP_SYS_ADMIN], drop: [chown]}", ALLOWS,
		 "own:own [] a02425fa nnp"},
		{"", "capabilities: {add: [ALL]}", ALLOWS, "own:own [] ffffffffffffffff nnp"},
		{"", "privileged: true, runAsUser: 0", ALLOWS, "0:0 [] ffffffffffffffff"},
		{"runAsNonRoot: true", "", USER, "-1:-1 [] a00425fb nnp"},
		{"runAsNonRoot: true", "", ROOT, "own:own [] a00425fb nnp"},
		{"runAsNonRoot: true, runAsUser: 0", "runAsUser: 5", ROOT, "5:own [] a00425fb nnp"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		printf("# {%s} {%s} by %d\n", rows[i].pod, rows[i].own, (int)rows[i].node);
		is(identity_of(rows[i].pod, rows[i].own, rows[i].node, &text), rows[i].want);
	}
}

static void test_default(void)
{
	static const struct {
		const char *map;
		int64_t first, count;
	} rows[] = {
		{"         0          0 4294967295\n", 0x70000000, 0x10000000},
		{"0 100000 65536\n", 32768, 31744},
		{"0 1000 1\n1 100000 65536\n", 32769, 31744},
		{"0 1000 1\n", 0, 0},
		{"", 0, 0},
		{"x y z\n0 1\n", 0, 0},
	};
	struct pod_identity_node node = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		pod_identity_find_defaults(str_from(rows[i].map), &node);
		ok(node.default_first == rows[i].first && node.default_count == rows[i].count,
		   "users of \"%s\": %" PRId64 " %" PRId64, rows[i].map, node.default_first,
		   node.default_count);
	}
	ok(pod_identity_default(&node, STR("a")) == 0,
	   "where there are none a pod runs as the node");
	pod_identity_find_defaults(STR("0 0 4294967295"), &node);
	ok(pod_identity_default(&node, STR("a")) != pod_identity_default(&node, STR("b")) &&
		   pod_identity_default(&node, STR("a")) == pod_identity_default(&node, STR("a")) &&
		   pod_identity_default(&node, STR("")) >= 0x70000000 &&
		   pod_identity_default(&node, STR("default")) <= INT32_MAX,
	   "every namespace has a number of its own, which is always the same");
	node.uid = 1000;
	ok(pod_identity_default(&node, STR("a")) == 0, "an ordinary user has none to give");
}

#define ONLY "; only a node that was started with --allow-root-pods permits that"

static void test_refused(void)
{
	static const struct {
		const char *pod, *own;
		enum node node;
		const char *want;
	} rows[] = {
		{"runAsNonRoot: true, runAsUser: 0", "", ROOT,
		 "container's runAsUser breaks non-root policy (pod: \"p_ns(u)\", container: c)"},
		{"runAsUser: 0", "", ROOT, "securityContext.runAsUser: 0 is root" ONLY},
		{"runAsUser: 0", "", IMAGES, "securityContext.runAsUser: 0 is root" ONLY},
		{"", "runAsUser: 0", ROOT, "securityContext.runAsUser: 0 is root" ONLY},
		{"runAsUser: 1", "", ROOT,
		 "securityContext.runAsUser: 1 is a user of the system" ONLY},
		{"runAsGroup: 0", "", ROOT, "securityContext.runAsGroup: 0 is root" ONLY},
		{"runAsUser: 7, runAsGroup: 6", "", ROOT,
		 "securityContext.runAsGroup: 6 is a group of the system" ONLY},
		{"supplementalGroups: [77, 6]", "", ROOT,
		 "securityContext.supplementalGroups: 6 is a group of the system" ONLY},
		{"fsGroup: 0", "", ROOT, "securityContext.fsGroup: 0 is root" ONLY},
		{"", "privileged: true", ROOT,
		 "securityContext.privileged: needs a node that was started with "
		 "--allow-root-pods"},
		{"", "capabilities: {add: [SYS_ADMIN]}", ROOT,
		 "securityContext.capabilities.add: needs a node that was started with "
		 "--allow-root-pods"},
		{"", "capabilities: {add: [ALL]}", IMAGES,
		 "securityContext.capabilities.add: needs a node that was started with "
		 "--allow-root-pods"},
		{"runAsUser: 7", "", USER,
		 "securityContext.runAsUser: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"", "runAsGroup: 7", USER,
		 "securityContext.runAsGroup: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"fsGroup: 7", "", USER,
		 "securityContext.fsGroup: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"supplementalGroups: [7]", "", USER,
		 "securityContext.supplementalGroups: 7 needs a node that runs as root; this one "
		 "runs as 1000"},
		{"", "privileged: true", USER,
		 "securityContext.privileged: needs a node that runs as root"},
		{"", "capabilities: {add: [SYS_TIME]}", USER,
		 "securityContext.capabilities.add: needs a node that runs as root"},
		{"", "capabilities: {add: [FLY]}", ALLOWS,
		 "securityContext.capabilities.add[0]: unknown capability \"FLY\""},
		{"", "capabilities: {drop: [KILL, FLY]}", ROOT,
		 "securityContext.capabilities.drop[1]: unknown capability \"FLY\""},
		{"runAsUser: 4294967296", "", ROOT,
		 "securityContext.runAsUser: 4294967296 is not an id"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		is(identity_of(rows[i].pod, rows[i].own, rows[i].node, &text), rows[i].want);
	}
}

static void test_home(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct folder in;

	folder_open(&in);
	folder_write(&in, "passwd",
		     "root:x:0:0:root:/root:/bin/sh\n"
		     "broken\n"
		     "none:x:5:5:::\n"
		     "me:x:1000:1000:Me,,,:/home/me:/bin/bash\n");
	is(pod_identity_home_directory(folder_at(&in, "passwd"), 0, arena), "/root");
	is(pod_identity_home_directory(folder_at(&in, "passwd"), 1000, arena), "/home/me");
	is(pod_identity_home_directory(folder_at(&in, "passwd"), 5, arena), "/");
	is(pod_identity_home_directory(folder_at(&in, "passwd"), 77, arena), "/");
	is(pod_identity_home_directory(folder_at(&in, "absent"), 0, arena), "/");
	folder_close(&in);
}

static void test_oom(void)
{
	static const struct {
		const char *spec;
		int want;
	} rows[] = {
		{"containers: [{name: c}]", 1000},
		{"containers: [{name: c, resources: {requests: {memory: 100Mi}}}]", 900},
		{"containers: [{name: c, resources: {requests: {memory: 1000Mi}}}]", 3},
		{"containers: [{name: c, resources: {requests: {cpu: 1}}}]", 999},
		{"containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Mi}}}]", -997},
		{"priority: 2000001000, containers: [{name: c}]", -997},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(pods_close) struct pods pods;
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		buf_printf(&text, "spec: {%s}\n", rows[i].spec);
		pods_open(&pods, buf_text(&text), NULL);
		ok(oom_score(&pods.pod, &pods.pod.spec.containers.ptr[0], INT64_C(1000) << 20) ==
			   rows[i].want,
		   "%s: %d", rows[i].spec, rows[i].want);
	}
}

static void test_here(void)
{
	struct pod_identity_node node = pod_identity_node_here(5);

	ok(node.uid == (int64_t)geteuid() && node.memory == 5, "the node is who runs it");
	ok(node.max_files > 0 && node.max_processes > 0, "and gives what it has");
}

int main(void)
{
	test_here();
	test_make();
	test_default();
	test_refused();
	test_home();
	test_oom();
	ok(pod_identity_capability(STR("CAP_CHECKPOINT_RESTORE")) == 40 &&
		   pod_identity_capability(STR("bpf")) == 39 &&
		   pod_identity_capability(STR("")) == -1,
	   "capabilities by name");
	return tap_done();
}
