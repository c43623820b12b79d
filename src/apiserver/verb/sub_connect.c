/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_connect.c - connections to what runs (exec, attach, port-forward, proxy), which this server
 * does not make: one sentence each that says so and what to do instead. It is a Status with code 501 for
 * plain requests and for attempts to change the protocol (SPDY, WebSocket), which kubectl shows as it is.
 * Clients that ask discovery find these sub-resources all the same, as upstream. */
#include "apiserver/api_internal.h"
#include "apiserver/verb/sub.h"

#include "base/banned.h"

static const struct {
	const char *sub;
	const char *sentence;
} sentences[] = {
	{"exec",
	 "kubectl exec and kubectl cp are not supported: this server cannot run commands in a "
	 "pod. Use kubectl logs to read its output, or a shell on the node it runs on"},
	{"attach",
	 "kubectl attach is not supported: this server cannot connect to the terminal of a "
	 "pod. Use kubectl logs -f to follow its output"},
	{"portforward",
	 "kubectl port-forward is not supported: this server does not forward "
	 "connections to pods. Connect to the address of the pod (status.podIP) from "
	 "the node it runs on"},
	{"proxy",
	 "this server does not forward requests to pods, services or nodes. Connect to their "
	 "address directly"},
};

void sub_refuse_connect(struct call *call)
{
	const char *sentence = "this server does not make connections to pods";
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(sentences); i++)
		if (str_starts(call->sub, str_from(sentences[i].sub)))
			sentence = sentences[i].sentence;
	(void)err_set(&err, ERR_NOT_IMPLEMENTED, "%s", sentence);
	call_answer_err(call, &err);
}
