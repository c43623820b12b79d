/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub.h - sub-resources that are more than a part of the object: what they share.
 *
 * Each is one file (sub_*.c) with a function that does the work and ends the call, and a row in the
 * list of its kind. A body of another kind than the object's is decoded here; the write takes the way of
 * an update or a removal, whose answer is rewritten into what the sub-resource answers with. */
#ifndef APISERVER_SUB_H
#define APISERVER_SUB_H

#include <stdint.h>

#include "apiserver/kind/kind.h"
#include "apiserver/verb/podlog.h"
#include "base/err.h"
#include "base/str.h"
#include "json/doc.h"

struct call;

/* Rows for lists of sub-resources. */
#define SUB_BINDING                                                          \
	{                                                                    \
		.name = "binding", .verbs = VERBS_CREATE, .kind = "Binding", \
		.serve = sub_serve_binding                                   \
	}
#define SUB_EVICTION                                                           \
	{                                                                      \
		.name = "eviction", .verbs = VERBS_CREATE, .kind = "Eviction", \
		.api_version = "policy/v1", .serve = sub_serve_eviction        \
	}
#define SUB_SCALE                                                         \
	{                                                                 \
		.name = "scale", .verbs = VERBS_STATUS, .kind = "Scale",  \
		.api_version = "autoscaling/v1", .serve = sub_serve_scale \
	}

#define SUB_TOKEN                                                                   \
	{                                                                           \
		.name = "token", .verbs = VERBS_CREATE, .kind = "TokenRequest",     \
		.api_version = "authentication.k8s.io/v1", .serve = sub_serve_token \
	}
#define SUB_LOG                                                              \
	{                                                                    \
		.name = "log", .verbs = 1 << VERB_GET, .serve = podlog_serve \
	}
#define SUB_CONNECT(sub_name, options)                                                            \
	{                                                                                         \
		.name = (sub_name), .verbs = 1 << VERB_GET | 1 << VERB_CREATE, .kind = (options), \
		.serve = sub_refuse_connect, .connect = true                                      \
	}

#define SUB_PROXY(options)                                                                    \
	{                                                                                     \
		.name = "proxy", .verbs = VERBS_STATUS | 1 << VERB_CREATE | 1 << VERB_DELETE, \
		.kind = (options), .serve = sub_refuse_connect, .connect = true               \
	}

/* POST pods/NAME/binding, and POST bindings, the kind that is only ever made. */
void sub_serve_binding(struct call *call);
/* POST pods/NAME/eviction */
void sub_serve_eviction(struct call *call);
/* GET, PUT, PATCH .../NAME/scale of a kind that has a `scale`. */
void sub_serve_scale(struct call *call);
/* POST serviceaccounts/NAME/token */
void sub_serve_token(struct call *call);
/* exec, attach, portforward, proxy: 501, with what to do instead. */
void sub_refuse_connect(struct call *call);

/* --- what they share --- */

/* The call's body as an object of another kind, with its defaults; NULL and an error if it is
 * none. */
struct json_doc *sub_decode(struct call *call, const struct kind *as, struct err *err) MUST_CHECK;
/* Success is answered with a bare Status and this code. */
void sub_answer_status(struct call *call, int code);
/* A conflict in the words of a failed precondition of the storage. */
int sub_err_precondition(struct call *call, const char *what, struct str wanted, struct str is,
			 struct err *err);
/* Put a condition into the status of a pod, as Kubernetes does: its time changes with its status.
 * Empty texts are left away. */
struct sub_condition {
	const char *type;
	const char *reason;
	const char *message;
};
void sub_set_pod_condition(struct json_doc *doc, struct json pod,
			   const struct sub_condition *condition, int64_t now);

#endif
