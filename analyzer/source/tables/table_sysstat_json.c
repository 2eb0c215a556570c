// SPDX-License-Identifier: BSD-2-Clause
/* sysstat's JSON: what `sadf -j` prints, with the names that `sadf -d` has for it, and what `iostat -o JSON` does. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userspace/metrics/metrics.h"

/*
 * Where a metric stands in a record: in the object or the objects of the list of that name, and in another object
 * there, or not (inside). Sections and metrics are in the order of sadf -d.
 */
static const struct json_place {
	const char *section, *inside, *key, *metric;
} places[] = {
	{"avg-cpu", NULL, "user", "%user"},
	{"avg-cpu", NULL, "nice", "%nice"},
	{"avg-cpu", NULL, "system", "%system"},
	{"avg-cpu", NULL, "iowait", "%iowait"},
	{"avg-cpu", NULL, "steal", "%steal"},
	{"avg-cpu", NULL, "idle", "%idle"},
	{"cpu-load", NULL, "user", "%user"},
	{"cpu-load", NULL, "nice", "%nice"},
	{"cpu-load", NULL, "system", "%system"},
	{"cpu-load", NULL, "iowait", "%iowait"},
	{"cpu-load", NULL, "steal", "%steal"},
	{"cpu-load", NULL, "idle", "%idle"},
	{"process-and-context-switch", NULL, "cswch", "cswch/s"},
	{"swap-pages", NULL, "pswpin", "pswpin/s"},
	{"swap-pages", NULL, "pswpout", "pswpout/s"},
	{"paging", NULL, "pgpgin", "pgpgin/s"},
	{"paging", NULL, "pgpgout", "pgpgout/s"},
	{"paging", NULL, "fault", "fault/s"},
	{"paging", NULL, "majflt", "majflt/s"},
	{"paging", NULL, "pgfree", "pgfree/s"},
	{"paging", NULL, "pgscank", "pgscank/s"},
	{"paging", NULL, "pgscand", "pgscand/s"},
	{"paging", NULL, "pgsteal", "pgsteal/s"},
	{"io", NULL, "tps", "tps"},
	{"io", "io-reads", "bread", "bread/s"},
	{"io", "io-writes", "bwrtn", "bwrtn/s"},
	{"memory", NULL, "memfree", "kbmemfree"},
	{"memory", NULL, "avail", "kbavail"},
	{"memory", NULL, "dirty", "kbdirty"},
	{"queue", NULL, "runq-sz", "runq-sz"},
	{"queue", NULL, "plist-sz", "plist-sz"},
	{"queue", NULL, "ldavg-1", "ldavg-1"},
	{"queue", NULL, "ldavg-5", "ldavg-5"},
	{"queue", NULL, "blocked", "blocked"},
	{"disk", NULL, "r/s", "r/s"},
	{"disk", NULL, "w/s", "w/s"},
	{"disk", NULL, "d/s", "d/s"},
	{"disk", NULL, "f/s", "f/s"},
	{"disk", NULL, "tps", "tps"},
	{"disk", NULL, "rkB/s", "rkB/s"},
	{"disk", NULL, "rkB", "rkB/s"},
	{"disk", NULL, "wkB/s", "wkB/s"},
	{"disk", NULL, "wkB", "wkB/s"},
	{"disk", NULL, "dkB/s", "dkB/s"},
	{"disk", NULL, "dkB", "dkB/s"},
	{"disk", NULL, "rrqm/s", "rrqm/s"},
	{"disk", NULL, "wrqm/s", "wrqm/s"},
	{"disk", NULL, "drqm/s", "drqm/s"},
	{"disk", NULL, "rareq-sz", "rareq-sz"},
	{"disk", NULL, "wareq-sz", "wareq-sz"},
	{"disk", NULL, "areq-sz", "areq-sz"},
	{"disk", NULL, "r_await", "r_await"},
	{"disk", NULL, "w_await", "w_await"},
	{"disk", NULL, "d_await", "d_await"},
	{"disk", NULL, "f_await", "f_await"},
	{"disk", NULL, "aqu-sz", "aqu-sz"},
	{"disk", NULL, "avgqu-sz", "aqu-sz"}, /* alone before sysstat 12 */
	{"disk", NULL, "await", "await"},
	{"disk", NULL, "util", "%util"},
	{"disk", NULL, "util-percent", "%util"},
	{"network", "net-dev", "rxpck", "rxpck/s"},
	{"network", "net-dev", "txpck", "txpck/s"},
	{"network", "net-dev", "rxkB", "rxkB/s"},
	{"network", "net-dev", "txkB", "txkB/s"},
	{"network", "net-dev", "ifutil-percent", "%ifutil"},
	{"network", "net-edev", "rxerr", "rxerr/s"},
	{"network", "net-edev", "txerr", "txerr/s"},
	{"network", "net-edev", "rxdrop", "rxdrop/s"},
	{"network", "net-edev", "txdrop", "txdrop/s"},
	{"psi", "psi-cpu", "some_avg", "%scpu"},
	{"psi", "psi-io", "some_avg", "%sio"},
	{"psi", "psi-io", "full_avg", "%fio"},
	{"psi", "psi-mem", "some_avg", "%smem"},
	{"psi", "psi-mem", "full_avg", "%fmem"},
};
enum { PLACES = sizeof(places) / sizeof(*places) };

