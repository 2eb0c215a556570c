// SPDX-License-Identifier: BSD-2-Clause
/* follow_logs.h: which files there are, which of them have changed, and which bytes of which file a log goes on with. */
#include "follow_logs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "analyzer/source/logs/log_bytes.h"
#include "source_bad.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

/* A log, of one file or of several one after the other. */
struct log_stream {
	struct log *log; /* NULL: it is not known yet, or closed */
	dev_t device;	 /* of the file that is read */
	ino_t inode;
	bool known; /* it is a log; without `log` it was read to its end, and is opened again when it changes */
	bool dirty;	      /* one of its files is new or has changed */
	bool held;	      /* its reading goes on in the next poll */
	unsigned int missing; /* polls in which its file was not there */
	size_t files;
};

struct log_file {
	char *path;
	struct log_stream *of;
	bool folder;  /* Spark's rolled log */
	bool foreign; /* no log of jobs */
	bool fresh;   /* it was not there in the last look, or has changed since */
	dev_t device;
	ino_t inode;
	off_t size, checked; /* checked: so many bytes are no log yet */
	int64_t mtime_ns, changed_ns, due_ns;
	uint64_t looked; /* in which poll */
};

struct folder {
	char *path;
	int deep; /* folders below it */
	int64_t mtime_ns, scanned_ns, changed_ns, due_ns;
};

struct follow_logs {
	struct states states;
	struct folder *folder;
	size_t n_folders;
	struct log_file *file; /* in log_order(): those of one stream are side by side */
	size_t n_files;
	size_t n_logs;
	bool rescan; /* all folders: something was renamed while they were looked at */
	bool finished;
	int64_t now_ns;
	uint64_t looks;
	uint64_t away;	 /* states, until the last look: STATES_AWAY */
	int64_t away_ns; /* when that became more */
	char trouble[300];
};

/* ---- what is there ---- */

/* A folder that has changed so lately may change once more within its time stamp. */
#define SAME_STAMP_NS (2 * NS_PER_S)
/* What has not changed for t is looked at again after t / 16. */
#define SELDOM 16

static bool same_log(const char *x, const char *y)
{
	size_t n = log_stem_len(x);

	return n == log_stem_len(y) && !memcmp(x, y, n);
}

static struct log_stream *stream_beside(const struct follow_logs *f, size_t at, const char *path)
{
	if (at && same_log(f->file[at - 1].path, path))
		return f->file[at - 1].of;
	if (at < f->n_files && same_log(f->file[at].path, path))
		return f->file[at].of;
	return calloc(1, sizeof(struct log_stream));
}

static int follow_logs_add(struct follow_logs *f, const char *path, bool folder)
{
	size_t at = search_first(i, f->n_files, log_order(f->file[i].path, path) < 0);
	struct log_stream *of;
	struct log_file *new;
	char *copy;

	if ((at < f->n_files && !strcmp(f->file[at].path, path)) || f->n_files >= SOURCE_LOGS_MAX)
		return 0;
	of = stream_beside(f, at, path);
	copy = strdup(path);
	new = of &&copy ? array_insert(&f->file, &f->n_files, at) : NULL;
	if (!new) {
		if (of && !of->files)
			free(of);
		free(copy);
		return -ENOMEM;
	}
	*new = (struct log_file){.path = copy, .of = of, .folder = folder, .fresh = true};
	of->files++;
	return 0;
}

static int follow_logs_folder(struct follow_logs *f, const char *path, int deep)
{
	struct folder *new;
	char *copy;

	for (size_t i = 0; i < f->n_folders; i++)
		if (!strcmp(f->folder[i].path, path))
			return 0;
	copy = strdup(path);
	new = copy ? array_add(&f->folder, &f->n_folders) : NULL;
	if (!new) {
		free(copy);
		return -ENOMEM;
	}
	*new = (struct folder){.path = copy, .deep = deep, .mtime_ns = INT64_MIN};
	return 0;
}

/* Of what has not changed since then. */
static int64_t next_look(int64_t now_ns, int64_t changed_ns)
{
	int64_t idle = (now_ns - changed_ns) / SELDOM;

	return now_ns + (idle < FOLLOW_SELDOM_S * NS_PER_S ? idle : FOLLOW_SELDOM_S * NS_PER_S);
}

/* ---- folders ------------------------------------------------------------------------------------------ */

static int take_name(struct follow_logs *f, const char *path, const char *name, int deep)
{
	struct stat st;

	if (lstat(path, &st))
		return 0; /* it is gone */
	if (S_ISDIR(st.st_mode) && log_bytes_folder(path))
		return follow_logs_add(f, path, true);
	if (S_ISDIR(st.st_mode))
		return deep ? follow_logs_folder(f, path, deep - 1) : 0;
	return S_ISREG(st.st_mode) && source_may_be_log(name) ? follow_logs_add(f, path, false) : 0;
}

