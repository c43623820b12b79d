/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/certificates.c - requests for certificates: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates metadata before, and reads PEM. */
#include "model/group/certificates.h"

#include "base/time.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define GROUP .group = "io.k8s.api.certificates", .as_go = true

static const struct field spec_fields[] = {
	{"request", F_BYTES, F_ALWAYS, F_REQUIRED},
	{"signerName", F_STR, F_ALWAYS, F_REQUIRED},
	{"expirationSeconds", F_INT32, F_POINTER},
	{"usages", F_LIST(F_STR, F_GO("v1.KeyUsage")), F_LIST_ATOMIC},
	{"username", F_STR},
	{"uid", F_STR},
	{"groups", F_LIST(F_STR), F_LIST_ATOMIC},
	{"extra", F_MAP(F_LIST(F_STR))},
};
static const struct type certificate_spec_type = {
	TYPE_KNOWN("CertificateSigningRequestSpec", "v1", spec_fields), GROUP};

static const struct field condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.RequestConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"reason", F_STR},
	{"message", F_STR},
	{"lastUpdateTime", F_TIME, F_ALWAYS},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
};
static const struct type certificate_condition_type = {
	TYPE_KNOWN("CertificateSigningRequestCondition", "v1", condition_fields), GROUP};

static const struct field status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(certificate_condition)), F_LIST_MAP("type")},
	{"certificate", F_BYTES},
};
static const struct type certificate_status_type = {
	TYPE_KNOWN("CertificateSigningRequestStatus", "v1", status_fields), GROUP};

#define VIEW struct certificate_request
static const struct field fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(certificate_spec), F_NEEDED, F_DEFAULT("{}")},
	{"status", F_OBJECT(certificate_status), F_DEFAULT("{}")},
};
#undef VIEW

/* --- rules ----------------------------------------------------------------------------------- */

#define LEGACY_SIGNER "kubernetes.io/legacy-unknown"

static const char *const final_types[] = {"Approved", "Denied", "Failed"};

static void check_usage_once(const struct rule_at *at)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(at->value);

	while (json_next(&it))
		if (!name_set_add(&seen, json_str(it.value))) {
			struct path path = path_index(at->path, it.index);

			causes_duplicate(at->causes, &path, it.value);
		}
}

/* The value that a message shows, and the part of it that it is about. */
struct domain_labels {
	const struct rule_at *at;
	struct str shown;
	struct str label;
};

static void add_label_fault(void *arg, const char *message)
{
	const struct domain_labels *labels = arg;

	rule_invalid_str(labels->at, NULL, labels->shown, "validating label \"%.*s\": %s",
			 STR_ARG(labels->label), message);
}

/* Check the parts between dots up to the first that is wrong; says how many there are. */
static size_t check_labels(const struct rule_at *at, struct str text, enum name_format format)
{
	struct domain_labels labels = {at, text, str_none()};
	struct str rest = text;
	size_t count = 0;
	bool fine = true;

	for (; str_split(&rest, '.', &labels.label); count++)
		fine = fine && name_check(format, labels.label, add_label_fault, &labels);
	return count;
}

/* "example.com/signer": a domain with a dot, a slash, and a name. */
static void check_signer(const struct rule_at *at)
{
	enum { DOMAIN_MAX = 253, NAME_MAX_LEN = 253 + 63 + 1 };
	struct str text = json_str(at->value);
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	struct str domain = str_slice(text, 0, slash < 0 ? text.len : (size_t)slash);
	struct str name = slash < 0 ? str_none() : str_skip(text, (size_t)slash + 1);

	if (str_is(text, LEGACY_SIGNER)) {
		rule_invalid(at, NULL, "the legacy signerName is not allowed via this API version");
		return;
	}
	if (slash < 0 || str_find_byte(name, '/', 0) >= 0) {
		rule_invalid(at, NULL,
			     "must be a fully qualified domain and path of the form "
			     "'example.com/signer-name'");
		return;
	}
	if (domain.len > DOMAIN_MAX)
		causes_too_long(at->causes, at->path, DOMAIN_MAX);
	if (check_labels(at, domain, NAME_DNS_LABEL) < 2)
		rule_invalid_str(at, NULL, domain,
				 "should be a domain with at least two segments separated by dots");
	(void)check_labels(at, name, NAME_DNS_SUBDOMAIN);
	if (name.len > NAME_MAX_LEN)
		causes_too_long(at->causes, at->path, NAME_MAX_LEN);
}

