/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/volume_fit.c - see the header.
 *
 * Claims, volumes and classes are looked up by name each time: they change by themselves, and pods with
 * claims that depend on the node are few. Reservations are kept by claim and by volume. */
#include "sched/place/volume_fit.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/core/claims.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/group/storage.h"
#include "model/value/labels.h"
#include "sched/cluster/cluster.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* What was reserved to a claim. */
struct reservation {
	char *key; /* of the claim: "namespace/name" */
	size_t namespace_len;
	char *volume;      /* NULL: one is to be made */
	char *node;        /* where its first pod goes */
	VEC(char *) tasks; /* keys of those that it was reserved to */
};

struct volumes {
	struct map *by_claim;
	struct map *by_volume; /* those with a volume */
	int64_t patience;
	VEC(char *) ignored; /* provisioners whose volumes nodes do not count */
};

/* --- life --------------------------------------------------------------------------------------- */

struct volumes *volumes_new(const char *const *ignored_provisioners)
{
	/* Those of local folders: there is nothing to attach. */
	static const char *const always[] = {"rancher.io/local-path", "hostpath.csi.k8s.io",
					     "volcano.sh/local"};
	struct volumes *volumes = mem_new(struct volumes);

	volumes->by_claim = map_new(0);
	volumes->by_volume = map_new(0);
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		vec_push(&volumes->ignored, mem_strdup(always[i]));
	for (size_t i = 0; ignored_provisioners && ignored_provisioners[i]; i++)
		vec_push(&volumes->ignored, mem_strdup(ignored_provisioners[i]));
	return volumes;
}

static void reservation_free(struct reservation *reservation)
{
	for (size_t i = 0; i < reservation->tasks.len; i++)
		mem_free(reservation->tasks.ptr[i]);
	vec_done(&reservation->tasks);
	mem_free(reservation->key);
	mem_free(reservation->volume);
	mem_free(reservation->node);
	mem_free(reservation);
}

void volumes_free(struct volumes *volumes)
{
	size_t at = 0;
	void *value;

	if (!volumes)
		return;
	while (map_next(volumes->by_claim, &at, NULL, &value))
		reservation_free(value);
	map_free(volumes->by_claim);
	map_free(volumes->by_volume);
	for (size_t i = 0; i < volumes->ignored.len; i++)
		mem_free(volumes->ignored.ptr[i]);
	vec_done(&volumes->ignored);
	mem_free(volumes);
}

/* --- claims of a task ----------------------------------------------------------------------------- */

struct claim {
	struct str name; /* in `text` where it was made up */
	char *text;
	bool ephemeral;
	const struct pvc *pvc;            /* NULL: it is not there */
	const struct pv *pv;              /* NULL: not bound, or its volume is not there */
	const struct storageclass *class; /* NULL: none, or it is not there */
	const struct thing *class_thing;
	const struct reservation *reservation; /* while it is not bound */
};

static void claim_done(struct claim *claim)
{
	mem_free(claim->text);
}
DEFINE_AUTO_IN_PLACE(struct claim, claim_done);

static const void *view_of(const struct thing *thing)
{
	return thing ? thing->view : NULL;
}

static const struct pv *find_volume(const struct cluster *cluster, struct str name)
{
	return name.len ? view_of(cluster_find_thing(cluster, CLUSTER_PV, str_none(), name)) : NULL;
}

static size_t claim_count(const struct task *task)
{
	return task->class->terms->spec->volumes.len;
}

/* The claim of a task's i-th volume; its view is what the API has now. */
static struct claim claim_of(const struct cluster *cluster, const struct task *task, size_t i)
{
	const struct volume *volume = &task->class->terms->spec->volumes.ptr[i];
	struct claim claim = {.ephemeral = !volume->claim};
	const struct thing *thing;
	struct str class;