/* What names the objects of a list. */
static const char *const devices[] = {"disk-device", "disk_device", "iface", "cpu", NULL};

struct sysstat_json {
	struct table *t;
	struct lines *l;
	bool file;	    /* the file's name is the node's */
	bool named;	    /* the node is known */
	bool iostat;	    /* it is iostat's */
	uint64_t records;   /* of this host */
	struct sample at;   /* what a record's values have in common */
	int64_t of[PLACES]; /* number of the metric in the table, or -1 */
};

static int time_of(struct sysstat_json *s, const json_t *stamp)
{
	const char *date = json_string_value(json_object_get(stamp, "date"));
	const char *time = json_string_value(json_object_get(stamp, "time"));
	char text[64] = "";

	s->iostat = !json_is_object(stamp);
	if (s->iostat && !json_is_string(stamp))
		return lines_bad(s->l, "there is no timestamp: 'iostat -t' prints it");
	if (s->iostat)
		snprintf(text, sizeof(text), "%s", json_string_value(stamp));
	else if (date && time)
		snprintf(text, sizeof(text), "%s %s%s", date, time,
			 json_integer_value(json_object_get(stamp, "utc")) ? " UTC" : "");
	return lines_time(s->l, text, strlen(text), &s->at.time_ns);
}

/* A value of the place, in the object, unless that has it by the metric's own name. */
static int value(struct sysstat_json *s, size_t place, uint32_t instance, const json_t *object)
{
	const json_t *v = json_object_get(object, places[place].key);
	struct sample sample = s->at;

	if (!v || (strcmp(places[place].key, places[place].metric) &&
		   json_object_get(object, places[place].metric)))
		return 0;
	if (!json_is_number(v))
		return lines_bad(s->l, "what '%s' has here is no number", places[place].key);
	if (s->of[place] < 0)
		s->of[place] = names_add(&s->t->metrics, places[place].metric);
	if (s->of[place] < 0)
		return -ENOMEM;
	sample.metric = (uint32_t)s->of[place];
	sample.instance = instance;
	sample.value = json_number_value(v);
	return table_value(s->t, s->l, &sample, NUMBER_VALUE);
}

const char *const sysstat_waits[] = {"await", "r_await", "w_await", "d_await", "f_await", NULL};

int sysstat_no_waits(const struct lines *l)
{
	return lines_bad(l, "there are no times of disks: 'iostat -x' prints them");
}

static bool has_waits(const json_t *disk)
{
	for (size_t i = 0; sysstat_waits[i]; i++)
		if (json_object_get(disk, sysstat_waits[i]))
			return true;
	return false;
}

/* Places from `place` on that are of the same object, in it. */
static int object(struct sysstat_json *s, size_t place, size_t end, const json_t *o)
{
	const json_t *name = NULL;
	uint32_t instance = 0;
	int err = 0;

	for (size_t i = 0; devices[i] && !name; i++)
		name = json_object_get(o, devices[i]);
	if (json_object_get(o, "cpu") ? strcmp(json_string_value(name) ?: "", "all") != 0
				      : !strcmp(json_string_value(name) ?: "", "lo"))
		return 0;
	if (name && !json_is_string(name))
		return lines_bad(s->l, "there is no name of a disk or an interface");
	if (s->iostat && !strcmp(places[place].section, "disk") && !has_waits(o))
		return sysstat_no_waits(s->l);
	if (name && !json_object_get(o, "cpu"))
		err = table_name(s->l, &s->t->instances, "an instance", json_string_value(name),
				 json_string_length(name), TABLE_INSTANCE_MAX, &instance);
	for (; place < end && !err; place++)
		err = value(s, place, instance, o);
	return err;
}

