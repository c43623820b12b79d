/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_apiserver_start.c - the start of an API server in a process of its own: in an empty
 * folder, and with so many pods on disk; until it serves, by the clock, and what it has in memory
 * then.
 *
 * bytes_per_pod is what the memory of a restarted server grows by for each pod (1.6 kB of text). */
#include <time.h>

#include "json/doc.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { IN_FLIGHT = 512 };

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void measure_apiserver_start(struct bench_run *run)
{
	struct apiworld w;
	double before = milliseconds();
	size_t empty;
	size_t full;

	apiworld_open_apart(&w, run, 0, IN_FLIGHT);
	bench_value(run, "first_start_ms", milliseconds() - before);
	bench_value(run, "first_start_cpu_ms", (double)apiworld_cpu(&w) / 1e6);
	empty = apiworld_memory(&w);
	bench_value(run, "first_start_kb", (double)empty / 1024);
	AUTO(json_doc_unref)
	struct json_doc *namespace =
		json_parse(STR("{\"metadata\":{\"name\":\"bench\"}}"), NULL, NULL);

	apiworld_ask(&w, (struct client_ask){.verb = CLIENT_CREATE,
					     .resource = &resources[RESOURCE_NAMESPACES],
					     .body = namespace});
	apiworld_wait(&w);
	for (size_t i = 0; i < bench_size(run); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = apiworld_pod(i);

		apiworld_ask(&w, (struct client_ask){.verb = CLIENT_CREATE,
						     .resource = &resources[RESOURCE_PODS],
						     .body = doc,
						     .discard = true});
		if (w.left >= IN_FLIGHT)
			apiworld_wait(&w);
	}
	apiworld_wait(&w);
	bench_value(run, "filled_kb", (double)apiworld_memory(&w) / 1024);
	apiworld_stop(&w);
	before = milliseconds();
	apiworld_start(&w, 0);
	bench_value(run, "restart_ms", milliseconds() - before);
	full = apiworld_memory(&w);
	bench_value(run, "restart_kb", (double)full / 1024);
	bench_value(run, "restart_cpu_ms", (double)apiworld_cpu(&w) / 1e6);
	bench_value(run, "bytes_per_pod",
		    full > empty ? (double)(full - empty) / (double)bench_size(run) : 0);
	apiworld_close(&w);
}

const struct bench bench_apiserver_start = {
	.name = "apiserver-start",
	.about = "the start of an API server, the first one and with pods on disk",
	.item = "pods",
	.size = 100000,
	.run = measure_apiserver_start,
};
