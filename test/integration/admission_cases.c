/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded cases of admission (admission_cases.h) against the rules in the API server. */
#include "admission_cases.h"

static void send_plainly(struct home *h, struct got *got, struct client_ask *ask)
{
	(void)world_ask(&h->w, got, ask);
}

int main(void)
{
	struct dirent **files = NULL;
	const char *folder = NULL;
	int count = find_cases(&folder, &files);
	struct home h = {.send = send_plainly};

	if (count < 0)
		return tap_done();
	open_home(&h, folder, false);
	run_files(&h, folder, files, count);
	close_home(&h);
	return tap_done();
}
