# SPDX-License-Identifier: GPL-2.0-only
# How tests are compiled and run: each tests/unit/test_*.c is one cmocka program that speaks TAP, linked against the
# daemon's parts; each tests/tools/*.c is one small program that scripts use. The targets here install the packages that
# they need by themselves (as root) and only then build, in a make of their own.

UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS := $(UNIT_SOURCES:%.c=$(OUT)/%)
# Helpers that several unit tests share (made-up sysfs trees and the like).
UNIT_SHARED := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*.c)))
TOOL_SOURCES := $(sort $(wildcard tests/tools/*.c))
TOOL_PROGRAMS := $(TOOL_SOURCES:%.c=$(OUT)/%)

$(OUT)/tests/unit/test_%: tests/unit/test_%.c $(UNIT_SHARED) $(wildcard tests/unit/*.h) $(OUT)/libpmufs.a \
		Makefile tests/build.mk | build-packages
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(PMUFS_CFLAGS) -Itests/unit -MMD -MP -MF $@.d $(PMUFS_LDFLAGS) -o $@ $< $(UNIT_SHARED) \
		$(OUT)/libpmufs.a $(PMUFS_LDLIBS) -lcmocka

$(OUT)/tests/tools/%: tests/tools/%.c Makefile tests/build.mk | build-packages
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(PMUFS_CFLAGS) -MMD -MP -MF $@.d $(PMUFS_LDFLAGS) -o $@ $< $(shell $(PKG_CONFIG) --libs fuse3) -lpthread

-include $(UNIT_PROGRAMS:=.d) $(TOOL_PROGRAMS:=.d)

.PHONY: build-packages unit-programs tools tree

# Without this a missing library shows as a screenful of compiler errors.
build-packages:
	@tests/packages --missing build
$(FUSED_OBJECTS): | build-packages

unit-programs: $(UNIT_PROGRAMS)
tools: $(TOOL_PROGRAMS)

# Unit tests that want a PMU run in the guest, too, with the library that they need.
GUEST_UNITS := $(if $(filter arm64,$(ARCH)),$(OUT)/tests/unit/test_source_perf $(OUT)/tests/unit/test_counters_kernel)

# What is laid over the root of a container or guest: pmufs as installed and enabled, and the tools of the tests.
tree: all tools $(GUEST_UNITS)
	$(call say,TREE,$(OUT)/tests/tree)
	$(Q)rm -rf $(OUT)/tests/tree
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(OUT)/tests/tree prefix=/usr sysconfdir=/etc >/dev/null
	$(Q)mkdir -p $(OUT)/tests/tree/etc/systemd/system/multi-user.target.wants
	$(Q)ln -s /usr/lib/systemd/system/pmufs.service $(OUT)/tests/tree/etc/systemd/system/multi-user.target.wants/
	$(if $(TOOL_PROGRAMS),$(Q)install -D -t $(OUT)/tests/tree/usr/lib/pmufs/tests/tools $(TOOL_PROGRAMS))
	$(if $(GUEST_UNITS),$(Q)install -D -t $(OUT)/tests/tree/usr/lib/pmufs/tests/unit $(GUEST_UNITS) \
		$(SYSROOT)/usr/lib/aarch64-linux-gnu/libcmocka.so.0)

# A make of its own, since this one has looked for files before the packages were there. On all CPUs unless told otherwise.
BUILD_NOW = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# For each suite: the packages it needs, and what has to be built.
packages_unit := build test
packages_mounted := build test
packages_service := build test container
packages_guest := build test guest
packages_beds := build test container guest
packages_kmod := build test container guest kmod

define built_unit
$(BUILD_NOW) unit-programs
$(BUILD_NOW) unit-programs SANITIZE=address,undefined
endef
define built_mounted
$(BUILD_NOW) all tools
$(BUILD_NOW) all SANITIZE=address,undefined
endef
built_service = $(BUILD_NOW) tree
built_guest = $(BUILD_NOW) tree ARCH=arm64
built_beds =
define built_kmod
$(BUILD_NOW) all
$(BUILD_NOW) kmod-tree ARCH=arm64
endef

suites_unit := unit unit-sanitized unit-valgrind
suites_mounted := mounted mounted-sanitized
suites_service := service
suites_guest := guest
suites_beds := beds
suites_kmod := kmod

PARTS := unit mounted beds service guest kmod

define newline


endef

.PHONY: test soak check run guest $(PARTS:%=test-%)

test: ## Run every test there is
	@tests/packages $(sort $(foreach part,$(PARTS),$(packages_$(part))))
	$(foreach part,$(PARTS),$(built_$(part))$(newline))
	@tests/run $(foreach part,$(PARTS),$(suites_$(part)))

test-unit: ## The unit tests: plain, under sanitizers, under valgrind
test-mounted: ## The tests of the mounted file system on this machine: plain, under sanitizers
test-beds: ## The tests of the test beds
test-service: ## The tests of the service, under a real systemd in a container
test-guest: ## The tests with a real PMU, in an emulated arm64 machine
test-kmod: ## The tests of the kernel module: builds for several kernels, and in the emulated machine
$(PARTS:%=test-%): test-%:
	@tests/packages $(packages_$*)
	$(built_$*)
	@tests/run $(suites_$*)

soak: ## All tests in their long forms
	@$(MAKE) --no-print-directory test SOAK=1

check: ## Formatters, linters and the rules of the house
	@tests/packages build test check
	@tests/check

run: ## Run pmufs: here, or where there is no PMU in the guest (WHERE=host, WHERE=guest)
	+@tests/beds/run-product $(WHERE)

guest: ## A shell in the guest, with pmufs running
	@tests/packages build guest
	$(built_guest)
	@tests/beds/bed guest $(GUEST) --tree $(BUILD)/arm64/tests/tree --interactive

export V ONLY SOAK GUESTS KMODS BUILD

# One of the variables above, for scripts.
print-%:
	@echo $($*)
