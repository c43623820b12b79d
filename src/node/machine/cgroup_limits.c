/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup_limits.c - limits of groups from resources of containers.
 *
 * A pod's group has the sum of its containers, or what an init container needs if that is more; a sidecar runs in
 * parallel with the others. A pod has a limit only if every container has one. */
#include "base/number.h"
#include "model/value/quantity.h"
#include "node/machine/cgroup.h"

#include "base/banned.h"

static int64_t amount(const struct resource_list *list, const char *name, bool milli)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, name))
			return milli ? quantity_milli(&list->ptr[i].value)
				     : quantity_value(&list->ptr[i].value);
	return 0;
}

static struct cgroup_limits read_limits(const struct requirements *resources, int64_t processes)
{
	return (struct cgroup_limits){
		.cpu_request = amount(&resources->requests, "cpu", true),
		.cpu_limit = amount(&resources->limits, "cpu", true),
		.memory_limit = amount(&resources->limits, "memory", false),
		.processes = processes,
	};
}

struct cgroup_limits cgroup_limits_of(const struct container *container, int64_t processes)
{
	struct cgroup_limits limits = read_limits(&container->resources, processes);

	if (limits.cpu_request == 0)
		limits.cpu_request = limits.cpu_limit;
	limits.as_one = true;
	limits.has_memory =
		limits.memory_limit || amount(&container->resources.requests, "memory", false);
	return limits;
}

/* The larger of two limits; 0 is no limit at all. */
static int64_t wider(int64_t left, int64_t right)
{
	if (left == 0 || right == 0)
		return 0;
	return left > right ? left : right;
}

static int64_t joined(int64_t left, int64_t right)
{
	return left == 0 || right == 0 ? 0 : number_add(left, right);
}

struct sums {
	struct cgroup_limits all;
	bool any;
};

/* Adds the limits of a container that runs in parallel. */
static void add(struct sums *sums, const struct cgroup_limits *limits)
{
	sums->all.cpu_request = number_add(sums->all.cpu_request, limits->cpu_request);
	sums->all.cpu_limit =
		sums->any ? joined(sums->all.cpu_limit, limits->cpu_limit) : limits->cpu_limit;
	sums->all.memory_limit = sums->any ? joined(sums->all.memory_limit, limits->memory_limit)
					   : limits->memory_limit;
	sums->any = true;
}

static void widen(struct cgroup_limits *to, const struct cgroup_limits *limits)
{
	if (limits->cpu_request > to->cpu_request)
		to->cpu_request = limits->cpu_request;
	to->cpu_limit = wider(to->cpu_limit, limits->cpu_limit);
	to->memory_limit = wider(to->memory_limit, limits->memory_limit);
}

struct cgroup_limits cgroup_limits_of_pod(const struct pod *pod, int64_t processes)
{
	const struct pod_spec *spec = &pod->spec;
	struct sums parallel = {0}, most;

	/* Sidecars first: they run in parallel with every later init container. */
	for (size_t i = 0; i < spec->init_containers.len; i++)
		if (container_is_sidecar(&spec->init_containers.ptr[i])) {
			struct cgroup_limits limits =
				cgroup_limits_of(&spec->init_containers.ptr[i], 0);

			add(&parallel, &limits);
		}
	most = parallel;
	for (size_t i = 0; i < spec->containers.len; i++) {
		struct cgroup_limits limits = cgroup_limits_of(&spec->containers.ptr[i], 0);

		add(&most, &limits);
	}
	for (size_t i = 0; i < spec->init_containers.len; i++) {
		struct sums with = parallel;
		struct cgroup_limits limits = cgroup_limits_of(&spec->init_containers.ptr[i], 0);

		if (container_is_sidecar(&spec->init_containers.ptr[i]))
			continue;
		add(&with, &limits);
		widen(&most.all, &with.all);
	}
	most.all.processes = processes;
	return most.all;
}
