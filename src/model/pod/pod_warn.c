/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_warn.c - warnings about pods, in the order and the words of kube-apiserver 1.34. */
#include "model/pod/pod_warn.h"

#include <stdarg.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"

#include "base/banned.h"

#define SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"

/* Each port and each file is compared with every other one, up to this number: a request may have
 * thousands, and a warning is only a hint. */
enum { COMPARED_MAX = 256 };

/* A port of a container that was seen. */
struct port {
	struct json port;
	char *path; /* printed */
};

struct warner {
	struct warn_to to;
	struct json annotations;
	const struct path *meta; /* the path of the annotations */
	VEC(struct port) ports;
};

static void warn_nodes(const struct warner *w, struct json spec, const struct path *path)
{
	struct json node = json_get(json_get(spec, "affinity"), "nodeAffinity");
	struct json_iter it = json_iter(json_get(spec, "nodeSelector"));
	PATH(selector, path, "nodeSelector");
	PATH(affinity, path, "affinity");
	PATH(node_path, &affinity, "nodeAffinity");
	PATH(required, &node_path, "requiredDuringSchedulingIgnoredDuringExecution");
	PATH(terms, &required, "nodeSelectorTerms");
	PATH(preferred, &node_path, "preferredDuringSchedulingIgnoredDuringExecution");

	while (json_next(&it)) {
		struct path at = path_key(&selector, it.key);
		const char *text = warn_old_label(it.key);

		if (text)
			warn_at(&w->to, &at, "%s", text);
	}
	it = json_iter(json_get(json_get(node, "requiredDuringSchedulingIgnoredDuringExecution"),
				"nodeSelectorTerms"));
	while (json_next(&it)) {
		struct path at = path_index(&terms, it.index);

		warn_node_term(&w->to, it.value, false, &at);
	}
	it = json_iter(json_get(node, "preferredDuringSchedulingIgnoredDuringExecution"));
	while (json_next(&it)) {
		struct path at = path_index(&preferred, it.index);
		PATH(preference, &at, "preference");

		warn_node_term(&w->to, json_get(it.value, "preference"), true, &preference);
	}
}

static void warn_spread(const struct warner *w, struct json spec, const struct path *path)
{
	struct json_iter it = json_iter(json_get(spec, "topologySpreadConstraints"));
	PATH(spread, path, "topologySpreadConstraints");

	while (json_next(&it)) {
		struct path at = path_index(&spread, it.index);
		struct str key = rule_text(it.value, "topologyKey");
		const char *text = warn_old_label(key);
		PATH(key_path, &at, "topologyKey");
		PATH(selector, &at, "labelSelector");

		if (text)
			warn_at(&w->to, &key_path, "%.*s is %s", STR_ARG(key), text);
		if (!rule_has(it.value, "labelSelector"))
			warn_at(&w->to, &selector,
				"a null labelSelector results in matching no pod");
	}
}

