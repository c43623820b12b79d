/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/fields.h - one table per type drives decoding, defaults, validation, encoding, pruning,
 * the OpenAPI schema and strategic merging.
 *
 * The JSON document stays the truth. A type's table knows every field of it; a row with AT() is
 * also in the view, the C struct with the fields that we use. Adding a field is adding a row:
 *
 *	struct queue_spec {
 *		int32_t weight;
 *		struct resource_list capability;
 *		struct opt_bool reclaimable;
 *		enum dequeue_strategy dequeue;
 *		VIEW_LIST(struct queue_cluster) clusters;
 *		const struct queue_affinity *affinity;
 *	};
 *
 *	#define VIEW struct queue_spec
 *	static const struct field queue_spec_fields[] = {
 *		{"weight", F_INT32, AT(weight), F_DEFAULT("1"), F_RANGE(1, 65535)},
 *		{"capability", F_RESOURCES, AT(capability)},
 *		{"reclaimable", F_BOOL, AT(reclaimable)},
 *		{"dequeueStrategy", F_ENUM(dequeue_names), AT(dequeue)},
 *		{"extendClusters", F_LIST(F_OBJECT(queue_cluster)), AT(clusters)},
 *		{"affinity", F_OBJECT(queue_affinity), AT(affinity)},
 *		{"type", F_STR, F_MAX_LEN(253)},			known, not in the view
 *	};
 *	#undef VIEW
 *	const struct type queue_spec_type = {
 *		TYPE("QueueSpec", "v1beta1", struct queue_spec, queue_spec_fields),
 *	};
 *
 * Rows are in the usual order of documents: look-up starts after the last row found, so that a
 * document in the same order costs one comparison per member.
 *
 * C types of the classes in a view:
 *
 *	F_BOOL              bool, struct opt_bool
 *	F_INT32             int32_t, struct opt_int32
 *	F_INT64             int64_t, struct opt_int64
 *	F_DOUBLE            double
 *	F_STR, F_BYTES      struct str			(bytes: still base64)
 *	F_ENUM(names)       an enum whose values index the names
 *	F_QUANTITY          struct quantity
 *	F_DURATION          int64_t, struct opt_int64	(microseconds)
 *	F_TIME, F_MICROTIME int64_t			(microseconds since 1970; 0 is absent)
 *	F_INTSTR            struct intstr
 *	F_ANY               struct json			(any value, kept as it is)
 *	F_OBJECT(noun)      struct noun, or a pointer to a const one that is NULL when absent
 *	F_LIST(class)       VIEW_LIST(...), struct strs
 *	F_MAP(class)        VIEW_MAP(...)
 *	F_LABELS            struct labels
 *	F_RESOURCES         struct resource_list
 *
 * Any class can be held by a pointer to const, NULL when absent, or by a struct json, which then
 * refers to the value as it stands in the document. type_check() holds the C types
 * against the classes and everything else that the compiler cannot see; a unit test calls it on
 * every kind. */
#ifndef MODEL_FIELDS_H
#define MODEL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "json/strategic.h"
#include "model/field/path.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/names.h"

enum field_class {
	FIELD_NONE,
	FIELD_BOOL,
	FIELD_INT32,
	FIELD_INT64,
	FIELD_DOUBLE,
	FIELD_STR,
	FIELD_BYTES,
	FIELD_ENUM,
	FIELD_QUANTITY,
	FIELD_DURATION,
	FIELD_TIME,
	FIELD_MICROTIME,
	FIELD_INTSTR,
	FIELD_ANY,
	FIELD_OBJECT,
	FIELD_LIST,
	FIELD_MAP,
	FIELD_CLASS_COUNT
};

/* What the compiler says about the member that a row is AT(). */
enum field_held {
	FIELD_HELD_NOT, /* not in the view */
	FIELD_HELD_BOOL,
	FIELD_HELD_INT32,
	FIELD_HELD_UINT, /* an enum */
	FIELD_HELD_INT64,
	FIELD_HELD_DOUBLE,
	FIELD_HELD_STR,
	FIELD_HELD_QUANTITY,
	FIELD_HELD_INTSTR,
	FIELD_HELD_JSON,
	FIELD_HELD_OPT_BOOL,
	FIELD_HELD_OPT_INT32,
	FIELD_HELD_OPT_INT64,
	FIELD_HELD_STRUCT,
	FIELD_HELD_POINTER,
	FIELD_HELD_COUNT
};

/* How a list may be merged (x-kubernetes-list-type). */
enum field_list_type { FIELD_LIST_PLAIN, FIELD_LIST_ATOMIC, FIELD_LIST_SET, FIELD_LIST_MAP };

struct rules;
struct type;

