/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_cards.c - one card: counting pieces, and the instances of MIG (additions, 1.5, 1.6).
 *
 * Counting is exact both ways: instances have counters rather than bits, since two pods may claim the same one. */
#include <assert.h>

#include "base/buf.h"
#include "base/number.h"
#include "sched/device/device.h"

#include "base/banned.h"

void card_count(struct card *card, const struct device_piece *piece, enum device_view view,
		int sign)
{
	struct card_use *use = &card->use[view];

	use->count += sign;
	use->memory += sign * piece->charged;
	use->cores += sign * piece->cores;
	if (piece->instance != INSTANCE_NONE)
		card->instances[view][piece->instance] =
			(uint16_t)(card->instances[view][piece->instance] + sign);
}

int64_t card_memory_asked(const struct card *card, const struct container_ask *ask)
{
	static const int64_t whole = 100;

	return ask->percent == PERCENT_NONE ? ask->memory : card->memory * ask->percent / whole;
}

struct card *pool_find_card(const struct device_pool *pool, struct str id, uint16_t *ret_at)
{
	for (size_t i = 0; i < pool->len; i++)
		if (str_eq(pool->cards[i].id, id)) {
			*ret_at = (uint16_t)i;
			return &pool->cards[i];
		}
	*ret_at = CARD_NONE;
	return NULL;
}

/* --- which cards a pod may use ------------------------------------------------------------------ */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains_nocase(struct str text, struct str part)
{
	for (size_t i = 0; i + part.len <= text.len; i++) {
		size_t j = 0;

		while (j < part.len && lower(text.ptr[i + j]) == lower(part.ptr[j]))
			j++;
		if (j == part.len)
			return true;
	}
	return false;
}

/* Is a model named by one of "A100,V100"? */
static bool names_model(struct str list, struct str model)
{
	struct str part;

	while (str_split(&list, ',', &part))
		if (contains_nocase(model, part))
			return true;
	return false;
}

/* Ids are compared whole, without the blanks around them. */
static bool names_id(struct str list, struct str id)
{
	struct str part;

	while (str_split(&list, ',', &part)) {
		part = str_trim(part);
		if (part.len && str_eq(part, id))
			return true;
	}
	return false;
}

bool card_suits(const struct card *card, const struct device_type *type,
		const struct device_ask *ask)
{
	if (!card->healthy)
		return false;
	if (type->kind != DEVICE_VGPU)
		return true;
	if (ask->use_models.len && !names_model(ask->use_models, card->model))
		return false;
	if (ask->no_models.len && names_model(ask->no_models, card->model))
		return false;
	if (str_trim(ask->use_ids).len && !names_id(ask->use_ids, card->id))
		return false;
	return !names_id(ask->no_ids, card->id);
}

/* --- instances ---------------------------------------------------------------------------------- */

/* Now: also if it is taken soon. */
static bool is_taken(const struct card *card, uint32_t instance, enum device_view view)
{
	return card->instances[DEVICES_SOON][instance] ||
	       (view == DEVICES_NOW && card->instances[DEVICES_NOW][instance]);
}

static bool is_used(const struct card *card, const struct mig_group *group, enum device_view view)
{
	for (uint32_t i = 0; i < group->size; i++)
		if (is_taken(card, group->first + i, view))
			return true;
	return false;
}

bool card_is_cut(const struct card *card, enum device_view view)
{
	for (size_t i = 0; i < card->mig->len; i++)
		if (is_used(card, &card->mig->groups[i], view))
			return true;
	return false;
}

/* The smallest free instance of a group; larger than `below` it does not count. */
static bool find_in_group(const struct card *card, const struct mig_group *group,
			  enum device_view view, int64_t memory, int64_t below,
			  uint16_t *ret_instance, int64_t *ret_memory)
{
	bool found = false;

	for (size_t i = 0; i < group->len; i++) {
		const struct mig_profile *profile = &group->profiles[i];

		if (profile->memory < memory || profile->memory >= below)
			continue;
		for (uint32_t j = 0; j < profile->count; j++) {
			uint32_t at = group->first + profile->first + j;

			if (is_taken(card, at, view))
				continue;
			*ret_instance = (uint16_t)at;
			*ret_memory = below = profile->memory;
			found = true;
			break;
		}
	}
	return found;
}

bool card_find_instance(const struct card *card, enum device_view view, int64_t memory,
			uint16_t *ret_instance, int64_t *ret_memory)
{
	int64_t below = INT64_MAX;

	for (size_t i = 0; i < card->mig->len; i++)
		if (is_used(card, &card->mig->groups[i], view))
			return find_in_group(card, &card->mig->groups[i], view, memory, below,
					     ret_instance, ret_memory);
	for (size_t i = 0; i < card->mig->len; i++)
		if (find_in_group(card, &card->mig->groups[i], view, memory, below, ret_instance,
				  ret_memory))
			below = *ret_memory;
	return below != INT64_MAX;
}

static const struct mig_profile *profile_at(const struct mig_group *group, uint32_t position)
{
	for (size_t i = 0; i < group->len; i++)
		if (position - group->profiles[i].first < group->profiles[i].count)
			return &group->profiles[i];
	return NULL;
}

uint16_t card_parse_instance(const struct card *card, struct str text, int64_t *ret_memory)
{
	ptrdiff_t dash = str_rfind_byte(text, '-');
	int64_t position;

	if (!card->mig || dash < 0 ||
	    number_parse_range(str_skip(text, (size_t)dash + 1), 0, MIG_POSITIONS_MAX, &position,
			       NULL) < 0)
		return INSTANCE_NONE;
	for (size_t i = 0; i < card->mig->len; i++) {
		const struct mig_group *group = &card->mig->groups[i];
		const struct mig_profile *profile = profile_at(group, (uint32_t)position);

		if (!str_eq(group->name, str_slice(text, 0, (size_t)dash)) || !profile)
			continue;
		*ret_memory = profile->memory;
		return (uint16_t)(group->first + (uint32_t)position);
	}
	return INSTANCE_NONE;
}

void card_print_instance(const struct card *card, uint16_t instance, struct buf *to)
{
	for (size_t i = 0; i < card->mig->len; i++) {
		const struct mig_group *group = &card->mig->groups[i];

		if (instance - group->first < group->size) {
			buf_printf(to, "[%.*s-%u]", STR_ARG(group->name), instance - group->first);
			return;
		}
	}
}
