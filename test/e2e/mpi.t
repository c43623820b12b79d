#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpi.t - examples/mpi: OpenMPI from Debian's packages over four pods, with the plugins mpi, ssh and svc.
# shellcheck source=test/e2e/e2e.sh
. test/e2e/e2e.sh

if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP needs root: sshd, and a network of its own for every pod"
	exit 0
fi
begin_e2e
passes "the program is there for the pods" kubectl create configmap mpi-source --from-file=examples/mpi/pi.c
passes "the job is submitted" "$BIN/vcctl" job run -f examples/mpi/job.yaml
passes "it completes" ends vcjob/mpi Completed
out=$(kubectl logs mpi-master-0 2>&1)
has "it has computed" "$out" "pi is about 3.141592654"
for i in 0 1 2; do has "rank $i ran in a pod of its own" "$out" "rank $i ran on mpi-worker-$i"; done
finish_e2e
