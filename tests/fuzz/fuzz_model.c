// SPDX-License-Identifier: BSD-2-Clause
/* model.h: any file is refused with a reason, or what it says can be judged with. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/method.h"
#include "analyzer/methods/model/model.h"

static void check_nodes(const struct model *m)
{
	MUST(m->n_nodes >= 1 && m->n_nodes <= SOURCE_HOSTS_MAX);
	for (size_t i = 0; i < m->n_nodes; i++) {
		MUST(*m->nodes[i] && memchr(m->nodes[i], 0, HOST_LEN));
		MUST(!i || strcmp(m->nodes[i - 1], m->nodes[i]) < 0);
		MUST(m->group[i] >= -1 && m->group[i] < SOURCE_HOSTS_MAX);
	}
}

static void check_trained(const struct model *m)
{
	MUST(m->n_trained <= TRAINED_MAX);
	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];

		MUST(method_by_name(t->method));
		MUST(*t->metric && memchr(t->metric, 0, METRIC_NAME_LEN));
		MUST(model_find(m, t->method, t->metric) == t); /* none is there twice */
		for (size_t n = 0; n < m->n_nodes; n++)
			MUST(isnan(t->value[n]) || (t->value[n] >= 0 && isfinite(t->value[n])));
	}
}

/* Written and read again, it is the same. */
static void check_saved(const struct model *m, const char *path)
{
	struct model again;

	MUST(!model_save(m, path));
	MUST(!model_load(&again, path, method_trained));
	MUST(again.interval_ms == m->interval_ms && again.n_windows == m->n_windows &&
	     again.from_ns == m->from_ns && again.to_ns == m->to_ns);
	MUST(!memcmp(&again.params, &m->params, sizeof(m->params)));
	MUST(again.n_nodes == m->n_nodes &&
	     !memcmp(again.nodes, m->nodes, m->n_nodes * sizeof(*m->nodes)) &&
	     !memcmp(again.group, m->group, m->n_nodes * sizeof(*m->group)));
	MUST(again.n_trained == m->n_trained && !again.ganesha == !m->ganesha);
	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];
		const struct trained *u = model_find(&again, t->method, t->metric);

		MUST(u && u->windows == t->windows);
		for (size_t n = 0; n < m->n_nodes; n++)
			MUST(u->value[n] == t->value[n] ||
			     (isnan(u->value[n]) && isnan(t->value[n])));
	}
	model_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct model m;
	int err;

	fuzz_begin();
	err = model_load(&m, path, method_trained);
	if (err) {
		static const struct model empty;

		fuzz_check_refusal(err);
		MUST(strstr(fuzz_said.last, path));
		MUST(!memcmp(&m, &empty, sizeof(m)));
		return 0;
	}
	MUST(!fuzz_said.failures);
	MUST(m.interval_ms >= 1 && m.from_ns >= 0 && m.from_ns <= m.to_ns);
	MUST(!params_check(&m.params));
	check_nodes(&m);
	check_trained(&m);
	check_saved(&m, path);
	model_release(&m);
	return 0;
}
