/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_cloud.c - the rules of the volume sources of single vendors: a table per
 * source. */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

enum { BYTE_MAX = 255, TENANT_MAX = 64 };

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

static void check_iscsi_name(const struct rule_at *at)
{
	struct str name = json_str(at->value);

	if (!str_starts(name, STR("iqn")) && !str_starts(name, STR("eui")) &&
	    !str_starts(name, STR("naa")))
		rule_invalid(at, NULL, "must be valid format starting with iqn, eui, or naa");
	else if (!is_iqn(name) && !is_hex_name(name, "eui.", 16) && !is_hex_name(name, "naa.", 16))
		rule_invalid(at, NULL, "must be valid format");
}

static bool needs_secret(const struct rule_at *at)
{
	return json_bool(json_get(at->value, "chapAuthDiscovery")) ||
	       json_bool(json_get(at->value, "chapAuthSession"));
}

static void check_flocker(const struct rule_at *at)
{
	struct str name = rule_text(at->value, "datasetName");
	struct str uuid = rule_text(at->value, "datasetUUID");

	if (!name.len && !uuid.len)
		rule_required_as(at, NULL, "one of datasetName and datasetUUID is required");
	if (name.len && uuid.len)
		rule_invalid_str(at, NULL, STR("resource"),
				 "datasetName and datasetUUID can not be specified "
				 "simultaneously");
	if (str_find_byte(name, '/', 0) >= 0)
		rule_invalid(at, "datasetName", "must not contain '/'");
}

static void check_quobyte(const struct rule_at *at)
{
	static const char pairs[] =
		"must be a host:port pair or multiple pairs separated by commas";
	struct str registry = rule_text(at->value, "registry");
	struct str rest = registry;
	struct str pair;

	if (!registry.len)
		rule_required_as(at, "registry", pairs);
	else if (rule_text(at->value, "tenant").len > TENANT_MAX)
		rule_required_as(at, "tenant",
				 "must be a UUID and may not exceed a length of 64 characters");
	else
		while (str_split(&rest, ',', &pair))
			if (str_find_byte(pair, ':', 0) < 0)
				rule_invalid(at, "registry", "%s", pairs);
}

static bool has_names(const struct rule_at *at)
{
	return json_len(json_get(at->value, "targetWWNs")) > 0;
}

static bool has_no_target(const struct rule_at *at)
{
	return !has_names(at) && !json_len(json_get(at->value, "wwids"));
}

static bool has_two_targets(const struct rule_at *at)
{
	return has_names(at) && json_len(json_get(at->value, "wwids"));
}

static void check_flex_option(const struct rule_at *at)
{
	AUTO(buf_done) struct buf domain = BUF_UNBOUNDED;
	struct str key = at->path->name;
	ptrdiff_t slash = str_find_byte(key, '/', 0);
	struct str before = str_slice(key, 0, slash < 0 ? key.len : (size_t)slash);

	buf_putc(&domain, '.');
	for (size_t i = 0; i < before.len; i++)
		buf_putc(&domain, (char)tolower((unsigned char)before.ptr[i]));
	if (str_ends(buf_str(&domain), STR(".kubernetes.io")) ||
	    str_ends(buf_str(&domain), STR(".k8s.io")))
		rule_invalid_str(at, NULL, key, "kubernetes.io and k8s.io namespaces are reserved");
}

static void check_disk_uri(const struct rule_at *at)
{
	const struct rule_texts managed = RULE_TEXTS(
		"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
		"disks/{disk-id}");
	const struct rule_texts blob = RULE_TEXTS(
		"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd");
	bool is_managed = str_is(rule_beside(at, "kind"), "Managed");
	struct str uri = json_str(at->value);

	if (is_managed && !str_starts(uri, STR("/subscriptions/")))
		causes_not_supported(at->causes, at->path, uri, managed.ptr, managed.len);
	if (!is_managed && !str_starts(uri, STR("https://")))
		causes_not_supported(at->causes, at->path, uri, blob.ptr, blob.len);
}

static bool has_kind(const struct rule_at *at)
{
	return rule_has(at->value, "kind");
}

/* --- tables ---------------------------------------------------------------------------------- */

#define R_PARTITION R_RANGE(0, BYTE_MAX), R_RANGE_AS("must be between 1 and 255, inclusive")

