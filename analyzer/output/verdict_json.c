// SPDX-License-Identifier: BSD-2-Clause
/*
 * A verdict for programs: one JSON object on one line, with the same keys whichever method made it
 * (limpet-json(5), KEYS; VERDICT_SCHEMA is to change with them). What is not known is null.
 */
#include "verdict_object.h"
#include "verdict_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/json_make.h"
#include "verdict_tasks.h"
#include "words.h"

/* What a sentence says: said(words_or_null_json, guess, &in->guess) of sentence_guess(). */
#define said(json, sentence, ...)                               \
	({                                                      \
		struct text said_ TEXT_SCOPED = {0};            \
		json(sentence_##sentence(&said_, __VA_ARGS__)); \
	})

static json_t *node_json(const struct verdict *a, size_t node)
{
	return node < a->n_nodes ? words_json(a->nodes[node]) : json_null();
}

json_t *with_json(json_t *one, json_t *more)
{
	if (one && more && !json_object_update_new(one, more))
		return one;
	if (!one)
		json_decref(more);
	json_decref(one);
	return NULL;
}

/* What `each` makes of each of n. NULL: out of memory. */
static json_t *list_json(const struct verdict *a, size_t n,
			 json_t *(*each)(const struct verdict *a, size_t i))
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < n; i++)
		all = append_json(all, each(a, i));
	return all;
}

static json_t *count_json(size_t n)
{
	return n ? json_integer((json_int_t)n) : json_null();
}

/* null of nothing. */
static json_t *positive_json(double v)
{
	return number_json(v > 0 ? v : NAN);
}

static json_t *parts_json(const struct verdict *a, const struct finding *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < FINDING_PARTS && e->parts[i].ratio > 0; i++)
		json_array_append_new(
			all, json_pack("{s:o, s:o}", "signal",
				       words_json(verdict_signal(a, e->parts[i].signal)->word),
				       "ratio", number_json(e->parts[i].ratio)));
	return all;
}

/* in: the incident that it is of; NULL: of none. */
static json_t *finding_json(const struct verdict *a, const struct incident *in,
			    const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	bool tested = e->needs > 0;
	json_t *one = json_pack(
		"{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s}", "server",
		node_json(a, e->node), "signal", words_json(s->word), "name", words_json(s->name),
		"unit", s->unit, "method", s->method, "disk", words_or_null_json(e->disk), "value",
		number_json(e->value), "peers_median", number_json(e->peers), "direction",
		e->value < e->peers ? "below" : "above", "ratio", number_json(e->ratio),
		"own_usual_ratio", number_json(e->usual), "score",
		number_json(tested ? e->score : e->z), "score_is", tested ? "t" : s->score);
	json_t *more = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:b, s:b, s:b, "
		"s:b}",
		"added_to_both", positive_json(s->added), "added_to_inverse_of_both",
		positive_json(s->added_inverse), "peers", count_json(e->n_peers),
		"peers_within_ratio", number_json(e->spread), "p99", number_json(e->p99),
		"p99_peers_median", number_json(e->p99_peers), "average_ratio", number_json(e->w1),
		"counts", s->counts, "flagged", (json_int_t)e->flagged, "judged",
		(json_int_t)e->judged, "from", time_json(e->onset_ns), "to", time_json(e->last_ns),
		"decided", time_json(e->decided_ns), "chronic", e->chronic, "open", e->open, "held",
		e->held, "symptom", e->symptom);
	bool indicts = in && verdict_finding_indicts(a, e, in->suspicion != SUSPICION_NONE);
	json_t *test = json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "indicts", indicts,
				 "score_needed", number_json(tested ? e->needs : NAN),
				 "degrees_of_freedom", number_json(tested ? e->df : NAN),
				 "ratio_at_least", number_json(tested ? e->lower : NAN), "window_s",
				 number_json(tested ? e->window_s : NAN), "window_end",
				 tested ? time_json(e->window_end_ns) : json_null(), "parts",
				 parts_json(a, e));

	return with_json(with_json(one, more), test);
}

