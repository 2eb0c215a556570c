// SPDX-License-Identifier: BSD-2-Clause
/*
 * Darshan's logs (3.1 to 3.5) as states of storage servers: reads and writes that one server did, by the counters of a
 * file that lies on one server, or by each access where Darshan traced them (DXT).
 *
 * What is not one server's is not charged to one. A file on several servers has one sum of times; a record of rank
 * -1 is the sum over all processes; an access over several servers took as long as the slowest of them, so that its
 * parts (ost-read-wide, by bytes) are told but indict nobody. Times of MPI-IO hold those of POSIX, and in collective calls
 * the wait for other processes: they count only for files that POSIX says nothing of, and without such calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan.h"

/* The program's name, without its folder and arguments. */
static void take_exe(struct darshan *k)
{
	const char *at = k->f.command, *end = at + strcspn(at, " "), *base = end;

	while (base > at && base[-1] != '/')
		base--;
	snprintf(k->exe, sizeof(k->exe), "%.*s", (int)(end - base), base);
	if (!*k->exe || name_check(k->exe, strlen(k->exe), DARSHAN_EXE_LEN - 1))
		strcpy(k->exe, "program");
}

static void take_job(struct darshan *k)
{
	struct log *l = k->l;
	char name[32];
	struct state_job *j;

	take_exe(k);
	snprintf(name, sizeof(name), "%lld", (long long)k->f.job);
	k->job = log_job(l, piece_of(name));
	log_seen(l, k->f.end_ns);
	if (k->job == STATE_NONE)
		return;
	j = &l->s->job[k->job];
	/* a job may have run several programs, each with a log of its own */
	j->launch_ns = j->launch_ns && j->launch_ns < k->f.start_ns ? j->launch_ns : k->f.start_ns;
	j->submit_ns = j->launch_ns;
	j->finish_ns = j->finish_ns > k->f.end_ns ? j->finish_ns : k->f.end_ns;
	j->name = log_class(l, piece_of(k->exe));
	j->outcome = OUTCOME_OK;
}

static void note_unread(struct darshan *k)
{
	if (darshan_is_full(k))
		log_note(k->l, "it has more accesses than the %d that are read", LOG_STATES_MAX);
	if (k->several)
		log_note(k->l,
			 "%llu of its records are of files on several servers, or on servers that "
			 "it does not name: they do not say how long each took",
			 (unsigned long long)k->several);
	if (k->shared)
		log_note(k->l,
			 "%llu of its records are sums over processes that share a file: left out",
			 (unsigned long long)k->shared);
	if (k->unknown && !k->made)
		log_note(k->l, "of none of its files that were read or written it is known on "
			       "which servers they lie: '--layout' says it where it is not Lustre "
			       "that has them");
}

static int read_all(struct darshan *k)
{
	int err = darshan_layout_read(&k->y, k->l, &k->f) ?: darshan_traces(k, DARSHAN_DXT_POSIX);

	darshan_traced_in_order(k);
	err = err ? err : darshan_counters(k, DARSHAN_POSIX, false);
	err = err ? err : darshan_counters(k, DARSHAN_STDIO, false);
	darshan_ids_sort(&k->posix);
	err = err ? err : darshan_counters(k, DARSHAN_MPIIO, true);
	darshan_ids_sort(&k->collective);
	err = err ? err : darshan_traces(k, DARSHAN_DXT_MPIIO);
	return err ?: darshan_counters(k, DARSHAN_MPIIO, false);
}

static int darshan_whole(struct log *l, const unsigned char *data, size_t n)
{
	struct darshan *k = l->own;
	const char *why;
	int err = -EBADMSG;

	k->l = l;
	why = darshan_open(&k->f, data, n);
	if (why) {
		log_note(l, "%s", why);
	} else {
		take_job(k);
		err = read_all(k);
		note_unread(k);
	}
	darshan_layout_release(&k->y);
	free(k->traced);
	free(k->posix.at);
	free(k->ranks);
	free(k->collective.at);
	return err;
}

static bool is_darshan(const char *head, size_t n)
{
	return darshan_is((const unsigned char *)head, n);
}

const struct log_source log_darshan = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = is_darshan,
	.own_size = sizeof(struct darshan),
	.whole = darshan_whole,
};
