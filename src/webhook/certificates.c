/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/certificates.c - see certificates.h. An informer has the one Secret. After each change of it, and when the
 * plan says so, the state is looked at; at most one write is under way.
 *
 * What must stay true: a write carries the version that it was decided on, so a conflict means that another replica
 * was faster, and its write is awaited. */
#include "webhook/certificates.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/informer.h"
#include "loop/loop.h"
#include "webhook/cert_plan.h"

#include "base/banned.h"

#define RETRY TIME_SECOND
#define LOOK_AT_LEAST TIME_HOUR /* the clock may be set */

struct certificates {
	struct loop *loop;
	struct client *client;
	char *namespace;
	char *secret;
	VEC(const char *) hosts;
	int64_t lifetime;
	certificate_fn *changed;
	bool (*is_trusted)(const void *arg, struct str bundle);
	void *arg;
	struct log *log;

	struct informer *informer;
	struct client_request *request;
	struct loop_defer defer;
	struct loop_timer *timer;
	struct cert_state used; /* what was reported last */
};

static struct cert_wish wish_of(const struct certificates *certificates)
{
	return (struct cert_wish){.hosts = certificates->hosts.ptr,
				  .host_count = certificates->hosts.len,
				  .lifetime = certificates->lifetime,
				  .now = loop_now(certificates->loop)};
}

/* --- writing --------------------------------------------------------------------------------- */

static void on_written(void *arg, const struct client_result *result)
{
	struct certificates *certificates = arg;

	certificates->request = NULL;
	if (result->err && result->err->code != ERR_CONFLICT &&
	    result->err->code != ERR_ALREADY_EXISTS)
		log_error(certificates->log, "cannot write the certificate",
			  LOG_STR("secret", certificates->secret),
			  LOG_STR("err", result->err->text));
	/* What was written, by this replica or another one, comes by the watch. */
	loop_timer_set(certificates->timer, RETRY);
}

static struct json_doc *new_secret(const struct certificates *certificates)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata;

	json_doc_set_root(doc, root);
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "name", str_from(certificates->secret));
	json_set_str(doc, metadata, "namespace", str_from(certificates->namespace));
	json_set_str(doc, root, "type", STR("Opaque"));
	return doc;
}

static void write_state(struct certificates *certificates, struct json_doc *old,
			const struct cert_state *state)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = old ? json_doc_thaw(json_doc_root(old)) : new_secret(certificates);

	json_set_str(doc, json_doc_root(doc), "apiVersion", STR("v1"));
	json_set_str(doc, json_doc_root(doc), "kind", STR("Secret"));
	cert_state_encode(state, doc, json_doc_root(doc));
	certificates->request = client_send(
		certificates->client,
		&(struct client_ask){.verb = old ? CLIENT_UPDATE : CLIENT_CREATE,
				     .resource = &resources[RESOURCE_SECRETS],
				     .namespace = str_from(certificates->namespace),
				     .name = old ? str_from(certificates->secret) : str_none(),
				     .body = doc,
				     .done = on_written,
				     .arg = certificates});
}

/* --- deciding -------------------------------------------------------------------------------- */

static void use(struct certificates *certificates, const struct cert_state *state)
{
	struct cert_state *used = &certificates->used;

	if (cert_state_eq(used, state))
		return;
	cert_state_done(used);
	*used = cert_state_copy(state);
	certificates->changed(certificates->arg, &used->pair, str_from(used->ca));
}

static void do_step(struct certificates *certificates, struct json_doc *old,
		    const struct cert_state *state, enum cert_step step)
{
	const struct cert_wish wish = wish_of(certificates);
	AUTO(cert_state_done) struct cert_state after = {0};
	struct err err;

	if (cert_plan_apply(state, step, &wish, &after, &err) < 0) {
		log_error(certificates->log, "cannot make a certificate", LOG_STR("err", err.text));
		loop_timer_set(certificates->timer, RETRY);
		return;
	}
	log_info(certificates->log, "certificate", LOG_STR("step", cert_step_name(step)));
	write_state(certificates, old, &after);
}