static const struct rule spec_rules[] = {
	{"usages", R_REQUIRED,
	 R_EACH(R_TEXTS("any", "cert sign", "client auth", "code signing", "content commitment",
			"crl sign", "data encipherment", "decipher only", "digital signature",
			"email protection", "encipher only", "ipsec end system", "ipsec tunnel",
			"ipsec user", "key agreement", "key encipherment", "microsoft sgc",
			"netscape sgc", "ocsp signing", "s/mime", "server auth", "signing",
			"timestamping"))},
	{"usages", R_CHECK(check_usage_once)},
	{"signerName", R_REQUIRED, R_CHECK(check_signer)},
	{"expirationSeconds", R_MIN(600),
	 R_RANGE_AS("may not specify a duration less than 600 seconds (10 minutes)")},
};

/* --- conditions ------------------------------------------------------------------------------ */

static struct json conditions_of(struct json object)
{
	return json_get(json_get(object, "status"), "conditions");
}

static bool is_final(struct str type)
{
	for (size_t i = 0; i < ARRAY_LEN(final_types); i++)
		if (str_is(type, final_types[i]))
			return true;
	return false;
}

static void check_condition_status(struct json condition, const struct path *up,
				   struct causes *causes)
{
	static const char *const all[] = {"False", "True", "Unknown"};
	struct path path = path_member(up, STR("status"));
	bool final = is_final(json_str(json_get(condition, "type")));
	struct json status = json_get(condition, "status");

	if (final)
		rules_one_of_required(status, all + 1, 1, &path, causes);
	else
		rules_one_of_required(status, all, ARRAY_LEN(all), &path, causes);
}

static void check_conditions(struct json object, struct causes *causes)
{
	PATH(top, NULL, "status");
	PATH(path, &top, "conditions");
	struct json list = conditions_of(object);
	struct json_iter it = json_iter(list);
	AUTO(name_set_done) struct name_set seen = {0};

	while (json_next(&it)) {
		struct path element = path_index(&path, it.index);
		struct json type = json_get(it.value, "type");
		bool approved = str_is(json_str(type), "Approved");
		bool denied = str_is(json_str(type), "Denied");
		PATH(type_path, &element, "type");

		if (!json_str(type).len)
			causes_required(causes, &type_path, "");
		check_condition_status(it.value, &element, causes);
		if ((approved && name_set_has(&seen, STR("Denied"))) ||
		    (denied && name_set_has(&seen, STR("Approved"))))
			causes_invalid(causes, &path, type,
				       "Approved and Denied conditions are mutually exclusive");
		if (!name_set_add(&seen, json_str(type)))
			causes_duplicate(causes, &type_path, type);
	}
}

/* --- whole objects --------------------------------------------------------------------------- */

void certificate_validate(struct json object, struct json old,
			  const struct certificate_faults *faults, struct causes *causes)
{
	static const struct rules rules = RULES_OF(spec_rules);
	PATH(path, NULL, "spec");
	PATH(request, &path, "request");
	PATH(status, NULL, "status");
	PATH(certificate, &status, "certificate");
	struct rule_at spec = rule_start(json_get(object, "spec"), &path, causes);

	spec.old = json_get(old, "spec");
	if (faults->request)
		rules_invalid(json_get(spec.value, "request"), &request, faults->request, causes);
	rules_check(&rules, &spec);
	check_conditions(object, causes);
	if (faults->certificate)
		causes_invalid_str(causes, &certificate, STR("<certificate data>"), "%s",
				   faults->certificate);
}

static size_t count_conditions(struct json list, const char *type)
{
	struct json_iter it = json_iter(list);
	size_t count = 0;

	while (json_next(&it))
		count += str_is(json_str(json_get(it.value, "type")), type);
	return count;
}

/* Final conditions stay; two of them come by the approval alone. */
static void check_final(struct json object, struct json old, enum certificate_way way,
			struct causes *causes)
{
	PATH(status, NULL, "status");
	PATH(path, &status, "conditions");

