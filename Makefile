# SPDX-License-Identifier: GPL-2.0-only
# pmufs: the one entry to building, running, testing and installing. `make help` lists the targets.

VERSION := 0.1.0
BUILD ?= build
prefix ?= /usr/local
sysconfdir ?= /etc
DESTDIR ?=

# Make has a CC of its own, so that ?= would never take effect.
ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
OUT := $(BUILD)

# ARCH=arm64 builds for the guest with Debian's cross compiler against a cached sysroot, which is made when the first
# recipe needs it: `make ARCH=arm64 clean` must not.
ARCH ?= native
ifeq ($(ARCH),arm64)
OUT := $(OUT)/arm64
SYSROOT = $(eval SYSROOT := $(or $(shell tests/beds/sysroot arm64),$(error no arm64 sysroot)))$(SYSROOT)
override CC = aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)
override AR = aarch64-linux-gnu-ar
override PKG_CONFIG = PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
else ifneq ($(ARCH),native)
$(error ARCH=$(ARCH) is not known: native or arm64)
endif

# SANITIZE=address,undefined builds the same with GCC's sanitizers, beside the plain build.
SANITIZE ?=
comma := ,
ifneq ($(SANITIZE),)
OUT := $(OUT)/sanitize-$(subst $(comma),-,$(SANITIZE))
override CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -O1
override LDFLAGS += -fsanitize=$(SANITIZE)
endif

# One short line a file; V=1 shows the commands.
ifneq ($(V),1)
Q := @
say = @printf '  %-5s %s\n' $(1) $(2)
endif

.DEFAULT_GOAL := all
.PHONY: all clean distclean help
all: $(OUT)/pmufs ## Build pmufs as build/pmufs

include fused/build.mk
include kmod/build.mk
include tests/build.mk
include systemd/install.mk

clean: ## Remove what was built in this checkout
	rm -rf $(BUILD)

distclean: clean ## The same, and the cache of downloads and images in the user's cache directory
	rm -rf --one-file-system "$${XDG_CACHE_HOME:-$$HOME/.cache}/pmufs"

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  ARCH=arm64, SANITIZE=address,undefined: another build; DESTDIR, prefix, sysconfdir: where to install;"
	@echo "  V=1, ONLY=PATTERN: all output of the tests, or only the tests whose suite/name matches"
