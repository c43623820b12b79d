/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes are a script of writes, watches, failures and reopenings; the model asserts. */
#include <stddef.h>
#include <stdint.h>

#include "apiserver/test/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= 4096)
		(void)script_run(data, size);
	return 0;
}
