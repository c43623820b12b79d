/* SPDX-License-Identifier: Apache-2.0 */
/* node/wire.h - what an agent and the supervisor of a pod say to one another.
 *
 * Over a Unix socket of packets (SOCK_SEQPACKET): each message is one packet of words with blanks
 * between. Where a supervisor listens follows from its pod's folder (wire_address()); the one that connects
 * last is its agent. I is the number of a container in the plan, init containers first.
 *
 *	agent				meaning
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
 *	state I RECORD			how a container is (node/record.h); after hello of each of them,
 *					then with every change, which has been written down before
 *	ready				all that was known at hello has been told
 *	clean				its last word: the control groups that it made are gone
 *	done ID CODE NUL OUTPUT		a command has ended; CODE -1: it could not be started (OUTPUT says
 *					why), -2: it took too long
 *
 * The launcher is told the folder of a pod, with two descriptors: the supervisor's end of a socket to it,
 * and a file in memory that holds the plan. */
#ifndef NODE_WIRE_H
#define NODE_WIRE_H

#include <sys/socket.h>
#include <sys/un.h>

/* Read where a supervisor is started by hand. */
#define WIRE_PLAN "plan"
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
	/* How volcano-pod ends that is asked for what it does not know, by an agent of another version;
	 * those before PLAN_VERSION was told did so, too. */
	WIRE_EXIT_VERSION = 2,
};

/* Where the supervisor of the pod in this folder (a descriptor of it) listens: a name in Linux's abstract
 * name space made of the folder's device and number, so that it goes with the process and no path is too
 * long. Gives the length of the address; 0: there is no such folder. */
socklen_t wire_address(int folder, struct sockaddr_un *ret);

#endif
