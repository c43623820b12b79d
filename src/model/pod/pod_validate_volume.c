/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_volume.c - the rules of volumes: exactly one source, and that one valid.
 *
 * Sources are checked in upstream's order, which is not that of the fields; vendors' own are in
 * pod_validate_cloud.c, projections in pod_validate_projected.c. */

#include "base/buf.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum { ISCSI_NAME_MAX = 64 };

/* --- sources --------------------------------------------------------------------------------- */

static void check_size_limit(const struct rule_at *at)
{
	struct quantity limit;

	if (!pod_total_read(at->value, &limit) && quantity_sign(&limit) < 0)
		rule_forbidden(at, NULL, "SizeLimit field must be a valid resource quantity");
}

static const struct rule empty_dir_rows[] = {
	{"sizeLimit", R_CHECK(check_size_limit)},
};
static const struct rule host_path_type_rows[] = {
	{"path", R_CHECK(rule_no_backsteps_in)},
	{"type", R_TEXTS("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
			 "FileOrCreate", "Socket")},
};
static const struct rule host_path_rows[] = {
	{"path", R_REQUIRED, R_STOP},
	{R_OBJECT(host_path_type_rows)},
};
static const struct rule key_path_rows[] = {
	{"key", R_REQUIRED},
	{"path", R_REQUIRED},
	{"path", R_CHECK(rule_local_free_in)},
	{"mode", R_FILE_MODE},
};
const struct rules pod_key_path_rules = RULES_OF(key_path_rows);

static const struct rule secret_rows[] = {
	{"secretName", R_REQUIRED},
	{"defaultMode", R_FILE_MODE},
	{"items", R_EACH(R_OBJECT(key_path_rows))},
};
static const struct rule config_map_rows[] = {
	{"name", R_REQUIRED},
	{"defaultMode", R_FILE_MODE},
	{"items", R_EACH(R_OBJECT(key_path_rows))},
};
static const struct rule nfs_rows[] = {
	{"server", R_REQUIRED},
	{"path", R_REQUIRED},
	{"path", R_ALWAYS, R_CHECK(rule_absolute)},
};
static const struct rule claim_rows[] = {
	{"claimName", R_REQUIRED},
};

static bool has_no_ref(const struct rule_at *at)
{
	return !rule_has(at->value, "fieldRef") && !rule_has(at->value, "resourceFieldRef");
}

static bool has_field(const struct rule_at *at)
{
	return rule_has(at->value, "fieldRef");
}

static bool has_resource_alone(const struct rule_at *at)
{
	return !has_field(at);
}

/* About the file itself. */
static void check_both_refs(const struct rule_at *at)
{
	if (has_field(at) && rule_has(at->value, "resourceFieldRef"))
		rule_invalid_str(at, NULL, STR("resource"),
				 "fieldRef and resourceFieldRef can not be specified "
				 "simultaneously");
}

static const struct rule downward_file_rows[] = {
	{"path", R_REQUIRED},
	{"path", R_CHECK(rule_local_free_in)},
	{"fieldRef", R_CHECK(pod_check_file_field)},
	{R_CHECK(check_both_refs)},
	{"resourceFieldRef", R_WHEN(has_resource_alone), R_CHECK(pod_check_file_resource)},
	{R_WHEN(has_no_ref), R_LACKS("one of fieldRef and resourceFieldRef is required")},
	{"mode", R_FILE_MODE},
};
const struct rules pod_downward_file_rules = RULES_OF(downward_file_rows);

/* Upstream reports the files about the source. */
static const struct rule downward_rows[] = {
	{"defaultMode", R_FILE_MODE},
	{"items", R_HIDDEN, R_FLAT, R_EACH(R_OBJECT(downward_file_rows))},
};

