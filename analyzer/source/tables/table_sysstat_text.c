// SPDX-License-Identifier: BSD-2-Clause
/*
 * What sar and `iostat -t` print for people, in any language: blocks of lines, of which the first names the columns. Of sar
 * each line begins with the time of the day, and the day is that of the file's first line, and one more after midnight; of
 * iostat a line with the time stands before its blocks.
 */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/metrics/metrics.h"

enum { WORDS_MAX = 256, SECTIONS_MAX = 64 };

/* A time of the day that falls by more is one of the next day; by less, the clock was put back [D]. */
#define BACK_MAX (3 * NS_PER_HOUR)

/* The lines below one heading of sar's, which comes again. */
struct text_section {
	uint64_t columns; /* their hash */
	int64_t last_ns, add_ns;
};

struct sysstat_text {
	struct table *t;
	struct lines *l;
	char *word[WORDS_MAX]; /* of a line */
	size_t n;
	char day[32]; /* of sar */
	bool file, named, blank, iostat, timed;
	size_t reports;		   /* of iostat's of this host */
	int64_t last_ns;	   /* when the last was */
	size_t columns;		   /* of the block; 0: none is open */
	size_t device;		   /* which word names it; SIZE_MAX: none */
	bool cpu;		   /* it is a processor */
	int64_t metric[WORDS_MAX]; /* number in the table, or -1 */
	struct text_section section[SECTIONS_MAX], *in;
	size_t n_sections;
	struct sample at;
	struct names restarts; /* every section of a file repeats them */
};

/* "Linux 6.1.0 (oss3) \t11/27/26 \t_x86_64_\t(2 CPU)" */
static bool is_sysstat_text(const unsigned char *head, size_t n)
{
	const unsigned char *nl = memchr(head, '\n', n);
	size_t len = nl ? (size_t)(nl - head) : n;

	return len > 6 && !memcmp(head, "Linux ", 6) && memmem(head, len, ") \t", 3);
}

static int first_line(struct sysstat_text *s, char *line)
{
	char *host = strchr(line, '('), *end = strstr(line, ") \t"), *day = end ? end + 3 : NULL;

	if (!host || !end || host > end)
		return lines_bad(s->l, "there is no name of a node");
	*end = '\0';
	s->named = true;
	s->blank = true;
	s->timed = false;
	s->in = NULL;
	s->columns = s->reports = s->n_sections = 0;
	s->last_ns = INT64_MIN;
	snprintf(s->day, sizeof(s->day), "%.*s", (int)strcspn(day, " \t"), day);
	return s->file ? 0
		       : table_name(s->l, &s->t->nodes, "a node", host + 1, strlen(host + 1),
				    HOST_LEN - 1, &s->at.node);
}

/* ---- headings ---------------------------------------------------------------------------------- */

static bool names_device(const char *word)
{
	static const char *const names[] = {"DEV", "IFACE", "CPU", "Device", "Device:"};

	return any_of(i, sizeof(names) / sizeof(*names), !strcmp(word, names[i]));
}

static const char *metric_of(const char *word)
{
	return strcmp(word, "avgqu-sz") ? word : "aqu-sz"; /* before sysstat 12 there is no other */
}

/* From the word `from` on. */
static bool is_heading(const struct sysstat_text *s, size_t from)
{
	for (size_t i = from; i < s->n; i++)
		if (names_device(s->word[i]) || sysstat_is_read(metric_of(s->word[i])))
			return true;
	return s->blank && s->n > from;
}

