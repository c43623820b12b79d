/* SPDX-License-Identifier: Apache-2.0 */
/* pod_fields.c - every field of a pod's spec: what the node makes of it.
 *
 *	pod-fields-conformance FOLDER...
 *
 * The field tables of model/ say which fields there are; the table here says of each whether the node does what it
 * says, whether that is the matter of another program, whether it makes no difference here, or whether it is refused or
 * warned about by name. A field that is in no row fails, and so does a row that no field has. What is said to be named
 * is tried; what is said to be done must be spoken of by a test: a file in one of the folders has the word. */
#include <dirent.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/macro.h"
#include "base/mem.h"
#include "json/yaml.h"
#include "model/pod/pod.h"
#include "node/pod/unsupported.h"
#include "tap.h"

enum is {
	DONE,      /* `word`: what tests must speak of; NULL: the last part of the path */
	ELSEWHERE, /* `word`: whose matter it is */
	SAME,      /* `word`: why it makes no difference */
	NAMED,     /* `word`: a value that is refused or warned about */
};

static const struct row {
	const char *path; /* a field, or all below it; containers[] are init containers, too */
	enum is is;
	const char *word;
} rows[] = {
	{"activeDeadlineSeconds", DONE, NULL},
	{"affinity", ELSEWHERE, "scheduler"},
	{"automountServiceAccountToken", ELSEWHERE, "API server: adds the volume or does not"},
	{"containers[].args", DONE, NULL},
	{"containers[].command", DONE, NULL},
	{"containers[].env", DONE, NULL},
	{"containers[].env[].valueFrom.configMapKeyRef", DONE, NULL},
	{"containers[].env[].valueFrom.fieldRef", DONE, NULL},
	{"containers[].env[].valueFrom.fileKeyRef", NAMED, "{key: k}"},
	{"containers[].env[].valueFrom.resourceFieldRef", DONE, NULL},
	{"containers[].env[].valueFrom.secretKeyRef", DONE, NULL},
	{"containers[].envFrom", DONE, NULL},
	{"containers[].envFrom[].prefix", DONE, NULL},
	{"containers[].image", DONE, NULL},
	{"containers[].imagePullPolicy", DONE, NULL},
	{"containers[].lifecycle.postStart", DONE, NULL},
	{"containers[].lifecycle.preStop", DONE, NULL},
	{"containers[].lifecycle.stopSignal", NAMED, "SIGINT"},
	{"containers[].livenessProbe", DONE, NULL},
	{"containers[].livenessProbe.exec", DONE, NULL},
	{"containers[].livenessProbe.failureThreshold", DONE, NULL},
	{"containers[].livenessProbe.grpc", NAMED, "{port: 1}"},
	{"containers[].livenessProbe.httpGet", DONE, NULL},
	{"containers[].livenessProbe.httpGet.httpHeaders", DONE, NULL},
	{"containers[].livenessProbe.initialDelaySeconds", DONE, NULL},
	{"containers[].livenessProbe.periodSeconds", DONE, NULL},
	{"containers[].livenessProbe.tcpSocket", DONE, NULL},
	{"containers[].livenessProbe.terminationGracePeriodSeconds", DONE, NULL},
	{"containers[].livenessProbe.timeoutSeconds", DONE, NULL},
	{"containers[].name", DONE, NULL},
	{"containers[].ports", DONE, NULL},
	{"containers[].ports[].hostIP", SAME, "without hostPort, which is named"},
	{"containers[].ports[].hostPort", NAMED, "80"},
	{"containers[].readinessProbe", DONE, NULL},
	{"containers[].readinessProbe.grpc", NAMED, "{port: 1}"},
	{"containers[].readinessProbe.successThreshold", DONE, NULL},
	{"containers[].resizePolicy", SAME, "the resources of a pod that runs do not change"},
	{"containers[].resources.claims", NAMED, "[{name: c}]"},
	{"containers[].resources.limits", DONE, NULL},
	{"containers[].resources.limits", NAMED, "{hugepages-2Mi: 4Mi}"},
	{"containers[].resources.requests", DONE, NULL},
	{"containers[].restartPolicy", DONE, NULL},
	{"containers[].restartPolicyRules", NAMED, "[{action: Restart}]"},
	{"containers[].securityContext.allowPrivilegeEscalation", DONE, NULL},
	{"containers[].securityContext.appArmorProfile", NAMED, "{type: RuntimeDefault}"},
	{"containers[].securityContext.capabilities", DONE, NULL},
	{"containers[].securityContext.privileged", DONE, NULL},
	{"containers[].securityContext.procMount", NAMED, "Unmasked"},
	{"containers[].securityContext.readOnlyRootFilesystem", DONE, NULL},
	{"containers[].securityContext.runAsGroup", DONE, NULL},
	{"containers[].securityContext.runAsNonRoot", DONE, NULL},
	{"containers[].securityContext.runAsUser", DONE, NULL},
	{"containers[].securityContext.seLinuxOptions", NAMED, "{level: s0}"},
	{"containers[].securityContext.seccompProfile", NAMED, "{type: RuntimeDefault}"},
	{"containers[].securityContext.windowsOptions", NAMED, "{hostProcess: true}"},
	{"containers[].startupProbe", DONE, NULL},
	{"containers[].startupProbe.grpc", NAMED, "{port: 1}"},
	{"containers[].stdin", NAMED, "true"},
	{"containers[].stdinOnce", SAME, "without stdin, which is named"},
	{"containers[].terminationMessagePath", DONE, NULL},
	{"containers[].terminationMessagePolicy", DONE, NULL},
	{"containers[].tty", DONE, NULL},
	{"containers[].volumeDevices", NAMED, "[{name: d, devicePath: /d}]"},
	{"containers[].volumeMounts", DONE, NULL},
	{"containers[].volumeMounts[].mountPropagation", NAMED, "Bidirectional"},
	{"containers[].volumeMounts[].readOnly", DONE, NULL},
	{"containers[].volumeMounts[].recursiveReadOnly", NAMED, "Enabled"},
	{"containers[].volumeMounts[].subPath", DONE, NULL},
	{"containers[].volumeMounts[].subPathExpr", DONE, NULL},
	{"containers[].workingDir", DONE, NULL},
	{"dnsConfig", DONE, NULL},
	{"dnsPolicy", DONE, NULL},
	{"enableServiceLinks", DONE, NULL},
	{"ephemeralContainers", NAMED, "[{name: e}]"},
	{"hostAliases", DONE, NULL},
	{"hostIPC", NAMED, "true"},
	{"hostNetwork", DONE, NULL},
	{"hostPID", DONE, NULL},
	{"hostUsers", NAMED, "false"},
	{"hostname", DONE, NULL},
	{"hostnameOverride", NAMED, "h"},
	{"imagePullSecrets", NAMED, "[{name: s}]"},
	{"nodeName", DONE, NULL},
	{"nodeSelector", ELSEWHERE, "scheduler"},
	{"os", NAMED, "{name: windows}"},
	{"overhead", ELSEWHERE, "scheduler"},
	{"preemptionPolicy", ELSEWHERE, "scheduler"},
	{"priority", DONE, NULL},
	{"priorityClassName", ELSEWHERE, "API server: sets the priority"},
	{"readinessGates", DONE, NULL},
	{"resourceClaims", NAMED, "[{name: c}]"},
	{"resources", NAMED, "{limits: {cpu: 1}}"},
	{"restartPolicy", DONE, NULL},
	{"runtimeClassName", NAMED, "kata"},
	{"schedulerName", ELSEWHERE, "schedulers"},
	{"schedulingGates", ELSEWHERE, "scheduler"},
	{"securityContext.appArmorProfile", NAMED, "{type: RuntimeDefault}"},
	{"securityContext.fsGroup", DONE, NULL},
	{"securityContext.fsGroupChangePolicy", SAME, "volumes are small, and gone through once"},
	{"securityContext.runAsGroup", DONE, NULL},
	{"securityContext.runAsNonRoot", DONE, NULL},
	{"securityContext.runAsUser", DONE, NULL},
	{"securityContext.seLinuxChangePolicy", NAMED, "Recursive"},
	{"securityContext.seLinuxOptions", NAMED, "{level: s0}"},
	{"securityContext.seccompProfile", NAMED, "{type: Localhost, localhostProfile: p}"},
	{"securityContext.supplementalGroups", DONE, NULL},
	{"securityContext.supplementalGroupsPolicy", NAMED, "Merge"},
	{"securityContext.sysctls", NAMED, "[{name: n, value: v}]"},
	{"securityContext.windowsOptions", NAMED, "{hostProcess: true}"},
	{"serviceAccount", SAME, "the old name of serviceAccountName"},
	{"serviceAccountName", DONE, NULL},
	{"setHostnameAsFQDN", NAMED, "true"},
	{"shareProcessNamespace", NAMED, "true"},
	{"subdomain", DONE, NULL},
	{"terminationGracePeriodSeconds", DONE, NULL},
	{"tolerations", ELSEWHERE, "scheduler; of pressure, the node"},
	{"topologySpreadConstraints", ELSEWHERE, "scheduler"},
	{"volumes[].awsElasticBlockStore", NAMED, "{volumeID: v}"},
	{"volumes[].azureDisk", NAMED, "{diskName: d}"},
	{"volumes[].azureFile", NAMED, "{shareName: s}"},
	{"volumes[].cephfs", NAMED, "{path: /}"},
	{"volumes[].cinder", NAMED, "{volumeID: v}"},
	{"volumes[].configMap", DONE, NULL},
	{"volumes[].configMap.defaultMode", DONE, NULL},
	{"volumes[].configMap.items", DONE, NULL},
	{"volumes[].configMap.optional", DONE, NULL},
	{"volumes[].csi", NAMED, "{driver: d}"},
	{"volumes[].downwardAPI", DONE, NULL},
	{"volumes[].emptyDir.medium", DONE, NULL},
	{"volumes[].emptyDir.sizeLimit", DONE, NULL},
	{"volumes[].ephemeral", DONE, NULL},
	{"volumes[].fc", NAMED, "{lun: 1}"},
	{"volumes[].flexVolume", NAMED, "{driver: d}"},
	{"volumes[].flocker", NAMED, "{datasetName: d}"},
	{"volumes[].gcePersistentDisk", NAMED, "{pdName: p}"},
	{"volumes[].gitRepo", NAMED, "{repository: r}"},
	{"volumes[].glusterfs", NAMED, "{path: p}"},
	{"volumes[].hostPath", DONE, NULL},
	{"volumes[].image", NAMED, "{reference: r}"},
	{"volumes[].iscsi", NAMED, "{iqn: i}"},
	{"volumes[].name", DONE, NULL},
	{"volumes[].nfs", NAMED, "{server: s, path: /}"},
	{"volumes[].persistentVolumeClaim", DONE, NULL},
	{"volumes[].photonPersistentDisk", NAMED, "{pdID: p}"},
	{"volumes[].portworxVolume", NAMED, "{volumeID: v}"},
	{"volumes[].projected", DONE, NULL},
	{"volumes[].projected.sources[].clusterTrustBundle", NAMED, "{path: p}"},
	{"volumes[].projected.sources[].podCertificate", NAMED, "{keyType: k}"},
	{"volumes[].projected.sources[].serviceAccountToken", DONE, NULL},
	{"volumes[].quobyte", NAMED, "{volume: v}"},
	{"volumes[].rbd", NAMED, "{image: i}"},
	{"volumes[].scaleIO", NAMED, "{volumeName: v}"},
	{"volumes[].secret", DONE, NULL},
	{"volumes[].storageos", NAMED, "{volumeName: v}"},
	{"volumes[].vsphereVolume", NAMED, "{volumePath: p}"},
};

