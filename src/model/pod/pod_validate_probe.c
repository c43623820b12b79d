/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_probe.c - the rules of probes and lifecycle hooks. */
#include <inttypes.h>

#include "model/pod/pod_rules.h"

#include "base/banned.h"

enum { PORT_MAX = 65535 };

static void check_port(struct pod_rules *r, struct json port, const struct path *path)
{
	int64_t number = json_int(port);

	if (json_is(port, JSON_STR))
		name_validate(NAME_PORT, json_str(port), path, r->causes);
	else if (number < 1 || number > PORT_MAX)
		causes_invalid_int(r->causes, path, number, "must be between 1 and %d, inclusive",
				   PORT_MAX);
}

static void check_exec(struct pod_rules *r, struct json exec, const struct path *path)
{
	PATH(command, path, "command");

	if (!json_len(json_get(exec, "command")))
		causes_required(r->causes, &command, "");
}

static void check_http_get(struct pod_rules *r, struct json get, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, get, path);
	struct json_iter it = json_iter(json_get(get, "httpHeaders"));
	PATH(port, path, "port");
	PATH(headers, path, "httpHeaders");

	rule_required(&at, "path");
	check_port(r, json_get(get, "port"), &port);
	rule_text_of(&at, "scheme", RULE_TEXTS("HTTP", "HTTPS"));
	while (json_next(&it))
		name_validate(NAME_HTTP_HEADER, rule_text(it.value, "name"), &headers, r->causes);
}

static void check_socket(struct pod_rules *r, struct json socket, const struct path *path)
{
	PATH(port, path, "port");

	check_port(r, json_get(socket, "port"), &port);
}

static void check_sleep(struct pod_rules *r, struct json sleep, const struct path *path)
{
	struct json grace = json_get(r->spec, "terminationGracePeriodSeconds");
	int64_t seconds = json_int(json_get(sleep, "seconds"));

	if (!json_is(grace, JSON_INT))
		return;
	if (r->strict && (seconds <= 0 || seconds > json_int(grace)))
		causes_invalid_int(r->causes, path, seconds,
				   "must be greater than 0 and less than "
				   "terminationGracePeriodSeconds (%" PRId64 "). Enable "
				   "AllowPodLifecycleSleepActionZeroValue feature gate for zero "
				   "sleep.",
				   json_int(grace));
	else if (seconds < 0 || seconds > json_int(grace))
		causes_invalid_int(r->causes, path, seconds,
				   "must be non-negative and less than "
				   "terminationGracePeriodSeconds (%" PRId64 ")",
				   json_int(grace));
}

/* Exactly one of the handlers. */
static void check_handler(struct pod_rules *r, struct json handler, const struct path *path)
{
	static const struct {
		const char *key;
		void (*check)(struct pod_rules *r, struct json handler, const struct path *path);
	} handlers[] = {
		{"exec", check_exec},   {"httpGet", check_http_get}, {"tcpSocket", check_socket},
		{"grpc", check_socket}, {"sleep", check_sleep},
	};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(handlers); i++) {
		struct path below = path_member(path, str_from(handlers[i].key));

		if (!rule_has(handler, handlers[i].key))
			continue;
		if (count++)
			causes_forbidden(r->causes, &below,
					 "may not specify more than 1 handler type");
		else
			handlers[i].check(r, json_get(handler, handlers[i].key), &below);
	}
	if (!count)
		causes_required(r->causes, path, "must specify a handler type");
}

static void check_probe(struct pod_rules *r, struct json probe, const struct path *path)
{
	static const char *const numbers[] = {
		"initialDelaySeconds", "timeoutSeconds",   "periodSeconds",
		"successThreshold",    "failureThreshold",
	};
	struct rule_at at = pod_rule_at(r, probe, path);
	struct json grace = json_get(probe, "terminationGracePeriodSeconds");
	PATH(grace_path, path, "terminationGracePeriodSeconds");

	check_handler(r, probe, path);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		rule_not_negative(&at, numbers[i]);
	if (json_is(grace, JSON_INT) && json_int(grace) <= 0)
		causes_invalid_int(r->causes, &grace_path, json_int(grace),
				   "must be greater than 0");
}

/* A probe that restarts the container needs one success; one that does not has no grace. */
static void check_probe_at(struct pod_rules *r, struct json container, const char *key,
			   bool restarts, const struct path *path)
{
	struct path at = path_member(path, str_from(key));
	struct json probe = json_get(container, key);
	int64_t successes = json_int(json_get(probe, "successThreshold"));
	PATH(threshold, &at, "successThreshold");
	PATH(grace, &at, "terminationGracePeriodSeconds");

	if (!rule_has(container, key))
		return;
	check_probe(r, probe, &at);
	if (restarts && successes != 1)
		causes_invalid_int(r->causes, &threshold, successes, "must be 1");
	if (!restarts && rule_has(probe, "terminationGracePeriodSeconds"))
		causes_invalid_int(r->causes, &grace,
				   json_int(json_get(probe, "terminationGracePeriodSeconds")),
				   "must not be set for readinessProbes");
}

static void check_stop_signal(struct pod_rules *r, struct json lifecycle, const struct path *path)
{
	struct rule_at at = pod_rule_at(r, lifecycle, path);
	struct json os = json_get(r->spec, "os");
	PATH(signal, path, "stopSignal");

	if (!json_is(os, JSON_OBJ))
		causes_forbidden(r->causes, &signal,
				 "may not be set for containers with empty `spec.os.name`");
	else if (str_is(rule_text(os, "name"), "windows"))
		rule_text_of(&at, "stopSignal", RULE_TEXTS("SIGKILL", "SIGTERM"));
}

static void check_lifecycle(struct pod_rules *r, struct json lifecycle, const struct path *path)
{
	PATH(start, path, "postStart");
	PATH(stop, path, "preStop");

	if (rule_has(lifecycle, "postStart"))
		check_handler(r, json_get(lifecycle, "postStart"), &start);
	if (rule_has(lifecycle, "preStop"))
		check_handler(r, json_get(lifecycle, "preStop"), &stop);
	if (rule_has(lifecycle, "stopSignal"))
		check_stop_signal(r, lifecycle, path);
}

void pod_rules_probes(struct pod_rules *r, struct json container, const struct path *path)
{
	PATH(lifecycle, path, "lifecycle");

	if (rule_has(container, "lifecycle"))
		check_lifecycle(r, json_get(container, "lifecycle"), &lifecycle);
	check_probe_at(r, container, "livenessProbe", true, path);
	check_probe_at(r, container, "readinessProbe", false, path);
	check_probe_at(r, container, "startupProbe", true, path);
}
