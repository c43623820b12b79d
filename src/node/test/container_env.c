/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/container_env.h: where variables come from, which one wins, and what is said when one is not
 * there. */
#include "node/pod/container_env.h"

#include "base/buf.h"
#include "pods.h"
#include "tap.h"

#define OBJECTS                                                        \
	"configmaps:\n"                                                \
	"  settings: {data: {A: one, B: 'two $(A)', dotted.key: x}}\n" \
	"secrets:\n"                                                   \
	"  keys: {data: {S: c2VjcmV0, Z: 'AAE='}}\n"                   \
	"allocatable: {cpu: 3500m, memory: 8Gi}\n"

/* A pod with one container of these lines. */
static void open_pod(struct pods *pods, const char *container)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text,
		   "metadata: {name: p, namespace: ns, uid: u-1,\n"
		   "  labels: {b: \"2\", a: 'x\"y'}, annotations: {note: hi}}\n"
		   "spec:\n"
		   "  serviceAccountName: me\n"
		   "  containers:\n"
		   "  - name: c\n"
		   "%s",
		   container);
	pods_open(pods, buf_text(&text), OBJECTS);
}

/* The value of a variable, or NULL. */
static const char *value_of(const struct container_env *env, const char *name)
{
	size_t len = strlen(name);
	const char *found = NULL;

	for (size_t i = 0; i < env->n_env; i++)
		if (strncmp(env->env[i], name, len) == 0 && env->env[i][len] == '=')
			found = found ? "twice" : env->env[i] + len + 1;
	return found;
}

static void test_common(void)
{
	AUTO(pods_close) struct pods pods;
	AUTO(container_env_done) struct container_env env = {0};
	struct err err = {0};

	open_pod(&pods, "    env:\n"
			"    - {name: HOME, value: /mine}\n"
			"    - {name: P, value: '$(PATH) $(HOME)'}\n");
	ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], "/root", pods.arena,
			      &env, &err) == 0,
	   "an environment %s", err.text);
	is(value_of(&env, "PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	is(value_of(&env, "HOSTNAME"), "pod-host");
	is(value_of(&env, "HOME"), "/mine");
	is(value_of(&env, "P"), "$(PATH) /mine");
	ok(env.argc == 0 && env.argv[0] == NULL, "no command, no words");
	ok(!env.env[env.n_env], "the list ends in NULL");
}

static void test_sources(void)
{
	AUTO(pods_close) struct pods pods;
	AUTO(container_env_done) struct container_env env = {0};
	struct err err = {0};

	open_pod(&pods,
		 "    envFrom:\n"
		 "    - {configMapRef: {name: settings}}\n"
		 "    - {prefix: P_, secretRef: {name: absent, optional: true}}\n"
		 "    - {prefix: P_, configMapRef: {name: settings}}\n"
		 "    env:\n"
		 "    - {name: B, value: 'mine after $(A)'}\n"
		 "    - {name: S, valueFrom: {secretKeyRef: {name: keys, key: S}}}\n"
		 "    - {name: K, valueFrom: {configMapKeyRef: {name: settings, key: B}}}\n"
		 "    - {name: NOT, valueFrom: {configMapKeyRef: {name: settings, key: X,"
		 " optional: true}}}\n"
		 "    - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n"
		 "    - {name: LABEL, valueFrom: {fieldRef: {fieldPath: "
		 "\"metadata.labels['a']\"}}}\n"
		 "    - {name: LABELS, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}\n"
		 "    - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}\n"
		 "    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}\n"
		 "    - {name: HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}\n"
		 "    - {name: WHO, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}}\n"
		 "    command: [sh, -c, 'echo $(S) $$(S) $(UNKNOWN) $(NOT) $', '$(']\n"
		 "    args: ['$(NAME)', '$$$(NAME)']\n");
	ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL, pods.arena,
			      &env, &err) == 0,
	   "variables from everywhere %s", err.text);
	is(value_of(&env, "A"), "one");
	is(value_of(&env, "P_A"), "one");
	is(value_of(&env, "P_B"), "two $(A)");
	is(value_of(&env, "dotted.key"), "x");
	is(value_of(&env, "B"), "mine after one");
	is(value_of(&env, "S"), "secret");
	is(value_of(&env, "K"), "two $(A)");
	ok(!value_of(&env, "NOT"), "an optional key that is not there is no variable");
	is(value_of(&env, "NAME"), "p");
	is(value_of(&env, "LABEL"), "x\"y");
	is(value_of(&env, "LABELS"), "a=\"x\\\"y\"\nb=\"2\"");
	is(value_of(&env, "NODE"), "node-1");
	is(value_of(&env, "IP"), "10.88.0.5");
	is(value_of(&env, "HOST"), "192.0.2.1");
	is(value_of(&env, "WHO"), "me");
	ok(!value_of(&env, "HOME"), "no home, no HOME");
	ok(env.argc == 6, "command and args are one list");
	is(env.argv[2], "echo secret $(S) $(UNKNOWN) $(NOT) $");
	is(env.argv[3], "$(");
	is(env.argv[4], "p");
	is(env.argv[5], "$p");
}

