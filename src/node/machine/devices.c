/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/devices.c - numbers of devices, which pod has which, and the variables for their libraries.
 *
 * One table lists the resources whose devices are distinguished. To add a kind, add a row; any other resource is
 * only an amount. */
#include "node/machine/devices.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/vec.h"
#include "model/value/quantity.h"

#include "base/banned.h"

static const struct kind {
	const char *resource;
	const char *machine;  /* variable with the machine's numbers; NULL: none */
	const char *nothing;  /* its value for a container that has none */
	const char *relative; /* variable with the numbers as its library counts */
	const char
		*control;   /* file below /dev that is useful only with such a device; NULL: none */
	const char *shared; /* more files below /dev that its library opens, separated by commas */
} kinds[] = {
	{"nvidia.com/gpu", "NVIDIA_VISIBLE_DEVICES", "void", "CUDA_VISIBLE_DEVICES", NULL,
	 "nvidiactl,nvidia-uvm,nvidia-uvm-tools,nvidia-modeset"},
	{"amd.com/gpu", NULL, NULL, "ROCR_VISIBLE_DEVICES", "kfd", "kfd"},
	{"gpu.intel.com/i915", NULL, NULL, "ZE_AFFINITY_MASK", NULL, ""},
	{"huawei.com/Ascend910", "ASCEND_VISIBLE_DEVICES", "void", "ASCEND_RT_VISIBLE_DEVICES",
	 NULL, "davinci_manager,devmm_svm,hisi_hdc"},
	{"cambricon.com/mlu", NULL, NULL, "MLU_VISIBLE_DEVICES", NULL, "cambricon_ctl"},
};
enum { VARIABLES = 2, DEVICES_MAX = 4096, SHARED_MAX = 8 };

/* --- amounts --- */

static size_t wanted(const struct container *container, const char *resource)
{
	const struct resource_list *list = &container->resources.limits;

	for (size_t i = 0; i < list->len; i++) {
		int64_t amount = quantity_value(&list->ptr[i].value);

		if (str_is(list->ptr[i].name, resource) && amount > 0)
			return amount < DEVICES_MAX ? (size_t)amount : DEVICES_MAX;
	}
	return 0;
}

static size_t wanted_by_sidecars(const struct pod *pod, const char *resource, size_t before)
{
	size_t sum = 0;

	for (size_t i = 0; i < pod->spec.init_containers.len && i < before; i++)
		if (container_is_sidecar(&pod->spec.init_containers.ptr[i]))
			sum += wanted(&pod->spec.init_containers.ptr[i], resource);
	return sum;
}

static size_t wanted_by_pod(const struct pod *pod, const char *resource)
{
	size_t sum = 0, most = 0;

	for (size_t i = 0; i < pod->spec.containers.len; i++)
		sum += wanted(&pod->spec.containers.ptr[i], resource);
	for (size_t i = 0; i < pod->spec.init_containers.len; i++) {
		const struct container *container = &pod->spec.init_containers.ptr[i];
		size_t amount = wanted(container, resource);

		if (!container_is_sidecar(container) && amount > most)
			most = amount;
	}
	return (sum > most ? sum : most) + wanted_by_sidecars(pod, resource, SIZE_MAX);
}

static size_t found(const struct machine *machine, const char *resource)
{
	size_t count = 0;

	for (size_t i = 0; i < machine->n_devices; i++)
		count += strcmp(machine->devices[i].resource, resource) == 0;
	return count;
}

/* [first, first + len) belong to the node. */
static void share(const struct devices_node *node, const char *resource, size_t *ret_first,
		  size_t *ret_len)
{
	const struct machine_division *division = node->division;

	for (size_t i = 0; i < division->n_resources; i++) {
		struct quantity amount;

		if (!str_is(division->resources[i].name, resource) ||
		    quantity_parse(division->resources[i].value, &amount, NULL) < 0)
			continue;
		*ret_len = (size_t)quantity_value(&amount);
		*ret_first = *ret_len * node->index;
		return;
	}
	machine_share(found(node->machine, resource), division->nodes, node->index, ret_first,
		      ret_len);
}

/* --- texts --- */

/* The numbers of a resource: "0,3". */
static struct str part_of(const char *text, const char *resource)
{
	struct str rest = str_from(text ? text : "");
	struct str part, name;