/* i: the array may move, as folders in it are added. */
static int scan(struct follow_logs *f, size_t i)
{
	int deep = f->folder[i].deep, err = 0;
	DIR *d = opendir(f->folder[i].path);
	struct dirent *e;
	char *path;

	while (d && !err && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", f->folder[i].path, e->d_name) < 0) {
			err = -ENOMEM;
			break;
		}
		err = take_name(f, path, e->d_name, deep);
		free(path);
	}
	if (d)
		closedir(d);
	return err;
}

static void forget_folder(struct follow_logs *f, size_t i)
{
	free(f->folder[i].path);
	f->folder[i] = f->folder[--f->n_folders];
}

static int look_at_folders(struct follow_logs *f)
{
	struct timespec now;
	struct stat st;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	for (size_t i = 0; i < f->n_folders && !err; i++) {
		struct folder *d = &f->folder[i];
		int64_t mtime_ns;

		if (!f->rescan && f->now_ns < d->due_ns)
			continue;
		if (stat(d->path, &st)) {
			if (d->deep < SOURCE_LOGS_DEEP)
				forget_folder(f, i--);
			continue;
		}
		mtime_ns = ns_of_timespec(st.st_mtim);
		if (mtime_ns != d->mtime_ns)
			d->changed_ns = f->now_ns;
		d->due_ns = next_look(f->now_ns, d->changed_ns);
		if (!f->rescan && d->mtime_ns == mtime_ns &&
		    mtime_ns < d->scanned_ns - SAME_STAMP_NS)
			continue;
		d->mtime_ns = mtime_ns;
		d->scanned_ns = ns_of_timespec(now);
		err = scan(f, i);
	}
	f->rescan = false;
	return err;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static void look_at_file(struct follow_logs *f, struct log_file *x, const struct stat *st)
{
	int64_t mtime_ns = ns_of_timespec(st->st_mtim);

	x->fresh = x->folder || x->device != st->st_dev || x->inode != st->st_ino ||
		   x->size != st->st_size || x->mtime_ns != mtime_ns;
	x->device = st->st_dev;
	x->inode = st->st_ino;
	x->size = st->st_size;
	x->mtime_ns = mtime_ns;
	x->looked = f->looks;
	x->of->dirty |= x->fresh;
	x->changed_ns = x->fresh ? f->now_ns : x->changed_ns;
	x->due_ns = next_look(f->now_ns, x->changed_ns);
}

/* A file that is gone; its stream goes with the last of its files. */
static void forget_file(struct follow_logs *f, struct log_file *x)
{
	x->of->dirty = true;
	f->finished = false;
	if (!--x->of->files) {
		f->n_logs -= x->of->known;
		log_close(x->of->log);
		free(x->of);
	}
	free(x->path);
}

/* Those that are due; of logs of which one file has changed also the others. */
static void look_at_files(struct follow_logs *f, bool due)
{
	size_t kept = 0;
	struct stat st;

	for (size_t i = 0; i < f->n_files; i++) {
		struct log_file x = f->file[i];
		bool wanted = due ? f->now_ns >= x.due_ns || x.of->missing
				  : x.of->dirty && x.looked != f->looks;

		if (wanted && stat(x.path, &st)) {
			forget_file(f, &x);
			continue;
		}
		if (wanted)
			look_at_file(f, &x, &st);
		f->file[kept++] = x;
	}
	f->n_files = kept;
}

static int follow_logs_look(struct follow_logs *f)
{
	int err = look_at_folders(f);

	f->looks++;
	look_at_files(f, true);
	look_at_files(f, false);
	return err;
}

/* ---- logs ---- */

/* A file may be renamed between the look at its folder and the look at it: then it is found in the next poll. */
enum { MISSING_POLLS = 2 };

struct follow_logs *follow_logs_new(char *const *paths, size_t n_paths, const struct log_opts *o)
{
	struct follow_logs *f = calloc(1, sizeof(*f));
	int err = f ? states_options(&f->states, o) : -ENOMEM;
	struct stat st;

	for (size_t i = 0; i < n_paths && !err; i++) {
		bool folder = !stat(paths[i], &st) && S_ISDIR(st.st_mode);

		if (folder && !states_is_log(paths[i]))
			err = follow_logs_folder(f, paths[i], SOURCE_LOGS_DEEP);
		else
			err = follow_logs_add(f, paths[i], folder);
	}
	if (!err)
		return f;
	if (err == -ENOMEM)
		fail("out of memory");
	follow_logs_free(f);
	return NULL;
}

int follow_logs_also(struct follow_logs *f, const char *folder)
{
	f->rescan = true;
	return follow_logs_folder(f, folder, SOURCE_LOGS_DEEP);
}

void follow_logs_free(struct follow_logs *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_files; i++) {
		free(f->file[i].path);
		if (!--f->file[i].of->files)
			free(f->file[i].of);
	}
	for (size_t i = 0; i < f->n_folders; i++)
		free(f->folder[i].path);
	free(f->file);
	free(f->folder);
	states_release(&f->states); /* and logs that are open */
	free(f);
}