	if (volume->claim) {
		claim.name = volume->claim->name;
	} else {
		claim.text =
			mem_printf("%.*s-%.*s", STR_ARG(task_name(task)), STR_ARG(volume->name));
		claim.name = str_from(claim.text);
	}
	thing = cluster_find_thing(cluster, CLUSTER_PVC, task_namespace(task), claim.name);
	claim.pvc = view_of(thing);
	if (!claim.pvc)
		return claim;
	class = claim_class(claim.pvc);
	claim.class_thing =
		class.len ? cluster_find_thing(cluster, CLUSTER_STORAGECLASS, str_none(), class)
			  : NULL;
	claim.class = view_of(claim.class_thing);
	claim.pv = find_volume(cluster, claim.pvc->spec.volume_name);
	if (!claim.pvc->spec.volume_name.len)
		claim.reservation = map_get(cluster->volumes->by_claim, str_from(thing->key));
	if (claim.reservation && claim.reservation->volume)
		claim.pv = find_volume(cluster, str_from(claim.reservation->volume));
	return claim;
}

static bool waits_for_pod(const struct claim *claim)
{
	return !claim->pvc->spec.volume_name.len && claim->class &&
	       str_is(claim->class->volume_binding_mode, "WaitForFirstConsumer");
}

/* --- whatever the node ------------------------------------------------------------------------------ */

static const char *zone_wrong(const struct claim *claim, struct arena *arena)
{
	struct str class = claim->pvc ? claim_class(claim->pvc) : str_none();

	if (claim->ephemeral)
		return NULL;
	if (!claim->pvc)
		return arena_printf(arena, "persistentvolumeclaim \"%.*s\" not found",
				    STR_ARG(claim->name));
	if (claim->pvc->spec.volume_name.len)
		return claim->pv ? NULL
				 : arena_printf(arena, "persistentvolume \"%.*s\" not found",
						STR_ARG(claim->pvc->spec.volume_name));
	if (!class.len)
		return "PersistentVolumeClaim had no pv name and storageClass name";
	if (!claim->class)
		return arena_printf(arena, "storageclass.storage.k8s.io \"%.*s\" not found",
				    STR_ARG(class));
	return waits_for_pod(claim) ? NULL : "PersistentVolume had no name";
}

/* Does another pod that is placed use a claim which only one may use? */
static bool is_taken(const struct cluster *cluster, const struct task *task,
		     const struct claim *claim)
{
	size_t at = 0;
	void *value;
	bool alone = false;

	for (size_t i = 0; i < claim->pvc->spec.access_modes.len; i++)
		alone |= str_is(claim->pvc->spec.access_modes.ptr[i], "ReadWriteOncePod");
	while (alone && map_next(cluster->tasks, &at, NULL, &value)) {
		const struct task *other = value;

		if (other == task || !task_is(other, TASKS_PLACED) ||
		    !other->class->terms->has_claims || other->namespace != task->namespace)
			continue;
		for (size_t i = 0; i < claim_count(other); i++) {
			AUTO(claim_done) struct claim its = claim_of(cluster, other, i);

			if (str_eq(its.name, claim->name))
				return true;
		}
	}
	return false;
}

static const char *claim_wrong(const struct claim *claim, struct arena *arena)
{
	const struct pvc *pvc = claim->pvc;

	if (!pvc && claim->ephemeral)
		return arena_printf(arena,
				    "waiting for ephemeral volume controller to create the "
				    "persistentvolumeclaim \"%.*s\"",
				    STR_ARG(claim->name));
	if (!pvc)
		return arena_printf(arena, "persistentvolumeclaim \"%.*s\" not found",
				    STR_ARG(claim->name));
	if (str_is(pvc->status.phase, "Lost"))
		return arena_printf(arena,
				    "persistentvolumeclaim \"%.*s\" bound to non-existent "
				    "persistentvolume \"%.*s\"",
				    STR_ARG(claim->name), STR_ARG(pvc->spec.volume_name));
	if (pvc->meta.deletion_timestamp)
		return arena_printf(arena, "persistentvolumeclaim \"%.*s\" is being deleted",
				    STR_ARG(claim->name));
	return NULL;
}

static const char *binding_wrong(const struct cluster *cluster, const struct task *task,
				 const struct claim *claim)
{
	if (!claim_is_bound(claim->pvc) && !waits_for_pod(claim))
		return "pod has unbound immediate PersistentVolumeClaims";
	if (is_taken(cluster, task, claim))
		return "node has pod using PersistentVolumeClaim with the same name and "
		       "ReadWriteOncePod access mode";
	return NULL;
}

