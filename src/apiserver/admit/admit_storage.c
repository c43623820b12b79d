/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_storage.c - DefaultStorageClass: a claim that names no class gets the default one;
 * StorageObjectInUseProtection: claims and volumes are held by a finalizer while they are used;
 * PersistentVolumeClaimResize: a claim grows only if its class allows it. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "model/rules/rules.h"
#include "model/value/quantity.h"

#include "base/banned.h"

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

static const struct kind *classes(const struct call *call)
{
	return kinds_find(api_kinds(call->api), STR("storage.k8s.io"), STR("v1"),
			  STR("storageclasses"));
}

/* --- the default class --- */

static bool is_default(struct json class)
{
	struct json annotations = json_get(json_get(class, "metadata"), "annotations");

	return str_is(json_str(
			      json_get(annotations, "storageclass.kubernetes.io/is-default-class")),
		      "true") ||
	       str_is(json_str(json_get(annotations,
					"storageclass.beta.kubernetes.io/is-default-class")),
		      "true");
}

static struct str made(struct json_doc *class)
{
	return json_str(json_get(json_get(json_doc_root(class), "metadata"), "creationTimestamp"));
}

/* The youngest, and of those the first by name. One reference is the caller's. */
static struct json_doc *find_default(struct call *call)
{
	struct store *store = api_store(call->api);
	struct str prefix = classes(call)->prefix;
	struct store_newest_walk walk = store_newest_walk(store, prefix);
	struct object *object;
	AUTO(json_doc_unref) struct json_doc *found = NULL;

	while ((object = store_newest_next(&walk))) {
		struct err err;
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(object->text, NULL, &err);

		if (!is_default(json_doc_root(doc)) ||
		    (found && str_cmp(made(found), made(doc)) >= 0))
			continue;
		json_doc_unref(found);
		found = TAKE(doc);
	}
	return TAKE(found);
}

static int admit_claim_class(const struct admission *admission, struct err *err)
{
	struct json metadata = json_get(admission->object, "metadata");
	struct json spec = json_get(admission->object, "spec");
	AUTO(json_doc_unref) struct json_doc *class = NULL;

	(void)err;
	if (!json_is(spec, JSON_OBJ) || !json_is_absent(json_get(spec, "storageClassName")) ||
	    !json_is_absent(json_get(json_get(metadata, "annotations"), CLASS_ANNOTATION)))
		return 0;
	class = find_default(admission->call);
	if (class)
		json_set_str(
			admission->doc, spec, "storageClassName",
			json_str(json_get(json_get(json_doc_root(class), "metadata"), "name")));
	return 0;
}

/* --- protection --- */

static int add_finalizer(const struct admission *admission, struct str finalizer)
{
	struct json metadata = json_get(admission->object, "metadata");

	if (!json_has_str(json_get(metadata, "finalizers"), finalizer))
		json_append(admission->doc, json_ensure_arr(admission->doc, metadata, "finalizers"),
			    json_new_str(admission->doc, finalizer));
	return 0;
}

static int admit_claim_protection(const struct admission *admission, struct err *err)
{
	(void)err;
	return add_finalizer(admission, STR("kubernetes.io/pvc-protection"));
}

static int admit_volume_protection(const struct admission *admission, struct err *err)
{
	(void)err;
	return add_finalizer(admission, STR("kubernetes.io/pv-protection"));
}

/* --- growing --- */

static struct json requests(struct json claim)
{
	return json_get(json_get(json_get(claim, "spec"), "resources"), "requests");
}

static struct str class_of(struct json claim)
{
	struct json annotations = json_get(json_get(claim, "metadata"), "annotations");
	struct json annotated = json_get(annotations, CLASS_ANNOTATION);

	return json_is(annotated, JSON_STR)
		       ? json_str(annotated)
		       : json_str(json_get(json_get(claim, "spec"), "storageClassName"));
}

static bool may_grow(const struct admission *admission)
{
	struct call *call = admission->call;
	struct str name = class_of(admission->object);
	AUTO(json_doc_unref)
	struct json_doc *class =
		name.len ? api_read_newest(call->api, classes(call), str_none(), name) : NULL;

	return class && str_eq(name, class_of(admission->old)) &&
	       json_bool(json_get(json_doc_root(class), "allowVolumeExpansion"));
}

static int admit_claim_growth(const struct admission *admission, struct err *err)
{
	struct quantity new;
	struct quantity old;
	struct json phase = json_get(json_get(admission->old, "status"), "phase");

	if (!rules_quantity(requests(admission->object), "storage", &new) ||
	    !rules_quantity(requests(admission->old), "storage", &old) ||
	    quantity_cmp(&new, &old) <= 0)
		return 0;
	if (!str_is(json_str(phase), "Bound"))
		return admit_forbidden(admission, err,
				       "Only bound persistent volume claims can be expanded");
	if (!may_grow(admission))
		return admit_forbidden(admission, err,
				       "only dynamically provisioned pvc can be resized and the "
				       "storageclass that provisions the pvc must support resize");
	return 0;
}

const struct admitter admitter_claim_class = {ADMIT_CLAIMS("DefaultStorageClass"),
					      .verbs = ADMIT_CREATE, .change = admit_claim_class};

const struct admitter admitter_claim_protection = {ADMIT_CLAIMS("StorageObjectInUseProtection"),
						   .verbs = ADMIT_CREATE,
						   .change = admit_claim_protection};

const struct admitter admitter_volume_protection = {.name = "StorageObjectInUseProtection",
						    .verbs = ADMIT_CREATE,
						    .group = "",
						    .plural = "persistentvolumes",
						    .change = admit_volume_protection};

const struct admitter admitter_claim_growth = {ADMIT_CLAIMS("PersistentVolumeClaimResize"),
					       .verbs = ADMIT_UPDATE, .check = admit_claim_growth};
