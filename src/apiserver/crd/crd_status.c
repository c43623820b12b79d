/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd_status.c - what the server says of a definition: accepted names and conditions.
 *
 * Each name is checked separately, so that as many as possible are accepted; of several conflicts
 * the last one is reported. An established definition stays established: if it later asks for names
 * that it does not get, it keeps those that it has. */
#include "apiserver/crd/crd.h"
#include "base/buf.h"
#include "base/time.h"

#include "base/banned.h"

#define FINALIZER "customresourcecleanup.apiextensions.k8s.io"
#define APPROVAL "api-approved.kubernetes.io"

/* --- conditions --- */

struct condition {
	const char *type;
	const char *status;
	const char *reason;
	const char *message;
};

static bool is_text(struct json object, const char *key, const char *want)
{
	return str_is(json_str(json_get(object, key)), want);
}

static struct json find_condition(struct json crd, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(crd, "status"), "conditions"));

	while (json_next(&it))
		if (is_text(it.value, "type", type))
			return it.value;
	return JSON_NONE;
}

/* False if it already says so. The time is that of the last change of its status. */
static bool set_condition(struct json_doc *doc, struct json crd, const struct condition *want,
			  int64_t now)
{
	struct json found = find_condition(crd, want->type);
	char text[TIME_TEXT_SIZE];
	bool turned = !is_text(found, "status", want->status);

	if (!turned && is_text(found, "reason", want->reason) &&
	    is_text(found, "message", want->message))
		return false;
	if (json_is_absent(found)) {
		struct json status = json_ensure_obj(doc, crd, "status");

		found = json_new_obj(doc);
		json_append(doc, json_ensure_arr(doc, status, "conditions"), found);
	}
	json_set_str(doc, found, "type", str_from(want->type));
	json_set_str(doc, found, "status", str_from(want->status));
	if (turned)
		json_set_str(doc, found, "lastTransitionTime", str_from(time_print(now, text)));
	json_set_str(doc, found, "reason", str_from(want->reason));
	json_set_str(doc, found, "message", str_from(want->message));
	return true;
}

/* --- names --- */

struct settling {
	struct json_doc *doc;
	struct json wanted;   /* spec.names */
	struct json accepted; /* status.acceptedNames */
	const struct json *taken;
	size_t count;
	const char *reason; /* of the last conflict; NULL: none */
	struct buf message;
	bool changed;
};

/* Has a definition of the group this name? Kinds are kinds, all others are resources. */
static bool is_taken(const struct settling *s, struct str name, bool kind)
{
	for (size_t i = 0; i < s->count; i++) {
		struct json names = s->taken[i];

		if (kind && (str_eq(json_str(json_get(names, "kind")), name) ||
			     str_eq(json_str(json_get(names, "listKind")), name)))
			return true;
		if (!kind && (str_eq(json_str(json_get(names, "plural")), name) ||
			      str_eq(json_str(json_get(names, "singular")), name) ||
			      json_has_str(json_get(names, "shortNames"), name)))
			return true;
	}
	return false;
}

static void accept(struct settling *s, const char *key)
{
	struct json value = json_get(s->wanted, key);

	if (json_is_absent(value)) {
		if (json_remove(s->doc, s->accepted, str_from(key)))
			s->changed = true;
	} else if (!json_eq(value, json_get(s->accepted, key))) {
		json_set(s->doc, s->accepted, str_from(key), json_new_copy(s->doc, value));
		s->changed = true;
	}
}

static void settle_name(struct settling *s, const char *key, const char *conflict, bool kind)
{
	struct str wanted = json_str(json_get(s->wanted, key));

	if (str_eq(wanted, json_str(json_get(s->accepted, key))) || !is_taken(s, wanted, kind)) {
		accept(s, key);
		return;
	}
	s->reason = conflict;
	buf_clear(&s->message);
	buf_printf(&s->message, "\"%.*s\" is already in use", STR_ARG(wanted));
}

/* All of them or none. */
static void settle_short_names(struct settling *s)
{
	struct json own = json_get(s->accepted, "shortNames");
	struct json_iter it = json_iter(json_get(s->wanted, "shortNames"));
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;
	size_t count = 0;

	while (json_next(&it)) {
		struct str name = json_str(it.value);

		if (json_has_str(own, name) || !is_taken(s, name, false))
			continue;
		buf_printf(&problems, "%s\"%.*s\" is already in use", count++ ? ", " : "",
			   STR_ARG(name));
	}
	if (count == 0) {
		accept(s, "shortNames");
		return;
	}
	s->reason = "ShortNamesConflict";
	buf_clear(&s->message);
	buf_printf(&s->message, count > 1 ? "[%s]" : "%s", buf_text(&problems));
}

