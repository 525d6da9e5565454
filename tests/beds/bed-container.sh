# The bed 'container': systemd booted by systemd-nspawn on a throw-away overlay of the cached root.
# To be sourced by bed, which has given itself mounts of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are bed's

run_container() {
	local root output=files
	root=$("$beds/container-root") || exit 125
	hold "$(dirname "$root")"
	overlay_on "$root"
	[ -z "$interactive" ] || output=terminal
	write_job "$output"
	write_overlay
	tar -x -f "$run/bed/overlay.tar" -C "$run/root" --keep-directory-symlink --no-overwrite-dir
	mount_out
	nspawn_command
	if [ -n "$interactive" ]; then
		"${nspawn[@]}" --console=interactive
		return
	fi
	streams_open
	in_time "${nspawn[@]}" --console=pipe </dev/null >"$run/console.log" 2>&1
	container_ended $?
}

# The run's root: the cached one below, a memory file system above.
overlay_on() {
	mkdir -p "$run/upper" "$run/root"
	mount -t tmpfs -o mode=755 tmpfs "$run/upper"
	mkdir "$run/upper/"{upper,work}
	mount -t overlay -o "lowerdir=$1,upperdir=$run/upper/upper,workdir=$run/upper/work" overlay "$run/root"
	mkdir -p "$run/root/bed" "$run/root/pmufs"
}

mount_out() {
	[ -z "$out" ] || mount --bind "$out" "$run/bed/out"
}

nspawn_command() {
	nspawn=(systemd-nspawn --quiet --boot -D "$run/root" -M "bed-$$" --register=no --bind=/dev/fuse --bind="$run/bed:/bed"
		--bind-ro="$share:/pmufs" --capability=all --system-call-filter='perf_event_open bpf')
	[ -d /sys/kernel/tracing/events ] && nspawn+=(--bind-ro=/sys/kernel/tracing)
	if [ -d /run/systemd/system ]; then
		nspawn+=('--property=DeviceAllow=/dev/fuse rw')
	else
		nspawn+=(--keep-unit)
	fi
}

container_ended() {
	streams_close
	return "$1"
}
