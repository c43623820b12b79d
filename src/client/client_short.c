/* SPDX-License-Identifier: Apache-2.0 */
/* client/client_short.c - the short forms of common requests. */
#include "client/client.h"

#include "base/banned.h"

struct client_request *client_get(struct client *client, const struct resource *resource,
				  struct str namespace, struct str name, client_done_fn *done,
				  void *arg)
{
	return client_send(client, &(struct client_ask){.verb = CLIENT_GET,
							.resource = resource,
							.namespace = namespace,
							.name = name,
							.done = done,
							.arg = arg});
}

struct client_request *client_list(struct client *client, const struct resource *resource,
				   struct str namespace, client_done_fn *done, void *arg)
{
	return client_send(client, &(struct client_ask){.verb = CLIENT_LIST,
							.resource = resource,
							.namespace = namespace,
							.done = done,
							.arg = arg});
}

static struct json meta_of(struct json_doc *doc)
{
	return json_get(json_doc_root(doc), "metadata");
}

struct client_request *client_create(struct client *client, const struct resource *resource,
				     struct json_doc *body, client_done_fn *done, void *arg)
{
	return client_send(client,
			   &(struct client_ask){
				   .verb = CLIENT_CREATE,
				   .resource = resource,
				   .namespace = json_str(json_get(meta_of(body), "namespace")),
				   .body = body,
				   .done = done,
				   .arg = arg,
			   });
}

struct client_request *client_update(struct client *client, const struct resource *resource,
				     const char *sub, struct json_doc *body, client_done_fn *done,
				     void *arg)
{
	return client_send(client,
			   &(struct client_ask){
				   .verb = CLIENT_UPDATE,
				   .resource = resource,
				   .namespace = json_str(json_get(meta_of(body), "namespace")),
				   .name = json_str(json_get(meta_of(body), "name")),
				   .sub = str_from(sub),
				   .body = body,
				   .done = done,
				   .arg = arg,
			   });
}

struct client_request *client_delete(struct client *client, const struct resource *resource,
				     struct str namespace, struct str name, client_done_fn *done,
				     void *arg)
{
	return client_send(client, &(struct client_ask){
					   .verb = CLIENT_DELETE,
					   .resource = resource,
					   .namespace = namespace,
					   .name = name,
					   .propagation = CLIENT_BACKGROUND,
					   .done = done,
					   .arg = arg,
				   });
}

struct client_request *client_bind(struct client *client, const struct client_bind *bind,
				   client_done_fn *done, void *arg)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json meta, target;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("Binding"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", bind->name);
	json_set_str(doc, meta, "namespace", bind->namespace);
	if (bind->uid.len)
		json_set_str(doc, meta, "uid", bind->uid);
	if (json_len(bind->annotations))
		json_add(doc, meta, STR("annotations"), json_new_copy(doc, bind->annotations));
	target = json_ensure_obj(doc, root, "target");
	json_set_str(doc, target, "apiVersion", STR("v1"));
	json_set_str(doc, target, "kind", STR("Node"));
	json_set_str(doc, target, "name", bind->node);
	return client_send(client, &(struct client_ask){
					   .verb = CLIENT_CREATE,
					   .resource = &resources[RESOURCE_PODS],
					   .namespace = bind->namespace,
					   .name = bind->name,
					   .sub = STR("binding"),
					   .body = doc,
					   .discard = true,
					   .done = done,
					   .arg = arg,
				   });
}
