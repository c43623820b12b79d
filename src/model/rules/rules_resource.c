/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules_resource.c - rules of resources: what they may be called, and how much of them there may
 * be; in the words of kube-apiserver 1.34. */
#include "base/mem.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* --- quantities ------------------------------------------------------------------------------ */

static bool read_quantity(struct json value, struct quantity *ret)
{
	AUTO(mem_free) char *number = NULL;

	if (json_is(value, JSON_STR))
		return quantity_parse(json_str(value), ret, NULL) == 0;
	if (json_is_absent(value))
		return false;
	number = json_text(value, JSON_COMPACT);
	if (quantity_parse(str_from(number), ret, NULL))
		return false;
	ret->text = str_none(); /* it does not outlive `number` */
	return true;
}

bool rules_quantity(struct json list, const char *name, struct quantity *ret)
{
	return read_quantity(json_get(list, name), ret);
}

void rules_invalid_quantity(struct json value, const struct path *path, const char *detail,
			    struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity quantity;

	if (!read_quantity(value, &quantity))
		return;
	quantity_print(&quantity, &text);
	causes_invalid_str(causes, path, buf_str(&text), "%s", detail);
}

void rules_quantity_not_negative(struct json value, const struct path *path, struct causes *causes)
{
	struct quantity quantity;

	if (read_quantity(value, &quantity) && quantity_sign(&quantity) < 0)
		rules_invalid_quantity(value, path, "must be greater than or equal to 0", causes);
}

void rules_quantity_positive(struct json value, const struct path *path, struct causes *causes)
{
	struct quantity quantity;

	if (read_quantity(value, &quantity) && quantity_sign(&quantity) <= 0)
		rules_invalid_quantity(value, path, "must be greater than zero", causes);
}

void rules_amount(struct str name, struct json value, const struct path *path,
		  struct causes *causes)
{
	struct quantity quantity;

	rules_quantity_not_negative(value, path, causes);
	if (rules_is_integer_resource(name) && read_quantity(value, &quantity) &&
	    quantity_milli(&quantity) % 1000 != 0)
		rules_invalid_quantity(value, path, "must be an integer", causes);
}

/* --- names of resources ---------------------------------------------------------------------- */

static bool is_in(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

bool rules_is_hugepages(struct str name)
{
	return str_starts(name, STR("hugepages-"));
}

bool rules_is_integer_resource(struct str name)
{
	static const char *const names[] = {
		"pods",
		"services",
		"replicationcontrollers",
		"resourcequotas",
		"secrets",
		"configmaps",
		"persistentvolumeclaims",
		"services.nodeports",
		"services.loadbalancers",
	};

	return is_in(name, names, ARRAY_LEN(names)) || rules_is_extended_resource(name);
}

static bool is_container_resource(struct str name)
{
	static const char *const names[] = {"cpu", "memory", "ephemeral-storage"};

	return is_in(name, names, ARRAY_LEN(names)) || rules_is_hugepages(name);
}

bool rules_is_standard_resource(struct str name)
{
	static const char *const names[] = {
		"cpu",
		"memory",
		"ephemeral-storage",
		"requests.cpu",
		"requests.memory",
		"requests.ephemeral-storage",
		"limits.cpu",
		"limits.memory",
		"limits.ephemeral-storage",
		"pods",
		"resourcequotas",
		"services",
		"replicationcontrollers",
		"secrets",
		"configmaps",
		"persistentvolumeclaims",
		"storage",
		"requests.storage",
		"services.nodeports",
		"services.loadbalancers",
	};

	return is_in(name, names, ARRAY_LEN(names)) || rules_is_hugepages(name) ||
	       str_starts(name, STR("requests.hugepages-"));
}

bool rules_is_native_resource(struct str name)
{
	return str_find_byte(name, '/', 0) < 0 || str_find(name, STR("kubernetes.io/"), 0) >= 0;
}

bool rules_is_extended_resource(struct str name)
{
	AUTO(buf_done) struct buf quota = BUF_UNBOUNDED;

	if (rules_is_native_resource(name) || str_starts(name, STR("requests.")))
		return false;
	buf_puts(&quota, "requests.");
	buf_put_str(&quota, name);
	return name_is(NAME_QUALIFIED, buf_str(&quota));
}

bool rules_resource_name(struct str name, const struct path *path, struct causes *causes)
{
	if (!name_validate(NAME_QUALIFIED, name, path, causes))
		return false;
	if (str_find_byte(name, '/', 0) >= 0 || rules_is_standard_resource(name))
		return true;
	causes_invalid_str(causes, path, name,
			   "must be a standard resource type or fully qualified");
	return false;
}

void rules_container_resource_name(struct str name, const struct path *path, struct causes *causes)
{
	(void)rules_resource_name(name, path, causes); /* reported twice, as in upstream */
	if (str_find_byte(name, '/', 0) < 0) {
		if (!is_container_resource(name))
			causes_invalid_str(causes, path, name,
					   "must be a standard resource for containers");
	} else if (!rules_is_native_resource(name) && !rules_is_extended_resource(name)) {
		causes_invalid_str(causes, path, name,
				   "doesn't follow extended resource name standard");
	}
}
