/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/secret.c - secrets: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/secret.h"

#include "base/base64.h"
#include "json/syntax.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

/* stringData is for writing only: it goes over data. */
static void fill_secret(struct json_doc *doc, struct json secret)
{
	struct json texts = json_get(secret, "stringData");
	struct json_iter it = json_iter(texts);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;
		struct str text = json_str(it.value);

		base64_print(&bytes, text.ptr, text.len);
		json_set(doc, json_ensure_obj(doc, secret, "data"), it.key,
			 json_new_str(doc, buf_str(&bytes)));
	}
	json_remove(doc, secret, STR("stringData"));
	if (rules_is_empty(json_get(secret, "type")))
		json_set_str(doc, secret, "type", STR("Opaque"));
}

#define VIEW struct secret
static const struct field secret_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"immutable", F_BOOL, AT(immutable), F_POINTER},
	{"data", F_MAP(F_BYTES), AT(data)},
	{"stringData", F_LABELS, AT(string_data)},
	{"type", F_STR, AT(type), F_GO("v1.SecretType")},
};
#undef VIEW

static void check_size(const struct rule_at *at)
{
	struct json_iter it = json_iter(at->value);
	size_t size = 0;

	while (json_next(&it))
		size += rules_bytes_len(it.value);
	if (size > RULES_DATA_MAX)
		causes_too_long(at->causes, at->path, RULES_DATA_MAX);
}

/* A value that must be a JSON object; what is wrong with it is reported without the value. */
static void check_json(const struct rule_at *at)
{
	static const struct str redacted = STR_INIT("<secret contents redacted>");
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err = {0};

	if (json_is_absent(at->value)) {
		rule_required_as(at, NULL, "");
		return;
	}
	if (base64_parse(json_str(at->value), &bytes, NULL))
		return; /* was rejected when it was decoded */
	if (!bytes.len) {
		rule_invalid_str(at, NULL, redacted, "unexpected end of JSON input");
		return;
	}
	if (json_syntax_check(buf_str(&bytes), &err) < 0) {
		rule_invalid_str(at, NULL, redacted, "%s", err.text);
		return;
	}
	doc = json_parse(buf_str(&bytes), NULL, &err);
	if (!doc)
		rule_invalid_str(at, NULL, redacted, "%s", err.text);
	else if (!json_is(json_doc_root(doc), JSON_OBJ) && !json_is(json_doc_root(doc), JSON_NULL))
		rule_invalid_str(at, NULL, redacted,
				 "json: cannot unmarshal %s into Go value of type "
				 "map[string]interface {}",
				 json_go_name(json_type(json_doc_root(doc))));
}

/* There, if only as an empty text. */
static void check_there(const struct rule_at *at)
{
	if (json_is_absent(at->value))
		rule_required_as(at, NULL, "");
}

static bool lacks_credentials(const struct rule_at *at)
{
	return json_is_absent(json_get(at->value, "username")) &&
	       json_is_absent(json_get(at->value, "password"));
}

static const struct rule annotation_rules[] = {
	{"kubernetes.io/service-account.name", R_ENTRY, R_REQUIRED},
};
static const struct rule meta_rules[] = {
	{"annotations", R_ALWAYS, R_OBJECT(annotation_rules)},
};
static const struct rule dockercfg_rules[] = {
	{".dockercfg", R_ENTRY, R_ALWAYS, R_CHECK(check_json)},
};
static const struct rule dockerconfigjson_rules[] = {
	{".dockerconfigjson", R_ENTRY, R_ALWAYS, R_CHECK(check_json)},
};
static const struct rule ssh_rules[] = {
	{"ssh-privatekey", R_ENTRY, R_REQUIRED},
};
static const struct rule basic_rules[] = {
	{"username", R_ENTRY, R_WHEN(lacks_credentials), R_ALWAYS, R_CHECK(check_there)},
	{"password", R_ENTRY, R_WHEN(lacks_credentials), R_ALWAYS, R_CHECK(check_there)},
};
static const struct rule tls_rules[] = {
	{"tls.crt", R_ENTRY, R_ALWAYS, R_CHECK(check_there)},
	{"tls.key", R_ENTRY, R_ALWAYS, R_CHECK(check_there)},
};

static const struct rule secret_rules[] = {
	{"data", R_EACH(R_KEY(CONFIG_KEY))},
	{"data", R_CHECK(check_size)},
	{"metadata", R_IF("type", "kubernetes.io/service-account-token"), R_ALWAYS,
	 R_OBJECT(meta_rules)},
	{"data", R_IF("type", "kubernetes.io/dockercfg"), R_ALWAYS, R_OBJECT(dockercfg_rules)},
	{"data", R_IF("type", "kubernetes.io/dockerconfigjson"), R_ALWAYS,
	 R_OBJECT(dockerconfigjson_rules)},
	{"data", R_IF("type", "kubernetes.io/ssh-auth"), R_ALWAYS, R_OBJECT(ssh_rules)},
	{"data", R_IF("type", "kubernetes.io/basic-auth"), R_ALWAYS, R_OBJECT(basic_rules)},
	{"data", R_IF("type", "kubernetes.io/tls"), R_ALWAYS, R_OBJECT(tls_rules)},
};

static const struct rule update_rules[] = {
	{"type", R_IMMUTABLE},
	{"immutable", R_WHEN(rule_was_immutable), R_ALWAYS, R_CHECK(rule_stays_immutable)},
	{"data", R_WHEN(rule_was_immutable), R_FIXED(RULE_DATA_FIXED)},
	{R_CHECK(rule_meta)},
	{R_OBJECT(secret_rules)},
};

const struct type secret_type = {
	TYPE("Secret", "v1", struct secret, secret_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_secret,
	TYPE_RULES(secret_rules),
	TYPE_UPDATE(update_rules),
};
