/* SPDX-License-Identifier: Apache-2.0 */
/* tap.h - the Test Anything Protocol, as much of it as a unit test needs.
 *
 *   ok(value == 3, "three is %d", value);    a check; goes on after a failure
 *   is(text, "three");                       compares two strings and shows both
 *   return tap_done();                       prints the plan; the exit code of main()
 *
 * Checks are counted in a static of the test program: a test is one process. */
#ifndef TEST_TAP_H
#define TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct tap_state {
	int run;
	int failed;
};

static inline struct tap_state *tap_state(void)
{
	static struct tap_state state;
	return &state;
}

__attribute__((format(printf, 4, 5), unused)) static bool tap_ok(bool pass, const char *file,
								 int line, const char *format, ...)
{
	struct tap_state *state = tap_state();
	va_list args;

	printf("%sok %d - ", pass ? "" : "not ", ++state->run);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!pass) {
		state->failed++;
		printf("#   at %s:%d\n", file, line);
	}
	fflush(stdout);
	return pass;
}

/* A diagnostic: each line after a '#'. */
__attribute__((unused)) static void tap_show(const char *label, const char *text)
{
	printf("#   %s: ", label);
	for (; text && *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("#     ");
	}
	printf("%s\n", text ? "" : "(null)");
}

__attribute__((unused)) static bool tap_is(const char *got, const char *want, const char *file,
					   int line, const char *what)
{
	bool same = got == want || (got && want && strcmp(got, want) == 0);

	tap_ok(same, file, line, "%s", what);
	if (!same) {
		tap_show("got ", got);
		tap_show("want", want);
	}
	return same;
}

__attribute__((unused)) static int tap_done(void)
{
	struct tap_state *state = tap_state();

	printf("1..%d\n", state->run);
	fflush(stdout); /* LeakSanitizer ends the process before stdio does */
	return state->failed ? 1 : 0;
}

#define ok(pass, ...) tap_ok((pass), __FILE__, __LINE__, __VA_ARGS__)
#define is(got, want) tap_is((got), (want), __FILE__, __LINE__, #got " is " #want)

#endif
