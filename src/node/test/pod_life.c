/* SPDX-License-Identifier: Apache-2.0 */
/* The life of pods: a world that does what is decided, at once, and answers with how it went. */
#include "node/pod/pod_life.h"

#include "base/time.h"
#include "json/yaml.h"
#include "node/pod/pod_report.h"
#include "tap.h"

#define S TIME_SECOND

struct world {
	struct json_doc *doc;
	struct life *life;
	struct life_verdict verdict;
	int64_t now;
	char done[512]; /* what was decided: "+0 +1 -1/30" */
};

static void begin(struct world *w, const char *spec)
{
	struct err err;

	memset(w, 0, sizeof(*w));
	w->doc = yaml_parse(str_from(spec), NULL, &err);
	if (!w->doc) {
		printf("# %s\n", err.text);
		w->doc = json_doc_new();
	}
	w->life = life_new(json_doc_root(w->doc));
}

static void end(struct world *w)
{
	life_free(w->life);
	life_verdict_done(&w->verdict);
	json_doc_unref(w->doc);
}

/* What is decided now, as text; starts run at once. */
static const char *decide(struct world *w)
{
	size_t len = 0;

	life_decide(w->life, w->now, &w->verdict);
	w->done[0] = '\0';
	for (size_t i = 0; i < w->verdict.steps.len; i++) {
		const struct life_step *step = &w->verdict.steps.ptr[i];
		const char *blank = i ? " " : "";

		if (step->verb == LIFE_START) {
			struct record record = w->life->containers[step->container].record;

			len += (size_t)snprintf(w->done + len, sizeof(w->done) - len, "%s+%zu",
						blank, step->container);
			if (record.state == RECORD_ENDED)
				record.last = record.now;
			record.state = RECORD_RUNNING;
			record.run = step->run;
			record.now = (struct record_run){.started = w->now};
			life_observe(w->life, step->container, &record, w->now);
		} else {
			len += (size_t)snprintf(w->done + len, sizeof(w->done) - len, "%s-%zu/%d",
						blank, step->container, (int)(step->grace_us / S));
		}
	}
	return w->done;
}

static void exits(struct world *w, size_t container, int code)
{
	struct record record = w->life->containers[container].record;

	record.state = RECORD_ENDED;
	record.now.ended = w->now;
	record.now.exit_code = code;
	life_observe(w->life, container, &record, w->now);
}

static const char *phase(const struct world *w)
{
	return life_phase_names[life_phase(w->life)];
}

static const char *reason(const struct world *w, size_t container)
{
	static const char *const states[] = {"?", "running", "terminated"};
	struct life_view view;

	life_view(w->life, container, w->now, &view);
	return view.state == LIFE_STATE_WAITING ? view.reason : states[view.state];
}

static void test_once(void)
{
	struct world w;

	begin(&w, "spec: {restartPolicy: Never, containers: [{name: a}, {name: b}]}");
	is(phase(&w), "Pending");
	is(reason(&w, 0), "ContainerCreating");
	is(decide(&w), "+0 +1");
	is(phase(&w), "Running");
	is(decide(&w), "");
	exits(&w, 0, 0);
	is(decide(&w), "");
	is(phase(&w), "Running");
	ok(!w.verdict.finished, "it is not finished while one runs");
	exits(&w, 1, 0);
	is(decide(&w), "");
	is(phase(&w), "Succeeded");
	ok(w.verdict.finished && w.verdict.wake == INT64_MAX, "then it is");
	end(&w);
	begin(&w, "spec: {restartPolicy: Never, containers: [{name: a}, {name: b}]}");
	(void)decide(&w);
	exits(&w, 0, 3);
	exits(&w, 1, 0);
	is(decide(&w), "");
	is(phase(&w), "Failed");
	end(&w);
}

