// SPDX-License-Identifier: BSD-2-Clause
/* engine/tables: which disks are peers of each other. */
#include "robust_tables.h"

/* The disk for the system is slower on every server; one disk for data is slow. */
static void disks_of_one_name_are_peers(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.table.instance = "disk";
	for (int fault = 0; fault < 2; fault++) {
		begin("time,node,disk,load,lat");
		for (int s = 0; s < 1000; s++)
			for (int i = 0; i < NODES; i++)
				for (int d = 0; d < 3; d++)
					fprintf(text, "%d,n%d,sd%c,5,%.3f\n", T0 + s, i, 'a' + d,
						noise() * (d ? 1 : 4) *
							(fault && d == 2 && i == 3 ? 2 : 1));
		assert_int_equal(judge(&o, &a), 0);
		only(&a, fault ? "n3" : NULL);
		if (fault) {
			assert_string_equal(a.incidents[0].findings[0].disk, "sdc");
			assert_string_equal(sentence_detail(&a, &a.incidents[0], sentence),
					    "lat given load of sdc");
		}
		verdict_release(&a);
	}
}

/* Twelve disks, two of which are slow, each on one of so many servers. */
static void write_disks(int servers)
{
	begin("time,node,disk,load,lat");
	for (int s = 0; s < 400; s++)
		for (int d = 0; d < 12; d++)
			fprintf(text, "%d,n%d,d%02d,5,%.3f\n", T0 + s, d % servers, d,
				noise() * (d == 3 || d == 9 ? 3 : 1));
}

/* Disks whose names no other server has are peers of each other. */
static void disks_of_any_name_are_peers(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.table.instance = "disk";
	write_disks(3);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n0");
	assert_int_equal(a.incidents[0].n_findings, 2);
	verdict_release(&a);
}

/* But there must be three servers: of one or two none is judged by its own disks, unless each is a node. */
static void disks_of_one_server_are_no_servers(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	for (int servers = 1; servers <= 2; servers++) {
		o.table.instance = "disk";
		write_disks(servers);
		assert_int_equal(judge(&o, &a), 0);
		assert_int_equal(a.n_incidents, 0);
		assert_int_equal(a.cannot.why, CANNOT_UNJUDGED);
		assert_int_equal(a.cannot.server.why, UNJUDGED_FEW_SERVERS);
		assert_int_equal(a.n_unjudged, servers);
		assert_int_equal(a.n_parts, 12);
		for (size_t i = 0; i < a.n_parts; i++)
			assert_true(!a.parts[i].judged && a.parts[i].why == UNJUDGED_FEW_SERVERS);
		verdict_release(&a);
	}
	o.table.instance = NULL;
	o.table.node = "disk";
	write_disks(1);
	assert_int_equal(judge(&o, &a), 0);
	assert_int_equal(a.n_incidents, 2);
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disks_of_one_name_are_peers),
		cmocka_unit_test(disks_of_any_name_are_peers),
		cmocka_unit_test(disks_of_one_server_are_no_servers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
