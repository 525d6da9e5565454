# SPDX-License-Identifier: GPL-2.0-only
# What shell tests share: TAP output, and starting and stopping a pmufs of one's own. A test looks like this:
#
#	#!/bin/bash
#	# What the tests of this file promise, in a line.
#	# timeout: 300                   (seconds; only where the default of 120 does not do)
#	# bed: icount                    (guest tests only: see tests/run for the words)
#	. "$(dirname "$0")/../lib.sh"
#	start_pmufs || exit 1
#	check "cycles can be read" cat "$PMU/cpu0/cycles"
#	is "one value, one line" "$(wc -l <"$PMU/cpu0/cpu-clock")" 1
#	stop_pmufs
#
# It runs from anywhere and by itself (`tests/mounted/values.test`), on this machine, in a container and in a guest.
#
# Promises, one TAP line each; what was got and wanted follows a failure as `# ` lines:
#	ok "promise"                       holds
#	not_ok "promise" [DIAGNOSIS...]    does not hold
#	check "promise" COMMAND...         holds when COMMAND succeeds; its output is shown when it fails
#	check_not "promise" COMMAND...     holds when COMMAND fails (with a status below 124: not killed, not timed out)
#	fails_with "promise" TEXT COMMAND...   holds when COMMAND fails and its output contains TEXT ("Permission denied")
#	is "promise" GOT WANT              holds when both are the same
#	isnt "promise" GOT UNWANTED        holds when they differ
#	like "promise" GOT REGEX           holds when the extended regular expression matches somewhere in GOT
#	number "promise" GOT OP NUMBER     integer comparison, OP one of == != < <= > >=; not an integer: does not hold
#	skip "promise" "reason"            cannot be tried here; the reason is printed with the closing line of the run
#	skip_all "reason"                  nothing in this file can be tried here; leaves the test
#	diag TEXT...                       `# ` lines for whoever reads the log
#	plan N                             optional: how many promises there are. Without it the plan is printed at the end,
#	                                   and leaving with a status other than 0 (or by a signal) is a failure by itself.
#
# Helpers:
#	start_pmufs [ARGUMENT...]          a daemon in the foreground with the arguments on a mount point of its own, with the
#	                                   built-in configuration unless -c is given. Sets PMU (mount point), PMUFS_PID,
#	                                   PMUFS_LOG (its standard error). Returns when the tree answers; not 0 if it does not.
#	stop_pmufs                         SIGTERM, waits for 5 s, then kills. Returns the daemon's exit status (124: killed).
#	                                   A daemon left running is stopped at the end of the test.
#	within SECONDS COMMAND...          repeats COMMAND (quietly) until it succeeds; 1 when the time is over
#	at_end COMMAND...                  to be run at the end, the last one first
#	tool NAME                          prints the path of the small program built from tests/tools/NAME.c
#	SCRATCH                            a directory of this test's own, removed at the end
#	SOAK                               1 when long forms of tests are wanted (make soak), else empty
#	PMUFS                              the daemon's binary: from the environment, else build/pmufs, else the installed one
# shellcheck shell=bash

set -u
shopt -s extglob

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=${BUILD:-$TESTS/../build}
SOAK=${SOAK:-}
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/pmufs-test.XXXXXX")

if [ -z "${PMUFS:-}" ]; then
	PMUFS=$BUILD/pmufs
	[ -x "$PMUFS" ] || PMUFS=$(PATH=/usr/local/sbin:/usr/sbin:$PATH command -v pmufs)
fi

_count=0
_failed=0
_planned=
_at_end=()
PMU=
PMUFS_PID=
PMUFS_LOG=

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

plan() {
	_planned=$1
	printf '1..%d\n' "$1"
}

ok() {
	_count=$((_count + 1))
	printf 'ok %d - %s\n' "$_count" "$1"
}

