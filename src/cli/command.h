/* SPDX-License-Identifier: Apache-2.0 */
/* cli/command.h - commands and their flags as tables; parsing and help follow from them.
 *
 * A command is one row: its name, a line about it, its flags, and either a function or the commands
 * below it. Arguments are read as the tools that people come from read them: flags anywhere, `-n x`,
 * `-nx`, `-n=x`, `--name x`, `--name=x`, `--` ends the flags, several letters may share a dash when
 * all but the last take no value.
 *
 *	struct command_line line;
 *	if (command_parse(&root, argc, argv, arena, &line, err) < 0) ...
 *	struct str name = command_str(&line, "name");
 *
 * Everything lives in the arena. Nothing here prints or exits. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct arena;
struct cli;

enum flag_type { FLAG_STRING, FLAG_INT, FLAG_BOOL, FLAG_DURATION, FLAG_LIST };

struct flag {
	char letter; /* 0: has none */
	const char *name;
	enum flag_type type;
	const char *value; /* unless given; NULL: "", 0, false */
	const char *about;
	const char *env;  /* the variable that stands for `value` where it is set; NULL: none */
	const char *noun; /* what help calls its value; NULL: by its type */
};

struct command {
	const char *name;
	const char *about;
	const char *more;         /* paragraphs for its help; NULL: none */
	const char *arguments;    /* "NAME [TASK[/INDEX]]"; NULL: takes none */
	const struct flag *flags; /* up to one without a name; NULL: none */
	/* Work; the error is printed by the caller. NULL for a group. */
	int (*run)(struct cli *cli, struct err *err);
	const struct command *const *below; /* of a group, up to NULL */
	/* Its own kind of thing: not among the flags that every leaf has. */
	bool no_common;
	bool pass_on; /* what comes behind the first argument is not ours to read */
	bool hidden;  /* for programs: help does not name it */
};

enum { COMMAND_DEPTH_MAX = 4, COMMAND_FLAGS_MAX = 48 };

/* The flags that every leaf has beside its own (--kubeconfig, --master), up to one without a name.
 */
extern const struct flag command_common[];
/* Of every command, groups included: taken so that scripts which give them go on, and without
 * effect. */
extern const struct flag command_global[];

struct command_line {
	const struct command *path[COMMAND_DEPTH_MAX]; /* from the root on */
	size_t depth;
	const struct command *command; /* the last of them */
	const struct flag *flags[COMMAND_FLAGS_MAX];
	struct str values[COMMAND_FLAGS_MAX];
	bool given[COMMAND_FLAGS_MAX];
	size_t flag_count;
	const struct str *arguments;
	size_t argument_count;
	bool dashes; /* a "--" came before the first argument */
	bool help;   /* asked for, or a group without a command */
};

typedef const char *command_env_fn(const char *name);

/* `env` looks variables up; NULL: no variable is set. ERR_BAD_REQUEST with a text to be printed behind "Error: ". */
int command_parse(const struct command *root, int argc, const char *const *argv,
		  command_env_fn *env, struct arena *arena, struct command_line *ret,
		  struct err *err) MUST_CHECK;

/* The flag's value, given or not. The name must be one of the command's. */
struct str command_str(const struct command_line *line, const char *name);
int64_t command_int(const struct command_line *line, const char *name);
bool command_bool(const struct command_line *line, const char *name);
/* Microseconds. */
int64_t command_duration(const struct command_line *line, const char *name);
bool command_given(const struct command_line *line, const char *name);

/* Is there such a flag at all? */
bool command_has(const struct command_line *line, const char *name);
/* Give a flag a value, as if the command line had. */
int command_set(struct command_line *line, const char *name, struct str value,
		struct err *err) MUST_CHECK;

/* The command that these names lead to, with its flags and their defaults; -1: there is none. */
int command_find(const struct command *root, const struct str *names, size_t count,
		 struct command_line *ret, struct err *err) MUST_CHECK;
/* What `--help` prints. */
void command_help(const struct command_line *line, struct buf *to);
bool command_is_global(const struct flag *flag);
/* "vcctl job list" */
void command_print_path(const struct command_line *line, struct buf *to);

#endif
