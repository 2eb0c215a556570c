// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of what was noticed besides, and of what the reader says. */
#include "sentences.h"

#include <math.h>

#include "userspace/common/output.h"

/* ---- notices ------------------------------------------------------------------------------------------------- */

static void put_client(struct text *t, const struct notice *m, const char *server)
{
	if (*server)
		text_add(t,
			 "packets are lost between %s and host %s, but not with most other hosts: "
			 "either end may lose them",
			 server, m->host);
	else
		text_add(t,
			 "host %s loses packets with most servers (%zu of %zu, on the way %s it): "
			 "no server is to blame",
			 m->host, m->servers, m->of,
			 m->direction == DIRECTION_SEND ? "to" : "from");
}

static void put_acknowledged(struct text *t, const struct verdict *a, const struct notice *m,
			     const char *server)
{
	text_add(t, "%s: acknowledged: %s%s%s", server, m->suspicious ? "suspicious: " : "",
		 cause_table[m->cause].word, m->detail.kind != DETAIL_NONE ? ", " : "");
	sentence_detail(t, a, &m->detail, NULL);
	if (m->ratio > 0)
		text_add(t, ", %.2f times its peers'", m->ratio);
}

static void put_restart(struct text *t, const struct notice *m, const char *server)
{
	char when[TIME_TEXT_LEN];

	if (m->servers)
		text_add(t, "the probes of %zu servers were started anew", m->servers);
	else
		text_add(t, "the probe of %s was started anew, at %s", server,
			 output_time(m->to_ns, when));
}

static void put_imbalance(struct text *t, const struct verdict *a, const struct notice *m,
			  const char *server)
{
	text_add(t, "%s has more to do than its peers (%.1f times, %s)", server, m->ratio,
		 verdict_signal(a, m->signal)->name);
	if (m->latency > 1)
		text_add(t,
			 ", and a request takes %.1f times as long: no longer than in a queue "
			 "under that load",
			 m->latency);
	else
		text_put(t, ", and is as quick");
}

static void put_foreign_use(struct text *t, const struct notice *m, const char *server)
{
	text_add(t, "%s: others do %.0f %% of %s's bytes", server, m->share, m->disk);
	if (*m->process)
		text_add(t, " (%s)", m->process);
	text_put(t, ", and no request waits longer for it");
	if (!isfinite(m->busy.now))
		return;
	text_add(t, "; it is %.0f %% busy", m->busy.now);
	if (isfinite(m->busy.before))
		text_add(t, ", it was %.0f %%", m->busy.before);
	if (isfinite(m->busy.peers))
		text_add(t, ", its peers are %.0f %%", m->busy.peers);
}

static void put_fleet(struct text *t, const struct verdict *a, const struct notice *m)
{
	char when[TIME_TEXT_LEN];

	if (m->detail.kind != DETAIL_STATE) {
		text_add(t,
			 "all servers slowed: %s at the same load is up to %.1f x what it was "
			 "before",
			 verdict_signal(a, m->signal)->name, m->ratio);
		return;
	}
	text_put(t, "all servers slowed");
	if (m == verdict_replacement(a))
		text_add(t, " at %s, so that none stands out", output_time(m->from_ns, when));
	text_add(t, ": a %s takes %.1f x what it took before, on %zu of %zu", m->work, m->ratio,
		 m->servers, m->of);
	if (m->signal < a->n_signals)
		text_add(t, "; meanwhile %s rose everywhere (%.1f x)",
			 verdict_signal(a, m->signal)->name, m->latency);
}

