/* SPDX-License-Identifier: Apache-2.0 */
/* shorthand.c - see the header. */
#include "shorthand.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"

#include "base/banned.h"

#define QUEUE_GATE "scheduling.volcano.sh/queue-allocation-gate"

struct word {
	struct str key;
	struct str value; /* none: a flag */
};
struct line {
	struct str kind;
	struct str name;
	VEC(struct word) words;
};

static void split(struct str text, struct line *line)
{
	struct str rest = text, part;
	size_t n = 0;

	while (str_split(&rest, ' ', &part)) {
		struct word word = {part, str_none()};
		ptrdiff_t equals = str_find_byte(part, '=', 0);

		if (!part.len)
			continue;
		if (n == 0)
			line->kind = part;
		else if (n == 1)
			line->name = part;
		if (n++ < 2)
			continue;
		if (equals > 0)
			word = (struct word){str_slice(part, 0, (size_t)equals),
					     str_skip(part, (size_t)equals + 1)};
		vec_push(&line->words, word);
	}
}

static struct str find(const struct line *line, const char *key)
{
	for (size_t i = 0; i < line->words.len; i++)
		if (str_is(line->words.ptr[i].key, key))
			return line->words.ptr[i].value.ptr ? line->words.ptr[i].value : STR("");
	return str_none();
}

static bool has(const struct line *line, const char *key)
{
	return !str_is_none(find(line, key));
}

static struct json path(struct json_doc *doc, struct json root, const char *a, const char *b)
{
	struct json at = json_ensure_obj(doc, root, a);

	return b ? json_ensure_obj(doc, at, b) : at;
}

static struct str resource_name(struct str key)
{
	return str_is(key, "gpu") ? STR("nvidia.com/gpu") : key;
}

/* Every "prefix.key=value" as a member of an object. */
static void put_prefixed(struct json_doc *doc, struct json to, const struct line *line,
			 const char *prefix)
{
	for (size_t i = 0; i < line->words.len; i++) {
		struct str key = line->words.ptr[i].key;

		if (!str_starts(key, str_from(prefix)) || key.len <= strlen(prefix) ||
		    key.ptr[strlen(prefix)] != '.')
			continue;
		key = str_skip(key, strlen(prefix) + 1);
		json_set(doc, to, resource_name(key), json_new_str(doc, line->words.ptr[i].value));
	}
}

static void put_numbers(struct json_doc *doc, struct json to, const struct line *line,
			const char *prefix)
{
	struct json texts = json_new_obj(doc);
	struct json_iter it;

	put_prefixed(doc, texts, line, prefix);
	it = json_iter(texts);
	while (json_next(&it)) {
		int64_t value = 0;

		if (number_parse_i64(json_str(it.value), &value, NULL) == 0)
			json_set(doc, to, it.key, json_new_int(doc, value));
	}
}

static void put_resources(struct json_doc *doc, struct json to, const struct line *line)
{
	static const char *const names[] = {"cpu", "memory", "pods", "gpu"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (has(line, names[i]))
			json_set(doc, to, resource_name(str_from(names[i])),
				 json_new_str(doc, find(line, names[i])));
}

static struct json make(struct json_doc *doc, struct json list, const char *kind, struct str name,
			bool namespaced)
{
	struct json root = json_new_obj(doc);
	struct json meta = json_ensure_obj(doc, root, "metadata");

	json_set_str(doc, root, "kind", str_from(kind));
	json_set_str(doc, meta, "name", name);
	if (namespaced)
		json_set_str(doc, meta, "namespace", STR("default"));
	json_append(doc, list, root);
	return root;
}

/* "key:value:effect" */
static struct json three(struct json_doc *doc, struct str text)
{
	static const char *const names[] = {"key", "value", "effect"};
	struct json made = json_new_obj(doc);
	struct str rest = text, part;

	for (size_t i = 0; i < ARRAY_LEN(names) && str_split(&rest, ':', &part); i++)
		json_set_str(doc, made, names[i], part);
	return made;
}

static void each(struct json_doc *doc, struct json to, const struct line *line, const char *key)
{
	for (size_t i = 0; i < line->words.len; i++)
		if (str_is(line->words.ptr[i].key, key))
			json_append(doc, to, three(doc, line->words.ptr[i].value));
}

/* --- kinds ----------------------------------------------------------------------------------- */

static void expand_node(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "Node", line->name, false);
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json labels = path(doc, root, "metadata", "labels");
	struct json all = path(doc, root, "status", "allocatable");

	json_set_str(doc, labels, "kubernetes.io/hostname", line->name);
	put_prefixed(doc, labels, line, "label");
	json_set_str(doc, all, "memory", STR("64Gi"));
	json_set_str(doc, all, "pods", STR("110"));
	put_resources(doc, all, line);
	each(doc, json_ensure_arr(doc, spec, "taints"), line, "taint");
	if (has(line, "unschedulable"))
		json_set_bool(doc, spec, "unschedulable", true);
}

