/* SPDX-License-Identifier: GPL-2.0-only */
/* Log lines to the journal, with their levels, where standard error is connected to it. */
#ifndef PMUFS_SERVICE_JOURNAL_H
#define PMUFS_SERVICE_JOURNAL_H

/* Makes the journal the place of base/log.h if standard error leads there; else changes nothing. */
void journal_adopt_log(void);

/* The same without looking: for a process that has left its standard error. */
void journal_take_log(void);

#endif
