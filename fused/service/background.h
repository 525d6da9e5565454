/* SPDX-License-Identifier: GPL-2.0-only */
/* Going to the background only once the work is known to go well. */
#ifndef PMUFS_SERVICE_BACKGROUND_H
#define PMUFS_SERVICE_BACKGROUND_H

/*
 * Opens /dev/null for each standard descriptor that the caller has closed. Otherwise a counter or the FUSE
 * descriptor would get its number, and log lines would go there. 0 or a negative errno.
 */
int standard_descriptors_open(void);

/*
 * Forks. In the child: returns a descriptor for background_done. The parent waits and exits with what
 * the child says, or with 1 when the child dies before it says anything. Negative errno when it cannot
 * fork.
 */
int background_start(void);

/*
 * Lets the waiting parent exit with this status. With 0 the process also leaves its terminal,
 * directory and standard descriptors. fd -1 (foreground): nothing happens.
 */
void background_done(int fd, int status);

#endif