/* --- fields --- */

/* Is it this field, or one below it? */
static bool is_of(struct str field, const char *path)
{
	struct str rest = str_skip(field, strlen(path));

	return str_starts(field, str_from(path)) &&
	       (!rest.len || rest.ptr[0] == '.' || rest.ptr[0] == '[');
}

struct used {
	bool row[ARRAY_LEN(rows)];
};

/* The rows of a field: those with the longest path. */
static bool find_rows(struct str field, struct used *used)
{
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (is_of(field, rows[i].path) && strlen(rows[i].path) > longest)
			longest = strlen(rows[i].path);
	for (size_t i = 0; longest && i < ARRAY_LEN(rows); i++)
		if (is_of(field, rows[i].path) && strlen(rows[i].path) == longest)
			used->row[i] = true;
	return longest > 0;
}

/* Every field below a type; one of an object may have rows of its own. */
static void check_type(const struct type *type, const char *above, struct used *used)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
		bool init = !*above && str_is(str_from(field->name), "initContainers");

		buf_printf(&path, "%s%s%s", above, *above ? "." : "",
			   init ? "containers" : field->name);
		for (; field->is == FIELD_LIST || field->is == FIELD_MAP; field = field->of)
			buf_puts(&path, field->is == FIELD_LIST ? "[]" : "");
		if (field->is == FIELD_OBJECT)
			check_type(field->type, buf_text(&path), used);
		else
			ok(find_rows(buf_str(&path), used), "%s is spoken of", buf_text(&path));
	}
}

