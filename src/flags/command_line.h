/* SPDX-License-Identifier: Apache-2.0 */
/* flags/command_line.h - commands and their flags as tables; parsing, help, completion and manual pages
 * follow from them.
 *
 * A command is one row: its name, a line about it, its flags, and either a function or the commands below
 * it. The syntax is that of the Go library pflag, which Kubernetes' and Volcano's programs use: flags
 * anywhere, `-n x`, `-nx`, `-n=x`, `--name x`, `--name=x`; `--` ends the flags; several letters may share a
 * dash if all but the last take no value; "_" in a name is the same as "-".
 *
 *	struct command_line line;
 *	if (command_parse(&root, argc, argv, env, arena, &line, err) < 0) ...
 *	struct str name = command_str(&line, "name");
 *
 * Values are checked while they are read, so that a command never gets a number that is none. Everything
 * lives in the arena. Nothing here prints or exits. */
#ifndef FLAGS_COMMAND_LINE_H
#define FLAGS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct arena;

enum flag_type {
	FLAG_STRING,
	FLAG_INT,    /* a whole number, from `min` to `max` */
	FLAG_NUMBER, /* 0.5 */
	FLAG_BOOL,
	FLAG_DURATION, /* 1h30m */
	FLAG_LIST,     /* texts with commas between them; may be given more than once */
	FLAG_CHOICE,   /* one of `choices` */
};

/* Whether a value is right beyond its type; says what it must be. */
typedef int flag_check_fn(const char *value, struct err *err);

struct flag {
	const char *name;
	char letter; /* 0: has none */
	enum flag_type type;
	const char *value; /* unless given; NULL: "", 0, false */
	const char *about;
	const char *noun;      /* what help calls its value; NULL: by its type */
	const char *env;       /* the variable that replaces `value` if it is set; NULL: none */
	const char *choices;   /* words with blanks between them, offered by completion */
	const char *completes; /* what else completion offers (complete.h); NULL: nothing */
	int64_t min, max;      /* of FLAG_INT; both 0: 32 bits */
	flag_check_fn *check;  /* may be NULL */
	const char *alias_of;  /* the flag that this is another name of */
	/* Accepted, with a warning (command_print_warnings()): */
	const char *deprecated; /* what to use instead */
	const char *no_effect;  /* why it changes nothing */
};

/* What the program's `main` hands to the function of a command. */
typedef int command_run_fn(void *program, struct err *err);

struct command {
	const char *name;
	const char *about;
	const char *more;      /* paragraphs for its help; NULL: none */
	const char *arguments; /* "NAME [TASK[/INDEX]]"; NULL: takes none */
	const char
		*completes; /* what completion offers for its arguments and --name (complete.h) */
	const struct flag *flags;           /* up to one without a name; NULL: none */
	command_run_fn *run;                /* NULL for a group */
	const struct command *const *below; /* of a group, up to NULL */
	/* Of a root: the flags that every leaf has in addition to its own, and those that every command has,
	 * without an effect, so that scripts which give them work. Up to one without a name; NULL: none. */
	const struct flag *common;
	const struct flag *global;
	bool no_common;         /* has none of the common flags */
	bool pass_on;           /* does not read what follows the first argument */
	bool ignores_arguments; /* accepts arguments, with a warning */
	bool hidden;            /* for programs: help does not name it */
};

enum { COMMAND_DEPTH_MAX = 4, COMMAND_FLAGS_MAX = 80 };

struct command_line {
	const struct command *path[COMMAND_DEPTH_MAX]; /* from the root on */
	size_t depth;
	const struct command *command; /* the last of them */
	const struct flag *flags[COMMAND_FLAGS_MAX];
	struct str values[COMMAND_FLAGS_MAX]; /* end in a NUL */
	bool given[COMMAND_FLAGS_MAX];
	size_t flag_count;
	size_t global_at, global_count; /* the root's global flags */
	const struct str *arguments;
	size_t argument_count;
	bool dashes; /* a "--" came before the first argument */
	bool help;   /* --help was given, or a group without a command */
};

typedef const char *command_env_fn(const char *name);

/* `env` looks variables up; NULL: no variable is set. ERR_BAD_REQUEST if the line is wrong, with a text for
 * the user. */
int command_parse(const struct command *root, int argc, const char *const *argv,
		  command_env_fn *env, struct arena *arena, struct command_line *ret,
		  struct err *err) MUST_CHECK;

/* The flag's value, given or not. The name must be one of the command's. */
struct str command_str(const struct command_line *line, const char *name);
/* The same; ends in a NUL. NULL if it is empty. */
const char *command_text(const struct command_line *line, const char *name);
int64_t command_int(const struct command_line *line, const char *name);
double command_number(const struct command_line *line, const char *name);
bool command_bool(const struct command_line *line, const char *name);
/* Is a feature on, by a flag like "A=true,B=false"? `usual` if the flag does not name it. */
bool command_has_gate(const struct command_line *line, const char *flag, const char *gate,
		      bool usual);
/* Microseconds. */
int64_t command_duration(const struct command_line *line, const char *name);
/* The next text of a FLAG_LIST; begin with *rest = command_str(). Empty ones are left out. */
bool command_next(struct str *rest, struct str *ret);
bool command_given(const struct command_line *line, const char *name);

/* Is there such a flag at all? */
bool command_has(const struct command_line *line, const char *name);

/* The command that these names lead to, with its flags and their defaults; -1: there is none. */
int command_find(const struct command *root, const struct str *names, size_t count,
		 struct command_line *ret, struct err *err) MUST_CHECK;
/* What `--help` prints. */
void command_help(const struct command_line *line, struct buf *to);
/* A line for each deprecated flag and each flag without effect that was given, and for arguments that are
 * ignored. Global flags are not mentioned. */
void command_print_warnings(const struct command_line *line, struct buf *to);
/* Is this flag, by its place in the line, one of the root's global ones? */
bool command_is_global(const struct command_line *line, size_t at);
/* "vcctl job list" */
void command_print_path(const struct command_line *line, struct buf *to);

#endif
