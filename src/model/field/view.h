/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/view.h - the C types that views of a document are made of.
 *
 * A view is a plain struct with the fields that we use. Its strings are borrowed from the document
 * and its arrays live in the arena it was decoded into, so a view lives as long as both. A zeroed
 * view is a valid view of an empty object.
 *
 * An absent string is str_none(), an absent point in time is 0, an absent list or map is empty;
 * an optional is used if "absent" and "0" (or "false") must be distinguished. */
#ifndef MODEL_VIEW_H
#define MODEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/value/quantity.h"

struct opt_bool {
	bool set;
	bool value;
};

struct opt_int32 {
	bool set;
	int32_t value;
};

struct opt_int64 {
	bool set;
	int64_t value;
};

/* A list in a view: VIEW_LIST(struct task_spec) tasks; */
#define VIEW_LIST(type)     \
	struct {            \
		type *ptr;  \
		size_t len; \
	}

/* A map in a view, sorted by key: VIEW_MAP(int32_t) min_task_member; */
#define VIEW_MAP(type)                  \
	struct {                        \
		struct {                \
			struct str key; \
			type value;     \
		} * ptr;                \
		size_t len;             \
	}

/* The ones that have a name, because functions take them. */
struct strs {
	struct str *ptr;
	size_t len;
};

/* Labels, annotations, selectors, data: F_LABELS. */
struct label {
	struct str key;
	struct str value;
};
struct labels {
	struct label *ptr;
	size_t len;
};

/* A Kubernetes resource list: F_RESOURCES. */
struct resource_amount {
	struct str name;
	struct quantity value;
};
struct resource_list {
	struct resource_amount *ptr;
	size_t len;
};

/* A number or a text: a port's number or name, a count or a percentage (model/value/intstr.h). */
enum intstr_kind { INTSTR_NONE, INTSTR_INT, INTSTR_STR };
struct intstr {
	enum intstr_kind kind;
	int32_t number;
	struct str text;
};

#endif