/* --- what is named --- */

static void note(void *arg, enum unsupported_is is, struct str field, const char *why)
{
	buf_printf(arg, "%.*s %s %s\n", STR_ARG(field),
		   is == UNSUPPORTED_REFUSED ? "refused" : "warned", why);
}

/* `a[].b` with a value as a document, {a: [{b: value}]}, and as a field, a[0].b. */
static void check_named(const struct row *row)
{
	static const struct unsupported_world world = {.root = true, .namespaces = true};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf field = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf told = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct str rest = str_from(row->path);
	struct str part;
	struct err err = {0};
	bool lists[16];
	size_t depth = 0;

	buf_puts(&text, "{spec: ");
	buf_puts(&field, "spec");
	while (str_split(&rest, '.', &part)) {
		bool list = str_ends(part, STR("[]"));

		part.len -= list ? 2 : 0;
		buf_printf(&text, "{%.*s: %s", STR_ARG(part), list ? "[" : "");
		buf_printf(&field, ".%.*s%s", STR_ARG(part), list ? "[0]" : "");
		lists[depth++] = list;
	}
	buf_puts(&text, row->word);
	while (depth--)
		buf_puts(&text, lists[depth] ? "]}" : "}");
	buf_putc(&text, '}');
	doc = yaml_parse(buf_str(&text), NULL, &err);
	ok(doc != NULL, "%s can be read %s", buf_text(&text), err.text);
	if (doc)
		(void)unsupported_walk(json_doc_root(doc), &world, note, &told);
	ok(str_starts(buf_str(&told), buf_str(&field)), "%s: %s is named", row->path, row->word);
}

