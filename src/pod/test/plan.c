/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as text: what was encoded decodes to the same, and nothing else decodes. */
#include <stdlib.h>

#include "base/limits.h"
#include "pod/pod_plan.h"
#include "random.h"
#include "tap.h"

#define SEED 20261116u

static uint32_t next(uint64_t *state)
{
	return (uint32_t)random_next(state);
}

static size_t below(uint64_t *state, size_t limit)
{
	return next(state) % limit;
}

static const char *some_text(uint64_t *state, struct arena *arena, bool may_be_null)
{
	size_t len = below(state, 20);
	char *text = arena_zalloc(arena, len + 1);

	if (may_be_null && below(state, 3) == 0)
		return NULL;
	for (size_t i = 0; i < len; i++)
		text[i] = (char)(1 + below(state, 255));
	return text;
}

static const char *const *some_texts(uint64_t *state, struct arena *arena, size_t *ret_count)
{
	size_t count = below(state, 5);
	const char **texts = arena_calloc(arena, count + 1, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = some_text(state, arena, false);
	*ret_count = count;
	return texts;
}

static void some_container(uint64_t *state, struct arena *arena, struct plan_container *ret)
{
	struct plan_mount *mounts = arena_calloc(arena, 3, sizeof(*mounts));
	uint32_t *groups = arena_calloc(arena, 3, sizeof(*groups));

	ret->name = some_text(state, arena, false);
	ret->argv = some_texts(state, arena, &ret->argc);
	ret->env = some_texts(state, arena, &ret->n_env);
	ret->cgroups = some_texts(state, arena, &ret->n_cgroups);
	ret->cwd = some_text(state, arena, true);
	ret->root = some_text(state, arena, true);
	ret->read_only_root = below(state, 2);
	ret->scratch = some_text(state, arena, true);
	ret->n_mounts = below(state, 4);
	for (size_t i = 0; i < ret->n_mounts; i++)
		mounts[i] = (struct plan_mount){
			.source = some_text(state, arena, true),
			.target = some_text(state, arena, false),
			.fstype = some_text(state, arena, true),
			.options = some_text(state, arena, true),
			.read_only = below(state, 2),
		};
	ret->mounts = mounts;
	ret->identity = plan_identity_none;
	ret->identity.uid = (int64_t)below(state, 3) - 1;
	ret->identity.n_groups = below(state, 4);
	for (size_t i = 0; i < ret->identity.n_groups; i++)
		groups[i] = next(state);
	ret->identity.groups = groups;
	ret->identity.nice = (int)below(state, 40) - 20;
	ret->identity.oom_score_adj = (int)below(state, 2001) - 1000;
	ret->tty = below(state, 2);
}

static struct pod_plan some_plan(uint64_t *state, struct arena *arena)
{
	size_t count = below(state, 4);
	struct plan_container *containers = arena_calloc(arena, count + 1, sizeof(*containers));
	struct pod_plan plan = {
		.uid = some_text(state, arena, false),
		.namespace_ = some_text(state, arena, false),
		.name = some_text(state, arena, false),
		.folder = some_text(state, arena, false),
		.hostname = some_text(state, arena, true),
		.address = some_text(state, arena, true),
		.netns = some_text(state, arena, true),
		.user_namespace = below(state, 2),
		.mount_namespace = below(state, 2),
		.deadline_us = (int64_t)next(state) - INT32_MAX,
		.log_size = next(state),
		.log_files = next(state),
		.containers = containers,
		.n_containers = count,
		.n_init = below(state, count + 1),
	};

	for (size_t i = 0; i < count; i++)
		some_container(state, arena, &containers[i]);
	return plan;
}

static void test_round_trip(void)
{
	uint64_t state = SEED;
	size_t same = 0;
	size_t refused = 0;
	size_t cuts = 0;

	printf("# seed %u\n", SEED);
	for (int round = 0; round < 300; round++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(buf_done) struct buf first = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf second = BUF_UNBOUNDED;
		struct pod_plan plan = some_plan(&state, arena);
		struct pod_plan again;
		struct err err;

		same += pod_plan_encode(&plan, &first, &err) == 0 &&
			pod_plan_decode(buf_str(&first), arena, &again, &err) == 0 &&
			pod_plan_encode(&again, &second, &err) == 0 &&
			str_eq(buf_str(&first), buf_str(&second)) &&
			again.n_containers == plan.n_containers && again.n_init == plan.n_init &&
			strcmp(again.uid, plan.uid) == 0;
		for (size_t len = 0; len < first.len; len += 1 + below(&state, 50)) {
			struct str part = str_slice(buf_str(&first), 0, len);

			cuts++;
			refused += pod_plan_decode(part, arena, &again, &err) < 0 &&
				   err.code == ERR_BAD_REQUEST && err.text[0];
		}
	}
	ok(same == 300, "300 plans decode to what was encoded");
	ok(refused == cuts, "a text that was cut off is no plan (%zu of %zu)", refused, cuts);
}

static void test_fields(void)
{
	static const char *const argv[] = {"/bin/echo", "", "two words"};
	static const uint32_t groups[] = {7, UINT32_MAX};
	static const struct plan_mount mounts[] = {
		{.source = "/a", .target = "/b", .read_only = true}};
	struct plan_container containers[] = {{.name = "main",
					       .argv = argv,
					       .argc = 3,
					       .mounts = mounts,
					       .n_mounts = 1,
					       .identity = plan_identity_none}};
	struct pod_plan plan = {.uid = "u",
				.namespace_ = "n",
				.name = "p",
				.folder = "/f",
				.grace_us = 30000000,
				.containers = containers,
				.n_containers = 1};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct plan_container *got;
	struct pod_plan again;
	struct err err;
	bool good;

	containers[0].identity.groups = groups;
	containers[0].identity.n_groups = 2;
	good = pod_plan_encode(&plan, &text, &err) == 0 &&
	       pod_plan_decode(buf_str(&text), arena, &again, &err) == 0;
	ok(good, "a plan decodes");
	if (!good)
		return;
	got = &again.containers[0];
	is(again.folder, "/f");
	ok(!again.hostname && !again.netns && !got->cwd, "what is not said is not said");
	ok(got->argc == 3 && !got->argv[3], "arguments end in NULL");
	is(got->argv[1], "");
	is(got->argv[2], "two words");
	ok(got->n_env == 0 && !got->env[0], "no environment is an empty one");
	ok(got->mounts[0].read_only && !got->mounts[0].fstype, "a mount is as it was");
	ok(got->identity.uid == -1 && got->identity.keep_capabilities == UINT64_MAX &&
		   got->identity.groups[1] == UINT32_MAX,
	   "so is an identity");
	ok(again.grace_us == 30000000, "and a time");
}

static void test_refused(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	static const char big[] = "0123456789abcdef";
	const char **argv = arena_calloc(arena, LIMIT_PLAN_BYTES / 16, sizeof(*argv));
	struct plan_container container = {
		.name = "c", .argv = argv, .argc = LIMIT_PLAN_BYTES / 16};
	struct pod_plan plan = {.uid = "u", .namespace_ = "n", .name = "p", .folder = "/f"};
	struct pod_plan again = {0};
	struct err err;

	ok(pod_plan_decode(STR(""), arena, &again, &err) < 0, "nothing is no plan");
	is(err.text, "this is no pod plan of this version");
	ok(pod_plan_encode(&plan, &text, &err) == 0, "a pod without containers has a plan");
	buf_putc(&text, 'x');
	ok(pod_plan_decode(buf_str(&text), arena, &again, &err) < 0, "with more text after it: no");
	is(err.text, "something follows the pod's plan");
	plan.n_init = 1;
	buf_clear(&text);
	ok(pod_plan_encode(&plan, &text, &err) == 0 &&
		   pod_plan_decode(buf_str(&text), arena, &again, &err) < 0,
	   "more init containers than containers: no");
	ok(again.uid == NULL, "what is refused changes nothing");
	for (size_t i = 0; i < LIMIT_PLAN_BYTES / 16; i++)
		argv[i] = big;
	plan.containers = &container;
	plan.n_containers = 1;
	buf_clear(&text);
	ok(pod_plan_encode(&plan, &text, &err) < 0 && err.code == ERR_TOO_LARGE && text.len == 0,
	   "a plan that is too large is refused, whole");
}

int main(void)
{
	test_round_trip();
	test_fields();
	test_refused();
	return tap_done();
}
