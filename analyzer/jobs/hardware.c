// SPDX-License-Identifier: BSD-2-Clause
/* hardware.h: the file is read line by line. */
#include "hardware.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/source.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

enum { CORES_MAX = 1 << 20 };
#define MEMORY_MAX 1e18

struct hardware_line {
	char node[HOST_LEN];
	struct hardware hardware;
};

struct hardware_file {
	struct hardware_line *at; /* by node */
	size_t n;
};

void hardware_free(struct hardware_file *h)
{
	if (h)
		free(h->at);
	free(h);
}

COMPARISON(by_node, struct hardware_line, strcmp(a->node, b->node))

static int refuse(const char *path, unsigned int number, const char *why)
{
	fail("cannot use the hardware file '%s': line %u: %s", path, number, why);
	return -EINVAL;
}

/* NULL, or what is wrong with the line; without a server nothing is added. */
static const char *parse(struct hardware_file *h, char *text)
{
	static const char blanks[] = " \t\r\n";
	char *save = NULL, *word[4] = {NULL};
	struct hardware_line l = {0};
	unsigned int cores;
	size_t n = 0;

	text[strcspn(text, "#")] = 0;
	for (char *w = strtok_r(text, blanks, &save); w && n < 4; w = strtok_r(NULL, blanks, &save))
		word[n++] = w;
	if (!n)
		return NULL;
	if (n != 3)
		return "it must be NAME CORES MEMORY";
	if (strlen(word[0]) >= HOST_LEN)
		return "the name is too long";
	if (h->n >= SOURCE_HOSTS_MAX)
		return "there are too many servers";
	snprintf(l.node, sizeof(l.node), "%s", word[0]);
	if (parse_uint(word[1], 1, CORES_MAX, &cores))
		return "the number of cores is none";
	l.hardware.cores = cores;
	if (parse_size(word[2], 1, MEMORY_MAX, &l.hardware.memory_bytes))
		return "the memory must be bytes, or a number with K, M, G or T";
	return array_put(&h->at, &h->n, l) ? "out of memory" : NULL;
}

static int read_lines(struct hardware_file *h, FILE *f, const char *path)
{
	unsigned int number = 0;
	char text[1024];

	while (fgets(text, sizeof(text), f)) {
		const char *wrong;

		number++;
		if (strlen(text) == sizeof(text) - 1)
			return refuse(path, number, "it is too long");
		wrong = parse(h, text);
		if (wrong)
			return refuse(path, number, wrong);
	}
	return ferror(f) ? refuse(path, number, "it cannot be read") : 0;
}

int hardware_load(struct hardware_file **to, const char *path)
{
	struct hardware_file *h = calloc(1, sizeof(*h));
	FILE *f = fopen(path, "re");
	int err = h ? 0 : -ENOMEM;

	if (!f) {
		err = -errno;
		fail("cannot open the hardware file '%s': %s", path, strerror(errno));
	} else if (!err) {
		err = read_lines(h, f, path);
	}
	if (f)
		fclose(f);
	if (!err)
		sort(h->at, h->n, by_node);
	for (size_t i = 1; !err && i < h->n; i++)
		if (!strcmp(h->at[i - 1].node, h->at[i].node)) {
			fail("cannot use the hardware file '%s': '%s' is there twice", path,
			     h->at[i].node);
			err = -EINVAL;
		}
	if (err)
		hardware_free(h);
	else
		*to = h;
	return err;
}

const struct hardware *hardware_of(const struct hardware_file *h, const char *node)
{
	size_t n = h ? h->n : 0, at = search_first(i, n, strcmp(h->at[i].node, node) < 0);

	return at < n && !strcmp(h->at[at].node, node) ? &h->at[at].hardware : NULL;
}
