// SPDX-License-Identifier: BSD-2-Clause
/* A file of measurements into memory: finds its format, and keeps what all formats share: samples,
 * names, notes. Beneath every format a file may be compressed (table_lines.c). */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prometheus.h"
#include "unpack.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

enum { NOTES_MAX = 1 << 16 };

/* In the order they are asked; any text that is nothing else is CSV. */
static const struct table_format *const formats[] = {
	&format_sysstat,    &format_sadf,	&format_sysstat_json, &format_sysstat_text,
	&format_prometheus, &format_json_array, &format_jsonl,	      &format_csv,
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

const char *const table_times[] = {"time", "timestamp", NULL};
const char *const table_nodes[] = {"node", "host", "hostname", NULL};

static const unsigned char gzip_magic[] = {0x1f, 0x8b};
static const char sqlite_magic[] = "SQLite format 3"; /* with its NUL */

static bool is_gzip(const unsigned char *head, size_t n)
{
	return n >= 2 && !memcmp(head, gzip_magic, 2);
}

static bool is_text(const unsigned char *head, size_t n)
{
	return n > 0 && !any_of(i, n,
				(head[i] < ' ' && !strchr("\t\r\n", head[i])) || head[i] == 0x7f ||
					!head[i]);
}

static bool is_series(const unsigned char *head, size_t n)
{
	return n >= sizeof(sqlite_magic) && !memcmp(head, sqlite_magic, sizeof(sqlite_magic));
}

bool table_named(const char *name)
{
	static const char *const packed[] = {".gz", ".xz", ".zst", ".bz2"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		size_t n = strlen(packed[i]);

		if (len > n && !strcmp(name + len - n, packed[i])) {
			len -= n;
			break;
		}
	}
	for (size_t i = 0; i < FORMATS; i++) {
		size_t n = formats[i]->suffix ? strlen(formats[i]->suffix) : 0;

		if (n && len > n && !memcmp(name + len - n, formats[i]->suffix, n))
			return true;
	}
	return false;
}

bool table_is(const unsigned char *head, size_t n)
{
	return n > 0 && !is_series(head, n);
}

int table_value(struct table *t, const struct lines *l, const struct sample *s, enum number number)
{
	if (number != NUMBER_VALUE || !isfinite(s->value)) {
		t->missing += number == NUMBER_MISSING;
		t->damaged += number == NUMBER_VALUE;
		return 0;
	}
	if (t->n >= TABLE_SAMPLES_MAX) {
		lines_bad(l, "more than %zu values: choose columns with --metric",
			  TABLE_SAMPLES_MAX);
		return -E2BIG;
	}
	return array_put(&t->at, &t->n, *s);
}

int table_hear(struct table *t, const struct table_opts *o, uint32_t node, int64_t time_ns)
{
	struct table_heard *h;

	if (o->to_ns && time_ns >= o->to_ns)
		return 0;
	if (node >= t->n_heard) {
		if (array_extend(&t->heard, t->n_heard, t->nodes.n))
			return -ENOMEM;
		while (t->n_heard < t->nodes.n)
			t->heard[t->n_heard++] =
				(struct table_heard){.last_ns = INT64_MIN, .before_ns = INT64_MIN};
	}
	h = &t->heard[node];
	if (h->file != t->n_files) {
		h->file = t->n_files;
		h->before_ns = h->last_ns;
	}
	if (time_ns > h->last_ns)
		h->last_ns = time_ns;
	return 0;
}

void table_take_back(struct table *t, size_t n)
{
	t->n = n;
	for (size_t i = 0; i < t->n_heard; i++)
		if (t->heard[i].file == t->n_files)
			t->heard[i].last_ns = t->heard[i].before_ns;
}

int table_note(struct table *t, const char *fmt, ...)
{
	struct text note TEXT_SCOPED = {0};
	const char *notes = text_of(&t->notes), *at;
	va_list ap;

	va_start(ap, fmt);
	text_vadd(&note, fmt, ap);
	va_end(ap);
	text_put(&note, "\n");
	at = strstr(notes, text_of(&note));
	if ((at && (at == notes || at[-1] == '\n')) || t->notes.len + note.len > NOTES_MAX)
		return 0;
	text_put(&t->notes, text_of(&note));
	return note.failed || t->notes.failed ? -ENOMEM : 0;
}

int table_name(const struct lines *l, struct names *s, const char *what, const char *name,
	       size_t len, size_t max, uint32_t *number)
{
	int64_t at = names_find_n(s, name, len); /* one that is there needs no check */
	const char *wrong = at < 0 ? name_check(name, len, max) : NULL;

	if (at < 0 && !len)
		return lines_bad(l, "there is no name of %s", what);
	if (wrong && len > max)
		return lines_bad(l, "the name of %s is longer than %zu bytes", what, max);
	if (wrong)
		return lines_bad(l, "the name of %s %s", what, wrong);
	if (at < 0)
		at = names_add_n(s, name, len);
	*number = (uint32_t)at;
	if (at >= 0)
		return 0;
	if (errno != E2BIG)
		return -ENOMEM;
	lines_bad(l, "more than %d names of %ss", TABLE_NAMES_MAX, strchr(what, ' ') + 1);
	return -E2BIG;
}

int table_kind(struct table *t, const struct lines *l, bool events)
{
	if (t->n && t->events != events)
		return fail("'%s': state durations and other tables do not go together", l->name);
	t->events = events;
	return 0;
}

bool table_wanted(const struct table_opts *o, const char *metric)
{
	return !o->metrics.n || string_list_has(&o->metrics, metric);
}

int table_node_of_file(struct table *t, const struct lines *l, const char *path, uint32_t *node)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strcspn(base, ".");

	if (!strcmp(path, "-") || !len || len >= HOST_LEN)
		return fail("'%s' has no name a node could have ('--node @file')", l->name);
	return table_name(l, &t->nodes, "a node", base, len, HOST_LEN - 1, node);
}

