/* SPDX-License-Identifier: Apache-2.0 */
/* base/log.c - one line per event. A line is built in a buffer and written with one call, so
 * that lines of several processes that share a file do not mix. */
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

struct log {
	struct log_options options;
	struct buf line;
};

static const char *const level_names[] = {
	[LOG_LEVEL_DEBUG] = "debug",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_ERROR] = "error",
};
_Static_assert(ARRAY_LEN(level_names) == LOG_LEVEL_COUNT, "name every level");

static void write_stderr(void *arg, const char *line, size_t len)
{
	(void)arg;
	while (len) {
		ssize_t put = write(STDERR_FILENO, line, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return; /* a failed log write cannot be logged */
		line += put;
		len -= (size_t)put;
	}
}

struct log *log_new(const struct log_options *options)
{
	struct log *log = mem_new(struct log);

	log->options = *options;
	if (!log->options.write)
		log->options.write = write_stderr;
	log->line = buf_make(LIMIT_LOG_LINE);
	return log;
}

void log_free(struct log *log)
{
	if (!log)
		return;
	buf_done(&log->line);
	mem_free(log);
}

void log_set_level(struct log *log, enum log_level level)
{
	if (log)
		log->options.level = level;
}

bool log_is_on(const struct log *log, enum log_level level)
{
	return log && level >= log->options.level;
}

const char *log_level_name(enum log_level level)
{
	return level_names[level];
}

bool log_level_parse(struct str name, enum log_level *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
		if (str_is(name, level_names[i])) {
			*ret = (enum log_level)i;
			return true;
		}
	}
	return false;
}

/* Does logfmt need quotes around this text? */
static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c >= 0x7f)
			return true;
	}
	return text.len == 0;
}

static void put_quoted(struct buf *line, struct str text)
{
	buf_putc(line, '"');
	buf_put_json(line, text);
	buf_putc(line, '"');
}

static void put_real(struct buf *line, double value, bool json)
{
	if (isfinite(value))
		buf_printf(line, "%.6g", value);
	else
		buf_puts(line, json ? "null" : "nan");
}

static void put_field(struct buf *line, const struct log_field *field, bool json)
{
	if (json) {
		put_quoted(line, str_from(field->key));
		buf_putc(line, ':');
	} else {
		buf_puts(line, field->key);
		buf_putc(line, '=');
	}
	switch (field->type) {
	case LOG_TYPE_STR:
		if (json || needs_quotes(field->text))
			put_quoted(line, field->text);
		else
			buf_put_str(line, field->text);
		break;
	case LOG_TYPE_INT:
		buf_put_int(line, field->number);
		break;
	case LOG_TYPE_BOOL:
		buf_puts(line, field->number ? "true" : "false");
		break;
	case LOG_TYPE_REAL:
		put_real(line, field->real, json);
		break;
	}
}

/* Adds a field, or marks that this field and all after it did not fit. */
static bool add_field(struct log *log, const struct log_field *field)
{
	static const char mark[] = " ...";
	bool json = log->options.format == LOG_FORMAT_JSON;
	size_t before = log->line.len;

	if (before > (json ? 1 : 0))
		buf_putc(&log->line, json ? ',' : ' ');
	put_field(&log->line, field, json);
	if (!buf_is_over(&log->line) && buf_space(&log->line) >= sizeof("\"...\":true}\n"))
		return true;
	buf_truncate(&log->line, before);
	log->line.over = false;
	buf_puts(&log->line, json ? (before > 1 ? ",\"...\":true" : "\"...\":true") : mark);
	return false;
}

void log_fields(struct log *log, enum log_level level, const char *msg,
		const struct log_field *fields, size_t count)
{
	char time[TIME_TEXT_SIZE];
	bool fits = true;
	bool json;

	if (!log_is_on(log, level))
		return;
	json = log->options.format == LOG_FORMAT_JSON;
	buf_clear(&log->line);
	if (json)
		buf_putc(&log->line, '{');
	if (log->options.clock) {
		time_print_micro(log->options.clock(log->options.clock_arg), time);
		fits = add_field(log, &LOG_STR("time", time));
	}
	fits = fits && add_field(log, &LOG_STR("level", level_names[level]));
	fits = fits && add_field(log, &LOG_STR("msg", msg));
	for (size_t i = 0; fits && i < count; i++)
		if (fields[i].key)
			fits = add_field(log, &fields[i]);
	buf_puts(&log->line, json ? "}\n" : "\n");
	log->options.write(log->options.write_arg, log->line.ptr, log->line.len);
}
