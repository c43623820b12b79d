/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml.h - YAML and JSON files as kubectl reads them, and YAML as kubectl prints it.
 *
 *	AUTO(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(text, NULL);
 *	for (;;) {
 *		AUTO(json_doc_unref) struct json_doc *doc = NULL;
 *		if (yaml_reader_next(reader, &doc, err) < 0)
 *			return err_wrap(err, "%s", path);
 *		if (!doc)
 *			break;
 *		...
 *	}
 *
 * Every scalar means what it means to kubectl (test/data/yaml): YAML 1.1 booleans, old and new
 * octal, underscores, hexadecimal and binary; a timestamp stays a string; a float of a whole value
 * is an integer; numbers past 64 bits are floats; keys that are numbers or booleans become strings.
 * A merge key takes effect at its position: later members of the map win, merged or written out, as
 * with kubectl; in a list of maps the first one wins.
 *
 * Unlike kubectl it never drops or damages data silently: a key that is set twice is an error, and
 * so is text after an end marker ("...") without "---".
 *
 * Input may be UTF-8 or UTF-16, with or without a byte order mark. Aliases are expanded within
 * bounds. An error says where (line and column count from 1), what was found and what was expected;
 * it is ERR_TOO_LARGE if a limit is exceeded, else ERR_BAD_REQUEST. */
#ifndef JSON_YAML_H
#define JSON_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

/* `text` is for people: `line 3, column 1: key "a" already set in map` */
typedef void yaml_duplicate_fn(void *arg, struct str text);

struct yaml_options {
	size_t max_bytes; /* of the input, and again of what aliases copy; 0: LIMIT_YAML_BYTES */
	size_t max_nodes; /* of one document, aliases expanded, 32 deep on average at most;
			     0: LIMIT_YAML_NODES */
	size_t max_depth; /* 0: LIMIT_JSON_DEPTH */
	/* Called for each key that is set twice in a map; the last one then wins. NULL: an error in
	 * YAML; in JSON the last one wins silently, as in Go. */
	yaml_duplicate_fn *on_duplicate;
	void *arg;
	bool go_errors; /* errors and duplicates with the messages of Go's package: "yaml: line 1: ..." */
};

/* --- reading --------------------------------------------------------------------------------- */

struct yaml_reader;

/* `text` is borrowed until yaml_reader_free(); `options` is copied, and may be NULL. */
struct yaml_reader *yaml_reader_new(struct str text, const struct yaml_options *options)
	__attribute__((returns_nonnull));
void yaml_reader_free(struct yaml_reader *reader);
DEFINE_AUTO(struct yaml_reader *, yaml_reader_free);

/* The next document, owned by the caller and mutable (immutable if it was JSON), or NULL after the
 * last one. Documents that are empty or null are skipped. After an error every call returns the
 * same error. */
int yaml_reader_next(struct yaml_reader *reader, struct json_doc **ret, struct err *err) MUST_CHECK;
/* The line on which the last document began. */
size_t yaml_reader_line(const struct yaml_reader *reader);

/* A text that holds one document, as a configuration file does. No document gives one whose root is
 * null; a second one is an error. */
struct json_doc *yaml_parse(struct str text, const struct yaml_options *options,
			    struct err *err) MUST_CHECK;

/* --- printing -------------------------------------------------------------------------------- */

/* Block style, keys sorted by kubectl's order (letters by code point, digits by their number),
 * strings quoted only if they would otherwise be read as something else. Ends in a line break.
 * Reading it gives the same content, except that a real with a whole value below 10^21 becomes an
 * integer, as everywhere in Kubernetes. */
void yaml_print(struct json j, struct buf *to);
/* The same as an item of a list that is not indented: "- " before it, its other lines indented. */
void yaml_print_item(struct json j, struct buf *to);
/* The same with long lines broken at blanks after column `width`, as `kubectl -o yaml` does at
 * 80; 0: never. */
void yaml_print_wrapped(struct json j, size_t width, struct buf *to);

#endif