static json_t *culprit_json(const struct culprit *c)
{
	char name[INSTANCE_LEN];
	long pid = verdict_process(c, name);

	if (!*name)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind", c->remote ? "remote" : "process",
			 "name", words_json(name), "pid",
			 pid >= 0 ? json_integer(pid) : json_null(), "cgroup",
			 words_or_null_json(c->cgroup), "share", number_json(c->share), "of",
			 words_or_null_json(sentence_share(c->of)));
}

static json_t *incident_json(const struct verdict *a, size_t i)
{
	const struct incident *in = &a->incidents[i];
	struct text line TEXT_SCOPED = {0};
	json_t *findings = json_array(), *one;
	char id[20] = "";

	for (size_t k = 0; findings && k < in->n_findings; k++)
		findings = append_json(findings, finding_json(a, in, &in->findings[k]));
	one = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, "
			"s:o, s:o, s:o, s:o}",
			"server", node_json(a, in->node), "cause", cause_table[in->cause].word,
			"text", words_json(verdict_headline(&line, a, i)), "why",
			words_or_null_json(cause_why(in->cause, in->why)), "detail",
			said(words_or_null_json, detail, a, &in->detail, in), "direction",
			words_or_null_json(direction_words[in->detail.direction]), "disk",
			words_or_null_json(verdict_all_parts(a, in) ? "" : in->detail.disk),
			"guess", said(words_or_null_json, guess, &in->guess), "confidence",
			number_json(in->confidence), "doubt", said(words_or_null_json, doubts, in),
			"culprit", culprit_json(&in->culprit), "held", in->held, "chronic",
			in->chronic, "open", in->open, "from", time_json(in->onset_ns), "to",
			time_json(in->last_ns), "decided", time_json(in->decided_ns), "findings",
			findings);
	one = with_json(one,
			json_pack("{s:o, s:o}", "jobs", said(words_or_null_json, impact, a, in),
				  "both_chance", positive_json(in->impact.both_p)));
	if (in->id)
		snprintf(id, sizeof(id), "%016" PRIx64, in->id);
	return with_json(one, json_pack("{s:b, s:o, s:I, s:o, s:o}", "suspicious",
					in->suspicion != SUSPICION_NONE, "suspicious_why",
					said(words_or_null_json, suspicion, in), "times",
					(json_int_t)(in->times ? in->times : 1), "duty",
					in->times > 1 ? number_json(in->duty) : json_null(), "id",
					words_or_null_json(id)));
}

static json_t *notice_json(const struct verdict *a, size_t i)
{
	const struct notice *r = &a->notices[i];
	bool timed = r->to_ns > r->from_ns, differs = r->ratio > 0;
	bool used = r->kind == NOTICE_FOREIGN_USE;
	json_t *one;

	one = json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "kind", notice_words[r->kind], "server",
			node_json(a, r->node), "text", said(words_json, notice, a, r), "from",
			timed ? time_json(r->from_ns) : json_null(), "to",
			timed ? time_json(r->to_ns) : json_null(), "is_the_verdict",
			r == verdict_replacement(a));
	one = with_json(one, json_pack("{s:o, s:o, s:o, s:o, s:o}", "latency_ratio",
				       positive_json(r->latency), "share",
				       number_json(used ? r->share / 100 : NAN), "busy",
				       number_json(used ? r->busy.now : NAN), "busy_before",
				       number_json(used ? r->busy.before : NAN), "busy_peers",
				       number_json(used ? r->busy.peers : NAN)));
	return with_json(
		one,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "host",
			  words_or_null_json(r->host), "process", words_or_null_json(r->process),
			  "disk", words_or_null_json(r->disk), "cause",
			  r->cause == CAUSE_NONE ? json_null()
						 : words_json(cause_table[r->cause].word),
			  "direction", words_or_null_json(direction_words[r->direction]), "signal",
			  differs && r->kind != NOTICE_BOTTLENECK &&
					  r->kind != NOTICE_ACKNOWLEDGED && r->signal < a->n_signals
				  ? words_json(verdict_signal(a, r->signal)->word)
				  : json_null(),
			  "ratio", positive_json(r->ratio), "servers", count_json(r->servers), "of",
			  count_json(r->of)));
}

char *verdict_incident_json(const struct verdict *a, size_t i)
{
	return line_of_json(incident_json(a, i), 15);
}

char *verdict_notice_json(const struct verdict *a, size_t i)
{
	return line_of_json(notice_json(a, i), 15);
}

