/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/causes.h - everything that is wrong with an object, in Kubernetes' words.
 *
 * Validation does not stop at the first problem: each becomes a cause with a reason, the path of
 * the field and a message, as a Status carries them:
 *
 *	AUTO(causes_done) struct causes causes = CAUSES_INIT;
 *	type_validate(&job_type, json, &causes);
 *	if (causes.len)
 *		return causes_err(&causes, "Job.batch.volcano.sh", name, err);
 *
 * Messages: `Required value: <detail>`, `Invalid value: <value>: <detail>`, `Unsupported value:
 *"x": supported values: "A", "B"`, `Duplicate value: "x"`, `Forbidden: <detail>`, ...
 *
 * The number of causes and the size of their texts are bounded, because a cause repeats the value that it is about: a list of
 * 1,000 wrong elements would print 1,000 times 1,000 elements. What exceeds the bounds is counted, and the text says how
 * many causes it leaves out. */
#ifndef MODEL_CAUSES_H
#define MODEL_CAUSES_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/path.h"

enum cause_reason {
	CAUSE_NOT_FOUND,     /* FieldValueNotFound */
	CAUSE_REQUIRED,      /* FieldValueRequired */
	CAUSE_DUPLICATE,     /* FieldValueDuplicate */
	CAUSE_INVALID,       /* FieldValueInvalid */
	CAUSE_NOT_SUPPORTED, /* FieldValueNotSupported */
	CAUSE_FORBIDDEN,     /* FieldValueForbidden */
	CAUSE_TOO_LONG,      /* FieldValueTooLong */
	CAUSE_TOO_MANY,      /* FieldValueTooMany */
	CAUSE_INTERNAL,      /* InternalError */
	CAUSE_TYPE_INVALID,  /* FieldValueTypeInvalid */
	CAUSE_REASON_COUNT
};

struct cause {
	enum cause_reason reason;
	char *field;   /* "spec.tasks[1].name" */
	char *message; /* "Required value" */
};

struct causes {
	struct cause *ptr;
	size_t len;
	size_t size;
	size_t bytes; /* of all texts */
	size_t more;  /* causes that were counted and not kept: LIMIT_CAUSES, LIMIT_CAUSES_BYTES */
	struct causes *warned; /* takes what an update need not fix; NULL: it is dropped */
};
#define CAUSES_INIT \
	{           \
		0   \
	}

void causes_done(struct causes *causes);
DEFINE_AUTO_IN_PLACE(struct causes, causes_done);

/* The reason as a Status spells it: "FieldValueRequired". */
const char *cause_reason_name(enum cause_reason reason);

/* One with a ready message. */
void causes_add(struct causes *causes, enum cause_reason reason, const struct path *path,
		const char *format, ...) PRINTF(4, 5);

/* The usual ones. A detail may be "". `value` is printed as Go would: a string quoted. */
void causes_required(struct causes *causes, const struct path *path, const char *detail);
void causes_forbidden(struct causes *causes, const struct path *path, const char *detail);
void causes_invalid(struct causes *causes, const struct path *path, struct json value,
		    const char *format, ...) PRINTF(4, 5);
void causes_invalid_str(struct causes *causes, const struct path *path, struct str value,
			const char *format, ...) PRINTF(4, 5);
void causes_invalid_int(struct causes *causes, const struct path *path, int64_t value,
			const char *format, ...) PRINTF(4, 5);
void causes_duplicate(struct causes *causes, const struct path *path, struct json value);
void causes_duplicate_str(struct causes *causes, const struct path *path, struct str value);
void causes_not_found(struct causes *causes, const struct path *path, struct str value);
void causes_too_long(struct causes *causes, const struct path *path, size_t limit);
void causes_too_many(struct causes *causes, const struct path *path, size_t actual, size_t limit);
/* `names` in the order to print; empty ones are left out. */
void causes_not_supported(struct causes *causes, const struct path *path, struct str value,
			  const char *const *names, size_t count);

/* A string as Go's %q prints it. */
void causes_quote(struct buf *to, struct str text);

/* The whole as one text, however long: `Queue "q" is invalid: ...`. */
void causes_print(const struct causes *causes, const char *kind, struct str name, struct buf *to);
/* The whole as one error, ERR_INVALID: `Queue "q" is invalid: spec.weight: Invalid value: ...`,
 * more than one in brackets with commas. Always returns -1; there must be a cause. */
int causes_err(const struct causes *causes, const char *kind, struct str name, struct err *err);
/* The `causes` array of a Status' details. */
struct json causes_encode(const struct causes *causes, struct json_doc *doc);

#endif
