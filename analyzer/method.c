// SPDX-License-Identifier: BSD-2-Clause
/* The table of methods, and picking rows of it by name. */
#include "method.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../userspace/options.h"

const struct method *const methods[] = {&method_kl, &method_cwnd, NULL};

const struct method *method_by_name(const char *name)
{
	for (size_t i = 0; methods[i]; i++)
		if (!strcmp(methods[i]->name, name))
			return methods[i];
	return NULL;
}

int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1])
{
	char names[256], *save = NULL, *name;
	size_t n = 0;

	if (!text) {
		for (size_t i = 0; methods[i] && n < METHODS_MAX; i++)
			if (methods[i]->train)
				chosen[n++] = methods[i];
		chosen[n] = NULL;
		return 0;
	}
	snprintf(names, sizeof(names), "%s", text);
	for (name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct method *m = method_by_name(name);
		bool twice = false;

		if (!m) {
			fail("'%s' is not a method: choose from kl, cwnd", name);
			return -EINVAL;
		}
		for (size_t i = 0; i < n; i++)
			twice |= chosen[i] == m;
		if (!twice && n < METHODS_MAX)
			chosen[n++] = m;
	}
	chosen[n] = NULL;
	if (!n) {
		fail("'--method' needs a name: kl, cwnd, or both as kl,cwnd");
		return -EINVAL;
	}
	return 0;
}

void methods_wanted(const struct method *const *chosen, bool *wanted)
{
	for (; *chosen; chosen++)
		for (size_t i = 0; i < (*chosen)->n_metrics; i++)
			wanted[(*chosen)->metrics[i]] = true;
}
