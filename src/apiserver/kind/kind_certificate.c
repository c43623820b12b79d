/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_certificate.c - what is special about requests for certificates: they say who asked, must be
 * signed, and change by two sub-resources alone.
 *
 * "approval" sets the conditions, "status" the certificate; the rules are in model/group/certificates.h. */
#include "apiserver/kind/kind_certificate.h"

#include "apiserver/api.h"
#include "apiserver/kind/kind_row.h"
#include "apiserver/request/call.h"
#include "base/base64.h"
#include "base/limits.h"
#include "http/cert.h"
#include "model/group/certificates.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static enum certificate_way way_of(const struct call *call)
{
	if (str_is(call->sub, "approval"))
		return CERTIFICATE_APPROVAL;
	return str_is(call->sub, "status") ? CERTIFICATE_STATUS : CERTIFICATE_MAIN;
}

/* Who asks is not for the client to say. */
static int prepare_create(struct call *call, struct json_doc *doc, struct json object,
			  struct err *err)
{
	static const char *const known[] = {"username", "uid", "groups", "extra"};
	struct json spec = json_ensure_obj(doc, object, "spec");

	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		(void)json_remove(doc, spec, str_from(known[i]));
	json_set_str(doc, spec, "username", call->user.name);
	for (size_t i = 0; i < call->user.group_count; i++)
		json_append(doc, json_ensure_arr(doc, spec, "groups"),
			    json_new_str(doc, call->user.groups[i]));
	json_set(doc, object, STR("status"), json_new_obj(doc));
	return 0;
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json object,
			  struct json old, struct err *err)
{
	(void)err;
	certificate_prepare_update(doc, object, old, way_of(call), api_now(call->api));
	return 0;
}

typedef int check_fn(struct str pem, struct err *err);

/* What is wrong with PEM in base64; NULL: nothing. The text is in `err`. */
static const char *fault_in(struct json value, check_fn *check, struct err *err)
{
	AUTO(buf_done) struct buf pem = BUF_INIT(LIMIT_OBJECT_BYTES);

	if (base64_parse(json_str(value), &pem, err) < 0 || check(buf_str(&pem), err) < 0)
		return err->text;
	return NULL;
}

static void validate(struct json object, struct json old, struct causes *causes)
{
	struct json certificate = json_get(json_get(object, "status"), "certificate");
	struct json before = json_get(json_get(old, "status"), "certificate");
	struct err request_err;
	struct err certificate_err;
	struct certificate_faults faults = {
		.request = fault_in(json_get(json_get(object, "spec"), "request"),
				    cert_check_request, &request_err)};

	if (json_str(certificate).len && !rules_same(certificate, before))
		faults.certificate = fault_in(certificate, cert_check_issued, &certificate_err);
	certificate_validate(object, old, &faults, causes);
}

static void validate_create(struct call *call, struct json object, struct causes *causes)
{
	(void)call;
	validate(object, JSON_NONE, causes);
}

static void validate_update(struct call *call, struct json object, struct json old,
			    struct causes *causes)
{
	validate(object, old, causes);
	certificate_validate_update(object, old, way_of(call), causes);
}

const struct kind_ops kind_certificate_ops = {
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
};

const struct kind_sub kind_certificate_subs[] = {
	{.name = "approval", .verbs = VERBS_STATUS, .by_status = true},
	SUB_STATUS,
	SUB_END,
};
