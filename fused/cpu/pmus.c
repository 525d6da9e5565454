// SPDX-License-Identifier: GPL-2.0-only
/* See pmus.h. */
#include "cpu/pmus.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cpu/sysfs.h"

/* Core PMUs that can be told neither by a `cpus` file nor by their type. */
static const char *const core_names[] = {
	"cpum_cf", /* s390 since Linux 5.14; before, its type was PERF_TYPE_RAW */
};

static bool core_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(core_names) / sizeof(core_names[0]); i++) {
		if (!strcmp(core_names[i], name))
			return true;
	}
	return false;
}

static int read_type(struct pmu *pmu, struct refusal *why)
{
	char path[PATH_MAX], line[32];
	uint64_t type;
	int error;

	error = sysfs_path(path, sizeof(path), "%s/type", pmu->directory);
	if (error)
		return refuse(why, error, "%s: path too long", pmu->directory);
	error = sysfs_read_line(line, sizeof(line), path);
	if (error)
		return refuse(why, error, "%s cannot be read: %s", path, strerror(-error));
	if (number_parse(line, &type) || type > UINT32_MAX)
		return refuse(why, -EINVAL, "%s is no PMU type: '%s'", path, line);
	pmu->type = (uint32_t)type;
	return 0;
}

/* The mask in one of the PMU's files, without CPUs that this machine cannot have. */
static int read_cpus(const struct pmu *pmu, const char *file, const struct cpus *cpus,
		     struct cpu_mask *mask, struct refusal *why)
{
	char path[PATH_MAX];
	int error = sysfs_path(path, sizeof(path), "%s/%s", pmu->directory, file);

	if (!error)
		error = cpu_list_read(path, mask, why);
	if (error)
		return error;
	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		mask->bits[i] &= cpus->possible.bits[i];
	return 0;
}

static int read_class(struct pmu *pmu, const struct cpus *cpus, struct refusal *why)
{
	static const struct {
		const char *file;
		enum pmu_class class;
	} masks[] = { { "cpus", PMU_CORE }, { "cpumask", PMU_UNCORE } };

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		int error = read_cpus(pmu, masks[i].file, cpus, &pmu->cpus, why);

		if (error == -ENOENT)
			continue;
		pmu->class = masks[i].class;
		return error;
	}
	pmu->cpus = cpus->possible;
	pmu->class = pmu->type == PERF_TYPE_RAW || core_by_name(pmu->name) ? PMU_CORE
									   : PMU_SOFTWARE;
	return 0;
}

static void pmu_clear(struct pmu *pmu)
{
	free(pmu->name);
	free(pmu->directory);
	*pmu = (struct pmu){ 0 };
}

struct reading {
	const char *bus;
	const struct cpus *cpus;
	struct pmus *pmus;
};

static int read_pmu(void *context, const char *name)
{
	struct reading *reading = context;
	struct pmus *pmus = reading->pmus;
	struct pmu *list, pmu = { 0 };
	struct refusal why = { 0 };
	int error;

	list = realloc(pmus->list, (pmus->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	pmus->list = list;
	pmu.name = strdup(name);
	if (!pmu.name || asprintf(&pmu.directory, "%s/%s", reading->bus, name) < 0) {
		free(pmu.name);
		return -ENOMEM;
	}
	error = read_type(&pmu, &why);
	if (!error)
		error = read_class(&pmu, reading->cpus, &why);
	if (error) {
		log_line(LOG_WARNING, "PMU %s is left out: %s", name, why.message);
		pmu_clear(&pmu);
		return 0;
	}
	list[pmus->count++] = pmu;
	return 0;
}

static int by_class_and_name(const void *a, const void *b)
{
	const struct pmu *first = a, *second = b;
	bool first_core = first->class == PMU_CORE, second_core = second->class == PMU_CORE;

	if (first_core != second_core)
		return first_core ? -1 : 1;
	return strcmp(first->name, second->name);
}

int pmus_read(const char *root, const struct cpus *cpus, struct pmus *pmus, struct refusal *why)
{
	char bus[PATH_MAX];
	struct pmus now = { 0 };
	struct reading reading = { .bus = bus, .cpus = cpus, .pmus = &now };
	int error;

	if (sysfs_path(bus, sizeof(bus), "%s/sys/bus/event_source/devices", root))
		return refuse(why, -ENAMETOOLONG, "root directory name is too long");
	error = sysfs_each(bus, read_pmu, &reading);
	if (error) {
		pmus_free(&now);
		return refuse(why, error, "%s cannot be read: %s%s", bus, strerror(-error),
			      error == -ENOENT ? " (this kernel has no perf events)" : "");
	}
	if (now.count)
		qsort(now.list, now.count, sizeof(now.list[0]), by_class_and_name);
	*pmus = now;
	return 0;
}

void pmus_free(struct pmus *pmus)
{
	for (size_t i = 0; i < pmus->count; i++)
		pmu_clear(&pmus->list[i]);
	free(pmus->list);
	*pmus = (struct pmus){ 0 };
}

void pmus_refresh(struct pmus *pmus, const struct cpus *cpus)
{
	for (size_t i = 0; i < pmus->count; i++) {
		struct pmu *pmu = &pmus->list[i];
		struct refusal why = { 0 };
		struct cpu_mask mask;
		int error;

		error = read_cpus(pmu, pmu->class == PMU_UNCORE ? "cpumask" : "cpus", cpus, &mask,
				  &why);
		if (!error)
			pmu->cpus = mask;
		else if (error != -ENOENT || pmu->class == PMU_UNCORE)
			log_line(LOG_WARNING, "PMU %s: %s", pmu->name, why.message);
	}
}

const struct pmu *pmus_find(const struct pmus *pmus, const char *name)
{
	for (size_t i = 0; i < pmus->count; i++) {
		if (!strcmp(pmus->list[i].name, name))
			return &pmus->list[i];
	}
	return NULL;
}

const struct pmu *pmus_find_type(const struct pmus *pmus, uint32_t type)
{
	for (size_t i = 0; i < pmus->count; i++) {
		if (pmus->list[i].type == type)
			return &pmus->list[i];
	}
	return NULL;
}

const struct pmu *pmus_core(const struct pmus *pmus, unsigned int cpu)
{
	for (size_t i = 0; i < pmus->count && pmus->list[i].class == PMU_CORE; i++) {
		if (cpu_mask_has(&pmus->list[i].cpus, cpu))
			return &pmus->list[i];
	}
	return NULL;
}

bool pmus_hybrid(const struct pmus *pmus)
{
	return pmus->count > 1 && pmus->list[1].class == PMU_CORE;
}
