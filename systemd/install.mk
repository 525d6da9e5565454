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
bashcompletiondir ?= $(datadir)/bash-completion/completions
# Debian's zsh looks for packages' completions in a directory of its own.
zshcompletiondir ?= $(datadir)/zsh/$(if $(filter /usr,$(prefix)),vendor-completions,site-functions)

# Mode, source and destination of every file, in threes. The configuration is apart: an administrator's stays.
INSTALLED := \
	755 $(OUT)/pmufs $(sbindir)/pmufs \
	644 $(OUT)/systemd/pmufs.service $(unitdir)/pmufs.service \
	644 systemd/sysusers.conf $(sysusersdir)/pmufs.conf \
	644 systemd/tmpfiles.conf $(tmpfilesdir)/pmufs.conf \
	644 docs/pmufs.8 $(mandir)/man8/pmufs.8 \
	644 docs/pmufs.conf.5 $(mandir)/man5/pmufs.conf.5 \
	644 docs/completion/pmufs.bash $(bashcompletiondir)/pmufs \
	644 docs/completion/_pmufs $(zshcompletiondir)/_pmufs
INSTALLED_CONFIGURATION := $(sysconfdir)/pmufs/pmufs.conf

.PHONY: install uninstall FORCE

# Made anew each time: prefix may be another than the last time.
$(OUT)/systemd/pmufs.service: systemd/pmufs.service.in FORCE
	@mkdir -p $(@D)
	@sed 's,@sbindir@,$(sbindir),; s,@config@,$(if $(filter-out /etc,$(sysconfdir)), --config $(INSTALLED_CONFIGURATION)),' $< >$@

install: $(OUT)/pmufs $(OUT)/systemd/pmufs.service ## Install below DESTDIR and prefix (/usr/local)
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
		'Whoever is to read the counters becomes a member of the group pmu: adduser NAME pmu'

uninstall: ## Remove what `make install` installed, but for a changed configuration
	@[ -n "$(DESTDIR)" ] || ! systemctl --quiet is-active pmufs 2>/dev/null || \
		{ echo 'pmufs is running. First: systemctl disable --now pmufs' >&2; exit 1; }
	@set -- $(INSTALLED); while [ $$# != 0 ]; do \
		rm -fv "$(DESTDIR)$$3" || exit; \
		shift 3; \
	done
	@if cmp -s fused/pmufs.conf "$(DESTDIR)$(INSTALLED_CONFIGURATION)"; then \
		rm -fv "$(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
		rmdir --ignore-fail-on-non-empty "$(DESTDIR)$(sysconfdir)/pmufs"; \
	elif [ -e "$(DESTDIR)$(INSTALLED_CONFIGURATION)" ]; then \
		echo "kept, since it was changed: $(DESTDIR)$(INSTALLED_CONFIGURATION)"; \
	fi
