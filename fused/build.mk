# How the daemon is compiled: every .c below fused/, one object each, headers tracked.

# libfuse3: the request protocol.  libsystemd: event loop, notify, watchdog, journal.
# inih: the configuration file.  libpfm4: vendor event names (it has no .pc file in Debian).
PMUFS_LIBRARIES := fuse3 libsystemd inih
PMUFS_CFLAGS = -std=gnu11 -O2 -g -Ifused -D_GNU_SOURCE -DFUSE_USE_VERSION=314 \
	-DPMUFS_VERSION='"$(VERSION)"' \
	-Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
	-Wpointer-arith -Wundef -Wwrite-strings -Wvla -Wimplicit-fallthrough \
	-fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE \
	$(shell $(PKG_CONFIG) --cflags $(PMUFS_LIBRARIES)) $(CFLAGS)
PMUFS_LDFLAGS = -pie -Wl,-z,relro,-z,now $(LDFLAGS)
PMUFS_LDLIBS = $(shell $(PKG_CONFIG) --libs $(PMUFS_LIBRARIES)) -lpfm

FUSED_SOURCES := $(sort $(wildcard fused/*.c fused/*/*.c))
FUSED_OBJECTS := $(FUSED_SOURCES:%.c=$(OUT)/%.o)
# Everything but main, for the tests to link against.
FUSED_PARTS := $(filter-out $(OUT)/fused/main.o,$(FUSED_OBJECTS))

$(OUT)/fused/%.o: fused/%.c Makefile fused/build.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(PMUFS_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/pmufs: $(FUSED_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(PMUFS_LDFLAGS) -o $@ $^ $(PMUFS_LDLIBS)

$(OUT)/libpmufs.a: $(FUSED_PARTS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

-include $(FUSED_OBJECTS:.o=.d)
