/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/causes.c - collects causes, and prints them as kube-apiserver does. */
#include "model/rules/causes.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static const struct {
	const char *name;  /* in a Status */
	const char *words; /* at the beginning of the message */
} reasons[] = {
	[CAUSE_NOT_FOUND] = {"FieldValueNotFound", "Not found"},
	[CAUSE_REQUIRED] = {"FieldValueRequired", "Required value"},
	[CAUSE_DUPLICATE] = {"FieldValueDuplicate", "Duplicate value"},
	[CAUSE_INVALID] = {"FieldValueInvalid", "Invalid value"},
	[CAUSE_NOT_SUPPORTED] = {"FieldValueNotSupported", "Unsupported value"},
	[CAUSE_FORBIDDEN] = {"FieldValueForbidden", "Forbidden"},
	[CAUSE_TOO_LONG] = {"FieldValueTooLong", "Too long"},
	[CAUSE_TOO_MANY] = {"FieldValueTooMany", "Too many"},
	[CAUSE_INTERNAL] = {"InternalError", "Internal error"},
	[CAUSE_TYPE_INVALID] = {"FieldValueTypeInvalid", "Invalid value"},
};
static_assert(ARRAY_LEN(reasons) == CAUSE_REASON_COUNT, "name every reason");

void causes_done(struct causes *causes)
{
	for (size_t i = 0; i < causes->len; i++) {
		mem_free(causes->ptr[i].field);
		mem_free(causes->ptr[i].message);
	}
	vec_done(causes);
}

const char *cause_reason_name(enum cause_reason reason)
{
	return reasons[reason].name;
}

/* Counts a cause that exceeds the bounds, before its text is made. */
static bool leave_out(struct causes *causes)
{
	if (causes->len < LIMIT_CAUSES && causes->bytes < LIMIT_CAUSES_BYTES)
		return false;
	causes->more++;
	return true;
}

/* Takes the message. */
static void push(struct causes *causes, enum cause_reason reason, const struct path *path,
		 char *message)
{
	struct buf field = BUF_UNBOUNDED;

	path_print(path, &field);
	causes->bytes += field.len + strlen(message);
	vec_push(causes, (struct cause){reason, buf_take(&field), message});
}

void causes_add(struct causes *causes, enum cause_reason reason, const struct path *path,
		const char *format, ...)
{
	va_list args;

	if (leave_out(causes))
		return;
	va_start(args, format);
	push(causes, reason, path, mem_vprintf(format, args));
	va_end(args);
}

/* "<words>[: <value>][: <detail>]" */
static void push_parts(struct causes *causes, enum cause_reason reason, const struct path *path,
		       struct str value, struct str detail)
{
	struct buf message = BUF_UNBOUNDED;

	buf_puts(&message, reasons[reason].words);
	if (!str_is_none(value)) {
		buf_puts(&message, ": ");
		buf_put_str(&message, value);
	}
	if (detail.len) {
		buf_puts(&message, ": ");
		buf_put_str(&message, detail);
	}
	push(causes, reason, path, buf_take(&message));
}

void causes_required(struct causes *causes, const struct path *path, const char *detail)
{
	if (!leave_out(causes))
		push_parts(causes, CAUSE_REQUIRED, path, str_none(), str_from(detail));
}

void causes_forbidden(struct causes *causes, const struct path *path, const char *detail)
{
	if (!leave_out(causes))
		push_parts(causes, CAUSE_FORBIDDEN, path, str_none(), str_from(detail));
}

/* One character of Go's quoted form. Valid UTF-8 stays as it is. */
static void quote_byte(struct buf *to, unsigned char c)
{
	static const char named[] = "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\";

	for (size_t i = 0; i + 1 < sizeof(named); i += 2) {
		if ((unsigned char)named[i] == c) {
			buf_printf(to, "\\%c", named[i + 1]);
			return;
		}
	}
	if (c < 0x20 || c == 0x7f)
		buf_printf(to, "\\x%02x", c);
	else
		buf_putc(to, (char)c);
}

void causes_quote(struct buf *to, struct str text)
{
	bool utf8 = str_is_utf8(text);

	buf_putc(to, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c >= 0x80 && !utf8)
			buf_printf(to, "\\x%02x", c);
		else
			quote_byte(to, c);
	}
	buf_putc(to, '"');
}

static void put_value(struct buf *to, struct json value)
{
	if (json_is(value, JSON_STR) || json_is_absent(value))
		causes_quote(to, json_str(value));
	else
		json_print(value, JSON_COMPACT, to);
}

static void invalid(struct causes *causes, const struct path *path, struct str value,
		    const char *format, va_list args) __attribute__((format(printf, 4, 0)));
