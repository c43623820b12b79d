/* SPDX-License-Identifier: Apache-2.0 */
/* Resource vectors. Vectors are written as "cpu=1000 memory=5 a=1" in their own units; "{}" is a
 * present but empty set of scalars, NULL an absent vector. */
#include "model/value/resources.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "random.h"
#include "tap.h"

#define INF "9223372036854775807"

static struct dims *make_dims(void)
{
	struct dims *dims = dims_new();

	dims_add(dims, STR("a"));
	dims_add(dims, STR("b"));
	return dims;
}

static void parse(struct resources *r, struct dims *dims, const char *text)
{
	struct str rest = str_from(text);
	struct str part;

	while (str_split(&rest, ' ', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		int64_t value;

		if (str_is(part, "{}"))
			r->scalars = true;
		if (equals < 0 ||
		    number_parse_i64(str_skip(part, (size_t)equals + 1), &value, NULL))
			continue;
		resources_set(r, dims_add(dims, str_slice(part, 0, (size_t)equals)), value);
	}
}

static void print(const struct resources *r, const struct dims *dims, struct buf *to)
{
	buf_clear(to);
	resources_print(r, dims, to);
}

enum answer { LESS, LESS_INF, LE, LE_INF, LP, LP_INF, LEP, LEP_INF, EQ, ANSWERS };

static const struct {
	const char *l, *r;
	const char *want; /* a 0 or 1 each, in the order of enum answer */
} compared[] = {
	/*                               < <i <= <=i p pi ep epi == */
	{"cpu=1 memory=1", "cpu=2 memory=2", "111111110"},
	{"cpu=1 memory=1", "cpu=1 memory=1", "001100111"},
	{"cpu=1 memory=3", "cpu=2 memory=2", "000011110"},
	{"cpu=3 memory=3", "cpu=2 memory=2", "000000000"},
	{"cpu=1 memory=1 a=1", "cpu=2 memory=2 a=2", "111111110"},
	{"cpu=1 memory=1 a=3", "cpu=2 memory=2 a=2", "000011110"},
	/* a scalar that only the left has: 0, or infinite, on the right */
	{"cpu=1 memory=1 a=1", "cpu=2 memory=2", "010111110"},
	{"cpu=3 memory=3 a=1", "cpu=2 memory=2", "000001010"},
	{"cpu=3 memory=3 a=0", "cpu=2 memory=2", "000001110"},
	/* one that only the right has: not looked at, or infinite on the left */
	{"cpu=1 memory=1", "cpu=2 memory=2 a=1", "101011110"},
	{"cpu=3 memory=3", "cpu=2 memory=2 a=1", "000010100"},
	{"cpu=1 memory=1 a=1", "cpu=1 memory=1 a=1 b=0", "001010111"},
	{"cpu=1 memory=1 a=0", "cpu=1 memory=1", "001101111"},
	{"", "", "001100111"},
	{"cpu=5", "cpu=" INF " memory=" INF, "111111110"},
};

static void test_compare(void)
{
	for (size_t i = 0; i < ARRAY_LEN(compared); i++) {
		AUTO(dims_free) struct dims *dims = make_dims();
		AUTO(resources_done) struct resources l = RESOURCES_INIT;
		AUTO(resources_done) struct resources r = RESOURCES_INIT;
		char got[ANSWERS + 1] = "";

		parse(&l, dims, compared[i].l);
		parse(&r, dims, compared[i].r);
		got[LESS] = resources_less(&l, &r, ABSENT_ZERO) ? '1' : '0';
		got[LESS_INF] = resources_less(&l, &r, ABSENT_INFINITE) ? '1' : '0';
		got[LE] = resources_less_equal(&l, &r, ABSENT_ZERO) ? '1' : '0';
		got[LE_INF] = resources_less_equal(&l, &r, ABSENT_INFINITE) ? '1' : '0';
		got[LP] = resources_less_partly(&l, &r, ABSENT_ZERO) ? '1' : '0';
		got[LP_INF] = resources_less_partly(&l, &r, ABSENT_INFINITE) ? '1' : '0';
		got[LEP] = resources_less_equal_partly(&l, &r, ABSENT_ZERO) ? '1' : '0';
		got[LEP_INF] = resources_less_equal_partly(&l, &r, ABSENT_INFINITE) ? '1' : '0';
		got[EQ] = resources_equal(&l, &r) ? '1' : '0';
		ok(strcmp(got, compared[i].want) == 0, "<%s> and <%s>: %s (%s)", compared[i].l,
		   compared[i].r, compared[i].want, got);
	}
}

enum on {
	ON_EXCEEDING,
	ON_EXCEEDING_INF,
	ON_LIMIT,
	ON_WITHIN,
	ON_WITHIN_USED,
	ON_ABOVE,
	ON_RELEVANT
};

static const struct {
	enum on which;
	const char *l, *r, *request;
	const char *want;
} sets[] = {
	{ON_EXCEEDING, "cpu=3 memory=1 a=2 b=1", "cpu=2 memory=1 a=2", "", "cpu, b"},
	{ON_EXCEEDING_INF, "cpu=3 memory=1 a=2 b=1", "cpu=2 memory=1 a=1", "", "cpu, a"},
	{ON_EXCEEDING_INF, "cpu=1", "cpu=2 a=1", "", ""},
	{ON_LIMIT, NULL, "cpu=1", "cpu=1", ""},
	{ON_LIMIT, "cpu=1 a=2", NULL, "cpu=1", "cpu, a"},
	{ON_LIMIT, "cpu=3 a=2", "cpu=2", NULL, "cpu, a"},
	{ON_LIMIT, "cpu=3 memory=9 a=2", "cpu=2 memory=1", "cpu=1", "cpu"},
	{ON_LIMIT, "cpu=3 memory=9 a=2", "cpu=2 memory=1", "a=1", "a"},
	{ON_LIMIT, "cpu=1 pods=9", "cpu=2 pods=1", "pods=1", ""},
	{ON_LIMIT, "cpu=1", "cpu=2 a=-1", "a=1", ""},
	{ON_LIMIT, "cpu=1 {}", "cpu=2 a=-1", "a=1", "a"},
	{ON_LIMIT, "cpu=9 a=9", "cpu=2 a=1", "", ""},
	{ON_WITHIN, "cpu=1 memory=3", "cpu=2 memory=2", NULL, ""},
	{ON_WITHIN, "cpu=1 memory=3", "cpu=2 memory=2", "cpu=1 memory=1 a=1 pods=1", "cpu, a"},
	{ON_WITHIN, "cpu=1 memory=3", "cpu=2 memory=2", "memory=1", ""},
	{ON_WITHIN_USED, "cpu=1 memory=3", "cpu=2 memory=2", "cpu=1 memory=1 a=1", "cpu"},
	{ON_WITHIN_USED, "a=0", "a=0", "a=1", ""},
	/* upstream's examples */
	{ON_ABOVE, "a=2", "", "a=1", "a"},
	{ON_RELEVANT, "a=2", "", "a=1", ""},
	{ON_ABOVE, "cpu=4", "cpu=0", "cpu=2", "cpu"},
	{ON_RELEVANT, "cpu=4", "cpu=0", "cpu=2", ""},
	{ON_ABOVE, "a=2", "a=0", "a=1", "a"},
	{ON_RELEVANT, "a=2", "a=0", "a=1", "a"},
	{ON_RELEVANT, "cpu=4", "cpu=1", "cpu=2", "cpu"},
	{ON_ABOVE, "cpu=4 memory=8192 a=2", "cpu=2 memory=8192 a=1", "a=1", "a"},
	{ON_ABOVE, "cpu=4 memory=8192 a=2", "cpu=2 memory=8192 a=1", "cpu=2 a=1", "cpu, a"},
	{ON_ABOVE, "cpu=4 memory=8192 a=2", "cpu=2 memory=8192 a=1", "memory=4096 a=0", ""},
	{ON_ABOVE, "cpu=4", NULL, "cpu=1", "cpu"},
	{ON_RELEVANT, "cpu=4", NULL, "cpu=1", ""},
	{ON_ABOVE, "cpu=4", "cpu=1", NULL, ""},
};

static dim_set answer(enum on which, const struct resources *l, const struct resources *r,
		      const struct resources *request)
{
	switch (which) {
	case ON_EXCEEDING:
		return resources_exceeding(l, r, ABSENT_ZERO);
	case ON_EXCEEDING_INF:
		return resources_exceeding(l, r, ABSENT_INFINITE);
	case ON_LIMIT:
		return resources_over_limit(l, r, request);
	case ON_WITHIN:
	case ON_WITHIN_USED:
		return resources_within(l, r, request, which == ON_WITHIN_USED);
	default:
		return resources_above(l, r, request, which == ON_RELEVANT);
	}
}

static void test_sets(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		AUTO(dims_free) struct dims *dims = make_dims();
		AUTO(resources_done) struct resources l = RESOURCES_INIT;
		AUTO(resources_done) struct resources r = RESOURCES_INIT;
		AUTO(resources_done) struct resources request = RESOURCES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;

		parse(&l, dims, sets[i].l);
		parse(&r, dims, sets[i].r);
		parse(&request, dims, sets[i].request);
		dims_print_set(dims,
			       answer(sets[i].which, sets[i].l ? &l : NULL, sets[i].r ? &r : NULL,
				      sets[i].request ? &request : NULL),
			       &got);
		ok(strcmp(buf_text(&got), sets[i].want) == 0, "%d: <%s> <%s> <%s>: [%s] (%s)",
		   sets[i].which, sets[i].l ? sets[i].l : "none", sets[i].r ? sets[i].r : "none",
		   sets[i].request ? sets[i].request : "none", sets[i].want, buf_text(&got));
	}
}

