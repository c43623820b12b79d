/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1: requests into a server, responses into a client. */
#include "http.h"

#include "base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 1)
		fuzz_client(false, data + 1, size - 1, data[0] >> 1 & 31);
	else
		fuzz_server("", data + 1, size - 1, data[0] >> 1 & 31);
	return 0;
}
