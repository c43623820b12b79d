/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_apps.c - the kinds of apps, autoscaling and batch: controllers of pods. */
#include <inttypes.h>

#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_cronjob.h"
#include "apiserver/kind/kind_row.h"
#include "apiserver/verb/sub.h"
#include "base/number.h"
#include "model/group/autoscaling.h"
#include "model/rules/warn_rules.h"
#include "model/workload/batchjob.h"
#include "model/workload/controllerrevision.h"
#include "model/workload/workload.h"

#include "base/banned.h"

#define APPS(plural_name, singular_name, kind_name, table) \
	ROW("apps", "v1", plural_name, singular_name, kind_name, table)
#define BATCH(plural_name, singular_name, kind_name, table) \
	ROW("batch", "v1", plural_name, singular_name, kind_name, table)

static const struct kind_sub deployment_subs[] = {
	SUB_SCALE,
	SUB_STATUS,
	SUB_END,
};

static const struct kind_sub replicaset_subs[] = {
	SUB_SCALE,
	SUB_STATUS,
	SUB_END,
};

static const struct kind_sub statefulset_subs[] = {
	SUB_SCALE,
	SUB_STATUS,
	SUB_END,
};

/* The labels of a deployment do not come with its status. */
static void prepare_deployment_status(struct json_doc *doc, struct json object, struct json old)
{
	struct json metadata = json_get(object, "metadata");
	struct json labels = json_get(json_get(old, "metadata"), "labels");

	if (json_is_absent(labels))
		(void)json_remove(doc, metadata, STR("labels"));
	else
		json_set(doc, metadata, STR("labels"), json_new_copy(doc, labels));
}

/* How often the template has changed, in the annotation that old clients read. Only the server sets
 * it. */
#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

static void set_template_generation(struct json_doc *doc, struct json object, int64_t number)
{
	struct json metadata = json_ensure_obj(doc, object, "metadata");

	json_set(doc, json_ensure_obj(doc, metadata, "annotations"), STR(TEMPLATE_GENERATION),
		 json_new_printf(doc, "%" PRId64, number));
}

static int64_t template_generation(struct json object)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");
	int64_t number;

	return number_parse_i64(json_str(json_get(annotations, TEMPLATE_GENERATION)), &number,
				NULL) < 0
		       ? 1
		       : number;
}

static void prepare_daemonset(struct json_doc *doc, struct json object)
{
	set_template_generation(doc, object, 1);
}

static void prepare_daemonset_update(struct json_doc *doc, struct json object, struct json old)
{
	bool changed = !json_eq(json_get(json_get(object, "spec"), "template"),
				json_get(json_get(old, "spec"), "template"));

	set_template_generation(doc, object, template_generation(old) + changed);
}

static const char *job_field_path(struct json job, struct str name)
{
	(void)job;
	return str_is(name, "status.successful") ? "status.succeeded" : name.ptr;
}

static const struct kind_ops job_ops = {KIND_RULED, .field_path = job_field_path};

static const struct kind rows[] = {
	{APPS("controllerrevisions", "controllerrevision", "ControllerRevision",
	      controllerrevision_type),
	 .columns = columns_controllerrevision, .namespaced = true, RULED},
	{APPS("daemonsets", "daemonset", "DaemonSet", daemonset_type), .columns = columns_daemonset,
	 .namespaced = true, .status = true, .generation = true, .short_names = NAMES("ds"),
	 .categories = NAMES("all"), .subs = kind_subs_status,
	 RULES(.prepare_create = prepare_daemonset, .prepare_update = prepare_daemonset_update,
	       .prepare_status = prepare_daemonset_update, .template = "spec.template")},
	{APPS("deployments", "deployment", "Deployment", deployment_type),
	 .columns = columns_deployment, .namespaced = true, .status = true, .generation = true,
	 .short_names = NAMES("deploy"), .categories = NAMES("all"), .subs = deployment_subs,
	 .scale = &kind_scale_replicas, .ops = &kind_ruled_annotated,
	 RULES_ALONE(.warn = workload_warn, .template = "spec.template",
		     .prepare_status = prepare_deployment_status)},
	{APPS("replicasets", "replicaset", "ReplicaSet", replicaset_type),
	 .columns = columns_replicaset, .namespaced = true, .status = true, .generation = true,
	 .short_names = NAMES("rs"), .categories = NAMES("all"), .subs = replicaset_subs,
	 .scale = &kind_scale_replicas, RULES(.warn = workload_warn, .template = "spec.template")},
	{APPS("statefulsets", "statefulset", "StatefulSet", statefulset_type),
	 .columns = columns_statefulset, .namespaced = true, .status = true, .generation = true,
	 .name_format = NAME_DNS_LABEL, .short_names = NAMES("sts"), .categories = NAMES("all"),
	 .subs = statefulset_subs, .scale = &kind_scale_replicas,
	 RULES(.warn_behind = statefulset_warn, .template = "spec.template")},
	{ROW("autoscaling", "v2", "horizontalpodautoscalers", "horizontalpodautoscaler",
	     "HorizontalPodAutoscaler", autoscaler_type),
	 .columns = columns_autoscaler, .namespaced = true, .status = true,
	 .short_names = NAMES("hpa"), .categories = NAMES("all"), .subs = kind_subs_status, RULED},
	{ROW("autoscaling", "v1", "horizontalpodautoscalers", "horizontalpodautoscaler",
	     "HorizontalPodAutoscaler", autoscaler_v1_type),
	 .columns = columns_autoscaler, .namespaced = true, .status = true,
	 .short_names = NAMES("hpa"), .categories = NAMES("all"), .subs = kind_subs_status,
	 .stored_as = STR_INIT("autoscaling/v2"), .to_stored = autoscaler_from_v1,
	 .from_stored = autoscaler_to_v1,
	 RULES(VALIDATED(autoscaler_v1), .validate_status = autoscaler_v1_validate_status)},
	{BATCH("cronjobs", "cronjob", "CronJob", batch_cron_job_type), .columns = columns_cronjob,
	 .namespaced = true, .status = true, .generation = true, .short_names = NAMES("cj"),
	 .categories = NAMES("all"), .subs = kind_subs_status, .ops = &kind_cronjob_ops,
	 RULES_ALONE(VALIDATED(batch_cron_job), .warn = batch_cron_job_warn,
		     .template = "spec.jobTemplate.spec.template")},
	{BATCH("jobs", "job", "Job", batch_job_type), .columns = columns_job, .namespaced = true,
	 .status = true, .generation = true, .categories = NAMES("all"), .subs = kind_subs_status,
	 .selectable = NAMES("status.successful"), .ops = &job_ops,
	 .removal_warning = "child pods are preserved by default when jobs are deleted; set "
			    "propagationPolicy=Background to remove them or set "
			    "propagationPolicy=Orphan to suppress this warning",
	 RULES_ALONE(VALIDATED(batch_job), .validate_status = batch_job_validate_status,
		     .warn = batch_job_warn, .prepare_create = batch_job_prepare_create,
		     .template = "spec.template")},
};

const struct kind_group kind_group_apps = {rows, ARRAY_LEN(rows)};