enum op {
	ADD,
	SUB,
	MAX_WITH,
	LOWER,
	LOWER_INF,
	FIT,
	MIN,
	MAX,
	EXCEEDED,
	MORE_INF,
	LESSER_INF,
	LESSER
};

static const struct {
	enum op op;
	const char *l, *r, *want;
} computed[] = {
	{ADD, "cpu=1 memory=2", "cpu=3 a=4", "cpu 4.00, memory 2.00, a 4.00"},
	{ADD, "cpu=" INF, "cpu=3", "cpu maxFloat, memory 0.00"},
	{ADD, "cpu=9223372036854775806", "cpu=3", "cpu maxFloat, memory 0.00"},
	{ADD, "a=1", "a=" INF, "cpu 0.00, memory 0.00, a maxInt"},
	{ADD, "cpu=-9223372036854775807", "cpu=-9", "cpu -9223372036854775808.00, memory 0.00"},
	{SUB, "cpu=3 a=5 b=1", "cpu=1 a=2", "cpu 2.00, memory 0.00, a 3.00, b 1.00"},
	{SUB, "cpu=3", "cpu=1 a=2", "cpu 2.00, memory 0.00"},
	{SUB, "cpu=3 {}", "cpu=1 a=2", "cpu 2.00, memory 0.00, a -2.00"},
	{SUB, "cpu=1", "cpu=3", "cpu -2.00, memory 0.00"},
	{SUB, "cpu=" INF, "cpu=3", "cpu maxFloat, memory 0.00"},
	{SUB, "cpu=" INF, "cpu=" INF, "cpu 0.00, memory 0.00"},
	{SUB, "cpu=-9223372036854775807", "cpu=9", "cpu -9223372036854775808.00, memory 0.00"},
	{SUB, "cpu=1", "cpu=-9223372036854775807", "cpu maxFloat, memory 0.00"},
	{MAX_WITH, "cpu=1 memory=5 a=1", "cpu=3 memory=2 a=0 b=2",
	 "cpu 3.00, memory 5.00, a 1.00, b 2.00"},
	{MAX_WITH, "cpu=1", "a=-1", "cpu 1.00, memory 0.00, a -1.00"},
	{LOWER, "cpu=2000 memory=4047 a=0 b=7", "cpu=3000 memory=1000 b=3",
	 "cpu 2000.00, memory 1000.00, a 0.00, b 3.00"},
	{LOWER, "cpu=2 a=5", "cpu=1 b=1", "cpu 1.00, memory 0.00, a 0.00"},
	{LOWER_INF, "cpu=2 a=5", "cpu=1 b=1", "cpu 1.00, memory 0.00, a 5.00"},
	{LOWER, "cpu=2 a=5", "cpu=9", "cpu 2.00, memory 0.00, a 0.00"},
	{FIT, "cpu=5 memory=5 a=5", "cpu=4 memory=5 a=6 b=1",
	 "cpu 0.00, memory -1.00, a -2.00, b -2.00"},
	{MIN, "cpu=5 memory=1 a=5 b=2", "cpu=3 memory=2 a=6",
	 "cpu 3.00, memory 1.00, a 5.00, b 0.00"},
	{MIN, "cpu=5 a=5", "cpu=3", "cpu 3.00, memory 0.00"},
	{MIN, "", "cpu=3 a=6", "cpu 0.00, memory 0.00"},
	{MAX, "cpu=5 memory=1 a=5", "cpu=3 memory=2 a=6 b=0",
	 "cpu 5.00, memory 2.00, a 6.00, b 0.00"},
	{MAX, "a=-5", "", "cpu 0.00, memory 0.00"},
	{EXCEEDED, "cpu=5 memory=1 a=5 b=1", "cpu=3 memory=2 a=6", "cpu 2.00, memory 0.00, b 1.00"},
	{EXCEEDED, "cpu=5 a=5", NULL, "cpu 5.00, memory 0.00, a 5.00"},
	{EXCEEDED, NULL, "cpu=5 a=5", "cpu 0.00, memory 0.00"},
	{MORE_INF, "cpu=5 a=5", "cpu=3 b=1", "cpu 2.00, memory 0.00, b -1.00"},
	{LESSER_INF, "cpu=5 a=5", "cpu=3 b=1", "cpu 0.00, memory 0.00, a -1.00"},
	{LESSER, "cpu=3 memory=1 a=5", "cpu=5 a=6 b=1", "cpu 2.00, memory 0.00, a 1.00, b 1.00"},
};