static void warn_annotations(const struct warner *w)
{
	static const struct {
		const char *key;
		const char *text;
	} deprecated[] = {
		{"scheduler.alpha.kubernetes.io/critical-pod",
		 "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
		{"security.alpha.kubernetes.io/sysctls",
		 "non-functional in v1.11+; use the \"sysctls\" field instead"},
		{"security.alpha.kubernetes.io/unsafe-sysctls",
		 "non-functional in v1.11+; use the \"sysctls\" field instead"},
	};

	for (size_t i = 0; i < ARRAY_LEN(deprecated); i++) {
		struct path at = path_key(w->meta, str_from(deprecated[i].key));

		if (rule_has(w->annotations, deprecated[i].key))
			warn_at(&w->to, &at, "%s", deprecated[i].text);
	}
}

static void warn_volumes(const struct warner *w, struct json volumes, const struct path *path)
{
	static const struct {
		const char *key;
		const char *path; /* as upstream prints it */
		const char *text;
	} deprecated[] = {
		{"photonPersistentDisk", "photonPersistentDisk",
		 "deprecated in v1.11, non-functional in v1.16+"},
		{"gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
		{"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
		{"flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"},
		{"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
		{"quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"},
		{"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
		{"cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
		{"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"},
	};
	struct json_iter it = json_iter(volumes);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		for (size_t i = 0; i < ARRAY_LEN(deprecated); i++) {
			struct path source = path_member(&at, str_from(deprecated[i].path));

			if (rule_has(it.value, deprecated[i].key))
				warn_at(&w->to, &source, "%s", deprecated[i].text);
		}
	}
}

/* --- files in one place ---------------------------------------------------------------------- */

struct file {
	struct str path;
	struct buf source; /* what it comes from; empty: not reported */
};
struct files VEC_FIELDS(struct file);

static void put_file(const struct file *file, struct buf *to)
{
	causes_quote(to, file->path);
	if (file->source.len)
		buf_printf(to, " (%.*s)", STR_ARG(buf_str(&file->source)));
}

/* Is one of them the other, or above it? */
static bool overlap(struct str a, struct str b)
{
	struct str shorter = a.len < b.len ? a : b;
	struct str longer = a.len < b.len ? b : a;

	return shorter.len && str_starts(longer, shorter) &&
	       (longer.len == shorter.len || longer.ptr[shorter.len] == '/');
}

static void add_file(const struct warner *w, struct files *files, struct file file,
		     struct str volume, struct str kind)
{
	while (file.path.len && file.path.ptr[file.path.len - 1] == '/')
		file.path.len--;
	for (size_t i = 0; files->len < COMPARED_MAX && i < files->len; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		if (!overlap(files->ptr[i].path, file.path))
			continue;
		buf_puts(&text, "volume ");
		causes_quote(&text, volume);
		buf_printf(&text, " (%.*s): overlapping paths: ", STR_ARG(kind));
		put_file(&file, &text);
		buf_puts(&text, " with ");
		put_file(&files->ptr[i], &text);
		w->to.fn(w->to.arg, buf_text(&text));
	}
	vec_push(files, file);
}

static void add_items(const struct warner *w, struct files *files, struct json items,
		      struct str source, struct str volume, struct str kind)
{
	struct json_iter it = json_iter(items);

	while (json_next(&it)) {
		struct file file = {.path = rule_text(it.value, "path"),
				    .source = buf_make(SIZE_MAX / 4)};

		buf_put_str(&file.source, source);
		add_file(w, files, file, volume, kind);
	}
}

static void files_done(struct files *files)
{
	for (size_t i = 0; i < files->len; i++)
		buf_done(&files->ptr[i].source);
	vec_done(files);
}
DEFINE_AUTO_IN_PLACE(struct files, files_done);

/* The sources that have files, and what they are called. */
static const struct {
	const char *key;
	const char *called;
	const char *name; /* member with the name; NULL: none is reported */
	const char *projected_name;
} kinds[] = {
	{"configMap", "ConfigMap", "name", "name"},
	{"secret", "Secret", "secretName", "name"},
	{"downwardAPI", "DownwardAPI", NULL, NULL},
};

static void put_kind(struct buf *to, const char *called, struct json source, const char *name)
{
	buf_puts(to, called);
	if (!name)
		return;
	buf_putc(to, ' ');
	causes_quote(to, rule_text(source, name));
}

static void warn_projected(const struct warner *w, struct json volume)
{
	AUTO(files_done) struct files files = {0};
	struct str name = rule_text(volume, "name");
	struct json_iter it = json_iter(json_get(json_get(volume, "projected"), "sources"));

	while (json_next(&it)) {
		struct json token = json_get(it.value, "serviceAccountToken");

		if (!json_len(it.value)) {
			AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

			buf_puts(&text, "volume ");
			causes_quote(&text, name);
			buf_puts(&text, " (Projected) has no sources provided");
			w->to.fn(w->to.arg, buf_text(&text));
			continue;
		}
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
			AUTO(buf_done) struct buf kind = BUF_UNBOUNDED;
			struct json source = json_get(it.value, kinds[i].key);

			put_kind(&kind, kinds[i].called, source, kinds[i].projected_name);
			add_items(w, &files, json_get(source, "items"), buf_str(&kind), name,
				  STR("Projected"));
		}
		if (json_is(token, JSON_OBJ)) {
			struct file file = {.path = rule_text(token, "path"),
					    .source = buf_make(SIZE_MAX / 4)};

			buf_puts(&file.source, "ServiceAccountToken");
			add_file(w, &files, file, name, STR("Projected"));
		}
	}
}

static void warn_overlaps(const struct warner *w, struct json volumes)
{
	struct json_iter it = json_iter(volumes);

	while (json_next(&it)) {
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
			AUTO(files_done) struct files files = {0};
			AUTO(buf_done) struct buf kind = BUF_UNBOUNDED;
			struct json source = json_get(it.value, kinds[i].key);

			put_kind(&kind, kinds[i].called, source, kinds[i].name);
			add_items(w, &files, json_get(source, "items"), STR(""),
				  rule_text(it.value, "name"), buf_str(&kind));
		}
		warn_projected(w, it.value);
	}
}

/* --- doubles --------------------------------------------------------------------------------- */

static void warn_doubles(const struct warner *w, struct json list, const char *key,
			 const struct path *path)
{
	AUTO(name_set_done) struct name_set seen = {0};
	AUTO(buf_done) struct buf before = BUF_UNBOUNDED;
	struct json_iter it = json_iter(list);

	buf_printf(&before, "duplicate %s ", key);
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct path key_path = path_member(&at, str_from(key));

		if (!name_set_add(&seen, rule_text(it.value, key)))
			warn_quoted(&w->to, &key_path, buf_text(&before), rule_text(it.value, key),
				    "");
	}
}

static void warn_pull_secrets(const struct warner *w, struct json secrets, const struct path *path)
{
	struct json_iter it = json_iter(secrets);

	warn_doubles(w, secrets, "name", path);
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		PATH(name, &at, "name");

		if (!rule_text(it.value, "name").len)
			warn_at(&w->to, &name, "invalid empty name \"\"");
	}
}

/* Does a later definition of a variable lose the earlier one? */
static bool hides(struct json variable)
{
	AUTO(buf_done) struct buf ref = BUF_UNBOUNDED;
	struct str value = rule_text(variable, "value");

	buf_printf(&ref, "$(%.*s)", STR_ARG(rule_text(variable, "name")));
	return rule_has(variable, "valueFrom") || str_eq(value, buf_str(&ref)) ||
	       str_find(value, buf_str(&ref), 0) < 0;
}

static void warn_env(const struct warner *w, struct json env, const struct path *path)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(env);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		if (!name_set_add(&seen, rule_text(it.value, "name")) && hides(it.value))
			warn_quoted(&w->to, &at, "hides previous definition of ",
				    rule_text(it.value, "name"),
				    ", which may be dropped when using apply");
	}
}

