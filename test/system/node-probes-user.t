#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-probes-user.t - node-probes.t as an ordinary user: probes, messages and gates.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user node-probes