static const struct resources *compute(enum op op, struct resources *l, struct resources *r,
				       struct resources *out, struct resources *other)
{
	switch (op) {
	case ADD:
		resources_add(l, r);
		return l;
	case SUB:
		resources_sub(l, r);
		return l;
	case MAX_WITH:
		resources_max_with(l, r);
		return l;
	case LOWER:
	case LOWER_INF:
		resources_lower_to(l, r, op == LOWER ? ABSENT_ZERO : ABSENT_INFINITE);
		return l;
	case FIT:
		resources_fit_delta(l, r);
		return l;
	case MIN:
		resources_min(l, r, out);
		return out;
	case MAX:
		resources_max(l, r, out);
		return out;
	case EXCEEDED:
		resources_exceeded(l, r, out);
		return out;
	case MORE_INF:
		resources_diff(l, r, ABSENT_INFINITE, out, other);
		return out;
	case LESSER_INF:
		resources_diff(l, r, ABSENT_INFINITE, other, out);
		return out;
	default:
		resources_diff(l, r, ABSENT_ZERO, other, out);
		return out;
	}
}

static void test_arithmetic(void)
{
	for (size_t i = 0; i < ARRAY_LEN(computed); i++) {
		AUTO(dims_free) struct dims *dims = make_dims();
		AUTO(resources_done) struct resources l = RESOURCES_INIT;
		AUTO(resources_done) struct resources r = RESOURCES_INIT;
		AUTO(resources_done) struct resources out = RESOURCES_INIT;
		AUTO(resources_done) struct resources other = RESOURCES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;

		parse(&l, dims, computed[i].l);
		parse(&r, dims, computed[i].r);
		print(compute(computed[i].op, computed[i].l ? &l : NULL, computed[i].r ? &r : NULL,
			      computed[i].op == LESSER_INF || computed[i].op == LESSER ? &other
										       : &out,
			      computed[i].op == LESSER_INF || computed[i].op == LESSER ? &out
										       : &other),
		      dims, &got);
		ok(strcmp(buf_text(&got), computed[i].want) == 0, "%d: <%s> <%s>: %s (%s)",
		   computed[i].op, computed[i].l ? computed[i].l : "none",
		   computed[i].r ? computed[i].r : "none", computed[i].want, buf_text(&got));
	}
}

