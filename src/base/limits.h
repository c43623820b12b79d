/* SPDX-License-Identifier: Apache-2.0 */
/* base/limits.h - all limits on input from outside, in one place.
 *
 * Input that exceeds a limit gets a clear error; it never aborts the program. Limits of Kubernetes
 * that clients know have the same value here. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

enum {
	/* documents */
	LIMIT_JSON_DEPTH = 576, /* nesting of objects and arrays, in any document */
	LIMIT_OBJECT_DEPTH =
		512, /* of documents that clients send; lists, events and managed fields may be deeper */
	LIMIT_JSON_BYTES = 1024 * 1024 * 1024, /* a list of 100,000 pods fits */
	LIMIT_YAML_BYTES = 64 * 1024 * 1024,
	LIMIT_YAML_NODES = 4 * 1024 * 1024,       /* after aliases are expanded */
	LIMIT_PATCH_OPS = 10000,                  /* as kube-apiserver: maxJSONPatchOperations */
	LIMIT_PATCH_COPY_BYTES = 3 * 1024 * 1024, /* by "copy" in a JSON patch, as kube-apiserver */
	LIMIT_KUBECONFIG_BYTES = 16 * 1024 * 1024,
	LIMIT_CAUSES = 2000,              /* of one refused object; the rest is counted */
	LIMIT_CAUSES_BYTES = 1024 * 1024, /* the texts of all of them */

	/* HTTP */
	LIMIT_BODY_BYTES = 3 * 1024 * 1024, /* as kube-apiserver: body of a request */
	LIMIT_RESPONSE_BYTES = 1024 * 1024 * 1024,
	LIMIT_HEADER_BYTES = 64 * 1024, /* all header fields of a message together */
	LIMIT_HEADER_COUNT = 256,
	LIMIT_URL_BYTES = 32 * 1024,
	LIMIT_STREAMS = 250, /* concurrent HTTP/2 streams per connection */
	LIMIT_CONNECTIONS = 10000,
	LIMIT_STREAM_RESETS = 10000, /* per connection in a burst, before it is closed */
	LIMIT_STREAM_RESETS_PER_SECOND = 330,
	LIMIT_PEM_BYTES = 4 * 1024 * 1024,    /* a file of certificates or keys */
	LIMIT_SEND_BUFFER_BYTES = 256 * 1024, /* above this a stream makes its writer pause */
	/* Bytes of responses that clients have not read yet. Above the limit of a connection the
	 * server starts no further request of it and produces no more of a list. Above the limit of
	 * the server the small limit applies to each connection, and connections that read nothing
	 * are closed. */
	LIMIT_CONNECTION_WAITING_BYTES = 4 * 1024 * 1024,
	LIMIT_CONNECTION_WAITING_SMALL = 64 * 1024,
	LIMIT_SERVER_WAITING_BYTES = 512 * 1024 * 1024,

	/* store */
	LIMIT_KEY_BYTES = 511,                   /* LMDB's limit; a name has at most 253 */
	LIMIT_OBJECT_BYTES = 16 * 1024 * 1024,   /* bodies are far smaller; defaults add to them */
	LIMIT_HISTORY_EVENTS = 64 * 1024,        /* how far back a watch can start ... */
	LIMIT_HISTORY_BYTES = 128 * 1024 * 1024, /* ... whichever comes first; what it replaced
						    counts as well */
	/* Events older than one minute: half as much as the objects take, but not less than the first
	 * of these, and not more than the second. */
	LIMIT_HISTORY_OLD_MIN_BYTES = 1024 * 1024,
	LIMIT_HISTORY_OLD_BYTES = 4 * 1024 * 1024,
	LIMIT_DECODED_BYTES =
		8 * 1024 * 1024,    /* of decoded documents that are cached for other readers */
	LIMIT_COMMIT_WRITES = 4096, /* per transaction; the others wait for the next one */
	LIMIT_COMMIT_BYTES = 32 * 1024 * 1024,

	/* nodes */
	LIMIT_NODE_CPUS = 1024, /* whose NUMA nodes are known; a multiple of 64 */

	/* the API */
	LIMIT_IN_FLIGHT = 4000, /* requests at once without watches; more get 429 */
	LIMIT_WATCHERS = 20000,
	LIMIT_USER_IN_FLIGHT = 1000, /* of these, per user; each connection may have one more */
	LIMIT_USER_WATCHERS = 10000,
	LIMIT_USER_BODY_BYTES =
		256 * 1024 * 1024, /* of request bodies that are not answered yet, per user */
	LIMIT_USER_WAITING_BYTES =
		256 * 1024 * 1024, /* of responses that are not read yet, per user; then 429 */
	LIMIT_GATHER_BYTES = 64 * 1024 * 1024, /* of lists that are built before they are sent */
	LIMIT_SMALL_BODY_BYTES = 256 * 1024,   /* a body that is not stored: reviews, bindings,
						evictions, scales, options of deletions */
	LIMIT_LARGE_BYTES = 16 * 1024, /* larger requests and responses run on a worker, ... */
	LIMIT_LARGE_AT_ONCE = 2,       /* ... at most this many per lane at the same time */
	LIMIT_EVENTS =
		50000, /* kept; above this the oldest ones are deleted before their hour ends */
	LIMIT_EVENT_MESSAGE =
		1024, /* of our own events; the limit that events.k8s.io has for notes */
	LIMIT_WATCHER_BYTES =
		1024 * 1024, /* queued for one watcher; above this it reads from the history */

	LIMIT_CEL_COST =
		1000 * 1000, /* per evaluation of a rule, as kube-apiserver: PerCallLimit */
	LIMIT_CEL_REQUEST_COST =
		10 * 1000 * 1000, /* for all rules of one object, as kube-apiserver */
	LIMIT_PATTERN_STEPS = 100 * 1000 * 1000, /* per request, for the patterns of schemas */
	LIMIT_PATTERN_SIZE = 1000 * 1000,        /* instructions of all patterns of a schema */
	LIMIT_CEL_BYTES = 64 * 1024 * 1024,      /* memory per evaluation */

	/* pods on this machine */
	LIMIT_PLAN_BYTES = 16 * 1024 * 1024, /* environment and arguments of all containers */

	/* text */
	LIMIT_LOG_LINE = 16 * 1024,
	LIMIT_SELECTOR_BYTES = 64 * 1024,
	LIMIT_QUANTITY_BYTES = 128,
};

#endif
