#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-user.t - node.t, as an ordinary user: pods on loopback addresses, without control groups.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node
