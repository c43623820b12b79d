/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind.h - what the server serves: a row for each kind, built in or made by a CRD at run
 * time.
 *
 * A row says everything that routes, discovery, printing, selectors and the verbs need; what makes
 * a kind special is a few pure functions (struct kind_ops). A new built-in kind costs a row in
 * the file of its group (kind_core.c, kind_apps.c, ...), its field table and rules in model/, and an
 * ops table if those need more than documents. */
#ifndef APISERVER_KIND_H
#define APISERVER_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/value/names.h"

struct api;
struct arena;
struct call;
struct causes;
struct kind;
struct kinds;
struct schema;
struct type;
struct warn_to;

/* All verbs: the constant, the function (verb_<name>() in verb/), the word of discovery and audit, and the
 * kind of its options. To add one: its file, and its row here. */
#define VERBS(row) \
	ROWS( \
	row(GET, get, "get", "GetOptions") \
	row(LIST, list, "list", "ListOptions") \
	row(WATCH, watch, "watch", "ListOptions") \
	row(CREATE, create, "create", "CreateOptions") \
	row(UPDATE, update, "update", "UpdateOptions") \
	row(PATCH, patch, "patch", "PatchOptions") \
	row(DELETE, delete, "delete", "DeleteOptions") \
	row(DELETE_COLLECTION, delete_collection, "deletecollection", "DeleteOptions"))

#define VERB_ID(id, function, word, options) VERB_##id,
enum verb { VERBS(VERB_ID) VERB_COUNT };
#undef VERB_ID
/* "get", "deletecollection", ... as discovery and audit spell them. */
const char *verb_name(enum verb verb);

enum {
	VERBS_READ = 1 << VERB_GET | 1 << VERB_LIST | 1 << VERB_WATCH,
	VERBS_ALL = (1 << VERB_COUNT) - 1,
	VERBS_STATUS = 1 << VERB_GET | 1 << VERB_UPDATE | 1 << VERB_PATCH,
	VERBS_CREATE = 1 << VERB_CREATE,
};

/* A column of `kubectl get`. */
struct kind_column {
	const char *name;
	const char *type;   /* "string", "integer", "number", "boolean", "date" */
	const char *format; /* "name" for the first one, else "" */
	const char *doc;
	int priority; /* 0: always shown; 1: with -o wide */
	/* A JSON path below the object (".status.phase", of a CRD) ... */
	const char *path;
	/* ... or a function that prints the cell as a JSON value into `doc`; `now` is for ages.
	 * `path` and `none`, what is shown if nothing is, are then as it wants them (cell.h). */
	struct json (*cell)(const struct kind_column *column, struct json object,
			    struct json_doc *doc, int64_t now);
	const char *none;
};

/* A sub-resource: status, scale, binding, eviction, log, ... */
struct kind_sub {
	const char *name;
	unsigned verbs;
	/* Of the body and the answer, if it differs from the kind ("Scale", "autoscaling/v1").
	 * */
	const char *kind;
	const char *api_version;
	/* It changes the status, as "status" does, by rules of its own. */
	bool by_status;
	/* Does the work; ends the call. NULL for "status", which update and patch handle. */
	void (*serve)(struct call *call);
	/* A connection to something that runs: no body is read, the query is not ours, and a path may
	 * follow. */
	bool connect;
};

/* JSON paths of the replica counts of a custom object, for its sub-resource "scale". */
struct kind_scale {
	const char *spec_replicas;
	const char *status_replicas;
	const char *selector; /* NULL: none */
};

/* What an object of a kind may contain: by the field table of a built-in kind, or by the structural
 * schema of a custom one (content.h). */
struct kind_content {
	/* Wrong JSON types, in the words of Go's decoder. */
	int (*check_types)(const struct kind *kind, struct json object, struct err *err);
	/* Report unknown fields and remove them. */
	void (*prune)(const struct kind *kind, struct json_doc *doc, struct json object,
		      void (*on_unknown)(void *arg, struct str path), void *arg);
	/* Remove nulls that are no values and have no default. NULL: `complete` does that. */
	void (*drop_nulls)(const struct kind *kind, struct json_doc *doc, struct json object);
	/* Defaults, and values in the form in which they are stored. */
	void (*complete)(const struct kind *kind, struct json_doc *doc, struct json object);
	/* `old` is absent for a new object; `sub` is "" or "status". NULL: all rules are in the
	 * ops. */
	void (*validate)(const struct kind *kind, struct str sub, struct json object,
			 struct json old, struct causes *causes);
};

