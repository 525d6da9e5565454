# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the service share: the pmufs that the shipped unit runs on /pmu, in a container of the test's own. There is no
# PMU in it: cpu-clock counts, cycles does not.
# shellcheck shell=bash
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

PMU=/pmu

property() {
	systemctl show -p "$1" --value pmufs
}

milliseconds() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# took COMMAND...: runs it and sets elapsed, in ms; its status.
took() {
	local start status=0
	start=$(milliseconds)
	"$@" || status=$?
	# shellcheck disable=SC2034 # read by the tests
	elapsed=$(($(milliseconds) - start))
	return "$status"
}

mounts() {
	grep -c ' /pmu ' /proc/1/mounts
}

# journal [OPTION...]: what the daemon has said, messages alone.
journal() {
	journalctl --sync 2>/dev/null
	journalctl -q -u pmufs -o cat "$@"
}

# override SECTION KEY=VALUE...: settings beside the shipped unit's.
override() {
	mkdir -p /run/systemd/system/pmufs.service.d
	printf '%s\n' "[$1]" "${@:2}" >"/run/systemd/system/pmufs.service.d/$1.conf"
	systemctl daemon-reload
}
