/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vcctl.c - the command line. Called as vsub, vjobs, vqueues, vcancel, vsuspend or vresume
 * it is that command. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "client/transport_http.h"
#include "loop/loop.h"

#include "base/banned.h"

static const char *get_env(const char *name)
{
	return getenv(name);
}

/* If even this fails, the failure cannot be reported. */
static void put(int fd, struct str text)
{
	while (text.len) {
		ssize_t put = write(fd, text.ptr, text.len);

		if (put < 0 && errno != EINTR)
			return;
		text = str_skip(text, put > 0 ? (size_t)put : 0);
	}
}

static void put_out(void *arg, struct str text)
{
	(void)arg;
	put(STDOUT_FILENO, text);
}

static void put_error(void *arg, struct str text)
{
	(void)arg;
	put(STDERR_FILENO, text);
}

static bool is_terminal(void *arg)
{
	(void)arg;
	return isatty(STDOUT_FILENO);
}

static bool error_is_terminal(void *arg)
{
	(void)arg;
	return isatty(STDERR_FILENO);
}

static int columns(void *arg)
{
	struct winsize size = {0};

	(void)arg;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int rows(void *arg)
{
	struct winsize size = {0};

	(void)arg;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static const char *const *environment(void *arg)
{
	(void)arg;
	return (const char *const *)environ;
}

static const char *folder(void *arg)
{
	const char *path = getenv("PWD");

	(void)arg;
	return path && *path == '/' ? path : "";
}

static int read_file(void *arg, const char *path, struct buf *to, struct err *err)
{
	(void)arg;
	if (fd_read_file(str_is(str_from(path), "-") ? "/dev/stdin" : path, to, err) == 0)
		return 0;
	if (err->code != ERR_NOT_FOUND)
		return -1;
	return err_set(err, ERR_NOT_FOUND, "open %s: no such file or directory", path);
}

static void put_warning(void *arg, struct str text)
{
	AUTO(mem_free) char *line = mem_printf("Warning: %.*s\n", STR_ARG(text));

	put_error(arg, str_from(line));
}

static struct transport *connect_http(void *arg, struct loop *loop,
				      struct kubeconfig_access *access, struct err *err)
{
	const struct transport_http_options options = {
		.access = access,
		.environment = (const char *const *)environ,
		.warning = put_warning,
		.user_agent = STR("vcctl/" VOLCANO_VERSION),
	};

	(void)arg;
	return transport_http_new(loop, &options, err);
}

int main(int argc, char **argv)
{
	static const struct cli_host host = {
		.env = get_env,
		.out = put_out,
		.error = put_error,
		.is_terminal = is_terminal,
		.error_is_terminal = error_is_terminal,
		.columns = columns,
		.rows = rows,
		.environment = environment,
		.folder = folder,
		.read = read_file,
		.connect = connect_http,
	};
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new(&err);

	if (!loop) {
		put_error(NULL, str_from(err.text));
		return EXIT_FAILURE;
	}
	return cli_run(commands_find(str_from(argv[0])), argc, (const char *const *)argv, loop,
		       &host);
}
