/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/webhook.c - see webhook.h. It ties the parts together: a certificate comes from files (cert_files.h) or a
 * Secret (certificates.h); it goes to the endpoint, and its CAs to the registration; the registration starts when the
 * service is ready for the first time. */
#include "webhook/webhook.h"

#include <string.h>

#include "admission/groups.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "http/tls.h"
#include "loop/file_watch.h"
#include "loop/loop.h"
#include "webhook/certificates.h"
#include "webhook/cluster_view.h"
#include "webhook/endpoint.h"
#include "webhook/registration.h"
#include "webhook/review_metrics.h"

#include "base/banned.h"

#define READY_POLL (50 * TIME_MILLISECOND)
enum { HOSTS_MAX = 4 };

struct webhook {
	struct loop *loop;
	struct webhook_options options;
	struct configuration_settings settings;
	struct cluster_view *view;
	struct review_metrics *metrics;
	struct endpoint *endpoint;
	struct registration *registration;
	struct cert_files *files;
	struct certificates *certificates;
	struct file_watch *conf_watch;
	char *conf_text;          /* in use, or refused */
	struct loop_timer *timer; /* until it is ready; then the delay of the drain */
	char *certificate;        /* in use, PEM; NULL: none */
	int64_t not_after;
	uint64_t replaced; /* certificates */
	bool draining;
	int64_t drain_us;
	void (*drained)(void *arg);
	void *drained_arg;
};

/* --- readiness ------------------------------------------------------------------------------- */

static bool has_everything(const struct webhook *webhook, struct buf *why)
{
	bool complete = cluster_view_is_complete(webhook->view, why);

	if (!endpoint_has_tls(webhook->endpoint)) {
		complete = false;
		buf_puts(why, "there is no certificate yet\n");
	}
	return complete;
}

bool webhook_is_ready(const struct webhook *webhook, struct buf *why)
{
	if (webhook->draining)
		buf_puts(why, "is stopping\n");
	return has_everything(webhook, why) && !webhook->draining;
}

/* While it drains it answers, but is not ready for more. */
static bool can_answer(const void *arg, struct buf *why)
{
	return has_everything(arg, why);
}

static void end_delay(struct webhook *webhook)
{
	endpoint_drain(webhook->endpoint, webhook->drain_us, webhook->drained,
		       webhook->drained_arg);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct webhook *webhook = arg;
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	char text[ADDRESS_TEXT_SIZE];

	if (webhook->draining) {
		end_delay(webhook);
	} else if (webhook_is_ready(webhook, &why)) {
		log_info(webhook->options.log, "ready",
			 LOG_STR("address", address_print(webhook_address(webhook), text)));
		registration_start(webhook->registration);
	} else {
		loop_timer_set(timer, READY_POLL);
	}
}

/* --- the certificate ------------------------------------------------------------------------- */

static void on_certificate(void *arg, const struct cert_pair *pair, struct str bundle)
{
	struct webhook *webhook = arg;
	AUTO(cert_info_done) struct cert_info info = {0};
	AUTO(tls_unref) struct tls *tls = NULL;
	struct err err;

	tls = tls_server_new(&(struct tls_server_options){.certificate = str_from(pair->cert),
							  .key = str_from(pair->key)},
			     &err);
	if (!tls || cert_info_parse(str_from(pair->cert), &info, &err) < 0) {
		log_error(webhook->options.log, "cannot use the certificate",
			  LOG_STR("err", err.text));
		return;
	}
	endpoint_set_tls(webhook->endpoint, tls);
	if (webhook->certificate && strcmp(webhook->certificate, pair->cert) != 0)
		webhook->replaced++;
	mem_free(webhook->certificate);
	webhook->certificate = mem_strdup(pair->cert);
	webhook->not_after = info.not_after;
	registration_set_bundle(webhook->registration, bundle);
}

static bool is_trusted(const void *arg, struct str bundle)
{
	const struct webhook *webhook = arg;

	return registration_trusts(webhook->registration, bundle);
}

static void on_registered(void *arg)
{
	struct webhook *webhook = arg;

	if (webhook->certificates)
		certificates_look(webhook->certificates);
}

