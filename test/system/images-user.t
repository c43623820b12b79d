#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# images-user.t - images.t as an ordinary user.
set -eu
[ "$(id -u)" -eq 0 ] || exec sh test/system/images.t
user=$(id -u nobody)
exec setpriv --reuid="$user" --regid="$user" --clear-groups sh test/system/images.t
