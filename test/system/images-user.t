#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# images-user.t - images.t as an ordinary user.
# shellcheck source=test/system/as-user.sh
. test/system/as-user.sh
as_user images
