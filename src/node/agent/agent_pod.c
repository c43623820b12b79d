/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_pod.c - one pod of the agent, from its binding to its end.
 *
 * pod_life decides, and this file executes: it makes a folder and a plan before the first start, launches a
 * supervisor when a container has to be started and none runs, and writes the status when it has changed. At most
 * one write per pod is under way; changes meanwhile are written after it. The status of a pod that has just
 * started is written with a delay, so that a pod that ends at once is written once, as ended.
 *
 * An agent that starts finds pods in every state. A supervisor that answers sends all records; otherwise the
 * records in the folder are read; if there are none, the pod's status is used.
 *
 * Always true: a pod's last status is in the API before its supervisor ends; its folder stays, for its logs, until
 * the pod was deleted from the API. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "node/agent/agent_internal.h"
#include "node/pod/pod_report.h"
#include "node/pod/pod_write.h"
#include "node/pod/unsupported.h"
#include "node/runtime/agent_runtime.h"

#include "base/banned.h"

#define RETRY (TIME_SECOND)
#define RETRY_MOST (TIME_MINUTE)
#define NEVER INT64_MAX
/* How long the write that containers are being created is delayed. */
#define HOLD_CREATING (TIME_SECOND / 2)
/* An evicted pod has little time to end: the node needs its resources now. */
#define EVICTION_GRACE (TIME_SECOND)

enum { RETRY_DOUBLES = 6 };

static void pod_advance(struct agent_pod *pod);

static struct json root_of(const struct agent_pod *pod)
{
	return json_doc_root(pod->doc);
}

static struct json meta_of(const struct agent_pod *pod)
{
	return json_get(root_of(pod), "metadata");
}

static struct str name_of(const struct agent_pod *pod)
{
	return json_str(json_get(meta_of(pod), "name"));
}

static struct str namespace_of(const struct agent_pod *pod)
{
	return json_str(json_get(meta_of(pod), "namespace"));
}

static bool is_deleted(const struct agent_pod *pod)
{
	return !json_is_absent(json_get(meta_of(pod), "deletionTimestamp"));
}

void agent_pod_warn(const struct agent_pod *pod, const char *what, const char *error)
{
	log_warn(pod->agent->log, what, LOG_VIEW("namespace", namespace_of(pod)),
		 LOG_VIEW("pod", name_of(pod)), LOG_STR("error", error));
}

static void on_defer(void *arg)
{
	pod_advance(arg);
}

/* Something has happened: reconcile the pod after all events of this turn. */
void agent_pod_touch(struct agent_pod *pod)
{
	loop_defer(pod->agent->loop, &pod->defer, on_defer, pod);
}

void agent_pod_retry(struct agent_pod *pod)
{
	int64_t pause = RETRY << (pod->retries < RETRY_DOUBLES ? pod->retries++ : RETRY_DOUBLES);

	pod->retry_at = loop_uptime(pod->agent->loop) + (pause < RETRY_MOST ? pause : RETRY_MOST);
	if (pod->retry_at < pod->due)
		agent_plan_pod(pod, pod->retry_at);
}

/* --- the folder --- */

/* Why containers wait that cannot be started. */
static void set_waiting(struct agent_pod *pod, const char *reason, const struct err *err)
{
	(void)snprintf(pod->waiting_reason, sizeof(pod->waiting_reason), "%s",
		       reason ? reason : "");
	(void)snprintf(pod->waiting_message, sizeof(pod->waiting_message), "%.*s",
		       (int)sizeof(pod->waiting_message) - 1, err->text);
}

static void report_event(struct agent_pod *pod, const char *type, const char *reason,
			 const char *text)
{
	struct recorder_object object = recorder_object_of(root_of(pod), STR("v1"), STR("Pod"));

	recorder_event(pod->agent->recorder, &object, type, reason, str_from(text));
}

bool agent_pod_stays(const struct agent_pod *pod)
{
	return pod->has_plan && !pod->over && !pod->finished && !pod->forgotten &&
	       pod->life->end == LIFE_GOES_ON;
}

void agent_pod_evict(struct agent_pod *pod, const char *message)
{
	life_end_pod(pod->life, LIFE_EVICTED, "Evicted", message);
	life_hurry(pod->life, EVICTION_GRACE);
	report_event(pod, "Warning", "Evicted", message);
	agent_pod_touch(pod);
}

