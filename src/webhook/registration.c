/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/registration.c - see registration.h. Informers have the configurations; each change of one is looked at, and
 * what is wrong is written, at most once a second per object.
 *
 * The whole object is brought into our form once per process and after a change of settings; later only its CAs are
 * kept. Otherwise two replicas of different releases would overwrite each other forever. */
#include "webhook/registration.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "client/informer.h"
#include "loop/loop.h"
#include "webhook/configuration.h"

#include "base/banned.h"

#define PAUSE TIME_SECOND

struct row {
	struct registration *registration;
	const struct admission_hook *hook;
	struct client_request *request;
	int64_t written; /* uptime of the last write; < 0: none */
	bool settled;    /* is in our form */
	bool failed;     /* and that was logged */
};

struct registration {
	struct registration_options options;
	struct informer *mutating;
	struct informer *validating;
	struct informer *endpoints; /* of the service; NULL: not needed */
	struct row *rows;
	size_t row_count;
	char *bundle;
	bool started;
	struct loop_defer defer;
	struct loop_timer *timer;
};

/* --- what is there --------------------------------------------------------------------------- */

static const struct informer *informer_of(const struct registration *registration,
					  const struct admission_hook *hook)
{
	return hook->mutate ? registration->mutating : registration->validating;
}

static struct json_doc *find(const struct row *row)
{
	char name[CONFIGURATION_NAME_SIZE];

	return informer_get(informer_of(row->registration, row->hook), str_none(),
			    str_from(configuration_name(row->hook, name)));
}

/* Does the service lead to a replica that is ready? */
static bool has_endpoint(const struct registration *registration)
{
	const struct configuration_settings *settings = registration->options.settings;
	struct json_doc *doc;
	struct json_iter it;
	struct client_denial denial;
	size_t at = 0;

	if (!registration->endpoints)
		return true;
	doc = informer_get(registration->endpoints, str_from(settings->namespace),
			   str_from(settings->service));
	it = json_iter(doc ? json_get(json_doc_root(doc), "subsets") : JSON_NONE);
	while (json_next(&it))
		if (json_len(json_get(it.value, "addresses")))
			return true;
	/* Without the permission to see them the installer has to take care of the order. */
	while (client_next_denial(registration->options.client, &at, &denial))
		if (denial.resource == &resources[RESOURCE_ENDPOINTS])
			return true;
	return false;
}

static bool is_synced(const struct registration *registration)
{
	return informer_synced(registration->mutating) &&
	       informer_synced(registration->validating) &&
	       (!registration->endpoints || informer_synced(registration->endpoints));
}

/* --- writing --------------------------------------------------------------------------------- */

static void look_soon(struct registration *registration);

static void on_written(void *arg, const struct client_result *result)
{
	struct row *row = arg;
	struct registration *registration = row->registration;
	char name[CONFIGURATION_NAME_SIZE];

	row->request = NULL;
	if (!result->err) {
		row->settled = true;
		row->failed = false;
		log_info(registration->options.log, "webhook configuration written",
			 LOG_STR("name", configuration_name(row->hook, name)));
		return;
	}
	/* The other replica's write is seen soon. */
	if (!row->failed && result->err->code != ERR_CONFLICT &&
	    result->err->code != ERR_ALREADY_EXISTS) {
		row->failed = true;
		log_warn(registration->options.log, "cannot write the webhook configuration",
			 LOG_STR("name", configuration_name(row->hook, name)),
			 LOG_STR("err", result->err->text));
	}
	look_soon(registration);
}

static void write_row(struct row *row, enum client_verb verb, struct json_doc *body)
{
	struct registration *registration = row->registration;
	char name[CONFIGURATION_NAME_SIZE];

	row->written = loop_uptime(registration->options.loop);
	row->request = client_send(
		registration->options.client,
		&(struct client_ask){.verb = verb,
				     .resource = configuration_resource(row->hook),
				     .name = verb == CLIENT_UPDATE
						     ? str_from(configuration_name(row->hook, name))
						     : str_none(),
				     .body = body,
				     .done = on_written,
				     .arg = row});
}

static void look_at(struct row *row)
{
	struct registration *registration = row->registration;
	const struct configuration_settings *settings = registration->options.settings;
	int64_t now = loop_uptime(registration->options.loop);
	AUTO(json_doc_unref) struct json_doc *body = NULL;
	struct json_doc *doc = find(row);

	if (row->request)
		return;
	if (!doc && configuration_is_needed(row->hook, &settings->admission) &&
	    has_endpoint(registration))
		body = configuration_new(row->hook, settings, str_from(registration->bundle));
	else if (doc)
		body = configuration_update(json_doc_root(doc), row->hook, settings,
					    &(struct configuration_change){
						    .bundle = str_from(registration->bundle),
						    .exact = registration->options.exact,
						    .whole = !row->settled,
						    .now = loop_now(registration->options.loop)});
	if (!body) {
		row->settled = row->settled || doc;
		return;
	}
	if (row->written >= 0 && now - row->written < PAUSE) {
		loop_timer_set(registration->timer, PAUSE - (now - row->written));
		return;
	}
	write_row(row, doc ? CLIENT_UPDATE : CLIENT_CREATE, body);
}

