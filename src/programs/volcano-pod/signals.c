/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/signals.c - see signals.h.
 *
 * Always true: only the signals of the list are ignored. The kernel resets handlers, which only sanitizers install
 * here, when a program starts. */
#include "programs/volcano-pod/signals.h"

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

#include "base/banned.h"

static const int ignorable[] = {SIGCHLD, SIGINT, SIGPIPE, SIGXFSZ};

static void unblock_all(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

void signals_forget(void)
{
	for (int signo = 1; signo < NSIG; signo++) {
		struct sigaction now;

		if (sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
			(void)signal(signo, SIG_DFL);
	}
	unblock_all();
}

void signals_ignore(int signo)
{
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(ignorable); i++)
		known = known || ignorable[i] == signo;
	assert(known);
	(void)signal(signo, SIG_IGN);
}

void signals_give_back(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ignorable); i++)
		(void)signal(ignorable[i], SIG_DFL);
	unblock_all();
}
