# The bed 'host': the script on this machine as it is.
# To be sourced by bed.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bed's variables

run_host() {
	cd "$share" || return
	mkdir -p "${out:=$run/bed/out}"
	in_time env BED=host "BED_OUT=$out" "${environment[@]}" "${job[@]}" </dev/null
	time_is_up || end_with "$result"
}
