/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/install.c - the definitions of Volcano's kinds, put into the store at the start.
 *
 * The mark is a hash of the spec as it is stored, so that a later start can check it: if the stored
 * spec still has that hash, it is ours; if not, a user changed it. */
#include "apiserver/crd/install.h"

#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/definition.h"
#include "base/log.h"
#include "loop/loop.h"
#include "model/group/customresourcedefinition.h"
#include "model/volcano/vckinds.h"

#include "base/banned.h"

struct install {
	struct api *api;
	const struct kind *kind;
	size_t waiting;
	struct err *err;
	bool failed;
};

void install_print_mark(struct json crd, struct buf *to)
{
	buf_printf(to, "%016" PRIx64, json_hash(json_get(crd, "spec"), 1));
}

/* The definition as it will be stored, with its mark. */
static struct json_doc *make_definition(const struct vckind *vckind)
{
	struct json_doc *doc = json_doc_new();
	struct json crd = vckind_crd(vckind, doc);
	struct json annotations;
	AUTO(buf_done) struct buf mark = BUF_UNBOUNDED;

	json_doc_set_root(doc, crd);
	type_default(&crd_type, doc, crd);
	crd_prepare(doc, crd);
	(void)json_remove(doc, crd, STR("status"));
	install_print_mark(crd, &mark);
	annotations = json_ensure_obj(doc, json_get(crd, "metadata"), "annotations");
	json_set_str(doc, annotations, INSTALL_ANNOTATION, buf_str(&mark));
	return doc;
}

static struct str mark_of(struct json crd)
{
	return json_str(
		json_get(json_get(json_get(crd, "metadata"), "annotations"), INSTALL_ANNOTATION));
}

/* Did we create it, and is it unchanged since? */
static bool is_ours(struct json crd)
{
	AUTO(buf_done) struct buf mark = BUF_UNBOUNDED;

	install_print_mark(crd, &mark);
	return str_eq(mark_of(crd), buf_str(&mark));
}

static void on_answered(struct call *call)
{
	struct install *install = call->arg;

	install->waiting--;
	if (call->answer.code >= 400 && !install->failed) {
		install->failed = true;
		(void)err_set(
			install->err, ERR_INTERNAL, "cannot install %.*s: %.*s",
			STR_ARG(call->name),
			STR_ARG(json_str(json_get(json_doc_root(call->answer.doc), "message"))));
	}
	call_free(call);
}

static const struct call_sink sink = {.answered = on_answered};

static void write_definition(struct install *install, enum verb verb, struct str name,
			     struct json_doc *doc)
{
	struct call *call = call_new(install->api, &sink, install);

	call->verb = verb;
	call->kind = install->kind;
	call->name = arena_str(call->arena, name);
	call->sub = STR("");
	call->internal = true;
	call->user.name = STR("system:apiserver");
	call->body.doc = json_doc_ref(doc);
	install->waiting++;
	api_serve(call);
}

/* Our spec and mark in the stored object, whose other metadata is the users'. */
static void update_definition(struct install *install, struct json stored, struct json ours)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(stored);
	struct json crd = json_doc_root(doc);
	struct json metadata = json_get(crd, "metadata");

	json_set(doc, crd, STR("spec"), json_new_copy(doc, json_get(ours, "spec")));
	json_set_str(doc, json_ensure_obj(doc, metadata, "annotations"), INSTALL_ANNOTATION,
		     mark_of(ours));
	write_definition(install, VERB_UPDATE, json_str(json_get(metadata, "name")), doc);
}

static void install_one(struct install *install, const struct vckind *vckind)
{
	AUTO(json_doc_unref) struct json_doc *doc = make_definition(vckind);
	struct json ours = json_doc_root(doc);
	struct str name = json_str(json_get(json_get(ours, "metadata"), "name"));
	AUTO(json_doc_unref)
	struct json_doc *stored = api_read_newest(install->api, install->kind, str_none(), name);
	struct json there = stored ? json_doc_root(stored) : JSON_NONE;

	if (!stored)
		write_definition(install, VERB_CREATE, name, doc);
	else if (str_eq(mark_of(there), mark_of(ours)) && is_ours(there))
		return;
	else if (is_ours(there))
		update_definition(install, there, ours);
	else if (!json_eq(json_get(there, "spec"), json_get(ours, "spec")))
		log_info(api_log(install->api), "a definition is not ours and stays as it is",
			 LOG_VIEW("name", name));
}

int install_definitions(struct api *api, struct err *err)
{
	struct install install = {
		.api = api,
		.kind = kinds_find(api_kinds(api), STR("apiextensions.k8s.io"), STR("v1"),
				   STR("customresourcedefinitions")),
		.err = err,
	};

	for (size_t i = 0; i < vckind_count; i++)
		install_one(&install, &vckinds[i]);
	while (install.waiting || !definitions_are_settled(api))
		(void)loop_turn(api_loop(api), -1);
	return install.failed ? -1 : 0;
}