static void on_unsupported(void *arg, enum unsupported_is is, struct str field, const char *why)
{
	struct agent_pod *pod = arg;
	AUTO(mem_free) char *text = mem_printf("%.*s: %s", STR_ARG(field), why);

	report_event(pod, "Warning", "Unsupported", text);
	if (is == UNSUPPORTED_REFUSED)
		life_end_pod(pod->life, LIFE_REFUSED, "Unsupported", text);
}

/* Before a pod is started: reports fields that the node does not support, or rejects the pod. */
static void check_supported(struct agent_pod *pod)
{
	struct unsupported_world world;

	agent_sandboxes_world(pod->agent->sandboxes, &world);
	(void)unsupported_walk(root_of(pod), &world, on_unsupported, pod);
}

/* Rejects the pod if the node is under pressure. */
static void check_pressure(struct agent_pod *pod)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;

	if (name_of(pod).len == 0)
		return; /* an orphan */
	if (!pressure_admits(agent_pressure_state(pod->agent->pressure), root_of(pod), &why))
		agent_pod_evict(pod, buf_text(&why));
}

/* Rejects the pod if it requests more than the node has. */
static void check_fit(struct agent_pod *pod)
{
	AUTO(buf_done) struct buf reason = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf message = BUF_UNBOUNDED;

	if (agent_fits(pod, &reason, &message))
		return;
	report_event(pod, "Warning", buf_text(&reason), buf_text(&message));
	life_end_pod(pod->life, LIFE_REFUSED, buf_text(&reason), buf_text(&message));
}

/* Without a command only an image could say what to run. */
static void report_idle(struct agent_pod *pod)
{
	if (agent_sandboxes_runtime(pod->agent->sandboxes))
		return;
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct json spec = agent_container(pod, i);
		AUTO(mem_free) char *text = NULL;

		if (json_len(json_get(spec, "command")))
			continue;
		text = mem_printf("container %.*s has no command, and its image is only a name "
				  "here: it idles",
				  STR_ARG(json_str(json_get(spec, "name"))));
		report_event(pod, "Warning", "NoCommand", text);
	}
}

/* Makes everything that a start needs; gives the plan's text. */
static int make_plan(struct agent_pod *pod, struct agent_plan *plan, struct err *err)
{
	const struct life *life = pod->life;
	int64_t left = life->started_at + life->deadline_us - loop_uptime(pod->agent->loop);

	if (life->deadline_us)
		plan->deadline_us = left > 0 ? left : 1;
	if (agent_sandboxes_plan(pod->agent->sandboxes, pod, plan, err) == 0)
		return 0;
	set_waiting(pod, plan->reason, err);
	if (err->code != ERR_UNAVAILABLE)
		report_event(pod, "Warning", plan->reason ? "Failed" : "FailedMount", err->text);
	return -1;
}

static int ensure_supervisor(struct agent_pod *pod, struct err *err)
{
	AUTO(agent_plan_done) struct agent_plan plan = {.text = BUF_UNBOUNDED};

	if (pod->supervisor)
		return 0;
	if (make_plan(pod, &plan, err) < 0)
		return -1;
	pod->has_plan = true;
	pod->stale = false;
	pod->supervisor = supervisor_launch(pod->agent->launcher, pod->folder, buf_str(&plan.text),
					    &agent_pod_events, pod, err);
	if (!pod->supervisor) {
		(void)err_wrap(err, "starting the pod's supervisor");
		set_waiting(pod, "RunContainerError", err);
		return -1;
	}
	pod->hold_until = loop_uptime(pod->agent->loop) + HOLD_CREATING;
	if (!pod->starting)
		pod->agent->starting++;
	pod->starting = true;
	return 0;
}

/* --- steps --- */

static void quit(struct agent_pod *pod)
{
	if (pod->supervisor)
		supervisor_quit(pod->supervisor); /* `lost` comes next */
	pod->quit = true;
}

/* A container that is restarted gets the current values of its variables, as with a kubelet: if their sources have
 * changed, from another supervisor with a new plan. Not while another container runs, which would end with this
 * supervisor. */
static bool replan(struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++)
		if (pod->life->containers[i].record.state == RECORD_RUNNING)
			return false;
	if (!pod->stale || !pod->supervisor)
		return false;
	pod->replans = true;
	quit(pod);
	return true;
}

