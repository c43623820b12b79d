/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2: frames into a server (after the preface), frames into a client. */
#include "http.h"

#include "base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 1)
		fuzz_client(true, data + 1, size - 1, data[0] >> 1 & 31);
	else
		fuzz_server("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", data + 1, size - 1,
			    data[0] >> 1 & 31);
	return 0;
}
