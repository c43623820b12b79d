#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# isolation-podman.t - what no pod may read, write or do: pods in images, by podman.
runtime=podman
# shellcheck source=test/system/isolation.sh
. test/system/isolation.sh
