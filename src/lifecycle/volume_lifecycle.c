/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/volume_lifecycle.c - see the header. Each step of a binding is a separate write, and the next step
 * continues from what is recorded: the volume names the claim, the claim names the volume, both have the status
 * Bound. */
#include "lifecycle/volume_lifecycle.h"

#include "model/core/claims.h"
#include "model/core/meta.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/group/storage.h"
#include "model/value/labels.h"

#include "base/banned.h"

struct str volume_class_of(struct json claim)
{
	struct json old = json_get(json_get(json_get(claim, "metadata"), "annotations"),
				   "volume.beta.kubernetes.io/storage-class");

	return json_is_absent(old) ? json_str(json_get(json_get(claim, "spec"), "storageClassName"))
				   : json_str(old);
}

static struct json_doc *new_doc(struct json *ret_root)
{
	struct json_doc *doc = json_doc_new();

	*ret_root = json_new_obj(doc);
	json_doc_set_root(doc, *ret_root);
	return doc;
}

static void set_reference(struct json_doc *doc, struct json to, const struct meta *claim)
{
	struct json ref = json_ensure_obj(doc, to, "claimRef");

	json_set_str(doc, ref, "apiVersion", STR("v1"));
	json_set_str(doc, ref, "kind", STR("PersistentVolumeClaim"));
	json_set_str(doc, ref, "namespace", claim->namespace);
	json_set_str(doc, ref, "name", claim->name);
	json_set_str(doc, ref, "uid", claim->uid);
}

static void set_phase(struct plan *plan, enum plan_kind_id kind, const struct meta *meta,
		      const char *phase)
{
	struct json root;
	struct json_doc *doc = new_doc(&root);

	json_set_str(doc, json_ensure_obj(doc, root, "status"), "phase", str_from(phase));
	plan_patch_status(plan, kind, meta, PLAN_MERGE_PATCH, doc);
}

/* --- binding ------------------------------------------------------------------------------------ */

/* Makes the volume name the claim, only in the version that was read. */
static void bind_volume(struct plan *plan, const struct pv *pv, const struct pvc *claim)
{
	struct json root;
	struct json_doc *doc = new_doc(&root);
	struct json meta = json_ensure_obj(doc, root, "metadata");

	json_set_str(doc, meta, "resourceVersion", pv->meta.resource_version);
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), CLAIM_BOUND_BY_CONTROLLER,
		     STR("yes"));
	set_reference(doc, json_ensure_obj(doc, root, "spec"), &claim->meta);
	plan_patch(plan, PLAN_VOLUME, &pv->meta, PLAN_MERGE_PATCH, doc);
}

static void bind_claim(struct plan *plan, const struct pv *pv, const struct pvc *claim)
{
	struct json root;
	struct json_doc *doc = new_doc(&root);
	struct json notes =
		json_ensure_obj(doc, json_ensure_obj(doc, root, "metadata"), "annotations");

	json_set_str(doc, notes, CLAIM_BIND_COMPLETED, STR("yes"));
	if (!claim->spec.volume_name.len)
		json_set_str(doc, notes, CLAIM_BOUND_BY_CONTROLLER, STR("yes"));
	json_set_str(doc, json_ensure_obj(doc, root, "spec"), "volumeName", pv->meta.name);
	plan_patch(plan, PLAN_CLAIM, &claim->meta, PLAN_MERGE_PATCH, doc);
}

static void set_claim(struct plan *plan, struct json volume, const struct pvc *claim)
{
	struct json root, status;
	struct json_doc *doc = new_doc(&root);
	struct json spec = json_get(volume, "spec");

	status = json_ensure_obj(doc, root, "status");
	json_set_str(doc, status, "phase", STR("Bound"));
	json_set(doc, status, STR("accessModes"),
		 json_new_copy(doc, json_get(spec, "accessModes")));
	json_set(doc, status, STR("capacity"), json_new_copy(doc, json_get(spec, "capacity")));
	plan_patch_status(plan, PLAN_CLAIM, &claim->meta, PLAN_MERGE_PATCH, doc);
}

