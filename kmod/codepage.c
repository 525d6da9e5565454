// SPDX-License-Identifier: GPL-2.0-only
/* The code page: there are no read functions yet. */
#include <linux/stddef.h>

#include "codepage.h"

int codepage_init(void)
{
	return 0;
}

void codepage_exit(void)
{
}

size_t codepage_size(void)
{
	return 0;
}

void *codepage_address(void)
{
	return NULL;
}
