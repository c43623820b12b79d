/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cert.c - any bytes as a PEM text of certificates, keys and CAs. What is read has all its
 * texts, and nothing is left in OpenSSL's queue of errors. */
#include <openssl/err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "http/cert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str pem = str_of((const char *)data, size);
	struct cert_check check = {
		.cert = pem, .key = pem, .ca = pem, .now = INT64_C(1800000000000000)};
	AUTO(cert_info_done) struct cert_info info = {0};
	struct err err = {0};

	if (cert_info_parse(pem, &info, &err) == 0)
		must(info.subject && info.issuer && info.serial && info.name);
	else
		must(err.text[0] && !info.subject);
	must(ERR_peek_error() == 0);
	(void)cert_has_host(pem, "localhost");
	(void)cert_has_host(pem, "::1");
	if (cert_check(&check, &err) < 0)
		must(err.text[0]);
	check.key = str_none();
	if (cert_check(&check, &err) < 0)
		must(err.text[0]);
	must(ERR_peek_error() == 0);
	return 0;
}
