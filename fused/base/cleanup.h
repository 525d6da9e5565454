/* SPDX-License-Identifier: GPL-2.0-only */
/* Scope-bound release of resources: `_cleanup_(free_p) char *text = NULL;` */
#ifndef PMUFS_BASE_CLEANUP_H
#define PMUFS_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void free_p(void *p)
{
	free(*(void **)p);
}

static inline void close_p(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclose_p(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void closedir_p(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#endif
