// SPDX-License-Identifier: GPL-2.0-only
/* See control.h. */
#include "control/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Keeps why a write into `file` was refused for last_error; returns error. */
static int control_refused(struct control *control, const char *file, const struct refusal *why,
			   int error)
{
	return refuse(&control->last, error, "%s: %s", file,
		      why->message[0] ? why->message : strerror(-error));
}

int control_check_write(struct control *control, size_t length, long long offset,
			long long expected)
{
	if (offset != 0 && offset != expected)
		return refuse(&control->last, -EINVAL,
			      "write at offset %lld: a write is one whole change and begins at 0",
			      offset);
	if (length > CONTROL_WRITE_MAX)
		return refuse(&control->last, -EFBIG,
			      "write of %zu bytes: %d are the most that one change may have",
			      length, CONTROL_WRITE_MAX);
	return 0;
}

int control_write_events(struct control *control, const char *data, size_t length)
{
	struct refusal why = { 0 };
	int r = counters_change(control->counters, data, length, control->changed, control->context,
				&why);

	return r ? control_refused(control, "events", &why, r) : 0;
}

int control_write_enable(struct control *control, unsigned int cpu, const char *data, size_t length)
{
	struct refusal why = { 0 };
	char file[32];
	int r;

	snprintf(file, sizeof(file), "cpu%u/enable", cpu);
	if (length > 1 && data[length - 1] == '\n')
		length--;
	if (length != 1 || (data[0] != '0' && data[0] != '1')) {
		r = refuse(&why, -EINVAL, "'%.*s' is not 0 or 1", (int)(length < 32 ? length : 32),
			   data);
		return control_refused(control, file, &why, r);
	}
	r = counters_cpu_enable(control->counters, cpu, data[0] == '1');
	return r ? control_refused(control, file, &why, r) : 0;
}

void control_read_last_error(const struct control *control, struct text *text)
{
	if (!control->last.message[0])
		return;
	text_add_string(text, control->last.message);
	text_add_char(text, '\n');
}