	while (rest.len && str_split(&rest, ';', &part))
		if (str_split(&part, '=', &name) && str_is(name, resource))
			return part;
	return str_none();
}

static bool has_number(struct str list, uint64_t number)
{
	struct str word;
	uint64_t value;

	while (list.len && str_split(&list, ',', &word))
		if (number_parse_u64(word, &value, NULL) == 0 && value == number)
			return true;
	return false;
}

static bool is_taken(const char *resource, uint64_t number, const char *const *taken, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (taken[i] && has_number(part_of(taken[i], resource), number))
			return true;
	return false;
}

int devices_choose(const struct devices_node *node, const struct pod *pod, const char *const *taken,
		   size_t n_taken, struct buf *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *resource = kinds[i].resource;
		size_t left = wanted_by_pod(pod, resource);
		size_t first, len;
		const char *between = "";

		share(node, resource, &first, &len);
		if (left == 0 || len == 0)
			continue;
		buf_printf(ret, "%s%s=", ret->len ? ";" : "", resource);
		for (size_t k = first; k < first + len && left; k++) {
			if (is_taken(resource, k, taken, n_taken))
				continue;
			buf_printf(ret, "%s%zu", between, k);
			between = ",";
			left--;
		}
		if (left)
			return err_set(err, ERR_UNAVAILABLE,
				       "%s: %zu more wanted than there are free", resource, left);
	}
	return 0;
}

/* --- what a container sees --- */

static const struct container *container_at(const struct pod *pod, size_t index)
{
	size_t n_init = pod->spec.init_containers.len;

	return index < n_init ? &pod->spec.init_containers.ptr[index]
			      : &pod->spec.containers.ptr[index - n_init];
}

/* The container's part of the pod's devices: after `skip` of them, `len`. */
static void place(const struct pod *pod, size_t index, const char *resource, size_t *ret_skip,
		  size_t *ret_len)
{
	size_t n_init = pod->spec.init_containers.len;
	bool init = index < n_init;
	bool sidecar = init && container_is_sidecar(&pod->spec.init_containers.ptr[index]);

	*ret_len = wanted(container_at(pod, index), resource);
	*ret_skip = wanted_by_sidecars(pod, resource, sidecar ? index : SIZE_MAX);
	for (size_t i = 0; !init && i < index - n_init; i++)
		*ret_skip += wanted(&pod->spec.containers.ptr[i], resource);
}

static struct str own_numbers(const struct pod *pod, size_t index, const char *resource,
			      const char *text, struct arena *arena)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;
	struct str rest = part_of(text, resource);
	struct str word;
	size_t skip, len;

	place(pod, index, resource, &skip, &len);
	while (len && rest.len && str_split(&rest, ',', &word)) {
		if (skip) {
			skip--;
			continue;
		}
		buf_printf(&list, "%s%.*s", list.len ? "," : "", STR_ARG(word));
		len--;
	}
	return arena_str(arena, buf_str(&list));
}

/* "0,1,2" with as many numbers as the list has. */
static struct str counted(struct str numbers, struct arena *arena)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;
	struct str word;

	for (size_t i = 0; numbers.len && str_split(&numbers, ',', &word); i++)
		buf_printf(&list, "%s%zu", i ? "," : "", i);
	return arena_str(arena, buf_str(&list));
}

static void add_name(struct arena *arena, const char **list, const char *name)
{
	*list = *list ? arena_printf(arena, "%s,%s", *list, name) : name;
}

/* Names of files below /dev and /dev/dri that the container may not have. */
struct hidden {
	const char *dev;
	const char *dri;
	const char *folder; /* like /dev */
};

static void hide_others(const struct machine *machine, const struct kind *kind, struct str own,
			struct arena *arena, struct hidden *ret)
{
	uint64_t number = 0;

	for (size_t i = 0; i < machine->n_devices; i++) {
		const struct machine_device *device = &machine->devices[i];
		struct str path = str_from(device->path);
		ptrdiff_t slash = str_rfind_byte(path, '/');
		struct str folder = str_slice(path, 0, (size_t)(slash < 0 ? 0 : slash));
		const char *name = device->path + slash + 1;
		bool dri = str_ends(folder, STR("/dri"));

		if (strcmp(device->resource, kind->resource) != 0)
			continue;
		folder.len -= dri ? strlen("/dri") : 0;
		ret->folder = arena_str(arena, folder).ptr;
		if (!has_number(own, number++))
			add_name(arena, dri ? &ret->dri : &ret->dev, name);
	}
	if (number && !own.len && kind->control)
		add_name(arena, &ret->dev, kind->control);
}

