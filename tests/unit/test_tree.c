// SPDX-License-Identifier: GPL-2.0-only
/*
 * The computed tree, with a small made-up table of kinds:
 *
 *	/            boxN for each box that is there, shelf/, note
 *	/boxN/       label, knob (for control), and the numbers of its things
 *	/shelf/      list, book (a long text)
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree/tree.h"

enum {
	ROOT,
	BOX,
	BOX_LABEL,
	BOX_KNOB,
	BOX_THING,
	SHELF,
	SHELF_LIST,
	SHELF_BOOK,
	NOTE,
	KINDS
};

#define BOXES  4
#define THINGS 64

struct house {
	bool boxes[BOXES];
	bool things[THINGS]; /* the same in every box; 0 is none */
	int knob;
	int pages; /* of the book; below 0: it cannot be read */
};

static int box_check(void *context, struct node node)
{
	const struct house *house = context;

	return node.cpu < BOXES && house->boxes[node.cpu] ? 0 : -ESTALE;
}

static int root_find(void *context, struct node directory, const char *name, struct node *child)
{
	unsigned int box;

	(void)directory;
	if (sscanf(name, "box%u", &box) != 1 || box_check(context, (struct node){ .cpu = box }))
		return -ENOENT;
	*child = (struct node){ .kind = BOX, .cpu = box };
	return 0;
}

static bool root_next(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		      struct node *child, char name[NODE_NAME_MAX])
{
	const struct house *house = context;

	(void)directory;
	while (after < BOXES && !house->boxes[after])
		after++;
	if (after >= BOXES)
		return false;
	*cookie = after + 1;
	*child = (struct node){ .kind = BOX, .cpu = after };
	snprintf(name, NODE_NAME_MAX, "box%u", after);
	return true;
}

static int thing_check(void *context, struct node node)
{
	const struct house *house = context;

	return box_check(context, node) == 0 && node.event < THINGS && house->things[node.event]
		       ? 0
		       : -ESTALE;
}

static int box_find(void *context, struct node directory, const char *name, struct node *child)
{
	struct node thing = { BOX_THING, directory.cpu, (uint32_t)atoi(name) };

	if (!thing.event || thing_check(context, thing))
		return -ENOENT;
	*child = thing;
	return 0;
}

static bool box_next(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		     struct node *child, char name[NODE_NAME_MAX])
{
	const struct house *house = context;

	for (uint32_t thing = after + 1; thing < THINGS; thing++) {
		if (!house->things[thing])
			continue;
		*cookie = thing;
		*child = (struct node){ BOX_THING, directory.cpu, thing };
		snprintf(name, NODE_NAME_MAX, "%u", thing);
		return true;
	}
	return false;
}

static int thing_open(void *context, struct node node)
{
	(void)context;
	return node.event == 13 ? -EOPNOTSUPP : 0;
}

static int thing_read(void *context, struct node node, struct text *text)
{
	(void)context;
	if (node.event == 14)
		return -EBUSY;
	text_add_format(text, "%u in %u\n", node.event, node.cpu);
	return 0;
}

static int text_read(void *context, struct node node, struct text *text)
{
	(void)context;
	text_add_format(text, "kind %u\n", node.kind);
	return 0;
}

static int broken_read(void *context, struct node node, struct text *text)
{
	(void)context;
	(void)node;
	text_add(text, "x", SIZE_MAX);
	return 0;
}

static int book_read(void *context, struct node node, struct text *text)
{
	const struct house *house = context;

	(void)node;
	for (int i = 0; i < house->pages; i++)
		text_add_format(text, "%1000d", i);
	return house->pages < 0 ? -EIO : 0;
}

static int knob_write(void *context, struct node node, const char *data, size_t length)
{
	struct house *house = context;

	if (length != 1)
		return -EINVAL;
	house->knob = data[0] + (int)node.cpu;
	return 0;
}

