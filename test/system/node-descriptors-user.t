#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-descriptors-user.t - node-descriptors.t, as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-descriptors
