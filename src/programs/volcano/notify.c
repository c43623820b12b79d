/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/notify.c - report the state to a service manager. */
#include "programs/volcano/notify.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"
#include "http/address.h"

#include "base/banned.h"

void notify_send(const char *socket_name, const char *state)
{
	AUTO(fd_close) int fd = -1;
	AUTO(buf_done) struct buf text = BUF_INIT(sizeof(struct sockaddr_un));
	struct address to;

	if (!socket_name || !*socket_name)
		return;
	buf_printf(&text, "unix:%s", socket_name);
	if (buf_is_over(&text) || address_parse(buf_str(&text), &to, NULL) < 0)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
			     (const struct sockaddr *)&to.sockaddr, to.len);
}
