/* SPDX-License-Identifier: Apache-2.0 */
/* crd_conformance.c - the definitions in config/crd held against the field tables.
 *
 *	crd-conformance FOLDER	checks, as TAP
 *	crd-conformance write FOLDER	writes the files; tools/make-crd calls it */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "json/yaml.h"
#include "model/volcano/vckinds.h"
#include "tap.h"

enum { FILE_BYTES = 4 * 1024 * 1024, PATH_SIZE = 4096 };

static void print_crd(const struct vckind *kind, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	buf_puts(to, "# SPDX-License-Identifier: Apache-2.0\n"
		     "# Printed from the field tables in src/model by tools/make-crd.\n");
	yaml_print(vckind_crd(kind, doc), to);
}

static int write_file(const char *path, struct str text)
{
	AUTO(fd_close) int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len) {
		perror(path);
		return -1;
	}
	return 0;
}

static void check_file(const char *path, const char *name, struct str want)
{
	AUTO(buf_done) struct buf got = BUF_INIT(FILE_BYTES);
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = 0;

	while (fd >= 0 && buf_space(&got) >= 65536) {
		len = read(fd, buf_reserve(&got, 65536), 65536);
		if (len <= 0)
			break;
		buf_commit(&got, (size_t)len);
	}
	ok(fd >= 0 && len == 0 && str_eq(buf_str(&got), want),
	   "%s is what the field table says (else run tools/make-crd)", name);
}

int main(int argc, char **argv)
{
	bool writing = argc == 3 && strcmp(argv[1], "write") == 0;

	if (!writing && argc != 2)
		return 2;
	for (size_t i = 0; i < vckind_count; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		char name[256];
		char path[PATH_SIZE];

		snprintf(name, sizeof(name), "%s_%s.yaml", vckinds[i].group, vckinds[i].plural);
		snprintf(path, sizeof(path), "%s/%s", argv[argc - 1], name);
		print_crd(&vckinds[i], &text);
		if (!writing)
			check_file(path, name, buf_str(&text));
		else if (write_file(path, buf_str(&text)) < 0)
			return 1;
	}
	return writing ? 0 : tap_done();
}
