# pmufs: the one entry to building, running, testing and installing. `make help` lists the targets.

VERSION := 0.1.0
BUILD ?= build
prefix ?= /usr/local
sysconfdir ?= /etc
DESTDIR ?=

# ARCH=arm64 builds for the guest with Debian's cross compiler against a cached sysroot.
ARCH ?= native
ifeq ($(ARCH),arm64)
SYSROOT := $(shell tests/beds/sysroot arm64)
CC = aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)
export PKG_CONFIG_SYSROOT_DIR = $(SYSROOT)
export PKG_CONFIG_LIBDIR = $(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig
else ifneq ($(ARCH),native)
$(error ARCH=$(ARCH) is not known: native or arm64)
endif
CC ?= gcc
OUT := $(BUILD)$(if $(filter arm64,$(ARCH)),/arm64)

include fused/build.mk
include tests/build.mk

.DEFAULT_GOAL := all
.PHONY: all clean help
all: $(OUT)/pmufs ## Build pmufs as build/pmufs

clean: ## Remove what was built in this checkout
	rm -rf $(BUILD)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
