/* SPDX-License-Identifier: Apache-2.0 */
/* test/quotes.h - steps in whose bodies and answers ' stands for ". */
#ifndef APISERVER_TEST_QUOTES_H
#define APISERVER_TEST_QUOTES_H

#include "apiserver/test/world.h"

static inline const char *quotes_text(struct arena *arena, const char *text)
{
	char *copy = text ? arena_strdup(arena, text) : NULL;

	for (char *c = copy; c && *c; c++)
		if (*c == '\'')
			*c = '"';
	return copy;
}

static inline void quotes_steps(struct world *w, const struct step *steps, size_t count)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < count; i++) {
		struct step step = steps[i];

		step.body = quotes_text(arena, step.body);
		step.want = quotes_text(arena, step.want);
		world_steps(w, &step, 1);
	}
}

#endif
