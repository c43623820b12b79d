/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_volume.c - the rules of volumes: exactly one source, and that one right.
 *
 * Sources are looked at in upstream's order, which is not that of the fields; vendors' own are in
 * pod_validate_cloud.c, projections in pod_validate_projected.c. */

#include "base/buf.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum { ISCSI_NAME_MAX = 64 };

/* --- sources --------------------------------------------------------------------------------- */

static void check_empty_dir(struct pod_rules *r, struct json source, const struct path *path)
{
	struct quantity limit;
	PATH(at, path, "sizeLimit");

	if (!pod_total_read(json_get(source, "sizeLimit"), &limit) && quantity_sign(&limit) < 0)
		causes_forbidden(r->causes, &at,
				 "SizeLimit field must be a valid resource quantity");
}

static void check_host_path(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);
	PATH(file, path, "path");

	if (!rule_required(&at, "path"))
		return;
	rule_no_backsteps(rule_text(source, "path"), &file, r->causes);
	rule_text_of(&at, "type",
		     RULE_TEXTS("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate",
				"File", "FileOrCreate", "Socket"));
}

void pod_rules_key_path(struct pod_rules *r, struct json item, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, item, path);
	PATH(file, path, "path");

	rule_required(&at, "key");
	rule_required(&at, "path");
	rule_local_free(rule_text(item, "path"), &file, r->causes);
	rule_file_mode(&at, "mode");
}

static void check_items(struct pod_rules *r, struct json source, const char *name,
			const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);
	struct json_iter it = json_iter(json_get(source, "items"));
	PATH(items, path, "items");

	rule_required(&at, name);
	rule_file_mode(&at, "defaultMode");
	while (json_next(&it)) {
		struct path item = path_index(&items, it.index);

		pod_rules_key_path(r, it.value, &item);
	}
}

static void check_secret(struct pod_rules *r, struct json source, const struct path *path)
{
	check_items(r, source, "secretName", path);
}

static void check_config_map(struct pod_rules *r, struct json source, const struct path *path)
{
	check_items(r, source, "name", path);
}

static void check_nfs(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);
	struct str file = rule_text(source, "path");
	PATH(file_path, path, "path");

	rule_required(&at, "server");
	rule_required(&at, "path");
	if (!str_starts(file, STR("/")))
		causes_invalid_str(r->causes, &file_path, file, "must be an absolute path");
}

static void check_claim(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);

	rule_required(&at, "claimName");
}

void pod_rules_downward_file(struct pod_rules *r, struct json file, const struct path *path)
{
	const struct rule_texts fields =
		RULE_TEXTS("metadata.annotations", "metadata.labels", "metadata.name",
			   "metadata.namespace", "metadata.uid");
	struct rule_at at = pod_rule_at(r, file, path);
	PATH(file_path, path, "path");
	PATH(field, path, "fieldRef");
	PATH(resource, path, "resourceFieldRef");

	rule_required(&at, "path");
	rule_local_free(rule_text(file, "path"), &file_path, r->causes);
	if (rule_has(file, "fieldRef")) {
		pod_rules_field_ref(r, json_get(file, "fieldRef"), fields, &field);
		if (rule_has(file, "resourceFieldRef"))
			causes_invalid_str(r->causes, path, STR("resource"),
					   "fieldRef and resourceFieldRef can not be specified "
					   "simultaneously");
	} else if (rule_has(file, "resourceFieldRef")) {
		pod_rules_resource_ref(r, json_get(file, "resourceFieldRef"), true, &resource);
	} else {
		causes_required(r->causes, path,
				"one of fieldRef and resourceFieldRef is required");
	}
	rule_file_mode(&at, "mode");
}

static void check_downward(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);
	struct json_iter it = json_iter(json_get(source, "items"));

	rule_file_mode(&at, "defaultMode");
	while (json_next(&it))
		pod_rules_downward_file(r, it.value, path);
}