static void settle_names(struct settling *s)
{
	settle_name(s, "plural", "PluralConflict", false);
	settle_name(s, "singular", "SingularConflict", false);
	settle_short_names(s);
	settle_name(s, "kind", "KindConflict", true);
	settle_name(s, "listKind", "ListKindConflict", true);
	accept(s, "categories");
}

/* --- groups that belong to Kubernetes --- */

static bool settle_approval(struct json_doc *doc, struct json crd, int64_t now)
{
	struct json annotations = json_get(json_get(crd, "metadata"), "annotations");
	struct str approval = json_str(json_get(annotations, APPROVAL));
	struct str group = json_str(json_get(json_get(crd, "spec"), "group"));
	struct condition want = {.type = "KubernetesAPIApprovalPolicyConformant"};
	AUTO(buf_done) struct buf message = BUF_UNBOUNDED;

	if (!crd_group_is_protected(group))
		return false;
	want.status = "False";
	if (!approval.len) {
		want.reason = "MissingAnnotation";
		buf_puts(&message,
			 "protected groups must have approval annotation \"" APPROVAL "\", see "
			 "https://github.com/kubernetes/enhancements/pull/1111");
	} else if (str_starts(approval, STR("unapproved"))) {
		want.reason = "UnapprovedAnnotation";
		buf_printf(&message, "not approved: \"%.*s\"", STR_ARG(approval));
	} else {
		want.status = "True";
		want.reason = "ApprovedAnnotation";
		buf_printf(&message, "approved in %.*s", STR_ARG(approval));
	}
	want.message = buf_text(&message);
	return set_condition(doc, crd, &want, now);
}

/* --- the whole --- */

void crd_prepare_status(struct json_doc *doc, struct json crd)
{
	struct json status = json_ensure_obj(doc, crd, "status");
	struct json names = json_new_obj(doc);

	json_set(doc, status, STR("conditions"), json_new_null(doc));
	json_set_str(doc, names, "plural", STR(""));
	json_set_str(doc, names, "kind", STR(""));
	json_set(doc, status, STR("acceptedNames"), names);
}

static bool settle_established(struct json_doc *doc, struct json crd, bool accepted, int64_t now)
{
	static const struct condition not_yet = {"Established", "False", "NotAccepted",
						 "not all names are accepted"};
	static const struct condition done = {"Established", "True", "InitialNamesAccepted",
					      "the initial names have been accepted"};
	struct json old = find_condition(crd, "Established");

	if (is_text(old, "status", "True") || (!json_is_absent(old) && !accepted))
		return false;
	return set_condition(doc, crd, accepted ? &done : &not_yet, now);
}

bool crd_settle(struct json_doc *doc, struct json crd, const struct json *taken, size_t count,
		int64_t now)
{
	struct json status = json_ensure_obj(doc, crd, "status");
	struct settling s = {
		.doc = doc,
		.wanted = json_get(json_get(crd, "spec"), "names"),
		.accepted = json_ensure_obj(doc, status, "acceptedNames"),
		.taken = taken,
		.count = count,
		.message = BUF_UNBOUNDED,
	};
	struct condition want = {"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
	bool changed;

	settle_names(&s);
	if (s.reason)
		want = (struct condition){"NamesAccepted", "False", s.reason, buf_text(&s.message)};
	changed = set_condition(doc, crd, &want, now);
	buf_done(&s.message);
	changed |= settle_established(doc, crd, s.reason == NULL, now);
	changed |= settle_approval(doc, crd, now);
	return changed || s.changed;
}

void crd_start_removal(struct json_doc *doc, struct json crd, int64_t now)
{
	static const struct condition terminating = {
		"Terminating", "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin "
		"soon"};
	struct json metadata = json_ensure_obj(doc, crd, "metadata");
	struct json finalizers;
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, metadata, "deletionTimestamp", str_from(time_print(now, text)));
	finalizers = json_ensure_arr(doc, metadata, "finalizers");
	if (!json_has_str(finalizers, STR(FINALIZER)))
		json_append(doc, finalizers, json_new_str(doc, STR(FINALIZER)));
	(void)set_condition(doc, crd, &terminating, now);
}

bool crd_remove_finalizer(struct json_doc *doc, struct json crd)
{
	struct json list = json_get(json_get(crd, "metadata"), "finalizers");

	return json_remove_str(doc, list, STR(FINALIZER)) > 0;
}