/* The Secret cannot be used: write again what is in use, if that can still be used, or make a new one. */
static void replace(struct certificates *certificates, struct json_doc *old,
		    const struct cert_state *state, const struct cert_plan *plan)
{
	const struct cert_wish wish = wish_of(certificates);
	struct cert_plan kept;

	cert_plan_decide(&certificates->used, &wish, &kept);
	if (old)
		log_warn(certificates->log, "cannot use the certificate in the Secret",
			 LOG_STR("secret", certificates->secret), LOG_STR("err", plan->why.text));
	if (kept.step != CERT_MAKE)
		write_state(certificates, old, &certificates->used);
	else
		do_step(certificates, old, state, CERT_MAKE);
}

static void look(void *arg)
{
	struct certificates *certificates = arg;
	const struct cert_wish wish = wish_of(certificates);
	struct json_doc *doc =
		informer_get(certificates->informer, str_from(certificates->namespace),
			     str_from(certificates->secret));
	AUTO(cert_state_done)
	struct cert_state state = cert_state_decode(doc ? json_doc_root(doc) : JSON_NONE);
	struct cert_plan plan;
	int64_t wait = LOOK_AT_LEAST;

	if (certificates->request || !informer_synced(certificates->informer))
		return;
	cert_plan_decide(&state, &wish, &plan);
	if (plan.step == CERT_MAKE) {
		replace(certificates, doc, &state, &plan);
		return;
	}
	use(certificates, &state);
	if (plan.step == CERT_SWITCH &&
	    !certificates->is_trusted(certificates->arg, str_from(state.ca)) &&
	    wish.now < plan.not_after) {
		loop_timer_set(certificates->timer, RETRY);
	} else if (plan.step != CERT_KEEP) {
		do_step(certificates, doc, &state, plan.step);
	} else {
		if (plan.again - wish.now < wait)
			wait = plan.again > wish.now ? plan.again - wish.now : 0;
		loop_timer_set(certificates->timer, wait);
	}
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	look(arg);
}

void certificates_look(struct certificates *certificates)
{
	loop_defer(certificates->loop, &certificates->defer, look, certificates);
}

static void on_synced(void *arg)
{
	certificates_look(arg);
}

static void on_object(void *arg, const struct informer_object *object)
{
	struct certificates *certificates = arg;

	if (str_is(object->name, certificates->secret))
		certificates_look(certificates);
}

/* --- life ------------------------------------------------------------------------------------ */

struct certificates *certificates_new(const struct certificates_options *options)
{
	const struct informer_events events = {on_object, on_object, on_object, on_synced};
	struct certificates *certificates = mem_new(struct certificates);
	AUTO(mem_free) char *selector = mem_printf("metadata.name=%s", options->secret);

	certificates->loop = options->loop;
	certificates->client = options->client;
	certificates->namespace = mem_strdup(options->namespace);
	certificates->secret = mem_strdup(options->secret);
	for (size_t i = 0; i < options->host_count; i++)
		vec_push(&certificates->hosts, mem_strdup(options->hosts[i]));
	certificates->lifetime = options->lifetime;
	certificates->changed = options->changed;
	certificates->is_trusted = options->is_trusted;
	certificates->arg = options->arg;
	certificates->log = options->log;
	certificates->timer = loop_timer_new(options->loop, on_timer, certificates);
	certificates->informer =
		informer_new(options->client,
			     &(struct informer_options){.resource = &resources[RESOURCE_SECRETS],
							.namespace = str_from(options->namespace),
							.field_selector = str_from(selector),
							.store = true,
							.log = options->log});
	informer_listen(certificates->informer, &events, certificates);
	informer_start(certificates->informer);
	return certificates;
}

void certificates_free(struct certificates *certificates)
{
	if (!certificates)
		return;
	client_cancel(certificates->request);
	loop_defer_cancel(certificates->loop, &certificates->defer);
	loop_timer_free(certificates->timer);
	informer_free(certificates->informer);
	cert_state_done(&certificates->used);
	for (size_t i = 0; i < certificates->hosts.len; i++)
		mem_free((void *)(uintptr_t)certificates->hosts.ptr[i]);
	vec_done(&certificates->hosts);
	mem_free(certificates->namespace);
	mem_free(certificates->secret);
	mem_free(certificates);
}