const char *volumes_wrong(const struct cluster *cluster, const struct task *task,
			  const struct volume_filters *on, struct arena *arena)
{
	const char *why = NULL;

	for (size_t i = 0; on->zones && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		why = zone_wrong(&claim, arena);
		if (why)
			return arena_printf(arena, "plugin VolumeZone pre-predicates failed %s",
					    why);
	}
	for (size_t i = 0; on->binding && !why && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		why = claim_wrong(&claim, arena);
	}
	for (size_t i = 0; on->binding && !why && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		why = binding_wrong(cluster, task, &claim);
	}
	return why ? arena_printf(arena, "plugin VolumeBinding pre-predicates failed %s", why)
		   : NULL;
}

/* --- one node --------------------------------------------------------------------------------------- */

static const char *const zone_labels[][2] = {
	{"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
	{"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
	{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
	{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
};

/* "a__b" lists two zones. */
static bool lists_zone(struct str list, struct str zone)
{
	while (list.len) {
		ptrdiff_t end = str_find(list, STR("__"), 0);
		struct str one = end < 0 ? list : str_slice(list, 0, (size_t)end);

		if (str_eq(one, zone))
			return true;
		list = end < 0 ? str_none() : str_skip(list, (size_t)end + 2);
	}
	return false;
}

/* A node that knows of no zones takes volumes of any. */
static bool is_in_zone(const struct pv *pv, const struct labels *node)
{
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(zone_labels); i++)
		known |= labels_find(node, str_from(zone_labels[i][0])) != NULL;
	for (size_t i = 0; known && i < ARRAY_LEN(zone_labels); i++) {
		const struct label *want =
			labels_find(&pv->meta.labels, str_from(zone_labels[i][0]));
		const struct label *have = labels_find(node, str_from(zone_labels[i][0]));

		if (!have)
			have = labels_find(node, str_from(zone_labels[i][1]));
		if (want && (!have || !lists_zone(want->value, have->value)))
			return false;
	}
	return true;
}

static bool is_ignored(const struct volumes *volumes, struct str provisioner)
{
	for (size_t i = 0; i < volumes->ignored.len; i++)
		if (str_is(provisioner, volumes->ignored.ptr[i]))
			return true;
	return !provisioner.len;
}

/* The driver that attaches a claim's volume, or none. */
static struct str driver_of(const struct cluster *cluster, const struct claim *claim)
{
	struct str driver;

	if (claim->pv)
		driver = claim->pv->spec.csi ? claim->pv->spec.csi->driver : str_none();
	else if (!claim->class)
		return str_none();
	else
		driver = json_str(
			json_get(json_get(json_doc_root(claim->class_thing->doc), "parameters"),
				 "csi.storage.k8s.io/csi-driver-name"));
	if (!claim->pv && !driver.len)
		driver = claim->class->provisioner;
	return is_ignored(cluster->volumes, driver) ? str_none() : driver;
}

/* How many volumes of a driver a node takes; 0 where it does not know the driver. */
static int64_t driver_limit(const struct cluster *cluster, const struct node_info *node,
			    struct str driver)
{
	const struct csinode *csi =
		view_of(cluster_find_thing(cluster, CLUSTER_CSINODE, str_none(), node->text));

	for (size_t i = 0; csi && i < csi->spec.drivers.len; i++) {
		const struct csinode_driver *its = &csi->spec.drivers.ptr[i];

		if (str_eq(its->name, driver))
			return its->allocatable && its->allocatable->count.set
				       ? its->allocatable->count.value
				       : INT32_MAX;
	}
	return 0;
}

/* Volumes of a driver that the tasks of a node use, one that two of them use counted twice, as
 * upstream counts them. */
static int64_t driver_used(const struct cluster *cluster, const struct node_info *node,
			   struct str driver)
{
	int64_t used = 0;

	LIST_EACH(&node->tasks, struct task, node_link, task)
		for (size_t i = 0; task->class->terms->has_claims && i < claim_count(task); i++) {
			AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

			used += claim.pvc && str_eq(driver_of(cluster, &claim), driver);
		}
	return used;
}

/* The smallest volume that is there, suits, and can be used from the node. */
static const struct pv *match_volume(const struct cluster *cluster, const struct claim *claim,
				     const struct node_info *node, const struct labels *labels)
{
	const struct pv *best = NULL;
	size_t at = 0;
	void *value;

	while (map_next(cluster->things[CLUSTER_PV], &at, NULL, &value)) {
		const struct pv *pv = ((const struct thing *)value)->view;

		if (!pv_suits(pv, claim->pvc) || !pv_reaches(pv, node->text, labels) ||
		    map_get(cluster->volumes->by_volume, pv->meta.name))
			continue;
		if (pv_is_for(pv, claim->pvc))
			return pv;
		if (!best || pv_size(pv) < pv_size(best) ||
		    (pv_size(pv) == pv_size(best) && str_cmp(pv->meta.name, best->meta.name) < 0))
			best = pv;
	}
	return best;
}

static bool allows_topology(const struct storageclass *class, const struct labels *labels)
{
	for (size_t i = 0; i < class->allowed_topologies.len; i++) {
		const struct topology_selector_term *term = &class->allowed_topologies.ptr[i];
		bool all = true;

		for (size_t j = 0; j < term->match_label_expressions.len; j++) {
			const struct topology_selector_label_requirement *one =
				&term->match_label_expressions.ptr[j];
			const struct label *have = labels_find(labels, one->key);
			bool found = false;

			for (size_t k = 0; have && k < one->values.len; k++)
				found |= str_eq(one->values.ptr[k], have->value);
			all &= found;
		}
		if (all)
			return true;
	}
	return !class->allowed_topologies.len;
}

static bool can_provision(const struct storageclass *class, const struct labels *labels)
{
	return class->provisioner.len &&
	       !str_is(class->provisioner, "kubernetes.io/no-provisioner") &&
	       allows_topology(class, labels);
}

/* A claim that waits for its first pod, on this node. */
static verdict test_waiting(const struct cluster *cluster, const struct claim *claim,
			    const struct node_info *node, const struct labels *labels)
{
	struct str chosen = labels_get(&claim->pvc->meta.annotations, STR(CLAIM_SELECTED_NODE));

	if (!waits_for_pod(claim)) /* nothing that a node has could help */
		return VERDICT(FIT_VOLUME_NONE);
	if (claim->reservation)
		return str_is(node->text, claim->reservation->node) ? 0 : VERDICT(FIT_VOLUME_NONE);
	if (chosen.len)
		return str_eq(chosen, node->text) ? 0 : VERDICT(FIT_VOLUME_NONE);
	return match_volume(cluster, claim, node, labels) || can_provision(claim->class, labels)
		       ? 0
		       : VERDICT(FIT_VOLUME_NONE);
}

static verdict test_binding(const struct cluster *cluster, const struct claim *claim,
			    const struct node_info *node, const struct labels *labels)
{
	if (!claim->pvc)
		return VERDICT(FIT_VOLUME_NONE);
	if (!claim->pv)
		return claim->pvc->spec.volume_name.len
			       ? VERDICT(FIT_VOLUME_LOST)
			       : test_waiting(cluster, claim, node, labels);
	return pv_reaches(claim->pv, node->text, labels) ? 0 : VERDICT(FIT_VOLUME_AFFINITY);
}

/* What a node cannot attach is reported as a resource that it lacks, as Volcano does. A volume that is
 * there and can be had needs no driver to make one. */
static verdict test_limits(struct session *ssn, const struct task *task,
			   const struct node_info *node, const struct labels *labels)
{
	const struct cluster *cluster = ssn->cluster;

	for (size_t i = 0; i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);
		struct str driver = claim.pvc ? driver_of(cluster, &claim) : str_none();
		int64_t asked = 0;

		if (!driver.len || (!claim.pv && waits_for_pod(&claim) &&
				    match_volume(cluster, &claim, node, labels)))
			continue;
		for (size_t j = 0; j < claim_count(task); j++) {
			AUTO(claim_done) struct claim other = claim_of(cluster, task, j);

			asked += other.pvc && str_eq(driver_of(cluster, &other), driver);
		}
		if (driver_used(cluster, node, driver) + asked <=
		    driver_limit(cluster, node, driver))
			continue;
		return VERDICT_OF(FIT_ATTACH, session_text(ssn, arena_printf(ssn->arena, "%.*s",
									     STR_ARG(driver))));
	}
	return 0;
}

verdict volumes_test(struct session *ssn, const struct task *task, const struct node_info *node,
		     const struct volume_filters *on)
{
	const struct cluster *cluster = ssn->cluster;
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(node->labels, cluster->symbols, space);
	verdict found = on->limits ? test_limits(ssn, task, node, &labels) : 0;

	for (size_t i = 0; on->zones && !found && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		if (claim.pv && !is_in_zone(claim.pv, &labels))
			found = VERDICT(FIT_VOLUME_ZONE);
	}
	for (size_t i = 0; on->binding && !found && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		found = test_binding(cluster, &claim, node, &labels);
	}
	return found;
}

static void find_free_volumes(const struct cluster *cluster, const struct claim *claim,
			      struct volume_lack *ret)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->things[CLUSTER_PV], &at, NULL, &value)) {
		const struct pv *pv = ((const struct thing *)value)->view;

		if (map_get(cluster->volumes->by_volume, pv->meta.name))
			continue;
		if (pv_suits(pv, claim->pvc))
			ret->match = pv->meta.name;
		if (str_eq(pv->spec.storage_class_name, ret->class) && !pv->spec.claim_ref &&
		    pv_size(pv) > ret->largest)
			ret->largest = pv_size(pv);
	}
}

