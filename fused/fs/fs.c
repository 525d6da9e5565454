// SPDX-License-Identifier: GPL-2.0-only
/* See fs.h. */
#include "fs/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "fs/handles.h"
#include "fs/mount.h"

/*
 * How long (s) the kernel may keep names and attributes. They change only when CPUs or events come
 * and go, and then fs_invalidate says so.
 */
#define CACHE_SECONDS 86400.0

/* The same for the size of long texts: so that one tool's fstat and lseek are told the same. */
#define CACHE_SIZE_SECONDS 0.1

/* Groups of a caller that are looked at; who has more may be told a size that is not exact. */
#define GROUPS_MAX 256

/* Requests answered for each call, so that timers and signals get their turn under load. */
#define REQUESTS_AT_ONCE 32

struct fs {
	struct fuse_session *session;
	const struct tree *tree;
	struct control *control;
	struct handles handles;
	struct fuse_buf request; /* libfuse's buffer, used again for each request */
	char *listing; /* scratch for directories */
	size_t listing_size;
	char *path; /* absolute, of the mount point */
	int lock; /* on the directory below the mount */
	bool mounted;
};

static struct fs *request_fs(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static void reply_error(fuse_req_t req, int error)
{
	fuse_reply_err(req, -error);
}

/* Is the caller one of those to whom the mode lets the file be read? The kernel checks only opens. */
static bool may_read(fuse_req_t req, const struct stat *st)
{
	const struct fuse_ctx *caller = fuse_req_ctx(req);
	gid_t groups[GROUPS_MAX];
	int count;

	if (st->st_mode & S_IROTH || caller->uid == 0 || caller->uid == st->st_uid ||
	    caller->gid == st->st_gid)
		return true;
	count = fuse_req_getgroups(req, GROUPS_MAX, groups);
	for (int i = 0; i < count && i < GROUPS_MAX; i++) {
		if (groups[i] == st->st_gid)
			return true;
	}
	return false;
}

/* An entry does not say how long a long text is: with a time of 0 the kernel asks when it wants to know. */
static int fill_entry(const struct fs *fs, struct node node, struct fuse_entry_param *entry)
{
	*entry = (struct fuse_entry_param){
		.ino = node_id(node),
		.attr_timeout = tree_is_long(fs->tree, node_id(node)) ? 0 : CACHE_SECONDS,
		.entry_timeout = CACHE_SECONDS,
	};
	return tree_stat(fs->tree, entry->ino, &entry->attr);
}

static void fs_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs *fs = request_fs(req);
	struct fuse_entry_param entry;
	struct node child;
	int r = tree_lookup(fs->tree, parent, name, &child);

	if (!r)
		r = fill_entry(fs, child, &entry);
	if (r)
		reply_error(req, r);
	else
		fuse_reply_entry(req, &entry);
}

/*
 * O_TRUNC is to come as a request of its own. Inside of OPEN the kernel would take the file for empty
 * until it asks again, and so would sendfile (see NODE_SIZE).
 */
static void fs_init(void *userdata, struct fuse_conn_info *connection)
{
	(void)userdata;
	connection->want &= ~(unsigned int)FUSE_CAP_ATOMIC_O_TRUNC;
}

/* Nodes are computed: there is nothing to forget. */
static void fs_forget(fuse_req_t req, fuse_ino_t node, uint64_t count)
{
	(void)node;
	(void)count;
	fuse_reply_none(req);
}

static void fs_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	(void)count;
	(void)forgets;
	fuse_reply_none(req);
}

/* How long attributes hold, after a long text's length has been put in for those who may read it. */
static double measure(fuse_req_t req, fuse_ino_t node, struct stat *st)
{
	const struct fs *fs = request_fs(req);

	if (!tree_is_long(fs->tree, node))
		return CACHE_SECONDS;
	if (!may_read(req, st))
		return 0;
	tree_measure(fs->tree, node, st);
	return CACHE_SIZE_SECONDS;
}

