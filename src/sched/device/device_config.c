/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_config.c - see the header. The file is YAML; fields that are for the device plugin alone are passed
 * over. Everything is copied into the arena, so that the text may go. */
#include "sched/device/device_config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "json/doc.h"
#include "json/yaml.h"

#include "base/banned.h"

/* Larger than any card, and small enough to be summed. */
#define MEMORY_MAX (INT64_C(1) << 40)
enum { PROFILE_COUNT_MAX = 64, LIST_MAX = 64, FACTOR_MAX = 1 << 20 };

/* One reading: what fails is noted with its place. */
struct reading {
	struct arena *arena;
	struct err *err;
	bool failed;
};

static void fail(struct reading *r, const char *path, const char *wanted)
{
	if (!r->failed)
		err_set(r->err, ERR_INVALID, "%s: must be %s", path, wanted);
	r->failed = true;
}

static struct str read_name(struct reading *r, struct json object, const char *key,
			    const char *path, struct str fallback)
{
	struct json value = json_get(object, key);
	struct str text = json_str(value);

	if (json_is_absent(value) || json_is(value, JSON_NULL))
		return fallback;
	if (!json_is(value, JSON_STR)) {
		fail(r, arena_printf(r->arena, "%s.%s", path, key), "a text");
		return fallback;
	}
	return text.len ? arena_str(r->arena, text) : fallback;
}

/* A whole number of the range, or the fallback where there is none. */
static int64_t read_number(struct reading *r, struct json object, const char *key, const char *path,
			   int64_t fallback, int64_t max)
{
	struct json value = json_get(object, key);

	if (json_is_absent(value) || json_is(value, JSON_NULL))
		return fallback;
	if (!json_is(value, JSON_INT) || json_int(value) < 0 || json_int(value) > max)
		fail(r, arena_printf(r->arena, "%s.%s", path, key),
		     arena_printf(r->arena, "a whole number from 0 to %lld", (long long)max));
	return json_int(value);
}

/* The elements of a list that may be absent. */
static size_t read_list(struct reading *r, struct json list, const char *path)
{
	if (json_is_absent(list) || json_is(list, JSON_NULL))
		return 0;
	if (!json_is(list, JSON_ARR) || json_len(list) > LIST_MAX) {
		fail(r, path, arena_printf(r->arena, "a list of at most %d", LIST_MAX));
		return 0;
	}
	return json_len(list);
}

/* --- MIG --------------------------------------------------------------------------------------- */

static void read_profile(struct reading *r, struct json object, const char *path, int64_t factor,
			 struct mig_profile *ret)
{
	ret->name = read_name(r, object, "name", path, str_none());
	ret->memory = read_number(r, object, "memory", path, 0, MEMORY_MAX) / factor;
	ret->count = (uint32_t)read_number(r, object, "count", path, 0, PROFILE_COUNT_MAX);
	if (ret->memory <= 0)
		fail(r, arena_printf(r->arena, "%s.memory", path), "a number above 0");
}

static void read_group(struct reading *r, struct json object, const char *path, int64_t factor,
		       struct mig_group *ret)
{
	struct json list = json_get(object, "geometries");

	ret->name = read_name(r, object, "group", path, str_none());
	/* The device plugin takes an instance's id apart at the '-'. */
	if (!ret->name.len || str_find_byte(ret->name, '-', 0) >= 0 ||
	    str_find_byte(ret->name, ']', 0) >= 0)
		fail(r, arena_printf(r->arena, "%s.group", path), "a name without '-' and ']'");
	ret->len = read_list(r, list, arena_printf(r->arena, "%s.geometries", path));
	ret->profiles = arena_calloc(r->arena, ret->len + 1, sizeof(*ret->profiles));
	for (size_t i = 0; i < ret->len; i++) {
		struct mig_profile *profile = &ret->profiles[i];

		read_profile(r, json_at(list, i),
			     arena_printf(r->arena, "%s.geometries[%zu]", path, i), factor,
			     profile);
		profile->first = ret->size;
		ret->size += profile->count;
	}
}

