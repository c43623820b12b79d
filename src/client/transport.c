/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport.c - shared by transports: reading events and a Status. */
#include "client/transport.h"

#include "base/banned.h"

bool transport_event_type(struct str name, enum client_event_type *ret)
{
	static const char *const names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
	_Static_assert(ARRAY_LEN(names) == CLIENT_EVENT_COUNT, "name every type");

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_is(name, names[i])) {
			*ret = (enum client_event_type)i;
			return true;
		}
	}
	return false;
}

bool transport_is_initial_end(struct json object)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");

	return str_is(json_str(json_get(annotations, "k8s.io/initial-events-end")), "true");
}

void transport_err_from_status(struct json status, int code, struct err *ret)
{
	struct str reason = json_str(json_get(status, "reason"));
	struct str message = json_str(json_get(status, "message"));
	int64_t own = json_int(json_get(status, "code"));
	enum err_code is;

	if (code == 0 && own > 0 && own < 1000)
		code = (int)own;
	is = err_from_reason(reason.len ? reason.ptr : "", code ? code : 500);
	if (is == ERR_NONE)
		is = ERR_INTERNAL;
	if (is == ERR_BAD_REQUEST && !reason.len && message.len)
		is = ERR_DENIED;
	if (message.len)
		(void)err_set(ret, is, "%.*s", STR_ARG(message));
	else
		(void)err_set(ret, is, "the server answered %d without a reason", code);
}
