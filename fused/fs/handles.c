// SPDX-License-Identifier: GPL-2.0-only
/* See handles.h. */
#include "fs/handles.h"

#include <errno.h>
#include <stdlib.h>

#define HANDLES_FIRST 64

/* A closed handle keeps this much of its text's memory: enough for a counter, not for `metrics`. */
#define HANDLE_KEEP_MAX 1024

void handles_init(struct handles *handles)
{
	*handles = (struct handles){ .first_free = HANDLE_NONE };
}

void handles_free(struct handles *handles)
{
	for (uint32_t i = 0; i < handles->count; i++)
		text_free(&handles->list[i].text);
	free(handles->list);
	handles_init(handles);
}

static int handles_grow(struct handles *handles)
{
	uint32_t count = handles->count ? handles->count * 2 : HANDLES_FIRST;
	struct handle *list;

	if (count >= HANDLE_NONE / 2)
		return -ENOMEM;
	list = reallocarray(handles->list, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t i = handles->count; i < count; i++) {
		list[i] = (struct handle){ .next_free = handles->first_free };
		handles->first_free = i;
	}
	handles->list = list;
	handles->count = count;
	return 0;
}

int handles_take(struct handles *handles, uint64_t node, uint32_t *index)
{
	struct handle *handle;

	if (handles->first_free == HANDLE_NONE && handles_grow(handles))
		return -ENOMEM;
	*index = handles->first_free;
	handle = &handles->list[*index];
	handles->first_free = handle->next_free;
	text_clear(&handle->text);
	handle->node = node;
	handle->rendered = false;
	handle->write_end = 0;
	return 0;
}

static void drop_text(struct handles *handles, struct handle *handle)
{
	text_free(&handle->text);
	handle->rendered = false;
	handles->text_total -= handle->charged;
	handle->charged = 0;
}

int handles_charge(struct handles *handles, struct handle *handle)
{
	handles->text_total += handle->text.capacity - handle->charged;
	handle->charged = handle->text.capacity;
	if (handles->text_total <= HANDLES_TEXT_MAX)
		return 0;
	drop_text(handles, handle);
	return -ENOMEM;
}

void handles_give_back(struct handles *handles, uint32_t index)
{
	struct handle *handle = handles_get(handles, index);

	if (!handle)
		return;
	if (handle->text.capacity > HANDLE_KEEP_MAX)
		drop_text(handles, handle);
	handle->node = HANDLE_FREE;
	handle->next_free = handles->first_free;
	handles->first_free = index;
}

struct handle *handles_get(struct handles *handles, uint64_t index)
{
	return index < handles->count ? &handles->list[index] : NULL;
}

bool handles_have(const struct handles *handles, uint64_t node)
{
	for (uint32_t i = 0; i < handles->count; i++) {
		if (handles->list[i].node == node)
			return true;
	}
	return false;
}
