/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/warn_rules.c - warnings about input that is probably not intended, as in
 * kube-apiserver 1.34. */
#include "model/rules/warn_rules.h"

#include <stdarg.h>

#include "base/buf.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

void warn_at(const struct warn_to *to, const struct path *path, const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	path_print(path, &text);
	buf_puts(&text, ": ");
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	to->fn(to->arg, buf_text(&text));
}

void warn_quoted(const struct warn_to *to, const struct path *path, const char *before,
		 struct str word, const char *after)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	causes_quote(&quoted, word);
	warn_at(to, path, "%s%s%s", before, buf_text(&quoted), after);
}

/* --- labels of nodes ------------------------------------------------------------------------- */

const char *warn_old_label(struct str key)
{
	static const struct {
		const char *key;
		const char *text;
	} labels[] = {
		{"beta.kubernetes.io/arch",
		 "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
		{"beta.kubernetes.io/os",
		 "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
		{"failure-domain.beta.kubernetes.io/region",
		 "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
		{"failure-domain.beta.kubernetes.io/zone",
		 "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
		{"beta.kubernetes.io/instance-type",
		 "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
		{"app.kubernetes.io/created-by", "deprecated since v1.9"},
		{"scheduler.alpha.kubernetes.io/preferAvoidPods",
		 "deprecated since v1.22; use Taints and Tolerations instead"},
		{"node-role.kubernetes.io/master",
		 "use \"node-role.kubernetes.io/control-plane\" instead"},
	};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (str_is(key, labels[i].key))
			return labels[i].text;
	return NULL;
}

void warn_node_term(const struct warn_to *to, struct json term, bool values,
		    const struct path *path)
{
	struct json_iter it = json_iter(json_get(term, "matchExpressions"));
	PATH(expressions, path, "matchExpressions");

	while (json_next(&it)) {
		struct path at = path_index(&expressions, it.index);
		struct str key = rule_text(it.value, "key");
		const char *text = warn_old_label(key);
		struct json_iter value = json_iter(json_get(it.value, "values"));
		PATH(key_path, &at, "key");
		PATH(values_path, &at, "values");

		if (text)
			warn_at(to, &key_path, "%.*s is %s", STR_ARG(key), text);
		while (values && json_next(&value)) {
			struct path value_at = path_index(&values_path, value.index);

			if (!name_is(NAME_LABEL_VALUE, json_str(value.value)))
				warn_quoted(
					to, &value_at, "", json_str(value.value),
					" is invalid, a valid label must be an empty string or "
					"consist of alphanumeric characters, '-', '_' or '.', "
					"and must start and end with an alphanumeric character");
		}
	}
}

void csistoragecapacity_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json topology = json_get(object, "nodeTopology");
	struct json_iter it = json_iter(json_get(topology, "matchLabels"));
	PATH(path, NULL, "nodeTopology");
	PATH(labels, &path, "matchLabels");

	(void)old;
	warn_node_term(to, topology, false, &path);
	while (json_next(&it)) {
		struct path at = path_member(&labels, it.key);
		const char *text = warn_old_label(it.key);

		if (text)
			warn_at(to, &at, "%s", text);
	}
}

void runtimeclass_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json_iter it = json_iter(json_get(json_get(object, "scheduling"), "nodeSelector"));
	PATH(scheduling, NULL, "scheduling");
	PATH(path, &scheduling, "nodeSelector");

	(void)old;
	while (json_next(&it)) {
		const char *text = warn_old_label(it.key);

		if (text)
			warn_at(to, &path, "%s", text);
	}
}

void storageclass_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json_iter it = json_iter(json_get(object, "allowedTopologies"));
	PATH(path, NULL, "allowedTopologies");

	(void)old;
	while (json_next(&it)) {
		struct json_iter one = json_iter(json_get(it.value, "matchLabelExpressions"));
		struct path at = path_index(&path, it.index);
		PATH(expressions, &at, "matchLabelExpressions");

		while (json_next(&one)) {
			struct path expression = path_index(&expressions, one.index);
			const char *text = warn_old_label(rule_text(one.value, "key"));
			PATH(key, &expression, "key");

			if (text)
				warn_at(to, &key, "%s", text);
		}
	}
}

/* --- controllers of pods --------------------------------------------------------------------- */

void warn_name(const struct warn_to *to, struct json object, const char *what)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;
	PATH(meta, NULL, "metadata");
	PATH(path, &meta, "name");

	if (!name_check_joined(NAME_DNS_LABEL, rule_text(json_get(object, "metadata"), "name"), " ",
			       &problems))
		warn_at(to, &path,
			"this is used in %s, which can result in surprising behavior; a DNS label "
			"is recommended: [%s]",
			what, buf_text(&problems));
}

void workload_warn(struct json object, struct json old, const struct warn_to *to)
{
	if (json_is_absent(old))
		warn_name(to, object, "Pod names and hostnames");
}

static void warn_job_spec(struct json spec, const struct path *path, const struct warn_to *to)
{
	enum { COMPLETIONS = 100000, PARALLELISM = 10000 };

	if (str_is(rule_text(spec, "completionMode"), "Indexed") &&
	    json_int(json_get(spec, "completions")) > COMPLETIONS &&
	    json_int(json_get(spec, "parallelism")) > PARALLELISM)
		warn_at(to, path,
			"In Indexed Jobs with a number of completions higher than 10^5 and a "
			"parallelism higher than 10^4, Kubernetes might not be able to track "
			"completedIndexes when a big number of indexes fail");
}

void batch_job_warn(struct json object, struct json old, const struct warn_to *to)
{
	PATH(spec, NULL, "spec");

	workload_warn(object, old, to);
	warn_job_spec(json_get(object, "spec"), &spec, to);
}

void batch_cron_job_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json template = json_get(json_get(object, "spec"), "jobTemplate");
	PATH(spec, NULL, "spec");
	PATH(path, &spec, "jobTemplate");
	PATH(job, &path, "spec");

	workload_warn(object, old, to);
	warn_job_spec(json_get(template, "spec"), &job, to);
}

