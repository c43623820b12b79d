/* SPDX-License-Identifier: Apache-2.0 */
/* Two replicas of the webhook manager next to an API server, in virtual time: they start together and share one
 * certificate; it is replaced again and again, and at no time would a caller that verifies a replica by the webhook
 * configurations, even by those of ten seconds ago, have failed. Secrets and configurations that are deleted or damaged
 * come back. */
#include "apiserver/test/client_world.h"
#include "base/base64.h"
#include "base/time.h"
#include "http/cert.h"
#include "webhook/webhook.h"

enum { REPLICAS = 2 };

struct home {
	struct world w;
	struct client *clients[REPLICAS];
	struct webhook *webhooks[REPLICAS];
	struct got got;
};

static void pass(struct home *h, int64_t time)
{
	int64_t until = loop_uptime(h->w.loop) + time;

	loop_drain(h->w.loop);
	while (loop_uptime(h->w.loop) < until) {
		(void)loop_turn(h->w.loop, until - loop_uptime(h->w.loop));
		loop_drain(h->w.loop);
	}
}

/* --- objects --------------------------------------------------------------------------------- */

#define NAMESPACE STR("volcano-system")
#define SECRET STR("volcano-admission-secret")

static void create(struct home *h, enum resource_id resource, struct str namespace,
		   struct json_doc *doc)
{
	int code = world_ask(&h->w, &h->got,
			     &(struct client_ask){.verb = CLIENT_CREATE,
						  .resource = &resources[resource],
						  .namespace = namespace,
						  .body = doc});

	if (code != 201)
		ok(false, "%d %s", code, h->got.text);
	json_doc_unref(doc);
}

/* Lent until the next question; absent if there is none. */
static struct json get(struct home *h, enum resource_id resource, struct str namespace,
		       struct str name)
{
	int code = world_ask(&h->w, &h->got,
			     &(struct client_ask){.verb = CLIENT_GET,
						  .resource = &resources[resource],
						  .namespace = namespace,
						  .name = name});

	return code == 200 ? json_doc_root(h->got.doc) : JSON_NONE;
}

static int patch(struct home *h, enum resource_id resource, struct str namespace, struct str name,
		 struct json_doc *doc)
{
	int code = world_ask(&h->w, &h->got,
			     &(struct client_ask){.verb = CLIENT_PATCH,
						  .patch = CLIENT_PATCH_MERGE,
						  .resource = &resources[resource],
						  .namespace = namespace,
						  .name = name,
						  .body = doc});

	json_doc_unref(doc);
	return code;
}

static int delete (struct home *h, enum resource_id resource, struct str namespace, struct str name)
{
	return world_ask(&h->w, &h->got,
			 &(struct client_ask){.verb = CLIENT_DELETE,
					      .resource = &resources[resource],
					      .namespace = namespace,
					      .name = name});
}

/* --- the replicas ---------------------------------------------------------------------------- */

static void start(struct home *h, size_t i, int64_t lifetime)
{
	static struct str names[] = {STR_INIT("volcano")};
	static struct str ignored[] = {STR_INIT("kube-system")};
	struct webhook_options options = {
		.settings = {.namespace = "volcano-system",
			     .service = "volcano-admission-service",
			     .ignore_failures = true,
			     .ignored = {ignored, 1},
			     .admission = ADMISSION_CONFIG_INIT},
		.secret = "volcano-admission-secret",
		.lifetime = lifetime,
	};
	struct err err = {0};

	options.settings.admission.scheduler_names = (struct strs){names, 1};
	if (address_parse(STR("127.0.0.1:0"), &options.address, &err) < 0)
		ok(false, "%s", err.text);
	h->clients[i] = world_client(&h->w, i ? "second" : "first");
	h->webhooks[i] = webhook_new(h->w.loop, h->clients[i], &options, &err);
	if (!h->webhooks[i])
		ok(false, "%s", err.text);
}

static void stop(struct home *h, size_t i)
{
	webhook_free(TAKE(h->webhooks[i]));
	client_free(TAKE(h->clients[i]));
}

static bool is_ready(const struct home *h, size_t i)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;

	return webhook_is_ready(h->webhooks[i], &why);
}

/* --- what callers see ------------------------------------------------------------------------ */

static const char *const names[] = {"jobs-mutate", "jobs-validate", "cronjobs-validate"};

static struct json configuration(struct home *h, const char *name)
{
	AUTO(mem_free) char *full = mem_printf("volcano-admission-service-%s", name);

	return get(h,
		   strstr(name, "mutate") ? RESOURCE_MUTATINGWEBHOOKS : RESOURCE_VALIDATINGWEBHOOKS,
		   str_none(), str_from(full));
}