struct told {
	struct str shown;
	const struct path *path;
	struct causes *causes;
	const char *before; /* of the message */
};

static void tell_of(void *arg, const char *message)
{
	struct told *told = arg;

	causes_invalid_str(told->causes, told->path, told->shown, "%s%s", told->before, message);
}

static void check_csi(struct pod_rules *r, struct json source, const struct path *path)
{
	struct json secret = json_get(source, "nodePublishSecretRef");
	PATH(driver, path, "driver");
	PATH(secret_path, path, "nodePublishSecretRef");
	PATH(name_path, path, "name");
	struct rule_at secret_at = pod_rule_at(r, secret, &secret_path);

	rules_csi_driver(rule_text(source, "driver"), &driver, r->causes);
	if (json_is(secret, JSON_OBJ) && rule_required(&secret_at, "name"))
		name_validate(NAME_DNS_SUBDOMAIN, rule_text(secret, "name"), &name_path, r->causes);
}

static void check_ephemeral(struct pod_rules *r, struct json source, const struct path *path)
{
	PATH(template, path, "volumeClaimTemplate");

	if (!rule_has(source, "volumeClaimTemplate"))
		causes_required(r->causes, &template, "");
	else
		pod_rules_claim_template(r, json_get(source, "volumeClaimTemplate"), &template);
}

static void check_image(struct pod_rules *r, struct json source, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, source, path);

	if (r->is_pod)
		rule_required(&at, "reference");
	pod_rules_pull_policy(r, source, "pullPolicy", path);
}

/* --- one source a volume --------------------------------------------------------------------- */

static const struct source {
	const char *key;
	/* NULL: in pod_validate_cloud.c */
	void (*check)(struct pod_rules *r, struct json source, const struct path *path);
	const char *path;      /* where it is told, if not by its key */
	const char *more_path; /* where it is told that it is one too many */
} sources[] = {
	{"emptyDir", check_empty_dir, NULL, NULL},
	{"hostPath", check_host_path, NULL, NULL},
	{"gitRepo", NULL, NULL, NULL},
	{"gcePersistentDisk", NULL, "persistentDisk", NULL},
	{"awsElasticBlockStore", NULL, NULL, NULL},
	{"secret", check_secret, NULL, NULL},
	{"nfs", check_nfs, NULL, NULL},
	{"iscsi", NULL, NULL, NULL},
	{"glusterfs", NULL, NULL, NULL},
	{"flocker", NULL, NULL, NULL},
	{"persistentVolumeClaim", check_claim, NULL, NULL},
	{"rbd", NULL, NULL, NULL},
	{"cinder", NULL, NULL, NULL},
	{"cephfs", NULL, NULL, "cephFS"},
	{"quobyte", NULL, NULL, NULL},
	{"downwardAPI", check_downward, NULL, "downwarAPI"},
	{"fc", NULL, NULL, NULL},
	{"flexVolume", NULL, NULL, NULL},
	{"configMap", check_config_map, NULL, NULL},
	{"azureFile", NULL, NULL, NULL},
	{"vsphereVolume", NULL, NULL, NULL},
	{"photonPersistentDisk", NULL, NULL, NULL},
	{"portworxVolume", NULL, NULL, NULL},
	{"azureDisk", NULL, NULL, NULL},
	{"storageos", NULL, NULL, NULL},
	{"projected", pod_rules_projected, NULL, NULL},
	{"scaleIO", NULL, NULL, NULL},
	{"csi", check_csi, NULL, NULL},
	{"ephemeral", check_ephemeral, NULL, NULL},
	{"image", check_image, NULL, NULL},
};