static void test_resources(void)
{
	static const struct {
		const char *what, *want;
	} rows[] = {
		{"resource: limits.cpu", "2"},
		{"resource: limits.cpu, divisor: 1m", "1500"},
		{"resource: requests.cpu, divisor: 1m", "250"},
		{"resource: requests.memory, divisor: 1Mi", "65"},
		{"resource: limits.memory, divisor: 1Gi", "8"},
		{"resource: requests.ephemeral-storage", "0"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(pods_close) struct pods pods;
		AUTO(container_env_done) struct container_env env = {0};
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct err err = {0};

		buf_printf(&text,
			   "    resources: {limits: {cpu: 1500m}, requests: {cpu: 250m, memory: "
			   "64.5Mi}}\n"
			   "    env:\n"
			   "    - {name: V, valueFrom: {resourceFieldRef: {%s}}}\n",
			   rows[i].what);
		open_pod(&pods, buf_text(&text));
		ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL,
				      pods.arena, &env, &err) == 0,
		   "%s %s", rows[i].what, err.text);
		is(value_of(&env, "V"), rows[i].want);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *container, *error;
		enum err_code code;
	} rows[] = {
		{"    envFrom: [{configMapRef: {name: gone}}]\n", "configmap \"gone\" not found",
		 ERR_NOT_FOUND},
		{"    envFrom: [{secretRef: {name: gone}}]\n", "secret \"gone\" not found",
		 ERR_NOT_FOUND},
		{"    env: [{name: V, valueFrom: {configMapKeyRef: {name: gone, key: k}}}]\n",
		 "configmap \"gone\" not found", ERR_NOT_FOUND},
		{"    env: [{name: V, valueFrom: {configMapKeyRef: {name: settings, key: k}}}]\n",
		 "couldn't find key k in ConfigMap ns/settings", ERR_NOT_FOUND},
		{"    env: [{name: V, valueFrom: {secretKeyRef: {name: keys, key: k}}}]\n",
		 "couldn't find key k in Secret ns/keys", ERR_NOT_FOUND},
		{"    env: [{name: V, valueFrom: {secretKeyRef: {name: keys, key: Z}}}]\n",
		 "env V: the value has a zero byte in it", ERR_INVALID},
		{"    env: [{name: V, valueFrom: {fieldRef: {fieldPath: spec.hostname}}}]\n",
		 "unsupported fieldPath: spec.hostname", ERR_INVALID},
		{"    env: [{name: V, valueFrom: {fieldRef: {fieldPath: \"spec['x']\"}}}]\n",
		 "fieldPath \"spec['x']\" does not support subscript", ERR_INVALID},
		{"    env: [{name: V, valueFrom: {resourceFieldRef: {resource: limits.gpu}}}]\n",
		 "unsupported container resource : limits.gpu", ERR_INVALID},
		{"    env: [{name: V, valueFrom: {resourceFieldRef: {containerName: x, resource: "
		 "limits.cpu}}}]\n",
		 "container x not found", ERR_INVALID},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(pods_close) struct pods pods;
		AUTO(container_env_done) struct container_env env = {0};
		struct err err = {0};

		open_pod(&pods, rows[i].container);
		ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL,
				      pods.arena, &env, &err) < 0 &&
			   err.code == rows[i].code && !env.names,
		   "refused: %s", rows[i].error);
		is(err.text, rows[i].error);
	}
}

