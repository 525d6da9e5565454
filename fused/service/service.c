// SPDX-License-Identifier: GPL-2.0-only
/* See service.h. */
#include "service/service.h"

#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "base/log.h"

/* More descriptors than are watched here (FUSE, hotplug) are a fault of the program. */
#define WATCHES_MAX 8

struct watch {
	service_callback *serve;
	void *context;
};

struct service {
	sd_event *event;
	struct watch watches[WATCHES_MAX];
	size_t watch_count;
	sd_event_source *timer; /* made when it is first wanted, then used again */
	struct watch later;
	service_done *child_done;
	void *child_context;
};

static int add_signals(struct service *service)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t set;
	int r;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigaddset(&set, SIGCHLD); /* sd_event_add_child wants it blocked */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	/* a caller's SIG_IGN would be inherited, and no child would ever be seen to end */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return -errno;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* without a callback the signal ends the loop with the code that userdata holds: 0 */
		r = sd_event_add_signal(service->event, NULL, signals[i], NULL, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

int service_new(struct service **ret)
{
	struct service *service = calloc(1, sizeof(*service));
	int r;

	if (!service)
		return -ENOMEM;
	r = sd_event_new(&service->event);
	if (r >= 0)
		r = add_signals(service);
	if (r >= 0)
		r = sd_event_set_watchdog(service->event, 1);
	if (r < 0) {
		service_free(service);
		return r;
	}
	*ret = service;
	return 0;
}

void service_free(struct service *service)
{
	if (!service)
		return;
	sd_event_source_unref(service->timer);
	sd_event_unref(service->event);
	free(service);
}

static int call_watch(sd_event_source *source, const struct watch *watch)
{
	int r = watch->serve(watch->context);

	if (r)
		return sd_event_exit(sd_event_source_get_event(source), r < 0 ? r : 0);
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)fd;
	(void)events;
	return call_watch(source, userdata);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)usec;
	return call_watch(source, userdata);
}

int service_call_later(struct service *service, unsigned int milliseconds, service_callback *call,
		       void *context)
{
	uint64_t usec = milliseconds * UINT64_C(1000);
	int r;

	service->later = (struct watch){ call, context };
	if (!service->timer) {
		r = sd_event_add_time_relative(service->event, &service->timer, CLOCK_MONOTONIC,
					       usec, 0, on_time, &service->later);
		return r < 0 ? r : 0;
	}
	r = sd_event_source_set_time_relative(service->timer, usec);
	if (r >= 0)
		r = sd_event_source_set_enabled(service->timer, SD_EVENT_ONESHOT);
	return r < 0 ? r : 0;
}

int service_watch(struct service *service, int fd, service_callback *serve, void *context)
{
	struct watch *watch;
	int r;

	if (service->watch_count == WATCHES_MAX)
		return -ENOSPC;
	watch = &service->watches[service->watch_count++];
	*watch = (struct watch){ serve, context };
	/* EPOLLERR (the file system was unmounted) is always told */
	r = sd_event_add_io(service->event, NULL, fd, EPOLLIN, on_readable, watch);
	return r < 0 ? r : 0;
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	struct service *service = userdata;

	sd_event_source_unref(source);
	service->child_done(service->child_context,
			    info->si_code == CLD_EXITED ? -info->si_status : -ECHILD);
	return 0;
}

static void __attribute__((noreturn)) child_run(service_callback *work, void *context)
{
	int r;

	/* above all the FUSE descriptor: held here it would keep a dead file system alive */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	r = work(context);
	_exit(r < 0 && r > -256 ? -r : r != 0);
}

int service_run_child(struct service *service, service_callback *work, service_done *done,
		      void *context)
{
	sd_event_source *source;
	pid_t pid = fork();
	int r;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_run(work, context);
	service->child_done = done;
	service->child_context = context;
	r = sd_event_add_child(service->event, &source, pid, WEXITED, on_child, service);
	if (r < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return r;
	}
	return 0;
}

int service_run(struct service *service)
{
	return sd_event_loop(service->event);
}

void service_exit(struct service *service, int result)
{
	sd_event_exit(service->event, result);
}

void service_notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void service_notify_status(const char *status)
{
	sd_notifyf(0, "STATUS=%s", status);
}

void service_notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}
