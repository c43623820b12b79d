/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/podrequest.c - what a pod asks for (scheduler specification, 1.14).
 *
 * Containers run together, so they add up. Init containers run one after the other, each together
 * with the sidecars that were started before it, so the maximum over time counts, per dimension.
 * The pod asks for the larger of the two, one slot, and its overhead; resources that are given for
 * the pod as a whole replace the sum. */
#include "model/value/resources.h"

#include "base/banned.h"

/* Raise r to the amounts of a list, resource by resource. */
static int raise_to_list(struct resources *r, struct dims *dims, enum dims_mode mode,
			 const struct resource_list *list, struct err *err)
{
	AUTO(resources_done) struct resources amounts = RESOURCES_INIT;

	if (resources_add_list(&amounts, dims, mode, list, err))
		return -1;
	resources_max_with(r, &amounts);
	return 0;
}

/* The request of one container: its spec's, or while it is being resized the largest of the
 * desired, actual and allocated resources. */
static int container_request(struct resources *ret, struct dims *dims, enum dims_mode mode,
			     const struct request_container *container, bool infeasible,
			     struct err *err)
{
	resources_clear(ret);
	if (!container->resized)
		return resources_add_list(ret, dims, mode, &container->requests, err);
	if (!infeasible && raise_to_list(ret, dims, mode, &container->requests, err))
		return -1;
	if (raise_to_list(ret, dims, mode, &container->reported, err))
		return -1;
	return raise_to_list(ret, dims, mode, &container->allocated, err);
}

/* Adds sidecars to `sum`; stores the maximum during initialization in *most. */
static int init_request(struct resources *sum, struct resources *most, struct dims *dims,
			enum dims_mode mode, const struct request_pod *pod, struct err *err)
{
	AUTO(resources_done) struct resources sidecars = RESOURCES_INIT;
	AUTO(resources_done) struct resources one = RESOURCES_INIT;

	for (size_t i = 0; i < pod->init_count; i++) {
		const struct request_container *container = &pod->init[i];
		bool infeasible = pod->resize_infeasible;

		if (container->sidecar) {
			if (container_request(&one, dims, mode, container, infeasible, err))
				return -1;
			resources_add(sum, &one);
			resources_add(&sidecars, &one);
			resources_max_with(most, &sidecars);
			continue;
		}
		resources_clear(&one);
		if (resources_add_list(&one, dims, mode, &container->requests, err))
			return -1;
		resources_add(&one, &sidecars);
		resources_max_with(most, &one);
	}
	return 0;
}

static bool is_pod_level(struct str name)
{
	return str_is(name, "cpu") || str_is(name, "memory") || str_starts(name, STR("hugepages-"));
}

static int replace_by_pod_level(struct resources *r, struct dims *dims, enum dims_mode mode,
				const struct resource_list *list, struct err *err)
{
	for (size_t i = 0; i < list->len; i++) {
		AUTO(resources_done) struct resources one = RESOURCES_INIT;
		struct resource_list single = {&list->ptr[i], 1};

		if (!is_pod_level(list->ptr[i].name))
			continue;
		if (resources_add_list(&one, dims, mode, &single, err))
			return -1;
		for (int dim = 0; dim < (int)one.len; dim++)
			if (dim > DIM_MEMORY ? resources_has(&one, dim)
					     : str_eq(list->ptr[i].name, dims_name(dims, dim)))
				resources_set(r, dim, one.at[dim]);
	}
	return 0;
}

int resources_add_pod(struct resources *r, struct dims *dims, enum dims_mode mode,
		      const struct request_pod *pod, struct err *err)
{
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;
	AUTO(resources_done) struct resources one = RESOURCES_INIT;
	AUTO(resources_done) struct resources start = RESOURCES_INIT;

	for (size_t i = 0; i < pod->container_count; i++) {
		if (container_request(&one, dims, mode, &pod->containers[i], pod->resize_infeasible,
				      err))
			return -1;
		resources_add(&sum, &one);
	}
	if (init_request(&sum, &start, dims, mode, pod, err))
		return -1;
	resources_max_with(&sum, &start);
	resources_add_to(&sum, DIM_PODS, 1);
	if (replace_by_pod_level(&sum, dims, mode, &pod->pod_level, err) ||
	    resources_add_list(&sum, dims, mode, &pod->overhead, err))
		return -1;
	resources_bound(&sum);
	resources_add(r, &sum);
	return 0;
}