static const struct node_kind kinds[KINDS] = {
	[ROOT] = { .directory = true, .find = root_find, .next = root_next },
	[BOX] = { .directory = true, .check = box_check, .find = box_find, .next = box_next },
	[BOX_LABEL] = { .name = "label", .parent = BOX, .check = box_check, .read = text_read },
	[BOX_KNOB] = { .name = "knob",
		       .parent = BOX,
		       .audience = AUDIENCE_CONTROL,
		       .check = box_check,
		       .read = text_read,
		       .write = knob_write },
	[BOX_THING] = { .parent = BOX,
			.check = thing_check,
			.open = thing_open,
			.read = thing_read },
	[SHELF] = { .name = "shelf", .directory = true },
	[SHELF_LIST] = { .name = "list", .parent = SHELF, .read = broken_read },
	[SHELF_BOOK] = { .name = "book", .parent = SHELF, .long_text = true, .read = book_read },
	[NOTE] = { .name = "note", .read = text_read },
};

static struct house house;
static struct tree tree;

static int furnish(void **state)
{
	(void)state;
	house = (struct house){ .boxes = { [0] = true, [2] = true },
				.things = { [1] = true, [5] = true, [13] = true, [14] = true } };
	tree = (struct tree){ .kinds = kinds,
			      .kind_count = KINDS,
			      .context = &house,
			      .owner = 12,
			      .group = 34,
			      .made = { .tv_sec = 56 } };
	return 0;
}

static uint64_t id(uint8_t kind, uint32_t cpu, uint32_t event)
{
	return node_id((struct node){ kind, cpu, event });
}

/* The id behind a path of at most two names. */
static uint64_t lookup(const char *first, const char *second)
{
	struct node node;

	assert_int_equal(tree_lookup(&tree, NODE_ROOT_ID, first, &node), 0);
	if (second)
		assert_int_equal(tree_lookup(&tree, node_id(node), second, &node), 0);
	return node_id(node);
}

static int lookup_error(uint64_t directory, const char *name)
{
	struct node node;

	return tree_lookup(&tree, directory, name, &node);
}

static void ids_go_there_and_back(void **state)
{
	const uint32_t cpus[] = { 0, 1, 255, 8191, (1 << 24) - 1 };
	const uint32_t events[] = { 0, 1, 1 << 16, UINT32_MAX };

	(void)state;
	assert_int_equal(node_id(NODE_ROOT), NODE_ROOT_ID);
	for (unsigned int kind = 0; kind < 256; kind++) {
		for (size_t c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++) {
			for (size_t e = 0; e < sizeof(events) / sizeof(events[0]); e++) {
				struct node back =
					node_from_id(id((uint8_t)kind, cpus[c], events[e]));

				assert_int_equal(back.kind, kind);
				assert_int_equal(back.cpu, cpus[c]);
				assert_int_equal(back.event, events[e]);
			}
		}
	}
}

static void names_lead_to_nodes(void **state)
{
	(void)state;
	assert_int_equal(lookup("note", NULL), id(NOTE, 0, 0));
	assert_int_equal(lookup("shelf", "list"), id(SHELF_LIST, 0, 0));
	assert_int_equal(lookup("box2", NULL), id(BOX, 2, 0));
	assert_int_equal(lookup("box2", "label"), id(BOX_LABEL, 2, 0));
	assert_int_equal(lookup("box2", "5"), id(BOX_THING, 2, 5));
	assert_int_equal(lookup("box2", "."), id(BOX, 2, 0));
	assert_int_equal(lookup("box2", ".."), NODE_ROOT_ID);
	assert_int_equal(lookup("shelf", ".."), NODE_ROOT_ID);
	assert_int_equal(lookup("..", "."), NODE_ROOT_ID);
}

static void what_is_not_there_is_not_found(void **state)
{
	(void)state;
	assert_int_equal(lookup_error(NODE_ROOT_ID, "box1"), -ENOENT);
	assert_int_equal(lookup_error(NODE_ROOT_ID, "Note"), -ENOENT);
	assert_int_equal(lookup_error(NODE_ROOT_ID, ""), -ENOENT);
	assert_int_equal(lookup_error(NODE_ROOT_ID, "label"), -ENOENT);
	assert_int_equal(lookup_error(id(BOX, 0, 0), "6"), -ENOENT);
	assert_int_equal(lookup_error(id(BOX, 0, 0), "note"), -ENOENT);
	assert_int_equal(lookup_error(id(SHELF, 0, 0), "anything"), -ENOENT);
	assert_int_equal(lookup_error(id(NOTE, 0, 0), "."), -ENOTDIR);
}

