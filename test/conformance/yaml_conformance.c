/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_conformance.c - our YAML held against kubectl's.
 *
 *	yaml-conformance FOLDER	replays recorded answers of kubectl, as TAP
 *	yaml-conformance json FILE...	prints the documents of files, one line of canonical JSON each
 *	yaml-conformance yaml FILE...	prints them as `kubectl -o yaml` would
 *
 * In the folder, NAME.yaml is an input, and next to it is what kubectl made of it: NAME.json and
 * NAME.out (its -o json and -o yaml), or NAME.error (the first line of its error). Of an input that
 * kubectl refuses only the refusal is compared, and that ours names a line. Names beginning with
 * "ours-" are cases in which we differ on purpose: what is next to them is ours. "new-" are those in
 * which kubectl 1.20 and 1.32 differ: the answers are of the latter. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "json/yaml.h"
#include "tap.h"

enum { FILE_BYTES = 1024 * 1024, PATH_SIZE = 4096, KUBECTL_WIDTH = 80 };

enum form { FORM_JSON, FORM_YAML, FORM_AGAIN };

static void ignore_duplicate(void *arg, struct str text)
{
	(void)arg;
	(void)text;
}

/* Print as YAML, read that, print as JSON. */
static int print_again(struct json root, struct buf *to, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	yaml_print(root, &text);
	AUTO(json_doc_unref) struct json_doc *again = yaml_parse(buf_str(&text), NULL, err);
	if (!again)
		return -1;
	json_print(json_doc_root(again), JSON_CANONICAL, to);
	buf_putc(to, '\n');
	return 0;
}

/* All documents of a text, printed; as YAML without marks between them. */
static int convert(struct str text, enum form form, bool strict, struct buf *to, struct err *err)
{
	struct yaml_options options = {.on_duplicate = strict ? NULL : ignore_duplicate};
	AUTO(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(text, &options);

	for (;;) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (yaml_reader_next(reader, &doc, err) < 0)
			return -1;
		if (!doc)
			return 0;
		if (form == FORM_JSON) {
			json_print(json_doc_root(doc), JSON_CANONICAL, to);
			buf_putc(to, '\n');
		} else if (form == FORM_AGAIN) {
			if (print_again(json_doc_root(doc), to, err) < 0)
				return -1;
		} else {
			yaml_print_wrapped(json_doc_root(doc), KUBECTL_WIDTH, to);
		}
	}
}

static int convert_file(const char *path, enum form form, bool strict, struct buf *to,
			struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(FILE_BYTES);

	if (fd_read_file(path, &text, err) < 0)
		return -1;
	return convert(buf_str(&text), form, strict, to, err);
}

/* FOLDER/NAME.yaml with another ending. */
static const char *beside(const char *input, const char *ending, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%.*s%s", (int)(strlen(input) - strlen(".yaml")), input, ending);
	return path;
}

static void check_same(const char *name, const char *what, const char *got, const char *want)
{
	if (ok(strcmp(got, want) == 0, "%s: the %s", name, what))
		return;
	printf("# got:\n# %s\n# want:\n# %s\n", got, want);
}

static void check_refused(const char *input, const char *name, bool strict)
{
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	struct err err = {0};
	bool refused = convert_file(input, FORM_JSON, strict, &got, &err) < 0;

	ok(refused && strstr(err.text, "line "), "%s: %s", name, err.text);
}

static void check_answer(const char *input, const char *name, bool strict)
{
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf want = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf printed = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf wanted = BUF_INIT(FILE_BYTES);
	struct err err = {0};
	char path[PATH_SIZE];

	if (!ok(convert_file(input, FORM_JSON, strict, &got, &err) == 0, "%s %s", name, err.text) ||
	    !ok(convert_file(beside(input, ".json", path), FORM_JSON, false, &want, &err) == 0,
		"%s.json %s", name, err.text))
		return;
	check_same(name, "documents", buf_text(&got), buf_text(&want));
	buf_clear(&want);
	if (ok(convert_file(input, FORM_AGAIN, strict, &want, &err) == 0, "%s %s", name, err.text))
		check_same(name, "documents again", buf_text(&want), buf_text(&got));
	if (fd_read_file(beside(input, ".out", path), &wanted, NULL) < 0)
		return; /* an input whose printing is not compared */
	if (ok(convert_file(input, FORM_YAML, strict, &printed, &err) == 0, "%s %s", name,
	       err.text))
		check_same(name, "printed form", buf_text(&printed), buf_text(&wanted));
}

static void replay(const char *folder, const char *name)
{
	bool strict = strncmp(name, "ours-", 5) == 0;
	char input[PATH_SIZE];
	char path[PATH_SIZE];

	snprintf(input, sizeof(input), "%s/%s", folder, name);
	if (access(beside(input, ".error", path), R_OK) == 0)
		check_refused(input, name, strict);
	else
		check_answer(input, name, strict);
}

static int is_input(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".yaml"));
}

/* "json" or "yaml", then names. */
static int print_files(char **args)
{
	enum form form = strcmp(args[0], "yaml") == 0 ? FORM_YAML : FORM_JSON;
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	struct err err = {0};
	int done = 0;

	for (args++; *args && done == 0; args++)
		done = convert_file(*args, form, false, &out, &err);
	fputs(buf_text(&out), stdout);
	if (done < 0)
		fprintf(stderr, "%s\n", err.text);
	return done < 0;
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;

	if (argc > 2)
		return print_files(argv + 1);
	int count = argc == 2 ? scandir(argv[1], &entries, is_input, alphasort) : -1;
	for (int i = 0; i < count; i++) {
		replay(argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	ok(count > 100, "%d inputs", count);
	return tap_done();
}