struct field {
	const char *name; /* as JSON spells it */
	enum field_class is;

	/* the view */
	enum field_held held;
	uint32_t at;   /* offset of the member */
	uint32_t size; /* of the member */

	/* what it is made of */
	const struct type *type;  /* of an object */
	const struct field *of;   /* of a list's elements, of a map's values */
	const char *const *names; /* of an enum; an empty or NULL one stands for "absent"; of a
				     string: what it may be (F_ONE_OF) */
	uint32_t name_count;

	/* what it may be */
	bool required : 1;
	bool needed : 1; /* required by the schema; another rule reports it with its own message */
	bool immutable : 1;
	bool nullable : 1; /* null is a value of its own and survives */
	bool open : 1; /* of an enum: other texts are allowed, and seen as the number of names */
	bool preserve : 1; /* unknown members below it stay */
	bool always : 1;   /* written even when it is empty or 0 */
	bool pointer : 1;  /* Go holds it by a pointer: empty and absent are not the same */
	bool has_min : 1;
	bool has_max : 1;
	bool retain_keys : 1; /* strategic merge: drop what the patch does not name */
	bool amounts : 1;     /* of a map of quantities: rounded up to thousandths */
	bool atomic : 1;      /* of a map: server-side apply replaces it as a whole */
	bool granular : 1;    /* of an object whose type is atomic: here it is not */
	bool replace : 1;     /* strategic merge: of an object, the patch takes its place */
	bool merge : 1;     /* strategic merge: of a list, by `merge_key` or as a set of scalars */
	uint8_t list_type;  /* enum field_list_type */
	uint8_t format;     /* enum name_format: what a string must look like */
	uint8_t key_format; /* the same for the keys of a map */
	uint32_t min_len;   /* of a string in bytes, or elements of a list or map */
	uint32_t max_len;   /* 0: no bound */
	int64_t min;
	int64_t max;

	const char *const *list_keys; /* of a map-list, NULL-terminated */
	const char *merge_key;
	const char *dflt;    /* as its text would be: "1", "true", "Always", "{}" */
	const char *go_type; /* as Go's decoder names it if that does not follow ("v1.PodPhase") */
	const char *pattern; /* regular expression for the schema, if `format` says none */
	const char *doc;     /* description */
};

/* Rules over several fields, called after the rows' own. */
typedef void type_validate_fn(struct json object, const struct path *path, struct causes *causes);
/* Defaults that depend on other fields, called after the rows' own. */
typedef void type_default_fn(struct json_doc *doc, struct json object);

/* A rule in the expression language of CRDs (CEL), for the schema; `validate` says the same in C. */
struct type_rule {
	const char *rule;
	const char *message;
};

struct type {
	const char *name;    /* "QueueSpec" */
	const char *package; /* as Go calls it: "v1beta1" */
	const char *group;   /* before the package in OpenAPI: "io.k8s.api.core"; may be NULL */
	const char *doc;
	const struct field *fields;
	size_t count;
	size_t size; /* of the view; 0 when there is none */
	type_validate_fn *validate;
	type_default_fn *fill;
	bool preserve; /* unknown members stay */
	/* `validate` holds all rules of the object and of what is below it, in an order of its own:
	 * type_validate() does not walk the rows. */
	bool whole;
	/* Documents are kept as Go would write them: type_default() leaves out what is null or empty,
	 * unless it is F_POINTER, F_ALWAYS or F_REQUIRED, and puts in the latter two. */
	bool as_go;
	bool atomic; /* server-side apply replaces it as a whole (x-kubernetes-map-type) */
	/* No object but this: a type that exists only to be named by OpenAPI (IntOrString). */
	enum field_class scalar;
	const struct type_rule *cel; /* the last one has no rule; may be NULL */
	/* Checked in their order instead of the rows (model/field/rule.h): of every object, of an update
	 * and of an update of the status; may be NULL. */
	const struct rules *rules;
	const struct rules *update;
	const struct rules *status;
};

/* const struct type queue_spec_type = {
 *	TYPE("QueueSpec", "v1beta1", struct queue_spec, queue_spec_fields), .doc = "...",
 * }; */
#define TYPE(type_name, go_package, view, rows)                                               \
	.name = (type_name), .package = (go_package), .size = sizeof(view), .fields = (rows), \
	.count = ARRAY_LEN(rows)
/* A type without a view: everything in it is known, nothing is decoded. */
#define TYPE_KNOWN(type_name, go_package, rows) \
	.name = (type_name), .package = (go_package), .fields = (rows), .count = ARRAY_LEN(rows)

/* --- the words of a row ---------------------------------------------------------------------- */

