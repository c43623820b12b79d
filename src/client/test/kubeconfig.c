/* SPDX-License-Identifier: Apache-2.0 */
#include "client/kubeconfig.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"

/* Files in memory: pairs of path and content. */
struct file {
	const char *path;
	const char *content;
};

static const struct file disk[] = {
	{"/home/marie/.kube/config",
	 "apiVersion: v1\n"
	 "kind: Config\n"
	 "preferences: {}\n"
	 "current-context: lab\n"
	 "clusters:\n"
	 "- name: lab\n"
	 "  cluster:\n"
	 "    server: https://lab.example:6443\n"
	 "    certificate-authority: pki/ca.crt\n"
	 "    tls-server-name: inner.example\n"
	 "    proxy-url: http://proxy.example:3128\n"
	 "    disable-compression: true\n"
	 "- name: open\n"
	 "  cluster: {server: 'http://127.0.0.1:8080'}\n"
	 "- name: inline\n"
	 "  cluster:\n"
	 "    server: https://inline.example\n"
	 "    certificate-authority-data: Q0EgREFUQQ==\n"
	 "- {name: nothing}\n"
	 "- name: both\n"
	 "  cluster: {server: 'https://x', certificate-authority: a, "
	 "certificate-authority-data: Q0E=}\n"
	 "- name: careless\n"
	 "  cluster: {server: 'https://x', certificate-authority-data: Q0E=, "
	 "insecure-skip-tls-verify: true}\n"
	 "- name: insecure\n"
	 "  cluster: {server: 'https://x', insecure-skip-tls-verify: true}\n"
	 "- name: lost\n"
	 "  cluster: {server: 'https://x', certificate-authority: lost.crt}\n"
	 "users:\n"
	 "- name: marie\n"
	 "  user:\n"
	 "    client-certificate: pki/marie.crt\n"
	 "    client-key: /etc/keys/marie.key\n"
	 "    as: root\n"
	 "    as-uid: '0'\n"
	 "    as-groups: [wheel, staff]\n"
	 "    as-user-extra: {scopes: [read, write], reason: [test]}\n"
	 "- name: data\n"
	 "  user: {client-certificate-data: Q0VSVA==, client-key-data: S0VZ}\n"
	 "- name: token\n"
	 "  user: {token: secret, tokenFile: gone}\n"
	 "- name: file\n"
	 "  user: {tokenFile: ../token}\n"
	 "- name: basic\n"
	 "  user: {username: u, password: p}\n"
	 "- name: exec\n"
	 "  user:\n"
	 "    exec:\n"
	 "      apiVersion: client.authentication.k8s.io/v1\n"
	 "      command: ./bin/login\n"
	 "      args: [--cluster, lab]\n"
	 "      env:\n"
	 "      - {name: REGION, value: north}\n"
	 "      - {name: EMPTY}\n"
	 "      installHint: install it\n"
	 "      interactiveMode: Never\n"
	 "      provideClusterInfo: true\n"
	 "- name: beta\n"
	 "  user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login}}\n"
	 "- name: two-certs\n"
	 "  user: {client-certificate: a, client-certificate-data: QQ==, client-key: b}\n"
	 "- name: two-keys\n"
	 "  user: {client-certificate: a, client-key: b, client-key-data: QQ==}\n"
	 "- name: no-key\n"
	 "  user: {client-certificate-data: QQ==}\n"
	 "- name: mixed\n"
	 "  user: {token: t, username: u}\n"
	 "- name: provider\n"
	 "  user: {auth-provider: {name: gcp}}\n"
	 "- name: no-command\n"
	 "  user: {exec: {apiVersion: v1}}\n"
	 "- name: no-version\n"
	 "  user: {exec: {command: login}}\n"
	 "- name: no-mode\n"
	 "  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: login}}\n"
	 "- name: no-user\n"
	 "  user: {as-groups: [wheel]}\n"
	 "- name: no-cert-file\n"
	 "  user: {client-certificate: none.crt, client-key: /etc/keys/marie.key}\n"
	 "- name: no-token-file\n"
	 "  user: {tokenFile: none}\n"
	 "contexts:\n"
	 "- name: lab\n"
	 "  context: {cluster: lab, user: marie, namespace: physics}\n"
	 "- name: anonymous\n"
	 "  context: {cluster: open}\n"
	 "- name: no-cluster\n"
	 "  context: {cluster: gone, user: marie}\n"
	 "- name: no-user\n"
	 "  context: {cluster: lab, user: gone}\n"
	 "- name: hollow\n"},
	{"/home/marie/.kube/pki/ca.crt", "CA FILE"},
	{"/home/marie/.kube/pki/marie.crt", "MARIE CERT"},
	{"/etc/keys/marie.key", "MARIE KEY"},
	{"/home/marie/.kube/../token", " file-token\n"},
	/* a second file: what the first has set stays */
	{"/etc/second", "current-context: second\n"
			"clusters:\n"
			"- {name: open, cluster: {server: 'http://other', proxy-url: 'http://p'}}\n"
			"- {name: second, cluster: {server: 'http://second'}}\n"
			"contexts:\n"
			"- {name: second, context: {cluster: second, user: token}}\n"},
	{"/etc/empty", ""},
	{"relative", "clusters: [{name: r, cluster: {server: 'https://r', certificate-authority: "
		     "ca.crt}}]\ncontexts: [{name: r, context: {cluster: r}}]\ncurrent-context: "
		     "r\n"},
	{"ca.crt", "RELATIVE CA"},
	{"/pod/token", "pod-token\n"},
	{"/pod/ca.crt", "POD CA"},
	{"/pod/namespace", "batch"},
	{"/bare/token", "bare-token"},
	{"/bare/ca.crt", "BARE CA"},
	{"/half/token", "half-token"},
};

