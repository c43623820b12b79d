#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-many-user.t - node-many.t as an ordinary user: a thousand pods without control groups or bridges.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-many