static void fs_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info)
{
	const struct fs *fs = request_fs(req);
	double seconds = 0;
	struct stat st;
	int r = tree_stat(fs->tree, node, &st);

	(void)info; /* the kernel does not say whether it asks for a path or for an open file */
	if (!r)
		seconds = measure(req, node, &st);
	else if (r == -ESTALE && handles_have(&fs->handles, node))
		r = tree_stat_open(fs->tree, node, &st);
	if (r)
		reply_error(req, r);
	else
		fuse_reply_attr(req, &st, seconds);
}

/* The shell's `>` cuts a control file to nothing first, which it always is; nothing else can be set. */
static void fs_setattr(fuse_req_t req, fuse_ino_t node, struct stat *attr, int to_set,
		       struct fuse_file_info *info)
{
	const int harmless = FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW |
			     FUSE_SET_ATTR_CTIME | FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW;

	if (to_set & ~harmless || !(to_set & FUSE_SET_ATTR_SIZE) || attr->st_size != 0) {
		reply_error(req, -EPERM);
		return;
	}
	fs_getattr(req, node, info);
}

static void fs_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info)
{
	struct fs *fs = request_fs(req);
	uint32_t handle;
	int r = tree_open(fs->tree, node, (info->flags & O_ACCMODE) != O_RDONLY);

	if (!r)
		r = handles_take(&fs->handles, node, &handle);
	if (r) {
		reply_error(req, r);
		return;
	}
	info->fh = handle;
	/* each read is a fresh value; the page cache would serve old ones */
	info->direct_io = 1;
	/* nothing is kept back that a close would have to write */
	info->noflush = 1;
	if (fuse_reply_open(req, info))
		handles_give_back(&fs->handles, handle);
}

static void fs_release(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info)
{
	(void)node;
	handles_give_back(&request_fs(req)->handles, (uint32_t)info->fh);
	fuse_reply_err(req, 0);
}

static void fs_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset,
		    struct fuse_file_info *info)
{
	struct fs *fs = request_fs(req);
	struct handle *handle = handles_get(&fs->handles, info->fh);
	size_t left;
	int r;

	if (!handle) {
		reply_error(req, -EBADF);
		return;
	}
	/*
	 * Without an owner the kernel reads for its page cache (splice, sendfile, a private mapping),
	 * from which others would get an old value. EINVAL is what files say that cannot be
	 * spliced; tools then go on with read(2).
	 */
	if (!info->lock_owner) {
		reply_error(req, -EINVAL);
		return;
	}
	/* a read from the start is a new value; later ones go on in the text of that one */
	if (offset == 0 || !handle->rendered) {
		text_clear(&handle->text);
		r = tree_read(fs->tree, node, &handle->text);
		if (!r)
			r = handles_charge(&fs->handles, handle);
		handle->rendered = !r;
		if (r) {
			reply_error(req, r);
			return;
		}
	}
	if ((uint64_t)offset >= handle->text.length) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	left = handle->text.length - (size_t)offset;
	fuse_reply_buf(req, handle->text.data + offset, size < left ? size : left);
}

static void fs_write(fuse_req_t req, fuse_ino_t node, const char *data, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	struct fs *fs = request_fs(req);
	struct handle *handle = handles_get(&fs->handles, info->fh);
	int r = -EBADF;

	if (info->flags & O_APPEND)
		offset = 0; /* the kernel put it behind the size that we gave it */
	if (handle)
		r = control_check_write(fs->control, size, offset, handle->write_end);
	if (!r)
		r = tree_write(fs->tree, node, data, size);
	if (r) {
		reply_error(req, r);
		return;
	}
	handle->write_end = offset + (off_t)size;
	fuse_reply_write(req, size);
}

static void fs_opendir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info)
{
	struct stat st;
	int r = tree_stat(request_fs(req)->tree, node, &st);

	if (r)
		reply_error(req, r);
	else
		fuse_reply_open(req, info);
}

