/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_apiserver_watch.c - so many watchers of one kind over HTTPS, at 1,000 events a
 * second.
 *
 * An event is a change of one of a few config maps of 300 bytes, made by a client of its own; every
 * watcher gets every event. The rate is kept by the clock; if the machine cannot hold it, as many
 * are made as it can (events_per_second). Latency is from sending the change to having read
 * the event, for one watcher among many; it includes the disk.
 *
 * bytes_per_watcher: what the server's memory grows by for each, connections included: watches share
 * connections, as the client library makes them. cpu_ns_per_delivery: of the server. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { OBJECTS = 16, EVENTS_PER_SECOND = 1000, TICK_US = 5000, IN_FLIGHT = 64 };

struct watching {
	struct apiworld world;
	uint64_t delivered;
	bool measuring;
	VEC(double) latencies; /* milliseconds */
};

struct one {
	struct watching *all;
	struct client_request *request;
	bool timed; /* it looks at when the change was sent */
};

/* When the change of an event was sent; a line may come in two pieces: then it is not looked at. */
static void time_event(struct watching *w, struct str line)
{
	static const struct str key = STR_INIT("\"version\":\"");
	ptrdiff_t at = str_find(line, key, 0);

	if (at >= 0)
		vec_push(&w->latencies, bench_clock_ms() - strtod(line.ptr + at + key.len, NULL));
}

/* Lines are counted, not decoded: the client is not what is measured. */
static void on_data(void *arg, struct str data)
{
	struct one *one = arg;
	struct watching *w = one->all;
	ptrdiff_t end;

	while ((end = str_find_byte(data, '\n', 0)) >= 0) {
		w->delivered++;
		if (one->timed && w->measuring)
			time_event(w, str_slice(data, 0, (size_t)end));
		data = str_skip(data, (size_t)end + 1);
	}
}

static void on_ended(void *arg, const struct err *err)
{
	(void)arg;
	bench_require(false, err ? err : &(struct err){.text = "a watch has ended"});
}

static void change(struct watching *w, size_t number)
{
	char name[APIWORLD_NAME_BYTES];
	int len = snprintf(name, sizeof(name), "c-%zu", number % OBJECTS);
	AUTO(mem_free)
	char *text = mem_printf("{\"data\":{\"version\":\"%.6f\"}}", bench_clock_ms());
	AUTO(json_doc_unref) struct json_doc *patch = json_parse(str_from(text), NULL, NULL);

	apiworld_ask(&w->world, (struct client_ask){.verb = CLIENT_PATCH,
						    .patch = CLIENT_PATCH_MERGE,
						    .name = str_of(name, (size_t)len),
						    .body = patch,
						    .discard = true});
}

static struct one *open_watches(struct watching *w, size_t count)
{
	struct one *ones = mem_zalloc(count * sizeof(ones[0]));

	for (size_t i = 0; i < count; i++) {
		struct client_stream ask = {
			.path = STR(
				"/api/v1/namespaces/bench/configmaps?watch=1&resourceVersion=0"),
			.data = on_data,
			.ended = on_ended,
			.arg = &ones[i]};

		ones[i] = (struct one){.all = w, .timed = i % 100 == 0};
		ones[i].request = client_stream(w->world.client, &ask);
	}
	while (w->delivered < count * OBJECTS)
		(void)loop_turn(w->world.loop, -1);
	return ones;
}

/* Changes at the wanted rate for as long as asked; gives how many there were. */
static size_t drive(struct watching *w, double seconds, size_t watchers)
{
	double start = bench_clock_ms();
	size_t made = 0;

	w->delivered = 0;
	w->measuring = true;
	for (;;) {
		double elapsed = bench_clock_ms() - start;
		size_t due = (size_t)(elapsed * EVENTS_PER_SECOND / 1e3) + 1;

		if (elapsed >= seconds * 1e3 && made)
			break;
		while (made < due && w->world.left < IN_FLIGHT)
			change(w, made++);
		(void)loop_turn(w->world.loop, TICK_US);
	}
	while (w->world.left || w->delivered < made * watchers)
		(void)loop_turn(w->world.loop, -1);
	w->measuring = false;
	return made;
}

static void report(struct watching *w, size_t events, size_t watchers, double wall_ms, int64_t cpu)
{
	struct bench_run *run = w->world.run;

	bench_value(run, "events_per_second", (double)events / wall_ms * 1e3);
	bench_value(run, "deliveries_per_second", (double)(events * watchers) / wall_ms * 1e3);
	bench_latencies(run, "latency", w->latencies.ptr, w->latencies.len);
	bench_value(run, "server_cpu_percent", (double)cpu / 1e4 / wall_ms);
	bench_value(run, "cpu_ns_per_delivery", (double)cpu / (double)(events * watchers));
}

static void measure_apiserver_watch(struct bench_run *run)
{
	struct watching w = {0};
	size_t watchers = bench_size(run);
	double seconds = (double)bench_option(run, "seconds-of-events");
	size_t before;
	struct one *ones;

	apiworld_open_apart(&w.world, run, OBJECTS, IN_FLIGHT);
	for (size_t i = 0; i < OBJECTS; i++)
		change(&w, i);
	apiworld_wait(&w.world);
	before = apiworld_memory(&w.world);
	ones = open_watches(&w, watchers);
	bench_value(run, "bytes_per_watcher",
		    (double)(apiworld_memory(&w.world) - before) / (double)watchers);
	int64_t cpu = apiworld_cpu(&w.world);
	double start = bench_clock_ms();
	size_t events = drive(&w, seconds, watchers);

	report(&w, events, watchers, bench_clock_ms() - start, apiworld_cpu(&w.world) - cpu);
	for (size_t i = 0; i < watchers; i++)
		client_cancel(ones[i].request);
	mem_free(ones);
	vec_done(&w.latencies);
	apiworld_close(&w.world);
}

static const struct flag apiserver_watch_flags[] = {
	BENCH_FLAG("seconds-of-events", "3", "how long events are made"),
	{.name = NULL},
};

const struct bench bench_apiserver_watch = {
	.name = "apiserver-watch",
	.about = "watchers of one kind over HTTPS at 1,000 events a second",
	.item = "watchers",
	.size = 1000,
	.run = measure_apiserver_watch,
	.flags = apiserver_watch_flags,
};
