// SPDX-License-Identifier: BSD-2-Clause
/* Reads a model, believing nothing: size, types, ranges and order are checked. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ganesha.h"
#include "userspace/common/json_bounded.h"
#include "userspace/common/options.h"

#define MODEL_BYTES_MAX (64u << 20) /* 100000 nodes with 8 numbers of 20 digits each are 17 MB */

/* Says what is wrong with the model at `path` and returns -EINVAL. */
static int __attribute__((format(printf, 2, 3))) refuse(const char *path, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return fail("cannot use the model '%s': %s", path, why);
}

/* A whole number in [0, max]. */
static int get_int(const json_t *o, const char *key, int64_t max, int64_t *out)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return -EINVAL;
	*out = json_integer_value(v);
	return 0;
}

static int get_real(const json_t *o, const char *key, double *out)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_number(v) || !isfinite(json_number_value(v)))
		return -EINVAL;
	*out = json_number_value(v);
	return 0;
}

static int load_params(struct params *p, const json_t *o, const char *path)
{
	const struct {
		const char *key;
		unsigned int *to;
	} ints[] = {{"smooth", &p->smooth},
		    {"window", &p->window},
		    {"shift", &p->shift},
		    {"bins", &p->bins},
		    {"votes", &p->votes},
		    {"partition", &p->partition},
		    {"cwnd_smooth", &p->cwnd_smooth}};
	const char *wrong;
	int64_t v;

	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++) {
		if (get_int(o, ints[i].key, 1000000, &v))
			return refuse(path, "its parameter '%s' is missing or not valid",
				      ints[i].key);
		*ints[i].to = (unsigned int)v;
	}
	if (get_real(o, "slack", &p->slack) || get_real(o, "t_min", &p->t_min) || !(p->t_min > 0))
		return refuse(path, "its slack or t_min is missing or not valid");
	wrong = params_check(p);
	return wrong ? refuse(path, "%s", wrong) : 0;
}

static int load_nodes(struct model *m, const json_t *nodes, const char *path)
{
	size_t n = json_array_size(nodes);

	if (!json_is_array(nodes) || n < 1 || n > SOURCE_HOSTS_MAX)
		return refuse(path, "it has no list of hosts");
	m->nodes = calloc(n, sizeof(*m->nodes));
	if (!m->nodes)
		return -ENOMEM;
	m->n_nodes = n;
	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(nodes, i));

		if (!name || !*name || name_check(name, strlen(name), HOST_LEN - 1))
			return refuse(path, "host number %zu has no valid name", i + 1);
		strcpy(m->nodes[i], name);
		if (i && strcmp(m->nodes[i - 1], name) >= 0)
			return refuse(path, "its hosts are not in order, or one is there twice");
	}
	return 0;
}

/* One number per host: the group it is in, or -1. */
static int load_groups(struct model *m, const json_t *groups, const char *path)
{
	m->group = calloc(m->n_nodes + 1, sizeof(*m->group));
	if (!m->group)
		return -ENOMEM;
	if (!json_is_array(groups) || json_array_size(groups) != m->n_nodes)
		return refuse(path, "it does not say the group of each host");
	for (size_t i = 0; i < m->n_nodes; i++) {
		const json_t *v = json_array_get(groups, i);
		json_int_t group = json_integer_value(v);

		if (!json_is_integer(v) || group < -1 || group >= SOURCE_HOSTS_MAX)
			return refuse(path, "the group of '%s' is not valid", m->nodes[i]);
		m->group[i] = (int32_t)group;
	}
	return 0;
}

