// SPDX-License-Identifier: BSD-2-Clause
/* What comes and goes over minutes and hours. */
#include "wander.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/options.h"

#define DAY_S	  86400.0
#define LONGEST_S (366 * DAY_S)
#define MOST_SD	  3.0 /* of a logarithm: a factor of 20 */

void path_init(struct path *p, const struct wanders *w, const struct path_of *of)
{
	*p = (struct path){.shared = of->shared};
	for (size_t k = 0; k < WANDERS_MAX && w->term[k].sd > 0; k++) {
		double memory = exp(-of->step_s / w->term[k].tau_s);

		/* Racks are numbered after all servers. */
		ar1_init(&p->own[k], stream(of->seed, of->purpose, of->server * WANDERS_MAX + k),
			 memory, w->term[k].sd);
		ar1_init(&p->rack[k],
			 stream(of->seed, of->purpose,
				((uint64_t)1 << 32) + of->rack * WANDERS_MAX + k),
			 memory, w->term[k].sd);
		p->n++;
	}
}

double path_next(struct path *p)
{
	double x = 0;

	for (size_t k = 0; k < p->n; k++)
		x += sqrt(1 - p->shared) * ar1_step(&p->own[k]) +
		     sqrt(p->shared) * ar1_step(&p->rack[k]);
	return x;
}

double wanders_variance(const struct wanders *w)
{
	double sum = 0;

	for (size_t k = 0; k < WANDERS_MAX && w->term[k].sd > 0; k++)
		sum += w->term[k].sd * w->term[k].sd;
	return sum;
}

bool duty_on(const struct duty *d, double since_s)
{
	return !(d->period_s > 0) || fmod(since_s, d->period_s) < d->share * d->period_s;
}

/* ---- options ----------------------------------------------------------------------------------- */

/* Copies what stands before `end` (or the whole) and says where it goes on; NULL: too long. */
static const char *word(const char *text, char end, char out[32])
{
	const char *to = strchrnul(text, end);

	if (to - text >= 32)
		return NULL;
	memcpy(out, text, (size_t)(to - text));
	out[to - text] = '\0';
	return *to ? to + 1 : to;
}

static int time_of(const char *text, double *s)
{
	static const char letters[] = "smhd";
	static const double units[] = {1, 60, 3600, DAY_S};
	char number[32];
	const char *letter;
	size_t n = strlen(text);

	if (!n || n >= sizeof(number))
		return -1;
	strcpy(number, text);
	letter = strchr(letters, text[n - 1]);
	if (letter)
		number[n - 1] = '\0';
	if (parse_double(number, 0, LONGEST_S, s) || !(*s > 0))
		return -1;
	*s *= letter ? units[letter - letters] : 1;
	return *s <= LONGEST_S ? 0 : -1;
}

int read_time_s(const char *option, const char *text, double *s)
{
	return time_of(text, s)
		       ? fail("'--%s %s' is not a time such as 90s, 20m, 10h or 2d", option, text)
		       : 0;
}

static int term_of(const char *text, struct wander *w)
{
	char sd[32];
	const char *tau = word(text, ':', sd);

	return !tau || parse_double(sd, 0, MOST_SD, &w->sd) || !(w->sd > 0) ||
			       time_of(tau, &w->tau_s)
		       ? -1
		       : 0;
}

int read_wanders(const char *option, const char *text, struct wanders *w)
{
	const char *at = text;

	*w = (struct wanders){0};
	for (size_t k = 0; at; k++) {
		char term[32];

		at = word(at, ',', term);
		/* after a comma there is one more */
		if (!at || k == WANDERS_MAX || term_of(term, &w->term[k]) ||
		    (!*at && at[-1] == ','))
			return fail("'--%s %s' is not DEVIATION:TIME such as 0.1:1h, at most %d of "
				    "them with commas between",
				    option, text, WANDERS_MAX);
		if (!*at)
			break;
	}
	return 0;
}

int read_duty(const char *option, const char *text, struct duty *d)
{
	char period[32];
	const char *share = word(text, ':', period);

	if (!share || time_of(period, &d->period_s) || parse_double(share, 0, 1, &d->share) ||
	    !(d->share > 0))
		return fail("'--%s %s' is not PERIOD:SHARE such as 1h:0.3", option, text);
	return 0;
}
