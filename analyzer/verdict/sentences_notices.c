// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of what was noticed besides, and of what the reader says. */
#include "sentences_parts.h"

#include <math.h>

#include "userspace/common/output.h"

/* ---- notices ------------------------------------------------------------------------------------------------- */

static void put_client(char *buf, const struct notice *m, const char *server)
{
	if (*server)
		sentence_add(
			buf,
			"packets are lost between %s and host %s, but not with most other hosts: "
			"either end may lose them",
			server, m->host);
	else
		sentence_add(buf,
			     "host %s loses packets with most servers (%zu of %zu, on the way %s "
			     "it): no "
			     "server is to blame",
			     m->host, m->servers, m->of,
			     m->direction == DIRECTION_SEND ? "to" : "from");
}

static void put_acknowledged(char *buf, const struct verdict *a, const struct notice *m,
			     const char *server)
{
	char text[SENTENCE_LEN] = "";

	sentence_add_detail(text, a, &m->detail, NULL);
	sentence_add(buf, "%s: acknowledged: %s%s%s%s", server, m->suspicious ? "suspicious: " : "",
		     cause_table[m->cause].word, *text ? ", " : "", text);
	if (m->ratio > 0)
		sentence_add(buf, ", %.2f times its peers'", m->ratio);
}

static void put_restart(char *buf, const struct notice *m, const char *server)
{
	char when[TIME_TEXT_LEN];

	if (m->servers)
		sentence_add(buf, "the probes of %zu servers were started anew", m->servers);
	else
		sentence_add(buf, "the probe of %s was started anew, at %s", server,
			     output_time(m->to_ns, when));
}

static void put_imbalance(char *buf, const struct verdict *a, const struct notice *m,
			  const char *server)
{
	sentence_add(buf, "%s has more to do than its peers (%.1f times, %s)", server, m->ratio,
		     verdict_signal(a, m->signal)->name);
	if (m->latency > 1)
		sentence_add(
			buf,
			", and a request takes %.1f times as long: no longer than in a queue under "
			"that "
			"load",
			m->latency);
	else
		sentence_add(buf, ", and is as quick");
}

static void put_foreign_use(char *buf, const struct notice *m, const char *server)
{
	sentence_add(buf, "%s: others do %.0f %% of %s's bytes", server, m->share, m->disk);
	if (*m->process)
		sentence_add(buf, " (%s)", m->process);
	sentence_add(buf, ", and no request waits longer for it");
	if (!isfinite(m->busy.now))
		return;
	sentence_add(buf, "; it is %.0f %% busy", m->busy.now);
	if (isfinite(m->busy.before))
		sentence_add(buf, ", it was %.0f %%", m->busy.before);
	if (isfinite(m->busy.peers))
		sentence_add(buf, ", its peers are %.0f %%", m->busy.peers);
}

static void put_fleet(char *buf, const struct verdict *a, const struct notice *m)
{
	char when[TIME_TEXT_LEN];

	if (m->detail.kind != DETAIL_STATE) {
		sentence_add(buf,
			     "all servers slowed: %s at the same load is up to %.1f x what it was "
			     "before",
			     verdict_signal(a, m->signal)->name, m->ratio);
		return;
	}
	sentence_add(buf, "all servers slowed");
	if (m == verdict_replacement(a))
		sentence_add(buf, " at %s, so that none stands out", output_time(m->from_ns, when));
	sentence_add(buf, ": a %s takes %.1f x what it took before, on %zu of %zu", m->work,
		     m->ratio, m->servers, m->of);
	if (m->signal < a->n_signals)
		sentence_add(buf, "; meanwhile %s rose everywhere (%.1f x)",
			     verdict_signal(a, m->signal)->name, m->latency);
}