#define F_BOOL .is = FIELD_BOOL
#define F_INT32 .is = FIELD_INT32
#define F_INT64 .is = FIELD_INT64
#define F_DOUBLE .is = FIELD_DOUBLE
#define F_STR .is = FIELD_STR
#define F_BYTES .is = FIELD_BYTES
#define F_QUANTITY .is = FIELD_QUANTITY
#define F_DURATION .is = FIELD_DURATION
#define F_TIME .is = FIELD_TIME
#define F_MICROTIME .is = FIELD_MICROTIME
#define F_INTSTR .is = FIELD_INTSTR
#define F_ANY .is = FIELD_ANY, .preserve = true
#define F_ENUM(texts) .is = FIELD_ENUM, .names = (texts), .name_count = ARRAY_LEN(texts)
#define F_ONE_OF(texts) .names = (texts), .name_count = ARRAY_LEN(texts)
#define F_OBJECT(noun) .is = FIELD_OBJECT, .type = &noun##_type
/* The element takes further words: F_LIST(F_STR, F_MAX_LEN(63)) */
#define F_LIST(...)                                   \
	.is = FIELD_LIST, .of = &(const struct field) \
	{                                             \
		__VA_ARGS__                           \
	}
#define F_MAP(...)                                   \
	.is = FIELD_MAP, .of = &(const struct field) \
	{                                            \
		__VA_ARGS__                          \
	}
#define F_LABELS F_MAP(F_STR)
#define F_RESOURCES F_MAP(F_QUANTITY), .amounts = true

#define F_REQUIRED .required = true
#define F_NEEDED .needed = true
#define F_IMMUTABLE .immutable = true
#define F_NULLABLE .nullable = true
#define F_OPEN .open = true
#define F_PRESERVE .preserve = true
#define F_ALWAYS .always = true
#define F_POINTER .pointer = true
#define F_DEFAULT(text) .dflt = (text)
#define F_MIN(value) .has_min = true, .min = (value)
#define F_MAX(value) .has_max = true, .max = (value)
#define F_RANGE(low, high) F_MIN(low), F_MAX(high)
#define F_MIN_LEN(len) .min_len = (len)
#define F_MAX_LEN(len) .max_len = (len)
#define F_FORMAT(which) .format = NAME_##which
#define F_KEYS(which) .key_format = NAME_##which
#define F_PATTERN(text) .pattern = (text)
#define F_GO(text) .go_type = (text)
#define F_DOC(text) .doc = (text)

#define F_LIST_ATOMIC .list_type = FIELD_LIST_ATOMIC
#define F_LIST_SET .list_type = FIELD_LIST_SET
/* F_LIST_MAP("name") or F_LIST_MAP("containerPort", "protocol") */
#define F_LIST_MAP(...)                                                 \
	.list_type = FIELD_LIST_MAP, .list_keys = (const char *const[]) \
	{                                                               \
		__VA_ARGS__, NULL                                       \
	}
/* patchStrategy=merge: of a list of objects by a key, of a list of scalars, or retainKeys */
#define F_MERGE_KEY(key) .merge = true, .merge_key = (key)
#define F_MERGE .merge = true
#define F_RETAIN_KEYS .retain_keys = true
#define F_REPLACE .replace = true
#define F_ATOMIC .atomic = true
#define F_GRANULAR .granular = true

/* The row is held by this member of VIEW. */
#define AT(member)                                                         \
	.at = offsetof(VIEW, member), .size = sizeof(((VIEW *)0)->member), \
	.held = FIELD_HELD(((VIEW *)0)->member)
/* A pointer comes right after a struct, so that the last line needs no condition. */
#define FIELD_HELD(value)                                 \
	_Generic((value), bool                            \
		 : FIELD_HELD_BOOL, int32_t               \
		 : FIELD_HELD_INT32, uint32_t             \
		 : FIELD_HELD_UINT, int64_t               \
		 : FIELD_HELD_INT64, double               \
		 : FIELD_HELD_DOUBLE, struct str          \
		 : FIELD_HELD_STR, struct quantity        \
		 : FIELD_HELD_QUANTITY, struct intstr     \
		 : FIELD_HELD_INTSTR, struct json         \
		 : FIELD_HELD_JSON, struct opt_bool       \
		 : FIELD_HELD_OPT_BOOL, struct opt_int32  \
		 : FIELD_HELD_OPT_INT32, struct opt_int64 \
		 : FIELD_HELD_OPT_INT64, default          \
		 : FIELD_HELD_STRUCT + (__builtin_classify_type(value) == FIELD_POINTER_CLASS))
enum { FIELD_POINTER_CLASS = 5 }; /* what the compilers say of a pointer */

/* apiVersion and kind, for the top of every kind. */
#define F_TYPE_META            \
	{"apiVersion", F_STR}, \
	{                      \
		"kind", F_STR  \
	}

