/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/certificates.h - requests for certificates: their tables and rules. */
#ifndef MODEL_CERTIFICATES_H
#define MODEL_CERTIFICATES_H

#include <stdint.h>

#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

struct certificate_request {
	struct meta meta;
};
extern const struct type certificate_request_type;

/* The way by which a request changes. */
enum certificate_way {
	CERTIFICATE_MAIN,
	CERTIFICATE_STATUS,   /* sets the certificate */
	CERTIFICATE_APPROVAL, /* sets the conditions Approved and Denied */
};

/* What an update by this way may not touch is as it was; conditions without times get them. */
void certificate_prepare_update(struct json_doc *doc, struct json object, struct json old,
				enum certificate_way way, int64_t now);

/* What a reader of PEM finds wrong. */
struct certificate_faults {
	const char *request;     /* with spec.request; NULL: nothing */
	const char *certificate; /* with status.certificate */
};
void certificate_validate(struct json object, struct json old,
			  const struct certificate_faults *faults, struct causes *causes);
/* What an update adds. */
void certificate_validate_update(struct json object, struct json old, enum certificate_way way,
				 struct causes *causes);

#endif
