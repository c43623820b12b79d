/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_status.c - `volcano status`: what runs, where, and what is in it.
 *
 * run.json says where; the server itself is asked for the rest (/statusz), with the administrator's
 * kubeconfig. One that does not answer is still shown, with the reason. */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/doc.h"
#include "programs/volcano/ask.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

/* --- showing it ------------------------------------------------------------------------------ */

static struct json_doc *gather(const struct settings *settings, pid_t pid)
{
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *run = home_read_run(settings->folder, &err);
	AUTO(json_doc_unref)
	struct json_doc *status =
		run ? ask_server(settings->folder, "GET", "/statusz", &err) : NULL;
	AUTO(mem_free) char *kubeconfig = home_path(settings->folder, "kubeconfig");
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json_iter it = json_iter(json_doc_root(run));

	json_doc_set_root(doc, root);
	json_set_bool(doc, root, "running", true);
	json_set_int(doc, root, "pid", pid);
	while (run && json_next(&it))
		json_set(doc, root, it.key, json_new_copy(doc, it.value));
	json_set_str(doc, root, "dataDir", str_from(settings->folder));
	json_set_str(doc, root, "kubeconfig", str_from(kubeconfig));
	if (status) {
		it = json_iter(json_doc_root(status));
		while (json_next(&it))
			json_set(doc, root, it.key, json_new_copy(doc, it.value));
	} else {
		json_set_bool(doc, root, "ready", false);
		json_set_str(doc, root, "problem", str_from(err.text));
	}
	return doc;
}

static void print_backups(struct json backups, struct buf *to)
{
	struct str last = json_str(json_get(backups, "last"));
	struct str error = json_str(json_get(backups, "error"));

	if (!json_is(backups, JSON_OBJ))
		return;
	buf_printf(to, "%-14severy %" PRId64 " s into %.*s, %" PRId64 " kept, last: %.*s\n",
		   "backups", json_int(json_get(backups, "everySeconds")),
		   STR_ARG(json_str(json_get(backups, "folder"))),
		   json_int(json_get(backups, "keep")), STR_ARG(last.len ? last : STR("none yet")));
	if (error.len)
		buf_printf(to, "%-14sthe last one failed: %.*s\n", "", STR_ARG(error));
}

static void print_text(struct json root, struct buf *to)
{
	static const struct {
		const char *key, *label;
	} rows[] = {
		{"version", "version"},
		{"pid", "process"},
		{"address", "address"},
		{"url", "url"},
		{"started", "started"},
		{"uptimeSeconds", "up, seconds"},
		{"ready", "ready"},
		{"problem", "problem"},
		{"dataDir", "data"},
		{"kubeconfig", "kubeconfig"},
		{"storeBytes", "store, bytes"},
		{"revision", "revision"},
	};
	struct json_iter it;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json value = json_get(root, rows[i].key);

		if (json_is_absent(value))
			continue;
		buf_printf(to, "%-14s", rows[i].label);
		if (json_is(value, JSON_STR))
			buf_put_str(to, json_str(value));
		else
			json_print(value, JSON_COMPACT, to);
		buf_putc(to, '\n');
	}
	print_backups(json_get(root, "backups"), to);
	it = json_iter(json_get(root, "components"));
	while (json_next(&it))
		buf_printf(to, "%-14s%.*s\n", it.index ? "" : "components",
			   STR_ARG(json_str(it.value)));
	it = json_iter(json_get(root, "setAside"));
	while (json_next(&it))
		buf_printf(to, "%-14s%.*s (crashed %.*s %" PRId64 " times)\n",
			   it.index ? "" : "set aside",
			   STR_ARG(json_str(json_get(it.value, "object"))),
			   STR_ARG(json_str(json_get(it.value, "component"))),
			   json_int(json_get(it.value, "crashes")));
	it = json_iter(json_get(root, "objects"));
	while (json_next(&it))
		buf_printf(to, "%-14s%8" PRId64 " %.*s\n", it.index ? "" : "objects",
			   json_int(it.value), STR_ARG(it.key));
}

static int show(struct json root, bool json, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json) {
		json_print(root, JSON_PRETTY, &text);
		buf_putc(&text, '\n');
	} else {
		print_text(root, &text);
	}
	if (fwrite(text.ptr, 1, text.len, stdout) != text.len)
		return err_set(err, ERR_INTERNAL, "standard output cannot be written to");
	return 0;
}

int status_run(void *program, struct err *err)
{
	struct settings *settings = program;
	pid_t pid = home_holder(settings->folder, err);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (pid < 0)
		return -1;
	if (pid) {
		doc = gather(settings, pid);
		return show(json_doc_root(doc), settings->json, err);
	}
	if (settings->json)
		printf("{\n    \"running\": false\n}\n");
	else
		printf("volcano is not running in %s\n", settings->folder);
	return EXIT_NOT_RUNNING;
}
