/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/review.h - one AdmissionReview (admission.k8s.io/v1): read it, decide it by the rule of a path, print the
 * answer.
 *
 *	struct review review;
 *	if (review_parse(body, arena, &review, err) < 0) ...	400: this is no review
 *	outcome = review_decide(&review, hook, &setup, &answer);
 *	review_done(&review);
 *
 * Nothing here does I/O: what rules read from the cluster comes from `setup`. */
#ifndef WEBHOOK_REVIEW_H
#define WEBHOOK_REVIEW_H

#include "admission/admission.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct arena;

struct review {
	struct json_doc *doc;
	struct str uid;
	struct str operation; /* as sent */
	struct admission_review admission;
};

enum review_outcome {
	REVIEW_ALLOWED,
	REVIEW_CHANGED, /* allowed, with a patch */
	REVIEW_REFUSED,
	REVIEW_FAILED, /* no decision: of requests that are no reviews */
	REVIEW_OUTCOME_COUNT
};
/* "allowed", "changed", "refused", "error": for metrics. */
const char *review_outcome_name(enum review_outcome outcome);

/* ERR_BAD_REQUEST if the text is no AdmissionReview of this version: not JSON, a field twice, of another kind,
 * without a request or its uid, with fields of a wrong type. The views are valid until review_done(). */
int review_parse(struct str body, struct arena *arena, struct review *ret,
		 struct err *err) MUST_CHECK;
void review_done(struct review *review);
DEFINE_AUTO_IN_PLACE(struct review, review_done);

/* Appends the AdmissionReview that answers it. A review of another resource or operation than the path is for is
 * refused. */
enum review_outcome review_decide(const struct review *review, const struct admission_hook *hook,
				  const struct admission_setup *setup, struct buf *answer);

#endif