static int load_trained(struct model *m, const char *method, const char *name, const json_t *o,
			const char *path)
{
	const json_t *values = json_object_get(o, "trained");
	const json_t *counter = json_object_get(o, "counter");
	struct trained *t;
	int64_t windows;

	if (!*name || strlen(name) >= METRIC_NAME_LEN || m->n_trained >= TRAINED_MAX)
		return refuse(path, "'%.64s' is not a metric, or one too many", name);
	if (!json_is_array(values) || json_array_size(values) != m->n_nodes ||
	    get_int(o, "windows", INT32_MAX, &windows) || (counter && !json_is_boolean(counter)))
		return refuse(path, "'%s' has something else than a number for each host", name);
	t = model_add(m, method, name);
	if (!t)
		return -ENOMEM;
	t->windows = (size_t)windows;
	t->counter = json_is_true(counter);
	for (size_t i = 0; i < m->n_nodes; i++) {
		const json_t *v = json_array_get(values, i);

		if (json_is_null(v))
			continue;
		t->value[i] = json_number_value(v);
		if (!json_is_number(v) || !(t->value[i] >= 0 && t->value[i] <= 1e6))
			return refuse(path, "'%s' of '%s' is not a valid number", name,
				      m->nodes[i]);
	}
	return 0;
}

static int load_ganesha(struct model *m, const json_t *o, const char *path)
{
	char why[128] = "";

	m->ganesha = ganesha_load(o, why, sizeof(why));
	return m->ganesha ? 0 : refuse(path, "%s", why);
}

static int load_methods(struct model *m, json_t *table, const char *path, model_method_fn *find)
{
	const char *name, *metric;
	json_t *rows, *row;
	int err = 0;

	if (!json_is_object(table))
		return refuse(path, "it has no methods");
	json_object_foreach(table, name, rows) {
		bool profiles = false;
		const char *method = find(name, &profiles);

		if (!method)
			return refuse(path, "it was trained for '%.32s', which is not a method",
				      name);
		if (profiles) {
			err = load_ganesha(m, rows, path);
		} else {
			json_object_foreach(rows, metric, row) {
				err = load_trained(m, method, metric, row, path);
				if (err)
					break;
			}
		}
		if (err)
			return err;
	}
	return 0;
}

static int load_root(struct model *m, const json_t *root, const char *path, model_method_fn *find)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	int64_t version, interval, windows;
	int err;

	if (!format || strcmp(format, "limpet-model"))
		return refuse(path, "it is not a limpet model");
	if (get_int(root, "version", INT32_MAX, &version))
		return refuse(path, "it does not say its version");
	if (version != MODEL_VERSION)
		return refuse(path, "it is of version %lld, this limpet reads %d; train again",
			      (long long)version, MODEL_VERSION);
	if (get_int(root, "interval_ms", 86400000, &interval) || interval < 1 ||
	    get_int(root, "windows", INT32_MAX, &windows) ||
	    get_int(root, "from_ns", INT64_MAX, &m->from_ns) ||
	    get_int(root, "to_ns", INT64_MAX, &m->to_ns) || m->to_ns < m->from_ns)
		return refuse(path, "its interval, windows or training time are not valid");
	m->interval_ms = (unsigned int)interval;
	m->n_windows = (size_t)windows;
	err = load_params(&m->params, json_object_get(root, "params"), path);
	err = err ?: load_nodes(m, json_object_get(root, "nodes"), path);
	err = err ?: load_groups(m, json_object_get(root, "groups"), path);
	return err ?: load_methods(m, json_object_get(root, "methods"), path, find);
}

/* NULL after a message. */
static json_t *read_model(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	char why[JSON_WHY_LEN];
	json_t *root;

	if (fd < 0) {
		fail("cannot open the model '%s': %s", path, strerror(errno));
		return NULL;
	}
	root = json_bounded_read(fd, MODEL_BYTES_MAX, &err, why);
	close(fd);
	if (!root)
		refuse(path, "%s", why);
	return root;
}

int model_load(struct model *m, const char *path, model_method_fn *method)
{
	json_t *root = read_model(path);
	int err;

	*m = (struct model){0};
	if (!root)
		return -EINVAL;
	err = load_root(m, root, path, method);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		model_release(m);
	json_decref(root);
	return err;
}