static void set_int(struct json_doc *doc, struct json to, const char *name, const struct line *line,
		    const char *key)
{
	int64_t value;

	if (has(line, key) && number_parse_i64(find(line, key), &value, NULL) == 0)
		json_set_int(doc, to, name, value);
}

/* "g1,g2" */
static void put_list(struct json_doc *doc, struct json to, const char *name, struct str text)
{
	struct json list = json_ensure_arr(doc, to, name);
	struct str rest = text, part;

	while (str_split(&rest, ',', &part))
		json_append(doc, list, json_new_str(doc, part));
}

static void put_node_groups(struct json_doc *doc, struct json spec, const struct line *line)
{
	static const struct {
		const char *word, *side, *list;
	} rows[] = {
		{"needs", "nodeGroupAffinity", "requiredDuringSchedulingIgnoredDuringExecution"},
		{"likes", "nodeGroupAffinity", "preferredDuringSchedulingIgnoredDuringExecution"},
		{"shuns", "nodeGroupAntiAffinity",
		 "requiredDuringSchedulingIgnoredDuringExecution"},
		{"avoids", "nodeGroupAntiAffinity",
		 "preferredDuringSchedulingIgnoredDuringExecution"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (has(line, rows[i].word))
			put_list(doc, path(doc, spec, "affinity", rows[i].side), rows[i].list,
				 find(line, rows[i].word));
}

static void expand_queue(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "Queue", line->name, false);
	struct json spec = json_ensure_obj(doc, root, "spec");

	json_set_int(doc, spec, "weight", 1);
	set_int(doc, spec, "weight", line, "weight");
	set_int(doc, spec, "priority", line, "priority");
	if (has(line, "parent"))
		json_set_str(doc, spec, "parent", find(line, "parent"));
	if (has(line, "keeps"))
		json_set_bool(doc, spec, "reclaimable", false);
	put_prefixed(doc, json_ensure_obj(doc, spec, "capability"), line, "capability");
	put_prefixed(doc, json_ensure_obj(doc, spec, "deserved"), line, "deserved");
	put_prefixed(doc, path(doc, spec, "guarantee", "resource"), line, "guarantee");
	put_prefixed(doc, path(doc, root, "metadata", "annotations"), line, "note");
	put_node_groups(doc, spec, line);
	json_set_str(doc, json_ensure_obj(doc, root, "status"), "state",
		     has(line, "closed") ? STR("Closed") : STR("Open"));
}

static void expand_class(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "PriorityClass", line->name, false);
	int64_t value = 0;

	for (size_t i = 0; i < line->words.len; i++)
		if (number_parse_i64(line->words.ptr[i].key, &value, NULL) == 0)
			json_set_int(doc, root, "value", value);
	if (has(line, "default"))
		json_set_bool(doc, root, "globalDefault", true);
}

/* "hard:1", "hard:@rack", "soft", "hard" */
static void put_topology(struct json_doc *doc, struct json spec, struct str text)
{
	struct json to = json_ensure_obj(doc, spec, "networkTopology");
	struct str rest = text, mode;
	int64_t tier;

	if (!str_split(&rest, ':', &mode))
		return;
	json_set_str(doc, to, "mode", mode);
	if (str_starts(rest, STR("@")))
		json_set_str(doc, to, "highestTierName", str_skip(rest, 1));
	else if (rest.len && number_parse_i64(rest, &tier, NULL) == 0)
		json_set_int(doc, to, "highestTierAllowed", tier);
}

