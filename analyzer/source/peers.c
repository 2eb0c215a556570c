// SPDX-License-Identifier: BSD-2-Clause
/* Reads a peers file, and finds the group of a node. */
#include "peers.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "userspace/common/options.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

/* A name or a pattern of the file; the text stays in peers_file.text. */
struct peers_word {
	const char *text;
	uint32_t group;
	unsigned int line;
};

struct words {
	struct peers_word *at;
	size_t n;
};

struct peers_file {
	char *text;
	struct words names;    /* ascending */
	struct words patterns; /* in the order of the file: the first that fits counts */
	struct words labels;   /* names of groups */
	size_t n_groups;
};

/* Says what is wrong with the file (line 0: with all of it) and returns -EINVAL. */
static int __attribute__((format(printf, 3, 4)))
refuse(const char *path, unsigned int line, const char *fmt, ...)
{
	char why[512], where[32] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (line)
		snprintf(where, sizeof(where), "line %u: ", line);
	return fail("cannot use the peers file '%s': %s%s", path, where, why);
}

/* All of the file and a NUL behind it. */
static int slurp(const char *path, char **text, size_t *len)
{
	struct text all = {0};
	FILE *f = fopen(path, "re");
	char part[1 << 14];
	int err = 0;
	size_t n;

	if (!f) {
		err = -errno;
		fail("cannot open the peers file '%s': %s", path, strerror(errno));
		return err;
	}
	while (!all.failed && all.len <= PEERS_FILE_MAX &&
	       (n = fread(part, 1, sizeof(part), f)) > 0)
		text_put_bytes(&all, part, n);
	if (ferror(f))
		err = refuse(path, 0, "%s", strerror(errno));
	else if (all.len > PEERS_FILE_MAX)
		err = refuse(path, 0, "it is larger than %d MiB", PEERS_FILE_MAX >> 20);
	fclose(f);
	*text = text_take(&all, len);
	return err || *text ? err : -ENOMEM;
}

static int add_word(struct words *w, const struct peers_word *word)
{
	return array_put(&w->at, &w->n, *word);
}

static int add_node(struct peers_file *p, char *text, unsigned int line, const char *path)
{
	struct peers_word word = {text, (uint32_t)p->n_groups - 1, line};
	bool pattern = strpbrk(text, "*?[\\");

	if (strlen(text) >= HOST_LEN)
		return refuse(path, line, "a name of more than %d characters", HOST_LEN - 1);
	if (pattern && p->patterns.n == PEERS_PATTERNS_MAX)
		return refuse(path, line, "more than %d patterns", PEERS_PATTERNS_MAX);
	if (!pattern && p->names.n == SOURCE_HOSTS_MAX)
		return refuse(path, line, "more than %d names", SOURCE_HOSTS_MAX);
	return add_word(pattern ? &p->patterns : &p->names, &word);
}

/* One line, without its end; it is cut into words in place. */
static int parse_line(struct peers_file *p, char *s, unsigned int line, const char *path)
{
	static const char blanks[] = " \t,";
	char *rest = NULL, *word, *label = NULL;
	size_t len;
	int err = 0;

	s[strcspn(s, "#")] = 0;
	for (const unsigned char *c = (unsigned char *)s; *c; c++)
		if ((*c < ' ' && *c != '\t') || *c == 0x7f)
			return refuse(path, line, "not a text: it has the character 0x%02x", *c);
	word = strtok_r(s, blanks, &rest);
	if (!word)
		return 0;
	len = strlen(word);
	if (word[len - 1] == ':') {
		label = word;
		label[len - 1] = 0;
		if (len == 1 || len > HOST_LEN)
			return refuse(path, line, "a group's name has 1 to %d characters",
				      HOST_LEN - 1);
		word = strtok_r(NULL, blanks, &rest);
		if (!word)
			return refuse(path, line, "group '%s' names no node", label);
	}
	p->n_groups++;
	if (label)
		err = add_word(&p->labels,
			       &(struct peers_word){label, (uint32_t)p->n_groups - 1, line});
	for (; !err && word; word = strtok_r(NULL, blanks, &rest))
		err = add_node(p, word, line, path);
	return err;
}

static int parse(struct peers_file *p, size_t len, const char *path)
{
	char *end = p->text + len, *s = p->text;
	int err = 0;

	if (!strncmp(s, "\xef\xbb\xbf", 3)) /* what some editors of Windows begin a text with */
		s += 3;
	for (unsigned int line = 1; !err && s < end; line++) {
		char *next = memchr(s, '\n', (size_t)(end - s));
		char *stop = next ? next : end;

		if (memchr(s, 0, (size_t)(stop - s)))
			return refuse(path, line, "not a text: it has the character 0x00");
		*stop = 0;
		if (stop > s && stop[-1] == '\r')
			stop[-1] = 0;
		err = parse_line(p, s, line, path);
		s = stop + 1;
	}
	if (!err && !p->n_groups)
		err = refuse(path, 0, "it names no node");
	return err;
}

/* By text, then line, so that the complaint is about the later one. */
COMPARISON(by_text, struct peers_word, strcmp(a->text, b->text) ?: ORDER(a->line, b->line))

