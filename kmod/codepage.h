/* SPDX-License-Identifier: GPL-2.0-only */
/* The read functions that programs map. */
#ifndef PMUCTL_CODEPAGE_H
#define PMUCTL_CODEPAGE_H

#include <linux/types.h>

/**
 * codepage_init() - put the functions for this CPU into pages that can be mapped
 *
 * Return: 0 or -ENOMEM. An architecture without them is no error: codepage_size() is 0 then.
 */
int codepage_init(void);

/** codepage_exit() - free the pages; nobody has them mapped */
void codepage_exit(void);

/** codepage_size() - size of the pages in bytes, 0: there is none */
size_t codepage_size(void);

/** codepage_address() - the pages, from vmalloc_user(); from codepage_init() to codepage_exit() */
void *codepage_address(void);

#endif /* PMUCTL_CODEPAGE_H */
