/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/sandbox.c - the objects that a pod refers to. */
#include "node/pod/sandbox.h"

#include "base/banned.h"

struct walk {
	sandbox_reference_fn *fn;
	void *arg;
};

static void emit(const struct walk *walk, enum sandbox_kind kind, struct str name,
		 struct opt_bool optional)
{
	if (name.len)
		walk->fn(walk->arg, kind, name, optional.value);
}

static void of_container(const struct walk *walk, const struct container *container)
{
	for (size_t i = 0; i < container->env_from.len; i++) {
		const struct env_from *from = &container->env_from.ptr[i];

		if (from->config_map)
			emit(walk, SANDBOX_CONFIG_MAP, from->config_map->name,
			     from->config_map->optional);
		if (from->secret)
			emit(walk, SANDBOX_SECRET, from->secret->name, from->secret->optional);
	}
	for (size_t i = 0; i < container->env.len; i++) {
		const struct env_var_source *from = container->env.ptr[i].from;

		if (from && from->config_map)
			emit(walk, SANDBOX_CONFIG_MAP, from->config_map->name,
			     from->config_map->optional);
		if (from && from->secret)
			emit(walk, SANDBOX_SECRET, from->secret->name, from->secret->optional);
	}
}

static void of_projected(const struct walk *walk, const struct projected_volume *projected)
{
	for (size_t i = 0; i < projected->sources.len; i++) {
		const struct volume_projection *source = &projected->sources.ptr[i];

		if (source->config_map)
			emit(walk, SANDBOX_CONFIG_MAP, source->config_map->name,
			     source->config_map->optional);
		if (source->secret)
			emit(walk, SANDBOX_SECRET, source->secret->name, source->secret->optional);
	}
}

static void of_volume(const struct walk *walk, const struct volume *volume)
{
	struct opt_bool needed = {true, false};

	if (volume->config_map)
		emit(walk, SANDBOX_CONFIG_MAP, volume->config_map->name,
		     volume->config_map->optional);
	if (volume->secret)
		emit(walk, SANDBOX_SECRET, volume->secret->name, volume->secret->optional);
	if (volume->claim)
		emit(walk, SANDBOX_CLAIM, volume->claim->name, needed);
	if (volume->projected)
		of_projected(walk, volume->projected);
}

void sandbox_references(const struct pod *pod, sandbox_reference_fn *fn, void *arg)
{
	struct walk walk = {fn, arg};

	for (size_t i = 0; i < pod->spec.init_containers.len; i++)
		of_container(&walk, &pod->spec.init_containers.ptr[i]);
	for (size_t i = 0; i < pod->spec.containers.len; i++)
		of_container(&walk, &pod->spec.containers.ptr[i]);
	for (size_t i = 0; i < pod->spec.volumes.len; i++)
		of_volume(&walk, &pod->spec.volumes.ptr[i]);
}