int table_metric_of_file(const struct lines *l, const char *path, char metric[METRIC_NAME_LEN])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *data = strstr(base, "-data-");
	size_t len = strcspn(base, ".");

	if (data && (size_t)(data - base) < len)
		len = (size_t)(data - base);
	if (!strcmp(path, "-") || !len || len >= METRIC_NAME_LEN)
		return fail("'%s': which metric is it of? Call the file as the metric, such as "
			    "await.json or await.csv",
			    l->name);
	snprintf(metric, METRIC_NAME_LEN, "%.*s", (int)len, base);
	return 0;
}

int table_note_unit(struct table *t, const char *metric)
{
	int known = metric_by_name(metric);

	if (known < 0 || !*metrics[known].unit)
		return 0;
	return table_note(t, "'%s' is taken in %s, as the file is called so", metric,
			  metrics[known].unit);
}

static const struct table_format *format_of(const unsigned char *head, size_t n)
{
	bool text = is_text(head, n);

	if (n > 3 && !memcmp(head, "\xef\xbb\xbf", 3)) { /* readers skip a byte order mark too */
		head += 3;
		n -= 3;
	}
	for (size_t i = 0; i < FORMATS; i++)
		if ((text || formats[i]->binary) && formats[i]->is(head, n))
			return formats[i];
	return NULL;
}

/* Of no format there is: which ones there are. */
static int unknown(const struct lines *l, const unsigned char *head, size_t n)
{
	bool utf16 = n >= 2 && (head[0] ^ head[1]) == 0x01 && head[0] >= 0xfe;
	char list[400] = "";
	size_t len = 0;

	for (size_t i = 0; i < FORMATS; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					formats[i]->name);
	return fail("'%s' is neither a series file nor a table: %s%s", l->name, list,
		    utf16 ? "; text must be in UTF-8" : "");
}

/* What others write and limpet does not read, by what is at its begin: what is to be done. */
static const struct foreign {
	size_t at; /* behind a NUL, if not 0: text may have any word there */
	const char *begins;
	const char *what;
} foreign[] = {
	{257, "ustar", "it is a tar archive: unpack it, and name the files"},
	{0, "PK\3\4", "it is a spreadsheet or a zip file: save it as CSV, or unpack it"},
	{0, "PAR1", "it is Parquet: write it as CSV or JSON Lines"},
	{0, "<?xml", "it is XML: of sysstat limpet reads what 'sadf -j' or 'sadf -d -U' prints"},
	{0, "# HELP ",
	 "it is what an exporter says at one time: limpet reads what Prometheus made of it over "
	 "time, the answer of /api/v1/query_range"},
	{0, "# TYPE ",
	 "it is what an exporter says at one time: limpet reads what Prometheus made of it over "
	 "time, the answer of /api/v1/query_range"},
};

