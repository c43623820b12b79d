/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/image.h: which folder an image is, and what its configuration says. */
#include "node/runtime/image.h"

#include "base/buf.h"
#include "folder.h"
#include "tap.h"

#include "base/banned.h"

static const char *show(struct folder *in, const char *reference)
{
	struct image image;
	struct err err = {0};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (image_open(in->path, str_from(reference), in->arena, &image, &err) < 0)
		return arena_printf(in->arena, "%s", err.text);
	buf_printf(&text, "%s %d:%d %s", image.root + strlen(in->path), (int)image.uid,
		   (int)image.gid, image.folder ? image.folder : "-");
	for (size_t i = 0; i < image.entrypoint.len; i++)
		buf_printf(&text, " e=%s", image.entrypoint.ptr[i]);
	for (size_t i = 0; i < image.command.len; i++)
		buf_printf(&text, " c=%s", image.command.ptr[i]);
	for (size_t i = 0; i < image.env.len; i++)
		buf_printf(&text, " %s", image.env.ptr[i]);
	return arena_str(in->arena, buf_str(&text)).ptr;
}

static void configure(struct folder *in, const char *user)
{
	folder_write(in, "full:1/config.json",
		     arena_printf(in->arena,
				  "{\"config\":{\"Entrypoint\":[\"sh\",\"-c\"],\"Cmd\":[\"x\"],"
				  "\"Env\":[\"PATH=/bin\"],\"WorkingDir\":\"/w\",\"User\":\"%s\"}}",
				  user));
}

int main(void)
{
	struct folder in;

	folder_open(&in);
	folder_mkdir(&in, "bare:latest/rootfs");
	folder_mkdir(&in, "docker.io/library/x:2/rootfs");
	folder_mkdir(&in, "none");
	folder_mkdir(&in, "full:1/rootfs/etc");
	folder_mkdir(&in, "broken/rootfs");
	folder_write(&in, "broken/config.json", "{");
	is(show(&in, "bare"), "/bare:latest/rootfs -1:-1 -");
	is(show(&in, "bare:latest"), "/bare:latest/rootfs -1:-1 -");
	is(show(&in, "docker.io/library/x:2"), "/docker.io/library/x:2/rootfs -1:-1 -");
	is(show(&in, "bare:2"),
	   arena_printf(in.arena,
			"failed to pull image \"bare:2\": it is not in %s, and "
			"nothing is pulled by this runtime",
			in.path));
	ok(strstr(show(&in, "none"), "failed to pull image"), "a folder without files is none");
	ok(strstr(show(&in, "../x"), "invalid reference format"), "nothing leads out");
	ok(strstr(show(&in, "/x"), "invalid reference format"), "nor to the root");
	ok(strstr(show(&in, ""), "invalid reference format"), "nor nowhere");
	ok(strstr(show(&in, "a b"), "invalid reference format"), "a blank is no letter of a name");
	ok(strstr(show(&in, "broken"), "image \"broken\": config.json: "),
	   "a broken one is an error");
	configure(&in, "");
	is(show(&in, "full:1"), "/full:1/rootfs -1:-1 /w e=sh e=-c c=x PATH=/bin");
	configure(&in, "7");
	is(show(&in, "full:1"), "/full:1/rootfs 7:0 /w e=sh e=-c c=x PATH=/bin");
	configure(&in, "7:8");
	is(show(&in, "full:1"), "/full:1/rootfs 7:8 /w e=sh e=-c c=x PATH=/bin");
	configure(&in, "me");
	is(show(&in, "full:1"), "image \"full:1\": unable to find user me: no matching entries in "
				"passwd file");
	folder_write(&in, "full:1/rootfs/etc/passwd",
		     "root:x:0:0\nme:x:9:10:Me:/home/me:/bin/sh\n");
	is(show(&in, "full:1"), "/full:1/rootfs 9:10 /w e=sh e=-c c=x PATH=/bin");
	configure(&in, "me:11");
	is(show(&in, "full:1"), "/full:1/rootfs 9:11 /w e=sh e=-c c=x PATH=/bin");
	folder_close(&in);
	return tap_done();
}
