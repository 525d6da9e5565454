# The bed 'guest': an arm64 machine in QEMU's emulation. The script's output comes through two virtio ports, its
# exit status and $BED_OUT through shared directories.
# To be sourced by bed.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bed's variables

run_guest() {
	local image
	image=$("$beds/guest-image" "kernel=$kernel")
	hold "$image"
	write_guest_job
	write_overlay
	if [ -n "$interactive" ]; then
		qemu_command "$image" -chardev stdio,mux=on,signal=off,id=console -mon chardev=console
		"${qemu[@]}" || result=$?
		return
	fi
	streams_open
	qemu_command "$image" -chardev "file,id=console,path=$run/console.log" -device virtio-serial-pci \
		-chardev "file,id=out,path=$run/bed/stdout" -device virtserialport,chardev=out,name=bed.out \
		-chardev "file,id=err,path=$run/bed/stderr" -device virtserialport,chardev=err,name=bed.err
	in_time "${qemu[@]}" >&2
	streams_close
}

write_guest_job() {
	local output=ports words=("BED_CPU=$cpu")
	[ -z "$icount" ] || words+=(BED_ICOUNT=1)
	[ -z "$interactive" ] || output=terminal
	write_job "$output" "${words[@]}"
}

# qemu_command IMAGE ARGUMENT...: sets qemu to the command line.
qemu_command() {
	local image=$1 model=$cpu
	shift
	# The guest's own pointer authentication instead of the architected one: three times as fast to emulate.
	[ "$cpu" != max ] || model=max,pauth-impdef=on
	# shellcheck disable=SC2054 # the commas are QEMU's
	qemu=(qemu-system-aarch64 -machine virt,gic-version=3 -cpu "$model" -accel tcg -smp "$smp" -m 1024
		-nodefaults -display none -no-reboot -serial chardev:console
		-kernel "$image/vmlinuz" -initrd "$image/initrd"
		-append "console=ttyAMA0 quiet loglevel=4 panic=-1 systemd.show_status=0 rd.systemd.show_status=0"
		-drive "if=none,id=root,file=$image/root.ext4,format=raw,snapshot=on"
		-device virtio-blk-pci,drive=root,serial=root
		-drive "if=none,id=modules,file=$image/modules.ext4,format=raw,snapshot=on"
		-device virtio-blk-pci,drive=modules,serial=modules
		-virtfs "local,path=$run/bed,mount_tag=bed,security_model=none,multidevs=remap"
		-virtfs "local,path=${out:-$run/bed/out},mount_tag=out,security_model=none,multidevs=remap"
		-virtfs "local,path=$share,mount_tag=pmufs,security_model=none,multidevs=remap,readonly=on"
		-device virtio-rng-pci "$@")
	[ -z "$icount" ] || qemu+=(-icount shift=0)
}
