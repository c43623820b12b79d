#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-adopt-user.t - node-adopt.t as an ordinary user: pods that outlive volcano.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-adopt
