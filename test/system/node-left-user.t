#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-left-user.t - node-left.t, as an ordinary user: without control groups and namespaces of processes.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-left
