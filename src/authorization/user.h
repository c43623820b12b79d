/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/user.h - who asks for something. */
#ifndef AUTHORIZATION_USER_H
#define AUTHORIZATION_USER_H

#include <stddef.h>

#include "base/str.h"

/* What an authenticator knows in addition: one of the values of a key. */
struct user_extra {
	struct str key;
	struct str value;
};

struct user {
	struct str name;
	const struct str *groups;
	size_t group_count;
	struct str uid; /* often none */
	const struct user_extra *extra;
	size_t extra_count;
};

#endif
