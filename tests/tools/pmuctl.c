// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/pmuctl from the command line, for scripts: each command makes one ioctl, or prints what stands in the shared area.
 * Prints the error's name and ends with 1 when the kernel refuses. With -r the device is opened for reading only.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../kmod/uapi/pmuctl.h"

static const char *const reasons[] = {
	"direct",	 "software", "chained", "no-user-reads", "unpublished",
	"not-scheduled", "disabled", "offline", "unsupported",	 "unused",
};

static uint64_t number(const char *word)
{
	return strtoull(word, NULL, 0);
}

static int failed(const char *what)
{
	printf("%s: %s\n", what, strerrorname_np(errno));
	return 1;
}

static const char *reason_name(unsigned int reason)
{
	return reason < sizeof(reasons) / sizeof(*reasons) ? reasons[reason] : "?";
}

static int info(int fd, char **words)
{
	struct pmuctl_info info = { .size = sizeof(info) };

	(void)words;
	if (ioctl(fd, PMUCTL_IOC_INFO, &info))
		return failed("info");
	printf("abi %u\nfeatures %#x\narea %llu\ncode %llu\ntrigger %llu\ncpus %u\nevents %u\nperiod %llu\n",
	       info.abi_version, info.features, info.area_size, info.code_size, info.trigger_size,
	       info.cpus, info.events, info.period);
	return 0;
}

static int add(int fd, char **words)
{
	struct pmuctl_event_add add = {
		.size = sizeof(add),
		.type = (uint32_t)number(words[1]),
		.config = number(words[2]),
	};

	strncpy(add.name, words[0], sizeof(add.name) - 1);
	if (ioctl(fd, PMUCTL_IOC_EVENT_ADD, &add))
		return failed("add");
	printf("%u\n", add.event);
	return 0;
}

static int drop(int fd, char **words)
{
	struct pmuctl_event_remove remove = {
		.size = sizeof(remove),
		.event = (uint32_t)number(words[0]),
	};

	return ioctl(fd, PMUCTL_IOC_EVENT_REMOVE, &remove) ? failed("remove") : 0;
}

static int enable(int fd, char **words)
{
	struct pmuctl_cpu_enable enable = {
		.size = sizeof(enable),
		.cpu = (uint32_t)number(words[0]),
		.enable = (uint32_t)number(words[1]),
	};

	return ioctl(fd, PMUCTL_IOC_CPU_ENABLE, &enable) ? failed("enable") : 0;
}

static int read_event(int fd, char **words)
{
	struct pmuctl_read_slot read = {
		.size = sizeof(read),
		.cpu = (uint32_t)number(words[0]),
		.event = (uint32_t)number(words[1]),
	};

	if (ioctl(fd, PMUCTL_IOC_READ, &read))
		return failed("read");
	printf("%llu\n", read.value.value);
	return 0;
}

static void print_value(const struct pmuctl_value *value)
{
	printf("%u %llu %s %d %llu %llu %llu\n", value->event, value->value,
	       reason_name(value->reason), value->error, value->enabled, value->running,
	       value->time);
}

/* A line for each event: number, value, reason, error, enabled, running, time. */
static int read_cpu(int fd, char **words)
{
	struct pmuctl_value values[PMUCTL_EVENTS_MAX];
	struct pmuctl_read_cpu read = {
		.size = sizeof(read),
		.cpu = (uint32_t)number(words[0]),
		.count = PMUCTL_EVENTS_MAX,
		.values = (uintptr_t)values,
	};
	unsigned int i;

	if (ioctl(fd, PMUCTL_IOC_READ_CPU, &read))
		return failed("cpu");
	for (i = 0; i < read.count; i++)
		print_value(&values[i]);
	return 0;
}

static const struct pmuctl_area *map_area(int fd)
{
	struct pmuctl_info info = { .size = sizeof(info) };
	void *area;

	if (ioctl(fd, PMUCTL_IOC_INFO, &info))
		return NULL;
	area = mmap(NULL, info.area_size, PROT_READ, MAP_SHARED, fd, PMUCTL_MAP_AREA);
	return area == MAP_FAILED ? NULL : area;
}

static const void *part(const struct pmuctl_area *area, uint64_t offset)
{
	return (const char *)area + offset;
}

