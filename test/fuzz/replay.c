/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - run a fuzz target over saved inputs: one TAP check a file.
 *
 * Linked with fuzz_<parser>.c in place of libFuzzer. An input that breaks the
 * target ends the process through the sanitizer, an assert or a signal, and so
 * fails the test; the input's name was printed just before. */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of the exact size, so that reading one byte too many is seen. */
static bool replay(const char *path)
{
	FILE *file = fopen(path, "rbe");
	uint8_t *data = NULL;
	size_t size = 0;
	bool done = false;

	if (!file)
		return false;
	if (fseek(file, 0, SEEK_END) == 0) {
		size = (size_t)ftell(file);
		data = malloc(size ? size : 1);
		rewind(file);
		done = data && fread(data, 1, size, file) == size;
	}
	if (done)
		LLVMFuzzerTestOneInput(data, size);
	free(data);
	(void)fclose(file);
	return done;
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;
	int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
	char path[4096];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
		if (entries[i]->d_name[0] != '.') {
			printf("# %s\n", entries[i]->d_name);
			fflush(stdout);
			ok(replay(path), "%s", entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	ok(tap_state()->run > 0, "the corpus is not empty");
	return tap_done();
}
