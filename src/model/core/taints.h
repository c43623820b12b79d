/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/taints.h - taints of nodes and tolerations of pods. */
#ifndef MODEL_TAINTS_H
#define MODEL_TAINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"

enum taint_effect {
	TAINT_ANY, /* of a toleration: every effect */
	TAINT_NO_SCHEDULE,
	TAINT_PREFER_NO_SCHEDULE,
	TAINT_NO_EXECUTE,
	TAINT_EFFECT_COUNT
};
/* "NoSchedule"; "" for TAINT_ANY. */
const char *taint_effect_name(enum taint_effect effect);

struct taint {
	struct str key;
	struct str value;
	enum taint_effect effect;
	int64_t time_added;
};
struct taints {
	struct taint *ptr;
	size_t len;
};
extern const struct type taint_type;

enum toleration_op {
	TOLERATION_DEFAULT, /* as Equal */
	TOLERATION_EQUAL,
	TOLERATION_EXISTS,
	TOLERATION_LESS,    /* the taint's value is a smaller number (Kubernetes 1.35) */
	TOLERATION_GREATER, /* a larger one */
	TOLERATION_OP_COUNT
};

struct toleration {
	struct str key; /* empty: every key */
	enum toleration_op op;
	struct str value;
	enum taint_effect effect;
	struct opt_int64
		seconds; /* how long a NoExecute taint is tolerated; unset: without limit */
};
struct tolerations {
	struct toleration *ptr;
	size_t len;
};
extern const struct type toleration_type;

bool toleration_matches(const struct toleration *toleration, const struct taint *taint);

/* Effects to check, one bit each. */
#define TAINT_BIT(effect) (1U << (effect))
enum {
	TAINTS_THAT_FORBID = TAINT_BIT(TAINT_NO_SCHEDULE) | TAINT_BIT(TAINT_NO_EXECUTE),
	TAINTS_THAT_ADVISE = TAINT_BIT(TAINT_PREFER_NO_SCHEDULE),
};

/* The first taint with one of these effects that nothing tolerates, or NULL. */
const struct taint *taints_first_untolerated(const struct taints *taints,
					     const struct tolerations *tolerations,
					     unsigned effects);
/* How many taints with one of these effects are not tolerated. */
size_t taints_count_untolerated(const struct taints *taints, const struct tolerations *tolerations,
				unsigned effects);
/* How long the NoExecute taints are tolerated, in seconds: 0 if one of them is not tolerated, -1
 * without limit, else the shortest time. */
int64_t taints_seconds(const struct taints *taints, const struct tolerations *tolerations);

#endif
