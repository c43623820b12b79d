/* SPDX-License-Identifier: Apache-2.0 */
/* Names, addresses and documents of simulated nodes. */
#include "node/simulated/simulated_status.h"

#include "base/mem.h"
#include "node/simulated/simulated.h"
#include "tap.h"

#define NOW INT64_C(1767225600000000) /* 2026-01-01 */

static void test_names(void)
{
	char text[SIMULATED_NAME_SIZE];
	char ip[SIMULATED_IP_SIZE];
	static const char *const others[] = {
		"node-1",     "node-",       "node-0000x", "node-000001",
		"xode-00001", "node--00001", "",           "node-+0001"};
	bool none = true;

	is(simulated_node_name(42, text), "node-00042");
	is(simulated_node_name(123456, text), "node-123456");
	ok(simulated_node_index(STR("node-00042")) == 42, "a name gives its number");
	ok(simulated_node_index(STR("node-123456")) == 123456, "a long one as well");
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		none = none && simulated_node_index(str_from(others[i])) == -1;
	ok(none, "what looks similar is none of ours");
	is(simulated_pod_ip(0x010203, ip), "10.1.2.3");
	ok(simulated_pod_number(STR("10.1.2.3")) == 0x010203, "an address gives its number");
	ok(simulated_pod_number(STR("11.1.2.3")) == 0 && simulated_pod_number(STR("10.1.2")) == 0 &&
		   simulated_pod_number(STR("")) == 0 && simulated_pod_number(STR("10.1.2.x")) == 0,
	   "other addresses are none of ours");
	is(simulated_node_ip(0, ip), "172.16.0.1");
	is(simulated_node_ip(65535, ip), "172.17.0.0");
}

static char *text_of(const struct json_doc *doc, const char *first, const char *second)
{
	struct json value = json_get(json_doc_root(doc), first);

	return json_text(second ? json_get(value, second) : value, JSON_COMPACT);
}

static void test_nodes(void)
{
	struct simulated_options options = {.nodes = 1, .cpu = "8"};
	AUTO(json_doc_unref) struct json_doc *node = simulated_node(&options, 0, NOW);
	AUTO(mem_free) char *capacity = text_of(node, "status", "capacity");
	AUTO(mem_free) char *meta = text_of(node, "metadata", NULL);
	AUTO(json_doc_unref) struct json_doc *patch = NULL;

	is(capacity, "{\"cpu\":\"8\",\"memory\":\"256Gi\",\"ephemeral-storage\":\"1Ti\","
		     "\"pods\":\"110\"}");
	is(meta, "{\"labels\":{\"kubernetes.io/hostname\":\"node-00000\",\"kubernetes.io/os\":"
		 "\"linux\",\"kubernetes.io/arch\":\"amd64\"},\"name\":\"node-00000\"}");
	ok(!simulated_node_status_patch(&options, 0, json_doc_root(node), NOW),
	   "a new one needs no other status");
	ok(!simulated_node_taint_patch(json_doc_root(node)), "and has no taint");
	options.cpu = "8000m";
	ok(!simulated_node_status_patch(&options, 0, json_doc_root(node), NOW),
	   "nor where the same amount is written in another way");
	options.cpu = "16";
	patch = simulated_node_status_patch(&options, 0, json_doc_root(node), NOW);
	ok(patch, "one of another run may be of another size");
}

static void test_taints(void)
{
	static const char *const rows[][2] = {
		{"{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"taints\":[{\"key\":"
		 "\"node.kubernetes.io/not-ready\",\"effect\":\"NoSchedule\"}]}}",
		 "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"taints\":null}}"},
		{"{\"metadata\":{\"resourceVersion\":\"8\"},\"spec\":{\"taints\":[{\"key\":"
		 "\"node.kubernetes.io/"
		 "not-ready\",\"effect\":\"NoSchedule\"},{\"key\":\"mine\"}]}}",
		 "{\"metadata\":{\"resourceVersion\":\"8\"},\"spec\":{\"taints\":[{\"key\":"
		 "\"mine\"}]}}"},
		{"{\"spec\":{\"taints\":[{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":"
		 "\"NoExecute\"}]}}",
		 ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref)
		struct json_doc *node = json_parse(str_from(rows[i][0]), NULL, NULL);
		AUTO(json_doc_unref)
		struct json_doc *patch = simulated_node_taint_patch(json_doc_root(node));
		AUTO(mem_free) char *text = json_text(json_doc_root(patch), JSON_COMPACT);

		is(text, rows[i][1]);
	}
}

int main(void)
{
	test_names();
	test_nodes();
	test_taints();
	return tap_done();
}
