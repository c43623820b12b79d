/* SPDX-License-Identifier: Apache-2.0 */
/* node/wire.c - where supervisors listen. */
#include "node/wire.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/banned.h"

socklen_t wire_address(int folder, struct sockaddr_un *ret)
{
	struct stat status;
	int len;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (folder < 0 || fstat(folder, &status) < 0)
		return 0;
	len = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "volcano-pod/%llx/%llx",
		       (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}