/* An object for each server and reason, with the signals; of a server that was judged on nothing, none. */
static json_t *not_judged_json(const struct verdict *a)
{
	json_t *all = json_array(), *names = NULL;

	for (size_t i = 0; all && i < a->n_unjudged; i++) {
		const struct unjudged *u = &a->unjudged[i];

		if (!verdict_tells_unjudged(a, u)) {
			names = NULL;
			continue;
		}
		if (!names || u->node != u[-1].node || unjudged_compare(u, u - 1)) {
			names = json_array();
			all = append_json(all, json_pack("{s:o, s:O, s:o}", "server",
							 node_json(a, u->node), "signals", names,
							 "why", said(words_json, unjudged, u)));
			json_decref(names);
		}
		if (all && u->signal != SIGNAL_ALL &&
		    json_array_append_new(names, words_json(verdict_signal(a, u->signal)->word))) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

/* What there was to compare by, also what nobody was judged on. */
static json_t *signals_json(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_signals; i++) {
		const struct verdict_signal *s = &a->signals[i];

		if (s->aspect)
			continue;
		all = append_json(
			all,
			json_pack(
				"{s:o, s:o, s:s, s:s, s:s, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o}",
				"signal", words_json(s->word), "name", words_json(s->name), "unit",
				s->unit, "method", s->method, "role", role_words[s->role], "floor",
				number_json(s->floor), "judged", s->judged, "alike", s->alike,
				"servers_judged", count_json(s->servers), "windows",
				count_json(s->windows), "windows_alike",
				count_json(s->windows_alike), "windows_trained",
				count_json(s->windows_trained), "seen_ratio",
				positive_json(s->indicts_from)));
	}
	return all;
}

/* What is known of each server. */
static json_t *server_json(const struct verdict *a, size_t i)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:o}", "server", node_json(a, i), "group",
			 words_or_null_json(verdict_group(a, i) ?: ""), "status",
			 status_table[verdict_status(a, i, false)].word, "reason",
			 words_or_null_json(verdict_reason(a, i, false)), "why",
			 said(words_or_null_json, status, a, i, false));
}

/* Servers that are compared with each other. */
static json_t *group_json(const struct verdict *a, size_t g)
{
	json_t *servers = json_array();

	for (size_t i = 0; servers && i < a->n_nodes; i++)
		if (a->n_groups ? a->group[i] == (int32_t)g : !g)
			servers = append_json(servers, node_json(a, i));
	return json_pack("{s:o, s:o}", "group", words_json(a->n_groups ? a->groups[g] : "1"),
			 "servers", servers);
}

/* Resources that were used, and in which a fault would not have been seen. */
static json_t *unproven_json(const struct verdict *a, size_t i)
{
	const struct unproven *u = &a->unproven[i];

	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "server", node_json(a, u->node), "resource",
			 resource_words[u->resource], "disk", words_or_null_json(u->disk), "signal",
			 words_json(verdict_signal(a, u->signal)->word), "seen",
			 positive_json(u->suspicious_from));
}

/* Of no server in particular: of any. */
static json_t *gap_json(const struct verdict *a, size_t i)
{
	const struct gap *g = &a->gaps[i];

	return json_pack("{s:o, s:o, s:o}", "server", node_json(a, g->node), "from",
			 time_json(g->from_ns), "to", time_json(g->to_ns));
}

static json_t *part_json(const struct verdict *a, size_t i)
{
	const struct part *p = &a->parts[i];
	const char *reason;
	enum status s = verdict_part_status(a, p, &reason);

	return json_pack("{s:o, s:o, s:s, s:o}", "server", node_json(a, p->node), "disk",
			 words_json(p->disk), "status", status_table[s].word, "reason",
			 words_or_null_json(reason));
}

static json_t *judged_json(const struct verdict *a)
{
	json_t *servers = json_array();
	bool any = a->n_windows > 0 || a->from_ns < a->to_ns;

	for (size_t i = 0; servers && a->judged && i < a->n_nodes; i++)
		if (verdict_was_judged(a, i))
			servers = append_json(servers, node_json(a, i));
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:b}", "from",
			 any ? time_json(a->from_ns) : json_null(), "to",
			 any ? time_json(a->to_ns) : json_null(), "windows",
			 (json_int_t)a->n_windows, "window_s", number_json(a->window_s),
			 "interval_s", number_json(a->interval_s), "servers", servers,
			 "duplicate_seconds", (json_int_t)a->duplicates, "lost_records",
			 (json_int_t)a->lost, "damaged_values", (json_int_t)a->damaged,
			 "unknown_hardware", a->unknown_hardware);
}

