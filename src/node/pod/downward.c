/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/downward.c - fields of a pod as texts; an unknown field is an error with a kubelet's text. */
#include "node/pod/downward.h"

#include <inttypes.h>

#include "base/buf.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

#include "base/banned.h"

/* --- fields --- */

/* One `key="value"` per line, in the order of the view. */
static struct str print_map(const struct labels *labels, struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < labels->len; i++) {
		if (i)
			buf_putc(&text, '\n');
		buf_put_str(&text, labels->ptr[i].key);
		buf_putc(&text, '=');
		causes_quote(&text, labels->ptr[i].value);
	}
	return arena_str(arena, buf_str(&text));
}

static struct str map_value(const struct labels *labels, struct str key)
{
	for (size_t i = 0; i < labels->len; i++)
		if (str_eq(labels->ptr[i].key, key))
			return labels->ptr[i].value;
	return STR("");
}

/* "metadata.labels['a']" is "metadata.labels" and "a". */
static bool split_subscript(struct str path, struct str *ret_path, struct str *ret_key)
{
	ptrdiff_t at = str_find(path, STR("['"), 0);

	if (at <= 0 || !str_ends(path, STR("']")) || (size_t)at + 4 > path.len)
		return false;
	*ret_path = str_slice(path, 0, (size_t)at);
	*ret_key = str_slice(path, (size_t)at + 2, path.len - 2);
	return true;
}

int downward_field(const struct sandbox *sandbox, struct str path, struct arena *arena,
		   struct str *ret, struct err *err)
{
	const struct pod *pod = sandbox->pod;
	const struct {
		const char *path;
		struct str value;
	} rows[] = {
		{"metadata.name", pod->meta.name},
		{"metadata.namespace", pod->meta.namespace},
		{"metadata.uid", pod->meta.uid},
		{"spec.nodeName", sandbox->node_name},
		{"spec.serviceAccountName", pod->spec.service_account},
		{"status.hostIP", sandbox->host_ip},
		{"status.hostIPs", sandbox->host_ip},
		{"status.podIP", sandbox->pod_ip},
		{"status.podIPs", sandbox->pod_ip},
	};
	struct str of, key;

	if (split_subscript(path, &of, &key)) {
		if (str_is(of, "metadata.labels"))
			return *ret = map_value(&pod->meta.labels, key), 0;
		if (str_is(of, "metadata.annotations"))
			return *ret = map_value(&pod->meta.annotations, key), 0;
		return err_set(err, ERR_INVALID, "fieldPath \"%.*s\" does not support subscript",
			       STR_ARG(path));
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(path, rows[i].path))
			return *ret = rows[i].value, 0;
	if (str_is(path, "metadata.labels"))
		return *ret = print_map(&pod->meta.labels, arena), 0;
	if (str_is(path, "metadata.annotations"))
		return *ret = print_map(&pod->meta.annotations, arena), 0;
	return err_set(err, ERR_INVALID, "unsupported fieldPath: %.*s", STR_ARG(path));
}

/* --- resources --- */

static const struct container *find_in(const struct containers *list, struct str name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i].name, name))
			return &list->ptr[i];
	return NULL;
}

static bool find_amount(const struct resource_list *list, struct str name, struct quantity *ret)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i].name, name))
			return *ret = list->ptr[i].value, true;
	return false;
}

static struct str print_amount(const struct quantity *amount, struct quantity divisor, bool milli,
			       struct arena *arena)
{
	int64_t whole = milli ? quantity_milli(amount) : quantity_value(amount);
	int64_t unit;

	if (quantity_sign(&divisor) <= 0)
		divisor = quantity_make(1, QUANTITY_DECIMAL_SI);
	unit = milli ? quantity_milli(&divisor) : quantity_value(&divisor);
	return str_from(arena_printf(arena, "%" PRId64, whole / unit + (whole % unit > 0)));
}

int downward_resource(const struct sandbox *sandbox, const struct container *container,
		      const struct resource_field_ref *ref, struct arena *arena, struct str *ret,
		      struct err *err)
{
	struct str name = ref->resource;
	bool limit = str_starts(name, STR("limits."));
	struct quantity amount = quantity_make(0, QUANTITY_DECIMAL_SI);
	bool milli;

	if (ref->container.len) {
		container = find_in(&sandbox->pod->spec.containers, ref->container);
		if (!container)
			container = find_in(&sandbox->pod->spec.init_containers, ref->container);
	}
	if (!container)
		return err_set(err, ERR_INVALID, "container %.*s not found",
			       STR_ARG(ref->container));
	if (!limit && !str_starts(name, STR("requests.")))
		return err_set(err, ERR_INVALID, "unsupported container resource : %.*s",
			       STR_ARG(name));
	name = str_skip(name, limit ? 7 : 9);
	milli = str_is(name, "cpu");
	if (!milli && !str_is(name, "memory") && !str_is(name, "ephemeral-storage") &&
	    !str_starts(name, STR("hugepages-")))
		return err_set(err, ERR_INVALID, "unsupported container resource : %.*s",
			       STR_ARG(ref->resource));
	if (!find_amount(limit ? &container->resources.limits : &container->resources.requests,
			 name, &amount) &&
	    (!limit ||
	     quantity_parse(json_str(json_get_str(sandbox->allocatable, name)), &amount, NULL) < 0))
		amount = quantity_make(0, QUANTITY_DECIMAL_SI);
	*ret = print_amount(&amount, ref->divisor, milli, arena);
	return 0;
}
