// SPDX-License-Identifier: GPL-2.0-only
/* pmufs: starts the parts in order, ties them together, and stops them in the reverse order. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "config.h"
#include "control/control.h"
#include "counter/counters.h"
#include "cpu/hotplug.h"
#include "event/resolve.h"
#include "fs/fs.h"
#include "fs/mount.h"
#include "options.h"
#include "service/background.h"
#include "service/journal.h"
#include "service/service.h"
#include "tree/nodes.h"

/* sysfs and procfs of the machine one runs on */
#define REAL_ROOT ""

struct daemon {
	struct options options;
	struct config config;
	struct cpus cpus;
	struct pmus pmus;
	struct event_resolver *resolver;
	struct counter_source *source;
	struct counters *counters;
	struct control control;
	struct status status;
	char readers[128];
	struct nodes nodes;
	struct tree tree;
	struct fs *fs;
	struct service *service;
	int hotplug;
	int background;
};

/* Says what went wrong, where the person who started the daemon looks; returns the exit status. */
static int fail(const struct refusal *why, int error)
{
	log_line(LOG_ERR, "%s", why->message[0] ? why->message : strerror(-error));
	return error == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

static int read_config(struct daemon *d, struct refusal *why)
{
	int r = config_init(&d->config);

	if (r)
		return r;
	r = config_read(&d->config, d->options.config ? d->options.config : CONFIG_DEFAULT_PATH,
			d->options.config != NULL, why);
	if (r)
		return refuse(why, -EINVAL, "%s", why->message);
	log_set_level(d->config.log_level);
	return 0;
}

/* Counters. */

static void event_refused(void *context, int error, const char *message)
{
	(void)context;
	(void)error;
	log_line(LOG_WARNING, "%s", message);
}

static bool list_is_empty(const char *list)
{
	const char *end = list + strlen(list), *word;
	size_t length;

	return event_list_next(&list, end, &word, &length) != 0;
}

/*
 * The first events. One that this machine does not know costs itself alone when a configuration
 * that is shared by many machines names it; on the command line it is a slip of the fingers.
 */
static int add_first_events(struct daemon *d, struct refusal *why)
{
	const char *named = d->options.events;
	const char *list = named ? named : d->config.events;
	int r;

	if (list_is_empty(list))
		return refuse(why, -EINVAL, "the list of events is empty: name at least one");
	r = counters_add(d->counters, list, strlen(list), named ? NULL : event_refused, NULL, why);
	if (named && (r == -ENOENT || r == -EEXIST || r == -E2BIG))
		return -EINVAL;
	return r;
}

static int start_counters(struct daemon *d, struct refusal *why)
{
	int r;

	/* before the CPUs are read: what happens to them from here on waits in it */
	d->hotplug = hotplug_open();
	if (d->hotplug < 0)
		log_errno(LOG_WARNING, d->hotplug, "CPUs that come and go will not be noticed");
	r = cpus_read(REAL_ROOT, &d->cpus, why);
	if (!r)
		r = pmus_read(REAL_ROOT, &d->cpus, &d->pmus, why);
	if (!r)
		r = event_resolver_new(REAL_ROOT, &d->pmus, &d->resolver);
	if (!r)
		r = source_perf_new(&d->source);
	if (!r)
		r = counters_new(&d->cpus, d->resolver, d->source, &d->counters);
	if (r) /* what the kernel calls invalid was not said by the person who started us */
		return r == -EINVAL ? -EIO : r;
	return add_first_events(d, why);
}

/*
 * systemd throws a message of more than 4096 bytes away, readiness and all. Names are cut long before
 * that: it is one line of `systemctl status`.
 */
#define COUNTING_MAX 1024

/* Tells the service manager which events are counted, by one of service.h's messages. */
static void notify_counting(const struct daemon *d, void (*notify)(const char *status))
{
	struct text text = { 0 };

	text_add_format(
		&text, "counting on %u CPUs:", cpu_mask_count(&counters_cpus(d->counters)->online));
	for (const struct counter_event *event = counters_next(d->counters, 0); event;
	     event = counters_next(d->counters, event->id)) {
		if (text.length + strlen(event->name) > COUNTING_MAX) {
			text_add_string(&text, " …");
			break;
		}
		text_add_char(&text, ' ');
		text_add_string(&text, event->name);
	}
	text_add_char(&text, '\0');
	notify(text_error(&text) ? "counting" : text.data);
	text_free(&text);
}

/* What comes and goes. */

static int settle(void *context)
{
	struct daemon *d = context;

	counters_settle(d->counters);
	return 0;
}

static void settle_soon(struct daemon *d)
{
	int r = service_call_later(d->service, COUNTER_SETTLE_MS, settle, d);

	if (r)
		log_errno(LOG_WARNING, r, "setting a timer");
}

static void event_changed(void *context, uint32_t event, bool removed)
{
	struct daemon *d = context;

	notify_counting(d, service_notify_status);
	if (!removed) {
		settle_soon(d);
		return;
	}
	cpu_mask_for_each(cpu, &counters_cpus(d->counters)->online)
		fs_invalidate(d->fs, (struct node){ KIND_CPU_EVENT, cpu, event });
	fs_invalidate(d->fs, (struct node){ .kind = KIND_ALL_EVENT, .event = event });
}

static void invalidate_cpu(struct daemon *d, unsigned int cpu)
{
	fs_invalidate(d->fs, (struct node){ .kind = KIND_CPU, .cpu = cpu });
	fs_invalidate(d->fs, (struct node){ .kind = KIND_CPU_STAT, .cpu = cpu });
	fs_invalidate(d->fs, (struct node){ .kind = KIND_CPU_ENABLE, .cpu = cpu });
	for (const struct counter_event *event = counters_next(d->counters, 0); event;
	     event = counters_next(d->counters, event->id))
		fs_invalidate(d->fs, (struct node){ KIND_CPU_EVENT, cpu, event->id });
}

/*
 * Opens the counters of these CPUs anew, those that are online now. A message says that something
 * happened to a CPU, not how it stands by now: it may have gone and come back since, and then its
 * counters are dead though it is online.
 */
static void renew_cpus(struct daemon *d, const struct cpu_mask *touched)
{
	struct refusal why = { 0 };
	struct cpus now;
	int r;

	cpu_mask_for_each(cpu, touched) counters_cpu_offline(d->counters, cpu);
	r = cpus_read(REAL_ROOT, &now, &why);
	if (r)
		log_errno(LOG_ERR, r, "reading the CPUs again (%s)", why.message);
	else
		pmus_refresh(&d->pmus, &now);
	cpu_mask_for_each(cpu, touched)
	{
		bool online = !r && cpu_mask_has(&now.online, cpu);
		int error = online ? counters_cpu_online(d->counters, cpu) : 0;

		log_line(LOG_INFO, "cpu%u is %s", cpu, online ? "online" : "offline");
		if (error)
			log_errno(LOG_ERR, error, "counting on cpu%u", cpu);
		invalidate_cpu(d, cpu);
	}
	notify_counting(d, service_notify_status);
	settle_soon(d);
}

static int serve_hotplug(void *context)
{
	struct daemon *d = context;
	struct cpu_mask touched = { 0 };
	struct hotplug_event event;
	int r;

	while ((r = hotplug_next(d->hotplug, &event)) == 1)
		cpu_mask_set(&touched, event.cpu, true);
	if (r == -ENOBUFS) /* messages were lost: any CPU may have been touched */
		touched = counters_cpus(d->counters)->possible;
	else if (r < 0)
		return r;
	if (cpu_mask_count(&touched))
		renew_cpus(d, &touched);
	return 0;
}

static int serve_fs(void *context)
{
	struct daemon *d = context;

	return fs_serve(d->fs);
}

/* Readiness. */

/* In a child: does the tree answer? The stat and the read go through the kernel and come to us. */
static int probe_mount(void *context)
{
	const struct daemon *d = context;
	_cleanup_(free_p) char *path = NULL;
	_cleanup_(close_p) int fd = -1;
	struct stat st;
	char byte;

	if (asprintf(&path, "%s/version", fs_path(d->fs)) < 0)
		return -ENOMEM;
	if (stat(path, &st))
		return -errno;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? 0 : -errno; /* it answered: this user may not read */
	return read(fd, &byte, 1) == 1 ? 0 : -EIO;
}

static void mount_probed(void *context, int result)
{
	struct daemon *d = context;

	if (result) {
		log_errno(LOG_ERR, result, "%s does not answer", fs_path(d->fs));
		service_exit(d->service, result);
		return;
	}
	log_line(LOG_INFO, "ready on %s", fs_path(d->fs));
	notify_counting(d, service_notify_ready);
	if (d->background < 0)
		return;
	background_done(d->background, EXIT_SUCCESS);
	d->background = -1;
	journal_take_log();
}

/* The tree. */

/*
 * Who reads: for a daemon that may mount for everybody the files are root's and the group's; a
 * person without that right has the mount for themself.
 */
static void set_owners(struct daemon *d, bool for_all)
{
	const struct group *group = for_all ? getgrnam(d->config.group) : NULL;

	d->tree.owner = for_all ? 0 : geteuid();
	d->tree.group = for_all ? (group ? group->gr_gid : 0) : getegid();
	d->tree.open_to_all = for_all && d->config.access_all;
	if (d->tree.open_to_all)
		snprintf(d->readers, sizeof(d->readers), "everybody (access = all)");
	else if (group)
		snprintf(d->readers, sizeof(d->readers), "root and group %s", d->config.group);
	else if (for_all)
		snprintf(d->readers, sizeof(d->readers), "root (there is no group %s)",
			 d->config.group);
	else
		snprintf(d->readers, sizeof(d->readers), "the user who mounted it");
}

static int mount_tree(struct daemon *d, struct refusal *why)
{
	bool for_all = mount_privileged();
	const struct fs_config config = {
		.mount_point = d->options.mount_point,
		.options = d->options.mount_options,
		.for_all_users = for_all,
	};

	d->control = (struct control){ d->counters, event_changed, d, { "" } };
	d->status = (struct status){ REAL_ROOT, d->counters, &d->pmus, d->source, d->readers };
	d->nodes = (struct nodes){ d->counters, &d->control, &d->status, NULL, 0 };
	d->tree = (struct tree){ .kinds = node_kinds,
				 .kind_count = KIND_COUNT,
				 .context = &d->nodes };
	set_owners(d, for_all);
	clock_gettime(CLOCK_REALTIME, &d->tree.made);
	return fs_mount(&config, &d->tree, &d->control, &d->fs, why);
}

static int start_service(struct daemon *d)
{
	int r = service_watch(d->service, fs_descriptor(d->fs), serve_fs, d);

	if (r)
		return r;
	settle_soon(d);
	if (d->hotplug >= 0)
		r = service_watch(d->service, d->hotplug, serve_hotplug, d);
	return r ? r : service_run_child(d->service, probe_mount, mount_probed, d);
}

static void stop(struct daemon *d)
{
	service_notify_stopping();
	fs_unmount(d->fs);
	service_free(d->service);
	if (d->hotplug >= 0)
		close(d->hotplug);
	nodes_release(&d->nodes);
	counters_free(d->counters);
	if (d->source)
		d->source->ops->free(d->source);
	event_resolver_free(d->resolver);
	pmus_free(&d->pmus);
	config_free(&d->config);
	options_free(&d->options);
}

static int run(struct daemon *d)
{
	struct refusal why = { 0 };
	int r = read_config(d, &why);

	if (!r && !d->options.foreground) {
		d->background = background_start();
		r = d->background < 0 ? d->background : 0;
	}
	if (!r)
		r = start_counters(d, &why);
	/* from here on signals wait for the event loop, so that none leaves a dead mount behind */
	if (!r)
		r = service_new(&d->service);
	if (!r)
		r = mount_tree(d, &why);
	if (r)
		return fail(&why, r);
	r = start_service(d);
	if (!r)
		r = service_run(d->service);
	if (r)
		log_errno(LOG_ERR, r, "stopped");
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct daemon daemon = { .hotplug = -1, .background = -1 };
	int status;

	if (standard_descriptors_open())
		return EXIT_FAILURE; /* there is nowhere to say why */
	if (options_parse(argc, argv, &daemon.options, &status) == 0) {
		journal_adopt_log();
		status = run(&daemon);
		background_done(daemon.background, status);
	}
	stop(&daemon);
	return status;
}
