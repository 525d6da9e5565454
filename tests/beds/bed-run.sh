# How a run is carried out in whatever bed: its directory, what the bed is told, the output, the time, the verdict.
# To be sourced by bed, whose variables say what was asked for.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bed's variables

# in_time COMMAND...: runs it, at most as long as said. Sets result to its status, 124 or 137 when it had to be ended.
in_time() {
	timeout --kill-after=3 "$seconds" "$@" &
	child=$!
	result=0
	wait "$child" 2>/dev/null || result=$?
}

time_is_up() {
	case $result in
	124) true ;;
	137) [ "$SECONDS" -ge "$seconds" ] ;;
	*) false ;;
	esac
}

# What the scripts in all beds are told, in a form that bash reads; job_output says how its output gets to the host.
write_job() {
	local environment_words=("BED=$bed" BED_OUT=/bed/out "${@:2}" "${environment[@]}")
	{
		printf 'export'
		printf ' %q' "${environment_words[@]}"
		printf '\njob_output=%q\njob=(' "$1"
		[ ${#job[@]} = 0 ] || printf ' %q' "${job[@]}"
		printf ' )\njob_term=%q\n' "${TERM-}"
		[ -z "$interactive" ] || printf 'job_size=%q\n' "$(stty size)"
	} >"$run/bed/job"
	cp "$beds/inside/run" "$run/bed/run"
}

# The bed's own units and the tree, as a tar file of what is to lie over the root. With a merged /usr, /lib is a link.
write_overlay() {
	local units=$run/units/etc/systemd/system
	mkdir -p "$units"/{bed.service.d,systemd-sysusers.service.d}
	cp "$beds"/inside/bed.{target,service} "$units/"
	cp "$beds/inside/sysusers.conf" "$units/systemd-sysusers.service.d/bed.conf"
	[ -z "$interactive" ] || cp "$beds/inside/terminal.conf" "$units/bed.service.d/"
	ln -s bed.target "$units/default.target"
	: >"$run/bed/overlay.tar"
	[ -z "$tree" ] || add_to_overlay "$tree"
	add_to_overlay "$run/units"
}

add_to_overlay() {
	(cd "$1" && find . -mindepth 1 ! -path ./bin ! -path ./sbin ! -path ./lib -printf '%P\0') |
		tar --append -f "$run/bed/overlay.tar" -C "$1" --null --no-recursion -T - --owner=0 --group=0 --numeric-owner \
			--transform='s,^(bin|sbin|lib)/,usr/\1/,xS'
}

# Two pipes that carry the script's output here while it runs. This shell holds their other ends, too, so that the
# readers end exactly when streams_close was called and the bed is gone.
streams_open() {
	mkfifo "$run/bed/stdout" "$run/bed/stderr"
	cat "$run/bed/stdout" &
	readers=$!
	cat "$run/bed/stderr" >&2 &
	readers="$readers $!"
	exec {out_end}>"$run/bed/stdout" {err_end}>"$run/bed/stderr"
}

streams_close() {
	exec {out_end}>&- {err_end}>&-
	# shellcheck disable=SC2086 # one word a process
	wait $readers || true
}

# end_with STATUS: the only way to end a run that the bed did not fail.
end_with() {
	decided=1
	exit "$1"
}

# Ends with the script's status if there is one, else tells what the console said last.
verdict() {
	[ -z "$out" ] || [ ! -f "$run/console.log" ] || cp "$run/console.log" "$out/"
	if [ -s "$run/bed/status" ]; then
		end_with "$(cat "$run/bed/status")"
	elif [ -n "$interactive" ] && [ "$result" = 0 ]; then
		end_with 0
	fi
	[ ! -f "$run/console.log" ] || tail -n 40 "$run/console.log" >&2
	if time_is_up; then
		say "the time was up after $seconds s"
		end_with 124
	fi
	fail "the bed '$bed' ended without the script's status"
}

# At the end of this process, whatever ended it: nothing of the run is left. What went wrong before the script had its
# say is the bed's failure, 125.
clean_up() {
	local status=$?
	trap '' INT TERM HUP
	set +e
	[ -n "$decided" ] || status=125
	[ -z "$child" ] || kill "$child" 2>/dev/null
	[ -z "$child" ] || wait "$child" 2>/dev/null
	[ -z "$readers" ] || exec {out_end}>&- {err_end}>&-
	local mounted
	for mounted in "$run/root" "$run/upper" "$run/bed/out"; do
		! mountpoint -q "$mounted" || umount --recursive --lazy "$mounted"
	done
	[ ${#cgroups[@]} = 0 ] || find "${cgroups[@]}" -depth -type d -exec rmdir {} +
	rm -rf --one-file-system "$run"
	exit "$status"
}

# Makes the run's directory and sees to its end.
begin() {
	child='' readers='' cgroups=() decided='' result=0
	run=$(mktemp -d "${TMPDIR:-/tmp}/pmufs-bed.XXXXXX")
	trap clean_up EXIT
	trap 'end_with 130' INT
	trap 'end_with 143' TERM HUP
	mkdir -p "$run/bed/out"
}
