// SPDX-License-Identifier: BSD-2-Clause
/* What could not be judged, and for --explain: what was looked at and ruled out, and every look. */
#include "verdict_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "finding.h"
#include "userspace/common/sort.h"

enum { LISTED = 20, GROUPS = 10 };

/* ---- who was not judged ---------------------------------------------------------------------- */

/* Those judged on nothing first; then by signal, reason and server. */
static int by_group(const void *x, const void *y)
{
	const struct unjudged *a = *(const struct unjudged *const *)x;
	const struct unjudged *b = *(const struct unjudged *const *)y;

	return ORDER(b->signal == SIGNAL_ALL, a->signal == SIGNAL_ALL) ?: ORDER(a->signal, b->signal)
		       ?: unjudged_compare(a, b) ?: ORDER(a->node, b->node);
}

/* How many of n begin with one signal and reason. */
static size_t run_of(const struct unjudged *const *at, size_t n)
{
	size_t len = 0;

	while (len < n && at[len]->signal == at[0]->signal && !unjudged_compare(at[len], at[0]))
		len++;
	return len;
}

static bool same_servers(const struct unjudged *const *a, const struct unjudged *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i]->node != b[i]->node)
			return false;
	return true;
}

/* The run of len at at[0], and the signals of the runs after it that say the same of the same
 * servers, which are set to NULL. */
static void print_group(const struct verdict *a, const struct unjudged **at, size_t len, size_t n)
{
	struct text t = {0};
	const struct unjudged *first = at[0];
	char node[HOST_LEN];

	text_put(&t, "not judged");
	if (first->signal != SIGNAL_ALL)
		text_add(&t, " on %s", verdict_signal(a, first->signal)->name);
	for (size_t i = len, next; i < n; i += next) {
		next = 1;
		if (!at[i])
			continue;
		next = 0;
		while (i + next < n && at[i + next] && at[i + next]->signal == at[i]->signal &&
		       !unjudged_compare(at[i + next], at[i]))
			next++;
		if (next != len || unjudged_compare(at[i], first) || !same_servers(at, at + i, len))
			continue;
		text_add(&t, " , %s", verdict_signal(a, at[i]->signal)->name);
		memset(at + i, 0, len * sizeof(*at));
	}
	for (size_t i = 0; i < len && i < LISTED; i++)
		text_add(&t, " %s %s", i ? "," : ":",
			 output_clean(verdict_node(a, at[i]->node), node, sizeof(node)));
	text_put(&t, " ");
	text_put_more(&t, len, LISTED);
	text_put(&t, " (");
	sentence_unjudged(&t, first);
	text_put(&t, ")");
	text_print(&t, stdout, "", 0, 2);
}

void verdict_unjudged(const struct verdict *a)
{
	const struct unjudged **at = calloc(a->n_unjudged + 1, sizeof(*at));
	size_t groups = 0, left = 0;

	if (!at)
		return;
	for (size_t i = 0; i < a->n_unjudged; i++)
		at[i] = &a->unjudged[i];
	sort(at, a->n_unjudged, by_group);
	for (size_t i = 0, len; i < a->n_unjudged; i += len) {
		len = 1;
		if (!at[i])
			continue;
		while (i + len < a->n_unjudged && at[i + len])
			len++;
		len = run_of(at + i, len);
		if (groups++ < GROUPS)
			print_group(a, at + i, len, a->n_unjudged - i);
		else
			left++;
	}
	if (left)
		printf("not judged for other reasons: %zu more (--json has them all)\n", left);
	free(at);
}

/* ---- what was looked at ---------------------------------------------------------------------- */

static void explain_ruled_out(const struct verdict *a)
{
	char node[HOST_LEN];

	if (a->checklist)
		return; /* nothing is between a vote and an indictment */
	printf("\nworse than the peers, but ruled out:%s\n", a->n_ruled_out ? "" : " nothing");
	for (size_t i = 0; i < a->n_ruled_out; i++) {
		const struct finding *e = &a->ruled_out[i];
		struct text t = {0};

		text_add(&t, "- %s: ", output_clean(verdict_node(a, e->node), node, sizeof(node)));
		words_finding(&t, a, e);
		text_add(&t, ": %s", sentence_why_not(a, e));
		text_print(&t, stdout, "", 2, 6);
	}
}