/* Adds one entry at out; the length it takes, more than room when it does not fit. */
static size_t add_entry(fuse_req_t req, bool plus, char *out, size_t room, struct node child,
			const char *name, uint64_t next)
{
	struct fuse_entry_param entry;

	if (fill_entry(request_fs(req), child, &entry))
		return 0; /* gone since the walk named it */
	if (plus)
		return fuse_add_direntry_plus(req, out, room, name, &entry, (off_t)next);
	return fuse_add_direntry(req, out, room, name, &entry.attr, (off_t)next);
}

static int listing_reserve(struct fs *fs, size_t size)
{
	char *listing;

	if (size <= fs->listing_size)
		return 0;
	listing = realloc(fs->listing, size);
	if (!listing)
		return -ENOMEM;
	fs->listing = listing;
	fs->listing_size = size;
	return 0;
}

static void list_directory(fuse_req_t req, fuse_ino_t node, size_t size, uint64_t offset, bool plus)
{
	struct fs *fs = request_fs(req);
	char name[NODE_NAME_MAX];
	size_t used = 0, length;
	struct node child;
	uint64_t next;
	int r = listing_reserve(fs, size);

	while (!r && (r = tree_walk(fs->tree, node, offset, &child, name, &next)) == 1) {
		length = add_entry(req, plus, fs->listing + used, size - used, child, name, next);
		if (length > size - used)
			break;
		used += length;
		offset = next;
		r = 0;
	}
	if (r < 0 && !used)
		reply_error(req, r);
	else
		fuse_reply_buf(req, fs->listing, used);
}

static void fs_readdir(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset,
		       struct fuse_file_info *info)
{
	(void)info;
	list_directory(req, node, size, (uint64_t)offset, false);
}

static void fs_readdirplus(fuse_req_t req, fuse_ino_t node, size_t size, off_t offset,
			   struct fuse_file_info *info)
{
	(void)info;
	list_directory(req, node, size, (uint64_t)offset, true);
}

/* Names are made by events and CPUs alone. Without these calls the kernel would say ENOSYS. */

static void fs_no_new_node(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
			   dev_t device)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)device;
	reply_error(req, -EPERM);
}

static void fs_no_new_directory(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	(void)parent;
	(void)name;
	(void)mode;
	reply_error(req, -EPERM);
}

static void fs_no_removal(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent;
	(void)name;
	reply_error(req, -EPERM);
}

static void fs_no_new_name(fuse_req_t req, fuse_ino_t parent, const char *name,
			   fuse_ino_t new_parent, const char *new_name, unsigned int flags)
{
	(void)parent;
	(void)name;
	(void)new_parent;
	(void)new_name;
	(void)flags;
	reply_error(req, -EPERM);
}

static void fs_no_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	(void)target;
	(void)parent;
	(void)name;
	reply_error(req, -EPERM);
}

static void fs_no_link(fuse_req_t req, fuse_ino_t node, fuse_ino_t new_parent, const char *new_name)
{
	(void)node;
	(void)new_parent;
	(void)new_name;
	reply_error(req, -EPERM);
}

static const struct fuse_lowlevel_ops operations = {
	.init = fs_init,
	.lookup = fs_lookup,
	.forget = fs_forget,
	.forget_multi = fs_forget_multi,
	.getattr = fs_getattr,
	.setattr = fs_setattr,
	.open = fs_open,
	.release = fs_release,
	.read = fs_read,
	.write = fs_write,
	.opendir = fs_opendir,
	.readdir = fs_readdir,
	.readdirplus = fs_readdirplus,
	.mknod = fs_no_new_node,
	.mkdir = fs_no_new_directory,
	.unlink = fs_no_removal,
	.rmdir = fs_no_removal,
	.rename = fs_no_new_name,
	.symlink = fs_no_symlink,
	.link = fs_no_link,
};

