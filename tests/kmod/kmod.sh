# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the kernel module share; to be sourced by tests in the guest, after which the module is not loaded.
# shellcheck shell=bash
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# The daemon counts, too.
systemctl stop pmufs.service 2>/dev/null

MODULES=${MODULES:-$BUILD/tests/kmod/$(uname -r)}

# pmuctl WORD...: the small program.
pmuctl() {
	"$(tool pmuctl)" "$@"
}

# load [PARAMETER=VALUE...]: loads the module; it goes at the end of the test if it is still there.
load() {
	insmod "$MODULES/pmuctl.ko" "$@" && within 5 test -c /dev/pmuctl
}

unload() {
	rmmod pmuctl
}

loaded() {
	[ -d /sys/module/pmuctl ]
}

unload_if_loaded() {
	! loaded || unload
}
at_end unload_if_loaded

# value CPU EVENT: its value, read afresh.
value() {
	pmuctl read "$1" "$2"
}

# field WORD CPU EVENT [MILLISECONDS]: a word of the slot, such as reason or register.
field() {
	pmuctl area "${4:-0}" | awk -v word="$1" -v cpu="$2" -v event="$3" '
		$1 == "slot" && $2 == cpu && $3 == event { for (i = 4; i < NF; i += 2) if ($i == word) print $(i + 1) }'
}

# total WORD: a number of the CPUs' blocks, summed.
total() {
	pmuctl area 0 | awk -v word="$1" '
		$1 == "cpu" { for (i = 3; i < NF; i += 2) if ($i == word) n += $(i + 1) } END { print n + 0 }'
}

# direct CPU EVENT: whether its slot names a register.
direct() {
	[ "$(field reason "$1" "$2")" = direct ]
}
