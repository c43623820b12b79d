/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/agent_socket.c - the supervisor's end of the agent's socket.
 *
 * It has one agent at a time. Only while it has none, a process may connect. It becomes the agent once it has sent
 * the secret; until then it is one of a few candidates, which are closed after some time. Every word of a message
 * is checked; unknown messages are ignored, so that a newer agent can use an older supervisor.
 *
 * Always true: a process that has not sent the secret gets no answer, and changes nothing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/time.h"
#include "programs/volcano-pod/supervisor_internal.h"

#include "base/banned.h"

#define CANDIDATE_PATIENCE (5 * TIME_SECOND)
#define LISTEN_AGAIN (TIME_SECOND)

enum { MESSAGES_A_TURN = 64 };

void supervisor_send(struct supervisor *self, const char *message, size_t len)
{
	if (self->agent < 0)
		return;
	if (send(self->agent, message, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		supervisor_lose_agent(self); /* it connects again, and receives everything */
}

void supervisor_send_all(struct supervisor *self)
{
	const char *address = self->plan.address;
	char text[192];
	int len = snprintf(text, sizeof(text), "hello %d %ld%s%.128s", POD_SOCKET_VERSION,
			   (long)getpid(), address ? " " : "", address ? address : "");

	supervisor_send(self, text, (size_t)len);
	for (size_t i = 0; i < self->plan.n_containers; i++)
		if (self->containers[i].record.state != RECORD_NEW)
			supervisor_report(self, i);
	supervisor_send(self, "ready", strlen("ready"));
}

/* --- connections --- */

static void start_listening(struct supervisor *self)
{
	self->listener = pod_socket_listen(self->control, self->name, NULL);
	if (self->listener < 0)
		self->next_listen = supervisor_uptime() + LISTEN_AGAIN; /* the disk may be full */
}

void supervisor_stop_listening(struct supervisor *self)
{
	for (size_t i = 0; i < SUPERVISOR_CANDIDATES; i++)
		fd_close(fd_take(&self->candidates[i].fd));
	if (self->listener < 0)
		return;
	fd_close(fd_take(&self->listener));
	pod_socket_remove(self->control, self->name);
}

void supervisor_lose_agent(struct supervisor *self)
{
	fd_close(fd_take(&self->agent));
	if (self->listener < 0 && !self->quitting)
		start_listening(self);
}

void supervisor_check_connections(struct supervisor *self, int64_t now)
{
	for (size_t i = 0; i < SUPERVISOR_CANDIDATES; i++)
		if (self->candidates[i].fd >= 0 && self->candidates[i].until <= now)
			fd_close(fd_take(&self->candidates[i].fd));
	if (self->agent < 0 && self->listener < 0 && self->next_listen <= now)
		start_listening(self);
}

int64_t supervisor_connections_due(const struct supervisor *self, int64_t next)
{
	if (self->agent >= 0)
		return next;
	if (self->listener < 0 && self->next_listen < next)
		next = self->next_listen;
	for (size_t i = 0; i < SUPERVISOR_CANDIDATES; i++)
		if (self->candidates[i].fd >= 0 && self->candidates[i].until < next)
			next = self->candidates[i].until;
	return next;
}

/* Accepts a candidate, in a free slot or in the slot of the oldest one. */
static void take_candidate(struct supervisor *self)
{
	AUTO(fd_close) int fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
	struct candidate *place = &self->candidates[0];
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0))
		return;
	for (size_t i = 1; i < SUPERVISOR_CANDIDATES && place->fd >= 0; i++)
		if (self->candidates[i].fd < 0 || self->candidates[i].until < place->until)
			place = &self->candidates[i];
	fd_close(fd_take(&place->fd));
	*place = (struct candidate){.fd = fd_take(&fd),
				    .until = supervisor_uptime() + CANDIDATE_PATIENCE};
}

/* True: the candidate is the agent now. */
static bool read_candidate(struct supervisor *self, struct candidate *candidate)
{
	char text[256];
	ssize_t len = recv(candidate->fd, text, sizeof(text), MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len > 0 && pod_socket_is_agent(text, (size_t)len, self->secret))
		self->agent = fd_take(&candidate->fd);
	fd_close(fd_take(&candidate->fd));
	return self->agent >= 0;
}

void supervisor_accept(struct supervisor *self)
{
	bool found = false;

	take_candidate(self);
	for (size_t i = 0; i < SUPERVISOR_CANDIDATES && !found; i++)
		if (self->candidates[i].fd >= 0)
			found = read_candidate(self, &self->candidates[i]);
	if (!found)
		return;
	supervisor_stop_listening(self);
	supervisor_send_all(self);
}

