// SPDX-License-Identifier: BSD-2-Clause
/* limpet show: what was recorded, instance by instance: a sar-like table, CSV or JSON Lines. */
#include "commands.h"
#include "show_latencies.h"
#include "show_stacks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/output.h"
#include "userspace/common/times.h"
#include "analyzer/options/analysis.h"
#include "analyzer/source/source.h"
#include "userspace/common/sort.h"

enum { TEXT_WIDTH = 99, HEADING_EVERY = 40 };

/* Heading and width of the column of instances; longer names push the rest to the right. */
static const struct {
	const char *heading;
	int width;
} instances[FAM_COUNT] = {
	[FAM_DISK] = {"device", 10},
	[FAM_NET] = {"device", 10},
	[FAM_TCP] = {"", 10},
	[FAM_HOST] = {"", 10},
	[FAM_REMOTE] = {"remote>port", 21},
	[FAM_PROCESS] = {"process", 23},
};

struct show_opts {
	struct string_list metrics, nodes, families, devices, symbols;
	int64_t from_ns, to_ns;
	const char *pprof;
	bool csv, json, latencies, stacks, strict;
};

/* What is being printed, handed through the reader's callback. */
struct show {
	const struct show_opts *o;
	const struct source_file *file;
	bool wanted[M_COUNT]; /* by --metric and --family */
	bool seen[M_COUNT];   /* wanted, and with a value in this file */
	bool csv_column[M_COUNT];
	bool any;		      /* a line was printed */
	struct stack_profile profile; /* with --stacks and --pprof: of all files */
	struct symbols *symbols;
	/* text: one table has one family and as many columns as fit the width */
	enum metric_family family;
	enum metric_id columns[M_COUNT];
	size_t n_columns, lines;
	char heading[TIME_TEXT_LEN]; /* day and zone of the last one */
};

#define AT(field) offsetof(struct show_opts, field)

static const struct option_def options[] = {
	{'m', "metric", OPT_LIST, AT(metrics), "METRIC", "only this metric (repeatable)", 0, 0},
	{'n', "node", OPT_LIST, AT(nodes), "NODE", "only this host (repeatable)", 0, 0},
	{'f', "family", OPT_LIST, AT(families), "disk|net|tcp|host|remote|process",
	 "only this family (repeatable)", 0, 0},
	{'d', "device", OPT_LIST, AT(devices), "DEVICE",
	 "only this instance: disk, interface… (repeatable)", 0, 0},
	{0, "from", OPT_TIME, AT(from_ns), "TIME",
	 "only seconds from this time on: '2026-11-21 19:26', 19:26, -10m …", 0, 0},
	{0, "to", OPT_TIME, AT(to_ns), "TIME", "only seconds before this time", 0, 0},
	{0, "csv", OPT_FLAG, AT(csv), NULL, "one line per second and instance, a column per metric",
	 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object per second and instance", 0, 0},
	{0, "latencies", OPT_FLAG, AT(latencies), NULL,
	 "CSV: one line per second, disk, operation and size of request", 0, 0},
	{0, "stacks", OPT_FLAG, AT(stacks), NULL,
	 "folded stacks in which the server's threads were met, the count last", 0, 0},
	{0, "pprof", OPT_STRING, AT(pprof), "FILE", "write them as a profile of pprof", 0, 0},
	{0, "symbols", OPT_LIST, AT(symbols), "DIR",
	 "with programs, libraries, debugging symbols: names of functions (repeatable)", 0, 0},
	{0, "strict", OPT_FLAG, AT(strict), NULL,
	 "a source that cannot be read is an error; default: it is left out", 0, 0},
	ANALYSIS_LOCAL_TIME,
	{0},
};

/* A column per name: tcp and remote have the same ones. */
static bool is_csv_column(const struct show *s, int m)
{
	return s->wanted[m] &&
	       !any_of(k, m, s->wanted[k] && !strcmp(metrics[k].name, metrics[m].name));
}

static void print_csv(const struct show *s, const char *when, const char *instance,
		      const struct second_row *row)
{
	char number[32];

	printf("%s,%s,%s,%s", when, s->file->host, metric_family_names[row->family], instance);
	for (int m = 0; m < M_COUNT; m++) {
		double x;

		if (!s->csv_column[m])
			continue;
		x = second_value(row, metric_in_family(row->family, metrics[m].name));
		printf(",%s", isfinite(x) ? show_exact(x, number) : "");
	}
	printf("\n");
}

static void print_json(const struct show *s, const struct series_time *t, const char *when,
		       const char *instance, const struct second_row *row)
{
	char number[32];

	printf("{\"time\":\"%s\",\"node\":\"%s\",\"family\":\"%s\",\"instance\":\"%s\"", when,
	       s->file->host, metric_family_names[row->family], instance);
	printf(",\"seq\":%llu,\"mono_ns\":%llu,\"lost\":%llu", (unsigned long long)t->seq,
	       (unsigned long long)t->mono_ns, (unsigned long long)t->lost);
	if (isfinite(t->interval_s))
		printf(",\"interval_s\":%s", show_exact(t->interval_s, number));
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++)
		if (s->wanted[m] && isfinite(second_value(row, m)))
			printf(",\"%s\":%s", metrics[m].name,
			       show_exact(second_value(row, m), number));
	printf("}\n");
}

