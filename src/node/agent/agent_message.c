/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_message.c - the termination message of a container.
 *
 * At its terminationMessagePath a container finds a file in memory, whose first 4 KiB the supervisor keeps in the
 * pod's folder; in an image it is a file of that folder itself. The first 4 KiB are the message. If they are
 * empty, the container failed and its policy is FallbackToLogsOnError, the message is the end of its output: at
 * most 2 KiB and 80 lines, as with a kubelet. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/agent/agent_internal.h"
#include "node/pod/pod_log.h"
#include "pod/pod_messages.h"

#include "base/banned.h"

enum { TAIL_BYTES = 2048, TAIL_LINES = 80, READ_BYTES = 64 * 1024 };

struct json agent_container(const struct agent_pod *pod, size_t index)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");

	return index < pod->life->n_init
		       ? json_at(json_get(spec, "initContainers"), index)
		       : json_at(json_get(spec, "containers"), index - pod->life->n_init);
}

const char *agent_message_path(const struct agent_pod *pod, struct str container,
			       struct arena *arena)
{
	return arena_printf(arena, "%s/%.*s" POD_MESSAGE_SUFFIX, pod->folder, STR_ARG(container));
}

int agent_message_clear(const struct agent_pod *pod, struct str container, struct arena *arena,
			struct err *err)
{
	const char *path = agent_message_path(pod, container, arena);
	AUTO(fd_close)
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0 || fchmod(fd, 0666) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Reads the first bytes of a file. */
static char *read_start(const char *path)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[POD_MESSAGE_BYTES];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (len <= 0)
		return NULL;
	return mem_strdup_len(text, str_utf8_prefix(str_of(text, (size_t)len)));
}

char *agent_read_log_end(const struct agent_pod *pod, size_t container, int64_t lines)
{
	AUTO(mem_free)
	char *name = str_dup(json_str(json_get(agent_container(pod, container), "name")));
	AUTO(pod_log_close)
	struct pod_log *log = pod_log_open(
		pod->agent->watches, &(struct pod_log_request){
					     .folder = pod->folder,
					     .container = name,
					     .index = container,
					     .run = pod->life->containers[container].record.run,
					     .tail_lines = lines,
				     });
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	while (pod_log_read(log, &text, text.len + READ_BYTES) == POD_LOG_MORE) {
	}
	if (text.len > TAIL_BYTES)
		buf_consume(&text, text.len - TAIL_BYTES);
	return text.len ? buf_take(&text) : NULL;
}

char *agent_read_message(const struct agent_pod *pod, size_t container, bool failed)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct json spec = agent_container(pod, container);
	struct str name = json_str(json_get(spec, "name"));
	char *text = read_start(agent_message_path(pod, name, arena));

	if (!text && failed &&
	    str_is(json_str(json_get(spec, "terminationMessagePolicy")), "FallbackToLogsOnError"))
		text = agent_read_log_end(pod, container, TAIL_LINES);
	return text;
}
