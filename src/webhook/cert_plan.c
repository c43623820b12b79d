/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cert_plan.c - see cert_plan.h. Everything follows from the certificates themselves and the time: a replica
 * that starts in the middle goes on where another one stopped. */
#include "webhook/cert_plan.h"

#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "webhook/ca_bundle.h"

#include "base/banned.h"

enum { CA_MAX = 4, LIFE_PARTS = 3, OVERLAP_PARTS = 30 };
#define OVERLAP_MAX (10 * TIME_MINUTE)

/* --- states ---------------------------------------------------------------------------------- */

void cert_state_done(struct cert_state *state)
{
	cert_pair_done(&state->pair);
	cert_pair_done(&state->next);
	mem_free(TAKE(state->ca));
}

static char *copy(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static struct cert_pair copy_pair(const struct cert_pair *pair)
{
	return (struct cert_pair){.cert = copy(pair->cert), .key = copy(pair->key)};
}

struct cert_state cert_state_copy(const struct cert_state *state)
{
	return (struct cert_state){.pair = copy_pair(&state->pair),
				   .next = copy_pair(&state->next),
				   .ca = copy(state->ca)};
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool cert_state_eq(const struct cert_state *a, const struct cert_state *b)
{
	return same(a->pair.cert, b->pair.cert) && same(a->pair.key, b->pair.key) &&
	       same(a->next.cert, b->next.cert) && same(a->next.key, b->next.key) &&
	       same(a->ca, b->ca);
}

static char *decode(struct json secret, const char *key)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str value = json_str(json_get(json_get(secret, "data"), key));

	if (!value.len || base64_parse(value, &text, NULL) < 0 || !text.len)
		return NULL;
	return buf_take(&text);
}

struct cert_state cert_state_decode(struct json secret)
{
	return (struct cert_state){
		.pair = {decode(secret, "tls.crt"), decode(secret, "tls.key")},
		.next = {decode(secret, "next.crt"), decode(secret, "next.key")},
		.ca = decode(secret, "ca.crt"),
	};
}

void cert_state_encode(const struct cert_state *state, struct json_doc *doc, struct json secret)
{
	const struct {
		const char *key, *text;
	} rows[] = {
		{"tls.crt", state->pair.cert},  {"tls.key", state->pair.key},
		{"next.crt", state->next.cert}, {"next.key", state->next.key},
		{"ca.crt", state->ca},
	};
	struct json data = json_ensure_obj(doc, secret, "data");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		if (!rows[i].text) {
			(void)json_remove(doc, data, str_from(rows[i].key));
			continue;
		}
		base64_print(&text, rows[i].text, strlen(rows[i].text));
		json_set_str(doc, data, rows[i].key, buf_str(&text));
	}
}

/* --- deciding -------------------------------------------------------------------------------- */

const char *cert_step_name(enum cert_step step)
{
	static const char *const names[CERT_STEP_COUNT] = {
		[CERT_KEEP] = "keep",     [CERT_MAKE] = "make", [CERT_ANNOUNCE] = "announce",
		[CERT_SWITCH] = "switch", [CERT_DROP] = "drop",
	};

	return names[step];
}

/* Can a server use this pair now? */
static int check_pair(const struct cert_pair *pair, const char *ca, const struct cert_wish *wish,
		      struct err *err)
{
	if (!pair->cert || !pair->key || !ca)
		return err_set(err, ERR_NOT_FOUND, "tls.crt, tls.key or ca.crt is missing");
	if (cert_check(&(struct cert_check){.cert = str_from(pair->cert),
					    .key = str_from(pair->key),
					    .ca = str_from(ca),
					    .now = wish->now,
					    .use = CERT_USE_SERVER},
		       err) < 0)
		return -1;
	for (size_t i = 0; i < wish->host_count; i++)
		if (!cert_has_host(str_from(pair->cert), wish->hosts[i]))
			return err_set(err, ERR_INVALID, "it is not valid for %s", wish->hosts[i]);
	return 0;
}

/* When a pair was made, and its whole life. */
struct life {
	int64_t made;
	int64_t end;
	int64_t renew;   /* when a third is left */
	int64_t overlap; /* how long callers and replicas get to see a change */
};

