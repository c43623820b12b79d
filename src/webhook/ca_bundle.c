/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/ca_bundle.c - see ca_bundle.h. Certificates are compared by their text, without white space: the same one
 * may be wrapped otherwise. */
#include "webhook/ca_bundle.h"

#include "http/cert.h"

#include "base/banned.h"

#define BEGIN STR("-----BEGIN CERTIFICATE-----")
#define END STR("-----END CERTIFICATE-----")

bool ca_bundle_next(struct str *rest, struct str *ret)
{
	ptrdiff_t begin = str_find(*rest, BEGIN, 0);
	ptrdiff_t end = begin < 0 ? -1 : str_find(*rest, END, (size_t)begin);

	if (end < 0)
		return false;
	*ret = str_slice(*rest, (size_t)begin, (size_t)end + END.len);
	*rest = str_skip(*rest, (size_t)end + END.len);
	return true;
}

size_t ca_bundle_len(struct str bundle)
{
	struct str cert;
	size_t len = 0;

	while (ca_bundle_next(&bundle, &cert))
		len++;
	return len;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_same(struct str a, struct str b)
{
	size_t i = 0;
	size_t j = 0;

	for (;;) {
		while (i < a.len && is_space(a.ptr[i]))
			i++;
		while (j < b.len && is_space(b.ptr[j]))
			j++;
		if (i == a.len || j == b.len)
			return i == a.len && j == b.len;
		if (a.ptr[i++] != b.ptr[j++])
			return false;
	}
}

static bool has_one(struct str bundle, struct str wanted)
{
	struct str cert;

	while (ca_bundle_next(&bundle, &cert))
		if (is_same(cert, wanted))
			return true;
	return false;
}

bool ca_bundle_has(struct str bundle, struct str some)
{
	struct str cert;

	while (ca_bundle_next(&some, &cert))
		if (!has_one(bundle, cert))
			return false;
	return true;
}

static bool passes(struct str cert, const struct ca_bundle_filter *filter)
{
	AUTO(cert_info_done) struct cert_info info = {0};

	if (cert_info_parse(cert, &info, NULL) < 0 || info.not_after <= filter->now)
		return false;
	return str_is_none(filter->signs) ||
	       cert_check(
		       &(struct cert_check){.cert = filter->signs, .ca = cert, .now = filter->now},
		       NULL) == 0;
}

void ca_bundle_add(struct buf *to, struct str from, const struct ca_bundle_filter *filter)
{
	struct str cert;

	while (ca_bundle_next(&from, &cert)) {
		if (ca_bundle_len(buf_str(to)) >= filter->max || has_one(buf_str(to), cert) ||
		    !passes(cert, filter))
			continue;
		buf_put_str(to, cert);
		buf_putc(to, '\n');
	}
}