/* --- containers ------------------------------------------------------------------------------ */

static void warn_fraction(const struct warner *w, struct json list, const char *name,
			  const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path at = path_key(path, str_from(name));
	struct quantity value;

	if (pod_total_read(json_get(list, name), &value) || !quantity_has_fraction(&value))
		return;
	quantity_print(&value, &text);
	warn_quoted(&w->to, &at, "fractional byte value ", buf_str(&text),
		    " is invalid, must be an integer");
}

static void warn_container(struct warner *w, struct json container, const struct path *path)
{
	static const char *const bytes[] = {"memory", "ephemeral-storage"};
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct json resources = json_get(container, "resources");
	struct path annotation;
	PATH(resources_path, path, "resources");
	PATH(limits, &resources_path, "limits");
	PATH(requests, &resources_path, "requests");
	PATH(env, path, "env");

	buf_puts(&key, SECCOMP_CONTAINER);
	buf_put_str(&key, rule_text(container, "name"));
	annotation = path_key(w->meta, buf_str(&key));
	if (!rule_has(json_get(container, "securityContext"), "seccompProfile") &&
	    !json_is_absent(json_get_str(w->annotations, buf_str(&key))))
		warn_at(&w->to, &annotation,
			"non-functional in v1.27+; use the \"seccompProfile\" field instead");
	for (size_t i = 0; i < ARRAY_LEN(bytes); i++) {
		warn_fraction(w, json_get(resources, "limits"), bytes[i], &limits);
		warn_fraction(w, json_get(resources, "requests"), bytes[i], &requests);
	}
	warn_env(w, json_get(container, "env"), &env);
}

static void compare_ports(const struct warner *w, struct json port, const struct port *other,
			  const struct path *path)
{
	int64_t host = json_int(json_get(port, "hostPort"));
	int64_t other_host = json_int(json_get(other->port, "hostPort"));
	struct str ip = rule_text(port, "hostIP");
	struct str other_ip = rule_text(other->port, "hostIP");

	if (json_int(json_get(port, "containerPort")) !=
		    json_int(json_get(other->port, "containerPort")) ||
	    !str_eq(rule_text(port, "protocol"), rule_text(other->port, "protocol")))
		return;
	if (str_eq(ip, other_ip) && host == other_host)
		warn_at(&w->to, path, "duplicate port definition with %s", other->path);
	else if (!host || !other_host)
		warn_at(&w->to, path, "overlapping port definition with %s", other->path);
	else if (host == other_host && !ip.len != !other_ip.len)
		warn_at(&w->to, path, "dangerously ambiguous port definition with %s", other->path);
}

static void warn_ports(struct warner *w, struct json container, const struct path *path)
{
	struct json_iter it = json_iter(json_get(container, "ports"));
	PATH(ports, path, "ports");

	while (w->ports.len < COMPARED_MAX && json_next(&it)) {
		struct path at = path_index(&ports, it.index);
		struct buf text = BUF_UNBOUNDED;

		for (size_t i = 0; i < w->ports.len; i++)
			compare_ports(w, it.value, &w->ports.ptr[i], &at);
		path_print(&at, &text);
		vec_push(&w->ports, (struct port){it.value, str_dup(buf_str(&text))});
		buf_done(&text);
	}
}