static const char *foreign_what(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
		size_t len = strlen(foreign[i].begins);

		size_t at = foreign[i].at;

		if (n >= at + len && !memcmp(head + at, foreign[i].begins, len) &&
		    !(at && head[at - 1]))
			return foreign[i].what;
	}
	return NULL;
}

/* Its format, or NULL where it cannot be read, with *err and a message. */
static const struct table_format *choose_format(const struct lines *l, const unsigned char *head,
						size_t n, int *err)
{
	const char *how = lines_packed(l) ? "compressed" : "piped";
	const struct table_format *f = format_of(head, n);
	const char *other = foreign_what(head, n);

	*err = -EINVAL;
	if (is_series(head, n)) {
		fail("'%s' is a series file: it must be named as it is, not %s", l->name, how);
	} else if (is_gzip(head, n) || unpack_name(head, n)) {
		fail("'%s' is compressed twice", l->name);
	} else if (!n) {
		fail("'%s' is empty", l->name);
		*err = -ENODATA;
	} else if (other) {
		fail("cannot read '%s': %s", l->name, other);
	} else if (!f) {
		*err = unknown(l, head, n);
	} else {
		*err = 0;
		return f;
	}
	return NULL;
}

static int open_file(const char *path, const char **name, bool *pipe)
{
	off_t at;
	int fd;

	*name = strcmp(path, "-") ? path : "standard input";
	fd = *name == path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : dup(STDIN_FILENO);
	if (fd < 0) {
		int err = -errno;

		fail("cannot open '%s': %s", *name, strerror(errno));
		return err;
	}
	at = lseek(fd, 0, SEEK_CUR);
	*pipe = *name != path || at < 0;
	return fd;
}

int table_read(struct table *t, const char *path, const struct table_opts *o)
{
	const struct table_format *format = NULL;
	const unsigned char *head = NULL;
	const char *name;
	struct lines l;
	bool pipe = false;
	size_t n = 0;
	int err, fd;

	t->n_files++;
	if (prometheus_is(path)) {
		t->prometheus = t->prometheus || !t->n;
		return prometheus_read(t, path, o);
	}
	fd = open_file(path, &name, &pipe);
	if (fd < 0)
		return fd;
	err = lines_open(&l, name, fd);
	l.piped = pipe;
	if (!err && !t->instances.n && names_add(&t->instances, ""))
		err = -ENOMEM;
	err = err ?: lines_peek(&l, &head, &n);
	if (!err)
		format = choose_format(&l, head, n, &err);
	if (format) {
		t->sysstat = format->sysstat && (t->sysstat || !t->n);
		t->prometheus = false;
		err = format->read(t, &l, path, o);
	}
	fd = lines_close(&l);
	return err ?: fd;
}

void table_span(const struct table *t, int64_t *first_ns, int64_t *last_ns)
{
	*first_ns = *last_ns = t->at->time_ns;
	for (size_t i = 1; i < t->n; i++) {
		int64_t at = t->at[i].time_ns;

		*first_ns = at < *first_ns ? at : *first_ns;
		*last_ns = at > *last_ns ? at : *last_ns;
	}
}

void table_release(struct table *t)
{
	names_release(&t->nodes);
	names_release(&t->instances);
	names_release(&t->metrics);
	names_release(&t->texts);
	names_release(&t->rates);
	names_release(&t->commas);
	names_release(&t->whole);
	free(t->at);
	free(t->heard);
	free(t->counter);
	text_release(&t->notes);
	*t = (struct table){0};
}

void table_report(struct text *to, const struct table *t)
{
	const struct {
		uint64_t n;
		const char *what;
	} counts[] = {
		{t->resets, "counters fell (restarted, or wrapped): no rate there"},
		{t->restarts, "restarts are recorded by sysstat"},
		{t->missing, "values are missing in the table"},
		{t->ignored_columns, "columns are left out"},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].n)
			text_add(to, "%llu %s\n", (unsigned long long)counts[i].n, counts[i].what);
	text_put(to, text_of(&t->notes));
}
