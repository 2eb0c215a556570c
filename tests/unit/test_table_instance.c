// SPDX-License-Identifier: BSD-2-Clause
/* input/tables: what tells rows of one server and time apart, without --instance, and tables of which nobody knows. */
#include "table_util.h"

/* Two servers with two disks each, whose column has this name, and is "a" and "b" or as given. */
static char *disks(const char *column, const char *a, const char *b)
{
	static char text[2000];
	char *p = text;

	p += sprintf(p, "time,node,%s,await\n", column);
	for (int time = 1; time <= 20; time++)
		for (int node = 0; node < 2; node++)
			p += sprintf(p, "%d,n%d,%s,%d\n%d,n%d,%s,%d\n", time, node, a, time + node,
				     time, node, b, 100 + time + node);
	return text;
}

static void columns_of_known_names_are_taken(void **state)
{
	static const char *const names[] = {"device", "Disk",	"DEV",	    "osd", "ost_name",
					    "iface",  "volume", "instance", "lun", "disk_device"};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ok(&t, disks(names[i], "sda", "sdb"), &none);
		value_is(&t, "n1", "sda", "await", 3, 4);
		value_is(&t, "n1", "sdb", "await", 3, 104);
		assert_int_equal(t.duplicates, 0);
		assert_true(t.merge);
		assert_non_null(
			strstr(text_of(&t.notes), "tells disks of a server apart: --instance "));
		assert_null(strstr(text_of(&t.notes), "left out"));
		table_release(&t);
	}
}

/* Whole numbers are names of OSDs, but the column is a metric no more; of what is measured they are none. */
static void numbers_may_be_names(void **state)
{
	struct table t;

	(void)state;
	ok(&t, disks("osd", "0", "12"), &none);
	value_is(&t, "n0", "12", "await", 5, 105);
	assert_true(isnan(value(&t, "n0", "12", "osd", 5)));
	table_release(&t);
	bad(disks("osd", "0.5", "12"), &none, "which column tells them apart?");
	bad(disks("disk", "7", "12"), &none, "which column tells them apart?");
	/* as mpstat has it */
	ok(&t, disks("device", "all", "0"), &none);
	value_is(&t, "n0", "all", "await", 5, 5);
	assert_int_equal(t.n, 80);
	table_release(&t);
}

static void the_best_name_counts(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,instance,device,await\n1,a,x,sda,1\n1,a,x,sdb,2\n2,a,x,sda,3\n2,a,x,sdb,4\n",
	   &none);
	value_is(&t, "a", "sdb", "await", 2, 4);
	table_release(&t);
}

static void long_tables_and_json_have_them_too(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,device,metric,value\n1,a,sda,await,1\n1,a,sdb,await,2\n1,a,sda,tps,3\n"
	   "1,a,sdb,tps,4\n",
	   &none);
	value_is(&t, "a", "sdb", "tps", 1, 4);
	table_release(&t);
	ok(&t,
	   "{\"time\": 1, \"node\": \"a\", \"osd\": 0, \"await\": 1}\n"
	   "{\"time\": 1, \"node\": \"a\", \"osd\": 1, \"await\": 2}\n",
	   &none);
	value_is(&t, "a", "1", "await", 1, 2);
	assert_true(isnan(value(&t, "a", "1", "osd", 1)));
	table_release(&t);
	ok(&t,
	   "{\"time\": 1, \"node\": \"a\", \"disk_device\": \"sda\", \"await\": 1}\n"
	   "{\"time\": 1, \"node\": \"a\", \"disk_device\": \"sdb\", \"await\": 2}\n",
	   &none);
	value_is(&t, "a", "sdb", "await", 1, 2);
	assert_null(strstr(text_of(&t.notes), "left out"));
	table_release(&t);
}

