// SPDX-License-Identifier: BSD-2-Clause
/*
 * SIGHUP: the options, read again. What the kernel's side was loaded with, what takes a right, and who the
 * data say they are, stays as it was at the start. All is looked at before anything is changed: where one
 * new value is wrong, nothing changes.
 */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

struct reloading {
	struct session *s;
	struct record_opts *fresh;
	struct selection sel; /* of `fresh`: disks and cgroups, as far as they have changed */
};

/* Nothing reads the old list any more. */
static void adopt_list(struct string_list *old, struct string_list *fresh)
{
	string_list_release(old);
	*old = *fresh;
	*fresh = (struct string_list){0};
}

/* ---- disks ---- */

static bool has_disk(const struct disk *disks, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(disks[i].name, name))
			return true;
	return false;
}

static bool check_disks(struct reloading *r)
{
	struct session *s = r->s;
	size_t coming = 0;

	if (selection_resolve_disks(&r->sel, &r->fresh->sel.disks))
		return false;
	for (size_t i = 0; i < r->sel.n_disks; i++)
		coming += !has_disk(s->sel.disks, s->sel.n_disks, r->sel.disks[i].name);
	if (s->n_coming) {
		fail("disks of the reload before are still on their way");
		return false;
	}
	if (s->sel.n_disks + coming <= s->disk_slots)
		return true;
	fail("there is room for %zu disks since the start, those that went included",
	     s->disk_slots);
	return false;
}

/* A disk keeps its place, watched or not, so that nothing of one is taken for another's. */
static bool apply_disks(struct reloading *r)
{
	struct session *s = r->s;

	/* One that is away now is wanted as well where all are. */
	for (size_t i = 0; i < s->sel.n_disks; i++)
		sampler_watch_disk(
			s->sampler, i,
			has_disk(r->sel.disks, r->sel.n_disks, s->sel.disks[i].name) ||
				(r->sel.every_disk && disk_is_away(s->sel.disks[i].name)));
	for (size_t i = 0; i < r->sel.n_disks; i++) {
		if (has_disk(s->sel.disks, s->sel.n_disks, r->sel.disks[i].name))
			continue;
		s->coming[s->n_coming++] = r->sel.disks[i];
		r->sel.disks[i].stat_fd = -1;
	}
	s->sel.every_disk = r->sel.every_disk;
	adopt_list(&s->r.o.sel.disks, &r->fresh->sel.disks);
	return true;
}

/* ---- cgroups ---- */

/* What they are good for: the kernel's side was loaded for that, for no less and no more. */
static unsigned int kinds_of(const struct selection *sel)
{
	unsigned int kinds = 0;

	for (size_t i = 0; i < sel->n_cgroups; i++)
		kinds |= (sel->cgroups[i].v1 ? 1 : 2) | (sel->cgroups[i].requests ? 4 : 0);
	return kinds;
}

static bool check_cgroups(struct reloading *r)
{
	const struct selection *sel = &r->s->sel;

	if (!sel->n_cgroups || !r->fresh->sel.cgroups.n) {
		fail("'--cgroup': with the first one, and without any, what runs in the kernel is "
		     "another; that takes a restart");
		return false;
	}
	if (selection_resolve_cgroups(&r->sel, &r->fresh->sel.cgroups))
		return false;
	if (kinds_of(&r->sel) != kinds_of(sel)) {
		fail("'--cgroup': they are not of the hierarchies of the start, of all of them; "
		     "that takes a restart");
		return false;
	}
	return true;
}

static bool apply_cgroups(struct reloading *r)
{
	struct session *s = r->s;

	if (s->profiler &&
	    profiler_set_cgroups(s->profiler, r->fresh->sel.cgroups.at, r->fresh->sel.cgroups.n)) {
		fail("'--cgroup' stays as it was: %s", strerror(ENOMEM));
		return false;
	}
	memcpy(s->sel.cgroups, r->sel.cgroups, sizeof(s->sel.cgroups));
	s->sel.n_cgroups = r->sel.n_cgroups;
	if (s->probe)
		probe_set_cgroups(s->probe, s->sel.cgroups, s->sel.n_cgroups);
	sinks_set_cgroups(&s->sinks, s->sel.cgroups, s->sel.n_cgroups);
	adopt_list(&s->r.o.sel.cgroups, &r->fresh->sel.cgroups);
	return true;
}

/* ---- ports and processes ---- */

/* Netlink is asked for the ports of the start. */
static bool can_ports(const struct reloading *r)
{
	return probe_status(r->s->probe)[PROBE_TCP].ok;
}

static bool check_ports(struct reloading *r)
{
	return !selection_resolve_ports(&r->sel, &r->fresh->sel.ports);
}

static bool apply_ports(struct reloading *r)
{
	struct selection *sel = &r->s->sel;

	memcpy(sel->ports, r->sel.ports, sizeof(sel->ports));
	sel->n_ports = r->sel.n_ports;
	probe_set_ports(r->s->probe, sel->ports, sel->n_ports);
	adopt_list(&r->s->r.o.sel.ports, &r->fresh->sel.ports);
	return true;
}

/* With the first one, and without any, what runs in the kernel is another. */
static bool can_pids(const struct reloading *r)
{
	return r->s->sel.n_pids && r->fresh->sel.pids.n &&
	       probe_status(r->s->probe)[PROBE_TCP_PID].ok;
}

static bool check_pids(struct reloading *r)
{
	return !selection_resolve_pids(&r->sel, &r->fresh->sel.pids);
}

