// SPDX-License-Identifier: BSD-2-Clause
/* Logs of TaskTrackers, DataNodes and tasks (daemon.h): stamps, whose log it is, and which pattern a line has. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "daemon.h"
#include "hadoop_source.h"

/* Classes by which such a log is known. */
static const char *const classes[] = {
	"TaskTracker",
	"TaskTracker.clienttrace",
	"DataNode",
	"DataNode.clienttrace",
	"ReduceTask",
	"reduce.Fetcher",
	"BlockReceiver",
	"reduce.ShuffleSchedulerImpl",
	"reduce.MergeManagerImpl",
};

/* ---- lines ----------------------------------------------------------------------------------------- */

const char *daemon_find(const char *text, const char *end, const char *what, size_t len)
{
	while ((size_t)(end - text) >= len) {
		text = memchr(text, *what, (size_t)(end - text) - len + 1);
		if (!text || !memcmp(text + 1, what + 1, len - 1))
			return text;
		text++;
	}
	return NULL;
}

bool daemon_match(const char *pattern, const char *text, size_t len, struct piece c[CAPTURES])
{
	const char *end = text + len, *star;
	size_t n = 0, literal;

	for (;; pattern = star + 1) {
		const char *from = text;

		star = strchrnul(pattern, '*');
		literal = (size_t)(star - pattern);
		if (n && !literal) /* the last one takes the rest */
			text = *star ? text : end;
		else if (n)
			text = daemon_find(text, end, pattern, literal);
		else if ((size_t)(end - text) < literal || memcmp(text, pattern, literal))
			return false;
		if (!text)
			return false;
		if (n)
			c[n - 1] = piece(from, (size_t)(text - from));
		text += literal;
		if (!*star)
			return text == end || n;
		if (n++ == CAPTURES)
			return false;
	}
}

static bool ends_in(struct piece p, const char *end)
{
	size_t n = strlen(end);

	return p.len >= n && !memcmp(p.s + p.len - n, end, n);
}

/*
 * A pattern, and what a text has to begin with, as most are refused by their first bytes; and of each first byte a bit
 * for each of these rows: where a pattern begins with a capture, of all.
 */
enum { ROWS = 64 };
static struct daemon_row {
	const struct daemon_pattern *p;
	uint64_t begins, mask; /* of the first eight bytes, in their order in memory */
	size_t class_len;
} rows[ROWS];
static uint64_t rows_of[256];
static size_t n_rows;
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

/* The text's first eight bytes, with zeros behind its end. */
static uint64_t first_bytes(const char *s, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, s, len < sizeof(word) ? len : sizeof(word));
	return word;
}

static void add_row(const struct daemon_pattern *p)
{
	static const char ones[] = "\377\377\377\377\377\377\377\377";
	size_t literal = strcspn(p->text, "*"), n = n_rows++;

	if (n >= ROWS)
		return; /* daemon_open() refuses */
	rows[n] = (struct daemon_row){.p = p,
				      .begins = first_bytes(p->text, literal),
				      .mask = first_bytes(ones, literal < 8 ? literal : 8),
				      .class_len = p->class ? strlen(p->class) : 0};
	for (size_t b = 0; b < 256; b++)
		if (!literal || (unsigned char)*p->text == b)
			rows_of[b] |= UINT64_C(1) << n;
}

static void index_rows(void)
{
	for (const struct daemon_pattern *p = daemon_tasks; p->text; p++)
		add_row(p);
	for (const struct daemon_pattern *p = daemon_blocks; p->text; p++)
		add_row(p);
	daemon_blocks_init();
}

static bool begins_as(const struct daemon_row *row, uint64_t text, struct piece class)
{
	return (text & row->mask) == row->begins && class.len >= row->class_len &&
	       !memcmp(class.s + class.len - row->class_len, row->p->class ?: "", row->class_len);
}

static void take_text(struct daemon *d, struct piece class, struct piece text)
{
	uint64_t left = text.len ? rows_of[(unsigned char)*text.s] : 0;
	uint64_t begins = left ? first_bytes(text.s, text.len) : 0;
	struct piece c[CAPTURES];

	for (; left; left &= left - 1) {
		const struct daemon_row *row = &rows[__builtin_ctzll(left)];

		if (!begins_as(row, begins, class) ||
		    !daemon_match(row->p->text, text.s, text.len, c))
			continue;
		row->p->take(d, c, row->p->which);
		return;
	}
}

