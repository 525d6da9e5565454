// SPDX-License-Identifier: GPL-2.0-only
/* See resolve.h. */
#include "event/resolve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/generic.h"
#include "event/modifiers.h"
#include "event/near.h"
#include "event/pmu_event.h"
#include "event/tracepoint.h"
#include "event/vendor.h"

struct event_resolver {
	char *root;
	const struct pmus *pmus;
};

/* One event for the CPUs of one core PMU. */
struct target {
	const struct event_resolver *resolver;
	const struct event_spec *spec;
	const struct pmu *core; /* NULL: those CPUs have no hardware PMU */
	const struct pmu *pmu; /* what counts it, as far as it depends on the CPU; else NULL */
	struct event_modifiers modifiers; /* the spec's, and a vendor name's own */
	struct event_attr *out;
};

int event_resolver_new(const char *root, const struct pmus *pmus, struct event_resolver **ret)
{
	struct event_resolver *resolver = calloc(1, sizeof(*resolver));

	if (!resolver)
		return -ENOMEM;
	resolver->pmus = pmus;
	resolver->root = strdup(root);
	if (!resolver->root) {
		free(resolver);
		return -ENOMEM;
	}
	*ret = resolver;
	return 0;
}

void event_resolver_free(struct event_resolver *resolver)
{
	if (!resolver)
		return;
	free(resolver->root);
	free(resolver);
}

static void set_backing(struct event_attr *out, const char *pmu, const char *terms)
{
	/* both are bounded, but a PMU and its terms together may be cut: it is for people */
	snprintf(out->backing, sizeof(out->backing), "%.*s/%.*s/", EVENT_NAME_MAX, pmu,
		 (int)sizeof(out->backing) - EVENT_NAME_MAX - 3, terms);
}

static int set_config(struct event_attr *out, const uint64_t config[CONFIG_WORDS],
		      struct refusal *why)
{
	out->attr.config = config[0];
	out->attr.config1 = config[1];
	out->attr.config2 = config[2];
#ifdef PERF_ATTR_SIZE_VER8
	(void)why;
	out->attr.config3 = config[3];
#else
	/* the field came with Linux 6.3 */
	if (config[3])
		return refuse(why, -EOPNOTSUPP,
			      "config3 is not known to the headers this program "
			      "was built with");
#endif
	return 0;
}

/*
 * Which of several core PMUs is meant has to be said with a generic or raw event where one of them
 * owns PERF_TYPE_RAW (hybrid x86): the kernel gives such events to that one alone. Where all have
 * types of their own (arm64) the kernel asks each in turn and the CPU decides; saying it there is
 * an error before Linux 6.6.
 */
static bool core_must_be_named(const struct pmus *pmus)
{
	const struct pmu *raw = pmus_find_type(pmus, PERF_TYPE_RAW);

	return pmus_hybrid(pmus) && raw && raw->class == PMU_CORE;
}

/*
 * arm64: cycles have a 64-bit counter of their own, which the kernel drives as a 32-bit one unless
 * `long` is set; then it interrupts every CPU every two seconds or so, only to note an overflow.
 * Other events would cost two counters each, chained, before PMUv3.5.
 */
static int set_long_cycles(const struct pmu *core, struct perf_event_attr *attr,
			   struct refusal *why)
{
	struct format_field field;
	int error = format_find(core, "long", &field, why);

	if (error)
		return error == -ENOENT ? 0 : error;
	if (field.word == 1 && field.bits == 1)
		attr->config1 |= 1;
	return 0;
}

static int no_pmu(const struct target *target, struct refusal *why)
{
	return refuse(why, -EOPNOTSUPP,
		      "no hardware PMU: this machine or guest has none that could "
		      "count '%.128s'%s",
		      target->spec->text,
		      target->resolver->pmus->count &&
				      target->resolver->pmus->list[0].class == PMU_CORE
			      ? " on this CPU"
			      : "");
}

/* word: the event as it was asked for, without modifiers. */
static int resolve_generic(struct target *target, const struct generic_event *generic,
			   const char *word, struct refusal *why)
{
	struct perf_event_attr *attr = &target->out->attr;
	const struct pmu *core = target->core;

	attr->type = generic->type;
	attr->config = generic->config;
	if (generic->type == PERF_TYPE_SOFTWARE) {
		set_backing(target->out, "software", generic->symbol);
		return 0;
	}
	if (!core)
		return no_pmu(target, why);
	target->pmu = core;
	set_backing(target->out, core->name, word);
	if (core_must_be_named(target->resolver->pmus))
		attr->config |= (uint64_t)core->type << PERF_PMU_TYPE_SHIFT;
	if (generic->type == PERF_TYPE_HARDWARE && generic->config == PERF_COUNT_HW_CPU_CYCLES)
		return set_long_cycles(core, attr, why);
	return 0;
}

