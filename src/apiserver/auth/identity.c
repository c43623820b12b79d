/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/identity.c - the certificates and tokens of a server, kept in a folder. */
#include "apiserver/auth/identity.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define YEAR (365 * TIME_DAY)
#define RENEW_BEFORE (30 * TIME_DAY)
enum { TOKEN_BYTES = 24, TOKENS_MAX_BYTES = 1024 * 1024 };

/* A certificate of ours: how its files are called, who it is and how long for. */
struct cert_spec {
	const char *file;
	const char *name;
	const char *const *groups;
	size_t group_count;
	enum cert_use use;
	int64_t lifetime;
};

static const char *const admin_groups[] = {"system:masters"};
static const struct cert_spec ca_spec = {
	.file = "ca", .name = "volcano-ca", .lifetime = 10 * YEAR, .use = CERT_USE_ANY};
static const struct cert_spec server_spec = {
	.file = "apiserver", .name = "kube-apiserver", .lifetime = YEAR, .use = CERT_USE_SERVER};
static const struct cert_spec admin_spec = {.file = "admin",
					    .name = "kubernetes-admin",
					    .groups = admin_groups,
					    .group_count = ARRAY_LEN(admin_groups),
					    .lifetime = YEAR,
					    .use = CERT_USE_CLIENT};

struct work {
	struct loop *loop;
	const struct identity_options *options;
	struct identity *identity;
};

void identity_done(struct identity *identity)
{
	cert_pair_done(&identity->ca);
	cert_pair_done(&identity->server);
	cert_pair_done(&identity->admin);
	if (identity->tokens)
		explicit_bzero(identity->tokens, strlen(identity->tokens));
	mem_free(identity->tokens);
	identity->tokens = NULL;
}

static int load(const struct work *work, const struct cert_spec *cert_spec, struct cert_pair *ret,
		struct err *err)
{
	AUTO(mem_free) char *cert = mem_printf("%s/%s.crt", work->options->folder, cert_spec->file);
	AUTO(mem_free) char *key = mem_printf("%s/%s.key", work->options->folder, cert_spec->file);

	if (access(cert, F_OK) < 0 && access(key, F_OK) < 0)
		return err_set(err, ERR_NOT_FOUND, "%s is not there yet", cert);
	if (cert_pair_load(cert, key, ret, err) < 0) {
		err->code = ERR_INVALID; /* one of the two may be missing: that is for people */
		return -1;
	}
	return 0;
}

static int save(const struct work *work, const struct cert_spec *cert_spec,
		const struct cert_pair *pair, struct err *err)
{
	AUTO(mem_free) char *cert = mem_printf("%s/%s.crt", work->options->folder, cert_spec->file);
	AUTO(mem_free) char *key = mem_printf("%s/%s.key", work->options->folder, cert_spec->file);

	return cert_pair_save(pair, cert, key, err);
}

static int open_ca(const struct work *work, struct err *err)
{
	struct cert_pair *ca = &work->identity->ca;
	struct cert_request ask = {
		.name = ca_spec.name, .now = loop_now(work->loop), .lifetime = ca_spec.lifetime};
	struct cert_check check;

	if (load(work, &ca_spec, ca, err) < 0) {
		if (err->code != ERR_NOT_FOUND)
			return -1;
		return cert_new_ca(&ask, ca, err) < 0 ? -1 : save(work, &ca_spec, ca, err);
	}
	check = (struct cert_check){
		.cert = str_from(ca->cert), .key = str_from(ca->key), .now = loop_now(work->loop)};
	if (cert_check(&check, err) < 0)
		return err_wrap(err, "%s/ca.crt", work->options->folder);
	return 0;
}

int64_t identity_ca_ends(const struct identity *identity)
{
	AUTO(cert_info_done) struct cert_info info = {0};

	return cert_info_parse(str_from(identity->ca.cert), &info, NULL) < 0 ? 0 : info.not_after;
}

/* Good for a while yet, for everything that it is wanted for? No certificate is good for longer than its
 * CA: near the end of that one, a new certificate would be no better. */
static bool is_good(const struct work *work, const struct cert_spec *cert_spec,
		    const struct cert_pair *pair)
{
	struct cert_check check = {
		.cert = str_from(pair->cert),
		.key = str_from(pair->key),
		.ca = str_from(work->identity->ca.cert),
		.now = loop_now(work->loop),
		.use = cert_spec->use,
	};
	struct cert_check later = check;
	int64_t end = identity_ca_ends(work->identity) - TIME_SECOND;

	later.now = later.now + RENEW_BEFORE < end ? later.now + RENEW_BEFORE : end;
	if (cert_check(&check, NULL) < 0 || cert_check(&later, NULL) < 0)
		return false;
	for (size_t i = 0; cert_spec->use == CERT_USE_SERVER && i < work->options->host_count; i++)
		if (!cert_has_host(check.cert, work->options->hosts[i]))
			return false;
	return true;
}

/* A certificate that our CA signs: if its file is deleted, it is made again. */
static int open_signed(const struct work *work, const struct cert_spec *cert_spec,
		       struct cert_pair *ret, struct err *err)
{
	AUTO(cert_pair_done) struct cert_pair pair = {0};
	struct cert_request ask = {
		.name = cert_spec->name,
		.groups = cert_spec->groups,
		.group_count = cert_spec->group_count,
		.now = loop_now(work->loop),
		.lifetime = cert_spec->lifetime,
	};
	int rc;

	if (load(work, cert_spec, &pair, err) == 0 && is_good(work, cert_spec, &pair)) {
		*ret = cert_pair_take(&pair);
		return 0;
	}
	cert_pair_done(&pair);
	if (cert_spec->use == CERT_USE_SERVER) {
		ask.hosts = work->options->hosts;
		ask.host_count = work->options->host_count;
		rc = cert_new_server(&work->identity->ca, &ask, ret, err);
	} else {
		rc = cert_new_client(&work->identity->ca, &ask, ret, err);
	}
	return rc < 0 ? -1 : save(work, cert_spec, ret, err);
}

static void print_token(struct loop *loop, struct buf *to)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[TOKEN_BYTES];

	loop_random(loop, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		buf_putc(to, digits[bytes[i] >> 4]);
		buf_putc(to, digits[bytes[i] & 15]);
	}
	explicit_bzero(bytes, sizeof(bytes));
}

static int open_tokens(const struct work *work, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/tokens.csv", work->options->folder);
	AUTO(buf_done) struct buf text = BUF_INIT(TOKENS_MAX_BYTES);

	if (fd_read_file(path, &text, err) < 0) {
		if (err->code != ERR_NOT_FOUND)
			return -1;
		print_token(work->loop, &text);
		buf_puts(&text, ",kubernetes-admin,admin,\"system:masters\"\n");
		if (fd_write_file(path, text.ptr, text.len, 0600, err) < 0)
			return -1;
	}
	work->identity->tokens = buf_take(&text);
	return 0;
}

int identity_open(struct loop *loop, const struct identity_options *options, struct identity *ret,
		  struct err *err)
{
	AUTO(identity_done) struct identity identity = {.tokens = NULL};
	struct work work = {loop, options, &identity};

	if (mkdir(options->folder, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "%s", options->folder);
	if (open_ca(&work, err) < 0 ||
	    open_signed(&work, &server_spec, &identity.server, err) < 0 ||
	    open_signed(&work, &admin_spec, &identity.admin, err) < 0 ||
	    open_tokens(&work, err) < 0)
		return -1;
	*ret = identity;
	identity = (struct identity){.tokens = NULL};
	return 0;
}
