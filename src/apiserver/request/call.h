/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/call.h - one request to the API, however it came in, and its answer.
 *
 * The HTTP front (front.c) makes a call out of a request and prints its answer; the direct
 * transport of the client makes one out of a document and hands the answer's document over. Between
 * them lies the same path:
 *
 *	api_serve()	finds the verb's file and lets it work: verb_get.c, verb_create.c, ...
 *	call_*()	the steps that verbs share: decode, default, admit, validate, stage
 *	call_answer*()	ends the call, once
 *
 * A call owns an arena that lives until its answer has been taken. A verb may finish in the same
 * turn (reads) or when the store says that its write is durable. */
#ifndef APISERVER_CALL_H
#define APISERVER_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apiserver/kind/kind.h"
#include "apiserver/request/fair.h"
#include "authorization/user.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"

struct backup_call;
struct edit;
struct causes;
struct chunk;
struct object;
struct offload;
struct podlog;
struct staged;
struct sweep;
struct watcher;

enum patch_type { PATCH_NONE, PATCH_JSON, PATCH_MERGE, PATCH_STRATEGIC, PATCH_APPLY };
enum call_form { CALL_FORM_OBJECT, CALL_FORM_TABLE, CALL_FORM_METADATA };

/* What an error's Status has in addition to its text. Empty texts are left out. */
struct call_cause {
	const char *reason;
	const char *message;
	const char *field;
};

enum option_bool { OPTION_UNSET, OPTION_FALSE, OPTION_TRUE };

/* What the query and the headers say (options.c). Texts are none and numbers -1 if nothing was
 * said. */
#define CALL_UNSET INT64_MIN
#define CALL_DRY_RUN_ALL "[\"All\"]"
struct call_options {
	struct str
		dry_run; /* the values as a JSON list, CALL_DRY_RUN_ALL; none: it is no dry run */
	struct str field_validation;
	struct str field_manager;
	enum option_bool force;

	/* of a list or a watch */
	struct str label_selector;
	struct str field_selector;
	int64_t limit;
	struct str continue_token;
	struct str resource_version;
	struct str version_match; /* "Exact", "NotOlderThan" */
	int64_t timeout_seconds;
	enum option_bool watch;
	enum option_bool allow_bookmarks;
	enum option_bool send_initial_events;

	/* of a removal, from the query or from DeleteOptions in the body */
	int64_t grace_seconds;
	struct str propagation; /* "Background", "Foreground", "Orphan"; none: not given */
	enum option_bool orphan;
	struct str precondition_uid;
	struct str precondition_version;

	/* of a log; numbers are CALL_UNSET if nothing was said */
	struct str container;
	enum option_bool follow;
	enum option_bool previous;
	enum option_bool timestamps;
	int64_t since_seconds;
	struct str since_time;
	int64_t tail_lines;
	int64_t limit_bytes;

	/* of the answer */
	enum call_form form;
	bool form_beta;            /* the form is of meta.k8s.io/v1beta1 */
	struct str include_object; /* Table: "None", "Metadata", "Object" */
	enum option_bool pretty;
	enum option_bool export; /* was removed upstream: rejected */
	bool yaml;
};

/* One event of a watch, ready to be sent: shared among watchers. `text` is
 * {"type":...,"object":...} and a line's end; the parts are for readers in the same process. */
struct call_event {
	const char *type; /* "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" */
	/* NULL for BOOKMARK and ERROR, and if it is not sent as it is stored: in another form or
	 * version */
	struct object *object;
	struct chunk *text;
};

/* An answer that is made piece by piece, as its reader takes it. */
struct call_source {
	/* Put the next piece, of some 64 KB; false: that was the last. */
	bool (*next)(void *state, struct buf *to);
	/* Is there something to make first that takes longer than a turn may? Then `work` makes it, which needs
	 * nothing but the call, and may run on a worker. NULL: never. */
	bool (*is_long)(void *state);
	void (*work)(void *state);
	void (*free)(void *state);
};

