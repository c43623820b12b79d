/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_get.c - one object. */
#include "apiserver/api_internal.h"
#include "apiserver/request/page.h"

#include "base/banned.h"

void verb_get(struct call *call)
{
	struct object *object = store_get(api_store(call->api), call_key(call, call->name));
	struct err err;
	int64_t revision;

	if (call->options.export == OPTION_TRUE) {
		(void)err_set(
			&err, ERR_BAD_REQUEST,
			"the export parameter, deprecated since v1.14, is no longer supported");
		call_answer_err(call, &err);
		return;
	}
	if (page_check_version(call, &revision, &err) < 0) {
		call_answer_err(call, &err);
		return;
	}
	if (object) {
		call_answer_object(call, 200, object);
		return;
	}
	(void)call_err_not_found(call, call->name, &err);
	call_answer_err(call, &err);
}