static void do_start(struct agent_pod *pod, const struct life_step *step)
{
	struct err err;

	if (step->run > 0 && replan(pod)) {
		life_ask_again(pod->life, step->container); /* when it has ended */
		return;
	}
	if (ensure_supervisor(pod, &err) < 0) {
		pod->life->containers[step->container].start_requested = false;
		if (err.code != ERR_UNAVAILABLE && pod->retries == 0)
			agent_pod_warn(pod, "cannot start a container", err.text);
		agent_pod_retry(pod);
		return;
	}
	pod->waiting_reason[0] = '\0';
	pod->retries = 0;
	if (step->run > 0 && agent_sandboxes_runtime(pod->agent->sandboxes))
		agent_runtime_renew(
			agent_sandboxes_runtime(pod->agent->sandboxes), pod,
			json_str(json_get(agent_container(pod, step->container), "name")));
	supervisor_start(pod->supervisor, step->container, step->run);
}

static void do_steps(struct agent_pod *pod, const struct life_verdict *verdict)
{
	for (size_t i = 0; i < verdict->steps.len; i++) {
		const struct life_step *step = &verdict->steps.ptr[i];

		if (step->verb == LIFE_START)
			do_start(pod, step);
		else if (pod->supervisor &&
			 !agent_probes_stop(pod, step->container, step->grace_us))
			supervisor_stop(pod->supervisor, step->container, step->grace_us);
	}
}

/* --- the status --- */

static struct json_doc *make_status(const struct agent_pod *pod)
{
	const struct json_doc *last = pod->written ? pod->written : pod->doc;
	const struct agent_runtime *runtime = agent_sandboxes_runtime(pod->agent->sandboxes);

	return pod_report_patch(&(struct pod_report_input){
		.pod = json_doc_root(pod->doc),
		.old = json_get(json_doc_root(last), "status"),
		.life = pod->life,
		.runtime = runtime ? agent_runtime_name(runtime) : NULL,
		.now = loop_uptime(pod->agent->loop),
		.wall = loop_now(pod->agent->loop),
		.start_wall = pod->start_wall,
		.host_ip = str_from(pod->host_ip),
		.pod_ip = str_from(pod->pod_ip),
		.messages = (const char *const *)pod->messages,
		.waiting_reason = pod->waiting_reason[0] ? pod->waiting_reason : NULL,
		.waiting_message = pod->waiting_message,
	});
}

static void set_over(struct agent_pod *pod)
{
	if (!pod->over)
		pod->agent->stats.ends++;
	pod->over = true;
	quit(pod);
}

/* True: the write has failed; it is retried later if that can help. */
static bool write_failed(struct agent_pod *pod, const struct client_result *result)
{
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	pod->request = NULL;
	if (code == ERR_NONE)
		return false;
	if (code == ERR_NOT_FOUND)
		return true; /* it was deleted: the event follows */
	if (code != ERR_CONFLICT) {
		pod->agent->stats.failures++;
		agent_pod_warn(pod, "cannot write a pod", result->err->text);
	}
	agent_pod_retry(pod);
	return true;
}

static void on_written(void *arg, const struct client_result *result)
{
	struct agent_pod *pod = arg;

	if (write_failed(pod, result)) {
		json_doc_unref(TAKE(pod->sent));
		return;
	}
	json_doc_unref(pod->written);
	pod->written = TAKE(pod->sent);
	pod_advance(pod);
}

/* The pod has made progress. */
static void note_progress(struct agent_pod *pod)
{
	if (pod->starting)
		pod->agent->starting--;
	pod->starting = false;
}

/* The status would soon be out of date. */
static bool is_held(const struct agent_pod *pod, const struct life_verdict *verdict, int64_t now)
{
	return now < pod->hold_until && !verdict->finished && pod->life->end == LIFE_GOES_ON &&
	       !pod->waiting_reason[0];
}

/* True: the API has the newest status. */
static bool write_status(struct agent_pod *pod)
{
	AUTO(json_doc_unref) struct json_doc *patch = NULL;

	if (pod->request)
		return false;
	note_progress(pod);
	patch = make_status(pod);
	if (pod->written && json_eq(json_doc_root(patch), json_doc_root(pod->written)))
		return true;
	pod->sent = json_doc_ref(patch);
	pod->request = pod_write_status(&(struct pod_write){pod->agent->client, namespace_of(pod),
							    name_of(pod), on_written, pod},
					patch);
	return false;
}

static void on_removed(void *arg, const struct client_result *result)
{
	struct agent_pod *pod = arg;

	if (write_failed(pod, result))
		pod->removed = false;
}

