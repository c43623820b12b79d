/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/unsupported.h: what is refused, what is warned about, and what is fine. */
#include "node/pod/unsupported.h"

#include "base/buf.h"
#include "pods.h"
#include "tap.h"

static void note(void *arg, enum unsupported_is is, struct str field, const char *why)
{
	buf_printf(arg, "%s %.*s: %s\n", is == UNSUPPORTED_REFUSED ? "refused" : "warned",
		   STR_ARG(field), why);
}

static void check(const char *spec, const struct unsupported_world *world, bool refused,
		  const char *want)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf pod = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	buf_printf(&pod, "spec: {%s}\n", spec);
	doc = pods_yaml(buf_text(&pod));
	ok(unsupported_walk(json_doc_root(doc), world, note, &text) == refused, "%s is %s", spec,
	   refused ? "refused" : "not refused");
	is(buf_text(&text), want);
}

int main(void)
{
	static const struct unsupported_world plain = {.root = true, .namespaces = true};
	static const struct unsupported_world poor = {0};
	static const struct unsupported_world rich = {.runtime = true, .namespaces = true};

	check("containers: [{name: c, env: [{name: A, value: b}], volumeMounts: [{name: v, "
	      "mountPath: /x}], securityContext: {runAsUser: 1, readOnlyRootFilesystem: true}}], "
	      "volumes: [{name: v, emptyDir: {}}], hostNetwork: false, os: {name: linux}",
	      &plain, false, "");
	check("volumes: [{name: a, emptyDir: {}}, {name: b, nfs: {server: s, path: /}}]", &plain,
	      true, "refused spec.volumes[1].nfs: mount it on the machine, and use hostPath\n");
	check("containers: [{name: c, volumeDevices: [{name: d}]}], initContainers: [{name: i, "
	      "env: "
	      "[{name: A, valueFrom: {fileKeyRef: {key: k}}}]}]",
	      &plain, true,
	      "refused spec.containers[0].volumeDevices: raw devices are not supported\n"
	      "refused spec.initContainers[0].env[0].valueFrom.fileKeyRef: variables from files of "
	      "a volume are not supported\n");
	check("securityContext: {seccompProfile: {type: RuntimeDefault}}, shareProcessNamespace: "
	      "true",
	      &plain, false,
	      "warned spec.securityContext.seccompProfile: system calls are not filtered\n"
	      "warned spec.shareProcessNamespace: containers do not see each other's processes\n");
	check("securityContext: {seccompProfile: {type: Unconfined}}, hostUsers: true", &plain,
	      false, "");
	check("hostUsers: false", &plain, true,
	      "refused spec.hostUsers: user namespaces of pods are not supported\n");
	check("imagePullSecrets: [{name: s}]", &plain, false,
	      "warned spec.imagePullSecrets: images are not pulled: processes run on the machine's "
	      "own files\n");
	check("imagePullSecrets: [{name: s}]", &rich, false, "");
	check("containers: [{name: c, securityContext: {readOnlyRootFilesystem: true}}]", &poor,
	      true,
	      "refused spec.containers[0].securityContext.readOnlyRootFilesystem: the machine does "
	      "not permit mount namespaces\n");
	check("containers: [{name: c, ports: [{containerPort: 1}, {containerPort: 2, hostPort: "
	      "3}]}]",
	      &plain, false,
	      "warned spec.containers[0].ports[1].hostPort: ports are not passed on: use "
	      "hostNetwork\n");
	return tap_done();
}