/* --- claims and volumes ---------------------------------------------------------------------- */

static void warn_fraction(struct json spec, const char *list, const struct path *path,
			  const struct warn_to *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity amount;
	PATH(resources, path, "resources");
	struct path list_path = path_member(&resources, str_from(list));
	struct path at = path_key(&list_path, STR("storage"));

	if (!rules_quantity(json_get(json_get(spec, "resources"), list), "storage", &amount) ||
	    !quantity_has_fraction(&amount))
		return;
	quantity_print(&amount, &text);
	warn_quoted(to, &at, "fractional byte value ", buf_str(&text),
		    " is invalid, must be an integer");
}

static void warn_claim_spec(struct json spec, const struct path *path, const struct warn_to *to)
{
	warn_fraction(spec, "requests", path, to);
	warn_fraction(spec, "limits", path, to);
}

static void warn_annotation(struct json object, const char *key, const char *text,
			    const struct warn_to *to)
{
	PATH(meta, NULL, "metadata");
	PATH(annotations, &meta, "annotations");
	struct path at = path_key(&annotations, str_from(key));

	if (rule_has(json_get(json_get(object, "metadata"), "annotations"), key))
		warn_at(to, &at, "%s", text);
}

#define OLD_CLASS "volume.beta.kubernetes.io/storage-class"

void pvc_warn(struct json object, struct json old, const struct warn_to *to)
{
	PATH(spec, NULL, "spec");

	(void)old;
	warn_annotation(object, OLD_CLASS,
			"deprecated since v1.8; use \"storageClassName\" attribute instead", to);
	warn_claim_spec(json_get(object, "spec"), &spec, to);
}

void statefulset_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json spec = json_get(object, "spec");
	struct json_iter it = json_iter(json_get(spec, "volumeClaimTemplates"));
	PATH(path, NULL, "spec");
	PATH(claims, &path, "volumeClaimTemplates");
	PATH(limit, &path, "revisionHistoryLimit");

	while (json_next(&it)) {
		struct path at = path_index(&claims, it.index);
		PATH(inner, &at, "Spec"); /* upstream: of an update only, and in capitals */

		warn_claim_spec(json_get(it.value, "spec"), json_is_absent(old) ? &at : &inner, to);
	}
	if (json_int(json_get(spec, "revisionHistoryLimit")) < 0)
		warn_at(to, &limit,
			"a negative value retains all historical revisions; a value >= 0 is "
			"recommended");
}

