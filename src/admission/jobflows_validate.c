/* SPDX-License-Identifier: Apache-2.0 */
/* admission/jobflows_validate.c - the jobs of a JobFlow can be run in some order. */
#include "admission/graph.h"
#include "admission/hooks.h"
#include "model/volcano/jobflow.h"

#include "base/banned.h"

#define NOT_ORDERED "jobflow Flow is not DAG"

int jobflows_validate(const struct admission_case *c)
{
	struct jobflow flow;
	struct graph_node *nodes;
	struct str undefined;

	if (hook_decode(c, &jobflow_type, c->review->object, &flow) < 0)
		return -1;
	nodes = arena_calloc(c->arena, flow.spec.flows.len + 1, sizeof(*nodes));
	for (size_t i = 0; i < flow.spec.flows.len; i++) {
		nodes[i].name = flow.spec.flows.ptr[i].name;
		if (flow.spec.flows.ptr[i].depends_on)
			nodes[i].after = flow.spec.flows.ptr[i].depends_on->targets;
	}
	switch (graph_check(nodes, flow.spec.flows.len, c->arena, &undefined)) {
	case GRAPH_UNDEFINED:
		return hook_deny(c, NOT_ORDERED ": vertex is not defined: %.*s",
				 STR_ARG(undefined));
	case GRAPH_CYCLE:
		return hook_deny(c, NOT_ORDERED);
	default:
		return 0;
	}
}