/* Its deletion has waited for its processes. */
static void remove_from_api(struct agent_pod *pod)
{
	if (pod->removed || pod->request)
		return;
	pod->removed = true;
	pod->request = pod_write_removal(&(struct pod_write){pod->agent->client, namespace_of(pod),
							     name_of(pod), on_removed, pod},
					 str_from(pod->uid));
}

/* --- going on --- */

/* The pod was deleted: nothing is written, and all of it ends. */
static void advance_forgotten(struct agent_pod *pod)
{
	if (pod->supervisor)
		quit(pod);
	else
		agent_drop(pod);
}

/* An object that it refers to has changed: a waiting pod may continue, a running one gets the new content. */
static void refresh(struct agent_pod *pod)
{
	pod->refresh = false;
	pod->stale = true;
	if (pod->has_plan)
		agent_sandboxes_refresh(pod->agent->sandboxes, pod);
	else
		pod->retry_at = pod->retries = 0;
}

static void advance(struct agent_pod *pod)
{
	struct agent *agent = pod->agent;
	AUTO(life_verdict_done) struct life_verdict verdict = {0};
	int64_t now = loop_uptime(agent->loop);
	bool held;

	if (pod->forgotten) {
		advance_forgotten(pod);
		return;
	}
	if ((pod->supervisor && !pod->knows && pod->adopted) || pod->replans)
		return; /* its supervisor is being found, or it is ending */
	if (pod->over) {
		if (is_deleted(pod))
			remove_from_api(pod);
		return;
	}
	if (pod->refresh)
		refresh(pod);
	if (!agent_sandboxes_is_ready(agent->sandboxes))
		return; /* it is reconciled when that is known */
	if (now < pod->retry_at) {
		/* An earlier planned time may be the reason of this call. */
		if (pod->retry_at < pod->due)
			agent_plan_pod(pod, pod->retry_at);
		return;
	}
	agent_probes_follow(pod);
	life_decide(pod->life, now, &verdict);
	do_steps(pod, &verdict);
	pod->finished = verdict.finished;
	held = is_held(pod, &verdict, now);
	if (pod->retry_at > now && pod->retry_at < verdict.wake)
		verdict.wake = pod->retry_at;
	if (held && pod->hold_until < verdict.wake)
		verdict.wake = pod->hold_until;
	agent_plan_pod(pod, verdict.wake);
	if (held || !write_status(pod) || !verdict.finished)
		return;
	set_over(pod);
	if (is_deleted(pod))
		remove_from_api(pod);
}

static void pod_advance(struct agent_pod *pod)
{
	struct quarantine *quarantine = loop_quarantine(pod->agent->loop);
	struct json meta = meta_of(pod);

	quarantine_enter(quarantine, "node", STR("/pods/"), json_str(json_get(meta, "namespace")),
			 json_str(json_get(meta, "name")));
	advance(pod);
	quarantine_leave(quarantine);
}

void agent_pod_on_time(struct agent_pod *pod)
{
	pod_advance(pod);
}

/* --- seeing it --- */

static bool is_terminal(struct json pod)
{
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));

	return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static void read_deletion(struct agent_pod *pod)
{
	int64_t seconds = json_int(json_get(meta_of(pod), "deletionGracePeriodSeconds"));

	if (is_deleted(pod))
		life_delete(pod->life, time_span(seconds));
}

/* Takes over what an earlier agent has left of the pod. */
static void find(struct agent_pod *pod)
{
	struct agent *agent = pod->agent;
	struct stat status;
	struct err err;

	if (is_terminal(root_of(pod))) {
		pod->over = pod->finished = true;
		if (stat(pod->folder, &status) == 0)
			pod->supervisor = supervisor_connect(agent->launcher, pod->folder,
							     &agent_pod_events, pod, &err);
		agent_pod_read_records(pod); /* kept for its logs */
		set_over(pod);
		return;
	}
	if (stat(pod->folder, &status) == 0) {
		agent_devices_find(pod);
		pod->supervisor = supervisor_connect(agent->launcher, pod->folder,
						     &agent_pod_events, pod, &err);
		if (pod->supervisor) {
			agent->stats.adopted++;
			pod->adopted = pod->has_plan = pod->life->deadline_kept = true;
			pod->stale = true; /* perhaps meanwhile */
		} else {
			agent_groups_kill(agent_sandboxes_groups(agent->sandboxes), pod);
			agent_pod_read_records(pod);
		}
	}
	if (!pod->supervisor) {
		struct life *life = pod->life;
		bool known = false;

		for (size_t i = 0; i < life->n_containers; i++)
			known = known || life->containers[i].record.state != RECORD_NEW;
		if (!known)
			pod_report_restore(root_of(pod), life, loop_uptime(agent->loop),
					   loop_now(agent->loop));
		if (!known && !is_deleted(pod) &&
		    json_is_absent(json_get(json_get(root_of(pod), "status"), "startTime"))) {
			check_supported(pod);
			check_pressure(pod);
			check_fit(pod);
			report_idle(pod);
		}
	}
}

