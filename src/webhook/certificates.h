/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/certificates.h - the webhook's own certificate: made, kept in a Secret that all replicas share, and replaced
 * before it expires (cert_plan.h).
 *
 * Replicas do not elect a leader. Each does the next step when it is due; the Secret's version lets one of them win,
 * and the others take what it wrote. If the Secret is deleted or damaged, the certificate in use is written again. */
#ifndef WEBHOOK_CERTIFICATES_H
#define WEBHOOK_CERTIFICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"
#include "webhook/cert_files.h"

struct certificates;
struct client;
struct log;
struct loop;

struct certificates_options {
	struct loop *loop;
	struct client *client;
	const char *namespace; /* of the Secret; copied, as its name and the hosts */
	const char *secret;
	const char *const *hosts;
	size_t host_count;
	int64_t lifetime;
	certificate_fn *changed;
	/* Do all callers know these CAs (PEM)? The next certificate is used only if so. */
	bool (*is_trusted)(const void *arg, struct str bundle);
	void *arg;
	struct log *log;
};

struct certificates *certificates_new(const struct certificates_options *options)
	__attribute__((returns_nonnull));
void certificates_free(struct certificates *certificates);
DEFINE_AUTO(struct certificates *, certificates_free);

/* Something that is_trusted() depends on has changed. */
void certificates_look(struct certificates *certificates);

#endif
