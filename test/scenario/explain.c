// SPDX-License-Identifier: Apache-2.0
/* explain.c - scenarios of `vcctl job explain`: each document of a file has the objects of one job, the line that users
 * read first, and what would help.
 *
 *	title: a crash loop
 *	job: {...}		and group, queue, pods, nodes, events; what is absent is not known
 *	output: {pod: train-w-0, text: "..."}	the last line that a pod printed
 *	line: "train: restarting after failures: ..."
 *	advice: "Look at its output (vcctl job logs)"
 *
 * All ages are seen from 2026-01-02T10:00:00Z. */
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/time.h"
#include "cli/explain_text.h"
#include "json/yaml.h"
#include "tap.h"

#include "base/banned.h"

static void check(struct json scenario)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;
	struct str title = json_str(json_get(scenario, "title"));
	struct str want = json_str(json_get(scenario, "line"));
	struct str advice = json_str(json_get(scenario, "advice"));
	struct explain_facts facts = {
		.job = json_get(scenario, "job"),
		.group = json_get(scenario, "group"),
		.queue = json_get(scenario, "queue"),
		.pods = json_get(scenario, "pods"),
		.nodes = json_get(scenario, "nodes"),
		.events = json_get(scenario, "events"),
		.output_pod = json_str(json_get(json_get(scenario, "output"), "pod")),
		.output = json_str(json_get(json_get(scenario, "output"), "text")),
		.bold = "",
		.faint = "",
		.good = "",
		.busy = "",
		.bad = "",
		.plain = "",
	};
	struct str got;
	struct err err;

	(void)!time_parse(STR("2026-01-02T10:00:00Z"), &facts.now, &err);
	explain_line(&facts, arena, &line);
	got = explain_advice(&facts, arena);
	ok(str_eq(buf_str(&line), want), "%.*s", STR_ARG(title));
	if (!str_eq(buf_str(&line), want))
		printf("# got  %s\n# want %.*s\n", buf_text(&line), STR_ARG(want));
	ok(str_eq(got, advice), "%.*s: what would help", STR_ARG(title));
	if (!str_eq(got, advice))
		printf("# got  %.*s\n# want %.*s\n", STR_ARG(got), STR_ARG(advice));
}

static int run(const char *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(yaml_reader_free) struct yaml_reader *reader = NULL;
	FILE *file = fopen(path, "re");
	struct err err = {0};
	int c;

	if (!file)
		return -1;
	while ((c = fgetc(file)) != EOF)
		buf_putc(&text, (char)c);
	(void)fclose(file);
	reader = yaml_reader_new(buf_str(&text), NULL);
	for (;;) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (yaml_reader_next(reader, &doc, &err) < 0) {
			ok(false, "%s: %s", path, err.text);
			return 0;
		}
		if (!doc)
			return 0;
		check(json_doc_root(doc));
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		ok(run(argv[i]) == 0, "%s was read", argv[i]);
	return tap_done();
}
