// SPDX-License-Identifier: BSD-2-Clause
/* source.h: logs of jobs, alone or in folders, among whatever else lies there. */
#include "source_bad.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int source_log(struct sources *s, const char *path)
{
	char server[HOST_LEN] = "";
	int err = states_read(&s->states, path);

	s->n_logs += !err;
	if (!err || err == -ENOMEM)
		return err;
	return source_leave_out(s, path, server, said_last());
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

static int logs_below(struct sources *s, const char *path, int deep)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, no_hidden, in_order), err = 0;

	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < n; i++) {
		char *file = NULL;
		struct stat st;

		if (!err && asprintf(&file, "%s/%s", path, names[i]->d_name) < 0)
			err = -ENOMEM;
		if (err || lstat(file, &st)) {
			; /* it is gone */
		} else if (S_ISDIR(st.st_mode) && states_is_log(file)) {
			err = s->n_logs < SOURCE_LOGS_MAX ? source_log(s, file) : 0;
		} else if (S_ISDIR(st.st_mode) && deep) {
			err = logs_below(s, file, deep - 1);
		} else if (S_ISREG(st.st_mode) && source_may_be_log(names[i]->d_name) &&
			   s->n_logs < SOURCE_LOGS_MAX && states_is_log(file)) {
			err = source_log(s, file);
		}
		if (file)
			free(file);
		free(names[i]);
	}
	free(names);
	return err;
}

int source_logs_of_folder(struct sources *s, const char *path)
{
	return logs_below(s, path, SOURCE_LOGS_DEEP);
}
