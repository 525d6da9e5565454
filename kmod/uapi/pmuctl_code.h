/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The code page of /dev/pmuctl: read functions that the module has for this machine, for programs
 * that cannot have those of pmuctl_read.h in them, such as those of other languages. The page is an
 * ELF image whose dynamic symbols are, their values being offsets in the mapping:
 *
 *	__u32 pmuctl_code_version
 *		1. Another version has other arguments.
 *	__s64 pmuctl_read(struct pmuctl_code_place *place)
 *		The count on the CPU that this runs on, or a negative errno: of the slot, or -EAGAIN:
 *		ask by PMUCTL_IOC_READ. No system call is made. Only in a thread that may read
 *		registers, with a place that was made in that thread.
 *	__u64 pmuctl_cycles(void)
 *		The bare cycle counter (arm64). Only in a thread that may read registers.
 *	char *pmuctl_thread_pointer(void)
 *		The thread pointer, from which the C library counts __rseq_offset.
 *	pmuctl_read_begin, pmuctl_read_end, pmuctl_read_abort
 *		Where in pmuctl_read its restartable sequence begins, ends, and is taken up again.
 */
#ifndef PMUCTL_CODE_H
#define PMUCTL_CODE_H

#include <elf.h>

#include "pmuctl_read.h"

#define PMUCTL_CODE_VERSION 1

/* As struct rseq_cs of the kernel. */
struct pmuctl_sequence {
	uint32_t version; /* 0 */
	uint32_t flags; /* 0 */
	uint64_t start; /* address of pmuctl_read_begin */
	uint64_t length; /* of pmuctl_read_end, from there on */
	uint64_t abort; /* address of pmuctl_read_abort */
} __attribute__((aligned(32)));

/* What pmuctl_read is called with. */
struct pmuctl_code_place {
	const struct pmuctl_slot *slot; /* of the event, on CPU 0 */
	void *rseq; /* the thread's area */
	const struct pmuctl_sequence *sequence;
};

/* A mapped code page. */
struct pmuctl_code {
	const char *image;
	size_t size;
	int64_t (*read)(const struct pmuctl_code_place *place);
	uint64_t (*cycles)(void); /* NULL: this machine has no bare cycle counter */
	struct pmuctl_sequence sequence;
};

/* Address of a symbol of the image, or NULL. */
static inline const char *pmuctl_code_symbol(const char *image, const char *name)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(image + header->e_phoff);
	const Elf64_Dyn *dynamic = NULL;
	const Elf64_Sym *symbols = NULL;
	const Elf64_Word *hash = NULL;
	const char *names = NULL;
	unsigned int i;

	for (i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(image + segment[i].p_vaddr);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const Elf64_Sym *)(image + dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			names = image + dynamic->d_un.d_ptr;
		else if (dynamic->d_tag == DT_HASH)
			hash = (const Elf64_Word *)(image + dynamic->d_un.d_ptr);
	}
	/* The second word of the hash table is the number of symbols. */
	for (i = 1; symbols && names && hash && i < hash[1]; i++) {
		if (!strcmp(names + symbols[i].st_name, name))
			return image + symbols[i].st_value;
	}
	return NULL;
}

static inline void pmuctl_unmap_code(struct pmuctl_code *code)
{
	if (code->image)
		munmap((void *)(uintptr_t)code->image, code->size);
	code->image = NULL;
}

static inline int pmuctl_find_functions(struct pmuctl_code *code)
{
	const char *version = pmuctl_code_symbol(code->image, "pmuctl_code_version");
	const char *read = pmuctl_code_symbol(code->image, "pmuctl_read");
	const char *cycles = pmuctl_code_symbol(code->image, "pmuctl_cycles");
	const char *begin = pmuctl_code_symbol(code->image, "pmuctl_read_begin");
	const char *end = pmuctl_code_symbol(code->image, "pmuctl_read_end");
	const char *abort = pmuctl_code_symbol(code->image, "pmuctl_read_abort");

	if (!version || *(const uint32_t *)version != PMUCTL_CODE_VERSION || !read || !begin ||
	    !end || !abort)
		return -EPROTO;
	memcpy(&code->read, &read, sizeof(read));
	memcpy(&code->cycles, &cycles, sizeof(cycles));
	code->sequence.start = (uintptr_t)begin;
	code->sequence.length = (uint64_t)(end - begin);
	code->sequence.abort = (uintptr_t)abort;
	return 0;
}

/*
 * Maps the code page of an open device. *code must stay where it is while places are of it. 0;
 * -EOPNOTSUPP: the module has none for this architecture; -EPROTO: one of another version; others
 * of mmap(2).
 */
static inline int pmuctl_map_code(const struct pmuctl *pmu, struct pmuctl_code *code)
{
	struct pmuctl_info info;
	void *image;
	int r;

	memset(code, 0, sizeof(*code));
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	if (ioctl(pmu->fd, PMUCTL_IOC_INFO, &info))
		return -errno;
	if (!info.code_size)
		return -EOPNOTSUPP;
	image = mmap(NULL, info.code_size, PROT_READ | PROT_EXEC, MAP_SHARED, pmu->fd,
		     PMUCTL_MAP_CODE);
	if (image == MAP_FAILED)
		return -errno;
	code->image = (const char *)image;
	code->size = info.code_size;
	r = pmuctl_find_functions(code);
	if (r)
		pmuctl_unmap_code(code);
	return r;
}

/*
 * Where this thread, which has attached, reads an event by code->read(). In a thread that has not,
 * or with an event that is none, the place gives -EAGAIN.
 */
static inline struct pmuctl_code_place pmuctl_code_place(const struct pmuctl_code *code,
							 unsigned int event)
{
	const struct pmuctl_place *place =
		&pmuctl_thread.places[event < PMUCTL_EVENTS_MAX ? event : PMUCTL_EVENTS_MAX];
	struct pmuctl_code_place made;

	made.slot = place->slot;
	made.rseq = place->rseq;
	made.sequence = &code->sequence;
	return made;
}

#endif /* PMUCTL_CODE_H */
