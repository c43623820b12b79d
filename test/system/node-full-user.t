#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-full-user.t - node-full.t as an ordinary user, for whom root mounts the disk.
# shellcheck source=test/system/as-user.sh
if [ -z "${OWN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=yes exec unshare -m sh "$0"
fi
. test/system/as-user.sh
[ -n "${OWN_MOUNTS-}" ] || as_user node-full
user=$(id -u nobody)
FULL_HOME=$(mktemp -d)
export FULL_HOME
mkdir "$FULL_HOME/pods"
mount -t tmpfs -o "size=8m,mode=711,uid=$user,gid=$user" tmpfs "$FULL_HOME/pods" || {
	rm -rf "$FULL_HOME"
	unset FULL_HOME OWN_MOUNTS
	as_user node-full
}
chown "$user:$user" "$FULL_HOME"
(as_user node-full)
code=$?
umount "$FULL_HOME/pods"
rm -rf "$FULL_HOME"
exit $code
