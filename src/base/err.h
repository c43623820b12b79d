/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.h - one error model from the store to the command line.
 *
 * An error is a code to act on and a text to read. The codes are the reasons of a Kubernetes
 * Status; one table maps each to its name and its HTTP code, so that the server prints a Status
 * from a struct err and the client reads one into it.
 *
 *	if (!queue->open)
 *		return err_set(err, ERR_FORBIDDEN, "queue %s is closed", queue->name);
 *	if (quantity_parse(text, &cpu, err) < 0)
 *		return err_wrap(err, "spec.tasks[%zu].cpu", i);
 *
 * Conventions: a function that can fail returns int (0 or -1) or a pointer (or NULL), takes `struct
 * err *err` last, and sets it on failure only. `err` may be NULL if the caller does not need it.
 * The text reads as a path outside-in: `spec.cpu: "2x" is not a quantity`. A text that is too long
 * for the struct ends in "..." */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/macro.h"

enum err_code {
	ERR_NONE,
	ERR_BAD_REQUEST,            /* 400 */
	ERR_UNAUTHORIZED,           /* 401 */
	ERR_FORBIDDEN,              /* 403 */
	ERR_NOT_FOUND,              /* 404 */
	ERR_METHOD_NOT_ALLOWED,     /* 405 */
	ERR_NOT_ACCEPTABLE,         /* 406 */
	ERR_ALREADY_EXISTS,         /* 409 */
	ERR_CONFLICT,               /* 409 */
	ERR_GONE,                   /* 410 */
	ERR_EXPIRED,                /* 410: a continue token or revision that is too old */
	ERR_TOO_LARGE,              /* 413 */
	ERR_UNSUPPORTED_MEDIA_TYPE, /* 415 */
	ERR_INVALID,                /* 422: well-formed, but not what the field wants */
	ERR_TOO_MANY_REQUESTS,      /* 429 */
	ERR_INTERNAL,               /* 500 */
	ERR_NOT_IMPLEMENTED,        /* 501 */
	ERR_UNAVAILABLE,            /* 503 */
	ERR_TIMEOUT,                /* 504 */
	ERR_UNKNOWN,                /* 500 without a reason: an unexpected error */
	ERR_STORE_READ,             /* 500: what is stored cannot be read */
	ERR_DENIED,                 /* 400 without a reason: rejected by admission */
	ERR_CODE_COUNT
};

enum { ERR_TEXT_SIZE = 1024 };

struct err {
	enum err_code code;
	char text[ERR_TEXT_SIZE];
};

/* Set code and text; always returns -1. */
int err_set(struct err *err, enum err_code code, const char *format, ...) PRINTF(3, 4);

/* Put "<context>: " before the text; the code stays. Always returns -1. */
int err_wrap(struct err *err, const char *format, ...) PRINTF(2, 3);

/* Sets the error from an errno value that the caller saved right after the call: "<context>:
 * <system's text>". The code follows from the number (ENOENT: not found, EACCES: forbidden,
 * EADDRINUSE: already exists, ENOSPC: unavailable, else internal). Always returns -1. */
int err_errno(struct err *err, int number, const char *format, ...) PRINTF(3, 4);

/* The reason as a Status spells it ("NotFound"); "" for ERR_NONE. Never NULL. */
const char *err_reason(enum err_code code);

/* The HTTP code of a reason (404); 200 for ERR_NONE. */
int err_http(enum err_code code);

/* The code for a reason's name, or for an HTTP code if no reason is given. An unknown reason
 * gives the code that fits `http`; an unknown HTTP code from 400 on gives ERR_INTERNAL. */
enum err_code err_from_reason(const char *reason, int http);

#endif
