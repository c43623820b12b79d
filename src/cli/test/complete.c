/* SPDX-License-Identifier: Apache-2.0 */
/* What is offered for a line that is being typed; and that every command has a page in the manual. */
#include "flags/complete.h"

#include "cli/commands.h"
#include "flags/manual_page.h"
#include "tap.h"

#include "base/banned.h"

enum { WORDS_MAX = 10 };

static const struct manual_text text = {.section = "1"};

static const struct {
	const char *program;
	const char *line;
	const char *want; /* candidates, divided by blanks */
	const char *kind; /* NULL: nothing else */
} cases[] = {
	{"vcctl", "j", "job jobflow jobtemplate", NULL},
	{"vcctl", "__", "", NULL},
	{"vcctl", "job e", "explain", NULL},
	{"vcctl", "job explain ", "", "jobs"},
	{"vcctl", "job explain --sh", "--short", NULL},
	{"vcctl", "job wait x --for C", "Completed", NULL},
	{"vcctl", "job list -o ", "table wide name json yaml", NULL},
	{"vcctl", "job list --watch --sort-by x -n ", "", "namespaces"},
	{"vcctl", "queue get ", "", "queues"},
	{"vcctl", "queue operate -a o", "open", NULL},
	{"vcctl", "jobflow get -N ", "", "jobflows"},
	{"vcctl", "top ", "nodes queues jobs", NULL},
	{"vcctl", "job run -f ", "", COMPLETE_FILES},
	{"vcctl", "nothing at all", "", NULL},
	{"vcctl", "", "apply completion delete help job jobflow jobtemplate pod queue top version",
	 NULL},
	{"vsub", "--arr", "--array", NULL},
	{"vsub", "-q ", "", "queues"},
	{"vsub", "", "", COMPLETE_FILES},
	{"vcancel", "", "", "jobs"},
};

static const char *complete(const char *program, const char *line, struct buf *to)
{
	AUTO(buf_done) struct buf lines = BUF_UNBOUNDED;
	struct str words[WORDS_MAX];
	size_t count = 0;
	struct str rest = str_from(line);
	const char *kind;
	struct str part;

	while (count < WORDS_MAX && str_split(&rest, ' ', &words[count]))
		count++;
	kind = complete_put(commands_find(str_from(program)), words, count, &lines);
	rest = buf_str(&lines);
	while (rest.len && str_split(&rest, '\n', &part))
		if (part.len)
			buf_printf(to, "%s%.*s", to->len ? " " : "",
				   (int)str_find_byte(part, '\t', 0), part.ptr);
	return kind;
}

static void test_offers(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		const char *program = cases[i].program, *line = cases[i].line;
		struct str want = str_from(cases[i].want);
		const char *kind = complete(program, line, &got);

		ok(str_eq(buf_str(&got), want) && str_is(str_from(kind), cases[i].kind),
		   "%s %s is followed by \"%.*s\"", program, line, (int)want.len, want.ptr);
		if (!str_eq(buf_str(&got), want))
			printf("# got %s\n", buf_text(&got));
	}
}

/* Every command in the tree, but for hidden ones, has a section with all of its flags. */
static void test_group(struct buf *page, const struct command *root, const struct command *group,
		       const struct str *path, size_t count)
{
	buf_clear(page);
	manual_page_put(root, path, count, &text, page);
	ok(str_starts(buf_str(page), STR(".TH \"vcctl")), "%s has a page", group->name);
	for (size_t i = 0; group->below[i]; i++) {
		const struct command *below = group->below[i];
		AUTO(buf_done) struct buf head = BUF_UNBOUNDED;
		struct str name = str_from(below->name);

		if (below->hidden)
			continue;
		buf_printf(&head, ".SS %s%s%s", below->below ? "" : "\\fB", root->name,
			   count ? " " : "");
		for (size_t j = 0; j < count; j++)
			buf_put_str(&head, path[j]);
		buf_printf(&head, " %s", below->name);
		ok(str_find(buf_str(page), buf_str(&head), 0) > 0, "with a section about %s",
		   below->name);
		if (below->below && !count)
			test_group(page, root, below, &name, 1);
		if (below->below && !count) {
			buf_clear(page);
			manual_page_put(root, path, count, &text, page);
		}
	}
}

int main(void)
{
	AUTO(buf_done) struct buf page = BUF_UNBOUNDED;

	test_offers();
	test_group(&page, &command_vcctl, &command_vcctl, NULL, 0);
	return tap_done();
}