static void read_bundle(struct home *h, const char *name, struct buf *to)
{
	struct json webhook = json_at(json_get(configuration(h, name), "webhooks"), 0);

	buf_clear(to);
	if (base64_parse(json_str(json_get(json_get(webhook, "clientConfig"), "caBundle")), to,
			 NULL) < 0)
		buf_clear(to);
}

static bool trusts(struct home *h, struct str bundle, struct str cert)
{
	return bundle.len && cert_check(&(struct cert_check){.cert = cert,
							     .ca = bundle,
							     .now = loop_now(h->w.loop),
							     .use = CERT_USE_SERVER},
					NULL) == 0;
}

/* What callers knew of a configuration at the last look, and what the replicas served. */
struct look {
	struct buf bundle;
	struct buf certs[REPLICAS];
};

static size_t look_at(struct home *h, const char *name, struct look *before)
{
	AUTO(buf_done) struct buf now = BUF_UNBOUNDED;
	size_t failures = 0;

	read_bundle(h, name, &now);
	for (size_t i = 0; i < REPLICAS; i++) {
		struct str cert = webhook_certificate(h->webhooks[i]);

		if (str_eq(cert, buf_str(&before->certs[i])) &&
		    str_eq(buf_str(&now), buf_str(&before->bundle)))
			continue;
		failures += !trusts(h, buf_str(&now), cert);
		failures += before->bundle.len && !trusts(h, buf_str(&before->bundle), cert);
		buf_clear(&before->certs[i]);
		buf_put_str(&before->certs[i], cert);
	}
	buf_clear(&before->bundle);
	buf_put_str(&before->bundle, buf_str(&now));
	return failures;
}

/* Every ten seconds: is every replica trusted by every configuration, now and as it was before? */
static size_t watch_for(struct home *h, int64_t time)
{
	struct look looks[ARRAY_LEN(names)];
	size_t failures = 0;

	for (size_t n = 0; n < ARRAY_LEN(names); n++)
		looks[n] = (struct look){BUF_UNBOUNDED, {BUF_UNBOUNDED, BUF_UNBOUNDED}};
	for (int64_t passed = 0; passed < time; passed += 10 * TIME_SECOND) {
		pass(h, 10 * TIME_SECOND);
		for (size_t n = 0; n < ARRAY_LEN(names); n++)
			failures += look_at(h, names[n], &looks[n]);
	}
	for (size_t n = 0; n < ARRAY_LEN(names); n++) {
		buf_done(&looks[n].bundle);
		for (size_t i = 0; i < REPLICAS; i++)
			buf_done(&looks[n].certs[i]);
	}
	return failures;
}

static bool same_certificate(const struct home *h)
{
	struct str first = webhook_certificate(h->webhooks[0]);

	return first.len && str_eq(first, webhook_certificate(h->webhooks[1]));
}

static unsigned replaced(const struct home *h, size_t i)
{
	static const char name[] = "\nvolcano_webhook_certificate_changes_total ";
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const char *at;

	webhook_print_metrics(h->webhooks[i], &text);
	at = strstr(buf_text(&text), name);
	return at ? (unsigned)strtoul(at + sizeof(name) - 1, NULL, 10) : 0;
}

/* --- steps ----------------------------------------------------------------------------------- */

static void open_home(struct home *h)
{
	struct err err = {0};

	*h = (struct home){0};
	h->w.loop = loop_new_virtual(5, WORLD_START, &err);
	h->w.store = store_open(h->w.loop, &(struct store_options){0}, &err);
	h->w.api = api_new(
		&(struct api_options){.loop = h->w.loop, .store = h->w.store, .plain = true});
	h->w.client = world_client(&h->w, "tester");
	create(h, RESOURCE_NAMESPACES, str_none(),
	       doc_of("{\"metadata\":{\"name\":\"volcano-system\"}}"));
	/* As an installer makes it. */
	create(h, RESOURCE_VALIDATINGWEBHOOKS, str_none(),
	       doc_of("{\"metadata\":{\"name\":\"volcano-admission-service-cronjobs-validate\"},"
		      "\"webhooks\":[{\"name\":\"validatecronjob.volcano.sh\",\"sideEffects\":"
		      "\"None\",\"failurePolicy\":\"Ignore\",\"timeoutSeconds\":7,"
		      "\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":"
		      "\"https://localhost/cronjobs/validate\"}}]}"));
}

