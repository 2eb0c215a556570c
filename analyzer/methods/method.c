// SPDX-License-Identifier: BSD-2-Clause
/* The table of methods, and picking rows of it by name. */
#include "method.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/verdict/verdict.h"
#include "userspace/common/options.h"

const struct method *const methods[] = {
	&method_kl, &method_cwnd, &method_ganesha, &method_ratio, &method_hdfs, &method_ceph, NULL};

const struct method *method_by_name(const char *name)
{
	for (size_t i = 0; methods[i]; i++)
		if (!strcmp(methods[i]->name, name))
			return methods[i];
	return NULL;
}

/* Of every method that there is, for messages. */
static const char *names(void)
{
	static char list[128];
	size_t n = 0;

	for (size_t i = 0; methods[i] && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      methods[i]->name);
	return list;
}

int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1])
{
	char words[256], *save = NULL, *name;
	size_t n = 0;

	snprintf(words, sizeof(words), "%s", text ? text : "kl,cwnd");
	for (name = strtok_r(words, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct method *m = method_by_name(name);
		bool twice = false;

		if (!strcmp(name, METHOD_ROBUST)) {
			fail("'%s' needs no training and does not go with other methods", name);
			return -EINVAL;
		}
		if (!m) {
			fail("'%s' is not a method: choose from %s", name, names());
			return -EINVAL;
		}
		for (size_t i = 0; i < n; i++)
			twice |= chosen[i] == m;
		if (!twice && n < METHODS_MAX)
			chosen[n++] = m;
	}
	chosen[n] = NULL;
	if (!n) {
		fail("'--method' needs names separated by commas: choose from %s", names());
		return -EINVAL;
	}
	return 0;
}

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
	if (m->n_metrics && metric->asked)
		return m != &method_cwnd || metric->known == M_CWND_LN;
	if (metric->known < 0)
		return m != &method_cwnd; /* the heuristic is about congestion windows alone */
	for (size_t i = 0; i < m->n_metrics; i++)
		if ((int)m->metrics[i] == metric->known)
			return true;
	return false;
}
