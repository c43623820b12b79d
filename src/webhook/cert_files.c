/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cert_files.c - see cert_files.h. */
#include "webhook/cert_files.h"

#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/file_watch.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { FILE_COUNT = 3 };

struct cert_files {
	struct loop *loop;
	char *cert, *key, *ca; /* paths */
	struct cert_pair pair;
	char *bundle;
	struct file_watch *watches[FILE_COUNT];
	struct loop_defer first;
	certificate_fn *changed;
	void *arg;
	struct log *log;
};

/* 1: they are others than before. */
static int read_files(struct cert_files *files, struct err *err)
{
	AUTO(cert_pair_done) struct cert_pair pair = {0};
	AUTO(buf_done) struct buf ca = BUF_INIT(LIMIT_PEM_BYTES);
	struct err late;

	if (cert_pair_load(files->cert, files->key, &pair, err) < 0 ||
	    fd_read_file(files->ca, &ca, err) < 0)
		return -1;
	if (files->pair.cert && strcmp(pair.cert, files->pair.cert) == 0 &&
	    strcmp(pair.key, files->pair.key) == 0 && str_is(buf_str(&ca), files->bundle))
		return 0;
	if (cert_check(&(struct cert_check){.cert = str_from(pair.cert),
					    .key = str_from(pair.key),
					    .now = loop_now(files->loop)},
		       err) < 0)
		return err_wrap(err, "%s", files->cert);
	if (cert_check_issued(buf_str(&ca), err) < 0)
		return err_wrap(err, "%s", files->ca);
	if (cert_check(&(struct cert_check){.cert = str_from(pair.cert),
					    .ca = buf_str(&ca),
					    .now = loop_now(files->loop),
					    .use = CERT_USE_SERVER},
		       &late) < 0)
		log_warn(files->log, "the CA did not sign the certificate",
			 LOG_STR("err", late.text));
	cert_pair_done(&files->pair);
	files->pair = cert_pair_take(&pair);
	mem_free(files->bundle);
	files->bundle = buf_take(&ca);
	return 1;
}

static void on_change(void *arg)
{
	struct cert_files *files = arg;
	struct err err;
	int result = read_files(files, &err);

	if (result < 0) {
		log_warn(files->log, "cannot use the certificate; still using the previous one",
			 LOG_STR("err", err.text));
	} else if (result > 0) {
		log_info(files->log, "new certificate", LOG_STR("file", files->cert));
		files->changed(files->arg, &files->pair, str_from(files->bundle));
	}
}

static void on_first(void *arg)
{
	const struct cert_files *files = arg;

	files->changed(files->arg, &files->pair, str_from(files->bundle));
}

struct cert_files *cert_files_new(struct loop *loop, const struct cert_paths *paths,
				  certificate_fn *changed, void *arg, struct log *log,
				  struct err *err)
{
	const char *const all[FILE_COUNT] = {paths->cert, paths->key, paths->ca};
	AUTO(cert_files_free) struct cert_files *files = mem_new(struct cert_files);

	files->loop = loop;
	files->cert = mem_strdup(paths->cert);
	files->key = mem_strdup(paths->key);
	files->ca = mem_strdup(paths->ca);
	files->changed = changed;
	files->arg = arg;
	files->log = log;
	for (size_t i = 0; i < FILE_COUNT; i++) {
		files->watches[i] = file_watch_new(loop, all[i], on_change, files, err);
		if (!files->watches[i])
			return NULL;
	}
	if (read_files(files, err) < 0)
		return NULL;
	loop_defer(loop, &files->first, on_first, files);
	return TAKE(files);
}

void cert_files_free(struct cert_files *files)
{
	if (!files)
		return;
	loop_defer_cancel(files->loop, &files->first);
	for (size_t i = 0; i < FILE_COUNT; i++)
		file_watch_free(files->watches[i]);
	cert_pair_done(&files->pair);
	mem_free(files->bundle);
	mem_free(files->cert);
	mem_free(files->key);
	mem_free(files->ca);
	mem_free(files);
}
