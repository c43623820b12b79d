#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# isolation-user.t - isolation.t, as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user isolation