/* CSV and JSON Lines: rows as they come, those without a wanted value left out. */
static int on_line(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct show *s = arg;
	char when[TIME_TEXT_LEN], name[4 * INSTANCE_LEN];

	if (!any_of(m, M_COUNT, s->wanted[m] && isfinite(second_value(row, (int)m))) ||
	    !string_list_allows(&s->o->devices, row->instance))
		return 0;
	s->any = true;
	output_time(t->wall_ns, when);
	output_clean(row->instance, name, sizeof(name));
	if (s->o->csv)
		print_csv(s, when, name, row);
	else
		print_json(s, t, when, name, row);
	return ferror(stdout) ? -EIO : 0;
}

static int on_seen(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct show *s = arg;

	(void)t;
	for (int m = 0; m < M_COUNT; m++)
		if (s->wanted[m] && isfinite(second_value(row, m)) &&
		    string_list_allows(&s->o->devices, row->instance))
			s->seen[m] = true;
	return 0;
}

/* Wide enough for the name, the unit and a usual number; a space before. */
static int width(enum metric_id m)
{
	size_t name = strlen(metrics[m].name), unit = strlen(metrics[m].unit);
	size_t w = name > unit ? name : unit;

	return (int)(w < 9 ? 9 : w) + 1;
}

/* "2026-11-21", and "UTC" or how far the local clock is ahead of it. */
static void heading_of(int64_t wall_ns, char heading[TIME_TEXT_LEN])
{
	char when[TIME_TEXT_LEN];

	output_time(wall_ns, when);
	snprintf(heading, TIME_TEXT_LEN, "%.10s %s", when,
		 time_here.shown ? when + strlen(when) - strlen("+00:00") : "UTC");
}

static void print_heading(const struct show *s)
{
	printf("\n%s  %s  %.10s\n", s->file->host, metric_family_names[s->family], s->heading);
	printf("%-8s %-*s", s->heading + 11, instances[s->family].width,
	       instances[s->family].heading);
	for (size_t c = 0; c < s->n_columns; c++)
		printf("%*s", width(s->columns[c]), metrics[s->columns[c]].name);
	printf("\n%*s", 9 + instances[s->family].width, "");
	for (size_t c = 0; c < s->n_columns; c++)
		printf("%*s", width(s->columns[c]), metrics[s->columns[c]].unit);
	printf("\n");
}