static void look(void *arg)
{
	struct registration *registration = arg;

	if (!registration->started || !registration->bundle || !is_synced(registration))
		return;
	for (size_t i = 0; i < registration->row_count; i++)
		look_at(&registration->rows[i]);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	look(arg);
}

static void look_now(struct registration *registration)
{
	loop_defer(registration->options.loop, &registration->defer, look, registration);
}

static void look_soon(struct registration *registration)
{
	if (!loop_timer_is_set(registration->timer))
		loop_timer_set(registration->timer, PAUSE);
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_synced(void *arg)
{
	struct registration *registration = arg;

	look_now(registration);
	if (registration->options.changed)
		registration->options.changed(registration->options.arg);
}

static void on_object(void *arg, const struct informer_object *object)
{
	struct registration *registration = arg;

	if (!str_starts(object->name, STR("volcano-admission-service")) &&
	    !str_is(object->name, registration->options.settings->service))
		return;
	if (is_synced(registration))
		on_synced(registration);
}

static struct informer *watch(struct registration *registration, enum resource_id resource,
			      struct str namespace, struct str field_selector)
{
	const struct informer_events events = {on_object, on_object, on_object, on_synced};
	struct informer *informer =
		informer_new(registration->options.client,
			     &(struct informer_options){.resource = &resources[resource],
							.namespace = namespace,
							.field_selector = field_selector,
							.store = true,
							.optional = resource == RESOURCE_ENDPOINTS,
							.log = registration->options.log});

	informer_listen(informer, &events, registration);
	informer_start(informer);
	return informer;
}

static bool is_enabled(const struct admission_hook *hook, struct strs enabled)
{
	for (size_t i = 0; i < enabled.len; i++)
		if (str_is(enabled.ptr[i], hook->path))
			return true;
	return enabled.len == 0;
}

struct registration *registration_new(const struct registration_options *options)
{
	struct registration *registration = mem_new(struct registration);
	const struct configuration_settings *settings = options->settings;

	registration->options = *options;
	registration->timer = loop_timer_new(options->loop, on_timer, registration);
	registration->rows = mem_calloc(admission_hook_count, sizeof(*registration->rows));
	for (size_t i = 0; i < admission_hook_count; i++)
		if (is_enabled(&admission_hooks[i], settings->admission.enabled))
			registration->rows[registration->row_count++] =
				(struct row){.registration = registration,
					     .hook = &admission_hooks[i],
					     .written = -1};
	registration->mutating =
		watch(registration, RESOURCE_MUTATINGWEBHOOKS, str_none(), str_none());
	registration->validating =
		watch(registration, RESOURCE_VALIDATINGWEBHOOKS, str_none(), str_none());
	if (!settings->url) {
		AUTO(mem_free) char *selector = mem_printf("metadata.name=%s", settings->service);

		registration->endpoints = watch(registration, RESOURCE_ENDPOINTS,
						str_from(settings->namespace), str_from(selector));
	}
	return registration;
}

void registration_free(struct registration *registration)
{
	if (!registration)
		return;
	for (size_t i = 0; i < registration->row_count; i++)
		client_cancel(registration->rows[i].request);
	loop_defer_cancel(registration->options.loop, &registration->defer);
	loop_timer_free(registration->timer);
	informer_free(registration->mutating);
	informer_free(registration->validating);
	informer_free(registration->endpoints);
	mem_free(registration->rows);
	mem_free(registration->bundle);
	mem_free(registration);
}

void registration_start(struct registration *registration)
{
	registration->started = true;
	look_now(registration);
}

void registration_set_bundle(struct registration *registration, struct str bundle)
{
	mem_free(registration->bundle);
	registration->bundle = str_dup(bundle);
	look_now(registration);
}

void registration_configure(struct registration *registration)
{
	for (size_t i = 0; i < registration->row_count; i++)
		registration->rows[i].settled = false;
	look_now(registration);
}

bool registration_trusts(const struct registration *registration, struct str bundle)
{
	if (!is_synced(registration))
		return false;
	for (size_t i = 0; i < registration->row_count; i++) {
		struct json_doc *doc = find(&registration->rows[i]);

		if (doc && !configuration_trusts(json_doc_root(doc), bundle))
			return false;
	}
	return true;
}

void registration_print_missing(const struct registration *registration, struct buf *to)
{
	const struct admission_config *admission = &registration->options.settings->admission;
	char name[CONFIGURATION_NAME_SIZE];

	for (size_t i = 0; i < registration->row_count; i++) {
		const struct row *row = &registration->rows[i];

		if (configuration_is_needed(row->hook, admission) && !find(row))
			buf_printf(to, "%s is not registered yet\n",
				   configuration_name(row->hook, name));
	}
	if (is_synced(registration) && !has_endpoint(registration))
		buf_printf(to, "the service %s has no endpoint yet\n",
			   registration->options.settings->service);
}
