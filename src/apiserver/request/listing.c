/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/listing.c - a list as the answer of a call, made piece by piece.
 *
 * The text of a list is that of its head, a document without items, and between two of its bytes the
 * items: printed in pieces it is the same as printed whole. In JSON the items come last; in YAML,
 * whose names are sorted, the head is printed as two documents, one before the items and one after
 * them.
 *
 * Always true: `objects` from `next` on are still to come, one reference each. */
#include "apiserver/request/listing.h"

#include "apiserver/api_internal.h"
#include "apiserver/request/form.h"
#include "apiserver/request/page.h"
#include "apiserver/request/reading.h"
#include "base/mem.h"
#include "json/yaml.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { PIECE_BYTES = 64 * 1024, ITEM_INDENT = 4 };

enum style { STYLE_COMPACT, STYLE_INDENTED, STYLE_YAML };

struct listing {
	struct call *call; /* whose answer it is: outlives it */
	struct page page;
	size_t next;
	enum style style;
	const char *items;     /* the member that they are in */
	struct json_doc *head; /* the list without it */
	bool begun;
	struct buf scratch;
	struct buf made; /* the next item, if that was made beforehand: ... */
	bool is_made;    /* ... a large one */
};

/* --- items ----------------------------------------------------------------------------------- */

/* Items of built-in kinds are without apiVersion and kind. */
static void put_compact(const struct listing *list, struct object *object, struct buf *to)
{
	const struct kind *kind = list->call->kind;

	if (list->call->options.form == CALL_FORM_OBJECT)
		reading_print(kind, object, kind->custom, to);
	else
		form_put_item(list->call, object, to);
}

/* Every further line of the text is indented; it has no line breaks within strings. */
static void put_lines(struct str text, size_t indent, struct buf *to)
{
	static const char blanks[] = "                ";
	struct str line;
	bool first = true;

	while (str_split(&text, '\n', &line)) {
		if (!first) {
			buf_putc(to, '\n');
			buf_put(to, blanks, indent);
		}
		buf_put_str(to, line);
		first = false;
	}
}

static void put_item(struct listing *list, struct object *object, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	if (list->style == STYLE_COMPACT) {
		if (list->next)
			buf_putc(to, ',');
		put_compact(list, object, to);
		return;
	}
	buf_clear(&list->scratch);
	put_compact(list, object, &list->scratch);
	doc = json_parse(buf_str(&list->scratch), NULL, &err);
	if (!doc)
		return; /* cannot be: it was printed here */
	if (list->style == STYLE_YAML) {
		yaml_print_item(json_doc_root(doc), to);
		return;
	}
	buf_puts(to, list->next ? ",\n    " : "\n    ");
	buf_clear(&list->scratch);
	json_print(json_doc_root(doc), JSON_INDENTED, &list->scratch);
	put_lines(buf_str(&list->scratch), ITEM_INDENT, to);
}

/* --- what is around them --------------------------------------------------------------------- */

/* Those members of the head whose names come before that of the items, or after it. */
static void put_yaml_part(const struct listing *list, bool before, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json part = json_new_obj(doc);

	json_doc_set_root(doc, part);
	for (struct json_iter it = json_iter(json_doc_root(list->head)); json_next(&it);)
		if ((str_cmp(it.key, str_from(list->items)) < 0) == before)
			json_set(doc, part, it.key, json_new_copy(doc, it.value));
	if (json_len(part))
		yaml_print(part, to);
}

static void put_head(struct listing *list, struct buf *to)
{
	bool empty = list->page.objects.len == 0;

	if (list->style == STYLE_YAML) {
		put_yaml_part(list, true, to);
		buf_printf(to, "%s:%s\n", list->items, empty ? " []" : "");
		return;
	}
	buf_clear(&list->scratch);
	json_print(json_doc_root(list->head),
		   list->style == STYLE_COMPACT ? JSON_COMPACT : JSON_INDENTED, &list->scratch);
	/* without what closes it */
	buf_truncate(
		&list->scratch,
		list->scratch.len - (list->style == STYLE_COMPACT ? strlen("}") : strlen("\n}")));
	buf_put_str(to, buf_str(&list->scratch));
	if (list->style == STYLE_COMPACT)
		buf_printf(to, ",\"%s\":[", list->items);
	else
		buf_printf(to, ",\n  \"%s\": [", list->items);
}

static void put_tail(const struct listing *list, struct buf *to)
{
	if (list->style == STYLE_COMPACT)
		buf_puts(to, "]}");
	else if (list->style == STYLE_INDENTED)
		buf_puts(to, list->page.objects.len ? "\n  ]\n}" : "]\n}");
	else
		put_yaml_part(list, false, to);
}

