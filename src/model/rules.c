/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules.c - what the rules of the built-in kinds share, in the words of kube-apiserver 1.34.
 *
 * Everything here looks at documents; nothing is kept. */
#include "model/rules.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/intstr.h"
#include "model/labels.h"
#include "model/meta.h"
#include "model/names.h"

#include "base/banned.h"

enum { CSI_DRIVER_MAX = 63 };

void rules_elsewhere(struct json object, const struct path *path, struct causes *causes)
{
	(void)object;
	(void)path;
	(void)causes;
}

void rules_meta(struct json object, enum name_format format, bool namespaced, struct causes *causes)
{
	struct path path = path_member(NULL, STR("metadata"));
	struct meta_rules rules = {.namespaced = namespaced, .format = format, .built_in = true};

	meta_validate(json_get(object, "metadata"), &rules, &path, causes);
}

bool rules_is_empty(struct json value)
{
	switch (json_type(value)) {
	case JSON_ABSENT:
	case JSON_NULL:
		return true;
	case JSON_STR:
		return json_str(value).len == 0;
	case JSON_ARR:
	case JSON_OBJ:
		return json_len(value) == 0;
	default:
		return false;
	}
}

bool rules_same(struct json a, struct json b)
{
	return json_eq(a, b) || (rules_is_empty(a) && rules_is_empty(b));
}

bool rules_has(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return true;
	return false;
}

void rules_invalid(struct json value, const struct path *path, const char *detail,
		   struct causes *causes)
{
	if (json_is_absent(value))
		causes_add(causes, CAUSE_INVALID, path, "Invalid value: null: %s", detail);
	else
		causes_invalid(causes, path, value, "%s", detail);
}

/* A text that is absent is told as an empty one. */
void rules_immutable(struct json new, struct json old, const struct path *path,
		     struct causes *causes)
{
	if (rules_same(new, old))
		return;
	if (json_is(old, JSON_STR))
		causes_invalid(causes, path, new, "field is immutable");
	else
		rules_invalid(new, path, "field is immutable", causes);
}

/* --- numbers --------------------------------------------------------------------------------- */

void rules_not_negative(struct json number, const struct path *path, struct causes *causes)
{
	if (json_int(number) < 0)
		causes_invalid(causes, path, number, "must be greater than or equal to 0");
}

void rules_port(int64_t port, const struct path *path, struct causes *causes)
{
	if (port < 1 || port > 65535)
		causes_invalid_int(causes, path, port, "must be between 1 and 65535, inclusive");
}

void rules_port_or_name(struct json value, const struct path *path, struct causes *causes)
{
	if (json_is(value, JSON_STR))
		name_validate(NAME_PORT, json_str(value), path, causes);
	else
		rules_port(json_int(value), path, causes);
}

static bool is_percent(struct str text)
{
	if (text.len < 2 || text.ptr[text.len - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

void rules_int_or_percent(struct json value, const struct path *path, struct causes *causes)
{
	if (json_is(value, JSON_INT))
		rules_not_negative(value, path, causes);
	else if (json_is(value, JSON_STR) && !is_percent(json_str(value)))
		causes_invalid(causes, path, value,
			       "a valid percent string must be a numeric string followed by an "
			       "ending '%%' (e.g. '1%%',  or '93%%', regex used for validation is "
			       "'[0-9]+%%')");
}

void rules_at_most_all(struct json value, const struct path *path, struct causes *causes)
{
	struct str text = json_str(value);
	int64_t percent;

	if (!is_percent(text) || number_parse_i64(str_slice(text, 0, text.len - 1), &percent, NULL))
		return;
	if (percent > 100)
		causes_invalid(causes, path, value, "must not be greater than 100%%");
}

/* --- texts ----------------------------------------------------------------------------------- */

void rules_one_of(struct json value, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(json_str(value), names[i]))
			return;
	causes_not_supported(causes, path, json_str(value), names, count);
}

void rules_one_of_required(struct json value, const char *const *names, size_t count,
			   const struct path *path, struct causes *causes)
{
	if (json_str(value).len)
		rules_one_of(value, names, count, path, causes);
	else
		causes_required(causes, path, "");
}

struct told {
	struct str shown;
	const struct path *path;
	struct causes *causes;
};

static void tell_of(void *arg, const char *message)
{
	struct told *told = arg;

	causes_invalid_str(told->causes, told->path, told->shown, "%s", message);
}

/* Checked in lower case, told as it is. */
static void check_lower(enum name_format format, struct str name, const struct path *path,
			struct causes *causes)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;
	struct told told = {name, path, causes};

	for (size_t i = 0; i < name.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)name.ptr[i]));
	name_check(format, buf_str(&lower), tell_of, &told);
}

