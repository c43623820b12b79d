#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kubectl-new.t - the newer of two releases of kubectl against `volcano up`: see clients.sh.
kubectl=$KUBECTL_NEW
# shellcheck source=test/system/clients.sh
. test/system/clients.sh
