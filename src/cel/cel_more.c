/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_more.c - functions of rules on lists, sets, optionals, quantities and addresses.
 *
 * These are extensions of Kubernetes. A quantity is stored as its text, an address as its canonical
 * text, so that equal ones compare equal. */
#include <arpa/inet.h>
#include <string.h>

#include "base/number.h"
#include "cel/cel_internal.h"
#include "model/value/quantity.h"

#include "base/banned.h"

/* --- lists ----------------------------------------------------------------------------------- */

static struct cel_value call_is_sorted(struct cel_run *run, const struct cel_value *args,
				       size_t count)
{
	struct cel_iter it = cel_iter(&args[0]);
	struct cel_value before;

	(void)count;
	if (args[0].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	while (cel_next(&it, run)) {
		int order = 0;

		if (it.index > 1 && !cel_cmp(&before, &it.value, &order))
			return CEL_NO_OVERLOAD;
		if (order > 0)
			return cel_bool(false);
		before = it.value;
	}
	return cel_bool(true);
}

static struct cel_value call_sum(struct cel_run *run, const struct cel_value *args, size_t count)
{
	const struct cel_function *add = cel_function_find(STR("_+_"));
	struct cel_value pair[2] = {cel_int(0)};
	struct cel_iter it = cel_iter(&args[0]);

	(void)count;
	if (args[0].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	while (cel_next(&it, run)) {
		pair[1] = it.value;
		pair[0] = it.index > 1 ? add->fn(run, pair, 2) : pair[1];
		if (pair[0].kind == CEL_ERROR)
			return pair[0];
	}
	return pair[0];
}

static struct cel_value find_end(struct cel_run *run, const struct cel_value *list, int sign)
{
	struct cel_value best = {.kind = CEL_NULL};
	struct cel_iter it = cel_iter(list);

	if (list->kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	if (!it.len)
		return cel_error(sign > 0 ? "max called on empty list"
					  : "min called on empty list");
	while (cel_next(&it, run)) {
		int order = sign;

		if (it.index > 1 && !cel_cmp(&it.value, &best, &order))
			return CEL_NO_OVERLOAD;
		if (sign * order > 0)
			best = it.value;
	}
	return best;
}

static struct cel_value call_min(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return find_end(run, &args[0], -1);
}

static struct cel_value call_max(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return find_end(run, &args[0], 1);
}

static bool list_has(struct cel_run *run, const struct cel_value *list, const struct cel_value *one)
{
	struct cel_iter it = cel_iter(list);

	while (cel_next(&it, run))
		if (cel_eq(&it.value, one, run))
			return true;
	return false;
}

/* The number of elements of the second that the first contains. */
static size_t count_common(struct cel_run *run, const struct cel_value *a,
			   const struct cel_value *b)
{
	struct cel_iter it = cel_iter(b);
	size_t common = 0;

	while (cel_next(&it, run))
		common += list_has(run, a, &it.value);
	return common;
}

static struct cel_value call_set_contains(struct cel_run *run, const struct cel_value *args,
					  size_t count)
{
	(void)count;
	if (args[0].kind != CEL_LIST || args[1].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	return cel_bool(count_common(run, &args[0], &args[1]) == cel_len(&args[1]));
}

static struct cel_value call_set_equivalent(struct cel_run *run, const struct cel_value *args,
					    size_t count)
{
	(void)count;
	if (args[0].kind != CEL_LIST || args[1].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	return cel_bool(count_common(run, &args[0], &args[1]) == cel_len(&args[1]) &&
			count_common(run, &args[1], &args[0]) == cel_len(&args[0]));
}

static struct cel_value call_set_intersects(struct cel_run *run, const struct cel_value *args,
					    size_t count)
{
	(void)count;
	if (args[0].kind != CEL_LIST || args[1].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	return cel_bool(count_common(run, &args[0], &args[1]) > 0);
}

/* --- optionals ------------------------------------------------------------------------------- */

static struct cel_value call_optional_of(struct cel_run *run, const struct cel_value *args,
					 size_t count)
{
	(void)count;
	return cel_some(&args[0], run->arena);
}

static bool is_zero(const struct cel_value *value)
{
	switch (value->kind) {
	case CEL_NULL:
		return true;
	case CEL_BOOL:
		return !value->truth;
	case CEL_INT:
	case CEL_UINT:
	case CEL_DURATION:
		return !value->number;
	case CEL_DOUBLE:
		return value->real == 0;
	case CEL_STRING:
	case CEL_BYTES:
		return !value->text.len;
	case CEL_LIST:
	case CEL_MAP:
	case CEL_OBJECT:
		return !cel_len(value);
	default:
		return false;
	}
}

static struct cel_value call_optional_of_non_zero(struct cel_run *run, const struct cel_value *args,
						  size_t count)
{
	(void)count;
	return is_zero(&args[0]) ? cel_none() : cel_some(&args[0], run->arena);
}

static struct cel_value call_optional_none(struct cel_run *run, const struct cel_value *args,
					   size_t count)
{
	(void)run;
	(void)args;
	(void)count;
	return cel_none();
}

static struct cel_value call_has_value(struct cel_run *run, const struct cel_value *args,
				       size_t count)
{
	(void)run;
	(void)count;
	return args[0].kind == CEL_OPTIONAL ? cel_bool(args[0].len) : CEL_NO_OVERLOAD;
}

static struct cel_value call_value(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	(void)count;
	if (args[0].kind != CEL_OPTIONAL)
		return CEL_NO_OVERLOAD;
	return args[0].len ? args[0].items[0] : cel_error("optional.none() dereference");
}

static struct cel_value call_or(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	(void)count;
	if (args[0].kind != CEL_OPTIONAL || args[1].kind != CEL_OPTIONAL)
		return CEL_NO_OVERLOAD;
	return args[0].len ? args[0] : args[1];
}

static struct cel_value call_or_value(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	(void)run;
	(void)count;
	if (args[0].kind != CEL_OPTIONAL)
		return CEL_NO_OVERLOAD;
	return args[0].len ? args[0].items[0] : args[1];
}

/* --- quantities------------------------------------------------------------------------------ */

static struct cel_value call_quantity(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	struct quantity quantity;
	struct err err;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	if (quantity_parse(args[0].text, &quantity, &err) < 0)
		return cel_error(arena_strdup(run->arena, err.text));
	return (struct cel_value){.kind = CEL_QUANTITY, .text = args[0].text};
}

static struct cel_value call_is_quantity(struct cel_run *run, const struct cel_value *args,
					 size_t count)
{
	struct quantity quantity;

	(void)run;
	(void)count;
	return args[0].kind == CEL_STRING
		       ? cel_bool(quantity_parse(args[0].text, &quantity, NULL) == 0)
		       : CEL_NO_OVERLOAD;
}

/* A quantity, or a whole number. */
static bool read_amount(const struct cel_value *value, struct quantity *ret)
{
	if (value->kind == CEL_INT) {
		*ret = quantity_make(value->number, QUANTITY_DECIMAL_SI);
		return true;
	}
	return value->kind == CEL_QUANTITY && quantity_parse(value->text, ret, NULL) == 0;
}

/* Compares two quantities, or two versions. */
static struct cel_value compare(struct cel_run *run, const struct cel_value *args, char how)
{
	struct quantity a;
	struct quantity b;
	int order;

	if (read_amount(&args[0], &a) && read_amount(&args[1], &b))
		order = quantity_cmp(&a, &b);
	else if (!cel_version_cmp(&args[0], &args[1], run->arena, &order))
		return CEL_NO_OVERLOAD;
	if (how == 'c')
		return cel_int(order < 0 ? -1 : order > 0);
	return cel_bool(how == '>' ? order > 0 : order < 0);
}

static struct cel_value call_is_greater(struct cel_run *run, const struct cel_value *args,
					size_t count)
{
	(void)count;
	return compare(run, args, '>');
}

static struct cel_value call_is_less(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	(void)count;
	return compare(run, args, '<');
}

static struct cel_value call_compare(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	(void)count;
	return compare(run, args, 'c');
}

static struct cel_value add_amounts(struct cel_run *run, const struct cel_value *args, bool minus)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity a;
	struct quantity b;
	struct cel_value made;

	if (!read_amount(&args[0], &a) || !read_amount(&args[1], &b))
		return CEL_NO_OVERLOAD;
	if (minus)
		quantity_sub(&a, &b);
	else
		quantity_add(&a, &b);
	quantity_print(&a, &text);
	made = cel_text_of(&text, run);
	made.kind = CEL_QUANTITY;
	return made;
}

static struct cel_value call_add_amount(struct cel_run *run, const struct cel_value *args,
					size_t count)
{
	(void)count;
	return add_amounts(run, args, false);
}

static struct cel_value call_sub_amount(struct cel_run *run, const struct cel_value *args,
					size_t count)
{
	(void)count;
	return add_amounts(run, args, true);
}

static struct cel_value call_sign(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct quantity amount;

	(void)run;
	(void)count;
	return read_amount(&args[0], &amount) ? cel_int(quantity_sign(&amount)) : CEL_NO_OVERLOAD;
}

static bool is_whole(const struct quantity *amount)
{
	struct quantity value = quantity_make(quantity_value(amount), QUANTITY_DECIMAL_SI);

	return quantity_cmp(amount, &value) == 0;
}

static struct cel_value call_as_integer(struct cel_run *run, const struct cel_value *args,
					size_t count)
{
	struct quantity amount;

	(void)run;
	(void)count;
	if (!read_amount(&args[0], &amount))
		return CEL_NO_OVERLOAD;
	return is_whole(&amount) ? cel_int(quantity_value(&amount))
				 : cel_error("cannot convert value to integer");
}

static struct cel_value call_is_integer(struct cel_run *run, const struct cel_value *args,
					size_t count)
{
	struct quantity amount;

	(void)run;
	(void)count;
	return read_amount(&args[0], &amount) ? cel_bool(is_whole(&amount)) : CEL_NO_OVERLOAD;
}

static struct cel_value call_as_float(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	struct quantity amount;

	(void)run;
	(void)count;
	if (!read_amount(&args[0], &amount))
		return CEL_NO_OVERLOAD;
	return (struct cel_value){.kind = CEL_DOUBLE, .real = quantity_real(&amount)};
}

/* --- addresses ------------------------------------------------------------------------------- */

struct address {
	unsigned char bytes[16];
	size_t len;      /* 4 or 16 */
	unsigned prefix; /* of a CIDR */
};

static bool read_address(struct str text, struct address *ret)
{
	char copy[64];

	if (!text.len || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	ret->len = strchr(copy, ':') ? 16 : 4;
	ret->prefix = (unsigned)ret->len * 8;
	return inet_pton(ret->len == 4 ? AF_INET : AF_INET6, copy, ret->bytes) == 1;
}

static bool read_cidr(struct str text, struct address *ret)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	int64_t prefix;

	if (slash < 0 || !read_address(str_slice(text, 0, (size_t)slash), ret) ||
	    number_parse_range(str_skip(text, (size_t)slash + 1), 0, (int64_t)ret->len * 8, &prefix,
			       NULL) < 0)
		return false;
	ret->prefix = (unsigned)prefix;
	return true;
}

static struct cel_value make_address(const struct address *address, bool cidr, struct arena *arena)
{
	char text[INET6_ADDRSTRLEN];

	(void)inet_ntop(address->len == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof(text));
	if (!cidr)
		return (struct cel_value){.kind = CEL_IP,
					  .text = str_from(arena_strdup(arena, text))};
	return (struct cel_value){
		.kind = CEL_CIDR,
		.text = str_from(arena_printf(arena, "%s/%u", text, address->prefix))};
}

static struct cel_value call_ip(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct address address;

	(void)count;
	if (args[0].kind == CEL_CIDR && read_cidr(args[0].text, &address))
		return make_address(&address, false, run->arena);
	if (args[0].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	return read_address(args[0].text, &address)
		       ? make_address(&address, false, run->arena)
		       : cel_error(arena_printf(
				 run->arena,
				 "IP Address \"%.*s\" parse error during conversion from string",
				 STR_ARG(args[0].text)));
}

static struct cel_value call_is_ip(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct address address;

	(void)run;
	(void)count;
	return args[0].kind == CEL_STRING ? cel_bool(read_address(args[0].text, &address))
					  : CEL_NO_OVERLOAD;
}

static struct cel_value call_is_canonical(struct cel_run *run, const struct cel_value *args,
					  size_t count)
{
	struct cel_value made = call_ip(run, args, count);

	return made.kind == CEL_ERROR ? made : cel_bool(str_eq(made.text, args[0].text));
}

static struct cel_value call_family(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct address address;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_IP || !read_address(args[0].text, &address))
		return CEL_NO_OVERLOAD;
	return cel_int(address.len == 4 ? 4 : 6);
}

/* The class of an address, as Go's net/netip defines it. */
struct address_class {
	bool unspecified, loopback, local_multicast, local_unicast, global_unicast;
};

static bool read_class(const struct cel_value *value, struct address_class *ret)
{
	static const unsigned char zeroes[16];
	struct address address;
	const unsigned char *b = address.bytes;
	bool four;
	bool multicast;

	if (value->kind != CEL_IP || !read_address(value->text, &address))
		return false;
	four = address.len == 4;
	multicast = four ? (b[0] & 0xf0) == 0xe0 : b[0] == 0xff;
	ret->unspecified = !memcmp(b, zeroes, address.len);
	ret->loopback = four ? b[0] == 127 : !memcmp(b, zeroes, 15) && b[15] == 1;
	ret->local_multicast =
		four ? b[0] == 224 && !b[1] && !b[2] : multicast && (b[1] & 0xf) == 2;
	ret->local_unicast =
		four ? b[0] == 169 && b[1] == 254 : b[0] == 0xfe && (b[1] & 0xc0) == 0x80;
	ret->global_unicast = !ret->unspecified && !ret->loopback && !multicast &&
			      !ret->local_unicast &&
			      !(four && b[0] == 255 && b[1] == 255 && b[2] == 255 && b[3] == 255);
	return true;
}

/* A function that asks for one member of the class. */
#define ADDRESS_CLASS(function, member)                                                         \
	static struct cel_value function(struct cel_run *run, const struct cel_value *args,     \
					 size_t count)                                          \
	{                                                                                       \
		struct address_class class;                                                     \
                                                                                                \
		(void)run;                                                                      \
		(void)count;                                                                    \
		return read_class(&args[0], &class) ? cel_bool(class.member) : CEL_NO_OVERLOAD; \
	}
ADDRESS_CLASS(call_is_unspecified, unspecified)
ADDRESS_CLASS(call_is_loopback, loopback)
ADDRESS_CLASS(call_is_local_multicast, local_multicast)
ADDRESS_CLASS(call_is_local_unicast, local_unicast)
ADDRESS_CLASS(call_is_global_unicast, global_unicast)

static struct cel_value call_cidr(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct address address;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return CEL_NO_OVERLOAD;
	return read_cidr(args[0].text, &address)
		       ? make_address(&address, true, run->arena)
		       : cel_error(arena_printf(
				 run->arena,
				 "network address parse error during conversion from string: "
				 "%.*s",
				 STR_ARG(args[0].text)));
}

static struct cel_value call_is_cidr(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	struct address address;

	(void)run;
	(void)count;
	return args[0].kind == CEL_STRING ? cel_bool(read_cidr(args[0].text, &address))
					  : CEL_NO_OVERLOAD;
}

static void mask(struct address *address)
{
	for (size_t i = 0; i < address->len; i++) {
		unsigned keep = address->prefix > i * 8 ? address->prefix - (unsigned)i * 8 : 0;

		address->bytes[i] &= (unsigned char)(keep >= 8 ? 0xff : 0xff00U >> keep);
	}
}

static struct cel_value call_contains_address(struct cel_run *run, const struct cel_value *args,
					      size_t count)
{
	struct address net;
	struct address other;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_CIDR || !read_cidr(args[0].text, &net))
		return CEL_NO_OVERLOAD;
	if (!read_cidr(args[1].text, &other) && !read_address(args[1].text, &other))
		return cel_error("address parse error during conversion from string");
	if (net.len != other.len || other.prefix < net.prefix)
		return cel_bool(false);
	other.prefix = net.prefix;
	mask(&net);
	mask(&other);
	return cel_bool(!memcmp(net.bytes, other.bytes, net.len));
}

static struct cel_value call_prefix_length(struct cel_run *run, const struct cel_value *args,
					   size_t count)
{
	struct address net;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_CIDR || !read_cidr(args[0].text, &net))
		return CEL_NO_OVERLOAD;
	return cel_int(net.prefix);
}

static struct cel_value call_masked(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct address net;

	(void)count;
	if (args[0].kind != CEL_CIDR || !read_cidr(args[0].text, &net))
		return CEL_NO_OVERLOAD;
	mask(&net);
	return make_address(&net, true, run->arena);
}

#define SORTABLE(result)                                                               \
	"[i].:" result " [u].:" result " [d].:" result " [b].:" result " [D].:" result \
	" [T].:" result " [s].:" result " [y].:" result
#define ENDS "[i].:i [u].:u [d].:d [b].:b [D].:D [T].:T [s].:s [y].:y"

const struct cel_function cel_functions_more[] = {
	{"isSorted", SORTABLE("b"), call_is_sorted, PRICE_LIST},
	{"sum", "[i].:i [u].:u [d].:d [D].:D", call_sum, PRICE_LIST},
	{"min", ENDS, call_min, PRICE_LIST},
	{"max", ENDS, call_max, PRICE_LIST},
	{"sets.contains", "[A][A]:b", call_set_contains, PRICE_ONE},
	{"sets.equivalent", "[A][A]:b", call_set_equivalent, PRICE_ONE},
	{"sets.intersects", "[A][A]:b", call_set_intersects, PRICE_ONE},
	{"optional.of", "A:?A", call_optional_of, PRICE_ONE},
	{"optional.ofNonZeroValue", "A:?A", call_optional_of_non_zero, PRICE_ONE},
	{"optional.none", ":?A", call_optional_none, PRICE_ONE},
	{"hasValue", "?A.:b", call_has_value, PRICE_ONE},
	{"value", "?A.:A", call_value, PRICE_ONE},
	{"or", "?A.?A:?A", call_or, PRICE_ONE},
	{"orValue", "?A.A:A", call_or_value, PRICE_ONE},
	{"quantity", "s:q", call_quantity, PRICE_TEXT},
	{"isQuantity", "s:b", call_is_quantity, PRICE_TEXT},
	{"sign", "q.:i", call_sign, PRICE_ONE},
	{"isGreaterThan", "q.q:b v.v:b", call_is_greater, PRICE_ONE},
	{"isLessThan", "q.q:b v.v:b", call_is_less, PRICE_ONE},
	{"compareTo", "q.q:i v.v:i", call_compare, PRICE_ONE},
	{"asApproximateFloat", "q.:d", call_as_float, PRICE_ONE},
	{"asInteger", "q.:i", call_as_integer, PRICE_ONE},
	{"isInteger", "q.:b", call_is_integer, PRICE_ONE},
	{"add", "q.q:q q.i:q", call_add_amount, PRICE_ONE},
	{"sub", "q.q:q q.i:q", call_sub_amount, PRICE_ONE},
	{"ip", "s:p c.:p", call_ip, PRICE_TEXT},
	{"isIP", "s:b", call_is_ip, PRICE_TEXT},
	{"ip.isCanonical", "s:b", call_is_canonical, PRICE_TWICE},
	{"family", "p.:i", call_family, PRICE_ONE},
	{"isUnspecified", "p.:b", call_is_unspecified, PRICE_ONE},
	{"isLoopback", "p.:b", call_is_loopback, PRICE_ONE},
	{"isLinkLocalMulticast", "p.:b", call_is_local_multicast, PRICE_ONE},
	{"isLinkLocalUnicast", "p.:b", call_is_local_unicast, PRICE_ONE},
	{"isGlobalUnicast", "p.:b", call_is_global_unicast, PRICE_ONE},
	{"cidr", "s:c", call_cidr, PRICE_TEXT},
	{"isCIDR", "s:b", call_is_cidr, PRICE_TEXT},
	{"containsIP", "c.s:b c.p:b", call_contains_address, PRICE_SECOND},
	{"containsCIDR", "c.s:b c.c:b", call_contains_address, PRICE_SECOND},
	{"prefixLength", "c.:i", call_prefix_length, PRICE_ONE},
	{"masked", "c.:c", call_masked, PRICE_ONE},
};
const size_t cel_functions_more_count = ARRAY_LEN(cel_functions_more);