not_ok() {
	_count=$((_count + 1))
	_failed=$((_failed + 1))
	printf 'not ok %d - %s\n' "$_count" "$1"
	shift
	[ $# = 0 ] || diag "$@"
	return 1
}

skip() {
	_count=$((_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$_count" "$1" "$2"
}

skip_all() {
	[ "$_count" = 0 ] || { not_ok "skip_all comes before the first promise"; exit 1; }
	printf '1..0 # SKIP %s\n' "$1"
	_planned=0
	exit 0
}

check() {
	local promise=$1 output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	[ "$status" != 0 ] || { ok "$promise"; return; }
	not_ok "$promise" "status $status of: $*" $'\n'"$output"
}

check_not() {
	local promise=$1 output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	[ "$status" = 0 ] || [ "$status" -ge 124 ] || { ok "$promise"; return; }
	not_ok "$promise" "status $status (a failure was wanted) of: $*" $'\n'"$output"
}

fails_with() {
	local promise=$1 text=$2 output status=0
	shift 2
	output=$("$@" 2>&1) || status=$?
	if [ "$status" != 0 ] && [[ $output == *"$text"* ]]; then
		ok "$promise"
	else
		not_ok "$promise" "status $status of: $*" $'\n'"got  $output"$'\n'"want a failure with: $text"
	fi
}

is() {
	[ "$2" != "$3" ] || { ok "$1"; return; }
	not_ok "$1" "got  $2"$'\n'"want $3"
}

isnt() {
	[ "$2" = "$3" ] || { ok "$1"; return; }
	not_ok "$1" "got  $2"$'\n'"want anything else"
}

like() {
	[[ ! $2 =~ $3 ]] || { ok "$1"; return; }
	not_ok "$1" "got  $2"$'\n'"want a match of: $3"
}

declare -A _comparisons=([==]=-eq [!=]=-ne ['<']=-lt ['<=']=-le ['>']=-gt ['>=']=-ge)

number() {
	local operator=${_comparisons[$3]-}
	[ -n "$operator" ] || { not_ok "$1" "the test itself is wrong: there is no operator '$3'"; return; }
	if [[ $2 == ?(-)+([0-9]) ]] && test "$2" "$operator" "$4"; then
		ok "$1"
	else
		not_ok "$1" "got  $2"$'\n'"want $3 $4"
	fi
}

within() {
	local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/[.,]/}" -lt "$end" ] || return 1
		sleep 0.05
	done
}

at_end() {
	_at_end+=("$(printf '%q ' "$@")")
}

tool() {
	local path=$BUILD/tests/tools/$1
	[ -x "$path" ] || { echo "no tool $path: make builds it from tests/tools/$1.c" >&2; return 1; }
	printf '%s\n' "$path"
}

_pmufs_answers() {
	kill -0 "$PMUFS_PID" 2>/dev/null && timeout 5 cat "$PMU/version"
}

_pmufs_gone() {
	! kill -0 "$PMUFS_PID" 2>/dev/null
}

start_pmufs() {
	local configuration=() argument
	[ -z "$PMUFS_PID" ] || stop_pmufs
	[ -x "$PMUFS" ] || { diag "no binary '$PMUFS': run make first"; return 1; }
	PMU=$(mktemp -d "$SCRATCH/pmu.XXXXXX")
	PMUFS_LOG=$PMU.log
	# The machine's own /etc/pmufs/pmufs.conf must not change what a test sees.
	: >"$SCRATCH/empty.conf"
	configuration=(--config "$SCRATCH/empty.conf")
	for argument; do
		case $argument in -c* | --config | --config=*) configuration=() ;; esac
	done
	"$PMUFS" --foreground "${configuration[@]}" "$@" "$PMU" 2>"$PMUFS_LOG" &
	PMUFS_PID=$!
	# Under a sanitizer or valgrind a start takes longer than the second that it takes by itself.
	within 20 _pmufs_answers_or_gone && _pmufs_answers >/dev/null 2>&1 && return
	diag "pmufs did not come up; its standard error:"
	diag "$(cat "$PMUFS_LOG")"
	stop_pmufs
	return 1
}

_pmufs_answers_or_gone() {
	_pmufs_gone || _pmufs_answers
}

stop_pmufs() {
	local status=0
	[ -n "$PMUFS_PID" ] || return 0
	kill -TERM "$PMUFS_PID" 2>/dev/null
	if within 5 _pmufs_gone; then
		wait "$PMUFS_PID" || status=$?
	else
		diag "pmufs did not stop within 5 s of SIGTERM and was killed"
		kill -KILL "$PMUFS_PID"
		wait "$PMUFS_PID" 2>/dev/null
		status=124
	fi
	PMUFS_PID=
	[ "$status" = 0 ] || diag "pmufs ended with status $status; its standard error:" $'\n'"$(cat "$PMUFS_LOG")"
	! mountpoint -q "$PMU" 2>/dev/null || umount -l "$PMU" 2>/dev/null
	return "$status"
}

# The one way out of a test: stops what was started, prints a plan that was not printed before.
_end() {
	local status=$? index
	trap '' TERM INT HUP
	for ((index = ${#_at_end[@]} - 1; index >= 0; index--)); do
		eval "${_at_end[index]}"
	done
	if [ -n "$PMUFS_PID" ] && ! stop_pmufs; then
		status=1
	fi
	# Mounts that a killed daemon left; never descend into one.
	grep -F " $SCRATCH/" /proc/self/mounts | cut -d' ' -f2 | while read -r mount; do umount -l "$mount"; done
	rm -rf --one-file-system "$SCRATCH"
	[ -n "$_planned" ] || printf '1..%d\n' "$_count"
	[ "$status" != 0 ] || [ "$_failed" = 0 ] || status=1
	exit "$status"
}
trap _end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP
