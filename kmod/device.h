/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/pmuctl: open, mmap, ioctl, poll. */
#ifndef PMUCTL_DEVICE_H
#define PMUCTL_DEVICE_H

/**
 * device_init() - register the device; from here on programs come in
 *
 * Return: 0, -EEXIST: there is a device of that name, or another negative errno.
 */
int device_init(void);

/** device_exit() - take it away; no file of it is open */
void device_exit(void);

#endif /* PMUCTL_DEVICE_H */
