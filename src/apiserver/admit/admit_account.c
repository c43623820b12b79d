/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_account.c - ServiceAccount: every pod runs as an account of its namespace, which must
 * be there. A pod that asks for it, itself or through its account (automountServiceAccountToken: true),
 * finds that account's token, the certificate to trust and its namespace in a volume, unless a container
 * mounts something else at that place. Kubernetes gives it to pods that say nothing as well: so do we
 * if only Kubernetes' rules are wanted (api_options.plain).
 *
 * The account "default" is assumed to exist: it is created in the same turn as its namespace
 * (reconcile_defaults.c). Kubernetes waits for it instead. Mirror pods get nothing and may refer to nothing.
 */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/number.h"
#include "loop/loop.h"

#include "base/banned.h"

#define DEFAULT_ACCOUNT "default"
#define VOLUME_PREFIX "kube-api-access-"
#define MOUNT_PATH "/var/run/secrets/kubernetes.io/serviceaccount"
#define MIRROR "kubernetes.io/config.mirror"
#define ENFORCE "kubernetes.io/enforce-mountable-secrets"

enum { SUFFIX_LEN = 5 };

static const char volume_source[] =
	"{\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
	"{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":"
	"\"ca.crt\"}]}},{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":"
	"{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],\"defaultMode\":420}";

/* --- the token ------------------------------------------------------------------------------- */

static bool wants_token(const struct call *call, struct json spec, struct json account)
{
	struct json of_pod = json_get(spec, "automountServiceAccountToken");
	struct json of_account = json_get(account, "automountServiceAccountToken");

	if (json_is(of_pod, JSON_BOOL))
		return json_bool(of_pod);
	if (json_is(of_account, JSON_BOOL))
		return json_bool(of_account);
	return call->api->options.plain;
}

/* A volume of the pod that is one of ours already (of a pod that was made from another). */
static struct str find_volume(struct json spec)
{
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	while (json_next(&it)) {
		struct str name = json_str(json_get(it.value, "name"));

		if (str_starts(name, STR(VOLUME_PREFIX)))
			return name;
	}
	return str_none();
}

static struct str make_volume_name(struct call *call)
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	struct loop *loop = api_loop(call->api);
	char suffix[SUFFIX_LEN + 1] = "";

	for (size_t i = 0; i < SUFFIX_LEN; i++)
		suffix[i] = alphabet[loop_random_below(loop, sizeof(alphabet) - 1)];
	return str_from(arena_printf(call->arena, VOLUME_PREFIX "%s", suffix));
}

static bool has_mount(struct json container)
{
	struct json_iter it = json_iter(json_get(container, "volumeMounts"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "mountPath")), MOUNT_PATH))
			return true;
	return false;
}

/* In all containers of a list but those that have something there; says whether in any. */
static bool mount_in(struct json_doc *doc, struct json containers, struct str volume)
{
	struct json_iter it = json_iter(containers);
	bool any = false;

	while (json_next(&it)) {
		struct json mount;

		if (has_mount(it.value))
			continue;
		mount = json_new_obj(doc);
		json_set_str(doc, mount, "name", volume);
		json_set_bool(doc, mount, "readOnly", true);
		json_set_str(doc, mount, "mountPath", STR(MOUNT_PATH));
		json_append(doc, json_ensure_arr(doc, it.value, "volumeMounts"), mount);
		any = true;
	}
	return any;
}

static void mount_token(struct call *call, struct json_doc *doc, struct json spec)
{
	struct str volume = arena_str(call->arena, find_volume(spec));
	bool there = volume.len > 0;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *source = NULL;
	struct json entry;

	if (!there)
		volume = make_volume_name(call);
	bool any = mount_in(doc, json_get(spec, "initContainers"), volume);

	any |= mount_in(doc, json_get(spec, "containers"), volume);
	if (there || !any)
		return;
	source = json_parse(str_from(volume_source), NULL, &err);
	entry = json_new_obj(doc);
	json_set_str(doc, entry, "name", volume);
	json_set(doc, entry, STR("projected"), json_new_copy(doc, json_doc_root(source)));
	json_append(doc, json_ensure_arr(doc, spec, "volumes"), entry);
}

static void copy_pull_secrets(struct json_doc *doc, struct json spec, struct json account)
{
	struct json_iter it = json_iter(json_get(account, "imagePullSecrets"));

	if (json_len(json_get(spec, "imagePullSecrets")))
		return;
	while (json_next(&it)) {
		struct json secret = json_new_obj(doc);

		json_set_str(doc, secret, "name", json_str(json_get(it.value, "name")));
		json_append(doc, json_ensure_arr(doc, spec, "imagePullSecrets"), secret);
	}
}

/* --- secrets that an account allows ---------------------------------------------------------- */

/* What is being looked at, for the error. */
struct secrets {
	const struct admission *admission;
	struct json allowed; /* the account's secrets */
	struct str account;
	struct err *err;
};

static bool is_allowed(struct json allowed, struct str name)
{
	struct json_iter it = json_iter(allowed);

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return true;
	return false;
}

