// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device. Whoever may open it may read what is counted, by the device's mode and group; what
 * changes something wants a descriptor opened for writing, and what adds work for the PMU
 * CAP_PERFMON besides.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "codepage.h"
#include "compat/vm_flags_mod.h"
#include "counters.h"
#include "device.h"
#include "publish.h"
#include "ring_control.h"

/* ---- ioctl ---- */

static int run_info(struct file *file, void *argument)
{
	struct pmuctl_info *info = argument;
	const struct pmuctl_area *header = area_header();

	if (info->flags)
		return -EINVAL;
	*info = (struct pmuctl_info){
		.size = info->size,
		.abi_version = PMUCTL_ABI_VERSION,
		.features = header->features,
		.area_size = header->area_size,
		.code_size = codepage_size(),
		.trigger_size = header->period ? ring_trigger_size() : 0,
		.cpus = header->cpus,
		.events_max = header->events_max,
		.events = READ_ONCE(header->events),
		.period = header->period,
	};
	return 0;
}

static int run_event_add(struct file *file, void *argument)
{
	struct pmuctl_event_add *added = argument;

	if (added->flags || added->exclude & ~PMUCTL_EXCLUDE_ALL)
		return -EINVAL;
	return counters_add(added);
}

static int run_event_remove(struct file *file, void *argument)
{
	struct pmuctl_event_remove *removed = argument;

	if (removed->flags)
		return -EINVAL;
	return counters_remove(removed->event, removed->id);
}

static int run_cpu_enable(struct file *file, void *argument)
{
	struct pmuctl_cpu_enable *enable = argument;

	if (enable->flags || enable->enable > 1)
		return -EINVAL;
	return counters_enable(enable->cpu, enable->enable);
}

static int run_read(struct file *file, void *argument)
{
	struct pmuctl_read_slot *read = argument;

	if (read->flags)
		return -EINVAL;
	return counters_read(read->cpu, read->event, &read->value);
}

static int run_read_cpu(struct file *file, void *argument)
{
	struct pmuctl_read_cpu *read = argument;
	struct pmuctl_value *values;
	int count;

	if (read->flags)
		return -EINVAL;
	values = kcalloc(PMUCTL_EVENTS_MAX, sizeof(*values), GFP_KERNEL);
	if (!values)
		return -ENOMEM;
	count = counters_read_cpu(read->cpu, values);
	if (count >= 0 && copy_to_user(u64_to_user_ptr(read->values), values,
				       min_t(u32, count, read->count) * sizeof(*values)))
		count = -EFAULT;
	kfree(values);
	if (count < 0)
		return count;
	read->count = count;
	return 0;
}

static int run_ring_publish(struct file *file, void *argument)
{
	return ring_publish(file, argument);
}

static int run_snapshot(struct file *file, void *argument)
{
	return ring_request(argument);
}

struct command {
	size_t size;
	bool writes;
	bool perfmon;
	int (*run)(struct file *file, void *argument);
};

/* By number. All sizes are still those of version 1. */
static const struct command commands[] = {
	[_IOC_NR(PMUCTL_IOC_INFO)] = { sizeof(struct pmuctl_info), false, false, run_info },
	[_IOC_NR(PMUCTL_IOC_EVENT_ADD)] = { sizeof(struct pmuctl_event_add), true, true,
					    run_event_add },
	[_IOC_NR(PMUCTL_IOC_EVENT_REMOVE)] = { sizeof(struct pmuctl_event_remove), true, true,
					       run_event_remove },
	[_IOC_NR(PMUCTL_IOC_CPU_ENABLE)] = { sizeof(struct pmuctl_cpu_enable), true, false,
					     run_cpu_enable },
	[_IOC_NR(PMUCTL_IOC_READ)] = { sizeof(struct pmuctl_read_slot), false, false, run_read },
	[_IOC_NR(PMUCTL_IOC_READ_CPU)] = { sizeof(struct pmuctl_read_cpu), false, false,
					   run_read_cpu },
	[_IOC_NR(PMUCTL_IOC_RING_PUBLISH)] = { sizeof(struct pmuctl_ring_publish), true, true,
					       run_ring_publish },
	[_IOC_NR(PMUCTL_IOC_SNAPSHOT)] = { sizeof(struct pmuctl_snapshot), true, false,
					   run_snapshot },
};

union argument {
	u32 size;
	struct pmuctl_info info;
	struct pmuctl_event_add event_add;
	struct pmuctl_event_remove event_remove;
	struct pmuctl_cpu_enable cpu_enable;
	struct pmuctl_read_slot read_slot;
	struct pmuctl_read_cpu read_cpu;
	struct pmuctl_ring_publish ring_publish;
	struct pmuctl_snapshot snapshot;
};

/*
 * By type and number alone: the size in the ioctl's number is that of the caller's structure, which
 * also says it itself.
 */
static const struct command *find_command(unsigned int number)
{
	if (_IOC_TYPE(number) != PMUCTL_IOC || _IOC_DIR(number) != (_IOC_READ | _IOC_WRITE) ||
	    _IOC_NR(number) >= ARRAY_SIZE(commands))
		return NULL;
	return &commands[_IOC_NR(number)];
}

