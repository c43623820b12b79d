/* SPDX-License-Identifier: Apache-2.0 */
/* controller/task_probe.h - do the pods of a task answer: to a GET, or at all on a port?
 *
 * The caller asks again and again, and gets the last result, `false` at first;
 * asking keeps it up to date, at most once a PROBE_PERIOD. A change wakes the asker. What no one asks
 * for any more is forgotten. All pods of the task must answer, and there must be one: a GET with
 * a status of 200 to 399, a connection that is accepted, within PROBE_TIMEOUT. */
#ifndef CONTROLLER_TASK_PROBE_H
#define CONTROLLER_TASK_PROBE_H

#include <stdbool.h>

#include "base/macro.h"
#include "base/str.h"
#include "base/time.h"
#include "json/doc.h"
#include "lifecycle/flow_lifecycle.h"

struct client;
struct loop;
struct prober;

#define PROBE_PERIOD TIME_SECOND
#define PROBE_TIMEOUT (2 * TIME_SECOND)

/* Called with the text that the asker gave. */
typedef void prober_woken_fn(void *arg, struct str asker);

struct prober *prober_new(struct loop *loop, struct client *client, prober_woken_fn *woken,
			  void *arg) __attribute__((returns_nonnull));
/* Nothing is called any more. Not from within `woken`. Takes NULL. */
void prober_free(struct prober *prober);
DEFINE_AUTO(struct prober *, prober_free);

struct probe_question {
	struct str asker; /* who is woken */
	struct str namespace;
	struct str job;
	enum flow_probe probe;
	struct json entry; /* of the probe: taskName, port; path and httpHeader */
};
bool prober_answers(struct prober *prober, const struct probe_question *question);

#endif
