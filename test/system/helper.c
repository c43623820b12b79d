/* SPDX-License-Identifier: Apache-2.0 */
/* helper.c - library functions for system tests, so that outside programs can check them.
 *
 *	helper certs FOLDER     ca, other-ca, server and client (.crt and .key), id_rsa and
 *id_ed25519 helper gzip|gunzip      from standard input to standard output */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/cert.h"
#include "http/gzip.h"
#include "http/sshkey.h"

enum { INPUT_MAX = 256 * 1024 * 1024 };

static int save_pair(const char *folder, const char *name, const struct cert_pair *pair,
		     struct err *err)
{
	AUTO(mem_free) char *cert = mem_printf("%s/%s.crt", folder, name);
	AUTO(mem_free) char *key = mem_printf("%s/%s.key", folder, name);

	return cert_pair_save(pair, cert, key, err);
}

static int save_sshkey(const char *folder, const char *name, enum sshkey_type type, struct err *err)
{
	AUTO(mem_free) char *private_path = mem_printf("%s/%s", folder, name);
	AUTO(mem_free) char *public_path = mem_printf("%s/%s.pub", folder, name);
	AUTO(sshkey_done) struct sshkey key = {0};

	if (sshkey_new(type, "job@volcano", &key, err) < 0 ||
	    fd_write_file(private_path, key.private_pem, strlen(key.private_pem), 0600, err) < 0)
		return -1;
	return fd_write_file(public_path, key.public_line, strlen(key.public_line), 0644, err);
}

static int make_certs(const char *folder, struct err *err)
{
	static const char *const hosts[] = {"localhost", "*.test.example", "127.0.0.1", "::1"};
	static const char *const groups[] = {"system:masters", "physicists"};
	const int64_t now = (int64_t)time(NULL) * TIME_SECOND;
	AUTO(cert_pair_done) struct cert_pair ca = {0};
	AUTO(cert_pair_done) struct cert_pair other = {0};
	AUTO(cert_pair_done) struct cert_pair server = {0};
	AUTO(cert_pair_done) struct cert_pair client = {0};
	struct cert_request ask = {.name = "test-ca", .now = now, .lifetime = 7 * TIME_DAY};

	if (cert_new_ca(&ask, &ca, err) < 0 || cert_new_ca(&ask, &other, err) < 0)
		return -1;
	ask.name = "server";
	ask.hosts = hosts;
	ask.host_count = ARRAY_LEN(hosts);
	if (cert_new_server(&ca, &ask, &server, err) < 0)
		return -1;
	ask = (struct cert_request){.name = "marie", .now = now, .lifetime = TIME_DAY};
	ask.groups = groups;
	ask.group_count = ARRAY_LEN(groups);
	if (cert_new_client(&ca, &ask, &client, err) < 0 || save_pair(folder, "ca", &ca, err) < 0 ||
	    save_pair(folder, "other-ca", &other, err) < 0 ||
	    save_pair(folder, "server", &server, err) < 0 ||
	    save_pair(folder, "client", &client, err) < 0 ||
	    save_sshkey(folder, "id_rsa", SSHKEY_RSA, err) < 0)
		return -1;
	return save_sshkey(folder, "id_ed25519", SSHKEY_ED25519, err);
}

static int filter(bool compress, struct err *err)
{
	AUTO(gzip_free) struct gzip *gzip = gzip_new(GZIP_LEVEL_FAST);
	AUTO(buf_done) struct buf in = BUF_INIT(INPUT_MAX);
	AUTO(buf_done) struct buf out = BUF_INIT(INPUT_MAX);

	if (fd_read_file("/dev/stdin", &in, err) < 0 ||
	    (compress ? gzip_compress(gzip, buf_str(&in), &out, err)
		      : gzip_decompress(gzip, buf_str(&in), &out, err)) < 0)
		return -1;
	if (fwrite(buf_text(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0)
		return err_set(err, ERR_INTERNAL, "cannot write");
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	int result = -1;

	if (argc == 3 && strcmp(argv[1], "certs") == 0)
		result = make_certs(argv[2], &err);
	else if (argc == 2 && strcmp(argv[1], "gzip") == 0)
		result = filter(true, &err);
	else if (argc == 2 && strcmp(argv[1], "gunzip") == 0)
		result = filter(false, &err);
	else
		(void)err_set(&err, ERR_BAD_REQUEST, "usage: helper certs FOLDER | gzip | gunzip");
	if (result < 0)
		fprintf(stderr, "helper: %s\n", err.text);
	return result < 0;
}