void rules_qualified_lower(struct str name, const struct path *path, struct causes *causes)
{
	check_lower(NAME_QUALIFIED, name, path, causes);
}

void rules_csi_driver(struct str name, const struct path *path, struct causes *causes)
{
	if (!name.len)
		causes_required(causes, path, "");
	if (name.len > CSI_DRIVER_MAX)
		causes_too_long(causes, path, CSI_DRIVER_MAX);
	check_lower(NAME_DNS_SUBDOMAIN, name, path, causes);
}

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
	(void)rules_resource_name(name, path,
				  causes); /* what is wrong is told twice, as upstream */
	if (str_find_byte(name, '/', 0) < 0) {
		if (!is_container_resource(name))
			causes_invalid_str(causes, path, name,
					   "must be a standard resource for containers");
	} else if (!rules_is_native_resource(name) && !rules_is_extended_resource(name)) {
		causes_invalid_str(causes, path, name,
				   "doesn't follow extended resource name standard");
	}
}

/* --- selectors ------------------------------------------------------------------------------- */

void rules_label_selector(struct json selector, const struct path *path, struct causes *causes)
{
	if (json_is(selector, JSON_OBJ))
		type_validate_at(&label_selector_type, selector, path, causes);
}

bool rules_selects(struct json selector, struct json labels)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct label_selector object;
	struct selector parsed;
	struct meta meta = {0};

	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json holder = json_new_obj(doc);

	if (!json_is_absent(labels))
		json_set(doc, holder, STR("labels"), json_new_copy(doc, labels));
	return type_decode(&label_selector_type, selector, arena, &object, NULL) == 0 &&
	       selector_from_object(&object, arena, &parsed, NULL) == 0 &&
	       type_decode(&meta_type, holder, arena, &meta, NULL) == 0 &&
	       selector_matches(&parsed, &meta.labels);
}

void rules_pod_selector(struct json spec, const char *what, const struct path *path,
			struct causes *causes)
{
	struct path at = path_member(path, STR("selector"));
	struct path template = path_member(path, STR("template"));
	struct path meta = path_member(&template, STR("metadata"));
	struct path labels_path = path_member(&meta, STR("labels"));
	struct json selector = json_get(spec, "selector");
	struct json labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");
	size_t before = causes->len;

	if (!json_is(selector, JSON_OBJ)) {
		causes_required(causes, &at, "");
		return;
	}
	rules_label_selector(selector, &at, causes);
	if (rules_is_empty(json_get(selector, "matchLabels")) &&
	    rules_is_empty(json_get(selector, "matchExpressions")))
		causes_invalid(causes, &at, selector, "empty selector is invalid for %s", what);
	if (causes->len != before || rules_selects(selector, labels))
		return;
	rules_invalid(labels, &labels_path, "`selector` does not match template `labels`", causes);
}

void rules_pod_template(struct json template, const char *kind, const struct path *path,
			struct causes *causes)
{
	static const char *const always[] = {"Always"};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json spec = json_get(template, "spec");
	struct path up = path_member(path, STR("spec"));
	struct path policy = path_member(&up, STR("restartPolicy"));
	struct path deadline = path_member(&up, STR("activeDeadlineSeconds"));

	if (!str_is(json_str(json_get(spec, "restartPolicy")), always[0]))
		causes_not_supported(causes, &policy, json_str(json_get(spec, "restartPolicy")),
				     always, ARRAY_LEN(always));
	if (json_is_absent(json_get(spec, "activeDeadlineSeconds")))
		return;
	buf_printf(&text, "activeDeadlineSeconds in %s is not Supported", kind);
	causes_forbidden(causes, &deadline, buf_text(&text));
}

void rules_counts(struct json object, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < count; i++) {
		struct path at = path_member(path, str_from(names[i]));

		rules_not_negative(json_get(object, names[i]), &at, causes);
	}
}

/* --- addresses ------------------------------------------------------------------------------- */

struct ip {
	unsigned char at[16]; /* an IPv4 address in the first four */
	bool six;
};

