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

/* Disks whose names no other server has are peers of each other. */
static void disks_of_one_server_are_peers(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.table.instance = "disk";
	begin("time,node,disk,load,lat");
	for (int s = 0; s < 400; s++)
		for (int d = 0; d < 12; d++)
			fprintf(text, "%d,host,d%02d,5,%.3f\n", T0 + s, d,
				noise() * (d == 3 || d == 8 ? 3 : 1));
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "host");
	assert_int_equal(a.incidents[0].n_findings, 2);
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disks_of_one_name_are_peers),
		cmocka_unit_test(disks_of_one_server_are_peers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