static void test_multiply(void)
{
	static const struct {
		int64_t value;
		double factor;
		int64_t want;
	} rows[] = {
		{1000, 0.7, 700},
		{1000, 1.0 / 3, 333},
		{5, 0.5, 3},
		{-5, 0.5, -3},
		{INT64_MAX, 0.5, INT64_MAX},
		{INT64_MAX - 1, 1, INT64_MAX - 1},
		{INT64_MAX / 2, 4, INT64_MAX},
		{INT64_MIN / 2, 4, INT64_MIN},
		{7, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(resources_done) struct resources r = RESOURCES_INIT;

		resources_set(&r, DIM_CPU, rows[i].value);
		resources_multiply(&r, rows[i].factor);
		ok(resources_get(&r, DIM_CPU) == rows[i].want,
		   "%" PRId64 " x %g is %" PRId64 " (%" PRId64 ")", rows[i].value, rows[i].factor,
		   rows[i].want, resources_get(&r, DIM_CPU));
	}
	ok(resources_share(0, 0) == 0 && resources_share(1, 0) == 1 &&
		   resources_share(1, 4) == 0.25,
	   "shares");
}

static struct resource_list make_list(struct arena *arena, const char *text)
{
	struct resource_list list = {arena_calloc(arena, 16, sizeof(struct resource_amount)), 0};
	struct str rest = str_from(text);
	struct str part;

	while (str_split(&rest, ' ', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		struct resource_amount *amount = &list.ptr[list.len];

		if (equals < 0)
			continue;
		amount->name = str_slice(part, 0, (size_t)equals);
		if (!quantity_parse(str_skip(part, (size_t)equals + 1), &amount->value, NULL))
			list.len++;
	}
	return list;
}

static void test_lists(void)
{
	static const struct {
		enum dims_mode mode;
		const char *list, *want, *json;
	} rows[] = {
		{DIMS_ADD, "cpu=1.5 memory=1Gi pods=110",
		 "cpu 1500.00, memory 1073741824.00, pods 110.00",
		 "{\"cpu\":\"1500m\",\"memory\":\"1Gi\",\"pods\":\"110\"}"},
		{DIMS_ADD, "cpu=1000.05m memory=1.5", "cpu 1001.00, memory 2.00",
		 "{\"cpu\":\"1001m\",\"memory\":\"2\"}"},
		{DIMS_ADD, "nvidia.com/gpu=2 ephemeral-storage=1k",
		 "cpu 0.00, memory 0.00, ephemeral-storage 1000000.00, nvidia.com/gpu 2000.00",
		 "{\"ephemeral-storage\":\"1k\",\"nvidia.com/gpu\":\"2\"}"},
		{DIMS_ADD, "hugepages-2Mi=0 attachable-volumes-aws=1 x.kubernetes.io/y=1",
		 "cpu 0.00, memory 0.00, attachable-volumes-aws 1000.00, hugepages-2Mi 0.00, "
		 "x.kubernetes.io/y 1000.00",
		 "{\"hugepages-2Mi\":\"0\",\"attachable-volumes-aws\":\"1\",\"x.kubernetes.io/y\":"
		 "\"1\"}"},
		{DIMS_ADD,
		 "count/pods=1 requests.nvidia.com/gpu=1 storage=1 services=2 bad/na/me=1 "
		 "ignored.com/x=1",
		 "cpu 0.00, memory 0.00", "{}"},
		{DIMS_FIND, "cpu=1 new.com/x=1 new.com/y=2 pods=1",
		 "cpu 1000.00, memory 0.00, <other> 3000.00, pods 1.00",
		 "{\"cpu\":\"1\",\"pods\":\"1\"}"},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(dims_free) struct dims *dims = dims_new();
		AUTO(resources_done) struct resources r = RESOURCES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		struct resource_list list = make_list(arena, rows[i].list);

		dims_ignore(dims, STR("ignored.com/x"));
		ok(resources_add_list(&r, dims, rows[i].mode, &list, NULL) == 0, "%s",
		   rows[i].list);
		print(&r, dims, &got);
		is(buf_text(&got), rows[i].want);
		buf_clear(&got);
		json_print(resources_encode(&r, dims, doc), JSON_COMPACT, &got);
		is(buf_text(&got), rows[i].json);
		ok(r.pods_max == (i == 0 ? 110 : i == 5 ? 1 : 0), "pods are counted aside");
	}
}

static void test_dims(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(dims_free) struct dims *dims = dims_new();
	AUTO(resources_done) struct resources r = RESOURCES_INIT;
	struct resource_list list = make_list(arena, "cpu=1 late.com/x=1");
	struct err err = {0};

	for (int i = 0; dims_len(dims) < DIMS_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d.com/%d", i);
		dims_add(dims, str_from(name));
	}
	ok(dims_add(dims, STR("late.com/x")) == DIM_NONE && dims_add(dims, STR("cpu")) == DIM_CPU,
	   "no number is left");
	ok(resources_add_list(&r, dims, DIMS_ADD, &list, &err) < 0 && err.code == ERR_TOO_LARGE &&
		   resources_is_empty(&r),
	   "%s", err.text);
	ok(resources_add_list(&r, dims, DIMS_FIND, &list, &err) == 0 &&
		   resources_get(&r, DIM_OTHER) == 1000,
	   "a request goes on");
	dims_free(NULL);
	ok(dims_is_extended_name(STR("a.com/b")) && !dims_is_extended_name(STR("cpu")) &&
		   !dims_is_extended_name(STR("kubernetes.io/b")),
	   "extended names");
}

static void test_questions(void)
{
	AUTO(dims_free) struct dims *dims = make_dims();
	AUTO(resources_done) struct resources r = RESOURCES_INIT;
	AUTO(resources_done) struct resources s = RESOURCES_INIT;
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;

	ok(resources_is_empty(&r), "nothing is empty");
	parse(&r, dims, "pods=1 a=0");
	ok(resources_is_empty(&r) && resources_is_zero(&r, DIM_CPU) &&
		   !resources_is_zero(&r, DIM_PODS),
	   "so is a slot alone");
	parse(&r, dims, "cpu=1 b=2");
	ok(!resources_is_empty(&r), "a milli-core is something");
	dims_print_set(dims, resources_dims(&r), &got);
	is(buf_text(&got), "cpu, b, pods");
	parse(&s, dims, "memory=1 b=1 pods=1");
	ok(resources_common(&r, &s, false) ==
		   (DIM_BIT(DIM_PODS) | DIM_BIT(dims_find(dims, STR("b")))),
	   "what both have");
	ok(resources_common(&r, &s, true) == DIM_BIT(dims_find(dims, STR("b"))), "but for pods");
	resources_copy(&s, &r);
	ok(resources_equal(&r, &s) && resources_equal(&s, &r) && s.present == r.present, "a copy");
	resources_set_infinite(&s);
	print(&s, dims, &got);
	is(buf_text(&got), "cpu maxFloat, memory maxFloat");
	ok(resources_less_equal(&r, &s, ABSENT_INFINITE) &&
		   !resources_less_equal(&r, &s, ABSENT_ZERO),
	   "no bound in cpu and memory; scalars as one says");
}

static const struct {
	const char *name;
	const char *containers[3];
	const char *init[4]; /* a leading * is a sidecar */
	const char *overhead, *pod_level, *want;
} pod_rows[] = {
	{"upstream's example",
	 {"cpu=2 memory=1G", "cpu=1 memory=1G"},
	 {"cpu=2 memory=1G", "cpu=2 memory=3G"},
	 "",
	 "",
	 "cpu 3000.00, memory 3000000000.00, pods 1.00"},
	{"nothing", {""}, {NULL}, "", "", "cpu 0.00, memory 0.00, pods 1.00"},
	{"a sidecar adds", {"cpu=1"}, {"*cpu=1"}, "", "", "cpu 2000.00, memory 0.00, pods 1.00"},
	{"init with an earlier sidecar",
	 {"cpu=1"},
	 {"*cpu=1", "cpu=3"},
	 "",
	 "",
	 "cpu 4000.00, memory 0.00, pods 1.00"},
	{"init before a sidecar",
	 {"cpu=1"},
	 {"cpu=3", "*cpu=1"},
	 "",
	 "",
	 "cpu 3000.00, memory 0.00, pods 1.00"},
	{"overhead",
	 {"cpu=1"},
	 {NULL},
	 "cpu=100m memory=5",
	 "",
	 "cpu 1100.00, memory 5.00, pods 1.00"},
	{"pod level replaces",
	 {"cpu=1 memory=7"},
	 {NULL},
	 "cpu=100m",
	 "cpu=5 hugepages-2Mi=4 nvidia.com/gpu=1",
	 "cpu 5100.00, memory 7.00, <other> 4000.00, pods 1.00"},
	{"pod level memory",
	 {"cpu=1 memory=7"},
	 {NULL},
	 "",
	 "memory=0",
	 "cpu 1000.00, memory 0.00, pods 1.00"},
};

static void test_pods(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(dims_free) struct dims *dims = make_dims();

	for (size_t i = 0; i < ARRAY_LEN(pod_rows); i++) {
		AUTO(resources_done) struct resources r = RESOURCES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		struct request_container containers[3] = {0};
		struct request_container init[4] = {0};
		struct request_pod pod = {.containers = containers, .init = init};

		for (; pod.container_count < 3 && pod_rows[i].containers[pod.container_count];
		     pod.container_count++)
			containers[pod.container_count].requests =
				make_list(arena, pod_rows[i].containers[pod.container_count]);
		for (; pod.init_count < 4 && pod_rows[i].init[pod.init_count]; pod.init_count++) {
			const char *text = pod_rows[i].init[pod.init_count];

			init[pod.init_count].sidecar = text[0] == '*';
			init[pod.init_count].requests = make_list(arena, text + (text[0] == '*'));
		}
		pod.overhead = make_list(arena, pod_rows[i].overhead);
		pod.pod_level = make_list(arena, pod_rows[i].pod_level);
		ok(resources_add_pod(&r, dims, DIMS_FIND, &pod, NULL) == 0, "%s", pod_rows[i].name);
		print(&r, dims, &got);
		is(buf_text(&got), pod_rows[i].want);
	}
}

static void test_resize(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(dims_free) struct dims *dims = make_dims();
	AUTO(resources_done) struct resources r = RESOURCES_INIT;
	struct request_container container = {.requests = make_list(arena, "cpu=4 memory=1"),
					      .reported = make_list(arena, "cpu=2 memory=3"),
					      .allocated = make_list(arena, "cpu=3 memory=2"),
					      .resized = true};
	struct request_pod pod = {.containers = &container, .container_count = 1};

	ok(resources_add_pod(&r, dims, DIMS_FIND, &pod, NULL) == 0 &&
		   resources_get(&r, DIM_CPU) == 4000 && resources_get(&r, DIM_MEMORY) == 3,
	   "while it is resized the largest counts");
	resources_clear(&r);
	pod.resize_infeasible = true;
	ok(resources_add_pod(&r, dims, DIMS_FIND, &pod, NULL) == 0 &&
		   resources_get(&r, DIM_CPU) == 3000,
	   "but not what cannot be had");
}

static void fill(struct resources *r, uint64_t *state)
{
	for (int dim = 0; dim < 8; dim++)
		if (random_next(state) % 3)
			resources_set(r, dim, (int64_t)(random_next(state) % 4));
	r->scalars = true;
}

/* Laws that hold for any vectors whose scalars are there. */
static void test_laws(void)
{
	enum { ROUNDS = 20000 };
	uint64_t state = 7;
	int inverse = 0, order = 0, bounds = 0, parts = 0, transitive = 0;

	for (int i = 0; i < ROUNDS; i++) {
		AUTO(resources_done) struct resources a = RESOURCES_INIT;
		AUTO(resources_done) struct resources b = RESOURCES_INIT;
		AUTO(resources_done) struct resources c = RESOURCES_INIT;
		AUTO(resources_done) struct resources sum = RESOURCES_INIT;
		AUTO(resources_done) struct resources low = RESOURCES_INIT;
		AUTO(resources_done) struct resources high = RESOURCES_INIT;
		AUTO(resources_done) struct resources more = RESOURCES_INIT;
		AUTO(resources_done) struct resources less = RESOURCES_INIT;

		fill(&a, &state);
		fill(&b, &state);
		fill(&c, &state);
		resources_copy(&sum, &a);
		resources_add(&sum, &b);
		order += resources_less_equal(&a, &sum, ABSENT_ZERO) &&
			 resources_less_equal(&b, &sum, ABSENT_ZERO) &&
			 (resources_exceeding(&a, &b, ABSENT_ZERO) == 0) ==
				 resources_less_equal(&a, &b, ABSENT_ZERO);
		resources_sub(&sum, &b);
		inverse += resources_equal(&sum, &a);
		resources_min(&a, &b, &low);
		resources_max(&a, &b, &high);
		bounds += resources_less_equal(&low, &a, ABSENT_ZERO) &&
			  resources_less_equal(&low, &b, ABSENT_ZERO) &&
			  resources_less_equal(&a, &high, ABSENT_ZERO) &&
			  resources_less_equal(&b, &high, ABSENT_ZERO);
		/* a + less == b + more */
		resources_diff(&a, &b, ABSENT_ZERO, &more, &less);
		resources_copy(&sum, &a);
		resources_add(&sum, &less);
		resources_add(&more, &b);
		parts += resources_equal(&sum, &more) && resources_equal(&more, &sum);
		transitive += !(resources_less_equal(&a, &b, ABSENT_ZERO) &&
				resources_less_equal(&b, &c, ABSENT_ZERO)) ||
			      resources_less_equal(&a, &c, ABSENT_ZERO) ||
			      /* scalars that only the left has break the chain at b */
			      (a.present & ~b.present);
	}
	ok(inverse == ROUNDS, "a + b - b is a: %d (seed 7)", inverse);
	ok(order == ROUNDS, "a <= a + b, and exceeding agrees: %d", order);
	ok(bounds == ROUNDS, "min <= both <= max: %d", bounds);
	ok(parts == ROUNDS, "a + less is b + more: %d", parts);
	ok(transitive == ROUNDS, "<= is transitive: %d", transitive);
}

/* Adding and subtracting any amount gives 0 again. */
static void test_count(void)
{
	static const int64_t amounts[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1};

	for (size_t i = 0; i < ARRAY_LEN(amounts); i++) {
		AUTO(resources_done) struct resources sum = RESOURCES_INIT;
		AUTO(resources_done) struct resources by = RESOURCES_INIT;

		resources_set(&sum, DIM_CPU, 7);
		resources_set(&by, DIM_CPU, amounts[i]);
		resources_count(&sum, &by, 1);
		resources_count(&sum, &by, 1);
		resources_count(&sum, &by, -1);
		resources_count(&sum, &by, -1);
		ok(resources_get(&sum, DIM_CPU) == 7, "counted up and down: %" PRId64, amounts[i]);
	}
}

int main(void)
{
	test_count();
	test_compare();
	test_sets();
	test_arithmetic();
	test_multiply();
	test_lists();
	test_dims();
	test_questions();
	test_pods();
	test_resize();
	test_laws();
	return tap_done();
}
