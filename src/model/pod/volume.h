/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/volume.h - what a pod can mount. Views have the sources that our node serves; all others of
 * Kubernetes 1.34 are known by their tables. */
#ifndef MODEL_VOLUME_H
#define MODEL_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/container.h"
#include "model/value/labels.h"

struct host_path_volume {
	struct str path;
	struct str type; /* "", Directory, DirectoryOrCreate, File, FileOrCreate, ... */
};
extern const struct type host_path_volume_type;
extern const struct type nfs_volume_type;

struct empty_dir_volume {
	struct str medium; /* "", Memory, HugePages */
	const struct quantity *size_limit;
};

/* A key, and the file that it becomes. */
struct key_path {
	struct str key;
	struct str path;
	struct opt_int32 mode;
};
struct key_paths {
	struct key_path *ptr;
	size_t len;
};
struct secret_volume {
	struct str name;
	struct key_paths items;
	struct opt_int32 mode;
	struct opt_bool optional;
};
struct config_map_volume {
	struct str name;
	struct key_paths items;
	struct opt_int32 mode;
	struct opt_bool optional;
};

struct downward_file {
	struct str path;
	const struct field_ref *field;
	const struct resource_field_ref *resource;
	struct opt_int32 mode;
};
struct downward_files {
	struct downward_file *ptr;
	size_t len;
};
struct downward_volume {
	struct downward_files items;
	struct opt_int32 mode;
};

struct claim_volume {
	struct str name;
	bool read_only;
};

/* One of them is there. */
struct key_projection {
	struct str name;
	struct key_paths items;
	struct opt_bool optional;
};
struct downward_projection {
	struct downward_files items;
};
struct token_projection {
	struct str audience;
	int64_t expiration_seconds;
	struct str path;
};
struct volume_projection {
	const struct key_projection *secret;
	const struct downward_projection *downward;
	const struct key_projection *config_map;
	const struct token_projection *token;
};
struct projected_volume {
	VIEW_LIST(struct volume_projection) sources;
	struct opt_int32 mode;
};

struct volume_requirements {
	struct resource_list limits;
	struct resource_list requests;
};
struct claim_spec {
	struct strs access_modes;
	const struct label_selector *selector;
	struct volume_requirements resources;
	struct str volume_name;
	const struct str *storage_class_name; /* NULL: the default class; empty: none */
	struct str volume_mode;               /* Filesystem, Block */
};
extern const struct type claim_spec_type;
struct claim_template {
	struct meta meta;
	struct claim_spec spec;
};
struct ephemeral_volume {
	const struct claim_template *claim_template;
};

/* At most one of the sources is there; none of them: one that we do not serve. */
struct volume {
	struct str name;
	const struct host_path_volume *host_path;
	const struct empty_dir_volume *empty_dir;
	const struct secret_volume *secret;
	const struct claim_volume *claim;
	const struct downward_volume *downward;
	const struct config_map_volume *config_map;
	const struct projected_volume *projected;
	const struct ephemeral_volume *ephemeral;
};
extern const struct type volume_type;

#endif
