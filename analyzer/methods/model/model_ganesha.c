// SPDX-License-Identifier: BSD-2-Clause
/*
 * The profiles of method `ganesha` as a part of the model file:
 *
 *   {
 *     "metrics": ["%user", …],              d names, as the source has them
 *     "sigma": [0.41, …],                   d: of ln(x + 1); rx and tx in bytes, blocks of 512 bytes
 *     "profiles": [                         K
 *       {"mean": [9.1, …],                  d, of ln(x + 1) / sigma
 *        "cov": [0.9, 0.1, 1.2, …]},        lower triangle by rows: d (d + 1) / 2 numbers
 *       …],
 *     "lambda": 0.99, "unknown": 6.2, "distance": 0.31,
 *     "consecutive": 20, "alarm_decay": 0.95, "alarm_count": 14.2,
 *     "vectors": 7200, "seconds": 500, "iterations": 81, "log_likelihood": -9.12
 *   }
 */
#include "ganesha.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/methods/learn/gmm.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"

/* The numbers, each with the range it is believed in. */
static const struct model_field {
	const char *name;
	enum { REAL, COUNT, SIZE } type;
	size_t offset;
	double min, max;
	bool open; /* the ends are not in the range */
} fields[] = {
	{"lambda", REAL, offsetof(struct ganesha, lambda), 0, 1, true},
	{"unknown", REAL, offsetof(struct ganesha, unknown), 0, 1e9, true},
	{"distance", REAL, offsetof(struct ganesha, distance), 0, 1, true},
	{"consecutive", COUNT, offsetof(struct ganesha, consecutive), 1, GANESHA_CONSECUTIVE_MAX,
	 false},
	{"alarm_decay", REAL, offsetof(struct ganesha, alarm_decay), 0, 1, true},
	{"alarm_count", REAL, offsetof(struct ganesha, alarm_count), 0, 1e9, true},
	{"vectors", SIZE, offsetof(struct ganesha, vectors), 1, 1e15, false},
	{"seconds", SIZE, offsetof(struct ganesha, seconds), 1, 1e15, false},
	{"iterations", COUNT, offsetof(struct ganesha, iterations), 0, 1e9, false},
	{"log_likelihood", REAL, offsetof(struct ganesha, log_likelihood), -1e9, 1e9, false},
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

static json_t *reals(const double *x, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		a = append_json(a, json_real(x[i]));
	return a;
}

static json_t *profile_json(const struct ganesha *g, size_t c)
{
	json_t *cov = json_array();

	for (size_t i = 0; i < g->d; i++)
		for (size_t j = 0; j <= i; j++)
			cov = append_json(cov, json_real(g->cov[(c * g->d + i) * g->d + j]));
	return json_pack("{s:o, s:o}", "mean", reals(g->mean + c * g->d, g->d), "cov", cov);
}

static json_t *field_json(const struct ganesha *g, const struct model_field *f)
{
	const char *at = (const char *)g + f->offset;

	switch (f->type) {
	case REAL: return json_real(*(const double *)at);
	case COUNT: return json_integer(*(const unsigned int *)at);
	default: return json_integer((json_int_t) * (const size_t *)at);
	}
}

json_t *ganesha_json(const struct ganesha *g)
{
	json_t *o, *names = json_array(), *profiles = json_array();
	int bad = 0;

	for (size_t i = 0; i < g->d; i++)
		names = append_json(names, json_string(g->metrics[i]));
	for (size_t c = 0; c < g->k; c++)
		profiles = append_json(profiles, profile_json(g, c));
	o = json_pack("{s:o, s:o, s:o}", "metrics", names, "sigma", reals(g->sigma, g->d),
		      "profiles", profiles);
	for (size_t i = 0; i < N_FIELDS; i++)
		bad |= json_object_set_new(o, fields[i].name, field_json(g, &fields[i]));
	if (bad) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* ---- reading ----------------------------------------------------------------------------------*/

struct reader {
	char *why;
	size_t size;
};

static int __attribute__((format(printf, 2, 3))) wrong(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, r->size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Exactly n numbers in [-most, most]. */
static int read_reals(const json_t *a, double *x, size_t n, double most)
{
	if (!json_is_array(a) || json_array_size(a) != n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(a, i);

		x[i] = json_number_value(v);
		if (!json_is_number(v) || !(fabs(x[i]) <= most))
			return -EINVAL;
	}
	return 0;
}

static int read_fields(struct ganesha *g, const json_t *o, struct reader *r)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct model_field *f = &fields[i];
		const json_t *v = json_object_get(o, f->name);
		double x = json_number_value(v);
		char *at = (char *)g + f->offset;

		if (!json_is_number(v) || (f->type != REAL && !json_is_integer(v)) ||
		    !(x >= f->min && x <= f->max) || (f->open && (x == f->min || x == f->max)))
			return wrong(r, "'%s' of ganesha is missing or not valid", f->name);
		switch (f->type) {
		case REAL: *(double *)at = x; break;
		case COUNT: *(unsigned int *)at = (unsigned int)json_integer_value(v); break;
		default: *(size_t *)at = (size_t)json_integer_value(v);
		}
	}
	return 0;
}

static int read_metrics(struct ganesha *g, const json_t *a, struct reader *r)
{
	char clean[METRIC_NAME_LEN];

	for (size_t i = 0; i < g->d; i++) {
		const char *name = json_string_value(json_array_get(a, i));

		if (!name || !*name || strlen(name) >= METRIC_NAME_LEN)
			return wrong(r, "metric number %zu of ganesha is not a name", i + 1);
		strcpy(g->metrics[i], name);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(g->metrics[j], name))
				return wrong(r, "ganesha has the metric '%s' twice",
					     output_clean(name, clean, sizeof(clean)));
	}
	return 0;
}