static void test_services(void)
{
	AUTO(pods_close) struct pods pods;
	AUTO(container_env_done) struct container_env env = {0};
	AUTO(container_env_done) struct container_env without = {0};
	AUTO(json_doc_unref)
	struct json_doc *doc = pods_yaml(
		"- metadata: {name: kubernetes, namespace: default}\n"
		"  spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}\n"
		"- metadata: {name: my-db, namespace: ns}\n"
		"  spec: {clusterIP: 10.96.0.9, ports: [{port: 5432}, {name: m-x, port: 53,"
		" protocol: UDP}]}\n"
		"- metadata: {name: headless, namespace: ns}\n"
		"  spec: {clusterIP: None, ports: [{port: 1}]}\n"
		"- metadata: {name: far, namespace: other}\n"
		"  spec: {clusterIP: 10.96.0.8, ports: [{port: 1}]}\n");
	struct json services[4];
	struct err err = {0};

	open_pod(&pods, "    env: [{name: MY_DB_PORT, value: 'was $(MY_DB_SERVICE_HOST)'}]\n");
	for (size_t i = 0; i < 4; i++)
		services[i] = json_at(json_doc_root(doc), i);
	pods.sandbox.services = services;
	pods.sandbox.n_services = 4;
	ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL, pods.arena,
			      &env, &err) == 0,
	   "services %s", err.text);
	is(value_of(&env, "KUBERNETES_SERVICE_HOST"), "10.96.0.1");
	is(value_of(&env, "KUBERNETES_SERVICE_PORT"), "443");
	is(value_of(&env, "KUBERNETES_SERVICE_PORT_HTTPS"), "443");
	is(value_of(&env, "KUBERNETES_PORT_443_TCP"), "tcp://10.96.0.1:443");
	is(value_of(&env, "MY_DB_SERVICE_PORT"), "5432");
	is(value_of(&env, "MY_DB_SERVICE_PORT_M_X"), "53");
	is(value_of(&env, "MY_DB_PORT"), "was 10.96.0.9");
	is(value_of(&env, "MY_DB_PORT_53_UDP_PROTO"), "udp");
	is(value_of(&env, "MY_DB_PORT_53_UDP_ADDR"), "10.96.0.9");
	ok(!value_of(&env, "HEADLESS_SERVICE_HOST"), "not one without an address");
	ok(!value_of(&env, "FAR_SERVICE_HOST"), "not those of another namespace");

	pods.pod.spec.enable_service_links = (struct opt_bool){true, false};
	pods.sandbox.api_host = STR("127.0.0.1");
	pods.sandbox.api_port = STR("6443");
	ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL, pods.arena,
			      &without, &err) == 0,
	   "enableServiceLinks: false %s", err.text);
	ok(!value_of(&without, "MY_DB_SERVICE_HOST"), "then only the API server has variables");
	is(value_of(&without, "KUBERNETES_SERVICE_HOST"), "127.0.0.1");
	is(value_of(&without, "KUBERNETES_SERVICE_PORT_HTTPS"), "6443");
	is(value_of(&without, "KUBERNETES_PORT"), "tcp://127.0.0.1:6443");
}

static void test_expand(void)
{
	AUTO(pods_close) struct pods pods;
	AUTO(container_env_done) struct container_env env = {0};
	struct err err = {0};
	struct str text;

	open_pod(&pods, "    env: [{name: A, value: a}, {name: EMPTY, value: ''}]\n");
	ok(container_env_make(&pods.sandbox, &pods.pod.spec.containers.ptr[0], NULL, pods.arena,
			      &env, &err) == 0,
	   "an environment %s", err.text);
	ok(container_env_expand(&env, STR("x/$(A)/y"), true, pods.arena, &text, &err) == 0,
	   "a path with a variable");
	is(text.ptr, "x/a/y");
	ok(container_env_expand(&env, STR("$(EMPTY)$(B)"), true, pods.arena, &text, &err) < 0,
	   "in a path every variable must have a value");
	is(err.text, "missing value for EMPTY, B");
}

static void count_reference(void *arg, enum sandbox_kind kind, struct str name, bool optional)
{
	struct buf *to = arg;

	buf_printf(to, "%d %.*s%s\n", (int)kind, STR_ARG(name), optional ? " optional" : "");
}

static void test_references(void)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	open_pod(&pods, "    envFrom: [{configMapRef: {name: a}}]\n"
			"    env: [{name: V, valueFrom: {secretKeyRef: {name: b, key: k, "
			"optional: true}}}]\n"
			"  volumes:\n"
			"  - {name: v1, configMap: {name: c}}\n"
			"  - {name: v2, persistentVolumeClaim: {claimName: d}}\n"
			"  - {name: v3, projected: {sources: [{secret: {name: e}}, {configMap: "
			"{name: f, optional: true}}]}}\n");
	sandbox_references(&pods.pod, count_reference, &text);
	is(buf_text(&text), "0 a\n1 b optional\n0 c\n2 d\n1 e\n0 f optional\n");
}

int main(void)
{
	test_common();
	test_sources();
	test_resources();
	test_errors();
	test_services();
	test_expand();
	test_references();
	return tap_done();
}
