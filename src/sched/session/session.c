/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/session.c - see the header. */
#include "sched/session/session.h"

#include "base/mem.h"
#include "sched/device/cards.h"
#include "sched/place/job_group.h"
#include "sched/place/reservation.h"
#include "sched/report/object_warnings.h"
#include "sched/session/statement.h"

#include "base/banned.h"

void session_mark(const struct session *ssn, enum session_mark where, const char *name)
{
	if (ssn->options.mark)
		ssn->options.mark(ssn->options.mark_arg, where, name);
}

enum { TEXTS_KEPT = 1000 };

static uint16_t add_text(struct cluster *cluster, const char *text)
{
	uintptr_t number = cluster->texts.len;
	char *copy = mem_strdup(text);

	vec_push(&cluster->texts, copy);
	(void)map_put(cluster->text_numbers, str_from(copy), (void *)(number + 1));
	return (uint16_t)number;
}

/* The first is of no use: 0 is what a verdict without a text refers to. If a plugin makes new texts again and again, all
 * of them are forgotten once in a while, and with them what was found out about nodes. */
static void keep_texts(struct cluster *cluster)
{
	if (cluster->texts.len > TEXTS_KEPT) {
		for (size_t i = 0; i < cluster->texts.len; i++)
			mem_free(cluster->texts.ptr[i]);
		vec_clear(&cluster->texts);
		map_clear(cluster->text_numbers);
		cluster->shape++;
	}
	if (!cluster->texts.len)
		(void)add_text(cluster, "node is not there");
}

static struct session *session_new(struct cluster *cluster, struct config *config, int64_t now,
				   const struct session_options *options)
{
	struct session *ssn = mem_new(struct session);

	ssn->cluster = cluster;
	ssn->config = config;
	ssn->now = now;
	ssn->id = ++cluster->sessions;
	ssn->arena = arena_new(0);
	if (options)
		ssn->options = *options;
	list_init(&ssn->statements);
	return ssn;
}

struct session *session_open(struct cluster *cluster, struct config *config, int64_t now,
			     const struct session_options *options)
{
	struct session *ssn = session_new(cluster, config, now, options);

	keep_texts(cluster);
	if (cluster->config != config->number) { /* may have another opinion */
		cluster->config = config->number;
		cluster_unblock(cluster);
		job_groups_unblock(cluster);
	}
	cluster_settle(cluster);
	if (ssn->options.refresh)
		cluster_refresh(cluster);
	for (size_t i = 0; i < config->plugins.len; i++) {
		struct plugin *p = config->plugins.ptr[i];

		p->ssn = ssn;
		if (p->type->prepare)
			p->type->prepare(p);
	}
	if (cluster->devices && cluster->devices->session != ssn->id)
		cards_retire(cluster);
	for (size_t i = 0; i < config->plugins.len; i++) {
		struct plugin *p = config->plugins.ptr[i];

		if (p->type->open)
			p->type->open(p);
		session_mark(ssn, MARK_PLUGIN_OPEN, p->type->name);
	}
	session_mark(ssn, MARK_OPEN, NULL);
	return ssn;
}

void session_act(struct session *ssn)
{
	reservations_open(ssn);
	for (size_t i = 0; i < ssn->config->actions.len; i++) {
		const struct config_action *action = &ssn->config->actions.ptr[i];

		action->type->run(ssn, action->arguments);
		session_mark(ssn, MARK_ACTION, action->type->name);
	}
}

/* Nothing was decided, and time alone changes nothing: as long as nothing happens it would be the same again. */
static bool is_settled(const struct session *ssn)
{
	const struct cluster *cluster = ssn->cluster;

	if (ssn->decisions.all.len || ssn->config->timed ||
	    object_warnings_are_unreported(cluster->warnings) ||
	    cluster->unblocks != cluster->unblocks_seen)
		return false;
	if (cluster->blocked_count + cluster->group_count && cluster->refreshed != cluster->moves)
		return false;
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		if (job->reserved_until || job->recalls || job->reported_reasons.outdated)
			return false;
	return true;
}

void session_close(struct session *ssn)
{
	reservations_close(ssn);
	decisions_conclude(ssn);
	ssn->cluster->still = is_settled(ssn) ? ssn->cluster->events : 0;
	session_mark(ssn, MARK_CONCLUDE, NULL);
	for (size_t i = 0; i < ssn->config->plugins.len; i++) {
		struct plugin *p = ssn->config->plugins.ptr[i];

		if (p->type->close)
			p->type->close(p);
		session_mark(ssn, MARK_PLUGIN_CLOSE, p->type->name);
		p->ssn = NULL;
	}
}

struct session *session_run(struct cluster *cluster, struct config *config, int64_t now,
			    const struct session_options *options)
{
	struct session *ssn;

	if (cluster->still == cluster->events && cluster->config == config->number)
		return session_new(cluster, config, now, options);
	ssn = session_open(cluster, config, now, options);
	session_act(ssn);
	session_close(ssn);
	return ssn;
}

void session_free(struct session *ssn)
{
	if (!ssn)
		return;
	for (size_t i = 0; i < ssn->decisions.all.len; i++)
		resources_done(&ssn->decisions.all.ptr[i].allocated);
	vec_done(&ssn->decisions.all);
	arena_free(ssn->arena);
	mem_free(ssn);
}

uint16_t session_text(struct session *ssn, const char *text)
{
	struct cluster *cluster = ssn->cluster;

	uintptr_t number = (uintptr_t)map_get(cluster->text_numbers, str_from(text));

	if (number)
		return (uint16_t)(number - 1);
	return cluster->texts.len == UINT16_MAX ? 0 : add_text(cluster, text);
}

struct reason_names session_names(const struct session *ssn)
{
	return (struct reason_names){.dims = ssn->cluster->dims,
				     .symbols = ssn->cluster->symbols,
				     .texts = (const char *const *)ssn->cluster->texts.ptr,
				     .text_count = ssn->cluster->texts.len};
}

struct reason_names session_names_of(const struct session *ssn, const struct job *job)
{
	struct reason_names names = session_names(ssn);

	names.other = cluster_unknown_resource(ssn->cluster, job);
	return names;
}

struct task_note *session_note(struct session *ssn, struct task *task)
{
	if (task->note.session != ssn->id)
		task->note = (struct task_note){.session = ssn->id};
	return &task->note;
}

const struct task_note *session_find_note(const struct session *ssn, const struct task *task)
{
	static const struct task_note none = {0};

	return task->note.session == ssn->id ? &task->note : &none;
}

void session_refuse(struct session *ssn, struct job *job, const struct reason *why)
{
	if (job->refused_session != ssn->id) {
		job->refusal = (struct reason){.dim = DIM_NONE};
		job->reasons = arena_zalloc(ssn->arena, sizeof(*job->reasons));
	}
	job->refused_session = ssn->id;
	reason_prefer(&job->refusal, why);
	reasons_add(job->reasons, why);
}

bool session_has_job(const struct session *ssn, const struct job *job)
{
	(void)ssn;
	return job->grouped && job->queue;
}

bool session_is_waiting(const struct session *ssn, const struct task *task)
{
	(void)ssn;
	return task->status == TASK_PENDING && task->ours && !task->gated;
}
