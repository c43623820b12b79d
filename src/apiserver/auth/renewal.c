/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/renewal.c - certificates that stay good while the server runs.
 *
 * The timer counts days of the loop and the certificates' ends are compared with the wall clock, so that
 * a machine that was asleep or whose clock was set is at most a day late, of 30 days.
 *
 * Always true: what is in `identity` is in use. A new certificate that could not be put into use, or a
 * folder that cannot be read or written, leaves it as it is. */
#include "apiserver/auth/renewal.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define EVERY TIME_DAY
#define CA_NEAR_END (90 * TIME_DAY)

struct renewal {
	struct loop *loop;
	struct renewal_options options;
	struct identity identity;
	struct loop_timer *timer;
	char *folder;
	char **hosts;
};

static bool differs(const struct cert_pair *a, const struct cert_pair *b)
{
	return strcmp(a->cert, b->cert) != 0 || strcmp(a->key, b->key) != 0;
}

static void warn(const struct renewal *renewal, const struct err *err)
{
	log_warn(renewal->options.log,
		 "certificates could not be renewed; the next try is tomorrow",
		 LOG_STR("folder", renewal->folder), LOG_STR("error", err->text));
}

/* Nothing here can renew the CA: clients and pods trust it by its certificate. */
static void check_ca(const struct renewal *renewal)
{
	int64_t end = identity_ca_ends(&renewal->identity);
	char text[TIME_TEXT_SIZE];

	if (end - loop_now(renewal->loop) < CA_NEAR_END)
		log_warn(renewal->options.log,
			 "the CA's certificate ends soon: stop, remove the folder and start again, "
			 "then hand out new kubeconfigs",
			 LOG_STR("folder", renewal->folder),
			 LOG_STR("ends", time_print(end, text)));
}

void renewal_check(struct renewal *renewal)
{
	AUTO(identity_done) struct identity now = {.tokens = NULL};
	bool server;
	bool admin;
	struct err err = {0};

	check_ca(renewal);
	if (identity_open(renewal->loop, &renewal->options.identity, &now, &err) < 0) {
		warn(renewal, &err);
		return;
	}
	if (differs(&now.ca, &renewal->identity.ca)) {
		(void)err_set(&err, ERR_INVALID, "ca.crt is another one now: restart to use it");
		warn(renewal, &err);
		return;
	}
	server = differs(&now.server, &renewal->identity.server);
	admin = differs(&now.admin, &renewal->identity.admin);
	if (!server && !admin)
		return;
	if (renewal->options.changed(renewal->options.arg, &now, server, admin, &err) < 0) {
		warn(renewal, &err);
		return;
	}
	log_info(renewal->options.log, "certificates renewed", LOG_BOOL("server", server),
		 LOG_BOOL("administrator", admin));
	identity_done(&renewal->identity);
	renewal->identity = now;
	now = (struct identity){.tokens = NULL};
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	loop_timer_set(timer, EVERY);
	renewal_check(arg);
}

struct renewal *renewal_new(struct loop *loop, const struct renewal_options *options,
			    struct identity *identity)
{
	struct renewal *renewal = mem_new(struct renewal);
	size_t count = options->identity.host_count;

	renewal->loop = loop;
	renewal->options = *options;
	renewal->folder = mem_strdup(options->identity.folder);
	renewal->hosts = mem_calloc(count + 1, sizeof(*renewal->hosts));
	for (size_t i = 0; i < count; i++)
		renewal->hosts[i] = mem_strdup(options->identity.hosts[i]);
	renewal->options.identity.folder = renewal->folder;
	renewal->options.identity.hosts = (const char *const *)renewal->hosts;
	renewal->identity = *identity;
	*identity = (struct identity){.tokens = NULL};
	renewal->timer = loop_timer_new(loop, on_timer, renewal);
	loop_timer_set(renewal->timer, EVERY);
	return renewal;
}

const struct identity *renewal_identity(const struct renewal *renewal)
{
	return &renewal->identity;
}

void renewal_free(struct renewal *renewal)
{
	if (!renewal)
		return;
	loop_timer_free(renewal->timer);
	identity_done(&renewal->identity);
	for (size_t i = 0; i < renewal->options.identity.host_count; i++)
		mem_free(renewal->hosts[i]);
	mem_free(renewal->hosts);
	mem_free(renewal->folder);
	mem_free(renewal);
}