const char *sentence_notice(const struct verdict *a, const struct notice *m, char buf[SENTENCE_LEN])
{
	const char *server = m->node < a->n_nodes ? a->nodes[m->node] : "";

	*buf = 0;
	switch (m->kind) {
	case NOTICE_HOT: put_imbalance(buf, a, m, server); break;
	case NOTICE_IDLE:
		if (m->signal == SIG_IDLE)
			sentence_add(buf, "%s has far less to do than its peers", server);
		else
			sentence_add(buf, "%s has less to do than its peers (%s)", server,
				     verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_BOTTLENECK:
		sentence_add(buf,
			     "the other servers wait for %s: requests queue at %s, which takes "
			     "%.2f times "
			     "its peers' time for a request, as disks of one model differ",
			     server, m->disk, m->ratio);
		break;
	case NOTICE_HARDWARE:
		sentence_add(buf, "%s: disk %s (%s) has %.1f times the %s of disks of other models",
			     server, m->disk, *m->model ? m->model : "model unknown", m->ratio,
			     verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_ROLE:
		sentence_add(buf,
			     "%s never did what its peers do: a server with another role, such as "
			     "metadata, "
			     "needs a group of its own (--peers)",
			     server);
		break;
	case NOTICE_FLEET: put_fleet(buf, a, m); break;
	case NOTICE_STOLEN:
		sentence_add(buf,
			     "other guests take the processors of servers, on up to %zu of %zu for "
			     "a fifth "
			     "of the time or more, most on %s (%.0f %%): faults are hard to see "
			     "meanwhile",
			     m->servers, m->of, verdict_node(a, m->most), m->share);
		break;
	case NOTICE_MAINTENANCE:
		sentence_add(buf, "%s: %s (%s) uses %s", server, m->work, m->process,
			     *m->disk ? m->disk : "its processors");
		break;
	case NOTICE_FOREIGN: put_foreign_use(buf, m, server); break;
	case NOTICE_ORIGIN:
		sentence_add(buf,
			     "on %zu of %zu servers it cannot be told whether the file system or "
			     "others use "
			     "the disks: a disk hog there would not be named (limpet-probe record "
			     "--cgroup "
			     "or --pid)",
			     m->servers, m->of);
		break;
	case NOTICE_SKEW:
		sentence_add(buf,
			     "%s: in %s a %s there has %.1f times the bytes of the others, and "
			     "takes %.1f "
			     "times as long: skewed data",
			     server, m->detail.job, m->work, m->ratio, m->latency);
		break;
	case NOTICE_REMOTE:
		sentence_add(buf,
			     "%zu of %zu tasks (%s) of %s read from other servers, and took %.1f "
			     "times as "
			     "long as the rest",
			     m->servers, m->of, m->work, m->detail.job, m->ratio);
		break;
	case NOTICE_SLOTS:
		sentence_add(buf,
			     "%s ran at most %zu tasks (%s) at a time, where its peers ran %zu",
			     server, m->servers, m->work, m->of);
		break;
	case NOTICE_CLIENT: put_client(buf, m, server); break;
	case NOTICE_SILENT: sentence_add(buf, "%s stopped reporting", server); break;
	case NOTICE_REBOOT: put_restart(buf, m, server); break;
	case NOTICE_ACKNOWLEDGED: put_acknowledged(buf, a, m, server); break;
	case NOTICE_KINDS: break;
	}
	return buf;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

const char *sentence_note(const struct note *n, char buf[SENTENCE_LEN])
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	*buf = 0;
	switch (n->kind) {
	case NOTE_READER: sentence_add(buf, "%s", n->text); break;
	case NOTE_CLOCK:
		sentence_add(
			buf,
			"%s was recorded from %s to %s, most other servers were not: is its clock "
			"right?",
			n->host, output_time(n->from_ns, from), output_time(n->to_ns, to));
		break;
	case NOTE_LEFT_OUT:
		sentence_add(buf, "%s%s", n->host, *n->host ? ": " : "");
		if (*n->file || !*n->host)
			sentence_add(buf, "'%s' is left out: ", n->file);
		sentence_add(buf, "%s", n->text);
		break;
	case NOTE_COLUMNS:
		sentence_add(
			buf,
			"not judged: columns %s: it is not known whether more or less of them is "
			"worse (--signal judges one)",
			n->text);
		break;
	case NOTE_REPEATED:
		sentence_add(
			buf,
			"values came again for the same server, metric and time: the first one "
			"counts (disks of a server: --instance; files of servers of one name: "
			"--node @file)");
		break;
	}
	return buf;
}