bool volumes_find_lack(const struct cluster *cluster, const struct task *task,
		       struct volume_lack *ret)
{
	for (size_t i = 0; i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		if (!claim.pvc || claim.pv || !waits_for_pod(&claim))
			continue;
		*ret = (struct volume_lack){
			.claim = claim.pvc->meta.name,
			.class = claim_class(claim.pvc),
			.size = claim_size(claim.pvc),
			.node = labels_get(&claim.pvc->meta.annotations, STR(CLAIM_SELECTED_NODE)),
			.provisioned =
				claim.class->provisioner.len &&
				!str_is(claim.class->provisioner, "kubernetes.io/no-provisioner")};
		if (claim.reservation)
			ret->node = str_from(claim.reservation->node);
		find_free_volumes(cluster, &claim, ret);
		return true;
	}
	return false;
}

/* Bound to a volume that can be used from everywhere, and that need not be attached. */
static bool is_free_of_place(const struct cluster *cluster, const struct claim *claim)
{
	const struct pv *pv = claim->pv;

	if (!claim->pvc || !pv || claim->reservation || (pv->spec.node_affinity != NULL) ||
	    driver_of(cluster, claim).len)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(zone_labels); i++)
		if (labels_find(&pv->meta.labels, str_from(zone_labels[i][0])))
			return false;
	return true;
}