/* The folder that is like /dev. */
static struct str dev_of(const char *path)
{
	struct str folder = str_from(path);

	folder.len = (size_t)(str_rfind_byte(folder, '/') + 1);
	if (str_ends(folder, STR("/dri/")))
		folder.len -= strlen("dri/");
	return folder;
}

static void add_files(const struct machine *machine, const struct kind *kind, struct str own,
		      struct arena *arena, const char **list, size_t *len)
{
	struct str shared = str_from(kind->shared);
	struct str folder = str_none();
	uint64_t number = 0;
	struct str name;

	for (size_t i = 0; i < machine->n_devices; i++) {
		const struct machine_device *device = &machine->devices[i];

		if (strcmp(device->resource, kind->resource) != 0 || !has_number(own, number++))
			continue;
		list[(*len)++] = device->path;
		folder = dev_of(device->path);
	}
	while (folder.len && shared.len && str_split(&shared, ',', &name))
		list[(*len)++] = arena_printf(arena, "%.*s%.*s", STR_ARG(folder), STR_ARG(name));
}

static void put_hidden(const struct hidden *hidden, struct arena *arena, struct devices_view *ret)
{
	struct plan_mount *mounts = arena_calloc(arena, VARIABLES, sizeof(*mounts));

	if (hidden->dev)
		mounts[ret->n_mounts++] = (struct plan_mount){
			.fstype = PLAN_WITHOUT, .target = hidden->folder, .options = hidden->dev};
	if (hidden->dri)
		mounts[ret->n_mounts++] =
			(struct plan_mount){.fstype = PLAN_WITHOUT,
					    .target = arena_printf(arena, "%s/dri", hidden->folder),
					    .options = hidden->dri};
	ret->mounts = mounts;
}

void devices_see(const struct machine *machine, const struct pod *pod, size_t container,
		 const char *text, bool hide, struct arena *arena, struct devices_view *ret)
{
	const char **env = arena_calloc(arena, ARRAY_LEN(kinds) * VARIABLES + 1, sizeof(*env));
	const char **files = arena_calloc(arena, machine->n_devices + ARRAY_LEN(kinds) * SHARED_MAX,
					  sizeof(*files));
	struct hidden hidden = {0};

	*ret = (struct devices_view){
		.env = env,
		.files = files,
	};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct kind *kind = &kinds[i];
		struct str own = own_numbers(pod, container, kind->resource, text, arena);
		bool there = found(machine, kind->resource) > 0;
		struct str by_library = hide && there ? counted(own, arena) : own;

		if (!own.len && !there)
			continue;
		if (kind->machine)
			env[ret->n_env++] = arena_printf(arena, "%s=%s", kind->machine,
							 own.len ? own.ptr : kind->nothing);
		env[ret->n_env++] =
			arena_printf(arena, "%s=%.*s", kind->relative, STR_ARG(by_library));
		if (hide)
			hide_others(machine, kind, own, arena, &hidden);
		add_files(machine, kind, own, arena, files, &ret->n_files);
	}
	put_hidden(&hidden, arena, ret);
}

static bool has_name_of(const struct devices_view *view, const char *variable)
{
	for (size_t i = 0; i < view->n_env; i++) {
		size_t len = strcspn(view->env[i], "=") + 1;

		if (strncmp(view->env[i], variable, len) == 0)
			return true;
	}
	return false;
}

const char *const *devices_env(const char *const *env, size_t *n_env,
			       const struct devices_view *view, struct arena *arena)
{
	const char **list = arena_calloc(arena, *n_env + view->n_env + 1, sizeof(*list));
	size_t len = 0;

	for (size_t i = 0; i < *n_env; i++)
		if (!has_name_of(view, env[i]))
			list[len++] = env[i];
	for (size_t i = 0; i < view->n_env; i++)
		list[len++] = view->env[i];
	*n_env = len;
	return list;
}
