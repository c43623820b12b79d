#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kubectl-old.t - the older of two releases of kubectl against `volcano up`: see clients.sh.
kubectl=$KUBECTL_OLD
# shellcheck source=test/system/clients.sh
. test/system/clients.sh
