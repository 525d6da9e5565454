// SPDX-License-Identifier: GPL-2.0-only
/* Other architectures: no register is known; values are published and read by ioctl. */
#include "arch.h"

void arch_init(void)
{
}

void arch_event_attr(struct perf_event_attr *attr)
{
}

u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason)
{
	*reason = PMUCTL_NO_USER_READS;
	return 0;
}
