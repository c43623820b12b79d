/* SPDX-License-Identifier: Apache-2.0 */
/* cli/live.c - see live.h. Informers hold what is there; a change sets a timer, so that many changes
 * at once cost one drawing. The first lists are asked for plainly: an error ends the command there,
 * while a connection that is lost later is taken up again. */
#include "cli/live.h"

#include <assert.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "client/informer.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { PAUSE_US = 100 * 1000, TICK_US = 1000 * 1000 };

struct live {
	struct cli *cli;
	struct informer *informers[LIVE_SOURCES_MAX];
	size_t count;
	struct loop_timer *timer;
	bool due;
	bool drawn;
};

static void changed(void *arg, const struct informer_object *object)
{
	struct live *live = arg;

	(void)object;
	if (live->drawn)
		loop_timer_set(live->timer, PAUSE_US);
}

static void synced(void *arg)
{
	struct live *live = arg;

	for (size_t i = 0; i < live->count; i++)
		if (!informer_synced(live->informers[i]))
			return;
	live->due = true;
}

static void tick(struct loop_timer *timer, void *arg)
{
	struct live *live = arg;

	(void)timer;
	live->due = true;
}

/* --- a drawing ---------------------------------------------------------------------------------- */

/* Cut at the terminal's last line but one, each line cleared after its end. The terminal cuts what is wider than it
 * is (?7l), so that a line stays one. */
static void put_frame(struct cli *cli)
{
	AUTO(buf_done) struct buf frame = BUF_UNBOUNDED;
	struct str rest = buf_str(&cli->out);
	struct str line;
	int left = cli->host->rows(cli->host->arg) - 1;

	if (!cli_is_live(cli)) {
		cli_flush(cli);
		return;
	}
	buf_puts(&frame, "\x1b[?7l\x1b[H");
	while (left-- > 0 && str_split(&rest, '\n', &line) && (line.len || !str_is_none(rest)))
		buf_printf(&frame, "%.*s\x1b[K\n", STR_ARG(line));
	buf_puts(&frame, "\x1b[J\x1b[?7h");
	cli->host->out(cli->host->arg, buf_str(&frame));
	buf_clear(&cli->out);
}

static struct json_doc *collect(const struct informer *informer)
{
	struct json_doc *doc = json_doc_new();
	struct informer_walk walk = {0};
	struct json_doc *object;

	json_doc_set_root(doc, json_new_arr(doc));
	while ((object = informer_next(informer, &walk)))
		json_append(doc, json_doc_root(doc), json_new_copy(doc, json_doc_root(object)));
	return doc;
}

static int draw_now(struct live *live, live_draw_fn *draw, void *arg, struct err *err)
{
	struct json_doc *docs[LIVE_SOURCES_MAX];
	struct json items[LIVE_SOURCES_MAX];
	AUTO(arena_free) struct arena *scratch = arena_new(0);
	struct arena *kept = live->cli->arena;
	int status;

	for (size_t i = 0; i < live->count; i++) {
		docs[i] = collect(live->informers[i]);
		items[i] = json_doc_root(docs[i]);
	}
	live->due = false;
	live->drawn = true;
	live->cli->arena = scratch;
	status = draw(live->cli, items, arg, err);
	live->cli->arena = kept;
	if (status == 0)
		put_frame(live->cli);
	for (size_t i = 0; i < live->count; i++)
		json_doc_unref(docs[i]);
	if (cli_is_live(live->cli))
		loop_timer_set(live->timer, TICK_US);
	return status;
}

/* --- both --------------------------------------------------------------------------------------- */

int live_once(struct cli *cli, const struct live_source *sources, size_t count, live_draw_fn *draw,
	      void *arg, struct err *err)
{
	struct json_doc *docs[LIVE_SOURCES_MAX] = {0};
	struct json items[LIVE_SOURCES_MAX];
	int status = 0;

	assert(count <= LIVE_SOURCES_MAX);
	for (size_t i = 0; i < count && status == 0; i++) {
		docs[i] = cli_ask(cli,
				  &(struct client_ask){.verb = CLIENT_LIST,
						       .resource = &resources[sources[i].id],
						       .namespace = sources[i].namespace,
						       .label_selector = sources[i].selector,
						       .field_selector = sources[i].fields},
				  err);
		status = docs[i] ? 0 : -1;
		items[i] = docs[i] ? json_get(json_doc_root(docs[i]), "items") : JSON_NONE;
	}
	if (status == 0)
		status = draw(cli, items, arg, err);
	for (size_t i = 0; i < count; i++)
		json_doc_unref(docs[i]);
	return status;
}

static void begin(struct live *live, const struct live_source *sources)
{
	static const struct informer_events events = {
		.added = changed, .updated = changed, .deleted = changed, .synced = synced};

	for (size_t i = 0; i < live->count; i++) {
		live->informers[i] = informer_new(live->cli->client,
						  &(struct informer_options){
							  .resource = &resources[sources[i].id],
							  .namespace = sources[i].namespace,
							  .label_selector = sources[i].selector,
							  .field_selector = sources[i].fields,
							  .store = true,
						  });
		informer_listen(live->informers[i], &events, live);
	}
	for (size_t i = 0; i < live->count; i++)
		informer_start(live->informers[i]);
}

static int nothing(struct cli *cli, const struct json *items, void *arg, struct err *err)
{
	(void)cli;
	(void)items;
	(void)arg;
	(void)err;
	return 0;
}

int live_run(struct cli *cli, const struct live_source *sources, size_t count, live_draw_fn *draw,
	     void *arg, struct err *err)
{
	struct live live = {.cli = cli, .count = count};
	int status = live_once(cli, sources, count, nothing, NULL, err);

	if (status < 0)
		return -1;
	live.timer = loop_timer_new(cli->loop, tick, &live);
	begin(&live, sources);
	if (cli_is_live(cli))
		cli->host->out(cli->host->arg, STR("\x1b[2J"));
	while (status == 0) {
		(void)cli_wait(cli, &live.due, -1);
		status = draw_now(&live, draw, arg, err);
	}
	for (size_t i = 0; i < count; i++)
		informer_free(live.informers[i]);
	loop_timer_free(live.timer);
	return status;
}
