#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-supervisors-user.t - node-supervisors.t, as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-supervisors
