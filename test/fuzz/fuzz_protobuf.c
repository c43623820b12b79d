/* SPDX-License-Identifier: Apache-2.0 */
/* An object in protobuf, read as a pod or as a config map: either an error, or a document that
 * prints as JSON. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/core/configmap.h"
#include "model/field/protobuf.h"
#include "model/pod/pod.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct protobuf_envelope envelope;
	const struct type *type = size % 2 ? &pod_type : &configmap_type;
	struct err err;

	if (protobuf_open(str_of((const char *)data, size), &envelope, &err) < 0)
		return 0;
	AUTO(json_doc_unref) struct json_doc *doc = protobuf_decode(type, envelope.raw, NULL, &err);

	if (doc) {
		AUTO(mem_free) char *text = json_text(json_doc_root(doc), JSON_COMPACT);
		AUTO(json_doc_unref)
		struct json_doc *again = json_parse(str_from(text), NULL, &err);

		assert(again);
	}
	return 0;
}