static void set_start(struct agent_pod *pod)
{
	struct agent *agent = pod->agent;
	int64_t wall = loop_now(agent->loop);
	int64_t ago;

	if (time_parse(json_str(json_get(json_get(root_of(pod), "status"), "startTime")),
		       &pod->start_wall, NULL) < 0)
		pod->start_wall = wall;
	ago = wall > pod->start_wall ? wall - pod->start_wall : 0;
	pod->life->started_at = loop_uptime(agent->loop) - ago;
}

/* Takes over the addresses that an earlier agent has chosen. */
static void read_addresses(struct agent_pod *pod)
{
	struct json status = json_get(root_of(pod), "status");

	agent_pod_set_addresses(pod, json_str(json_get(status, "podIP")),
				json_str(json_get(status, "hostIP")));
}

struct agent_pod *agent_pod_new(struct agent *agent, struct str uid, struct json_doc *doc)
{
	struct agent_pod *pod = mem_new(struct agent_pod);

	pod->agent = agent;
	pod->due = NEVER;
	(void)snprintf(pod->uid, sizeof(pod->uid), "%.*s", STR_ARG(uid));
	pod->folder = mem_printf("%s/%s", agent->folder, pod->uid);
	pod->doc = json_doc_ref(doc);
	pod->life = life_new(root_of(pod));
	pod->oom_kills = mem_calloc(pod->life->n_containers + 1, sizeof(*pod->oom_kills));
	pod->messages = mem_calloc(pod->life->n_containers + 1, sizeof(*pod->messages));
	pod->has_cgroup = agent_groups_wanted(agent_sandboxes_groups(agent->sandboxes), pod);
	pod->probes = agent_probes_new(pod);
	read_addresses(pod);
	(void)map_put(agent->pods, str_from(pod->uid), pod);
	set_start(pod);
	find(pod);
	read_deletion(pod);
	if (!pod->over)
		agent_sandboxes_note(agent->sandboxes, pod);
	agent_pod_touch(pod);
	return pod;
}

void agent_pod_refresh(struct agent_pod *pod)
{
	if (pod->over || pod->forgotten)
		return;
	pod->refresh = true;
	agent_pod_touch(pod);
}

/* Fields that variables and volumes may refer to. */
static bool is_labelled_otherwise(struct json a, struct json b)
{
	return !json_eq(json_get(a, "labels"), json_get(b, "labels")) ||
	       !json_eq(json_get(a, "annotations"), json_get(b, "annotations"));
}

void agent_pod_update(struct agent_pod *pod, struct json_doc *doc)
{
	if (is_labelled_otherwise(meta_of(pod), json_get(json_doc_root(doc), "metadata")))
		pod->stale = true;
	json_doc_unref(pod->doc);
	pod->doc = json_doc_ref(doc);
	read_deletion(pod);
	agent_pod_touch(pod);
}

void agent_pod_forget(struct agent_pod *pod)
{
	pod->forgotten = true;
	client_cancel(TAKE(pod->request));
	agent_pod_touch(pod);
}

void agent_pod_free(struct agent_pod *pod)
{
	note_progress(pod);
	loop_defer_cancel(pod->agent->loop, &pod->defer);
	heap_remove(&pod->agent->timers, &pod->timer);
	client_cancel(pod->request);
	supervisor_free(pod->supervisor);
	json_doc_unref(pod->sent);
	json_doc_unref(pod->written);
	json_doc_unref(pod->doc);
	for (size_t i = 0; i < pod->life->n_containers; i++)
		mem_free(pod->messages[i]);
	mem_free(pod->messages);
	mem_free(pod->oom_kills);
	vec_done(&pod->references);
	agent_probes_free(pod->probes);
	life_free(pod->life);
	mem_free(pod->devices);
	mem_free(pod->folder);
	mem_free(pod);
}
