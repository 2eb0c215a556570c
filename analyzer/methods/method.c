// SPDX-License-Identifier: BSD-2-Clause
/* The table of methods, and picking rows of it by name. */
#include "method.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

#define ROW(NAME) &method_##NAME,
const struct method *const methods[] = {METHODS(ROW) NULL};

const struct method *method_by_name(const char *name)
{
	for (size_t i = 0; methods[i]; i++)
		if (!strcmp(methods[i]->name, name))
			return methods[i];
	return NULL;
}

const char *method_trained(const char *name, bool *profiles)
{
	const struct method *m = method_by_name(name);

	*profiles = m == &method_ganesha;
	return m && m->passes ? m->name : NULL;
}

static int choose_method(const struct method *chosen[METHODS_MAX + 1], size_t *n, const char *name)
{
	const struct method *m = method_by_name(name);

	if (!m)
		return fail("'%s' is not a method: choose from" METHOD_NAMES, name);
	for (size_t i = 0; i < *n; i++) {
		if (chosen[i] == m)
			return 0;
		if (!(chosen[i]->reads & m->reads & READS_FRAMES))
			return fail("the method '%s' does not go with others",
				    m->reads & READS_FRAMES ? chosen[i]->name : name);
	}
	if (*n < METHODS_MAX)
		chosen[(*n)++] = m;
	return 0;
}

int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1])
{
	char words[256], *save = NULL, *name;
	size_t n = 0;
	int err = 0;

	snprintf(words, sizeof(words), "%s", text ? text : "kl,cwnd");
	for (name = strtok_r(words, ",", &save); name && !err; name = strtok_r(NULL, ",", &save))
		err = choose_method(chosen, &n, name);
	chosen[n] = NULL;
	if (!err && !n)
		err = fail("'--method' needs names separated by commas: choose from" METHOD_NAMES);
	return err;
}

/* ---- options -----------------------------------------------------------------------------------*/

/* Options that not every method heeds. */
static const struct option_def limited[] = {
	ANALYSIS_INTERVALS(0), ANALYSIS_COLUMNS(0), ANALYSIS_FRAMES(0), ANALYSIS_STATES(0), {0}};

/* Whether it is not as in ANALYSIS_DEFAULT. */
static bool is_given(const struct option_def *d, const struct analysis_opts *o)
{
	static const size_t sizes[] = {
		[OPT_FLAG] = sizeof(bool),	   [OPT_STRING] = sizeof(const char *),
		[OPT_UINT] = sizeof(unsigned int), [OPT_DOUBLE] = sizeof(double),
		[OPT_SIZE] = sizeof(uint64_t),	   [OPT_TIME] = sizeof(int64_t),
	};
	const struct analysis_opts usual = ANALYSIS_DEFAULT;
	const void *at = (const char *)o + d->offset;

	if (d->type == OPT_LIST)
		return ((const struct string_list *)at)->n > 0;
	return memcmp(at, (const char *)&usual + d->offset, sizes[d->type]) != 0;
}

static bool heeds(const struct method *m, const char *option)
{
	const char *const *name = m->heeds;

	while (*name && strcmp(*name, option))
		name++;
	return *name != NULL;
}

/* "is not for …": with the methods that it is for. */
static void refuse_option(const char *option, const char *what, const char *name)
{
	struct text others TEXT_SCOPED = {0};

	for (size_t i = 0; methods[i]; i++)
		if (heeds(methods[i], option))
			text_add(&others, "%s%s", others.len ? ", " : "", methods[i]->name);
	fail("'--%s' is not for the method%s%s: it is for %s", option, what, name,
	     text_of(&others));
}

int methods_heed(const struct method *const *chosen, const struct analysis_opts *o)
{
	for (const struct option_def *d = limited; d->name; d++) {
		const struct method *const *m = chosen;

		if (!is_given(d, o))
			continue;
		while (*m && !heeds(*m, d->name))
			m++;
		if (*m)
			continue;
		if (o->model && !o->method)
			refuse_option(d->name, "s of the model", "");
		else
			refuse_option(d->name, " ", o->method ? o->method : (*chosen)->name);
		return -EINVAL;
	}
	return 0;
}

int method_options_meant(const struct analysis_opts *o, const struct sources *s, unsigned int reads)
{
	unsigned int found = 0;

	if (s->n)
		found |= (reads & READS_INTERVALS ? MEANT_SERIES : 0) |
			 (reads & READS_FRAMES ? MEANT_SERIES_FRAMES : 0);
	if (s->tabular && s->table.prometheus)
		found |= reads & (READS_COLUMNS | READS_FRAMES) ? MEANT_PROMETHEUS : 0;
	else if (s->tabular && s->table.sysstat)
		found |= reads & (READS_COLUMNS | READS_FRAMES) ? MEANT_SYSSTAT : 0;
	else if (s->tabular)
		found |= (reads & READS_COLUMNS ? MEANT_TABLES : 0) |
			 (reads & READS_FRAMES ? MEANT_TABLES_FRAMES : 0);
	if (s->n_logs)
		found |= reads & READS_STATES ? MEANT_LOGS : 0;
	if (o->found)
		*o->found |= found;
	return o->found ? 0 : options_meant(found);
}

/* Those that a model may be for. */
static const struct method *const *all_trained(void)
{
	static const struct method *list[METHODS_MAX + 1];
	size_t n = 0;

	for (size_t i = 0; methods[i]; i++)
		if (methods[i]->passes)
			list[n++] = methods[i];
	list[n] = NULL;
	return list;
}

static const struct method *const *these(const struct method *const *chosen)
{
	return *chosen ? chosen : all_trained();
}

int methods_choose(const struct analysis_opts *o, const struct method *chosen[METHODS_MAX + 1])
{
	size_t n = 0;

	chosen[0] = NULL;
	if (o->method && methods_parse(o->method, chosen))
		return -EINVAL;
	for (size_t i = 0; !o->method && !o->model && methods[i]; i++)
		if (methods[i]->is_default)
			chosen[n++] = methods[i];
	if (n)
		chosen[n] = NULL;
	return methods_heed(these(chosen), o);
}

int methods_make(struct verdict *v, const struct method *const *chosen,
		 const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	return these(chosen)[0]->make(v, chosen, o, paths, n_paths);
}

bool methods_trained(const struct method *const *chosen)
{
	const struct method *const *m = these(chosen);

	while (*m && !(*m)->passes)
		m++;
	return *m != NULL;
}

enum vocabulary methods_words(const struct method *const *chosen)
{
	return these(chosen)[0]->words;
}

/* ---- frames --------------------------------------------------------------------------------------*/

void methods_wanted(const struct method *const *chosen, const struct string_list *asked,
		    bool *wanted)
{
	bool any = asked && asked->n;

	for (size_t i = 0; any && i < asked->n; i++) {
		int m = metric_by_name(asked->at[i]);

		if (m >= 0)
			wanted[m] = true;
	}
	for (; *chosen; chosen++)
		for (size_t i = 0; !any && i < (*chosen)->n_metrics; i++)
			wanted[(*chosen)->metrics[i]] = true;
}

bool method_looks_at(const struct method *m, const struct frame_metric *metric)
{
	if (m->larger && metric->worse == WORSE_DOWN)
		return false;
	if (m->n_metrics && metric->asked)
		return m != &method_cwnd || metric->known == M_CWND_LN;
	if (metric->known < 0)
		return m != &method_cwnd; /* the heuristic is about congestion windows alone */
	return any_of(i, m->n_metrics, (int)m->metrics[i] == metric->known);
}