static int read_profile(struct ganesha *g, size_t c, const json_t *o, struct reader *r)
{
	const json_t *cov = json_object_get(o, "cov");
	size_t d = g->d;
	double *full = g->cov + c * d * d;

	if (json_object_size(o) != 2 ||
	    read_reals(json_object_get(o, "mean"), g->mean + c * d, d, 1e12) ||
	    read_reals(cov, full, d * (d + 1) / 2, 1e24))
		return wrong(r, "profile number %zu of ganesha is not a mean and a covariance",
			     c + 1);
	/* Spread in place: from the end, so that nothing is overwritten before it is read. */
	for (size_t i = d; i-- > 0;)
		for (size_t j = i + 1; j-- > 0;)
			full[i * d + j] = full[i * (i + 1) / 2 + j];
	for (size_t i = 0; i < d; i++)
		for (size_t j = i + 1; j < d; j++)
			full[i * d + j] = full[j * d + i];
	return 0;
}

/* Whether every covariance has a root, that is, can be one. */
static int check_covariances(const struct ganesha *g, struct reader *r)
{
	struct gmm gmm;
	int err;

	if (gmm_init(&gmm, g->k, g->d))
		return wrong(r, "out of memory");
	memcpy(gmm.cov, g->cov, g->k * g->d * g->d * sizeof(double));
	err = gmm_factor(&gmm);
	gmm_release(&gmm);
	return err ? wrong(r, "a covariance of ganesha is not positive definite") : 0;
}

static int read_all(struct ganesha *g, const json_t *o, struct reader *r)
{
	const json_t *profiles = json_object_get(o, "profiles");
	int err = read_metrics(g, json_object_get(o, "metrics"), r);

	if (err)
		return err;
	if (read_reals(json_object_get(o, "sigma"), g->sigma, g->d, 1e9))
		return wrong(r, "ganesha has no sigma for each metric");
	for (size_t i = 0; i < g->d; i++)
		if (!(g->sigma[i] >= 1e-9))
			return wrong(r, "sigma number %zu of ganesha is not positive", i + 1);
	for (size_t c = 0; c < g->k && !err; c++)
		err = read_profile(g, c, json_array_get(profiles, c), r);
	return err ?: read_fields(g, o, r) ?: check_covariances(g, r);
}

struct ganesha *ganesha_load(const json_t *o, char *why, size_t size)
{
	const json_t *names = json_object_get(o, "metrics"),
		     *profiles = json_object_get(o, "profiles");
	size_t d = json_array_size(names), k = json_array_size(profiles);
	struct reader r = {why, size};
	struct ganesha *g = NULL;

	if (d < 1 || d > GANESHA_METRICS_MAX || k < 1 || k > GANESHA_K_MAX)
		wrong(&r, "ganesha needs 1 to %d metrics and 1 to %d profiles", GANESHA_METRICS_MAX,
		      GANESHA_K_MAX);
	else if (json_object_size(o) != N_FIELDS + 3)
		wrong(&r, "ganesha has something more or less than it should");
	else if (!(g = ganesha_new(k, d)))
		wrong(&r, "out of memory");
	else if (!read_all(g, o, &r))
		return g;
	ganesha_free(g);
	return NULL;
}
