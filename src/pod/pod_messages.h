/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_messages.h - what an agent and the supervisor of a pod say to one another.
 *
 * Over a Unix socket of packets (SOCK_SEQPACKET): each message is one packet of words with blanks
 * between. A supervisor is started with a socket to its agent, and has one agent at a time. While it has none it
 * listens at D/control/UID, in a folder of mode 0700 that pods do not see; who connects there is its agent once it has
 * said the secret, and nobody before. I is the number of a container in the plan, init containers first.
 *
 *	agent				meaning
 *	agent SECRET			the first message, where it has connected
 *	start I RUN			run it; RUN counts from 0 (nothing happens where it has run already)
 *	stop I GRACE			SIGTERM, and after GRACE microseconds SIGKILL to all that is left
 *	signal I NUMBER			a signal to its process group
 *	hosts AT SIZE NUL BYTES		names that its containers know from now on: BYTES at AT of a file of SIZE;
 *					the first part is at 0, and the last one ends at SIZE
 *	exec ID I TIMEOUT NUL ARGS	run another command in its place; arguments end in NUL each
 *	quit				kill what runs, and go
 *
 *	supervisor
 *	hello 1 PID [POD NODE]		the version of this list; the pod's address and that of its node
 *	state I RECORD			how a container is (pod/record.h); after hello of each of them,
 *					then with every change, which has been written down before
 *	ready				all that was known at hello has been told
 *	clean				its last word: the control groups that it made are gone
 *	done ID CODE NUL OUTPUT		a command has ended; CODE -1: it could not be started (OUTPUT says
 *					why), -2: it took too long
 *
 * The launcher gets the folder of a pod, D/control and the secret, each of which ends in NUL, with two descriptors: the
 * supervisor's end of a socket to it, and a file in memory that holds the plan. */
#ifndef POD_POD_MESSAGES_H
#define POD_POD_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/macro.h"

/* In the folder of sockets. */
#define WIRE_SECRET "secret"
/* The first word of an agent that has connected. */
#define WIRE_AGENT "agent "
/* The file in the pod's folder that holds what a container has said at its end: its name and this. None: nothing. */
#define WIRE_MESSAGE ".message"

enum {
	WIRE_VERSION = 1,
	WIRE_MAX_BYTES = 128 * 1024,
	WIRE_HOSTS_BYTES = 16 * 1024 * 1024,
	WIRE_MESSAGE_BYTES = 4096,
	WIRE_OUTPUT_BYTES = 10 * 1024, /* of a command: as much as a kubelet shows of a probe */
	WIRE_NOT_STARTED = -1,
	WIRE_TIMED_OUT = -2,
	WIRE_SECRET_SIZE = 65, /* hexadecimal digits, and NUL */
	/* How volcano-pod ends that is asked for what it does not know, by an agent of another version;
	 * those before PLAN_VERSION was told did so, too. */
	WIRE_EXIT_VERSION = 2,
};

/* --- who holds a pod --- */

/* Lock the folder of a pod (a descriptor of it, open for reading) as its supervisor. -1 and EWOULDBLOCK: another one has
 * it, or somebody is just looking. The lock goes when `folder` and `*ret_lock` (-1: none) are closed. */
int wire_hold(int folder, int *ret_lock) MUST_CHECK;
/* Is there a supervisor? It does not notice. */
bool wire_is_held(const char *folder);

/* --- sockets; `control` is the folder that they are in --- */

/* The name of the socket of the pod in this folder. */
const char *wire_name(const char *folder);
/* For the one that holds the pod. Gives a descriptor that does not block. */
int wire_listen(const char *control, const char *name, struct err *err) MUST_CHECK;
void wire_unlisten(const char *control, const char *name);
/* Connects, and says the secret. ERR_NOT_FOUND: nobody listens, at least not yet. */
int wire_connect(const char *control, const char *name, struct err *err) MUST_CHECK;
int wire_read_secret(const char *control, char ret[WIRE_SECRET_SIZE], struct err *err) MUST_CHECK;
/* Is this the first message of one that knows the secret? */
bool wire_is_agent(const char *message, size_t len, const char *secret);

#endif