/* "NAME:LABEL:SIZE:MIN:hard:1", without those at the end that are not there */
static void put_policy(struct json_doc *doc, struct json spec, struct str text)
{
	struct json policy = json_new_obj(doc);
	struct str rest = text, part = str_none();
	int64_t number;

	if (str_split(&rest, ':', &part))
		json_set_str(doc, policy, "name", part);
	if (str_split(&rest, ':', &part) && part.len)
		json_append(doc, json_ensure_arr(doc, policy, "matchLabelKeys"),
			    json_new_str(doc, part));
	if (str_split(&rest, ':', &part) && number_parse_i64(part, &number, NULL) == 0)
		json_set_int(doc, policy, "subGroupSize", number);
	if (str_split(&rest, ':', &part) && number_parse_i64(part, &number, NULL) == 0)
		json_set_int(doc, policy, "minSubGroups", number);
	if (rest.len)
		put_topology(doc, policy, rest);
	json_append(doc, json_ensure_arr(doc, spec, "subGroupPolicy"), policy);
}

static void put_member(struct json_doc *doc, struct json members, const char *type,
		       const char *match, struct json value)
{
	struct json member = json_new_obj(doc);

	json_set_str(doc, member, "type", str_from(type));
	json_set(doc, json_ensure_obj(doc, member, "selector"), str_from(match), value);
	json_append(doc, members, member);
}

static struct json with(struct json_doc *doc, const char *key, struct str value)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, key, value);
	return object;
}

static void expand_hyper(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "HyperNode", line->name, false);
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json members = json_ensure_arr(doc, spec, "members");
	struct json labels = json_new_obj(doc), selector;
	struct str rest, part;

	json_set_int(doc, spec, "tier", 1);
	set_int(doc, spec, "tier", line, "tier");
	if (has(line, "tier-name"))
		json_set_str(doc, spec, "tierName", find(line, "tier-name"));
	rest = find(line, "nodes");
	while (has(line, "nodes") && str_split(&rest, ',', &part))
		put_member(doc, members, "Node", "exactMatch", with(doc, "name", part));
	rest = find(line, "hypers");
	while (has(line, "hypers") && str_split(&rest, ',', &part))
		put_member(doc, members, "HyperNode", "exactMatch", with(doc, "name", part));
	if (has(line, "regex"))
		put_member(doc, members, "Node", "regexMatch",
			   with(doc, "pattern", find(line, "regex")));
	put_prefixed(doc, labels, line, "label");
	if (!json_len(labels))
		return;
	selector = json_new_obj(doc);
	json_set(doc, selector, STR("matchLabels"), labels);
	put_member(doc, members, "Node", "labelMatch", selector);
}

static void expand_group(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "PodGroup", line->name, true);
	struct json spec = json_ensure_obj(doc, root, "spec");

	json_set_int(doc, spec, "minMember", 1);
	set_int(doc, spec, "minMember", line, "min");
	json_set_str(doc, spec, "queue", has(line, "queue") ? find(line, "queue") : STR("default"));
	if (has(line, "class"))
		json_set_str(doc, spec, "priorityClassName", find(line, "class"));
	if (has(line, "phase"))
		json_set_str(doc, json_ensure_obj(doc, root, "status"), "phase",
			     find(line, "phase"));
	put_prefixed(doc, json_ensure_obj(doc, spec, "minResources"), line, "need");
	if (!json_len(json_get(spec, "minResources")))
		json_remove(doc, spec, STR("minResources"));
	put_numbers(doc, json_ensure_obj(doc, spec, "minTaskMember"), line, "role");
	if (has(line, "net"))
		put_topology(doc, spec, find(line, "net"));
	for (size_t i = 0; i < line->words.len; i++)
		if (str_is(line->words.ptr[i].key, "sub"))
			put_policy(doc, spec, line->words.ptr[i].value);
	put_prefixed(doc, path(doc, root, "metadata", "annotations"), line, "note");
}

static void expand_quota(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "ResourceQuota", line->name, true);

	put_prefixed(doc, path(doc, root, "spec", "hard"), line, "hard");
	put_prefixed(doc, path(doc, root, "status", "hard"), line, "hard");
	put_prefixed(doc, path(doc, root, "status", "used"), line, "used");
}

static void expand_budget(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "PodDisruptionBudget", line->name, true);
	struct json status = json_ensure_obj(doc, root, "status");
	struct str rest = has(line, "disrupted") ? find(line, "disrupted") : str_none(), part;

	put_prefixed(doc, path(doc, json_ensure_obj(doc, root, "spec"), "selector", "matchLabels"),
		     line, "label");
	json_set_int(doc, status, "disruptionsAllowed", 0);
	set_int(doc, status, "disruptionsAllowed", line, "allows");
	set_int(doc, status, "desiredHealthy", line, "keeps");
	while (str_split(&rest, ',', &part))
		json_set(doc, json_ensure_obj(doc, status, "disruptedPods"), part,
			 json_new_str(doc, STR("2023-11-14T22:13:20Z")));
}

