/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cert_plan.h - the life of the webhook's own certificate, as data: what is in the Secret, what to do next,
 * and what is in it after that.
 *
 * Each certificate has a CA of its own, whose key is thrown away when it has signed: there is no CA key to lose.
 * Nothing fails while a certificate is replaced, because that takes four writes:
 *
 *	keep	 until a third of its life is left
 *	announce the next pair is made; its CA goes into ca.crt, and from there into the configurations
 *	switch	 after a while, and when every configuration has that CA: the next pair becomes the one in use
 *	drop	 after another while, when every replica uses it: the old CA leaves ca.crt
 *
 * Only what cannot be used at all (none, expired, for other names) is replaced at once. The keys of the Secret are
 * upstream's: tls.crt, tls.key, ca.crt; next.crt and next.key between the second step and the third. */
#ifndef WEBHOOK_CERT_PLAN_H
#define WEBHOOK_CERT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "http/cert.h"
#include "json/doc.h"

/* PEM texts, NULL where there is none; owned. */
struct cert_state {
	struct cert_pair pair;
	struct cert_pair next;
	char *ca;
};
void cert_state_done(struct cert_state *state);
DEFINE_AUTO_IN_PLACE(struct cert_state, cert_state_done);
struct cert_state cert_state_copy(const struct cert_state *state);
bool cert_state_eq(const struct cert_state *a, const struct cert_state *b);
/* From a Secret and into one; other keys of it stay. */
struct cert_state cert_state_decode(struct json secret);
void cert_state_encode(const struct cert_state *state, struct json_doc *doc, struct json secret);

struct cert_wish {
	const char *const *hosts; /* that callers use; the first is the certificate's name */
	size_t host_count;
	int64_t lifetime; /* of new certificates, microseconds */
	int64_t now;
};

enum cert_step { CERT_KEEP, CERT_MAKE, CERT_ANNOUNCE, CERT_SWITCH, CERT_DROP, CERT_STEP_COUNT };
const char *cert_step_name(enum cert_step step);

struct cert_plan {
	enum cert_step step;
	int64_t again;     /* with CERT_KEEP: when there is something to do */
	struct err why;    /* with CERT_MAKE: what is wrong with the one that is there */
	int64_t not_after; /* of the one in use; 0: none */
};
void cert_plan_decide(const struct cert_state *state, const struct cert_wish *wish,
		      struct cert_plan *ret);
/* The state after a step; `ret` must be empty. */
int cert_plan_apply(const struct cert_state *state, enum cert_step step,
		    const struct cert_wish *wish, struct cert_state *ret,
		    struct err *err) MUST_CHECK;

#endif
