// SPDX-License-Identifier: BSD-2-Clause
/* A verdict for programs: one JSON object, with the keys of verdict_json.c where they mean the same. */
#include "analyzer/verdict/verdict.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *when(int64_t ns)
{
	char buf[TIME_TEXT_LEN];

	return json_string(output_time(ns, buf));
}

/* Of what is not UTF-8 a copy that is. */
static json_t *words(const char *s)
{
	json_t *text = json_string(s ? s : "");
	char buf[SENTENCE_LEN];

	return text ? text : json_string(output_clean(s, buf, sizeof(buf)));
}

static json_t *word_or_null(const char *s)
{
	return s && *s ? words(s) : json_null();
}

static json_t *node_json(const struct verdict *a, size_t node)
{
	return node < a->n_nodes ? words(a->nodes[node]) : json_null();
}

/* Takes each; an array that could not be made or grow is NULL. */
static json_t *add(json_t *to, json_t *each)
{
	if (to && !json_array_append_new(to, each))
		return to;
	if (!to)
		json_decref(each);
	json_decref(to);
	return NULL;
}

/* Takes both: one with what the other has. NULL: out of memory. */
static json_t *with(json_t *one, json_t *more)
{
	if (one && more && !json_object_update_new(one, more))
		return one;
	if (!one)
		json_decref(more);
	json_decref(one);
	return NULL;
}

static json_t *finding_json(const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	json_t *one =
		json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "node",
			  node_json(a, e->node), "metric", words(s->word), "name", words(s->name),
			  "unit", s->unit, "method", s->method, "disk", word_or_null(e->disk),
			  "value", number(e->value), "peers_median", number(e->peers), "direction",
			  e->value < e->peers ? "below" : "above", "ratio", number(e->ratio),
			  "own_usual_ratio", number(e->usual), "z", number(e->z));
	json_t *more = json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:b, s:b, s:b, s:b}",
		"added_to_both", s->relative ? json_null() : number(s->added), "peers",
		(json_int_t)e->n_peers, "peers_within_ratio", number(e->spread), "p99",
		number(e->p99), "p99_peers_median", number(e->p99_peers), "average_ratio",
		number(e->w1), "windows_flagged", (json_int_t)e->flagged, "windows_judged",
		(json_int_t)e->judged, "from", when(e->onset_ns), "to", when(e->last_ns), "decided",
		when(e->decided_ns), "chronic", e->chronic, "open", e->open, "held", e->held,
		"symptom", e->symptom);

	return with(one, more);
}

static json_t *culprit_json(const struct culprit *c)
{
	char name[INSTANCE_LEN];
	long pid = verdict_process(c, name);

	if (!*name)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind", c->remote ? "remote" : "process",
			 "name", words(name), "pid", pid >= 0 ? json_integer(pid) : json_null(),
			 "cgroup", word_or_null(c->cgroup), "share", number(c->share), "of",
			 word_or_null(c->of));
}

static json_t *incident_json(const struct verdict *a, size_t i)
{
	const struct incident *in = &a->incidents[i];
	char line[HEADLINE_LEN], detail[SENTENCE_LEN], guess[SENTENCE_LEN], doubts[SENTENCE_LEN];
	json_t *finding = json_array();

	for (size_t k = 0; finding && k < in->n_findings; k++)
		finding = add(finding, finding_json(a, &in->findings[k]));
	if (!finding)
		return NULL;
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:b, s:b, "
			 "s:o, s:o, s:o, s:o}",
			 "node", node_json(a, in->node), "cause", cause_table[in->cause].word,
			 "text", words(verdict_headline(a, i, line, sizeof(line))), "why",
			 word_or_null(cause_why(in->cause, in->why)), "detail",
			 word_or_null(sentence_detail(a, in, detail)), "direction",
			 word_or_null(direction_words[in->detail.direction]), "disk",
			 word_or_null(in->detail.disk), "guess",
			 word_or_null(sentence_guess(&in->guess, guess)), "confidence",
			 in->confidence == CONFIDENCE_HIGH ? "high" : "low", "doubt",
			 word_or_null(sentence_doubts(in, doubts)), "culprit",
			 culprit_json(&in->culprit), "held", in->held, "chronic", in->chronic,
			 "open", in->open, "from", when(in->onset_ns), "to", when(in->last_ns),
			 "decided", when(in->decided_ns), "evidence", finding);
}

static json_t *indicted_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_incidents; i++)
		all = add(all, incident_json(a, i));
	return all;
}

