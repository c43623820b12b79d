/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of admission, one row each, from the files of test/data/admission (rows.h). texts.txt there lists what
 * refusals say: each must be the words of one of the rows, and of each operation on each resource something must be
 * accepted. */
#include "admission/test/rows.h"

#include "base/banned.h"

static int run(struct row *row, struct admission_review *review, struct json_doc *doc,
	       struct admission_refusal *refusal)
{
	if (review->operation != ADMISSION_DELETE &&
	    admission_change(&row->admission, review, doc, refusal) < 0)
		return -1;
	return admission_check(&row->admission, review, refusal);
}

/* Resource groups that cannot be used are refused as a whole, by what is wrong. */
static void check_groups(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"resourceGroups: [{resourceGroup: g, object: {key: node, value: [a]}}]",
		 "resourceGroups[0]: object.key: \"node\" is neither \"namespace\" nor "
		 "\"annotation\""},
		{"resourceGroups: [{resourceGroup: g, affinity: '{'}]", "resourceGroups[0]: "},
		{"resourceGroups: [{resourceGroup: g, object: {key: annotation, value: ['[']}}]",
		 "resourceGroups[0]: "},
		{"resourceGroups: 5", "resourceGroups"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		struct admission_groups *groups =
			admission_groups_parse(str_from(rows[i].text), &err);

		ok(!groups && strstr(err.text, rows[i].error), "%s: %s", rows[i].text, err.text);
		admission_groups_free(groups);
	}
}

/* Is there a line that begins with the operation and the resource, followed by the words? */
static bool is_shown(struct str shown, struct str head, struct str words)
{
	struct str line;

	while (str_split(&shown, '\n', &line))
		if (str_starts(line, head) && str_find(line, words, head.len) >= 0)
			return true;
	return false;
}

static void check_texts(const char *folder, struct str shown)
{
	AUTO(mem_free) char *path = mem_printf("%s/texts.txt", folder);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	AUTO(buf_done) struct buf missing = BUF_UNBOUNDED;
	struct str rest, line;
	size_t count = 0;
	struct err err;

	ok(fd_read_file(path, &text, &err) == 0, "texts of refusals can be read");
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line)) {
		ptrdiff_t at = str_find_byte(line, ' ', 0);

		if (line.len == 0 || line.ptr[0] == '#' || at < 0)
			continue;
		at = str_find_byte(line, ' ', (size_t)at + 1);
		if (at < 0 || !is_shown(shown, str_slice(line, 0, (size_t)at + 1),
					str_skip(line, (size_t)at + 1)))
			buf_printf(&missing, "%.*s\n", STR_ARG(line));
		else if (!is_shown(shown, str_slice(line, 0, (size_t)at + 1), STR("(accepted)")))
			buf_printf(&missing, "%.*s accepted\n", (int)at, line.ptr);
		count++;
	}
	ok(count > 0 && missing.len == 0, "each of %zu texts is shown by a row", count);
	if (missing.len > 0)
		tap_show("not shown", buf_text(&missing));
}

int main(void)
{
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	const char *folder = check_rows(run, &shown);

	check_texts(folder, buf_str(&shown));
	check_groups();
	return tap_done();
}
