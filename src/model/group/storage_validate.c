/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/storage_validate.c - the rules of the kinds of storage.k8s.io, in the order and the words of
 * kube-apiserver 1.34. Metadata is validated by the caller, before. */
#include "model/group/storage.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum {
	PARAMETERS_MAX = 512,
	PARAMETERS_BYTES_MAX = 256 * 1024,
	NODE_ID_MAX = 256,
	TOKEN_SECONDS_MIN = 600,
	UPDATE_SECONDS_MIN = 10,
	METADATA_MAX = 256 * 1024,
	MESSAGE_MAX = 1024,
};
#define TOKEN_SECONDS_MAX (INT64_C(1) << 32)

static size_t count_bytes(struct json map)
{
	struct json_iter it = json_iter(map);
	size_t bytes = 0;

	while (json_next(&it))
		bytes += it.key.len + json_str(it.value).len;
	return bytes;
}

/* --- classes --------------------------------------------------------------------------------- */

static void check_parameters(const struct rule_at *at)
{
	struct json_iter it = json_iter(at->value);

	if (json_len(at->value) > PARAMETERS_MAX)
		causes_too_long(at->causes, at->path, PARAMETERS_MAX);
	while (json_next(&it))
		if (!it.key.len)
			rule_invalid_str(at, NULL, it.key, "field can not be empty.");
	if (count_bytes(at->value) > PARAMETERS_BYTES_MAX)
		causes_too_long(at->causes, at->path, PARAMETERS_BYTES_MAX);
}

static const struct rule class_rows[] = {
	{"provisioner", R_REQUIRED, R_CHECK(rule_lower_qualified)},
	{"parameters", R_CHECK(check_parameters)},
	{"reclaimPolicy", R_FILLED, R_TEXTS("Delete", "Retain")},
	{"volumeBindingMode", R_REQUIRED, R_TEXTS("Immediate", "WaitForFirstConsumer")},
};
const struct rules storageclass_rules = RULES_OF(class_rows);

static const struct rule class_update_rows[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_RULES(storageclass_rules)},
	{"parameters", R_FIXED("updates to parameters are forbidden.")},
	{"provisioner", R_FIXED("updates to provisioner are forbidden.")},
	{"reclaimPolicy", R_FIXED("updates to reclaimPolicy are forbidden.")},
	{"volumeBindingMode", R_IMMUTABLE},
};
const struct rules storageclass_update_rules = RULES_OF(class_update_rows);

/* --- nodes ----------------------------------------------------------------------------------- */

static void check_node_id(const struct rule_at *at)
{
	if (json_str(at->value).len > NODE_ID_MAX)
		rule_invalid(at, NULL, "must be %d characters or less", NODE_ID_MAX);
}

static const struct rule allocatable_rows[] = {
	{"count", R_MIN(0)},
};
static const struct rule node_driver_rows[] = {
	{"name", R_ALWAYS, R_CHECK(rule_csi_driver)},
	{"nodeID", R_REQUIRED, R_CHECK(check_node_id)},
	{"allocatable", R_OBJECT(allocatable_rows)},
	{"topologyKeys", R_EACH(R_FORMAT(QUALIFIED))},
	{"name", R_ALWAYS, R_ONCE},
};
static const struct rule node_spec_rows[] = {
	{"drivers", R_EACH(R_OBJECT(node_driver_rows))},
};
static const struct rule node_rows[] = {
	{"spec", R_OBJECT(node_spec_rows)},
};
const struct rules csinode_rules = RULES_OF(node_rows);

static const struct rule node_update_rows[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_RULES(csinode_rules)},
};
const struct rules csinode_update_rules = RULES_OF(node_update_rows);

/* --- drivers --------------------------------------------------------------------------------- */

static const struct rule token_rows[] = {
	{"audience", R_ALWAYS, R_ONCE, R_STOP},
	{"expirationSeconds", R_MIN(TOKEN_SECONDS_MIN),
	 R_RANGE_AS("may not specify a duration less than 10 minutes")},
	{"expirationSeconds", R_MAX(TOKEN_SECONDS_MAX),
	 R_RANGE_AS("may not specify a duration larger than 2^32 seconds")},
};
static const struct rule driver_spec_rows[] = {
	{"fsGroupPolicy", R_TEXTS("File", "None", "ReadWriteOnceWithFSType")},
	{"tokenRequests", R_EACH(R_OBJECT(token_rows))},
	{"volumeLifecycleModes", R_FLAT, R_EACH(R_TEXTS("Persistent", "Ephemeral"))},
	{"nodeAllocatableUpdatePeriodSeconds", R_MIN(UPDATE_SECONDS_MIN),
	 R_RANGE_AS("must be greater than or equal to 10 seconds")},
};
static const struct rule driver_rows[] = {
	{"spec", R_OBJECT(driver_spec_rows)},
};
const struct rules csidriver_rules = RULES_OF(driver_rows);

