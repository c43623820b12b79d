#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# isolation.t - what no pod may read, write or do: pods that are processes.
runtime=process
# shellcheck source=test/system/isolation.sh
. test/system/isolation.sh
