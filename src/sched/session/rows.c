/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/rows.c - see the header. More rows than ROWS_MAX of a sort are not asked: no configuration has
 * that many. */
#include "sched/session/rows.h"

#include "sched/session/config.h"
#include "sched/session/session.h"

#include "base/banned.h"

bool rows_are_local(const struct rows *rows)
{
	return !rows->filter_count[SCOPE_CLUSTER] && !rows->batch_count;
}

static uint64_t mixed_key(uint64_t key, row_key_fn *row, const struct plugin *plugin,
			  const struct task *task)
{
	static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

	return row ? (key ^ row(plugin, task)) * odd : key;
}

/* The filters of one scope. */
static void find_filters(const struct session *ssn, const struct task *task, enum scope scope,
			 struct rows *rows)
{
	const struct config *config = ssn->config;
	size_t count = 0;

	for (size_t i = 0; i < config->filters.len && count < ROWS_MAX; i++) {
		const struct config_filter *filter = &config->filters.ptr[i];

		if (filter->row->scope != scope ||
		    (filter->row->applies && !filter->row->applies(filter->plugin, task)))
			continue;
		rows->filters[scope][count++] = filter;
		rows->key = mixed_key(rows->key, filter->row->key, filter->plugin, task);
	}
	rows->filter_count[scope] = count;
}

void rows_find(const struct session *ssn, const struct task *task, struct rows *rows)
{
	const struct config *config = ssn->config;

	rows->score_count = rows->batch_count = 0;
	rows->normalises = false;
	rows->key = 0;
	for (enum scope scope = SCOPE_PROFILE; scope <= SCOPE_CLUSTER; scope++)
		find_filters(ssn, task, scope, rows);
	for (size_t i = 0; i < config->scores.len; i++) {
		const struct config_score *score = &config->scores.ptr[i];

		if (score->row->applies && !score->row->applies(score->plugin, task))
			continue;
		rows->key = mixed_key(rows->key, score->row->key, score->plugin, task);
		if (score->row->scope == SCOPE_CLUSTER) {
			if (rows->batch_count < ROWS_MAX)
				rows->batches[rows->batch_count++] = score;
		} else if (rows->score_count < ROWS_MAX) {
			rows->scores[rows->score_count++] = score;
			rows->normalises |= score->row->normalise != NORMALISE_NONE;
		}
	}
}

verdict rows_test(const struct rows *rows, enum scope scope, const struct task *task,
		  const struct node_info *node)
{
	verdict all = 0;

	for (size_t i = 0; i < rows->filter_count[scope]; i++) {
		const struct config_filter *filter = rows->filters[scope][i];

		all |= filter->row->test(filter->plugin, task, node);
		if (all && verdict_is_final(all))
			break;
	}
	return all;
}

bool rows_differ_in_order(const struct rows *rows, const struct task *task)
{
	const struct plugin *plugin = NULL;

	if (task->class->empty || task->class->terms->has_claims)
		return true;
	for (enum scope scope = SCOPE_PROFILE; scope <= SCOPE_CLUSTER; scope++)
		for (size_t i = 0; i < rows->filter_count[scope]; i++) {
			if (plugin && rows->filters[scope][i]->plugin != plugin)
				return true;
			plugin = rows->filters[scope][i]->plugin;
		}
	return false;
}

verdict rows_test_in_order(const struct session *ssn, const struct task *task,
			   const struct node_info *node)
{
	const struct config *config = ssn->config;
	const struct plugin *plugin = NULL;
	verdict all = 0;

	for (size_t i = 0; i < config->filters.len; i++) {
		const struct config_filter *filter = &config->filters.ptr[i];

		if (all && filter->plugin != plugin)
			break;
		plugin = filter->plugin;
		if (filter->row->applies && !filter->row->applies(plugin, task))
			continue;
		all |= filter->row->test(plugin, task, node);
		if (all && (verdict_is_final(all) || (all & VERDICT(FIT_ATTACH))))
			break;
	}
	return all;
}

double rows_normalise(const struct config_score *score, double raw, double most)
{
	static const double top = 100; /* of a score */
	double scaled;

	if (score->row->normalise == NORMALISE_NONE)
		return raw;
	scaled = most > 0 ? (double)(int64_t)(top * raw / most) : 0;
	return score->row->normalise == NORMALISE_UP ? scaled : top - scaled;
}

void rows_add_batches(const struct rows *rows, const struct task *task,
		      struct node_info *const *nodes, size_t count, double *scores)
{
	for (size_t i = 0; i < rows->batch_count; i++) {
		const struct config_score *score = rows->batches[i];

		if (score->row->batch)
			score->row->batch(score->plugin, task, nodes, count, scores);
		for (size_t j = 0; score->row->score && j < count; j++)
			scores[j] +=
				score->weight * score->row->score(score->plugin, task, nodes[j]);
	}
}

static double most_of(const struct config_score *score, const struct task *task,
		      struct node_info *const *nodes, size_t count)
{
	double most = 0;

	for (size_t i = 0; score->row->normalise != NORMALISE_NONE && i < count; i++) {
		double raw = score->row->score(score->plugin, task, nodes[i]);

		if (raw > most)
			most = raw;
	}
	return most;
}

void rows_score(const struct rows *rows, const struct task *task, struct node_info *const *nodes,
		size_t count, double *ret_scores)
{
	for (size_t i = 0; i < count; i++)
		ret_scores[i] = 0;
	for (size_t i = 0; i < rows->score_count; i++) {
		const struct config_score *score = rows->scores[i];
		double most = most_of(score, task, nodes, count);

		for (size_t j = 0; j < count; j++)
			ret_scores[j] +=
				score->weight *
				rows_normalise(score,
					       score->row->score(score->plugin, task, nodes[j]),
					       most);
	}
	rows_add_batches(rows, task, nodes, count, ret_scores);
}
