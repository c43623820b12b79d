/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the server for a log, and how times are cut off its lines. */
#include "cli/logstream.h"

#include "base/buf.h"
#include "tap.h"

#include "base/banned.h"

static void test_paths(void)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
	struct logstream_options options = {
		.namespace = STR("ns"), .pod = STR("p-0"), .container = STR("main"), .tail = -1};

	logstream_put_path(&options, str_none(), &path);
	is(buf_text(&path), "/api/v1/namespaces/ns/pods/p-0/log?container=main&timestamps=true");
	buf_clear(&path);
	options.follow = options.previous = true;
	options.tail = 10;
	options.since_us = 1500000;
	logstream_put_path(&options, str_none(), &path);
	is(buf_text(&path), "/api/v1/namespaces/ns/pods/p-0/log?container=main&timestamps=true"
			    "&follow=true&previous=true&tailLines=10&sinceSeconds=2");
	buf_clear(&path);
	options.previous = false;
	logstream_put_path(&options, STR("2026-01-02T03:04:05.5Z"), &path);
	is(buf_text(&path), "/api/v1/namespaces/ns/pods/p-0/log?container=main&timestamps=true"
			    "&follow=true&sinceTime=2026-01-02T03%3A04%3A05.5Z");
}

static void test_times(void)
{
	static const struct {
		const char *line, *time, *rest;
	} cases[] = {
		{"2026-01-02T03:04:05.123456789Z hello world", "2026-01-02T03:04:05.123456789Z",
		 "hello world"},
		{"2026-01-02T03:04:05Z ", "2026-01-02T03:04:05Z", ""},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", ""},
		{"2026-01-02T03:04:05Z  two", "2026-01-02T03:04:05Z", " two"},
		{"no time here", "", "no time here"},
		{"", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str line = str_from(cases[i].line);
		struct str time = logstream_cut_time(&line);

		ok(str_is(time, cases[i].time) && str_is(line, cases[i].rest), "\"%s\" is \"%s\"",
		   cases[i].line, cases[i].rest);
	}
}

int main(void)
{
	test_paths();
	test_times();
	return tap_done();
}
