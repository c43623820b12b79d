/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/output.h - what a container prints, kept in bounded files.
 *
 * A run of a container has the file NAME.RUN.log in the pod's folder, made with its first output; older
 * parts are NAME.RUN.log.1 and so on. Lines are as container runtimes write them:
 *
 *	2026-01-02T03:04:05.678901Z stdout F text	F: a whole line; P: more of it follows
 *
 * Of the runs, the current one and the one before are kept. */
#ifndef PROGRAMS_VOLCANO_POD_OUTPUT_H
#define PROGRAMS_VOLCANO_POD_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

struct output;

struct output_options {
	const char *name; /* of the container; must outlive the output */
	unsigned run;
	uint64_t file_size; /* bytes at which a file is rotated; 0: never */
	unsigned files;     /* the largest number of files, including the current one */
};

/* In the current folder. Appends to what is there. */
struct output *output_new(const struct output_options *options) __attribute__((returns_nonnull));
/* Writes the unfinished line. Takes NULL. */
void output_free(struct output *output, int64_t now);

void output_add(struct output *output, const char *bytes, size_t len, int64_t now);

/* Removes the files of a run. */
void output_remove(const char *name, unsigned run, unsigned files);

#endif
