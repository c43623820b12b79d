#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme-user.t - readme.t, as an ordinary user: the README's tour needs no root.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user readme