/* What takes the answer. `answered` is called once. A watch is answered with code 200 and neither
 * object nor document; then `event` follows for each event, and says how many bytes wait to be
 * taken (a watcher that lags behind is ended); `ended` is the last. */
struct call_sink {
	void (*answered)(struct call *call);
	size_t (*event)(struct call *call, const struct call_event *event);
	void (*ended)(struct call *call);
	size_t (*queued)(struct call *call); /* what waits to be taken; NULL: nothing ever does */
	bool takes_objects; /* an event that has its object may come without its text */
	bool takes_sources; /* else an answer in pieces is made whole before `answered` */
};

/* The body of the request. front.c fills it in, then body.c parses it, on a worker if it is large. Everything that it owns
 * lives until call_free(), but for `text`, which is freed when it was parsed. */
struct call_body {
	struct json_doc *doc;    /* owned; NULL: there is none */
	struct buf text;         /* owned: the text of a large one, until it is parsed */
	struct str start;        /* how its text begins; none: it did not come as text */
	size_t len;              /* of the whole text */
	const struct type *type; /* of a protobuf body that a worker reads (protobuf_body.h) ... */
	bool type_known;         /* ... and whether it was looked up */
	bool yaml;               /* its fields come in the order of their names */
	VEC(const char *) odd_fields; /* unknown and duplicate ones, in the words of the answer */
	size_t yaml_duplicates;       /* how many of them, the first ones, are lines of YAML */
};

/* The answer: empty until one of the call_answer_*() functions is called. The sink reads it in `answered`, and may take
 * what is owned by setting it to NULL; call_free() frees the rest. */
struct call_answer {
	int code;
	struct json_doc *doc; /* owned: the answer as a document ... */
	struct object
		*object;    /* owned: ... or as a stored object, whose text is what is sent ... */
	struct chunk *text; /* owned: ... or ready to be sent ... */
	const struct call_source *source; /* ... or to be made in pieces (lists), ... */
	void *source_state;               /* ... from this, which is owned */
	struct chunk *sent;       /* owned: any of them as it is sent, if a worker has made it */
	const char *content_type; /* of `text`, if that is not JSON; NULL: it is */
	const char *json_type;    /* what to call JSON; NULL: application/json */
	int64_t retry_after;      /* seconds; 0: none */
	VEC(const char *) warnings;
	size_t warning_chars; /* in all of them (answer_warnings.c) */
	bool warnings_cut;
	/* Makes another answer of a successful one (a Scale of the object), before the sink sees it. */
	void (*rewrite)(struct call *call);
	int success_code;            /* of a rewritten answer that is a Status */
	enum call_form rewrite_form; /* of the answer that is rewritten */
	bool columns_sent;           /* a watch as Table: only its first event names them */
	bool given;                  /* to the sink */
	bool waits;                  /* a worker has made it, and the sink does not have it yet */
};

/* What an error is about, for the details of its Status. In the arena of the call. */
struct call_error {
	struct str name;
	struct str kind;        /* if it is not the kind's plural: "pods/binding" */
	struct str group;       /* if it is not the kind's: STR("") for the core */
	struct str text;        /* in full, if it is longer than a struct err can hold */
	bool plain;             /* no details at all */
	bool too_large_version; /* the error is about a version that does not exist yet */
	VEC(struct call_cause) causes;
};

/* The work that is under way for the call. The module that sets a pointer clears it when its part is done; call_free()
 * cancels what is still set. */
struct call_work {
	struct staged *staged;      /* its write is on its way to the store */
	struct sweep *sweep;        /* it removes a collection */
	struct edit *edit;          /* it waits between the steps of a write (edit.h) */
	struct offload *offload;    /* its place among the large calls (offload.h) */
	struct watcher *watcher;    /* it is a watch */
	struct backup_call *backup; /* the store is copied for it */
	struct podlog *podlog;      /* it sends the output of a container */
	struct json_doc *managed;   /* owned: the managers of the object's fields (managed.h) */
	bool unmanage;              /* the body removes all managers */
	bool large;                 /* workers do parts of it (offload.h) */
	bool in_flight;             /* counted among the calls that the API works on */
	int64_t now;                /* of a worker, which cannot ask the loop; 0: ask it */
};

