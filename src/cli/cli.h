/* SPDX-License-Identifier: Apache-2.0 */
/* cli/cli.h - one run of a command: where it reads, prints and asks.
 *
 * A command is a function in a file of its own and a row in a table (commands.c). It asks the server
 * through the functions below, one thing after the other: they turn the loop until the answer is
 * there. What the outside world is (variables, descriptors, how to reach a server) comes from the
 * host, so that tests bring their own.
 *
 * Errors are returned; cli_run() prints them as `Failed to list job: ...` on standard error. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/client.h"
#include "flags/command_line.h"
#include "flags/complete.h"
#include "json/doc.h"

struct arena;
struct kubeconfig_access;
struct loop;
struct transport;

struct cli_host {
	command_env_fn *env;
	/* Both may be called many times; `error` is for people. */
	void (*out)(void *arg, struct str text);
	void (*error)(void *arg, struct str text);
	bool (*is_terminal)(void *arg);       /* of `out` */
	bool (*error_is_terminal)(void *arg); /* of `error` */
	/* Of the terminal; 0: there is none. */
	int (*columns)(void *arg);
	int (*rows)(void *arg);
	/* "NAME=VALUE", up to NULL. */
	const char *const *(*environment)(void *arg);
	/* The working directory of the user; "" if it is unknown. */
	const char *(*folder)(void *arg);
	/* A whole file, or standard input for "-". */
	int (*read)(void *arg, const char *path, struct buf *to, struct err *err);
	/* Takes what is in `access`. */
	struct transport *(*connect)(void *arg, struct loop *loop, struct kubeconfig_access *access,
				     struct err *err);
	void *arg;
};

struct cli {
	const struct cli_host *host;
	struct arena *arena;
	struct command_line line;
	int argc; /* what `line` was read from */
	const char *const *argv;
	struct buf out; /* printed when the command ends, or by cli_flush() */
	struct loop *loop;
	struct client *client; /* NULL until something is asked */
	int exit;              /* what the program ends with if all went well; 0 */
};

/* Flags of every command, and those of every command without an effect (klog's); of every root. */
extern const struct flag cli_common[], cli_global[];
#define CLI_ROOT .common = cli_common, .global = cli_global

/* Parse, run, print; gives the exit code: 0, 1 for a wrong command line, 255 for anything that
 * failed, or what the command set. */
int cli_run(const struct command *root, int argc, const char *const *argv, struct loop *loop,
	    const struct cli_host *host);

/* What was printed so far goes out. */
void cli_flush(struct cli *cli);
/* A line on standard error, at once. */
void cli_warn(struct cli *cli, const char *format, ...) PRINTF(2, 3);
/* Is it a terminal, on which what was drawn can be drawn over? */
bool cli_is_live(const struct cli *cli);
/* Colours: on a terminal, unless $NO_COLOR is set. */
bool cli_has_colour(const struct cli *cli);
enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_FAINT, COLOUR_GOOD, COLOUR_BUSY, COLOUR_BAD };
/* What switches it on; "" if there are no colours. */
const char *cli_colour(const struct cli *cli, enum colour colour);
/* May lines and blocks be drawn? Not if the locale is not UTF-8. */
bool cli_has_unicode(const struct cli *cli);

/* --- asking; each waits ------------------------------------------------------------------------ */

/* The client, connected on first use. */
struct client *cli_client(struct cli *cli, struct err *err) MUST_CHECK;
/* Any request; `done` and `arg` of the ask are not used. The document is the caller's; it is absent
 * (an empty one) if the answer has none. NULL and an error if it failed. */
struct json_doc *cli_ask(struct cli *cli, const struct client_ask *ask, struct err *err) MUST_CHECK;
struct json_doc *cli_get(struct cli *cli, enum resource_id id, struct str namespace,
			 struct str name, struct err *err) MUST_CHECK;
/* Namespace none: all. Selector may be none. */
struct json_doc *cli_list(struct cli *cli, enum resource_id id, struct str namespace,
			  struct str selector, struct err *err) MUST_CHECK;
/* Takes the body. */
struct json_doc *cli_create(struct cli *cli, enum resource_id id, struct str namespace,
			    struct json_doc *body, struct err *err) MUST_CHECK;
int cli_delete(struct cli *cli, enum resource_id id, struct str namespace, struct str name,
	       struct err *err) MUST_CHECK;
/* Wait until *flag is set by a callback of the loop, at most until `deadline_us` from now has
 * passed (negative: forever). False: it has passed. */
bool cli_wait(struct cli *cli, const bool *flag, int64_t deadline_us);

/* --- what commands share ------------------------------------------------------------------------ */

/* The documents of a file of YAML or JSON. */
struct cli_docs {
	struct json_doc **ptr;
	size_t len;
	size_t size;
};
int cli_read_docs(struct cli *cli, struct str path, struct cli_docs *ret,
		  struct err *err) MUST_CHECK;
void cli_docs_done(struct cli_docs *docs);
DEFINE_AUTO_IN_PLACE(struct cli_docs, cli_docs_done);

/* The name that the command is about: of --name, or the first argument; may be none. */
struct str cli_name(const struct cli *cli);
/* Flags as most commands have them. */
/* None with --all-namespaces, and if the command has no namespaces. */
struct str cli_namespace(const struct cli *cli);

/* Of vjobs, vcancel, vsuspend, vresume and vqueues: -n is the name, -N the namespace. */
#define CLI_SHORT_NAME(text)                                                    \
	{                                                                       \
		.letter = 'n', .name = "name", .about = (text), .noun = "NAME", \
		.completes = COMPLETE_NAME                                      \
	}
#define CLI_SHORT_NAMESPACE                                                                       \
	{                                                                                         \
		.letter = 'N', .name = "namespace", .value = "default", .about = "the namespace", \
		.noun = "NAME", .completes = "namespaces"                                         \
	}

#define CLI_FLAG_NAMESPACE                                                                        \
	{                                                                                         \
		.letter = 'n', .name = "namespace", .value = "default", .about = "the namespace", \
		.noun = "NAME", .completes = "namespaces"                                         \
	}
#define CLI_FLAG_ALL_NAMESPACES                                                           \
	{                                                                                 \
		.name = "all-namespaces", .type = FLAG_BOOL, .about = "in all namespaces" \
	}
#define CLI_FLAG_NAME(what)                                                                      \
	{                                                                                        \
		.letter = 'N', .name = "name", .about = "the name of the " what, .noun = "NAME", \
		.completes = COMPLETE_NAME                                                       \
	}

#endif
