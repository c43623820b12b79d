/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a certificate, step by step; certificates of others; and what cannot be used. */
#include "webhook/cert_plan.h"

#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "tap.h"
#include "webhook/ca_bundle.h"

#include "base/banned.h"

#define START INT64_C(1767225600000000) /* 2026-01-01 */

static const char *const hosts[] = {"svc.ns.svc", "svc.ns", "svc"};
static struct cert_wish wish = {hosts, 3, 30 * TIME_DAY, START};

static enum cert_step step_of(const struct cert_state *state)
{
	struct cert_plan plan;

	cert_plan_decide(state, &wish, &plan);
	return plan.step;
}

/* When the plan says that there is something to do. */
static int64_t again_of(const struct cert_state *state)
{
	struct cert_plan plan;

	cert_plan_decide(state, &wish, &plan);
	return plan.again;
}

static void take_step(struct cert_state *state, enum cert_step step)
{
	AUTO(cert_state_done) struct cert_state after = {0};
	struct err err = {0};

	if (cert_plan_apply(state, step, &wish, &after, &err) < 0) {
		ok(false, "%s: %s", cert_step_name(step), err.text);
		return;
	}
	cert_state_done(state);
	*state = after;
	after = (struct cert_state){0};
}

static bool same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool trusts(const char *ca, const char *cert)
{
	return cert_check(&(struct cert_check){.cert = str_from(cert),
					       .ca = str_from(ca),
					       .now = wish.now,
					       .use = CERT_USE_SERVER},
			  NULL) == 0;
}

static void check_life(void)
{
	AUTO(cert_state_done) struct cert_state state = {0};
	AUTO(cert_state_done) struct cert_state first = {0};

	ok(step_of(&state) == CERT_MAKE, "without a certificate one is made");
	take_step(&state, CERT_MAKE);
	first = cert_state_copy(&state);
	ok(step_of(&state) == CERT_KEEP && trusts(state.ca, state.pair.cert) && !state.next.cert,
	   "which is then kept");
	ok(ca_bundle_len(str_from(state.ca)) == 1, "with the one CA that signed it");
	ok(again_of(&state) == START + 20 * TIME_DAY, "until a third of its life is left");
	wish.now = again_of(&state) - 1;
	ok(step_of(&state) == CERT_KEEP, "not earlier");
	wish.now++;
	ok(step_of(&state) == CERT_ANNOUNCE, "then the next one is announced");
	take_step(&state, CERT_ANNOUNCE);
	ok(step_of(&state) == CERT_KEEP && same(state.pair.cert, first.pair.cert),
	   "the first one stays in use");
	ok(trusts(state.ca, state.pair.cert) && trusts(state.ca, state.next.cert) &&
		   !trusts(first.ca, state.next.cert),
	   "both are trusted from then on");
	ok(again_of(&state) == wish.now + 10 * TIME_MINUTE, "for ten minutes");
	wish.now = again_of(&state);
	ok(step_of(&state) == CERT_SWITCH, "then the next one is used");
	take_step(&state, CERT_SWITCH);
	ok(!state.next.cert && !same(state.pair.cert, first.pair.cert) &&
		   trusts(state.ca, first.pair.cert),
	   "while the first one is still trusted, for replicas that have not seen it");
	ok(step_of(&state) == CERT_KEEP && again_of(&state) == wish.now + 20 * TIME_MINUTE,
	   "for twenty minutes");
	wish.now = again_of(&state);
	ok(step_of(&state) == CERT_DROP, "then its CA is dropped");
	take_step(&state, CERT_DROP);
	ok(step_of(&state) == CERT_KEEP && trusts(state.ca, state.pair.cert) &&
		   !trusts(state.ca, first.pair.cert) && ca_bundle_len(str_from(state.ca)) == 1,
	   "and the new one is as the first one was");
	wish.now = START;
}