static void invalid(struct causes *causes, const struct path *path, struct str value,
		    const char *format, va_list args)
{
	AUTO(buf_done) struct buf detail = BUF_UNBOUNDED;

	buf_vprintf(&detail, format, args);
	push_parts(causes, CAUSE_INVALID, path, value, buf_str(&detail));
}

void causes_invalid(struct causes *causes, const struct path *path, struct json value,
		    const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	if (leave_out(causes))
		return;
	put_value(&text, value);
	va_start(args, format);
	invalid(causes, path, buf_str(&text), format, args);
	va_end(args);
}

void causes_invalid_str(struct causes *causes, const struct path *path, struct str value,
			const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	if (leave_out(causes))
		return;
	causes_quote(&text, value);
	va_start(args, format);
	invalid(causes, path, buf_str(&text), format, args);
	va_end(args);
}

void causes_invalid_int(struct causes *causes, const struct path *path, int64_t value,
			const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	if (leave_out(causes))
		return;
	buf_put_int(&text, value);
	va_start(args, format);
	invalid(causes, path, buf_str(&text), format, args);
	va_end(args);
}

void causes_duplicate(struct causes *causes, const struct path *path, struct json value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (leave_out(causes))
		return;
	put_value(&text, value);
	push_parts(causes, CAUSE_DUPLICATE, path, buf_str(&text), str_none());
}

void causes_duplicate_str(struct causes *causes, const struct path *path, struct str value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (leave_out(causes))
		return;
	causes_quote(&text, value);
	push_parts(causes, CAUSE_DUPLICATE, path, buf_str(&text), str_none());
}

void causes_not_found(struct causes *causes, const struct path *path, struct str value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (leave_out(causes))
		return;
	causes_quote(&text, value);
	push_parts(causes, CAUSE_NOT_FOUND, path, buf_str(&text), str_none());
}

void causes_too_long(struct causes *causes, const struct path *path, size_t limit)
{
	causes_add(causes, CAUSE_TOO_LONG, path, "Too long: may not be more than %zu %s", limit,
		   limit == 1 ? "byte" : "bytes");
}

void causes_too_many(struct causes *causes, const struct path *path, size_t actual, size_t limit)
{
	causes_add(causes, CAUSE_TOO_MANY, path, "Too many: %zu: must have at most %zu %s", actual,
		   limit, limit == 1 ? "item" : "items");
}

void causes_not_supported(struct causes *causes, const struct path *path, struct str value,
			  const char *const *names, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf detail = BUF_UNBOUNDED;

	if (leave_out(causes))
		return;
	causes_quote(&text, value);
	for (size_t i = 0; i < count; i++) {
		if (!names[i] || !names[i][0])
			continue;
		buf_puts(&detail, detail.len ? ", " : "supported values: ");
		causes_quote(&detail, str_from(names[i]));
	}
	push_parts(causes, CAUSE_NOT_SUPPORTED, path, buf_str(&text), buf_str(&detail));
}

/* The same cause is in the text once, although a Status lists it as often as it was found. */
void causes_print(const struct causes *causes, const char *kind, struct str name, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;
	AUTO(name_set_done) struct name_set said = {0};
	size_t count = 0;

	for (size_t i = 0; i < causes->len; i++) {
		buf_clear(&line);
		buf_printf(&line, "%s: %s", causes->ptr[i].field, causes->ptr[i].message);
		if (!name_set_add_copy(&said, buf_str(&line)))
			continue;
		buf_puts(&text, count++ ? ", " : "");
		buf_put_str(&text, buf_str(&line));
	}
	if (causes->more && count++)
		buf_printf(&text, ", and %zu more", causes->more);
	buf_printf(to, "%s ", kind);
	causes_quote(to, name);
	buf_printf(to, count > 1 ? " is invalid: [%s]" : " is invalid: %s", buf_text(&text));
}

int causes_err(const struct causes *causes, const char *kind, struct str name, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	assert(causes->len);
	causes_print(causes, kind, name, &text);
	return err_set(err, ERR_INVALID, "%s", buf_text(&text));
}

struct json causes_encode(const struct causes *causes, struct json_doc *doc)
{
	struct json list = json_new_arr(doc);

	for (size_t i = 0; i < causes->len; i++) {
		struct json cause = json_new_obj(doc);

		json_set_str(doc, cause, "reason", str_from(reasons[causes->ptr[i].reason].name));
		json_set_str(doc, cause, "message", str_from(causes->ptr[i].message));
		json_set_str(doc, cause, "field", str_from(causes->ptr[i].field));
		json_append(doc, list, cause);
	}
	return list;
}
