/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resources is whole, and paths are those that a server expects. */
#include "client/resource.h"

#include "tap.h"

static const char *path_of(const struct resource *resource, const char *namespace, const char *name,
			   const char *sub)
{
	static char text[256];
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	resource_put_path(resource, str_from(namespace), str_from(name), str_from(sub), &path);
	snprintf(text, sizeof(text), "%s", buf_text(&path));
	return text;
}

static void test_table(void)
{
	bool whole = true;
	bool found = true;

	for (size_t i = 0; i < RESOURCE_COUNT; i++) {
		const struct resource *row = &resources[i];
		AUTO(buf_done) struct buf version = BUF_UNBOUNDED;

		whole = whole && row->plural.len && row->kind.len && row->version.len;
		resource_put_api_version(row, &version);
		found = found && resource_find(buf_str(&version), row->kind) == row;
	}
	ok(whole, "every row has a version, a plural and a kind");
	ok(found, "every row is found by its apiVersion and kind, so none is there twice");
	ok(!resource_find(STR("v1"), STR("Job")), "a kind of another group is not found");
	ok(!resource_find(STR("batch.volcano.sh/v1"), STR("Job")), "nor one of another version");
}

static void test_paths(void)
{
	const struct resource *pods = &resources[RESOURCE_PODS];
	const struct resource *jobs = &resources[RESOURCE_VCJOBS];

	is(path_of(pods, "a", "p", "status"), "/api/v1/namespaces/a/pods/p/status");
	is(path_of(pods, NULL, NULL, NULL), "/api/v1/pods");
	is(path_of(jobs, "a", NULL, NULL), "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs");
	is(path_of(&resources[RESOURCE_NODES], "a", "n", NULL), "/api/v1/nodes/n");
	/* What is no name cannot leave its place in the path. */
	is(path_of(pods, "a", "p/../q?x", NULL), "/api/v1/namespaces/a/pods/p%2F..%2Fq%3Fx");
}

int main(void)
{
	test_table();
	test_paths();
	return tap_done();
}
