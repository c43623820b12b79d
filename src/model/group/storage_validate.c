/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/storage_validate.c - the rules of drivers, attachments and capacities of storage, in the order
 * and the words of kube-apiserver 1.34. Metadata is validated by whoever calls, before. */
#include "model/group/storage.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum {
	TOKEN_SECONDS_MIN = 600,
	UPDATE_SECONDS_MIN = 10,
	METADATA_MAX = 256 * 1024,
	MESSAGE_MAX = 1024,
};
#define TOKEN_SECONDS_MAX (INT64_C(1) << 32)

/* --- drivers --------------------------------------------------------------------------------- */

static void check_tokens(struct json tokens, const struct path *path, struct causes *causes)
{
	AUTO(name_set_done) struct name_set audiences = {0};
	struct json_iter it = json_iter(tokens);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct json seconds = json_get(it.value, "expirationSeconds");
		PATH(audience, &at, "audience");
		PATH(expires, &at, "expirationSeconds");

		if (!name_set_add(&audiences, rule_text(it.value, "audience"))) {
			causes_duplicate_str(causes, &audience, rule_text(it.value, "audience"));
			continue;
		}
		if (json_is(seconds, JSON_INT) && json_int(seconds) < TOKEN_SECONDS_MIN)
			causes_invalid(causes, &expires, seconds,
				       "may not specify a duration less than 10 minutes");
		if (json_int(seconds) > TOKEN_SECONDS_MAX)
			causes_invalid(causes, &expires, seconds,
				       "may not specify a duration larger than 2^32 seconds");
	}
}

static void check_modes(struct json modes, const struct path *path, struct causes *causes)
{
	static const char *const known[] = {"Persistent", "Ephemeral"};
	struct json_iter it = json_iter(modes);

	while (json_next(&it))
		rules_one_of(it.value, known, ARRAY_LEN(known), path, causes);
}

void csidriver_validate_create(struct json driver, struct causes *causes)
{
	static const char *const policies[] = {"File", "None", "ReadWriteOnceWithFSType"};
	struct json spec = json_get(driver, "spec");
	struct json period = json_get(spec, "nodeAllocatableUpdatePeriodSeconds");
	PATH(path, NULL, "spec");
	PATH(policy, &path, "fsGroupPolicy");
	PATH(tokens, &path, "tokenRequests");
	PATH(modes, &path, "volumeLifecycleModes");
	PATH(period_path, &path, "nodeAllocatableUpdatePeriodSeconds");

	if (rule_has(spec, "fsGroupPolicy"))
		rules_one_of(json_get(spec, "fsGroupPolicy"), policies, ARRAY_LEN(policies),
			     &policy, causes);
	check_tokens(json_get(spec, "tokenRequests"), &tokens, causes);
	check_modes(json_get(spec, "volumeLifecycleModes"), &modes, causes);
	if (json_is(period, JSON_INT) && json_int(period) < UPDATE_SECONDS_MIN)
		causes_invalid(causes, &period_path, period,
			       "must be greater than or equal to 10 seconds");
}

void csidriver_validate_update(struct json driver, struct json old, struct causes *causes)
{
	struct json spec = json_get(driver, "spec");
	struct json before = json_get(old, "spec");
	PATH(path, NULL, "spec");
	PATH(attach, &path, "attachedRequired");
	PATH(modes, &path, "volumeLifecycleModes");

	csidriver_validate_create(driver, causes);
	rules_immutable(json_get(spec, "attachRequired"), json_get(before, "attachRequired"),
			&attach, causes);
	rules_immutable(json_get(spec, "volumeLifecycleModes"),
			json_get(before, "volumeLifecycleModes"), &modes, causes);
}

/* --- attachments ----------------------------------------------------------------------------- */

static void check_source(struct json source, const struct path *path, struct causes *causes)
{
	static const char words[] =
		"must specify exactly one of inlineVolumeSpec and persistentVolumeName";
	bool inlined = json_is(json_get(source, "inlineVolumeSpec"), JSON_OBJ);
	bool named = rule_has(source, "persistentVolumeName");
	PATH(name, path, "persistentVolumeName");

	if (!inlined && !named)
		causes_required(causes, path, words);
	else if (inlined && named)
		causes_forbidden(causes, path, words);
	else if (named && !rule_text(source, "persistentVolumeName").len)
		causes_required(causes, &name, "must specify non empty persistentVolumeName");
}