static void check_unusable(void)
{
	static const char *const others[] = {"other.ns.svc"};
	AUTO(cert_state_done) struct cert_state state = {0};
	AUTO(cert_state_done) struct cert_state other = {0};
	AUTO(mem_free) char *key = NULL;
	struct cert_wish here = wish;

	take_step(&state, CERT_MAKE);
	take_step(&other, CERT_MAKE);
	wish.hosts = others;
	wish.host_count = 1;
	ok(step_of(&state) == CERT_MAKE, "a certificate for other names is replaced at once");
	take_step(&state, CERT_MAKE);
	ok(step_of(&state) == CERT_KEEP && ca_bundle_len(str_from(state.ca)) == 2,
	   "its CA stays a while");
	wish = here;
	cert_state_done(&state);
	take_step(&state, CERT_MAKE);
	key = state.pair.key;
	state.pair.key = mem_strdup(other.pair.key);
	ok(step_of(&state) == CERT_MAKE, "so is one with the key of another");
	mem_free(state.pair.key);
	state.pair.key = mem_strdup("rubbish");
	ok(step_of(&state) == CERT_MAKE, "or with a key that is none");
	mem_free(state.pair.key);
	state.pair.key = TAKE(key);
	ok(step_of(&state) == CERT_KEEP, "not one with its own");
	mem_free(state.ca);
	state.ca = mem_strdup(other.ca);
	ok(step_of(&state) == CERT_MAKE, "or with the CA of another");
	take_step(&state, CERT_MAKE);
	ok(trusts(state.ca, other.pair.cert) && trusts(state.ca, state.pair.cert),
	   "that CA is kept, since replicas may use it");
	wish.now += 31 * TIME_DAY;
	ok(step_of(&state) == CERT_MAKE, "an expired one is replaced");
	take_step(&state, CERT_MAKE);
	ok(ca_bundle_len(str_from(state.ca)) == 1, "without the CAs that have expired");
	wish.now = START;
}

/* The middle of a change, found by a replica that starts. */
static void check_middle(void)
{
	AUTO(cert_state_done) struct cert_state state = {0};
	AUTO(cert_state_done) struct cert_state broken = {0};

	take_step(&state, CERT_MAKE);
	wish.now += 25 * TIME_DAY;
	take_step(&state, CERT_ANNOUNCE);
	broken = cert_state_copy(&state);
	mem_free(TAKE(broken.next.key));
	ok(step_of(&broken) == CERT_ANNOUNCE, "half of a next pair is announced again");
	wish.now = START + 30 * TIME_DAY - TIME_MINUTE;
	take_step(&broken, CERT_ANNOUNCE);
	ok(step_of(&broken) == CERT_SWITCH, "just before the end there is no time to wait");
	wish.now = START + 29 * TIME_DAY;
	ok(step_of(&state) == CERT_SWITCH, "after an outage it goes on where it was");
	wish.now = START;
}

static void check_secret(void)
{
	AUTO(cert_state_done) struct cert_state state = {0};
	AUTO(cert_state_done) struct cert_state back = {0};
	AUTO(json_doc_unref)
	struct json_doc *doc = json_doc_new();

	json_doc_set_root(doc, json_new_obj(doc));
	json_set_str(doc, json_ensure_obj(doc, json_doc_root(doc), "data"), "mine", STR("eA=="));
	take_step(&state, CERT_MAKE);
	take_step(&state, CERT_ANNOUNCE);
	cert_state_encode(&state, doc, json_doc_root(doc));
	back = cert_state_decode(json_doc_root(doc));
	ok(cert_state_eq(&state, &back), "a Secret holds the whole state");
	take_step(&state, CERT_SWITCH);
	cert_state_encode(&state, doc, json_doc_root(doc));
	cert_state_done(&back);
	back = cert_state_decode(json_doc_root(doc));
	ok(cert_state_eq(&state, &back) && json_len(json_get(json_doc_root(doc), "data")) == 4,
	   "what is over leaves it, what others put there stays");
}

static void check_bundles(void)
{
	AUTO(cert_state_done) struct cert_state a = {0};
	AUTO(cert_state_done) struct cert_state b = {0};
	AUTO(buf_done) struct buf both = BUF_UNBOUNDED;

	take_step(&a, CERT_MAKE);
	take_step(&b, CERT_MAKE);
	buf_printf(&both, "a comment\r\n%s\nmore\n%s", a.ca, b.ca);
	ok(ca_bundle_len(buf_str(&both)) == 2, "text between certificates is skipped");
	ok(ca_bundle_has(buf_str(&both), str_from(a.ca)) &&
		   !ca_bundle_has(str_from(a.ca), buf_str(&both)),
	   "a bundle has what is in it");
	ca_bundle_add(&both, str_from(a.ca), &(struct ca_bundle_filter){.now = wish.now, .max = 9});
	ok(ca_bundle_len(buf_str(&both)) == 2, "nothing is added twice");
	ok(ca_bundle_len(STR("-----BEGIN CERTIFICATE-----\nabc")) == 0,
	   "half a certificate is none");
}

int main(void)
{
	check_life();
	check_unusable();
	check_middle();
	check_secret();
	check_bundles();
	return tap_done();
}
