/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/signals.h - which signals are ignored here, so that no program of a pod is.
 *
 * What is ignored stays so in a program that is started. To set each of them back costs a call a signal, and a pod of
 * one short process feels that; so it is done once, when volcano-pod starts, and later only for the few that
 * somebody here ignores. */
#ifndef PROGRAMS_VOLCANO_POD_SIGNALS_H
#define PROGRAMS_VOLCANO_POD_SIGNALS_H

/* None is ignored, and none is blocked, as whoever has started this may have left them. */
void signals_forget(void);
/* One of those that signals_give_back() knows of. */
void signals_ignore(int signo);
/* In a child that becomes a program: as after signals_forget(). */
void signals_give_back(void);

#endif