static int resolve_raw(struct target *target, uint64_t raw, struct refusal *why)
{
	char terms[32];

	if (!target->core)
		return no_pmu(target, why);
	target->pmu = target->core;
	target->out->attr.type = core_must_be_named(target->resolver->pmus) ? target->core->type
									    : PERF_TYPE_RAW;
	target->out->attr.config = raw;
	snprintf(terms, sizeof(terms), "config=0x%llx", (unsigned long long)raw);
	set_backing(target->out, target->core->name, terms);
	return 0;
}

static int resolve_terms(struct target *target, const struct pmu *pmu,
			 const struct event_term *terms, size_t count, struct refusal *why)
{
	struct pmu_event event;
	int error = pmu_event_encode(pmu, terms, count, &event, why);

	if (error)
		return error;
	target->pmu = pmu;
	target->out->attr.type = pmu->type;
	target->out->scale = event.scale;
	memcpy(target->out->unit, event.unit, sizeof(event.unit));
	set_backing(target->out, pmu->name, event.terms);
	return set_config(target->out, event.config, why);
}

static int unknown_event(const struct target *target, const char *word, struct refusal *why)
{
	const struct event_resolver *resolver = target->resolver;
	char names[NEAR_TEXT_MAX];
	struct near near;

	near_start(&near, word);
	(void)generic_each(near_offer, &near);
	for (size_t i = 0; i < resolver->pmus->count; i++)
		(void)pmu_event_each(&resolver->pmus->list[i], near_offer, &near);
	vendor_offer(&near);
	tracepoint_offer(resolver->root, &near);
	near_text(&near, names);
	return refuse(why, -ENOENT, "unknown event '%.128s'%s", word, names);
}

/* Attributes in a vendor's name hold where no modifier behind it says otherwise. */
static void merge_modifiers(struct event_modifiers *to, const struct event_modifiers *from)
{
	to->pinned |= from->pinned;
	to->exclusive |= from->exclusive;
	if (!to->precise)
		to->precise = from->precise;
	if (!to->user && !to->kernel && !to->hypervisor) {
		to->user = from->user;
		to->kernel = from->kernel;
		to->hypervisor = from->hypervisor;
	}
}

static int resolve_vendor(struct target *target, const char *name, struct refusal *why)
{
	struct vendor_event event;
	int error = vendor_find(name, &event, why);

	if (error)
		return error;
	merge_modifiers(&target->modifiers, &event.modifiers);
	target->pmu = pmus_find_type(target->resolver->pmus, event.type);
	/* PERF_TYPE_RAW need not be any PMU's own type: it is the core PMU's, whichever that is */
	if (!target->pmu)
		target->pmu = target->core;
	if (!target->pmu)
		return no_pmu(target, why);
	target->out->attr.type = event.type;
	snprintf(target->out->backing, sizeof(target->out->backing), "%s", event.full_name);
	return set_config(target->out, event.config, why);
}

/* Offers the PMUs that have an event, as PMU/EVENT/. */
static int ambiguous(const struct pmus *pmus, const char *name, struct refusal *why)
{
	char list[256];
	size_t used = 0, listed = 0, count = 0;

	for (size_t i = 0; i < pmus->count; i++) {
		int length;

		if (!pmu_event_exists(&pmus->list[i], name) || count++ >= NEAR_NAMES)
			continue;
		length = snprintf(list + used, sizeof(list) - used, "%s%s/%s/", used ? ", " : "",
				  pmus->list[i].name, name);
		if (length < 0 || (size_t)length >= sizeof(list) - used)
			break;
		used += (size_t)length;
		listed++;
	}
	return refuse(why, -EINVAL, "'%.64s' is an event of %zu PMUs, say which: %.*s%s", name,
		      count, (int)used, list, count > listed ? ", …" : "");
}

/* A PMU's named event without the PMU: the CPU's core PMU goes before the others. */
static int resolve_named(struct target *target, const char *name, struct refusal *why)
{
	const struct pmus *pmus = target->resolver->pmus;
	const struct event_term term = { .name = (char *)name };
	const struct pmu *found = NULL;

	if (target->core && pmu_event_exists(target->core, name))
		return resolve_terms(target, target->core, &term, 1, why);
	for (size_t i = 0; i < pmus->count; i++) {
		const struct pmu *pmu = &pmus->list[i];

		if (!pmu_event_exists(pmu, name))
			continue;
		if (pmu->class == PMU_CORE)
			return refuse(why, -EOPNOTSUPP,
				      "'%.128s' is an event of PMU '%s', which "
				      "does not serve this CPU",
				      name, pmu->name);
		if (found)
			return ambiguous(pmus, name, why);
		found = pmu;
	}
	return found ? resolve_terms(target, found, &term, 1, why) : -ENOENT;
}

