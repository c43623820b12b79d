/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in pieces: the same text as in one piece, and of one state. */
#include "apiserver/request/listing.h"

#include "apiserver/test/world.h"
#include "json/yaml.h"

#define MAPS "/api/v1/namespaces/a/configmaps"

enum { OBJECTS = 300 };

struct taken {
	struct buf text;
	size_t pieces;
	struct call *call;
};

static void on_answered(struct call *call)
{
	((struct taken *)call->arg)->call = call;
}

static const struct call_sink in_pieces = {.answered = on_answered, .takes_sources = true};
static const struct call_sink whole = {.answered = on_answered};

struct looks {
	enum call_form form;
	bool pretty, yaml;
};

static void take(struct world *w, const struct call_sink *sink, const char *path,
		 const struct looks *looks, struct taken *taken)
{
	struct call *call = world_call(w, sink, taken, "GET", path);

	*taken = (struct taken){.text = buf_make(SIZE_MAX / 4)};
	call->options.form = looks->form;
	call->options.pretty = looks->pretty ? OPTION_TRUE : OPTION_UNSET;
	call->options.yaml = looks->yaml;
	api_serve(call);
	if (!taken->call)
		return;
	if (taken->call->answer.text)
		buf_put_str(&taken->text, chunk_str(taken->call->answer.text));
	while (taken->call->answer.source) {
		bool more;

		if (call->answer.source->is_long(call->answer.source_state))
			call->answer.source->work(call->answer.source_state);
		more = call->answer.source->next(call->answer.source_state, &taken->text);
		taken->pieces++;
		if (!more)
			break;
		if (taken->pieces == 1) /* what happens meanwhile is not in it */
			answer_done(
				&(struct answer){.doc = ask(w, "DELETE", MAPS "/m299", NULL).doc});
	}
	call_free(call);
}

static void taken_done(struct taken *taken)
{
	buf_done(&taken->text);
}
DEFINE_AUTO_IN_PLACE(struct taken, taken_done);

/* The compact text, printed as a whole. */
static void print_whole(struct str compact, const struct looks *looks, struct buf *to)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(compact, NULL, &err);

	if (looks->yaml)
		yaml_print(json_doc_root(doc), to);
	else
		json_print(json_doc_root(doc), looks->pretty ? JSON_INDENTED : JSON_COMPACT, to);
}

static void make_map(struct world *w, int i)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;

	buf_printf(&body,
		   "{\"metadata\":{\"name\":\"m%03d\"},\"data\":{\"lines\":\"a\\nb: "
		   "\\\"c\\\"\\n\\n  d\","
		   "\"end\":\"\\n\",\"none\":\"\",\"n\":\"%d\",\"t\":\"\\t\\u0001\",\"long\":\"",
		   i, i);
	for (int at = 0; at < 1000; at++)
		buf_putc(&body, (char)('a' + at % 26));
	buf_puts(&body, "\"}}");
	answer_done(&(struct answer){.doc = ask(w, "POST", MAPS, buf_text(&body)).doc});
}

static void compare(struct world *w, const char *path, const struct looks *looks, bool large)
{
	static const char *const forms[] = {"objects", "Table", "metadata"};
	struct looks compact = {.form = looks->form};
	AUTO(taken_done) struct taken plain = {0};
	AUTO(taken_done) struct taken once = {0};
	AUTO(taken_done) struct taken pieces = {0};
	AUTO(buf_done) struct buf want = BUF_UNBOUNDED;
	/* with items that are long, each is a piece */
	bool is_cut = WORLD_LARGE_BYTES && strcmp(path, MAPS) == 0;
	const char *style = looks->yaml ? "YAML" : looks->pretty ? "indented" : "compact";

	make_map(w, OBJECTS - 1);
	take(w, &whole, path, &compact, &plain);
	take(w, &whole, path, looks, &once);
	print_whole(buf_str(&plain.text), looks, &want);
	ok(str_eq(buf_str(&once.text), buf_str(&want)), "%s, %s, %s: as a document is printed",
	   path, forms[looks->form], style);
	take(w, &in_pieces, path, looks, &pieces);
	ok(str_eq(buf_str(&pieces.text), buf_str(&want)) &&
		   (pieces.pieces > 1) == (large || is_cut),
	   "%s, %s, %s: the same in %zu pieces", path, forms[looks->form], style, pieces.pieces);
	answer_done(&(struct answer){.doc = ask(w, "DELETE", MAPS "/m299", NULL).doc});
}

int main(void)
{
	struct world w = world_new_still();
	struct looks compact = {0};
	struct taken left;
	struct call *call;

	answer_done(&(struct answer){
		.doc = ask(&w, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"a\"}}")
			       .doc});
	for (int i = 0; i < OBJECTS; i++)
		make_map(&w, i);
	for (int form = CALL_FORM_OBJECT; form <= CALL_FORM_METADATA; form++) {
		for (int style = 0; style < 3; style++) {
			struct looks looks = {.form = (enum call_form)form,
					      .pretty = style == 1,
					      .yaml = style == 2};

			compare(&w, MAPS, &looks,
				form == CALL_FORM_OBJECT || style > 0 || form == CALL_FORM_TABLE);
			compare(&w, "/api/v1/namespaces/none/configmaps", &looks, false);
		}
	}

	left = (struct taken){.text = buf_make(SIZE_MAX / 4)};
	call = world_call(&w, &in_pieces, &left, "GET", MAPS);
	call->options.form = compact.form;
	api_serve(call);
	ok(call->answer.source->next(call->answer.source_state, &left.text),
	   "a list that is not read further");
	call_free(call); /* the sanitizer sees what is left behind */
	buf_done(&left.text);
	world_free(&w);
	return tap_done();
}