/* The next missing step of a binding. */
static void bind(struct plan *plan, struct json volume, const struct pv *pv,
		 const struct pvc *claim)
{
	if (!pv_is_for(pv, claim) || !pv->spec.claim_ref->uid.len) {
		bind_volume(plan, pv, claim);
		plan_next_stage(plan);
	}
	if (!str_is(pv->status.phase, "Bound")) {
		set_phase(plan, PLAN_VOLUME, &pv->meta, "Bound");
		plan_next_stage(plan);
	}
	if (!claim_is_bound(claim)) {
		bind_claim(plan, pv, claim);
		plan_next_stage(plan);
	}
	if (!str_is(claim->status.phase, "Bound"))
		set_claim(plan, volume, claim);
}

/* --- creating ----------------------------------------------------------------------------------- */

static void make(struct plan *plan, const struct pvc *claim, struct json document,
		 const struct volume_world *world)
{
	struct json root, meta, spec, path, policy = json_get(world->class, "reclaimPolicy");
	struct json_doc *doc = new_doc(&root);
	struct json wanted = json_get(document, "spec");

	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("PersistentVolume"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set(doc, meta, STR("name"),
		 json_new_printf(doc, "pvc-%.*s", STR_ARG(claim->meta.uid)));
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), CLAIM_PROVISIONED_BY,
		     STR(VOLUME_PROVISIONER));
	spec = json_ensure_obj(doc, root, "spec");
	json_set(doc, json_ensure_obj(doc, spec, "capacity"), STR("storage"),
		 json_new_copy(doc, json_get(json_get(json_get(wanted, "resources"), "requests"),
					     "storage")));
	json_set(doc, spec, STR("accessModes"),
		 json_new_copy(doc, json_get(wanted, "accessModes")));
	json_set_str(doc, spec, "storageClassName", claim_class(claim));
	json_set_str(doc, spec, "persistentVolumeReclaimPolicy",
		     json_is_absent(policy) ? STR("Delete") : json_str(policy));
	path = json_ensure_obj(doc, spec, "hostPath");
	json_set(doc, path, STR("path"),
		 json_new_printf(doc, "%s/pvc-%.*s", world->folder, STR_ARG(claim->meta.uid)));
	json_set_str(doc, path, "type", STR("DirectoryOrCreate"));
	set_reference(doc, spec, &claim->meta);
	plan_create(plan, PLAN_VOLUME, doc);
	plan_next_stage(plan);
	plan_normal(plan, PLAN_CLAIM, &claim->meta, "ProvisioningSucceeded",
		    "Successfully provisioned volume pvc-%.*s", STR_ARG(claim->meta.uid));
}

/* --- one claim ---------------------------------------------------------------------------------- */

/* Must the claim wait for its first pod? */
static bool waits(const struct pvc *claim, struct json class)
{
	return str_is(json_str(json_get(class, "volumeBindingMode")), "WaitForFirstConsumer") &&
	       !labels_find(&claim->meta.annotations, STR(CLAIM_SELECTED_NODE));
}

static bool is_made_here(const struct volume_world *world)
{
	return world->folder &&
	       str_is(json_str(json_get(world->class, "provisioner")), VOLUME_PROVISIONER);
}

/* The volume that the claim names, that is reserved for it, or (`any`) the smallest that fits. */
static bool find_volume(const struct pvc *claim, const struct volume_world *world, bool any,
			struct plan *plan, struct pv *ret, struct json *ret_doc)
{
	struct str named = claim->spec.volume_name;
	bool found = false;

