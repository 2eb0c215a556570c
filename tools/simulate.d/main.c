// SPDX-License-Identifier: BSD-2-Clause
/*
 * simulate: a cluster that does not exist, for some minutes, with a fault of which the truth is
 * known: series files as limpet-probe writes them, and a line of truth. tools/simulate.d/README.md.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "sim_truth.h"
#include "table_main.h"
#include "workload.h"
#include "userspace/common/clock.h"

#define RUN_BYTES_MAX ((uint64_t)4 << 30)

struct sim_opts {
	struct setup setup;
	const char *kind, *workload, *fault, *node, *truth, *model, *source, *duty, *logs;
	bool no_series;
	struct habit_opts habits;
	unsigned int seed, cluster_seed;
	int64_t begin_ns;
};

#define AT(field)  offsetof(struct sim_opts, field)
#define SET(field) offsetof(struct sim_opts, setup.field)

#define COMMON_OPTIONS                                                                              \
	{'w', "workload", OPT_STRING, AT(workload), "NAME", "what the clients do (needed)", 0, 0},  \
		{'f',	    "fault", OPT_STRING,                                                    \
		 AT(fault), "NAME",  "what is wrong with one server; default: none",                \
		 0,	    0},                                                                     \
		{'n',	   "node",   OPT_STRING,                                                    \
		 AT(node), "SERVER", "with which one; default: drawn by the seed",                  \
		 0,	   0},                                                                      \
		{0,	     "intensity",                                                           \
		 OPT_DOUBLE, SET(intensity),                                                        \
		 "X",	     "share taken, packets lost, factor; default: the fault's own",         \
		 0.0001,     20},                                                                   \
		{0, "seconds", OPT_UINT, SET(seconds), "N", "length of the run (600)", 1, 2700000}, \
		{0,	   "fault-from",                                                            \
		 OPT_UINT, SET(fault_from),                                                         \
		 "N",	   "second in which the fault begins (150)",                                \
		 0,	   2700000},                                                                \
		{0,   "fault-seconds",		 OPT_UINT, SET(fault_seconds),                      \
		 "N", "how long it stays (300)", 1,	   2700000},                                \
		{0,	   "interval",                                                              \
		 OPT_UINT, SET(interval_s),                                                         \
		 "N",	   "seconds that a row has the sums of (1)",                                \
		 1,	   60},                                                                     \
		{0,	     "brief", OPT_FLAG,                                                     \
		 SET(brief), NULL,    "no rows of clients and processes: cheaper",                  \
		 0,	     0},                                                                    \
		{0, "begin", OPT_TIME, AT(begin_ns), "TIME", "first second (2026-01-05T00:00:00Z)", \
		 0, 0},                                                                             \
		{0, "seed", OPT_UINT, AT(seed), "N", "of this run's noise (1)", 0, 4294967295.0},   \
		{0,	   "cluster-seed",                                                          \
		 OPT_UINT, AT(cluster_seed),                                                        \
		 "N",	   "of the hardware: the same cluster in other runs (1)",                   \
		 0,	   4294967295.0},                                                           \
		{0,	     "missing",                                                             \
		 OPT_DOUBLE, SET(missing),                                                          \
		 "P",	     "probability that a second is not recorded (0.0005)",                  \
		 0,	     0.9},                                                                  \
		{0,	     "truth",                                                               \
		 OPT_STRING, AT(truth),                                                             \
		 "FILE",     "append a line: source,model,cluster,workload,fault,node,from,to",     \
		 0,	     0},                                                                    \
	{                                                                                           \
		0, "model", OPT_STRING, AT(model), "FILE", "what stands there as the model", 0, 0   \
	}

static const struct option_def pfs_options[] = {
	{0, "kind", OPT_STRING, AT(kind), "pvfs|lustre",
	 "lustre: no server of \"/\" among the peers (pvfs)", 0, 0},
	{0, "clients", OPT_UINT, SET(clients), "N", "how many (10)", 1, 100000},
	{0, "servers", OPT_UINT, SET(servers), "N", "how many (10)", 1, 10000},
	{0, "heterogeneity", OPT_DOUBLE, SET(heterogeneity), "X",
	 "deviation of the logarithm of the disks' speed (0.06)", 0, 1},
	{0, "imbalance", OPT_DOUBLE, SET(imbalance), "X",
	 "deviation of the servers' lasting shares of the load (0.005)", 0, 1},
	{0, "noise", OPT_DOUBLE, SET(noise), "X",
	 "factor on all that varies from second to second (1)", 0, 10},
	{0, "mds", OPT_FLAG, SET(mds), NULL, "record lustre's metadata server too, as 'mds'", 0, 0},
	{0, "duty", OPT_STRING, AT(duty), "PERIOD:SHARE",
	 "the fault comes and goes: on for a share of each period (1h:0.3)", 0, 0},
	HABIT_OPTIONS(AT(habits)),
	COMMON_OPTIONS,
	{0},
};

static const struct option_def hadoop_options[] = {
	{0, "slaves", OPT_UINT, SET(servers), "N", "how many (5)", 2, 10000},
	{0, "logs", OPT_STRING, AT(logs), "DIR",
	 "write job histories and daemons' logs there, of Hadoop 1.2.1", 0, 0},
	{0, "histories", OPT_FLAG, SET(histories), NULL,
	 "of the logs job histories alone: each reduce fetches from each map, a line each", 0, 0},
	{0, "jobs", OPT_UINT, SET(jobs), "N", "no more jobs than these", 1, 100000},
	{0, "maps", OPT_UINT, SET(maps), "N", "of each job, in all (its own: some for each slave)",
	 1, 10000000},
	{0, "reduces", OPT_UINT, SET(reduces), "N", "of each job that has reduces, in all", 1,
	 1000000},
	{0, "no-series", OPT_FLAG, AT(no_series), NULL,
	 "no series files: logs alone, until the jobs are done", 0, 0},
	COMMON_OPTIONS,
	{0},
};

static const struct command pfs_command, hadoop_command;

static struct sim_opts defaults(bool hadoop)
{
	return (struct sim_opts){
		.setup = {.hadoop = hadoop,
			  .clients = 10,
			  .servers = hadoop ? 5 : 10,
			  .seconds = 600,
			  .fault_from = 150,
			  .fault_seconds = 300,
			  .heterogeneity = 0.06,
			  .imbalance = 0.005,
			  .noise = 1,
			  .interval_s = 1,
			  .missing = 0.0005},
		.kind = "pvfs",
		.fault = "none",
		.seed = 1,
		.cluster_seed = 1,
		.begin_ns = 1767571200000000000,
	};
}

static int bad_name(const char *what, const char *name, const char *names)
{
	return fail("'%s' is not %s: one of %s is needed", name, what, names);
}

static int find_workload(struct setup *s, const char *name)
{
	char names[256];

	if (!name)
		return fail("--workload is needed");
	if (s->hadoop) {
		s->workload = hadoop_workload(name);
		snprintf(names, sizeof(names), "%s", hadoop_workload_names);
	} else {
		size_t n = 0;

		s->workload = workload_by_name(name);
		for (const struct workload *w = workloads; w->name && n < sizeof(names); w++)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      w->name);
	}
	return s->workload ? 0 : bad_name("a workload", name, names);
}

static int find_fault(struct setup *s, const char *name)
{
	char names[512] = "none";
	size_t n = strlen(names);

	if (!strcmp(name, "none"))
		return s->intensity > 0 ? fail("'--intensity' without a fault") : 0;
	s->fault = fault_by_name(name, s->hadoop);
	if (!s->fault) {
		for (const struct fault *f = faults; f->name && n < sizeof(names); f++)
			if (s->hadoop ? f->hadoop : f->pfs)
				n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s",
						      f->name);
		return bad_name("a fault", name, names);
	}
	if (!(s->intensity > 0))
		s->intensity = s->fault->intensity;
	if (!(s->intensity > s->fault->least))
		return fail("'--intensity %g' is too little for '%s': more than %g", s->intensity,
			    name, s->fault->least);
	if (s->intensity > s->fault->max)
		return fail("'--intensity %g' is too much for '%s': at most %g", s->intensity, name,
			    s->fault->max);
	if ((uint64_t)s->fault_from + s->fault_seconds > s->seconds)
		return fail("the fault ends after %u s, the run after %u",
			    s->fault_from + s->fault_seconds, s->seconds);
	return 0;
}

static int find_node(struct setup *s, const char *name)
{
	struct rng choice = stream(s->seed, FOR_CHOICE, 1);
	char at[SERVER_NAME_LEN];

	s->node = (unsigned int)rng_below(&choice, s->servers);
	if (!name)
		return 0;
	if (!s->fault)
		return fail("'--node %s' without a fault", name);
	if (s->fault->where == AT_ALL || s->fault->where == AT_CLIENT)
		return fail("'--node %s', but '%s' is not of one server", name, s->fault->name);
	for (s->node = 0; s->node < s->servers; s->node++) {
		server_name(s, s->node, at);
		if (!strcmp(at, name))
			return 0;
	}
	return fail("'%s' is not a server: the first of %u is '%s', the last '%s'", name,
		    s->servers, s->hadoop ? "slave01" : "io01", at);
}

/* The options that the table cannot check. 0 or -1 after a message. */
static int settle(struct sim_opts *o)
{
	struct setup *s = &o->setup;

	s->seed = o->seed;
	s->cluster_seed = o->cluster_seed;
	s->lustre = !strcmp(o->kind, "lustre");
	if (!s->lustre && strcmp(o->kind, "pvfs"))
		return bad_name("a kind", o->kind, "pvfs, lustre");
	if (s->mds && !s->lustre)
		return fail("'--mds' needs '--kind lustre'");
	if (find_workload(s, o->workload) || find_fault(s, o->fault) || find_node(s, o->node))
		return -1;
	if ((o->no_series || s->histories) && !o->logs)
		return fail("'--no-series' and '--histories' need '--logs'");
	if (!o->no_series &&
	    (uint64_t)setup_nodes(s) * s->seconds * TOTALS * sizeof(float) > RUN_BYTES_MAX)
		return fail("%u servers for %u s are too much: over 4 GiB of memory",
			    setup_nodes(s), s->seconds);
	if (o->begin_ns % NS_PER_S)
		return fail("'--begin' is not a whole second");
	s->day_s = (double)(o->begin_ns % NS_PER_DAY) / NS_PER_S;
	if (o->duty && (!s->fault || s->fault->where == AT_ALWAYS))
		return fail("'--duty' needs a fault that begins");
	if (habits_settle(&o->habits, &s->habits))
		return -1;
	if (o->duty && read_duty("duty", o->duty, &s->duty))
		return -1;
	return 0;
}