static void read_model(struct reading *r, struct json object, const char *path, int64_t factor,
		       struct mig_model *ret)
{
	struct json names = json_get(object, "models");
	struct json groups = json_get(object, "allowedGeometries");

	ret->name_count = read_list(r, names, arena_printf(r->arena, "%s.models", path));
	ret->names = arena_calloc(r->arena, ret->name_count + 1, sizeof(*ret->names));
	for (size_t i = 0; i < ret->name_count; i++)
		ret->names[i] = arena_str(r->arena, json_str(json_at(names, i)));
	ret->len = read_list(r, groups, arena_printf(r->arena, "%s.allowedGeometries", path));
	ret->groups = arena_calloc(r->arena, ret->len + 1, sizeof(*ret->groups));
	for (size_t i = 0; i < ret->len; i++) {
		read_group(r, json_at(groups, i),
			   arena_printf(r->arena, "%s.allowedGeometries[%zu]", path, i), factor,
			   &ret->groups[i]);
		ret->groups[i].first = ret->size;
		ret->size += ret->groups[i].size;
	}
	if (ret->size > MIG_POSITIONS_MAX)
		fail(r, path,
		     arena_printf(r->arena, "at most %d instances in all", MIG_POSITIONS_MAX));
}

static void read_nvidia(struct reading *r, struct json object, struct device_config *to)
{
	struct json models = json_get(object, "knownMigGeometries");

	to->count_name = read_name(r, object, "resourceCountName", "nvidia", to->count_name);
	to->memory_name = read_name(r, object, "resourceMemoryName", "nvidia", to->memory_name);
	to->percent_name =
		read_name(r, object, "resourceMemoryPercentageName", "nvidia", to->percent_name);
	to->cores_name = read_name(r, object, "resourceCoreName", "nvidia", to->cores_name);
	to->factor = read_number(r, object, "gpuMemoryFactor", "nvidia", 1, FACTOR_MAX);
	to->factor = to->factor ? to->factor : 1;
	to->model_count = read_list(r, models, "nvidia.knownMigGeometries");
	to->models = arena_calloc(r->arena, to->model_count + 1, sizeof(*to->models));
	for (size_t i = 0; i < to->model_count; i++)
		read_model(r, json_at(models, i),
			   arena_printf(r->arena, "nvidia.knownMigGeometries[%zu]", i), to->factor,
			   &to->models[i]);
}

/* --- NPUs -------------------------------------------------------------------------------------- */

static int by_memory(const void *left, const void *right)
{
	const struct npu_template *a = left, *b = right;

	return (a->memory > b->memory) - (a->memory < b->memory);
}

static void read_npu(struct reading *r, struct json object, const char *path,
		     struct npu_config *ret)
{
	struct json list = json_get(object, "templates");

	ret->word = read_name(r, object, "commonWord", path, str_none());
	ret->resource = read_name(r, object, "resourceName", path, str_none());
	ret->memory_resource = read_name(r, object, "resourceMemoryName", path, str_none());
	ret->allocatable = read_number(r, object, "memoryAllocatable", path, 0, MEMORY_MAX);
	ret->capacity = read_number(r, object, "memoryCapacity", path, 0, MEMORY_MAX);
	if (!ret->word.len)
		fail(r, arena_printf(r->arena, "%s.commonWord", path), "a name");
	if (!ret->resource.len)
		fail(r, arena_printf(r->arena, "%s.resourceName", path), "a name");
	ret->len = read_list(r, list, arena_printf(r->arena, "%s.templates", path));
	ret->templates = arena_calloc(r->arena, ret->len + 1, sizeof(*ret->templates));
	for (size_t i = 0; i < ret->len; i++) {
		const char *at = arena_printf(r->arena, "%s.templates[%zu]", path, i);

		ret->templates[i].name = read_name(r, json_at(list, i), "name", at, str_none());
		ret->templates[i].memory =
			read_number(r, json_at(list, i), "memory", at, 0, MEMORY_MAX);
	}
	if (ret->len)
		qsort(ret->templates, ret->len, sizeof(*ret->templates), by_memory);
}

