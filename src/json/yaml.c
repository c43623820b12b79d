/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml.c - a file of YAML or JSON documents, read one document at a time.
 *
 * As kubectl does, a text that begins with a brace is tried as a sequence of JSON texts, with or
 * without white space between them. The first text that is not JSON makes the rest of it YAML,
 * unless two were read before: then it is JSON with an error. YAML goes through libyaml,
 * from whose events yaml_build.c makes the document.
 *
 * What must stay true:
 * 1. Lines and columns in errors count from the start of the whole text, from 1.
 * 2. libyaml never sees what makes it slow: it looks through all %TAG directives at each tag. */
#include "json/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/mem.h"
#include "json/yaml_internal.h"

#include "base/banned.h"

enum reader_mode { READ_START, READ_JSON, READ_YAML, READ_END, READ_FAILED };

struct yaml_reader {
	struct str text;
	struct yaml_options options;
	enum reader_mode mode;
	size_t at;                /* in JSON: after the last document */
	size_t json_count;        /* documents that were JSON */
	yaml_parser_t parser;     /* in YAML: reads the text from `at` */
	struct yaml_place origin; /* of `at` */
	struct yaml_place place;  /* of the last document */
	struct err failure;
};

enum { MAX_TAG_DIRECTIVES = 256, EXCERPT = 40 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The place after a text that begins at `place`. A column is a character, not a byte. */
static struct yaml_place place_after(struct yaml_place place, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '\n') {
			place.line++;
			place.column = 1;
		} else if ((c & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

struct yaml_reader *yaml_reader_new(struct str text, const struct yaml_options *options)
{
	struct yaml_reader *reader = mem_new(struct yaml_reader);

	reader->text = str_is_none(text) ? STR("") : text;
	if (options)
		reader->options = *options;
	if (!reader->options.max_bytes)
		reader->options.max_bytes = LIMIT_YAML_BYTES;
	if (!reader->options.max_nodes)
		reader->options.max_nodes = LIMIT_YAML_NODES;
	if (!reader->options.max_depth || reader->options.max_depth > LIMIT_JSON_DEPTH)
		reader->options.max_depth = LIMIT_JSON_DEPTH;
	reader->place = reader->origin = (struct yaml_place){1, 1};
	return reader;
}

static void close_parser(struct yaml_reader *reader)
{
	if (reader->mode == READ_YAML)
		yaml_parser_delete(&reader->parser);
}

void yaml_reader_free(struct yaml_reader *reader)
{
	if (!reader)
		return;
	close_parser(reader);
	mem_free(reader);
}

size_t yaml_reader_line(const struct yaml_reader *reader)
{
	return reader->place.line;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static size_t skip_blanks(struct str text, size_t at)
{
	while (at < text.len && is_blank(text.ptr[at]))
		at++;
	return at;
}

/* The offset after the bracket that closes the one at `at`, or the end of the text; `at` itself if
 * there is no bracket. */
static size_t skip_value(struct str text, size_t at)
{
	size_t depth = 0;
	bool quoted = false;

	if (text.ptr[at] != '{' && text.ptr[at] != '[')
		return at;
	for (; at < text.len; at++) {
		char c = text.ptr[at];

		if (quoted) {
			if (c == '\\')
				at++;
			else if (c == '"')
				quoted = false;
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return at + 1;
		}
	}
	return text.len;
}

static void report_json_duplicate(void *arg, struct str path)
{
	const struct yaml_reader *reader = arg;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	ptrdiff_t dot = str_rfind_byte(path, '.');

	if (reader->options.go_errors)
		buf_printf(&text, "line %zu: key \"", reader->origin.line);
	else
		buf_puts(&text, "duplicate field \"");
	buf_put_json(&text, reader->options.go_errors ? str_skip(path, (size_t)(dot + 1)) : path);
	buf_puts(&text, reader->options.go_errors ? "\" already set in map" : "\"");
	reader->options.on_duplicate(reader->options.arg, buf_str(&text));
}

static int start_yaml(struct yaml_reader *reader, struct err *err);

/* The next JSON text. *ret stays NULL at the end of the input, or if the reader has switched to
 * YAML. */
static int next_json(struct yaml_reader *reader, struct json_doc **ret, struct err *err)
{
	struct json_options options = {.max_bytes = reader->options.max_bytes,
				       .max_depth = reader->options.max_depth,
				       .arg = reader};
	size_t from = skip_blanks(reader->text, reader->at);

	if (from == reader->text.len) {
		reader->mode = READ_END;
		return 0;
	}
	struct yaml_place place =
		place_after(reader->origin, str_slice(reader->text, reader->at, from));
	size_t to = skip_value(reader->text, from);
	if (reader->options.on_duplicate)
		options.on_duplicate = report_json_duplicate;
	if (to == from)
		(void)err_set(err, ERR_BAD_REQUEST,
			      "expected an object or an array"); /* as below */
	else
		*ret = json_parse(str_slice(reader->text, from, to), &options, err);
	if (*ret) {
		reader->place = place;
		reader->origin = place_after(place, str_slice(reader->text, from, to));
		reader->at = to;
		reader->json_count++;
		return 0;
	}
	if (reader->json_count <= 1)
		return start_yaml(reader, err);
	return err_wrap(err, "line %zu, column %zu: document %zu", place.line, place.column,
			reader->json_count + 1);
}

/* --- errors of libyaml ------------------------------------------------------------------------ */

static struct yaml_place place_of_mark(const struct yaml_reader *reader, yaml_mark_t mark)
{
	struct yaml_place place = {mark.line + reader->origin.line, mark.column + 1};

	if (mark.line == 0)
		place.column += reader->origin.column - 1;
	return place;
}

/* The text at a place, in UTF-8 with usual line breaks; none if it is unknown. */
static struct str text_at(struct str text, struct yaml_place place)
{
	struct str line = str_none();
	struct str rest = text;

	for (size_t i = 0; i < place.line; i++) {
		if (!str_split(&rest, '\n', &line))
			return str_none();
	}
	size_t at = 0;
	for (size_t column = 1; column < place.column && at < line.len; column++) {
		at++;
		while (at < line.len && ((unsigned char)line.ptr[at] & 0xc0) == 0x80)
			at++;
	}
	line = str_slice(line, at, at + EXCERPT);
	while (line.len > 0 && !str_is_utf8(line) && line.len > EXCERPT - 4)
		line.len--; /* cut within a character */
	return str_is_utf8(line) ? str_trim(line).len ? line : str_none() : str_none();
}

static int reader_error(const struct yaml_reader *reader, struct err *err)
{
	const yaml_parser_t *parser = &reader->parser;
	struct str before =
		str_slice(reader->text, reader->at, reader->at + parser->problem_offset);
	struct yaml_place place = place_after(reader->origin, before);

	if (parser->problem_value < 0)
		return yaml_err(err, ERR_BAD_REQUEST, place, "%s", parser->problem);
	return yaml_err(err, ERR_BAD_REQUEST, place,
			"found the character or byte 0x%02x: %s, expected printable UTF-8 text",
			(unsigned)parser->problem_value, parser->problem);
}

/* Go's package counts lines from 0 in errors of the parser and from 1 in errors of the scanner, and
 * leaves the first line out. */
static int go_error(const yaml_parser_t *parser, struct err *err)
{
	size_t line =
		parser->context_mark.line ? parser->context_mark.line : parser->problem_mark.line;
	const char *problem =
		parser->problem ? parser->problem : "unknown problem parsing YAML content";

	if (line && parser->error == YAML_SCANNER_ERROR)
		line++;
	if (line)
		return err_set(err, ERR_BAD_REQUEST, "yaml: line %zu: %s", line, problem);
	return err_set(err, ERR_BAD_REQUEST, "yaml: %s", problem);
}

static int parser_error(const struct yaml_reader *reader, struct err *err)
{
	const yaml_parser_t *parser = &reader->parser;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (parser->error == YAML_MEMORY_ERROR)
		return err_set(err, ERR_INTERNAL, "out of memory");
	if (reader->options.go_errors)
		return go_error(parser, err);
	if (parser->error == YAML_READER_ERROR)
		return reader_error(reader, err);
	struct yaml_place place = place_of_mark(reader, parser->problem_mark);
	struct str found = text_at(reader->text, place);
	if (found.len > 0 && found.ptr[0] == '\t')
		buf_puts(&text, "found a tab character that violates indentation, expected spaces");
	else
		buf_puts(&text, parser->problem ? parser->problem : "not YAML");
	if (parser->context) {
		struct yaml_place start = place_of_mark(reader, parser->context_mark);

		buf_printf(&text, " %s at line %zu, column %zu", parser->context, start.line,
			   start.column);
	}
	if (found.len > 0) {
		buf_puts(&text, ": found \"");
		buf_put_json(&text, found);
		buf_puts(&text, "\"");
	}
	return yaml_err(err, ERR_BAD_REQUEST, place, "%s", buf_text(&text));
}

/* --- YAML ------------------------------------------------------------------------------------- */

/* Each tag in a document is compared with each directive, so their number is limited. */
static int check_directives(struct str text, struct err *err)
{
	struct str line;
	size_t count = 0;

	for (size_t number = 1; str_split(&text, '\n', &line); number++) {
		if (str_starts(line, STR("%TAG")) && ++count > MAX_TAG_DIRECTIVES)
			return yaml_err(err, ERR_TOO_LARGE, (struct yaml_place){number, 1},
					"found more than %d %%TAG directives", MAX_TAG_DIRECTIVES);
	}
	return 0;
}

static int start_yaml(struct yaml_reader *reader, struct err *err)
{
	if (check_directives(reader->text, err) < 0)
		return -1;
	if (!yaml_parser_initialize(&reader->parser))
		return err_set(err, ERR_INTERNAL, "out of memory");
	struct str rest = str_skip(reader->text, reader->at);
	yaml_parser_set_input_string(&reader->parser, (const unsigned char *)rest.ptr, rest.len);
	reader->mode = READ_YAML;
	return 0;
}

/* An event that is deleted at the end of its scope. */
static inline void event_done(yaml_event_t *event)
{
	yaml_event_delete(event);
}
DEFINE_AUTO_IN_PLACE(yaml_event_t, event_done);

static struct str str_of_text(const yaml_char_t *text)
{
	return str_from((const char *)text);
}

static int build_scalar(struct yaml_build *build, const yaml_event_t *event, struct yaml_node *node,
			struct err *err)
{
	struct str text = str_of((const char *)event->data.scalar.value, event->data.scalar.length);
	struct str tag = str_of_text(event->data.scalar.tag);
	struct yaml_scalar scalar = {.kind = YAML_KIND_STR, .text = text};
	bool plain = event->data.scalar.plain_implicit;

	node->anchor = str_of_text(event->data.scalar.anchor);
	if (!str_is_none(tag)) {
		if (yaml_scalar_resolve_tag(tag, text, yaml_build_arena(build), &scalar, err) < 0)
			return err_wrap(err, "line %zu, column %zu", node->place.line,
					node->place.column);
	} else if (plain) {
		scalar = yaml_scalar_resolve(text);
	}
	if (str_is(text, "<<") && (plain || str_is(tag, "tag:yaml.org,2002:merge")))
		return yaml_build_merge(build, node, &scalar, err);
	return yaml_build_scalar(build, node, &scalar, err);
}

static int build_event(const struct yaml_reader *reader, struct yaml_build *build,
		       const yaml_event_t *event, struct err *err)
{
	struct yaml_node node = {.place = place_of_mark(reader, event->start_mark)};

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return build_scalar(build, event, &node, err);
	case YAML_ALIAS_EVENT:
		node.anchor = str_of_text(event->data.alias.anchor);
		return yaml_build_alias(build, &node, err);
	case YAML_SEQUENCE_START_EVENT:
		node.anchor = str_of_text(event->data.sequence_start.anchor);
		return yaml_build_open(build, &node, false, err);
	case YAML_MAPPING_START_EVENT:
		node.anchor = str_of_text(event->data.mapping_start.anchor);
		return yaml_build_open(build, &node, true, err);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return yaml_build_close(build, err);
	default:
		return 0;
	}
}

/* The document whose start has just been read, up to its end. */
static struct json_doc *read_document(struct yaml_reader *reader, struct err *err)
{
	AUTO(yaml_build_free) struct yaml_build *build = yaml_build_new(&reader->options);

	for (;;) {
		AUTO(event_done) yaml_event_t event = {0};

		if (!yaml_parser_parse(&reader->parser, &event)) {
			(void)parser_error(reader, err); /* NULL says so */
			return NULL;
		}
		if (event.type == YAML_DOCUMENT_END_EVENT)
			return yaml_build_take(build);
		if (build_event(reader, build, &event, err) < 0)
			return NULL;
	}
}

static int next_yaml(struct yaml_reader *reader, struct json_doc **ret, struct err *err)
{
	AUTO(event_done) yaml_event_t event = {0};

	if (!yaml_parser_parse(&reader->parser, &event))
		return parser_error(reader, err);
	if (event.type == YAML_STREAM_END_EVENT) {
		close_parser(reader);
		reader->mode = READ_END;
	} else if (event.type == YAML_DOCUMENT_START_EVENT) {
		reader->place = place_of_mark(reader, event.start_mark);
		*ret = read_document(reader, err);
		if (!*ret)
			return -1;
	}
	return 0;
}

/* --- documents -------------------------------------------------------------------------------- */

static int start(struct yaml_reader *reader, struct err *err)
{
	size_t from = skip_blanks(reader->text, 0);

	if (reader->text.len > reader->options.max_bytes)
		return err_set(err, ERR_TOO_LARGE, "the text has %zu bytes, expected at most %zu",
			       reader->text.len, reader->options.max_bytes);
	if (from == reader->text.len || reader->text.ptr[from] != '{')
		return start_yaml(reader, err);
	reader->mode = READ_JSON;
	return 0;
}

static int step(struct yaml_reader *reader, struct json_doc **ret, struct err *err)
{
	switch (reader->mode) {
	case READ_START:
		return start(reader, err);
	case READ_JSON:
		return next_json(reader, ret, err);
	case READ_YAML:
		return next_yaml(reader, ret, err);
	case READ_FAILED:
	default:
		return err_set(err, reader->failure.code, "%s", reader->failure.text);
	}
}

int yaml_reader_next(struct yaml_reader *reader, struct json_doc **ret, struct err *err)
{
	while (reader->mode != READ_END) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct err failure = {0};

		if (step(reader, &doc, &failure) < 0) {
			close_parser(reader);
			reader->mode = READ_FAILED;
			reader->failure = failure;
			return err_set(err, failure.code, "%s", failure.text);
		}
		if (doc && !json_is(json_doc_root(doc), JSON_NULL)) {
			*ret = TAKE(doc);
			return 0;
		}
	}
	*ret = NULL;
	return 0;
}

struct json_doc *yaml_parse(struct str text, const struct yaml_options *options, struct err *err)
{
	AUTO(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(text, options);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(json_doc_unref) struct json_doc *second = NULL;

	if (yaml_reader_next(reader, &doc, err) < 0)
		return NULL;
	if (!doc) {
		doc = json_doc_new();
		json_doc_set_root(doc, json_new_null(doc));
		return TAKE(doc);
	}
	if (yaml_reader_next(reader, &second, err) < 0)
		return NULL;
	if (second) {
		(void)yaml_err(err, ERR_BAD_REQUEST, reader->place,
			       "found a second document, expected one"); /* NULL says so */
		return NULL;
	}
	return TAKE(doc);
}
