/* SPDX-License-Identifier: Apache-2.0 */
/* client/credentials.c - the Authorization header, kept up to date.
 *
 * The header is made when credentials come in, not for each request. If a file can no longer be
 * read, the last token stays in use until the server rejects it. */
#include "client/credentials.h"

#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/exec_plugin.h"
#include "client/kubeconfig_internal.h"
#include "loop/loop.h"

#include "base/banned.h"

#define FILE_AGE TIME_MINUTE
#define EXEC_TIMEOUT TIME_MINUTE
#define EXEC_EARLY \
	(10 * TIME_SECOND) /* new credentials are fetched this long before the old ones expire */
#define REJECT_PAUSE (5 * TIME_SECOND)
enum { TOKEN_MAX_BYTES = 64 * 1024 };

struct credentials {
	struct loop *loop;
	struct credentials_options options;
	char *header;
	unsigned generation;
	int64_t read_at; /* when they were read, by loop_uptime() */
	bool has_exec;   /* the program has printed credentials ... */
	int64_t expires; /* ... that expire then; 0: never */
	struct exec_plugin *plugin;
	struct loop_defer failed; /* the program could not even be started */
	struct err err;
	struct list waiting;
};

static void set_header(struct credentials *credentials, char *header)
{
	if (!credentials->header || strcmp(credentials->header, header) != 0)
		credentials->generation++;
	mem_free(credentials->header);
	credentials->header = header;
}

static void set_token(struct credentials *credentials, struct str token)
{
	set_header(credentials,
		   token.len ? mem_printf("Bearer %.*s", STR_ARG(token)) : mem_strdup(""));
}

static void set_password(struct credentials *credentials)
{
	const struct kubeconfig_access *access = credentials->options.access;
	AUTO(mem_free) char *pair = mem_printf("%s:%s", access->username, access->password);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "Basic ");
	base64_print(&text, pair, strlen(pair));
	set_header(credentials, buf_take(&text));
}

struct credentials *credentials_new(struct loop *loop, const struct credentials_options *options)
{
	struct credentials *credentials = mem_new(struct credentials);
	const struct kubeconfig_access *access = options->access;

	credentials->loop = loop;
	credentials->options = *options;
	credentials->read_at = loop_uptime(loop);
	list_init(&credentials->waiting);
	if (access->token[0] || !access->username[0])
		set_token(credentials, str_trim(str_from(access->token)));
	else
		set_password(credentials);
	return credentials;
}

void credentials_free(struct credentials *credentials)
{
	if (!credentials)
		return;
	while (list_pop(&credentials->waiting))
		;
	loop_defer_cancel(credentials->loop, &credentials->failed);
	exec_plugin_free(credentials->plugin);
	mem_free(credentials->header);
	mem_free(credentials);
}

/* --- a file --- */

static void read_file(struct credentials *credentials)
{
	AUTO(buf_done) struct buf text = BUF_INIT(TOKEN_MAX_BYTES);

	credentials->read_at = loop_uptime(credentials->loop);
	if (kubeconfig_read(&credentials->options.files, credentials->options.access->token_file,
			    &text, NULL) == 0 &&
	    str_trim(buf_str(&text)).len)
		set_token(credentials, str_trim(buf_str(&text)));
}

/* --- a program --- */

static void call_waiting(struct credentials *credentials, const struct err *err)
{
	struct list now = LIST_INIT(now);
	struct list *first;

	list_splice(&now, &credentials->waiting);
	while ((first = list_pop(&now))) {
		struct credentials_wait *wait = container_of(first, struct credentials_wait, link);

		wait->ready(wait->arg, err);
	}
}

static void on_exec_done(void *arg, const struct exec_credential *credential, const struct err *err)
{
	struct credentials *credentials = arg;

	if (credential) {
		credentials->has_exec = true;
		credentials->expires = credential->expires;
		credentials->read_at = loop_uptime(credentials->loop);
		credentials->generation++;
		set_token(credentials, str_from(credential->token));
		if (credential->cert[0])
			credentials->options.certificate(credentials->options.arg, credential->cert,
							 credential->key);
	}
	exec_plugin_free(TAKE(credentials->plugin));
	call_waiting(credentials, err);
}

static void on_exec_failed(void *arg)
{
	struct credentials *credentials = arg;

	call_waiting(credentials, &credentials->err);
}

static bool is_exec_good(const struct credentials *credentials)
{
	return credentials->has_exec &&
	       (!credentials->expires ||
		credentials->expires - EXEC_EARLY > loop_now(credentials->loop));
}

static void run_exec(struct credentials *credentials)
{
	if (credentials->plugin || credentials->failed.queued)
		return;
	credentials->plugin =
		exec_plugin_run(credentials->loop,
				&(struct exec_plugin_options){
					.access = credentials->options.access,
					.environment = credentials->options.environment,
					.timeout_us = EXEC_TIMEOUT,
					.done = on_exec_done,
					.arg = credentials,
				},
				&credentials->err);
	if (!credentials->plugin)
		loop_defer(credentials->loop, &credentials->failed, on_exec_failed, credentials);
}

/* --- getting credentials --- */

bool credentials_get(struct credentials *credentials, struct credentials_wait *wait)
{
	const struct kubeconfig_access *access = credentials->options.access;

	if (access->token_file[0] &&
	    loop_uptime(credentials->loop) - credentials->read_at >= FILE_AGE)
		read_file(credentials);
	if (!access->exec || is_exec_good(credentials))
		return true;
	run_exec(credentials);
	list_push(&credentials->waiting, &wait->link);
	return false;
}

void credentials_cancel(struct credentials_wait *wait)
{
	if (wait->link.next)
		list_remove(&wait->link);
}

const char *credentials_header(struct credentials *credentials)
{
	return credentials->header;
}

unsigned credentials_generation(const struct credentials *credentials)
{
	return credentials->generation;
}

bool credentials_reject(struct credentials *credentials, unsigned generation)
{
	const struct kubeconfig_access *access = credentials->options.access;
	int64_t age = loop_uptime(credentials->loop) - credentials->read_at;

	if (!access->exec && !access->token_file[0])
		return false;
	if (generation != credentials->generation)
		return true; /* newer ones exist already */
	if (age < REJECT_PAUSE)
		return false; /* they are new: fetching again would not help */
	if (!access->exec) {
		read_file(credentials);
		return generation != credentials->generation;
	}
	credentials->has_exec = false;
	return true;
}
