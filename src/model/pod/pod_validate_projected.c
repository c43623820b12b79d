/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_projected.c - the rules of projected volumes, and of the claims that ephemeral
 * volumes are made of. */
#include "model/pod/pod_rules.h"
#include "model/pod/pod_total.h"
#include "model/pod/volume.h"
#include "model/value/labels.h"
#include "model/value/quantity.h"

#include "base/banned.h"

#define TOKEN_SECONDS_MAX ((int64_t)1 << 32)
enum { TOKEN_SECONDS_MIN = 600, CERTIFICATE_SECONDS_MIN = 3600 };

/* Two files of one name? `shown` is the value that upstream tells. */
static void check_double(struct pod_rules *r, struct name_set *files, struct str file,
			 struct str shown, const struct path *path)
{
	if (file.len && !name_set_add(files, file))
		causes_invalid_str(r->causes, path, shown, "conflicting duplicate paths");
}

static void check_keys(struct pod_rules *r, struct json source, struct name_set *files,
		       const struct path *path, const struct path *volume)
{
	struct rule_at at = pod_rule_at(r, source, path);
	struct json_iter it = json_iter(json_get(source, "items"));
	PATH(items, path, "items");

	rule_required(&at, "name");
	while (json_next(&it)) {
		struct path item = path_index(&items, it.index);

		pod_rules_key_path(r, it.value, &item);
		check_double(r, files, rule_text(it.value, "path"), rule_text(source, "name"),
			     volume);
	}
}

static void check_downward(struct pod_rules *r, struct json source, struct name_set *files,
			   const struct path *path, const struct path *volume)
{
	struct json_iter it = json_iter(json_get(source, "items"));

	while (json_next(&it)) {
		struct str file = rule_text(it.value, "path");

		pod_rules_downward_file(r, it.value, path);
		check_double(r, files, file, file, volume);
	}
}

static void check_token(struct pod_rules *r, struct json source, struct name_set *files,
			const struct path *path, const struct path *volume)
{
	int64_t seconds = json_int(json_get(source, "expirationSeconds"));
	struct rule_at at = pod_rule_at(r, source, volume);
	PATH(seconds_path, path, "expirationSeconds");
	PATH(file, volume, "path");

	(void)files;
	if (seconds < TOKEN_SECONDS_MIN)
		causes_invalid_int(r->causes, &seconds_path, seconds,
				   "may not specify a duration less than 10 minutes");
	if (seconds > TOKEN_SECONDS_MAX)
		causes_invalid_int(r->causes, &seconds_path, seconds,
				   "may not specify a duration larger than 2^32 seconds");
	if (rule_required(&at, "path"))
		rule_local_free(rule_text(source, "path"), &file, r->causes);
}

static void check_bundle(struct pod_rules *r, struct json source, struct name_set *files,
			 const struct path *path, const struct path *volume)
{
	struct rule_at at = pod_rule_at(r, source, path);
	struct str file = rule_text(source, "path");
	bool by_name = rule_has(source, "name");
	bool by_signer = rule_has(source, "signerName");
	PATH(file_path, path, "path");
	PATH(selector, path, "labelSelector");

	if (by_name && by_signer)
		causes_invalid(r->causes, path, source,
			       "only one of name and signerName may be used");
	else if (by_name)
		rule_name_required(&at, "name", NAME_PATH_SEGMENT);
	else if (by_signer)
		type_validate_at(&label_selector_type, json_get(source, "labelSelector"), &selector,
				 r->causes);
	else
		causes_required(r->causes, path, "either name or signerName must be specified");
	rule_required(&at, "path");
	rule_local_free(file, &file_path, r->causes);
	check_double(r, files, file, file, volume);
}

static void check_certificate(struct pod_rules *r, struct json source, struct name_set *files,
			      const struct path *path, const struct path *volume)
{
	static const char *const keys[] = {
		"credentialBundlePath",
		"keyPath",
		"certificateChainPath",
	};
	struct rule_at at = pod_rule_at(r, source, path);
	int64_t seconds = json_int(json_get(source, "maxExpirationSeconds"));
	bool found = false;
	PATH(seconds_path, path, "maxExpirationSeconds");

	rule_text_of(
		&at, "keyType",
		RULE_TEXTS("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"));
	if (rule_has(source, "maxExpirationSeconds") && seconds < CERTIFICATE_SECONDS_MIN)
		causes_invalid_int(r->causes, &seconds_path, seconds,
				   "if provided, maxExpirationSeconds must be >= 3600");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct path file_path = path_member(path, str_from(keys[i]));
		struct str file = rule_text(source, keys[i]);

		found = found || file.len;
		rule_local_free(file, &file_path, r->causes);
		check_double(r, files, file, file, volume);
	}
	if (!found)
		causes_required(r->causes, path,
				"specify at least one of credentialBundlePath, keyPath, and "
				"certificateChainPath");
}

