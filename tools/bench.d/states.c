// SPDX-License-Identifier: BSD-2-Clause
/*
 * What methods on states of logs cost, for tools/bench-states:
 *
 *   states autodiagn TASKS      that many running tasks, each with a report of progress every 3 s for a minute:
 *                               symptom: one look at them; diagnosis: from the states to the verdict, with one look
 *                               and what all outliers have in common. NAME, the least, the median, in ms
 *   states stragglers TASKS     the same tasks: symptom, as limpet watch asks: the last looks, with all diagnosers and
 *                               decisions; diagnosis, with the looks of that minute
 *   states robust NODES STATES JOBS  maps of so many nodes and jobs, one job after the other and four at a time, through the
 *                               default engine: the server that was made slow, seconds of processor time, MiB at the peak
 */
#include "analyzer.h"

#include <string.h>
#include <sys/resource.h>

#include "analyzer/engine/states/examine_states.h"
#include "analyzer/methods/autodiagn.h"
#include "analyzer/methods/method_states.h"
#include "analyzer/jobs/stragglers.h"
#include "userspace/common/clock.h"

enum { SERVERS = 30, REPORTS = 20, ROUNDS = 50 };

static const int64_t begin_ns = (int64_t)1700000000 * NS_PER_S;

static uint32_t name_of(struct names *names, const char *format, size_t i)
{
	char name[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* those below */
	snprintf(name, sizeof(name), format, i);
#pragma GCC diagnostic pop
	return (uint32_t)names_add(names, name);
}

/* Attempts of one job; one in twenty is four times as slow, one in ten reads from afar. */
static void make_states(struct states *s, size_t n)
{
	struct rng rng;

	rng_seed(&rng, 43);
	*s = (struct states){.n = n, .n_progress = n * REPORTS};
	s->at = need(n, sizeof(*s->at));
	s->progress = need(s->n_progress, sizeof(*s->progress));
	s->job = need(1, sizeof(*s->job));
	for (size_t i = 0; i < SERVERS; i++)
		name_of(&s->nodes, "s%zu", i);
	name_of(&s->jobs, "job_1_%zu", 1);
	names_add(&s->classes, "NODE_LOCAL");
	names_add(&s->classes, "RACK_LOCAL");
	for (size_t i = 0; i < n; i++) {
		double length_s = 200 * (i % 20 ? 1 : 4) * (0.8 + 0.4 * rng_uniform(&rng));
		struct state *st = &s->at[i];

		*st = (struct state){.start_ns = begin_ns + (int64_t)(i % 30) * NS_PER_S,
				     .id = name_of(&s->ids, "attempt_1_1_m_%06zu_0", i),
				     .node = (uint32_t)(i % SERVERS),
				     .kind = STATE_MAP,
				     .cls = i % 10 == 3,
				     .peer = STATE_NONE};
		st->end_ns = st->start_ns + (int64_t)(length_s * 1e9);
		for (size_t k = 0; k < REPORTS; k++)
			s->progress[k * n + i] = (struct state_progress){
				.id = st->id,
				.node = st->node,
				.kind = STATE_MAP,
				.done = (float)((double)k * 3 / length_s),
				.time_ns = st->start_ns + (int64_t)k * 3 * NS_PER_S};
	}
}

static void bench_look(size_t n)
{
	struct autodiagn_task *t = need(n, sizeof(*t));
	double *spare = need(n, sizeof(*spare)), ms[ROUNDS];
	struct rng rng;

	rng_seed(&rng, 44);
	for (size_t i = 0; i < n; i++)
		t[i] = (struct autodiagn_task){.done = rng_uniform(&rng),
					       .age_s = 60 * rng_uniform(&rng)};
	for (size_t r = 0; r < ROUNDS; r++) {
		double from = clock_ms(CLOCK_MONOTONIC);

		autodiagn_look(t, n, spare);
		ms[r] = clock_ms(CLOCK_MONOTONIC) - from;
	}
	print_times("symptom", ms, ROUNDS);
	free(t);
	free(spare);
}

static int diagnose(const struct states *s, size_t *outliers)
{
	struct autodiagn_opts o = {.from_ns = begin_ns + 57 * NS_PER_S,
				   .to_ns = begin_ns + 60 * NS_PER_S};
	struct state_nodes nodes = {0};
	struct verdict v = {0};
	struct autodiagn r = {0};
	int err = state_nodes_list(&nodes, &v, s, NULL);

	if (!err)
		err = autodiagn_replay(&r, s, &o);
	if (!err)
		err = autodiagn_tell(&v, s, &r, &nodes, false);
	*outliers = v.n_stragglers;
	verdict_release(&v);
	autodiagn_release(&r);
	state_nodes_release(&nodes);
	return err;
}

static int bench_autodiagn(size_t n)
{
	double ms[ROUNDS];
	struct states s;
	size_t outliers = 0;
	int err = 0;

	bench_look(n);
	make_states(&s, n);
	for (size_t r = 0; r < ROUNDS && !err; r++) {
		double from = clock_ms(CLOCK_MONOTONIC);

		err = diagnose(&s, &outliers);
		ms[r] = clock_ms(CLOCK_MONOTONIC) - from;
	}
	states_release(&s);
	if (err)
		return fail("out of memory");
	print_times("diagnosis", ms, ROUNDS);
	printf("outliers\t%zu\n", outliers);
	return 0;
}

static int time_stragglers(const struct states *s, const char *name,
			   int (*find)(struct verdict *, const struct states *,
				       const struct analysis_opts *),
			   size_t *found)
{
	const struct analysis_opts o = ANALYSIS_DEFAULT;
	struct state_nodes nodes = {0};
	double ms[ROUNDS];
	int err = 0;

	for (size_t r = 0; r < ROUNDS && !err; r++) {
		struct verdict v = {0};
		double from = clock_ms(CLOCK_MONOTONIC);

		err = state_nodes_list(&nodes, &v, s, NULL);
		if (!err)
			err = find(&v, s, &o);
		ms[r] = clock_ms(CLOCK_MONOTONIC) - from;
		*found = v.n_stragglers;
		verdict_release(&v);
		state_nodes_release(&nodes);
	}
	if (!err)
		print_times(name, ms, ROUNDS);
	return err;
}

static int all_rows(struct verdict *v, const struct states *s, const struct analysis_opts *o)
{
	return stragglers_running(v, s, o, NULL);
}

/* As they stand after a minute: all of them run. */
static int bench_stragglers(size_t n)
{
	struct states s;
	size_t found = 0;
	int err;

	make_states(&s, n);
	for (size_t i = 0; i < n; i++) {
		s.at[i].end_ns = begin_ns + 60 * NS_PER_S;
		s.at[i].outcome = OUTCOME_OPEN;
	}
	err = time_stragglers(&s, "symptom", all_rows, &found);
	if (!err)
		err = time_stragglers(&s, "diagnosis", stragglers_find, &found);
	states_release(&s);
	if (err)
		return fail("out of memory");
	printf("outliers\t%zu\n", found);
	return 0;
}

/* A task takes 10 s to 20 s, on the second node half as long again; four jobs run at a time, each node has two slots. */
static void make_jobs(struct states *s, size_t nodes, size_t n, size_t jobs)
{
	int64_t *free_ns = need(2 * nodes, sizeof(*free_ns));
	struct rng rng;

	rng_seed(&rng, 45);
	*s = (struct states){.n = n};
	s->at = need(n, sizeof(*s->at));
	for (size_t i = 0; i < nodes; i++)
		name_of(&s->nodes, "s%zu", i);
	for (size_t i = 0; i < jobs; i++)
		name_of(&s->jobs, "job_1_%zu", i);
	names_add(&s->classes, "NODE_LOCAL");
	for (size_t i = 0; i < n; i++) {
		size_t slot = i % (2 * nodes), node = slot / 2, turn = i * jobs / n;
		double length_s = (node == 1 ? 15 : 10) * (1 + rng_uniform(&rng));
		struct state *st = &s->at[i];

		if (turn + 4 <= jobs)
			turn += i % 4;
		*st = (struct state){.start_ns = begin_ns + free_ns[slot],
				     .id = name_of(&s->ids, "attempt_1_1_m_%08zu_0", i),
				     .node = (uint32_t)node,
				     .job = (uint32_t)turn,
				     .kind = STATE_MAP,
				     .bytes = 64 << 20,
				     .peer = STATE_NONE};
		free_ns[slot] += (int64_t)(length_s * 1e9);
		st->end_ns = begin_ns + free_ns[slot];
	}
	free(free_ns);
}

static int bench_engine(size_t nodes, size_t n, size_t jobs)
{
	const struct analysis_opts o = ANALYSIS_DEFAULT;
	struct verdict v = {0};
	struct states s;
	struct rusage used;
	double from;
	int err;

	make_jobs(&s, nodes, n, jobs);
	from = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
	err = examine_states(&o, &s, &v);
	from = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - from;
	getrusage(RUSAGE_SELF, &used);
	if (!err)
		printf("%s\t%.2f\t%.0f\n", v.n_incidents == 1 ? v.nodes[v.incidents[0].node] : "-",
		       from / 1e3, (double)used.ru_maxrss / 1024);
	verdict_release(&v);
	states_release(&s);
	return err;
}

static const struct {
	const char *name;
	int (*run)(size_t n);
} benches[] = {{"autodiagn", bench_autodiagn}, {"stragglers", bench_stragglers}};

int main(int argc, char **argv)
{
	size_t which = 0, of = sizeof(benches) / sizeof(*benches);
	unsigned int n, states, jobs;

	program_name = "states";
	if (argc == 5 && !strcmp(argv[1], "robust") && !parse_uint(argv[2], 3, 100000, &n) &&
	    !parse_uint(argv[3], 1, 10000000, &states) && !parse_uint(argv[4], 1, states, &jobs))
		return bench_engine(n, states, jobs) ? 1 : 0;
	while (argc == 3 && which < of && strcmp(argv[1], benches[which].name) != 0)
		which++;
	if (argc != 3 || which == of || parse_uint(argv[2], 1, 1000000, &n)) {
		fail("usage: states autodiagn|stragglers TASKS | robust NODES STATES JOBS");
		return 2;
	}
	return benches[which].run(n) ? 1 : 0;
}
