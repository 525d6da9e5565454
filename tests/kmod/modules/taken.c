// SPDX-License-Identifier: GPL-2.0-only
/* Has a device named pmuctl, as another public module does. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

static const struct file_operations operations = {
	.owner = THIS_MODULE,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmuctl",
	.fops = &operations,
};

module_misc_device(device);

MODULE_DESCRIPTION("A device of a name that others want");
MODULE_LICENSE("GPL");
