#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-restart-user.t - node-restart.t as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-restart
