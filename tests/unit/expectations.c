// SPDX-License-Identifier: GPL-2.0-only
/* See expectations.h. */
#include "expectations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void parse(const char *word, struct event_spec *spec, struct refusal *why)
{
	if (event_spec_parse(word, strlen(word), spec, why))
		fail_msg("'%s' does not parse: %s", word, why ? why->message : "");
}

int resolve(const char *word, unsigned int cpu, struct event_attr *attr, struct refusal *why)
{
	struct event_spec spec;
	int error;

	parse(word, &spec, why);
	error = event_resolve(machine.resolver, &spec, cpu, attr, why);
	event_spec_free(&spec);
	return error;
}

static int check(const char *word, struct refusal *why)
{
	struct event_spec spec;
	int error;

	parse(word, &spec, why);
	error = event_check(machine.resolver, &spec, why);
	event_spec_free(&spec);
	return error;
}

void assert_resolves(const struct expectation *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct expectation *e = &list[i];
		struct refusal why = { 0 };
		struct event_attr out;

		if (resolve(e->word, e->cpu, &out, &why))
			fail_msg("'%s' on CPU %u was refused: %s", e->word, e->cpu, why.message);
		if (out.attr.type != e->type || out.attr.config != e->config ||
		    out.attr.config1 != e->config1 || out.attr.config2 != e->config2)
			fail_msg("'%s' on CPU %u is type %u, config 0x%llx, 0x%llx, 0x%llx",
				 e->word, e->cpu, out.attr.type,
				 (unsigned long long)out.attr.config,
				 (unsigned long long)out.attr.config1,
				 (unsigned long long)out.attr.config2);
		assert_int_equal(out.attr.size, sizeof(out.attr));
		assert_string_equal(why.message, "");
		if (e->backing)
			assert_string_equal(out.backing, e->backing);
		assert_int_equal(check(e->word, NULL), 0);
	}
}

void assert_refuses(const struct refused *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct refused *r = &list[i];
		struct refusal why = { 0 };
		struct event_attr out;
		int error = resolve(r->word, r->cpu, &out, &why);

		if (error != r->error)
			fail_msg("'%s' on CPU %u: answer %d: %s", r->word, r->cpu, error,
				 why.message);
		if (!strstr(why.message, r->says))
			fail_msg("'%s': \"%s\" does not say \"%s\"", r->word, why.message, r->says);
		why.message[0] = '\0';
		error = check(r->word, &why);
		if (error != r->check)
			fail_msg("check of '%s': answer %d: %s", r->word, error, why.message);
		if (error ? !strstr(why.message, r->says) : why.message[0] != '\0')
			fail_msg("check of '%s' says: %s", r->word, why.message);
	}
}

int the_model_is_skylake(void **state)
{
	(void)state;
	return setenv("LIBPFM_FORCE_PMU", "skl", 1);
}
