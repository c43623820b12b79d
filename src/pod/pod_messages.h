/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_messages.h - the messages between an agent and the supervisor of a pod.
 *
 * Over a Unix socket of packets (SOCK_SEQPACKET): each message is one packet of words separated by blanks. A supervisor
 * is started with a socket to its agent, and has one agent at a time. While it has none it listens at D/control/UID, in
 * a folder of mode 0700 that pods do not see; a process that connects there becomes its agent when it has sent the
 * secret. I is the number of a container in the plan, init containers first.
 *
 *	agent				meaning
 *	agent SECRET			the first message of an agent that connects
 *	start I RUN			run it; RUN counts from 0 (ignored if that run has started already)
 *	stop I GRACE			SIGTERM, and after GRACE microseconds SIGKILL to all that is left
 *	signal I NUMBER			a signal to its process group
 *	hosts AT SIZE NUL BYTES		new names for its containers: BYTES at AT of a file of SIZE;
 *					the first part is at 0, and the last one ends at SIZE
 *	exec ID I TIMEOUT NUL ARGS	run another command in it; each argument ends in NUL
 *	quit				kill what runs, and end
 *
 *	supervisor
 *	hello 1 PID [POD NODE]		the version of this list; the pod's address and that of its node
 *	state I RECORD			the record of a container (pod/record.h); after hello of each one,
 *					then with every change, after it was written into the folder
 *	ready				all records that existed at hello have been sent
 *	clean				the last message: the control groups that it made were removed
 *	done ID CODE NUL OUTPUT		a command has ended; CODE -1: it could not be started (OUTPUT says
 *					why), -2: it took too long
 *
 * The launcher receives the folder of a pod, D/control and the secret, each of which ends in NUL, and two descriptors:
 * the supervisor's end of a socket to the agent, and a file in memory that holds the plan. */
#ifndef POD_MESSAGES_H
#define POD_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/macro.h"

/* The file in the folder of sockets that has the secret. */
#define POD_SOCKET_SECRET "secret"
/* The first word of an agent that connects. */
#define POD_SOCKET_AGENT "agent "
/* Suffix of the file in the pod's folder that has the termination message of a container; its name comes before.
 * No file: no message. */
#define POD_MESSAGE_SUFFIX ".message"

enum {
	POD_SOCKET_VERSION = 1,
	POD_SOCKET_MAX_BYTES = 128 * 1024,
	POD_SOCKET_HOSTS_BYTES = 16 * 1024 * 1024,
	POD_MESSAGE_BYTES = 4096,
	POD_SOCKET_OUTPUT_BYTES =
		10 *
		1024, /* output of a command that is kept: as much as a kubelet shows of a probe */
	POD_EXEC_NOT_STARTED = -1,
	POD_EXEC_TIMED_OUT = -2,
	POD_SOCKET_SECRET_SIZE = 65, /* hexadecimal digits, and NUL */
	/* The exit code of volcano-pod if an agent of another version asks for what it does not know; versions
	 * older than PLAN_VERSION have it, too. */
	POD_SOCKET_EXIT_VERSION = 2,
};

/* --- who holds a pod --- */

/* Lock the folder of a pod (a descriptor, open for reading) as its supervisor. -1 and EWOULDBLOCK: another
 * supervisor has it, or pod_folder_is_locked() is just checking. The lock is released when `folder` and `*ret_lock` (-1:
 * none) are closed. */
int pod_folder_lock(int folder, int *ret_lock) MUST_CHECK;
/* Is there a supervisor? It is not disturbed. */
bool pod_folder_is_locked(const char *folder);

/* --- sockets; `control` is the folder that they are in --- */

/* The name of the socket of the pod in this folder. */
const char *pod_socket_name(const char *folder);
/* For the process that holds the pod. Returns a descriptor that does not block. */
int pod_socket_listen(const char *control, const char *name, struct err *err) MUST_CHECK;
void pod_socket_remove(const char *control, const char *name);
/* Connects, and sends the secret. ERR_NOT_FOUND: no supervisor listens (yet). */
int pod_socket_connect(const char *control, const char *name, struct err *err) MUST_CHECK;
int pod_socket_read_secret(const char *control, char ret[POD_SOCKET_SECRET_SIZE],
			   struct err *err) MUST_CHECK;
/* Is this a first message with the right secret? */
bool pod_socket_is_agent(const char *message, size_t len, const char *secret);

#endif