static int read_disk(void *arg, const char *path, struct buf *to, struct err *err)
{
	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(disk); i++)
		if (strcmp(disk[i].path, path) == 0)
			return buf_add(to, disk[i].content, strlen(disk[i].content), err);
	if (strcmp(path, "/forbidden") == 0)
		return err_set(err, ERR_FORBIDDEN, "%s: Permission denied", path);
	return err_set(err, ERR_NOT_FOUND, "%s: No such file or directory", path);
}

static const struct kubeconfig_files files = {.read = read_disk};
static const char marie[] = "/home/marie/.kube/config";

static void test_lab(const struct kubeconfig *config)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	struct err err = {0};

	is(kubeconfig_current(config), "lab");
	if (!ok(kubeconfig_select(config, &(struct kubeconfig_choice){0}, &a, &err) == 0,
		"the current context is chosen %s", err.text))
		return;
	is(a.server, "https://lab.example:6443");
	is(a.namespace, "physics");
	is(a.tls_server_name, "inner.example");
	is(a.proxy_url, "http://proxy.example:3128");
	ok(a.disable_compression && !a.insecure, "flags");
	is(a.ca, "CA FILE");
	is(a.ca_file, "/home/marie/.kube/pki/ca.crt");
	is(a.client_cert, "MARIE CERT");
	is(a.client_cert_file, "/home/marie/.kube/pki/marie.crt");
	is(a.client_key, "MARIE KEY");
	is(a.client_key_file, "/etc/keys/marie.key");
	is(a.token, "");
	is(a.as, "root");
	is(a.as_uid, "0");
	ok(a.as_groups.len == 2 && !a.as_groups.ptr[2], "two groups, and a NULL after them");
	is(a.as_groups.ptr[1], "staff");
	ok(a.as_extra_len == 2 && a.as_extra[0].values.len == 2, "extra fields");
	is(a.as_extra[0].key, "scopes");
	is(a.as_extra[0].values.ptr[1], "write");
	ok(!a.exec, "no program");
}

