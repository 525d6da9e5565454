// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code page: the image of read functions that kbuild has made for this architecture, copied to
 * pages that can be mapped.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "codepage.h"

static void *pages;
static size_t pages_size;

#ifdef HAVE_CODE_IMAGE
/* code/embed.S */
extern const char codepage_image[], codepage_image_end[];

int codepage_init(void)
{
	size_t size = codepage_image_end - codepage_image;

	pages = vmalloc_user(PAGE_ALIGN(size));
	if (!pages)
		return -ENOMEM;
	memcpy(pages, codepage_image, size);
	pages_size = PAGE_ALIGN(size);
	area_header()->features |= PMUCTL_FEATURE_CODE;
	return 0;
}
#else
int codepage_init(void)
{
	return 0;
}
#endif

void codepage_exit(void)
{
	vfree(pages);
}

size_t codepage_size(void)
{
	return pages_size;
}

void *codepage_address(void)
{
	return pages;
}
