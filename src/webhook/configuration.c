/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/configuration.c - see configuration.h. Every field is written, also where it is the server's default, so that
 * an object which is read back can be compared. */
#include "webhook/configuration.h"

#include <stdio.h>

#include "admission/groups.h"
#include "base/base64.h"
#include "base/mem.h"
#include "webhook/ca_bundle.h"

#include "base/banned.h"

enum { CA_MAX = 8, TIMEOUT_SECONDS = 10, SERVICE_PORT = 443 };

/* --- names ----------------------------------------------------------------------------------- */

const struct resource *configuration_resource(const struct admission_hook *hook)
{
	return &resources[hook->mutate ? RESOURCE_MUTATINGWEBHOOKS : RESOURCE_VALIDATINGWEBHOOKS];
}

const char *configuration_name(const struct admission_hook *hook,
			       char text[CONFIGURATION_NAME_SIZE])
{
	(void)snprintf(text, CONFIGURATION_NAME_SIZE, "volcano-admission-service%s", hook->path);
	for (char *c = text; *c; c++)
		if (*c == '/')
			*c = '-';
	return text;
}

static const struct resource *reviewed_resource(const struct admission_hook *hook)
{
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (str_is(resources[i].group, hook->group) &&
		    str_is(resources[i].plural, hook->resource))
			return &resources[i];
	return NULL;
}

/* --- which pods ------------------------------------------------------------------------------ */

static bool is_for_pods(const struct admission_hook *hook)
{
	return !hook->group[0];
}

bool configuration_is_needed(const struct admission_hook *hook,
			     const struct admission_config *admission)
{
	if (!is_for_pods(hook) || !hook->mutate)
		return true;
	return admission->groups && (admission->groups->len || admission->queue_gates);
}

#define ANNOTATIONS "has(object.metadata.annotations) && "
#define HAS_ANNOTATION(key) "'" key "' in object.metadata.annotations"
#define HAS_GATE HAS_ANNOTATION("scheduling.volcano.sh/queue-allocation-gate")
#define HAS_MIN HAS_ANNOTATION("volcano.sh/jdb-min-available")
#define HAS_MAX HAS_ANNOTATION("volcano.sh/jdb-max-unavailable")

/* CEL that is true of the pods that the path can say something about; "": of all. */
static void put_condition(const struct admission_hook *hook,
			  const struct admission_config *admission, struct buf *to)
{
	if (hook->mutate) {
		if (!admission->groups || !admission->groups->len)
			buf_puts(to, ANNOTATIONS HAS_GATE);
		return;
	}
	buf_puts(to, "has(object.spec.schedulerName) && object.spec.schedulerName in [");
	for (size_t i = 0; i < admission->scheduler_names.len; i++) {
		buf_puts(to, i ? ", \"" : "\"");
		buf_put_json(to, admission->scheduler_names.ptr[i]);
		buf_putc(to, '"');
	}
	buf_puts(to, "] && " ANNOTATIONS "(" HAS_MIN " || " HAS_MAX ")");
}

static void put_conditions(struct json_doc *doc, struct json webhook,
			   const struct admission_hook *hook,
			   const struct admission_config *admission)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json condition;

	put_condition(hook, admission, &text);
	if (!text.len)
		return;
	condition = json_new_obj(doc);
	json_set_str(doc, condition, "name", STR("concerned"));
	json_set_str(doc, condition, "expression", buf_str(&text));
	json_append(doc, json_ensure_arr(doc, webhook, "matchConditions"), condition);
}

/* --- a webhook ------------------------------------------------------------------------------- */

static void append(struct json_doc *doc, struct json object, const char *key, struct str value)
{
	json_append(doc, json_ensure_arr(doc, object, key), json_new_str(doc, value));
}

static struct json new_rule(struct json_doc *doc, const struct admission_hook *hook)
{
	static const struct {
		unsigned operation;
		struct str name;
	} rows[] = {
		{ADMISSION_CREATE, STR_INIT("CREATE")},
		{ADMISSION_UPDATE, STR_INIT("UPDATE")},
		{ADMISSION_DELETE, STR_INIT("DELETE")},
	};
	const struct resource *resource = reviewed_resource(hook);
	struct json rule = json_new_obj(doc);

