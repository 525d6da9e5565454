// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring block of the shared area. The module knows nothing of rings: it passes on what the owner
 * says and others ask.
 */
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "area.h"
#include "ring_control.h"

/* Guards owner and what the owner publishes. */
static DEFINE_MUTEX(ring_mutex);
static struct file *owner;

static atomic64_t requested = ATOMIC64_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(ring_wait);
static struct pmuctl_trigger *trigger;

static struct pmuctl_ring *ring(void)
{
	return &area_header()->ring;
}

static void wake(struct irq_work *unused)
{
	wake_up_all(&ring_wait);
}

static DEFINE_IRQ_WORK(wake_work, wake);

static u64 request(void)
{
	u64 number = atomic64_inc_return(&requested);
	u64 shown = READ_ONCE(ring()->requested);

	/* Two who ask at once may come here in the other order: the number never goes back. */
	while (shown < number && !try_cmpxchg64(&ring()->requested, &shown, number))
		;
	return number;
}

void ring_look_at_triggers(void)
{
	bool asked = false;
	unsigned int i;

	for (i = 0; i < PMUCTL_TRIGGER_WORDS; i++) {
		if (READ_ONCE(trigger->words[i]) && xchg(&trigger->words[i], 0))
			asked = true;
	}
	if (!asked)
		return;
	request();
	/* From a timer's interrupt: a wait queue's lock may sleep on PREEMPT_RT. */
	irq_work_queue(&wake_work);
}

static int check(const struct pmuctl_ring_publish *state)
{
	if (state->flags || state->reserved || state->state > PMUCTL_RING_PAUSED)
		return -EINVAL;
	/* Who becomes the owner has handled nothing yet. */
	if (owner &&
	    (state->handled > atomic64_read(&requested) || state->handled < ring()->handled))
		return -EINVAL;
	return 0;
}

static void write_ring(const struct pmuctl_ring_publish *state, pid_t pid)
{
	struct pmuctl_ring *shared = ring();

	area_write_begin(&shared->sequence);
	shared->state = state->state;
	shared->bytes = state->bytes;
	shared->records = state->records;
	shared->lost = state->lost;
	shared->snapshots = state->snapshots;
	shared->snapshot_time = state->snapshot_time;
	shared->time = ktime_get_mono_fast_ns();
	shared->owner = pid;
	area_write_end(&shared->sequence);
}

int ring_publish(struct file *file, struct pmuctl_ring_publish *state)
{
	bool absent = state->state == PMUCTL_RING_ABSENT;
	int ret;

	mutex_lock(&ring_mutex);
	ret = owner && owner != file ? -EBUSY : check(state);
	if (ret)
		goto unlock;
	/*
	 * Requests of a time without an owner were refused; those by the trigger page found nobody.
	 */
	if (!owner && !absent)
		state->handled = atomic64_read(&requested);
	write_ring(state, absent ? 0 : task_tgid_nr(current));
	WRITE_ONCE(ring()->handled, state->handled);
	WRITE_ONCE(owner, absent ? NULL : file);
	state->requested = atomic64_read(&requested);
unlock:
	mutex_unlock(&ring_mutex);
	wake_up_all(&ring_wait);
	return ret;
}

void ring_release(struct file *file)
{
	struct pmuctl_ring_publish nothing = { .state = PMUCTL_RING_ABSENT };

	mutex_lock(&ring_mutex);
	if (owner == file) {
		write_ring(&nothing, 0);
		WRITE_ONCE(owner, NULL);
	}
	mutex_unlock(&ring_mutex);
	wake_up_all(&ring_wait);
}

static bool is_over(u64 number)
{
	return READ_ONCE(ring()->handled) >= number || !READ_ONCE(owner);
}

static int wait_for(u64 number, u32 milliseconds)
{
	long timeout = milliseconds ? msecs_to_jiffies(milliseconds) : MAX_SCHEDULE_TIMEOUT;
	long ret = wait_event_interruptible_timeout(ring_wait, is_over(number), timeout);

	if (ret < 0)
		return -EINTR;
	if (!ret)
		return -ETIMEDOUT;
	return READ_ONCE(ring()->handled) >= number ? 0 : -ENXIO;
}

int ring_request(struct pmuctl_snapshot *asked)
{
	if (asked->flags & ~PMUCTL_SNAPSHOT_WAIT || asked->reserved)
		return -EINVAL;
	mutex_lock(&ring_mutex);
	if (owner)
		asked->request = request();
	else
		asked->request = 0;
	mutex_unlock(&ring_mutex);
	if (!asked->request)
		return -ENXIO;
	wake_up_all(&ring_wait);
	if (!(asked->flags & PMUCTL_SNAPSHOT_WAIT))
		return 0;
	return wait_for(asked->request, asked->timeout);
}

__poll_t ring_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &ring_wait, wait);
	if (READ_ONCE(owner) != file)
		return 0;
	return READ_ONCE(ring()->handled) < atomic64_read(&requested) ? EPOLLIN | EPOLLRDNORM : 0;
}

size_t ring_trigger_size(void)
{
	return PAGE_ALIGN(sizeof(*trigger));
}

void *ring_trigger(void)
{
	return trigger;
}

int ring_init(void)
{
	trigger = vmalloc_user(ring_trigger_size());
	return trigger ? 0 : -ENOMEM;
}

void ring_exit(void)
{
	irq_work_sync(&wake_work);
	vfree(trigger);
}
