# SPDX-License-Identifier: GPL-2.0-only
# `make install` and `make uninstall`: files only, no service is started or stopped; what to do next is printed when
# the files went into the running system. Each directory can be set by itself.

sbindir ?= $(prefix)/sbin
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
# systemd reads these below /usr/local, too.
unitdir ?= $(prefix)/lib/systemd/system
sysusersdir ?= $(prefix)/lib/sysusers.d
tmpfilesdir ?= $(prefix)/lib/tmpfiles.d
udevrulesdir ?= $(prefix)/lib/udev/rules.d
modulesloaddir ?= $(prefix)/lib/modules-load.d
includedir ?= $(prefix)/include
# Where DKMS looks by itself if prefix is /usr.
dkmsdir ?= $(prefix)/src/pmuctl-$(VERSION)
bashcompletiondir ?= $(datadir)/bash-completion/completions
# Debian's zsh looks for packages' completions in a directory of its own.
zshcompletiondir ?= $(datadir)/zsh/$(if $(filter /usr,$(prefix)),vendor-completions,site-functions)

# What the kernel's own build takes; not what it made there.
KMOD_SOURCES := $(sort $(shell cd kmod && find . -type f \( -name '*.[chS]' -o -name '*.lds' -o -name Kbuild -o \
	-name Makefile -o -name configure \) ! -name '*.mod.c' ! -name features.h ! -path '*/.*/*' -printf '%P '))

# Mode, source and destination of every file, in threes. The configuration is apart: an administrator's stays.
INSTALLED := \
	755 $(OUT)/pmufs $(sbindir)/pmufs \
	644 $(OUT)/systemd/pmufs.service $(unitdir)/pmufs.service \
	644 systemd/sysusers.conf $(sysusersdir)/pmufs.conf \
	644 systemd/tmpfiles.conf $(tmpfilesdir)/pmufs.conf \
	644 systemd/60-pmuctl.rules $(udevrulesdir)/60-pmuctl.rules \
	644 systemd/modules-load.conf $(modulesloaddir)/pmuctl.conf \
	644 kmod/uapi/pmuctl.h $(includedir)/pmuctl/pmuctl.h \
	644 kmod/uapi/pmuctl_read.h $(includedir)/pmuctl/pmuctl_read.h \
	644 kmod/uapi/pmuctl_code.h $(includedir)/pmuctl/pmuctl_code.h \
	644 $(OUT)/kmod/dkms.conf $(dkmsdir)/dkms.conf \
	$(foreach source,$(KMOD_SOURCES),644 kmod/$(source) $(dkmsdir)/$(source)) \
	644 docs/pmufs.8 $(mandir)/man8/pmufs.8 \
	644 docs/pmuctl.4 $(mandir)/man4/pmuctl.4 \
	644 docs/pmufs.conf.5 $(mandir)/man5/pmufs.conf.5 \
	644 docs/completion/pmufs.bash $(bashcompletiondir)/pmufs \
	644 docs/completion/_pmufs $(zshcompletiondir)/_pmufs
# Directories that nobody else puts anything into.
INSTALLED_DIRECTORIES := $(includedir)/pmuctl $(dkmsdir)
INSTALLED_CONFIGURATION := $(sysconfdir)/pmufs/pmufs.conf

.PHONY: install uninstall FORCE

# Made anew each time: prefix may be another than the last time.
$(OUT)/systemd/pmufs.service: systemd/pmufs.service.in FORCE
	@mkdir -p $(@D)
	@sed 's,@sbindir@,$(sbindir),; s,@config@,$(if $(filter-out /etc,$(sysconfdir)), --config $(INSTALLED_CONFIGURATION)),' $< >$@

$(OUT)/kmod/dkms.conf: kmod/dkms.conf FORCE
	@mkdir -p $(@D)
	@sed 's,@version@,$(VERSION),' $< >$@

install: $(OUT)/pmufs $(OUT)/systemd/pmufs.service $(OUT)/kmod/dkms.conf ## Install below DESTDIR and prefix (/usr/local)
	@set -- $(INSTALLED); while [ $$# != 0 ]; do \
		echo "  INSTALL $(DESTDIR)$$3"; \
		install -D -m "$$1" "$$2" "$(DESTDIR)$$3" || exit; \
		shift 3; \
	done
	@if [ -e "$(DESTDIR)$(INSTALLED_CONFIGURATION)" ]; then \
		echo "  KEEP    $(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
	else \
		echo "  INSTALL $(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
		install -D -m 644 fused/pmufs.conf "$(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
	fi
	@[ -n "$(DESTDIR)" ] || printf '%s\n' \
		'' 'Installed. Now create the users and the mount point, and start the service:' '' \
		'  systemd-sysusers && systemd-tmpfiles --create pmufs.conf' \
		'  systemctl daemon-reload && systemctl enable --now pmufs' '' \
		'Whoever is to read the counters becomes a member of the group pmu: adduser NAME pmu' '' \
		'The kernel module, for reads without a system call, if you want it (with the package dkms):' '' \
		'  dkms add $(dkmsdir) && dkms install pmuctl/$(VERSION)' '  udevadm control --reload && modprobe pmuctl'

uninstall: ## Remove what `make install` installed, but for a changed configuration
	@[ -n "$(DESTDIR)" ] || ! systemctl --quiet is-active pmufs 2>/dev/null || \
		{ echo 'pmufs is running. First: systemctl disable --now pmufs' >&2; exit 1; }
	@[ -n "$(DESTDIR)" ] || [ ! -e /var/lib/dkms/pmuctl/$(VERSION) ] || \
		{ echo 'DKMS has the module. First: dkms remove pmuctl/$(VERSION) --all' >&2; exit 1; }
	@set -- $(INSTALLED); while [ $$# != 0 ]; do \
		rm -fv "$(DESTDIR)$$3" || exit; \
		shift 3; \
	done
	@set -- $(INSTALLED_DIRECTORIES); for directory; do \
		[ ! -d "$(DESTDIR)$$directory" ] || find "$(DESTDIR)$$directory" -depth -type d -empty -delete; \
	done
	@if cmp -s fused/pmufs.conf "$(DESTDIR)$(INSTALLED_CONFIGURATION)"; then \
		rm -fv "$(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
		rmdir --ignore-fail-on-non-empty "$(DESTDIR)$(sysconfdir)/pmufs"; \
	elif [ -e "$(DESTDIR)$(INSTALLED_CONFIGURATION)" ]; then \
		echo "kept, since it was changed: $(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
	fi