static const struct rule driver_spec_update_rows[] = {
	{"attachRequired", R_AS("attachedRequired"), R_IMMUTABLE},
	{"volumeLifecycleModes", R_IMMUTABLE},
};
static const struct rule driver_update_rows[] = {
	{R_RULES(csidriver_rules)},
	{"spec", R_ALWAYS, R_OBJECT(driver_spec_update_rows)},
};
const struct rules csidriver_update_rules = RULES_OF(driver_update_rows);

/* --- attachments ----------------------------------------------------------------------------- */

static void check_source(const struct rule_at *at)
{
	static const char words[] =
		"must specify exactly one of inlineVolumeSpec and persistentVolumeName";
	bool inlined = json_is(json_get(at->value, "inlineVolumeSpec"), JSON_OBJ);
	bool named = rule_has(at->value, "persistentVolumeName");

	if (!inlined && !named)
		rule_required_as(at, NULL, words);
	else if (inlined && named)
		rule_forbidden(at, NULL, words);
	else if (named && !rule_text(at->value, "persistentVolumeName").len)
		rule_required_as(at, "persistentVolumeName",
				 "must specify non empty persistentVolumeName");
}

static void check_metadata(const struct rule_at *at)
{
	if (count_bytes(at->value) > METADATA_MAX)
		causes_too_long(at->causes, at->path, METADATA_MAX);
}

/* Upstream reports another bound than the one that it checks. */
static void check_message(const struct rule_at *at)
{
	if (json_str(at->value).len > MESSAGE_MAX)
		causes_too_long(at->causes, at->path, METADATA_MAX);
}

static void check_spec_kept(const struct rule_at *at)
{
	if (!rules_same(at->value, at->old))
		rule_invalid_go(&volume_attachment_spec_type, at->value, at->path, at->causes,
				"field is immutable");
}

static const struct rule error_rows[] = {
	{"message", R_CHECK(check_message)},
	{"errorCode", R_RANGE(0, INT32_MAX)},
};
static const struct rule attachment_spec_rows[] = {
	{"attacher", R_REQUIRED},
	{"source", R_ALWAYS, R_CHECK(check_source)},
	{"nodeName", R_ALWAYS, R_FORMAT(DNS_SUBDOMAIN)},
};
static const struct rule attachment_status_rows[] = {
	{"attachmentMetadata", R_CHECK(check_metadata)},
	{"attachError", R_OBJECT(error_rows)},
	{"detachError", R_OBJECT(error_rows)},
};
static const struct rule attachment_common_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(attachment_spec_rows)},
	{"status", R_OBJECT(attachment_status_rows)},
};

static const struct rule new_source_rows[] = {
	{"persistentVolumeName", R_FORMAT(DNS_SUBDOMAIN)},
};
static const struct rule new_attachment_spec_rows[] = {
	{"attacher", R_ALWAYS, R_CHECK(rule_csi_driver)},
	{"source", R_OBJECT(new_source_rows)},
};
static const struct rule attachment_rows[] = {
	{R_OBJECT(attachment_common_rows)},
	{"spec", R_ALWAYS, R_OBJECT(new_attachment_spec_rows)},
};
const struct rules volumeattachment_rules = RULES_OF(attachment_rows);

static const struct rule attachment_update_rows[] = {
	{R_OBJECT(attachment_common_rows)},
	{"spec", R_ALWAYS, R_CHECK(check_spec_kept)},
};
const struct rules volumeattachment_update_rules = RULES_OF(attachment_update_rows);

/* --- capacities ------------------------------------------------------------------------------ */

static const struct rule capacity_rows[] = {
	{"nodeTopology", R_CHECK(rule_selector)},
	{"storageClassName", R_ALWAYS, R_FORMAT(DNS_SUBDOMAIN)},
	{"capacity", R_CHECK(rule_amount_not_negative)},
};
const struct rules csistoragecapacity_rules = RULES_OF(capacity_rows);

static const struct rule capacity_update_rows[] = {
	{"nodeTopology", R_IMMUTABLE},
	{"storageClassName", R_IMMUTABLE},
};
const struct rules csistoragecapacity_update_rules = RULES_OF(capacity_update_rows);
