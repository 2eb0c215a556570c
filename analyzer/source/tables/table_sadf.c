// SPDX-License-Identifier: BSD-2-Clause
/* sysstat's files through its own sadf, and what sadf prints, section by section. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/common/program.h"
#include "userspace/metrics/metrics.h"

/* Every section begins with such a line; lines of data and of restarts begin with the same three. */
static const char heading[] = "# hostname;interval;timestamp";
enum { HOST, INTERVAL, STAMP, FIRST };

/* Columns that name what a line is of. Of processors only the line of all of them is read. */
static const char *const devices[] = {"DEV", "IFACE", "CPU"};

struct sadf {
	struct table *t;
	struct lines *l;
	struct field f[TABLE_COLUMNS_MAX];
	int64_t metric[TABLE_COLUMNS_MAX]; /* number in the table, or -1 */
	size_t n;			   /* columns of this section; 0: none yet */
	bool by_device, by_cpu, useful;
	bool file;	       /* the file's name is the node's */
	uint32_t node;	       /* with that */
	struct names restarts; /* "host time": every section of theirs repeats it */
};

/* A recording that begins with a restart has that before the first heading. */
static bool is_sadf(const unsigned char *head, size_t n)
{
	static const char restarted[] = ";LINUX-RESTART";
	const char *p = (const char *)head, *end = p + n, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		if ((size_t)(nl - p) >= sizeof(heading) - 1 &&
		    !memcmp(p, heading, sizeof(heading) - 1))
			return true;
		if (!memmem(p, (size_t)(nl - p), restarted, sizeof(restarted) - 1))
			return false;
		p = nl + 1;
	}
	return false;
}

/* The host's own counters of TCP are not those of the file system's sockets. */
bool sysstat_is_read(const char *name)
{
	int metric = metric_by_name(name);

	return metric >= 0 &&
	       (metrics[metric].family == FAM_DISK || metrics[metric].family == FAM_NET ||
		metrics[metric].family == FAM_HOST);
}

static int section(struct sadf *s, size_t n)
{
	s->n = n;
	s->by_device = s->by_cpu = s->useful = false;
	if (n <= FIRST)
		return lines_bad(s->l, "a section of sadf's without columns");
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		s->by_device |= !strcmp(s->f[FIRST].s, devices[i]);
	s->by_cpu = !strcmp(s->f[FIRST].s, "CPU");
	for (size_t i = FIRST; i < n; i++) {
		const char *name = s->f[i].s;

		s->metric[i] = -1;
		if (!sysstat_is_read(name))
			continue;
		s->metric[i] = names_add(&s->t->metrics, name);
		if (s->metric[i] < 0)
			return -ENOMEM;
		s->useful = true;
	}
	return 0;
}

int sysstat_restart(struct table *t, struct names *restarts, const char *id)
{
	size_t before = restarts->n;

	if (names_add(restarts, id) < 0)
		return -ENOMEM;
	t->restarts += restarts->n - before;
	return 0;
}

static int restart(struct sadf *s)
{
	char id[256];

	snprintf(id, sizeof(id), "%.100s %.100s", s->f[HOST].s, s->f[STAMP].s);
	return sysstat_restart(s->t, &s->restarts, id);
}

int sysstat_value(struct table *t, struct lines *l, struct sample at, int64_t metric, char *text)
{
	char *comma = strchr(text, ',');
	size_t len = strlen(text);
	enum number kind;

	if (metric < 0)
		return 0;
	if (comma)
		*comma = '.';
	at.metric = (uint32_t)metric;
	kind = number_parse(text, len, &at.value);
	if (kind == NUMBER_VALUE ? __builtin_isfinite(at.value) : kind == NUMBER_MISSING)
		return table_value(t, l, &at, kind);
	if (len && text[0] >= '0' && text[0] <= '9' && strchr("%BkMGTP", text[len - 1]))
		return lines_bad(l, "'%.40s' has a unit: print it without -h or --human", text);
	return lines_bad(l, "'%.40s' is no number", text);
}

static int line(struct sadf *s)
{
	struct sample sample = {.bytes = __builtin_nanf("")};
	int err;

	if (lines_time(s->l, s->f[STAMP].s, s->f[STAMP].len, &sample.time_ns))
		return -EINVAL;
	if (!s->f[HOST].len)
		return lines_bad(s->l, "there is no name of a node");
	sample.node = s->node;
	err = s->file ? 0
		      : table_name(s->l, &s->t->nodes, "a node", s->f[HOST].s, s->f[HOST].len,
				   HOST_LEN - 1, &sample.node);
	if (err)
		return err;
	if (s->by_cpu ? strcmp(s->f[FIRST].s, "-1") != 0
		      : s->by_device && !strcmp(s->f[FIRST].s, "lo"))
		return 0;
	if (s->by_device && !s->by_cpu)
		err = table_name(s->l, &s->t->instances, "an instance", s->f[FIRST].s,
				 s->f[FIRST].len, TABLE_INSTANCE_MAX, &sample.instance);
	for (size_t i = FIRST; i < s->n && !err; i++)
		err = sysstat_value(s->t, s->l, sample, s->metric[i], s->f[i].s);
	return err;
}

static int any_line(struct sadf *s, size_t n)
{
	if (!s->f[0].quoted && s->f[0].s[0] == '#')
		return section(s, n);
	/* host;-1;time;LINUX-RESTART (8 CPU), and comments of sar's users: …;COM text */
	if (n > STAMP && !strcmp(s->f[INTERVAL].s, "-1"))
		return n > FIRST && strncmp(s->f[FIRST].s, "LINUX-RESTART", 13) ? 0 : restart(s);
	/* sections nobody reads may have lists of their own */
	if (n != s->n && (s->useful || !s->n))
		return lines_bad(s->l, "%zu fields, but %zu columns", n, s->n);
	s->t->lines++;
	return s->useful ? line(s) : 0;
}

