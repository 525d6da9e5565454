# What the scripts of the test beds share: messages, the cache of made things, unpacking of packages.
# To be sourced by bash. A made thing lives in CACHE/NAME/KEY, KEY being a hash of all that it is made from.
# shellcheck shell=bash

set -euo pipefail
beds=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$beds/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pmufs

# A thing of another key that was asked for within this time is kept: another checkout may be using it.
keep_minutes=60

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

fail() {
	say "$@"
	exit 1
}

need_root() {
	[ "$(id -u)" = 0 ] || fail "needs root"
}

# key_of WORD... <INPUT: the key of a thing made from the words and the text on standard input.
key_of() {
	{ printf '%s\n' "$@"; cat; } | sha256sum | cut -c 1-16
}

# cached NAME KEY COMMAND...: prints the directory of the thing; when it is absent, COMMAND... DIRECTORY makes it.
# Made under a lock, under a name of its own that becomes the real one when all is there.
cached() {
	local name=$1 key=$2
	local dir=$cache/$name/$key
	shift 2
	mkdir -p "$cache/$name"
	if ! [ -d "$dir" ]; then
		exec 9>>"$cache/$name/lock"
		flock 9
		[ -d "$dir" ] || make_thing "$cache/$name" "$key" "$@" >&2
		exec 9>&-
	fi
	touch "$dir"
	printf '%s\n' "$dir"
}

make_thing() {
	local home=$1 key=$2 new=$1/.new
	shift 2
	rm -rf --one-file-system "$new"
	mkdir "$new"
	if ! "$@" "$new" 9>&- </dev/null; then
		rm -rf --one-file-system "$new"
		fail "could not make $home/$key"
	fi
	mv "$new" "$home/$key"
	drop_old "$home" "$key"
}

# Removes the things of other keys, save those that somebody holds or lately asked for.
drop_old() {
	local home=$1 key=$2 old
	for old in "$home"/*/; do
		old=${old%/}
		[ "$old" != "$home/$key" ] || continue
		[ -n "$(find "$old" -maxdepth 0 -mmin "+$keep_minutes")" ] || continue
		flock --nonblock --exclusive "$old" rm -rf --one-file-system "$old" || true
	done
}

# hold DIRECTORY: keeps a made thing from being removed for as long as this process or a child of it lives.
hold() {
	local fd
	exec {fd}<"$1"
	flock --shared "$fd"
	[ -d "$1" ] || fail "$1 was removed meanwhile; run again"
}

# unpack_debs DIRECTORY ROOT: unpacks every package of DIRECTORY into ROOT, which has a merged /usr; no documentation.
unpack_debs() {
	local root=$2 name
	for name in bin sbin lib; do
		mkdir -p "$root/usr/$name"
		[ -e "$root/$name" ] || ln -s "usr/$name" "$root/$name"
	done
	# shellcheck disable=SC2016 # $1 and $2 are those of the inner shell
	find "$1" -name '*.deb' -print0 | xargs -0 -P "$(nproc)" -I DEB sh -c '
		dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink \
			--exclude="./usr/share/doc/*" --exclude="./usr/share/man/*" --exclude="./usr/share/locale/*" \
			--exclude="./usr/share/info/*" --exclude="./usr/share/lintian/*"' sh DEB "$root"
}

# relative_links ROOT: makes absolute symbolic links in ROOT relative, so that they stay within it.
relative_links() {
	local link
	find "$1" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
		ln -sfnr "$1$(readlink "$link")" "$link"
	done
}
