#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pytorch.t - examples/pytorch: Debian's PyTorch with gloo over three pods, with the plugins pytorch and svc.
# shellcheck source=test/e2e/e2e.sh
. test/e2e/e2e.sh

begin_e2e
passes "the program is there for the pods" \
	kubectl create configmap pytorch-source --from-file=examples/pytorch/train.py
passes "the job is submitted" "$BIN/vcctl" job run -f examples/pytorch/job.yaml
passes "it completes" ends vcjob/pytorch Completed
has "the master has learned the line" "$(kubectl logs pytorch-master-0 2>&1)" "rank 0 of 3: y = 3.00x + 2.00"
for i in 0 1; do
	passes "worker $i ends" kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s \
		"pod/pytorch-worker-$i"
	has "worker $i has learned it as well" "$(kubectl logs "pytorch-worker-$i" 2>&1)" \
		"rank $((i + 1)) of 3: y = 3.00x + 2.00"
done
finish_e2e
