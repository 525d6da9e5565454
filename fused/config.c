// SPDX-License-Identifier: GPL-2.0-only
/* See config.h. */
#include "config.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"

struct reading {
	struct config *config;
	const char *path;
	FILE *file;
	struct refusal *why;
	int line; /* counted here: Debian's inih hands no line number to its handler */
	int error;
	int error_line;
};

static int set_string(char **to, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

/* One of the words in choices (NULL-terminated): its index, or -EINVAL with the choices named. */
static int choose(const char *key, const char *value, const char *const *choices,
		  struct refusal *why)
{
	char right[128] = "";

	for (int i = 0; choices[i]; i++) {
		if (strcmp(choices[i], value) == 0)
			return i;
		snprintf(right + strlen(right), sizeof(right) - strlen(right), "%s%s",
			 i ? ", " : "", choices[i]);
	}
	return refuse(why, -EINVAL, "%s = %s: not one of %s", key, value, right);
}

/* Lines that go on (and the key said again) add to the list; the first replaces the default. */
static int set_events(struct config *config, const char *value, struct refusal *why)
{
	char *joined;

	if (!*value)
		return refuse(why, -EINVAL, "events is empty: name at least one event");
	if (!config->events_set) {
		config->events_set = true;
		return set_string(&config->events, value);
	}
	if (asprintf(&joined, "%s,%s", config->events, value) < 0)
		return -ENOMEM;
	free(config->events);
	config->events = joined;
	return 0;
}

static int set_access(struct config *config, const char *value, struct refusal *why)
{
	static const char *const choices[] = { "group", "all", NULL };
	int r = choose("access", value, choices, why);

	if (r < 0)
		return r;
	config->access_all = r == 1;
	return 0;
}

static int set_group(struct config *config, const char *value, struct refusal *why)
{
	if (!*value)
		return refuse(why, -EINVAL, "group is empty: name a group");
	return set_string(&config->group, value);
}

static int set_level(struct config *config, const char *value, struct refusal *why)
{
	static const char *const choices[] = { "error", "warning", "notice", "info", "debug", NULL };
	int r = choose("level", value, choices, why);

	if (r < 0)
		return r;
	config->log_level = LOG_ERR + r;
	return 0;
}

static const struct key {
	const char *section, *name;
	int (*set)(struct config *config, const char *value, struct refusal *why);
} keys[] = {
	{ "counters", "events", set_events },
	{ "files", "access", set_access },
	{ "files", "group", set_group },
	{ "log", "level", set_level },
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static int check_section(const char *section, struct refusal *why)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcmp(keys[i].section, section) == 0)
			return 0;
	}
	if (!*section)
		return refuse(why, -EINVAL, "a key before the first [section]");
	return refuse(why, -EINVAL, "[%s] is no section: counters, files or log", section);
}

static int set_key(struct config *config, const char *section, const char *name, const char *value,
		   struct refusal *why)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return keys[i].set(config, value, why);
	}
	if (check_section(section, why))
		return -EINVAL;
	return refuse(why, -EINVAL, "'%s' is no key of [%s]: see pmufs.conf(5)", name, section);
}

/* Remembers the first fault; a line is told by its number. */
static void fault(struct reading *reading, int error, const char *what)
{
	if (reading->error)
		return;
	reading->error = error;
	reading->error_line = reading->line;
	refuse(reading->why, error, "%s:%d: %s", reading->path, reading->line, what);
}

/* inih: 1 goes on, 0 remembers this line as the first that failed (and still goes on). */
static int on_key(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;
	struct refusal why = { "" };
	int r;

	if (reading->error)
		return 0;
	r = set_key(reading->config, section, name, value, &why);
	if (r)
		fault(reading, r, why.message[0] ? why.message : strerror(-r));
	return r == 0;
}

/* inih tells of sections by their keys alone; one without any is to be known too. */
static void check_heading(struct reading *reading, const char *line)
{
	size_t length = strcspn(line, "]");
	struct refusal why = { "" };
	char section[64];

	if (line[0] != '[' || line[length] != ']')
		return;
	snprintf(section, sizeof(section), "%.*s", (int)length - 1, line + 1);
	if (check_section(section, &why))
		fault(reading, -EINVAL, why.message);
}

/* fgets that counts, and ends the reading at a line that it would have to cut. */
static char *read_counted_line(char *line, int size, void *stream)
{
	struct reading *reading = stream;
	char too_long[80];
	int c, length = 0;

	reading->line++;
	while ((c = getc(reading->file)) != EOF) {
		if (c == '\0') {
			fault(reading, -EINVAL, "a NUL byte is in this line");
			return NULL;
		}
		if (length == size - 1) {
			snprintf(too_long, sizeof(too_long),
				 "longer than %d characters: indent the rest on a line of its own",
				 size - 2);
			fault(reading, -EINVAL, too_long);
			return NULL;
		}
		line[length++] = (char)c;
		if (c == '\n')
			break;
	}
	line[length] = '\0';
	check_heading(reading, line);
	return length ? line : NULL;
}

static int read_file(struct reading *reading)
{
	int r = ini_parse_stream(read_counted_line, reading, on_key, reading);

	if (ferror(reading->file))
		return refuse(reading->why, -EIO, "%s: cannot be read", reading->path);
	/* a line that inih itself does not understand may stand before the one that we refused */
	if (reading->error && (r <= 0 || reading->error_line <= r))
		return reading->error;
	if (r > 0)
		return refuse(reading->why, -EINVAL, "%s:%d: neither [section] nor key = value",
			      reading->path, r);
	return r ? refuse(reading->why, -ENOMEM, "%s: out of memory", reading->path) : 0;
}

int config_read(struct config *config, const char *path, bool must_exist, struct refusal *why)
{
	_cleanup_(fclose_p) FILE *file = fopen(path, "re");
	struct reading reading = { .config = config, .path = path, .file = file, .why = why };

	if (file)
		return read_file(&reading);
	if (errno == ENOENT && !must_exist)
		return 0;
	return refuse(why, -errno, "%s: %s", path, strerror(errno));
}

int config_init(struct config *config)
{
	*config = (struct config){
		.events = strdup(CONFIG_DEFAULT_EVENTS),
		.group = strdup("pmu"),
		.log_level = LOG_INFO,
	};
	if (config->events && config->group)
		return 0;
	config_free(config);
	return -ENOMEM;
}

void config_free(struct config *config)
{
	free(config->events);
	free(config->group);
	config->events = config->group = NULL;
}
