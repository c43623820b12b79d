/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>

#include "tap.h"

int main(void)
{
	struct err err;
	char lots[2 * ERR_TEXT_SIZE];

	ok(err_set(&err, ERR_INVALID, "\"%s\" is not a quantity", "2x") == -1, "setting gives -1");
	is(err.text, "\"2x\" is not a quantity");
	ok(err_wrap(&err, "spec.tasks[%d].cpu", 1) == -1, "wrapping gives -1");
	is(err.text, "spec.tasks[1].cpu: \"2x\" is not a quantity");
	ok(err.code == ERR_INVALID, "the code stays");
	ok(err_set(NULL, ERR_INVALID, "x") == -1 && err_wrap(NULL, "x") == -1 &&
		   err_errno(NULL, ENOENT, "x") == -1,
	   "nobody need listen");
	err_errno(&err, ENOENT, "open %s", "f");
	is(err.text, "open f: No such file or directory");
	ok(err.code == ERR_NOT_FOUND, "ENOENT is not found");
	err_errno(&err, EINVAL, "x");
	ok(err.code == ERR_INTERNAL, "EINVAL is internal");

	memset(lots, 'x', sizeof(lots));
	lots[sizeof(lots) - 1] = '\0';
	err_set(&err, ERR_INTERNAL, "%s", lots);
	ok(strlen(err.text) == ERR_TEXT_SIZE - 1 &&
		   strcmp(err.text + ERR_TEXT_SIZE - 4, "...") == 0,
	   "a long text says that it was cut");
	err_wrap(&err, "context");
	ok(strncmp(err.text, "context: xxx", 12) == 0 &&
		   strcmp(err.text + ERR_TEXT_SIZE - 4, "...") == 0,
	   "so does a long wrapped one");

	for (int code = ERR_NONE + 1; code < ERR_UNKNOWN; code++)
		ok(err_from_reason(err_reason((enum err_code)code), 0) == (enum err_code)code &&
			   err_http((enum err_code)code) >= 400,
		   "%s there and back", err_reason((enum err_code)code));
	is(err_reason(ERR_STORE_READ), "StorageReadError");
	ok(err_from_reason(NULL, 409) == ERR_CONFLICT, "409 without a reason is a conflict");
	ok(err_from_reason("Odd", 404) == ERR_NOT_FOUND, "an unknown reason goes by the number");
	ok(err_from_reason(NULL, 418) == ERR_INTERNAL, "an unknown number is internal");
	ok(err_from_reason(NULL, 200) == ERR_NONE && err_http(ERR_NONE) == 200, "200 is no error");
	is(err_reason(ERR_NONE), "");
	ok(err_http(ERR_UNKNOWN) == 500 && !*err_reason(ERR_UNKNOWN), "a 500 without a reason");
	ok(err_from_reason("StorageReadError", 500) == ERR_STORE_READ, "StorageReadError");
	return tap_done();
}