/* ---- whose it is ------------------------------------------------------------------------------------- */

/* "hadoop-USER-datanode-HOST.log…", "HOST-datanode.log…": until the log itself says it. */
static void host_by_name(struct log *l)
{
	static const char *const words[] = {"-tasktracker", "-datanode"};
	const char *base = strrchr(l->path, '/'), *at = NULL, *end;
	size_t i;

	base = base ? base + 1 : l->path;
	for (i = 0; i < 2 && !at; i++)
		at = strstr(base, words[i]);
	if (!at)
		return;
	end = at + strlen(words[i - 1]);
	if (*end == '-')
		log_node_is(l, piece(end + 1, strcspn(end + 1, ".")), (struct piece){0});
	else
		log_node_is(l, piece(base, (size_t)(at - base)), (struct piece){0});
}

/* ---- the source ---------------------------------------------------------------------------------------- */

static bool is_known(struct piece class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		size_t n = strlen(classes[i]);

		if (ends_in(class, classes[i]) &&
		    (class.len == n || class.s[class.len - n - 1] == '.'))
			return true;
	}
	return false;
}

static bool is_daemon(const char *head, size_t n)
{
	for (const char *line = head, *end; line < head + n; line = end + 1) {
		struct piece class, text;
		int64_t ns;
		size_t at;

		end = memchr(line, '\n', (size_t)(head + n - line));
		end = end ? end : head + n;
		at = hadoop_stamp(line, (size_t)(end - line), &ns);
		if (at && hadoop_parts(line + at, end, &class, &text) && is_known(class))
			return true;
	}
	return false;
}

static int daemon_line(struct log *l, char *line, size_t len)
{
	struct daemon *d = l->own;
	struct piece class, text;
	int64_t local_ns;
	size_t at = hadoop_stamp(line, len, &local_ns);

	if (!at) {
		/* stack traces and banners are no junk */
		hadoop_banner(l, line);
		return 0;
	}
	d->time_ns = log_utc(l, local_ns);
	log_seen(l, d->time_ns);
	if (hadoop_parts(line + at, line + len, &class, &text)) {
		hadoop_caller(l, class, text);
		take_text(d, class, text);
	}
	return 0;
}

static int daemon_open(struct log *l)
{
	struct daemon *d = l->own;

	d->l = l;
	d->attempt = d->own_node = STATE_NONE;
	for (size_t i = 0; i < LAUNCHED; i++)
		d->launched[i] = STATE_NONE;
	d->merge_ns = INT64_MIN;
	host_by_name(l);
	pthread_once(&indexed, index_rows);
	return n_rows <= ROWS ? 0 : -EINVAL;
}

static void daemon_renumber(struct log *l, const struct log_numbers *now)
{
	struct daemon *d = l->own;

	d->attempt = log_renumbered(now->ids, d->attempt);
	d->own_node = STATE_NONE;
	for (size_t i = 0; i < LAUNCHED; i++)
		d->launched[i] = log_renumbered(now->ids, d->launched[i]);
}

size_t daemon_name(char name[LOG_ID_LEN], const struct piece *parts, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		size_t some = parts[i].len < LOG_ID_LEN - len ? parts[i].len : LOG_ID_LEN - len;

		memcpy(name + len, parts[i].len ? parts[i].s : "", some);
		len += some;
	}
	return len;
}

uint32_t daemon_id(struct daemon *d, const struct piece *parts, size_t n)
{
	char name[LOG_ID_LEN];

	return log_id(d->l, piece(name, daemon_name(name, parts, n)));
}

struct piece daemon_attempt(struct piece in)
{
	const char *end = in.s + in.len, *at = daemon_find(in.s, end, "attempt_", 8), *p;
	unsigned int fields = 0;

	if (!at)
		return piece(in.s, 0);
	/* attempt, T, N, m, K, A: five lines under, and then digits */
	for (p = at; p < end && (isalnum((unsigned char)*p) || *p == '_'); p++)
		if (*p == '_' && ++fields == 6)
			break;
	return piece(at, fields >= 5 ? (size_t)(p - at) : 0);
}

const struct log_source log_hadoop_daemon = {
	.rank = LOG_RANK_DAEMON,
	.clock = CLOCK_OF_NODE,
	.local_time = true,
	.by_lines = true,
	.is = is_daemon,
	.own_size = sizeof(struct daemon),
	.open = daemon_open,
	.line = daemon_line,
	.renumber = daemon_renumber,
};