static int heading(struct sysstat_text *s, size_t from)
{
	s->columns = s->n;
	s->device = SIZE_MAX;
	s->cpu = false;
	for (size_t i = from; i < s->n; i++) {
		s->metric[i] = -1;
		if (names_device(s->word[i])) {
			s->device = i;
			s->cpu = !strcmp(s->word[i], "CPU");
		} else if (sysstat_is_read(metric_of(s->word[i]))) {
			s->metric[i] = names_add(&s->t->metrics, metric_of(s->word[i]));
			if (s->metric[i] < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/* ---- values ------------------------------------------------------------------------------------ */

static int values(struct sysstat_text *s, size_t from)
{
	const char *name = s->device == SIZE_MAX ? NULL : s->word[s->device];
	struct sample sample = s->at;
	int err = 0;

	if (s->n != s->columns)
		return lines_bad(s->l, "%zu words, but %zu columns", s->n, s->columns);
	if (s->iostat && s->reports < 2)
		return 0;
	s->t->lines++;
	if (name && (s->cpu ? strcmp(name, "all") != 0 : !strcmp(name, "lo")))
		return 0;
	if (name && !s->cpu)
		err = table_name(s->l, &s->t->instances, "an instance", name, strlen(name),
				 TABLE_INSTANCE_MAX, &sample.instance);
	for (size_t i = from; i < s->n && !err; i++)
		err = sysstat_value(s->t, s->l, sample, s->metric[i], s->word[i]);
	return err;
}

/* ---- sar --------------------------------------------------------------------------------------- */

/* "23:46:32", or two words, "11:46:32 PM": how many; 0: neither. */
static size_t clock_words(const struct sysstat_text *s)
{
	const char *w = s->word[0];
	bool half = s->n > 1 && (!strcmp(s->word[1], "AM") || !strcmp(s->word[1], "PM"));

	if (strlen(w) != 8 || w[2] != ':' || w[5] != ':' || strspn(w, "0123456789:") != 8)
		return 0;
	return half ? 2 : 1;
}

static struct text_section *section_of(struct sysstat_text *s, uint64_t columns)
{
	for (size_t i = 0; i < s->n_sections; i++)
		if (s->section[i].columns == columns)
			return &s->section[i];
	if (s->n_sections == SECTIONS_MAX)
		return NULL;
	s->section[s->n_sections] = (struct text_section){.columns = columns, .last_ns = INT64_MIN};
	return &s->section[s->n_sections++];
}

static uint64_t hash_of_words(const struct sysstat_text *s, size_t from)
{
	uint64_t hash = 0;

	for (size_t i = from; i < s->n; i++)
		hash = map_hash_number(hash ^ map_hash(s->word[i], strlen(s->word[i])));
	return hash;
}

static int goes_back(const struct sysstat_text *s)
{
	return lines_bad(s->l, "the clock goes back (summer time?): record with TZ=UTC, or give "
			       "sar's own file");
}

/* The time goes back by hours: it is the next day. */
static int sar_time(struct sysstat_text *s, size_t words)
{
	struct text_section *in = s->in;
	char text[64];
	int err;

	snprintf(text, sizeof(text), "%s %s%s%s", s->day, s->word[0], words > 1 ? " " : "",
		 words > 1 ? s->word[1] : "");
	err = lines_time(s->l, text, strlen(text), &s->at.time_ns);
	if (err)
		return err;
	if (in->last_ns > INT64_MIN && s->at.time_ns < in->last_ns - BACK_MAX)
		in->add_ns += NS_PER_DAY;
	else if (s->at.time_ns < in->last_ns)
		return goes_back(s);
	in->last_ns = s->at.time_ns;
	s->at.time_ns += in->add_ns;
	return 0;
}

static int restart(struct sysstat_text *s)
{
	char id[300];

	snprintf(id, sizeof(id), "%u %s %.20s", s->at.node, s->day, s->word[0]);
	return sysstat_restart(s->t, &s->restarts, id);
}

static int sar_line(struct sysstat_text *s, size_t words)
{
	int err = 0;

	s->iostat = false;
	if (s->n > words + 1 && !strcmp(s->word[words], "LINUX") &&
	    !strcmp(s->word[words + 1], "RESTART"))
		return restart(s);
	if (s->n > words && !strcmp(s->word[words], "COM"))
		return 0;
	if (is_heading(s, words)) {
		s->in = section_of(s, hash_of_words(s, words));
		if (!s->in)
			return lines_bad(s->l, "more than %d kinds of lines", SECTIONS_MAX);
		return heading(s, words) ?: sar_time(s, words);
	}
	if (!s->columns || !s->in)
		return lines_bad(s->l, "there are no names of columns above");
	/* a line of other columns has other times: values() refuses it */
	err = s->n == s->columns ? sar_time(s, words) : 0;
	return err ?: values(s, words);
}

/* ---- iostat ------------------------------------------------------------------------------------ */

static bool has_waits(const struct sysstat_text *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; sysstat_waits[k]; k++)
			if (!strcmp(s->word[i], sysstat_waits[k]))
				return true;
	return false;
}

static int iostat_line(struct sysstat_text *s, char *line, size_t len)
{
	/* the last word is that with --pretty */
	bool device = names_device(s->word[0]) || names_device(s->word[s->n - 1]);
	bool cpu = !strcmp(s->word[0], "avg-cpu:");
	int err;

	if ((device || cpu) && !s->timed)
		return lines_bad(s->l, "there is no time above: 'iostat -t' prints it");
	if (device || cpu) {
		err = heading(s, device ? 0 : 1);
		s->in = NULL;
		s->columns -= cpu; /* the name has none below */
		if (cpu)
			memmove(s->metric, s->metric + 1, s->columns * sizeof(*s->metric));
		return err || cpu || has_waits(s) ? err : sysstat_no_waits(s->l);
	}
	if (s->columns && s->iostat)
		return values(s, 0);
	s->iostat = true;
	s->timed = true;
	err = s->reports++ ? 0 : sysstat_note_first(s->t);
	if (err)
		return err;
	err = lines_time(s->l, line, len, &s->at.time_ns);
	if (!err && s->at.time_ns < s->last_ns)
		return goes_back(s);
	s->last_ns = s->at.time_ns;
	return err;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static int any_line(struct sysstat_text *s, char *line, size_t len)
{
	char *next = NULL, whole[128]; /* strtok_r() takes the line apart */
	size_t words;

	if (!strncmp(line, "Linux ", 6))
		return first_line(s, line);
	if (!s->named)
		return lines_bad(s->l, "there is no name of a node");
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		line[--len] = '\0';
	snprintf(whole, sizeof(whole), "%s", line);
	s->n = 0;
	for (char *w = strtok_r(line, " \t", &next); w; w = strtok_r(NULL, " \t", &next)) {
		if (s->n == WORDS_MAX)
			return lines_bad(s->l, "more than %d words", WORDS_MAX);
		s->word[s->n++] = w;
	}
	if (!s->n)
		return 0;
	words = clock_words(s);
	if (words && s->n > words && (s->word[words][0] & 0x80)) /* in Greek, Hindi */
		return lines_bad(s->l, "'%s %.40s' is no time%s", s->word[0], s->word[words],
				 SYSSTAT_HINT);
	if (words)
		return sar_line(s, words);
	if (s->columns && !s->iostat) { /* "Average:", in any language */
		size_t end = strlen(s->word[0]);

		if (s->word[0][end - 1] == ':' || (s->n > 1 && !strcmp(s->word[1], ":")))
			return 0;
		return lines_bad(s->l, "'%.40s' is no time%s", s->word[0], SYSSTAT_HINT);
	}
	return iostat_line(s, whole, strlen(whole));
}

static int read_sysstat_text(struct table *t, struct lines *l, const char *path,
			     const struct table_opts *o)
{
	struct sysstat_text *s = calloc(1, sizeof(*s));
	int err = s ? table_kind(t, l, false) : -ENOMEM, got;
	uint64_t expected = 1, before = t->lines;
	char *line;
	size_t len;

	if (err)
		goto out;
	s->t = t;
	s->l = l;
	s->at.bytes = __builtin_nanf("");
	l->hint = SYSSTAT_HINT;
	s->file = o->node && !strcmp(o->node, "@file");
	if (s->file)
		err = table_node_of_file(t, l, path, &s->at.node);
	while (!err && (got = lines_whole(l, &line, &len)) != 0) {
		if (got > 0 && l->line != expected) { /* lines_whole() passes over empty ones */
			s->blank = true;
			s->columns = s->iostat ? 0 : s->columns;
		}
		expected = l->line + 1;
		err = got < 0	      ? got
		      : l->unfinished ? table_note(t,
						   "the last line of '%s' is not finished (sar or "
						   "iostat was killed, or still writes): the lines "
						   "above it were read",
						   l->name)
				      : any_line(s, line, len);
		s->blank = false;
	}
	if (!err && s->iostat && t->lines == before)
		err = sysstat_only_first(l);
	err = err ?: sysstat_note_zone(t, l);
	t->merge = true;
	names_release(&s->restarts);
out:
	free(s);
	return err;
}

const struct table_format format_sysstat_text = {
	.name = "what sar and iostat print",
	.sysstat = true,
	.is = is_sysstat_text,
	.read = read_sysstat_text,
};