static void test_users(const struct kubeconfig *config)
{
	static const struct {
		const char *user, *cert, *key, *token, *token_file, *username;
	} rows[] = {
		{"data", "CERT", "KEY", "", "", ""},
		{"token", "", "", "secret", "/home/marie/.kube/gone", ""},
		{"file", "", "", "file-token", "/home/marie/.kube/../token", ""},
		{"basic", "", "", "", "", "u"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
		struct err err = {0};

		if (!ok(kubeconfig_select(config,
					  &(struct kubeconfig_choice){.context = "lab",
								      .user = rows[i].user,
								      .cluster = "inline"},
					  &a, &err) == 0,
			"user %s %s", rows[i].user, err.text))
			continue;
		is(a.ca, "CA DATA");
		is(a.client_cert, rows[i].cert);
		is(a.client_key, rows[i].key);
		is(a.token, rows[i].token);
		is(a.token_file, rows[i].token_file);
		is(a.username, rows[i].username);
	}
}

static void test_exec(const struct kubeconfig *config)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	AUTO(kubeconfig_access_done) struct kubeconfig_access beta = {0};
	struct err err = {0};

	if (!ok(kubeconfig_select(config, &(struct kubeconfig_choice){.user = "exec"}, &a, &err) ==
				0 &&
			a.exec,
		"a program gives the credentials %s", err.text))
		return;
	is(a.exec->command, "/home/marie/.kube/./bin/login");
	is(a.exec->api_version, "client.authentication.k8s.io/v1");
	is(a.exec->interactive_mode, "Never");
	is(a.exec->install_hint, "install it");
	ok(a.exec->provide_cluster_info && a.exec->args.len == 2 && a.exec->env.len == 2,
	   "it has two arguments and two variables");
	is(a.exec->args.ptr[1], "lab");
	is(a.exec->env.ptr[0], "REGION=north");
	is(a.exec->env.ptr[1], "EMPTY=");
	ok(kubeconfig_select(config, &(struct kubeconfig_choice){.user = "beta"}, &beta, &err) == 0,
	   "v1beta1 needs no interactiveMode %s", err.text);
	is(beta.exec->command, "login");
}

static void test_choices(const struct kubeconfig *config)
{
	static const struct {
		struct kubeconfig_choice choice;
		const char *wrong;
	} rows[] = {
		{{.context = "gone"}, "context \"gone\" does not exist"},
		{{.context = "no-cluster"},
		 "/home/marie/.kube/config: contexts[2].context.cluster: there is no cluster "
		 "\"gone\""},
		{{.context = "no-user"},
		 "/home/marie/.kube/config: contexts[3].context.user: there is no user \"gone\""},
		{{.context = "hollow"},
		 "/home/marie/.kube/config: contexts[4].context.cluster: there is no cluster \"\""},
		{{.cluster = "nothing"},
		 "/home/marie/.kube/config: clusters[3].cluster: server: must be set"},
		{{.cluster = "both"}, "certificate-authority: must not be set together"},
		{{.cluster = "careless"}, "insecure-skip-tls-verify: must not be set together"},
		{{.cluster = "lost"},
		 "/home/marie/.kube/config: clusters[7].cluster: certificate-authority: "
		 "/home/marie/.kube/lost.crt: No such file"},
		{{.user = "two-certs"}, "client-certificate: must not be set together"},
		{{.user = "two-keys"}, "client-key: must not be set together"},
		{{.user = "no-key"}, "client-key: must be set together"},
		{{.user = "mixed"}, "token: must not be set together"},
		{{.user = "provider"}, "auth-provider: is not supported"},
		{{.user = "no-command"}, "exec.command: must be set"},
		{{.user = "no-version"}, "exec.apiVersion: must be set"},
		{{.user = "no-mode"}, "exec.interactiveMode: must be"},
		{{.user = "no-user"}, "as: must be set to impersonate"},
		{{.user = "no-cert-file"},
		 "client-certificate: /home/marie/.kube/none.crt: No such"},
		{{.user = "no-token-file"}, "tokenFile: /home/marie/.kube/none: No such"},
	};
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kubeconfig_access none = {0};

		ok(kubeconfig_select(config, &rows[i].choice, &none, &err) < 0 &&
			   err.code == ERR_INVALID && strstr(err.text, rows[i].wrong) &&
			   !none.memory,
		   "%s", err.text);
	}
	ok(kubeconfig_select(config,
			     &(struct kubeconfig_choice){.context = "anonymous", .namespace = "x"},
			     &a, &err) == 0,
	   "a context needs no user %s", err.text);
	is(a.namespace, "x");
	kubeconfig_access_done(&a);
	ok(kubeconfig_select(config, &(struct kubeconfig_choice){.context = "anonymous"}, &a,
			     &err) == 0,
	   "nor a namespace");
	is(a.namespace, "default");
	kubeconfig_access_done(&a);
	ok(kubeconfig_select(config,
			     &(struct kubeconfig_choice){.cluster = "insecure", .user = "token"},
			     &a, &err) == 0 &&
		   a.insecure,
	   "insecure if asked to be");
}

