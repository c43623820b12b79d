/* SPDX-License-Identifier: Apache-2.0 */
/* cli/submit.h - a Job made of what a command line says. Pure: texts in, a document out. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct array;

struct submit {
	struct str name;
	struct str namespace;
	struct str queue; /* none: the server's default */
	struct str scheduler;
	struct str image;
	struct str requests; /* "cpu=1000m,memory=100Mi" */
	struct str limits;
	int64_t replicas;
	int64_t min;
	/* The words of the command; none: the image's own. */
	const struct str *command;
	size_t words;

	/* What follows is vsub's; `batch` switches it on. */
	bool batch;
	struct str cpus, mem, gpus; /* a task; none: not said */
	struct str gpu_resource;    /* "nvidia.com/gpu" */
	struct str folder;          /* to work in; none: the image's */
	struct str priority;        /* a PriorityClass; none: not said */
	struct str uid, gid;        /* whom tasks run as, by number; none: not said */
	int64_t time_s;             /* 0: no bound */
	int64_t retries;            /* run the job up to this many more times if a task fails */
	struct str output;          /* file pattern for standard output and error; none: the log */
	bool stop_on_failure;       /* one task that fails ends the job */
	bool slurm_env;             /* also under Slurm's names */
	const struct array *array;  /* NULL: none */
	bool home;                  /* for `volcano up`, whose env plugin can count */
	const struct str *env;      /* "NAME=VALUE" */
	size_t env_count;
};

/* ERR_BAD_REQUEST names what is wrong. */
struct json_doc *submit_job(const struct submit *submit, struct err *err) MUST_CHECK;

/* Text that a container's command or environment is to see as it is: Kubernetes replaces $(NAME) and
 * $$ there. */
void submit_put_literal(struct str text, struct buf *to);

/* A bound of time as sbatch takes it: "90" (minutes), "30:00", "2:00:00", "1-12", "1-12:30:00"; or
 * "90s", "1h30m". In seconds. */
int submit_parse_time(struct str text, int64_t *ret, struct err *err) MUST_CHECK;
/* "4Gi"; a number alone is in mebibytes, as in Slurm. */
int submit_parse_memory(struct str text, struct buf *to, struct err *err) MUST_CHECK;

#endif