static int read_life(const char *cert, struct life *ret, struct err *err)
{
	AUTO(cert_info_done) struct cert_info info = {0};
	int64_t life;

	if (cert_info_parse(str_from(cert), &info, err) < 0)
		return -1;
	ret->made = info.not_before + CERT_BACKDATE;
	ret->end = info.not_after;
	life = ret->end > ret->made ? ret->end - ret->made : 0;
	ret->renew = ret->end - life / LIFE_PARTS;
	ret->overlap = life / OVERLAP_PARTS < OVERLAP_MAX ? life / OVERLAP_PARTS : OVERLAP_MAX;
	return 0;
}

/* CAs that did not sign the certificate in use. */
static bool has_old_ca(const struct cert_state *state, int64_t now)
{
	AUTO(buf_done) struct buf used = BUF_UNBOUNDED;

	ca_bundle_add(&used, str_from(state->ca),
		      &(struct ca_bundle_filter){
			      .now = now, .signs = str_from(state->pair.cert), .max = CA_MAX});
	return !ca_bundle_has(buf_str(&used), str_from(state->ca));
}

static void decide_next(const struct cert_state *state, const struct cert_wish *wish,
			const struct life *life, struct cert_plan *ret)
{
	struct life next;

	if (check_pair(&state->next, state->ca, wish, NULL) < 0 ||
	    read_life(state->next.cert, &next, NULL) < 0) {
		ret->step = CERT_ANNOUNCE;
		return;
	}
	ret->again = next.made + next.overlap;
	/* Rather too early than not at all. */
	if (wish->now >= ret->again || wish->now >= life->end - life->overlap)
		ret->step = CERT_SWITCH;
}

void cert_plan_decide(const struct cert_state *state, const struct cert_wish *wish,
		      struct cert_plan *ret)
{
	struct life life;

	*ret = (struct cert_plan){.step = CERT_MAKE};
	if (check_pair(&state->pair, state->ca, wish, &ret->why) < 0 ||
	    read_life(state->pair.cert, &life, &ret->why) < 0)
		return;
	ret->step = CERT_KEEP;
	ret->not_after = life.end;
	ret->again = life.renew;
	if (state->next.cert || state->next.key) {
		decide_next(state, wish, &life, ret);
	} else if (wish->now >= life.renew) {
		ret->step = CERT_ANNOUNCE;
	} else if (has_old_ca(state, wish->now)) {
		int64_t drop = life.made + 3 * life.overlap;

		if (wish->now >= drop)
			ret->step = CERT_DROP;
		else if (drop < ret->again)
			ret->again = drop;
	}
}

/* --- doing ----------------------------------------------------------------------------------- */

static int new_pair(const struct cert_wish *wish, struct cert_pair *ret, struct cert_pair *ret_ca,
		    struct err *err)
{
	const struct cert_request request = {.name = wish->hosts[0],
					     .hosts = wish->hosts,
					     .host_count = wish->host_count,
					     .now = wish->now,
					     .lifetime = wish->lifetime};

	if (cert_new_ca(&request, ret_ca, err) < 0)
		return -1;
	return cert_new_server(ret_ca, &request, ret, err);
}

static char *join(const char *first, const char *others, const struct cert_wish *wish,
		  const char *signs)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct ca_bundle_filter filter = {
		.now = wish->now, .signs = str_from(signs), .max = CA_MAX};

	if (first)
		ca_bundle_add(&text, str_from(first), &filter);
	if (others)
		ca_bundle_add(&text, str_from(others), &filter);
	return buf_take(&text);
}

int cert_plan_apply(const struct cert_state *state, enum cert_step step,
		    const struct cert_wish *wish, struct cert_state *ret, struct err *err)
{
	AUTO(cert_pair_done) struct cert_pair ca = {0};
	AUTO(cert_pair_done) struct cert_pair pair = {0};

	if ((step == CERT_MAKE || step == CERT_ANNOUNCE) && new_pair(wish, &pair, &ca, err) < 0)
		return -1;
	*ret = cert_state_copy(state);
	if (step == CERT_MAKE || step == CERT_SWITCH) {
		cert_pair_done(&ret->pair);
		ret->pair = step == CERT_MAKE ? cert_pair_take(&pair) : cert_pair_take(&ret->next);
		cert_pair_done(&ret->next);
	} else if (step == CERT_ANNOUNCE) {
		cert_pair_done(&ret->next);
		ret->next = cert_pair_take(&pair);
	}
	if (step == CERT_MAKE || step == CERT_ANNOUNCE || step == CERT_DROP) {
		mem_free(ret->ca);
		ret->ca =
			join(ca.cert, state->ca, wish, step == CERT_DROP ? state->pair.cert : NULL);
	}
	return 0;
}
