/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/image.h - images for a runtime that has none of its own (crun): folders of the node.
 *
 *	IMAGES/NAME/rootfs/	the files of the image
 *	IMAGES/NAME/config.json	its configuration, as the OCI image format has it; may be missing
 *
 * NAME is the reference that pods use, with its slashes as folders: IMAGES/docker.io/library/busybox:1.36.
 * A reference without a tag also finds the one that is called "latest". */
#ifndef NODE_IMAGE_H
#define NODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct image_words {
	const char *const *ptr; /* ends in NULL */
	size_t len;
};

struct image {
	const char *root; /* a folder */
	struct image_words entrypoint;
	struct image_words command;
	struct image_words env; /* "NAME=value" */
	const char *folder;     /* working directory; NULL: not set */
	int64_t uid, gid;       /* -1: not set */
};

/* In the arena. ERR_NOT_FOUND: there is no such image, with a runtime's text; ERR_INVALID: the folder is no image,
 * or the name is invalid. */
int image_open(const char *images, struct str reference, struct arena *arena, struct image *ret,
	       struct err *err) MUST_CHECK;

#endif