static const struct rule secret_name_rows[] = {
	{"name", R_REQUIRED},
};
static const struct rule secret_format_rows[] = {
	{"name", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
};
static const struct rule csi_rows[] = {
	{"driver", R_ALWAYS, R_CHECK(rule_csi_driver)},
	{"nodePublishSecretRef", R_OBJECT(secret_name_rows)},
	{"nodePublishSecretRef", R_HIDDEN, R_OBJECT(secret_format_rows)},
};

struct told {
	const struct rule_at *volume;
	struct str shown;
	const char *before; /* of the message */
};

static void tell_of(void *arg, const char *message)
{
	struct told *told = arg;

	rule_invalid_str(told->volume, "name", told->shown, "%s%s", told->before, message);
}

/* The claim that will be made for it is named after the pod and the volume. */
static void check_claim_name(const struct rule_at *at)
{
	AUTO(buf_done) struct buf claim = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf before = BUF_UNBOUNDED;
	struct str pod = rule_text(pod_of(at)->meta, "name");
	struct str volume = rule_beside(at, "name");
	struct told told = {at->up, volume, NULL};

	if (!pod.len || !volume.len)
		return;
	buf_printf(&claim, "%.*s-%.*s", STR_ARG(pod), STR_ARG(volume));
	buf_puts(&before, "PVC name ");
	causes_quote(&before, buf_str(&claim));
	buf_puts(&before, ": ");
	told.before = buf_text(&before);
	name_check(NAME_DNS_SUBDOMAIN, buf_str(&claim), tell_of, &told);
}

static const struct rule ephemeral_rows[] = {
	{"volumeClaimTemplate", R_REQUIRED, R_RULES(pod_claim_template_rules)},
	{R_CHECK(check_claim_name)},
};

static bool is_pod(const struct rule_at *at)
{
	return pod_of(at)->is_pod;
}

static const struct rule image_rows[] = {
	{"reference", R_WHEN(is_pod), R_REQUIRED},
	{"pullPolicy", POD_PULL_POLICIES},
};

static void check_iscsi_name(const struct rule_at *at)
{
	size_t portal = rule_text(at->value, "targetPortal").len;

	if (rule_has(at->value, "initiatorName") &&
	    rule_beside(at, "name").len + 1 + portal > ISCSI_NAME_MAX)
		rule_invalid(at->up, "name",
			     "Total length of <volume name>:<iscsi.targetPortal> must be under 64 "
			     "characters if iscsi.initiatorName is specified.");
}

/* --- one source per volume ------------------------------------------------------------------- */

#define CLOUD(which) R_RULES(pod_cloud_rules[POD_CLOUD_##which])

static const struct rule source_rows[] = {
	{"emptyDir", R_OBJECT(empty_dir_rows)},
	{"hostPath", R_OBJECT(host_path_rows)},
	{"gitRepo", CLOUD(GIT)},
	{"gcePersistentDisk", R_AS("persistentDisk"), CLOUD(GCE)},
	{"awsElasticBlockStore", CLOUD(AWS)},
	{"secret", R_OBJECT(secret_rows)},
	{"nfs", R_OBJECT(nfs_rows)},
	{"iscsi", CLOUD(ISCSI), R_ALSO(check_iscsi_name)},
	{"glusterfs", CLOUD(GLUSTER)},
	{"flocker", CLOUD(FLOCKER)},
	{"persistentVolumeClaim", R_OBJECT(claim_rows)},
	{"rbd", CLOUD(RBD)},
	{"cinder", CLOUD(CINDER)},
	{"cephfs", R_AGAIN("cephFS"), CLOUD(CEPH)},
	{"quobyte", CLOUD(QUOBYTE)},
	{"downwardAPI", R_AGAIN("downwarAPI"), R_OBJECT(downward_rows)},
	{"fc", CLOUD(FC)},
	{"flexVolume", CLOUD(FLEX)},
	{"configMap", R_OBJECT(config_map_rows)},
	{"azureFile", CLOUD(AZURE_FILE)},
	{"vsphereVolume", CLOUD(VSPHERE)},
	{"photonPersistentDisk", CLOUD(PHOTON)},
	{"portworxVolume", CLOUD(PORTWORX)},
	{"azureDisk", CLOUD(AZURE_DISK)},
	{"storageos", CLOUD(STORAGEOS)},
	{"projected", R_RULES(pod_projected_rules)},
	{"scaleIO", CLOUD(SCALE_IO)},
	{"csi", R_OBJECT(csi_rows)},
	{"ephemeral", R_OBJECT(ephemeral_rows)},
	{"image", R_OBJECT(image_rows)},
};

/* Does it refer to a claim that is made for one of the pod's ephemeral volumes? */
static bool is_made_claim(const struct pod_rules *r, struct json volumes, struct str claim)
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

static void start_volume(const struct rule_at *at)
{
	pod_of(at)->causes_before = at->causes->len;
}

/* Only a volume without faults can be mounted. */
static void end_volume(const struct rule_at *at)
{
	struct pod_rules *r = pod_of(at);
	struct str name = json_str(at->value);

	if (name_set_has(&r->volumes, name))
		rule_duplicate_str(at, NULL, name);
	if (at->causes->len == r->causes_before)
		name_set_add(&r->volumes, name);
}

static void check_made_claim(const struct rule_at *at)
{
	if (is_made_claim(pod_of(at), json_get(pod_spec_of(at), "volumes"), json_str(at->value)))
		rule_invalid(at, NULL,
			     "must not reference a PVC that gets created for an ephemeral volume");
}

static const struct rule made_claim_rows[] = {
	{"claimName", R_FILLED, R_CHECK(check_made_claim)},
};
static const struct rule volume_rows[] = {
	{R_CHECK(start_volume)},
	{R_ONE(source_rows, "must specify a volume type",
	       "may not specify more than 1 volume type")},
	{"name", R_REQUIRED, R_FORMAT(DNS_LABEL)},
	{"name", R_ALWAYS, R_CHECK(end_volume)},
	{"persistentVolumeClaim", R_OBJECT(made_claim_rows)},
};
const struct rules pod_volume_rules = RULES_OF(volume_rows);
