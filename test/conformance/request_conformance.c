/* SPDX-License-Identifier: Apache-2.0 */
/* request_conformance.c - requests that must be refused: each gets the right Status, and nothing changes.
 *
 *	request-conformance FILE...
 *
 * A line of a file is a request and its answer, in parts with " | " between them:
 *
 *	METHOD target | content type | body | 422 Invalid | part of the message
 *
 * An empty content type is application/json, "none" is no such field; "accept X" and "token X" before
 * the method set header fields, "anonymous" shows no certificate. <x*300> stands for 300 letters x,
 * \xNN in a body for a byte. A line that starts with "+" is a request that prepares: it must succeed.
 * Blank lines and those with '#' are for people. */
#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/test/https_client.h"
#include "base/fd.h"
#include "base/number.h"

enum { FILE_BYTES = 1024 * 1024, PARTS = 5, FIELDS_MAX = 7 };
enum part { REQUEST, TYPE, BODY, ANSWER, MESSAGE };

struct judge {
	struct site site;
	struct https_client *admin;
	struct https_client *nobody;
};

/* --- reading a line --- */

/* At "<x*300>": so many of the letter; gives how much was read, 0 for something else. */
static size_t put_repeated(struct str text, struct buf *to)
{
	ptrdiff_t end = str_find_byte(text, '>', 0);
	int64_t count;

	if (end < 4 || text.ptr[2] != '*' ||
	    number_parse_range(str_slice(text, 3, (size_t)end), 1, 4000000, &count, NULL) < 0)
		return 0;
	for (int64_t i = 0; i < count; i++)
		buf_putc(to, text.ptr[1]);
	return (size_t)end + 1;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void expand(struct str text, struct buf *to)
{
	for (size_t i = 0; i < text.len;) {
		struct str rest = str_skip(text, i);
		size_t read = rest.ptr[0] == '<' ? put_repeated(rest, to) : 0;

		if (!read && rest.len > 3 && rest.ptr[0] == '\\' && rest.ptr[1] == 'x' &&
		    hex(rest.ptr[2]) >= 0 && hex(rest.ptr[3]) >= 0) {
			buf_putc(to, (char)(hex(rest.ptr[2]) << 4 | hex(rest.ptr[3])));
			read = 4;
		} else if (!read) {
			buf_putc(to, rest.ptr[0]);
			read = 1;
		}
		i += read;
	}
}

static size_t split(struct str line, struct str parts[PARTS])
{
	size_t count = 0;

	while (count < PARTS) {
		ptrdiff_t bar = count < PARTS - 1 ? str_find(line, STR(" |"), 0) : -1;

		parts[count++] = str_trim(bar < 0 ? line : str_slice(line, 0, (size_t)bar));
		if (bar < 0)
			break;
		line = str_skip(line, (size_t)bar + 2);
	}
	return count;
}

/* A word off the front. */
static struct str take_word(struct str *rest)
{
	struct str word = str_none();

	*rest = str_trim(*rest);
	(void)str_split(rest, ' ', &word);
	return word;
}

/* --- asking --- */

static const char *dup_str(struct arena *arena, struct str text)
{
	return arena_str(arena, text).ptr;
}

/* Send what the parts say and wait. */
static void ask(struct judge *judge, const struct str parts[PARTS], struct arena *arena,
		struct reply *reply)
{
	AUTO(buf_done) struct buf target = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	const char *fields[FIELDS_MAX] = {NULL};
	struct str rest = parts[REQUEST];
	struct str word = take_word(&rest);
	struct https_client *client = judge->admin;
	size_t count = 0;

	for (;; word = take_word(&rest)) {
		if (str_is(word, "accept")) {
			fields[count++] = "accept";
			fields[count++] = dup_str(arena, take_word(&rest));
		} else if (str_is(word, "token")) {
			word = take_word(&rest);
			fields[count++] = "authorization";
			fields[count++] = arena_printf(arena, "Bearer %.*s", STR_ARG(word));
		} else if (str_is(word, "anonymous")) {
			client = judge->nobody;
		} else {
			break;
		}
	}
	if (!str_is(parts[TYPE], "none")) {
		fields[count++] = "content-type";
		fields[count] = parts[TYPE].len ? dup_str(arena, parts[TYPE]) : "application/json";
	}
	expand(str_trim(rest), &target);
	expand(parts[BODY], &body);
	https_start(client, dup_str(arena, word), buf_text(&target), fields, buf_str(&body), reply);
	https_wait(client, reply);
}

/* Until nothing is under way any more that the server does by itself. */
static int64_t settle(struct judge *judge)
{
	struct store *store = api_store(apiserver_api(judge->site.server));
	int64_t revision;

	do {
		revision = store_revision(store);
		loop_drain(judge->site.loop);
		store_flush(store);
		loop_drain(judge->site.loop);
	} while (store_revision(store) != revision);
	return revision;
}

static bool is_right(const struct str parts[PARTS], struct reply *reply)
{
	struct json root = reply->doc ? json_doc_root(reply->doc) : JSON_NONE;
	struct str text = json_is(root, JSON_OBJ) ? json_str(json_get(root, "message"))
						  : buf_str(&reply->text);
	char line[128];

	return str_is(parts[ANSWER], reply_line(reply, line)) &&
	       (!parts[MESSAGE].len || str_find(text, parts[MESSAGE], 0) >= 0);
}

static void judge_line(struct judge *judge, struct str line)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	bool prepares = str_starts(line, STR("+"));
	struct str parts[PARTS] = {{NULL, 0}};
	int64_t before = settle(judge);
	struct reply reply;
	char got[128];

	(void)split(str_skip(line, prepares), parts);
	ask(judge, parts, arena, &reply);
	if (prepares) {
		ok(reply.code >= 200 && reply.code < 300, "prepared: %.*s",
		   STR_ARG(parts[REQUEST]));
	} else {
		bool same = settle(judge) == before;
		bool right = is_right(parts, &reply);

		ok(right && same, "%.*s: %.*s", STR_ARG(str_slice(line, 0, 160)),
		   STR_ARG(parts[ANSWER]));
		if (!same)
			printf("#   it changed something\n");
		if (!right)
			printf("#   %s %.*s%s\n", reply_line(&reply, got),
			       STR_ARG(str_slice(buf_str(&reply.text), 0, 600)), reply.failure);
	}
	reply_done(&reply);
}

static void judge_file(struct judge *judge, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(FILE_BYTES);
	struct err err;
	struct str rest;
	struct str line;

	if (fd_read_file(path, &text, &err) < 0)
		bail_out(err.text);
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (line.len && line.ptr[0] != '#')
			judge_line(judge, line);
}

int main(int argc, char **argv)
{
	struct judge judge = {.site = site_open(&(struct apiserver_options){0})};

	judge.admin = https_client_of(&judge.site, TLS_ALPN_ANY, false);
	judge.nobody = https_client_of(&judge.site, TLS_ALPN_ANY, true);
	for (int i = 1; i < argc; i++)
		judge_file(&judge, argv[i]);
	https_client_free(judge.admin);
	https_client_free(judge.nobody);
	site_close(&judge.site);
	return tap_done();
}