	append(doc, rule, "apiGroups", str_from(hook->group));
	append(doc, rule, "apiVersions", resource ? resource->version : STR("*"));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (hook->operations & rows[i].operation)
			append(doc, rule, "operations", rows[i].name);
	append(doc, rule, "resources", str_from(hook->resource));
	json_set_str(doc, rule, "scope", STR("*"));
	return rule;
}

static bool is_cluster_wide(const struct admission_hook *hook)
{
	return str_is(str_from(hook->resource), "hypernodes");
}

static struct json new_selector(struct json_doc *doc, const struct admission_hook *hook,
				const struct configuration_settings *settings)
{
	struct json selector = json_new_obj(doc);
	struct json expression = json_new_obj(doc);

	if (is_cluster_wide(hook))
		return selector;
	json_set_str(doc, expression, "key", STR("kubernetes.io/metadata.name"));
	json_set_str(doc, expression, "operator", STR("NotIn"));
	if (settings->namespace)
		append(doc, expression, "values", str_from(settings->namespace));
	for (size_t i = 0; i < settings->ignored.len; i++)
		if (!str_is(settings->ignored.ptr[i], settings->namespace))
			append(doc, expression, "values", settings->ignored.ptr[i]);
	if (json_len(json_get(expression, "values")))
		json_append(doc, json_ensure_arr(doc, selector, "matchExpressions"), expression);
	return selector;
}

static void put_client(struct json_doc *doc, struct json webhook, const struct admission_hook *hook,
		       const struct configuration_settings *settings, struct str bundle)
{
	struct json config = json_ensure_obj(doc, webhook, "clientConfig");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	base64_print(&text, bundle.ptr, bundle.len);
	json_set_str(doc, config, "caBundle", buf_str(&text));
	if (settings->url) {
		struct str url = str_from(settings->url);

		while (str_ends(url, STR("/")))
			url.len--;
		json_set(doc, config, STR("url"),
			 json_new_printf(doc, "%.*s%s", STR_ARG(url), hook->path));
	} else {
		struct json service = json_ensure_obj(doc, config, "service");

		json_set_str(doc, service, "name", str_from(settings->service));
		json_set_str(doc, service, "namespace", str_from(settings->namespace));
		json_set_str(doc, service, "path", str_from(hook->path));
		json_set_int(doc, service, "port", SERVICE_PORT);
	}
}

static struct json new_webhook(struct json_doc *doc, const struct admission_hook *hook,
			       const struct configuration_settings *settings, struct str bundle)
{
	struct json webhook = json_new_obj(doc);

	append(doc, webhook, "admissionReviewVersions", STR("v1"));
	put_client(doc, webhook, hook, settings, bundle);
	json_set_str(doc, webhook, "failurePolicy",
		     settings->ignore_failures ? STR("Ignore") : STR("Fail"));
	json_set_str(doc, webhook, "matchPolicy", STR("Equivalent"));
	json_set_str(doc, webhook, "name", str_from(hook->webhook));
	json_set(doc, webhook, STR("namespaceSelector"), new_selector(doc, hook, settings));
	json_set(doc, webhook, STR("objectSelector"), json_new_obj(doc));
	if (hook->mutate)
		json_set_str(doc, webhook, "reinvocationPolicy", STR("Never"));
	json_append(doc, json_ensure_arr(doc, webhook, "rules"), new_rule(doc, hook));
	json_set_str(doc, webhook, "sideEffects",
		     is_cluster_wide(hook) ? STR("None") : STR("NoneOnDryRun"));
	json_set_int(doc, webhook, "timeoutSeconds", TIMEOUT_SECONDS);
	if (is_for_pods(hook))
		put_conditions(doc, webhook, hook, &settings->admission);
	return webhook;
}

/* The list is empty if the path has nothing to do. */
static struct json new_webhooks(struct json_doc *doc, const struct admission_hook *hook,
				const struct configuration_settings *settings, struct str bundle)
{
	struct json list = json_new_arr(doc);

	if (configuration_is_needed(hook, &settings->admission))
		json_append(doc, list, new_webhook(doc, hook, settings, bundle));
	return list;
}

