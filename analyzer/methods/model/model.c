// SPDX-License-Identifier: BSD-2-Clause
/* The model in memory, and as JSON text on its way out. */
#include "model.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ganesha.h"
#include "userspace/common/json_bounded.h"
#include "userspace/common/options.h"
#include "userspace/common/version.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

int model_init(struct model *m, const struct frame *f, const int32_t *group, const struct params *p)
{
	*m = (struct model){.params = *p,
			    .interval_ms = f->interval_ms,
			    .from_ns = f->first_ns,
			    .to_ns = frame_time(f, f->n_times),
			    .n_nodes = f->n_nodes};
	if (!(m->params.t_min > 0))
		m->params.t_min = params_t_min(p);
	m->nodes = calloc(f->n_nodes + 1, sizeof(*m->nodes));
	m->group = calloc(f->n_nodes + 1, sizeof(*m->group));
	if (!m->nodes || !m->group)
		return -ENOMEM;
	memcpy(m->nodes, f->nodes, f->n_nodes * sizeof(*m->nodes));
	if (group)
		memcpy(m->group, group, f->n_nodes * sizeof(*m->group));
	return 0;
}

void model_release(struct model *m)
{
	for (size_t i = 0; i < m->n_trained; i++)
		free(m->trained[i].value);
	free(m->trained);
	free(m->nodes);
	free(m->group);
	ganesha_free(m->ganesha);
	*m = (struct model){0};
}

struct trained *model_add(struct model *m, const char *method, const char *metric)
{
	double *value = malloc((m->n_nodes + 1) * sizeof(double));
	struct trained *t = value ? array_add(&m->trained, &m->n_trained) : NULL;

	if (!t) {
		free(value);
		return NULL;
	}
	t->method = method;
	snprintf(t->metric, sizeof(t->metric), "%s", metric);
	t->value = value;
	for (size_t i = 0; i < m->n_nodes; i++)
		value[i] = NAN;
	return t;
}

const struct trained *model_find(const struct model *m, const char *method, const char *metric)
{
	return find_if(i, m->trained, m->n_trained,
		       !strcmp(m->trained[i].metric, metric) &&
			       !strcmp(m->trained[i].method, method));
}

void model_mark_counters(struct model *m, const struct frame *f)
{
	for (size_t i = 0; i < m->n_trained; i++) {
		struct trained *t = &m->trained[i];

		t->counter = frame_metric(f, frame_find(f, t->metric))->counter;
	}
}

/* A counter and its rate have one name, and nothing else in common. */
static int fit_counters(const struct model *m, const struct frame *f)
{
	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];
		size_t at = frame_find(f, t->metric);

		if (!t->windows || at == SIZE_MAX || f->metrics[at].counter == t->counter)
			continue;
		return fail("the model does not fit: it was trained on %s'%s'%s --counter %s",
			    t->counter ? "the rate of " : "", t->metric,
			    t->counter ? "; give" : " as it is, without", t->metric);
	}
	return 0;
}

/* What was trained and is not in a table cannot be judged; series files have every metric. With
 * metrics asked for by name the frame has only those. */
static int fit_metrics(const struct model *m, const struct frame *f)
{
	if (f->n_metrics && f->metrics[0].asked)
		return 0;
	for (size_t i = 0; i < m->n_trained; i++) {
		const char *name = m->trained[i].metric;

		if (m->trained[i].windows && metric_by_name(name) < 0 &&
		    frame_find(f, name) == SIZE_MAX)
			return fail("the model does not fit: trained on the metric '%s', which the "
				    "data do not have",
				    name);
	}
	return 0;
}

int model_fit(const struct model *m, const struct frame *f, bool per_node, size_t **index)
{
	*index = NULL;
	if (m->interval_ms != f->interval_ms)
		return fail("the model does not fit: trained on intervals of %u ms, the data have "
			    "%u ms",
			    m->interval_ms, f->interval_ms);
	if (fit_metrics(m, f) || fit_counters(m, f))
		return -EINVAL;
	*index = calloc(f->n_nodes + 1, sizeof(**index));
	if (!*index) {
		fail("out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n_nodes; i++) {
		size_t at = search_first(k, m->n_nodes, strcmp(m->nodes[k], f->nodes[i]) < 0);
		bool known = at < m->n_nodes && !strcmp(m->nodes[at], f->nodes[i]);

		if (!known && per_node) {
			fail("the model does not fit: it does not know the host '%s'; train again "
			     "with it",
			     f->nodes[i]);
			free(*index);
			*index = NULL;
			return -EINVAL;
		}
		(*index)[i] = known ? at : SIZE_MAX;
	}
	return 0;
}

static json_t *params_json(const struct params *p)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "smooth",
			 (json_int_t)p->smooth, "window", (json_int_t)p->window, "shift",
			 (json_int_t)p->shift, "bins", (json_int_t)p->bins, "votes",
			 (json_int_t)p->votes, "cwnd_smooth", (json_int_t)p->cwnd_smooth,
			 "partition", (json_int_t)p->partition, "slack", p->slack, "t_min",
			 p->t_min);
}

static json_t *methods_json(const struct model *m)
{
	json_t *table = json_object();

	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];
		json_t *method = json_object_get(table, t->method), *values = json_array(), *row;

		if (!method) {
			method = json_object();
			json_object_set_new(table, t->method, method);
		}
		for (size_t n = 0; n < m->n_nodes; n++)
			json_array_append_new(values, isnan(t->value[n]) ? json_null()
									 : json_real(t->value[n]));
		row = json_pack("{s:I, s:o}", "windows", (json_int_t)t->windows, "trained", values);
		if (t->counter)
			json_object_set_new(row, "counter", json_true());
		json_object_set_new(method, t->metric, row);
	}
	if (m->ganesha)
		json_object_set_new(table, "ganesha", ganesha_json(m->ganesha));
	return table;
}

int model_save(const struct model *m, const char *path)
{
	json_t *nodes = json_array(), *groups = json_array(), *root;

	for (size_t i = 0; i < m->n_nodes; i++) {
		json_array_append_new(nodes, json_string(m->nodes[i]));
		json_array_append_new(groups, json_integer(m->group[i]));
	}
	root = json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "format",
			 "limpet-model", "version", MODEL_VERSION, "tool", "limpet " LIMPET_VERSION,
			 "interval_ms", (json_int_t)m->interval_ms, "from_ns",
			 (json_int_t)m->from_ns, "to_ns", (json_int_t)m->to_ns, "windows",
			 (json_int_t)m->n_windows, "params", params_json(&m->params), "nodes",
			 nodes, "groups", groups, "methods", methods_json(m));
	return json_replace(path, root, 17, false);
}