static void warn_old_sources(struct json spec, const struct warn_to *to)
{
	static const char *const sources[][2] = {
		{"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
		{"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
		{"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
		{"storageos", "deprecated in v1.22, non-functional in v1.25+"},
		{"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
		{"rbd", "deprecated in v1.28, non-functional in v1.31+"},
	};
	PATH(path, NULL, "spec");

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		const char *shown =
			str_is(str_from(sources[i][0]), "storageos") ? "storageOS" : sources[i][0];
		struct path at = path_member(&path, str_from(shown));

		if (rule_has(spec, sources[i][0]))
			warn_at(to, &at, "%s", sources[i][1]);
	}
}

void pv_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json spec = json_get(object, "spec");
	struct json terms =
		json_get(json_get(json_get(spec, "nodeAffinity"), "required"), "nodeSelectorTerms");
	struct json_iter it = json_iter(terms);
	PATH(path, NULL, "spec");
	PATH(policy, &path, "persistentVolumeReclaimPolicy");
	PATH(affinity, &path, "nodeAffinity");
	PATH(required, &affinity, "required");
	PATH(list, &required, "nodeSelectorTerms");

	(void)old;
	warn_annotation(object, OLD_CLASS,
			"deprecated since v1.8; use \"storageClassName\" attribute instead", to);
	warn_annotation(object, "volume.beta.kubernetes.io/mount-options",
			"deprecated since v1.31; use \"mountOptions\" attribute instead", to);
	if (str_is(rule_text(spec, "persistentVolumeReclaimPolicy"), "Recycle"))
		warn_at(to, &policy,
			"The Recycle reclaim policy is deprecated. Instead, the recommended "
			"approach is to use dynamic provisioning.");
	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);

		warn_node_term(to, it.value, false, &at);
	}
	warn_old_sources(spec, to);
}

/* --- services and ingresses ------------------------------------------------------------------ */

static void warn_headless(struct json spec, const struct warn_to *to)
{
	if (!str_is(rule_text(spec, "type"), "ClusterIP") ||
	    !str_is(rule_text(spec, "clusterIP"), "None"))
		return;
	if (rule_text(spec, "loadBalancerIP").len)
		to->fn(to->arg, "spec.loadBalancerIP is ignored for headless services");
	if (json_len(json_get(spec, "externalIPs")))
		to->fn(to->arg, "spec.externalIPs is ignored for headless services");
	if (!str_is(rule_text(spec, "sessionAffinity"), "None"))
		to->fn(to->arg, "spec.SessionAffinity is ignored for headless services");
}

void service_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");
	struct json spec = json_get(object, "spec");
	bool named = str_is(rule_text(spec, "type"), "ExternalName");

	(void)old;
	if (rule_has(annotations, "service.kubernetes.io/topology-aware-hints"))
		to->fn(to->arg, "annotation service.kubernetes.io/topology-aware-hints is "
				"deprecated, please use service.kubernetes.io/topology-mode "
				"instead");
	warn_headless(spec, to);
	if (named && json_len(json_get(spec, "externalIPs")))
		to->fn(to->arg, "spec.externalIPs is ignored when spec.type is \"ExternalName\"");
	if (!named && rule_text(spec, "externalName").len)
		to->fn(to->arg,
		       "spec.externalName is ignored when spec.type is not \"ExternalName\"");
}

void ingress_warn(struct json object, struct json old, const struct warn_to *to)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");

	if (json_is_absent(old) && rule_has(annotations, "kubernetes.io/ingress.class") &&
	    !rule_has(json_get(object, "spec"), "ingressClassName"))
		to->fn(to->arg, "annotation \"kubernetes.io/ingress.class\" is deprecated, please "
				"use 'spec.ingressClassName' instead");
}