size_t follow_logs_count(const struct follow_logs *f)
{
	return f ? f->n_logs : 0;
}

/* ---- one log ------------------------------------------------------------------------------------------ */

/* Files of one stream: n from `at` on, oldest first. */
struct chain {
	struct follow_logs *f;
	struct log_stream *s;
	struct log_file *at;
	size_t n;
	size_t *budget;
	bool news;
};

static bool is_compressed(const struct log_file *x)
{
	const char *dot = strrchr(x->path, '.');

	return dot && (!strcmp(dot, ".gz") || !strcmp(dot, ".xz") || !strcmp(dot, ".bz2"));
}

/* What is being compressed is not touched. */
static bool is_there(const struct log_file *x)
{
	return !x->foreign && !(is_compressed(x) && x->fresh);
}

static bool has_bytes(const struct log_file *x)
{
	return is_there(x) && (x->folder || x->size);
}

/* Whether it begins as a log; what is too short to tell is looked at again when it has doubled. */
static bool is_log(struct log_file *x)
{
	if (!x->folder && (!x->size || x->size < 2 * x->checked))
		return false;
	if (states_is_log(x->path))
		return true;
	x->checked = x->size;
	x->foreign = x->size >= LOG_HEAD;
	return false;
}

static void reads(struct log_stream *s, const struct log_file *x)
{
	s->device = x->device;
	s->inode = x->inode;
	s->missing = 0;
}

/* The first that is not too old to matter. */
static size_t oldest(const struct chain *c)
{
	int64_t newest_ns = INT64_MIN;
	size_t i = 0;

	for (size_t k = 0; k < c->n; k++)
		if (has_bytes(&c->at[k]) && c->at[k].mtime_ns > newest_ns)
			newest_ns = c->at[k].mtime_ns;
	while (i + 1 < c->n && c->at[i].mtime_ns < newest_ns - FOLLOW_KEEP_S * NS_PER_S)
		i++;
	return i;
}

/* 1: it is open; 0: it is none, yet; negative errno. */
static int open_first(struct chain *c)
{
	struct log_stream *s = c->s;
	int err;

	for (size_t i = oldest(c); i < c->n; i++) {
		struct log_file *x = &c->at[i];

		if (!is_there(x) || !is_log(x))
			continue;
		s->log = log_open(&c->f->states, x->path, &err);
		if (!s->log) {
			x->foreign = err == -E2BIG;
			return err == -ENOMEM ? err : 0;
		}
		c->f->n_logs += !s->known;
		s->known = true;
		reads(s, x);
		err = log_late(s->log, (uint64_t)x->size, FOLLOW_TAIL);
		return err < 0 ? err : 1;
	}
	return 0;
}

/* The file that is read, by its number and its bytes; else by its bytes alone: a copy of it. c->n: there is none. */
static size_t present(const struct chain *c)
{
	struct log_stream *s = c->s;

	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].device == s->device && c->at[i].inode == s->inode &&
		    (!log_rests(s->log) || log_in(s->log, c->at[i].path)))
			return i;
	for (size_t i = c->n; i-- > 0;)
		if (has_bytes(&c->at[i]) && log_in(s->log, c->at[i].path)) {
			reads(s, &c->at[i]);
			return i;
		}
	return c->n;
}

/* Its file is gone, or was cut off, and no other goes on where it ended. */
static int lost(struct chain *c, size_t *at)
{
	struct log_stream *s = c->s;
	size_t last = c->n;

	while (last && !has_bytes(&c->at[last - 1]))
		last--;
	c->f->rescan = true;
	if (++s->missing < MISSING_POLLS || !last) {
		s->held = s->missing < MISSING_POLLS;
		return -ENOENT;
	}
	*at = last - 1;
	log_note(s->log, "it was begun anew before all of it was read: lines may be missing");
	reads(s, &c->at[*at]);
	return log_next(s->log, c->at[*at].path, false);
}

/* To its end, or until the poll has read enough. */
static int read_some(struct chain *c)
{
	uint64_t had = c->f->states.counts.lines;
	int err = *c->budget ? log_some(c->s->log, c->budget) : 1;

	c->news |= c->f->states.counts.lines != had;
	c->s->held |= err > 0;
	return err;
}

