// SPDX-License-Identifier: BSD-2-Clause
/* states_lines.h: states one by one, as CSV, JSON Lines and in words. */
#include "states_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"

/* Names hold neither control characters nor bad UTF-8. */
static void print_json_text(const char *key, const char *s)
{
	if (!*s)
		return;
	printf(",\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

/* Seconds of an exact number of nanoseconds, without trailing zeros. */
static const char *seconds(int64_t ns, char buf[32])
{
	int len = snprintf(buf, 32, "%lld.%09lld", (long long)(ns / NS_PER_S),
			   (long long)(ns % NS_PER_S));

	while (buf[len - 1] == '0')
		buf[--len] = 0;
	if (buf[len - 1] == '.')
		buf[--len] = 0;
	return buf;
}

/* What the user calls its job: the same program on other data is another job. */
static const char *program_of(const struct states *s, const struct state *st)
{
	return st->job < s->jobs.n && s->job ? states_name(&s->classes, s->job[st->job].name) : "";
}

void states_csv_header(void)
{
	puts("time,node,state,duration,bytes,records,peer,job,id,class,outcome,progress,in,out,"
	     "lost,speculative,file,offset,cpu_s,memory_mib,container,pid");
}

void state_print_csv(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];
	const char *const names[] = {
		states_name(&s->nodes, st->peer), states_name(&s->jobs, st->job),
		states_name(&s->ids, st->id),	  states_name(&s->classes, st->cls),
		outcome_words[st->outcome],
	};

	printf("%s,", output_time(st->start_ns, when));
	output_csv(states_name(&s->nodes, st->node));
	printf(",%s,%s,", state_rows[st->kind].word,
	       st->outcome == OUTCOME_OPEN ? "" : seconds(st->end_ns - st->start_ns, number));
	if (st->bytes >= 0)
		printf("%lld", (long long)st->bytes);
	putchar(',');
	if (st->records >= 0)
		printf("%lld", (long long)st->records);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		putchar(',');
		output_csv(names[i]);
	}
	putchar(',');
	if (!isnan(st->progress))
		printf("%.3g", (double)st->progress);
	putchar(',');
	output_csv(states_name(&s->items, st->in));
	putchar(',');
	output_csv(states_name(&s->items, st->out));
	printf(",%d,%d,", st->lost, st->speculative);
	output_csv(states_name(&s->files, st->file));
	printf(",%llu,", (unsigned long long)st->offset);
	if (!isnan(st->cpu_s))
		printf("%.6g", (double)st->cpu_s);
	putchar(',');
	if (!isnan(st->memory_mib))
		printf("%.9g", (double)st->memory_mib);
	putchar(',');
	output_csv(states_name(&s->ids, st->container));
	putchar(',');
	if (st->pid)
		printf("%u", st->pid);
	putchar('\n');
}

void state_print_json(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("{\"time\":\"%s\"", output_time(st->start_ns, when));
	print_json_text("node", states_name(&s->nodes, st->node));
	print_json_text("state", state_rows[st->kind].word);
	/* of an open one it is how long it has lasted at least */
	printf(",\"%s\":%s", st->outcome == OUTCOME_OPEN ? "age" : "duration",
	       seconds(st->end_ns - st->start_ns, number));
	if (st->bytes >= 0)
		printf(",\"bytes\":%lld", (long long)st->bytes);
	if (st->records >= 0)
		printf(",\"records\":%lld", (long long)st->records);
	print_json_text("peer", states_name(&s->nodes, st->peer));
	print_json_text("job", states_name(&s->jobs, st->job));
	print_json_text("program", program_of(s, st));
	print_json_text("id", states_name(&s->ids, st->id));
	print_json_text("class", states_name(&s->classes, st->cls));
	print_json_text("outcome", outcome_words[st->outcome]);
	if (!isnan(st->progress))
		printf(",\"progress\":%.3g", (double)st->progress);
	if (!isnan(st->cpu_s))
		printf(",\"cpu_s\":%.6g", (double)st->cpu_s);
	if (!isnan(st->memory_mib))
		printf(",\"memory_mib\":%.9g", (double)st->memory_mib);
	print_json_text("container", states_name(&s->ids, st->container));
	if (st->pid)
		printf(",\"pid\":%u", st->pid);
	print_json_text("in", states_name(&s->items, st->in));
	print_json_text("out", states_name(&s->items, st->out));
	if (st->lost)
		printf(",\"lost\":true");
	if (st->speculative)
		printf(",\"speculative\":true");
	print_json_text("file", states_name(&s->files, st->file));
	printf(",\"offset\":%llu}\n", (unsigned long long)st->offset);
}

void state_print_words(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("%s  %s of %s on %s: %s%s s, %s%s%s\n", output_time(st->start_ns, when),
	       state_rows[st->kind].word, states_name(&s->ids, st->id),
	       states_name(&s->nodes, st->node), st->outcome == OUTCOME_OPEN ? "at least " : "",
	       seconds(st->end_ns - st->start_ns, number), outcome_words[st->outcome],
	       st->lost ? ", lost later" : "", st->speculative ? ", speculative" : "");
	if (st->peer != STATE_NONE)
		printf("  with:  %s\n", s->nodes.at[st->peer]);
	if (st->in != STATE_NONE)
		printf("  in:    %s\n", s->items.at[st->in]);
	if (st->out != STATE_NONE)
		printf("  out:   %s\n", s->items.at[st->out]);
	if (!isnan(st->cpu_s))
		printf("  took:  %.3g s of processor time\n", (double)st->cpu_s);
	if (!isnan(st->memory_mib))
		printf("  held:  %.3g MiB of memory\n", (double)st->memory_mib);
	if (st->pid)
		printf("  was:   process %u%s%s\n", st->pid,
		       st->container == STATE_NONE ? "" : " of ",
		       states_name(&s->ids, st->container));
	printf("  log:   %s, byte %llu\n", states_name(&s->files, st->file),
	       (unsigned long long)st->offset);
}
