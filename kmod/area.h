/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared area: its layout and memory, and writing what readers on other CPUs check by a
 * sequence.
 */
#ifndef PMUCTL_AREA_H
#define PMUCTL_AREA_H

#include <linux/types.h>

#include "uapi/pmuctl.h"

/**
 * area_init() - allocate the shared area and fill in its header
 * @period: of the publishing timer, in ns; 0: off
 *
 * Return: 0 or -ENOMEM.
 */
int area_init(u64 period);

/**
 * area_exit() - free the area
 *
 * Nobody has it mapped any more: each mapping holds the module.
 */
void area_exit(void);

/**
 * area_header() - the header of the area
 *
 * Return: the start of the area, from vmalloc_user(). Valid from area_init() to area_exit(), as
 * what the next three return.
 */
struct pmuctl_area *area_header(void);

/** area_event() - the entry of event number @event in the event table */
struct pmuctl_event *area_event(unsigned int event);

/** area_cpu() - the block of CPU @cpu, one of the possible */
struct pmuctl_cpu *area_cpu(unsigned int cpu);

/** area_slot() - the slot of event number @event on CPU @cpu */
struct pmuctl_slot *area_slot(unsigned int cpu, unsigned int event);

/**
 * area_write_begin() - before members that a sequence guards are changed
 * @sequence: of those members; writers exclude each other by other means
 */
void area_write_begin(u32 *sequence);

/**
 * area_write_end() - after they were changed
 * @sequence: as before
 */
void area_write_end(u32 *sequence);

#endif /* PMUCTL_AREA_H */