static int resolve_symbol(struct target *target, struct refusal *why)
{
	const char *name = target->spec->head;
	const char *uncountable = generic_uncountable(name);
	struct generic_event generic;
	int error;

	if (uncountable)
		return refuse(why, -EINVAL, "'%s' %s", name, uncountable);
	error = generic_find(name, &generic);
	if (!error)
		return resolve_generic(target, &generic, name, why);
	if (error == -EINVAL)
		return refuse(why, error, "no cache has the event '%.128s'", name);
	error = resolve_named(target, name, why);
	if (error == -ENOENT)
		error = resolve_vendor(target, name, why);
	if (error == -ENOENT)
		error = unknown_event(target, name, why);
	return error;
}

/* cycles/config1=1/: a generic or raw event in front of terms, which perf takes as well. */
static int resolve_symbol_terms(struct target *target, struct refusal *why)
{
	static const char *const words[CONFIG_WORDS] = { "config", "config1", "config2",
							 "config3" };
	const struct event_spec *spec = target->spec;
	struct perf_event_attr *attr = &target->out->attr;
	uint64_t config[CONFIG_WORDS];

	config[0] = attr->config;
	config[1] = attr->config1;
	config[2] = attr->config2;
	config[3] = 0;
	for (size_t i = 0; i < spec->term_count; i++) {
		const struct event_term *term = &spec->terms[i];
		size_t word = 0;

		while (word < CONFIG_WORDS && strcmp(term->name, words[word]))
			word++;
		if (word == CONFIG_WORDS)
			return refuse(
				why, -EINVAL,
				"the term '%.64s' means nothing to '%.64s': there are config, "
				"config1, config2, config3 and name",
				term->name, spec->head);
		if (!term->value || number_parse(term->value, &config[word]))
			return refuse(why, -EINVAL,
				      "'%.64s' is no value for '%s': a number, 10 or 0xa, is",
				      term->value ? term->value : "", term->name);
	}
	return set_config(target->out, config, why);
}

static int unknown_pmu(const struct target *target, struct refusal *why)
{
	const struct pmus *pmus = target->resolver->pmus;
	char names[NEAR_TEXT_MAX];
	struct near near;

	near_start(&near, target->spec->head);
	for (size_t i = 0; i < pmus->count; i++)
		near_offer(&near, pmus->list[i].name);
	near_text(&near, names);
	return refuse(why, -ENOENT, "no PMU '%.128s' on this machine%s", target->spec->head, names);
}

static int resolve_pmu(struct target *target, struct refusal *why)
{
	const struct event_spec *spec = target->spec;
	const struct pmu *pmu = pmus_find(target->resolver->pmus, spec->head);
	struct generic_event generic;
	char *end;
	int error;

	if (pmu && !spec->term_count)
		return refuse(why, -EINVAL, "no event in '%.128s'", spec->text);
	/* armv8_pmuv3/cycles/: a core PMU counts the generic events, named in its events/ or not */
	if (pmu && pmu->class == PMU_CORE && spec->term_count == 1 && !spec->terms[0].value &&
	    !pmu_event_named(pmu, spec->terms[0].name) &&
	    !generic_find(spec->terms[0].name, &generic) && generic.type != PERF_TYPE_SOFTWARE) {
		target->core = pmu;
		return resolve_generic(target, &generic, spec->terms[0].name, why);
	}
	if (pmu)
		return resolve_terms(target, pmu, spec->terms, spec->term_count, why);
	if (!generic_find(spec->head, &generic)) {
		error = resolve_generic(target, &generic, spec->head, why);
	} else if (spec->head[0] == 'r' && spec->head[1] &&
		   strlen(spec->head + 1) <= sizeof(uint64_t) * 2) {
		uint64_t raw = strtoull(spec->head + 1, &end, 16);

		error = *end ? unknown_pmu(target, why) : resolve_raw(target, raw, why);
	} else {
		error = unknown_pmu(target, why);
	}
	return error ? error : resolve_symbol_terms(target, why);
}

static int resolve_tracepoint(struct target *target, struct refusal *why)
{
	const struct event_spec *spec = target->spec;
	const char *uncountable = generic_uncountable(spec->head);
	struct refusal vendor_why = { 0 };
	char name[EVENT_SPEC_MAX];
	uint64_t id;
	int error, vendor_error;

	if (uncountable)
		return refuse(why, -EINVAL, "'%s' %s", spec->head, uncountable);
	error = tracepoint_find(target->resolver->root, spec->head, spec->tail, &id, why);
	if (!error) {
		target->out->attr.type = PERF_TYPE_TRACEPOINT;
		target->out->attr.config = id;
		snprintf(name, sizeof(name), "%s:%s", spec->head, spec->tail);
		set_backing(target->out, "tracepoint", name);
		return 0;
	}
	/* EVENT:UMASK looks the same */
	snprintf(name, sizeof(name), "%s:%s", spec->head, spec->tail);
	vendor_error = resolve_vendor(target, name, &vendor_why);
	if (vendor_error == -ENOENT)
		return error;
	if (vendor_error)
		return refuse(why, vendor_error, "%s", vendor_why.message);
	if (why)
		why->message[0] = '\0';
	return 0;
}