/* --- what is done --- */

static void read_folder(const char *folder, struct buf *to)
{
	struct dirent **names = NULL;
	int count = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, names[i]->d_name);
		AUTO(buf_done) struct buf text = BUF_INIT(1 << 20);

		if (fd_read_file(path, &text, NULL) == 0)
			buf_put_str(to, buf_str(&text));
		free(names[i]);
	}
	free((void *)names);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* As a word of its own. */
static bool has_word(struct str text, struct str word)
{
	ptrdiff_t at = -1;

	while ((at = str_find(text, word, (size_t)(at + 1))) >= 0) {
		size_t end = (size_t)at + word.len;

		if ((at == 0 || !is_letter(text.ptr[at - 1])) &&
		    (end == text.len || !is_letter(text.ptr[end])))
			return true;
	}
	return false;
}

static void check_done(const struct row *row, struct str tests)
{
	struct str path = str_from(row->path);
	ptrdiff_t dot = str_rfind_byte(path, '.');

	ok(has_word(tests, str_skip(path, (size_t)(dot + 1))), "%s has a test", row->path);
}

int main(int argc, char **argv)
{
	AUTO(buf_done) struct buf tests = BUF_UNBOUNDED;
	struct used used = {0};

	for (int i = 1; i < argc; i++)
		read_folder(argv[i], &tests);
	check_type(&pod_spec_type, "", &used);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ok(used.row[i], "%s is a field", rows[i].path);
		if (rows[i].is == NAMED)
			check_named(&rows[i]);
		else if (rows[i].is == DONE)
			check_done(&rows[i], buf_str(&tests));
		else
			ok(rows[i].word, "%s is left to: %s", rows[i].path, rows[i].word);
	}
	return tap_done();
}