static void check_error(struct json error, const struct path *path, struct causes *causes)
{
	struct json code = json_get(error, "errorCode");
	PATH(message, path, "message");
	PATH(code_path, path, "errorCode");

	if (rule_text(error, "message").len > MESSAGE_MAX)
		causes_too_long(causes, &message, METADATA_MAX);
	if (json_is(code, JSON_INT) && json_int(code) < 0)
		causes_invalid(causes, &code_path, code,
			       "must be between 0 and 2147483647, inclusive");
}

static void check_attachment(struct json attachment, struct causes *causes)
{
	struct json spec = json_get(attachment, "spec");
	struct json status = json_get(attachment, "status");
	struct json_iter it = json_iter(json_get(status, "attachmentMetadata"));
	size_t size = 0;
	PATH(path, NULL, "spec");
	PATH(attacher, &path, "attacher");
	PATH(source, &path, "source");
	PATH(node, &path, "nodeName");
	PATH(status_path, NULL, "status");
	PATH(metadata, &status_path, "attachmentMetadata");
	PATH(attach_error, &status_path, "attachError");
	PATH(detach_error, &status_path, "detachError");

	if (!rule_text(spec, "attacher").len)
		causes_required(causes, &attacher, "");
	check_source(json_get(spec, "source"), &source, causes);
	(void)name_validate(NAME_DNS_SUBDOMAIN, rule_text(spec, "nodeName"), &node, causes);
	while (json_next(&it))
		size += it.key.len + json_str(it.value).len;
	if (size > METADATA_MAX)
		causes_too_long(causes, &metadata, METADATA_MAX);
	check_error(json_get(status, "attachError"), &attach_error, causes);
	check_error(json_get(status, "detachError"), &detach_error, causes);
}

void volumeattachment_validate_create(struct json attachment, struct causes *causes)
{
	struct json spec = json_get(attachment, "spec");
	struct json volume = json_get(json_get(spec, "source"), "persistentVolumeName");
	PATH(path, NULL, "spec");
	PATH(attacher, &path, "attacher");
	PATH(source, &path, "source");
	PATH(name, &source, "persistentVolumeName");

	check_attachment(attachment, causes);
	rules_csi_driver(rule_text(spec, "attacher"), &attacher, causes);
	if (json_is(volume, JSON_STR))
		(void)name_validate(NAME_DNS_SUBDOMAIN, json_str(volume), &name, causes);
}

void volumeattachment_validate_update(struct json attachment, struct json old,
				      struct causes *causes)
{
	PATH(spec, NULL, "spec");

	check_attachment(attachment, causes);
	if (!rules_same(json_get(attachment, "spec"), json_get(old, "spec")))
		rule_invalid_go(&volume_attachment_spec_type, json_get(attachment, "spec"), &spec,
				causes, "field is immutable");
}

/* --- capacities ------------------------------------------------------------------------------ */

void csistoragecapacity_validate_create(struct json capacity, struct causes *causes)
{
	PATH(topology, NULL, "nodeTopology");
	PATH(class, NULL, "storageClassName");
	PATH(amount, NULL, "capacity");

	rules_label_selector(json_get(capacity, "nodeTopology"), &topology, causes);
	(void)name_validate(NAME_DNS_SUBDOMAIN, rule_text(capacity, "storageClassName"), &class,
			    causes);
	if (rule_has(capacity, "capacity"))
		rules_quantity_not_negative(json_get(capacity, "capacity"), &amount, causes);
}

void csistoragecapacity_validate_update(struct json capacity, struct json old,
					struct causes *causes)
{
	static const char *const fixed[] = {"nodeTopology", "storageClassName"};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		struct path path = path_member(NULL, str_from(fixed[i]));

		rules_immutable(json_get(capacity, fixed[i]), json_get(old, fixed[i]), &path,
				causes);
	}
}
