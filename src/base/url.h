/* SPDX-License-Identifier: Apache-2.0 */
/* base/url.h - URLs and queries, decoded as Go's net/url does.
 *
 * A query is a list of pairs in the order given; a name may occur more than once. As with Go's
 * URL.Query(), a pair that is malformed (a bad %-sequence, a ';') is left out. */
#ifndef BASE_URL_H
#define BASE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

/* Views into the text that was parsed, nothing decoded. */
struct url {
	struct str scheme; /* "https" */
	struct str user;   /* "me:secret"; none if absent */
	struct str host;   /* without brackets: "example.com", "::1" */
	int port;          /* as given, or the scheme's (80, 443) */
	struct str path;   /* "/api/v1" or "" */
	struct str query;  /* after '?', or none */
};

/* http or https with a host. ERR_BAD_REQUEST otherwise. */
int url_parse(struct str text, struct url *ret, struct err *err) MUST_CHECK;

/* Split the target of a request ("/api/v1/pods?watch=1", or a whole URL as proxies send) into its
 * raw path and raw query. */
int url_split_target(struct str target, struct str *ret_path, struct str *ret_query,
		     struct err *err) MUST_CHECK;

/* Append with %-sequences decoded. In a path '+' stands for itself; in a query for a blank. A bad
 * sequence is an error and leaves `to` as it was. */
int url_decode_path(struct str raw, struct buf *to, struct err *err) MUST_CHECK;
int url_decode_query(struct str raw, struct buf *to, struct err *err) MUST_CHECK;
/* The inverse, as Go's PathEscape and QueryEscape. */
void url_encode_path(struct str text, struct buf *to);
void url_encode_query(struct str text, struct buf *to);

struct query_pair {
	struct str name;
	struct str value;
};

struct query {
	struct query_pair *pairs;
	size_t count;
	size_t skipped; /* malformed pairs that were left out */
	char *text;     /* the decoded bytes */
};

/* Decode a raw query; none and "" give no pairs. Never fails. */
void query_init(struct query *query, struct str raw);
void query_done(struct query *query);
DEFINE_AUTO_IN_PLACE(struct query, query_done);
/* The first value of that name; str_none() when absent, empty for "name" and "name=". */
struct str query_get(const struct query *query, struct str name);
bool query_has(const struct query *query, struct str name);

#endif
