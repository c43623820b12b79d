/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_life.h - decides the next steps of a pod from its current state. Pure.
 *
 * Init containers run one after the other; one with restartPolicy Always (a sidecar) keeps running, and the next
 * one starts when it has started. Then all main containers run at once. Containers that end are restarted by the
 * restart policy, first at once and then after 10 s, 20 s, ... 5 min; after a run of ten minutes the back-off
 * starts over. When the last main container has ended, sidecars end in reverse order. A pod that is deleted,
 * evicted or past its deadline starts nothing any more; its containers get its grace period.
 *
 * Times are by loop_uptime(), unless they are called wall. */
#ifndef NODE_POD_LIFE_H
#define NODE_POD_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "pod/record.h"

enum life_restart { LIFE_ALWAYS, LIFE_ON_FAILURE, LIFE_NEVER };
enum life_phase { LIFE_PENDING, LIFE_RUNNING, LIFE_SUCCEEDED, LIFE_FAILED, LIFE_PHASE_COUNT };
extern const char *const life_phase_names[LIFE_PHASE_COUNT];

/* The state of a container. */
struct life_container {
	bool init;
	bool sidecar;     /* an init container that keeps running */
	bool has_startup; /* it has probes that count in addition to its process */
	bool has_readiness;
	bool started;       /* its startup probe has passed; only used with one */
	bool ready;         /* its readiness probe has passed; only used with one */
	bool wants_restart; /* a probe has failed too often: it is stopped, which counts as a failure */
	bool oom;           /* the run that has ended ran out of memory */
	bool last_oom;      /* the previous run did */
	bool unknown;       /* how its run ended is unknown */
	bool start_requested; /* and no answer yet */
	bool stop_requested;  /* of the current run */
	int64_t grace_us;     /* if a probe has its own grace period; < 0: the pod's */
	int64_t ended_at;     /* when the agent learned of it */
	int64_t backoff_us;   /* back-off of the next start; 0: never restarted */
	int64_t backoff_at;   /* when that was set */
	int64_t backoff_us_before, backoff_at_before;
	struct record record;
};

/* Why a pod starts nothing any more, apart from being finished. */
enum life_end { LIFE_GOES_ON, LIFE_DELETED, LIFE_DEADLINE, LIFE_EVICTED, LIFE_REFUSED };

struct life {
	enum life_restart restart;
	int64_t grace_us;    /* of the pod */
	int64_t deadline_us; /* activeDeadlineSeconds; 0: none */
	int64_t started_at;  /* when the node accepted it */
	bool deadline_kept; /* ended by its supervisor, which alone knows how long it has run: an agent that
	 * started later has only the wall clock, which may have been set */
	enum life_end end;
	char reason[64]; /* message of an eviction or a rejection */
	char message[1024];
	size_t n_init;
	size_t n_containers;
	struct life_container *containers; /* init containers first */
};

/* From the pod's document; its containers have no state yet. */
struct life *life_new(struct json pod) __attribute__((returns_nonnull));
void life_free(struct life *life);
DEFINE_AUTO(struct life *, life_free);

/* Takes a new record of a container. */
void life_observe(struct life *life, size_t container, const struct record *record, int64_t now);
/* The pod has to end, for a reason; the first one counts. For a deletion the shortest grace period counts. */
void life_end_pod(struct life *life, enum life_end end, const char *reason, const char *message);
void life_delete(struct life *life, int64_t grace_us);
/* A start was not attempted: it is returned again, without more back-off. */
void life_ask_again(struct life *life, size_t container);
/* Limits the grace period of its containers. */
void life_hurry(struct life *life, int64_t grace_us);

enum life_verb { LIFE_START, LIFE_STOP };
struct life_step {
	enum life_verb verb;
	size_t container;
	unsigned run;     /* of a start */
	int64_t grace_us; /* of a stop */
};
struct life_verdict {
	VEC(struct life_step) steps;
	int64_t wake;  /* decide again then; INT64_MAX: at the next event */
	bool finished; /* it has ended, and nothing will start */
};
void life_verdict_done(struct life_verdict *verdict);
DEFINE_AUTO_IN_PLACE(struct life_verdict, life_verdict_done);

/* The returned steps count as taken: they are not returned again. */
void life_decide(struct life *life, int64_t now, struct life_verdict *ret);

/* --- how it is seen --- */

enum life_state { LIFE_STATE_WAITING, LIFE_STATE_RUNNING, LIFE_STATE_TERMINATED };
struct life_view {
	enum life_state state;
	const char *reason; /* why it waits; a constant */
	int64_t backoff_us; /* with CrashLoopBackOff */
	bool ready;
	bool started;
	bool has_last;
	unsigned restarts;
	struct record_run now;  /* running, terminated */
	struct record_run last; /* the previous run */
	bool oom, last_oom;
};
void life_view(const struct life *life, size_t container, int64_t now, struct life_view *ret);
enum life_phase life_phase(const struct life *life);
/* Are all init containers complete? */
bool life_is_initialized(const struct life *life);
/* Does the container's process run, and do its probes pass? */
bool life_is_ready(const struct life *life, size_t container);

#endif
