/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_config.h - the device configuration file: names of resources, MIG geometries, templates of NPUs
 * (additions to the specification, 1.2).
 *
 * It is the key `device-config.yaml` of a ConfigMap that the node's device plugin reads as well. What it leaves out has
 * the built-in value, each name on its own. */
#ifndef SCHED_DEVICE_CONFIG_H
#define SCHED_DEVICE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

#define DEVICE_CONFIG_KEY "device-config.yaml"

/* Instances of one size. */
struct mig_profile {
	struct str name;
	int64_t memory; /* in the unit of requests */
	uint32_t count;
	uint32_t first; /* position of the first in its group */
};
/* A way to cut a card up. */
struct mig_group {
	struct str name;
	struct mig_profile *profiles;
	size_t len;
	uint32_t size;  /* positions */
	uint32_t first; /* position of its first one among those of all groups */
};
/* The geometries of cards whose type contains one of the names. */
struct mig_model {
	struct str *names;
	size_t name_count;
	struct mig_group *groups;
	size_t len;
	uint32_t size; /* positions of all groups */
};
enum { MIG_POSITIONS_MAX = 256 };

struct npu_template {
	struct str name;
	int64_t memory;
};
struct npu_config {
	struct str word; /* "Ascend310P" */
	struct str resource;
	struct str memory_resource;
	int64_t allocatable; /* memory of a whole card */
	int64_t capacity;
	struct npu_template *templates; /* by memory */
	size_t len;
};

struct device_config {
	struct arena *arena;
	struct str count_name;
	struct str memory_name;
	struct str percent_name;
	struct str cores_name;
	int64_t factor; /* MiB per unit of memory */
	struct mig_model *models;
	size_t model_count;
	struct npu_config *npus;
	size_t npu_count;
};

/* What holds without a file. */
struct device_config *device_config_builtin(void) __attribute__((returns_nonnull));
/* ERR_INVALID names the field. */
struct device_config *device_config_parse(struct str yaml, struct err *err) MUST_CHECK;
void device_config_free(struct device_config *config);
DEFINE_AUTO(struct device_config *, device_config_free);

/* The geometries of cards of a type, or NULL. */
const struct mig_model *device_config_find_model(const struct device_config *config,
						 struct str type);

#endif
