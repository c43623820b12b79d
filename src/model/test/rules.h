/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the built-in kinds' rules share: the kinds, documents in single quotes, and causes as
 * text. Rules of creation are in rules.c; those of updates, and defaults, in rules_update.c. */
#ifndef MODEL_TEST_RULES_H
#define MODEL_TEST_RULES_H

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/doc.h"
#include "model/core/binding.h"
#include "model/core/configmap.h"
#include "model/core/event.h"
#include "model/core/limitrange.h"
#include "model/core/namespace.h"
#include "model/core/node.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/core/quota.h"
#include "model/core/secret.h"
#include "model/core/service.h"
#include "model/group/disruption.h"
#include "model/group/endpoints.h"
#include "model/group/ingress.h"
#include "model/group/lease.h"
#include "model/group/networkpolicy.h"
#include "model/group/priorityclass.h"
#include "model/group/rbac.h"
#include "model/group/runtimeclass.h"
#include "model/group/storage.h"
#include "model/group/webhookconfig.h"
#include "model/workload/batchjob.h"
#include "model/workload/controllerrevision.h"
#include "model/workload/workload.h"
#include "quoted.h"
#include "tap.h"

typedef void create_fn(struct json object, struct causes *causes);
typedef void update_fn(struct json object, struct json old, struct causes *causes);

/* Functions that are NULL: by the rules of the type. */
struct kind {
	const struct type *type;
	create_fn *create;
	update_fn *update;
	bool status; /* an update is of the status */
};
#define KIND(noun)                                                                                 \
	__attribute__((unused)) static const struct kind noun = {.type = &noun##_type,             \
								 .create = noun##_validate_create, \
								 .update = noun##_validate_update}
#define TYPED(noun) __attribute__((unused)) static const struct kind noun = {.type = &noun##_type}
TYPED(binding);
__attribute__((unused)) static const struct kind webhooks = {
	.type = &mutating_webhook_configuration_type};
TYPED(controllerrevision);
TYPED(networkpolicy);
TYPED(node);
TYPED(namespace);
TYPED(configmap);
TYPED(secret);
KIND(event);
KIND(events_event);
TYPED(priorityclass);
TYPED(lease);
TYPED(pdb);
TYPED(quota);
TYPED(limitrange);
TYPED(pvc);
TYPED(pv);
TYPED(storageclass);
TYPED(csinode);
TYPED(csidriver);
TYPED(volumeattachment);
TYPED(csistoragecapacity);
TYPED(service);
TYPED(endpoints);
TYPED(endpoint_slice);
TYPED(role);
TYPED(clusterrole);
TYPED(rolebinding);
TYPED(clusterrolebinding);
TYPED(runtimeclass);
TYPED(deployment);
TYPED(replicaset);
TYPED(statefulset);
TYPED(daemonset);
TYPED(replicationcontroller);
TYPED(ingress);
TYPED(ingressclass);
__attribute__((unused)) static const struct kind ingress_status = {.type = &ingress_type,
								   .status = true};
KIND(batch_job);
__attribute__((unused)) static const struct kind job_status = {.type = &batch_job_type,
							       .update = batch_job_validate_status};
KIND(batch_cron_job);

/* A document in JSON with ' for ". */
__attribute__((unused)) static struct json_doc *parse(const char *text, const struct type *type)
{
	AUTO(json_doc_unref) struct json_doc *read = quoted_doc(text);
	struct json_doc *doc;
	struct err err = {0};

	ok(type_check_types(type, json_doc_root(read), &err) == 0, "has the right types %s",
	   err.text);
	doc = json_doc_thaw(json_doc_root(read));
	type_default(type, doc, json_doc_root(doc));
	return doc;
}

__attribute__((unused)) static void compare(const struct causes *causes, const char *want)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < causes->len; i++)
		buf_printf(&text, "%s%s: %s", i ? "\n" : "", causes->ptr[i].field,
			   causes->ptr[i].message);
	is(buf_text(&text), want);
}

#define META "'metadata':{'name':'a','namespace':'n'}"
#define CLUSTER "'metadata':{'name':'a'}"
#define POD                                                                                     \
	"'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image'" \
	":'i'}]}}"
#define CHOOSE "'selector':{'matchLabels':{'a':'b'}}"
#define SUBDOMAIN                                                                                 \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' " \
	"or "                                                                                     \
	"'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "  \
	"used for validation is "                                                                 \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define JOB(more)                                                                         \
	"{" META ",'spec':{" more ",'template':{'metadata':{'labels':{'a':'b'}},'spec':{" \
	"'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}"
#define STATUS(more) "{" META ",'spec':{'completions':2,'template':{}},'status':{" more "}}"

#endif