static void test_backoff(void)
{
	static const int pauses[] = {0, 10, 20, 40, 80, 160, 300, 300};
	struct world w;
	bool same = true;

	begin(&w, "spec: {containers: [{name: a}]}");
	(void)decide(&w);
	for (size_t i = 0; i < ARRAY_LEN(pauses); i++) {
		w.now += S;
		exits(&w, 0, (int)(i % 2)); /* Always means always */
		if (pauses[i]) {
			same = same && strcmp(decide(&w), "") == 0 &&
			       w.verdict.wake == w.now + pauses[i] * S &&
			       strcmp(reason(&w, 0), "CrashLoopBackOff") == 0 &&
			       strcmp(phase(&w), "Running") == 0;
			w.now += pauses[i] * S - 1;
			same = same && strcmp(decide(&w), "") == 0;
			w.now += 1;
		}
		same = same && strcmp(decide(&w), "+0") == 0 &&
		       w.life->containers[0].record.run == i + 1;
		if (!same)
			printf("# restart %zu\n", i);
	}
	ok(same, "restarts wait 0, 10, 20, ... 300 seconds");
	w.now += 601 * S;
	exits(&w, 0, 1);
	is(decide(&w), "+0");
	w.now += S;
	exits(&w, 0, 1);
	is(decide(&w), "");
	ok(w.verdict.wake == w.now + 10 * S, "after ten minutes the back-off starts over");
	end(&w);
}

static void test_on_failure(void)
{
	struct world w;

	begin(&w, "spec: {restartPolicy: OnFailure, containers: [{name: a}, {name: b}]}");
	(void)decide(&w);
	exits(&w, 0, 0);
	exits(&w, 1, 1);
	is(decide(&w), "+1");
	is(phase(&w), "Running");
	exits(&w, 1, 0);
	is(decide(&w), "");
	is(phase(&w), "Succeeded");
	end(&w);
}

static void test_init(void)
{
	struct world w;

	begin(&w, "spec: {restartPolicy: Never, initContainers: [{name: i}, {name: j}], "
		  "containers: [{name: a}]}");
	is(reason(&w, 2), "PodInitializing");
	is(decide(&w), "+0");
	is(decide(&w), "");
	is(phase(&w), "Pending");
	exits(&w, 0, 0);
	is(decide(&w), "+1");
	exits(&w, 1, 0);
	ok(life_is_initialized(w.life), "it is initialized");
	is(decide(&w), "+2");
	is(phase(&w), "Running");
	exits(&w, 2, 0);
	(void)decide(&w);
	is(phase(&w), "Succeeded");
	end(&w);

	begin(&w,
	      "spec: {restartPolicy: Never, initContainers: [{name: i}], containers: [{name: a}]}");
	(void)decide(&w);
	exits(&w, 0, 1);
	is(decide(&w), "");
	is(phase(&w), "Failed");
	ok(w.verdict.finished, "an init container that fails for good ends the pod");
	is(reason(&w, 1), "PodInitializing");
	end(&w);

	begin(&w, "spec: {initContainers: [{name: i}], containers: [{name: a}]}");
	(void)decide(&w);
	exits(&w, 0, 1);
	is(decide(&w), "+0");
	exits(&w, 0, 1);
	is(decide(&w), "");
	is(reason(&w, 0), "CrashLoopBackOff");
	is(phase(&w), "Pending");
	w.now += 10 * S;
	is(decide(&w), "+0");
	exits(&w, 0, 0);
	is(decide(&w), "+1");
	end(&w);
}