/* An item that has to be parsed, and is large. */
static bool listing_is_long(void *state)
{
	const struct listing *list = state;
	const struct call *call = list->call;
	const struct object *object;

	if (!list->begun || list->is_made || list->next >= list->page.objects.len)
		return false;
	object = list->page.objects.ptr[list->next];
	return api_is_large(call->api, object->text.len) &&
	       (list->style != STYLE_COMPACT || call->options.form != CALL_FORM_OBJECT ||
		!reading_is_plain(call->kind, object));
}

static void listing_work(void *state)
{
	struct listing *list = state;

	put_item(list, list->page.objects.ptr[list->next], &list->made);
	list->is_made = true;
}

static void put_next(struct listing *list, struct buf *to)
{
	struct object **object = &list->page.objects.ptr[list->next];

	if (list->is_made)
		buf_put_str(to, buf_str(&list->made));
	else
		put_item(list, *object, to);
	if (list->is_made) {
		buf_done(&list->made);
		list->made = buf_make(SIZE_MAX / 4);
	}
	list->is_made = false;
	object_unref(TAKE(*object));
	list->next++;
}

static bool listing_next(void *state, struct buf *to)
{
	struct listing *list = state;
	const struct loop *loop = api_loop(list->call->api);
	size_t start = to->len;

	if (!list->begun)
		put_head(list, to);
	list->begun = true;
	while (list->next < list->page.objects.len) {
		if (to->len - start >= PIECE_BYTES || (to->len > start && loop_is_late(loop)))
			return true;
		if (to->len > start && listing_is_long(list))
			return true;
		put_next(list, to);
	}
	put_tail(list, to);
	return false;
}

static void listing_free(void *state)
{
	struct listing *list = state;

	page_done(&list->page);
	json_doc_unref(list->head);
	buf_done(&list->scratch);
	buf_done(&list->made);
	mem_free(list);
}

static const struct call_source source = {
	.next = listing_next,
	.is_long = listing_is_long,
	.work = listing_work,
	.free = listing_free,
};

/* --- starting -------------------------------------------------------------------------------- */

/* For custom kinds `continue` is there even when it is empty. */
static struct json_doc *make_head(const struct call *call, const struct page *page)
{
	const struct kind *kind = call->kind;
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", kind->list_name);
	json_set_str(doc, root, "apiVersion", kind->api_version);
	metadata = json_ensure_obj(doc, root, "metadata");
	if (page->token.len || kind->custom)
		json_set_str(doc, metadata, "continue", page->token.len ? page->token : STR(""));
	if (page->remaining >= 0)
		json_set_int(doc, metadata, "remainingItemCount", page->remaining);
	json_set_str(doc, metadata, "resourceVersion",
		     str_from(arena_printf(call->arena, "%lld", (long long)page->revision)));
	return doc;
}

/* Is it more than one answer may hold? Found before any of it is made; parts of objects are never. */
static bool is_too_large(const struct call *call, const struct page *page)
{
	size_t left = call->api->options.list_bytes;
	bool whole = call->options.form == CALL_FORM_OBJECT ||
		     (call->options.form == CALL_FORM_TABLE &&
		      str_is(call->options.include_object, "Object"));

	for (size_t i = 0; whole && i < page->objects.len; i++) {
		size_t len = page->objects.ptr[i]->text.len;

		if (len > left)
			return true;
		left -= len;
	}
	return false;
}

static int check(struct call *call, const struct page *page, struct err *err)
{
	if (is_too_large(call, page))
		return err_set(err, ERR_TOO_LARGE,
			       "the list is larger than %zu bytes; ask for it in pages (limit)",
			       call->api->options.list_bytes);
	return form_check(call, err);
}

void listing_answer(struct call *call, struct page *page)
{
	struct listing *list;
	struct err err;

	if (check(call, page, &err) < 0) {
		page_done(page);
		*page = (struct page){0};
		call_answer_err(call, &err);
		return;
	}
	list = mem_new(struct listing);
	list->call = call;
	list->page = *page;
	*page = (struct page){0};
	list->style = call->options.yaml                    ? STYLE_YAML
		      : call->options.pretty == OPTION_TRUE ? STYLE_INDENTED
							    : STYLE_COMPACT;
	list->items = call->options.form == CALL_FORM_TABLE ? "rows" : "items";
	list->head = call->options.form == CALL_FORM_OBJECT ? make_head(call, &list->page)
							    : form_list_head(call, &list->page);
	list->scratch = buf_make(SIZE_MAX / 4);
	list->made = buf_make(SIZE_MAX / 4);
	call_answer_source(call, 200, &source, list);
}
