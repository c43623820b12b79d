#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-kill-user.t - node-kill.t, as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-kill
