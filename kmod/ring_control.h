/* SPDX-License-Identifier: GPL-2.0-only */
/* The flight recorder's state as its owner publishes it, and requests for snapshots. */
#ifndef PMUCTL_RING_CONTROL_H
#define PMUCTL_RING_CONTROL_H

#include <linux/fs.h>
#include <linux/poll.h>

#include "uapi/pmuctl.h"

/**
 * ring_init() - allocate the trigger page
 *
 * Return: 0 or -ENOMEM.
 */
int ring_init(void);

/** ring_exit() - free it; no file is open and no timer runs */
void ring_exit(void);

/**
 * ring_publish() - the owner publishes its state
 * @file: becomes the owner's
 * @state: what it publishes; gets the number of the last request
 *
 * Return: 0, -EBUSY: another file is the owner's, -EINVAL: values that cannot be.
 */
int ring_publish(struct file *file, struct pmuctl_ring_publish *state);

/**
 * ring_request() - ask for a snapshot and, if told to, wait for it
 * @request: from user space; gets the number of the request
 *
 * Return: 0, -ENXIO: no owner, -ETIMEDOUT, -EINTR.
 */
int ring_request(struct pmuctl_snapshot *request);

/** ring_poll() - poll(2): readable for the owner while requests are unhandled */
__poll_t ring_poll(struct file *file, poll_table *wait);

/** ring_release() - a file was closed: if it was the owner's, there is none any more */
void ring_release(struct file *file);

/** ring_look_at_triggers() - from the timers: whether somebody asked by the trigger page */
void ring_look_at_triggers(void);

/** ring_trigger_size() - size of the trigger page in bytes */
size_t ring_trigger_size(void);

/** ring_trigger() - the trigger page, from vmalloc_user(); from ring_init() to ring_exit() */
void *ring_trigger(void);

#endif /* PMUCTL_RING_CONTROL_H */