static void test_sidecar(void)
{
	struct world w;

	begin(&w, "spec: {restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always, "
		  "startupProbe: {}}, {name: i}, {name: t, restartPolicy: Always}], "
		  "containers: [{name: a}]}");
	is(decide(&w), "+0");
	is(decide(&w), "");
	w.life->containers[0].started = true;
	is(decide(&w), "+1");
	exits(&w, 1, 0);
	is(decide(&w), "+2");
	is(decide(&w), "+3");
	exits(&w, 2, 1);
	is(decide(&w), "+2");
	exits(&w, 3, 0);
	is(decide(&w), "-2/30");
	is(phase(&w), "Running");
	exits(&w, 2, 143);
	is(decide(&w), "-0/30");
	exits(&w, 0, 143);
	is(decide(&w), "");
	is(phase(&w), "Succeeded");
	ok(w.verdict.finished, "how sidecars end does not matter");
	end(&w);
}

static void test_ends(void)
{
	struct world w;

	begin(&w, "spec: {terminationGracePeriodSeconds: 7, containers: [{name: a}, {name: b}]}");
	(void)decide(&w);
	life_delete(w.life, 7 * S);
	is(decide(&w), "-0/7 -1/7");
	is(decide(&w), "");
	life_delete(w.life, 1 * S);
	is(decide(&w), "-0/1 -1/1");
	exits(&w, 0, 143);
	exits(&w, 1, 0);
	is(decide(&w), "");
	ok(w.verdict.finished, "a deleted pod is finished when all have ended");
	is(phase(&w), "Failed");
	end(&w);

	begin(&w, "spec: {activeDeadlineSeconds: 5, restartPolicy: OnFailure, containers: [{name: "
		  "a}]}");
	(void)decide(&w);
	ok(w.verdict.wake == 5 * S, "it looks again at the deadline");
	w.now = 5 * S;
	is(decide(&w), "-0/30");
	is(w.life->reason, "DeadlineExceeded");
	exits(&w, 0, 143);
	is(decide(&w), "");
	is(phase(&w), "Failed");
	end(&w);

	begin(&w,
	      "spec: {activeDeadlineSeconds: 5, restartPolicy: Never, containers: [{name: a}]}");
	(void)decide(&w);
	w.life->deadline_kept = true;
	w.now = 3600 * S;
	is(decide(&w), "");
	ok(w.life->end == LIFE_GOES_ON && w.verdict.wake == INT64_MAX,
	   "a deadline that a supervisor keeps is not looked at, however late it is by the clock");
	w.life->containers[0].record.now.deadline = true;
	exits(&w, 0, 143);
	w.life->containers[0].record.now.deadline = true;
	(void)decide(&w);
	is(w.life->reason, "DeadlineExceeded");
	end(&w);

	begin(&w, "spec: {restartPolicy: OnFailure, containers: [{name: a}]}");
	(void)decide(&w);
	exits(&w, 0, 1);
	life_decide(w.life, w.now, &w.verdict);
	life_ask_again(w.life, 0);
	is(decide(&w), "+0");
	exits(&w, 0, 1);
	is(decide(&w), "");
	ok(w.verdict.wake == w.now + 10 * S, "a start that was not tried adds no back-off");
	end(&w);

	begin(&w, "spec: {containers: [{name: a}]}");
	life_end_pod(w.life, LIFE_REFUSED, "Unsupported", "no");
	is(decide(&w), "");
	ok(w.verdict.finished, "a pod that is refused starts nothing");
	is(phase(&w), "Failed");
	end(&w);

	begin(&w, "spec: {containers: [{name: a}]}");
	(void)decide(&w);
	life_end_pod(w.life, LIFE_EVICTED, "Evicted", "low on memory");
	is(decide(&w), "-0/30");
	exits(&w, 0, 0);
	is(decide(&w), "");
	is(phase(&w), "Failed");
	end(&w);
}

static void test_probes(void)
{
	struct world w;

	begin(&w, "spec: {containers: [{name: a, readinessProbe: {}, startupProbe: {}}]}");
	(void)decide(&w);
	ok(!life_is_ready(w.life, 0), "not ready before its startup probe has passed");
	w.life->containers[0].started = true;
	ok(!life_is_ready(w.life, 0), "nor before its readiness probe has");
	w.life->containers[0].ready = true;
	ok(life_is_ready(w.life, 0), "then it is");
	w.life->containers[0].wants_restart = true;
	w.life->containers[0].grace_us = 3 * S;
	is(decide(&w), "-0/3");
	is(decide(&w), "");
	exits(&w, 0, 0);
	is(decide(&w), "+0");
	ok(!life_is_ready(w.life, 0), "a new run begins unready");
	end(&w);
}

