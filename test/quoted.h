/* SPDX-License-Identifier: Apache-2.0 */
/* quoted.h - JSON in the rows of tests: ' stands for ", and \' for an escaped one. */
#ifndef QUOTED_H
#define QUOTED_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "json/doc.h"

static inline void quoted_print(const char *text, struct buf *to)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1] == '\'') {
			buf_puts(to, "\\\"");
			text++;
		} else {
			buf_putc(to, *text == '\'' ? '"' : *text);
		}
	}
}

/* The text with real quotes, for mem_free(). */
static inline char *quoted_text(const char *text)
{
	AUTO(buf_done) struct buf json = BUF_UNBOUNDED;

	quoted_print(text, &json);
	return mem_strdup(buf_text(&json));
}

/* Empty if there is no text. Invalid JSON is reported, and empty as well: the checks then fail. */
static inline struct json_doc *quoted_doc(const char *text)
{
	AUTO(buf_done) struct buf json = BUF_UNBOUNDED;
	struct json_doc *doc;
	struct err err;

	if (!text)
		return json_doc_new();
	quoted_print(text, &json);
	doc = json_parse(buf_str(&json), NULL, &err);
	if (!doc)
		printf("# %s in %s\n", err.text, buf_text(&json));
	return doc ? doc : json_doc_new();
}

#endif
