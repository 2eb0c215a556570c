// SPDX-License-Identifier: BSD-2-Clause
/* peers.h: what a peers file may say, whose group a node is in, and the parts of a frame. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/peers.h"
#include "analyzer/source/frame/frame_peers.h"

static char path[] = "/tmp/limpet-peers.XXXXXX";
static char said[4096]; /* by the last load, on stderr */

static void put(const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* peers_load() with stderr caught in `said`. */
static int load_path(struct peers_file **p, const char *from)
{
	FILE *caught = tmpfile();
	int saved = dup(STDERR_FILENO), err;
	size_t n;

	assert_non_null(caught);
	fflush(stderr);
	assert_true(saved >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0);
	err = peers_load(p, from);
	fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(caught);
	n = fread(said, 1, sizeof(said) - 1, caught);
	said[n] = 0;
	fclose(caught);
	return err;
}

static int load(struct peers_file **p, const char *text)
{
	put(text, strlen(text));
	return load_path(p, path);
}

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/limpet-peers.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void without_a_file_all_are_peers(void **state)
{
	(void)state;
	assert_int_equal(peers_group(NULL, "oss1"), 0);
	assert_int_equal(peers_groups(NULL), 1);
	peers_free(NULL);
}

static void groups_names_and_comments(void **state)
{
	struct peers_file *p;

	(void)state;
	assert_int_equal(load(&p, "# storage\n"
				  "disks: oss1, oss2\toss3 # the old ones\n"
				  "\n"
				  " \t,\n"
				  "mds1,mds2\r\n"
				  "10.0.0.2:9100 10.0.0.3:9100"),
			 0);
	assert_string_equal(said, "");
	assert_int_equal(peers_groups(p), 3);
	assert_int_equal(peers_group(p, "oss1"), 0);
	assert_int_equal(peers_group(p, "oss3"), 0);
	assert_int_equal(peers_group(p, "mds2"), 1);
	assert_int_equal(peers_group(p, "10.0.0.3:9100"), 2);
	assert_int_equal(peers_group(p, "oss"), PEERS_NONE);
	assert_int_equal(peers_group(p, "oss11"), PEERS_NONE);
	assert_int_equal(peers_group(p, "disks:"), PEERS_NONE);
	assert_int_equal(peers_group(p, "old"), PEERS_NONE);
	assert_int_equal(peers_group(p, ""), PEERS_NONE);
	peers_free(p);
}

static void a_name_goes_before_any_pattern_and_the_first_pattern_counts(void **state)
{
	struct peers_file *p;

	(void)state;
	assert_int_equal(load(&p, "\xef\xbb\xbf"
				  "first: oss[1-3] host-?\nsecond: oss*\n"
				  "third: oss2 oss9 a\\*b\n"),
			 0);
	assert_int_equal(peers_group(p, "oss1"), 0);
	assert_int_equal(peers_group(p, "oss2"), 2);
	assert_int_equal(peers_group(p, "oss4"), 1);
	assert_int_equal(peers_group(p, "oss9"), 2);
	assert_int_equal(peers_group(p, "host-a"), 0);
	assert_int_equal(peers_group(p, "host-aa"), PEERS_NONE);
	assert_int_equal(peers_group(p, "a*b"), 2);
	assert_int_equal(peers_group(p, "aab"), PEERS_NONE);
	peers_free(p);
}

static void what_is_wrong_is_refused_with_its_line(void **state)
{
	static const char sixty_four[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	static const struct {
		const char *before, *text, *after, *message;
	} cases[] = {
		{"", "", "", "it names no node"},
		{"# oss1 oss2\n", "\n", "  \t ,, \r\n", "it names no node"},
		{"a b\n", "c a", "\n", "line 2: 'a' is in line 1 already"},
		{"b a\n", "\n#\n", "d c d\n", "line 4: 'd' is in line 4 already"},
		{"x*\n", "y\n", "x*\n", "line 3: 'x*' is in line 1 already"},
		{"g: a\n", "g: b", "", "line 2: 'g' is in line 1 already"},
		{"a\n", "g:", "\n", "line 2: group 'g' names no node"},
		{"a\n", "g: # b", "\n", "line 2: group 'g' names no node"},
		{"a\n", ": b", "\n", "line 2: a group's name has 1 to 63 characters"},
		{"a\n", sixty_four, ": b", "line 2: a group's name has 1 to 63 characters"},
		{"a\n", sixty_four, "", "line 2: a name of more than 63 characters"},
		{"a\n", sixty_four, "*", "line 2: a name of more than 63 characters"},
		{"a\n", "b\001c", "", "line 2: not a text: it has the character 0x01"},
		{"a\n", "b\033[2J", "", "line 2: not a text: it has the character 0x1b"},
		{"a\r\n", "b\rc", "\n", "line 2: not a text: it has the character 0x0d"},
	};
	struct peers_file *p;
	char text[512], all[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s%s", cases[i].before, cases[i].text,
			 cases[i].after);
		snprintf(all, sizeof(all), "limpet: cannot use the peers file '%s': %s\n", path,
			 cases[i].message);
		assert_int_equal(load(&p, text), -EINVAL);
		assert_null(p);
		assert_string_equal(said, all);
	}
	put("a\nb\0c\n", 6);
	assert_int_equal(load_path(&p, path), -EINVAL);
	assert_non_null(strstr(said, "line 2: not a text: it has the character 0x00\n"));
}

static void the_longest_names_are_taken(void **state)
{
	static const char longest[] =
		"012345678901234567890123456789012345678901234567890123456789012";
	struct peers_file *p;
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), "%s: %s", longest, longest);
	assert_int_equal(load(&p, text), 0);
	assert_int_equal(peers_group(p, longest), 0);
	peers_free(p);
}

