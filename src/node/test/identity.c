/* SPDX-License-Identifier: Apache-2.0 */
/* node/identity.h: securityContext as users, groups, capabilities and limits; what is refused. */
#include "node/identity.h"

#include <inttypes.h>

#include "base/buf.h"
#include "folder.h"
#include "node/oom_score.h"
#include "pods.h"
#include "tap.h"

/* "uid gid groups capabilities flags", or the error. `pod` and `own` are securityContexts. */
static const char *identity_of(const char *pod, const char *own, int64_t uid, struct buf *to)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct identity_node node = {.uid = uid, .gid = uid};
	struct plan_identity identity = {0};
	struct err err = {0};

	buf_printf(&text,
		   "metadata: {name: p, namespace: ns, uid: u}\n"
		   "spec:\n"
		   "  securityContext: {%s}\n"
		   "  containers: [{name: c, securityContext: {%s}}]\n",
		   pod, own);
	pods_open(&pods, buf_text(&text), NULL);
	buf_clear(to);
	if (identity_make(&pods.pod, &pods.pod.spec.containers.ptr[0], &node, pods.arena, &identity,
			  &err) < 0) {
		buf_puts(to, err.text);
		return buf_text(to);
	}
	buf_printf(to, "%" PRId64 ":%" PRId64 " [", identity.uid, identity.gid);
	for (size_t i = 0; i < identity.n_groups; i++)
		buf_printf(to, "%s%u", i ? " " : "", identity.groups[i]);
	buf_printf(to, "] %" PRIx64 "%s", identity.keep_capabilities,
		   identity.no_new_privs ? " nnp" : "");
	return buf_text(to);
}

static void test_make(void)
{
	static const struct {
		const char *pod, *own;
		int64_t uid;
		const char *want;
	} rows[] = {
		{"", "", 0, "-1:-1 [] a00425fb"},
		{"", "", 1000, "-1:-1 [] a00425fb nnp"},
		{"runAsUser: 7", "", 0, "7:0 [] a00425fb nnp"},
		{"runAsUser: 7, runAsGroup: 8, supplementalGroups: [3, 4], fsGroup: 5", "", 0,
		 "7:8 [5 3 4] a00425fb nnp"},
		{"runAsUser: 7", "runAsUser: 9, runAsGroup: 1, allowPrivilegeEscalation: true", 0,
		 "9:1 [] a00425fb"},
		{"", "allowPrivilegeEscalation: false", 0, "-1:-1 [] a00425fb nnp"},
		{"", "runAsGroup: 6", 0, "-1:6 [] a00425fb"},
		{"runAsUser: 1000, runAsGroup: 1000", "", 1000, "-1:-1 [] a00425fb nnp"},
		{"", "capabilities: {drop: [ALL]}", 0, "-1:-1 [] 0"},
		{"", "capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}", 0, "-1:-1 [] 400"},
		{"", "capabilities: {add: [CAP_SYS_ADMIN], drop: [chown]}", 0, "-1:-1 [] a02425fa"},
		{"", "capabilities: {add: [ALL]}", 0, "-1:-1 [] ffffffffffffffff"},
		{"", "privileged: true", 0, "-1:-1 [] ffffffffffffffff"},
		{"runAsNonRoot: true", "", 1000, "-1:-1 [] a00425fb nnp"},
		{"runAsNonRoot: true, runAsUser: 0", "runAsUser: 5", 0, "5:0 [] a00425fb nnp"},
		{"runAsNonRoot: true", "runAsNonRoot: false", 0, "-1:-1 [] a00425fb"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		printf("# {%s} {%s} by %" PRId64 "\n", rows[i].pod, rows[i].own, rows[i].uid);
		is(identity_of(rows[i].pod, rows[i].own, rows[i].uid, &text), rows[i].want);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *pod, *own;
		int64_t uid;
		const char *want;
	} rows[] = {
		{"runAsNonRoot: true", "", 0,
		 "container has runAsNonRoot and image will run as root (pod: \"p_ns(u)\", "
		 "container: c): the node runs as root; say runAsUser"},
		{"runAsNonRoot: true, runAsUser: 0", "", 0,
		 "container's runAsUser breaks non-root policy (pod: \"p_ns(u)\", container: c)"},
		{"runAsUser: 7", "", 1000,
		 "securityContext.runAsUser: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"", "runAsGroup: 7", 1000,
		 "securityContext.runAsGroup: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"fsGroup: 7", "", 1000,
		 "securityContext.fsGroup: 7 needs a node that runs as root; this one runs as "
		 "1000"},
		{"supplementalGroups: [7]", "", 1000,
		 "securityContext.supplementalGroups: 7 needs a node that runs as root; this one "
		 "runs as 1000"},
		{"", "privileged: true", 1000,
		 "securityContext.privileged: needs a node that runs as root"},
		{"", "capabilities: {add: [SYS_TIME]}", 1000,
		 "securityContext.capabilities.add: needs a node that runs as root"},
		{"", "capabilities: {add: [FLY]}", 0,
		 "securityContext.capabilities.add[0]: unknown capability \"FLY\""},
		{"", "capabilities: {drop: [KILL, FLY]}", 0,
		 "securityContext.capabilities.drop[1]: unknown capability \"FLY\""},
		{"runAsUser: 4294967296", "", 0,
		 "securityContext.runAsUser: 4294967296 is not an id"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		is(identity_of(rows[i].pod, rows[i].own, rows[i].uid, &text), rows[i].want);
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
	is(identity_home(folder_at(&in, "passwd"), 0, arena), "/root");
	is(identity_home(folder_at(&in, "passwd"), 1000, arena), "/home/me");
	is(identity_home(folder_at(&in, "passwd"), 5, arena), "/");
	is(identity_home(folder_at(&in, "passwd"), 77, arena), "/");
	is(identity_home(folder_at(&in, "absent"), 0, arena), "/");
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
	struct identity_node node = identity_node_here(5);

	ok(node.uid == (int64_t)geteuid() && node.memory == 5, "the node is who runs it");
	ok(node.max_files > 0 && node.max_processes > 0, "and gives what it has");
}

int main(void)
{
	test_here();
	test_make();
	test_refused();
	test_home();
	test_oom();
	ok(identity_capability(STR("CAP_CHECKPOINT_RESTORE")) == 40 &&
		   identity_capability(STR("bpf")) == 39 && identity_capability(STR("")) == -1,
	   "capabilities by name");
	return tap_done();
}
