// SPDX-License-Identifier: GPL-2.0-only
/* See cpus.h. */
#include "cpu/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cpu/sysfs.h"

void cpu_mask_set(struct cpu_mask *mask, unsigned int cpu, bool on)
{
	uint64_t bit = 1ULL << (cpu % 64);

	if (cpu >= CPUS_MAX)
		return;
	if (on)
		mask->bits[cpu / 64] |= bit;
	else
		mask->bits[cpu / 64] &= ~bit;
}

unsigned int cpu_mask_count(const struct cpu_mask *mask)
{
	unsigned int count = 0;

	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		count += (unsigned int)__builtin_popcountll(mask->bits[i]);
	return count;
}

unsigned int cpu_mask_next(const struct cpu_mask *mask, unsigned int from)
{
	while (from < CPUS_MAX) {
		uint64_t rest = mask->bits[from / 64] >> (from % 64);

		if (rest)
			return from + (unsigned int)__builtin_ctzll(rest);
		from = (from / 64 + 1) * 64;
	}
	return CPUS_MAX;
}

bool cpu_mask_within(const struct cpu_mask *mask, const struct cpu_mask *limit)
{
	for (size_t i = 0; i < CPUS_MAX / 64; i++) {
		if (mask->bits[i] & ~limit->bits[i])
			return false;
	}
	return true;
}

/* A decimal CPU number below CPUS_MAX; moves *text behind it. */
static bool parse_cpu(const char **text, unsigned int *cpu)
{
	unsigned int number = 0;

	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); ++*text) {
		number = number * 10 + (unsigned int)(**text - '0');
		if (number >= CPUS_MAX)
			return false;
	}
	*cpu = number;
	return true;
}

/* "3" or "0-3"; the kernel writes no strides ("0-7:1/2") in these files. */
static bool parse_range(const char **text, struct cpu_mask *mask)
{
	unsigned int first, last;

	if (!parse_cpu(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		++*text;
		if (!parse_cpu(text, &last) || last < first)
			return false;
	}
	for (unsigned int cpu = first; cpu <= last; cpu++)
		cpu_mask_set(mask, cpu, true);
	return true;
}

int cpu_list_parse(const char *text, struct cpu_mask *mask)
{
	struct cpu_mask parsed = { 0 };

	if (*text && *text != '\n') {
		do {
			if (!parse_range(&text, &parsed))
				return -EINVAL;
		} while (*text == ',' && *++text);
		/* a list that ends in a comma has lost its rest */
		if (text[-1] == ',')
			return -EINVAL;
	}
	if (*text == '\n')
		text++;
	if (*text)
		return -EINVAL;
	*mask = parsed;
	return 0;
}

int cpu_list_format(const struct cpu_mask *mask, char *out, size_t size)
{
	size_t used = 0;

	if (!size)
		return -ENOSPC;
	out[0] = '\0';
	for (unsigned int first = cpu_mask_next(mask, 0); first < CPUS_MAX;) {
		unsigned int last = first;
		int n;

		while (cpu_mask_has(mask, last + 1))
			last++;
		if (first == last)
			n = snprintf(out + used, size - used, "%s%u", used ? "," : "", first);
		else
			n = snprintf(out + used, size - used, "%s%u-%u", used ? "," : "", first,
				     last);
		if (n < 0 || (size_t)n >= size - used) {
			out[used] = '\0';
			return -ENOSPC;
		}
		used += (size_t)n;
		first = cpu_mask_next(mask, last + 1);
	}
	return 0;
}

int cpu_list_read(const char *path, struct cpu_mask *mask, struct refusal *why)
{
	_cleanup_(free_p) char *line = malloc(CPU_LIST_MAX);
	int error;

	if (!line)
		return -ENOMEM;
	error = sysfs_read_line(line, CPU_LIST_MAX, path);
	if (error == -EINVAL)
		return refuse(why, error, "%s is truncated or longer than a list of %d CPUs", path,
			      CPUS_MAX);
	if (error)
		return refuse(why, error, "%s cannot be read: %s", path, strerror(-error));
	error = cpu_list_parse(line, mask);
	if (error)
		return refuse(why, error, "%s is no list of CPUs below %d such as 0-3,8: '%.64s'",
			      path, CPUS_MAX, line);
	return 0;
}

static int read_mask(const char *root, const char *file, struct cpu_mask *mask, struct refusal *why)
{
	char path[PATH_MAX];

	if (sysfs_path(path, sizeof(path), "%s/sys/devices/system/cpu/%s", root, file))
		return refuse(why, -ENAMETOOLONG, "root directory name is too long");
	return cpu_list_read(path, mask, why);
}

int cpus_read(const char *root, struct cpus *cpus, struct refusal *why)
{
	struct cpus now;
	int error;

	error = read_mask(root, "possible", &now.possible, why);
	if (!error)
		error = read_mask(root, "online", &now.online, why);
	if (error)
		return error;
	if (!cpu_mask_count(&now.online))
		return refuse(why, -EINVAL, "%s/sys/devices/system/cpu/online names no CPU", root);
	if (!cpu_mask_within(&now.online, &now.possible))
		return refuse(why, -EINVAL,
			      "%s/sys/devices/system/cpu: a CPU is online that is not possible",
			      root);
	*cpus = now;
	return 0;
}
