// SPDX-License-Identifier: BSD-2-Clause
/* feed_give.h */
#include "feed_give.h"

#include <string.h>

#include "gather_read.h"

static int give(struct feed_out *o, int64_t from_ns)
{
	int err = o->to->interval(o->to->arg, from_ns, o->at, o->n);

	o->given += err >= 0;
	return err < 0 ? err : 0;
}

/* The most intervals of a silence that is given as it was. */
static uint64_t most(const struct feed_out *o)
{
	return (uint64_t)(GATHER_SILENCE_NS / o->interval_ns);
}

static int silent(struct feed_out *o, uint64_t back)
{
	memset(o->at, 0, o->n * sizeof(*o->at));
	return give(o, o->next_ns - (int64_t)back * o->interval_ns);
}

int feed_pass(struct feed_out *o, uint64_t n, bool now)
{
	int err = 0;

	memset(o->at, 0, o->n * sizeof(*o->at));
	if (!o->began) {
		o->next_ns += (int64_t)n * o->interval_ns;
		return 0;
	}
	for (uint64_t i = 0; i < n && !err; i++) {
		if (now && o->silent_given == o->silent && o->silent < most(o)) {
			err = silent(o, 0);
			o->silent_given++;
		}
		o->silent++;
		o->next_ns += o->interval_ns;
		if (o->silent > most(o)) {
			o->silent += n - i - 1;
			o->next_ns += (int64_t)(n - i - 1) * o->interval_ns;
			break;
		}
	}
	return err;
}

int feed_end_silence(struct feed_out *o)
{
	int err = 0;

	if (o->silent > most(o) && !o->silent_given)
		err = silent(o, o->silent);
	for (; o->silent <= most(o) && o->silent_given < o->silent && !err; o->silent_given++)
		err = silent(o, o->silent - o->silent_given);
	o->silent = o->silent_given = 0;
	return err;
}

int feed_give(struct feed_out *o)
{
	int err = give(o, o->next_ns);

	o->began = true;
	o->next_ns += o->interval_ns;
	return err;
}