static int may_run(const struct command *command, const struct file *file)
{
	if (command->writes && !(file->f_mode & FMODE_WRITE))
		return -EBADF;
	if (command->perfmon && !perfmon_capable())
		return -EACCES;
	return 0;
}

static long device_ioctl(struct file *file, unsigned int number, unsigned long address)
{
	const struct command *command = find_command(number);
	void __user *user = (void __user *)address;
	union argument argument;
	u32 size;
	int ret;

	if (!command)
		return -ENOTTY;
	ret = may_run(command, file);
	if (ret)
		return ret;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < command->size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&argument, command->size, user, size);
	if (ret)
		return ret;
	/* It was read twice: another thread may have changed it. */
	argument.size = size;
	ret = command->run(file, &argument);
	/* A busy event has a value, the last. */
	if (ret && ret != -EBUSY)
		return ret;
	if (copy_to_user(user, &argument, min_t(size_t, size, command->size)))
		return -EFAULT;
	return ret;
}

/* ---- mmap ---- */

struct mapping {
	u64 offset;
	size_t (*size)(void);
	void *(*address)(void); /* from vmalloc_user() */
	bool timers; /* whether it is of use only while they run */
	fmode_t mode; /* the descriptor must be open for this */
	vm_flags_t allowed; /* of VM_WRITE, VM_EXEC */
};

static size_t area_size(void)
{
	return area_header()->area_size;
}

static void *area_address(void)
{
	return area_header();
}

static size_t trigger_size(void)
{
	return area_header()->period ? ring_trigger_size() : 0;
}

static const struct mapping mappings[] = {
	{ PMUCTL_MAP_AREA, area_size, area_address, true, FMODE_READ, 0 },
	{ PMUCTL_MAP_CODE, codepage_size, codepage_address, false, FMODE_READ, VM_EXEC },
	{ PMUCTL_MAP_TRIGGER, trigger_size, ring_trigger, true, FMODE_WRITE, VM_WRITE },
};

static void vma_open(struct vm_area_struct *vma)
{
	publish_mapped();
}

static void vma_close(struct vm_area_struct *vma)
{
	publish_unmapped();
}

/* All pages are there from the start; one thrown away (MADV_DONTNEED) comes back. */
static vm_fault_t vma_fault(struct vm_fault *fault)
{
	const struct mapping *mapping = fault->vma->vm_private_data;

	fault->page = vmalloc_to_page(mapping->address() + fault->address - fault->vma->vm_start);
	get_page(fault->page);
	return 0;
}

/* A part of a mapping is of no use to anybody. */
static int vma_may_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static const struct vm_operations_struct counted_ops = {
	.fault = vma_fault,
	.open = vma_open,
	.close = vma_close,
	.may_split = vma_may_split,
};

static const struct vm_operations_struct plain_ops = {
	.fault = vma_fault,
	.may_split = vma_may_split,
};

static const struct mapping *find_mapping(const struct vm_area_struct *vma)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mappings); i++) {
		if (mappings[i].offset == (u64)vma->vm_pgoff << PAGE_SHIFT)
			return &mappings[i];
	}
	return NULL;
}

static int check_mapping(const struct mapping *mapping, const struct file *file,
			 const struct vm_area_struct *vma)
{
	if (!mapping->size())
		return -EOPNOTSUPP;
	if (vma->vm_end - vma->vm_start != mapping->size())
		return -EINVAL;
	/* VM_SHARED is not set for a descriptor that cannot write, but this is. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (!(file->f_mode & mapping->mode))
		return -EACCES;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC) & ~mapping->allowed)
		return -EACCES;
	return 0;
}

static vm_flags_t forbidden_for_good(const struct mapping *mapping)
{
	return (mapping->allowed & VM_WRITE ? 0 : VM_MAYWRITE) |
	       (mapping->allowed & VM_EXEC ? 0 : VM_MAYEXEC);
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct mapping *mapping = find_mapping(vma);
	int ret;

	if (!mapping)
		return -EINVAL;
	ret = check_mapping(mapping, file, vma);
	if (ret)
		return ret;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND, forbidden_for_good(mapping));
	ret = remap_vmalloc_range(vma, mapping->address(), 0);
	if (ret)
		return ret;
	vma->vm_private_data = (void *)mapping;
	vma->vm_ops = mapping->timers ? &counted_ops : &plain_ops;
	if (mapping->timers)
		publish_mapped();
	return 0;
}

/* ---- The rest ---- */

static int device_release(struct inode *inode, struct file *file)
{
	ring_release(file);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
	.poll = ring_poll,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmuctl",
	.fops = &operations,
	.mode = 0660,
};

int device_init(void)
{
	int ret = misc_register(&device);

	if (ret == -EEXIST)
		pr_err("another module has a device named pmuctl, perhaps pmu_el0_cycle_counter\n");
	return ret;
}

void device_exit(void)
{
	misc_deregister(&device);
}
