/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_default.c - the defaults of a pod, as in kube-apiserver 1.34.
 *
 * The hooks run from the leaves up, after the rows' own defaults, after empty values were removed:
 * a hook only has to check for absent members. What the server's admission adds (tolerations,
 * priority, the service account and its token) is not here. */
#include "model/pod/pod_default.h"

#include "model/pod/pod_total.h"
#include "model/value/image_name.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum { TOKEN_SECONDS = 3600, FILE_MODE = 0644, GRACE_SECONDS = 30 };

struct text_default {
	const char *key;
	const char *text;
};
struct number_default {
	const char *key;
	int64_t number;
};

static bool lacks(struct json object, const char *key)
{
	struct json value = json_get(object, key);

	return json_is_absent(value) || json_is(value, JSON_NULL);
}

static void fill_texts(struct json_doc *doc, struct json object, const struct text_default *rows,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lacks(object, rows[i].key))
			json_set_str(doc, object, rows[i].key, str_from(rows[i].text));
}

static void fill_number(struct json_doc *doc, struct json object, const char *key, int64_t number)
{
	if (lacks(object, key))
		json_set_int(doc, object, key, number);
}

/* --- parts ----------------------------------------------------------------------------------- */

/* Always for the newest of an image, else IfNotPresent. */
static void fill_pull_policy(struct json_doc *doc, struct json object, const char *key,
			     const char *image_key)
{
	bool latest = image_name_is_latest(json_str(json_get(object, image_key)));

	if (lacks(object, key))
		json_set_str(doc, object, key, latest ? STR("Always") : STR("IfNotPresent"));
}

void pod_default_container(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {
		{"terminationMessagePath", "/dev/termination-log"},
		{"terminationMessagePolicy", "File"},
	};

	fill_pull_policy(doc, object, "imagePullPolicy", "image");
	fill_texts(doc, object, texts, ARRAY_LEN(texts));
}

void pod_default_probe(struct json_doc *doc, struct json object)
{
	static const struct number_default numbers[] = {
		{"timeoutSeconds", 1},
		{"periodSeconds", 10},
		{"successThreshold", 1},
		{"failureThreshold", 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		fill_number(doc, object, numbers[i].key, numbers[i].number);
}

void pod_default_http_get(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {{"path", "/"}, {"scheme", "HTTP"}};

	fill_texts(doc, object, texts, ARRAY_LEN(texts));
}

void pod_default_field_ref(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {{"apiVersion", "v1"}};

	fill_texts(doc, object, texts, ARRAY_LEN(texts));
}

/* podIP is the first of podIPs, and rules if they differ. */
void pod_default_status(struct json_doc *doc, struct json object)
{
	struct json list = json_get(object, "podIPs");
	struct str first = json_str(json_get(json_at(list, 0), "ip"));
	struct str ip = json_str(json_get(object, "podIP"));

	if (!ip.len && first.len) {
		json_set_str(doc, object, "podIP", first);
	} else if (ip.len && !str_eq(ip, first)) {
		struct json only = json_new_obj(doc);

		list = json_new_arr(doc);
		json_set_str(doc, only, "ip", ip);
		json_append(doc, list, only);
		json_set(doc, object, STR("podIPs"), list);
	}
}

/* --- volumes --------------------------------------------------------------------------------- */

void pod_default_volume(struct json_doc *doc, struct json object)
{
	struct json image = json_get(object, "image");
	struct json_iter it = json_iter(object);
	bool sourced = false;

	while (json_next(&it))
		sourced = sourced || json_is(it.value, JSON_OBJ);
	if (!sourced)
		json_set(doc, object, STR("emptyDir"), json_new_obj(doc));
	if (json_is(image, JSON_OBJ))
		fill_pull_policy(doc, image, "pullPolicy", "reference");
}

void pod_default_host_path(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {{"type", ""}};

	fill_texts(doc, object, texts, ARRAY_LEN(texts));
}

void pod_default_mode(struct json_doc *doc, struct json object)
{
	fill_number(doc, object, "defaultMode", FILE_MODE);
}

void pod_default_token(struct json_doc *doc, struct json object)
{
	fill_number(doc, object, "expirationSeconds", TOKEN_SECONDS);
}

void pod_default_claim(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {{"volumeMode", "Filesystem"}};

	fill_texts(doc, object, texts, ARRAY_LEN(texts));
}

/* --- the spec, and the pod ------------------------------------------------------------------- */

/* serviceAccount is the old name of serviceAccountName: both are kept, and the new one rules. */
static void fill_account(struct json_doc *doc, struct json spec)
{
	struct str name = json_str(json_get(spec, "serviceAccountName"));
	struct str old = json_str(json_get(spec, "serviceAccount"));

	if (name.len)
		json_set_str(doc, spec, "serviceAccount", name);
	else if (old.len)
		json_set_str(doc, spec, "serviceAccountName", old);
}

void pod_default_spec(struct json_doc *doc, struct json object)
{
	static const struct text_default texts[] = {
		{"dnsPolicy", "ClusterFirst"},
		{"restartPolicy", "Always"},
		{"schedulerName", "default-scheduler"},
	};

	fill_texts(doc, object, texts, ARRAY_LEN(texts));
	fill_number(doc, object, "terminationGracePeriodSeconds", GRACE_SECONDS);
	(void)json_ensure_obj(doc, object, "securityContext");
	fill_account(doc, object);
}

/* A limit without a request is also the request. */
static void requests_from_limits(struct json_doc *doc, struct json containers)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it)) {
		struct json resources = json_get(it.value, "resources");
		struct json_iter limit = json_iter(json_get(resources, "limits"));
		struct json requests;

		if (!json_len(json_get(resources, "limits")))
			continue;
		requests = json_ensure_obj(doc, resources, "requests");
		while (json_next(&limit))
			if (json_is_absent(json_get_str(requests, limit.key)))
				json_add(doc, requests, limit.key, json_new_copy(doc, limit.value));
	}
}

/* On the host's network a port is the host's. */
static void host_ports(struct json_doc *doc, struct json containers)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it)) {
		struct json_iter port = json_iter(json_get(it.value, "ports"));

		while (json_next(&port))
			if (!json_int(json_get(port.value, "hostPort")))
				json_set_int(doc, port.value, "hostPort",
					     json_int(json_get(port.value, "containerPort")));
	}
}

void pod_default(struct json_doc *doc, struct json object)
{
	struct json spec = json_get(object, "spec");
	struct json containers = json_get(spec, "containers");
	struct json init = json_get(spec, "initContainers");

	if (!json_is(spec, JSON_OBJ))
		return;
	requests_from_limits(doc, containers);
	requests_from_limits(doc, init);
	pod_total_default(doc, spec);
	if (json_int(json_get(spec, "terminationGracePeriodSeconds")) < 0)
		json_set_int(doc, spec, "terminationGracePeriodSeconds", 1);
	if (lacks(spec, "enableServiceLinks"))
		json_set_bool(doc, spec, "enableServiceLinks", true);
	if (json_bool(json_get(spec, "hostNetwork"))) {
		host_ports(doc, containers);
		host_ports(doc, init);
	}
}