static void test_merge(void)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(&files);
	AUTO(kubeconfig_free) struct kubeconfig *none = kubeconfig_new(&files);
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	AUTO(kubeconfig_access_done) struct kubeconfig_access b = {0};
	struct err err = {0};

	ok(kubeconfig_load_list(config,
				"/gone::/etc/empty:/home/marie/.kube/config:/etc/second:"
				"/etc/second",
				&err) == 0,
	   "a list with files that are not there, are empty, or stand twice %s", err.text);
	is(kubeconfig_current(config), "lab");
	ok(kubeconfig_select(config, &(struct kubeconfig_choice){.context = "anonymous"}, &a,
			     &err) == 0,
	   "a cluster that both have %s", err.text);
	is(a.server, "http://127.0.0.1:8080");
	is(a.proxy_url, "");
	ok(kubeconfig_select(config, &(struct kubeconfig_choice){.context = "second"}, &b, &err) ==
		   0,
	   "a context of the second with a user of the first %s", err.text);
	is(b.server, "http://second");
	is(b.token, "secret");
	ok(kubeconfig_load_list(config, "/forbidden", &err) < 0 && err.code == ERR_FORBIDDEN,
	   "a file that may not be read is an error: %s", err.text);
	ok(kubeconfig_load(config, "/gone", &err) < 0 && err.code == ERR_NOT_FOUND,
	   "so is a single one that is not there: %s", err.text);
	ok(kubeconfig_load_list(none, NULL, &err) == 0 && kubeconfig_load_list(none, "", &err) == 0,
	   "no list at all");
	ok(kubeconfig_select(none, &(struct kubeconfig_choice){0}, &a, &err) < 0 &&
		   err.code == ERR_NOT_FOUND,
	   "gives no context: %s", err.text);
}

static void test_relative(void)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(&files);
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	struct err err = {0};

	ok(kubeconfig_load(config, "relative", &err) == 0 &&
		   kubeconfig_select(config, &(struct kubeconfig_choice){0}, &a, &err) == 0,
	   "a file in this folder %s", err.text);
	is(a.ca, "RELATIVE CA");
}

