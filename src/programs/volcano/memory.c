/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/memory.c - memory that is not used any more goes back to the system.
 *
 * The C library keeps what was freed, unless it is at the end of its heap: after a load that is over
 * the process would stay as large as it was. Large blocks are therefore mapped one by one, so that
 * each goes back when it is freed (by itself the library stops doing that after the first of them),
 * and what else is free is given back when it is much. */
#include "programs/volcano/memory.h"

#include <malloc.h>

#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define PERIOD (5 * TIME_SECOND)

enum {
	MAPPED_FROM = 256 * 1024,
	FREE_BYTES = 16 * 1024 * 1024, /* that are kept for what comes next */
};

struct memory {
	struct loop_timer *timer;
};

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct mallinfo2 info = mallinfo2();

	(void)arg;
	if (info.fordblks > FREE_BYTES && info.fordblks > info.uordblks / 4)
		(void)malloc_trim(0); /* whether there was something does not matter */
	loop_timer_set(timer, PERIOD);
}

struct memory *memory_watch(struct loop *loop)
{
	struct memory *memory = mem_new(struct memory);

	(void)mallopt(M_MMAP_THRESHOLD, MAPPED_FROM); /* if not, it only takes more memory */
	memory->timer = loop_timer_new(loop, on_timer, memory);
	loop_timer_set(memory->timer, PERIOD);
	return memory;
}

void memory_free(struct memory *memory)
{
	if (!memory)
		return;
	loop_timer_free(memory->timer);
	mem_free(memory);
}