/* Names of ports are looked up in the order of the containers: the first one is found. */
static void warn_port_names(const struct warner *w)
{
	for (size_t i = 0; i < w->ports.len; i++) {
		struct str name = rule_text(w->ports.ptr[i].port, "name");
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		size_t first = 0;

		while (first < i && !str_eq(rule_text(w->ports.ptr[first].port, "name"), name))
			first++;
		if (!name.len || first == i)
			continue;
		buf_printf(&text, "%s: duplicate port name ", w->ports.ptr[i].path);
		causes_quote(&text, name);
		buf_printf(&text,
			   " with %s, services and probes that select ports by name will use %s",
			   w->ports.ptr[first].path, w->ports.ptr[first].path);
		w->to.fn(w->to.arg, buf_text(&text));
	}
}

/* --- affinity -------------------------------------------------------------------------------- */

static void warn_selectors(const struct warner *w, struct json list, bool weighted,
			   const struct path *path)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct json term = weighted ? json_get(it.value, "podAffinityTerm") : it.value;
		PATH(term_path, &at, "podAffinityTerm");
		struct path selector =
			path_member(weighted ? &term_path : &at, STR("labelSelector"));

		if (!rule_has(term, "labelSelector"))
			warn_at(&w->to, &selector,
				"a null labelSelector results in matching no pod");
	}
}

static void warn_affinity(const struct warner *w, struct json spec, const struct path *path)
{
	static const char *const keys[] = {"podAffinity", "podAntiAffinity"};
	static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
	static const char preferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
	PATH(affinity, path, "affinity");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct json terms = json_get(json_get(spec, "affinity"), keys[i]);
		struct path at = path_member(&affinity, str_from(keys[i]));
		struct path required_path = path_member(&at, str_from(required));
		struct path preferred_path = path_member(&at, str_from(preferred));

		warn_selectors(w, json_get(terms, required), false, &required_path);
		warn_selectors(w, json_get(terms, preferred), true, &preferred_path);
	}
}

/* --- all of it ------------------------------------------------------------------------------- */

typedef void warn_container_fn(struct warner *w, struct json container, const struct path *path);

/* Init containers, containers and ephemeral ones, in this order. */
static void warn_each(struct warner *w, struct json spec, const struct path *path,
		      warn_container_fn *fn)
{
	static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path list = path_member(path, str_from(lists[i]));
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it)) {
			struct path at = path_index(&list, it.index);

			fn(w, it.value, &at);
		}
	}
}

static void warn_spec(struct warner *w, struct json spec, const struct path *path)
{
	struct path pod_annotation = path_key(w->meta, STR(SECCOMP_POD));
	PATH(volumes, path, "volumes");
	PATH(aliases, path, "hostAliases");
	PATH(secrets, path, "imagePullSecrets");
	PATH(overhead, path, "overhead");
	PATH(grace, path, "terminationGracePeriodSeconds");

	warn_nodes(w, spec, path);
	warn_spread(w, spec, path);
	warn_annotations(w);
	warn_volumes(w, json_get(spec, "volumes"), &volumes);
	warn_overlaps(w, json_get(spec, "volumes"));
	warn_doubles(w, json_get(spec, "hostAliases"), "ip", &aliases);
	warn_pull_secrets(w, json_get(spec, "imagePullSecrets"), &secrets);
	warn_fraction(w, json_get(spec, "overhead"), "memory", &overhead);
	warn_fraction(w, json_get(spec, "overhead"), "ephemeral-storage", &overhead);
	if (!rule_has(json_get(spec, "securityContext"), "seccompProfile") &&
	    rule_has(w->annotations, SECCOMP_POD))
		warn_at(&w->to, &pod_annotation,
			"non-functional in v1.27+; use the \"seccompProfile\" field instead");
	warn_each(w, spec, path, warn_container);
	warn_each(w, spec, path, warn_ports);
	warn_port_names(w);
	if (json_int(json_get(spec, "terminationGracePeriodSeconds")) < 0)
		warn_at(&w->to, &grace,
			"must be >= 0; negative values are invalid and will be treated as 1");
	warn_affinity(w, spec, path);
	for (size_t i = 0; i < w->ports.len; i++)
		mem_free(w->ports.ptr[i].path);
	vec_done(&w->ports);
}

void pod_warn_template(struct json template, const struct path *path, warn_fn *fn, void *arg)
{
	PATH(meta, path, "metadata");
	PATH(annotations, &meta, "annotations");
	PATH(spec, path, "spec");
	struct warner w = {
		.to = {fn, arg},
		.annotations = json_get(json_get(template, "metadata"), "annotations"),
		.meta = &annotations,
	};

	warn_spec(&w, json_get(template, "spec"), &spec);
}

void pod_warn(struct json pod, warn_fn *fn, void *arg)
{
	warn_name(&(struct warn_to){fn, arg}, pod, "the Pod's hostname");
	pod_warn_template(pod, NULL, fn, arg);
}
