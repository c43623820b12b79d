/* SPDX-License-Identifier: Apache-2.0 */
/* The output of containers: what may be asked, and a stream from a source that pretends. */
#include "apiserver/verb/podlog.h"

#include "apiserver/test/world.h"
#include "base/time.h"

#define PODS "/api/v1/namespaces/default/pods"

/* A source with one log, which grows. */
struct fake {
	struct buf text;
	size_t at;
	bool ended;
	int open;
	struct log_request asked;
	void (*wake)(void *arg);
	void *wake_arg;
};

static void *fake_open(void *arg, const struct log_request *request, struct err *err)
{
	struct fake *fake = arg;

	if (str_is(request->container, "waits")) {
		(void)err_set(err, ERR_BAD_REQUEST, "container \"waits\" is waiting to start");
		return NULL;
	}
	fake->asked = *request;
	fake->at = 0;
	fake->open++;
	return fake;
}

static enum log_state fake_read(void *log, struct buf *to, size_t most)
{
	struct fake *fake = log;
	size_t len = fake->text.len - fake->at;

	len = len < most ? len : most;
	buf_put(to, fake->text.ptr + fake->at, len);
	fake->at += len;
	if (fake->at < fake->text.len)
		return LOG_MORE;
	return fake->ended ? LOG_END : LOG_WAIT;
}

static void fake_follow(void *log, void (*wake)(void *arg), void *arg)
{
	struct fake *fake = log;

	fake->wake = wake;
	fake->wake_arg = arg;
}

static void fake_close(void *log)
{
	struct fake *fake = log;

	fake->open--;
	fake->wake = NULL;
}

static const struct log_source source = {
	.open = fake_open, .read = fake_read, .follow = fake_follow, .close = fake_close};

/* --- a reader --- */

struct reader {
	int code;
	struct buf text;
	size_t waiting; /* what it claims to have waiting */
	bool ended;
};

static void on_answered(struct call *call)
{
	struct reader *reader = call->arg;

	reader->code = call->answer.code;
	if (!call->work.podlog)
		call_free(call);
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct reader *reader = call->arg;

	buf_put_str(&reader->text, chunk_str(event->text));
	return reader->waiting;
}

static size_t on_queued(struct call *call)
{
	return ((struct reader *)call->arg)->waiting;
}

static void on_ended(struct call *call)
{
	((struct reader *)call->arg)->ended = true;
	call_free(call);
}

static const struct call_sink reading = {
	.answered = on_answered, .event = on_event, .ended = on_ended, .queued = on_queued};

static struct call *read_log(struct world *w, struct reader *reader, bool follow, int64_t limit)
{
	struct call *call = world_call(w, &reading, reader, "GET", PODS "/p/log");

	*reader = (struct reader){.text = BUF_UNBOUNDED};
	call->options.container = STR("c");
	call->options.follow = follow ? OPTION_TRUE : OPTION_UNSET;
	if (limit)
		call->options.limit_bytes = limit;
	api_serve(call);
	return call;
}

static void say(struct world *w, struct fake *fake, const char *text)
{
	buf_puts(&fake->text, text);
	if (fake->wake)
		fake->wake(fake->wake_arg);
	loop_drain(w->loop);
}

static const struct step asked[] = {
	{"GET", PODS "/none/log", NULL, 404, "/message", "pods \"none\" not found"},
	{"POST", PODS,
	 "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":"
	 "\"c\",\"image\":\"i\"},{\"name\":\"waits\",\"image\":\"i\"}],\"initContainers\":[{"
	 "\"name\":\"first\",\"image\":\"i\"}]}}",
	 201, "/kind", "Pod"},
	{"GET", PODS "/p/log", NULL, 400, "/message",
	 "a container name must be specified for pod p, choose one of: [c waits] or one of the "
	 "init containers: [first]"},
	{"POST", PODS "/p/exec", NULL, 501, "/reason", "NotImplemented"},
	{"GET", PODS "/p/portforward", NULL, 501, "/reason", "NotImplemented"},
};

static void test_refused(struct world *w, struct fake *fake)
{
	struct reader reader;

	read_log(w, &reader, false, 0);
	ok(reader.code == 503, "no node provides it");
	api_set_log_source(w->api, &source, fake);
	read_log(w, &reader, false, -5);
	ok(reader.code == 422, "options are checked");
	struct call *call = world_call(w, &reading, &reader, "GET", PODS "/p/log");

	call->options.container = STR("other");
	api_serve(call);
	ok(reader.code == 400, "a container that is none of the pod's");
	call = world_call(w, &reading, &reader, "GET", PODS "/p/log");
	call->options.container = STR("waits");
	api_serve(call);
	ok(reader.code == 400 && fake->open == 0, "the error of the source is reported");
}

static void test_read(struct world *w, struct fake *fake)
{
	struct reader reader;

	say(w, fake, "one\ntwo\n");
	read_log(w, &reader, false, 0);
	loop_drain(w->loop);
	is(buf_text(&reader.text), "one\ntwo\n");
	ok(reader.code == 200 && reader.ended && fake->open == 0, "and it is closed");
	ok(fake->asked.tail_lines == -1 && fake->asked.since == 0, "all of it was asked for");
	buf_done(&reader.text);
	read_log(w, &reader, false, 5);
	loop_drain(w->loop);
	is(buf_text(&reader.text), "one\nt");
	buf_done(&reader.text);
}

static void test_follow(struct world *w, struct fake *fake)
{
	struct reader reader;
	struct call *call;

	read_log(w, &reader, true, 0);
	loop_drain(w->loop);
	ok(!reader.ended, "one that is followed goes on");
	say(w, fake, "three\n");
	is(buf_text(&reader.text), "one\ntwo\nthree\n");
	reader.waiting = 100 * 1024 * 1024;
	say(w, fake, "four\n");
	say(w, fake, "five\n");
	is(buf_text(&reader.text), "one\ntwo\nthree\nfour\n");
	reader.waiting = 0;
	world_wait(w, TIME_SECOND);
	is(buf_text(&reader.text), "one\ntwo\nthree\nfour\nfive\n");
	fake->ended = true;
	say(w, fake, "");
	ok(reader.ended && fake->open == 0, "until its container has ended");
	buf_done(&reader.text);
	fake->ended = false;
	call = read_log(w, &reader, true, 0);
	loop_drain(w->loop);
	call_free(call);
	ok(fake->open == 0, "or its reader has disconnected");
	buf_done(&reader.text);
	read_log(w, &reader, true, 0);
	loop_drain(w->loop);
	podlogs_end(w->api);
	loop_drain(w->loop);
	ok(reader.ended && fake->open == 0, "or the server stops");
	buf_done(&reader.text);
}

int main(void)
{
	struct world w = world_new();
	struct fake fake = {.text = BUF_UNBOUNDED};

	world_steps(&w, asked, ARRAY_LEN(asked));
	test_refused(&w, &fake);
	test_read(&w, &fake);
	test_follow(&w, &fake);
	buf_done(&fake.text);
	world_free(&w);
	return tap_done();
}
