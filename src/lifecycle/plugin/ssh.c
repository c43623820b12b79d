/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/ssh.c - allows the pods of a job to log in to each other.
 *
 * One key pair per job, in a secret that every container has under ~/.ssh, with a config that lists
 * the hosts. The pair is an input (struct job_world), because making one needs random numbers. It is
 * made once: if the secret exists, only a config that differs is replaced. */
#include "base/base64.h"
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

#define SECRET_SUFFIX "-ssh"
#define DEFAULT_PATH "/root/.ssh"
#define FOLDER ".ssh"

enum {
	DEFAULT_PORT = 22,
	MODE_OWNER = 0600,
	MODE_ALL = 0644, /* for users other than root */
};

struct ssh_args {
	struct str path;
	struct str private_key;
	struct str public_key;
	int64_t port;
};

static struct ssh_args read_args(const struct plugin_run *run)
{
	struct ssh_args args = {.path = STR(DEFAULT_PATH), .port = DEFAULT_PORT};
	const struct plugin_arg flags[] = {
		{"ssh-key-file-path", PLUGIN_ARG_TEXT, &args.path},
		{"ssh-private-key", PLUGIN_ARG_TEXT, &args.private_key},
		{"ssh-public-key", PLUGIN_ARG_TEXT, &args.public_key},
		{"ssh-port", PLUGIN_ARG_NUMBER, &args.port},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	if (args.port < 1 || args.port > UINT16_MAX)
		args.port = DEFAULT_PORT;
	return args;
}

static void put_config(const struct vcjob *job, int64_t port, struct buf *to)
{
	buf_puts(to, "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n");
	for (size_t i = 0; i < job->spec.tasks.len; i++) {
		const struct vcjob_task *task = &job->spec.tasks.ptr[i];

		for (int32_t k = 0; k < plugin_host_count(task); k++) {
			buf_puts(to, "Host ");
			plugin_put_host(job, task, k, to);
			buf_puts(to, "\n  HostName ");
			plugin_put_address(job, task, k, to);
			buf_printf(to, "\n  Port %lld\n", (long long)port);
		}
	}
}

static void set_data(struct json_doc *doc, struct json data, const char *key, struct str value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	base64_print(&text, value.ptr, value.len);
	json_set_str(doc, data, key, buf_str(&text));
}

static void create_secret(struct plugin_run *run, const struct ssh_args *args, struct str config)
{
	const struct job_ssh_key *key = run->view->world->ssh_key;
	bool given = args->private_key.len > 0;
	struct str private, public;
	struct json_doc *doc;
	struct json data;

	if (!given && !key) {
		run->view->outcome->wants_ssh_key = true;
		run->waits = true;
		return;
	}
	private = given ? args->private_key : key->private_pem;
	public = given ? args->public_key : key->public_line;
	doc = job_build_owned(run->view, PLAN_SECRET, plugin_name(run, SECRET_SUFFIX));
	data = json_ensure_obj(doc, json_doc_root(doc), "data");
	set_data(doc, data, "id_rsa", private);
	set_data(doc, data, "id_rsa.pub", public);
	set_data(doc, data, "authorized_keys", public);
	set_data(doc, data, "config", config);
	plan_create(run->view->plan, PLAN_SECRET, doc);
}

static void ssh_ensure(struct plugin_run *run)
{
	struct ssh_args args = read_args(run);
	AUTO(buf_done) struct buf config = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json found;

	if (!run->initial)
		return;
	found = plugin_find(run, PLAN_SECRET, plugin_name(run, SECRET_SUFFIX));
	if (run->waits)
		return;
	put_config(run->job, args.port, &config);
	if (json_is_absent(found)) {
		create_secret(run, &args, buf_str(&config));
		return;
	}
	doc = json_doc_thaw(found);
	set_data(doc, json_ensure_obj(doc, json_doc_root(doc), "data"), "config", buf_str(&config));
	if (!json_eq(json_get(json_doc_root(doc), "data"), json_get(found, "data")))
		plan_update(run->view->plan, PLAN_SECRET, TAKE(doc));
}

static void add_item(struct plugin_pod *pod, struct json secret, const char *key)
{
	struct json row = plugin_append(pod->doc, secret, "items");

	json_set_str(pod->doc, row, "key", str_from(key));
	json_set(pod->doc, row, STR("path"), json_new_printf(pod->doc, FOLDER "/%s", key));
}

static int ssh_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct ssh_args args = read_args(run);
	struct str name = plugin_name(run, SECRET_SUFFIX);
	bool usual = str_is(args.path, DEFAULT_PATH);
	struct plugin_walk walk = {.init = true};
	struct json volume = plugin_append(pod->doc, pod->spec, "volumes");
	struct json secret = json_ensure_obj(pod->doc, volume, "secret");

	(void)err;
	json_set_str(pod->doc, volume, "name", name);
	json_set_str(pod->doc, secret, "secretName", name);
	add_item(pod, secret, "id_rsa");
	add_item(pod, secret, "id_rsa.pub");
	add_item(pod, secret, "authorized_keys");
	add_item(pod, secret, "config");
	json_set_int(pod->doc, secret, "defaultMode", usual ? MODE_OWNER : MODE_ALL);
	while (plugin_container(pod, &walk)) {
		struct json mount = plugin_append(pod->doc, walk.container, "volumeMounts");

		json_set_str(pod->doc, mount, "name", name);
		json_set_str(pod->doc, mount, "mountPath", args.path);
		json_set_str(pod->doc, mount, "subPath", STR(FOLDER));
	}
	return 0;
}

const struct plugin plugin_ssh = {
	.objects = {{PLAN_SECRET, SECRET_SUFFIX}},
	.ensure = ssh_ensure,
	.pod = ssh_pod,
};
