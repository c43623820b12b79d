/* SPDX-License-Identifier: Apache-2.0 */
/* node/registry/node_lease.c - leases of nodes. A renewal that fails is not repeated: the next one comes soon. */
#include "node/registry/node_lease.h"

#include "base/macro.h"
#include "base/time.h"
#include "client/client.h"
#include "loop/loop.h"

#include "base/banned.h"

#define NAMESPACE "kube-node-lease"

static struct json_doc *make_lease(const struct node_lease *lease, bool whole)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json meta, spec;
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	if (whole) {
		json_set_str(doc, root, "apiVersion", STR("coordination.k8s.io/v1"));
		json_set_str(doc, root, "kind", STR("Lease"));
		meta = json_ensure_obj(doc, root, "metadata");
		json_set_str(doc, meta, "name", lease->name);
		json_set_str(doc, meta, "namespace", STR(NAMESPACE));
	}
	spec = json_ensure_obj(doc, root, "spec");
	json_set_str(doc, spec, "holderIdentity", lease->name);
	json_set_int(doc, spec, "leaseDurationSeconds", LEASE_SECONDS);
	json_set_str(doc, spec, "renewTime",
		     str_from(time_print_micro(loop_now(client_loop(lease->client)), time)));
	return doc;
}

static void on_created(void *arg, const struct client_result *result)
{
	struct node_lease *lease = arg;

	(void)result; /* the next renewal finds out */
	lease->request = NULL;
}

static void on_renewed(void *arg, const struct client_result *result)
{
	struct node_lease *lease = arg;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	lease->request = NULL;
	if (!result->err || result->err->code != ERR_NOT_FOUND)
		return;
	doc = make_lease(lease, true);
	lease->request =
		client_create(lease->client, &resources[RESOURCE_LEASES], doc, on_created, lease);
}

void node_lease_renew(struct node_lease *lease)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (lease->request)
		return;
	doc = make_lease(lease, false);
	lease->request = client_send(lease->client, &(struct client_ask){
							    .verb = CLIENT_PATCH,
							    .patch = CLIENT_PATCH_MERGE,
							    .resource = &resources[RESOURCE_LEASES],
							    .namespace = STR(NAMESPACE),
							    .name = lease->name,
							    .body = doc,
							    .discard = true,
							    .done = on_renewed,
							    .arg = lease,
						    });
}

void node_lease_delete(struct node_lease *lease)
{
	node_lease_stop(lease);
	(void)client_delete(lease->client, &resources[RESOURCE_LEASES], STR(NAMESPACE), lease->name,
			    NULL, NULL);
}

void node_lease_stop(struct node_lease *lease)
{
	client_cancel(TAKE(lease->request));
}