/* A row a server and time: then a server is one, whatever its disk is called, and a column of numbers a metric. */
static void nothing_to_tell_apart(void **state)
{
	struct table t;

	(void)state;
	ok(&t, "time,node,device,await\n1,a,sda,1\n1,b,sdb,2\n2,a,sda,3\n2,b,sdc,4\n", &none);
	value_is(&t, "b", "", "await", 2, 4);
	assert_string_equal(text_of(&t.notes), "left out: columns device\n");
	assert_false(t.merge);
	table_release(&t);
	ok(&t, "time,node,disk,await\n1,a,40,1\n1,b,41,2\n2,a,42,3\n2,b,43,4\n", &none);
	value_is(&t, "b", "", "disk", 2, 43);
	table_release(&t);
}

/* A row that came again now and then makes no disks of a server. */
static void few_rows_come_again(void **state)
{
	char text[4000], *p = text;
	struct table t;

	(void)state;
	p += sprintf(p, "time,node,device,await\n");
	for (int time = 1; time <= 40; time++)
		for (int row = 0; row < (time % 20 ? 1 : 2); row++)
			p += sprintf(p, "%d,a,sd%c,%d\n", time, 'a' + row, time + row);
	ok(&t, text, &none);
	assert_int_equal(t.duplicates, 2);
	value_is(&t, "a", "", "await", 20, 20);
	table_release(&t);
}

static void what_nobody_knows_is_refused(void **state)
{
	struct table_opts o = {.instance = "slot"};
	char *text;
	struct table t;

	(void)state;
	bad(disks("slot", "a", "b"), &none,
	    "each server has 2 rows at one time: which column tells them apart? Give it with "
	    "--instance; columns of text are: slot");
	ok(&t, disks("slot", "a", "b"), &o);
	value_is(&t, "n0", "b", "await", 1, 101);
	table_release(&t);
	/* a column that does not do it, asked for or taken */
	bad(disks("slot", "a", "a"), &o, "each server and slot has 2 rows at one time");
	text = disks("device", "a", "a");
	bad(text, &none, "each server has 2 rows at one time");
	bad("time,node,device,part,await\n1,a,x,p,1\n1,a,x,q,2\n1,a,y,p,3\n1,a,y,q,4\n", &none,
	    "each server and device has 2 rows at one time: another column must tell them apart; "
	    "give it with --instance; columns of text are: part");
	bad("{\"time\": 1, \"node\": \"a\", \"slot\": \"x\", \"await\": 1}\n"
	    "{\"time\": 1, \"node\": \"a\", \"slot\": \"y\", \"await\": 2}\n",
	    &none, "columns of text are: slot");
}

/* The same again tells nothing new; of durations of states each counts. */
static void what_is_no_other_row(void **state)
{
	struct table t;

	(void)state;
	ok(&t, "time,node,x\n1,a,5\n1,a,5\n2,a,6\n2,a,6\n", &none);
	assert_int_equal(t.duplicates, 2);
	table_release(&t);
	ok(&t, "time,node,device,state,duration\n1,a,x,read,5\n1,a,y,read,6\n", &none);
	assert_int_equal(t.n, 2);
	assert_true(t.at[0].instance == 0 && t.at[1].instance == 0);
	table_release(&t);
}

/* Its families lie beside each other, of a second and a server. */
static void what_limpet_show_prints_needs_no_option(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,family,instance,await,MemFree\n1,a,disk,sda,1,\n1,a,disk,sdb,2,\n"
	   "1,a,host,,,3\n1,a,remote,x,9,\n",
	   &none);
	value_is(&t, "a", "sdb", "await", 1, 2);
	value_is(&t, "a", "", "MemFree", 1, 3);
	assert_int_equal(t.n, 3);
	table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_known_names_are_taken),
		cmocka_unit_test(numbers_may_be_names),
		cmocka_unit_test(the_best_name_counts),
		cmocka_unit_test(long_tables_and_json_have_them_too),
		cmocka_unit_test(nothing_to_tell_apart),
		cmocka_unit_test(few_rows_come_again),
		cmocka_unit_test(what_nobody_knows_is_refused),
		cmocka_unit_test(what_is_no_other_row),
		cmocka_unit_test(what_limpet_show_prints_needs_no_option),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
