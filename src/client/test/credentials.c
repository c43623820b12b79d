/* SPDX-License-Identifier: Apache-2.0 */
/* Who is asking: what the header says, and when it is looked at again. */
#include "client/credentials.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/time.h"
#include "client/exec_plugin.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "tap.h"

/* A file that a test changes. */
struct file {
	const char *text; /* NULL: it is not there */
	int reads;
};

static int read_file(void *arg, const char *path, struct buf *to, struct err *err)
{
	struct file *file = arg;

	file->reads++;
	if (!file->text)
		return err_set(err, ERR_NOT_FOUND, "%s: not there", path);
	buf_puts(to, file->text);
	return 0;
}

static void on_certificate(void *arg, const char *cert, const char *key)
{
	(void)arg;
	(void)cert;
	(void)key;
}

static struct kubeconfig_access empty_access(void)
{
	return (struct kubeconfig_access){
		.server = "", .token = "", .token_file = "", .username = "", .password = ""};
}

static struct credentials *make(struct loop *loop, const struct kubeconfig_access *access,
				struct file *file)
{
	return credentials_new(loop, &(struct credentials_options){
					     .access = access,
					     .files = {.read = read_file, .arg = file},
					     .certificate = on_certificate,
				     });
}

static void test_fixed(void)
{
	struct loop *loop = loop_new_virtual(1, 0, NULL);
	struct kubeconfig_access access = empty_access();
	struct credentials_wait wait = {0};
	struct credentials *credentials = make(loop, &access, NULL);

	ok(credentials_get(credentials, &wait), "nothing to wait for");
	is(credentials_header(credentials), "");
	credentials_free(credentials);
	access.username = "marie";
	access.password = "secret";
	credentials = make(loop, &access, NULL);
	is(credentials_header(credentials), "Basic bWFyaWU6c2VjcmV0");
	ok(!credentials_reject(credentials, credentials_generation(credentials)),
	   "there is nothing else to try");
	credentials_free(credentials);
	access.token = " abc\n";
	credentials = make(loop, &access, NULL);
	is(credentials_header(credentials), "Bearer abc");
	credentials_free(credentials);
	loop_free(loop);
}

static void test_file(void)
{
	struct loop *loop = loop_new_virtual(1, 0, NULL);
	struct file file = {.text = "two\n"};
	struct kubeconfig_access access = empty_access();
	struct credentials_wait wait = {0};
	struct credentials *credentials;
	unsigned first;

	access.token = "one";
	access.token_file = "/var/run/token";
	credentials = make(loop, &access, &file);
	first = credentials_generation(credentials);
	(void)loop_turn(loop, 30 * TIME_SECOND);
	ok(credentials_get(credentials, &wait) && file.reads == 0, "a young token is as it was");
	is(credentials_header(credentials), "Bearer one");
	(void)loop_turn(loop, 31 * TIME_SECOND);
	ok(credentials_get(credentials, &wait) && file.reads == 1, "an old one is read again");
	is(credentials_header(credentials), "Bearer two");
	ok(credentials_reject(credentials, first) && file.reads == 1,
	   "who was sent with the old one tries the new one");
	first = credentials_generation(credentials);
	ok(!credentials_reject(credentials, first) && file.reads == 1,
	   "what was read just now need not be read again");
	(void)loop_turn(loop, 10 * TIME_SECOND);
	ok(!credentials_reject(credentials, first) && file.reads == 2,
	   "the same once more does not help");
	file.text = "three";
	(void)loop_turn(loop, 10 * TIME_SECOND);
	ok(credentials_reject(credentials, first), "another does");
	is(credentials_header(credentials), "Bearer three");
	file.text = NULL;
	(void)loop_turn(loop, 2 * TIME_MINUTE);
	ok(credentials_get(credentials, &wait), "a file that was removed");
	is(credentials_header(credentials), "Bearer three");
	credentials_free(credentials);
	loop_free(loop);
}

#define V1 "client.authentication.k8s.io/v1"

static void test_output(void)
{
	static const struct {
		const char *text;
		const char *error; /* NULL: good */
	} rows[] = {
		{"{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
		 "\",\"status\":{\"token\":\"t\",\"expirationTimestamp\":\"1970-01-01T00:00:01Z\"}"
		 "}",
		 NULL},
		{"{\"kind\":\"Secret\"}", "the output is not an ExecCredential"},
		{"{\"kind\":\"ExecCredential\",\"apiVersion\":\"v2\"}",
		 "apiVersion: \"v2\" was printed, \"" V1 "\" is configured"},
		{"{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{}}",
		 "status: neither token nor clientCertificateData"},
		{"{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
		 "\",\"status\":{\"clientCertificateData\":\"c\"}}",
		 "status: clientCertificateData and clientKeyData go together"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(rows[i].text), NULL, &err);
		struct exec_credential credential = {0};
		int rc = exec_credential_read(doc, V1, &credential, &err);

		if (rows[i].error)
			is(err.text, rows[i].error);
		else
			ok(rc == 0 && !strcmp(credential.token, "t") &&
				   credential.expires == TIME_SECOND,
			   "a token and when it ends");
	}
}

int main(void)
{
	test_fixed();
	test_file();
	test_output();
	return tap_done();
}
