# SPDX-License-Identifier: GPL-2.0-only
# The kernel module: for this machine's kernel, for the headers at KDIR, or (ARCH=arm64) for the guest's.

ifeq ($(ARCH),arm64)
KDIR ?= $(shell tests/beds/kernel-headers arm64 6.1)
else
KDIR ?= /lib/modules/$(shell uname -r)/build
endif
# The kernels that the guest can boot.
KMOD_GUEST_KERNELS := 6.1 6.12

.PHONY: kmod kmod-tree

kmod: ## Build the kernel module, for the running kernel or KDIR=HEADERS
	+$(Q)kmod/build $(OUT)/kmod $(KDIR)

# A program in C++; the guest has no C++ library.
$(OUT)/tests/tools/pmuctl-code: tests/kmod/code.cc tests/tools/tap.h $(wildcard kmod/uapi/*.h)
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(subst gcc,g++,$(CC)) -std=gnu++11 -O2 -g -Wall -Wextra \
		-static-libstdc++ -static-libgcc -o $@ $<

# What is laid over the guest's root and, for each of its kernels, the module and those of the tests.
kmod-tree: tree $(OUT)/tests/tools/pmuctl-code
	$(Q)install -D -t $(OUT)/tests/tree/usr/lib/pmufs/tests/tools $(OUT)/tests/tools/pmuctl-code
	+$(Q)set -e; for kernel in $(KMOD_GUEST_KERNELS); do \
		headers=$$(tests/beds/kernel-headers arm64 $$kernel); \
		for sources in kmod tests/kmod/modules; do \
			built=$$(SOURCES=$$sources kmod/build $(OUT)/$$sources "$$headers"); \
			install -D -m 644 -t "$(OUT)/tests/tree/usr/lib/pmufs/tests/kmod/$$(basename "$$built")" "$$built"/*.ko; \
		done; \
	done
