/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/sub_connect.c - what this server does not do with pods, said clearly: run a command in one,
 * attach to one, forward its ports, be a proxy. Clients that ask discovery find them all the same, as
 * upstream. */
#include "apiserver/api_internal.h"
#include "apiserver/sub.h"

#include "base/banned.h"

void sub_refuse_connect(struct call *call)
{
	struct err err;

	(void)err_set(&err, ERR_NOT_IMPLEMENTED,
		      "%.*s/%.*s is not supported: this server runs pods as plain processes and "
		      "has no way into them; use the pod's log, or a shell on the node",
		      STR_ARG(call->kind->plural), STR_ARG(call->sub));
	call_answer_err(call, &err);
}