/* What is special about a kind; every member may be NULL. All of them are pure: the clock, chance
 * and the state of other objects come through the call. */
struct kind_ops {
	/* `prepare_*` or `validate_*` look at other objects: then they and the write are one step. Else both
	 * need nothing but the call, and a worker may run the latter. */
	bool reads_others;
	/* After decoding and defaulting, before validation: clear what a client may not set, fill
	 * what the server knows. For update, `old` is what is stored; `sub` is "" or "status". */
	int (*prepare_create)(struct call *call, struct json_doc *doc, struct json object,
			      struct err *err);
	int (*prepare_update)(struct call *call, struct json_doc *doc, struct json object,
			      struct json old, struct err *err);
	/* Rules beyond those of the field table. */
	void (*validate_create)(struct call *call, struct json object, struct causes *causes);
	void (*validate_update)(struct call *call, struct json object, struct json old,
				struct causes *causes);
	/* Warnings for the client: one line each through call_warn(). */
	void (*warn)(struct call *call, struct json object, struct json old);
	/* Seconds of grace for a removal that asked for `asked` (-1: not said); 0 removes at once.
	 * Pods only. */
	int64_t (*grace)(struct call *call, struct json object, int64_t asked);
	/* May it be removed at all? */
	int (*check_delete)(struct call *call, struct json object, struct err *err);
	/* Start a removal that takes steps of its own: mark the object. False: the usual way. */
	bool (*start_removal)(struct call *call, struct json_doc *doc, struct json object);
	/* Has the part changed that metadata.generation counts? NULL: anything outside metadata and
	 * status. */
	bool (*spec_changed)(struct json object, struct json old);
	/* What a row of a Table has in addition to its cells: `conditions`, or absent. */
	struct json (*row_conditions)(struct json object, struct json_doc *doc);
	/* Gets the value of a selectable field. NULL: its name is its path. */
	const char *(*field_path)(struct json object, struct str name);
};

/* The rules of a built-in kind as model/ has them: pure functions of documents, any of which may be
 * NULL. kind_ruled (kind_rules.h) is the ops table that goes by them. */
struct kind_rules {
	void (*prepare_create)(struct json_doc *doc, struct json object);
	void (*prepare_update)(struct json_doc *doc, struct json object, struct json old);
	void (*prepare_status)(struct json_doc *doc, struct json object, struct json old);
	void (*validate_create)(struct json object, struct causes *causes);
	void (*validate_update)(struct json object, struct json old, struct causes *causes);
	void (*validate_status)(struct json object, struct json old, struct causes *causes);
	/* The path of the kind's pod template: "spec.template". */
	const char *template;
	/* Warnings before and after those of the template. */
	void (*warn)(struct json object, struct json old, const struct warn_to *to);
	void (*warn_behind)(struct json object, struct json old, const struct warn_to *to);
};

struct kind {
	/* names */
	struct str group;   /* "" for the core */
	struct str version; /* "v1" */
	struct str plural;
	struct str singular;
	struct str name;                /* "Pod" */
	struct str list_name;           /* "PodList" */
	const char *const *short_names; /* NULL-terminated, or NULL */
	const char *const *categories;

