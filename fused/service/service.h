/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process around the file system: one sd-event loop for everything, signals, the service
 * manager's readiness, status and watchdog. Because FUSE requests are answered by the same loop that
 * feeds the watchdog, a hung request lets the watchdog bite.
 */
#ifndef PMUFS_SERVICE_SERVICE_H
#define PMUFS_SERVICE_SERVICE_H

struct service;

/*
 * Takes over SIGTERM, SIGINT and SIGHUP (each ends service_run) and the watchdog if the service
 * manager set one (WATCHDOG_USEC). Ignores SIGPIPE. 0 or a negative errno.
 */
int service_new(struct service **ret);
void service_free(struct service *service);

/*
 * Calls serve whenever fd is readable, as long as the service lives. serve returns 0, or anything
 * else to end service_run: 1 a regular end, a negative errno a failure.
 */
typedef int service_callback(void *context);
int service_watch(struct service *service, int fd, service_callback *serve, void *context);

/*
 * Runs `work` in a child process and calls `done` in this one with what it returned, or with -ECHILD
 * when it died. For work that would wait for this very loop. The child keeps no descriptor but
 * standard error.
 */
typedef void service_done(void *context, int result);
int service_run_child(struct service *service, service_callback *work, service_done *done,
		      void *context);

/*
 * Calls `call` once, so many milliseconds from now; asked again before that, the time starts anew. What
 * it returns means the same as for service_watch. There is one such call at a time.
 */
int service_call_later(struct service *service, unsigned int milliseconds, service_callback *call,
		       void *context);

/* Until a signal, service_exit or a callback ends it; 0, or what the callback failed with. */
int service_run(struct service *service);
void service_exit(struct service *service, int result);

/* To the service manager, when there is one: READY=1, STATUS=…, STOPPING=1. */
void service_notify_ready(const char *status);
void service_notify_status(const char *status);
void service_notify_stopping(void);

#endif