	for (size_t i = 0; i < world->volume_count; i++) {
		struct pv pv;

		if (type_decode(&pv_type, world->volumes[i], plan->arena, &pv, NULL) < 0)
			continue;
		if (named.len ? !str_eq(named, pv.meta.name) ||
					(pv.spec.claim_ref && !pv_is_for(&pv, claim))
			      : !pv_suits(&pv, claim) || !(any || pv_is_for(&pv, claim)))
			continue;
		if (found && !pv_is_for(&pv, claim) && pv_size(&pv) >= pv_size(ret))
			continue;
		*ret = pv;
		*ret_doc = world->volumes[i];
		found = true;
		if (pv_is_for(&pv, claim))
			break;
	}
	return found;
}

int volume_claim_step(struct json document, const struct volume_world *world, struct plan *plan,
		      struct err *err)
{
	struct pvc claim;
	struct pv pv;
	struct json volume;
	bool waiting;

	if (type_decode(&pvc_type, document, plan->arena, &claim, err) < 0)
		return err_wrap(err, "claim");
	plan_about(plan, PLAN_CLAIM, &claim.meta);
	waiting = waits(&claim, world->class);
	if (meta_is_deleting(&claim.meta))
		return 0;
	if (find_volume(&claim, world, !waiting && !claim_is_bound(&claim), plan, &pv, &volume))
		bind(plan, volume, &pv, &claim);
	else if (claim_is_bound(&claim) && !str_is(claim.status.phase, "Lost"))
		set_phase(plan, PLAN_CLAIM, &claim.meta, "Lost");
	else if (!claim.spec.volume_name.len && !waiting && is_made_here(world))
		make(plan, &claim, document, world);
	else if (!claim.spec.volume_name.len && waiting && claim.meta.name.len) {
		plan_normal(plan, PLAN_CLAIM, &claim.meta, "WaitForFirstConsumer",
			    "waiting for first consumer to be created before binding");
		plan_steady(plan);
	}
	return 0;
}

/* --- one volume --------------------------------------------------------------------------------- */

static bool was_made_here(const struct pv *pv)
{
	return str_is(labels_get(&pv->meta.annotations, STR(CLAIM_PROVISIONED_BY)),
		      VOLUME_PROVISIONER);
}

int volume_step(struct json document, struct json claim, struct plan *plan, struct err *err)
{
	struct pv pv;
	struct str uid = meta_uid(claim);
	bool released = false;

	if (type_decode(&pv_type, document, plan->arena, &pv, err) < 0)
		return err_wrap(err, "volume");
	plan_about(plan, PLAN_VOLUME, &pv.meta);
	if (meta_is_deleting(&pv.meta))
		return 0;
	if (pv.spec.claim_ref) {
		/* Reserved for a claim that may be created, or the step of the claim handles it. */
		if (!pv.spec.claim_ref->uid.len || (uid.len && str_eq(pv.spec.claim_ref->uid, uid)))
			return 0;
		released = true;
	}
	if (released && was_made_here(&pv) &&
	    str_is(pv.spec.persistent_volume_reclaim_policy, "Delete"))
		plan_delete(plan, PLAN_VOLUME, &pv.meta);
	else if (!str_is(pv.status.phase, released ? "Released" : "Available"))
		set_phase(plan, PLAN_VOLUME, &pv.meta, released ? "Released" : "Available");
	return 0;
}

/* --- the class ---------------------------------------------------------------------------------- */

void volume_class_step(struct json known, struct plan *plan)
{
	struct json root, meta;
	struct json_doc *doc;

	if (!json_is_absent(known))
		return;
	doc = new_doc(&root);
	json_set_str(doc, root, "apiVersion", STR("storage.k8s.io/v1"));
	json_set_str(doc, root, "kind", STR("StorageClass"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", STR(VOLUME_CLASS));
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"),
		     "storageclass.kubernetes.io/is-default-class", STR("true"));
	json_set_str(doc, root, "provisioner", STR(VOLUME_PROVISIONER));
	json_set_str(doc, root, "reclaimPolicy", STR("Delete"));
	json_set_str(doc, root, "volumeBindingMode", STR("WaitForFirstConsumer"));
	plan_create(plan, PLAN_STORAGECLASS, doc);
}
