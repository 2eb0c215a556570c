// SPDX-License-Identifier: BSD-2-Clause
/* simulate table: a table of servers as its kind says, or the list of kinds. */
#include "table_main.h"

#include <errno.h>
#include <string.h>

#include "table_kind.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

#define ROWS_MAX 1e9

struct table_opts {
	bool list;
	unsigned int servers, seed;
	double hours, step_s, slow, from_h;
	const char *duty, *node;
	int64_t begin_ns;
};

#define AT(field) offsetof(struct table_opts, field)

static const struct option_def table_options[] = {
	{0, "list", OPT_FLAG, AT(list), NULL, "print the kinds, and what each is", 0, 0},
	{0, "servers", OPT_UINT, AT(servers), "N", "how many (6)", 2, 10000},
	{0, "seed", OPT_UINT, AT(seed), "N", "of all that is random (1)", 0, 4294967295.0},
	{0, "hours", OPT_DOUBLE, AT(hours), "X", "length; default: the kind's own", 0.01, 10000},
	{0, "step", OPT_DOUBLE, AT(step_s), "S", "seconds between rows; default: the kind's own", 1,
	 86400},
	{0, "slow", OPT_DOUBLE, AT(slow), "X", "one server does limp: so many times as slow", 1,
	 1000},
	{'n', "node", OPT_STRING, AT(node), "SERVER",
	 "which one (s01 ...); default: drawn by the seed", 0, 0},
	{0, "slow-from", OPT_DOUBLE, AT(from_h), "H", "hours after the beginning it begins (0)", 0,
	 10000},
	{0, "duty", OPT_STRING, AT(duty), "PERIOD:SHARE",
	 "it comes and goes: on for a share of each period (1h:0.3)", 0, 0},
	{0, "begin", OPT_TIME, AT(begin_ns), "TIME", "first row (2026-01-05T00:00:00Z)", 0, 0},
	{0},
};

static int list_kinds(void)
{
	for (const struct table_kind *k = table_kinds; k->name; k++)
		printf("%-18s %s\n", k->name, k->what);
	return EXIT_DONE;
}

static int find_node(const struct table_opts *o, struct table_order *order)
{
	unsigned int n;

	order->node = table_node(order);
	if (!o->node)
		return 0;
	if (!(o->slow > 0))
		return fail("'--node %s' without '--slow'", o->node);
	if (o->node[0] != 's' || parse_uint(o->node + 1, 1, o->servers, &n))
		return fail("'%s' is not a server: s01 to s%02u", o->node, o->servers);
	order->node = n - 1;
	return 0;
}

static int settle(const struct table_opts *o, const char *kind, struct table_order *order)
{
	*order = (struct table_order){.kind = table_kind_by_name(kind),
				      .servers = o->servers,
				      .seed = o->seed,
				      .hours = o->hours,
				      .step_s = o->step_s,
				      .begin_s = o->begin_ns / NS_PER_S,
				      .slow = o->slow,
				      .slow_from_h = o->from_h};
	double hours, step;

	if (!order->kind)
		return fail("'%s' is not a kind (see 'simulate table --list')", kind);
	hours = o->hours > 0 ? o->hours : order->kind->hours;
	step = o->step_s > 0 ? o->step_s : order->kind->step_s;
	if (hours * 3600 / step * o->servers > ROWS_MAX)
		return fail("%u servers for %g h are too much: over %g rows", o->servers, hours,
			    ROWS_MAX);
	if (o->begin_ns % NS_PER_S)
		return fail("'--begin' is not a whole second");
	if (!(o->slow > 0) && (o->duty || o->from_h > 0))
		return fail("'--duty' and '--slow-from' need '--slow'");
	return find_node(o, order) || (o->duty && read_duty("duty", o->duty, &order->duty)) ? -1
											    : 0;
}

static int run_table(int argc, char **argv)
{
	struct table_opts o = {.servers = 6, .seed = 1, .begin_ns = 1767571200000000000};
	struct table_order order;
	int n = options_parse(&table_command, &o, argc, argv);

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (o.list && !n)
		return list_kinds();
	if (n != 1 || o.list) {
		fail("one kind is needed (see 'simulate table --list')");
		return EXIT_USAGE;
	}
	if (settle(&o, argv[1], &order))
		return EXIT_USAGE;
	if (table_make(&order, stdout)) {
		fail("out of memory");
		return EXIT_FAILED;
	}
	if (fflush(stdout) || ferror(stdout)) {
		fail("cannot write the table: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

const struct command table_command = {
	"table",       "KIND > FILE.csv", "a table of servers of which none limps, or one",
	table_options, run_table,	  NULL};