static const char *text_at(struct json_doc *doc, const char *a, size_t i, const char *b)
{
	struct json list = json_get(json_get(json_doc_root(doc), "status"), a);

	return json_str(json_get(json_at(list, i), b)).ptr;
}

static void test_status(void)
{
	struct world w;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(json_doc_unref) struct json_doc *next = NULL;
	struct json state;
	char text[POD_STATUS_DURATION_SIZE];

	begin(&w, "metadata: {name: p, namespace: ns, uid: u}\n"
		  "spec: {containers: [{name: a, image: x}]}");
	(void)decide(&w);
	exits(&w, 0, 1);
	(void)decide(&w);
	exits(&w, 0, 1);
	doc = pod_report_patch(&(struct pod_report_input){
		.pod = json_doc_root(w.doc), .life = w.life, .now = w.now, .wall = S});
	state = json_get(
		json_at(json_get(json_get(json_doc_root(doc), "status"), "containerStatuses"), 0),
		"state");
	is(json_str(json_get(json_get(state, "waiting"), "message")).ptr,
	   "back-off 10s restarting failed container=a pod=p_ns(u)");
	is(text_at(doc, "conditions", 2, "type"), "Ready");
	is(text_at(doc, "conditions", 2, "message"), "containers with unready status: [a]");
	is(text_at(doc, "conditions", 2, "lastTransitionTime"), "1970-01-01T00:00:01Z");
	next = pod_report_patch(
		&(struct pod_report_input){.pod = json_doc_root(w.doc),
					   .old = json_get(json_doc_root(doc), "status"),
					   .life = w.life,
					   .now = w.now,
					   .wall = 9 * S});
	ok(json_eq(json_doc_root(doc), json_doc_root(next)), "what stays the same keeps its time");
	end(&w);
	is(pod_report_duration(80 * S, text), "1m20s");
	is(pod_report_duration(300 * S, text), "5m0s");
	is(pod_report_duration(3661 * S, text), "1h1m1s");
}

/* After the machine went down: the status is all there is. */
static void test_restore(void)
{
	struct world w;

	begin(&w, "metadata: {name: p, namespace: ns, uid: u}\n"
		  "spec: {restartPolicy: Never, initContainers: [{name: i}], containers: [{name: "
		  "a}, {name: b}]}\n"
		  "status:\n"
		  "  initContainerStatuses: [{name: i, restartCount: 2, state: {terminated: "
		  "{exitCode: 0}}}]\n"
		  "  containerStatuses:\n"
		  "  - {name: b, restartCount: 0, state: {terminated: {exitCode: 0, reason: "
		  "Completed}}}\n"
		  "  - {name: a, restartCount: 0, state: {running: {startedAt: "
		  "'2026-01-01T00:00:00Z'}}}\n");
	pod_report_restore(json_doc_root(w.doc), w.life, 0, S);
	is(decide(&w), "");
	is(phase(&w), "Failed");
	ok(w.verdict.finished, "what ran has ended, and is not started again");
	ok(w.life->containers[1].unknown && w.life->containers[1].record.now.exit_code == 137,
	   "how it ended is unknown");
	ok(!w.life->containers[2].unknown && w.life->containers[0].record.run == 2,
	   "what had ended has ended as it did");
	end(&w);
}

int main(void)
{
	test_once();
	test_backoff();
	test_on_failure();
	test_init();
	test_sidecar();
	test_ends();
	test_probes();
	test_status();
	test_restore();
	return tap_done();
}