/* What is wrong with a word of several colons that libpfm4 does not know. */
static int unknown_vendor(const struct target *target, struct refusal *why)
{
	char words[EVENT_SPEC_MAX];
	char *rest = words, *system, *name;
	const char *uncountable;
	uint64_t id;

	snprintf(words, sizeof(words), "%s", target->spec->head);
	system = strsep(&rest, ":");
	name = strsep(&rest, ":");
	uncountable = generic_uncountable(system);
	if (uncountable)
		return refuse(why, -EINVAL, "'%s' %s", system, uncountable);
	if (name && rest && !tracepoint_find(target->resolver->root, system, name, &id, NULL))
		return refuse(why, -EINVAL, "unknown modifier '%s' of the tracepoint '%s:%s'", rest,
			      system, name);
	return unknown_event(target, target->spec->head, why);
}

static int resolve_vendor_name(struct target *target, struct refusal *why)
{
	int error = resolve_vendor(target, target->spec->head, why);

	return error == -ENOENT ? unknown_vendor(target, why) : error;
}

/*
 * Guests are left out where the PMU can tell them from the host. Uncore PMUs and the like refuse
 * every exclude_* bit, and perf stat ends up without them after trying.
 */
static bool excludes_guest(const struct target *target)
{
	uint32_t type = target->out->attr.type;

	return !target->pmu || target->pmu->class == PMU_CORE || type == PERF_TYPE_SOFTWARE ||
	       type == PERF_TYPE_TRACEPOINT;
}

/* For all CPUs that this core PMU serves; *pmu is what counts it, NULL when every CPU can. */
static int resolve_on(const struct event_resolver *resolver, const struct event_spec *spec,
		      const struct pmu *core, struct event_attr *out, const struct pmu **pmu,
		      struct refusal *why)
{
	struct target target = { .resolver = resolver,
				 .spec = spec,
				 .core = core,
				 .modifiers = spec->modifiers,
				 .out = out };
	int error = -EINVAL;

	memset(out, 0, sizeof(*out));
	out->attr.size = sizeof(out->attr);
	out->scale = 1.0;
	switch (spec->kind) {
	case EVENT_SYMBOL:
		error = resolve_symbol(&target, why);
		break;
	case EVENT_RAW:
		error = resolve_raw(&target, spec->raw, why);
		break;
	case EVENT_PMU:
		error = resolve_pmu(&target, why);
		break;
	case EVENT_TRACEPOINT:
		error = resolve_tracepoint(&target, why);
		break;
	case EVENT_VENDOR:
		error = resolve_vendor_name(&target, why);
		break;
	}
	if (error)
		return error;
	modifiers_apply(&target.modifiers, excludes_guest(&target), &out->attr);
	*pmu = target.pmu;
	return 0;
}

int event_check(struct event_resolver *resolver, const struct event_spec *spec, struct refusal *why)
{
	const struct pmus *pmus = resolver->pmus;
	const struct pmu *pmu;
	struct event_attr attr;
	struct refusal first = { 0 };
	int error = 0;

	for (size_t i = 0; i < pmus->count && pmus->list[i].class == PMU_CORE; i++) {
		struct refusal here = { 0 };
		int answer = resolve_on(resolver, spec, &pmus->list[i], &attr, &pmu, &here);

		/* known, though not here */
		if (!answer || answer == -EOPNOTSUPP)
			return 0;
		if (!error) {
			error = answer;
			first = here;
		}
	}
	if (!error)
		error = resolve_on(resolver, spec, NULL, &attr, &pmu, &first);
	if (!error || error == -EOPNOTSUPP)
		return 0;
	return refuse(why, error, "%s", first.message);
}

int event_resolve(struct event_resolver *resolver, const struct event_spec *spec, unsigned int cpu,
		  struct event_attr *attr, struct refusal *why)
{
	const struct pmu *pmu;
	char list[64];
	int error = resolve_on(resolver, spec, pmus_core(resolver->pmus, cpu), attr, &pmu, why);

	if (error || !pmu || cpu_mask_has(&pmu->cpus, cpu))
		return error;
	(void)cpu_list_format(&pmu->cpus, list, sizeof(list));
	return refuse(why, -EOPNOTSUPP, "PMU '%s' counts '%.128s' on %s%s, not on CPU %u",
		      pmu->name, spec->text, *list ? "CPUs " : "no CPU at present", list, cpu);
}