static void an_id_that_stands_for_nothing_is_stale(void **state)
{
	const uint64_t gone[] = { id(BOX, 1, 0),       id(BOX, BOXES, 0),   id(BOX_LABEL, 1, 0),
				  id(BOX_THING, 0, 6), id(BOX_THING, 1, 5), id(KINDS, 0, 0),
				  id(255, 0, 0),       UINT64_MAX,	    0,
				  id(ROOT, 0, 2),      id(ROOT, 1, 1) };
	struct text text = { 0 };
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		char name[NODE_NAME_MAX];
		struct node child;
		uint64_t next;

		assert_int_equal(lookup_error(gone[i], "label"), -ESTALE);
		assert_int_equal(tree_stat(&tree, gone[i], &st), -ESTALE);
		assert_int_equal(tree_open(&tree, gone[i], false), -ESTALE);
		assert_int_equal(tree_walk(&tree, gone[i], 0, &child, name, &next), -ESTALE);
		/* only somebody who opened it before reads and writes: the thing is gone, not the path */
		assert_int_equal(tree_read(&tree, gone[i], &text), -ENODEV);
		assert_int_equal(tree_write(&tree, gone[i], "1", 1), -ENODEV);
	}
	assert_int_equal(text.length, 0);
}

static void a_thing_that_goes_takes_its_ids_with_it(void **state)
{
	uint64_t thing = lookup("box2", "5"), label = lookup("box2", "label");
	struct text text = { 0 };

	(void)state;
	assert_int_equal(tree_read(&tree, thing, &text), 0);
	house.things[5] = false;
	assert_int_equal(tree_open(&tree, thing, false), -ESTALE);
	assert_int_equal(tree_read(&tree, thing, &text), -ENODEV);
	assert_int_equal(tree_open(&tree, label, false), 0);
	house.boxes[2] = false;
	assert_int_equal(tree_open(&tree, label, false), -ESTALE);
	assert_int_equal(tree_read(&tree, label, &text), -ENODEV);
	house.boxes[2] = true;
	assert_int_equal(tree_open(&tree, label, false), 0);
	text_free(&text);
}

static void what_is_open_and_gone_has_attributes_but_no_name(void **state)
{
	struct stat st;

	(void)state;
	house.things[5] = false;
	assert_int_equal(tree_stat(&tree, id(BOX_THING, 2, 5), &st), -ESTALE);
	assert_int_equal(tree_stat_open(&tree, id(BOX_THING, 2, 5), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0440);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_ino, id(BOX_THING, 2, 5));
	assert_true(st.st_size > 0);
	assert_int_equal(tree_stat_open(&tree, id(KINDS, 0, 0), &st), -ESTALE);
}

static void assert_mode(uint64_t node, mode_t mode)
{
	struct stat st;

	assert_int_equal(tree_stat(&tree, node, &st), 0);
	assert_int_equal(st.st_mode, mode);
	assert_int_equal(st.st_ino, node);
	assert_int_equal(st.st_uid, 12);
	assert_int_equal(st.st_gid, 34);
	assert_int_equal(st.st_mtim.tv_sec, 56);
}

static void modes_follow_the_audience(void **state)
{
	(void)state;
	assert_mode(NODE_ROOT_ID, S_IFDIR | 0555);
	assert_mode(id(BOX, 2, 0), S_IFDIR | 0555);
	assert_mode(id(BOX_LABEL, 2, 0), S_IFREG | 0440);
	assert_mode(id(BOX_THING, 2, 5), S_IFREG | 0440);
	assert_mode(id(BOX_KNOB, 2, 0), S_IFREG | 0640);
}

static void open_to_all_opens_what_is_read_and_not_the_controls(void **state)
{
	(void)state;
	tree.open_to_all = true;
	assert_mode(NODE_ROOT_ID, S_IFDIR | 0555);
	assert_mode(id(BOX_LABEL, 2, 0), S_IFREG | 0444);
	assert_mode(id(BOX_THING, 2, 5), S_IFREG | 0444);
	assert_mode(id(BOX_KNOB, 2, 0), S_IFREG | 0640);
}

