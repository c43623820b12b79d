/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/hosts.c - names as files. */
#include "node/pod/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "model/core/meta.h"

#include "base/banned.h"

#define DOMAIN "cluster.local"
enum { NAME_MAX_LEN = 63, FILE_MAX = 64 * 1024 * 1024 };

struct str hosts_name(const struct pod *pod)
{
	struct str name = pod->spec.hostname.len ? pod->spec.hostname : pod->meta.name;

	name = str_slice(name, 0, NAME_MAX_LEN);
	while (name.len && (name.ptr[name.len - 1] == '-' || name.ptr[name.len - 1] == '.'))
		name.len--;
	return name;
}

#define SERVICES ".svc." DOMAIN

/* --- /etc/hosts --- */

/* Adds `name`, `name.NS`, `name.NS.svc`, `name.NS.svc.cluster.local` after an address. */
static void put_names(struct buf *to, struct str address, struct str host, struct str of,
		      struct str namespace)
{
	static const char *const ends[] = {"", ".svc", SERVICES};
	const char *dot = host.len ? "." : "";

	buf_printf(to, "%.*s\t%.*s%s%.*s", STR_ARG(address), STR_ARG(host), dot, STR_ARG(of));
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		buf_printf(to, "\t%.*s%s%.*s.%.*s%s", STR_ARG(host), dot, STR_ARG(of),
			   STR_ARG(namespace), ends[i]);
	buf_putc(to, '\n');
}

/* Empty if the pod has ended. */
static struct str address_of(const struct hosts_pod *pod)
{
	struct str phase = json_str(json_get(json_get(pod->doc, "status"), "phase"));

	if (str_is(phase, "Succeeded") || str_is(phase, "Failed"))
		return str_none();
	return pod->address;
}

static void put_peers(struct buf *to, const struct pod *self, const struct hosts_world *world)
{
	for (size_t i = 0; i < world->n_pods; i++) {
		struct json spec = json_get(world->pods[i].doc, "spec");
		struct json meta = json_get(world->pods[i].doc, "metadata");
		struct str host = json_str(json_get(spec, "hostname"));
		struct str of = json_str(json_get(spec, "subdomain"));
		struct str address = address_of(&world->pods[i]);

		if (host.len && of.len && address.len &&
		    str_eq(json_str(json_get(meta, "namespace")), self->meta.namespace) &&
		    !str_eq(json_str(json_get(meta, "uid")), self->meta.uid))
			put_names(to, address, host, of, self->meta.namespace);
	}
}

static bool is_selected(struct json selector, struct json pod)
{
	struct json labels = json_get(json_get(pod, "metadata"), "labels");
	struct json_iter it = json_iter(selector);

	while (json_next(&it))
		if (!str_eq(json_str(it.value), json_str(json_get_str(labels, it.key))))
			return false;
	return true;
}

/* The name of a service leads to the pods that it selects: nothing answers at a cluster IP. */
static void put_services(struct buf *to, const struct pod *self, const struct hosts_world *world)
{
	for (size_t i = 0; i < world->n_services; i++) {
		struct json meta = json_get(world->services[i], "metadata");
		struct json spec = json_get(world->services[i], "spec");
		struct json selector = json_get(spec, "selector");
		bool all = json_bool(json_get(spec, "publishNotReadyAddresses"));

		if (json_len(selector) == 0 ||
		    !str_eq(json_str(json_get(meta, "namespace")), self->meta.namespace))
			continue;
		for (size_t k = 0; k < world->n_pods; k++) {
			struct json pod = world->pods[k].doc;
			struct str address = address_of(&world->pods[k]);

			if (address.len && is_selected(selector, pod) &&
			    str_eq(json_str(json_get(json_get(pod, "metadata"), "namespace")),
				   self->meta.namespace) &&
			    (all || meta_has_condition(pod, "Ready")))
				put_names(to, address, str_none(), json_str(json_get(meta, "name")),
					  self->meta.namespace);
		}
	}
}

static void put_self(struct buf *to, const struct pod *pod, struct str address)
{
	struct str host = hosts_name(pod);

	if (!address.len)
		return;
	buf_printf(to, "%.*s", STR_ARG(address));
	if (pod->spec.subdomain.len)
		buf_printf(
			to,
			"\t%.*s.%.*s.%.*s.svc." DOMAIN "\t%.*s.%.*s\t%.*s.%.*s.%.*s"
			"\t%.*s.%.*s.%.*s.svc",
			STR_ARG(host), STR_ARG(pod->spec.subdomain), STR_ARG(pod->meta.namespace),
			STR_ARG(host), STR_ARG(pod->spec.subdomain), STR_ARG(host),
			STR_ARG(pod->spec.subdomain), STR_ARG(pod->meta.namespace), STR_ARG(host),
			STR_ARG(pod->spec.subdomain), STR_ARG(pod->meta.namespace));
	buf_printf(to, "\t%.*s\n", STR_ARG(host));
}