bool volumes_matter(const struct cluster *cluster, const struct task *task)
{
	for (size_t i = 0; task->class->terms->has_claims && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);

		if (!is_free_of_place(cluster, &claim))
			return true;
	}
	return false;
}

/* --- reservations --------------------------------------------------------------------------------------- */

static bool has_task(const struct reservation *reservation, const struct task *task, size_t *ret_at)
{
	for (size_t i = 0; i < reservation->tasks.len; i++)
		if (str_is(task_key(task), reservation->tasks.ptr[i])) {
			*ret_at = i;
			return true;
		}
	return false;
}

static void drop(struct volumes *volumes, struct reservation *reservation)
{
	map_remove(volumes->by_claim, str_from(reservation->key));
	if (reservation->volume)
		map_remove(volumes->by_volume, str_from(reservation->volume));
	reservation_free(reservation);
}

static void reserve_claim(struct cluster *cluster, const struct task *task,
			  const struct claim *claim)
{
	struct volumes *volumes = cluster->volumes;
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(task->node->labels, cluster->symbols, space);
	const struct pv *pv = match_volume(cluster, claim, task->node, &labels);
	struct reservation *reservation = mem_new(struct reservation);

	reservation->key =
		mem_printf("%.*s/%.*s", STR_ARG(task_namespace(task)), STR_ARG(claim->name));
	reservation->namespace_len = task->namespace_len;
	reservation->node = str_dup(task->node->text);
	vec_push(&reservation->tasks, str_dup(task_key(task)));
	map_put(volumes->by_claim, str_from(reservation->key), reservation);
	if (pv && !labels_get(&claim->pvc->meta.annotations, STR(CLAIM_SELECTED_NODE)).len) {
		reservation->volume = str_dup(pv->meta.name);
		map_put(volumes->by_volume, str_from(reservation->volume), reservation);
	}
}