static bool parse_ip(struct str text, struct ip *ret)
{
	char copy[INET6_ADDRSTRLEN];

	if (text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr ? text.ptr : "", text.len);
	copy[text.len] = 0;
	ret->six = memchr(copy, ':', text.len) != NULL;
	return inet_pton(ret->six ? AF_INET6 : AF_INET, copy, ret->at) == 1;
}

bool rules_is_ipv6(struct str text)
{
	return str_find_byte(text, ':', 0) >= 0;
}

bool rules_ip(struct str text, const struct path *path, struct causes *causes)
{
	struct ip ip;

	if (parse_ip(text, &ip))
		return true;
	causes_invalid_str(causes, path, text,
			   "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
	return false;
}

bool rules_cidr(struct str text, const struct path *path, struct causes *causes)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	struct ip ip;
	int64_t bits;

	if (slash >= 0 && parse_ip(str_slice(text, 0, (size_t)slash), &ip) &&
	    number_parse_i64(str_skip(text, (size_t)slash + 1), &bits, NULL) == 0 && bits >= 0 &&
	    bits <= (ip.six ? 128 : 32))
		return true;
	causes_invalid_str(causes, path, text,
			   "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
	return false;
}

static bool is_all_zero(const struct ip *ip, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ip->at[i])
			return false;
	return true;
}

void rules_endpoint_ip(struct str text, const struct path *path, struct causes *causes)
{
	struct ip ip;
	size_t size;
	bool loopback;
	bool local;
	bool multicast;

	if (!parse_ip(text, &ip)) {
		causes_invalid_str(causes, path, text, "must be a valid IP address");
		return;
	}
	size = ip.six ? 16 : 4;
	loopback = ip.six ? is_all_zero(&ip, 15) && ip.at[15] == 1 : ip.at[0] == 127;
	local = ip.six ? ip.at[0] == 0xfe && (ip.at[1] & 0xc0) == 0x80
		       : ip.at[0] == 169 && ip.at[1] == 254;
	multicast = ip.six ? ip.at[0] == 0xff && (ip.at[1] & 0x0f) == 2
			   : ip.at[0] == 224 && ip.at[1] == 0 && ip.at[2] == 0;
	if (is_all_zero(&ip, size))
		causes_invalid_str(causes, path, text, "may not be unspecified (%.*s)",
				   STR_ARG(text));
	if (loopback)
		causes_invalid_str(causes, path, text,
				   "may not be in the loopback range (127.0.0.0/8, ::1/128)");
	if (local)
		causes_invalid_str(causes, path, text,
				   "may not be in the link-local range (169.254.0.0/16, "
				   "fe80::/10)");
	if (multicast)
		causes_invalid_str(causes, path, text,
				   "may not be in the link-local multicast range (224.0.0.0/24, "
				   "ff02::/10)");
}

/* --- values as Go prints them ---------------------------------------------------------------- */

void rules_print_go(struct json object, const struct rules_go *rows, size_t count, struct buf *to)
{
	buf_putc(to, '{');
	for (size_t i = 0; i < count; i++) {
		struct json value = json_get(object, rows[i].json);

		buf_printf(to, "%s\"%s\":", i ? "," : "", rows[i].go);
		if (json_is_absent(value) || json_is(value, JSON_NULL))
			buf_puts(to, rows[i].zero);
		else
			json_print(value, JSON_COMPACT, to);
	}
	buf_putc(to, '}');
}

/* --- config maps and secrets ----------------------------------------------------------------- */

size_t rules_bytes_len(struct json value)
{
	struct str text = json_str(value);
	size_t padding = 0;

	while (padding < 2 && padding < text.len && text.ptr[text.len - 1 - padding] == '=')
		padding++;
	return text.len / 4 * 3 - padding;
}

void rules_fixed_data(struct json new, struct json old, const char *const *fields, size_t count,
		      struct causes *causes)
{
	static const char detail[] = "field is immutable when `immutable` is set";
	struct path flag = path_member(NULL, STR("immutable"));

	if (!json_bool(json_get(old, "immutable")))
		return;
	if (!json_bool(json_get(new, "immutable")))
		causes_forbidden(causes, &flag, detail);
	for (size_t i = 0; i < count; i++) {
		struct path path = path_member(NULL, str_from(fields[i]));

		if (!rules_same(json_get(new, fields[i]), json_get(old, fields[i])))
			causes_forbidden(causes, &path, detail);
	}
}
