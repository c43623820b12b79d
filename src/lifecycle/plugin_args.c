/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin_args.c - arguments as Go's flag package reads them.
 *
 * Numbers are Go's as well: 0x10, 0o17, 017 and 0b1 are numbers of other bases. */
#include "lifecycle/plugin_args.h"

#include "base/number.h"

#include "base/banned.h"

static const struct {
	struct str prefix;
	int base;
} bases[] = {
	{STR_INIT("0x"), 16}, {STR_INIT("0X"), 16}, {STR_INIT("0b"), 2}, {STR_INIT("0B"), 2},
	{STR_INIT("0o"), 8},  {STR_INIT("0O"), 8},  {STR_INIT("0"), 8},
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static bool parse_digits(struct str text, int base, int64_t *ret)
{
	int64_t value = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int d = digit(text.ptr[i]);

		if (d >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, d, &value))
			return false;
	}
	*ret = value;
	return true;
}

static bool parse_number(struct str text, int64_t *ret)
{
	bool minus = str_starts(text, STR("-"));
	int base = 10;

	if (minus || str_starts(text, STR("+")))
		text = str_skip(text, 1);
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (text.len > bases[i].prefix.len && str_starts(text, bases[i].prefix)) {
			text = str_skip(text, bases[i].prefix.len);
			base = bases[i].base;
			break;
		}
	}
	if (!parse_digits(text, base, ret))
		return false;
	if (minus)
		*ret = -*ret;
	return true;
}

static bool set(const struct plugin_arg *flag, struct str text)
{
	int64_t number;
	bool on;

	switch (flag->type) {
	case PLUGIN_ARG_TEXT:
		*(struct str *)flag->value = text;
		return true;
	case PLUGIN_ARG_NUMBER:
		if (!parse_number(text, &number))
			return false;
		*(int64_t *)flag->value = number;
		return true;
	default:
		if (number_parse_bool(text, &on, NULL) < 0)
			return false;
		*(bool *)flag->value = on;
		return true;
	}
}

static const struct plugin_arg *find(const struct plugin_arg *flags, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, flags[i].name))
			return &flags[i];
	return NULL;
}

void plugin_args_parse(const struct strs *args, const struct plugin_arg *flags, size_t count)
{
	for (size_t i = 0; i < args->len; i++) {
		struct str word = args->ptr[i];
		const struct plugin_arg *flag;
		struct str value;
		ptrdiff_t equals;

		if (word.len < 2 || word.ptr[0] != '-' || str_is(word, "--"))
			return;
		word = str_skip(word, word.ptr[1] == '-' ? 2 : 1);
		if (word.len == 0 || word.ptr[0] == '-' || word.ptr[0] == '=')
			return;
		equals = str_find_byte(word, '=', 0);
		flag = find(flags, count, equals < 0 ? word : str_slice(word, 0, (size_t)equals));
		if (!flag)
			return;
		if (equals >= 0)
			value = str_skip(word, (size_t)equals + 1);
		else if (flag->type == PLUGIN_ARG_SWITCH)
			value = STR("true");
		else if (i + 1 < args->len)
			value = args->ptr[++i];
		else
			return;
		if (!set(flag, value))
			return;
	}
}