static void check_source(struct pod_rules *r, const struct source *row, struct json volume,
			 bool first, const struct path *path)
{
	const char *more = row->more_path ? row->more_path : row->key;
	struct path at = path_member(path, str_from(row->path ? row->path : row->key));
	struct path more_at = path_member(path, str_from(more));
	struct json source = json_get(volume, row->key);

	if (!first)
		causes_forbidden(r->causes, &more_at, "may not specify more than 1 volume type");
	else if (row->check)
		row->check(r, source, &at);
	else
		pod_rules_cloud(r, str_from(row->key), source, &at);
}

/* The claim that will be made for it is named after the pod and the volume. */
static void check_claim_name(struct pod_rules *r, struct str volume, const struct path *path)
{
	AUTO(buf_done) struct buf claim = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf before = BUF_UNBOUNDED;
	struct str pod = rule_text(r->meta, "name");
	struct told told;
	PATH(name, path, "name");

	if (!pod.len || !volume.len)
		return;
	buf_printf(&claim, "%.*s-%.*s", STR_ARG(pod), STR_ARG(volume));
	buf_puts(&before, "PVC name ");
	causes_quote(&before, buf_str(&claim));
	buf_puts(&before, ": ");
	told = (struct told){volume, &name, r->causes, buf_text(&before)};
	name_check(NAME_DNS_SUBDOMAIN, buf_str(&claim), tell_of, &told);
}

static void check_iscsi_name(struct pod_rules *r, struct json volume, const struct path *path)
{
	struct json iscsi = json_get(volume, "iscsi");
	struct str name = rule_text(volume, "name");
	PATH(at, path, "name");

	if (rule_has(iscsi, "initiatorName") &&
	    name.len + 1 + rule_text(iscsi, "targetPortal").len > ISCSI_NAME_MAX)
		causes_invalid_str(r->causes, &at, name,
				   "Total length of <volume name>:<iscsi.targetPortal> must be "
				   "under 64 characters if iscsi.initiatorName is specified.");
}

static void check_sources(struct pod_rules *r, struct json volume, const struct path *path)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		if (!rule_has(volume, sources[i].key))
			continue;
		check_source(r, &sources[i], volume, !count, path);
		if (!count && str_is(STR("ephemeral"), sources[i].key))
			check_claim_name(r, rule_text(volume, "name"), path);
		if (str_is(STR("iscsi"), sources[i].key))
			check_iscsi_name(r, volume, path);
		count++;
	}
	if (!count)
		causes_required(r->causes, path, "must specify a volume type");
}

/* Does it refer to a claim that is made for one of the pod's ephemeral volumes? */
static bool is_made_claim(struct pod_rules *r, struct json volumes, struct str claim)
{
	struct str pod = rule_text(r->meta, "name");
	struct json_iter it = json_iter(volumes);

	while (pod.len && json_next(&it)) {
		struct str name = rule_text(it.value, "name");

		if (rule_has(it.value, "ephemeral") && claim.len == pod.len + 1 + name.len &&
		    str_starts(claim, pod) && claim.ptr[pod.len] == '-' && str_ends(claim, name))
			return true;
	}
	return false;
}

void pod_rules_volumes(struct pod_rules *r, struct json volumes, const struct path *path)
{
	struct json_iter it = json_iter(volumes);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);
		struct str name = rule_text(it.value, "name");
		struct str claim =
			rule_text(json_get(it.value, "persistentVolumeClaim"), "claimName");
		size_t before = r->causes->len;
		PATH(name_path, &at, "name");
		PATH(claim_path, &at, "persistentVolumeClaim");
		PATH(claim_name, &claim_path, "claimName");

		check_sources(r, it.value, &at);
		rule_name_required(&rule, "name", NAME_DNS_LABEL);
		if (name_set_has(&r->volumes, name))
			causes_duplicate_str(r->causes, &name_path, name);
		if (r->causes->len == before)
			name_set_add(&r->volumes, name);
		if (claim.len && is_made_claim(r, volumes, claim))
			causes_invalid_str(r->causes, &claim_name, claim,
					   "must not reference a PVC that gets created for an "
					   "ephemeral volume");
	}
}