static bool apply_pids(struct reloading *r)
{
	struct session *s = r->s;

	memcpy(s->sel.pids, r->sel.pids, sizeof(s->sel.pids));
	s->sel.n_pids = r->sel.n_pids;
	probe_set_pids(s->probe, s->sel.pids, s->sel.n_pids);
	if (s->profiler)
		profiler_set_pids(s->profiler, s->sel.pids, s->sel.n_pids);
	sinks_set_pids(&s->sinks, s->sel.pids, s->sel.n_pids);
	adopt_list(&s->r.o.sel.pids, &r->fresh->sel.pids);
	return true;
}

/* ---- the others ---- */

static bool check_netdevs(struct reloading *r)
{
	const struct string_list *names = &r->fresh->sel.netdevs;
	size_t there;

	if (names->n > MAX_NETDEVS) {
		fail("at most %d interfaces can be given", MAX_NETDEVS);
		return false;
	}
	there = reader_count_netdevs(&r->s->reader, names);
	if (!names->n || there >= string_list_distinct(names))
		return true;
	fail("only %zu of the %zu interfaces asked for exist", there, string_list_distinct(names));
	return false;
}

static bool apply_netdevs(struct reloading *r)
{
	reader_set_netdevs(&r->s->reader, &r->fresh->sel.netdevs);
	adopt_list(&r->s->r.o.sel.netdevs, &r->fresh->sel.netdevs);
	return true;
}

static bool apply_bounds(struct reloading *r)
{
	struct record_opts *o = &r->s->r.o;

	o->keep_days = r->fresh->keep_days;
	o->keep_bytes = r->fresh->keep_bytes;
	sinks_set_bounds(&r->s->sinks, o->keep_days, o->keep_bytes);
	return true;
}

static const struct {
	const char *name;
	bool (*can)(const struct reloading *r); /* without a restart; NULL: always */
	bool (*check)(struct reloading *r);	/* false after a message; NULL: any value will do */
	bool (*apply)(struct reloading *r);	/* the same: it stays as it was */
} rows[] = {
	{"disk", NULL, check_disks, apply_disks},
	{"netdev", NULL, check_netdevs, apply_netdevs},
	{"port", can_ports, check_ports, apply_ports},
	{"pid", can_pids, check_pids, apply_pids},
	{"cgroup", NULL, check_cgroups, apply_cgroups},
	{"keep-days", NULL, NULL, apply_bounds},
	{"keep-size", NULL, NULL, apply_bounds},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

/* ---- all of them ---- */

/* Of an option that can change now; -1: it cannot. */
static int row_of(const struct reloading *r, const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return !rows[i].can || rows[i].can(r) ? (int)i : -1;
	return -1;
}

/* Looks which options have changed, and whether they may: false, after a message, if not. */
static bool check_all(struct reloading *r, bool changed[ROWS])
{
	for (const struct option_def *d = record_options; d->name; d++) {
		int i = row_of(r, d->name);

		if (i < 0 || option_is_same(d, &r->s->r.o, r->fresh))
			continue;
		changed[i] = true;
		if (rows[i].check && !rows[i].check(r))
			return false;
	}
	return true;
}

static void apply_all(struct reloading *r, const bool changed[ROWS])
{
	char said[128] = "";

	for (size_t i = 0; i < ROWS; i++) {
		if (!changed[i] || !rows[i].apply(r))
			continue;
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s--%s",
			 *said ? ", " : "", rows[i].name);
	}
	if (*said)
		warn("the options were read again, and have changed: %s", said);
}

static void say_refused(const struct reloading *r, const struct record_request *now)
{
	const struct record_request *was = &r->s->r;

	for (const struct option_def *d = record_options; d->name; d++)
		if (row_of(r, d->name) < 0 && !option_is_same(d, &was->o, r->fresh))
			warn("'--%s' has changed in '%s': that takes a restart, and stays as it "
			     "was",
			     d->name, was->o.file);
	if (now->interval_s != was->interval_s || now->count != was->count)
		warn("the interval or the count has changed in '%s': that takes a restart, and "
		     "stays "
		     "as it was",
		     was->o.file);
}

/* The text, if strings of it will be in use. */
static bool keep_text(struct session *s, struct record_request *now, const bool changed[ROWS])
{
	char **at;

	if (!memchr(changed, true, ROWS))
		return true;
	at = array_add(&s->texts, &s->n_texts);
	if (!at) {
		fail("%s", strerror(ENOMEM));
		return false;
	}
	*at = now->read.text;
	now->read.text = NULL;
	return true;
}

void reload(struct session *s)
{
	struct record_request now;
	struct reloading r = {.s = s, .fresh = &now.o};
	bool changed[ROWS] = {false};
	bool good;

	if (!s->r.o.file)
		return;
	selection_init(&r.sel);
	good = !record_request_read(&now, &s->line, true) && check_all(&r, changed) &&
	       keep_text(s, &now, changed);
	if (good) {
		say_refused(&r, &now);
		apply_all(&r, changed);
	} else {
		warn("all options stay as they were");
	}
	selection_release(&r.sel);
	record_request_release(&now);
}

void reload_release(struct session *s)
{
	for (size_t i = 0; i < s->n_texts; i++)
		free(s->texts[i]);
	free(s->texts);
	for (size_t i = 0; i < s->n_coming; i++)
		disk_close(&s->coming[i]);
}
