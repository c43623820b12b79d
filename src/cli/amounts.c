/* SPDX-License-Identifier: Apache-2.0 */
/* cli/amounts.c - see amounts.h. Sums are exact; memory is printed in the largest unit of which it
 * has at least ten, so that a column stays short. */
#include "cli/amounts.h"

#include "base/vec.h"
#include "model/pod/pod_total.h"

#include "base/banned.h"

void amounts_done(struct amounts *amounts)
{
	vec_done(amounts);
}

/* cpu, memory, then by name. */
static int compare(struct str a, struct str b)
{
	static const char *const first[] = {"cpu", "memory"};

	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		if (str_is(a, first[i]) || str_is(b, first[i]))
			return (int)str_is(b, first[i]) - (int)str_is(a, first[i]);
	return str_cmp(a, b);
}

static void add_one(struct amounts *amounts, struct str name, const struct quantity *value)
{
	size_t at = 0;

	while (at < amounts->len && compare(amounts->ptr[at].name, name) < 0)
		at++;
	if (at < amounts->len && str_eq(amounts->ptr[at].name, name)) {
		quantity_add(&amounts->ptr[at].value, value);
		return;
	}
	vec_reserve(amounts, amounts->len + 1);
	for (size_t i = amounts->len++; i > at; i--)
		amounts->ptr[i] = amounts->ptr[i - 1];
	amounts->ptr[at] = (struct amount){name, *value};
}

void amounts_add_list(struct amounts *amounts, struct json list)
{
	struct json_iter it = json_iter(list);
	struct quantity value;

	while (json_next(&it))
		if (pod_total_read(it.value, &value) == 0)
			add_one(amounts, it.key, &value);
}

void amounts_add_pod(struct amounts *amounts, struct json pod)
{
	AUTO(pod_total_done) struct pod_total total = {0};

	pod_total_sum(json_get(pod, "spec"), "requests", &total);
	for (size_t i = 0; i < total.len; i++)
		add_one(amounts, total.ptr[i].name, &total.ptr[i].value);
}

void amounts_add(struct amounts *amounts, const struct amounts *other)
{
	for (size_t i = 0; i < other->len; i++)
		add_one(amounts, other->ptr[i].name, &other->ptr[i].value);
}

const struct amount *amounts_find(const struct amounts *amounts, struct str name)
{
	for (size_t i = 0; i < amounts->len; i++)
		if (str_eq(amounts->ptr[i].name, name))
			return &amounts->ptr[i];
	return NULL;
}

double amounts_real(const struct amounts *amounts, struct str name)
{
	const struct amount *amount = amounts_find(amounts, name);

	return amount ? quantity_real(&amount->value) : 0;
}

static void put_bytes(double bytes, struct buf *to)
{
	static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
	size_t unit = 0;

	while (unit + 1 < ARRAY_LEN(units) && bytes >= 10 * 1024.0) {
		bytes /= 1024;
		unit++;
	}
	buf_printf(to, "%.4g%s", bytes < 1000 ? bytes : (double)(int64_t)bytes, units[unit]);
}

void amounts_put(const struct amounts *amounts, struct str name, struct buf *to)
{
	const struct amount *amount = amounts_find(amounts, name);

	if (!amount)
		buf_putc(to, '0');
	else if (str_is(name, "memory") || str_is(name, "ephemeral-storage"))
		put_bytes(quantity_real(&amount->value), to);
	else
		buf_printf(to, "%.5g", quantity_real(&amount->value));
}
