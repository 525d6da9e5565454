// SPDX-License-Identifier: GPL-2.0-only
/* See near.h. */
#include "event/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A word of which this much is there may be half-written: names that begin so are near. */
#define PREFIX_MIN 3

/* How many edits still count as a slip of the fingers in a word of this length. */
static unsigned int slips(size_t length)
{
	return 1 + (unsigned int)length / 5;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment: insertions, deletions, substitutions and swapped neighbours. Upper and
 * lower case, '-' and '_' are taken for the same.
 */
static char fold(char c)
{
	return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static unsigned int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[3][NEAR_NAME_MAX + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned int *now = rows[i % 3], *last = rows[(i - 1) % 3];
		const unsigned int *before = rows[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_length; j++) {
			char ca = fold(a[i - 1]), cb = fold(b[j - 1]);

			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == fold(b[j - 2]) && cb == fold(a[i - 2]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

void near_start(struct near *near, const char *word)
{
	near->word = word;
	near->count = 0;
}

static void insert(struct near *near, const char *name, unsigned int edits)
{
	size_t at = near->count;

	for (size_t i = 0; i < near->count; i++) {
		if (!strcmp(near->best[i].name, name))
			return;
	}
	while (at > 0 && near->best[at - 1].distance > edits)
		at--;
	if (at == NEAR_NAMES)
		return;
	if (near->count < NEAR_NAMES)
		near->count++;
	memmove(&near->best[at + 1], &near->best[at],
		(near->count - at - 1) * sizeof(near->best[0]));
	snprintf(near->best[at].name, sizeof(near->best[at].name), "%s", name);
	near->best[at].distance = edits;
}

void near_offer_as(struct near *near, const char *spelling, const char *name)
{
	size_t word_length = strlen(near->word), length = strlen(spelling);
	unsigned int limit = slips(word_length), edits;

	if (!word_length || word_length >= NEAR_NAME_MAX || length >= NEAR_NAME_MAX ||
	    strlen(name) >= NEAR_NAME_MAX)
		return;
	/* half-written: as near as one slip */
	if (length > word_length && word_length >= PREFIX_MIN &&
	    !strncasecmp(near->word, spelling, word_length)) {
		insert(near, name, 1);
		return;
	}
	if (length <= word_length + limit && word_length <= length + limit) {
		edits = distance(near->word, word_length, spelling, length);
		/* as many edits as letters make any word of any other */
		if (edits <= limit && edits < word_length)
			insert(near, name, edits);
	}
}

int near_offer(void *near, const char *name)
{
	near_offer_as(near, name, name);
	return 0;
}

void near_text(const struct near *near, char out[NEAR_TEXT_MAX])
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < near->count; i++) {
		const char *join = i == 0 ? ": did you mean " : i + 1 < near->count ? ", " : " or ";

		used += (size_t)snprintf(out + used, NEAR_TEXT_MAX - used, "%s%s", join,
					 near->best[i].name);
	}
	if (near->count)
		snprintf(out + used, NEAR_TEXT_MAX - used, "?");
}