const char *sentence_notice(struct text *t, const struct verdict *a, const struct notice *m)
{
	size_t from = t->len;
	const char *server = m->node < a->n_nodes ? a->nodes[m->node] : "";

	switch (m->kind) {
	case NOTICE_IMBALANCE: put_imbalance(t, a, m, server); break;
	case NOTICE_IDLE:
		if (m->signal == SIG_IDLE)
			text_add(t, "%s has far less to do than its peers", server);
		else
			text_add(t, "%s has less to do than its peers (%s)", server,
				 verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_BOTTLENECK:
		text_add(t,
			 "the other servers wait for %s: requests queue at %s, which takes %.2f "
			 "times its peers' time for a request, as disks of one model differ",
			 server, m->disk, m->ratio);
		break;
	case NOTICE_WAITS:
		text_add(t,
			 "%s waits for others: its %s is %.1f x its peers', but %s, its own part, "
			 "%.1f x; that of %s is longer",
			 server, verdict_signal(a, m->signal)->name, m->ratio, m->process,
			 m->latency, verdict_node(a, m->most));
		break;
	case NOTICE_HARDWARE:
		text_add(t, "%s: disk %s (%s) has %.1f times the %s of disks of other models",
			 server, m->disk, *m->model ? m->model : "model unknown", m->ratio,
			 verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_ROLE:
		text_add(t,
			 "%s never did what its peers do: a server with another role, such as "
			 "metadata, needs a group of its own (--peers)",
			 server);
		break;
	case NOTICE_FLEET: put_fleet(t, a, m); break;
	case NOTICE_STOLEN:
		text_add(t,
			 "other guests take the processors of servers, on up to %zu of %zu for a "
			 "fifth of the time or more, most on %s (%.0f %%): faults are hard to see "
			 "meanwhile",
			 m->servers, m->of, verdict_node(a, m->most), m->share);
		break;
	case NOTICE_MAINTENANCE:
		text_add(t, "%s: %s (%s) uses %s", server, m->work, m->process,
			 *m->disk ? m->disk : "its processors");
		break;
	case NOTICE_FOREIGN_USE: put_foreign_use(t, m, server); break;
	case NOTICE_ORIGIN:
		text_add(t,
			 "on %zu of %zu servers it cannot be told whether the file system or "
			 "others use the disks: a disk hog there would not be named (limpet-probe "
			 "record --cgroup or --pid)",
			 m->servers, m->of);
		break;
	case NOTICE_SKEW:
		text_add(t,
			 "%s: in %s a %s there has %.1f times the bytes of the others, and takes "
			 "%.1f times as long: skewed data",
			 server, m->detail.job, m->work, m->ratio, m->latency);
		break;
	case NOTICE_REMOTE:
		text_add(t,
			 "%zu of %zu tasks (%s) of %s read from other servers, and took %.1f times "
			 "as long as the rest",
			 m->servers, m->of, m->work, m->detail.job, m->ratio);
		break;
	case NOTICE_SLOTS:
		text_add(t, "%s ran at most %zu tasks (%s) at a time, where its peers ran %zu",
			 server, m->servers, m->work, m->of);
		break;
	case NOTICE_CLIENT: put_client(t, m, server); break;
	case NOTICE_SILENT: text_add(t, "%s stopped reporting", server); break;
	case NOTICE_RESTART: put_restart(t, m, server); break;
	case NOTICE_ACKNOWLEDGED: put_acknowledged(t, a, m, server); break;
	case NOTICE_KINDS: break;
	}
	return text_from(t, from);
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

const char *sentence_note(struct text *t, const struct note *n)
{
	size_t from = t->len;
	char first[TIME_TEXT_LEN], last[TIME_TEXT_LEN];

	switch (n->kind) {
	case NOTE_READER: text_put(t, n->text); break;
	case NOTE_CLOCK:
		text_add(t,
			 "%s was recorded from %s to %s, most other servers were not: is its clock "
			 "right?",
			 n->host, output_time(n->from_ns, first), output_time(n->to_ns, last));
		break;
	case NOTE_LEFT_OUT:
		text_add(t, "%s%s", n->host, *n->host ? ": " : "");
		if (*n->file || !*n->host)
			text_add(t, "'%s' is left out: ", n->file);
		text_put(t, n->text);
		break;
	case NOTE_COLUMNS:
		text_add(t,
			 "not judged: columns %s: it is not known whether more or less of them is "
			 "worse (--signal judges one)",
			 n->text);
		break;
	case NOTE_REPEATED:
		text_put(t, "a server has several values of one metric at one time, and the first "
			    "counts (several disks: --instance; servers of one name: --node "
			    "@file)");
		break;
	}
	return text_from(t, from);
}
