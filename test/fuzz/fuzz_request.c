/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_request.c - requests into an API server in memory, over its HTTP front.
 *
 * An input is requests with a line "%%" between them: "METHOD TARGET", lines of header fields, an empty
 * line, and the body. Length, credentials and the end of the connection are added, so that what is
 * tried is what a client can say, not how HTTP is framed (fuzz_http1.c does that). A "!" before the
 * method leaves the credentials away.
 *
 * Always true, whatever is asked: it is answered, once; an error is a Status that says why, with the
 * code of the answer; what is refused, read or only tried (dryRun) changes nothing; the store is
 * sound; nothing leaks. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apiserver/api.h"
#include "apiserver/auth/auth.h"
#include "apiserver/request/front.h"
#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "http/http_server.h"
#include "json/doc.h"
#include "loop/loop.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 16384, MOST_REQUESTS = 12, MOST_TURNS = 200 };

struct fuzz {
	struct loop *loop;
	struct store *store;
	struct api *api;
	struct auth *auth;
	struct front *front;
	struct http_server *http;
};

static struct fuzz fuzz_open(void)
{
	struct fuzz f = {.loop = loop_new_virtual(1, INT64_C(1767323045000000), NULL)};
	struct http_server_options options = {.handler = front_handle};

	f.store = store_open(f.loop, &(struct store_options){.folder = NULL}, NULL);
	f.api = api_new(&(struct api_options){.loop = f.loop, .store = f.store});
	f.auth = auth_new();
	auth_add_token(f.auth, STR("t"), &(struct user){.name = STR("fuzz")});
	f.front = front_new(f.api, f.auth);
	options.arg = f.front;
	f.http = http_server_new(f.loop, &options, NULL);
	return f;
}

static void settle(struct fuzz *f)
{
	loop_drain(f->loop);
	store_flush(f->store);
	loop_drain(f->loop);
}

static void fuzz_close(struct fuzz *f)
{
	settle(f);
	store_check(f->store);
	http_server_free(f->http);
	front_free(f->front);
	auth_free(f->auth);
	api_free(f->api);
	store_close(f->store);
	loop_free(f->loop);
}

/* --- one request --- */

/* Fields that say how it is framed are ours. */
static bool is_framing(struct str line)
{
	static const char *const names[] = {"content-length", "transfer-encoding", "connection",
					    "expect",         "upgrade",           "host"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (line.len >= strlen(names[i]) &&
		    strncasecmp(line.ptr, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Reads, or only tries: the query has a parameter that says so. */
static bool is_dry(struct str line)
{
	ptrdiff_t mark = str_find_byte(line, '?', 0);
	struct str query = mark < 0 ? str_none() : str_skip(line, (size_t)mark + 1);
	ptrdiff_t end = str_find_byte(query, ' ', 0);
	struct str parameter;

	if (str_starts(line, STR("GET ")) || str_starts(line, STR("HEAD ")))
		return true;
	if (end >= 0)
		query = str_slice(query, 0, (size_t)end);
	while (str_split(&query, '&', &parameter))
		if (str_is(parameter, "dryRun=All"))
			return true;
	return false;
}

/* False: there is no request in it. */
static bool print_request(struct str text, struct buf *to, bool *ret_dry)
{
	struct str line;
	struct str target;
	bool anonymous = str_starts(text, STR("!"));

	if (anonymous)
		text = str_skip(text, 1);
	if (!str_split(&text, '\n', &line))
		return false;
	target = line;
	*ret_dry = is_dry(line);
	if (str_find_byte(target, ' ', 0) <= 0 || str_find_byte(line, '\r', 0) >= 0 ||
	    str_starts(line, STR("PRI "))) /* how HTTP/2 begins */
		return false;
	buf_printf(to, "%.*s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", STR_ARG(line));
	if (!anonymous)
		buf_puts(to, "Authorization: Bearer t\r\n");
	while (str_split(&text, '\n', &line) && line.len)
		if (!is_framing(line))
			buf_printf(to, "%.*s\r\n", STR_ARG(line));
	buf_printf(to, "Content-Length: %zu\r\n\r\n%.*s", text.len, STR_ARG(text));
	return true;
}

/* Everything that comes back; a watch is left after a while. */
static void converse(struct fuzz *f, struct str request, struct buf *answer)
{
	char piece[65536];
	int ends[2];
	ssize_t got = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	http_server_adopt(f->http, ends[0], HTTP_PLAIN);
	if (send(ends[1], request.ptr, request.len, MSG_NOSIGNAL) != (ssize_t)request.len)
		abort();
	for (int i = 0; i < MOST_TURNS && got != 0; i++) {
		bool busy = loop_turn(f->loop, TIME_SECOND);

		while ((got = recv(ends[1], piece, sizeof(piece), 0)) > 0)
			(void)buf_put(answer, piece, (size_t)got);
		if (!busy && answer->len)
			break;
	}
	close(ends[1]);
	settle(f);
}

static void check_status(struct str body, int64_t code)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(body, NULL, NULL);
	struct json status = doc ? json_doc_root(doc) : JSON_NONE;

	assert(str_is(json_str(json_get(status, "kind")), "Status"));
	assert(json_int(json_get(status, "code")) == code);
	assert(json_is(json_get(status, "message"), JSON_STR));
}

/* Gives the code. */
static int64_t check_answer(struct str answer)
{
	static const struct str blank = STR_INIT("\r\n\r\n");
	ptrdiff_t end = str_find(answer, blank, 0);
	int64_t code = 0;
	int parsed;

	assert(str_starts(answer, STR("HTTP/1.1 ")) && end > 0);
	parsed = number_parse_i64(str_slice(answer, 9, 12), &code, NULL);
	assert(parsed == 0 && code >= 200 && code < 600);
	(void)parsed;
	struct str head = str_slice(answer, 0, (size_t)end);

	if (code >= 400 && str_find(head, STR("application/json"), 0) >= 0 &&
	    str_find(head, STR("content-length: 0"), 0) < 0 && answer.len > (size_t)end + blank.len)
		check_status(str_skip(answer, (size_t)end + blank.len), code);
	return code;
}

static void ask(struct fuzz *f, struct str text)
{
	AUTO(buf_done) struct buf request = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf answer = BUF_UNBOUNDED;
	int64_t before = store_revision(f->store);
	bool dry = false;

	if (!print_request(text, &request, &dry))
		return;
	converse(f, buf_str(&request), &answer);
	assert(answer.len);
	int64_t code = check_answer(buf_str(&answer));

	assert((code < 400 && !dry) || store_revision(f->store) == before);
}

/* --- */

static const char namespace[] = "POST /api/v1/namespaces\nContent-Type: application/json\n\n"
				"{\"metadata\":{\"name\":\"default\"}}";
static const char account[] =
	"POST /api/v1/namespaces/default/serviceaccounts\nContent-Type: application/json\n\n"
	"{\"metadata\":{\"name\":\"default\"}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str separator = STR_INIT("\n%%\n");
	struct str rest = str_of((const char *)data, size);
	struct fuzz f;
	int count = 0;

	if (size == 0 || size > MOST_BYTES)
		return 0;
	f = fuzz_open();
	ask(&f, str_from(namespace));
	ask(&f, str_from(account));
	while (rest.len && count++ < MOST_REQUESTS) {
		ptrdiff_t at = str_find(rest, separator, 0);
		struct str one = at < 0 ? rest : str_slice(rest, 0, (size_t)at);

		ask(&f, one);
		rest = at < 0 ? str_none() : str_skip(rest, (size_t)at + separator.len);
	}
	fuzz_close(&f);
	return 0;
}
