/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/names.h - formats of names, label keys, label values and similar texts, and Kubernetes'
 * messages for invalid ones.
 *
 * A text may violate several rules at once, each with its own message; the messages
 * are the tails of `Invalid value: "x": <message>`. */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/field/path.h"
#include "model/rules/causes.h"

enum name_format {
	NAME_ANY,
	NAME_DNS_LABEL,     /* RFC 1123 label, 63: namespaces, containers */
	NAME_DNS_SUBDOMAIN, /* RFC 1123 subdomain, 253: most objects */
	NAME_DNS1035_LABEL, /* RFC 1035 label, 63: services */
	NAME_QUALIFIED,     /* [prefix/]name: label and annotation keys, resources, finalizers */
	NAME_LABEL_VALUE,   /* up to 63 */
	NAME_PATH_SEGMENT,  /* neither "." nor "..", no "/" nor "%": RBAC names */
	NAME_CONFIG_KEY,    /* keys of config maps and secrets */
	NAME_ENV_VAR,       /* environment variables */
	NAME_PORT,          /* IANA service names: names of ports */
	NAME_IP,            /* IPv4 or IPv6 address */
	NAME_ENV_VAR_FREE,  /* environment variables of containers: printable, without '=' */
	NAME_HTTP_HEADER,   /* names of HTTP headers */
	NAME_DNS_SEARCH,    /* like a subdomain, with underscores: search domains */
	NAME_FORMAT_COUNT
};

/* Called with each message; lent for the call. */
typedef void name_problem_fn(void *arg, const char *message);

/* Is the text of this format? `problem` may be NULL. `prefix` says that the text is the beginning
 * of a generated name, so that it may end in '-'. */
bool name_check(enum name_format format, struct str text, name_problem_fn *problem, void *arg);
bool name_check_prefix(enum name_format format, struct str text, name_problem_fn *problem,
		       void *arg);
static inline bool name_is(enum name_format format, struct str text)
{
	return name_check(format, text, NULL, NULL);
}
/* The same; all messages go into one text, with the separator between them. */
bool name_check_joined(enum name_format format, struct str text, const char *separator,
		       struct buf *to);
/* Add all messages as one Invalid cause. */
bool name_validate_joined(enum name_format format, struct str text, const char *separator,
			  const struct path *path, struct causes *causes);
/* Add each message as an Invalid cause. */
bool name_validate(enum name_format format, struct str text, const struct path *path,
		   struct causes *causes);
/* The same, but the message shows another text: a name is checked in lower case and shown
 * unchanged. */
bool name_validate_as(enum name_format format, struct str text, struct str shown,
		      const struct path *path, struct causes *causes);
/* The same for the beginning of a name (generateName). */
bool name_validate_prefix(enum name_format format, struct str text, const struct path *path,
			  struct causes *causes);

/* The regular expression and the longest length of a format, for schemas; NULL and 0 if none. */
const char *name_pattern(enum name_format format);
size_t name_max_len(enum name_format format);

#endif
