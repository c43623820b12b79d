/* SPDX-License-Identifier: Apache-2.0 */
/* URLs, queries, addresses and header field values; what was decoded encodes and decodes again. */
#include <assert.h>
#include <stdint.h>

#include "base/url.h"
#include "http/address.h"
#include "http/field.h"

#include "base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size), path, raw, rest = text;
	AUTO(buf_done) struct buf decoded = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf again = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf coded = BUF_UNBOUNDED;
	AUTO(query_done) struct query query = {0};
	char printed[ADDRESS_TEXT_SIZE];
	struct field_media media;
	struct address address;
	struct url url;
	int64_t time;

	(void)!url_parse(text, &url, NULL);
	(void)!url_split_target(text, &path, &raw, NULL);
	query_init(&query, text);
	(void)query_get(&query, STR("a"));
	if (url_decode_query(text, &decoded, NULL) == 0) {
		url_encode_query(buf_str(&decoded), &coded);
		assert(url_decode_query(buf_str(&coded), &again, NULL) == 0);
		assert(str_eq(buf_str(&decoded), buf_str(&again)));
	}
	while (field_next_media(&rest, &media))
		(void)field_param(media.params, STR("q"));
	(void)field_quality(text, STR("gzip"));
	(void)!field_parse_date(text, &time, NULL);
	(void)!field_parse_retry_after(text, 0, &time, NULL);
	if (address_parse(text, &address, NULL) == 0) {
		address_print(&address, printed);
		assert(address_parse(str_from(printed), &address, NULL) == 0);
	}
	return 0;
}