/* --- messages --- */

static bool next_number(struct str *rest, int64_t max, int64_t *ret)
{
	struct str word;

	return str_split(rest, ' ', &word) && number_parse_range(word, 0, max, ret, NULL) == 0;
}

static bool next_container(struct supervisor *self, struct str *rest, size_t *ret)
{
	int64_t index;

	if (!next_number(rest, (int64_t)self->plan.n_containers - 1, &index))
		return false;
	*ret = (size_t)index;
	return true;
}

static void do_start(struct supervisor *self, struct str words)
{
	size_t index;
	int64_t run;

	if (next_container(self, &words, &index) && next_number(&words, UINT32_MAX, &run))
		supervisor_start(self, index, (unsigned)run);
}

static void do_stop(struct supervisor *self, struct str words)
{
	size_t index;
	int64_t grace;

	if (next_container(self, &words, &index) && next_number(&words, INT64_MAX / 2, &grace))
		supervisor_stop(self, index, grace);
}

static void do_signal(struct supervisor *self, struct str words)
{
	size_t index;
	int64_t signo;

	if (next_container(self, &words, &index) && next_number(&words, SIGRTMAX, &signo) &&
	    self->containers[index].record.pid > 0)
		(void)kill(-(pid_t)self->containers[index].record.pid, (int)signo);
}

static void do_exec(struct supervisor *self, struct str words)
{
	ptrdiff_t end = str_find_byte(words, '\0', 0);
	struct exec_ask ask = {0};
	struct str head = str_slice(words, 0, end < 0 ? words.len : (size_t)end);
	int64_t id;

	if (end < 0 || !next_number(&head, INT64_MAX, &id) ||
	    !next_container(self, &head, &ask.container) ||
	    !next_number(&head, INT64_MAX / 2, &ask.timeout_us))
		return;
	ask.id = (uint64_t)id;
	ask.args = str_skip(words, (size_t)end + 1);
	supervisor_exec(self, &ask);
}

/* In place, since the file is mounted in containers; if the disk or memory is full, what fits is written. */
static void rewrite(int fd, struct str text)
{
	ssize_t done = fd < 0 ? 0 : pwrite(fd, text.ptr, text.len, 0);

	if (fd >= 0 && done >= 0)
		done = ftruncate(fd, (off_t)text.len);
	(void)done;
}

static void do_hosts(struct supervisor *self, struct str words)
{
	ptrdiff_t end = str_find_byte(words, '\0', 0);
	struct str head = str_slice(words, 0, end < 0 ? 0 : (size_t)end);
	struct buf whole;
	int64_t at, size;

	if (end < 0 || !next_number(&head, POD_SOCKET_HOSTS_BYTES, &at) ||
	    !next_number(&head, POD_SOCKET_HOSTS_BYTES, &size))
		return;
	if (at == 0)
		buf_clear(&self->hosts_coming);
	if ((size_t)at != self->hosts_coming.len)
		return;
	buf_put_str(&self->hosts_coming, str_skip(words, (size_t)end + 1));
	if (self->hosts_coming.len != (size_t)size)
		return;
	whole = self->hosts;
	self->hosts = self->hosts_coming;
	self->hosts_coming = whole;
	for (size_t i = 0; i < self->plan.n_containers; i++)
		rewrite(self->containers[i].hosts, buf_str(&self->hosts));
}

static void do_quit(struct supervisor *self, struct str words)
{
	(void)words;
	self->quitting = true;
}

static const struct {
	const char *word;
	void (*fn)(struct supervisor *self, struct str words);
} messages[] = {
	{"start", do_start}, {"stop", do_stop},   {"signal", do_signal},
	{"exec", do_exec},   {"hosts", do_hosts}, {"quit", do_quit},
};

static void execute_message(struct supervisor *self, struct str message)
{
	struct str word;

	if (!str_split(&message, ' ', &word))
		return;
	for (size_t i = 0; i < ARRAY_LEN(messages); i++)
		if (str_is(word, messages[i].word))
			messages[i].fn(self, message);
}

void supervisor_read_agent(struct supervisor *self)
{
	if (!self->message)
		self->message = mem_alloc(POD_SOCKET_MAX_BYTES);
	for (int i = 0; i < MESSAGES_A_TURN && self->agent >= 0 && !self->quitting; i++) {
		ssize_t len = recv(self->agent, self->message, POD_SOCKET_MAX_BYTES, MSG_DONTWAIT);

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (len <= 0)
			supervisor_lose_agent(self);
		else
			execute_message(self, str_of(self->message, (size_t)len));
	}
}
