/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/svc.c - makes the pods of a job reachable by name.
 *
 * A headless service gives each pod a name in the network; a config map, mounted at /etc/volcano and
 * offered as variables, lists these names by task; a network policy admits only pods of the job. The
 * config map follows the number of replicas as long as the job lives. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/keys.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

#define CONFIG_SUFFIX "-svc"
#define MOUNT_PATH "/etc/volcano"

struct svc_args {
	bool publish_not_ready;
	bool no_policy;
};

static struct svc_args read_args(const struct plugin_run *run)
{
	struct svc_args args = {0};
	const struct plugin_arg flags[] = {
		{"publish-not-ready-addresses", PLUGIN_ARG_SWITCH, &args.publish_not_ready},
		{"disable-network-policy", PLUGIN_ARG_SWITCH, &args.no_policy},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

/* A task's name in names of keys: "-" is "_"; in variables also upper case. */
static void put_task(struct str name, bool upper, struct buf *to)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i] == '-' ? '_' : name.ptr[i];

		buf_putc(to, upper && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
	}
}

static void put_key(struct str task, const char *what, struct buf *to)
{
	buf_clear(to);
	buf_puts(to, "VC_");
	put_task(task, true, to);
	buf_printf(to, "_%s", what);
}

static void put_hosts(const struct vcjob *job, const struct vcjob_task *task, char separator,
		      struct buf *to)
{
	int32_t count = plugin_host_count(task);

	buf_clear(to);
	for (int32_t i = 0; i < count; i++) {
		if (i > 0)
			buf_putc(to, separator);
		plugin_put_address(job, task, i, to);
	}
}

static struct json make_data(const struct vcjob *job, struct json_doc *doc)
{
	struct json data = json_new_obj(doc);
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf hosts = BUF_UNBOUNDED;

	for (size_t i = 0; i < job->spec.tasks.len; i++) {
		const struct vcjob_task *task = &job->spec.tasks.ptr[i];

		buf_clear(&key);
		put_task(task->name, false, &key);
		buf_puts(&key, ".host");
		put_hosts(job, task, '\n', &hosts);
		json_set(doc, data, buf_str(&key), json_new_str(doc, buf_str(&hosts)));
		put_key(task->name, "HOSTS", &key);
		put_hosts(job, task, ',', &hosts);
		json_set(doc, data, buf_str(&key), json_new_str(doc, buf_str(&hosts)));
		put_key(task->name, "NUM", &key);
		json_set(doc, data, buf_str(&key),
			 json_new_printf(doc, "%d", plugin_host_count(task)));
	}
	return data;
}

static void ensure_config(struct plugin_run *run)
{
	struct str name = plugin_name(run, CONFIG_SUFFIX);
	struct json found = plugin_find(run, PLAN_CONFIGMAP, name);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (run->waits)
		return;
	if (json_is_absent(found)) {
		doc = job_build_owned(run->view, PLAN_CONFIGMAP, name);
		json_set(doc, json_doc_root(doc), STR("data"), make_data(run->job, doc));
		plan_create(run->view->plan, PLAN_CONFIGMAP, TAKE(doc));
		return;
	}
	doc = json_doc_thaw(found);
	json_set(doc, json_doc_root(doc), STR("data"), make_data(run->job, doc));
	if (!json_eq(json_get(json_doc_root(doc), "data"), json_get(found, "data")))
		plan_update(run->view->plan, PLAN_CONFIGMAP, TAKE(doc));
}

static void put_selector(const struct plugin_run *run, struct json_doc *doc, struct json to)
{
	json_set_str(doc, to, KEY_JOB_NAME, run->job->meta.name);
	json_set_str(doc, to, KEY_JOB_NAMESPACE, run->job->meta.namespace);
}

