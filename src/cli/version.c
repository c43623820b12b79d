/* SPDX-License-Identifier: Apache-2.0 */
/* cli/version.c - `vcctl version`: six lines, as scripts expect them. */
#include "cli/cli.h"
#include "cli/commands.h"

#include "base/banned.h"

/* As Go names machines. */
#if defined(__x86_64__)
#define ARCH "amd64"
#elif defined(__aarch64__)
#define ARCH "arm64"
#else
#define ARCH "unknown"
#endif

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	(void)err;
	buf_printf(&cli->out,
		   "API Version: v1alpha1\nVersion: %s\nGit SHA: %s\nBuilt At: %s\n"
		   "Go Version: none (C17)\nGo OS/Arch: linux/%s\n",
		   VOLCANO_VERSION, "unknown", "unknown", ARCH);
	return 0;
}

const struct command command_version = {
	.name = "version", .about = "show the version", .run = run, .no_common = true};