void volumes_reserve(struct cluster *cluster, const struct task *task)
{
	for (size_t i = 0; task->class->terms->has_claims && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);
		struct reservation *known = (struct reservation *)claim.reservation;
		size_t at;

		if (!claim.pvc || !waits_for_pod(&claim))
			continue;
		if (!known)
			reserve_claim(cluster, task, &claim);
		else if (!has_task(known, task, &at))
			vec_push(&known->tasks, str_dup(task_key(task)));
	}
}

void volumes_release(struct cluster *cluster, const struct task *task)
{
	struct volumes *volumes = cluster->volumes;

	for (size_t i = 0; task->class->terms->has_claims && i < claim_count(task); i++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, i);
		struct reservation *known = (struct reservation *)claim.reservation;
		size_t at;

		if (!known || !has_task(known, task, &at))
			continue;
		mem_free(known->tasks.ptr[at]);
		vec_remove(&known->tasks, at);
		if (!known->tasks.len)
			drop(volumes, known);
	}
}

static bool is_being_bound(const struct cluster *cluster, const char *key)
{
	const struct task *task = map_get(cluster->tasks, str_from(key));

	return task && task->status == TASK_BINDING;
}

void volumes_tidy(struct cluster *cluster)
{
	struct volumes *volumes = cluster->volumes;
	size_t at = 0;
	void *value;

	while (map_next(volumes->by_claim, &at, NULL, &value)) {
		struct reservation *reservation = value;
		const struct thing *claim =
			map_get(cluster->things[CLUSTER_PVC], str_from(reservation->key));

		for (size_t i = reservation->tasks.len; i-- > 0;)
			if (!is_being_bound(cluster, reservation->tasks.ptr[i])) {
				mem_free(reservation->tasks.ptr[i]);
				vec_remove(&reservation->tasks, i);
			}
		if (!reservation->tasks.len || !claim ||
		    ((const struct pvc *)claim->view)->spec.volume_name.len)
			drop(volumes, reservation);
	}
}

/* --- for the service -------------------------------------------------------------------------------- */

bool volumes_get_reservation(const struct cluster *cluster, const struct task *task, size_t i,
			     struct volume_reservation *ret)
{
	for (size_t at = 0; task->class->terms->has_claims && at < claim_count(task); at++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, at);
		const struct reservation *reservation = claim.reservation;

		if (!reservation || i--)
			continue;
		ret->namespace = str_of(reservation->key, reservation->namespace_len);
		ret->claim = str_skip(str_from(reservation->key), reservation->namespace_len + 1);
		ret->volume = reservation->volume ? str_from(reservation->volume) : str_none();
		ret->node = str_from(reservation->node);
		ret->first = str_is(task_key(task), reservation->tasks.ptr[0]);
		return true;
	}
	return false;
}

enum volumes_state volumes_state(const struct cluster *cluster, const struct task *task)
{
	enum volumes_state state = VOLUMES_READY;

	for (size_t at = 0; task->class->terms->has_claims && at < claim_count(task); at++) {
		AUTO(claim_done) struct claim claim = claim_of(cluster, task, at);
		enum volumes_state its = VOLUMES_ASKED;

		if (!claim.pvc || str_is(claim.pvc->status.phase, "Lost"))
			return VOLUMES_LOST;
		if (claim_is_bound(claim.pvc))
			continue;
		if (!claim.pvc->spec.volume_name.len &&
		    (!claim.reservation || !claim.reservation->volume) &&
		    !labels_get(&claim.pvc->meta.annotations, STR(CLAIM_SELECTED_NODE)).len)
			its = VOLUMES_UNASKED;
		if (its > state)
			state = its;
	}
	return state;
}

void volumes_set_patience(struct cluster *cluster, int64_t microseconds)
{
	cluster->volumes->patience = microseconds;
}

int64_t volumes_patience(const struct cluster *cluster)
{
	return cluster->volumes->patience;
}
