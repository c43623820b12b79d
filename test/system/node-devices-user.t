#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-devices-user.t - node-devices.t as an ordinary user: cards that are declared, since only root can make others.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-devices