static void test_wrong_files(void)
{
	static const struct file rows[] = {
		{"a: b: c", "f: line 1, column 5"},
		{"[]", "f: the file: must be of type object, not array"},
		{"apiVersion: v2", "f: apiVersion: must be v1"},
		{"kind: List", "f: kind: must be Config"},
		{"current-context: 7", "f: current-context: must be of type string"},
		{"clusters: {}", "f: clusters: must be of type array, not object"},
		{"clusters: [7]", "f: clusters[0]: must be of type object"},
		{"clusters: [{}]", "f: clusters[0].name: must be of type string, not absent"},
		{"clusters: [{name: a}, {name: a}]", "f: clusters[1].name: \"a\" is used twice"},
		{"clusters: [{name: a, cluster: x}]", "f: clusters[0].cluster: must be of type"},
		{"clusters: [{name: a, cluster: {server: [x]}}]",
		 "f: clusters[0].cluster.server: "},
		{"clusters: [{name: a, cluster: {insecure-skip-tls-verify: 'yes'}}]",
		 "f: clusters[0].cluster.insecure-skip-tls-verify: must be of type bool"},
		{"users: [{name: a, user: {token: 5}}]",
		 "f: users[0].user.token: must be of type string, not "},
		{"users: [{name: a, user: {token: \"a\\0b\"}}]",
		 "f: users[0].user.token: must not contain NUL"},
		{"users: [{name: a, user: {client-key-data: '?'}}]",
		 "f: users[0].user.client-key-data: illegal base64 data at input byte 0"},
		{"users: [{name: a, user: {client-key-data: AAAA}}]",
		 "f: users[0].user.client-key-data: must be the base64 of a PEM text"},
		{"users: [{name: a, user: {client-key-data: {}}}]",
		 "f: users[0].user.client-key-data: must be of type string"},
		{"users: [{name: a, user: {tokenFile: {}}}]", "f: users[0].user.tokenFile: "},
		{"users: [{name: a, user: {as-groups: [a, 7]}}]",
		 "f: users[0].user.as-groups[1]: must be of type string"},
		{"users: [{name: a, user: {as-groups: b}}]",
		 "f: users[0].user.as-groups: must be of type array"},
		{"users: [{name: a, user: {as-user-extra: []}}]",
		 "f: users[0].user.as-user-extra: must be of type object"},
		{"users: [{name: a, user: {as-user-extra: {k: v}}}]",
		 "f: users[0].user.as-user-extra.k: must be of type array"},
		{"users: [{name: a, user: {exec: x}}]", "f: users[0].user.exec: must be of type"},
		{"users: [{name: a, user: {exec: {env: {}}}}]", "f: users[0].user.exec.env: must"},
		{"users: [{name: a, user: {exec: {env: [{value: x}]}}}]",
		 "f: users[0].user.exec.env[0].name: must be of type string"},
		{"users: [{name: a, user: {exec: {env: [{name: x, value: 7}]}}}]",
		 "f: users[0].user.exec.env[0].value: must be of type string"},
		{"users: [{name: a, user: {exec: {env: [{name: x=y}]}}}]",
		 "f: users[0].user.exec.env[0].name: \"x=y\" is not the name"},
		{"users: [{name: a, user: {auth-provider: x}}]",
		 "f: users[0].user.auth-provider: must be of type object"},
		{"contexts: [{name: a, context: {namespace: 1}}]",
		 "f: contexts[0].context.namespace: must be of type string"},
		{"{}\n---\n{}\n", "f: "},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(&files);
		struct err err = {0};

		ok(kubeconfig_add(config, str_from(rows[i].path), "f", &err) < 0 &&
			   str_starts(str_from(err.text), str_from(rows[i].content)),
		   "%s", err.text);
	}
}

static void test_server(void)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};

	kubeconfig_for_server("http://127.0.0.1:8001", &a);
	is(a.server, "http://127.0.0.1:8001");
	is(a.namespace, "default");
	ok(!a.token[0] && !a.ca[0] && !a.client_cert[0] && !a.as[0] && !a.exec,
	   "nobody is named, and nothing is missing");
}

