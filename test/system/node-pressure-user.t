#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-pressure-user.t - node-pressure.t as an ordinary user: a machine that runs short.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-pressure
