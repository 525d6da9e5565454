# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for pmufs(8).
# shellcheck shell=bash

_pmufs_events() {
	# What every machine may have, and what perf list knows of this one when perf is there.
	printf '%s\n' cycles instructions cache-references cache-misses branches branch-misses \
		cpu-clock task-clock page-faults context-switches cpu-migrations
	perf list --no-desc --raw-dump 2>/dev/null | tr ' ' '\n' | grep -v :
}

_pmufs() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} done_words=''
	case $previous in
	-c | --config)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	-e | --events)
		# The last event of the list that has been begun.
		[[ $current != *,* ]] || done_words=${current%,*},
		compopt -o nospace
		mapfile -t COMPREPLY < <(compgen -P "$done_words" -W "$(_pmufs_events)" -- "${current##*,}")
		return
		;;
	-o) return ;;
	esac
	if [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W '-f --foreground -c --config -e --events -o -V --version -h --help' -- "$current")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
	fi
}

complete -F _pmufs pmufs