static int on_text(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct show *s = arg;
	char when[TIME_TEXT_LEN], name[4 * INSTANCE_LEN], heading[TIME_TEXT_LEN];

	if (!string_list_allows(&s->o->devices, row->instance))
		return 0;
	s->any = true;
	heading_of(t->wall_ns, heading);
	if (s->lines++ % HEADING_EVERY == 0 || strcmp(heading, s->heading) != 0) {
		memcpy(s->heading, heading, sizeof(s->heading));
		print_heading(s);
	}
	output_time(t->wall_ns, when);
	printf("%.8s %-*s", when + 11, instances[s->family].width,
	       output_clean(row->instance, name, sizeof(name)));
	for (size_t c = 0; c < s->n_columns; c++) {
		const struct metric *m = &metrics[s->columns[c]];
		double x = second_value(row, s->columns[c]);

		if (!isfinite(x))
			printf("%*s", width(s->columns[c]), "-");
		else if (fabs(x) < 1e8)
			printf("%*.*f", width(s->columns[c]), m->decimals, x);
		else
			printf("%*.3g", width(s->columns[c]), x);
	}
	printf("\n");
	return ferror(stdout) ? -EIO : 0;
}

static int on_latencies(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct show *s = arg;

	if (row->lat && string_list_allows(&s->o->devices, row->instance)) {
		show_latencies(s->file->host, t, row);
		s->any = true;
	}
	return ferror(stdout) ? -EIO : 0;
}

/* ---- files ----------------------------------------------------------------------------------------*/

/* The tables of one family: as many columns as fit, then the next ones. */
static int show_family(struct show *s, struct series_reader *r, enum metric_family family)
{
	int m = metric_first[family], end = metric_first[family + 1], err = 0;

	s->family = family;
	while (m < end && !err) {
		int used = 9 + instances[family].width;

		s->lines = 0;
		for (s->n_columns = 0; m < end; m++) {
			used += s->seen[m] ? width((enum metric_id)m) : 0;
			if (s->n_columns && used > TEXT_WIDTH)
				break;
			if (s->seen[m])
				s->columns[s->n_columns++] = (enum metric_id)m;
		}
		if (s->n_columns)
			err = series_reader_rows(r, s->o->from_ns, s->o->to_ns, 1U << family, 0,
						 on_text, s);
	}
	return err;
}

/* Those of the metrics wanted. */
static unsigned int families(const struct show *s)
{
	unsigned int mask = 0;

	for (int m = 0; m < M_COUNT; m++)
		mask |= s->wanted[m] ? 1U << metrics[m].family : 0U;
	return mask;
}

/* What its probe could not measure, above the tables. */
static int on_missing(void *arg, const char *text)
{
	const struct show *s = arg;

	return printf("%s  not measured: %s\n", s->file->host, text) < 0 ? -EIO : 0;
}

static int show_file(struct show *s)
{
	struct series_reader *r = NULL;
	int err = series_reader_new(&r, s->file->path);

	if (!err && (s->o->stacks || s->o->pprof)) {
		err = show_stacks_read(r, s->o->from_ns, s->o->to_ns, s->symbols, &s->profile,
				       &s->profile, s->o->pprof != NULL);
	} else if (!err && s->o->latencies) {
		err = series_reader_rows(r, s->o->from_ns, s->o->to_ns, 1U << FAM_DISK,
					 HIST_LAT | HIST_DEV, on_latencies, s);
	} else if (!err && (s->o->csv || s->o->json)) {
		err = series_reader_rows(r, s->o->from_ns, s->o->to_ns, families(s), 0, on_line, s);
	} else if (!err) {
		memset(s->seen, 0, sizeof(s->seen));
		err = series_reader_missing(r, on_missing, s);
		err = err ? err
			  : series_reader_rows(r, s->o->from_ns, s->o->to_ns, families(s), 0,
					       on_seen, s);
		for (int f = 0; f < FAM_COUNT && !err; f++)
			err = show_family(s, r, (enum metric_family)f);
	}
	if (err && !ferror(stdout))
		fail("%s", series_error());
	series_reader_free(r);
	return err;
}

static bool is_family(const char *name)
{
	return any_of(f, FAM_COUNT, !strcmp(name, metric_family_names[f]));
}

