# How the root directories of the container and the chroot are made: mmdebstrap from the machine's own mirror.
# To be sourced after lib.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # lib.sh's variables

# bootstrap SUITE DIRECTORY PACKAGE...: a Debian of this machine's architecture, without documentation.
bootstrap() {
	local suite=$1 dir=$2 arch include
	shift 2
	arch=$(dpkg --print-architecture)
	include=$(IFS=,; echo "$*")
	mkdir -p "$cache/mmdebstrap"
	"$beds/apt-private" "$suite" "$arch" sources >"$dir.sources"
	TMPDIR=$cache/mmdebstrap mmdebstrap --quiet --mode=root --variant=apt --include="$include" \
		--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--aptopt='APT::Install-Recommends "false"' "$suite" "$dir/root" - <"$dir.sources"
	rm "$dir.sources"
}