/* The host of a URL, without brackets; for mem_free(). */
static char *url_host(const char *url)
{
	struct str rest = str_from(url);
	ptrdiff_t at = str_find(rest, STR("://"), 0);
	ptrdiff_t end;

	if (at >= 0)
		rest = str_skip(rest, (size_t)at + 3);
	end = str_find_byte(rest, '/', 0);
	if (end >= 0)
		rest = str_slice(rest, 0, (size_t)end);
	if (str_starts(rest, STR("["))) {
		end = str_find_byte(rest, ']', 0);
		return str_dup(str_slice(rest, 1, end < 0 ? rest.len : (size_t)end));
	}
	end = str_find_byte(rest, ':', 0);
	return str_dup(end < 0 ? rest : str_slice(rest, 0, (size_t)end));
}

static void make_own(struct webhook *webhook, struct client *client)
{
	const struct configuration_settings *settings = &webhook->settings;
	const char *service = settings->service;
	const char *namespace = settings->namespace;
	char *hosts[HOSTS_MAX] = {0};
	size_t count = 0;

	if (settings->url)
		hosts[count++] = url_host(settings->url);
	if (service) {
		hosts[count++] = mem_printf("%s.%s.svc", service, namespace);
		hosts[count++] = mem_printf("%s.%s", service, namespace);
		hosts[count++] = mem_strdup(service);
	}
	webhook->certificates = certificates_new(
		&(struct certificates_options){.loop = webhook->loop,
					       .client = client,
					       .namespace = namespace,
					       .secret = webhook->options.secret,
					       .hosts = (const char *const *)hosts,
					       .host_count = count,
					       .lifetime = webhook->options.lifetime,
					       .changed = on_certificate,
					       .is_trusted = is_trusted,
					       .arg = webhook,
					       .log = webhook->options.log});
	for (size_t i = 0; i < count; i++)
		mem_free(hosts[i]);
}

/* --- resource groups ------------------------------------------------------------------------- */

static int read_groups(struct webhook *webhook, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	struct admission_groups *groups;

	if (fd_read_file(webhook->options.conf_file, &text, err) < 0)
		return -1;
	if (webhook->conf_text && str_is(buf_str(&text), webhook->conf_text))
		return 0;
	mem_free(webhook->conf_text);
	webhook->conf_text = mem_strdup(buf_text(&text));
	groups = admission_groups_parse(buf_str(&text), err);
	if (!groups)
		return err_wrap(err, "%s", webhook->options.conf_file);
	admission_groups_free(webhook->settings.admission.groups);
	webhook->settings.admission.groups = groups;
	return 1;
}

static void on_conf(void *arg)
{
	struct webhook *webhook = arg;
	struct err err;
	int result = read_groups(webhook, &err);

	if (result < 0) {
		log_error(webhook->options.log,
			  "the admission configuration is invalid; still using the previous one",
			  LOG_STR("err", err.text));
	} else if (result > 0) {
		log_info(webhook->options.log, "new admission configuration",
			 LOG_INT("groups", webhook->settings.admission.groups->len));
		registration_configure(webhook->registration);
	}
}

/* As upstream, a file that cannot be read is reported; it may come. */
static int watch_groups(struct webhook *webhook, struct err *err)
{
	if (!webhook->options.conf_file)
		return 0;
	webhook->conf_watch =
		file_watch_new(webhook->loop, webhook->options.conf_file, on_conf, webhook, err);
	if (!webhook->conf_watch)
		return err_wrap(err, "--admission-conf");
	if (read_groups(webhook, err) < 0)
		log_error(webhook->options.log, "cannot use the admission configuration",
			  LOG_STR("err", err->text));
	return 0;
}

/* --- life ------------------------------------------------------------------------------------ */

static int check_options(const struct webhook_options *options, struct err *err)
{
	const struct configuration_settings *settings = &options->settings;
	const struct cert_paths *files = &options->files;
	const struct strs *enabled = &settings->admission.enabled;

	if (!settings->url && (!settings->namespace || !settings->service))
		return err_set(err, ERR_BAD_REQUEST,
			       "give --webhook-url, or --webhook-namespace and "
			       "--webhook-service-name: where the API server reaches this program");
	if ((files->cert || files->key || files->ca) && !(files->cert && files->key && files->ca))
		return err_set(err, ERR_BAD_REQUEST,
			       "--tls-cert-file, --tls-private-key-file and --ca-cert-file are "
			       "given together or not at all");
	if (!files->cert && !settings->namespace)
		return err_set(
			err, ERR_BAD_REQUEST,
			"--webhook-namespace: needed for the Secret with the certificate; or "
			"give --tls-cert-file");
	for (size_t i = 0; i < enabled->len; i++)
		if (!admission_find(enabled->ptr[i]))
			return err_set(err, ERR_BAD_REQUEST,
				       "--enabled-admission: there is no path \"%.*s\"",
				       STR_ARG(enabled->ptr[i]));
	return 0;
}

