#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# podman-user.t - podman.t as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user podman