static void files_that_cannot_be_read(void **state)
{
	struct peers_file *p;

	(void)state;
	assert_int_equal(load_path(&p, "/nonexistent/peers"), -ENOENT);
	assert_string_equal(said, "limpet: cannot open the peers file '/nonexistent/peers': "
				  "No such file or directory\n");
	assert_int_equal(load_path(&p, "/"), -EINVAL);
	assert_non_null(strstr(said, "Is a directory"));
	/* endless, and no more of it read than allowed */
	assert_int_equal(load_path(&p, "/dev/zero"), -EINVAL);
	assert_non_null(strstr(said, "it is larger than 16 MiB"));
}

/* n names, or patterns, ten a line; returns what loading them gives. */
static int load_many(struct peers_file **p, int n, const char *after)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (int i = 0; i < n; i++) {
		fprintf(f, " oss%06d%s", i, after);
		if (i % 10 == 9)
			fputc('\n', f);
	}
	assert_int_equal(fclose(f), 0);
	return load_path(p, path);
}

static void a_hundred_thousand_names_and_no_more(void **state)
{
	struct peers_file *p;
	char name[32];

	(void)state;
	assert_int_equal(load_many(&p, SOURCE_HOSTS_MAX, ""), 0);
	assert_int_equal(peers_groups(p), SOURCE_HOSTS_MAX / 10);
	for (int i = 0; i < SOURCE_HOSTS_MAX; i++) {
		snprintf(name, sizeof(name), "oss%06d", i);
		if (peers_group(p, name) != i / 10)
			fail_msg("'%s' is in group %d", name, peers_group(p, name));
	}
	assert_int_equal(peers_group(p, "oss100000"), PEERS_NONE);
	peers_free(p);
	assert_int_equal(load_many(&p, SOURCE_HOSTS_MAX + 1, ""), -EINVAL);
	assert_non_null(strstr(said, "line 10001: more than 100000 names"));
}

static void a_thousand_patterns_and_no_more(void **state)
{
	struct peers_file *p;

	(void)state;
	assert_int_equal(load_many(&p, PEERS_PATTERNS_MAX, "*"), 0);
	assert_int_equal(peers_group(p, "oss000999x"), 99);
	peers_free(p);
	assert_int_equal(load_many(&p, PEERS_PATTERNS_MAX + 1, "*"), -EINVAL);
	assert_non_null(strstr(said, "line 101: more than 1000 patterns"));
}

/* ---- parts ---- */

enum { NODES = 6 };

/* One metric, one column; node i has the value i. */
struct whole {
	struct frame f;
	struct frame_cells cells;
	struct frame_metric metric;
	char nodes[NODES][HOST_LEN];
	size_t row[NODES];
	uint64_t n_seen[NODES];
	double values[NODES], *v[1];
};

static struct whole *whole(void)
{
	static struct whole w;

	w = (struct whole){.f = {.n_nodes = NODES,
				 .n_times = 1,
				 .n_metrics = 1,
				 .nodes = w.nodes,
				 .metrics = &w.metric,
				 .row = w.row,
				 .n_seen = w.n_seen,
				 .cells = &w.cells},
			   .cells = {.held = 1, .stride = 1, .v = w.v},
			   .v = {w.values}};
	for (size_t i = 0; i < NODES; i++) {
		snprintf(w.nodes[i], HOST_LEN, "node%zu", i);
		w.row[i] = i;
		w.values[i] = (double)i;
	}
	return &w;
}