	for (int adding = 0; adding < 2; adding++)
		for (size_t i = 0; i < ARRAY_LEN(final_types); i++) {
			size_t before = count_conditions(conditions_of(old), final_types[i]);
			size_t now = count_conditions(conditions_of(object), final_types[i]);
			bool settable = way == CERTIFICATE_APPROVAL ||
					str_is(STR("Failed"), final_types[i]);

			if (!adding && now < before)
				causes_add(causes, CAUSE_FORBIDDEN, &path,
					   "Forbidden: updates may not remove a condition of type "
					   "\"%s\"",
					   final_types[i]);
			if (adding && !settable && now > before)
				causes_add(causes, CAUSE_FORBIDDEN, &path,
					   "Forbidden: updates may not add a condition of type "
					   "\"%s\"",
					   final_types[i]);
		}
}

void certificate_validate_update(struct json object, struct json old, enum certificate_way way,
				 struct causes *causes)
{
	PATH(status, NULL, "status");
	PATH(path, &status, "certificate");
	struct json before = json_get(json_get(old, "status"), "certificate");
	struct json now = json_get(json_get(object, "status"), "certificate");

	check_final(object, old, way, causes);
	if (rules_same(now, before))
		return;
	if (way != CERTIFICATE_STATUS)
		causes_forbidden(causes, &path, "updates may not set certificate content");
	else if (json_str(before).len)
		causes_forbidden(causes, &path,
				 "updates may not modify existing certificate content");
}

/* --- updates --------------------------------------------------------------------------------- */

/* If there are as many conditions of a type as before, they are what they were. */
static void keep_conditions(struct json_doc *doc, struct json object, struct json old,
			    const char *type)
{
	struct json list = conditions_of(object);
	struct json_iter from = json_iter(conditions_of(old));
	struct json_iter it = json_iter(list);

	if (count_conditions(list, type) != count_conditions(conditions_of(old), type))
		return;
	while (json_next(&it)) {
		if (!str_is(json_str(json_get(it.value, "type")), type))
			continue;
		while (json_next(&from))
			if (str_is(json_str(json_get(from.value, "type")), type))
				break;
		json_replace_at(doc, list, it.index, json_new_copy(doc, from.value));
	}
}

static bool has_text(struct json object, const char *key)
{
	return json_str(json_get(object, key)).len > 0;
}

/* The time at which a condition of this type and status was set, else none. */
static struct str earlier_time(struct json list, struct json condition)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (json_eq(json_get(it.value, "type"), json_get(condition, "type")) &&
		    json_eq(json_get(it.value, "status"), json_get(condition, "status")) &&
		    has_text(it.value, "lastTransitionTime"))
			return json_str(json_get(it.value, "lastTransitionTime"));
	return str_none();
}

static void set_times(struct json_doc *doc, struct json object, struct json old, int64_t now)
{
	struct json_iter it = json_iter(conditions_of(object));
	char text[TIME_TEXT_SIZE];
	struct str time = str_from(time_print(now, text));

	while (json_next(&it)) {
		struct str earlier = earlier_time(conditions_of(old), it.value);

		if (!json_is(it.value, JSON_OBJ))
			continue;
		if (!has_text(it.value, "lastUpdateTime"))
			json_set_str(doc, it.value, "lastUpdateTime", time);
		if (!has_text(it.value, "lastTransitionTime"))
			json_set_str(doc, it.value, "lastTransitionTime",
				     earlier.len ? earlier : time);
	}
}

static void restore(struct json_doc *doc, struct json object, struct json old, const char *key)
{
	struct json value = json_get(old, key);

	if (json_is_absent(value))
		(void)json_remove(doc, object, str_from(key));
	else
		json_set(doc, object, str_from(key), json_new_copy(doc, value));
}

void certificate_prepare_update(struct json_doc *doc, struct json object, struct json old,
				enum certificate_way way, int64_t now)
{
	restore(doc, object, old, "spec");
	if (way == CERTIFICATE_MAIN) {
		restore(doc, object, old, "status");
		return;
	}
	if (way == CERTIFICATE_APPROVAL) {
		restore(doc, json_ensure_obj(doc, object, "status"), json_get(old, "status"),
			"certificate");
	} else {
		keep_conditions(doc, object, old, "Approved");
		keep_conditions(doc, object, old, "Denied");
	}
	set_times(doc, object, old, now);
}

const struct type certificate_request_type = {
	TYPE("CertificateSigningRequest", "v1", struct certificate_request, fields),
	GROUP,
	.rules = &rules_none,
};
