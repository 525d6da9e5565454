/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why something a person asked for was refused: one sentence that names the offending word and,
 * where it is known, what would be right. Passed down by whoever can show it (last_error, the
 * command line, the journal); callees fill it at the place where the fault is known.
 */
#ifndef PMUFS_BASE_REFUSAL_H
#define PMUFS_BASE_REFUSAL_H

#define REFUSAL_MAX 512

struct refusal {
	char message[REFUSAL_MAX]; /* empty: nothing was refused; no newline in it, ever */
};

/*
 * Writes the sentence (cut at REFUSAL_MAX, control characters replaced by '?') and returns error,
 * so that a caller can write `return refuse(why, -EINVAL, …)`. why may be NULL; its old message may be
 * among the arguments.
 */
int refuse(struct refusal *why, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
