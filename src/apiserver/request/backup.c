/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/backup.c - a copy of the store while the server runs.
 *
 * The folder is one of the server's machine, and must be empty or missing: nothing is ever written
 * over (disk_copy.c). What is copied is the state that readers see when the request comes in. One copy at
 * a time: another request gets 429. */
#include "apiserver/request/backup.h"

#include "apiserver/api.h"
#include "apiserver/request/call.h"
#include "apiserver/store/store.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/url.h"
#include "http/http_server.h"

#include "base/banned.h"

enum { RETRY_SECONDS = 5 };

struct backup_call {
	struct call *call; /* NULL: no client waits for it */
	char *folder;
	int64_t revision;
	struct log *log;
};

void backup_forget(struct backup_call *backup)
{
	backup->call = NULL;
}

static struct json_doc *make_answer(const struct backup_call *backup)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "folder", str_from(backup->folder));
	json_set_int(doc, root, "revision", backup->revision);
	return doc;
}

static void on_copied(void *arg, const struct err *err)
{
	struct backup_call *backup = arg;
	struct call *call = backup->call;

	if (err)
		log_warn(backup->log, "copying the store has failed",
			 LOG_STR("folder", backup->folder), LOG_STR("error", err->text));
	else
		log_info(backup->log, "store copied", LOG_STR("folder", backup->folder),
			 LOG_INT("revision", backup->revision));
	if (call) {
		call->work.backup = NULL;
		if (!err) {
			call_answer_doc(call, 200, make_answer(backup));
		} else {
			if (err->code == ERR_TOO_MANY_REQUESTS)
				call->answer.retry_after = RETRY_SECONDS;
			call_answer_err(call, err);
		}
	}
	mem_free(backup->folder);
	mem_free(backup);
}

void backup_serve(const struct pages_request *page)
{
	struct call *call = page->call;
	struct str folder = query_get(http_request_query(page->request), STR("folder"));
	struct backup_call *backup;
	struct err err;

	if (!str_starts(folder, STR("/")) || str_find_byte(folder, '\0', 0) >= 0) {
		(void)err_set(&err, ERR_BAD_REQUEST, "folder must be an absolute path");
		call_answer_err(call, &err);
		return;
	}
	backup = mem_new(struct backup_call);
	backup->call = call;
	backup->folder = str_dup(folder);
	backup->revision = store_revision(api_store(call->api));
	backup->log = api_log(call->api);
	call->work.backup = backup;
	store_backup(api_store(call->api), backup->folder, on_copied, backup);
}
