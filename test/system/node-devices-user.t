#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-devices-user.t - node-devices.t as an ordinary user: cards that are declared, since nobody but root can make others.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-devices
