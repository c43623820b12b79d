#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# isolation-crun.t - what no pod may read, write or do: pods in images, by crun.
runtime=crun
# shellcheck source=test/system/isolation.sh
. test/system/isolation.sh