static int simulate(struct sim_opts *o, const char *dir)
{
	struct setup *s = &o->setup;
	struct run r = {.servers = setup_nodes(s), .seconds = s->seconds};
	struct writing w = {.dir = dir, .begin_ns = o->begin_ns, .setup = s};
	int err;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return fail("cannot make '%s': %s", dir, strerror(errno));
	if (o->logs && !(s->logs = hadoop_logs_open(s, o->logs, o->begin_ns)))
		return -1;
	if (!o->no_series)
		r.v = calloc((size_t)r.servers * r.seconds, TOTALS * sizeof(*r.v));
	err = !r.v && !o->no_series ? -ENOMEM
	      : s->hadoop	    ? hadoop_simulate(s, &r)
				    : pfs_simulate(s, &r);
	if (err)
		fail("out of memory");
	else if (r.v)
		err = write_run(&w, &r);
	free(r.v);
	if (hadoop_logs_close(s->logs))
		err = -1;
	if (!err && o->truth)
		err = truth_append(&(struct truth){.path = o->truth,
						   .dir = dir,
						   .model = o->model,
						   .workload = o->workload,
						   .kind = o->kind,
						   .begin_ns = o->begin_ns,
						   .setup = s});
	return err;
}

static int run_command(const struct command *cmd, bool hadoop, int argc, char **argv)
{
	struct sim_opts o = defaults(hadoop);
	int n = options_parse(cmd, &o, argc, argv);

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n != 1) {
		fail("one folder is needed (see '%s %s --help')", program_name, cmd->name);
		return EXIT_USAGE;
	}
	if (settle(&o))
		return EXIT_USAGE;
	return simulate(&o, argv[1]) ? EXIT_FAILED : EXIT_DONE;
}

static int run_pfs(int argc, char **argv)
{
	return run_command(&pfs_command, false, argc, argv);
}

static int run_hadoop(int argc, char **argv)
{
	return run_command(&hadoop_command, true, argc, argv);
}

static const struct command
	pfs_command = {"pfs",	    "FOLDER", "a parallel file system as in FAST'10",
		       pfs_options, run_pfs,  NULL},
	hadoop_command = {
		"hadoop",	"FOLDER",   "a MapReduce cluster as in Ganesha's experiments",
		hadoop_options, run_hadoop, NULL};

int main(int argc, char **argv)
{
	const struct command table[] = {pfs_command, hadoop_command, table_command, {0}};

	return commands_dispatch("simulate",
				 "series files and tables of clusters that do not exist", table,
				 argc, argv);
}
