/* SPDX-License-Identifier: Apache-2.0 */
/* base/log.h - one line per event, in logfmt or JSON, written by programs and services only.
 *
 *	log_info(log, "pod bound", LOG_STR("pod", name), LOG_INT("cycle", n));
 *	time=2026-01-02T03:04:05.678901Z level=info msg="pod bound" pod=ns/name cycle=42
 *
 * Keys are constants. The clock is the program's (loop_now), so that a simulated day logs simulated
 * times. A log is passed down like any other dependency; NULL is a log that says nothing.
 * A line over LIMIT_LOG_LINE bytes ends in "..." */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

enum log_level {
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_INFO,
	LOG_LEVEL_WARN,
	LOG_LEVEL_ERROR,
	LOG_LEVEL_COUNT
};
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON, LOG_FORMAT_COUNT };

typedef int64_t log_clock_fn(void *arg);                            /* microseconds since 1970 */
typedef void log_write_fn(void *arg, const char *line, size_t len); /* a whole line with its \n */

struct log;

struct log_options {
	enum log_level level;
	enum log_format format;
	log_clock_fn *clock; /* NULL: lines carry no time */
	void *clock_arg;
	log_write_fn *write; /* NULL: standard error */
	void *write_arg;
};

struct log *log_new(const struct log_options *options) __attribute__((returns_nonnull));
void log_free(struct log *log);
DEFINE_AUTO(struct log *, log_free);

void log_set_level(struct log *log, enum log_level level);
bool log_is_on(const struct log *log, enum log_level level);
const char *log_level_name(enum log_level level);
/* False when the name is unknown. */
bool log_level_parse(struct str name, enum log_level *ret);

enum log_type { LOG_TYPE_STR, LOG_TYPE_INT, LOG_TYPE_BOOL, LOG_TYPE_REAL };
struct log_field {
	const char *key;
	enum log_type type;
	struct str text;
	int64_t number;
	double real;
};

#define LOG_STR(name, value) \
	((struct log_field){.key = (name), .type = LOG_TYPE_STR, .text = str_from(value)})
#define LOG_VIEW(name, value) \
	((struct log_field){.key = (name), .type = LOG_TYPE_STR, .text = (value)})
#define LOG_INT(name, value) \
	((struct log_field){.key = (name), .type = LOG_TYPE_INT, .number = (int64_t)(value)})
#define LOG_BOOL(name, value) \
	((struct log_field){.key = (name), .type = LOG_TYPE_BOOL, .number = (value)})
#define LOG_REAL(name, value) \
	((struct log_field){.key = (name), .type = LOG_TYPE_REAL, .real = (value)})

void log_fields(struct log *log, enum log_level level, const char *msg,
		const struct log_field *fields, size_t count);

/* The array starts with an empty field so that it is never empty; log_fields() skips it. */
#define log_at(log, level, msg, ...)                                                            \
	do {                                                                                    \
		if (log_is_on((log), (level))) {                                                \
			const struct log_field log_fields_[] = {{.key = NULL}, ##__VA_ARGS__};  \
			log_fields((log), (level), (msg), log_fields_, ARRAY_LEN(log_fields_)); \
		}                                                                               \
	} while (0)
#define log_debug(log, ...) log_at((log), LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(log, ...) log_at((log), LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warn(log, ...) log_at((log), LOG_LEVEL_WARN, __VA_ARGS__)
#define log_error(log, ...) log_at((log), LOG_LEVEL_ERROR, __VA_ARGS__)

#endif