static void put_type(struct json_doc *doc, struct json object, const struct admission_hook *hook)
{
	const struct resource *resource = configuration_resource(hook);

	json_set(doc, object, STR("apiVersion"),
		 json_new_printf(doc, "%.*s/%.*s", STR_ARG(resource->group),
				 STR_ARG(resource->version)));
	json_set_str(doc, object, "kind", resource->kind);
}

struct json_doc *configuration_new(const struct admission_hook *hook,
				   const struct configuration_settings *settings, struct str bundle)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	char name[CONFIGURATION_NAME_SIZE];
	struct json metadata;

	json_doc_set_root(doc, root);
	put_type(doc, root, hook);
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "name", str_from(configuration_name(hook, name)));
	json_set_str(doc, json_ensure_obj(doc, metadata, "labels"), CONFIGURATION_LABEL,
		     STR(CONFIGURATION_OWNER));
	json_set(doc, root, STR("webhooks"), new_webhooks(doc, hook, settings, bundle));
	return doc;
}

/* --- an existing object ---------------------------------------------------------------------- */

static struct json bundle_member(struct json webhook)
{
	return json_get(json_get(webhook, "clientConfig"), "caBundle");
}

/* The PEM text of a webhook; empty if it has none, or none that can be read. */
static void read_bundle(struct json webhook, struct buf *to)
{
	if (base64_parse(json_str(bundle_member(webhook)), to, NULL) < 0)
		buf_clear(to);
}

bool configuration_trusts(struct json object, struct str bundle)
{
	struct json_iter it = json_iter(json_get(object, "webhooks"));

	while (json_next(&it)) {
		AUTO(buf_done) struct buf has = BUF_UNBOUNDED;

		read_bundle(it.value, &has);
		if (!ca_bundle_has(buf_str(&has), bundle))
			return false;
	}
	return true;
}

/* What the webhook's caBundle should be, as PEM. */
static void put_bundle(struct json webhook, const struct configuration_change *change,
		       struct buf *to)
{
	AUTO(buf_done) struct buf has = BUF_UNBOUNDED;

	buf_put_str(to, change->bundle);
	if (change->exact)
		return;
	read_bundle(webhook, &has);
	if (ca_bundle_has(buf_str(&has), change->bundle)) {
		buf_clear(to);
		buf_put_str(to, buf_str(&has));
		return;
	}
	if (to->len && to->ptr[to->len - 1] != '\n')
		buf_putc(to, '\n');
	ca_bundle_add(to, buf_str(&has),
		      &(struct ca_bundle_filter){.now = change->now, .max = CA_MAX});
}

static void set_bundles(struct json_doc *doc, const struct configuration_change *change)
{
	struct json_iter it = json_iter(json_get(json_doc_root(doc), "webhooks"));

	while (json_next(&it)) {
		AUTO(buf_done) struct buf pem = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		put_bundle(it.value, change, &pem);
		base64_print(&text, pem.ptr, pem.len);
		json_set_str(doc, json_ensure_obj(doc, it.value, "clientConfig"), "caBundle",
			     buf_str(&text));
	}
}

static bool is_ours(struct json object)
{
	struct json labels = json_get(json_get(object, "metadata"), "labels");

	return str_is(json_str(json_get(labels, CONFIGURATION_LABEL)), CONFIGURATION_OWNER);
}

struct json_doc *configuration_update(struct json object, const struct admission_hook *hook,
				      const struct configuration_settings *settings,
				      const struct configuration_change *change)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(object);
	struct json root = json_doc_root(doc);

	if (change->whole && is_ours(object)) {
		AUTO(buf_done) struct buf pem = BUF_UNBOUNDED;

		put_bundle(json_at(json_get(object, "webhooks"), 0), change, &pem);
		json_set(doc, root, STR("webhooks"),
			 new_webhooks(doc, hook, settings, buf_str(&pem)));
	} else {
		set_bundles(doc, change);
	}
	if (json_eq(object, root))
		return NULL;
	put_type(doc, root, hook); /* items of a list have none */
	return TAKE(doc);
}