/* The session with its options parsed; libfuse itself names an unknown option on standard error. */
static int new_session(const struct fs_config *config, struct fs *fs, struct refusal *why)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	const char *fixed = "fsname=pmufs,default_permissions,noatime,nosuid,nodev";
	const char *last = "subtype=pmufs"; /* the next daemon knows a live one by it (mount.c) */
	int r = 0;

	if (fuse_opt_add_arg(&args, "pmufs") || fuse_opt_add_arg(&args, "-o") ||
	    fuse_opt_add_arg(&args, fixed) ||
	    (config->for_all_users &&
	     (fuse_opt_add_arg(&args, "-o") || fuse_opt_add_arg(&args, "allow_other"))) ||
	    (config->options &&
	     (fuse_opt_add_arg(&args, "-o") || fuse_opt_add_arg(&args, config->options))) ||
	    fuse_opt_add_arg(&args, "-o") || fuse_opt_add_arg(&args, last))
		r = refuse(why, -ENOMEM, "out of memory");
	if (!r) {
		fs->session = fuse_session_new(&args, &operations, sizeof(operations), fs);
		if (!fs->session)
			r = refuse(why, -EINVAL, "-o %s: not a mount option that FUSE knows",
				   config->options ? config->options : "");
	}
	fuse_opt_free_args(&args);
	return r;
}

int fs_mount(const struct fs_config *config, const struct tree *tree, struct control *control,
	     struct fs **ret, struct refusal *why)
{
	struct fs *fs = calloc(1, sizeof(*fs));
	int r, flags;

	if (!fs)
		return refuse(why, -ENOMEM, "out of memory");
	fs->tree = tree;
	fs->control = control;
	handles_init(&fs->handles);
	fs->lock = -1;
	/* a relative path would not do once we are in the background, or below the mount */
	fs->path = realpath(config->mount_point, NULL);
	if (!fs->path) {
		r = refuse(why, -errno, "mount point %s: %s", config->mount_point, strerror(errno));
		goto fail;
	}
	fs->lock = mount_point_prepare(fs->path, why);
	r = fs->lock < 0 ? fs->lock : new_session(config, fs, why);
	if (r)
		goto fail;
	if (fuse_session_mount(fs->session, fs->path)) {
		r = refuse(why, -EPERM, "cannot mount on %s (the line above says why)",
			   config->mount_point);
		goto fail;
	}
	fs->mounted = true;
	flags = fcntl(fs_descriptor(fs), F_GETFL);
	if (flags < 0 || fcntl(fs_descriptor(fs), F_SETFL, flags | O_NONBLOCK) ||
	    fcntl(fs_descriptor(fs), F_SETFD, FD_CLOEXEC)) {
		r = refuse(why, -errno, "FUSE descriptor: %s", strerror(errno));
		goto fail;
	}
	*ret = fs;
	return 0;
fail:
	fs_unmount(fs);
	return r;
}

void fs_unmount(struct fs *fs)
{
	if (!fs)
		return;
	if (fs->session) {
		if (fs->mounted)
			fuse_session_unmount(fs->session);
		fuse_session_destroy(fs->session);
	}
	handles_free(&fs->handles);
	free(fs->request.mem);
	free(fs->listing);
	free(fs->path);
	if (fs->lock >= 0)
		close(fs->lock);
	free(fs);
}

const char *fs_path(const struct fs *fs)
{
	return fs->path;
}

int fs_descriptor(const struct fs *fs)
{
	return fuse_session_fd(fs->session);
}

int fs_serve(struct fs *fs)
{
	for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
		int r = fuse_session_receive_buf(fs->session, &fs->request);

		if (fuse_session_exited(fs->session) || r == 0 || r == -ENODEV)
			return 1;
		if (r == -EAGAIN)
			return 0;
		if (r == -EINTR)
			continue;
		if (r < 0)
			return log_errno(LOG_ERR, r, "reading a FUSE request");
		fuse_session_process_buf(fs->session, &fs->request);
		/* libfuse has given up, and said why on standard error */
		if (fuse_session_exited(fs->session))
			return -EPROTO;
	}
	return 0;
}

void fs_invalidate(struct fs *fs, struct node node)
{
	/* offset -1: attributes alone; ENOENT means that the kernel has nothing cached */
	int r = fuse_lowlevel_notify_inval_inode(fs->session, node_id(node), -1, 0);

	if (r && r != -ENOENT)
		log_errno(LOG_WARNING, r, "telling the kernel that a node changed");
}
