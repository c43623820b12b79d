/* SPDX-License-Identifier: Apache-2.0 */
/* http/field.h - the inside of header field values: media types, quality lists, delays, dates.
 *
 * Nothing is copied: views point into the value that was given. */
#ifndef HTTP_FIELD_H
#define HTTP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

/* "application/json;as=Table;v=v1;q=0.8" */
struct field_media {
	struct str type;    /* "application"; "*" for any */
	struct str subtype; /* "json"; "*" for any */
	struct str params;  /* "as=Table;v=v1;q=0.8": see field_param() */
	int quality;        /* thousandths: 800; 1000 if not given */
};

/* A single media type (Content-Type). */
int field_parse_media(struct str value, struct field_media *ret, struct err *err) MUST_CHECK;
/* Cut the next media range off the front of an Accept value; malformed ones are skipped. False at
 * the end. The order is the sender's, not that of quality. */
bool field_next_media(struct str *rest, struct field_media *ret);
/* Value of a parameter ("as" gives "Table"), without quotes; str_none() when absent. Names compare
 * without regard to case. A quoted value is returned without its quotes, escapes unchanged. */
struct str field_param(struct str params, struct str name);
/* Is it that type, whatever the parameters? ("application/json; charset=utf-8") */
bool field_is_media(struct str value, struct str media);

/* The quality, in thousandths, that an Accept-Encoding or similar value gives to `item`: "*" counts
 * for items not named; 0 means not acceptable; -1 that it is not mentioned. */
int field_quality(struct str value, struct str item);

/* Retry-After: seconds, or a date compared with `now`; in microseconds, never negative. */
int field_parse_retry_after(struct str value, int64_t now, int64_t *ret,
			    struct err *err) MUST_CHECK;

/* "Sun, 06 Nov 1994 08:49:37 GMT"; times are microseconds since 1970. */
enum { FIELD_DATE_SIZE = 32 };
const char *field_print_date(int64_t time, char text[FIELD_DATE_SIZE]);
int field_parse_date(struct str text, int64_t *ret, struct err *err) MUST_CHECK;

#endif
