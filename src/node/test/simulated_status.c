/* SPDX-License-Identifier: Apache-2.0 */
/* Names, addresses and documents of simulated nodes. */
#include "node/simulated_status.h"

#include "base/mem.h"
#include "node/simulated.h"
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

static void test_nodes(void)
{
	struct simulated_options options = {.nodes = 1, .cpu = "8"};
	AUTO(json_doc_unref) struct json_doc *status = simulated_node_status(&options, 0, NOW);
	AUTO(json_doc_unref) struct json_doc *node = simulated_node(0);
	AUTO(mem_free)
	char *capacity = json_text(json_get(json_get(json_doc_root(status), "status"), "capacity"),
				   JSON_COMPACT);
	AUTO(mem_free) char *text = json_text(json_doc_root(node), JSON_CANONICAL);

	is(capacity, "{\"cpu\":\"8\",\"memory\":\"256Gi\",\"pods\":\"110\"}");
	is(text, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"labels\":{"
		 "\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/hostname\":\"node-00000\","
		 "\"kubernetes.io/os\":\"linux\"},\"name\":\"node-00000\"}}");
	ok(simulated_node_is_ready(json_doc_root(status), &options), "what it writes is ready");
	ok(!simulated_node_is_ready(json_doc_root(node), &options), "without a status it is not");
	options.cpu = "16";
	ok(!simulated_node_is_ready(json_doc_root(status), &options),
	   "nor with the size of another run");
}

int main(void)
{
	test_names();
	test_nodes();
	return tap_done();
}
