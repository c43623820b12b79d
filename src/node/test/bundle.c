/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/bundle.h: the configuration of a runtime. */
#include "node/runtime/bundle.h"

#include "json/doc.h"
#include "json/pointer.h"
#include "tap.h"

#include "base/banned.h"

static const char *const argv[] = {"sh", "-c", "echo \"hi\"", NULL};
static const char *const env[] = {"A=b c", NULL};
static const struct plan_mount mounts[] = {
	{.source = "/v/a", .target = "/a", .read_only = true},
	{.source = "/v/b", .target = "/b"},
	{.fstype = "without", .target = "/dev", .options = "nvidia0"},
	{.fstype = "tmpfs", .target = "/c", .options = "size=4096"},
};
static const uint32_t groups[] = {5, 6};

static struct bundle usual(void)
{
	struct bundle bundle = {.root = "/p/root",
				.argv = {argv, 3},
				.env = {env, 1},
				.folder = "/w",
				.mounts = mounts,
				.n_mounts = 4,
				.identity = plan_identity_none,
				.outer_uid = -1,
				.outer_gid = -1};

	bundle.identity.uid = 7;
	bundle.identity.gid = 8;
	bundle.identity.groups = groups;
	bundle.identity.n_groups = 2;
	bundle.identity.no_new_privs = true;
	bundle.identity.keep_capabilities = UINT64_C(1) << 0 | UINT64_C(1) << 12;
	return bundle;
}

static struct json_doc *print(const struct bundle *bundle)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_doc *doc;
	struct err err = {0};

	bundle_print(bundle, &text);
	doc = json_parse(buf_str(&text), NULL, &err);
	ok(doc != NULL, "it is JSON %s", err.text);
	return doc ? doc : json_doc_new();
}

static void is_at(struct json_doc *doc, const char *at, const char *want)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json value = json_pointer_get(json_doc_root(doc), str_from(at));

	if (!json_is_absent(value))
		json_print(value, JSON_COMPACT, &text);
	ok(str_is(buf_str(&text), want), "%s is %s", at, want);
	if (!str_is(buf_str(&text), want))
		printf("# got %s\n", buf_text(&text));
}

static void test_usual(void)
{
	struct bundle bundle = usual();
	AUTO(json_doc_unref) struct json_doc *doc = print(&bundle);

	is_at(doc, "/process/user", "{\"uid\":7,\"gid\":8,\"additionalGids\":[5,6]}");
	is_at(doc, "/process/args", "[\"sh\",\"-c\",\"echo \\\"hi\\\"\"]");
	is_at(doc, "/process/env", "[\"A=b c\"]");
	is_at(doc, "/process/cwd", "\"/w\"");
	is_at(doc, "/process/terminal", "false");
	is_at(doc, "/process/noNewPrivileges", "true");
	is_at(doc, "/process/capabilities/bounding", "[\"CAP_CHOWN\",\"CAP_NET_ADMIN\"]");
	is_at(doc, "/process/capabilities/effective", "[\"CAP_CHOWN\",\"CAP_NET_ADMIN\"]");
	is_at(doc, "/process/capabilities/ambient", "");
	is_at(doc, "/root", "{\"path\":\"/p/root\",\"readonly\":false}");
	is_at(doc, "/mounts/0/destination", "\"/proc\"");
	is_at(doc, "/mounts/1/options",
	      "[\"nosuid\",\"strictatime\",\"mode=755\",\"size=65536k\"]");
	is_at(doc, "/mounts/6",
	      "{\"destination\":\"/a\",\"type\":\"bind\",\"source\":\"/v/"
	      "a\",\"options\":[\"rbind\","
	      "\"rprivate\",\"ro\"]}");
	is_at(doc, "/mounts/7/options", "[\"rbind\",\"rprivate\",\"rw\"]");
	is_at(doc, "/mounts/8",
	      "{\"destination\":\"/c\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":["
	      "\"nosuid\",\"nodev\",\"size=4096\"]}");
	is_at(doc, "/mounts/9", "");
	is_at(doc, "/linux/namespaces",
	      "[{\"type\":\"mount\"},{\"type\":\"ipc\"},{\"type\":\"pid\"}]");
	is_at(doc, "/linux/readonlyPaths/3", "\"/proc/sys\"");
	is_at(doc, "/linux/uidMappings", "");
}

static void test_privileged(void)
{
	struct bundle bundle = usual();
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	bundle.privileged = bundle.read_only = bundle.tty = bundle.host_pid = true;
	bundle.identity.n_groups = 0;
	bundle.identity.keep_capabilities = UINT64_MAX;
	doc = print(&bundle);
	is_at(doc, "/process/user", "{\"uid\":7,\"gid\":8}");
	is_at(doc, "/process/terminal", "true");
	is_at(doc, "/process/capabilities/permitted/40", "\"CAP_CHECKPOINT_RESTORE\"");
	is_at(doc, "/process/capabilities/permitted/41", "");
	is_at(doc, "/root/readonly", "true");
	is_at(doc, "/mounts/1",
	      "{\"destination\":\"/dev\",\"type\":\"bind\",\"source\":\"/dev\",\"options\":["
	      "\"rbind\",\"rprivate\",\"rw\"]}");
	is_at(doc, "/mounts/2/destination", "\"/sys\"");
	is_at(doc, "/linux/namespaces", "[{\"type\":\"mount\"},{\"type\":\"ipc\"}]");
	is_at(doc, "/linux/maskedPaths", "");
}

static void test_ordinary_user(void)
{
	struct bundle bundle = usual();
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	bundle.outer_uid = 1000;
	bundle.outer_gid = 100;
	doc = print(&bundle);
	is_at(doc, "/linux/namespaces/3", "{\"type\":\"user\"}");
	is_at(doc, "/linux/uidMappings", "[{\"containerID\":7,\"hostID\":1000,\"size\":1}]");
	is_at(doc, "/linux/gidMappings", "[{\"containerID\":8,\"hostID\":100,\"size\":1}]");
}

int main(void)
{
	test_usual();
	test_privileged();
	test_ordinary_user();
	return tap_done();
}