/* What is not printable ASCII as '?'. */
static const char *plain(const char *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; s[n] && n + 1 < size; n++)
		buf[n] = s[n] >= ' ' && s[n] <= '~' ? s[n] : '?';
	buf[n] = 0;
	return buf;
}

static void explain_signals(const struct verdict *a)
{
	static const char *const roles[] = {
		[ROLE_LOCAL] = "may indict", [ROLE_SYMPTOM] = "supports", [ROLE_LOAD] = "demand"};

	printf("\n%-28s %-14s %-10s %9s %9s  %-16s %s\n", "signal", "word", "role", "added",
	       "floor", "unit", "judged");
	for (size_t i = 0; i < a->n_signals; i++) {
		const struct verdict_signal *s = &a->signals[i];
		char name[64], word[64];

		printf("%-28.28s %-13.28s %-10s %9.*f %9.*f  %-16.16s %s\n",
		       plain(s->name, name, sizeof(name)), plain(s->word, word, sizeof(word)),
		       roles[s->role], s->decimals, s->added, s->decimals, s->floor,
		       *s->unit ? s->unit : "-", s->judged ? "yes" : "no");
	}
}

/* How much worse than its peers a server would have had to be to be named by now. */
static void explain_seen(const struct verdict *a)
{
	char ratio[WORDS_LEN];
	struct text t = {0};

	for (size_t i = 0; i < a->n_signals; i++) {
		const struct verdict_signal *s = &a->signals[i];

		if (s->judged && s->seen > 0)
			text_add(&t, "%s %s %s",
				 t.len ? " ," : "would have been seen by now, or more:", s->name,
				 words_ratio(s->seen, ratio));
	}
	if (t.len) {
		printf("\n");
		text_print(&t, stdout, "", 0, 2);
	}
}

enum { NUMBER_LEN = 16 };

/* At most eight characters; "-" is not known. */
static const char *short_number(double v, char buf[NUMBER_LEN])
{
	if (!isfinite(v))
		return "-";
	snprintf(buf, NUMBER_LEN, fabs(v) >= 0.01 && fabs(v) < 9999.5 ? "%.4g" : "%.2g", v);
	return buf;
}

static void explain_looks(const struct verdict *a)
{
	/* what there is enough evidence of: of a signal that only supports it indicts nobody */
	static const char *const enough[] = {
		[ROLE_LOCAL] = "indicts", [ROLE_SYMPTOM] = "supports", [ROLE_LOAD] = "demand"};
	char t[TIME_TEXT_LEN], node[HOST_LEN], disk[INSTANCE_LEN], word[64];
	char value[NUMBER_LEN], peers[NUMBER_LEN], ratio[NUMBER_LEN], z[NUMBER_LEN];

	bool limits = false;

	for (size_t i = 0; i < a->n_looks && !limits; i++)
		limits = a->looks[i].threshold > 0;
	printf("\n%-20s %-14s %-7s %-13s %8s %8s %7s %7s\n", "from", "server",
	       limits ? "limit" : "disk", "signal", "value", "peers", "ratio",
	       limits ? "score" : "z");
	for (size_t i = 0; i < a->n_looks; i++) {
		const struct explained_look *l = &a->looks[i];

		printf("%-20.20s %-14.14s %-7.7s %-13s %8s %8s %7s %7s%s%s\n",
		       output_time(l->from_ns, t),
		       output_clean(verdict_node(a, l->node), node, sizeof(node)),
		       limits	  ? short_number(l->threshold, disk)
		       : *l->disk ? output_clean(l->disk, disk, sizeof(disk))
				  : "-",
		       plain(verdict_signal(a, l->signal)->word, word, 14),
		       short_number(l->value, value), short_number(l->peers, peers),
		       short_number(l->ratio, ratio), short_number(l->z, z),
		       l->unjudged   ? " not judged"
		       : l->odd	     ? " "
		       : !l->flagged ? ""
		       : limits	     ? " odd"
				     : " bad",
		       l->odd && !l->unjudged ? enough[verdict_signal(a, l->signal)->role] : "");
	}
}

void verdict_explain(const struct verdict *a)
{
	explain_ruled_out(a);
	explain_signals(a);
	explain_seen(a);
	explain_looks(a);
}
