/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_cloud.c - the rules of the volume sources of single vendors: a table of what must
 * be there, and a function where there is more to say. */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

enum { BYTE_MAX = 255, TENANT_MAX = 64 };

static void check_partition(const struct rule_at *at)
{
	int64_t partition = json_int(json_get(at->value, "partition"));
	PATH(path, at->path, "partition");

	if (partition < 0 || partition > BYTE_MAX)
		causes_invalid_int(at->causes, &path, partition,
				   "must be between 1 and %d, inclusive", BYTE_MAX);
}

static void check_git_repo(const struct rule_at *at)
{
	PATH(path, at->path, "directory");

	rule_local(rule_text(at->value, "directory"), &path, at->causes);
}

/* Names of iSCSI ends: "iqn.2001-04.com.example:...", "eui." or "naa." and hexadecimal digits. */
static bool is_hex_name(struct str name, const char *prefix, size_t digits)
{
	struct str rest = str_skip(name, strlen(prefix));

	if (!str_starts(name, str_from(prefix)) || (rest.len != digits && rest.len != 2 * digits))
		return false;
	for (size_t i = 0; i < rest.len; i++)
		if (!isxdigit((unsigned char)rest.ptr[i]))
			return false;
	return true;
}

static bool is_iqn(struct str name)
{
	static const char pattern[] = "iqn.dddd-dd.";
	const size_t fixed = sizeof(pattern) - 1;

	if (name.len <= fixed)
		return false;
	for (size_t i = 0; i < fixed; i++)
		if (pattern[i] == 'd' && i > 3 ? !isdigit((unsigned char)name.ptr[i])
					       : name.ptr[i] != pattern[i])
			return false;
	return isalpha((unsigned char)name.ptr[fixed]);
}

static void check_iscsi_name(const struct rule_at *at, struct str name, const char *key)
{
	struct path path = path_member(at->path, str_from(key));

	if (!str_starts(name, STR("iqn")) && !str_starts(name, STR("eui")) &&
	    !str_starts(name, STR("naa")))
		causes_invalid_str(at->causes, &path, name,
				   "must be valid format starting with iqn, eui, or naa");
	else if (!is_iqn(name) && !is_hex_name(name, "eui.", 16) && !is_hex_name(name, "naa.", 16))
		causes_invalid_str(at->causes, &path, name, "must be valid format");
}

static void check_iscsi(const struct rule_at *at)
{
	PATH(secret, at->path, "secretRef");

	if (rule_text(at->value, "iqn").len)
		check_iscsi_name(at, rule_text(at->value, "iqn"), "iqn");
	rule_range(at, "lun", 0, BYTE_MAX);
	if ((json_bool(json_get(at->value, "chapAuthDiscovery")) ||
	     json_bool(json_get(at->value, "chapAuthSession"))) &&
	    !rule_has(at->value, "secretRef"))
		causes_required(at->causes, &secret, "");
	if (rule_has(at->value, "initiatorName"))
		check_iscsi_name(at, rule_text(at->value, "initiatorName"), "initiatorname");
}

static void check_flocker(const struct rule_at *at)
{
	struct str name = rule_text(at->value, "datasetName");
	struct str uuid = rule_text(at->value, "datasetUUID");
	PATH(path, at->path, "datasetName");

	if (!name.len && !uuid.len)
		causes_required(at->causes, at->path,
				"one of datasetName and datasetUUID is required");
	if (name.len && uuid.len)
		causes_invalid_str(at->causes, at->path, STR("resource"),
				   "datasetName and datasetUUID can not be specified "
				   "simultaneously");
	if (str_find_byte(name, '/', 0) >= 0)
		causes_invalid_str(at->causes, &path, name, "must not contain '/'");
}

static void check_monitors(const struct rule_at *at)
{
	PATH(path, at->path, "monitors");

	if (!json_len(json_get(at->value, "monitors")))
		causes_required(at->causes, &path, "");
}

static void check_rbd(const struct rule_at *at)
{
	check_monitors(at);
	rule_required(at, "image");
}

static void check_secret_ref(const struct rule_at *at)
{
	struct json secret = json_get(at->value, "secretRef");
	PATH(path, at->path, "secretRef");
	struct rule_at secret_at = rule_start(secret, &path, at->causes);

	if (json_is(secret, JSON_OBJ))
		rule_required(&secret_at, "name");
}

static void check_quobyte(const struct rule_at *at)
{
	static const char pairs[] =
		"must be a host:port pair or multiple pairs separated by commas";
	struct str registry = rule_text(at->value, "registry");
	struct str rest = registry;
	struct str pair;
	PATH(path, at->path, "registry");
	PATH(tenant, at->path, "tenant");

	if (!registry.len)
		causes_required(at->causes, &path, pairs);
	else if (rule_text(at->value, "tenant").len > TENANT_MAX)
		causes_required(at->causes, &tenant,
				"must be a UUID and may not exceed a length of 64 characters");
	else
		while (str_split(&rest, ',', &pair))
			if (str_find_byte(pair, ':', 0) < 0)
				causes_invalid_str(at->causes, &path, registry, "%s", pairs);
	rule_required(at, "volume");
}