static const struct rule secret_rows[] = {
	{"name", R_REQUIRED},
};
static const struct rule git_rows[] = {
	{"repository", R_REQUIRED},
	{"directory", R_CHECK(rule_local_in)},
};
static const struct rule gce_rows[] = {
	{"pdName", R_REQUIRED},
	{"partition", R_PARTITION},
};
static const struct rule aws_rows[] = {
	{"volumeID", R_REQUIRED},
	{"partition", R_PARTITION},
};
static const struct rule iscsi_rows[] = {
	{"targetPortal", R_REQUIRED},
	{"iqn", R_REQUIRED},
	{"iqn", R_FILLED, R_CHECK(check_iscsi_name)},
	{"lun", R_RANGE(0, BYTE_MAX)},
	{"secretRef", R_WHEN(needs_secret), R_REQUIRED},
	{"initiatorName", R_AS("initiatorname"), R_CHECK(check_iscsi_name)},
};
static const struct rule gluster_rows[] = {
	{"endpoints", R_REQUIRED},
	{"path", R_REQUIRED},
};
static const struct rule rbd_rows[] = {
	{"monitors", R_REQUIRED},
	{"image", R_REQUIRED},
};
static const struct rule cinder_rows[] = {
	{"volumeID", R_REQUIRED},
	{"secretRef", R_OBJECT(secret_rows)},
};
static const struct rule ceph_rows[] = {
	{"monitors", R_REQUIRED},
};
static const struct rule quobyte_rows[] = {
	{R_CHECK(check_quobyte)},
	{"volume", R_REQUIRED},
};
static const struct rule fc_rows[] = {
	{"targetWWNs", R_WHEN(has_no_target), R_ALWAYS,
	 R_LACKS("must specify either targetWWNs or wwids, but not both")},
	{"targetWWNs", R_WHEN(has_two_targets),
	 R_INVALID("targetWWNs and wwids can not be specified simultaneously")},
	{"lun", R_WHEN(has_names), R_REQUIRED_AS("lun is required if targetWWNs is specified"),
	 R_RANGE(0, BYTE_MAX)},
};
static const struct rule flex_rows[] = {
	{"driver", R_REQUIRED},
	{"options", R_EACH(R_CHECK(check_flex_option))},
};
static const struct rule azure_file_rows[] = {
	{"secretName", R_REQUIRED},
	{"shareName", R_REQUIRED},
};
static const struct rule vsphere_rows[] = {
	{"volumePath", R_REQUIRED},
};
static const struct rule photon_rows[] = {
	{"pdID", R_REQUIRED},
};
static const struct rule portworx_rows[] = {
	{"volumeID", R_REQUIRED},
};
static const struct rule azure_disk_rows[] = {
	{"diskName", R_REQUIRED},
	{"diskURI", R_REQUIRED},
	{"cachingMode", R_TEXTS("None", "ReadOnly", "ReadWrite")},
	{"kind", R_TEXTS("Dedicated", "Managed", "Shared")},
	{"diskURI", R_WHEN(has_kind), R_ALWAYS, R_CHECK(check_disk_uri)},
};
static const struct rule storageos_rows[] = {
	{"volumeName", R_REQUIRED},
	{"volumeName", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"volumeNamespace", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"secretRef", R_OBJECT(secret_rows)},
};
static const struct rule scale_io_rows[] = {
	{"gateway", R_REQUIRED},
	{"system", R_REQUIRED},
	{"volumeName", R_REQUIRED},
};
static const struct rule flocker_rows[] = {
	{R_CHECK(check_flocker)},
};

const struct rules pod_cloud_rules[] = {
	[POD_CLOUD_GIT] = RULES_OF(git_rows),
	[POD_CLOUD_GCE] = RULES_OF(gce_rows),
	[POD_CLOUD_AWS] = RULES_OF(aws_rows),
	[POD_CLOUD_ISCSI] = RULES_OF(iscsi_rows),
	[POD_CLOUD_GLUSTER] = RULES_OF(gluster_rows),
	[POD_CLOUD_FLOCKER] = RULES_OF(flocker_rows),
	[POD_CLOUD_RBD] = RULES_OF(rbd_rows),
	[POD_CLOUD_CINDER] = RULES_OF(cinder_rows),
	[POD_CLOUD_CEPH] = RULES_OF(ceph_rows),
	[POD_CLOUD_QUOBYTE] = RULES_OF(quobyte_rows),
	[POD_CLOUD_FC] = RULES_OF(fc_rows),
	[POD_CLOUD_FLEX] = RULES_OF(flex_rows),
	[POD_CLOUD_AZURE_FILE] = RULES_OF(azure_file_rows),
	[POD_CLOUD_VSPHERE] = RULES_OF(vsphere_rows),
	[POD_CLOUD_PHOTON] = RULES_OF(photon_rows),
	[POD_CLOUD_PORTWORX] = RULES_OF(portworx_rows),
	[POD_CLOUD_AZURE_DISK] = RULES_OF(azure_disk_rows),
	[POD_CLOUD_STORAGEOS] = RULES_OF(storageos_rows),
	[POD_CLOUD_SCALE_IO] = RULES_OF(scale_io_rows),
};
