// SPDX-License-Identifier: BSD-2-Clause
/* The line of truth of a run. */
#include "sim_truth.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/options.h"
#include "userspace/common/clock.h"

#define HEAD "source,model,cluster,workload,fault,node,from,to,kind,intensity,seed\n"

/* `path` as seen from the real folder `base`. The file need not exist; its folder must. */
static int relative(const char *path, const char *base, char *out, size_t size)
{
	char real[PATH_MAX + 1], copy[PATH_MAX];
	size_t n = strlen(base);
	int w;

	if (strlen(path) >= sizeof(copy))
		return fail("'%s' is too long", path);
	if (!realpath(path, real)) {
		size_t at;

		strcpy(copy, path);
		if (!realpath(dirname(copy), real))
			return fail("cannot find the folder of '%s': %s", path, strerror(errno));
		strcpy(copy, path);
		at = strlen(real);
		snprintf(real + at, sizeof(real) - at, "/%s", basename(copy));
	}
	if (strpbrk(real, ",\"\n"))
		return fail("'%s' has a comma, a quote or a new line in it", real);
	if (!strncmp(real, base, n) && real[n] == '/')
		w = snprintf(out, size, "%s", real + n + 1);
	else
		w = snprintf(out, size, "%s", real);
	return w < 0 || (size_t)w >= size ? fail("'%s' is too long", path) : 0;
}

static int append(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666), err = 0;
	struct stat st;

	if (fd < 0)
		return fail("cannot open '%s': %s", path, strerror(errno));
	flock(fd, LOCK_EX);
	if (fstat(fd, &st) || (!st.st_size && write(fd, HEAD, strlen(HEAD)) < 0) ||
	    write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		err = fail("cannot write '%s': %s", path, strerror(errno));
	if (close(fd) && !err)
		err = fail("cannot write '%s': %s", path, strerror(errno));
	return err;
}

/* The servers it acts on, if that are not all of them. */
static void where(const struct setup *s, char *out, size_t size)
{
	char name[SERVER_NAME_LEN];
	size_t n = 0;

	if (!s->fault || s->fault->where == AT_ALL)
		return;
	for (unsigned int i = 0; i < s->servers && n + SERVER_NAME_LEN < size; i++) {
		if (!fault_acts_on(s, i))
			continue;
		server_name(s, i, name);
		n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", name);
	}
}

int truth_append(const struct truth *t)
{
	const struct setup *s = t->setup;
	char copy[PATH_MAX], base[PATH_MAX], source[PATH_MAX], model[PATH_MAX] = "";
	char node[512] = "", from[32] = "", to[32] = "", line[3 * PATH_MAX];
	int64_t begin = t->begin_ns / NS_PER_S;

	if (strlen(t->path) >= sizeof(copy))
		return fail("'%s' is too long", t->path);
	strcpy(copy, t->path);
	if (!realpath(dirname(copy), base))
		return fail("cannot find the folder of '%s': %s", t->path, strerror(errno));
	if (relative(t->dir, base, source, sizeof(source)) ||
	    (t->model && relative(t->model, base, model, sizeof(model))))
		return -1;
	if (s->fault && s->fault->where != AT_ALWAYS) {
		snprintf(from, sizeof(from), "@%" PRId64, begin + s->fault_from);
		snprintf(to, sizeof(to), "@%" PRId64, begin + fault_end(s));
	}
	where(s, node, sizeof(node));
	snprintf(line, sizeof(line), "%s,%s,%u/%u,%s,%s,%s,%s,%s,%s,%g,%" PRIu64 "\n", source,
		 model, s->hadoop ? 1 : s->clients, s->servers, t->workload,
		 s->fault ? s->fault->name : "none", node, from, to, s->hadoop ? "hadoop" : t->kind,
		 s->intensity, s->seed);
	return append(t->path, line);
}
