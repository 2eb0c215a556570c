// SPDX-License-Identifier: BSD-2-Clause
/* When to look at the TCP sockets. */
#include "look_times.h"

#include <stddef.h>
#include <stdio.h>

#include "userspace/common/clock.h"

#define LOOKS_HZ 10
/* ns of CPU: below this every look is a walk, 1 ms a second at most. A walk that reads every row may cost
 * as often as much as one that leaves out most of those that were quiet for long (SELDOM of tcp_walk.bpf.h). */
#define WALK_CHEAP 100000
#define EVERY_MORE 4
/* A minute of looks: a beginning is seen by one look, no matter how many it could have been, so it is to be
 * rare. Heartbeats come every half a minute or oftener. */
#define QUIET_LOOKS 600
/* A minute of looks at all of them: the turns are over. */
#define WHOLE_LOOKS 600
/* By netlink: */
#define LOOK_COSTLY 2000000 /* ns of CPU: above this a look a second must do… */
#define LOOKS_CHEAP 60	    /* …until so many in a row cost half of it at most */

void look_times_init(struct look_times *t, bool netlink)
{
	*t = (struct look_times){
		.netlink = netlink, .step_ns = NS_PER_S / LOOKS_HZ, .walk_cheap = true};
}

static bool rests(const struct look_times *t)
{
	return !t->netlink && t->quiet >= QUIET_LOOKS;
}

int64_t look_times_wait(struct look_times *t, int64_t now_ns)
{
	int64_t from = now_ns + t->step_ns / 2, wait = t->step_ns - from % t->step_ns;
	int64_t to_walk = NS_PER_S - from % NS_PER_S;

	t->left_out = rests(t) ? (unsigned int)((to_walk - wait) / t->step_ns) : 0;
	wait = rests(t) ? to_walk : wait;
	t->due_s = (now_ns + wait) / NS_PER_S;
	return wait;
}

struct look_args look_times_begin(struct look_times *t, int64_t now_ns)
{
	/* The last look before a sweep is a walk, or the next, where that one did not come. */
	int64_t second = (now_ns + NS_PER_S / LOOKS_HZ) / NS_PER_S;
	struct look_args args = {
		.walk = second != t->walked_s || t->walk_cheap,
		.every = rests(t) && t->walk_cheap,
	};

	/* Late, they are of a second that has been taken without them; and a walk that leaves out rows
	 * cannot tell what happened. */
	args.left_out = args.every && now_ns / NS_PER_S == t->due_s ? t->left_out : 0;
	t->walked_s = second;
	return args;
}

static const char *set_pace(struct look_times *t, int64_t cpu_ns)
{
	t->cost_ns += (cpu_ns - t->cost_ns) / 8;
	if (t->step_ns < NS_PER_S && t->cost_ns > LOOK_COSTLY) {
		t->step_ns = NS_PER_S;
		return "a look at all TCP sockets by netlink costs over 2 ms: once a second from "
		       "now on, not ten times";
	}
	/* A machine that was busy, or sockets that have gone. */
	t->cheap = t->step_ns == NS_PER_S && t->cost_ns < LOOK_COSTLY / 2 ? t->cheap + 1 : 0;
	if (t->cheap <= LOOKS_CHEAP)
		return NULL;
	t->step_ns = NS_PER_S / LOOKS_HZ;
	t->cheap = 0;
	return "a look at all TCP sockets by netlink costs under 1 ms again: ten times a second "
	       "from now on";
}

/* Beyond what one look reads (most_looked of tcp_look.bpf.c). */
static const char *say_turns(struct look_times *t, const struct look_args *did)
{
	bool turns = did->looked < did->at_work;

	t->whole = turns ? 0 : t->whole + 1;
	if (turns == t->by_turns || (t->by_turns && t->whole < WHOLE_LOOKS))
		return NULL;
	t->by_turns = turns;
	if (turns)
		snprintf(t->said, sizeof(t->said),
			 "%u TCP connections are at work: a look reads the windows of %u of them, "
			 "%u %%, "
			 "by turns; tcp-looks says how often each has its turn",
			 did->at_work, did->looked,
			 (unsigned int)(100ULL * did->looked / did->at_work));
	else
		snprintf(t->said, sizeof(t->said),
			 "every look has read the windows of all TCP connections at work for a "
			 "minute");
	return t->said;
}

const char *look_times_end(struct look_times *t, const struct look_args *did, int64_t cpu_ns)
{
	if (t->netlink)
		return set_pace(t, cpu_ns);
	if (did->walk)
		t->walk_cheap = cpu_ns < WALK_CHEAP * (did->every ? EVERY_MORE : 1);
	t->quiet = did->any ? 0 : t->quiet + 1;
	return say_turns(t, did);
}
