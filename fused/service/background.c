// SPDX-License-Identifier: GPL-2.0-only
/* See background.h. */
#include "service/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int standard_descriptors_open(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		/* open(2) gives the lowest number that is free: this one */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -errno;
	}
	return 0;
}

static void __attribute__((noreturn)) parent_wait(int fd)
{
	unsigned char status;
	ssize_t n;

	do {
		n = read(fd, &status, 1);
	} while (n < 0 && errno == EINTR);
	_exit(n == 1 ? status : EXIT_FAILURE);
}

int background_start(void)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int error = errno;

		close(fds[0]);
		close(fds[1]);
		return -error;
	}
	if (pid > 0) {
		close(fds[1]);
		parent_wait(fds[0]);
	}
	close(fds[0]);
	setsid();
	return fds[1];
}

/* Standard descriptors to /dev/null, so that a terminal or a pipe of the caller's is not held open. */
static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close(null);
}

void background_done(int fd, int status)
{
	unsigned char byte = (unsigned char)status;

	if (fd < 0)
		return;
	if (status == 0) {
		leave_terminal();
		if (chdir("/")) {
			/* stays where it is: then that file system cannot be unmounted, nothing worse */
		}
	}
	while (write(fd, &byte, 1) < 0 && errno == EINTR)
		;
	close(fd);
}
