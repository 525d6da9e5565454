# SPDX-License-Identifier: GPL-2.0-only
# What the tests in the guest share: the pmufs that systemd has started on /pmu, whose set of events each test may change
# and leaves as it found it. The emulated machine's figures: cycles count 1 a ns on every CPU, idle or not; instructions can
# be counted under icount only; 6 counters and the cycle counter. Without icount the emulator may move a counter by 2^63 (or
# 2^32 where two are chained) when its overflow timer fires, so that of PMU events only the first with
# `cycles` is to be looked at there, which has the cycle counter. Under icount a second in which a CPU has work
# takes some 7 s, one in which all sleep takes 1 s, and a thousand reads take 1 s: what needs time should sleep.
# shellcheck shell=bash
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

PMU=/pmu
# The CPU under test; the script itself and what it starts for watching run on CPU 0.
# shellcheck disable=SC2034 # read by the tests
CPU=1
taskset -p -c 0 $$ >/dev/null

# The names of the set. Not out of `events`: a name may have a '=' in it.
names() {
	cut -d' ' -f1 "$PMU/all/stat"
}

# count_only EVENT...: the set becomes these.
count_only() {
	local change
	change=$(names | sed 's/^/-/'; printf '+%s\n' "$@")
	printf '%s\n' "$change" >"$PMU/events" && return
	diag "cannot count $*: $(cat "$PMU/last_error")"
	return 1
}

_restore() {
	# shellcheck disable=SC2086 # a list of events
	count_only $_events_before
}

_events_before=$(cat "$PMU/events")
[ -z "$_events_before" ] || at_end _restore

# field KEY: the value of KEY=value in the line on standard input; 0 where there is none.
field() {
	awk -v key="$1" -F'[ =]' '{ for (i = 2; i < NF; i += 2) if ($i == key) { print $(i + 1); found = 1 } } END { if (!found) print 0 }'
}

# errors: the errors in the line on standard input, NAME=COUNT each.
errors() {
	grep -oE '\<E[A-Z0-9]+=[0-9]+' | tr '\n' ' '
}

# stat_field CPU_DIRECTORY EVENT FIELD: of a line of `stat`: 2 raw, 3 scaled, 4 enabled ns, 5 running ns, 6 the state.
stat_field() {
	awk -v name="$2" -v field="$3" '$1 == name { print $field }' "$PMU/$1/stat"
}

# close_to "promise" GOT WANT PERMILLE
close_to() {
	local promise=$1 got=$2 want=$3 permille=$4 distance
	if [[ $got != +([0-9]) || $want != +([0-9]) ]]; then
		not_ok "$promise" "got  $got"$'\n'"want $want within $permille per mille"
		return
	fi
	distance=$((got > want ? got - want : want - got))
	if [ $((distance / 10 * 10000)) -le $((want / 10 * permille * 10)) ]; then
		ok "$promise"
	else
		not_ok "$promise" "got  $got"$'\n'"want $want within $permille per mille, it is $((distance * 1000 / (want ? want : 1)))"
	fi
}

# busy CPU SECONDS: keeps a CPU busy in the background.
busy() {
	"$(tool spin)" "$1" seconds "$2" &
}
