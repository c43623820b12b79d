# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# as-user.sh - a system test once more, as an ordinary user; NAME-user.t sources it.
#
#   as_user NAME      runs NAME.t, ends with its exit code
#
# The programs and what a test reads are copied to a place where that user may read: a clone in /root is for
# root alone, and one must be able to test there. Who is no root already runs the test as it is.
as_user() {
	if [ "$(id -u)" -ne 0 ]; then
		sh "test/system/$1.t"
		exit
	fi
	place=$(mktemp -d)
	trap 'rm -rf "$place"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$place/bin" "$place/test"
	cp -r dev README.md examples "$place/"
	cp -r test/system "$place/test/"
	# With the names that are links; the benchmark is large, and no test of a node.
	find "$BIN" -maxdepth 1 ! -type d ! -name 'vc-*' -exec cp -d '{}' "$place/bin/" ';'
	cp "$KUBECTL_NEW" "$place/kubectl"
	[ -z "${CLOCK-}" ] || cp "$CLOCK" "$place/clock.so"
	chmod -R a+rX "$place"
	cd "$place" || exit 1
	user=$(id -u nobody)
	setpriv --reuid="$user" --regid="$user" --clear-groups \
		env BIN="$place/bin" CLOCK="$place/clock.so" KUBECTL_NEW="$place/kubectl" sh "test/system/$1.t"
	exit
}
