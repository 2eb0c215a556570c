// SPDX-License-Identifier: BSD-2-Clause
/* source.h: logs of jobs, alone or in folders, among whatever else lies there. */
#include "source_bad.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int source_log(struct sources *s, const char *path)
{
	char server[HOST_LEN] = "";
	int err = states_read(&s->states, path);
	char *copy = err ? NULL : strdup(path);

	if (!err && (!copy || array_put(&s->logs, &s->n_logs, copy))) {
		free(copy);
		return -ENOMEM;
	}
	if (!err || err == -ENOMEM)
		return err;
	return source_leave_out(s, path, server, said_last());
}

int source_logs_zone(struct sources *s, const struct log_opts *o)
{
	static const struct log_opts none;
	struct states again = {0};
	int64_t zone_ns;
	int err;

	if (!states_zone(&s->states, &zone_ns))
		return 0;
	err = states_options(&again, o ? o : &none) ?: states_in_zone(&again, zone_ns, &s->states);
	states_now(&again, clock_ns(CLOCK_REALTIME));
	for (size_t i = 0; i < s->n_logs && !err; i++)
		err = states_read(&again, s->logs[i]);
	if (err) {
		states_release(&again);
		return err;
	}
	states_release(&s->states);
	s->states = again;
	return 0;
}

static int no_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Of a log that was rotated what was written first is read first. */
static int in_order(const struct dirent **x, const struct dirent **y)
{
	return log_order((*x)->d_name, (*y)->d_name);
}

/* Neither the probe's files nor what lies beside them. */
bool source_may_be_log(const char *name)
{
	const char *suffix = strstr(name, SERIES_SUFFIX);

	return !suffix || (suffix[strlen(SERIES_SUFFIX)] && suffix[strlen(SERIES_SUFFIX)] != '-');
}

struct log_search {
	struct sources *s;
	int deep; /* folders below this one */
};

static int take_log(void *arg, const char *path)
{
	const struct log_search *l = arg;
	bool more = l->s->n_logs < SOURCE_LOGS_MAX, folder;
	struct stat st;

	if (lstat(path, &st))
		return 0; /* it is gone */
	folder = S_ISDIR(st.st_mode);
	if (!folder && !(S_ISREG(st.st_mode) && source_may_be_log(source_base(path)) && more))
		return 0;
	if (states_is_log(path))
		return more ? source_log(l->s, path) : 0;
	return folder && l->deep ? source_logs_of_folder(l->s, path, l->deep - 1) : 0;
}

int source_logs_of_folder(struct sources *s, const char *path, int deep)
{
	struct log_search l = {s, deep};
	int err, n = source_each(path, no_hidden, in_order, take_log, &l, &err);

	return n < 0 && errno == ENOMEM ? -ENOMEM : err;
}