static void put_aliases(struct buf *to, const struct pod *pod)
{
	if (pod->spec.host_aliases.len)
		buf_puts(to, "\n# Entries added by HostAliases.\n");
	for (size_t i = 0; i < pod->spec.host_aliases.len; i++) {
		const struct host_alias *alias = &pod->spec.host_aliases.ptr[i];

		buf_put_str(to, alias->ip);
		for (size_t k = 0; k < alias->hostnames.len; k++)
			buf_printf(to, "\t%.*s", STR_ARG(alias->hostnames.ptr[k]));
		buf_putc(to, '\n');
	}
}

void hosts_print(const struct pod *pod, struct str address, const struct hosts_world *world,
		 struct str machine, struct buf *to)
{
	if (pod->spec.host_network) {
		buf_puts(to, "# Kubernetes-managed hosts file (host network).\n");
		buf_put_str(to, machine);
		if (machine.len && machine.ptr[machine.len - 1] != '\n')
			buf_putc(to, '\n');
	} else {
		buf_puts(to, "# Kubernetes-managed hosts file.\n"
			     "127.0.0.1\tlocalhost\n"
			     "::1\tlocalhost ip6-localhost ip6-loopback\n"
			     "fe00::0\tip6-localnet\n"
			     "fe00::0\tip6-mcastprefix\n"
			     "fe00::1\tip6-allnodes\n"
			     "fe00::2\tip6-allrouters\n");
		put_self(to, pod, address);
	}
	put_peers(to, pod, world);
	put_services(to, pod, world);
	if (world->api)
		buf_printf(to,
			   "%s\tkubernetes.default.svc\tkubernetes.default.svc"
			   "." DOMAIN "\tkubernetes.default\n",
			   world->api);
	put_aliases(to, pod);
}

/* --- /etc/resolv.conf --- */

struct resolv {
	struct buf servers, searches, options;
};

static void add_word(struct buf *to, struct str word)
{
	if (word.len)
		buf_printf(to, "%s%.*s", to->len ? " " : "", STR_ARG(word));
}

static void read_machine(struct resolv *resolv, struct str machine)
{
	struct str line;

	while (str_split(&machine, '\n', &line)) {
		struct str key, word;
		struct buf *to = NULL;

		line = str_trim(line);
		if (!str_split(&line, ' ', &key))
			continue;
		if (str_is(key, "nameserver"))
			to = &resolv->servers;
		else if (str_is(key, "search") || str_is(key, "domain"))
			to = &resolv->searches;
		else if (str_is(key, "options"))
			to = &resolv->options;
		while (to && str_split(&line, ' ', &word))
			add_word(to, str_trim(word));
	}
}

static void add_config(struct resolv *resolv, const struct dns_config *config)
{
	for (size_t i = 0; i < config->nameservers.len; i++)
		add_word(&resolv->servers, config->nameservers.ptr[i]);
	for (size_t i = 0; i < config->searches.len; i++)
		add_word(&resolv->searches, config->searches.ptr[i]);
	for (size_t i = 0; i < config->options.len; i++) {
		add_word(&resolv->options, config->options.ptr[i].name);
		if (config->options.ptr[i].value)
			buf_printf(&resolv->options, ":%.*s",
				   STR_ARG(*config->options.ptr[i].value));
	}
}

void hosts_print_resolv(const struct pod *pod, struct str machine, struct buf *to)
{
	struct resolv resolv = {BUF_UNBOUNDED, BUF_UNBOUNDED, BUF_UNBOUNDED};
	struct str policy = pod->spec.dns_policy;
	struct str rest, word;

	if (!str_is(policy, "None"))
		read_machine(&resolv, machine);
	if (pod->spec.dns_config)
		add_config(&resolv, pod->spec.dns_config);
	if (resolv.searches.len)
		buf_printf(to, "search %s\n", buf_text(&resolv.searches));
	rest = buf_str(&resolv.servers);
	while (rest.len && str_split(&rest, ' ', &word))
		buf_printf(to, "nameserver %.*s\n", STR_ARG(word));
	if (resolv.options.len)
		buf_printf(to, "options %s\n", buf_text(&resolv.options));
	buf_done(&resolv.servers);
	buf_done(&resolv.searches);
	buf_done(&resolv.options);
}

/* --- the file --- */

/* Writes before it truncates: a reader sees whole lines of either text. */
static int overwrite(int fd, struct str text)
{
	size_t at = 0;

	while (at < text.len) {
		ssize_t done = pwrite(fd, text.ptr + at, text.len - at, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		at += (size_t)done;
	}
	return ftruncate(fd, (off_t)text.len);
}

int hosts_write(const char *path, struct str text, bool *ret_changed, struct err *err)
{
	AUTO(buf_done) struct buf old = BUF_INIT(FILE_MAX);
	AUTO(fd_close) int fd = -1;
	bool same = access(path, F_OK) == 0 && fd_read_file(path, &old, NULL) == 0 &&
		    str_eq(buf_str(&old), text);

	if (!same) {
		fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd < 0 || fchmod(fd, 0644) < 0 || overwrite(fd, text) < 0)
			return err_errno(err, errno, "%s", path);
	}
	if (ret_changed)
		*ret_changed = !same;
	return 0;
}
