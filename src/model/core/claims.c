/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/claims.c - see the header. */
#include "model/core/claims.h"

#include "base/arena.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/value/labels.h"
#include "model/value/quantity.h"

#include "base/banned.h"

struct str claim_class(const struct pvc *claim)
{
	const struct label *old = labels_find(&claim->meta.annotations,
					      STR("volume.beta.kubernetes.io/storage-class"));

	if (old)
		return old->value;
	return claim->spec.storage_class_name ? *claim->spec.storage_class_name : str_none();
}

bool claim_is_bound(const struct pvc *claim)
{
	return claim->spec.volume_name.len &&
	       labels_find(&claim->meta.annotations, STR(CLAIM_BIND_COMPLETED));
}

static int64_t storage_of(const struct resource_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, "storage"))
			return quantity_value(&list->ptr[i].value);
	return 0;
}

int64_t claim_size(const struct pvc *claim)
{
	return storage_of(&claim->spec.resources.requests);
}

int64_t pv_size(const struct pv *pv)
{
	return storage_of(&pv->spec.capacity);
}

bool pv_is_for(const struct pv *pv, const struct pvc *claim)
{
	const struct object_reference *ref = pv->spec.claim_ref;

	return ref && str_eq(ref->name, claim->meta.name) &&
	       str_eq(ref->namespace, claim->meta.namespace) &&
	       (!ref->uid.len || str_eq(ref->uid, claim->meta.uid));
}

static bool has_modes(const struct pv *pv, const struct pvc *claim)
{
	for (size_t i = 0; i < claim->spec.access_modes.len; i++) {
		bool found = false;

		for (size_t j = 0; j < pv->spec.access_modes.len; j++)
			found |= str_eq(pv->spec.access_modes.ptr[j],
					claim->spec.access_modes.ptr[i]);
		if (!found)
			return false;
	}
	return true;
}

static struct str mode_of(struct str mode)
{
	return mode.len ? mode : STR("Filesystem");
}

static bool is_selected(const struct pv *pv, const struct pvc *claim)
{
	AUTO(arena_free) struct arena *arena = NULL;
	struct selector selector;

	if (!claim->spec.selector)
		return true;
	arena = arena_new(0);
	return selector_from_object(claim->spec.selector, arena, &selector, NULL) == 0 &&
	       selector_matches(&selector, &pv->meta.labels);
}

bool pv_suits(const struct pv *pv, const struct pvc *claim)
{
	struct str phase = pv->status.phase;

	if (pv->meta.deletion_timestamp ||
	    !str_eq(mode_of(pv->spec.volume_mode), mode_of(claim->spec.volume_mode)) ||
	    pv_size(pv) < claim_size(claim))
		return false;
	if (pv_is_for(pv, claim))
		return true;
	return !pv->spec.claim_ref && (!phase.len || str_is(phase, "Available")) &&
	       str_eq(pv->spec.storage_class_name, claim_class(claim)) && has_modes(pv, claim) &&
	       is_selected(pv, claim);
}

bool pv_reaches(const struct pv *pv, struct str node, const struct labels *labels)
{
	const struct volume_node_affinity *affinity = pv->spec.node_affinity;

	return !affinity || !affinity->required ||
	       node_selector_matches(affinity->required, node, labels);
}