static void read_npus(struct reading *r, struct json list, const char *path,
		      struct device_config *to)
{
	to->npu_count = read_list(r, list, path);
	to->npus = arena_calloc(r->arena, to->npu_count + 1, sizeof(*to->npus));
	for (size_t i = 0; i < to->npu_count; i++)
		read_npu(r, json_at(list, i), arena_printf(r->arena, "%s[%zu]", path, i),
			 &to->npus[i]);
}

/* --- life -------------------------------------------------------------------------------------- */

struct device_config *device_config_builtin(void)
{
	static const struct npu_template templates[] = {
		{STR_INIT("vir01"), 3072}, {STR_INIT("vir02"), 6144}, {STR_INIT("vir04"), 12288}};
	static const struct npu_config npu = {.word = STR_INIT("Ascend310P"),
					      .resource = STR_INIT("huawei.com/Ascend310P"),
					      .memory_resource =
						      STR_INIT("huawei.com/Ascend310P-memory"),
					      .allocatable = 21527,
					      .capacity = 24576};
	struct device_config *config = mem_new(struct device_config);

	config->arena = arena_new(0);
	config->count_name = STR("volcano.sh/vgpu-number");
	config->memory_name = STR("volcano.sh/vgpu-memory");
	config->percent_name = STR("volcano.sh/vgpu-memory-percentage");
	config->cores_name = STR("volcano.sh/vgpu-cores");
	config->factor = 1;
	config->npus = arena_calloc(config->arena, 1, sizeof(*config->npus));
	config->npus[0] = npu;
	config->npus[0].len = ARRAY_LEN(templates);
	config->npus[0].templates =
		arena_calloc(config->arena, ARRAY_LEN(templates), sizeof(templates[0]));
	memcpy(config->npus[0].templates, templates, sizeof(templates));
	config->npu_count = 1;
	return config;
}

struct device_config *device_config_parse(struct str yaml, struct err *err)
{
	AUTO(device_config_free) struct device_config *config = device_config_builtin();
	AUTO(json_doc_unref) struct json_doc *doc = yaml_parse(yaml, NULL, err);
	struct reading r = {.arena = config->arena, .err = err};
	struct json root, nvidia, vnpus;

	if (!doc)
		return NULL;
	root = json_doc_root(doc);
	if (!json_is(root, JSON_OBJ)) {
		err_set(err, ERR_INVALID, "must be a mapping with nvidia and vnpus");
		return NULL;
	}
	nvidia = json_get(root, "nvidia");
	vnpus = json_get(root, "vnpus");
	if (json_is(nvidia, JSON_OBJ))
		read_nvidia(&r, nvidia, config);
	else if (!json_is_absent(nvidia) && !json_is(nvidia, JSON_NULL))
		fail(&r, "nvidia", "a mapping");
	if (json_is(vnpus, JSON_OBJ))
		read_npus(&r, json_get(vnpus, "configs"), "vnpus.configs", config);
	else if (!json_is_absent(vnpus) && !json_is(vnpus, JSON_NULL))
		read_npus(&r, vnpus, "vnpus", config);
	return r.failed ? NULL : TAKE(config);
}

void device_config_free(struct device_config *config)
{
	if (!config)
		return;
	arena_free(config->arena);
	mem_free(config);
}

const struct mig_model *device_config_find_model(const struct device_config *config,
						 struct str type)
{
	for (size_t i = 0; i < config->model_count; i++)
		for (size_t j = 0; j < config->models[i].name_count; j++)
			if (str_find(type, config->models[i].names[j], 0) >= 0)
				return &config->models[i];
	return NULL;
}
