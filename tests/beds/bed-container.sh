# The bed 'container': systemd booted by systemd-nspawn on a throw-away overlay of the cached root.
# To be sourced by bed, which has given itself mounts of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bed's variables

run_container() {
	local root output=files
	root=$("$beds/container-root")
	hold "$(dirname "$root")"
	overlay_on "$root"
	[ -z "$interactive" ] || output=terminal
	write_job "$output"
	write_overlay
	tar -x -f "$run/bed/overlay.tar" -C "$run/root" --keep-directory-symlink --no-overwrite-dir
	mount_out
	own_cgroups
	nspawn_command
	if [ -n "$interactive" ]; then
		"${nspawn[@]}" --console=interactive systemd.show_status=no || result=$?
		return
	fi
	streams_open
	in_time "${nspawn[@]}" --console=pipe </dev/null >"$run/console.log" 2>&1
	streams_close
}

# The run's root: the cached one below, a memory file system above.
overlay_on() {
	mkdir -p "$run/upper" "$run/root"
	mount -t tmpfs -o mode=755 tmpfs "$run/upper"
	mkdir "$run/upper/"{upper,work}
	mount -t overlay -o "lowerdir=$1,upperdir=$run/upper/upper,workdir=$run/upper/work" overlay "$run/root"
	mkdir -p "$run/root/bed" "$run/root/pmufs"
	# What systemd-nspawn leaves there is gone with the run, too.
	mkdir -p /run/systemd/nspawn
	mount -t tmpfs tmpfs /run/systemd/nspawn
}

mount_out() {
	[ -z "$out" ] || mount --bind "$out" "$run/bed/out"
}

nspawn_command() {
	# A node of its own: what the container does to its mode is not to change this machine's.
	mknod -m 600 "$run/upper/fuse" c 10 229
	# In a process namespace of its own, so that the container dies with its manager even when that is killed.
	nspawn=(unshare --pid --fork --kill-child --mount-proc systemd-nspawn --quiet --boot -D "$run/root" -M "bed-$$"
		--register=no --keep-unit --bind="$run/upper/fuse:/dev/fuse" --bind="$run/bed:/bed" --bind-ro="$share:/pmufs" --capability=all
		--system-call-filter='perf_event_open bpf')
	[ -d /sys/kernel/tracing/events ] && nspawn+=(--bind-ro=/sys/kernel/tracing)
	if [ -d /run/systemd/system ]; then
		nspawn=(systemd-run --quiet --scope --property=Delegate=yes "${nspawn[@]}")
	else
		# shellcheck disable=SC2016 # expanded by the inner shell
		nspawn=(bash -c 'for dir in $1; do echo $$ >"$dir/cgroup.procs"; done; shift; exec "$@"' bed-container
			"${cgroups[*]}" "${nspawn[@]}")
	fi
}

# Without a service manager, systemd-nspawn names the container's cgroup after nothing but its own: two runs would
# share one. Only the cgroup file systems that it uses matter.
own_cgroups() {
	local mounted
	[ ! -d /run/systemd/system ] || return 0
	for mounted in /sys/fs/cgroup{,/systemd,/unified}; do
		[ -w "$mounted/cgroup.procs" ] || continue
		mkdir "$mounted/bed-$$" && cgroups+=("$mounted/bed-$$")
	done
}
