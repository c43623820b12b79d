/* SPDX-License-Identifier: Apache-2.0 */
/* tour.c - a first program on the libraries, and what ./dev demo runs.
 *
 *	tour job.json
 *
 * Reads a Volcano job and adds up what its gang asks for; shows what an error looks like; lets a
 * simulated day pass. Nothing that it prints is made up. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/time.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "model/value/quantity.h"

enum { MINUTE = 60 * 1000 * 1000, MINUTES_A_DAY = 24 * 60 };

/* Adds one container's request for `resource`, as often as there are replicas. */
static int add_request(struct quantity *sum, struct json container, const char *resource,
		       int64_t replicas, struct err *err)
{
	struct json requests = json_get(json_get(container, "resources"), "requests");
	struct quantity one;

	if (quantity_parse(json_str(json_get(requests, resource)), &one, err) < 0)
		return err_wrap(err, "resources.requests.%s", resource);
	quantity_mul(&one, replicas);
	quantity_add(sum, &one);
	return 0;
}

static int show_job(const char *path, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_JSON_BYTES);
	char cpu_text[QUANTITY_TEXT_SIZE];
	char memory_text[QUANTITY_TEXT_SIZE];

	if (fd_read_file(path, &text, err) < 0)
		return -1;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(buf_str(&text), NULL, err);
	if (!doc)
		return err_wrap(err, "%s", path);

	struct json spec = json_get(json_doc_root(doc), "spec");
	struct quantity cpu = quantity_make(0, QUANTITY_DECIMAL_SI);
	struct quantity memory = quantity_make(0, QUANTITY_BINARY_SI);
	struct json_iter task = json_iter(json_get(spec, "tasks"));
	int64_t pods = 0;

	while (json_next(&task)) {
		int64_t replicas = json_int(json_get(task.value, "replicas"));
		struct json pod = json_get(json_get(task.value, "template"), "spec");
		struct json_iter container = json_iter(json_get(pod, "containers"));

		pods += replicas;
		while (json_next(&container)) {
			if (add_request(&cpu, container.value, "cpu", replicas, err) < 0 ||
			    add_request(&memory, container.value, "memory", replicas, err) < 0)
				return err_wrap(err, "spec.tasks[%zu]", task.index);
		}
	}
	printf("%s: a gang of %" PRId64 " pods needs cpu %s and memory %s, exactly.\n", path, pods,
	       quantity_canonical(&cpu, cpu_text), quantity_canonical(&memory, memory_text));
	return 0;
}

static void show_errors(void)
{
	struct err err = {0};
	struct quantity quantity;

	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(STR("{\"spec\": {\"minAvailable\": 3,}}"), NULL, &err);
	if (!doc)
		printf("A comma too many:  %d %s: %s\n", err_http(err.code), err_reason(err.code),
		       err.text);
	if (quantity_parse(STR("2x"), &quantity, &err) < 0) {
		(void)err_wrap(&err, "spec.tasks[1].cpu");
		printf("A wrong quantity:  %d %s: %s\n", err_http(err.code), err_reason(err.code),
		       err.text);
	}
}

struct day {
	struct loop *loop;
	int minutes;
};

static void on_minute(struct loop_timer *timer, void *arg)
{
	struct day *day = arg;

	if (++day->minutes == MINUTES_A_DAY)
		loop_stop(day->loop);
	else
		loop_timer_set(timer, MINUTE);
}

static int show_day(struct err *err)
{
	AUTO(loop_free) struct loop *real = loop_new(err);
	if (!real)
		return -1;
	struct day day = {.loop = loop_new_virtual(42, loop_now(real), err)};
	if (!day.loop)
		return -1;
	char start[TIME_TEXT_SIZE];
	char end[TIME_TEXT_SIZE];
	struct loop_timer *timer = loop_timer_new(day.loop, on_minute, &day);

	time_print(loop_now(day.loop), start);
	loop_timer_set(timer, MINUTE);
	loop_run(day.loop);
	time_print(loop_now(day.loop), end);
	loop_timer_free(timer);
	loop_free(day.loop);
	(void)loop_turn(real, 0);
	printf("A simulated day, %s to %s: %d timers in %" PRId64 " microseconds.\n", start, end,
	       day.minutes, loop_uptime(real));
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: tour job.json\n");
		return 2;
	}
	if (show_job(argv[1], &err) < 0) {
		fprintf(stderr, "tour: %s\n", err.text);
		return 1;
	}
	show_errors();
	if (show_day(&err) < 0) {
		fprintf(stderr, "tour: %s\n", err.text);
		return 1;
	}
	return 0;
}
