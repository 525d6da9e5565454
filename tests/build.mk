# How tests are compiled: each tests/unit/test_*.c is one cmocka program that speaks TAP, linked
# against the daemon's parts; each tests/tools/*.c is one small program that scripts use.

UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS := $(UNIT_SOURCES:%.c=$(OUT)/%)
# Helpers that several unit tests share (made-up sysfs trees and the like).
UNIT_SHARED := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*.c)))
TOOL_SOURCES := $(sort $(wildcard tests/tools/*.c))
TOOL_PROGRAMS := $(TOOL_SOURCES:%.c=$(OUT)/%)

$(OUT)/tests/unit/test_%: tests/unit/test_%.c $(UNIT_SHARED) $(OUT)/libpmufs.a
	@mkdir -p $(@D)
	$(CC) $(PMUFS_CFLAGS) -Itests/unit -MMD -MP -MF $@.d $(PMUFS_LDFLAGS) -o $@ $< $(UNIT_SHARED) \
		$(OUT)/libpmufs.a $(PMUFS_LDLIBS) -lcmocka

$(OUT)/tests/tools/%: tests/tools/%.c
	@mkdir -p $(@D)
	$(CC) $(PMUFS_CFLAGS) -MMD -MP -MF $@.d $(PMUFS_LDFLAGS) -o $@ $< $(shell pkg-config --libs fuse3) -lpthread

-include $(UNIT_PROGRAMS:=.d) $(TOOL_PROGRAMS:=.d)
