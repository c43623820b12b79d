/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/image.c - see image.h. A user that the configuration names is looked up in the image's own
 * /etc/passwd; the size of such files is limited, and links are never followed out of the image. */
#include "node/runtime/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/number.h"
#include "json/doc.h"

#include "base/banned.h"

/* --- names --- */

/* Names that registries permit, and none that leads out of the folder. */
static bool is_reference(struct str name)
{
	struct str rest = name;
	struct str part;

	while (str_split(&rest, '/', &part))
		if (!part.len || part.ptr[0] == '.')
			return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !strchr("._-/:@", c))
			return false;
	}
	return name.len > 0;
}

static bool has_tag(struct str name)
{
	ptrdiff_t slash = str_rfind_byte(name, '/');

	return str_find_byte(name, ':', (size_t)(slash + 1)) >= 0 ||
	       str_find_byte(name, '@', (size_t)(slash + 1)) >= 0;
}

/* The folder of the image; NULL: there is none. */
static const char *find_folder(const char *images, struct str name, struct arena *arena)
{
	static const char *const tags[] = {"", ":latest"};

	for (size_t i = 0; i < (has_tag(name) ? 1U : ARRAY_LEN(tags)); i++) {
		const char *folder =
			arena_printf(arena, "%s/%.*s%s", images, STR_ARG(name), tags[i]);
		struct stat status;

		if (stat(arena_printf(arena, "%s/rootfs", folder), &status) == 0 &&
		    S_ISDIR(status.st_mode))
			return folder;
	}
	return NULL;
}

/* --- files --- */

/* Empty if there is no such file. */
static int read_file(int folder, const char *name, struct buf *to, struct err *err)
{
	AUTO(fd_close) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char piece[4096];
	ssize_t got;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? 0 : err_errno(err, errno, "%s", name);
	while ((got = read(fd, piece, sizeof(piece))) != 0) {
		if (got < 0 && errno != EINTR)
			return err_errno(err, errno, "%s", name);
		if (got > 0)
			buf_put(to, piece, (size_t)got);
	}
	return buf_is_over(to) ? err_set(err, ERR_TOO_LARGE, "%s: is too large", name) : 0;
}

static struct image_words words_of(struct json list, struct arena *arena)
{
	const char **words = arena_calloc(arena, json_len(list) + 1, sizeof(*words));
	struct json_iter it = json_iter(list);
	size_t len = 0;

	while (json_next(&it))
		words[len++] = arena_str(arena, json_str(it.value)).ptr;
	return (struct image_words){words, len};
}

/* --- users --- */

/* The numbers of a user by name: of a line NAME:PASSWORD:UID:GID:... */
static bool find_user(struct str passwd, struct str name, int64_t *ret_uid, int64_t *ret_gid)
{
	struct str line;

	while (str_split(&passwd, '\n', &line)) {
		struct str part[4] = {{0}};
		struct err err;
		size_t n = 0;

		while (n < ARRAY_LEN(part) && str_split(&line, ':', &part[n]))
			n++;
		if (n == ARRAY_LEN(part) && str_eq(part[0], name) &&
		    number_parse_i64(part[2], ret_uid, &err) == 0 &&
		    number_parse_i64(part[3], ret_gid, &err) == 0)
			return true;
	}
	return false;
}

/* "7", "7:8", "name" or "name:8". */
static int set_user(struct image *image, struct str user, struct err *err)
{
	AUTO(buf_done) struct buf passwd = BUF_INIT(LIMIT_OBJECT_BYTES);
	ptrdiff_t colon = str_find_byte(user, ':', 0);
	struct str name = colon < 0 ? user : str_slice(user, 0, (size_t)colon);
	struct str group = colon < 0 ? str_none() : str_skip(user, (size_t)colon + 1);
	struct err none;

	if (!user.len)
		return 0;
	if (number_parse_i64(name, &image->uid, &none) == 0) {
		image->gid = 0;
	} else {
		AUTO(fd_close) int root = open(image->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		AUTO(fd_close)
		int etc = openat(root, "etc", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

		if (etc >= 0 && read_file(etc, "passwd", &passwd, err) < 0)
			return -1;
		if (!find_user(buf_str(&passwd), name, &image->uid, &image->gid))
			return err_set(err, ERR_INVALID,
				       "unable to find user %.*s: no matching entries in passwd "
				       "file",
				       STR_ARG(name));
	}
	if (group.len && number_parse_i64(group, &image->gid, &none) < 0)
		return err_set(err, ERR_INVALID, "group \"%.*s\" of the image: must be a number",
			       STR_ARG(group));
	return 0;
}

/* --- an image --- */

static int read_config(const char *folder, struct arena *arena, struct image *ret, struct err *err)
{
	AUTO(fd_close) int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_OBJECT_BYTES);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json config;

	if (fd < 0)
		return err_errno(err, errno, "%s", folder);
	if (read_file(fd, "config.json", &text, err) < 0)
		return -1;
	if (!text.len)
		return 0;
	doc = json_parse(buf_str(&text), NULL, err);
	if (!doc)
		return err_wrap(err, "config.json");
	config = json_get(json_doc_root(doc), "config");
	ret->entrypoint = words_of(json_get(config, "Entrypoint"), arena);
	ret->command = words_of(json_get(config, "Cmd"), arena);
	ret->env = words_of(json_get(config, "Env"), arena);
	if (json_str(json_get(config, "WorkingDir")).len)
		ret->folder = arena_str(arena, json_str(json_get(config, "WorkingDir"))).ptr;
	return set_user(ret, json_str(json_get(config, "User")), err);
}

int image_open(const char *images, struct str reference, struct arena *arena, struct image *ret,
	       struct err *err)
{
	struct image image = {.uid = -1, .gid = -1};
	const char *folder;

	if (!is_reference(reference))
		return err_set(err, ERR_INVALID,
			       "Failed to apply default image tag \"%.*s\": couldn't parse image "
			       "name: invalid reference format",
			       STR_ARG(reference));
	folder = find_folder(images, reference, arena);
	if (!folder)
		return err_set(err, ERR_NOT_FOUND,
			       "failed to pull image \"%.*s\": it is not in %s, and nothing is "
			       "pulled by this runtime",
			       STR_ARG(reference), images);
	image.root = arena_printf(arena, "%s/rootfs", folder);
	if (read_config(folder, arena, &image, err) < 0)
		return err_wrap(err, "image \"%.*s\"", STR_ARG(reference));
	*ret = image;
	return 0;
}
