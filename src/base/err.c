/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.c - errors: one table of reasons, and texts that say when they were cut. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/banned.h"

struct reason {
	const char *name;
	int http;
};

static const struct reason reasons[] = {
	[ERR_NONE] = {"", 200},
	[ERR_BAD_REQUEST] = {"BadRequest", 400},
	[ERR_UNAUTHORIZED] = {"Unauthorized", 401},
	[ERR_FORBIDDEN] = {"Forbidden", 403},
	[ERR_NOT_FOUND] = {"NotFound", 404},
	[ERR_METHOD_NOT_ALLOWED] = {"MethodNotAllowed", 405},
	[ERR_NOT_ACCEPTABLE] = {"NotAcceptable", 406},
	[ERR_ALREADY_EXISTS] = {"AlreadyExists", 409},
	[ERR_CONFLICT] = {"Conflict", 409},
	[ERR_GONE] = {"Gone", 410},
	[ERR_EXPIRED] = {"Expired", 410},
	[ERR_TOO_LARGE] = {"RequestEntityTooLarge", 413},
	[ERR_UNSUPPORTED_MEDIA_TYPE] = {"UnsupportedMediaType", 415},
	[ERR_INVALID] = {"Invalid", 422},
	[ERR_TOO_MANY_REQUESTS] = {"TooManyRequests", 429},
	[ERR_INTERNAL] = {"InternalError", 500},
	[ERR_NOT_IMPLEMENTED] = {"NotImplemented", 501},
	[ERR_UNAVAILABLE] = {"ServiceUnavailable", 503},
	[ERR_TIMEOUT] = {"Timeout", 504},
	[ERR_UNKNOWN] = {"", 500},
	[ERR_STORE_READ] = {"StorageReadError", 500},
	[ERR_DENIED] = {"", 400},
};
_Static_assert(ARRAY_LEN(reasons) == ERR_CODE_COUNT, "name every reason");

/* The code that the caller gets for an errno value. */
static const struct {
	int number;
	enum err_code code;
} system_codes[] = {
	{ENOENT, ERR_NOT_FOUND},         {EACCES, ERR_FORBIDDEN},
	{EPERM, ERR_FORBIDDEN},          {EEXIST, ERR_ALREADY_EXISTS},
	{ENOSPC, ERR_UNAVAILABLE},       {EDQUOT, ERR_UNAVAILABLE},
	{EROFS, ERR_UNAVAILABLE},        {ETIMEDOUT, ERR_TIMEOUT},
	{ECONNREFUSED, ERR_UNAVAILABLE}, {ECONNRESET, ERR_UNAVAILABLE},
	{EHOSTUNREACH, ERR_UNAVAILABLE}, {ENETUNREACH, ERR_UNAVAILABLE},
	{EPIPE, ERR_UNAVAILABLE},        {EADDRINUSE, ERR_ALREADY_EXISTS},
};

/* Marks a text that was cut. `wanted` is the length that snprintf needed. */
static void mark_cut(char *text, int wanted)
{
	static const char dots[] = "...";

	if (wanted >= ERR_TEXT_SIZE)
		memcpy(text + ERR_TEXT_SIZE - sizeof(dots), dots, sizeof(dots));
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
	va_list args;

	if (!err)
		return -1;
	err->code = code;
	va_start(args, format);
	mark_cut(err->text, vsnprintf(err->text, sizeof(err->text), format, args));
	va_end(args);
	return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
	char inner[ERR_TEXT_SIZE];
	va_list args;
	int len;

	if (!err)
		return -1;
	memcpy(inner, err->text, sizeof(inner));
	va_start(args, format);
	len = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (len >= 0 && len < ERR_TEXT_SIZE)
		len += snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", inner);
	mark_cut(err->text, len);
	return -1;
}

int err_errno(struct err *err, int number, const char *format, ...)
{
	char inner[256];
	va_list args;
	int len;

	if (!err)
		return -1;
	err->code = ERR_INTERNAL;
	for (size_t i = 0; i < ARRAY_LEN(system_codes); i++)
		if (system_codes[i].number == number)
			err->code = system_codes[i].code;
	va_start(args, format);
	len = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (len >= 0 && len < ERR_TEXT_SIZE)
		len += snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s",
				strerror_r(number, inner, sizeof(inner)));
	mark_cut(err->text, len);
	return -1;
}

const char *err_reason(enum err_code code)
{
	return code < ERR_CODE_COUNT ? reasons[code].name : reasons[ERR_INTERNAL].name;
}

int err_http(enum err_code code)
{
	return code < ERR_CODE_COUNT ? reasons[code].http : reasons[ERR_INTERNAL].http;
}

enum err_code err_from_reason(const char *reason, int http)
{
	for (int code = ERR_NONE + 1; reason && *reason && code < ERR_CODE_COUNT; code++)
		if (strcmp(reasons[code].name, reason) == 0)
			return (enum err_code)code;
	if (http < 400)
		return ERR_NONE;
	if (http == 409)
		return ERR_CONFLICT; /* 409 without a reason: a conflict, not "already exists" */
	for (int code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++)
		if (reasons[code].http == http)
			return (enum err_code)code;
	return ERR_INTERNAL;
}