static int close_log(struct log_stream *s)
{
	int err = log_close(s->log);

	s->log = NULL;
	return err == -ENOMEM ? err : 0;
}

/* What is read whole is read when it has not changed since the last look. */
static int close_whole(struct chain *c, const struct log_file *x)
{
	c->s->held = x->fresh;
	if (x->fresh)
		return 0;
	c->news = true;
	return close_log(c->s);
}

/* A next file that is empty is none yet: by its bytes no file is known again. */
static int read_on(struct chain *c, size_t at)
{
	struct log_stream *s = c->s;
	int err;

	for (;;) {
		err = read_some(c);
		if (err || s->held)
			return err < 0 ? err : 0;
		while (++at < c->n && !has_bytes(&c->at[at]))
			;
		if (at >= c->n)
			break;
		err = log_next(s->log, c->at[at].path, true);
		if (err)
			return err;
		reads(s, &c->at[at]);
	}
	if (s->log->source && s->log->source->whole)
		return close_whole(c, &c->at[c->n - 1]);
	log_rest(s->log);
	return 0;
}

static int look_at(struct chain *c)
{
	struct log_stream *s = c->s;
	size_t at = 0;
	int err;

	s->dirty = s->held = false;
	if (!s->log) {
		err = open_first(c);
		if (err <= 0)
			return err;
	}
	at = present(c);
	if (at == c->n) {
		err = lost(c, &at);
	} else {
		err = strcmp(s->log->path, c->at[at].path) ? log_moved(s->log, c->at[at].path) : 0;
		s->missing = 0;
	}
	err = err ?: read_on(c, at);
	/* what cannot be read now may be the next time */
	return err == -ENOMEM ? err : 0;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static bool is_idle(const struct follow_logs *f, const struct chain *c)
{
	return !any_of(i, c->n,
		       f->now_ns - c->at[i].changed_ns < FOLLOW_IDLE_S * NS_PER_S ||
			       c->at[i].folder);
}

static bool has_gz(const struct chain *c)
{
	return any_of(i, c->n, is_compressed(&c->at[i]));
}

static int one(struct follow_logs *f, struct chain *c)
{
	struct log_stream *s = c->s;

	/* a compressed file is first read when it is fresh no more */
	if (s->dirty || s->held || (!s->known && has_gz(c)))
		return look_at(c);
	return s->log && is_idle(f, c) ? close_log(s) : 0;
}

int follow_logs_poll(struct follow_logs *f, int64_t now_ns, bool *news)
{
	size_t next, budget = FOLLOW_LOOK;
	bool more = false;
	int err;

	f->now_ns = now_ns > f->now_ns ? now_ns : f->now_ns;
	states_now(&f->states, f->now_ns);
	err = follow_logs_look(f);
	for (size_t i = 0; i < f->n_files && !err; i = next) {
		struct chain c = {.f = f, .s = f->file[i].of, .at = &f->file[i], .budget = &budget};

		for (next = i; next < f->n_files && f->file[next].of == c.s; next++)
			c.n++;
		err = one(f, &c);
		more |= c.s->held && !c.s->missing;
		*news |= c.news;
		f->finished &= !c.news;
	}
	return err ?: more;
}

/* The newest time that more than one server says, as one alone may have a wrong clock; of a single one, its own. */
static int64_t newest(const struct states *s)
{
	int64_t last = INT64_MIN, before = INT64_MIN;
	uint32_t node = STATE_NONE;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (x->node == node || x->end_ns > last) {
			before = x->node == node ? before : last;
			node = x->node;
			last = x->end_ns > last ? x->end_ns : last;
		} else if (x->end_ns > before) {
			before = x->end_ns;
		}
	}
	return before == INT64_MIN ? last : before;
}

/* What was left out is said when it is met, and for a while. */
static void note_away(struct follow_logs *f)
{
	if (f->states.counts.away > f->away)
		f->away_ns = f->now_ns;
	f->away = f->states.counts.away;
}

const char *follow_logs_trouble(struct follow_logs *f)
{
	if (!f->away || f->now_ns - f->away_ns > FOLLOW_SAY_S * NS_PER_S)
		return NULL;
	snprintf(f->trouble, sizeof(f->trouble), "logs: %" PRIu64 " " STATES_AWAY, f->away);
	return f->trouble;
}

const struct states *follow_logs_states(struct follow_logs *f)
{
	int64_t last;

	if (f->finished)
		return &f->states;
	if (states_finish(&f->states))
		return NULL;
	note_away(f);
	last = newest(&f->states);
	if (last != INT64_MIN &&
	    states_forget(&f->states, last - FOLLOW_KEEP_S * NS_PER_S, FOLLOW_STATES))
		return NULL;
	f->finished = true;
	return &f->states;
}
