/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent_access.c - what lets a pod ask the API server: the volume kube-api-access that admission gives
 * to almost every pod, shared by all pods of an account.
 *
 * Its content - a token, the certificate to trust, the namespace - is the same for all of them, and it is a
 * dozen files: made once an account, in accounts/NAMESPACE.NAME of the node's folder, and mounted where each
 * container wants it. Pods whose files belong to somebody in particular get their own, as any volume. */
#include "base/hash.h"
#include "base/mem.h"
#include "model/pod.h"
#include "node/agent_internal.h"
#include "node/room.h"
#include "node/tree.h"
#include "node/volumes.h"

#include "base/banned.h"

#define PREFIX "kube-api-access-"

enum { MODE_ACCOUNT = 0755 };

struct account {
	uint64_t content; /* what was written: the token and the certificate */
	char key[];       /* NAMESPACE.NAME */
};

struct agent_access {
	struct agent *agent;
	char *folder;
	struct map *accounts;
};

struct agent_access *agent_access_new(struct agent *agent, const char *folder)
{
	struct agent_access *access = mem_new(struct agent_access);

	access->agent = agent;
	access->folder = mem_printf("%s/accounts", folder);
	access->accounts = map_new(loop_random_u64(agent->loop));
	return access;
}

void agent_access_free(struct agent_access *access)
{
	size_t at = 0;
	void *account;

	if (!access)
		return;
	while (map_next(access->accounts, &at, NULL, &account))
		mem_free(account);
	map_free(access->accounts);
	mem_free(access->folder);
	mem_free(access);
}

static bool has_owner(const struct pod *view)
{
	const struct pod_security_context *of_pod = view->spec.security_context;

	if (of_pod && (of_pod->run_as_user.set || of_pod->fs_group.set))
		return true;
	for (size_t i = 0; i < view->spec.containers.len; i++) {
		const struct security_context *own = view->spec.containers.ptr[i].security_context;

		if (own && own->run_as_user.set)
			return true;
	}
	return false;
}

/* Take the mount of a volume out of a container. Where it was to be, or none. */
static struct str take_mount(struct container *container, struct str volume)
{
	for (size_t i = 0; i < container->volume_mounts.len; i++) {
		struct volume_mount mount = container->volume_mounts.ptr[i];

		if (!str_eq(mount.name, volume))
			continue;
		vec_remove(&container->volume_mounts, i);
		return mount.mount_path;
	}
	return str_none();
}

bool agent_access_take(struct pod *view, struct arena *arena, struct agent_access_use *ret)
{
	size_t n_init = view->spec.init_containers.len;

	if (has_owner(view))
		return false;
	for (size_t i = 0; i < view->spec.volumes.len; i++) {
		struct volume volume = view->spec.volumes.ptr[i];

		if (!str_starts(volume.name, STR(PREFIX)) || !volume.projected)
			continue;
		vec_remove(&view->spec.volumes, i);
		ret->targets = arena_calloc(arena, n_init + view->spec.containers.len + 1,
					    sizeof(*ret->targets));
		for (size_t k = 0; k < n_init; k++)
			ret->targets[k] =
				take_mount(&view->spec.init_containers.ptr[k], volume.name);
		for (size_t k = 0; k < view->spec.containers.len; k++)
			ret->targets[n_init + k] =
				take_mount(&view->spec.containers.ptr[k], volume.name);
		volume.name = STR("access");
		ret->volume = arena_alloc(arena, sizeof(volume));
		*ret->volume = volume;
		return true;
	}
	return false;
}

/* What it would hold, as a number. */
static int content_of(const struct room *room, const struct volume *volume, uint64_t *ret,
		      struct err *err)
{
	struct json certificate = room_find(room, ROOM_CONFIG_MAP, STR("kube-root-ca.crt"));
	uint64_t hash = json_hash(json_get(certificate, "data"), 1);

	for (size_t i = 0; i < volume->projected->sources.len; i++) {
		const struct token_projection *token = volume->projected->sources.ptr[i].token;
		struct str text;

		if (token && room->token(room->arg, token, &text, err) < 0)
			return err_wrap(err, "failed to fetch token");
		if (token)
			hash = hash_str(text, hash);
	}
	*ret = hash;
	return 0;
}

static struct account *find_account(struct agent_access *access, const struct pod *view)
{
	struct str name = view->spec.service_account;
	AUTO(mem_free)
	char *key = mem_printf("%.*s.%.*s", STR_ARG(view->meta.namespace),
			       STR_ARG(name.len ? name : STR("default")));
	size_t len = strlen(key);
	struct account *account = map_get(access->accounts, str_of(key, len));

	if (account)
		return account;
	account = mem_zalloc(sizeof(*account) + len + 1);
	memcpy(account->key, key, len);
	(void)map_put(access->accounts, str_from(account->key), account);
	return account;
}

int agent_access_make(struct agent_access *access, const struct room *room,
		      const struct agent_access_use *use, struct arena *arena,
		      const char **ret_source, struct err *err)
{
	struct account *account = find_account(access, room->pod);
	const char *folder = arena_printf(arena, "%s/%s", access->folder, account->key);
	struct volumes_place place = {.folder = folder};
	struct pod only = *room->pod;
	struct room of_it = *room;
	uint64_t content = 0;
	bool changed;

	*ret_source = arena_printf(arena, "%s/volumes/access", folder);
	if (content_of(room, use->volume, &content, err) < 0)
		return -1;
	if (account->content == content)
		return 0;
	only.spec.volumes.ptr = use->volume;
	only.spec.volumes.len = 1;
	of_it.pod = &only;
	if (tree_mkdir(folder, MODE_ACCOUNT, err) < 0 ||
	    volumes_make(&of_it, &place, &changed, err) < 0)
		return -1;
	account->content = content;
	return 0;
}