void pod_rules_projected(struct pod_rules *r, struct json projected, const struct path *path)
{
	static const struct {
		const char *key;
		void (*check)(struct pod_rules *r, struct json source, struct name_set *files,
			      const struct path *path, const struct path *volume);
	} kinds[] = {
		{"secret", check_keys},
		{"configMap", check_keys},
		{"downwardAPI", check_downward},
		{"serviceAccountToken", check_token},
		{"clusterTrustBundle", check_bundle},
		{"podCertificate", check_certificate},
	};
	AUTO(name_set_done) struct name_set files = {0};
	struct rule_at rule = pod_rule_at(r, projected, path);
	struct json_iter it = json_iter(json_get(projected, "sources"));
	PATH(list, path, "sources");

	rule_file_mode(&rule, "defaultMode");
	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);
		size_t count = 0;

		for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
			struct path below = path_member(&at, str_from(kinds[i].key));

			if (!rule_has(it.value, kinds[i].key))
				continue;
			count++;
			kinds[i].check(r, json_get(it.value, kinds[i].key), &files, &below, path);
		}
		if (count > 1)
			causes_forbidden(r->causes, &at,
					 "may not specify more than 1 volume type per source");
	}
}

/* --- claims of ephemeral volumes ------------------------------------------------------------- */

static void check_access_modes(struct pod_rules *r, struct json modes, const struct path *path)
{
	const struct rule_texts known =
		RULE_TEXTS("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
	struct json_iter it = json_iter(modes);
	bool alone = false;
	bool others = false;

	while (json_next(&it)) {
		struct str mode = json_str(it.value);

		if (!rule_texts_have(known, mode))
			causes_not_supported(r->causes, path, mode, known.ptr, known.len);
		else if (str_is(mode, "ReadWriteOncePod"))
			alone = true;
		else
			others = true;
	}
	if (alone && others)
		causes_forbidden(r->causes, path,
				 "may not use ReadWriteOncePod with other access modes");
}

static void check_storage(struct pod_rules *r, struct json resources, const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path at = path_key(path, STR("storage"));
	struct quantity storage;

	if (pod_total_read(json_get(json_get(resources, "requests"), "storage"), &storage)) {
		causes_required(r->causes, &at, "");
		return;
	}
	quantity_print(&storage, &text);
	if (quantity_sign(&storage) <= 0)
		causes_invalid_str(r->causes, &at, buf_str(&text), "must be greater than zero");
}

static void check_claim_meta(struct pod_rules *r, struct json meta, const struct path *path)
{
	struct json_iter it = json_iter(meta);
	PATH(labels, path, "labels");

	labels_validate(json_get(meta, "labels"), &labels, r->causes);
	while (json_next(&it)) {
		struct path at = path_member(path, it.key);

		if (!str_is(it.key, "labels") && !str_is(it.key, "annotations") &&
		    !json_is(it.value, JSON_NULL))
			causes_forbidden(r->causes, &at, "cannot be set");
	}
}

void pod_rules_claim_template(struct pod_rules *r, struct json claim, const struct path *path)
{
	struct json spec = json_get(claim, "spec");
	PATH(meta_path, path, "metadata");
	PATH(spec_path, path, "spec");
	PATH(modes, &spec_path, "accessModes");
	PATH(selector, &spec_path, "selector");
	PATH(resources, &spec_path, "resources");
	struct rule_at at = pod_rule_at(r, spec, &spec_path);

	check_claim_meta(r, json_get(claim, "metadata"), &meta_path);
	if (!json_len(json_get(spec, "accessModes")))
		causes_required(r->causes, &modes, "at least 1 access mode is required");
	if (rule_has(spec, "selector"))
		type_validate_at(&label_selector_type, json_get(spec, "selector"), &selector,
				 r->causes);
	check_access_modes(r, json_get(spec, "accessModes"), &modes);
	check_storage(r, json_get(spec, "resources"), &resources);
	rule_name(&at, "storageClassName", NAME_DNS_SUBDOMAIN);
	rule_text_of(&at, "volumeMode", RULE_TEXTS("Block", "Filesystem"));
	rule_name(&at, "volumeAttributesClassName", NAME_DNS_SUBDOMAIN);
}
