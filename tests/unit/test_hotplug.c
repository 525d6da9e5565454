// SPDX-License-Identifier: GPL-2.0-only
/* cpu/hotplug.h: uevents of CPUs, out of messages and from the kernel itself. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "cpu/cpus.h"
#include "cpu/hotplug.h"

#define MESSAGE(text) text, sizeof(text)

static void a_cpu_going_on_and_offline_is_understood(void **state)
{
	struct hotplug_event event;

	(void)state;
	assert_true(hotplug_parse(MESSAGE("online@/devices/system/cpu/cpu1\0ACTION=online\0"
					  "DEVPATH=/devices/system/cpu/cpu1\0SUBSYSTEM=cpu"),
				  &event));
	assert_int_equal(event.cpu, 1);
	assert_true(event.online);
	assert_true(hotplug_parse(MESSAGE("offline@/devices/system/cpu/cpu8191\0ACTION=offline"),
				  &event));
	assert_int_equal(event.cpu, 8191);
	assert_false(event.online);
}

static void every_other_message_is_passed_over(void **state)
{
	static const char *const messages[] = {
		"",
		"@",
		"online@",
		"online@/devices/system/cpu/cpu",
		"online@/devices/system/cpu/cpux",
		"online@/devices/system/cpu/cpu1x",
		"online@/devices/system/cpu/cpu1/cache",
		"online@/devices/system/cpu/cpu8192",
		"online@/devices/system/cpu/cpu99999999999999999999",
		"online@/devices/system/memory/memory1",
		"add@/devices/system/cpu/cpu1",
		"change@/devices/system/cpu/cpu1",
		"xonline@/devices/system/cpu/cpu1",
		"ONLINE@/devices/system/cpu/cpu1",
		"libudev",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct hotplug_event event = { .cpu = 77, .online = true };

		if (hotplug_parse(messages[i], strlen(messages[i]) + 1, &event))
			fail_msg("'%s' was taken", messages[i]);
		assert_int_equal(event.cpu, 77);
	}
}

static void a_message_without_its_end_is_no_event(void **state)
{
	static const char message[] = "online@/devices/system/cpu/cpu12";
	struct hotplug_event event;

	(void)state;
	/* cut anywhere, cpu1 for cpu12 included, and whole but without its terminator */
	for (size_t length = 0; length < sizeof(message); length++)
		assert_false(hotplug_parse(message, length, &event));
	assert_true(hotplug_parse(message, sizeof(message), &event));
}

static void nothing_to_be_had_does_not_block(void **state)
{
	struct hotplug_event event;
	int fd = hotplug_open();
	int flags;

	(void)state;
	assert_true(fd >= 0);
	flags = fcntl(fd, F_GETFL);
	assert_true(flags & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* other uevents may come in meanwhile; none of them is a CPU's */
	assert_int_equal(hotplug_next(fd, &event), 0);
	close(fd);
}

static int ask_for_uevent(unsigned int cpu, const char *action)
{
	char path[64];
	ssize_t written;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/uevent", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	written = write(fd, action, strlen(action));
	close(fd);
	return written < 0 ? -errno : 0;
}

/* The kernel sends the very message of a hotplug when it is asked to: no CPU has to go for it. */
static void the_kernels_own_message_arrives(void **state)
{
	struct hotplug_event event = { 0 };
	struct pollfd ready = { .events = POLLIN };
	struct cpus cpus;
	unsigned int cpu;

	(void)state;
	assert_int_equal(cpus_read("", &cpus, NULL), 0);
	cpu = cpu_mask_next(&cpus.online, 0);
	ready.fd = hotplug_open();
	assert_true(ready.fd >= 0);
	/* "online" of a CPU that is online: whoever else listens has nothing to do */
	if (ask_for_uevent(cpu, "online")) {
		print_message(
			"# skip: uevents cannot be asked for here (read-only /sys or not root)\n");
		close(ready.fd);
		skip();
	}
	assert_int_equal(poll(&ready, 1, 5000), 1);
	assert_int_equal(hotplug_next(ready.fd, &event), 1);
	assert_int_equal(event.cpu, cpu);
	assert_true(event.online);
	close(ready.fd);
}

static void lost_messages_are_told(void **state)
{
	struct hotplug_event event;
	int fd = hotplug_open();
	int small = 1, answer;

	(void)state;
	assert_true(fd >= 0);
	/* the kernel makes it the least there can be, a few messages */
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (unsigned int i = 0; i < 50; i++) {
		if (ask_for_uevent(0, "change")) {
			print_message("# skip: uevents cannot be asked for here\n");
			close(fd);
			skip();
		}
	}
	answer = hotplug_next(fd, &event);
	assert_int_equal(answer, -ENOBUFS);
	/* and what is still in the queue can be read on */
	assert_int_equal(hotplug_next(fd, &event), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_going_on_and_offline_is_understood),
		cmocka_unit_test(every_other_message_is_passed_over),
		cmocka_unit_test(a_message_without_its_end_is_no_event),
		cmocka_unit_test(nothing_to_be_had_does_not_block),
		cmocka_unit_test(the_kernels_own_message_arrives),
		cmocka_unit_test(lost_messages_are_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
