# The bed 'chroot': a throw-away root directory of another suite, for proving that the project builds there.
# To be sourced by bed, which has given itself mounts of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bed's variables

run_chroot() {
	local root
	root=$("$beds/chroot-root" "$suite")
	hold "$(dirname "$root")"
	overlay_on "$root"
	write_overlay
	tar -x -f "$run/bed/overlay.tar" -C "$run/root" --keep-directory-symlink --no-overwrite-dir
	mount_out
	mount -t proc proc "$run/root/proc"
	mount --rbind /dev "$run/root/dev"
	mount --rbind /sys "$run/root/sys"
	mount --rbind "$run/bed" "$run/root/bed"
	mount --bind "$share" "$run/root/pmufs"
	mount -o remount,bind,ro "$run/root/pmufs"
	in_time env -i BED=chroot BED_OUT=/bed/out HOME=/root LC_ALL=C.UTF-8 TERM="${TERM-}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin "${environment[@]}" \
		chroot "$run/root" sh -c 'cd /pmufs && exec "$@"' sh "${job[@]}" </dev/null
	time_is_up || end_with "$result"
}
