/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cert_files.h - the certificate from files, read again when they change: a mounted Secret that another
 * program keeps (upstream's way: a job of the installer).
 *
 * Files that cannot be used (a key that does not belong to the certificate, half of a change) are reported in the
 * log, and what was read before stays in use. */
#ifndef WEBHOOK_CERT_FILES_H
#define WEBHOOK_CERT_FILES_H

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "http/cert.h"

struct cert_files;
struct log;
struct loop;

/* A certificate to serve with, and the CAs that callers verify it by (PEM); lent for the call. */
typedef void certificate_fn(void *arg, const struct cert_pair *pair, struct str bundle);

struct cert_paths {
	const char *cert;
	const char *key;
	const char *ca;
};

/* Reads the files, and calls `changed` in a later turn and after each change. The paths are copied. */
struct cert_files *cert_files_new(struct loop *loop, const struct cert_paths *paths,
				  certificate_fn *changed, void *arg, struct log *log,
				  struct err *err) MUST_CHECK;
void cert_files_free(struct cert_files *files);
DEFINE_AUTO(struct cert_files *, cert_files_free);

#endif