static int check_volumes(const struct secrets *of, struct json spec)
{
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	while (json_next(&it)) {
		struct json secret = json_get(it.value, "secret");
		struct str name = json_str(json_get(secret, "secretName"));

		if (json_is(secret, JSON_OBJ) && !is_allowed(of->allowed, name))
			return admit_forbidden(of->admission, of->err,
					       "volume with secret.secretName=\"%.*s\" is not "
					       "allowed because service account %.*s does not "
					       "reference that secret",
					       STR_ARG(name), STR_ARG(of->account));
	}
	return 0;
}

static int check_env(const struct secrets *of, const char *what, struct json container)
{
	struct str name = json_str(json_get(container, "name"));
	struct json_iter it = json_iter(json_get(container, "env"));

	while (json_next(&it)) {
		struct json from =
			json_get(json_get(json_get(it.value, "valueFrom"), "secretKeyRef"), "name");

		if (json_is(from, JSON_STR) && !is_allowed(of->allowed, json_str(from)))
			return admit_forbidden(
				of->admission, of->err,
				"%s %.*s with envVar %.*s referencing secret.secretName=\"%.*s\" "
				"is not allowed because service account %.*s does not reference "
				"that secret",
				what, STR_ARG(name), STR_ARG(json_str(json_get(it.value, "name"))),
				STR_ARG(json_str(from)), STR_ARG(of->account));
	}
	for (it = json_iter(json_get(container, "envFrom")); json_next(&it);) {
		struct json from = json_get(json_get(it.value, "secretRef"), "name");

		if (json_is(from, JSON_STR) && !is_allowed(of->allowed, json_str(from)))
			return admit_forbidden(
				of->admission, of->err,
				"%s %.*s with envFrom referencing secret.secretName=\"%.*s\" is "
				"not allowed because service account %.*s does not reference that "
				"secret",
				what, STR_ARG(name), STR_ARG(json_str(from)), STR_ARG(of->account));
	}
	return 0;
}

static int check_containers(const struct secrets *of, struct json containers, const char *what)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it))
		if (check_env(of, what, it.value) < 0)
			return -1;
	return 0;
}

static int check_pull_secrets(const struct secrets *of, struct json spec, struct json account)
{
	struct json_iter it = json_iter(json_get(spec, "imagePullSecrets"));

	while (json_next(&it)) {
		struct str name = json_str(json_get(it.value, "name"));

		if (!is_allowed(json_get(account, "imagePullSecrets"), name))
			return admit_forbidden(of->admission, of->err,
					       "imagePullSecrets[%zu].name=\"%.*s\" is not allowed "
					       "because service account %.*s does not reference "
					       "that imagePullSecret",
					       it.index, STR_ARG(name), STR_ARG(of->account));
	}
	return 0;
}

static int check_secrets(const struct admission *admission, struct json spec, struct json account,
			 struct err *err)
{
	struct json annotations = json_get(json_get(account, "metadata"), "annotations");
	struct secrets of = {admission, json_get(account, "secrets"),
			     json_str(json_get(json_get(account, "metadata"), "name")), err};
	bool enforced = false;

	if (number_parse_bool(json_str(json_get(annotations, ENFORCE)), &enforced, NULL) < 0 ||
	    !enforced)
		return 0;
	if (check_volumes(&of, spec) < 0 ||
	    check_containers(&of, json_get(spec, "initContainers"), "init container") < 0 ||
	    check_containers(&of, json_get(spec, "containers"), "container") < 0)
		return -1;
	return check_pull_secrets(&of, spec, account);
}

/* --- pods ------------------------------------------------------------------------------------ */

static int check_mirror(const struct admission *admission, struct json spec, struct err *err)
{
	if (json_str(json_get(spec, "serviceAccountName")).len)
		return admit_forbidden(admission, err,
				       "a mirror pod may not reference service accounts");
	return 0;
}

static int admit_account(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	struct json_doc *doc = admission->doc;
	struct json spec = json_get(admission->object, "spec");
	struct json annotations = json_get(json_get(admission->object, "metadata"), "annotations");
	const struct kind *kind =
		kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("serviceaccounts"));
	AUTO(json_doc_unref) struct json_doc *found = NULL;
	struct str name;
	struct json account;

	if (!json_is(spec, JSON_OBJ))
		return 0; /* validation reports it */
	if (!json_is_absent(json_get(annotations, MIRROR)))
		return check_mirror(admission, spec, err);
	if (!json_str(json_get(spec, "serviceAccountName")).len) {
		json_set_str(doc, spec, "serviceAccountName", STR(DEFAULT_ACCOUNT));
		json_set_str(doc, spec, "serviceAccount", STR(DEFAULT_ACCOUNT));
	}
	name = json_str(json_get(spec, "serviceAccountName"));
	found = api_read_newest(call->api, kind, call->namespace, name);
	if (!found && !str_is(name, DEFAULT_ACCOUNT))
		return admit_forbidden(admission, err,
				       "error looking up service account %.*s/%.*s: serviceaccount "
				       "\"%.*s\" not found",
				       STR_ARG(call->namespace), STR_ARG(name), STR_ARG(name));
	account = found ? json_doc_root(found) : JSON_NONE;
	if (wants_token(call, spec, account))
		mount_token(call, doc, spec);
	copy_pull_secrets(doc, spec, account);
	return check_secrets(admission, spec, account, err);
}

const struct admitter admitter_account = {ADMIT_PODS("ServiceAccount"), .verbs = ADMIT_CREATE,
					  .change = admit_account};