/* Fills wanted[]; not 0 after a message. */
static int choose_wanted(struct show *s)
{
	const struct show_opts *o = s->o;

	for (size_t i = 0; i < o->metrics.n; i++)
		if (metric_by_name(o->metrics.at[i]) < 0)
			return fail("'%s' is not a metric", o->metrics.at[i]);
	for (size_t i = 0; i < o->families.n; i++)
		if (!is_family(o->families.at[i]))
			return fail("'%s' is not a family: disk, net, tcp, host, remote or process",
				    o->families.at[i]);
	if (o->csv && o->json)
		return fail("'--csv' and '--json' exclude each other");
	if (o->latencies && (o->json || o->metrics.n || o->families.n))
		return fail("'--latencies' excludes '%s'", o->json	  ? "--json"
							   : o->metrics.n ? "--metric"
									  : "--family");
	if ((o->stacks || o->pprof) &&
	    (o->json || o->csv || o->latencies || o->metrics.n || o->families.n || o->devices.n))
		return fail("'--stacks' and '--pprof' exclude options that choose metrics or their "
			    "form");
	if (o->symbols.n && !o->stacks && !o->pprof)
		return fail("'--symbols' is for '--stacks' and '--pprof'");
	for (int m = 0; m < M_COUNT; m++)
		s->wanted[m] =
			string_list_allows(&o->metrics, metrics[m].name) &&
			string_list_allows(&o->families, metric_family_names[metrics[m].family]);
	return 0;
}

static int show_stacks(struct show *s)
{
	int err = 0;

	stack_profile_sort(&s->profile);
	if (s->o->pprof)
		err = stack_profile_pprof(&s->profile, s->o->pprof);
	if (!err && s->o->stacks)
		err = stack_profile_print(&s->profile, stdout);
	return err;
}

static int show_all(struct show *s, char *const *paths, size_t n_paths)
{
	struct sources sources;
	size_t shown = 0, damaged = 0;
	int err = sources_open(&sources, paths, n_paths,
			       &(struct table_opts){.strict = s->o->strict}, NULL);

	if (err)
		return err;
	if (!sources.n) {
		bool logs = !sources.tabular;

		sources_release(&sources);
		return fail(logs ? "'show' prints series files; 'limpet states' prints logs"
				 : "'show' prints series files; a table can be read as it is");
	}
	if (s->o->stacks || s->o->pprof) {
		s->symbols = symbols_new(s->o->symbols.at, s->o->symbols.n);
		err = s->symbols ? 0 : fail("%s", strerror(ENOMEM));
	} else if (s->o->latencies) {
		printf("time,node,instance,operation,size,interval_s," LATENCY_COLUMNS "\n");
	} else if (s->o->csv) {
		printf("time,node,family,instance");
		for (int m = 0; m < M_COUNT; m++) {
			s->csv_column[m] = is_csv_column(s, m);
			if (s->csv_column[m])
				printf(",%s", metrics[m].name);
		}
		printf("\n");
	}
	for (size_t i = 0; i < sources.n && !err; i++) {
		if (!string_list_allows(&s->o->nodes, sources.at[i].host))
			continue;
		s->file = &sources.at[i];
		err = show_file(s);
		shown++;
		/* what was read of it is shown, and all of the others */
		if (err && err != -ENOMEM && !ferror(stdout) && !s->o->strict) {
			damaged++;
			err = 0;
		}
	}
	if (shown && damaged == shown)
		err = -EBADMSG;
	if (!shown)
		err = fail("none of the hosts asked for is in the data");
	if (!err && (s->o->stacks || s->o->pprof))
		err = show_stacks(s);
	else if (!err && !s->any && s->o->devices.n)
		err = fail("none of the devices asked for is in the data");
	else if (!err && !s->any && (s->o->metrics.n || s->o->families.n))
		err = fail("there is no value of what was asked for in the data");
	stack_profile_release(&s->profile);
	symbols_free(s->symbols);
	sources_release(&sources);
	return err;
}

static int run_show(int argc, char **argv)
{
	struct show_opts o = {.to_ns = INT64_MAX};
	struct show s = {.o = &o};
	size_t n;
	int status = options_words(&cmd_show, &o, argc, argv, "a SOURCE", &n);

	if (n && !choose_wanted(&s))
		status = output_finish(show_all(&s, argv + 1, n) ? EXIT_FAILED : EXIT_DONE);
	options_release(&cmd_show, &o);
	return status;
}

const struct command cmd_show = {
	.name = "show",
	.args = "SOURCE…",
	.summary = "prints what was recorded",
	.options = options,
	.run = run_show,
};