static void check_start(struct home *h, int64_t lifetime)
{
	struct json webhook, values;

	for (size_t i = 0; i < REPLICAS; i++)
		start(h, i, lifetime);
	ok(!is_ready(h, 0) && !is_ready(h, 1),
	   "they are not ready before they have read the cluster");
	pass(h, 5 * TIME_SECOND);
	ok(is_ready(h, 0) && is_ready(h, 1), "both replicas are ready");
	ok(same_certificate(h), "with one certificate");
	ok(json_is_absent(configuration(h, "jobs-validate")),
	   "no configuration is made before the service has an endpoint");
	create(h, RESOURCE_ENDPOINTS, NAMESPACE,
	       doc_of("{\"metadata\":{\"name\":\"volcano-admission-service\",\"namespace\":"
		      "\"volcano-system\"},\"subsets\":[{\"addresses\":[{\"ip\":\"10.1.2.3\"}],"
		      "\"ports\":[{\"port\":8443}]}]}"));
	pass(h, 5 * TIME_SECOND);
	webhook = json_at(json_get(configuration(h, "jobs-validate"), "webhooks"), 0);
	is(json_str(json_get(webhook, "name")).ptr, "validatejob.volcano.sh");
	values = json_get(
		json_at(json_get(json_get(webhook, "namespaceSelector"), "matchExpressions"), 0),
		"values");
	is(json_str(json_at(values, 0)).ptr, "volcano-system");
	is(json_str(json_at(values, 1)).ptr, "kube-system");
	ok(json_is_absent(configuration(h, "pods-mutate")),
	   "pods are not in its way without resource groups");
	webhook = json_at(json_get(configuration(h, "cronjobs-validate"), "webhooks"), 0);
	ok(json_int(json_get(webhook, "timeoutSeconds")) == 7 &&
		   json_str(json_get(json_get(webhook, "clientConfig"), "caBundle")).len,
	   "one that an installer made gets the CA and nothing else");
}

static void check_repair(struct home *h)
{
	AUTO(mem_free) char *cert = str_dup(webhook_certificate(h->webhooks[0]));
	struct json secret;

	ok(delete (h, RESOURCE_SECRETS, NAMESPACE, SECRET) == 200, "the Secret is deleted");
	pass(h, 5 * TIME_SECOND);
	secret = get(h, RESOURCE_SECRETS, NAMESPACE, SECRET);
	ok(!json_is_absent(secret) && same_certificate(h) &&
		   str_is(webhook_certificate(h->webhooks[0]), cert),
	   "it comes back with the same certificate");
	ok(patch(h, RESOURCE_SECRETS, NAMESPACE, SECRET,
		 doc_of("{\"data\":{\"tls.crt\":\"cnViYmlzaA==\"}}")) == 200,
	   "the Secret is damaged");
	pass(h, 5 * TIME_SECOND);
	ok(same_certificate(h) && str_is(webhook_certificate(h->webhooks[0]), cert) &&
		   !str_is(json_str(json_get(
				   json_get(get(h, RESOURCE_SECRETS, NAMESPACE, SECRET), "data"),
				   "tls.crt")),
			   "cnViYmlzaA=="),
	   "it is repaired");
	ok(delete (h, RESOURCE_VALIDATINGWEBHOOKS, str_none(),
		   STR("volcano-admission-service-jobs-validate")) == 200,
	   "a configuration is deleted");
	pass(h, 5 * TIME_SECOND);
	ok(!json_is_absent(configuration(h, "jobs-validate")), "it comes back");
	ok(patch(h, RESOURCE_MUTATINGWEBHOOKS, str_none(),
		 STR("volcano-admission-service-jobs-mutate"), doc_of("{\"webhooks\":[]}")) == 200,
	   "one is emptied");
	stop(h, 1);
	start(h, 1, TIME_HOUR);
	pass(h, 5 * TIME_SECOND);
	ok(json_len(json_get(configuration(h, "jobs-mutate"), "webhooks")) == 1,
	   "the next replica that starts fills it again");
	ok(same_certificate(h), "and has the certificate of the others");
	ok(watch_for(h, TIME_MINUTE) == 0, "everything is trusted");
}

static void check_expiry(struct home *h)
{
	AUTO(mem_free) char *cert = str_dup(webhook_certificate(h->webhooks[0]));

	loop_set_wall_clock(h->w.loop, loop_now(h->w.loop) + 400 * TIME_DAY);
	pass(h, 2 * TIME_HOUR); /* timers do not go by that clock */
	ok(same_certificate(h) && !str_is(webhook_certificate(h->webhooks[0]), cert),
	   "after a jump of the clock past its end there is a new one");
	ok(watch_for(h, TIME_MINUTE) == 0, "which is trusted");
}

int main(void)
{
	struct home h;

	open_home(&h);
	check_start(&h, TIME_HOUR);
	ok(watch_for(&h, 5 * TIME_HOUR) == 0,
	   "for five hours every replica was trusted at every moment");
	ok(replaced(&h, 0) >= 6 && replaced(&h, 0) <= 8,
	   "while its certificate was replaced %u times", replaced(&h, 0));
	ok(replaced(&h, 1) == replaced(&h, 0) && same_certificate(&h), "in both replicas");
	check_repair(&h);
	check_expiry(&h);
	stop(&h, 0);
	stop(&h, 1);
	json_doc_unref(h.got.doc);
	world_close(&h.w);
	return tap_done();
}