static int check_twice(struct words *w, const char *path)
{
	sort(w->at, w->n, by_text);
	for (size_t i = 1; i < w->n; i++)
		if (!strcmp(w->at[i - 1].text, w->at[i].text))
			return refuse(path, w->at[i].line, "'%s' is in line %u already",
				      w->at[i].text, w->at[i - 1].line);
	return 0;
}

/* Sorts names and labels; patterns stay in order. */
static int check_words(struct peers_file *p, const char *path)
{
	struct words patterns = {0};
	int err = 0;

	for (size_t i = 0; !err && i < p->patterns.n; i++)
		err = add_word(&patterns, &p->patterns.at[i]);
	err = err ?: check_twice(&p->names, path) ?: check_twice(&patterns, path);
	err = err ?: check_twice(&p->labels, path);
	free(patterns.at);
	return err;
}

int peers_load(struct peers_file **out, const char *path)
{
	struct peers_file *p = calloc(1, sizeof(*p));
	size_t len;
	int err = -ENOMEM;

	*out = NULL;
	if (p)
		err = slurp(path, &p->text, &len);
	err = err ?: parse(p, len, path) ?: check_words(p, path);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		peers_free(p);
	else
		*out = p;
	return err;
}

void peers_free(struct peers_file *p)
{
	if (!p)
		return;
	free(p->text);
	free(p->names.at);
	free(p->patterns.at);
	free(p->labels.at);
	free(p);
}

static int against_text(const void *key, const void *word)
{
	return strcmp(key, ((const struct peers_word *)word)->text);
}

int32_t peers_group(const struct peers_file *p, const char *node)
{
	const struct peers_word *w;

	if (!p)
		return 0;
	w = p->names.n ? search(node, p->names.at, p->names.n, against_text) : NULL;
	if (w)
		return (int32_t)w->group;
	for (size_t i = 0; i < p->patterns.n; i++)
		if (!fnmatch(p->patterns.at[i].text, node, 0))
			return (int32_t)p->patterns.at[i].group;
	return PEERS_NONE;
}

/* Whether they differ in digits only. */
static bool alike_but_digits(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	do {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
	} while (*a++ && *b++);
	return true;
}

bool peers_metadata(const char *node)
{
	static const char *const words[] = {"mds", "mdt",      "mgs", "mgt",	 "meta",
					    "mon", "metadata", "mgr", "namenode"};

	for (size_t len; *node; node += len ? len : 1) {
		for (len = 0; isalpha((unsigned char)node[len]);)
			len++;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i]) == len && !strncasecmp(node, words[i], len))
				return true;
	}
	return false;
}

size_t peers_kinds(uint32_t *kind, const char (*nodes)[HOST_LEN], size_t n, size_t least)
{
	enum { MANY = 32 }; /* then names are drawn at random, and say nothing */
	size_t first[MANY], count[MANY] = {0}, kinds = 0, largest = 0, told = 0;
	uint32_t number[MANY];
	bool joined = false;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < kinds && !alike_but_digits(nodes[i], nodes[first[k]]))
			k++;
		if (k == MANY) {
			memset(kind, 0, n * sizeof(*kind));
			return 1;
		}
		if (k == kinds)
			first[kinds++] = i;
		count[k]++;
		kind[i] = (uint32_t)k;
	}
	for (size_t k = 0; k < kinds; k++) {
		largest = count[k] > count[largest] ? k : largest;
		number[k] = (uint32_t)told;
		told += count[k] >= least;
	}
	for (size_t i = 0; i < n && told; i++) {
		bool few = count[kind[i]] < least, metadata = few && peers_metadata(nodes[i]);

		joined |= metadata;
		kind[i] = metadata ? (uint32_t)told : number[few ? largest : kind[i]];
	}
	if (!told)
		memset(kind, 0, n * sizeof(*kind));
	return told ? told + joined : 1;
}

static int against_node(const void *key, const void *node)
{
	return strcmp(key, node);
}

void peers_warn(const struct peers_file *p, const char (*nodes)[HOST_LEN], size_t n,
		const char *path)
{
	enum { SHOWN = 5 };
	size_t strangers = 0, alone = 0;

	for (size_t i = 0; i < p->names.n; i++) {
		const struct peers_word *w = &p->names.at[i];

		if (search(w->text, nodes, n, against_node))
			continue;
		if (strangers++ < SHOWN)
			warn("'%s' line %u: no server is called '%s'", path, w->line, w->text);
	}
	if (strangers > SHOWN)
		warn("'%s': %zu more names that no server has", path, strangers - SHOWN);
	for (size_t i = 0; i < n; i++)
		if (peers_group(p, nodes[i]) < 0 && alone++ < SHOWN)
			warn("'%s': '%s' is in no group and will not be judged", path, nodes[i]);
	if (alone > SHOWN)
		warn("'%s': %zu more servers are in no group", path, alone - SHOWN);
}

void peers_labels(const struct peers_file *p, char (*names)[HOST_LEN], size_t n)
{
	for (size_t i = 0; p && i < p->labels.n; i++)
		if (p->labels.at[i].group < n)
			snprintf(names[p->labels.at[i].group], HOST_LEN, "%s",
				 p->labels.at[i].text);
}

size_t peers_groups(const struct peers_file *p)
{
	return p ? p->n_groups : 1;
}
