// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules for mappings of /dev/pmuctl, one promise after the other: lengths, protections, cutting, moving, forking.
 * Afterwards nothing is mapped any more, so that the module can be unloaded.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kmod/uapi/pmuctl.h"
#include "tap.h"

static struct pmuctl_info info = { .size = sizeof(info) };
static size_t page;

static int open_device(int mode)
{
	int fd = open("/dev/pmuctl", mode | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, PMUCTL_IOC_INFO, &info)) {
		printf("Bail out! /dev/pmuctl: %s\n", strerror(errno));
		exit(1);
	}
	return fd;
}

static void *map(int fd, size_t size, int protection, int flags, uint64_t offset)
{
	return mmap(NULL, size, protection, flags, fd, (off_t)offset);
}

/* Mapping it so is refused with the error. */
static void refused(int fd, size_t size, int protection, int flags, uint64_t offset, int error,
		    const char *promise)
{
	void *address = map(fd, size, protection, flags, offset);

	tap_errno(address == MAP_FAILED, error, error, promise);
	if (address != MAP_FAILED)
		munmap(address, size);
}

static void test_making(int fd, int writable)
{
	size_t size = info.area_size;

	refused(writable, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EACCES,
		"the area is not mapped for writing");
	refused(fd, size, PROT_READ | PROT_EXEC, MAP_SHARED, 0, EACCES,
		"the area is not mapped for executing");
	refused(fd, size, PROT_READ, MAP_PRIVATE, 0, EINVAL, "the area is not mapped private");
	refused(fd, size - page, PROT_READ, MAP_SHARED, 0, EINVAL, "a shorter mapping is refused");
	refused(fd, size + page, PROT_READ, MAP_SHARED, 0, EINVAL, "a longer mapping is refused");
	refused(fd, size, PROT_READ, MAP_SHARED, page, EINVAL, "another offset is refused");
	refused(fd, info.trigger_size, PROT_READ, MAP_SHARED, PMUCTL_MAP_TRIGGER, EACCES,
		"the trigger page is not for a descriptor that cannot write");
	refused(writable, info.trigger_size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED,
		PMUCTL_MAP_TRIGGER, EACCES, "the trigger page is not mapped for executing");
}

static bool reads(const void *area)
{
	const volatile struct pmuctl_area *header = area;

	return header->magic == PMUCTL_MAGIC && header->area_size == info.area_size;
}

static void test_protecting(void *area, int fd)
{
	size_t size = info.area_size;

	tap_errno(mprotect(area, size, PROT_READ | PROT_WRITE), EACCES, EACCES,
		  "mprotect does not make the area writable");
	tap_errno(mprotect(area, size, PROT_READ | PROT_EXEC), EACCES, EACCES,
		  "mprotect does not make the area executable");
	tap_errno(mprotect(area, page, PROT_NONE), EINVAL, EINVAL,
		  "mprotect does not cut the area");
	tap_errno(write(fd, "x", 1) < 0, EBADF, EINVAL, "write to the device is refused");
	tap(reads(area), "the area is as it was");
}

static void test_cutting(char *area)
{
	size_t size = info.area_size;

	tap_errno(munmap(area, page), EINVAL, EINVAL, "the first page alone is not unmapped");
	tap_errno(munmap(area + page, page), EINVAL, EINVAL, "nor one in the middle");
	tap_errno(munmap(area + size - page, page), EINVAL, EINVAL, "nor the last");
	tap_errno(mmap(area + page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		       0) == MAP_FAILED,
		  EINVAL, ENOMEM, "nothing is mapped over a part of it");
	tap_errno(mremap(area, size, size + page, MREMAP_MAYMOVE) == MAP_FAILED, EFAULT, EINVAL,
		  "it does not grow");
	tap_errno(mremap(area, size, size - page, 0) == MAP_FAILED, EINVAL, EINVAL,
		  "it does not shrink");
	tap(reads(area), "and it is as it was");
}

static void *test_moving(void *area)
{
	size_t size = info.area_size;
	void *place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *moved = mremap(area, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place);

	if (moved == MAP_FAILED) {
		tap(reads(area), "moving is refused, and the area is as it was");
		munmap(place, size);
		return area;
	}
	tap(reads(moved), "the whole can be moved, and is the same there");
	tap(!madvise(moved, size, MADV_DONTNEED) && reads(moved),
	    "pages that are thrown away come back");
	return moved;
}

/* Exit status of a child that uses the mapping, or minus the signal it died of. */
static int use_in_child(const void *area)
{
	int status;
	pid_t child = fork();

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		_exit(reads(area));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1000;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_other_ways(char *area)
{
	struct pmuctl_area copy;
	int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	int ends[2];

	tap(pread(memory, &copy, sizeof(copy), (off_t)(uintptr_t)area) == sizeof(copy) &&
		    copy.magic == PMUCTL_MAGIC,
	    "a debugger reads it through /proc/PID/mem");
	tap(pwrite(memory, &copy, sizeof(copy), (off_t)(uintptr_t)area) < 0,
	    "and does not write it");
	close(memory);
	if (pipe2(ends, O_CLOEXEC))
		return;
	tap(write(ends[1], area, 100) == 100, "write(2) takes from it");
	tap(read(ends[0], &copy, 100) == 100 && copy.magic == PMUCTL_MAGIC, "what stands there");
	close(ends[0]);
	close(ends[1]);
}

static void test_closed(const char *area)
{
	const volatile struct pmuctl_cpu *cpu =
		(const void *)(area + ((const struct pmuctl_area *)area)->cpus_offset);
	uint64_t before = cpu->ticks;

	usleep(200000);
	tap(cpu->ticks > before, "with the descriptor closed values are still published");
}

static void test_trigger(int fd)
{
	volatile struct pmuctl_trigger *trigger =
		map(fd, info.trigger_size, PROT_READ | PROT_WRITE, MAP_SHARED, PMUCTL_MAP_TRIGGER);
	const volatile struct pmuctl_area *area =
		map(fd, info.area_size, PROT_READ, MAP_SHARED, PMUCTL_MAP_AREA);
	uint64_t before;

	if (trigger == MAP_FAILED || area == MAP_FAILED) {
		tap(false, "trigger page and area can be mapped together");
		return;
	}
	before = area->ring.requested;
	trigger->words[5] = 1;
	usleep(200000);
	tap(!trigger->words[5], "a store into the trigger page is noticed");
	tap(area->ring.requested == before + 1, "and counts as one request");
	tap_errno(munmap((void *)trigger, info.trigger_size), 0, 0, "the trigger page is unmapped");
	munmap((void *)area, info.area_size);
}

int main(void)
{
	int fd = open_device(O_RDONLY), writable = open_device(O_RDWR);
	char *area;

	page = (size_t)sysconf(_SC_PAGESIZE);
	test_making(fd, writable);
	area = map(writable, info.area_size, PROT_READ, MAP_SHARED, PMUCTL_MAP_AREA);
	tap(area != MAP_FAILED && reads(area), "the area can be read");
	if (area == MAP_FAILED)
		return tap_done();
	test_protecting(area, writable);
	test_cutting(area);
	area = test_moving(area);
	tap(use_in_child(area) == -SIGSEGV, "a child does not inherit it");
	test_other_ways(area);
	test_trigger(writable);
	close(fd);
	close(writable);
	test_closed(area);
	tap(!munmap(area, info.area_size), "the whole is unmapped");
	return tap_done();
}
