/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/list.h - a list as the answer of a call. */
#ifndef APISERVER_LIST_H
#define APISERVER_LIST_H

struct buf;
struct call;
struct page;

/* Ends the call with the page in the form that was asked for. */
void list_answer(struct call *call, const struct page *page);
/* Ends it with this text, which is taken; where the buffer is over its bound, with an error. */
void list_answer_text(struct call *call, struct buf *text);

#endif
