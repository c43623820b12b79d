/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/secret.c - secrets: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type secret_type = {
	TYPE("Secret", "v1", struct secret, secret_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
	.fill = fill_secret,
};

static void validate_annotation(struct json secret, const char *key, struct causes *causes)
{
	struct path meta = path_member(NULL, STR("metadata"));
	struct path annotations = path_member(&meta, STR("annotations"));
	struct path path = path_key(&annotations, str_from(key));
	struct json value = json_get(json_get(json_get(secret, "metadata"), "annotations"), key);

	if (!json_str(value).len)
		causes_required(causes, &path, "");
}

/* A value that must be a JSON object. */
static void validate_json(struct json secret, const char *key, struct causes *causes)
{
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct path data = path_member(NULL, STR("data"));
	struct path path = path_key(&data, str_from(key));
	struct json value = json_get(json_get(secret, "data"), key);
	struct err err = {0};

	if (json_is_absent(value)) {
		causes_required(causes, &path, "");
		return;
	}
	if (base64_parse(json_str(value), &bytes, NULL))
		return; /* was refused when it was decoded */
	if (!bytes.len) {
		causes_invalid_str(causes, &path, STR("<secret contents redacted>"),
				   "unexpected end of JSON input");
		return;
	}
	if (json_syntax_check(buf_str(&bytes), &err) < 0) {
		causes_invalid_str(causes, &path, STR("<secret contents redacted>"), "%s",
				   err.text);
		return;
	}
	doc = json_parse(buf_str(&bytes), NULL, &err);
	if (!doc)
		causes_invalid_str(causes, &path, STR("<secret contents redacted>"), "%s",
				   err.text);
	else if (!json_is(json_doc_root(doc), JSON_OBJ) && !json_is(json_doc_root(doc), JSON_NULL))
		causes_invalid_str(
			causes, &path, STR("<secret contents redacted>"),
			"json: cannot unmarshal %s into Go value of type map[string]interface "
			"{}",
			json_go_name(json_type(json_doc_root(doc))));
}

static void require_key(struct json secret, const char *key, bool needs_value,
			struct causes *causes)
{
	struct path data = path_member(NULL, STR("data"));
	struct path path = path_key(&data, str_from(key));
	struct json value = json_get(json_get(secret, "data"), key);

	if (json_is_absent(value) || (needs_value && !json_str(value).len))
		causes_required(causes, &path, "");
}

static void validate_type(struct json secret, struct causes *causes)
{
	struct str type = json_str(json_get(secret, "type"));
	struct json data = json_get(secret, "data");

	if (str_is(type, "kubernetes.io/service-account-token"))
		validate_annotation(secret, "kubernetes.io/service-account.name", causes);
	else if (str_is(type, "kubernetes.io/dockercfg"))
		validate_json(secret, ".dockercfg", causes);
	else if (str_is(type, "kubernetes.io/dockerconfigjson"))
		validate_json(secret, ".dockerconfigjson", causes);
	else if (str_is(type, "kubernetes.io/ssh-auth"))
		require_key(secret, "ssh-privatekey", true, causes);
	if (str_is(type, "kubernetes.io/basic-auth") &&
	    json_is_absent(json_get(data, "username")) &&
	    json_is_absent(json_get(data, "password"))) {
		require_key(secret, "username", false, causes);
		require_key(secret, "password", false, causes);
	}
	if (str_is(type, "kubernetes.io/tls")) {
		require_key(secret, "tls.crt", false, causes);
		require_key(secret, "tls.key", false, causes);
	}
}

void secret_validate_create(struct json secret, struct causes *causes)
{
	struct path path = path_member(NULL, STR("data"));
	struct json_iter it = json_iter(json_get(secret, "data"));
	size_t size = 0;

	while (json_next(&it)) {
		struct path at = path_key(&path, it.key);

		name_validate(NAME_CONFIG_KEY, it.key, &at, causes);
		size += rules_bytes_len(it.value);
	}
	if (size > RULES_DATA_MAX)
		causes_too_long(causes, &path, RULES_DATA_MAX);
	validate_type(secret, causes);
}

void secret_validate_update(struct json secret, struct json old, struct causes *causes)
{
	static const char *const fixed[] = {"data"};
	struct path type = path_member(NULL, STR("type"));

	rules_immutable(json_get(secret, "type"), json_get(old, "type"), &type, causes);
	rules_fixed_data(secret, old, fixed, ARRAY_LEN(fixed), causes);
	rules_meta(secret, NAME_DNS_SUBDOMAIN, true, causes);
	secret_validate_create(secret, causes);
}
