/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/machine_nodes.c - divides the machine into nodes.
 *
 * CPU, memory and disk are divided into equal parts; devices and huge pages stay whole, and the first nodes get
 * the rest. Allocatable is capacity without what is reserved and without what must stay free to avoid pressure
 * (node/machine/pressure.h). */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "model/value/names.h"
#include "model/value/quantity.h"
#include "node/machine/machine.h"
#include "node/machine/pressure.h"

#include "base/banned.h"

enum { PODS_OF_MACHINE = 1000, PODS_OF_NODE = 110 };

/* --- amounts as text --- */

static int amount_parse(struct str part, struct machine_amount *ret, struct err *err)
{
	ptrdiff_t at = str_find_byte(part, '=', 0);
	struct quantity value;

	if (at <= 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not NAME=AMOUNT", STR_ARG(part));
	ret->name = str_trim(str_slice(part, 0, (size_t)at));
	ret->value = str_trim(str_skip(part, (size_t)at + 1));
	if (ret->value.len == 0 || quantity_parse(ret->value, &value, err) < 0 ||
	    quantity_sign(&value) < 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%.*s\": \"%.*s\" is not an amount such as 4, 500m or 16Gi",
			       STR_ARG(part), STR_ARG(ret->value));
	return 0;
}

int machine_amounts_parse(struct arena *arena, const char *text, struct machine_amount **ret,
			  size_t *ret_len, struct err *err)
{
	struct str rest = arena_str(arena, str_from(text ? text : ""));
	struct machine_amount *list = arena_calloc(arena, rest.len + 1, sizeof(*list));
	struct str part;
	size_t len = 0;

	while (rest.len && str_split(&rest, ',', &part)) {
		if (amount_parse(str_trim(part), &list[len], err) < 0)
			return -1;
		for (size_t i = 0; i < len; i++)
			if (str_eq(list[i].name, list[len].name))
				return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is there twice",
					       STR_ARG(list[i].name));
		len++;
	}
	*ret = list;
	*ret_len = len;
	return 0;
}

/* --- dividing --- */

void machine_share(size_t total, size_t nodes, size_t index, size_t *ret_first, size_t *ret_len)
{
	size_t each = total / nodes;
	size_t over = total % nodes;

	*ret_first = index * each + (index < over ? index : over);
	*ret_len = each + (index < over);
}

struct amounts {
	const struct machine *machine;
	const struct machine_division *division;
	size_t index;
	struct json_doc *doc;
	struct json capacity, allocatable;
};

static const struct machine_amount *find(const struct machine_amount *list, size_t len,
					 struct str name)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(list[i].name, name))
			return &list[i];
	return NULL;
}

static void set_quantity(struct json_doc *doc, struct json object, struct str name,
			 const struct quantity *value)
{
	char text[QUANTITY_TEXT_SIZE];

	json_set(doc, object, name, json_new_str(doc, str_from(quantity_canonical(value, text))));
}

/* One resource: its capacity, found or declared, and what is allocatable of it. */
static void put_amount(struct amounts *to, struct str name, struct quantity value, int64_t kept)
{
	const struct machine_division *division = to->division;
	const struct machine_amount *said = find(division->resources, division->n_resources, name);
	const struct machine_amount *reserved =
		find(division->reserved, division->n_reserved, name);
	struct quantity back = quantity_make(said ? 0 : kept, value.format);
	struct quantity amount;

	if (said && quantity_parse(said->value, &amount, NULL) == 0)
		value = amount;
	set_quantity(to->doc, to->capacity, name, &value);
	if (reserved && quantity_parse(reserved->value, &amount, NULL) == 0)
		quantity_add(&back, &amount);
	quantity_sub(&value, &back);
	if (quantity_sign(&value) < 0)
		value = quantity_make(0, value.format);
	set_quantity(to->doc, to->allocatable, name, &value);
}

