/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <math.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "tap.h"

static int64_t fixed_clock(void *arg)
{
	(void)arg;
	return INT64_C(1767323045678901);
}

static void keep(void *arg, const char *line, size_t len)
{
	buf_clear(arg);
	buf_put(arg, line, len);
}

enum { LOTS = 2 * LIMIT_LOG_LINE };

int main(void)
{
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;
	AUTO(mem_free) char *lots = mem_zalloc(LOTS);
	struct log_options options = {
		.level = LOG_LEVEL_INFO, .clock = fixed_clock, .write = keep, .write_arg = &line};
	AUTO(log_free) struct log *log = log_new(&options);
	AUTO(log_free) struct log *json = NULL;
	AUTO(log_free) struct log *plain = log_new(&(struct log_options){.level = LOG_LEVEL_ERROR});
	enum log_level level;

	options.format = LOG_FORMAT_JSON;
	options.clock = NULL;
	json = log_new(&options);
	memset(lots, 'x', LOTS - 1);

	log_info(log, "pod bound", LOG_STR("pod", "ns/name"), LOG_INT("cycle", 42),
		 LOG_BOOL("dry", false), LOG_REAL("share", 0.25), LOG_STR("empty", ""),
		 LOG_STR("quoted", "a \"b\"\n"), LOG_VIEW("view", str_of("abc", 2)));
	is(buf_text(&line),
	   "time=2026-01-02T03:04:05.678901Z level=info msg=\"pod bound\" pod=ns/name "
	   "cycle=42 dry=false share=0.25 empty=\"\" quoted=\"a \\\"b\\\"\\n\" view=ab\n");
	log_error(json, "bad", LOG_STR("why", "x\ty"), LOG_REAL("share", NAN), LOG_INT("n", -1));
	is(buf_text(&line),
	   "{\"level\":\"error\",\"msg\":\"bad\",\"why\":\"x\\ty\",\"share\":null,\"n\":-1}\n");
	buf_clear(&line);
	log_debug(log, "quiet");
	is(buf_text(&line), "");
	log_set_level(log, LOG_LEVEL_DEBUG);
	log_debug(log, "loud");
	ok(line.len > 0, "the level can be changed");
	log_warn(log, "long", LOG_STR("a", "1"), LOG_STR("b", lots), LOG_STR("c", "2"));
	is(buf_text(&line), "time=2026-01-02T03:04:05.678901Z level=warn msg=long a=1 ...\n");
	log_warn(json, "long", LOG_STR("b", lots));
	is(buf_text(&line), "{\"level\":\"warn\",\"msg\":\"long\",\"...\":true}\n");
	log_info((struct log *)NULL, "nobody listens");
	log_fields(NULL, LOG_LEVEL_ERROR, "nobody listens", &LOG_INT("n", 1), 1);
	log_set_level(NULL, LOG_LEVEL_DEBUG);
	log_error(plain, "a line on standard error", LOG_REAL("infinite", INFINITY));
	ok(log_level_parse(STR("warn"), &level) && level == LOG_LEVEL_WARN, "levels by name");
	ok(!log_level_parse(STR("loud"), &level), "an unknown level");
	is(log_level_name(LOG_LEVEL_DEBUG), "debug");
	log_free(NULL);
	return tap_done();
}