static bool same_object(const struct json_place *a, const struct json_place *b)
{
	return !strcmp(a->section, b->section) &&
	       (a->inside && b->inside ? !strcmp(a->inside, b->inside) : a->inside == b->inside);
}

static int record(struct sysstat_json *s, const json_t *e)
{
	int err = 0;

	for (size_t i = 0, end; i < PLACES && !err; i = end) {
		const json_t *o = json_object_get(e, places[i].section), *one;
		size_t k;

		for (end = i + 1; end < PLACES && same_object(&places[i], &places[end]); end++)
			;
		if (places[i].inside)
			o = json_object_get(o, places[i].inside);
		if (!json_is_array(o)) {
			err = o ? object(s, i, end, o) : 0;
			continue;
		}
		json_array_foreach(o, k, one)
			err = err ? err : object(s, i, end, one);
	}
	return err;
}

int sysstat_note_first(struct table *t)
{
	return table_note(
		t,
		"iostat's first report is left out: without -y it covers all the time since boot");
}

int sysstat_only_first(const struct lines *l)
{
	return fail("'%s': each run of iostat has one report, which is left out as it may cover "
		    "all the time since boot; run 'iostat -y -x -t N 2' or without end",
		    l->name);
}

int sysstat_note_zone(struct table *t, const struct lines *l)
{
	return l->local ? table_note(t, "times of sar and iostat that name no zone are read as "
					"UTC; record with TZ=UTC, or give sar's own file (sar -o), "
					"whose times are exact")
			: 0;
}

static int element(void *own, const char *list, json_t *e)
{
	struct sysstat_json *s = own;
	int err;

	if (!strcmp(list, "restarts")) {
		s->t->restarts += json_object_get(e, "boot") != NULL;
		return 0;
	}
	if (!s->named)
		return lines_bad(s->l, "there is no name of a node");
	err = time_of(s, json_object_get(e, "timestamp"));
	if (err)
		return err;
	if (s->iostat && !s->records++)
		return sysstat_note_first(s->t);
	s->t->lines++;
	return record(s, e);
}

static int member(void *own, const char *key, const char *text)
{
	struct sysstat_json *s = own;

	if (strcmp(key, "nodename"))
		return 0;
	s->named = true;
	s->records = 0;
	return s->file ? 0
		       : table_name(s->l, &s->t->nodes, "a node", text, strlen(text), HOST_LEN - 1,
				    &s->at.node);
}

static int read_sysstat_json(struct table *t, struct lines *l, const char *path,
			     const struct table_opts *o)
{
	static const char *const lists[] = {"statistics", "restarts", NULL};
	struct sysstat_json s = {.t = t, .l = l, .at.bytes = __builtin_nanf("")};
	uint64_t before = t->lines;
	int err = table_kind(t, l, false);

	memset(s.of, -1, sizeof(s.of));
	l->hint = SYSSTAT_HINT;
	s.file = o->node && !strcmp(o->node, "@file");
	if (!err && s.file)
		err = table_node_of_file(t, l, path, &s.at.node);
	t->merge = true;
	err = err ?: json_document(l, &(struct json_document){lists, element, member, &s, true});
	if (err > 0)
		err = table_note(t,
				 "'%s': the JSON is not finished (iostat was killed, or still "
				 "writes): complete reports were read",
				 l->name);
	if (!err && s.records && t->lines == before)
		err = sysstat_only_first(l);
	return err ?: sysstat_note_zone(t, l);
}

static bool is_sysstat_json(const unsigned char *head, size_t n)
{
	return json_begins(head, n, "{\"sysstat\":");
}

const struct table_format format_sysstat_json = {
	.name = "sysstat's JSON",
	.sysstat = true,
	.is = is_sysstat_json,
	.read = read_sysstat_json,
};