static int start_parts(struct webhook *webhook, struct client *client, struct err *err)
{
	const struct webhook_options *options = &webhook->options;

	webhook->timer = loop_timer_new(webhook->loop, on_timer, webhook);
	webhook->metrics = review_metrics_new();
	webhook->view = cluster_view_new(client, webhook->settings.admission.enabled, options->log);
	webhook->endpoint =
		endpoint_new(&(struct endpoint_options){.loop = webhook->loop,
							.client = client,
							.view = webhook->view,
							.config = &webhook->settings.admission,
							.metrics = webhook->metrics,
							.address = options->address,
							.is_ready = can_answer,
							.arg = webhook,
							.log = options->log},
			     err);
	if (!webhook->endpoint)
		return -1;
	webhook->registration =
		registration_new(&(struct registration_options){.loop = webhook->loop,
								.client = client,
								.settings = &webhook->settings,
								.exact = !options->files.cert,
								.changed = on_registered,
								.arg = webhook,
								.log = options->log});
	loop_timer_set(webhook->timer, 0);
	return 0;
}

struct webhook *webhook_new(struct loop *loop, struct client *client,
			    const struct webhook_options *options, struct err *err)
{
	AUTO(webhook_free) struct webhook *webhook = NULL;

	if (check_options(options, err) < 0)
		return NULL;
	webhook = mem_new(struct webhook);
	webhook->loop = loop;
	webhook->options = *options;
	webhook->settings = options->settings;
	webhook->settings.admission.groups = NULL;
	if (watch_groups(webhook, err) < 0 || start_parts(webhook, client, err) < 0)
		return NULL;
	if (!options->files.cert) {
		make_own(webhook, client);
		return TAKE(webhook);
	}
	webhook->files =
		cert_files_new(loop, &options->files, on_certificate, webhook, options->log, err);
	return webhook->files ? TAKE(webhook) : NULL;
}

void webhook_free(struct webhook *webhook)
{
	if (!webhook)
		return;
	file_watch_free(webhook->conf_watch);
	cert_files_free(webhook->files);
	certificates_free(webhook->certificates);
	registration_free(webhook->registration);
	endpoint_free(webhook->endpoint);
	cluster_view_free(webhook->view);
	review_metrics_free(webhook->metrics);
	loop_timer_free(webhook->timer);
	admission_groups_free(webhook->settings.admission.groups);
	mem_free(webhook->conf_text);
	mem_free(webhook->certificate);
	mem_free(webhook);
}

struct str webhook_certificate(const struct webhook *webhook)
{
	return webhook->certificate ? str_from(webhook->certificate) : STR("");
}

const struct address *webhook_address(const struct webhook *webhook)
{
	return endpoint_address(webhook->endpoint);
}

void webhook_print_metrics(const struct webhook *webhook, struct buf *to)
{
	review_metrics_print(webhook->metrics, to);
	buf_printf(
		to,
		"# HELP volcano_webhook_certificate_not_after_seconds when the certificate in use "
		"expires\n"
		"# TYPE volcano_webhook_certificate_not_after_seconds gauge\n"
		"volcano_webhook_certificate_not_after_seconds %lld\n"
		"# HELP volcano_webhook_certificate_changes_total certificates that were replaced\n"
		"# TYPE volcano_webhook_certificate_changes_total counter\n"
		"volcano_webhook_certificate_changes_total %llu\n",
		(long long)(webhook->not_after / TIME_SECOND),
		(unsigned long long)webhook->replaced);
}

void webhook_drain(struct webhook *webhook, int64_t delay_us, int64_t drain_us,
		   void (*done)(void *arg), void *arg)
{
	webhook->draining = true;
	webhook->drain_us = drain_us;
	webhook->drained = done;
	webhook->drained_arg = arg;
	loop_timer_set(webhook->timer, delay_us);
}
