// SPDX-License-Identifier: BSD-2-Clause
/* A signal of a server beside its peers over time: /api/v1/series, and the charts of pages. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "analyzer/report/page.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/sort.h"

/* Unless it is asked for. */
#define SPAN_NS	  NS_PER_HOUR
#define SPAN_DAYS 400

/* ---- for pages, too ------------------------------------------------------------------------------------ */

int series_read(const struct front *f, struct history *h, const struct history_asked *q)
{
	*h = (struct history){0};
	return f->o->history ? history_store_read(f->o->history, h, q) : -ENOENT;
}

const struct history_row *series_row(const struct history *h, size_t node, const char *disk,
				     size_t signal)
{
	const struct history_row *worst = NULL;

	for (size_t i = 0; i < h->n_rows; i++) {
		const struct history_row *row = &h->rows[i];

		if (row->node == node && row->signal == signal &&
		    (!disk || !strcmp(row->disk, disk)) && (!worst || history_worse(row, worst)))
			worst = row;
	}
	return worst;
}

size_t front_server(const struct verdict *a, const char *name)
{
	return index_if(i, a->n_nodes, !strcmp(a->nodes[i], name));
}

size_t front_signal(const struct verdict *a, const char *word)
{
	return index_if(i, a->n_signals, !strcmp(a->signals[i].word, word));
}

/* ---- the API ------------------------------------------------------------------------------------------- */

struct series_query {
	char server[HOST_LEN], signal[64], disk[INSTANCE_LEN];
	bool of_disk;
	int64_t from_ns, to_ns;
};

static bool read_query(struct listener_request *r, const struct snapshot *s, struct series_query *q)
{
	q->to_ns = s->until_ns == INT64_MIN ? s->made_ns : s->until_ns;
	if (!front_query(r, "server", q->server, sizeof(q->server)) ||
	    !front_query(r, "signal", q->signal, sizeof(q->signal))) {
		listener_refuse(r, 400, 0, "'server' and 'signal' are needed");
		return false;
	}
	q->of_disk = front_query(r, "disk", q->disk, sizeof(q->disk));
	if (!front_time(r, "to", &q->to_ns))
		return false;
	q->from_ns = q->to_ns - SPAN_NS;
	if (!front_time(r, "from", &q->from_ns))
		return false;
	if (q->from_ns >= 0 && q->from_ns < q->to_ns && q->to_ns <= s->made_ns + NS_PER_DAY &&
	    q->to_ns - q->from_ns <= SPAN_DAYS * NS_PER_DAY)
		return true;
	listener_refuse(r, 400, 0, "'from' is before 'to', %d days at most, and that by tomorrow",
			SPAN_DAYS);
	return false;
}

/* A float of a history has seven digits. */
static json_t *values_json(const double *v, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%.7g", v[i]);
		all = append_json(all, number_json(strtod(text, NULL)));
	}
	return all;
}

static json_t *flags_json(const bool *flagged, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		all = append_json(all, json_boolean(flagged[i]));
	return all;
}

/* row NULL: nothing is known of it. */
static json_t *series_json(const struct report *r, const struct history_row *row)
{
	struct chart_lines *l = calloc(1, sizeof(*l));
	size_t n = row ? r->h->columns : 0;
	json_t *all = NULL;

	if (l && row && report_lines(r, row, l))
		n = SIZE_MAX;
	if (l && n != SIZE_MAX)
		all = json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "disk",
				row ? words_or_null_json(row->disk) : json_null(), "n_peers",
				(int)l->peers, "value", values_json(l->own, n), "peers",
				values_json(l->med, n), "low", values_json(l->low, n), "high",
				values_json(l->high, n), "bad", flags_json(l->flagged, n));
	free(l);
	return all;
}

static void answer_series(struct front *f, struct listener_request *r, const struct series_query *q)
{
	const struct verdict *a = &f->now->verdict;
	const struct history_asked asked = {a, NULL, front_signal(a, q->signal), q->from_ns,
					    q->to_ns};
	const size_t node = front_server(a, q->server);
	struct history h;
	const struct report of = {.a = a, .h = &h, .bands = true};
	json_t *all = NULL, *more;
	int err = series_read(f, &h, &asked);

	if (err == -EIO) {
		listener_refuse(r, 503, 1000, "what was kept cannot be read at present");
	} else {
		all = err ? NULL : api_head(f->now);
		more = all ? series_json(&of, series_row(&h, node, q->of_disk ? q->disk : NULL,
							 asked.signal))
			   : NULL;
		if (more && !json_object_update(all, more) &&
		    !json_object_update_new(all, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:f}",
							   "server", q->server, "signal", q->signal,
							   "name", a->signals[asked.signal].name,
							   "unit", a->signals[asked.signal].unit,
							   "from", time_json(h.first_ns), "to",
							   time_json(q->to_ns), "step_s",
							   s_of_ns(h.bin_ns)))) {
			front_json(r, 200, json_incref(all));
		} else {
			listener_refuse(r, 503, 1000, "out of memory");
		}
		json_decref(more);
		json_decref(all);
	}
	history_release(&h);
}

void api_series(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	struct series_query q = {0};

	if (!s || !read_query(r, s, &q))
		return;
	if (front_server(&s->verdict, q.server) == s->verdict.n_nodes)
		listener_refuse(r, 404, 0, "no such server");
	else if (front_signal(&s->verdict, q.signal) == s->verdict.n_signals)
		listener_refuse(r, 404, 0, "no such signal: /api/v1/signals has all");
	else
		answer_series(f, r, &q);
}