static int read_sadf(struct table *t, struct lines *l, const char *path, const struct table_opts *o)
{
	struct sadf *s = calloc(1, sizeof(*s));
	ssize_t n;
	int err;

	if (!s)
		return -ENOMEM;
	l->sep = ';';
	s->t = t;
	s->l = l;
	s->file = o->node && !strcmp(o->node, "@file");
	err = s->file ? table_node_of_file(t, l, path, &s->node) : 0;
	while (!err && (n = lines_next(l, s->f, TABLE_COLUMNS_MAX)) != 0)
		err = n < 0 ? (int)n : any_line(s, (size_t)n);
	err = err ?: table_kind(t, l, false) ?: sysstat_note_zone(t, l);
	t->merge = true;
	names_release(&s->restarts);
	free(s);
	return err;
}

static int no_sadf(const char *path)
{
	fail("'%s' is a file of sysstat's, and its sadf cannot be run (Debian: package sysstat)",
	     path);
	return -ENOENT;
}

static int start_sadf(struct program *sadf, const char *file, const char *path)
{
	char *const environment[] = {"LC_ALL=C", "S_TIME_FORMAT", NULL};
	char *safe = NULL;
	int err;

	/* A name that begins with '-' is no option, and one of digits no interval, with a folder. */
	if (asprintf(&safe, "%s%s", *file == '/' ? "" : "./", file) < 0)
		return -ENOMEM;
	/* -P all would be each processor; without it the line of all is printed, as CPU -1. */
	err = program_start(sadf,
			    &(struct program_how){
				    .path = "sadf",
				    .search = true,
				    .arguments = (char *[]){"sadf", "-d", "-U", safe, "--", "-u",
							    "-w", "-W", "-B", "-b", "-r", "-q",
							    "ALL", "-d", "-n", "DEV,EDEV", NULL},
				    .environment = environment,
				    .from = true,
			    });
	free(safe);
	if (err == -EAGAIN || err == -ENOMEM || err == -EMFILE || err == -ENFILE) {
		fail("cannot run sadf: %s", strerror(-err));
		err = -EAGAIN; /* it is said */
	} else if (err)
		err = no_sadf(path);
	return err;
}

/* file: where it is; path: what it is called. */
static int run_sadf(struct table *t, const char *file, const char *path, const struct table_opts *o)
{
	uint64_t before = t->lines;
	char why[PROGRAM_WHY_LEN];
	struct program sadf;
	struct lines l = {0};
	int err, end;

	err = start_sadf(&sadf, file, path);
	if (err)
		return err;
	err = lines_open(&l, path, sadf.from) ?: read_sadf(t, &l, path, o);
	if (err)
		program_kill(&sadf);
	lines_close(&l);
	end = program_wait(&sadf, why);
	if (sadf.status == 127) /* as a shell says it */
		end = no_sadf(path);
	if (err)
		return err;
	if (end == -ENOENT)
		return end;
	if (end == -ECHILD)
		return fail("sadf cannot read '%s' to its end: it is cut off, damaged, or of "
			    "another version (sadf -c converts old ones)",
			    path);
	return t->lines == before ? table_note(t, "'%s' holds nothing that can be compared", path)
				  : 0;
}

enum { UNPACKED_MAX = 1 << 28 }; /* a day of 1,000 disks every 10 s */

/* sadf seeks in its file: what is compressed or piped is copied into memory. The file there, or negative errno after a message. */
static int file_for_sadf(struct lines *l)
{
	int fd = memfd_create("limpet-sa", MFD_CLOEXEC), err = fd < 0 ? -ENOMEM : 0;
	size_t all = 0;
	ssize_t n = 0;
	char *at;

	while (!err && (n = lines_bytes(l, &at)) > 0) {
		all += (size_t)n;
		if (all > UNPACKED_MAX) {
			fail("'%s' is longer than 256 MiB: unpack it, and name the file", l->name);
			err = -E2BIG;
		}
		for (ssize_t put; !err && n; at += put, n -= put) {
			put = write(fd, at, (size_t)n);
			if (put <= 0)
				err = -ENOMEM;
		}
	}
	err = err || n >= 0 ? err : (int)n;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static int read_sysstat(struct table *t, struct lines *l, const char *path,
			const struct table_opts *o)
{
	char copy[64];
	int fd, err;

	if (!lines_packed(l) && !l->piped)
		return run_sadf(t, path, path, o);
	fd = file_for_sadf(l);
	if (fd < 0)
		return fd;
	snprintf(copy, sizeof(copy), "/proc/%d/fd/%d", (int)getpid(), fd);
	err = run_sadf(t, copy, l->name, o);
	close(fd);
	return err;
}
/* The magic number of sysstat's files (its sa.h), as either kind of machine writes it. */
static bool is_sysstat(const unsigned char *head, size_t n)
{
	return n >= 2 &&
	       ((head[0] == 0x96 && head[1] == 0xd5) || (head[0] == 0xd5 && head[1] == 0x96));
}

const struct table_format format_sysstat = {
	.name = "a file of sysstat's",
	.binary = true,
	.sysstat = true,
	.is = is_sysstat,
	.read = read_sysstat,
};

const struct table_format format_sadf = {
	.name = "what sadf prints",
	.sysstat = true,
	.is = is_sadf,
	.read = read_sadf,
};
