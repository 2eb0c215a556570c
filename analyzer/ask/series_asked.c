// SPDX-License-Identifier: BSD-2-Clause
/* A signal of a server beside its peers over time: /api/v1/series, and the charts of pages. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawings.h"
#include "analyzer/report/page.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/sort.h"

/* Unless it is asked for. */
#define SPAN_NS	  NS_PER_HOUR
#define SPAN_DAYS 400

/* ---- for pages, too ------------------------------------------------------------------------------------ */

int series_read(const struct drawing *j, struct history *h, const char *server, size_t signal,
		int64_t from_ns, int64_t to_ns)
{
	const struct history_asked q = {&j->s->verdict, server, signal, from_ns, to_ns, &j->stop};

	*h = (struct history){0};
	return j->f->o->history ? history_store_read(j->f->o->history, h, &q) : -ENOENT;
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

/* false, and it is answered. */
static bool read_span(struct listener_request *r, const struct snapshot *s, struct series_query *q)
{
	q->to_ns = s->until_ns == INT64_MIN ? s->made_ns : s->until_ns;
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

static json_t *series_answer(const struct drawing *j, const struct history *h)
{
	const struct verdict *a = &j->s->verdict;
	const struct series_query *q = &j->q;
	const size_t signal = front_signal(a, q->signal);
	const struct report of = {.a = a, .h = h, .bands = true};
	json_t *all = api_head(j->s);
	json_t *more =
		series_json(&of, series_row(h, q->node, q->of_disk ? q->disk : NULL, signal));

	if (!all || !more || json_object_update(all, more) ||
	    json_object_update_new(all, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:f}", "server",
						  a->nodes[q->node], "signal", q->signal, "name",
						  a->signals[signal].name, "unit",
						  a->signals[signal].unit, "from",
						  time_json(h->first_ns), "to", time_json(q->to_ns),
						  "step_s", s_of_ns(h->bin_ns)))) {
		json_decref(all);
		all = NULL;
	}
	json_decref(more);
	return all;
}

static int draw_series(const struct drawing *j, FILE *to)
{
	struct history h;
	int err = series_read(j, &h, NULL, front_signal(&j->s->verdict, j->q.signal), j->q.from_ns,
			      j->q.to_ns);
	char *line = err ? NULL : line_of_json(series_answer(j, &h), 15);

	if (line)
		fputs(line, to);
	free(line);
	history_release(&h);
	return err || line ? err : -ENOMEM;
}

static void answer_series(struct drawing *j)
{
	struct text t = {0};

	if (j->err) {
		listener_refuse(&j->r, 503, 1000,
				j->err == -EIO	    ? "what was kept cannot be read at present"
				: j->err == -ENOENT ? "no history is kept"
						    : "out of memory");
		return;
	}
	text_put_bytes(&t, j->bytes, j->len);
	listener_answer(&j->r, 200, &t);
}

void api_series(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	struct drawing j = {.draw = draw_series, .answer = answer_series};
	char server[HOST_LEN];

	if (!s)
		return;
	if (!front_query(r, "server", server, sizeof(server)) ||
	    !front_query(r, "signal", j.q.signal, sizeof(j.q.signal))) {
		listener_refuse(r, 400, 0, "'server' and 'signal' are needed");
		return;
	}
	j.q.node = front_server(&s->verdict, server);
	j.q.of_disk = front_query(r, "disk", j.q.disk, sizeof(j.q.disk));
	if (!read_span(r, s, &j.q))
		; /* it is answered */
	else if (j.q.node == s->verdict.n_nodes)
		listener_refuse(r, 404, 0, "no such server");
	else if (front_signal(&s->verdict, j.q.signal) == s->verdict.n_signals)
		listener_refuse(r, 404, 0, "no such signal: /api/v1/signals has all");
	else
		drawing_begin(f, r, &j);
}