	/* what it is */
	bool namespaced;
	bool generation;        /* keeps metadata.generation ... */
	bool generation_late;   /* ... from its first change on */
	bool create_on_update;  /* PUT makes what is not there */
	bool status;            /* has a status sub-resource: the main one leaves status alone */
	bool status_on_create;  /* ... but for a new object, which may bring its status along */
	bool returns_deleted;   /* DELETE answers with the object rather than with a Status */
	bool spec_once;         /* no update changes its spec, and its fields have no managers */
	bool version_on_update; /* PUT must say which resourceVersion it is for */
	bool hidden;            /* only stored in: no path leads to it */
	bool meta_once;         /* its own rules do not look at metadata again (metadata.c) */
	unsigned verbs;         /* 0: all */
	enum name_format name_format; /* NAME_ANY: NAME_DNS_SUBDOMAIN */
	const struct kind_content *content;
	const struct type *type; /* the field table of a built-in kind */
	bool custom;             /* has a structural schema (definition.h) */
	const struct kind_ops *ops;
	const struct kind_rules *rules;
	/* Of a kind whose objects are not kept: does the work of every verb; ends the call. */
	void (*serve)(struct call *call);
	const struct kind_sub *subs;       /* ends with a NULL name; "status" is listed too */
	const struct kind_column *columns; /* ends with a NULL name */
	/* Field selectors beyond metadata.name and metadata.namespace: "status.phase", ...
	 * NULL-terminated. */
	const char *const *selectable;
	/* Of a custom kind: those of all its versions. */
	const char *const *indexed;
	const struct kind_scale *scale; /* of a kind with that sub-resource */
	/* The warning for a removal that does not say what happens to dependents, or NULL. */
	const char *removal_warning;
	const char *deprecated; /* the warning that every request gets, or NULL */
	/* Of a built-in kind that is stored as another one: the apiVersion of that one, conversions
	 * to it and back (new values of `doc`), and the names of the selectable fields there, in
	 * the same order. */
	struct str stored_as;
	struct json (*to_stored)(struct json object, struct json_doc *doc);
	struct json (*from_stored)(struct json object, struct json_doc *doc);
	const char *const *selectable_as;
	/* What an empty object prints in addition to its metadata, for bookmarks: `,"spec":{}`. */
	const char *empty;

	/* made by kinds_add() */
	struct str api_version; /* "v1", "batch.volcano.sh/v1alpha1" */
	struct str resource;    /* "pods", "jobs.batch.volcano.sh": as messages name it */
	struct str qualified;   /* "Pod", "Job.batch.volcano.sh": as validation messages name it */
	struct str head;   /* how the text of every object starts: {"apiVersion":...,"kind":..., */
	struct str prefix; /* of its keys in the store: "/pods/" */
	/* The version that is stored, if a kind is served in several; itself otherwise. */
	const struct kind *stored;
	void *owner;   /* of a custom one: its definition */
	int64_t since; /* a custom one: the revision from which on it is served, and watched */
	bool gone;     /* removed while a call still held it */
};

/* Does this sub-resource change the status, and nothing else? */
bool kind_sub_is_status(const struct kind *kind, struct str sub);

/* --- the registry --- */

/* Empty. */
struct kinds *kinds_new(uint64_t seed) __attribute__((returns_nonnull));
void kinds_free(struct kinds *kinds);
DEFINE_AUTO(struct kinds *, kinds_free);

/* Copies the row (the strings it points at must live on) and fills the made part; gives its place.
 * */
struct kind *kinds_add(struct kinds *kinds, const struct kind *row);
/* Take everything from another row but what was made: for a definition that has changed. The names
 * that paths are made of stay, so that kind_can_change() must hold. */
bool kind_can_change(const struct kind *kind, const struct kind *row);
void kinds_change(struct kinds *kinds, struct kind *kind, const struct kind *row);
/* Out of the registry at once; its memory stays until kinds_free(), for calls that still hold it.
 * */
void kinds_remove(struct kinds *kinds, struct kind *kind);
/* Increases with every change: discovery and OpenAPI documents are then made again. */
uint64_t kinds_generation(const struct kinds *kinds);

const struct kind *kinds_find(const struct kinds *kinds, struct str group, struct str version,
			      struct str plural);
const struct kind *kinds_find_kind(const struct kinds *kinds, struct str api_version,
				   struct str name);
bool kinds_has_group(const struct kinds *kinds, struct str group);
/* Does it hold a kind that is not custom? Then what is not there is missing in words of ours. */
bool kinds_has_built_in(const struct kinds *kinds, struct str group);
bool kinds_has_version(const struct kinds *kinds, struct str group, struct str version);
/* In order of registration:
 *	size_t at = 0; const struct kind *kind;
 *	while ((kind = kinds_next(kinds, &at))) ... */
const struct kind *kinds_next(const struct kinds *kinds, size_t *at);

/* The sub-resource, or NULL. */
const struct kind_sub *kind_sub_find(const struct kind *kind, struct str name);

#endif
