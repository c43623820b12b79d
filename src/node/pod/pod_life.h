/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_life.h - what is to be done for a pod next: pure, decided from what is known of it.
 *
 * Init containers run one after the other; one with restartPolicy Always (a sidecar) stays, and the next
 * comes when it has started. Then all other containers run at once. What ends is started again as the
 * restart policy says, at first at once and then after 10 s, 20 s, ... 5 min; a container that lasts ten
 * minutes begins anew. When the last of the others is done, sidecars end in reverse order. A pod that is
 * deleted, evicted or past its deadline starts nothing any more; its containers get its grace period.
 *
 * Times are by loop_uptime(), but where they are called wall. */
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

/* What is known of a container. */
struct life_container {
	bool init;
	bool sidecar;     /* an init container that stays */
	bool has_startup; /* probes that decide, beside the process itself */
	bool has_readiness;
	bool started;       /* its startup probe has passed; only looked at where it has one */
	bool ready;         /* its readiness probe has passed; likewise */
	bool wants_restart; /* a probe has failed too often: it is ended, and that counts as failed */
	bool oom;           /* the run that has ended ran out of memory */
	bool last_oom;      /* the run before did */
	bool unknown;       /* nobody knows how its run ended */
	bool asked_start;   /* and no answer yet */
	bool asked_stop;    /* of the current run */
	int64_t grace_us;   /* where a probe has its own; < 0: the pod's */
	int64_t ended_at;   /* when we learned of it */
	int64_t backoff_us; /* how long the next start waits; 0: it has never been restarted */
	int64_t backoff_at; /* when that was set */
	int64_t backoff_us_before, backoff_at_before;
	struct record record;
};

/* Why a pod starts nothing any more, beside being done. */
enum life_end { LIFE_GOES_ON, LIFE_DELETED, LIFE_DEADLINE, LIFE_EVICTED, LIFE_REFUSED };

struct life {
	enum life_restart restart;
	int64_t grace_us;    /* of the pod */
	int64_t deadline_us; /* activeDeadlineSeconds; 0: none */
	int64_t started_at;  /* when the node took it */
	bool deadline_kept; /* by its supervisor, which alone knows how long it has run: an agent that came later
				has only the clock, which somebody may have set */
	enum life_end end;
	char reason[64]; /* of an eviction or a refusal */
	char message[1024];
	size_t n_init;
	size_t n_containers;
	struct life_container *containers; /* init containers first */
};

/* From the pod's document; nothing is known of its containers. */
struct life *life_new(struct json pod) __attribute__((returns_nonnull));
void life_free(struct life *life);
DEFINE_AUTO(struct life *, life_free);

/* What was told of a container. */
void life_observe(struct life *life, size_t container, const struct record *record, int64_t now);
/* It ends, for a reason; the first one counts. For a deletion a shorter grace overrules. */
void life_end_pod(struct life *life, enum life_end end, const char *reason, const char *message);
void life_delete(struct life *life, int64_t grace_us);
/* A start that was asked for was not tried: it is asked for again, and has not to wait longer for that. */
void life_ask_again(struct life *life, size_t container);
/* Its containers get no more time than this to end. */
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
	int64_t wake;  /* look again then; INT64_MAX: when something has happened */
	bool finished; /* nothing runs, and nothing will */
};
void life_verdict_done(struct life_verdict *verdict);
DEFINE_AUTO_IN_PLACE(struct life_verdict, life_verdict_done);

/* The steps are taken as asked for: they do not come again. */
void life_decide(struct life *life, int64_t now, struct life_verdict *ret);

/* --- how it is seen --- */

enum life_state { LIFE_STATE_WAITING, LIFE_STATE_RUNNING, LIFE_STATE_TERMINATED };
struct life_view {
	enum life_state state;
	const char *reason; /* waiting: why; a constant */
	int64_t backoff_us; /* with CrashLoopBackOff */
	bool ready;
	bool started;
	bool has_last;
	unsigned restarts;
	struct record_run now;  /* running, terminated */
	struct record_run last; /* the run before */
	bool oom, last_oom;
};
void life_view(const struct life *life, size_t container, int64_t now, struct life_view *ret);
enum life_phase life_phase(const struct life *life);
/* Have all init containers done their part? */
bool life_is_initialized(const struct life *life);
/* Does the container's process run and answer as wanted? */
bool life_is_ready(const struct life *life, size_t container);

#endif
