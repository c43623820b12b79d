/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_quantity.c - quantities as pods write them: parsed, printed, added. */
#include "base/buf.h"
#include "model/value/quantity.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

static const struct str texts[] = {
	STR_INIT("100m"),     STR_INIT("4"),    STR_INIT("512Mi"), STR_INIT("1.5Gi"),
	STR_INIT("30000Mi"),  STR_INIT("0.25"), STR_INIT("12e6"),  STR_INIT("250G"),
	STR_INIT("1048576k"), STR_INIT("8"),
};

static struct quantity parsed(size_t i)
{
	struct quantity quantity;
	struct err err;

	bench_require(quantity_parse(texts[i % ARRAY_LEN(texts)], &quantity, &err) == 0, &err);
	return quantity;
}

static void measure_quantity(struct bench_run *run)
{
	size_t count = bench_size(run);
	struct quantity sum = quantity_make(0, QUANTITY_DECIMAL_SI);
	struct quantity one;
	char text[QUANTITY_TEXT_SIZE];

	bench_phase(run, "parse");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++) {
			one = parsed(i);
			bench_use(&one);
		}
	}
	bench_phase(run, "parse_print");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++) {
			one = parsed(i);
			bench_use(quantity_canonical(&one, text));
		}
	}
	one = parsed(2);
	bench_phase(run, "add");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++) {
			quantity_add(&sum, &one);
			quantity_sub(&sum, &one);
		}
		bench_use(&sum);
	}
}

const struct bench bench_quantity = {
	.name = "quantity",
	.about = "quantities as pods write them: parsed, printed, added",
	.item = "quantities",
	.size = 100000,
	.run = measure_quantity,
};