static void test_pod(void)
{
	struct kubeconfig_pod pod = {
		.host = "10.0.0.1", .port = "443", .folder = "/pod", .files = files};
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	AUTO(kubeconfig_access_done) struct kubeconfig_access bare = {0};
	struct kubeconfig_access none = {0};
	struct err err = {0};

	ok(kubeconfig_in_pod(&pod, &a, &err) == 0, "in a pod %s", err.text);
	is(a.server, "https://10.0.0.1:443");
	is(a.token, "pod-token");
	is(a.token_file, "/pod/token");
	is(a.ca, "POD CA");
	is(a.ca_file, "/pod/ca.crt");
	is(a.namespace, "batch");
	pod.host = "fd00::1";
	pod.folder = "/bare";
	ok(kubeconfig_in_pod(&pod, &bare, &err) == 0, "in one without namespace %s", err.text);
	is(bare.server, "https://[fd00::1]:443");
	is(bare.namespace, "default");
	pod.folder = "/half";
	ok(kubeconfig_in_pod(&pod, &none, &err) < 0 &&
		   strstr(err.text, "service account: /half/ca"),
	   "without a CA there is none: %s", err.text);
	pod.folder = NULL;
	ok(kubeconfig_in_pod(&pod, &none, &err) < 0 && strstr(err.text, KUBECONFIG_POD_FOLDER),
	   "the usual folder: %s", err.text);
	pod.host = "";
	ok(kubeconfig_in_pod(&pod, &none, &err) < 0 && err.code == ERR_NOT_FOUND, "%s", err.text);
}

static void test_print(void)
{
	static const struct kubeconfig_access give = {
		.server = "https://127.0.0.1:6443",
		.namespace = "default",
		.ca = "CA\nTEXT\n",
		.client_cert = "CERT\n",
		.client_key = "KEY\n",
		.token = "yes", /* must come back as a text */
	};
	AUTO(buf_done) struct buf text = BUF_INIT(10000);
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(&files);
	AUTO(kubeconfig_access_done) struct kubeconfig_access a = {0};
	struct err err = {0};

	kubeconfig_print(&give, "volcano", &text);
	ok(kubeconfig_add(config, buf_str(&text), "printed", &err) == 0 &&
		   kubeconfig_select(config, &(struct kubeconfig_choice){0}, &a, &err) == 0,
	   "what is printed is read %s", err.text);
	is(kubeconfig_current(config), "volcano");
	is(a.server, give.server);
	is(a.namespace, give.namespace);
	is(a.ca, give.ca);
	is(a.client_cert, give.client_cert);
	is(a.client_key, give.client_key);
	is(a.token, give.token);
	ok(!a.insecure, "and no more");
	buf_clear(&text);
	kubeconfig_print(&(struct kubeconfig_access){.server = "https://x", .insecure = true}, "x",
			 &text);
	ok(strstr(buf_text(&text), "insecure-skip-tls-verify: true") &&
		   !strstr(buf_text(&text), "data"),
	   "little is printed as little");
}

static void test_real_disk(void)
{
	char folder[] = "/tmp/test-kubeconfig.XXXXXX";
	AUTO(mem_free) char *path = NULL;
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	struct err err = {0};

	ok(mkdtemp(folder) != NULL, "a folder");
	path = mem_printf("%s/config", folder);
	ok(fd_write_file(path, disk[0].content, strlen(disk[0].content), 0600, &err) == 0 &&
		   kubeconfig_load(config, path, &err) == 0,
	   "files come from the disk by default %s", err.text);
	is(kubeconfig_current(config), "lab");
	(void)unlink(path);
	(void)rmdir(folder);
}

int main(void)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(&files);
	struct err err = {0};

	ok(kubeconfig_load(config, marie, &err) == 0, "a file is read %s", err.text);
	test_lab(config);
	test_users(config);
	test_exec(config);
	test_choices(config);
	test_merge();
	test_relative();
	test_wrong_files();
	test_server();
	test_pod();
	test_print();
	test_real_disk();
	kubeconfig_free(NULL);
	kubeconfig_access_done(&(struct kubeconfig_access){0});
	ok(true, "freeing nothing is fine");
	return tap_done();
}
