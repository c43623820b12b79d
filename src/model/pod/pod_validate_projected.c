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

/* Two files of one name? `shown` is the value that upstream reports, about the volume. */
static void add_file(const struct rule_at *at, struct str file, struct str shown)
{
	struct pod_rules *r = pod_of(at);

	if (file.len && !name_set_add(&r->files, file))
		causes_invalid_str(at->causes, r->projected, shown, "conflicting duplicate paths");
}

static void add_own_file(const struct rule_at *at)
{
	add_file(at, json_str(at->value), json_str(at->value));
}

/* Shown by the name of the secret or the config map, which has the list with the item. */
static void add_item_file(const struct rule_at *at)
{
	add_file(at, rule_text(at->value, "path"), rule_text(at->up->up->value, "name"));
}

static const struct rule item_rows[] = {
	{R_RULES(pod_key_path_rules)},
	{R_CHECK(add_item_file)},
};
static const struct rule keys_rows[] = {
	{"name", R_REQUIRED},
	{"items", R_EACH(R_OBJECT(item_rows))},
};

static const struct rule downward_item_rows[] = {
	{R_RULES(pod_downward_file_rules)},
	{"path", R_CHECK(add_own_file)},
};
static const struct rule downward_rows[] = {
	{"items", R_HIDDEN, R_FLAT, R_EACH(R_OBJECT(downward_item_rows))},
};

/* Upstream reports the path of a token about the volume. */
static const struct rule token_path_rows[] = {
	{"path", R_REQUIRED, R_CHECK(rule_local_free_in)},
};
static void check_token_path(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(token_path_rows);
	struct rule_at token = *at;

	token.path = pod_of(at)->projected;
	rules_check(&rules, &token);
}
static const struct rule token_rows[] = {
	{"expirationSeconds", R_ALWAYS, R_MIN(TOKEN_SECONDS_MIN),
	 R_RANGE_AS("may not specify a duration less than 10 minutes")},
	{"expirationSeconds", R_MAX(TOKEN_SECONDS_MAX),
	 R_RANGE_AS("may not specify a duration larger than 2^32 seconds")},
	{R_CHECK(check_token_path)},
};

static void check_bundle(const struct rule_at *at)
{
	bool by_name = rule_has(at->value, "name");
	bool by_signer = rule_has(at->value, "signerName");

	if (by_name && by_signer)
		rule_invalid(at, NULL, "only one of name and signerName may be used");
	else if (by_name)
		rule_name_required(at, "name", NAME_PATH_SEGMENT);
	else if (!by_signer)
		rule_required_as(at, NULL, "either name or signerName must be specified");
}

static bool is_by_signer(const struct rule_at *at)
{
	return rule_has(at->value, "signerName") && !rule_has(at->value, "name");
}

static const struct rule bundle_rows[] = {
	{R_CHECK(check_bundle)},
	{"labelSelector", R_WHEN(is_by_signer), R_ALWAYS, R_TYPE(label_selector)},
	{"path", R_REQUIRED},
	{"path", R_CHECK(rule_local_free_in)},
	{"path", R_CHECK(add_own_file)},
};

static bool has_no_file(const struct rule_at *at)
{
	return !rule_text(at->value, "credentialBundlePath").len &&
	       !rule_text(at->value, "keyPath").len &&
	       !rule_text(at->value, "certificateChainPath").len;
}

static const struct rule certificate_rows[] = {
	{"keyType",
	 R_TEXTS("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")},
	{"maxExpirationSeconds", R_MIN(CERTIFICATE_SECONDS_MIN),
	 R_RANGE_AS("if provided, maxExpirationSeconds must be >= 3600")},
	{"credentialBundlePath", R_CHECK(rule_local_free_in)},
	{"credentialBundlePath", R_CHECK(add_own_file)},
	{"keyPath", R_CHECK(rule_local_free_in)},
	{"keyPath", R_CHECK(add_own_file)},
	{"certificateChainPath", R_CHECK(rule_local_free_in)},
	{"certificateChainPath", R_CHECK(add_own_file)},
	{R_WHEN(has_no_file), R_LACKS("specify at least one of credentialBundlePath, keyPath, and "
				      "certificateChainPath")},
};

static const struct rule kind_rows[] = {
	{"secret", R_OBJECT(keys_rows)},
	{"configMap", R_OBJECT(keys_rows)},
	{"downwardAPI", R_OBJECT(downward_rows)},
	{"serviceAccountToken", R_OBJECT(token_rows)},
	{"clusterTrustBundle", R_OBJECT(bundle_rows)},
	{"podCertificate", R_OBJECT(certificate_rows)},
};

static bool has_many_kinds(const struct rule_at *at)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(kind_rows); i++)
		count += rule_has(at->value, kind_rows[i].member);
	return count > 1;
}

static void start_files(const struct rule_at *at)
{
	struct pod_rules *r = pod_of(at);

	name_set_done(&r->files);
	r->files = (struct name_set){0};
	r->projected = at->path;
}

static const struct rule source_rows[] = {
	{R_OBJECT(kind_rows)},
	{R_WHEN(has_many_kinds), R_FORBIDDEN("may not specify more than 1 volume type per source")},
};
static const struct rule projected_rows[] = {
	{R_CHECK(start_files)},
	{"defaultMode", R_FILE_MODE},
	{"sources", R_EACH(R_OBJECT(source_rows))},
};
const struct rules pod_projected_rules = RULES_OF(projected_rows);

/* --- claims of ephemeral volumes ------------------------------------------------------------- */

/* Upstream leaves "requests" out of the path. */
static void check_storage(const struct rule_at *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity storage;

	if (pod_total_read(json_get(json_get(at->up->value, "requests"), "storage"), &storage)) {
		rule_required_as(at, NULL, "");
		return;
	}
	quantity_print(&storage, &text);
	if (quantity_sign(&storage) <= 0)
		rule_invalid_str(at, NULL, buf_str(&text), "must be greater than zero");
}

/* Of metadata nothing but labels and annotations. */
static void check_other_meta(const struct rule_at *at)
{
	if (!str_is(at->path->name, "labels") && !str_is(at->path->name, "annotations") &&
	    !json_is(at->value, JSON_NULL))
		rule_forbidden(at, NULL, "cannot be set");
}

static const struct rule claim_meta_rows[] = {
	{"labels", R_CHECK(rule_labels)},
	{R_DOTTED, R_EACH(R_CHECK(check_other_meta))},
};
static const struct rule storage_rows[] = {
	{"storage", R_ENTRY, R_ALWAYS, R_CHECK(check_storage)},
};
static const struct rule claim_spec_rows[] = {
	{"accessModes", R_REQUIRED_AS("at least 1 access mode is required")},
	{"selector", R_TYPE(label_selector)},
	{"accessModes", R_CHECK(rule_access_modes)},
	{"resources", R_ALWAYS, R_OBJECT(storage_rows)},
	{"storageClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"volumeMode", R_TEXTS("Block", "Filesystem")},
	{"volumeAttributesClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
};
static const struct rule claim_rows[] = {
	{"metadata", R_OBJECT(claim_meta_rows)},
	{"spec", R_ALWAYS, R_OBJECT(claim_spec_rows)},
};
const struct rules pod_claim_template_rules = RULES_OF(claim_rows);
