/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_probe.c - the rules of probes and lifecycle hooks. */
#include <inttypes.h>

#include "model/pod/pod_rules.h"

#include "base/banned.h"

/* --- handlers -------------------------------------------------------------------------------- */

static void check_sleep(const struct rule_at *at)
{
	struct json grace = json_get(pod_spec_of(at), "terminationGracePeriodSeconds");
	int64_t seconds = json_int(json_get(at->value, "seconds"));

	if (!json_is(grace, JSON_INT))
		return;
	if (pod_of(at)->strict && (seconds <= 0 || seconds > json_int(grace)))
		causes_invalid_int(at->causes, at->path, seconds,
				   "must be greater than 0 and less than "
				   "terminationGracePeriodSeconds (%" PRId64 "). Enable "
				   "AllowPodLifecycleSleepActionZeroValue feature gate for zero "
				   "sleep.",
				   json_int(grace));
	else if (seconds < 0 || seconds > json_int(grace))
		causes_invalid_int(at->causes, at->path, seconds,
				   "must be non-negative and less than "
				   "terminationGracePeriodSeconds (%" PRId64 ")",
				   json_int(grace));
}

static const struct rule exec_rows[] = {
	{"command", R_REQUIRED},
};
static const struct rule header_rows[] = {
	{"name", R_HIDDEN, R_ALWAYS, R_FORMAT(HTTP_HEADER)},
};
static const struct rule http_rows[] = {
	{"path", R_REQUIRED},
	{"port", R_ALWAYS, R_CHECK(rule_port_or_name)},
	{"scheme", R_TEXTS("HTTP", "HTTPS")},
	{"httpHeaders", R_FLAT, R_EACH(R_OBJECT(header_rows))},
};
static const struct rule socket_rows[] = {
	{"port", R_ALWAYS, R_CHECK(rule_port_or_name)},
};
static const struct rule kind_rows[] = {
	{"exec", R_OBJECT(exec_rows)},        {"httpGet", R_OBJECT(http_rows)},
	{"tcpSocket", R_OBJECT(socket_rows)}, {"grpc", R_OBJECT(socket_rows)},
	{"sleep", R_CHECK(check_sleep)},
};
#define ONE_HANDLER \
	R_ONE(kind_rows, "must specify a handler type", "may not specify more than 1 handler type")

/* --- probes ---------------------------------------------------------------------------------- */

static const struct rule probe_rows[] = {
	{ONE_HANDLER},
	{"initialDelaySeconds", R_MIN(0)},
	{"timeoutSeconds", R_MIN(0)},
	{"periodSeconds", R_MIN(0)},
	{"successThreshold", R_MIN(0)},
	{"failureThreshold", R_MIN(0)},
	{"terminationGracePeriodSeconds", R_MIN(1), R_RANGE_AS("must be greater than 0")},
};
/* A probe that restarts the container needs one success; one that does not has no grace. */
static const struct rule restart_rows[] = {
	{R_OBJECT(probe_rows)},
	{"successThreshold", R_ALWAYS, R_RANGE(1, 1), R_RANGE_AS("must be 1")},
};
static const struct rule ready_rows[] = {
	{R_OBJECT(probe_rows)},
	{"terminationGracePeriodSeconds", R_INVALID("must not be set for readinessProbes")},
};

/* --- lifecycle ------------------------------------------------------------------------------- */

static const struct rule handler_rows[] = {
	{ONE_HANDLER},
};

static bool has_no_os(const struct rule_at *at)
{
	return !rule_has(pod_spec_of(at), "os");
}

static bool is_windows(const struct rule_at *at)
{
	return str_is(rule_text(json_get(pod_spec_of(at), "os"), "name"), "windows");
}

static const struct rule lifecycle_rows[] = {
	{"postStart", R_OBJECT(handler_rows)},
	{"preStop", R_OBJECT(handler_rows)},
	{"stopSignal", R_WHEN(has_no_os),
	 R_FORBIDDEN("may not be set for containers with empty `spec.os.name`")},
	{"stopSignal", R_WHEN(is_windows), R_TEXTS("SIGKILL", "SIGTERM")},
};

static const struct rule container_rows[] = {
	{"lifecycle", R_OBJECT(lifecycle_rows)},
	{"livenessProbe", R_OBJECT(restart_rows)},
	{"readinessProbe", R_OBJECT(ready_rows)},
	{"startupProbe", R_OBJECT(restart_rows)},
};
const struct rules pod_probe_rules = RULES_OF(container_rows);
