/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/apiworld.h - an API server for the apiserver-* benchmarks, its store on disk in a
 * folder in $TMPDIR: put that on the disk that is meant.
 *
 * Either it has a process of its own and is asked over HTTPS, as users do, so that its CPU
 * time and memory are its own; or it is in this process and asked directly, as the scheduler and
 * the controllers on one machine do; or it is another one, which runs already. */
#ifndef PROGRAMS_BENCH_APIWORLD_H
#define PROGRAMS_BENCH_APIWORLD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "client/client.h"
#include "programs/bench/bench.h"

enum { APIWORLD_NAME_BYTES = 48 };

struct transport;

struct apiworld {
	struct bench_run *run;
	char *folder;        /* NULL: a server elsewhere */
	char *kubeconfig;    /* the path of the file */
	char *own_namespace; /* elsewhere: of this run only */
	struct loop *loop;
	struct client *client;
	size_t left; /* answers to come */

	struct apiserver *server; /* within */
	pid_t pid;                /* apart */
	int hold;                 /* the server's process ends when this is closed */
};

/* With a namespace "bench" and `objects` config maps in it, "c-0" and so on. */
void apiworld_open_apart(struct apiworld *w, struct bench_run *run, size_t objects,
			 size_t in_flight);
void apiworld_open_within(struct apiworld *w, struct bench_run *run, size_t objects,
			  size_t in_flight);
/* At a server that runs already, named by a kubeconfig: in a namespace of this run's own, which apiworld_close()
 * deletes. What has no namespace is the caller's to delete. */
void apiworld_open_remote(struct apiworld *w, struct bench_run *run, const char *kubeconfig,
			  size_t in_flight);
void apiworld_close(struct apiworld *w);

/* In which everything is. */
const char *apiworld_namespace(const struct apiworld *w);
/* A connection of its own to the server that a kubeconfig names. */
struct transport *apiworld_connect(struct loop *loop, const char *kubeconfig)
	__attribute__((returns_nonnull));

/* Apart only: end the server; start it again in the same folder. */
void apiworld_stop(struct apiworld *w);
void apiworld_start(struct apiworld *w, size_t objects);

/* Ask for something in the namespace, and count the answer, which must be a good one. */
void apiworld_ask(struct apiworld *w, struct client_ask what);
/* The same; it is no fault if the object is there already, or not there any more. */
void apiworld_create_if_missing(struct apiworld *w, struct client_ask what);
void apiworld_delete_if_there(struct apiworld *w, struct client_ask what);
/* Until everything that was asked has been answered. */
void apiworld_wait(struct apiworld *w);

struct json_doc *apiworld_configmap(size_t number, size_t version);
struct json_doc *apiworld_pod(size_t number);

/* Nanoseconds of CPU time of the process that the server is in. */
int64_t apiworld_cpu(const struct apiworld *w);
/* What it has in memory, in bytes. */
size_t apiworld_memory(const struct apiworld *w);

#endif
