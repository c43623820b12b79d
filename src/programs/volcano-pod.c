/* SPDX-License-Identifier: Apache-2.0 */
/* volcano-pod - holds the processes of pods. `volcano` starts it; users do not.
 *
 *	volcano-pod launch VERSION	starts supervisors for the agent at standard input, a socket
 *	volcano-pod stage PLAN PROGRAM...	that program, with the mounts of a plan
 *
 * Small and static: one a pod is there as long as the pod is.
 *
 * Always true: of what its caller has open it keeps the standard streams and nothing else. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "pod/pod_messages.h"
#include "pod/pod_plan.h"
#include "programs/volcano-pod/launcher.h"
#include "programs/volcano-pod/podman_stage.h"
#include "programs/volcano-pod/signals.h"

#include "base/banned.h"

int main(int argc, char **argv)
{
	struct err err = {0};
	int rc = -1;

	signals_forget();
	if (close_range(STDERR_FILENO + 1, UINT_MAX, 0) < 0 &&
	    fd_set_cloexec_from(STDERR_FILENO + 1, &err) < 0) {
		fprintf(stderr, "volcano-pod: %s\n", err.text);
		return 1;
	}
	if (argc == 3 && strcmp(argv[1], "launch") == 0 && strcmp(argv[2], PLAN_VERSION) == 0) {
		rc = launcher_run(STDIN_FILENO, &err);
	} else if (argc > 3 && strcmp(argv[1], "stage") == 0) {
		(void)podman_stage_run(argv[2], argv + 3, &err);
		fprintf(stderr, "volcano-pod: %s\n", err.text);
		return STAGE_EXIT_FAILED;
	} else if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("volcano-pod " VOLCANO_VERSION);
		return 0;
	} else {
		fputs("volcano-pod holds the processes of pods; `volcano up` starts it.\n", stderr);
		return POD_SOCKET_EXIT_VERSION;
	}
	if (rc < 0)
		fprintf(stderr, "volcano-pod: %s\n", err.text);
	return rc < 0 ? 1 : 0;
}