/* Whose time and limits the call counts for (fair.h). Set before api_serve(), given back by call_free(). */
struct call_account {
	struct fair_flow *flow;   /* NULL: it counts for no user */
	bool counted;             /* in the flow, ... */
	enum fair_use counted_as; /* ... as this */
};

/* A request from its arrival to the end of its answer. Its maker (front.c for HTTP, direct.c in the process) makes it with
 * call_new(), sets the request, calls api_serve(), gets the answer through the sink, and frees it with call_free(): no one
 * else frees a call. The parts below follow the phases. */
struct call {
	struct api *api;
	struct arena *arena;
	const struct call_sink *sink; /* takes the answer */
	void *arg;                    /* the sink's */

	/* the request: set before api_serve(), and not changed after it */
	enum verb verb;
	const struct kind *kind;
	struct str namespace; /* none: all, or a kind without */
	struct str name;
	struct str sub; /* "" for the object itself */
	struct call_options options;
	enum patch_type patch;
	struct str agent; /* the program that asks, by its User-Agent; none: one of our own */
	struct user user;
	bool internal; /* the server's own: not subject to admission of users */
	bool part;     /* of another call, which was counted */

	struct call_body body;
	struct call_account account;
	struct call_work work;
	struct call_answer answer;
	struct call_error error;

	struct list link; /* among the calls of the API */
	uint64_t epoch;   /* of the API, when it was made */
};

/* A call with nothing set; its strings go into its arena. */
struct call *call_new(struct api *api, const struct call_sink *sink, void *arg)
	__attribute__((returns_nonnull));
/* Cancels it if it is under way (a staged write continues, but no one gets its result). Takes NULL.
 * */
void call_free(struct call *call);
DEFINE_AUTO(struct call *, call_free);

/* Count it for the user of its flow, as a call or a watch. False: the user has too many. */
bool call_count(struct call *call, enum fair_use use) MUST_CHECK;

/* Work on it: everything above "the answer" is set. */
void api_serve(struct call *call);

/* --- ending a call: exactly one of these, once --- */

/* Takes the document. */
void call_answer_doc(struct call *call, int code, struct json_doc *doc);
/* The object in the form that was asked for (itself, Table, PartialObjectMetadata); takes a
 * reference. */
void call_answer_object(struct call *call, int code, struct object *object);
/* Takes the chunk. */
void call_answer_text(struct call *call, int code, struct chunk *text, const char *content_type);
/* In pieces; takes the state. */
void call_answer_source(struct call *call, int code, const struct call_source *source, void *state);
/* A Status of kind Failure. Names the object of the call in `details`, as Kubernetes does for this
 * reason. */
void call_answer_err(struct call *call, const struct err *err);
/* "<Kind> "<name>" is invalid: ...", with all causes. There must be one. */
void call_answer_causes(struct call *call, struct str name, const struct causes *causes);
/* The same for something else than the call's kind ("ListOptions" of "meta.k8s.io"). */
void call_answer_invalid(struct call *call, struct str group, struct str kind, struct str name,
			 const struct causes *causes);
/* The call is now a watch. */
void call_answer_watch(struct call *call);

/* A Warning header of the answer; the same text only once, and not more than a header holds (answer_warnings.c).
 * Copied. */
void call_warn(struct call *call, const char *format, ...) PRINTF(2, 3);

#define CALL_CONFLICT_MODIFIED                                                               \
	"the object has been modified; please apply your changes to the latest version and " \
	"try again"

/* --- errors in the words of Kubernetes; each returns -1 --- */

int call_err_not_found(struct call *call, struct str name, struct err *err);
int call_err_exists(struct call *call, struct str name, struct err *err);
int call_err_conflict(struct call *call, struct str name, const char *why, struct err *err);
int call_err_forbidden(struct call *call, struct str name, const char *why, struct err *err);
/* The error that follows has this cause. Copied. */
void call_note_cause(struct call *call, const struct call_cause *cause);

#endif