/* "app:db@zone": the selector, and the topology key. */
static struct json neighbour(struct json_doc *doc, struct str text)
{
	struct json made = json_new_obj(doc);
	struct str rest = text, label, key;

	(void)str_split(&rest, '@', &label);
	(void)str_split(&label, ':', &key);
	json_set(doc, path(doc, made, "labelSelector", "matchLabels"), key,
		 json_new_str(doc, label));
	json_set_str(doc, made, "topologyKey", rest);
	return made;
}

static void put_neighbours(struct json_doc *doc, struct json spec, const struct line *line)
{
	static const struct {
		const char *word, *side;
	} rows[] = {{"near", "podAffinity"}, {"away", "podAntiAffinity"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (has(line, rows[i].word))
			json_append(
				doc,
				json_ensure_arr(doc, path(doc, spec, "affinity", rows[i].side),
						"requiredDuringSchedulingIgnoredDuringExecution"),
				neighbour(doc, find(line, rows[i].word)));
	if (has(line, "spread")) {
		struct json rule = neighbour(doc, find(line, "spread"));

		json_set_int(doc, rule, "maxSkew", 1);
		json_set_str(doc, rule, "whenUnsatisfiable", STR("DoNotSchedule"));
		json_append(doc, json_ensure_arr(doc, spec, "topologySpreadConstraints"), rule);
	}
}

static void put_container(struct json_doc *doc, struct json spec, const struct line *line)
{
	struct json container = json_new_obj(doc);
	struct json requests = path(doc, container, "resources", "requests");
	struct json limits = path(doc, container, "resources", "limits");
	struct json port;

	json_set_str(doc, container, "name", STR("c"));
	put_resources(doc, requests, line);
	put_prefixed(doc, limits, line, "limit");
	if (has(line, "guaranteed") || has(line, "numa")) {
		if (!has(line, "memory"))
			json_set_str(doc, requests, "memory", STR("1Gi"));
		json_set(doc, json_get(container, "resources"), STR("limits"),
			 json_new_copy(doc, requests));
	}
	if (has(line, "port")) {
		port = json_new_obj(doc);
		set_int(doc, port, "hostPort", line, "port");
		set_int(doc, port, "containerPort", line, "port");
		json_append(doc, json_ensure_arr(doc, container, "ports"), port);
	}
	json_append(doc, json_ensure_arr(doc, spec, "containers"), container);
}

static int64_t number_of(const struct line *line, const char *key, int64_t fallback)
{
	int64_t value = fallback;

	if (has(line, key) && number_parse_i64(find(line, key), &value, NULL) < 0)
		return fallback;
	return value;
}

static void expand_numa(struct json_doc *doc, struct json list, const struct line *line)
{
	struct json root = make(doc, list, "Numatopology", line->name, false);
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json policies = json_ensure_obj(doc, spec, "policies");
	struct json details = json_ensure_obj(doc, spec, "cpuDetail");
	struct json cpu = path(doc, spec, "numares", "cpu");
	int64_t nodes = number_of(line, "nodes", 2), cpus = number_of(line, "cpus", 4);
	int64_t threads = number_of(line, "threads", 1);

	json_set_str(doc, policies, "CPUManagerPolicy",
		     has(line, "manager") ? find(line, "manager") : STR("static"));
	json_set_str(doc, policies, "TopologyManagerPolicy", find(line, "policy"));
	json_set(doc, cpu, STR("allocatable"),
		 has(line, "free") ? json_new_str(doc, find(line, "free"))
				   : json_new_printf(doc, "0-%lld", (long long)(nodes * cpus - 1)));
	json_set_int(doc, cpu, "capacity", nodes * cpus);
	for (int64_t i = 0; i < nodes * cpus; i++) {
		AUTO(mem_free) char *id = mem_printf("%lld", (long long)i);
		struct json one = json_ensure_obj(doc, details, id);

		json_set_int(doc, one, "numa", i / cpus);
		json_set_int(doc, one, "socket", has(line, "sockets") ? 0 : i / cpus);
		json_set_int(doc, one, "core", i / threads);
	}
	if (has(line, "reserved"))
		json_set_str(doc, json_ensure_obj(doc, spec, "resReserved"), "cpu",
			     find(line, "reserved"));
}

static struct json scheduled(struct json_doc *doc)
{
	struct json made = json_new_obj(doc);

	json_set_str(doc, made, "type", STR("PodScheduled"));
	json_set_str(doc, made, "status", STR("True"));
	return made;
}

static void expand_pod(struct json_doc *doc, struct json list, const struct line *line, int64_t n)
{
	struct str role = has(line, "role") ? find(line, "role") : STR("w");
	AUTO(mem_free)
	char *name = mem_printf("%.*s-%.*s-%lld", STR_ARG(line->name), STR_ARG(role), (long long)n);
	struct json root = make(doc, list, "Pod", str_from(name), true);
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json notes = path(doc, root, "metadata", "annotations");
	struct json status = json_ensure_obj(doc, root, "status");
	struct json gate;

	json_set_str(doc, notes, "scheduling.k8s.io/group-name", line->name);
	if (has(line, "role"))
		json_set_str(doc, notes, "volcano.sh/task-spec", role);
	if (has(line, "pinned"))
		json_set_str(doc, notes, "volcano.sh/preemptable", STR("false"));
	if (has(line, "numa"))
		json_set_str(doc, notes, "volcano.sh/numa-topology-policy", find(line, "numa"));
	put_prefixed(doc, notes, line, "note");
	put_prefixed(doc, path(doc, root, "metadata", "labels"), line, "label");
	put_prefixed(doc, json_ensure_obj(doc, spec, "nodeSelector"), line, "select");
	json_set_str(doc, spec, "schedulerName", STR("volcano"));
	if (has(line, "class"))
		json_set_str(doc, spec, "priorityClassName", find(line, "class"));
	if (has(line, "never"))
		json_set_str(doc, spec, "preemptionPolicy", STR("Never"));
	each(doc, json_ensure_arr(doc, spec, "tolerations"), line, "tolerate");
	put_neighbours(doc, spec, line);
	put_container(doc, spec, line);
	if (has(line, "queue-gated"))
		json_set_str(doc, notes, QUEUE_GATE, STR("true"));
	if (has(line, "gated") || has(line, "queue-gated")) {
		gate = json_new_obj(doc);
		json_set_str(doc, gate, "name",
			     has(line, "gated") ? STR("example.com/wait") : STR(QUEUE_GATE));
		json_append(doc, json_ensure_arr(doc, spec, "schedulingGates"), gate);
	}
	json_set_str(doc, status, "phase", STR("Pending"));
	if (has(line, "on")) {
		json_set_str(doc, spec, "nodeName", find(line, "on"));
		json_set_str(doc, status, "phase",
			     has(line, "succeeded") ? STR("Succeeded") : STR("Running"));
		json_append(doc, json_ensure_arr(doc, status, "conditions"), scheduled(doc));
	}
}

static void expand_pods(struct json_doc *doc, struct json list, const struct line *line)
{
	int64_t count = 1, from = 0;

	for (size_t i = 0; i < line->words.len; i++) {
		struct str key = line->words.ptr[i].key;

		if (key.len > 1 && key.ptr[0] == 'x' &&
		    number_parse_i64(str_skip(key, 1), &count, NULL) < 0)
			continue;
	}
	if (has(line, "from"))
		(void)!number_parse_i64(find(line, "from"), &from, NULL);
	for (int64_t i = from; i < from + count; i++)
		expand_pod(doc, list, line, i);
}

int shorthand_expand(struct json_doc *doc, struct json list, struct str line, struct err *err)
{
	static const struct {
		const char *kind;
		void (*expand)(struct json_doc *, struct json, const struct line *);
	} rows[] = {{"node", expand_node},   {"queue", expand_queue}, {"class", expand_class},
		    {"group", expand_group}, {"quota", expand_quota}, {"budget", expand_budget},
		    {"pods", expand_pods},   {"hyper", expand_hyper}, {"numa", expand_numa}};
	struct line words = {0};
	size_t i = 0;

	split(line, &words);
	while (i < ARRAY_LEN(rows) && !str_is(words.kind, rows[i].kind))
		i++;
	if (i < ARRAY_LEN(rows))
		rows[i].expand(doc, list, &words);
	vec_done(&words.words);
	if (i == ARRAY_LEN(rows))
		return err_set(err, ERR_INVALID, "\"%.*s\": what is it?", STR_ARG(line));
	return 0;
}
