#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# manuals.t - manual pages, --help and the documents agree: every command and every flag that a program has is on its
# page and in its help, and no other; what the documents name is there.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
manual() {
	case $1 in volcano | vc-*) "$BIN/$1" __manual ;; *) "$BIN/vcctl" __manual "$1" ;; esac
}
# The flags of a help text: those that begin a line. Global ones have no effect, and are on no page.
flags_of_help() {
	sed '/^Global Flags/,$d' | sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' | grep -vx -e --help | sort
}
# Those of a page, or of one command on it, whose name begins a section.
flags_of_manual() {
	sed 's/\\-/-/g; s/\\f[BIR]//g' | awk -v of="$1" '
		/^\.S[HS] / { on = of == "" ? $0 == ".SH OPTIONS" : index($0, ".SS " of " ") == 1 }
		on && /^(-[A-Za-z], )?--[a-z]/' | flags_of_help
}
commands_of_help() { sed -n 's/^  \([a-z][a-z-]*\)  *[a-zA-Z].*/\1/p'; }
agrees() { is "$1: page and help have the same flags" "$2" "$3"; }

# ---- volcano ----
commands=$("$BIN/volcano" --help | sed -n '/^Available/,/^$/p' | commands_of_help)
has "volcano has commands" "$commands" backup
for command in $commands; do
	agrees "volcano $command" "$(manual volcano | flags_of_manual "volcano $command")" \
		"$("$BIN/volcano" "$command" --help | flags_of_help)"
	"$BIN/volcano" "$command" --help | flags_of_help >>"$tmp/flags"
done
is "volcano: the page has no other command" "$(manual volcano | sed -n 's/^\.SS .fBvolcano \([a-z]*\).*/\1/p')" "$commands"

# ---- services ----
for name in vc-scheduler vc-controller-manager vc-webhook-manager; do
	agrees "$name" "$(manual "$name" | flags_of_manual "")" "$("$BIN/$name" --help | flags_of_help)"
done

# ---- vcctl and its other names ----
for group in job jobflow jobtemplate pod queue; do
	commands=$("$BIN/vcctl" "$group" --help | sed -n '/^Available/,/^$/p' | commands_of_help)
	has "vcctl $group has commands" "$commands" list
	for command in $commands; do
		agrees "vcctl $group $command" "$(manual "vcctl-$group" | flags_of_manual "vcctl $group $command")" \
			"$("$BIN/vcctl" "$group" "$command" --help | flags_of_help)"
		"$BIN/vcctl" "$group" "$command" --help | flags_of_help >>"$tmp/flags"
	done
done
for name in vsub vjobs vqueues vcancel vsuspend vresume; do
	agrees "$name" "$(manual "$name" | flags_of_manual "")" "$("$BIN/$name" --help | flags_of_help)"
	"$BIN/$name" --help | flags_of_help >>"$tmp/flags"
done
"$BIN/vcctl" top --help | flags_of_help >>"$tmp/flags"
if [ "$(command -v man)" ]; then
	for page in volcano vcctl vcctl-job vcctl-queue vsub vc-scheduler; do
		manual "$page" >"$tmp/page.1"
		is "$page: good roff" "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$tmp/page.1" 2>&1 >/dev/null)" ""
	done
fi

# ---- the documents ----
missing() { sort -u | grep -vxF -f "$tmp/flags"; }
is "docs/command-line.md names no flag that is not there" \
	"$(grep -o -e '--[a-z][a-z-]*' docs/command-line.md | missing)" ""
# Lines to be typed, in blocks of code.
for command in up down status backup; do
	"$BIN/volcano" "$command" --help | flags_of_help >"$tmp/flags"
	is "volcano $command: neither do lines to be typed" "$(sed -n "s/^ *\(\$ \)\{0,1\}\(build\/bin\/\)\{0,1\}volcano $command\>\([^#&;|]*\).*/\3/p" README.md docs/*.md |
		grep -o -e ' --[a-z][a-z-]*' | tr -d ' ' | missing)" ""
done
# Pages of the design are numbered from 001 on, each number once, and are all in the contents.
number=0
numbers=$(for page in docs/design/[0-9]*.md; do number=$((number + 1)) && printf '%03d ' $number; done)
is "design pages are numbered without a gap or a clash" \
	"$(for page in docs/design/[0-9]*.md; do page=${page##*/} && printf '%s ' "${page%%-*}"; done)" "$numbers"
is "all of them are in the contents" \
	"$(for page in docs/design/[0-9]*.md; do grep -q "design/${page##*/}" tools/mkdocs.yml || echo "$page"; done)" ""

finish
