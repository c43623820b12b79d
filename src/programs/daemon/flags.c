/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/flags.c - the flags of daemons. */
#include "programs/daemon/flags.h"

#include "base/number.h"
#include "model/value/duration.h"

#include "base/banned.h"

static int set_texts(struct daemon_texts *texts, struct str value)
{
	struct str word;

	while (str_split(&value, ',', &word))
		if (word.len > 0)
			vec_push(texts, word);
	return 0;
}

static int set(const struct daemon_flag *flag, const char *text, struct err *err)
{
	struct str value = str_from(text);
	int64_t number = 0;
	bool on = false;

	switch (flag->type) {
	case DAEMON_TEXT:
		if (flag->value)
			*(const char **)flag->value = text;
		return 0;
	case DAEMON_TEXTS:
		return flag->value ? set_texts(flag->value, value) : 0;
	case DAEMON_NUMBER:
		if (number_parse_i64(value, &number, err) < 0)
			return -1;
		if (flag->value)
			*(int64_t *)flag->value = number;
		return 0;
	case DAEMON_DURATION:
		if (duration_parse(value, &number, err) < 0)
			return -1;
		if (flag->value)
			*(int64_t *)flag->value = number / DURATION_MICROSECOND;
		return 0;
	default:
		if (number_parse_bool(value, &on, err) < 0)
			return -1;
		if (flag->value)
			*(bool *)flag->value = on;
		return 0;
	}
}

/* As upstream: "_" and "-" are the same. */
static bool is_named(struct str name, const char *flag)
{
	struct str other = str_from(flag);

	if (name.len != other.len)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] != other.ptr[i] && !(name.ptr[i] == '_' && other.ptr[i] == '-'))
			return false;
	return true;
}

static const struct daemon_flag *find(struct str name, const struct daemon_flag *const *tables,
				      const size_t *counts, size_t table_count)
{
	for (size_t i = 0; i < table_count; i++)
		for (size_t k = 0; k < counts[i]; k++)
			if (is_named(name, tables[i][k].name))
				return &tables[i][k];
	return NULL;
}

int daemon_flags_parse(char **args, const struct daemon_flag *const *tables, const size_t *counts,
		       size_t table_count, struct err *err)
{
	for (; *args; args++) {
		struct str word = str_from(*args);
		ptrdiff_t equals = str_find_byte(word, '=', 0);
		struct str name = equals < 0 ? word : str_slice(word, 0, (size_t)equals);
		const struct daemon_flag *flag = NULL;
		const char *value;

		if (str_starts(name, STR("-")))
			flag = find(str_skip(name, str_starts(name, STR("--")) ? 2 : 1), tables,
				    counts, table_count);
		if (!flag)
			return err_set(err, ERR_BAD_REQUEST,
				       "there is no flag \"%.*s\"; --help lists them",
				       STR_ARG(name));
		if (equals >= 0)
			value = *args + equals + 1;
		else if (flag->type == DAEMON_SWITCH)
			value = "true";
		else if (args[1])
			value = *++args;
		else
			return err_set(err, ERR_BAD_REQUEST, "--%s needs a value", flag->name);
		if (set(flag, value, err) < 0)
			return err_wrap(err, "--%s", flag->name);
	}
	return 0;
}

void daemon_flags_print(const struct daemon_flag *flags, size_t count, struct buf *to)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(to, "  --%-36s %s\n", flags[i].name, flags[i].about);
}
