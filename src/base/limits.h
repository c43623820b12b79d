/* SPDX-License-Identifier: Apache-2.0 */
/* base/limits.h - every bound on what comes from outside, in one place.
 *
 * A number here is a promise to the operator: past it there is a clear error, never an abort. Where
 * Kubernetes has a limit that clients know, it is the same. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

enum {
	/* documents */
	LIMIT_JSON_DEPTH = 576, /* nesting of objects and arrays, in any document */
	LIMIT_OBJECT_DEPTH =
		512, /* of what clients send: lists, events, managed fields add to it */
	LIMIT_JSON_BYTES = 1024 * 1024 * 1024, /* a list of 100,000 pods fits */
	LIMIT_YAML_BYTES = 64 * 1024 * 1024,
	LIMIT_YAML_NODES = 4 * 1024 * 1024,       /* after aliases are expanded */
	LIMIT_PATCH_OPS = 10000,                  /* as kube-apiserver: maxJSONPatchOperations */
	LIMIT_PATCH_COPY_BYTES = 3 * 1024 * 1024, /* by "copy" in a JSON patch, likewise */
	LIMIT_KUBECONFIG_BYTES = 16 * 1024 * 1024,

	/* HTTP */
	LIMIT_BODY_BYTES = 3 * 1024 * 1024, /* as kube-apiserver: a request's body */
	LIMIT_RESPONSE_BYTES = 1024 * 1024 * 1024,
	LIMIT_HEADER_BYTES = 64 * 1024, /* all header fields of a message together */
	LIMIT_HEADER_COUNT = 256,
	LIMIT_URL_BYTES = 32 * 1024,
	LIMIT_STREAMS = 250, /* concurrent HTTP/2 streams a connection */
	LIMIT_CONNECTIONS = 10000,
	LIMIT_STREAM_RESETS = 10000, /* burst a connection, before it is ended */
	LIMIT_STREAM_RESETS_PER_SECOND = 330,
	LIMIT_PEM_BYTES = 4 * 1024 * 1024,    /* a file of certificates or keys */
	LIMIT_SEND_BUFFER_BYTES = 256 * 1024, /* a stream asks its writer to pause above this */
	/* Of answers, waiting for their readers: above it no request of the connection is begun and
	 * no more of a list is made; above that of the server the same holds from the small one on,
	 * and connections that take nothing are ended. */
	LIMIT_CONNECTION_WAITING_BYTES = 4 * 1024 * 1024,
	LIMIT_CONNECTION_WAITING_SMALL = 64 * 1024,
	LIMIT_SERVER_WAITING_BYTES = 512 * 1024 * 1024,

	/* store */
	LIMIT_KEY_BYTES = 511,                   /* LMDB's bound; a name has at most 253 */
	LIMIT_OBJECT_BYTES = 16 * 1024 * 1024,   /* bodies are far smaller; defaults add to them */
	LIMIT_HISTORY_EVENTS = 64 * 1024,        /* how far back a watch can start ... */
	LIMIT_HISTORY_BYTES = 128 * 1024 * 1024, /* ... whichever comes first; what it replaced
						    counts as well */
	LIMIT_HISTORY_OLD_BYTES = 4 * 1024 * 1024, /* of what is older than a minute */
	LIMIT_DECODED_BYTES = 8 * 1024 * 1024,     /* of documents kept for other readers */
	LIMIT_COMMIT_WRITES = 4096,                /* of one transaction; more wait for the next */
	LIMIT_COMMIT_BYTES = 32 * 1024 * 1024,

	/* the API */
	LIMIT_IN_FLIGHT = 4000, /* calls at once, watches aside: then 429 */
	LIMIT_WATCHERS = 20000,
	LIMIT_USER_IN_FLIGHT = 1000, /* of these, of one user; each connection gets one more */
	LIMIT_USER_WATCHERS = 10000,
	LIMIT_USER_BODY_BYTES = 256 * 1024 * 1024,    /* of requests that are not answered yet */
	LIMIT_USER_WAITING_BYTES = 256 * 1024 * 1024, /* of answers that are not read: then 429 */
	LIMIT_GATHER_BYTES = 64 * 1024 * 1024, /* of lists that are made before they are sent */
	LIMIT_SMALL_BODY_BYTES = 256 * 1024,   /* a body that is not stored: reviews, bindings,
						  evictions, scales, options of removals */
	LIMIT_LARGE_BYTES = 16 * 1024, /* a request or answer of so many is a worker's, ... */
	LIMIT_LARGE_AT_ONCE = 2,       /* ... so many in each lane at the same time */
	LIMIT_EVENTS = 50000, /* kept; then those that were seen longest ago go before their hour */
	LIMIT_EVENT_MESSAGE = 1024,        /* written by us; as events.k8s.io bounds its notes */
	LIMIT_WATCHER_BYTES = 1024 * 1024, /* waiting for one watcher: then it reads the history */

	LIMIT_CEL_COST =
		1000 * 1000, /* one evaluation of a rule, as kube-apiserver: PerCallLimit */
	LIMIT_CEL_REQUEST_COST = 10 * 1000 * 1000, /* all rules of one object, likewise */
	LIMIT_PATTERN_STEPS = 100 * 1000 * 1000,   /* patterns of schemas, of one request */
	LIMIT_PATTERN_SIZE = 1000 * 1000,          /* instructions of all patterns of a schema */
	LIMIT_CEL_BYTES = 64 * 1024 * 1024,        /* memory of one evaluation */

	/* pods on this machine */
	LIMIT_PLAN_BYTES = 16 * 1024 * 1024, /* environment and arguments of all containers */

	/* text */
	LIMIT_LOG_LINE = 16 * 1024,
	LIMIT_SELECTOR_BYTES = 64 * 1024,
	LIMIT_QUANTITY_BYTES = 128,
};

#endif
