// SPDX-License-Identifier: BSD-2-Clause
/* log_layout.h: lines of tools that say where files lie, by a table of patterns. */
#include "log_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"

/* Of files, and of their servers: more than a log's files can ask for. */
enum { FILES_MAX = 1 << 22, SERVERS_MAX = 1 << 24 };

struct layout_lines {
	struct layouts *y;
	struct listed_file *file; /* whose lines these are; NULL: nobody's */
};

/* ---- what a line says -------------------------------------------------------------------------------- */

static int begin_file(struct layout_lines *k, const struct piece *c)
{
	char path[LOG_ITEM_LEN + 1];
	size_t had = k->y->path.n;
	int64_t n;

	k->file = NULL;
	if (!c[0].len || c[0].len >= LOG_ITEM_LEN)
		return 0;
	snprintf(path, sizeof(path), "%s%.*s", *c[0].s == '/' ? "" : "/", (int)c[0].len, c[0].s);
	n = names_add(&k->y->path, path);
	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (k->y->path.n > had && !array_add(&k->y->file, &k->y->n_files))
		return -ENOMEM;
	/* said again: the later one counts */
	k->y->file[n] = (struct listed_file){.first = k->y->n_servers};
	k->file = &k->y->file[n];
	return 0;
}

static int add_server(struct layout_lines *k, struct piece name)
{
	uint32_t *of;
	int64_t n;

	if (!name.len || name.len >= HOST_LEN || name_check(name.s, name.len, HOST_LEN - 1) ||
	    k->y->n_servers >= SERVERS_MAX) {
		k->file->unknown = true;
		return 0;
	}
	n = names_add_n(&k->y->server, name.s, name.len);
	of = n < 0 ? NULL : array_add(&k->y->server_of, &k->y->n_servers);
	if (!of)
		return n < 0 && errno == E2BIG ? 0 : -ENOMEM;
	*of = (uint32_t)n;
	k->file->n++;
	return 0;
}

/* "(<DISTRIBUTE:v-dht> <POSIX(/brick):s1:/brick/file>)"; with more than one brick it is a copy, or a part. */
static int gluster(struct layout_lines *k, const struct piece *c)
{
	const char *at = c[1].s, *end = at + c[1].len, *close;
	int err = 0;

	while (!err && (at = memmem(at, (size_t)(end - at), "<POSIX(", 7))) {
		at = memmem(at, (size_t)(end - at), "):", 2);
		close = at ? memchr(at + 2, ':', (size_t)(end - at - 2)) : NULL;
		if (!close)
			break;
		err = add_server(k, piece(at + 2, (size_t)(close - at - 2)));
		at = close;
	}
	k->file->unknown |= k->file->n > 1;
	return err;
}

/* "512K", "1M", "65536" */
static int stripe(struct layout_lines *k, const struct piece *c)
{
	static const char units[] = "kKmMgG"; /* two each */
	size_t len = c[0].len;
	const char *unit = len ? memchr(units, c[0].s[len - 1], strlen(units)) : NULL;
	int shift = unit ? 10 * (int)((unit - units) / 2 + 1) : 0;
	int64_t size = len <= 10 ? log_number(piece(c[0].s, len - (shift > 0))) : -1;

	k->file->stripe = size > 0 ? size << shift : 0;
	k->file->unknown |= size <= 0;
	return 0;
}

static int pattern(struct layout_lines *k, const struct piece *c)
{
	k->file->unknown |= !(c[0].len >= 5 && !memcmp(c[0].s, "RAID0", 5));
	return 0;
}

static int distribution(struct layout_lines *k, const struct piece *c)
{
	k->file->unknown |= !(c[0].len >= 13 && !memcmp(c[0].s, "simple_stripe", 13));
	return 0;
}

static int target(struct layout_lines *k, const struct piece *c)
{
	return add_server(k, c[1]);
}

/* "tcp://node1:3334" */
static int server(struct layout_lines *k, const struct piece *c)
{
	struct piece name = c[1];
	const char *at = memmem(name.s, name.len, "://", 3), *colon;

	if (at)
		name = piece(at + 3, name.len - (size_t)(at + 3 - name.s));
	colon = memchr(name.s, ':', name.len);
	name.len = colon ? (size_t)(colon - name.s) : name.len;
	return add_server(k, name);
}

static const struct layout_row {
	const char *text; /* as daemon_match() takes it, without blanks before it */
	int (*take)(struct layout_lines *k, const struct piece *c);
} rows[] = {
	{"# file: *", begin_file},
	{"*glusterfs.pathinfo=*", gluster},
	{"+ Type: *", pattern},
	{"+ Chunksize: *", stripe},
	{"+ * @ * [ID: *", target},
	{"dist_name = *", distribution},
	{"strip_size:*", stripe},
	{"Datafile * - *, handle*", server},
	{"Server * - *, handle*", server},
};

static int take_line(void *own, char *line, size_t len)
{
	struct layout_lines *k = own;
	struct piece c[CAPTURES];

	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((k->file || !i) && daemon_match(rows[i].text, line, len, c))
			return rows[i].take(k, c);
	return 0;
}

/* ---- a file of them ------------------------------------------------------------------------------------ */

int layouts_read(struct layouts *y, const char *path)
{
	struct layout_lines k = {.y = y};
	int err;

	y->path.max = y->server.max = FILES_MAX;
	err = option_lines(path, take_line, &k);
	if (!err && !y->n_servers)
		err = fail("'%s' says of no file on which servers it lies", path);
	return err;
}

void layouts_release(struct layouts *y)
{
	names_release(&y->path);
	names_release(&y->server);
	free(y->file);
	free(y->server_of);
	*y = (struct layouts){0};
}

const struct listed_file *layouts_find(const struct layouts *y, const char *path)
{
	int64_t n = names_find(&y->path, path);

	return n < 0 || !y->file[n].n ? NULL : &y->file[n];
}