static void put_hugepages(struct amounts *to, int64_t *taken)
{
	const struct machine *machine = to->machine;

	for (size_t i = 0; i < machine->n_hugepages; i++) {
		const struct machine_hugepages *pages = &machine->hugepages[i];
		struct quantity size = quantity_make(pages->size, QUANTITY_BINARY_SI);
		char text[QUANTITY_TEXT_SIZE];
		char name[QUANTITY_TEXT_SIZE + 16];
		size_t first, len;

		(void)snprintf(name, sizeof(name), "hugepages-%s", quantity_canonical(&size, text));
		machine_share((size_t)pages->count, to->division->nodes, to->index, &first, &len);
		*taken += (int64_t)len * pages->size;
		put_amount(to, str_from(name),
			   quantity_make((int64_t)len * pages->size, QUANTITY_BINARY_SI), 0);
	}
}

static void put_devices(struct amounts *to)
{
	const struct machine *machine = to->machine;
	size_t end, first, len;

	for (size_t i = 0; i < machine->n_devices; i = end) {
		struct str name = str_from(machine->devices[i].resource);

		for (end = i + 1; end < machine->n_devices; end++)
			if (!str_is(name, machine->devices[end].resource))
				break;
		machine_share(end - i, to->division->nodes, to->index, &first, &len);
		put_amount(to, name, quantity_make((int64_t)len, QUANTITY_DECIMAL_SI), 0);
	}
}

/* Resources that are only declared. */
static void put_declared(struct amounts *to)
{
	for (size_t i = 0; i < to->division->n_resources; i++) {
		const struct machine_amount *amount = &to->division->resources[i];

		if (json_is_absent(json_get_str(to->capacity, amount->name)))
			put_amount(to, amount->name, quantity_make(0, QUANTITY_DECIMAL_SI), 0);
	}
}

static void put_system(const struct machine *machine, struct json_doc *doc, struct json status)
{
	struct json info = json_ensure_obj(doc, status, "nodeInfo");

	json_set_str(doc, info, "machineID", str_from(machine->machine_id));
	json_set_str(doc, info, "systemUUID", str_from(machine->machine_id));
	json_set_str(doc, info, "bootID", str_from(machine->boot_id));
	json_set_str(doc, info, "kernelVersion", str_from(machine->kernel));
	json_set_str(doc, info, "osImage", str_from(machine->os_image));
	json_set_str(doc, info, "operatingSystem", STR("linux"));
	json_set_str(doc, info, "architecture", str_from(machine->architecture));
}

void machine_put_status(const struct machine *machine, const struct machine_division *division,
			size_t index, struct json_doc *doc, struct json status)
{
	struct amounts to = {machine, division, index, doc, JSON_NONE, JSON_NONE};
	int64_t nodes = (int64_t)division->nodes;
	int64_t pods = PODS_OF_MACHINE / nodes;
	int64_t huge = 0;

	to.capacity = json_ensure_obj(doc, status, "capacity");
	to.allocatable = json_ensure_obj(doc, status, "allocatable");
	put_amount(&to, STR("cpu"), quantity_make_milli(machine->cpu / nodes, QUANTITY_DECIMAL_SI),
		   0);
	put_hugepages(&to, &huge);
	put_amount(&to, STR("memory"), quantity_make(machine->memory / nodes, QUANTITY_BINARY_SI),
		   pressure_threshold(&division->limits, PRESSURE_MEMORY, machine->memory) / nodes +
			   huge);
	put_amount(&to, STR("ephemeral-storage"),
		   quantity_make(machine->disk / nodes, QUANTITY_BINARY_SI),
		   pressure_threshold(&division->limits, PRESSURE_DISK, machine->disk) / nodes);
	put_amount(&to, STR("pods"),
		   quantity_make(pods > PODS_OF_NODE ? pods : PODS_OF_NODE, QUANTITY_DECIMAL_SI),
		   0);
	put_devices(&to);
	put_declared(&to);
	put_system(machine, doc, status);
}