/* {group: {name: value}} */
static json_t *facts_json(const struct verdict *a)
{
	json_t *all = json_object();

	for (size_t i = 0; all && i < a->n_facts; i++) {
		const struct fact *f = &a->facts[i];
		json_t *group = json_object_get(all, f->group);

		if (!group && !json_object_set_new(all, f->group, json_object()))
			group = json_object_get(all, f->group);
		if (!group ||
		    json_object_set_new(group, *f->name ? f->name : "means",
					*f->text ? words_json(f->text) : number_json(f->number))) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

/* A string for each line. */
static json_t *notes_json(const struct verdict *a)
{
	json_t *all = json_array();
	const char *unseen;

	for (size_t i = 0; all && (unseen = sentence_unseen(a, i)); i++)
		all = append_json(all, words_json(unseen));

	for (size_t i = 0; all && i < a->n_notes; i++)
		all = append_json(all, said(words_json, note, &a->notes[i]));
	return all;
}

static json_t *ruled_out_json(const struct verdict *a, size_t i)
{
	return with_json(
		finding_json(a, NULL, &a->ruled_out[i]),
		json_pack("{s:o}", "why", words_json(sentence_why_not(a, &a->ruled_out[i]))));
}

static json_t *look_json(const struct verdict *a, size_t i)
{
	const struct explained_look *l = &a->looks[i];
	const struct verdict_signal *s = verdict_signal(a, l->signal);
	json_t *one = json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}",
		"signal", words_json(s->word), "method", s->method, "from", time_json(l->from_ns),
		"to", time_json(l->to_ns), "server", node_json(a, l->node), "disk",
		words_or_null_json(l->disk), "value", number_json(l->value), "peers_median",
		number_json(l->peers), "ratio", number_json(l->ratio), "d", number_json(l->d),
		"sigma", number_json(l->sigma), "score", number_json(l->z), "threshold",
		positive_json(l->threshold), "judged", !l->unjudged, "flagged", l->flagged, "odd",
		l->odd);

	return l->threshold > 0 ? with_json(one, json_pack("{s:I}", "above", (json_int_t)l->above))
				: one;
}

json_t *verdict_object(const struct verdict *a, bool explain)
{
	json_t *root = json_pack(
		"{s:i, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", VERDICT_SCHEMA, "verdict", verdict_word(a), "why",
		said(words_or_null_json, cannot, &a->cannot), "method", a->method, "incidents",
		list_json(a, a->n_incidents, incident_json), "notices",
		list_json(a, a->n_notices, notice_json), "servers",
		list_json(a, a->n_nodes, server_json), "parts", list_json(a, a->n_parts, part_json),
		"judged", judged_json(a), "signals", signals_json(a), "not_judged",
		not_judged_json(a), "jobs", list_json(a, a->n_jobs, verdict_job_json), "stragglers",
		list_json(a, a->n_stragglers, verdict_straggler_object), "facts", facts_json(a),
		"notes", notes_json(a));

	root = with_json(root, json_pack("{s:o, s:o, s:o, s:o}", "groups",
					 list_json(a, a->n_groups ? a->n_groups : a->n_nodes > 0,
						   group_json),
					 "straggling", verdict_straggling_json(a), "unproven",
					 list_json(a, a->n_unproven, unproven_json), "gaps",
					 list_json(a, a->n_gaps, gap_json)));
	if (!explain)
		return root;
	return with_json(root, json_pack("{s:o, s:o}", "ruled_out",
					 list_json(a, a->n_ruled_out, ruled_out_json), "looks",
					 list_json(a, a->n_looks, look_json)));
}

int verdict_json(const struct verdict *a, bool explain)
{
	char *text = line_of_json(verdict_object(a, explain), 15);

	/* write errors are found by output_finish() */
	if (text)
		printf("%s\n", text);
	free(text);
	return text ? 0 : -ENOMEM;
}
