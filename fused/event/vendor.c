// SPDX-License-Identifier: GPL-2.0-only
/*
 * See vendor.h. libpfm4 brings its own copy of struct perf_event_attr, so that this file must not
 * include the kernel's.
 */
#include "event/vendor.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"

/* libpfm4 keeps its state for the whole process; starting it takes milliseconds. */
static bool vendor_ready(void)
{
	static enum {
		UNTRIED,
		READY,
		FAILED
	} state;

	if (state == UNTRIED) {
		pfm_err_t error = pfm_initialize();

		state = error == PFM_SUCCESS ? READY : FAILED;
		if (state == FAILED)
			log_line(LOG_WARNING, "vendor event names are not to be had: libpfm4: %s",
				 pfm_strerror(error));
	}
	return state == READY;
}

/*
 * libpfm4's own copies of perf's generic, raw and tracepoint names. Those who know them better have
 * been asked before; these take any case of letters and look at the real machine's debugfs.
 */
static bool is_perfs(pfm_pmu_t pmu)
{
	return pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW;
}

static bool found_by_model(int index)
{
	pfm_event_info_t info = { .size = sizeof(info) };

	return pfm_get_event_info(index, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
	       !is_perfs(info.pmu);
}

int vendor_find(const char *name, struct vendor_event *event, struct refusal *why)
{
	_cleanup_(free_p) char *full_name = NULL;
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .fstr = &full_name, .size = sizeof(arg) };
	pfm_err_t error;

	if (!vendor_ready())
		return -ENOENT;
	/* the privilege levels are set by our own modifiers; these are perf's default */
	error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (error == PFM_ERR_NOMEM)
		return -ENOMEM;
	if (error == PFM_ERR_ATTR || error == PFM_ERR_ATTR_VAL || error == PFM_ERR_ATTR_SET ||
	    error == PFM_ERR_FEATCOMB || error == PFM_ERR_UMASK || error == PFM_ERR_TOOMANY)
		return refuse(why, -EINVAL, "'%.128s' is refused by libpfm4: %s", name,
			      pfm_strerror(error));
	if (error != PFM_SUCCESS || !found_by_model(arg.idx))
		return -ENOENT;
	if (attr.sample_period)
		return refuse(why, -EINVAL, "'%.128s' asks for samples: a counter has no period",
			      name);
	*event = (struct vendor_event){
		.type = attr.type,
		.config = { attr.config, attr.config1, attr.config2 },
		.modifiers = { .pinned = attr.pinned,
			       .exclusive = attr.exclusive,
			       .precise = attr.precise_ip },
	};
	if (attr.exclude_user || attr.exclude_kernel) {
		event->modifiers.user = !attr.exclude_user;
		event->modifiers.kernel = !attr.exclude_kernel;
		event->modifiers.hypervisor = !attr.exclude_hv;
	}
	snprintf(event->full_name, sizeof(event->full_name), "%s", full_name ? full_name : name);
	return 0;
}

static void offer_pmu(pfm_pmu_t pmu, struct near *near)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present)
		return;
	for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
			near_offer(near, event.name);
	}
}

void vendor_offer(struct near *near)
{
	if (!vendor_ready())
		return;
	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		if (!is_perfs((pfm_pmu_t)pmu))
			offer_pmu((pfm_pmu_t)pmu, near);
	}
}