static void a_directory_says_nothing_of_how_many_it_holds(void **state)
{
	struct stat st;

	(void)state;
	/* 2 would tell find(1) that there is no directory in it; 1 means that links are not counted */
	assert_int_equal(tree_stat(&tree, NODE_ROOT_ID, &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(tree_stat(&tree, id(NOTE, 0, 0), &st), 0);
	assert_int_equal(st.st_nlink, 1);
}

static void assert_size(uint64_t node, off_t size, bool changes)
{
	struct stat st;

	assert_int_equal(tree_stat(&tree, node, &st), 0);
	assert_int_equal(tree_is_long(&tree, node), changes);
	if (changes) {
		/* made for those alone who may read it */
		assert_int_equal(st.st_size, NODE_SIZE);
		tree_measure(&tree, node, &st);
	}
	assert_int_equal(st.st_size, size);
	/* else cp(1) looks for holes */
	assert_true(st.st_blocks * 512 >= st.st_size);
}

/* Tools take sizes in whole pages for estimates, so that the text need not be made for stat(2). */
static void a_short_file_s_size_is_a_page(void **state)
{
	(void)state;
	assert_size(id(NOTE, 0, 0), 4096, false);
	assert_size(id(BOX_THING, 2, 5), 4096, false);
	assert_size(id(BOX_THING, 2, 14), 4096, false); /* one that cannot be read */
	assert_size(NODE_ROOT_ID, 0, false);
}

static void a_long_text_s_size_is_its_length(void **state)
{
	(void)state;
	house.pages = 5;
	assert_size(id(SHELF_BOOK, 0, 0), 5000, true);
	house.pages = 6;
	assert_size(id(SHELF_BOOK, 0, 0), 6000, true);
}

/* splice(2) sees nothing in a file of size 0, without asking us. */
static void no_file_s_size_is_zero(void **state)
{
	(void)state;
	assert_size(id(SHELF_BOOK, 0, 0), 4096, true);
	house.pages = -1;
	assert_size(id(SHELF_BOOK, 0, 0), 4096, true);
}

static void opening_says_what_reading_could_not_give(void **state)
{
	(void)state;
	assert_int_equal(tree_open(&tree, id(BOX_THING, 0, 5), false), 0);
	assert_int_equal(tree_open(&tree, id(BOX_THING, 0, 13), false), -EOPNOTSUPP);
	assert_int_equal(tree_open(&tree, NODE_ROOT_ID, false), -EISDIR);
	assert_int_equal(tree_open(&tree, id(BOX, 0, 0), true), -EISDIR);
	assert_int_equal(tree_open(&tree, id(NOTE, 0, 0), true), -EACCES);
	assert_int_equal(tree_open(&tree, id(BOX_THING, 0, 5), true), -EACCES);
	assert_int_equal(tree_open(&tree, id(BOX_KNOB, 0, 0), true), 0);
}

static void a_read_gives_the_text_or_the_error(void **state)
{
	struct text text = { 0 };

	(void)state;
	assert_int_equal(tree_read(&tree, id(BOX_THING, 2, 5), &text), 0);
	assert_int_equal(text.length, strlen("5 in 2\n"));
	assert_memory_equal(text.data, "5 in 2\n", text.length);
	assert_int_equal(tree_read(&tree, id(BOX_THING, 2, 14), &text), -EBUSY);
	assert_int_equal(tree_read(&tree, id(SHELF_LIST, 0, 0), &text), -ENOMEM);
	assert_int_equal(tree_read(&tree, NODE_ROOT_ID, &text), -EINVAL);
	text_free(&text);
}

static void a_write_reaches_its_node_alone(void **state)
{
	(void)state;
	assert_int_equal(tree_write(&tree, id(BOX_KNOB, 2, 0), "0", 1), 0);
	assert_int_equal(house.knob, '0' + 2);
	assert_int_equal(tree_write(&tree, id(BOX_KNOB, 0, 0), "01", 2), -EINVAL);
	assert_int_equal(house.knob, '0' + 2);
	assert_int_equal(tree_write(&tree, id(NOTE, 0, 0), "0", 1), -EBADF);
}

/* One step of a walk; the name, or "" at the end. */
static const char *step(uint64_t directory, uint64_t *offset)
{
	static char name[NODE_NAME_MAX];
	struct node child;
	uint64_t next = 0;
	int r = tree_walk(&tree, directory, *offset, &child, name, &next);

	assert_true(r == 0 || r == 1);
	if (!r)
		return "";
	assert_true(next > *offset);
	*offset = next;
	if (strcmp(name, "..") != 0) {
		struct node found;

		assert_int_equal(tree_lookup(&tree, directory, name, &found), 0);
		assert_int_equal(node_id(found), node_id(child));
	}
	return name;
}

static void assert_walk(uint64_t directory, uint64_t offset, const char *const *want)
{
	for (; *want; want++)
		assert_string_equal(step(directory, &offset), *want);
	assert_string_equal(step(directory, &offset), "");
}

static void a_walk_names_everything_once(void **state)
{
	(void)state;
	assert_walk(NODE_ROOT_ID, 0,
		    (const char *[]){ ".", "..", "shelf", "note", "box0", "box2", NULL });
	assert_walk(id(BOX, 2, 0), 0,
		    (const char *[]){ ".", "..", "label", "knob", "1", "5", "13", "14", NULL });
	assert_walk(id(SHELF, 0, 0), 0, (const char *[]){ ".", "..", "list", "book", NULL });
}

static void a_walk_can_be_taken_up_at_every_entry(void **state)
{
	const char *const all[] = { ".", "..", "label", "knob", "1", "5", "13", "14", NULL };
	uint64_t offset = 0;

	(void)state;
	for (size_t i = 0; all[i]; i++) {
		assert_walk(id(BOX, 0, 0), offset, all + i);
		step(id(BOX, 0, 0), &offset);
	}
}

static void children_that_come_and_go_disturb_no_walk(void **state)
{
	const uint64_t box = id(BOX, 0, 0);
	uint64_t offset = 0;

	(void)state;
	while (strcmp(step(box, &offset), "5") != 0)
		;
	/* gone: one that was named, the one just named, one that is to come; new: before and behind */
	house.things[1] = house.things[5] = house.things[13] = false;
	house.things[3] = house.things[40] = true;
	assert_walk(box, offset, (const char *[]){ "14", "40", NULL });
	/* the directory itself goes in the middle of the walk */
	house.boxes[0] = false;
	assert_int_equal(tree_walk(&tree, box, offset, &(struct node){ 0 },
				   (char[NODE_NAME_MAX]){ 0 }, &offset),
			 -ESTALE);
}

static void only_directories_can_be_walked(void **state)
{
	char name[NODE_NAME_MAX];
	struct node child;
	uint64_t next;

	(void)state;
	assert_int_equal(tree_walk(&tree, id(NOTE, 0, 0), 0, &child, name, &next), -ENOTDIR);
	/* offsets that no walk ever gave are an end, not a fault */
	assert_int_equal(tree_walk(&tree, NODE_ROOT_ID, 1000, &child, name, &next), 1);
	assert_int_equal(tree_walk(&tree, NODE_ROOT_ID, UINT64_MAX, &child, name, &next), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(ids_go_there_and_back, furnish),
		cmocka_unit_test_setup(names_lead_to_nodes, furnish),
		cmocka_unit_test_setup(what_is_not_there_is_not_found, furnish),
		cmocka_unit_test_setup(an_id_that_stands_for_nothing_is_stale, furnish),
		cmocka_unit_test_setup(a_thing_that_goes_takes_its_ids_with_it, furnish),
		cmocka_unit_test_setup(what_is_open_and_gone_has_attributes_but_no_name, furnish),
		cmocka_unit_test_setup(modes_follow_the_audience, furnish),
		cmocka_unit_test_setup(open_to_all_opens_what_is_read_and_not_the_controls,
				       furnish),
		cmocka_unit_test_setup(a_directory_says_nothing_of_how_many_it_holds, furnish),
		cmocka_unit_test_setup(a_short_file_s_size_is_a_page, furnish),
		cmocka_unit_test_setup(a_long_text_s_size_is_its_length, furnish),
		cmocka_unit_test_setup(no_file_s_size_is_zero, furnish),
		cmocka_unit_test_setup(opening_says_what_reading_could_not_give, furnish),
		cmocka_unit_test_setup(a_read_gives_the_text_or_the_error, furnish),
		cmocka_unit_test_setup(a_write_reaches_its_node_alone, furnish),
		cmocka_unit_test_setup(a_walk_names_everything_once, furnish),
		cmocka_unit_test_setup(a_walk_can_be_taken_up_at_every_entry, furnish),
		cmocka_unit_test_setup(children_that_come_and_go_disturb_no_walk, furnish),
		cmocka_unit_test_setup(only_directories_can_be_walked, furnish),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