static void print_slot(const struct pmuctl_area *area, unsigned int cpu, unsigned int event)
{
	const struct pmuctl_slot *slot =
		part(area, area->cpus_offset + ((uint64_t)cpu << area->cpu_shift) +
				   area->slots_offset + ((uint64_t)event << area->slot_shift));

	printf("slot %u %u register %llu width %llu reason %s error %d value %llu enabled %llu running %llu time %llu\n",
	       cpu, event, PMUCTL_TAG_REGISTER(slot->tag), PMUCTL_TAG_WIDTH(slot->tag),
	       reason_name(slot->reason), slot->error, slot->value, slot->enabled, slot->running,
	       slot->time);
}

static void print_cpu(const struct pmuctl_area *area, unsigned int cpu)
{
	const struct pmuctl_cpu *block =
		part(area, area->cpus_offset + ((uint64_t)cpu << area->cpu_shift));

	printf("cpu %u online %d enabled %d direct %d ticks %llu mismatches %llu probes %llu\n",
	       block->cpu, !!(block->flags & PMUCTL_CPU_ONLINE),
	       !!(block->flags & PMUCTL_CPU_ENABLED), !!(block->flags & PMUCTL_CPU_DIRECT),
	       block->ticks, block->mismatches, block->probes);
}

/* The area in words: header, events, CPUs, the slots that events have; after MILLISECONDS with the area mapped. */
static int area(int fd, char **words)
{
	const struct pmuctl_area *area = map_area(fd);
	unsigned int cpu, event;

	if (!area)
		return failed("area");
	usleep((useconds_t)number(words[0]) * 1000);
	printf("area abi %u size %llu cpus %u events %u missed %llu\n", area->abi_version,
	       area->area_size, area->cpus, area->events, area->probes_missed);
	for (event = 0; event < area->events_max; event++) {
		const struct pmuctl_event *entry =
			part(area, area->events_offset + (uint64_t)event * area->event_size);

		if (entry->id)
			printf("event %u id %u type %u config %#llx name %s\n", event, entry->id,
			       entry->type, entry->config, entry->name);
	}
	for (cpu = 0; cpu < area->cpus; cpu++) {
		print_cpu(area, cpu);
		for (event = 0; event < area->events_max; event++) {
			const struct pmuctl_event *entry = part(
				area, area->events_offset + (uint64_t)event * area->event_size);

			if (entry->id)
				print_slot(area, cpu, event);
		}
	}
	return 0;
}

/* Keeps the area mapped, and the descriptor closed, for SECONDS; says `mapped` first. */
static int hold(int fd, char **words)
{
	if (!map_area(fd))
		return failed("hold");
	close(fd);
	puts("mapped");
	fflush(stdout);
	sleep((unsigned int)number(words[0]));
	return 0;
}

static const struct {
	const char *name;
	int words;
	const char *usage;
	int (*run)(int fd, char **words);
} commands[] = {
	{ "info", 0, "", info },
	{ "add", 3, "NAME TYPE CONFIG", add },
	{ "remove", 1, "EVENT", drop },
	{ "enable", 2, "CPU 0|1", enable },
	{ "read", 2, "CPU EVENT", read_event },
	{ "cpu", 1, "CPU", read_cpu },
	{ "area", 1, "MILLISECONDS", area },
	{ "hold", 1, "SECONDS", hold },
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static int usage(void)
{
	unsigned int i;

	for (i = 0; i < COMMANDS; i++)
		fprintf(stderr, "%s pmuctl [-r] %s %s\n", i ? "      " : "Usage:", commands[i].name,
			commands[i].usage);
	return 2;
}

int main(int argc, char **argv)
{
	int mode = O_RDWR, fd;
	unsigned int i;

	if (argc > 1 && !strcmp(argv[1], "-r")) {
		mode = O_RDONLY;
		argc--;
		argv++;
	}
	for (i = 0; argc > 1 && i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name) != 0 || argc - 2 != commands[i].words)
			continue;
		fd = open("/dev/pmuctl", mode | O_CLOEXEC);
		return fd < 0 ? failed("open") : commands[i].run(fd, argv + 2);
	}
	return usage();
}
