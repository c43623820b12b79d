/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/signals.h - which signals volcano-pod ignores, so that programs of pods start with none
 * ignored.
 *
 * A signal that is ignored stays ignored in a program that is started. To reset all of them takes one call per
 * signal, which is measurable in a pod of one short process. Therefore all are reset once, when volcano-pod
 * starts, and later only the few that volcano-pod itself ignores. */
#ifndef PROGRAMS_VOLCANO_POD_SIGNALS_H
#define PROGRAMS_VOLCANO_POD_SIGNALS_H

/* Ignore and block no signal, whatever the parent process has set. */
void signals_forget(void);
/* Ignore a signal, which must be one that signals_give_back() resets. */
void signals_ignore(int signo);
/* In a child, before it starts a program: as after signals_forget(). */
void signals_give_back(void);

#endif