static void ensure_service(struct plugin_run *run, bool publish)
{
	struct str name = plugin_name(run, "");
	struct json_doc *doc;
	struct json spec;

	if (!json_is_absent(plugin_find(run, PLAN_SERVICE, name)) || run->waits)
		return;
	doc = job_build_owned(run->view, PLAN_SERVICE, name);
	spec = json_ensure_obj(doc, json_doc_root(doc), "spec");
	json_set_str(doc, spec, "clusterIP", STR("None"));
	put_selector(run, doc, json_ensure_obj(doc, spec, "selector"));
	if (publish)
		json_set_bool(doc, spec, "publishNotReadyAddresses", true);
	plan_create(run->view->plan, PLAN_SERVICE, doc);
}

static void ensure_policy(struct plugin_run *run)
{
	struct str name = plugin_name(run, "");
	struct json_doc *doc;
	struct json spec, from;

	if (!json_is_absent(plugin_find(run, PLAN_NETWORKPOLICY, name)) || run->waits)
		return;
	doc = job_build_owned(run->view, PLAN_NETWORKPOLICY, name);
	spec = json_ensure_obj(doc, json_doc_root(doc), "spec");
	put_selector(
		run, doc,
		json_ensure_obj(doc, json_ensure_obj(doc, spec, "podSelector"), "matchLabels"));
	from = plugin_append(doc, plugin_append(doc, spec, "ingress"), "from");
	put_selector(
		run, doc,
		json_ensure_obj(doc, json_ensure_obj(doc, from, "podSelector"), "matchLabels"));
	json_append(doc, json_ensure_arr(doc, spec, "policyTypes"),
		    json_new_str(doc, STR("Ingress")));
	plan_create(run->view->plan, PLAN_NETWORKPOLICY, doc);
}

static void svc_ensure(struct plugin_run *run)
{
	struct svc_args args = read_args(run);

	ensure_config(run);
	if (!run->initial)
		return;
	ensure_service(run, args.publish_not_ready);
	if (!args.no_policy)
		ensure_policy(run);
}

static void add_variable(struct plugin_pod *pod, struct json container, struct str key,
			 struct str config)
{
	struct json row = plugin_append(pod->doc, container, "env");
	struct json from = json_ensure_obj(pod->doc, json_ensure_obj(pod->doc, row, "valueFrom"),
					   "configMapKeyRef");

	json_set_str(pod->doc, row, "name", key);
	json_set_str(pod->doc, from, "name", config);
	json_set_str(pod->doc, from, "key", key);
}

static void add_to_container(const struct plugin_run *run, struct plugin_pod *pod,
			     struct json container, struct str config)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct json mount;

	for (size_t i = 0; i < run->job->spec.tasks.len; i++) {
		put_key(run->job->spec.tasks.ptr[i].name, "HOSTS", &key);
		add_variable(pod, container, buf_str(&key), config);
		put_key(run->job->spec.tasks.ptr[i].name, "NUM", &key);
		add_variable(pod, container, buf_str(&key), config);
	}
	mount = plugin_append(pod->doc, container, "volumeMounts");
	json_set_str(pod->doc, mount, "name", config);
	json_set_str(pod->doc, mount, "mountPath", STR(MOUNT_PATH));
}

static int svc_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct str config = plugin_name(run, CONFIG_SUFFIX);
	struct plugin_walk walk = {.init = true};
	struct json volume;

	(void)err;
	if (json_str(json_get(pod->spec, "hostname")).len == 0)
		json_set_str(pod->doc, pod->spec, "hostname", pod->name);
	if (json_str(json_get(pod->spec, "subdomain")).len == 0)
		json_set_str(pod->doc, pod->spec, "subdomain", run->job->meta.name);
	while (plugin_container(pod, &walk))
		add_to_container(run, pod, walk.container, config);
	volume = plugin_append(pod->doc, pod->spec, "volumes");
	json_set_str(pod->doc, volume, "name", config);
	json_set_str(pod->doc, json_ensure_obj(pod->doc, volume, "configMap"), "name", config);
	return 0;
}

const struct plugin plugin_svc = {
	.objects = {{PLAN_CONFIGMAP, CONFIG_SUFFIX}, {PLAN_SERVICE, ""}, {PLAN_NETWORKPOLICY, ""}},
	.ensure = svc_ensure,
	.pod = svc_pod,
};