static json_t *notice_json(const struct verdict *a, size_t i)
{
	const struct notice *r = &a->notices[i];
	bool timed = r->to_ns > r->from_ns, differs = r->ratio > 0;
	char text[SENTENCE_LEN];
	json_t *one;

	one = json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "kind", notice_words[r->kind], "node",
			node_json(a, r->node), "text", words(sentence_notice(a, r, text)), "from",
			timed ? when(r->from_ns) : json_null(), "to",
			timed ? when(r->to_ns) : json_null(), "is_the_verdict",
			r == verdict_replacement(a));
	return with(
		one,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "host",
			  word_or_null(r->host), "process", word_or_null(r->process), "disk",
			  word_or_null(r->disk), "cause",
			  r->cause == CAUSE_NONE ? json_null() : words(cause_table[r->cause].word),
			  "direction", word_or_null(direction_words[r->direction]), "metric",
			  differs && r->kind != NOTICE_BOTTLENECK && r->kind != NOTICE_ACKNOWLEDGED
				  ? words(verdict_signal(a, r->signal)->word)
				  : json_null(),
			  "ratio", differs ? number(r->ratio) : json_null(), "servers",
			  r->servers ? json_integer((json_int_t)r->servers) : json_null(), "of",
			  r->of ? json_integer((json_int_t)r->of) : json_null()));
}

static json_t *remarks_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_notices; i++)
		all = add(all, notice_json(a, i));
	return all;
}

/* Takes it. */
static char *one_line(json_t *one)
{
	char *text = one ? json_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;

	json_decref(one);
	return text;
}

char *verdict_incident_json(const struct verdict *a, size_t i)
{
	return one_line(incident_json(a, i));
}

char *verdict_notice_json(const struct verdict *a, size_t i)
{
	return one_line(notice_json(a, i));
}

/* One line per server, signal and reason; metrics is empty if it was judged on none at all. */
static json_t *not_judged_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_unjudged; i++) {
		const struct unjudged *u = &a->unjudged[i];
		bool partly = u->signal != SIGNAL_ALL;
		json_t *names = json_array();
		char why[SENTENCE_LEN];

		if (partly)
			names = add(names, words(verdict_signal(a, u->signal)->word));
		all = add(all, json_pack("{s:o, s:o, s:o, s:b}", "node", node_json(a, u->node),
					 "metrics", names, "why", words(sentence_unjudged(u, why)),
					 "partly", partly));
	}
	return all;
}

static json_t *judged_json(const struct verdict *a)
{
	json_t *nodes = json_array(), *names = json_array();

	for (size_t i = 0; nodes && a->judged && i < a->n_nodes; i++)
		if (a->judged[i])
			nodes = add(nodes, node_json(a, i));
	for (size_t i = 0; names && i < a->n_signals; i++)
		if (a->signals[i].judged)
			names = add(names, words(a->signals[i].word));
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "from",
			 a->n_windows ? when(a->from_ns) : json_null(), "to",
			 a->n_windows ? when(a->to_ns) : json_null(), "windows",
			 (json_int_t)a->n_windows, "window_s", number(a->window_s), "hop_s",
			 number(a->interval_s), "nodes", nodes, "duplicate_seconds",
			 (json_int_t)a->duplicates, "lost_records", (json_int_t)a->lost,
			 "damaged_values", (json_int_t)a->damaged, "metrics", names);
}

/* A string for each line. */
static json_t *notes_json(const struct verdict *a)
{
	json_t *all = json_array();
	const char *unseen;

	for (size_t i = 0; all && (unseen = verdict_unseen(a, i)); i++)
		all = add(all, words(unseen));

	for (const char *at = a->notes; all && at && *at; at += *at == '\n') {
		size_t len = strcspn(at, "\n");
		char *line = strndup(at, len);

		all = add(all, line ? words(line) : NULL);
		free(line);
		at += len;
	}
	return all;
}

static json_t *ruled_out_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_ruled_out; i++) {
		json_t *each = finding_json(a, &a->ruled_out[i]);

		if (each)
			json_object_set_new(each, "why",
					    words(verdict_why_not(a, &a->ruled_out[i])));
		all = add(all, each);
	}
	return all;
}

static json_t *explained_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_looks; i++) {
		const struct explained_look *l = &a->looks[i];

		all = add(all,
			  json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
				    "s:o, s:o, s:b, s:b, s:b}",
				    "method", "robust", "metric",
				    verdict_signal(a, l->signal)->word, "from", when(l->from_ns),
				    "to", when(l->to_ns), "node", node_json(a, l->node), "disk",
				    word_or_null(l->disk), "value", number(l->value),
				    "peers_median", number(l->peers), "ratio", number(l->ratio),
				    "d", number(l->d), "own_usual", number(l->offset), "sigma",
				    number(l->sigma), "z", number(l->z), "flagged", l->flagged,
				    "odd", l->odd, "chronic", l->chronic));
	}
	return all;
}

int verdict_json(const struct verdict *a, bool explain)
{
	json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:o}", "verdict",
				 verdict_word(a), "method", "robust", "indicted", indicted_json(a),
				 "remarks", remarks_json(a), "judged", judged_json(a), "not_judged",
				 not_judged_json(a), "unknown_hardware", a->unknown_hardware,
				 "notes", notes_json(a));
	int err = root ? 0 : -1;

	if (!err && a->cannot)
		err = json_object_set_new(root, "why", words(a->cannot));
	if (!err && explain)
		err = json_object_set_new(root, "ruled_out", ruled_out_json(a));
	if (!err && explain)
		err = json_object_set_new(root, "explained", explained_json(a));
	if (!err) {
		/* write errors are found by output_finish() */
		json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
		printf("\n");
	}
	json_decref(root);
	return err ? -ENOMEM : 0;
}