/* --- looking a table up ---------------------------------------------------------------------- */

/* The row, or NULL. `hint` is where to look first, and is set to the row after the one found; it
 * may be NULL. */
const struct field *type_find(const struct type *type, struct str name, size_t *hint);

/* What is wrong with a table and every table below it: C types that do not hold their class,
 * doubled names, defaults that do not parse, keys that are no fields. NULL when nothing is; for
 * tests. The text is in the arena. */
const char *type_check(const struct type *type, struct arena *arena);

/* --- documents and views --------------------------------------------------------------------- */

/* Fill *view (type->size bytes, all of which are set) from an object. null and absent are the same;
 * an absent field with a default has the default. Unknown fields are ignored. ERR_BAD_REQUEST with
 * Go's message for a wrong type, as in kube-apiserver; ERR_INVALID for a text that is not in an
 * enum. After a failure the view must not be used. */
int type_decode(const struct type *type, struct json object, struct arena *arena, void *view,
		struct err *err) MUST_CHECK;

/* Write the view's fields into `object` of `doc`, and leave all others. What is absent or empty in
 * the view is removed (but F_ALWAYS and F_REQUIRED ones). Elements of lists keep the
 * fields that the view does not know: they are found by their list keys, else by place. */
void type_encode(const struct type *type, const void *view, struct json_doc *doc,
		 struct json object);
/* A new object with the view's fields. */
struct json type_encode_new(const struct type *type, const void *view, struct json_doc *doc);

/* --- documents alone ------------------------------------------------------------------------- */

/* Add what is absent and has a default, at every level that is there; in types that are `as_go`, leave
 * out what is empty first. */
void type_default(const struct type *type, struct json_doc *doc, struct json object);

/* As if Go had read the object and written it again: unknown fields and empty ones are left out,
 * what it writes always is there, values are canonical. Defaults are not filled in. */
void type_go(const struct type *type, struct json_doc *doc, struct json object);

/* Wrong JSON types, as Go's decoder says it: `json: cannot unmarshal string into Go struct field
 * QueueSpec.spec.weight of type int32`; ERR_BAD_REQUEST. The first one found. */
int type_check_types(const struct type *type, struct json object, struct err *err) MUST_CHECK;

/* Add a cause for every value that the rows do not allow. The types must be right. */
void type_validate(const struct type *type, struct json object, struct causes *causes);
/* The same below a path. */
void type_validate_at(const struct type *type, struct json object, const struct path *path,
		      struct causes *causes);
/* What an update adds: the type's rules for updates, or without these a cause for every F_IMMUTABLE field
 * that has changed: `field is immutable`. */
void type_validate_update(const struct type *type, struct json old, struct json object,
			  struct causes *causes);
/* The type's rules for an update of the status. */
void type_validate_status(const struct type *type, struct json old, struct json object,
			  struct causes *causes);

/* Called with the path of a field that no row knows: "spec.containers[0].imagepullpolicy". */
typedef void type_unknown_fn(void *arg, struct str path);
/* Report unknown fields in document order, and remove them unless `doc` is NULL. */
void type_prune(const struct type *type, struct json_doc *doc, struct json object,
		type_unknown_fn *on_unknown, void *arg);

/* Bring values into the form that kube-apiserver stores: quantities canonical, times in UTC and
 * whole seconds, durations as Go prints them. Values that do not parse are left. */
void type_canonicalize(const struct type *type, struct json_doc *doc, struct json object);

/* --- merging --------------------------------------------------------------------------------- */

/* How a strategic merge patch treats documents of this type (F_MERGE_KEY, F_MERGE, F_RETAIN_KEYS).
 * `root` is memory that must live as long as the result. */
struct json_strategy_schema type_strategy(const struct type *type, struct field *root);

/* --- schema ---------------------------------------------------------------------------------- */

struct schema_options {
	/* Prints objects as references, with this prefix before their type_schema_name(), calls
	 * `on_ref` for each, and includes merge strategies. NULL: everything in place, as a CRD
	 * requires. */
	const char *ref_prefix;
	void (*on_ref)(void *arg, const struct type *type);
	void *arg;
	/* References in an allOf, next to their description, and mixed types as alternatives, as in
	 * OpenAPI v3; else as in v2. */
	bool all_of;
	bool no_docs; /* leave descriptions out */
};

/* "io.k8s.api.core.v1.PodSpec" */
void type_schema_name(const struct type *type, struct buf *to);

/* The OpenAPI v3 schema of a type, a new value of `doc`. `options` may be NULL. */
struct json type_schema(const struct type *type, struct json_doc *doc,
			const struct schema_options *options);

#endif
