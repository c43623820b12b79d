/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/listing.h - a list as the answer of a call, made piece by piece.
 *
 * The objects are those of one state and are held by reference; their text is printed when its
 * reader can take it. */
#ifndef APISERVER_LISTING_H
#define APISERVER_LISTING_H

struct call;
struct page;

/* Ends the call with the page in the form that was asked for: objects, Table or
 * PartialObjectMetadata, as JSON, indented JSON or YAML. Takes what the page holds. An error if
 * the objects are larger than a list may be. */
void listing_answer(struct call *call, struct page *page);

#endif
