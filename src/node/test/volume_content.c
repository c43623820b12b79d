/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_content.h: which files a volume has. */
#include "node/volume/volume_content.h"

#include "base/buf.h"
#include "pods.h"
#include "tap.h"

#define OBJECTS                                                         \
	"configmaps:\n"                                                 \
	"  settings: {data: {a: one, b: two}, binaryData: {c: AAEC}}\n" \
	"secrets:\n"                                                    \
	"  keys: {data: {s: c2VjcmV0}}\n"                               \
	"allocatable: {cpu: 2}\n"

static int give_token(void *arg, const struct token_projection *token, struct str *ret,
		      struct err *err)
{
	(void)arg;
	if (str_is(token->audience, "no-one"))
		return err_set(err, ERR_FORBIDDEN, "not for %.*s", STR_ARG(token->audience));
	*ret = STR("t0ken");
	return 0;
}

/* "path mode data" a line, or the error. */
static const char *content_of(const char *volume, struct buf *to)
{
	AUTO(pods_close) struct pods pods;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct atomic_folder_file *files = NULL;
	struct err err = {0};
	size_t len = 0;

	buf_printf(&text,
		   "metadata: {name: p, namespace: ns, labels: {a: b}}\n"
		   "spec:\n"
		   "  securityContext: {runAsUser: 7}\n"
		   "  containers: [{name: c, resources: {limits: {cpu: 1500m}}}]\n"
		   "  volumes: [{name: v, %s}]\n",
		   volume);
	pods_open(&pods, buf_text(&text), OBJECTS);
	pods.sandbox.token = give_token;
	buf_clear(to);
	if (volume_content(&pods.sandbox, &pods.pod.spec.volumes.ptr[0], pods.arena, &files, &len,
			   &err) < 0) {
		buf_puts(to, err.text);
		return buf_text(to);
	}
	for (size_t i = 0; i < len; i++) {
		buf_printf(to, "%.*s %o ", STR_ARG(files[i].path), files[i].mode);
		buf_put_json(to, files[i].data);
		if (files[i].uid >= 0)
			buf_printf(to, " of %ld", (long)files[i].uid);
		buf_putc(to, '\n');
	}
	return buf_text(to);
}

int main(void)
{
	static const struct {
		const char *volume, *want;
	} rows[] = {
		{"configMap: {name: settings}",
		 "a 644 one\nb 644 two\nc 644 \\u0000\\u0001\\u0002\n"},
		{"configMap: {name: settings, defaultMode: 256, items: [{key: b, path: x/y}, {key: "
		 "c, path: z, mode: 511}]}",
		 "x/y 400 two\nz 777 \\u0000\\u0001\\u0002\n"},
		{"configMap: {name: settings, items: [{key: q, path: x}]}",
		 "configmap references non-existent config key: q"},
		{"configMap: {name: settings, optional: true, items: [{key: q, path: x}, {key: a, "
		 "path: w}]}",
		 "w 644 one\n"},
		{"configMap: {name: gone}", "configmap \"gone\" not found"},
		{"configMap: {name: gone, optional: true}", ""},
		{"secret: {secretName: keys, defaultMode: 384}", "s 600 secret\n"},
		{"secret: {secretName: keys, items: [{key: q, path: x}]}",
		 "references non-existent secret key: q"},
		{"secret: {secretName: gone}", "secret \"gone\" not found"},
		{"downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}, "
		 "{path: cpu, mode: 292, resourceFieldRef: {containerName: c, resource: "
		 "limits.cpu, divisor: 1m}}]}",
		 "labels 644 a=\\\"b\\\"\ncpu 444 1500\n"},
		{"downwardAPI: {items: [{path: x, resourceFieldRef: {resource: limits.cpu}}]}",
		 "container  not found"},
		{"projected: {defaultMode: 288, sources: [{configMap: {name: settings, items: "
		 "[{key: a, path: both}]}}, {secret: {name: keys}}, {secret: {name: keys, items: "
		 "[{key: s, path: both}]}}, {downwardAPI: {items: [{path: m, fieldRef: "
		 "{fieldPath: metadata.name}}]}}, {serviceAccountToken: {path: token}}]}",
		 "both 440 secret\ns 440 secret\nm 440 p\ntoken 600 t0ken of 7\n"},
		{"projected: {sources: [{serviceAccountToken: {path: token, audience: no-one}}]}",
		 "failed to fetch token: not for no-one"},
		{"projected: {sources: [{clusterTrustBundle: {name: x, path: w}}]}",
		 "projected.sources[0]: is of a kind that this node does not support"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		printf("# %s\n", rows[i].volume);
		is(content_of(rows[i].volume, &text), rows[i].want);
	}
	return tap_done();
}