static void check_fc(const struct rule_at *at)
{
	struct json names = json_get(at->value, "targetWWNs");
	size_t ids = json_len(json_get(at->value, "wwids"));
	PATH(path, at->path, "targetWWNs");
	PATH(lun, at->path, "lun");

	if (!json_len(names) && !ids)
		causes_required(at->causes, &path,
				"must specify either targetWWNs or wwids, but not both");
	if (!json_len(names))
		return;
	if (ids)
		causes_invalid(at->causes, &path, names,
			       "targetWWNs and wwids can not be specified simultaneously");
	if (!rule_has(at->value, "lun"))
		causes_required(at->causes, &lun, "lun is required if targetWWNs is specified");
	else
		rule_range(at, "lun", 0, BYTE_MAX);
}

static void check_flex(const struct rule_at *at)
{
	struct json_iter it = json_iter(json_get(at->value, "options"));
	PATH(options, at->path, "options");

	while (json_next(&it)) {
		AUTO(buf_done) struct buf domain = BUF_UNBOUNDED;
		ptrdiff_t slash = str_find_byte(it.key, '/', 0);
		struct str before = str_slice(it.key, 0, slash < 0 ? it.key.len : (size_t)slash);
		struct path path = path_key(&options, it.key);

		buf_putc(&domain, '.');
		for (size_t i = 0; i < before.len; i++)
			buf_putc(&domain, (char)tolower((unsigned char)before.ptr[i]));
		if (str_ends(buf_str(&domain), STR(".kubernetes.io")) ||
		    str_ends(buf_str(&domain), STR(".k8s.io")))
			causes_invalid_str(at->causes, &path, it.key,
					   "kubernetes.io and k8s.io namespaces are reserved");
	}
}

static void check_azure_disk(const struct rule_at *at)
{
	const struct rule_texts managed = RULE_TEXTS(
		"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
		"disks/{disk-id}");
	const struct rule_texts blob = RULE_TEXTS(
		"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd");
	bool is_managed = str_is(rule_text(at->value, "kind"), "Managed");
	struct str uri = rule_text(at->value, "diskURI");
	PATH(path, at->path, "diskURI");

	rule_text_of(at, "cachingMode", RULE_TEXTS("None", "ReadOnly", "ReadWrite"));
	rule_text_of(at, "kind", RULE_TEXTS("Dedicated", "Managed", "Shared"));
	if (!rule_has(at->value, "kind"))
		return;
	if (is_managed && !str_starts(uri, STR("/subscriptions/")))
		causes_not_supported(at->causes, &path, uri, managed.ptr, managed.len);
	if (!is_managed && !str_starts(uri, STR("https://")))
		causes_not_supported(at->causes, &path, uri, blob.ptr, blob.len);
}

static void check_storageos(const struct rule_at *at)
{
	rule_name(at, "volumeName", NAME_DNS_LABEL);
	rule_name(at, "volumeNamespace", NAME_DNS_LABEL);
	check_secret_ref(at);
}

static const struct {
	const char *key;
	const char *required[3];
	void (*more)(const struct rule_at *at); /* may be NULL */
} vendors[] = {
	{"gitRepo", {"repository"}, check_git_repo},
	{"gcePersistentDisk", {"pdName"}, check_partition},
	{"awsElasticBlockStore", {"volumeID"}, check_partition},
	{"iscsi", {"targetPortal", "iqn"}, check_iscsi},
	{"glusterfs", {"endpoints", "path"}, NULL},
	{"flocker", {NULL}, check_flocker},
	{"rbd", {NULL}, check_rbd},
	{"cinder", {"volumeID"}, check_secret_ref},
	{"cephfs", {NULL}, check_monitors},
	{"quobyte", {NULL}, check_quobyte},
	{"fc", {NULL}, check_fc},
	{"flexVolume", {"driver"}, check_flex},
	{"azureFile", {"secretName", "shareName"}, NULL},
	{"vsphereVolume", {"volumePath"}, NULL},
	{"photonPersistentDisk", {"pdID"}, NULL},
	{"portworxVolume", {"volumeID"}, NULL},
	{"azureDisk", {"diskName", "diskURI"}, check_azure_disk},
	{"storageos", {"volumeName"}, check_storageos},
	{"scaleIO", {"gateway", "system", "volumeName"}, NULL},
};

bool pod_rules_cloud(struct pod_rules *r, struct str source, struct json value,
		     const struct path *path)
{
	struct rule_at at = pod_rule_at(r, value, path);

	for (size_t i = 0; i < ARRAY_LEN(vendors); i++) {
		if (!str_is(source, vendors[i].key))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(vendors[i].required); k++)
			if (vendors[i].required[k])
				rule_required(&at, vendors[i].required[k]);
		if (vendors[i].more)
			vendors[i].more(&at);
		return true;
	}
	return false;
}