static void check_part(const struct peers *p, size_t part, const char *members)
{
	const struct frame *f = &p->parts[part];
	char name[16];

	assert_int_equal(f->n_nodes, strlen(members));
	for (size_t i = 0; i < f->n_nodes; i++) {
		snprintf(name, sizeof(name), "node%c", members[i]);
		assert_string_equal(f->nodes[i], name);
		assert_true(*frame_row(f, 0, i) == members[i] - '0');
	}
}

static void a_part_for_each_group_that_has_nodes(void **state)
{
	static const int32_t group[NODES] = {3, PEERS_NONE, 0, 3, 0, INT32_MAX};
	struct peers p;

	(void)state;
	assert_int_equal(peers_of(&p, &whole()->f, group), 0);
	assert_int_equal(p.n, 3);
	check_part(&p, 0, "24");
	check_part(&p, 1, "03");
	check_part(&p, 2, "5");
	peers_release(&p);
	assert_int_equal(p.n, 0);
	peers_release(&p);
}

static void without_groups_one_part_with_all(void **state)
{
	struct peers p;

	(void)state;
	assert_int_equal(peers_of(&p, &whole()->f, NULL), 0);
	assert_int_equal(p.n, 1);
	check_part(&p, 0, "012345");
	peers_release(&p);
}

static void no_part_without_members(void **state)
{
	static const int32_t none[NODES] = {-1, -1, -1, -1, -1, -1};
	struct frame empty = {0};
	struct peers p;

	(void)state;
	assert_int_equal(peers_of(&p, &whole()->f, none), 0);
	assert_int_equal(p.n, 0);
	peers_release(&p);
	assert_int_equal(peers_of(&p, &empty, NULL), 0);
	assert_int_equal(p.n, 0);
	peers_release(&p);
}

/* ---- what names say --------------------------------------------------------------------------- */

/* Kinds of n names, a digit each. */
static const char *kinds_of(const char (*names)[HOST_LEN], size_t n)
{
	static char text[16];
	uint32_t kind[16] = {0};
	size_t kinds = peers_kinds(kind, names, n, 3);

	for (size_t i = 0; i < n; i++) {
		assert_true(kind[i] < kinds);
		text[i] = (char)('0' + kind[i]);
	}
	text[n] = 0;
	return text;
}

static void names_that_differ_in_digits_are_of_one_kind(void **state)
{
	static const char one[][HOST_LEN] = {"rack1-oss1", "rack1-oss2", "rack2-oss1",
					     "rack12-oss10"};
	static const char two[][HOST_LEN] = {"a-oss1", "a-oss2",  "a-oss3",
					     "b-oss1", "b-oss22", "b-oss3"};
	static const char few[][HOST_LEN] = {"a1", "a2", "a3", "b1", "b2", "c1"};
	static const char none[][HOST_LEN] = {"a", "b", "c", "d1", "d2"};

	(void)state;
	assert_string_equal(kinds_of(one, 4), "0000");
	assert_string_equal(kinds_of(two, 6), "000111");
	/* two of a name are no kind: a slow one and a friend would hide there */
	assert_string_equal(kinds_of(few, 6), "000000");
	assert_string_equal(kinds_of(none, 5), "00000");
}

static void servers_of_metadata_are_told_by_name(void **state)
{
	static const char names[][HOST_LEN] = {"mds1", "mgs", "oss1", "oss2", "oss3", "x"};

	(void)state;
	assert_string_equal(kinds_of(names, 6), "110000");
	assert_true(peers_metadata("mds1") && peers_metadata("lustre-MDT02.site") &&
		    peers_metadata("10mon"));
	assert_false(peers_metadata("oss1") || peers_metadata("monday1") ||
		     peers_metadata("amds") || peers_metadata(""));
}

static void names_at_random_say_nothing(void **state)
{
	static char names[100][HOST_LEN];
	uint32_t kind[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		snprintf(names[i], sizeof(names[i]), "pod-%c%c", 'a' + i / 10, 'a' + i % 10);
	assert_int_equal(peers_kinds(kind, (const char(*)[HOST_LEN])names, 100, 1), 1);
	for (int i = 0; i < 100; i++)
		assert_int_equal(kind[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_file_all_are_peers),
		cmocka_unit_test(groups_names_and_comments),
		cmocka_unit_test(a_name_goes_before_any_pattern_and_the_first_pattern_counts),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
		cmocka_unit_test(the_longest_names_are_taken),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(a_hundred_thousand_names_and_no_more),
		cmocka_unit_test(a_thousand_patterns_and_no_more),
		cmocka_unit_test(a_part_for_each_group_that_has_nodes),
		cmocka_unit_test(without_groups_one_part_with_all),
		cmocka_unit_test(no_part_without_members),
		cmocka_unit_test(names_that_differ_in_digits_are_of_one_kind),
		cmocka_unit_test(servers_of_metadata_are_told_by_name),
		cmocka_unit_test(names_at_random_say_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
